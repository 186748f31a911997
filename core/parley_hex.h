/* Octets as hexadecimal digits (RFC 4648, section 8). */

#ifndef PARLEY_HEX_H
#define PARLEY_HEX_H

#include <stddef.h>
#include <stdint.h>


/* Writes n octets as 2 * n lower-case digits, without a NUL; returns the end of
   the digits. */
uint8_t *parley_hex_write(uint8_t *out, const uint8_t *octets, size_t n);

/* As parley_hex_write(), with a NUL after the digits. */
void parley_hex(const uint8_t *octets, size_t n, char *out);

/* Returns the value of a digit in either case, or -1 if c is not one. */
static inline int
parley_hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }

    c |= 0x20;

    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


#endif /* PARLEY_HEX_H */
