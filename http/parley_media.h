/*
 * The media type and coding of a request's body (SEC-02), and the charset of an
 * answer's.  A message is JSON in UTF-8: the gateway reads it that way, and
 * tells the service to do so.  A request that declares something else is
 * refused, regardless of its body.
 */

#ifndef PARLEY_MEDIA_H
#define PARLEY_MEDIA_H

#include "core/parley_error.h"
#include "core/parley_str.h"


/* How a charset reads octets; later values are less like UTF-8. */
typedef enum {
    PARLEY_CHARSET_UTF8 = 0,    /* UTF-8, or no charset */
    PARLEY_CHARSET_ASCII,       /* extends ASCII */
    PARLEY_CHARSET_OTHER
} parley_charset_t;


/* state of the check of a request's headers; begins zeroed */
typedef struct {
    unsigned  typed:1;          /* there was a Content-Type */
} parley_media_t;


/*
 * Checks a header of a request; headers other than Content-Type and
 * Content-Encoding pass.  Accepted are
 *
 *   application/json, or application/ and a name that ends in +json, with the
 *   charset utf-8 or none and any other parameters, at most once, or absent;
 *
 *   the coding identity, any number of times.
 *
 * name is in lower case.  Returns 0, or -1 with *err filled:
 * protocol-unsupported.
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
