/*
 * Control messages: SETUP, and subscriptions to the tracks of the gateway.
 */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


static int parley_link_message(parley_link_t *link,
    const parley_moqt_message_t *m, const parley_moqt_effect_t *effect);
static int parley_link_token_refused(parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_refuse_t code,
    const char *text);
static void parley_link_unused(const parley_link_t *link,
    parley_link_track_t *t);
static int parley_link_setup(parley_link_t *link,
    const parley_moqt_message_t *m);
static int parley_link_setup_token(parley_link_t *link,
    const parley_moqt_message_t *m);
static int parley_link_setup_answer(parley_link_t *link);
static int parley_link_subscribe(parley_link_t *link,
    const parley_moqt_message_t *m, const parley_moqt_request_t *request);
static int parley_link_subscribed(parley_link_t *link, parley_link_track_t *t,
    const parley_moqt_message_t *m);
static int parley_link_update(parley_link_t *link,
    const parley_moqt_message_t *m);
static int parley_link_status(parley_link_t *link,
    const parley_moqt_message_t *m);
static int parley_link_told(parley_link_t *link,
    const parley_link_track_t *t, uint64_t request);
static int parley_link_largest(parley_link_t *link,
    const parley_link_track_t *t, parley_moqt_pairs_t *ret);
static parley_link_track_t *parley_link_named(parley_link_t *link,
    const parley_moqt_message_t *m);


int
parley_link_control(parley_link_t *link, parley_str_t *in)
{
    int                    rc;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    for ( ;; ) {

        /* what the token of CLIENT_SETUP allows is not known yet */

        if (link->setup_proving) {
            link->control->waits = 1;
            return 0;
        }

        rc = parley_moqt_session_take(&link->moqt, in, &m, &effect, &fault);

        if (rc < 0) {
            return parley_link_fail(link, &fault);
        }

        if (rc == 0) {
            return 0;
        }

        if (parley_link_message(link, &m, &effect) != 0) {
            return -1;
        }
    }
}


static int
parley_link_message(parley_link_t *link, const parley_moqt_message_t *m,
    const parley_moqt_effect_t *effect)
{
    void                   *data;
    const char             *text;
    parley_link_track_t    *t;
    parley_link_reader_t   *r;
    parley_moqt_refuse_t    code;
    parley_moqt_request_t  *request;

    request = effect->request;

    if (m->row->request && parley_link_token_check(link, m, &code, &text) != 0)
    {
        return parley_link_token_refused(link, m, code, text);
    }

    switch (m->type) {

    case PARLEY_MOQT_CLIENT_SETUP:
        return parley_link_setup(link, m);

    case PARLEY_MOQT_PUBLISH:
        return parley_link_publish(link, m, request);

    case PARLEY_MOQT_PUBLISH_NAMESPACE:
        return parley_link_announce(link, m);

    case PARLEY_MOQT_SUBSCRIBE:
        return parley_link_subscribe(link, m, request);

    case PARLEY_MOQT_REQUEST_UPDATE:
        return parley_link_update(link, m);

    case PARLEY_MOQT_TRACK_STATUS:
        return parley_link_status(link, m);

    case PARLEY_MOQT_FETCH:
        return parley_link_fetch_begin(link, m, request);

    case PARLEY_MOQT_FETCH_CANCEL:
        return parley_link_fetch_cancel(link, m->request);

    case PARLEY_MOQT_MAX_REQUEST_ID:
        return parley_link_requests(link);

    case PARLEY_MOQT_PUBLISH_OK:
        t = parley_link_track_of(link, m->request);

        if (t == NULL || effect->ended) {
            return 0;
        }

        t->offered = 0;
        t->live = 1;

        return parley_link_track_set(link, t, &m->params, 0);

    case PARLEY_MOQT_UNSUBSCRIBE:
        t = parley_link_track_of(link, m->request);

        if (t != NULL) {
            parley_link_unused(link, t);
            return parley_link_track_stop(link, t, 0,
                                          PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED,
                                          "");
        }

        r = parley_link_reader_of(link, m->request);

        if (r == NULL) {
            return 0;
        }

        if (r->state == PARLEY_LINK_READING
            || r->state == PARLEY_LINK_ENDING)
        {
            parley_link_reader_free(link, r);
            return 0;
        }

        parley_link_reader_free(link, r);

        return parley_link_error(link, m->request, PARLEY_MOQT_REFUSE_TIMEOUT,
                                 "the subscription was cancelled");

    case PARLEY_MOQT_REQUEST_ERROR:

        /* the peer may refuse PUBLISH, and send SUBSCRIBE later */

        t = parley_link_track_of(link, m->request);

        if (t != NULL) {
            t->offered = 0;
            t->request = UINT64_MAX;
            return 0;
        }

        /* fall through */

    case PARLEY_MOQT_PUBLISH_DONE:

        if (request != NULL && effect->ended) {
            data = request->data;
            request->data = NULL;

            if (data != NULL
                && parley_link_source_over(link, data, m, request->alias)
                   != 0)
            {
                return -1;
            }

            /* PUBLISH still has to be answered */

            if (request->state == PARLEY_MOQT_CANCELLED && !request->own) {
                return parley_link_error(link, m->request,
                                         PARLEY_MOQT_REFUSE_UNINTERESTED,
                                         "the track has ended");
            }
        }

        return 0;

    case PARLEY_MOQT_PUBLISH_NAMESPACE_DONE:

        /* NULL: it was refused */

        if (request != NULL) {
            parley_link_source_unannounced(link);
            link->announced = 0;
            link->wanted = 0;
            parley_link_drop(link, &link->announced_agent);
        }

        return 0;

    case PARLEY_MOQT_SUBSCRIBE_OK:
        parley_link_unblock(link);

        return request == NULL || request->data == NULL ? 0
               : parley_link_source_answered(link, request->data, m);

    default:
        /* GOAWAY, REQUESTS_BLOCKED, answers without an effect here */
        return 0;
    }
}


