/*
 * Messages are assembled here, not by libwslay.  libwslay would allocate the
 * announced size of a frame before its octets come, and has no limit for a
 * fragmented message.  It reports a frame only when some of its payload has
 * come, so parley_frame_follow() watches for frames that announce too much.
 * The frames that libwslay sends are inspected: it has no close code for an
 * invalid length, and answers a close frame of one octet as one without
 * payload.
 */

#include <string.h>

#include <wslay/wslay.h>

#include "http/parley_websocket.h"


/* octets of the length in front of each stored message */
#define PARLEY_WEBSOCKET_PREFIX  sizeof(uint32_t)


struct parley_websocket_s {
    parley_websocket_env_t   env;
    wslay_event_context_ptr  wslay;     /* NULL: there is nothing to continue */
    size_t                   max;

    uint8_t                 *text;      /* waiting messages, each after its
                                           length, and an incomplete one */
    size_t                   size;
    size_t                   head;      /* offset of the first message */
    size_t                   begun;     /* offset of the incomplete message */
    size_t                   end;

    parley_frame_place_t     place;     /* position in the frames, after the
                                           octets that were read */

    parley_buf_t            *out;       /* collects the output of wslay during a
                                           call; else NULL */
    parley_close_t           close;     /* close code that this side chose */
    parley_close_t           sent;
    uint8_t                  last[2 + PARLEY_FRAME_CONTROL];
    size_t                   last_len;  /* octets of the close frame, which
                                           follows all messages; 0: none */
    size_t                   said;      /* octets of the close frame that was
                                           written; 0: none */
    unsigned                 handed:1;  /* the first message was returned to the
                                           caller */
    unsigned                 control:1; /* a control frame is being read */
    unsigned                 partial:1; /* fragments of a message are missing */
    size_t                   taken;     /* octets that this call has taken */
    unsigned                 fed:1;     /* wslay has got a piece */
    unsigned                 dry:1;     /* there are no octets now */
    unsigned                 peer:1;    /* the other side has closed */
    unsigned                 over:1;
    unsigned                 closed:1;  /* a close frame was or will be sent */
};


static int parley_websocket_begin(parley_websocket_t *ws);
static void parley_websocket_rest(parley_websocket_t *ws);
static ssize_t parley_websocket_recv(wslay_event_context_ptr wslay,
    uint8_t *p, size_t len, int flags, void *data);
static ssize_t parley_websocket_send(wslay_event_context_ptr wslay,
    const uint8_t *p, size_t len, int flags, void *data);
static int parley_websocket_key(wslay_event_context_ptr wslay, uint8_t *p,
    size_t len, void *data);
static void parley_websocket_announced(parley_websocket_t *ws);
static void parley_websocket_frame(wslay_event_context_ptr wslay,
    const struct wslay_event_on_frame_recv_start_arg *arg, void *data);
static void parley_websocket_chunk(wslay_event_context_ptr wslay,
    const struct wslay_event_on_frame_recv_chunk_arg *arg, void *data);
static void parley_websocket_whole(wslay_event_context_ptr wslay,
    const struct wslay_event_on_msg_recv_arg *arg, void *data);
static void parley_websocket_stop(parley_websocket_t *ws,
    parley_close_t code);
static int parley_websocket_room(parley_websocket_t *ws, size_t n);
static void parley_websocket_taken(parley_websocket_t *ws);
static void parley_websocket_read(parley_websocket_t *ws);
static void parley_websocket_answer(parley_websocket_t *ws);
static void parley_websocket_frames(parley_websocket_t *ws,
    parley_str_t frames);
static void parley_websocket_say(parley_websocket_t *ws, parley_str_t frame,
    parley_frame_kind_t kind);
static void parley_websocket_bare(parley_websocket_t *ws, parley_str_t frame,
    parley_frame_kind_t kind);


parley_websocket_t *
parley_websocket_create(const parley_websocket_env_t *env, size_t max)
{
    parley_websocket_t  *ws;

    ws = env->mem.alloc(env->mem.ctx, sizeof(parley_websocket_t));

    if (ws == NULL) {
        return NULL;
    }

    memset(ws, 0, sizeof(parley_websocket_t));

    ws->env = *env;
    ws->max = max < UINT32_MAX ? max : UINT32_MAX;

    return ws;
}


/*
 * Makes the context of wslay, which has 8.6 KB.  An idle connection has none.
 */

