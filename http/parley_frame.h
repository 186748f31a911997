/*
 * Frames of WebSocket (RFC 6455, section 5) as a server sends them: not masked,
 * not in fragments, of no extension.  Pure.
 *
 *     81 05 48 65 6c 6c 6f       a text, "Hello"
 *     88 02 03 e9                a close, 1001
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


/* octets before the payload, at most, and with a mask; of the payload of a
   control frame, and of a close frame's reason */
#define PARLEY_FRAME_HEAD      10
#define PARLEY_FRAME_MASKED    (PARLEY_FRAME_HEAD + 4)
#define PARLEY_FRAME_CONTROL   125
#define PARLEY_FRAME_REASON    (PARLEY_FRAME_CONTROL - 2)


/* why a connection is closed: registered (section 7.4), and the gateway's */
typedef enum {
    PARLEY_CLOSE_NONE = 0,
    PARLEY_CLOSE_NORMAL = 1000,
    PARLEY_CLOSE_LEAVING = 1001,
    PARLEY_CLOSE_PROTOCOL = 1002,
    PARLEY_CLOSE_KIND = 1003,           /* binary */
    PARLEY_CLOSE_TEXT = 1007,           /* no UTF-8 */
    PARLEY_CLOSE_SIZE = 1009,
    PARLEY_CLOSE_FAILED = 1011,
    PARLEY_CLOSE_BUSY = 1013,           /* it may try again later */
    PARLEY_CLOSE_EXPIRED = 4401,        /* the token, or it is revoked */
    PARLEY_CLOSE_REPLACED = 4409,       /* another one has its session */
    PARLEY_CLOSE_GAP = 4410             /* what should have come next is gone */
} parley_close_t;


/* The octets before a payload, into head; returns how many. */
size_t parley_frame_head(uint8_t head[PARLEY_FRAME_HEAD],
    parley_frame_kind_t kind, size_t len);

/* Appends a frame; a close's reason is cut to what it may have. */
void parley_frame_write(parley_buf_t *b, parley_frame_kind_t kind,
    parley_str_t payload);
void parley_frame_close(parley_buf_t *b, parley_close_t code,
    parley_str_t reason);

/*
 * The first of frames that were written by this: its octets and kind.  Returns
 * 0 where it is not there as a whole.
 */
size_t parley_frame_first(parley_str_t frames, parley_frame_kind_t *ret);


/* where frames of a client's are that come in any pieces; begins with zeros */
typedef struct {
    uint8_t   head[PARLEY_FRAME_MASKED];
    size_t    n;                /* octets of the head */
    uint64_t  left;             /* of the payload, once the head is whole */
    unsigned  payload:1;        /* the head is, and some is to come */
    unsigned  some:1;           /* came */
} parley_frame_place_t;


/* More octets; frames that are none lead anywhere. */
void parley_frame_follow(parley_frame_place_t *at, parley_str_t octets);

/*
 * Where the head of a frame that is no control frame is all that has come of
 * it: how many octets of payload it announces.  0: that is not so.
 */
uint64_t parley_frame_announced(const parley_frame_place_t *at);


#endif /* PARLEY_FRAME_H */
