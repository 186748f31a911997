#include <string.h>

#include "http/parley_frame.h"


#define PARLEY_FRAME_FIN     0x80
#define PARLEY_FRAME_MASK    0x80
#define PARLEY_FRAME_CTRL    0x08
#define PARLEY_FRAME_SHORT   125
#define PARLEY_FRAME_TWO     126
#define PARLEY_FRAME_EIGHT   127


static size_t parley_frame_size(const uint8_t *head);
static uint64_t parley_frame_len(const uint8_t *head);


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

    /* every reason is ASCII: no character is cut */

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
    uint64_t  len;

    if (frames.len < 2) {
        return 0;
    }

    head = parley_frame_size(frames.data);

    if (frames.len < head) {
        return 0;
    }

    len = parley_frame_len(frames.data);

    *ret = (parley_frame_kind_t) (frames.data[0] & 0x0f);

    return len <= frames.len - head ? head + (size_t) len : 0;
}


/* Returns the octets of a head; its first two octets must be present. */

static size_t
parley_frame_size(const uint8_t *head)
{
    unsigned  len;

    len = head[1] & ~PARLEY_FRAME_MASK;

    return (len == PARLEY_FRAME_TWO ? 4
            : len == PARLEY_FRAME_EIGHT ? PARLEY_FRAME_HEAD : 2)
           + (head[1] & PARLEY_FRAME_MASK ? PARLEY_FRAME_KEY : 0);
}


/* Returns the payload size in a complete head. */

static uint64_t
parley_frame_len(const uint8_t *head)
{
    unsigned  i, n;
    uint64_t  len;

    len = head[1] & ~PARLEY_FRAME_MASK;

    if (len < PARLEY_FRAME_TWO) {
        return len;
    }

    n = len == PARLEY_FRAME_TWO ? 2 : 8;
    len = 0;

    for (i = 0; i < n; i++) {
        len = len << 8 | head[2 + i];
    }

    return len;
}


size_t
parley_frame_mask(uint8_t *out, parley_str_t frame,
    const uint8_t key[PARLEY_FRAME_KEY])
{
    size_t  i, n;

    n = parley_frame_size(frame.data);

    memmove(out, frame.data, n);
    memcpy(out + n, key, PARLEY_FRAME_KEY);

    out[1] |= PARLEY_FRAME_MASK;
    out += n + PARLEY_FRAME_KEY;
    frame = parley_str_from(frame, n);

    for (i = 0; i < frame.len; i++) {
        out[i] = frame.data[i] ^ key[i % PARLEY_FRAME_KEY];
    }

    return n + PARLEY_FRAME_KEY + frame.len;
}


void
parley_frame_follow(parley_frame_place_t *at, parley_str_t octets)
{
    size_t  n;

    while (octets.len > 0) {

        if (at->payload) {
            n = at->left < octets.len ? (size_t) at->left : octets.len;

            at->left -= n;
            at->some = 1;
            at->payload = at->left > 0;
            at->n = at->payload ? at->n : 0;

        } else {
            n = (at->n < 2 ? 2 : parley_frame_size(at->head)) - at->n;
            n = n < octets.len ? n : octets.len;

            memcpy(at->head + at->n, octets.data, n);
            at->n += n;

            if (at->n >= 2 && at->n == parley_frame_size(at->head)) {
                at->left = parley_frame_len(at->head);
                at->some = 0;
                at->payload = at->left > 0;
                at->n = at->payload ? at->n : 0;
            }
        }

        octets = parley_str_from(octets, n);
    }
}


uint64_t
parley_frame_announced(const parley_frame_place_t *at)
{
    return at->payload && !at->some && !(at->head[0] & PARLEY_FRAME_CTRL)
           ? at->left : 0;
}
