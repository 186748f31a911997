/* The callbacks of a link. */

#include "t/simulate-link/parley_sim_link.h"
#include "core/parley_octets.h"


static int64_t
sim_env_write(void *ctx, void *stream, parley_str_t octets)
{
    size_t      n;
    sim_out_t  *out = stream;

    (void) ctx;

    if (out->stopped) {
        return -1;
    }

    if (!out->open) {
        sim_fail("MOQ-12: octets for a stream that has ended");
    }

    n = octets.len < out->room ? octets.len : out->room;

    if (out->len + n > out->size) {
        out->size = 2 * (out->len + n);
        out->octets = realloc(out->octets, out->size);
    }

    if (n > 0) {
        memcpy(out->octets + out->len, octets.data, n);
    }

    out->len += n;
    out->room -= n;
    out->choked |= n < octets.len;      /* until parley_link_writable() */

    return (int64_t) n;
}


static void *
sim_env_open(void *ctx)
{
    sim_out_t   *out, **end;
    sim_conn_t  *c = ctx;

    if (c->may_open == 0) {
        c->no_open = 1;
        return NULL;
    }

    c->may_open--;

    out = calloc(1, sizeof(sim_out_t));

    out->conn = c;
    out->room = c->room;
    out->open = 1;
    out->alias = -1;
    out->fetch = -1;
    out->watch = -1;

    parley_moqt_data_init(&out->data, sim_draft, &parley_mem_libc);

    for (end = &c->outs; *end != NULL; end = &(*end)->next) { /* void */ }

    *end = out;

    return out;
}


static void
sim_env_finish(void *ctx, void *stream)
{
    sim_out_t  *out = stream;

    (void) ctx;

    if (!out->open) {
        sim_fail("MOQ-12: a stream ends twice");
    }

    out->open = 0;
    out->finished = 1;
    out->choked = 0;
}


static void
sim_env_reset(void *ctx, void *stream, uint64_t code)
{
    sim_out_t  *out = stream;

    (void) ctx;
    (void) code;

    if (!out->open) {
        sim_fail("MOQ-12: a stream is reset after its end");
    }

    out->open = 0;
    out->reset = 1;
    out->choked = 0;
}


static int
sim_env_locate(void *ctx, parley_str_t authority, parley_str_t path,
    parley_link_conf_t *ret, parley_moqt_fault_t *fault)
{
    sim_conn_t  *c = ctx;

    (void) authority;

    if (!parley_str_is(path, "/moq")) {
        c->faulty = 1;
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_PATH, "PATH",
                                     "no location has this path");
    }

    memset(ret, 0, sizeof(parley_link_conf_t));

    ret->sessions = SIM_SESSIONS;
    ret->tracks = SIM_TRACKS;
    ret->object = SIM_OBJECT;
    ret->lag = SIM_LAG;
    ret->stateless = sim_link.stateless & 1;

    return 0;
}


int
sim_is(sim_conn_t *c, unsigned who)
{
    return parley_str_eq(parley_link_principal(c->link),
                         parley_str_c(sim_names[who]));
}


unsigned
sim_token_number(parley_str_t text)
{
    unsigned  n;

    if (text.len < 5 || text.data[1] != '-'
        || sscanf((const char *) text.data + 2, "%3u", &n) != 1
        || n >= sim_link.ntokens)
    {
        return 0;
    }

    return n;
}


sim_proof_t *
sim_proof_of(sim_conn_t *c, parley_link_session_t *session)
{
    unsigned  i;

    for (i = 0; i < SIM_PROOFS; i++) {
        if (c->proofs[i].used && c->proofs[i].session == session) {
            return &c->proofs[i];
        }
    }

    return NULL;
}


static int
sim_env_prove(void *ctx, const parley_link_proof_t *proof)
{
    unsigned      i;
    sim_conn_t   *c = ctx;
    sim_proof_t  *p;

    p = sim_proof_of(c, proof->session);

    for (i = 0; p == NULL && i < SIM_PROOFS; i++) {
        if (!c->proofs[i].used) {
            p = &c->proofs[i];
        }
    }

    if (p == NULL || p->pending) {
        sim_fail("MOQ-06: a proof begins while another one of its session "
                 "runs");
    }

    p->used = 1;
    p->pending = 1;
    p->session = proof->session;
    p->listens = proof->listens;
    p->octets = proof->token;
    p->next = sim_token_number(proof->token);

    return 0;
}


static void
sim_env_forget(void *ctx, parley_link_session_t *session)
{
    sim_conn_t   *c = ctx;
    sim_proof_t  *p;

    p = sim_proof_of(c, session);

    if (p != NULL) {

        if (c->listener == (int) (p - c->proofs)) {
            c->listener = -1;
        }

        memset(p, 0, sizeof(sim_proof_t));
    }
}


/* Notes a post.  Returns the number of its token. */

static unsigned
sim_env_posted(sim_conn_t *c, parley_link_post_t *post)
{
    unsigned      token;
    sim_proof_t  *p;

    if (c->nposts >= PARLEY_LINK_POSTS) {
        sim_fail("MOQ-16: more than %d commands are posted at once",
                 PARLEY_LINK_POSTS);
    }

    p = sim_proof_of(c, post->session);
    token = sim_token_number(post->token);

    if (p == NULL || !p->proved || !sim_link.tokens[token].proved) {
        sim_fail("MOQ-06: the command %u is posted, and its token is not "
                 "proved", post->stream);
    }

    c->posts[c->nposts++] = post;
    sim_link_tell("%u: command %u is posted", c->number, post->stream);

    return token;
}


