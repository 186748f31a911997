#include "parley_frame.h"


#define PARLEY_FRAME_FIN     0x80
#define PARLEY_FRAME_SHORT   125
#define PARLEY_FRAME_TWO     126
#define PARLEY_FRAME_EIGHT   127


size_t
parley_frame_head(uint8_t head[PARLEY_FRAME_HEAD], parley_frame_kind_t kind,
    size_t len)
{
    unsigned  i;

    head[0] = (uint8_t) (PARLEY_FRAME_FIN | kind);

    if (len <= PARLEY_FRAME_SHORT) {
        head[1] = (uint8_t) len;
        return 2;
    }

    if (len <= UINT16_MAX) {
        head[1] = PARLEY_FRAME_TWO;
        head[2] = (uint8_t) (len >> 8);
        head[3] = (uint8_t) len;
        return 4;
    }

    head[1] = PARLEY_FRAME_EIGHT;

    for (i = 0; i < 8; i++) {
        head[2 + i] = (uint8_t) ((uint64_t) len >> (56 - 8 * i));
    }

    return PARLEY_FRAME_HEAD;
}


void
parley_frame_write(parley_buf_t *b, parley_frame_kind_t kind,
    parley_str_t payload)
{
    size_t   n;
    uint8_t  head[PARLEY_FRAME_HEAD];

    n = parley_frame_head(head, kind, payload.len);

    parley_buf_octets(b, head, n);
    parley_buf_str(b, payload);
}


void
parley_frame_close(parley_buf_t *b, parley_close_t code, parley_str_t reason)
{
    size_t   n;
    uint8_t  head[PARLEY_FRAME_HEAD];

    /* every reason is ASCII: none is cut within a character */

    if (reason.len > PARLEY_FRAME_REASON) {
        reason.len = PARLEY_FRAME_REASON;
    }

    n = parley_frame_head(head, PARLEY_FRAME_CLOSE, 2 + reason.len);

    parley_buf_octets(b, head, n);
    parley_buf_octet(b, (uint8_t) ((unsigned) code >> 8));
    parley_buf_octet(b, (uint8_t) code);
    parley_buf_str(b, reason);
}


size_t
parley_frame_first(parley_str_t frames, parley_frame_kind_t *ret)
{
    size_t    head;
    unsigned  i;
    uint64_t  len;

    if (frames.len < 2) {
        return 0;
    }

    len = frames.data[1];
    head = len == PARLEY_FRAME_TWO ? 4
           : len == PARLEY_FRAME_EIGHT ? PARLEY_FRAME_HEAD : 2;

    if (frames.len < head) {
        return 0;
    }

    if (head != 2) {
        len = 0;

        for (i = 2; i < head; i++) {
            len = len << 8 | frames.data[i];
        }
    }

    *ret = (parley_frame_kind_t) (frames.data[0] & 0x0f);

    return len <= frames.len - head ? head + (size_t) len : 0;
}
