/*
 * What comes by a WebSocket (RFC 6455), read by libwslay: masks, fragments,
 * control frames between them, UTF-8, reserved bits, lengths.  A message is a
 * text; pings are answered here, whatever the RFC forbids closes with the code
 * that it says, and so do binary messages.
 *
 * Messages are handed over one by one, in order.  While one is not taken
 * nothing more is asked for: of what was read before then at most so many
 * octets wait as there are in one piece.
 */

#ifndef PARLEY_WEBSOCKET_H
#define PARLEY_WEBSOCKET_H

#include "http/parley_frame.h"


/* octets that are asked for at once */
#define PARLEY_WEBSOCKET_PIECE  4096


typedef struct parley_websocket_s  parley_websocket_t;


typedef struct {
    parley_mem_t   mem;

    /* What came, into p; 0: nothing more for now; -1: it is over. */
    int64_t      (*read)(void *ctx, uint8_t *p, size_t len);

    /* The octets of control frames that answer what came: whole frames, which
       have to be taken.  -1: they cannot be. */
    int          (*write)(void *ctx, parley_str_t frames);
    void          *ctx;
} parley_websocket_env_t;


typedef enum {
    PARLEY_WEBSOCKET_EMPTY = 0, /* nothing more came */
    PARLEY_WEBSOCKET_MESSAGE,   /* *ret */
    PARLEY_WEBSOCKET_CLOSED,    /* a close frame came, or was to be sent for
                                   what came: nothing more is read */
    PARLEY_WEBSOCKET_OVER       /* as env->read() says, or no memory */
} parley_websocket_got_t;


/* max: octets of a message.  NULL: no memory. */
parley_websocket_t *parley_websocket_create(const parley_websocket_env_t *env,
    size_t max);
void parley_websocket_free(parley_websocket_t *ws);

/*
 * The next message, which stays until the next call.  Of CLOSED the frame that
 * answers was written, behind whatever the messages before it led to.
 */
parley_websocket_got_t parley_websocket_next(parley_websocket_t *ws,
    parley_str_t *ret);

/* With what it was closed: what was sent, and whether the other side closed
   first.  NONE: it is open. */
parley_close_t parley_websocket_closed(const parley_websocket_t *ws,
    int *ret_by_peer);


#endif /* PARLEY_WEBSOCKET_H */
