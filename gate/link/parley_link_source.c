/*
 * Tracks of the agent.  An opaque track is published in the log of its name.
 * Its publisher sends objects only while the log has subscribers: a record WANT
 * of a subscriber begins it, and it ends some seconds after the last one.
 */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


static void parley_link_source_ready(parley_link_t *link,
    parley_link_source_t *s);
static int parley_link_source_update(parley_link_t *link,
    parley_link_source_t *s);
static int parley_link_source_subscribe(parley_link_t *link,
    parley_link_source_t *s);
static int parley_link_source_quit(parley_link_t *link,
    parley_link_source_t *s);
static void parley_link_source_ask(parley_link_t *link,
    parley_link_source_t *s);


parley_link_source_t *
parley_link_source(parley_link_t *link, parley_str_t agent, parley_str_t name)
{
    uint8_t               *p;
    parley_link_source_t  *s;

    s = parley_link_alloc(link, sizeof(parley_link_source_t) + agent.len
                                + name.len);
    if (s == NULL) {
        return NULL;
    }

    p = (uint8_t *) (s + 1);
    memcpy(p, agent.data, agent.len);

    s->refs = 1;
    s->agent = parley_str_make(p, agent.len);

    if (name.len > 0) {
        memcpy(p + agent.len, name.data, name.len);
        s->name = parley_str_make(p + agent.len, name.len);
        s->next = link->sources;
        link->sources = s;
    }

    link->nsources++;

    return s;
}


void
parley_link_source_drop(parley_link_t *link, parley_link_source_t *s)
{
    if (s != NULL && --s->refs == 0) {
        link->nsources--;
        parley_link_drop(link, &s->extensions);
        parley_link_release(link, s);
    }
}


parley_link_source_t *
parley_link_source_find(const parley_link_t *link, parley_str_t name)
{
    parley_link_source_t  *s;

    for (s = link->sources; s != NULL; s = s->next) {
        if (parley_str_eq(s->name, name)) {
            return s;
        }
    }

    return NULL;
}


int
parley_link_source_relay(parley_link_t *link, parley_link_source_t *s,
    const parley_link_record_t *record, uint64_t op)
{
    int                  rc;
    parley_link_relay_t  relay;

    memset(&relay, 0, sizeof(parley_link_relay_t));

    relay.track = s->name;
    relay.op = op;

    rc = s->tap != NULL ? parley_link_tap_relay(link, s->tap, record, &relay)
                        : -1;

    if (rc == 1 && op != 0) {
        parley_link_source_counted(link, s, relay.count);
    }

    return rc;
}


void
parley_link_source_counted(const parley_link_t *link, parley_link_source_t *s,
    int64_t count)
{
    s->counted = link->now;

    if (count > 0) {
        s->alone = 0;

    } else if (s->alone == 0) {
        s->alone = link->now;
    }
}


/* A subscriber wants the objects of a track. */

int
parley_link_source_want(parley_link_t *link, parley_link_source_t *s,
    int polls)
{
    s->alone = 0;
    s->counted = link->now;

    if (polls && s->wanted) {
        return 0;
    }

    s->wanted = 1;

    if (s->answered) {
        parley_link_source_ready(link, s);
    }

    return parley_link_source_request(link, s) < 0 ? -1 : 0;
}


static void
parley_link_source_ready(parley_link_t *link, parley_link_source_t *s)
{
    parley_link_record_t  record;

    memset(&record, 0, sizeof(parley_link_record_t));

    record.kind = PARLEY_LINK_READY;
    record.text = s->extensions;

    (void) parley_link_source_relay(link, s, &record, 0);
}


int
parley_link_source_request(parley_link_t *link, parley_link_source_t *s)
{
    return s->over ? 0
           : s->subscribes ? parley_link_source_subscribe(link, s)
           : s->answered && s->wanted != s->forwards
           ? parley_link_source_update(link, s) : 0;
}


/* Tells the publisher to send objects, or to send none. */

