/* FETCH of messages that a mailbox retains. */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


/* a value of GROUP_ORDER */
#define PARLEY_LINK_ASCENDING  1


static void parley_link_fetch_end(parley_link_t *link,
    parley_link_fetching_t *f);
static int parley_link_fetch_track(parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_refuse_t *code,
    parley_str_t *text);
static int parley_link_fetch_range(parley_link_t *link,
    const parley_moqt_message_t *m, const parley_link_track_t *t,
    parley_link_fetching_t *f);
static uint64_t parley_link_fetch_place(uint64_t group, uint64_t object);
static int parley_link_fetch_open(parley_link_t *link,
    parley_link_fetching_t *f);


int
parley_link_fetch_begin(parley_link_t *link, const parley_moqt_message_t *m,
    parley_moqt_request_t *request)
{
    int                      rc;
    size_t                   n;
    parley_str_t             text;
    parley_link_fetch_t     *other;
    parley_moqt_refuse_t     code;
    parley_link_fetching_t  *f;

    code = PARLEY_MOQT_REFUSE_INTERNAL_ERROR;
    text = parley_str_none;

    rc = parley_link_fetch_track(link, m, &code, &text);

    if (rc != 0) {
        return rc < 0 ? -1 : parley_link_fetch_refuse(link, m, code, text);
    }

    for (n = 0, other = link->fetches; other != NULL; other = other->next) {
        n++;
    }

    if (n >= link->conf.sessions) {
        return parley_link_fetch_refuse(link, m,
                                        PARLEY_MOQT_REFUSE_INTERNAL_ERROR,
                                        PARLEY_STR("too many fetches at "
                                                   "once"));
    }

    f = parley_link_alloc(link, sizeof(parley_link_fetching_t));

    if (f == NULL) {
        return parley_link_memory(link);
    }

    f->request = request->id;

    if (parley_link_fetch_range(link, m, link->mailbox, f) != 0) {

        parley_link_release(link, f);

        return parley_link_fetch_refuse(link, m,
                                        PARLEY_MOQT_REFUSE_INVALID_RANGE,
                                        PARLEY_STR("the range is empty, or "
                                                   "after the largest "
                                                   "object"));
    }

    /* groups come in ascending order; one group has no order */

    if (f->start.group < f->end.group
        && parley_moqt_pairs_integer(link->draft, &m->params,
                                     PARLEY_MOQT_PARAM_GROUP_ORDER,
                                     PARLEY_LINK_ASCENDING)
           != PARLEY_LINK_ASCENDING)
    {
        parley_link_release(link, f);

        return parley_link_fetch_refuse(link, m,
                                        PARLEY_MOQT_REFUSE_NOT_SUPPORTED,
                                        PARLEY_STR("several groups come in "
                                                   "ascending order only"));
    }

    f->fetch.next = link->fetches;
    link->fetches = &f->fetch;

    if (link->env.fetch(link->env.ctx, &f->fetch) != 0) {
        f->over = 1;
        return parley_link_memory(link);
    }

    return 0;
}


/* Checks that a FETCH is for the mailbox.  Returns 0; 1 with the code and the
   text of REQUEST_ERROR; or -1. */

