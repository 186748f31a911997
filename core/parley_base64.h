/*
 * Strict base64 (RFC 4648): no white space, no octet outside the alphabet,
 * unused trailing bits zero, padding exactly where the variant requires it.
 * An octet string has one encoding.  libsodium 1.0.18 is not used as it
 * accepts octets above 0x7F as letters: 0x84 as "_", 0x80 as "/".
 */

#ifndef PARLEY_BASE64_H
#define PARLEY_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


/* octets that decoding n characters may write */
#define PARLEY_BASE64_DECODED(n)   ((n) / 4 * 3 + 3)

/* room to encode n octets, with padding and a NUL */
#define PARLEY_BASE64_ENCODED(n)   (((n) + 2) / 3 * 4 + 1)


/*
 * Decodes base64url without padding (RFC 7515 section 2); the empty text is
 * valid.  out has room for PARLEY_BASE64_DECODED(text.len) octets.  Returns 0,
 * or -1 with *ret_len 0 and the contents of out undefined.
 */
int parley_base64url_decode(parley_str_t text, uint8_t *out, size_t *ret_len)
    __attribute__((warn_unused_result));

/*
 * As parley_base64url_decode(), for the standard alphabet with padding (RFC
 * 4648 section 4).
 */
int parley_base64_decode(parley_str_t text, uint8_t *out, size_t *ret_len)
    __attribute__((warn_unused_result));

/*
 * Encodes with the URL alphabet, without padding.  out has room for
 * PARLEY_BASE64_ENCODED(octets.len).  Writes a NUL and returns the length
 * without it.
 */
size_t parley_base64url_encode(parley_str_t octets, char *out);

/* As parley_base64url_encode(), with the standard alphabet and padding. */
size_t parley_base64_encode(parley_str_t octets, char *out);


#endif /* PARLEY_BASE64_H */