static int
parley_link_source_update(parley_link_t *link, parley_link_source_t *s)
{
    int                         rc;
    parley_moqt_effect_t        effect;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  w;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_REQUEST_UPDATE;
    m.existing = s->request;

    parley_moqt_pairs_writer_init(&w, link->draft, &link->arena);
    parley_moqt_pairs_put_integer(&w, PARLEY_MOQT_PARAM_FORWARD, s->wanted);

    if (parley_moqt_pairs_done(&w, &m.params) != 0) {
        return parley_link_memory(link);
    }

    rc = parley_link_send(link, &m, &effect);

    if (rc == 0) {
        s->forwards = s->wanted;
    }

    return rc;
}


/* Subscribes to a track of an announced namespace. */

static int
parley_link_source_subscribe(parley_link_t *link, parley_link_source_t *s)
{
    int                    rc;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_SUBSCRIBE;
    m.name = s->name;

    if (parley_moqt_namespace_add(&m.space,
                                  PARLEY_STR(PARLEY_LINK_SPACE)) != 0
        || parley_moqt_namespace_add(&m.space, s->agent) != 0)
    {
        return parley_link_memory(link);
    }

    rc = parley_link_send(link, &m, &effect);

    if (rc == 0) {
        s->subscribes = 0;
        s->requested = 1;
        s->forwards = 1;
        s->request = m.request;
        effect.request->data = s;
    }

    return rc;
}


void
parley_link_source_absent(parley_link_t *link, parley_link_tap_t *tap,
    parley_str_t name)
{
    parley_link_relay_t   relay;
    parley_link_record_t  record;

    memset(&relay, 0, sizeof(parley_link_relay_t));
    memset(&record, 0, sizeof(parley_link_record_t));

    relay.track = name;
    record.kind = PARLEY_LINK_ABSENT;

    (void) parley_link_tap_relay(link, tap, &record, &relay);
}


int
parley_link_source_end(parley_link_t *link, parley_link_source_t *s,
    const parley_link_record_t *done, const char *why)
{
    parley_link_tap_t      *tap;
    parley_link_source_t  **p;
    parley_link_stream_t   *st;

    for (p = &link->sources; *p != NULL && *p != s; p = &(*p)->next) {
        /* void */
    }

    if (*p == NULL) {
        return 0;
    }

    *p = s->next;

    if (s->answered) {
        parley_link_note_track(link, PARLEY_LINK_ENDED, 1, s->name,
                               parley_str_c(why));
    }

    if (done != NULL) {
        (void) parley_link_source_relay(link, s, done, 0);
    }

    for (st = link->streams; st != NULL; st = st->next) {
        if (st->source == s) {
            if (done == NULL) {
                parley_link_source_reset(st);
            }

            st->stopped = 1;
            st->relaying = 0;
            link->blocked = 1;
        }
    }

    tap = s->tap;
    s->tap = NULL;

    if (tap != NULL && tap->owner == s) {
        parley_link_tap_part(link, tap);
    }

    return parley_link_source_quit(link, s);
}


/* Ends the request of a track. */

static int
parley_link_source_quit(parley_link_t *link, parley_link_source_t *s)
{
    int                     rc;
    parley_moqt_effect_t    effect;
    parley_moqt_message_t   m;
    parley_moqt_request_t  *request;

    rc = 0;
    request = s->subscribes || link->closed ? NULL
              : parley_moqt_session_request(&link->moqt, s->request);

    if (request != NULL && request->data == s) {
        request->data = NULL;

        if (s->requested || s->answered) {
            memset(&m, 0, sizeof(parley_moqt_message_t));

            m.type = PARLEY_MOQT_UNSUBSCRIBE;
            m.request = s->request;

            rc = parley_link_send(link, &m, &effect);

        } else if (s->limited) {
            rc = parley_link_error_later(link, s->request,
                                         PARLEY_MOQT_REFUSE_INTERNAL_ERROR,
                                         "the track cannot be published now");

        } else {
            rc = parley_link_error(link, s->request,
                                   PARLEY_MOQT_REFUSE_UNAUTHORIZED,
                                   "the track cannot be published");
        }

        parley_link_source_drop(link, s);

    } else if (s->subscribes) {
        parley_link_source_drop(link, s);
    }

    return rc;
}


