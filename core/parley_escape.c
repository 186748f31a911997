#include "core/parley_escape.h"


#define V  PARLEY_ESCAPE_VALUE
#define I  PARLEY_ESCAPE_ITEM
#define A  PARLEY_ESCAPE_ARGUMENT


/* the forms in which an octet is encoded */
static const uint8_t  parley_escape_octets[256] = {
    [0x00 ... 0x20] = V | I | A,
    ['"'] = V | I | A,
    ['%'] = V | I | A,
    [';'] = V | I | A,
    ['\\'] = V | I | A,

    [','] = I | A,

    ['#'] = A, ['$'] = A, ['&'] = A, ['+'] = A, ['/'] = A, [':'] = A,
    ['<'] = A, ['='] = A, ['>'] = A, ['?'] = A, ['@'] = A, ['['] = A,
    [']'] = A, ['^'] = A, ['`'] = A, ['{'] = A, ['|'] = A, ['}'] = A,

    [0x7F ... 0xFF] = V | I | A
};




#undef V
#undef I
#undef A


int
parley_escape_is_plain(parley_str_t s, parley_escape_t how)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (parley_escape_octets[s.data[i]] & how) {
            return 0;
        }
    }

    return 1;
}


void
parley_escape_put(parley_buf_t *b, parley_str_t s, parley_escape_t how)
{
    uint8_t         octets[3];
    const uint8_t  *p, *run, *end;

    end = s.data + s.len;

    for (p = run = s.data; p < end; p++) {

        if (!(parley_escape_octets[*p] & how)) {
            continue;
        }

        parley_buf_put(b, run, (size_t) (p - run));
        run = p + 1;

        parley_escape_octet(*p, octets);
        parley_buf_put(b, octets, sizeof(octets));
    }

    parley_buf_put(b, run, (size_t) (p - run));
}


int
parley_escape(parley_arena_t *arena, parley_str_t s, parley_escape_t how,
    parley_str_t *ret)
{
    parley_buf_t  b;

    *ret = s;

    if (parley_escape_is_plain(s, how)) {
        return 0;
    }

    parley_buf_init(&b, arena, s.len + 32);
    parley_escape_put(&b, s, how);

    return parley_buf_done(&b, ret);
}


const char *
parley_escape_line(parley_str_t s, size_t max, char *ret)
{
    size_t  i, n, len;

    n = 0;

    for (i = 0; i < s.len; i++) {

        len = parley_escape_octets[s.data[i]] & PARLEY_ESCAPE_VALUE ? 3 : 1;

        if (len > max - n) {
            break;
        }

        if (len == 1) {
            ret[n] = (char) s.data[i];

        } else {
            parley_escape_octet(s.data[i], (uint8_t *) ret + n);
        }

        n += len;
    }

    ret[n] = '\0';

    return ret;
}


void
parley_escape_octet(uint8_t c, uint8_t ret[3])
{
    static const char  hex[] = "0123456789ABCDEF";

    ret[0] = '%';
    ret[1] = (uint8_t) hex[c >> 4];
    ret[2] = (uint8_t) hex[c & 15];
}