static int
parley_websocket_begin(parley_websocket_t *ws)
{
    static const struct wslay_event_callbacks  callbacks = {
        .recv_callback = parley_websocket_recv,
        .send_callback = parley_websocket_send,
        .genmask_callback = parley_websocket_key,
        .on_frame_recv_start_callback = parley_websocket_frame,
        .on_frame_recv_chunk_callback = parley_websocket_chunk,
        .on_msg_recv_callback = parley_websocket_whole,
    };

    if ((ws->env.client
         ? wslay_event_context_client_init(&ws->wslay, &callbacks, ws)
         : wslay_event_context_server_init(&ws->wslay, &callbacks, ws))
        != 0)
    {
        ws->wslay = NULL;
        return -1;
    }

    wslay_event_config_set_no_buffering(ws->wslay, 1);
    wslay_event_config_set_max_recv_msg_length(ws->wslay, ws->max);

    return 0;
}


/* Frees the context of wslay between two messages. */

static void
parley_websocket_rest(parley_websocket_t *ws)
{
    if (ws->dry && parley_frame_is_between(&ws->place) && !ws->partial
        && !ws->over && ws->close == PARLEY_CLOSE_NONE && !ws->closed
        && !ws->peer && !wslay_event_want_write(ws->wslay))
    {
        wslay_event_context_free(ws->wslay);
        ws->wslay = NULL;
    }
}


void
parley_websocket_free(parley_websocket_t *ws)
{
    parley_mem_t  mem;

    mem = ws->env.mem;

    if (ws->wslay != NULL) {
        wslay_event_context_free(ws->wslay);
    }

    if (ws->text != NULL) {
        mem.free(mem.ctx, ws->text);
    }

    mem.free(mem.ctx, ws);
}


parley_close_t
parley_websocket_closed(const parley_websocket_t *ws, int *ret_by_peer)
{
    *ret_by_peer = ws->peer;

    return ws->sent;
}


parley_str_t
parley_websocket_last(const parley_websocket_t *ws)
{
    return ws->said > 2 ? parley_str_make(ws->last + 2, ws->said - 2)
                        : parley_str_none;
}


parley_websocket_got_t
parley_websocket_next(parley_websocket_t *ws, parley_str_t *ret)
{
    uint32_t  len;

    parley_websocket_taken(ws);

    if (ws->head == ws->begun && !ws->closed && !ws->over) {
        parley_websocket_read(ws);
    }

    if (ws->head < ws->begun) {
        memcpy(&len, ws->text + ws->head, PARLEY_WEBSOCKET_PREFIX);

        *ret = parley_str_make(ws->text + ws->head + PARLEY_WEBSOCKET_PREFIX,
                               len);
        ws->handed = 1;

        return PARLEY_WEBSOCKET_MESSAGE;
    }

    if (ws->last_len != 0) {

        if (ws->env.write(ws->env.ctx, parley_str_make(ws->last, ws->last_len))
            != 0)
        {
            ws->over = 1;
            ws->closed = 0;
        }

        ws->said = ws->last_len;
        ws->last_len = 0;
    }

    return ws->closed ? PARLEY_WEBSOCKET_CLOSED
           : ws->over ? PARLEY_WEBSOCKET_OVER
           : ws->dry ? PARLEY_WEBSOCKET_EMPTY : PARLEY_WEBSOCKET_MORE;
}


/*
 * Removes the message that was returned.  Memory is kept only while messages
 * wait.
 */

static void
parley_websocket_taken(parley_websocket_t *ws)
{
    size_t    rest;
    uint32_t  len;

    if (!ws->handed) {
        return;
    }

    ws->handed = 0;

    memcpy(&len, ws->text + ws->head, PARLEY_WEBSOCKET_PREFIX);
    ws->head += PARLEY_WEBSOCKET_PREFIX + len;

    if (ws->head != ws->begun) {
        return;
    }

    rest = ws->end - ws->begun;

    if (rest == 0) {
        ws->env.mem.free(ws->env.mem.ctx, ws->text);
        ws->text = NULL;
        ws->size = 0;

    } else {
        memmove(ws->text, ws->text + ws->begun, rest);
    }

    ws->head = 0;
    ws->begun = 0;
    ws->end = rest;
}


static void
parley_websocket_read(parley_websocket_t *ws)
{
    int  rc;

    if (ws->wslay == NULL && parley_websocket_begin(ws) != 0) {
        ws->over = 1;
        return;
    }

    /* wslay returns after half a frame head.  Read on, since no event would
       follow for octets that are already there. */

    ws->dry = 0;
    ws->taken = 0;

    do {
        ws->fed = 0;
        rc = wslay_event_recv(ws->wslay);

        if (rc == 0) {
            parley_websocket_answer(ws);
        }

    } while (rc == 0 && !ws->dry && !ws->over
             && ws->taken < PARLEY_WEBSOCKET_TURN
             && wslay_event_get_read_enabled(ws->wslay));

    if (rc == 0) {
        parley_websocket_rest(ws);
        return;
    }

    if (!ws->over && ws->close == PARLEY_CLOSE_NONE) {

        if (rc == WSLAY_ERR_CALLBACK_FAILURE) {
            /* wslay's error for an invalid length */
            ws->close = PARLEY_CLOSE_PROTOCOL;

        } else {
            ws->over = 1;
        }
    }

    parley_websocket_answer(ws);
}


