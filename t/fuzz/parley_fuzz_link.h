/* The adapter of a link for its fuzz target: callbacks, and their state. */

#ifndef PARLEY_FUZZ_LINK_H
#define PARLEY_FUZZ_LINK_H

#include <stdlib.h>
#include <string.h>

#include "gate/link/parley_link.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_STREAMS  8
#define FUZZ_PROOFS   16
#define FUZZ_TAPS     8         /* logs that are joined at a time */


static const parley_moqt_draft_t *const  draft = &parley_moqt_draft_16;

typedef struct {
    parley_link_stream_t  *st;
    parley_str_t           rest;        /* octets that the link left over */
    uint8_t               *octets;
    int                    blocked;
    int                    fin;
} fuzz_input_t;

typedef struct {
    const uint8_t         *pos;
    const uint8_t         *end;
    parley_link_t         *link;
    fuzz_input_t           control;
    fuzz_input_t           inputs[FUZZ_STREAMS];
    parley_link_proof_t    proofs[FUZZ_PROOFS];
    size_t                 nproofs;
    parley_link_post_t    *posts[PARLEY_LINK_POSTS];
    size_t                 nposts;
    parley_link_fetch_t   *fetch;
    parley_link_tap_t     *taps[FUZZ_TAPS];
    int                    joined[FUZZ_TAPS];
    uint64_t               request;     /* next Request ID */
    uint64_t               offset;      /* of the mailbox */
    size_t                 room;
    size_t                 streams;     /* of the gateway that are open */
    size_t                 blocks;      /* of memory */
    int64_t                now;
    int                    proved;
    int                    closed;
} fuzz_world_t;

static fuzz_world_t  w;


static uint8_t
next(void)
{
    return w.pos < w.end ? *w.pos++ : 0;
}


static void *
fuzz_alloc(void *ctx, size_t size)
{
    (void) ctx;

    w.blocks++;

    return malloc(size);
}


static void
fuzz_free(void *ctx, void *p)
{
    (void) ctx;

    w.blocks--;
    free(p);
}


static int64_t
fuzz_write(void *ctx, void *stream, parley_str_t octets)
{
    size_t  n;

    (void) ctx;
    (void) stream;

    n = octets.len < w.room ? octets.len : w.room;
    w.room -= w.room == SIZE_MAX ? 0 : n;

    return (int64_t) n;
}


static void *
fuzz_open(void *ctx)
{
    (void) ctx;

    if (w.room == 0) {
        return NULL;
    }

    w.streams++;

    return w.inputs;            /* streams are not told apart */
}


static void
fuzz_finish(void *ctx, void *stream)
{
    (void) ctx;

    if (stream != &w) {         /* not that of a request */
        check(w.streams > 0);
        w.streams--;
    }
}


static void
fuzz_reset(void *ctx, void *stream, uint64_t code)
{
    (void) code;

    fuzz_finish(ctx, stream);
}


static int
fuzz_locate(void *ctx, parley_str_t authority, parley_str_t path,
    parley_link_conf_t *ret, parley_moqt_fault_t *fault)
{
    (void) ctx;
    (void) authority;

    if (path.len > 20) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_PATH, "PATH",
                                     "no location has this path");
    }

    memset(ret, 0, sizeof(parley_link_conf_t));

    ret->sessions = 2;
    ret->tracks = 3;
    ret->object = 4096;
    ret->stateless = path.len % 2;

    return 0;
}


static int
fuzz_prove(void *ctx, const parley_link_proof_t *proof)
{
    (void) ctx;

    if (w.nproofs == FUZZ_PROOFS) {
        return -1;
    }

    w.proofs[w.nproofs++] = *proof;

    return 0;
}


static int
fuzz_post(void *ctx, parley_link_post_t *post)
{
    (void) ctx;

    check(w.proved && w.nposts < PARLEY_LINK_POSTS);

    w.posts[w.nposts++] = post;

    return 0;
}


static int
fuzz_fetch(void *ctx, parley_link_fetch_t *fetch)
{
    (void) ctx;

    if (w.fetch != NULL) {
        return -1;
    }

    w.fetch = fetch;

    return 0;
}


static void
fuzz_abandon(void *ctx, parley_link_fetch_t *fetch)
{
    (void) ctx;

    check(w.fetch == fetch);
    w.fetch = NULL;
}


static int
fuzz_join(void *ctx, parley_link_tap_t *tap)
{
    size_t  i;

    (void) ctx;

    for (i = 0; i < FUZZ_TAPS; i++) {
        if (w.taps[i] == NULL) {
            w.taps[i] = tap;
            w.joined[i] = 0;
            return 0;
        }
    }

    return -1;
}


static void
fuzz_part(void *ctx, parley_link_tap_t *tap)
{
    size_t  i;

    (void) ctx;

    for (i = 0; i < FUZZ_TAPS; i++) {
        if (w.taps[i] == tap) {
            w.taps[i] = NULL;
        }
    }
}


static int
fuzz_relay(void *ctx, parley_link_relay_t *relay)
{
    (void) ctx;

    relay->count = relay->record.len % 3;

    return relay->record.len % 7 == 0 ? -1 : 1;
}


static void
fuzz_forget(void *ctx, parley_link_session_t *session)
{
    size_t  i;

    (void) ctx;

    for (i = 0; i < w.nproofs; i++) {
        if (w.proofs[i].session == session) {
            w.proofs[i--] = w.proofs[--w.nproofs];
        }
    }
}


static void
fuzz_close(void *ctx, parley_moqt_code_t code, const char *text)
{
    (void) ctx;
    (void) code;

    check(!w.closed && text[0] != '\0');
    w.closed = 1;
}


static int
fuzz_agents(void *ctx, parley_link_session_t *session,
    int (*each)(void *data, parley_str_t agent), void *data)
{
    (void) ctx;
    (void) session;

    return each(data, PARLEY_STR("alice"));
}


static void
fuzz_resume(void *ctx)
{
    size_t  i;

    (void) ctx;

    w.control.blocked = 0;

    for (i = 0; i < FUZZ_STREAMS; i++) {
        w.inputs[i].blocked = 0;
    }
}


static int
fuzz_random(void *ctx, uint8_t out[16])
{
    (void) ctx;

    memset(out, 7, 16);

    return 0;
}


static int64_t
fuzz_now(void *ctx)
{
    (void) ctx;

    return w.now;
}


#endif /* PARLEY_FUZZ_LINK_H */
