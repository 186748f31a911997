#include "core/parley_base64.h"


#define XX  0xff


/* values of the characters; XX: not in the alphabet */
static const uint8_t  parley_base64_url[256] = {
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, 62, XX, XX,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, XX, XX, XX, XX, XX, XX,
    XX,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, XX, XX, XX, XX, 63,
    XX, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, XX, XX, XX, XX, XX,
    [128 ... 255] = XX
};

static const uint8_t  parley_base64_std[256] = {
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
    XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, 62, XX, XX, XX, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, XX, XX, XX, XX, XX, XX,
    XX,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, XX, XX, XX, XX, XX,
    XX, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, XX, XX, XX, XX, XX,
    [128 ... 255] = XX
};

static const char  parley_base64_url_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const char  parley_base64_std_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";


static int
parley_base64_read(const uint8_t table[256], parley_str_t text, uint8_t *out,
    size_t *ret_len)
{
    uint8_t         a, b, c, d;
    uint8_t        *dst;
    const uint8_t  *p, *last;

    *ret_len = 0;

    if (text.len % 4 == 1) {
        return -1;
    }

    dst = out;
    p = text.data;
    last = p + (text.len - text.len % 4);

    for ( /* void */ ; p < last; p += 4) {
        a = table[p[0]];
        b = table[p[1]];
        c = table[p[2]];
        d = table[p[3]];

        if ((a | b | c | d) & 0xc0) {
            return -1;
        }

        *dst++ = (uint8_t) (a << 2 | b >> 4);
        *dst++ = (uint8_t) (b << 4 | c >> 2);
        *dst++ = (uint8_t) (c << 6 | d);
    }

    if (text.len % 4 != 0) {
        a = table[p[0]];
        b = table[p[1]];
        c = text.len % 4 == 3 ? table[p[2]] : 0;

        if ((a | b | c) & 0xc0) {
            return -1;
        }

        *dst++ = (uint8_t) (a << 2 | b >> 4);

        if (text.len % 4 == 3) {
            *dst++ = (uint8_t) (b << 4 | c >> 2);

            if (c & 0x03) {
                return -1;
            }

        } else if (b & 0x0f) {
            return -1;
        }
    }

    *ret_len = (size_t) (dst - out);

    return 0;
}


int
parley_base64url_decode(parley_str_t text, uint8_t *out, size_t *ret_len)
{
    return parley_base64_read(parley_base64_url, text, out, ret_len);
}


int
parley_base64_decode(parley_str_t text, uint8_t *out, size_t *ret_len)
{
    size_t  pad;

    *ret_len = 0;

    if (text.len % 4 != 0) {
        return -1;
    }

    for (pad = 0; pad < 2 && pad < text.len; pad++) {
        if (text.data[text.len - 1 - pad] != '=') {
            break;
        }
    }

    text.len -= pad;

    return parley_base64_read(parley_base64_std, text, out, ret_len);
}


static size_t
parley_base64_write(const char *digits, int padded, parley_str_t s, char *out)
{
    char           *dst;
    size_t          n;
    const uint8_t  *p;

    dst = out;
    p = s.data;

    for (n = s.len; n >= 3; n -= 3, p += 3) {
        *dst++ = digits[p[0] >> 2];
        *dst++ = digits[(p[0] & 0x03) << 4 | p[1] >> 4];
        *dst++ = digits[(p[1] & 0x0f) << 2 | p[2] >> 6];
        *dst++ = digits[p[2] & 0x3f];
    }

    if (n == 1) {
        *dst++ = digits[p[0] >> 2];
        *dst++ = digits[(p[0] & 0x03) << 4];

    } else if (n == 2) {
        *dst++ = digits[p[0] >> 2];
        *dst++ = digits[(p[0] & 0x03) << 4 | p[1] >> 4];
        *dst++ = digits[(p[1] & 0x0f) << 2];
    }

    for ( /* void */ ; padded && (dst - out) % 4 != 0; dst++) {
        *dst = '=';
    }

    *dst = '\0';

    return (size_t) (dst - out);
}


size_t
parley_base64url_encode(parley_str_t octets, char *out)
{
    return parley_base64_write(parley_base64_url_digits, 0, octets, out);
}


size_t
parley_base64_encode(parley_str_t octets, char *out)
{
    return parley_base64_write(parley_base64_std_digits, 1, octets, out);
}
