/*
 * The media type and coding of a request's body (SEC-02).  A message is JSON
 * in UTF-8: that is how it is read here, and how the service is told to read
 * it.  A request that says something else of its body is refused, whatever the
 * body is.
 */

#ifndef PARLEY_MEDIA_H
#define PARLEY_MEDIA_H

#include "parley_error.h"
#include "parley_str.h"


/* what the headers of a request have said so far; all zero: nothing */
typedef struct {
    unsigned  typed:1;          /* there was a Content-Type */
} parley_media_t;


/*
 * Looks at a header of a request; others than Content-Type and
 * Content-Encoding say nothing.  Taken are
 *
 *  application/json, or application/ and a name that ends in +json, with the
 *  charset utf-8 or none and any other parameters, at most once; a request
 *  may say nothing of its type;
 *
 *  the coding identity, any number of times.
 *
 * name is in lower case.  Returns 0, or -1: protocol-unsupported.
 */
int parley_media_header(parley_media_t *media, parley_str_t name,
    parley_str_t value, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_MEDIA_H */