/* The track ends, and the connection goes on. */

int
parley_link_source_malformed(parley_link_stream_t *st)
{
    parley_link_t          *link = st->link;
    parley_link_record_t    done;
    parley_moqt_effect_t    effect;
    parley_link_source_t   *s = st->source;
    parley_moqt_message_t   m;
    parley_link_stream_t   *other;
    parley_moqt_request_t  *request;

    if (s->name.len > 0) {
        memset(&done, 0, sizeof(parley_link_record_t));

        done.kind = PARLEY_LINK_DONE;
        done.id = PARLEY_MOQT_DONE_MALFORMED_TRACK;

        return parley_link_source_end(link, s, &done,
                                      "the track is malformed");
    }

    for (other = link->streams; other != NULL; other = other->next) {
        if (other->source == s) {
            other->stopped = 1;
            link->blocked = 1;
        }
    }

    request = parley_moqt_session_alias(&link->moqt, st->data.stream.alias);

    if (request == NULL || request->data != s) {
        return 0;
    }

    request->data = NULL;
    parley_link_source_drop(link, s);

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_UNSUBSCRIBE;
    m.request = request->id;

    return parley_link_send(link, &m, &effect);
}


void
parley_link_source_reset(parley_link_stream_t *st)
{
    parley_link_record_t   record;
    parley_link_source_t  *s = st->source;

    if (s == NULL || s->tap == NULL || !st->relayed) {
        return;
    }

    st->relayed = 0;

    memset(&record, 0, sizeof(parley_link_record_t));

    record.kind = PARLEY_LINK_RESET;
    record.number = st->number;
    record.group = st->data.stream.group;
    record.id = PARLEY_LINK_CANCELLED;

    (void) parley_link_source_relay(st->link, s, &record, 0);
}


int
parley_link_sources_tick(parley_link_t *link, int64_t *next)
{
    parley_link_source_t  *s, *following;

    for (s = link->overs; s != NULL; s = following) {
        following = s->later;

        if (link->now < s->over_by) {
            *next = parley_link_next(*next, s->over_by);

        } else if (parley_link_source_settle(link, s) != 0) {
            return -1;
        }
    }

    for (s = link->sources; s != NULL; s = following) {
        following = s->next;

        if (!s->wanted || s->over || s->tap == NULL) {
            continue;
        }

        *next = parley_link_next(*next, link->now + PARLEY_LINK_COUNT);

        if (link->now - s->counted >= PARLEY_LINK_COUNT) {
            parley_link_source_ask(link, s);
        }

        if (s->alone == 0 || link->now - s->alone < PARLEY_LINK_ALONE) {
            continue;
        }

        s->alone = 0;

        if (s->requested) {
            if (parley_link_source_end(link, s, NULL,
                                       "it has no subscriber")
                != 0)
            {
                return -1;
            }

            continue;
        }

        s->wanted = 0;

        if (parley_link_source_request(link, s) < 0) {
            return -1;
        }
    }

    return 0;
}


/* Counts the subscribers of a track. */

static void
parley_link_source_ask(parley_link_t *link, parley_link_source_t *s)
{
    int                  rc;
    parley_link_relay_t  relay;

    memset(&relay, 0, sizeof(parley_link_relay_t));

    relay.track = s->name;
    relay.asks = 1;
    relay.op = PARLEY_LINK_OP_COUNT;

    rc = parley_link_tap_relay(link, s->tap, NULL, &relay);

    s->counted = link->now;

    if (rc == 1) {
        parley_link_source_counted(link, s, relay.count);
    }
}