static ssize_t
parley_websocket_recv(wslay_event_context_ptr wslay, uint8_t *p, size_t len,
    int flags, void *data)
{
    int64_t              n;
    parley_websocket_t  *ws = data;

    (void) flags;

    n = 0;

    if (ws->fed) {
        wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }

    if (ws->head == ws->begun && ws->close == PARLEY_CLOSE_NONE) {
        n = ws->env.read(ws->env.ctx, p, len);

        if (n > 0) {
            ws->fed = 1;
            ws->taken += n > PARLEY_WEBSOCKET_LEAST ? (size_t) n
                                                    : PARLEY_WEBSOCKET_LEAST;
            parley_frame_follow(&ws->place, parley_str_make(p, (size_t) n));
            return (ssize_t) n;
        }

        parley_websocket_announced(ws);
    }

    ws->dry = 1;

    if (n < 0) {
        ws->over = 1;
    }

    wslay_event_set_error(wslay, n < 0 ? WSLAY_ERR_CALLBACK_FAILURE
                                       : WSLAY_ERR_WOULDBLOCK);
    return -1;
}


/* Masks with zeros: parley_websocket_bare() removes the mask. */

static int
parley_websocket_key(wslay_event_context_ptr wslay, uint8_t *p, size_t len,
    void *data)
{
    (void) wslay;
    (void) data;

    memset(p, 0, len);

    return 0;
}


/* Closes if the current frame announces too much; wslay has read all octets. */

static void
parley_websocket_announced(parley_websocket_t *ws)
{
    size_t  had;

    had = ws->end - ws->begun;
    had -= had != 0 ? PARLEY_WEBSOCKET_PREFIX : 0;

    if (parley_frame_announced(&ws->place) > ws->max - had) {
        parley_websocket_stop(ws, PARLEY_CLOSE_SIZE);
    }
}


static void
parley_websocket_frame(wslay_event_context_ptr wslay,
    const struct wslay_event_on_frame_recv_start_arg *arg, void *data)
{
    parley_websocket_t *ws = data;

    (void) wslay;

    ws->control = wslay_is_ctrl_frame(arg->opcode);

    if (!ws->control) {
        ws->partial = !arg->fin;
    }

    if (arg->opcode == WSLAY_BINARY_FRAME) {
        parley_websocket_stop(ws, PARLEY_CLOSE_KIND);
    }
}


static void
parley_websocket_chunk(wslay_event_context_ptr wslay,
    const struct wslay_event_on_frame_recv_chunk_arg *arg, void *data)
{
    parley_websocket_t *ws = data;

    (void) wslay;

    if (ws->control || arg->data_length == 0
        || ws->close != PARLEY_CLOSE_NONE)
    {
        return;
    }

    if (parley_websocket_room(ws, arg->data_length) != 0) {
        return;
    }

    memcpy(ws->text + ws->end, arg->data, arg->data_length);
    ws->end += arg->data_length;
}


static void
parley_websocket_whole(wslay_event_context_ptr wslay,
    const struct wslay_event_on_msg_recv_arg *arg, void *data)
{
    uint32_t             len;
    parley_websocket_t  *ws = data;

    (void) wslay;

    if (ws->close != PARLEY_CLOSE_NONE) {
        return;
    }

    if (arg->opcode == WSLAY_CONNECTION_CLOSE) {

        if (arg->msg_length == 1) {
            parley_websocket_stop(ws, PARLEY_CLOSE_PROTOCOL);
            return;
        }

        ws->peer = 1;
        return;
    }

    if (arg->opcode == WSLAY_PONG && ws->env.pong != NULL) {
        ws->env.pong(ws->env.ctx, parley_str_make(arg->msg, arg->msg_length));
        return;
    }

    if (arg->opcode != WSLAY_TEXT_FRAME || parley_websocket_room(ws, 0) != 0) {
        return;
    }

    len = (uint32_t) (ws->end - ws->begun - PARLEY_WEBSOCKET_PREFIX);

    memcpy(ws->text + ws->begun, &len, PARLEY_WEBSOCKET_PREFIX);
    ws->begun = ws->end;
}


static void
parley_websocket_stop(parley_websocket_t *ws, parley_close_t code)
{
    if (ws->close == PARLEY_CLOSE_NONE) {
        ws->close = code;
        wslay_event_shutdown_read(ws->wslay);
    }
}


/* Makes room for n more octets of the current message, and for its length. */

