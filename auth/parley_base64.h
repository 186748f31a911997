/*
 * Base64 (RFC 4648) read strictly: no white space, no octet outside the
 * alphabet, unused trailing bits zero, padding where the variant has it and
 * nowhere else, so that two texts never mean the same octets.  libsodium's
 * (1.0.18) takes octets above 0x7f for letters: 0x84 for "_", 0x80 for "/".
 */

#ifndef PARLEY_BASE64_H
#define PARLEY_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


/* room for what n characters can hold */
#define PARLEY_BASE64_DECODED(n)   ((n) / 4 * 3 + 3)

/* room for n octets as text, padding and terminating zero included */
#define PARLEY_BASE64_ENCODED(n)   (((n) + 2) / 3 * 4 + 1)


/*
 * base64url without padding, as JOSE has it (RFC 7515 section 2).  out has
 * room for PARLEY_BASE64_DECODED(text.len) octets.  Returns 0, or -1 with
 * *ret_len 0.  The empty text is no octets.
 */
int parley_base64url_decode(parley_str_t text, uint8_t *out, size_t *ret_len)
    __attribute__((warn_unused_result));

/* The standard alphabet, padded (RFC 4648 section 4).  Otherwise as above. */
int parley_base64_decode(parley_str_t text, uint8_t *out, size_t *ret_len)
    __attribute__((warn_unused_result));

/* URL alphabet, no padding; zero-terminated; returns the length. */
size_t parley_base64url_encode(parley_str_t octets, char *out);

/* Standard alphabet with padding; zero-terminated; returns the length. */
size_t parley_base64_encode(parley_str_t octets, char *out);


#endif /* PARLEY_BASE64_H */