/* Refuses a request with its token.  A subscription ends with its update
   (section 9.11.1 of the draft). */

static int
parley_link_token_refused(parley_link_t *link, const parley_moqt_message_t *m,
    parley_moqt_refuse_t code, const char *text)
{
    parley_link_track_t   *t;
    parley_link_reader_t  *r;

    if (parley_link_error(link, m->request, code, text) != 0) {
        return -1;
    }

    if (m->type != PARLEY_MOQT_REQUEST_UPDATE) {
        return 0;
    }

    t = parley_link_track_of(link, m->existing);

    if (t != NULL && t->live) {
        parley_link_unused(link, t);
        return parley_link_track_stop(link, t, 1,
                                      PARLEY_MOQT_DONE_UPDATE_FAILED, text);
    }

    r = parley_link_reader_of(link, m->existing);

    return r != NULL && r->state == PARLEY_LINK_READING
           ? parley_link_reader_end(link, r, PARLEY_MOQT_DONE_UPDATE_FAILED,
                                    text) : 0;
}


/* The track of a session that does not exist ends with its subscription. */

static void
parley_link_unused(const parley_link_t *link, parley_link_track_t *t)
{
    const parley_link_session_t  *s;

    for (s = link->sessions; s != NULL && s->track != t; s = s->next) {
        /* void */
    }

    t->ends = s == NULL && !t->mailbox;
}


static int
parley_link_setup(parley_link_t *link, const parley_moqt_message_t *m)
{
    parley_str_t         authority, path;
    parley_moqt_pair_t   pair;
    parley_moqt_fault_t  fault;

    authority = parley_str_none;
    path = parley_str_none;

    if (parley_moqt_pairs_find(link->draft, &m->params,
                               PARLEY_MOQT_SETUP_AUTHORITY, &pair))
    {
        authority = pair.octets;
    }

    if (parley_moqt_pairs_find(link->draft, &m->params,
                               PARLEY_MOQT_SETUP_PATH, &pair))
    {
        path = pair.octets;
    }

    if (link->env.locate(link->env.ctx, authority, path, &link->conf, &fault)
        != 0)
    {
        fault.place = "CLIENT_SETUP";
        return parley_link_fail(link, &fault);
    }

    parley_link_unblock(link);

    link->setup_by = 0;
    link->proof_by = link->now + PARLEY_LINK_PROOF;

    return parley_link_setup_token(link, m) != 0 ? -1
           : parley_link_setup_answer(link);
}


/* Begins the proof of the token in CLIENT_SETUP, which may have one. */