static int
parley_link_fetch_track(parley_link_t *link, const parley_moqt_message_t *m,
    parley_moqt_refuse_t *code, parley_str_t *text)
{
    int                          joins, opaque;
    const parley_link_track_t   *t;
    const parley_link_reader_t  *r;

    if (!link->proved) {
        *code = PARLEY_MOQT_REFUSE_UNAUTHORIZED;
        *text = PARLEY_STR("no token was proved");
        return 1;
    }

    joins = m->fetch != PARLEY_MOQT_FETCH_STANDALONE;

    if (joins) {
        t = parley_link_track_of(link, m->existing);
        t = t != NULL && t->live ? t : NULL;
        r = parley_link_reader_of(link, m->existing);

        opaque = r != NULL && !r->status && r->state != PARLEY_LINK_ENDING;

    } else {
        t = m->space.count == 2
            && parley_str_is(m->space.fields[0], PARLEY_LINK_SPACE)
            && parley_str_is(m->space.fields[1], PARLEY_LINK_GATEWAY)
            ? parley_link_track(link, m->name) : NULL;

        opaque = m->space.count == 2
                 && parley_link_is_opaque(m->space.fields[1], m->name);
    }

    if (t == NULL && !opaque) {
        *code = joins ? PARLEY_MOQT_REFUSE_INVALID_JOINING_REQUEST_ID
                      : PARLEY_MOQT_REFUSE_DOES_NOT_EXIST;
        *text = joins ? PARLEY_STR("the subscription is unknown")
                      : PARLEY_STR("the track does not exist");
        return 1;
    }

    if (t == NULL || t != link->mailbox) {
        *code = PARLEY_MOQT_REFUSE_NOT_SUPPORTED;
        *text = PARLEY_STR("only the mailbox can be fetched");
        return 1;
    }

    return !joins || t->joins ? 0
           : parley_link_close(link, PARLEY_MOQT_PROTOCOL_VIOLATION,
                               "FETCH: Joining Request ID: the filter of the "
                               "subscription is not Largest Object");
}


/* Returns -1 if the range has no object that was published.  A Joining FETCH
   ends where its subscription began, so that no object comes twice. */

static int
parley_link_fetch_range(parley_link_t *link, const parley_moqt_message_t *m,
    const parley_link_track_t *t, parley_link_fetching_t *f)
{
    int                     joins;
    uint64_t                first, last;
    parley_moqt_location_t  end;

    joins = m->fetch != PARLEY_MOQT_FETCH_STANDALONE;

    if (joins ? !t->had : !t->any) {
        return -1;
    }

    end = joins ? t->joined : t->largest;
    end.object++;

    f->end = end;

    if (!joins) {

        f->start = m->start;

        if (m->end.group < end.group
            || (m->end.group == end.group && m->end.object != 0
                && m->end.object < end.object))
        {
            f->end = m->end;
        }

    } else {
        f->start.object = 0;
        f->start.group = m->fetch == PARLEY_MOQT_FETCH_ABSOLUTE ? m->joining
                         : m->joining > end.group ? 0
                         : end.group - m->joining;
    }

    if (parley_moqt_location_order(f->start, t->largest) > 0
        || f->start.group > f->end.group
        || (f->start.group == f->end.group && f->end.object != 0
            && f->start.object >= f->end.object))
    {
        return -1;
    }

    first = parley_link_fetch_place(f->start.group, f->start.object);
    last = parley_link_fetch_place(f->end.group, f->end.object - 1);

    f->fetch.from.epoch = link->mail.epoch;
    f->fetch.from.offset = first > 0 ? first - 1 : 0;
    f->fetch.last = last;

    return 0;
}


/*
 * Returns the place of an object.  An ID above those of the group belongs to
 * its last place; so does UINT64_MAX, the end of a whole group.
 */

static uint64_t
parley_link_fetch_place(uint64_t group, uint64_t object)
{
    object /= PARLEY_LINK_FRAGMENTS;

    return group * PARLEY_LINK_GROUP
           + (object < PARLEY_LINK_GROUP ? object : PARLEY_LINK_GROUP - 1);
}


int
parley_link_fetch_refuse(parley_link_t *link, const parley_moqt_message_t *m,
    parley_moqt_refuse_t code, parley_str_t text)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  error;

    memset(&error, 0, sizeof(parley_moqt_message_t));

    error.type = PARLEY_MOQT_REQUEST_ERROR;
    error.request = m->request;
    error.code = code;
    error.retry = code == PARLEY_MOQT_REFUSE_INTERNAL_ERROR
                  ? PARLEY_LINK_RETRY + 1 : 0;
    error.text = text;

    return parley_link_send(link, &error, &effect);
}


/* Sends FETCH_OK once it is known that the range is retained. */

