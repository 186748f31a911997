/*
 * The media type and coding of a request's body (SEC-02), and the charset of an
 * answer's.  A message is JSON in UTF-8: that is how it is read here, and how
 * the service is told to read it.  A request that says something else of its
 * body is refused, whatever the body is.
 */

#ifndef PARLEY_MEDIA_H
#define PARLEY_MEDIA_H

#include "core/parley_error.h"
#include "core/parley_str.h"


/* How a charset reads octets; a later one is less like UTF-8. */
typedef enum {
    PARLEY_CHARSET_UTF8 = 0,    /* or none is named */
    PARLEY_CHARSET_ASCII,       /* the octets of ASCII are the same */
    PARLEY_CHARSET_OTHER
} parley_charset_t;


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

/*
 * Returns the charset that the value of a Content-Type names; UTF8 if it names
 * none or cannot be parsed.  The media type itself is not checked, since
 * services label JSON in many ways.
 */
parley_charset_t parley_media_charset(parley_str_t value);


#endif /* PARLEY_MEDIA_H */