static int
parley_link_setup_token(parley_link_t *link, const parley_moqt_message_t *m)
{
    parley_moqt_pair_t   pair;
    parley_moqt_fault_t  fault;
    parley_link_proof_t  proof;
    parley_moqt_token_t  token;

    if (!parley_moqt_pairs_find(link->draft, &m->params,
                                PARLEY_MOQT_SETUP_TOKEN, &pair))
    {
        return 0;
    }

    if (parley_moqt_token_read(link->draft, pair.octets, &token, &fault)
        != 0)
    {
        fault.place = "CLIENT_SETUP";
        return parley_link_fail(link, &fault);
    }

    if (token.type != 0 || token.value.len == 0) {
        return parley_link_close(link, PARLEY_MOQT_MALFORMED_AUTH_TOKEN,
                                 "CLIENT_SETUP: AUTHORIZATION_TOKEN: the type "
                                 "of the token must be 0");
    }

    if (!parley_link_is_token(token.value)) {
        return parley_link_close(link, PARLEY_MOQT_MALFORMED_AUTH_TOKEN,
                                 "CLIENT_SETUP: AUTHORIZATION_TOKEN: the token "
                                 "is too long, or has octets that no token "
                                 "has");
    }

    if (parley_link_copy(link, &link->setup_token, token.value) != 0) {
        return parley_link_memory(link);
    }

    memset(&proof, 0, sizeof(parley_link_proof_t));

    proof.token = link->setup_token;
    proof.listens = 1;

    link->setup_proving = 1;
    link->listening = 1;

    return link->env.prove(link->env.ctx, &proof) == 0
           ? 0 : parley_link_memory(link);
}


static int
parley_link_setup_answer(parley_link_t *link)
{
    parley_moqt_effect_t        effect;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  w;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_SERVER_SETUP;

    parley_moqt_pairs_writer_init(&w, link->draft, &link->arena);
    parley_moqt_pairs_put_integer(&w, PARLEY_MOQT_SETUP_MAX_REQUEST_ID,
                                  2 * PARLEY_LINK_REQUESTS);
    parley_moqt_pairs_put_octets(&w, PARLEY_MOQT_SETUP_IMPLEMENTATION,
                                 PARLEY_STR("parley"));

    if (parley_moqt_pairs_done(&w, &m.params) != 0) {
        return parley_link_memory(link);
    }

    return parley_link_send(link, &m, &effect);
}


/*
 * A subscription to a track of the gateway.  The track of an agent session may
 * be asked for before session_init, and it ends a PUBLISH of the same track
 * that is not in use.
 */

static int
parley_link_subscribe(parley_link_t *link, const parley_moqt_message_t *m,
    const parley_moqt_request_t *request)
{
    int                    rc;
    parley_link_track_t   *t;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  done;

    rc = parley_link_watch(link, m);

    if (rc <= 0) {
        return rc;
    }

    t = parley_link_named(link, m);

    if (t == NULL) {
        return link->closed ? -1
               : parley_link_error(link, m->request,
                                   link->proved
                                   ? PARLEY_MOQT_REFUSE_DOES_NOT_EXIST
                                   : PARLEY_MOQT_REFUSE_UNAUTHORIZED,
                                   "the track does not exist");
    }

    if (parley_link_range_is_empty(link, m, t->any ? t->largest.group : 0)) {
        return parley_link_error(link, m->request,
                                 PARLEY_MOQT_REFUSE_INVALID_RANGE,
                                 "the range has no group that can still come");
    }

    if (t->live && (t->forward || t->stream != NULL)) {
        return parley_link_error(link, m->request,
                                 PARLEY_MOQT_REFUSE_DUPLICATE_SUBSCRIPTION,
                                 "the track has a subscription");
    }

    if (t->live || t->offered) {

        memset(&done, 0, sizeof(parley_moqt_message_t));

        done.type = PARLEY_MOQT_PUBLISH_DONE;
        done.request = t->request;
        done.code = PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED;
        done.streams = t->streams;

        if (parley_link_send(link, &done, &effect) != 0) {
            return -1;
        }
    }

    t->offers = 0;
    t->offered = 0;
    t->request = request->id;
    t->alias = ++link->aliases;
    t->streams = 0;

    return parley_link_subscribed(link, t, m);
}


