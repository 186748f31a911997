/* Octets as hexadecimal digits (RFC 4648, section 8). */

#ifndef PARLEY_HEX_H
#define PARLEY_HEX_H

#include <stddef.h>
#include <stdint.h>


/* Writes n octets as 2 * n lower-case digits, and nothing behind them; returns
   their end. */
uint8_t *parley_hex_write(uint8_t *out, const uint8_t *octets, size_t n);

/* The same, and a NUL. */
void parley_hex(const uint8_t *octets, size_t n, char *out);

/* The value of a digit in either case; -1: it is none. */
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