static int
parley_websocket_room(parley_websocket_t *ws, size_t n)
{
    size_t    had, size;
    uint8_t  *text;

    had = ws->end - ws->begun;

    if (had == 0) {
        had = PARLEY_WEBSOCKET_PREFIX;
    }

    if (had - PARLEY_WEBSOCKET_PREFIX + n > ws->max) {
        parley_websocket_stop(ws, PARLEY_CLOSE_SIZE);
        return -1;
    }

    if (ws->begun + had + n > ws->size) {

        size = 2 * (ws->begun + had + n);

        if (size > ws->max + PARLEY_WEBSOCKET_PREFIX
            && ws->begun + had + n <= ws->max + PARLEY_WEBSOCKET_PREFIX)
        {
            size = ws->max + PARLEY_WEBSOCKET_PREFIX;
        }

        text = ws->env.mem.alloc(ws->env.mem.ctx, size);

        if (text == NULL) {
            ws->over = 1;
            parley_websocket_stop(ws, PARLEY_CLOSE_FAILED);
            return -1;
        }

        if (ws->text != NULL) {
            memcpy(text, ws->text, ws->end);
            ws->env.mem.free(ws->env.mem.ctx, ws->text);
        }

        ws->text = text;
        ws->size = size;
    }

    ws->end = ws->begun + had;

    return 0;
}


static ssize_t
parley_websocket_send(wslay_event_context_ptr wslay, const uint8_t *p,
    size_t len, int flags, void *data)
{
    parley_websocket_t *ws = data;

    (void) wslay;
    (void) flags;

    parley_buf_octets(ws->out, p, len);

    return (ssize_t) len;
}


/* Writes the output of wslay and the close frame of this side. */

static void
parley_websocket_answer(parley_websocket_t *ws)
{
    parley_buf_t    b;
    parley_str_t    frames;
    parley_arena_t  arena;

    if (ws->over) {
        return;
    }

    if (!wslay_event_want_write(ws->wslay)
        && ws->close == PARLEY_CLOSE_NONE)
    {
        return;
    }

    parley_arena_init(&arena, &ws->env.mem, 0);
    parley_buf_init(&b, &arena, 0);

    ws->out = &b;

    if (wslay_event_send(ws->wslay) != 0
        || parley_buf_done(&b, &frames) != 0)
    {
        ws->over = 1;

    } else {
        parley_websocket_frames(ws, frames);
    }

    ws->out = NULL;

    parley_arena_reset(&arena);
}


static void
parley_websocket_frames(parley_websocket_t *ws, parley_str_t frames)
{
    size_t               n;
    parley_buf_t         b;
    parley_str_t         own;
    parley_arena_t       arena;
    parley_frame_kind_t  kind;

    for ( ;; ) {
        n = parley_frame_first(frames, &kind);

        if (n == 0) {
            break;
        }

        if (kind != PARLEY_FRAME_CLOSE || ws->close == PARLEY_CLOSE_NONE) {
            parley_websocket_bare(ws, parley_str_make(frames.data, n), kind);
        }

        frames = parley_str_from(frames, n);
    }

    if (ws->close == PARLEY_CLOSE_NONE || ws->closed) {
        return;
    }

    parley_arena_init(&arena, &ws->env.mem, 0);
    parley_buf_init(&b, &arena, PARLEY_FRAME_CONTROL);
    parley_frame_close(&b, ws->close, parley_str_none);

    if (parley_buf_done(&b, &own) == 0) {
        parley_websocket_say(ws, own, PARLEY_FRAME_CLOSE);

    } else {
        ws->over = 1;
    }

    parley_arena_reset(&arena);
}


/* Removes the mask of a client's control frame. */

static void
parley_websocket_bare(parley_websocket_t *ws, parley_str_t frame,
    parley_frame_kind_t kind)
{
    uint8_t  bare[2 + PARLEY_FRAME_CONTROL];

    if (!ws->env.client) {
        parley_websocket_say(ws, frame, kind);
        return;
    }

    bare[0] = frame.data[0];
    bare[1] = (uint8_t) (frame.len - 2 - PARLEY_FRAME_KEY);

    memcpy(&bare[2], frame.data + 2 + PARLEY_FRAME_KEY, bare[1]);

    parley_websocket_say(ws, parley_str_make(bare, 2 + (size_t) bare[1]), kind);
}


static void
parley_websocket_say(parley_websocket_t *ws, parley_str_t frame,
    parley_frame_kind_t kind)
{
    if (kind == PARLEY_FRAME_CLOSE && frame.len <= sizeof(ws->last)) {
        ws->closed = 1;
        ws->sent = frame.len < 4
                   ? PARLEY_CLOSE_NORMAL
                   : (parley_close_t) (frame.data[2] << 8 | frame.data[3]);

        memcpy(ws->last, frame.data, frame.len);
        ws->last_len = frame.len;

        return;
    }

    if (ws->env.write(ws->env.ctx, frame) != 0) {
        ws->over = 1;
    }
}