static int
parley_link_subscribed(parley_link_t *link, parley_link_track_t *t,
    const parley_moqt_message_t *m)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  ok;

    memset(&ok, 0, sizeof(parley_moqt_message_t));

    ok.type = PARLEY_MOQT_SUBSCRIBE_OK;
    ok.request = m->request;
    ok.alias = t->alias;

    if (parley_link_largest(link, t, &ok.params) != 0
        || parley_link_send(link, &ok, &effect) != 0)
    {
        return -1;
    }

    t->live = 1;

    return parley_link_track_set(link, t, &m->params, 0);
}


static int
parley_link_update(parley_link_t *link, const parley_moqt_message_t *m)
{
    int                   rc;
    parley_link_track_t  *t;

    rc = parley_link_watch_update(link, m);

    if (rc <= 0) {
        return rc;
    }

    t = parley_link_track_of(link, m->existing);

    if (t == NULL || !t->live) {
        return parley_moqt_session_request(&link->moqt, m->existing) != NULL
               ? parley_link_error(link, m->request,
                                   PARLEY_MOQT_REFUSE_NOT_SUPPORTED,
                                   "only a subscription can be changed")
               : parley_link_error(link, m->request,
                                   PARLEY_MOQT_REFUSE_DOES_NOT_EXIST,
                                   "the request has ended");
    }

    return parley_link_told(link, t, m->request) != 0 ? -1
           : parley_link_track_set(link, t, &m->params, 1);
}


static int
parley_link_status(parley_link_t *link, const parley_moqt_message_t *m)
{
    int                   rc;
    parley_link_track_t  *t;

    rc = parley_link_watch(link, m);

    if (rc <= 0) {
        return rc;
    }

    t = parley_link_named(link, m);

    if (t == NULL) {
        return link->closed ? -1
               : parley_link_error(link, m->request,
                                   link->proved
                                   ? PARLEY_MOQT_REFUSE_DOES_NOT_EXIST
                                   : PARLEY_MOQT_REFUSE_UNAUTHORIZED,
                                   "the track does not exist");
    }

    return parley_link_told(link, t, m->request);
}


/* Answers a request about a track by REQUEST_OK. */

static int
parley_link_told(parley_link_t *link, const parley_link_track_t *t,
    uint64_t request)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  ok;

    memset(&ok, 0, sizeof(parley_moqt_message_t));

    ok.type = PARLEY_MOQT_REQUEST_OK;
    ok.request = request;

    return parley_link_largest(link, t, &ok.params) != 0 ? -1
           : parley_link_send(link, &ok, &effect);
}


static int
parley_link_largest(parley_link_t *link, const parley_link_track_t *t,
    parley_moqt_pairs_t *ret)
{
    parley_moqt_pairs_writer_t  w;

    if (!t->any) {
        return 0;
    }

    parley_moqt_pairs_writer_init(&w, link->draft, &link->arena);
    parley_moqt_pairs_put_location(&w, PARLEY_MOQT_PARAM_LARGEST_OBJECT,
                                   t->largest);

    return parley_moqt_pairs_done(&w, ret) == 0
           ? 0 : parley_link_memory(link);
}


/*
 * Finds the track that a message names.  The track of the answers of a session
 * is made if it does not exist, and waits for its session_init.
 */

static parley_link_track_t *
parley_link_named(parley_link_t *link, const parley_moqt_message_t *m)
{
    size_t                len;
    parley_str_t          name;
    parley_link_track_t  *t;

    name = m->name;

    if (m->space.count != 2
        || !parley_str_is(m->space.fields[0], PARLEY_LINK_SPACE)
        || !parley_str_is(m->space.fields[1], PARLEY_LINK_GATEWAY))
    {
        return NULL;
    }

    t = parley_link_track(link, name);
    len = sizeof(PARLEY_LINK_GATEWAY ".") - 1;

    if (t != NULL || m->type != PARLEY_MOQT_SUBSCRIBE
        || name.len <= len + 4 || name.len > len + 4 + PARLEY_LINK_SESSION_MAX
        || memcmp(name.data, PARLEY_LINK_GATEWAY ".", len) != 0
        || memcmp(name.data + name.len - 4, ".cmd", 4) != 0
        || link->ntracks > 2 * (size_t) link->conf.sessions)
    {
        return t;
    }

    t = parley_link_track_make(link, name);

    if (t == NULL) {
        (void) parley_link_memory(link);
    }

    return t;
}
