/* A link: its streams, its time, and its end. */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


static int parley_link_early(parley_link_stream_t *st);
static int parley_link_late(parley_link_t *link);
static void parley_link_end_tracks(parley_link_t *link, const char *why);


parley_link_t *
parley_link_create(const parley_moqt_draft_t *draft,
    const parley_link_env_t *env, int64_t handshake)
{
    uint8_t         random[16];
    parley_link_t  *link;

    link = env->mem.alloc(env->mem.ctx, sizeof(parley_link_t));

    if (link == NULL) {
        return NULL;
    }

    memset(link, 0, sizeof(parley_link_t));

    link->env = *env;
    link->draft = draft;
    link->now = env->now(env->ctx);
    link->setup_by = link->now + handshake;

    parley_arena_init(&link->arena, &link->env.mem, 0);

    if (env->random(env->ctx, random) != 0) {
        parley_link_release(link, link);
        return NULL;
    }

    memcpy(&link->seed, random, sizeof(uint64_t));

    if (parley_moqt_session_init(&link->moqt, draft, &link->env.mem,
                                 PARLEY_MOQT_SERVER, PARLEY_LINK_REQUESTS)
        != 0)
    {
        parley_link_release(link, link);
        return NULL;
    }

    return link;
}


void
parley_link_free(parley_link_t *link, const char *why)
{
    size_t                 i;
    parley_link_post_t    *post;
    parley_link_source_t  *source;

    link->closed = 1;
    link->why = parley_str_c(why);

    parley_link_end_tracks(link, why);

    while (link->sessions != NULL) {
        parley_link_session_free(link, link->sessions, link->why);
    }

    while (link->tracks != NULL) {
        parley_link_track_free(link, link->tracks);
    }

    while (link->streams != NULL) {
        parley_link_stream_free(link->streams);
    }

    while ((post = link->posts) != NULL) {
        link->posts = post->next;
        parley_link_release(link, post);
    }

    while (link->fetches != NULL) {
        parley_link_fetch_free(link, link->fetches);
    }

    while ((source = link->overs) != NULL) {
        link->overs = source->later;
        parley_link_source_drop(link, source);
    }

    for (i = 0; i < 2 * link->moqt.limit; i++) {
        if (link->moqt.requests[i].state != PARLEY_MOQT_FREE) {
            parley_link_source_drop(link, link->moqt.requests[i].data);
        }
    }

    if (link->reassembly != NULL) {
        parley_moq_reassembly_destroy(link->reassembly);
    }

    parley_link_drop(link, &link->principal);
    parley_link_drop(link, &link->agent);
    parley_link_drop(link, &link->announced_agent);
    parley_link_drop(link, &link->setup_token);

    parley_moqt_session_free(&link->moqt);
    parley_arena_reset(&link->arena);

    parley_link_release(link, link);
}


/* Tells subscribers that the tracks of the agent end with its connection. */

static void
parley_link_end_tracks(parley_link_t *link, const char *why)
{
    parley_link_record_t  done;

    memset(&done, 0, sizeof(parley_link_record_t));

    done.kind = PARLEY_LINK_DONE;
    done.id = PARLEY_MOQT_DONE_TRACK_ENDED;

    while (link->sources != NULL) {
        (void) parley_link_source_end(link, link->sources, &done, why);
    }

    while (link->readers != NULL) {
        parley_link_reader_free(link, link->readers);
    }

    parley_link_tap_part(link, link->space);
}


parley_link_stream_t *
parley_link_stream(parley_link_t *link, parley_link_kind_t kind, void *handle)
{
    parley_link_stream_t  *st;

    st = parley_link_alloc(link, sizeof(parley_link_stream_t));

    if (st == NULL) {
        return NULL;
    }

    st->link = link;
    st->kind = kind;
    st->handle = handle;

    if (kind == PARLEY_LINK_DATA) {
        parley_moqt_data_init(&st->data, link->draft, &link->env.mem);

    } else {
        parley_moqt_control_init(&st->control, link->draft, &link->env.mem,
                                 PARLEY_MOQT_CLIENT, PARLEY_MOQT_ON_REQUEST);
    }

    if (kind == PARLEY_LINK_CONTROL) {
        link->control = st;
    }

    st->next = link->streams;
    st->prev = &link->streams;

    if (st->next != NULL) {
        st->next->prev = &st->next;
    }

    link->streams = st;

    return st;
}