/* A track of the agent has ended, or its SUBSCRIBE was refused.  PUBLISH_DONE
   may overtake streams of the track (section 9.15 of the draft). */

int
parley_link_source_over(parley_link_t *link, parley_link_source_t *s,
    const parley_moqt_message_t *m, uint64_t alias)
{
    int                    rc;
    size_t                 n;
    parley_link_record_t   done;
    parley_link_source_t  *other;

    if (m->type == PARLEY_MOQT_PUBLISH_DONE) {

        for (n = 0, other = link->overs; other != NULL; other = other->later) {
            n++;
        }

        s->over = 1;
        s->alias = alias;
        s->total = m->streams;
        s->code = m->code;
        s->over_by = (s->name.len > 0 && !s->answered)
                     || n >= link->conf.tracks
                     ? link->now : link->now + PARLEY_LINK_OVER;
        s->later = link->overs;
        link->overs = s;

        return parley_link_source_settle(link, s);
    }

    rc = 0;

    if (s->name.len > 0) {
        memset(&done, 0, sizeof(parley_link_record_t));

        done.kind = PARLEY_LINK_ABSENT;

        rc = parley_link_source_end(link, s, &done,
                                    "the publisher has refused the track");
    }

    parley_link_source_drop(link, s);

    return rc;
}


parley_link_source_t *
parley_link_source_over_of(const parley_link_t *link, uint64_t alias)
{
    parley_link_source_t  *s;

    for (s = link->overs; s != NULL && s->alias != alias; s = s->later) {
        /* void */
    }

    return s;
}


int
parley_link_source_settle(parley_link_t *link, parley_link_source_t *s)
{
    int                     rc;
    parley_link_record_t    done;
    parley_link_source_t  **p;
    parley_link_stream_t   *st;

    if (s == NULL || !s->over) {
        return 0;
    }

    if (link->now < s->over_by) {

        if (s->streams < s->total) {
            return 0;
        }

        for (st = link->streams; st != NULL; st = st->next) {
            if (st->source == s && !st->ended && !st->stopped) {
                return 0;
            }
        }
    }

    for (p = &link->overs; *p != NULL && *p != s; p = &(*p)->later) {
        /* void */
    }

    if (*p == NULL) {
        return 0;
    }

    *p = s->later;
    rc = 0;

    if (s->name.len > 0) {
        memset(&done, 0, sizeof(parley_link_record_t));

        done.kind = PARLEY_LINK_DONE;
        done.id = s->code;

        rc = parley_link_source_end(link, s, &done,
                                    "the publisher has ended the track");
    }

    parley_link_source_drop(link, s);

    return rc;
}


/* The tracks of a namespace end with its announcement. */

void
parley_link_source_unannounced(parley_link_t *link)
{
    parley_link_tap_t     *tap;
    parley_link_source_t  *s, *next;
    parley_link_record_t   done;

    tap = link->space;
    link->space = NULL;

    memset(&done, 0, sizeof(parley_link_record_t));

    done.kind = PARLEY_LINK_DONE;
    done.id = PARLEY_MOQT_DONE_TRACK_ENDED;

    for (s = link->sources; tap != NULL && s != NULL; s = next) {
        next = s->next;

        if (s->tap == tap) {
            (void) parley_link_source_end(link, s, &done,
                                          "the publisher has ended the "
                                          "namespace");
        }
    }

    parley_link_tap_part(link, tap);
}


/* The agent has answered SUBSCRIBE of a track. */

int
parley_link_source_answered(parley_link_t *link, parley_link_source_t *s,
    const parley_moqt_message_t *m)
{
    if (s->name.len == 0) {
        return 0;
    }

    s->answered = 1;

    parley_link_note_track(link, PARLEY_LINK_OPENED, 1, s->name,
                           parley_str_none);

    if (m->extensions.octets.len > 0
        && parley_link_copy(link, &s->extensions, m->extensions.octets) != 0)
    {
        return parley_link_memory(link);
    }

    parley_link_source_ready(link, s);

    return 0;
}
