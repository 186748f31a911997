/*
 * Numbers in octets, the lowest octet first on every host.  A function that
 * writes returns the end of the octets.
 */

#ifndef PARLEY_OCTETS_H
#define PARLEY_OCTETS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>


static inline uint8_t *
parley_octets_write16(uint8_t *p, uint16_t n)
{
    p[0] = (uint8_t) n;
    p[1] = (uint8_t) (n >> 8);

    return p + 2;
}


static inline uint8_t *
parley_octets_write32(uint8_t *p, uint32_t n)
{
    p[0] = (uint8_t) n;
    p[1] = (uint8_t) (n >> 8);
    p[2] = (uint8_t) (n >> 16);
    p[3] = (uint8_t) (n >> 24);

    return p + 4;
}


static inline uint8_t *
parley_octets_write64(uint8_t *p, uint64_t n)
{
    p = parley_octets_write32(p, (uint32_t) n);

    return parley_octets_write32(p, (uint32_t) (n >> 32));
}


/* Writes n numbers of 16 bits, one after another. */
static inline uint8_t *
parley_octets_write16s(uint8_t *p, const uint16_t *numbers, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, numbers, 2 * n);
#else
    size_t  i;

    for (i = 0; i < n; i++) {
        (void) parley_octets_write16(p + 2 * i, numbers[i]);
    }
#endif

    return p + 2 * n;
}


static inline void
parley_octets_read16s(const uint8_t *p, uint16_t *numbers, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(numbers, p, 2 * n);
#else
    size_t  i;

    for (i = 0; i < n; i++) {
        numbers[i] = (uint16_t) (p[2 * i] | p[2 * i + 1] << 8);
    }
#endif
}


static inline uint16_t
parley_octets_read16(const uint8_t *p)
{
    return (uint16_t) (p[0] | p[1] << 8);
}


static inline uint32_t
parley_octets_read32(const uint8_t *p)
{
    return (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16
           | (uint32_t) p[3] << 24;
}


static inline uint64_t
parley_octets_read64(const uint8_t *p)
{
    return (uint64_t) parley_octets_read32(p)
           | (uint64_t) parley_octets_read32(p + 4) << 32;
}


#endif /* PARLEY_OCTETS_H */