void
parley_link_stream_free(parley_link_stream_t *st)
{
    parley_link_t          *link = st->link;
    parley_moqt_request_t  *request;

    if (st->kind == PARLEY_LINK_DATA) {
        parley_moqt_data_free(&st->data);

    } else {
        parley_moqt_control_free(&st->control);
    }

    if (st->kind == PARLEY_LINK_REQUEST && st->known && !link->closed) {

        request = parley_moqt_session_request(&link->moqt, st->request);

        if (request != NULL) {
            parley_moqt_session_done(&link->moqt, request);
        }
    }

    if (link->control == st) {
        link->control = NULL;
    }

    if (st->early && st->kind == PARLEY_LINK_DATA) {
        link->unproved--;

    } else if (st->early) {
        link->unread--;
    }

    parley_link_source_drop(link, st->source);
    parley_link_drop(link, &st->extensions);
    parley_link_rest_free(link, &st->rest);
    parley_link_release(link, st->octets);

    *st->prev = st->next;

    if (st->next != NULL) {
        st->next->prev = st->prev;
    }

    parley_link_release(link, st);
}


int
parley_link_read(parley_link_stream_t *st, parley_str_t *in, int fin,
    uint64_t *code)
{
    int             rc;
    parley_link_t  *link = st->link;

    if (link->closed) {
        in->len = 0;
        return 0;
    }

    if (st->stopped) {
        *code = PARLEY_MOQT_NO_ERROR;
        return -1;
    }

    parley_link_enter(link);

    st->waits = 0;
    *code = PARLEY_MOQT_NO_ERROR;

    if (!link->proved && parley_link_early(st) != 0) {
        *code = PARLEY_LINK_CANCELLED;
        st->stopped = 1;
        parley_link_done(link);

        if (!link->closed) {
            return -1;
        }

        in->len = 0;

        return 0;
    }

    switch (st->kind) {

    case PARLEY_LINK_CONTROL:
        rc = parley_link_control(link, in);

        if (rc == 0 && fin && in->len == 0 && !link->leaving) {

            parley_moqt_fault_t  fault;

            (void) parley_moqt_session_closed(&fault);
            (void) parley_link_fail(link, &fault);
        }

        rc = 0;
        break;

    case PARLEY_LINK_REQUEST:
        rc = parley_link_request(st, in, code);
        break;

    default: /* PARLEY_LINK_DATA */
        rc = parley_link_data(st, in, fin, code);
    }

    if (link->closed) {
        in->len = 0;
        rc = 0;
    }

    if (rc != 0) {
        st->stopped = 1;
        parley_link_source_reset(st);
    }

    if (st->waits) {
        link->blocked = 1;
    }

    parley_link_done(link);

    return rc;
}


/*
 * Counts a stream before the proof.  Returns -1 if there are too many: the peer
 * has to prove itself first.  A request cannot be left out, because the IDs of
 * requests follow each other.
 */

static int
parley_link_early(parley_link_stream_t *st)
{
    unsigned       *count;
    parley_link_t  *link = st->link;

    if (st->early || st->known || st->kind == PARLEY_LINK_CONTROL
        || (st->kind == PARLEY_LINK_REQUEST && link->setup_proving))
    {
        return 0;
    }

    count = st->kind == PARLEY_LINK_DATA ? &link->unproved : &link->unread;

    if (*count == PARLEY_LINK_UNPROVED) {
        return st->kind == PARLEY_LINK_DATA ? -1
               : parley_link_close(link, PARLEY_MOQT_UNAUTHORIZED,
                                   "too many requests have begun, and no "
                                   "token was proved");
    }

    ++*count;
    st->early = 1;

    return 0;
}


int
parley_link_waits(const parley_link_stream_t *st)
{
    return st->waits && !st->link->closed;
}


