/*
 * Subscriptions to opaque tracks of other agents.
 *
 * A subscription joins the log of the track, which a rule has to allow.  Then
 * it asks the publisher of the track, else the publisher of the namespace of
 * the agent, by a record WANT.  READY of the publisher answers it.
 */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


static int parley_link_watch_begin(parley_link_t *link,
    const parley_moqt_message_t *m);
static int parley_link_watch_set(parley_link_t *link, parley_link_reader_t *r,
    const parley_moqt_pairs_t *params, int updates);


/* TRACK_STATUS is answered as SUBSCRIBE, but nothing stays of it (section 9.19
   of the draft). */

int
parley_link_watch(parley_link_t *link, const parley_moqt_message_t *m)
{
    if (m->space.count != 2
        || !parley_str_is(m->space.fields[0], PARLEY_LINK_SPACE)
        || m->space.fields[1].len > PARLEY_LINK_AGENT_MAX
        || parley_str_is(m->space.fields[1], PARLEY_LINK_GATEWAY)
        || !parley_link_is_opaque(m->space.fields[1], m->name)
        || !link->proved)
    {
        return 1;
    }

    if (link->nreaders >= link->conf.tracks) {
        return parley_link_error_later(link, m->request,
                                       PARLEY_MOQT_REFUSE_UNINTERESTED,
                                       "too many subscriptions");
    }

    return parley_link_watch_begin(link, m);
}


static int
parley_link_watch_begin(parley_link_t *link, const parley_moqt_message_t *m)
{
    int                    status;
    parley_link_tap_t      tap;
    parley_link_reader_t  *r;

    status = m->type == PARLEY_MOQT_TRACK_STATUS;

    for (r = status ? NULL : link->readers; r != NULL; r = r->next) {
        if (!r->command && !r->status && r->state != PARLEY_LINK_ENDING
            && parley_str_eq(r->track, m->name))
        {
            return parley_link_error(link, m->request,
                                     PARLEY_MOQT_REFUSE_DUPLICATE_SUBSCRIPTION,
                                     "the track has a subscription");
        }
    }

    if (!status && parley_link_range_is_empty(link, m, 0)) {
        return parley_link_error(link, m->request,
                                 PARLEY_MOQT_REFUSE_INVALID_RANGE,
                                 "the range ends before it begins");
    }

    memset(&tap, 0, sizeof(parley_link_tap_t));

    tap.agent = m->space.fields[1];
    tap.track = m->name;
    tap.token = parley_link_token(link);

    r = parley_link_reader_make(link, &tap);

    if (r == NULL) {
        return parley_link_memory(link);
    }

    r->request = m->request;

    if (status) {
        r->status = 1;
        return 0;
    }

    r->alias = ++link->aliases;

    return parley_link_watch_set(link, r, &m->params, 0);
}


/* Sets what a subscription wants: by default all objects that come. */

static int
parley_link_watch_set(parley_link_t *link, parley_link_reader_t *r,
    const parley_moqt_pairs_t *params, int updates)
{
    parley_moqt_pair_t    pair;
    parley_moqt_fault_t   fault;
    parley_moqt_filter_t  filter;

    if (parley_moqt_pairs_find(link->draft, params, PARLEY_MOQT_PARAM_FILTER,
                               &pair))
    {
        if (parley_moqt_filter_read(link->draft, pair.octets, &filter, &fault)
            != 0)
        {
            return parley_link_fail(link, &fault);
        }

        r->end = filter.type == PARLEY_MOQT_FILTER_RANGE ? filter.end_group
                                                         : UINT64_MAX;
        r->skips = filter.type == PARLEY_MOQT_FILTER_NEXT_GROUP;

        /* zero for the other types: all objects that come */

        r->start = filter.start;
    }

    r->forward = parley_moqt_pairs_integer(link->draft, params,
                                           PARLEY_MOQT_PARAM_FORWARD,
                                           updates ? r->forward : 1)
                 != 0;

    return 0;
}


int
parley_link_watch_update(parley_link_t *link, const parley_moqt_message_t *m)
{
    parley_link_reader_t  *r;

    r = parley_link_reader_of(link, m->existing);

    if (r == NULL || r->status || r->state == PARLEY_LINK_ENDING) {
        return 1;
    }

    return parley_link_ok(link, m->request) != 0 ? -1
           : parley_link_watch_set(link, r, &m->params, 1);
}


