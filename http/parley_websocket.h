/*
 * Reads messages from a WebSocket (RFC 6455) with libwslay, which handles
 * masks, fragments, control frames between them, UTF-8, reserved bits and
 * lengths.  A message is a text.  Pings are answered here.  A violation of the
 * RFC closes the connection with the code that the RFC gives; so does a binary
 * message.
 *
 * The reader of a client has the messages of a server, which are unmasked.
 *
 * Messages are returned one by one, in order.  While a message waits, no more
 * octets are requested: at most PARLEY_WEBSOCKET_PIECE octets that were read
 * wait with it.  A call takes a limited number of octets, and answers the pings
 * of each piece before the next, so that a flood of frames without a message
 * neither holds the process nor fills its memory.
 */

#ifndef PARLEY_WEBSOCKET_H
#define PARLEY_WEBSOCKET_H

#include "http/parley_frame.h"


/* octets requested at once */
#define PARLEY_WEBSOCKET_PIECE  4096

/*
 * Octets that one call takes.  A read of fewer than PARLEY_WEBSOCKET_LEAST
 * counts as that many.
 */
#define PARLEY_WEBSOCKET_TURN   32768
#define PARLEY_WEBSOCKET_LEAST  256


typedef struct parley_websocket_s  parley_websocket_t;


typedef struct {
    parley_mem_t   mem;

    /*
     * Reads up to len octets into p.  Returns their number; 0: none now; -1:
     * the connection is over.
     */
    int64_t      (*read)(void *ctx, uint8_t *p, size_t len);

    /* Sends whole control frames.  All octets must be taken.  Returns 0, or -1
       if that is not possible. */
    int          (*write)(void *ctx, parley_str_t frames);
    void          *ctx;

    /* Takes the payload of a pong; NULL: pongs are ignored. */
    void         (*pong)(void *ctx, parley_str_t payload);
    unsigned       client:1;    /* this side is the client; its frames are
                                   written unmasked, see parley_frame_mask() */
} parley_websocket_env_t;


typedef enum {
    PARLEY_WEBSOCKET_EMPTY = 0, /* no message now */
    PARLEY_WEBSOCKET_MORE,      /* no message yet, and more octets may be there:
                                   call again after other events */
    PARLEY_WEBSOCKET_MESSAGE,   /* *ret is a message */
    PARLEY_WEBSOCKET_CLOSED,    /* a close frame was received or sent; reading
                                   has ended */
    PARLEY_WEBSOCKET_OVER       /* env->read() returned -1, or memory is
                                   exhausted */
} parley_websocket_got_t;


/*
 * Creates a reader; max is the limit of a message in octets.  Returns NULL if
 * memory is exhausted.
 */
parley_websocket_t *parley_websocket_create(const parley_websocket_env_t *env,
    size_t max);
void parley_websocket_free(parley_websocket_t *ws);

/*
 * Returns the next message, which is valid until the next call.  Before CLOSED
 * is returned, the answering close frame is written, after the answers to all
 * earlier messages.
 */
parley_websocket_got_t parley_websocket_next(parley_websocket_t *ws,
    parley_str_t *ret);

/* Returns the code of the close frame that was sent, or NONE while the
   connection is open.  *ret_by_peer is whether the other side closed first. */
parley_close_t parley_websocket_closed(const parley_websocket_t *ws,
    int *ret_by_peer);

/*
 * Returns the code and the reason of the close frame that was sent, as octets.
 * If the other side closed first, they are those that it sent.  Empty: the
 * frame has none.
 */
parley_str_t parley_websocket_last(const parley_websocket_t *ws);


#endif /* PARLEY_WEBSOCKET_H */