void
parley_link_is_reset(parley_link_stream_t *st)
{
    parley_moqt_fault_t  fault;

    st->stopped = 1;
    st->ended = 1;

    if (st->source != NULL && !st->link->closed) {
        parley_link_enter(st->link);
        parley_link_source_reset(st);
        (void) parley_link_source_settle(st->link, st->source);
        parley_link_done(st->link);
    }

    if (st->kind == PARLEY_LINK_CONTROL && !st->link->closed) {
        parley_link_enter(st->link);

        (void) parley_moqt_session_closed(&fault);
        (void) parley_link_fail(st->link, &fault);

        parley_link_done(st->link);
    }
}


void
parley_link_writable(parley_link_t *link)
{
    if (link->closed) {
        return;
    }

    parley_link_enter(link);
    parley_link_done(link);

    if (!link->closed) {
        parley_link_unblock(link);
    }
}


int64_t
parley_link_tick(parley_link_t *link)
{
    int64_t                next;
    parley_link_stream_t  *st;

    if (link->closed) {
        return -1;
    }

    parley_link_enter(link);

    next = 0;

    if (parley_link_late(link) != 0
        || parley_link_sources_tick(link, &next) != 0
        || parley_link_watch_tick(link, &next) != 0)
    {
        parley_link_done(link);
        return -1;
    }

    /* a missing Request ID may still come on another stream */

    if (link->moqt.missing == 0) {
        link->skipped_by = 0;

    } else if (link->skipped_by == 0) {
        link->skipped_by = link->now + PARLEY_LINK_SKIPPED;
    }

    next = parley_link_next(next, link->setup_by);
    next = parley_link_next(next, link->proof_by);
    next = parley_link_next(next, link->skipped_by);

    for (st = link->streams; st != NULL; st = st->next) {

        if (st->since == 0) {
            continue;
        }

        /* the message with the alias waits as well */

        if (link->setup_proving) {
            st->since = link->now;
        }

        if (link->now - st->since >= PARLEY_LINK_UNKNOWN) {
            st->since = 0;
            st->stopped = 1;
            link->blocked = 1;
            parley_link_unblock(link);
            continue;
        }

        next = parley_link_next(next, st->since + PARLEY_LINK_UNKNOWN);
    }

    if (link->reassembly != NULL
        && parley_moq_reassembly_count(link->reassembly) > 0)
    {
        parley_moq_reassembly_expire(link->reassembly, link->now);
        next = parley_link_next(next, link->now + PARLEY_LINK_CHUNKS / 8);
    }

    parley_link_done(link);

    return link->closed || next == 0 ? -1
           : next > link->now ? next - link->now : 1;
}


/* Closes the link if a time is over. */

static int
parley_link_late(parley_link_t *link)
{
    parley_moqt_fault_t  fault;

    if (link->setup_by != 0 && link->now >= link->setup_by) {
        return parley_link_close(link, PARLEY_MOQT_CONTROL_MESSAGE_TIMEOUT,
                                 "no CLIENT_SETUP came in time");
    }

    if (link->proof_by != 0 && link->now >= link->proof_by) {
        return parley_link_close(link, PARLEY_MOQT_UNAUTHORIZED,
                                 "no token was proved in time");
    }

    if (link->skipped_by != 0 && link->now >= link->skipped_by
        && parley_moqt_session_late(&link->moqt, &fault) != 0)
    {
        return parley_link_fail(link, &fault);
    }

    return 0;
}


void
parley_link_leave(parley_link_t *link)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    if (link->closed || link->leaving) {
        return;
    }

    link->leaving = 1;

    if (!link->moqt.setup_out) {
        return;
    }

    parley_link_enter(link);

    memset(&m, 0, sizeof(parley_moqt_message_t));
    m.type = PARLEY_MOQT_GOAWAY;

    (void) parley_link_send(link, &m, &effect);

    parley_link_done(link);
}


parley_str_t
parley_link_principal(const parley_link_t *link)
{
    return link->principal;
}


size_t
parley_link_sessions(const parley_link_t *link)
{
    return link->nsessions;
}


size_t
parley_link_tracks(const parley_link_t *link)
{
    return link->ntracks;
}
