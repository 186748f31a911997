#include "parley_id.h"
#include "parley_digest.h"


static void parley_uuid_text(uint8_t octets[16], int version,
    char out[PARLEY_UUID_LEN + 1]);


int
parley_uuid_is(parley_str_t s, int version)
{
    size_t   i;
    uint8_t  c;

    if (s.len != PARLEY_UUID_LEN) {
        return 0;
    }

    for (i = 0; i < PARLEY_UUID_LEN; i++) {
        c = s.data[i];

        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (c != '-') {
                return 0;
            }

        } else if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
            return 0;
        }
    }

    c = s.data[19];

    return s.data[14] == '0' + version
           && (c == '8' || c == '9' || c == 'a' || c == 'b');
}


int
parley_uuid_derive(int version, int64_t ms, parley_str_t protocol,
    parley_str_t id, parley_str_t purpose, char out[PARLEY_UUID_LEN + 1])
{
    int           i;
    uint8_t       digest[PARLEY_SHA256_LEN];
    parley_str_t  parts[6] = {
        parley_str("parley:"), protocol, parley_str(":"), id,
        parley_str(":"), purpose
    };

    out[0] = '\0';

    if (parley_sha256_parts(parts, 6, digest) != 0) {
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