static int
sim_env_post(void *ctx, parley_link_post_t *post)
{
    unsigned      token;
    sim_conn_t   *c = ctx;
    sim_frame_t  *f;

    /* spoiled octets may name any frame */

    if (c->faulty) {
        sim_env_posted(c, post);
        return 0;
    }

    if (post->stream == 0 || post->stream >= sim_link.nframes) {
        sim_fail("MOQ-17: a command that was never sent is posted");
    }

    f = &sim_link.frames[post->stream];

    if (f->conn != c->number || f->id != post->id
        || (f->kind != SIM_CMD && f->kind != SIM_BAD))
    {
        sim_fail("MOQ-12: a frame of another connection or session is "
                 "posted");
    }

    if (++f->posted > 1) {
        sim_fail("MOQ-17: the command %u is posted twice", post->stream);
    }

    token = sim_env_posted(c, post);

    f->token = token;

    if (sim_link.tokens[token].conn != c->number
        || (sim_link.tokens[token].id != 0
            && sim_link.tokens[token].id != post->id)
        || (post->session == NULL && post->id != 0))
    {
        sim_fail("MOQ-06: the command %u is posted with the token of another "
                 "session", post->stream);
    }

    if (f->agent != sim_link.tokens[token].who
        || !sim_is(c, f->agent))
    {
        sim_fail("MOQ-13: the command %u is posted for another principal",
                 post->stream);
    }

    return 0;
}


static int
sim_env_fetch(void *ctx, parley_link_fetch_t *fetch)
{
    unsigned      i;
    sim_conn_t   *c = ctx;
    sim_fetch_t  *f;

    /* the last one: answers to others may not have come yet */

    for (i = 0, f = NULL; i < SIM_FETCHES; i++) {
        if (c->fetches[i].used && c->fetches[i].fresh
            && (f == NULL || c->fetches[i].request > f->request))
        {
            f = &c->fetches[i];
        }
    }

    if (f == NULL) {
        sim_fail("MOQ-15: a fetch that the peer did not ask for");
    }

    f->fresh = 0;
    f->fetch = fetch;
    f->at = fetch->from.offset;
    f->epoch = fetch->from.epoch;

    return 0;
}


static void
sim_env_abandon(void *ctx, parley_link_fetch_t *fetch)
{
    unsigned     i;
    sim_conn_t  *c = ctx;

    for (i = 0; i < SIM_FETCHES; i++) {
        if (c->fetches[i].fetch == fetch) {
            c->fetches[i].fetch = NULL;
            return;
        }
    }

    sim_fail("MOQ-15: a fetch is abandoned that has ended");
}


static void
sim_env_close(void *ctx, parley_moqt_code_t code, const char *text)
{
    sim_conn_t  *c = ctx;

    if (c->closed) {
        sim_fail("MOQ-12: a connection is closed twice");
    }

    c->closed = 1;

    sim_link_tell("%u: closed: %s: %s", c->number,
                  parley_moqt_code_name(code), text);

    if (!c->evil && !c->faulty && !c->mem.starved
        && !(code == PARLEY_MOQT_UNAUTHORIZED && !c->proved)
        && !(code == PARLEY_MOQT_EXPIRED_AUTH_TOKEN && c->unfit))
    {
        sim_fail("MOQ-12: a correct peer is closed: %s: %s",
                 parley_moqt_code_name(code), text);
    }
}


static int
sim_env_agents(void *ctx, parley_link_session_t *session,
    int (*each)(void *data, parley_str_t agent), void *data)
{
    unsigned     i;
    sim_conn_t  *c = ctx;

    if (session != NULL && sim_proof_of(c, session) == NULL) {
        sim_fail("MOQ-08: a session that has ended lists agents");
    }

    for (i = 0; i < SIM_AGENTS; i++) {
        if (each(data, parley_str_c(sim_names[i % 3])) != 0) {
            return -1;
        }
    }

    return 0;
}


static void
sim_env_resume(void *ctx)
{
    ((sim_conn_t *) ctx)->resumed = 1;
}


static int
sim_env_random(void *ctx, uint8_t out[16])
{
    (void) ctx;

    /* another even number for each connection; no step draws it */

    memset(out, 7, 16);
    (void) parley_octets_write32(out, 2 * ++sim_link.nrandoms);

    return 0;
}


static int64_t
sim_env_now(void *ctx)
{
    (void) ctx;

    return sim_link.now;
}


parley_link_t *
sim_env_link(sim_conn_t *c)
{
    parley_link_env_t  env = {
        .mem = { sim_mem_alloc, sim_mem_free, &c->mem },
        .write = sim_env_write,
        .open = sim_env_open,
        .finish = sim_env_finish,
        .reset = sim_env_reset,
        .locate = sim_env_locate,
        .prove = sim_env_prove,
        .post = sim_env_post,
        .fetch = sim_env_fetch,
        .abandon = sim_env_abandon,
        .forget = sim_env_forget,
        .join = sim_env_join,
        .part = sim_env_part,
        .relay = sim_env_relay,
        .close = sim_env_close,
        .agents = sim_env_agents,
        .resume = sim_env_resume,
        .random = sim_env_random,
        .now = sim_env_now,
        .ctx = c
    };

    return parley_link_create(sim_draft, &env, 5000);
}
