#include "core/parley_id.h"
#include "core/parley_digest.h"
#include "core/parley_hex.h"


#define PARLEY_UUID_ONES  0x0101010101010101ULL


static uint64_t parley_uuid_not_hex(uint64_t x);
static void parley_uuid_text(uint8_t octets[16], int version,
    char out[PARLEY_UUID_LEN + 1]);


int
parley_uuid_is(parley_str_t s, int version)
{
    uint8_t         c;
    uint64_t        bad;
    const uint8_t  *p;

    p = s.data;

    if (s.len != PARLEY_UUID_LEN
        || p[8] != '-' || p[13] != '-' || p[18] != '-' || p[23] != '-')
    {
        return 0;
    }

    bad = parley_uuid_not_hex(parley_octets_word(p))
          | parley_uuid_not_hex(parley_octets_half(p + 9)
                                | (uint64_t) parley_octets_half(p + 14) << 32)
          | parley_uuid_not_hex(parley_octets_half(p + 19)
                                | (uint64_t) parley_octets_half(p + 32) << 32)
          | parley_uuid_not_hex(parley_octets_word(p + 24));

    c = p[19];

    return bad == 0 && p[14] == '0' + version
           && (c == '8' || c == '9' || c == 'a' || c == 'b');
}


/*
 * Returns 0 if each of eight octets is a lower-case hexadecimal digit.  The
 * additions carry octets at or above a bound into bit 7; an octet with bit 7
 * set may disturb its neighbour but is rejected itself.
 */
static uint64_t
parley_uuid_not_hex(uint64_t x)
{
    uint64_t  digit, letter;

    digit = (x + PARLEY_UUID_ONES * (0x80 - '0'))
            & ~(x + PARLEY_UUID_ONES * (0x80 - '9' - 1));
    letter = (x + PARLEY_UUID_ONES * (0x80 - 'a'))
             & ~(x + PARLEY_UUID_ONES * (0x80 - 'f' - 1));

    return (x | ~(digit | letter)) & PARLEY_UUID_ONES * 0x80;
}


int
parley_uuid_is_any_case(parley_str_t s, int version)
{
    char  lower[PARLEY_UUID_LEN + 1];

    if (s.len != PARLEY_UUID_LEN) {
        return 0;
    }

    parley_uuid_lower(s, lower);

    return parley_uuid_is(parley_str_make(lower, PARLEY_UUID_LEN), version);
}


int
parley_uuid_is_any_version(parley_str_t s)
{
    return s.len == PARLEY_UUID_LEN
           && s.data[14] >= '1' && s.data[14] <= '8'
           && parley_uuid_is_any_case(s, s.data[14] - '0');
}


void
parley_uuid_lower(parley_str_t s, char out[PARLEY_UUID_LEN + 1])
{
    int      i;
    uint8_t  c;

    for (i = 0; i < PARLEY_UUID_LEN; i++) {
        c = s.data[i];
        out[i] = (char) ((c >= 'A' && c <= 'F') ? c | 0x20 : c);
    }

    out[PARLEY_UUID_LEN] = '\0';
}


int
parley_uuid_derive(int version, int64_t ms, const parley_str_t *fields,
    size_t n, char out[PARLEY_UUID_LEN + 1])
{
    size_t        i;
    uint8_t       digest[PARLEY_SHA256_LEN];
    uint8_t       lengths[PARLEY_UUID_FIELDS_MAX + 1][4];
    parley_str_t  field, parts[2 * (PARLEY_UUID_FIELDS_MAX + 1)];

    out[0] = '\0';

    if (n > PARLEY_UUID_FIELDS_MAX) {
        return -1;
    }

    for (i = 0; i <= n; i++) {
        field = i == 0 ? PARLEY_STR("parley") : fields[i - 1];

        lengths[i][0] = (uint8_t) (field.len >> 24);
        lengths[i][1] = (uint8_t) (field.len >> 16);
        lengths[i][2] = (uint8_t) (field.len >> 8);
        lengths[i][3] = (uint8_t) field.len;

        parts[2 * i] = parley_str_make(lengths[i], 4);
        parts[2 * i + 1] = field;
    }

    if (parley_sha256_parts(parts, 2 * (n + 1), digest) != 0) {
        return -1;
    }

    if (version == 7) {
        for (i = 0; i < 6; i++) {
            digest[i] = (uint8_t) ((uint64_t) ms >> (40 - 8 * i));
        }
    }

    parley_uuid_text(digest, version, out);

    return 0;
}


void
parley_uuid_random(const uint8_t random[16], char out[PARLEY_UUID_LEN + 1])
{
    uint8_t  octets[16];

    memcpy(octets, random, 16);
    parley_uuid_text(octets, 4, out);
}


static void
parley_uuid_text(uint8_t octets[16], int version,
    char out[PARLEY_UUID_LEN + 1])
{
    char  hex[33];

    octets[6] = (uint8_t) ((octets[6] & 0x0F) | version << 4);
    octets[8] = (uint8_t) ((octets[8] & 0x3F) | 0x80);

    parley_hex(octets, 16, hex);

    memcpy(out, hex, 8);
    out[8] = '-';
    memcpy(out + 9, hex + 8, 4);
    out[13] = '-';
    memcpy(out + 14, hex + 12, 4);
    out[18] = '-';
    memcpy(out + 19, hex + 16, 4);
    out[23] = '-';
    memcpy(out + 24, hex + 20, 13);
}