int
parley_link_fetch_ok(parley_link_t *link, parley_link_fetching_t *f)
{
    parley_buf_t           b;
    parley_moqt_effect_t   effect;
    parley_moqt_stream_t   stream;
    parley_moqt_message_t  m;

    if (f->begun) {
        return 0;
    }

    f->begun = 1;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_FETCH_OK;
    m.request = f->request;
    m.end = f->end;

    if (parley_link_send(link, &m, &effect) != 0) {
        return -1;
    }

    memset(&stream, 0, sizeof(parley_moqt_stream_t));

    stream.type = PARLEY_MOQT_STREAM_FETCH;
    stream.request = f->request;

    parley_buf_init(&b, &link->arena, 0);

    if (parley_moqt_data_write(&f->writer, link->draft, &b, &stream) != 0
        || b.failed
        || parley_link_rest_put(link, &f->rest, b.data, b.len) != 0)
    {
        return parley_link_memory(link);
    }

    return 0;
}


void
parley_link_fetch_flush(parley_link_t *link)
{
    int                      rc;
    parley_link_fetch_t     *fetch, *next;
    parley_link_fetching_t  *f;

    for (fetch = link->fetches; fetch != NULL; fetch = next) {

        next = fetch->next;
        f = (parley_link_fetching_t *) fetch;

        if (!f->begun || parley_link_fetch_open(link, f) == 0) {
            continue;
        }

        rc = parley_link_rest_flush(link, &f->rest, f->stream);

        if (rc < 0 || (rc == 1 && f->over)) {
            parley_link_fetch_end(link, f);
        }
    }
}


static int
parley_link_fetch_open(parley_link_t *link, parley_link_fetching_t *f)
{
    if (f->stream == NULL) {
        f->stream = link->env.open(link->env.ctx);
    }

    return f->stream != NULL;
}


/* Ends the stream of a fetch: by a FIN if all was written. */

static void
parley_link_fetch_end(parley_link_t *link, parley_link_fetching_t *f)
{
    parley_moqt_request_t  *request;

    request = parley_moqt_session_request(&link->moqt, f->request);

    if (request != NULL) {
        parley_moqt_session_done(&link->moqt, request);
    }

    if (f->stream != NULL && f->over && !f->lost
        && f->rest.len == f->rest.at)
    {
        link->env.finish(link->env.ctx, f->stream);
        f->stream = NULL;
    }

    parley_link_fetch_free(link, &f->fetch);
}


/* A request has an answer, also if it is cancelled. */

int
parley_link_fetch_cancel(parley_link_t *link, uint64_t request)
{
    int                      rc;
    parley_moqt_message_t    m;
    parley_link_fetch_t     *fetch;
    parley_link_fetching_t  *f;

    for (fetch = link->fetches; fetch != NULL; fetch = fetch->next) {

        f = (parley_link_fetching_t *) fetch;

        if (f->request != request) {
            continue;
        }

        memset(&m, 0, sizeof(parley_moqt_message_t));
        m.request = request;

        rc = f->begun ? 0
             : parley_link_fetch_refuse(link, &m,
                                        PARLEY_MOQT_REFUSE_INTERNAL_ERROR,
                                        PARLEY_STR("the fetch is cancelled"));

        f->cancelled = 1;
        parley_link_fetch_free(link, fetch);

        return rc;
    }

    return 0;
}


void
parley_link_fetch_free(parley_link_t *link, parley_link_fetch_t *fetch)
{
    parley_link_fetch_t     **p;
    parley_link_fetching_t   *f = (parley_link_fetching_t *) fetch;

    for (p = &link->fetches; *p != fetch; p = &(*p)->next) { /* void */ }

    *p = fetch->next;

    if (!f->over) {
        link->env.abandon(link->env.ctx, fetch);
    }

    if (f->stream != NULL && !link->closed) {
        link->env.reset(link->env.ctx, f->stream,
                        f->cancelled ? PARLEY_LINK_CANCELLED
                                     : PARLEY_MOQT_REFUSE_INTERNAL_ERROR);
    }

    parley_link_rest_free(link, &f->rest);
    parley_link_release(link, f);
}