/* Asks the publisher of the track, or that of the namespace. */

int
parley_link_watch_ask(parley_link_t *link, parley_link_reader_t *r, int space)
{
    int                   rc;
    parley_link_relay_t   relay;
    parley_link_record_t  record;

    memset(&relay, 0, sizeof(parley_link_relay_t));
    memset(&record, 0, sizeof(parley_link_record_t));

    record.kind = r->state == PARLEY_LINK_READING ? PARLEY_LINK_POLL
                                                  : PARLEY_LINK_WANT;
    record.text = r->track;

    relay.track = space ? parley_str_none : r->track;
    relay.publisher = 1;
    relay.asks = r->status && !space;
    relay.op = space ? PARLEY_LINK_OP_SPACE : PARLEY_LINK_OP_WANT;

    rc = parley_link_tap_relay(link, r->tap, &record, &relay);

    return rc == 0 ? 0
           : parley_link_watch_asked(link, r, space,
                                     rc > 0 ? relay.count : -1);
}


int
parley_link_watch_asked(parley_link_t *link, parley_link_reader_t *r,
    int space, int64_t count)
{
    if (count > 0) {

        /* a publisher of the track itself has it */

        return r->status && !space
               ? parley_link_watch_ready(link, r, parley_str_none) : 0;
    }

    if (count < 0) {
        return parley_link_watch_lose(link, r,
                                      PARLEY_MOQT_REFUSE_INTERNAL_ERROR,
                                      "the publisher cannot be asked");
    }

    return !space ? parley_link_watch_ask(link, r, 1)
           : parley_link_watch_lose(link, r,
                                    PARLEY_MOQT_REFUSE_DOES_NOT_EXIST,
                                    "the track has no publisher");
}


int
parley_link_watch_ready(parley_link_t *link, parley_link_reader_t *r,
    parley_str_t extensions)
{
    uint64_t               request;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  ok;

    if (r->status) {
        request = r->request;
        parley_link_reader_free(link, r);

        return parley_link_ok(link, request);
    }

    r->state = PARLEY_LINK_READING;
    r->by = link->now + PARLEY_LINK_POLLS;

    parley_link_note_track(link, PARLEY_LINK_OPENED, 0, r->track,
                           parley_str_none);

    memset(&ok, 0, sizeof(parley_moqt_message_t));

    ok.type = PARLEY_MOQT_SUBSCRIBE_OK;
    ok.request = r->request;
    ok.alias = r->alias;
    ok.extensions.octets = extensions;

    return parley_link_send(link, &ok, &effect);
}


/* Ends a subscription that cannot go on. */

int
parley_link_watch_lose(parley_link_t *link, parley_link_reader_t *r,
    parley_moqt_refuse_t code, const char *text)
{
    uint64_t  request;

    if (r->state == PARLEY_LINK_READING) {
        return parley_link_reader_end(link, r,
                                      code == PARLEY_MOQT_REFUSE_UNAUTHORIZED
                                      ? PARLEY_MOQT_DONE_UNAUTHORIZED
                                      : code
                                        == PARLEY_MOQT_REFUSE_DOES_NOT_EXIST
                                      ? PARLEY_MOQT_DONE_TRACK_ENDED
                                      : PARLEY_MOQT_DONE_INTERNAL_ERROR, text);
    }

    request = r->request;
    parley_link_reader_free(link, r);

    return code == PARLEY_MOQT_REFUSE_UNAUTHORIZED
           ? parley_link_error(link, request, code, text)
           : parley_link_error_later(link, request, code, text);
}


int
parley_link_watch_tick(parley_link_t *link, int64_t *next)
{
    int                    rc;
    parley_link_reader_t  *r, *following;

    for (r = link->readers; r != NULL; r = following) {
        following = r->next;

        if (r->by == 0 || r->state == PARLEY_LINK_ENDING) {
            continue;
        }

        if (link->now < r->by) {
            *next = parley_link_next(*next, r->by);
            continue;
        }

        if (r->state == PARLEY_LINK_READING) {
            r->by = link->now + PARLEY_LINK_POLLS;
            *next = parley_link_next(*next, r->by);
            rc = parley_link_watch_ask(link, r, 0);

        } else {
            rc = parley_link_watch_lose(link, r, PARLEY_MOQT_REFUSE_TIMEOUT,
                                        "the publisher does not answer");
        }

        if (rc != 0) {
            return -1;
        }
    }

    return 0;
}
