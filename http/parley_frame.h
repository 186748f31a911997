/*
 * Frames of WebSocket (RFC 6455, section 5) as a server sends them: unmasked,
 * unfragmented, without extensions.  A client sends the same frames masked.
 *
 *   81 05 48 65 6c 6c 6f    a text, "Hello"
 *   88 02 03 e9             a close, 1001
 */

#ifndef PARLEY_FRAME_H
#define PARLEY_FRAME_H

#include "core/parley_buf.h"


typedef enum {
    PARLEY_FRAME_TEXT = 1,
    PARLEY_FRAME_BINARY = 2,
    PARLEY_FRAME_CLOSE = 8,
    PARLEY_FRAME_PING = 9,
    PARLEY_FRAME_PONG = 10
} parley_frame_kind_t;


/* Maximum octets: of a frame's head, without and with a mask; of a mask; of the
   payload of a control frame; and of the reason of a close frame. */
#define PARLEY_FRAME_HEAD      10
#define PARLEY_FRAME_KEY       4
#define PARLEY_FRAME_MASKED    (PARLEY_FRAME_HEAD + PARLEY_FRAME_KEY)
#define PARLEY_FRAME_CONTROL   125
#define PARLEY_FRAME_REASON    (PARLEY_FRAME_CONTROL - 2)


/* codes of close frames: registered ones (section 7.4), and the gateway's */
typedef enum {
    PARLEY_CLOSE_NONE = 0,
    PARLEY_CLOSE_NORMAL = 1000,
    PARLEY_CLOSE_LEAVING = 1001,
    PARLEY_CLOSE_PROTOCOL = 1002,
    PARLEY_CLOSE_KIND = 1003,           /* the message was binary */
    PARLEY_CLOSE_TEXT = 1007,           /* the text is not UTF-8 */
    PARLEY_CLOSE_POLICY = 1008,         /* the message is not allowed */
    PARLEY_CLOSE_SIZE = 1009,
    PARLEY_CLOSE_FAILED = 1011,
    PARLEY_CLOSE_BUSY = 1013,           /* the client may try again later */
    PARLEY_CLOSE_EXPIRED = 4401,        /* the token expired or was revoked */
    PARLEY_CLOSE_REPLACED = 4409,       /* another connection took the
                                           session */
    PARLEY_CLOSE_GAP = 4410             /* messages that should come next are
                                           lost */
} parley_close_t;


/* Writes the head of a frame with len octets of payload; returns its octets. */
size_t parley_frame_head(uint8_t head[PARLEY_FRAME_HEAD],
    parley_frame_kind_t kind, size_t len);

/*
 * Append a frame.  The reason of a close frame is truncated to
 * PARLEY_FRAME_REASON octets.
 */
void parley_frame_write(parley_buf_t *b, parley_frame_kind_t kind,
    parley_str_t payload);
void parley_frame_close(parley_buf_t *b, parley_close_t code,
    parley_str_t reason);

/*
 * Reads the first of several frames that this file wrote.  Returns its octets
 * and sets *ret, or returns 0 if the frame is not complete.
 */
size_t parley_frame_first(parley_str_t frames, parley_frame_kind_t *ret);

/*
 * Writes a complete frame of this file as a client sends it: masked with key,
 * which must be unpredictable.  out has room for frame.len + PARLEY_FRAME_KEY
 * octets; the frame may be at out + PARLEY_FRAME_KEY.  Returns the octets
 * written.
 */
size_t parley_frame_mask(uint8_t *out, parley_str_t frame,
    const uint8_t key[PARLEY_FRAME_KEY]);


/* position in the frames of the other side, which come in pieces; begins
   zeroed */
typedef struct {
    uint8_t   head[PARLEY_FRAME_MASKED];
    size_t    n;                /* octets of the head so far */
    uint64_t  left;             /* octets of payload that are missing, after the
                                   head is complete */
    unsigned  payload:1;        /* the head is complete, the payload is not */
    unsigned  some:1;           /* a part of the payload came */
} parley_frame_place_t;


/* Advances the position.  The result for malformed frames is undefined. */
void parley_frame_follow(parley_frame_place_t *at, parley_str_t octets);

/* Returns whether the last frame is complete. */
static inline int
parley_frame_is_between(const parley_frame_place_t *at)
{
    return at->n == 0 && !at->payload;
}


/*
 * Returns the payload size that the last frame announces, if the frame is not a
 * control frame and only its complete head came; else 0.
 */
uint64_t parley_frame_announced(const parley_frame_place_t *at);


#endif /* PARLEY_FRAME_H */
