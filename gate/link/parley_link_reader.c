/*
 * Subscriptions of the peer to opaque tracks of other agents.  Each stream of
 * the publisher is mirrored by one, which has its objects in their order.
 *
 * Octets that the peer does not take wait, at most link->conf.lag.  A peer that
 * is further behind loses the streams of older groups if the track has STREAM
 * frames (MOQ-10), else the subscription.
 */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


static int parley_link_reader_starts(parley_link_reader_t *r,
    const parley_link_record_t *record);
static int parley_link_reader_put(parley_link_t *link,
    parley_link_reader_t *r, parley_link_down_t *d,
    const parley_link_record_t *record);
static int parley_link_down_put(parley_link_t *link, parley_link_down_t *d,
    parley_str_t octets);
static int parley_link_reader_late(parley_link_t *link,
    parley_link_reader_t *r);
static parley_link_down_t *parley_link_down(parley_link_t *link,
    parley_link_reader_t *r, const parley_link_record_t *record);
static void parley_link_down_break(parley_link_t *link,
    parley_link_reader_t *r, const parley_link_record_t *record);
static int parley_link_down_flush(parley_link_t *link,
    parley_link_reader_t *r, parley_link_down_t *d);
static void parley_link_down_reset(parley_link_t *link,
    parley_link_reader_t *r, parley_link_down_t *d, uint64_t code);
static void parley_link_down_free(parley_link_t *link,
    parley_link_reader_t *r, parley_link_down_t *d);


parley_link_reader_t *
parley_link_reader_of(const parley_link_t *link, uint64_t request)
{
    parley_link_reader_t  *r;

    for (r = link->readers; r != NULL; r = r->next) {
        if (!r->command && r->request == request) {
            return r;
        }
    }

    return NULL;
}


parley_link_reader_t *
parley_link_reader_make(parley_link_t *link, const parley_link_tap_t *facts)
{
    parley_link_tap_t      tap;
    parley_link_reader_t  *r;

    r = parley_link_alloc(link, sizeof(parley_link_reader_t));

    if (r == NULL) {
        return NULL;
    }

    tap = *facts;
    tap.owner = r;

    r->forward = 1;
    r->end = UINT64_MAX;
    r->tap = parley_link_copy(link, &r->track, facts->track) == 0
             ? parley_link_tap_join(link, &tap) : NULL;

    if (r->tap == NULL) {
        parley_link_drop(link, &r->track);
        parley_link_release(link, r);
        return NULL;
    }

    r->next = link->readers;
    link->readers = r;
    link->nreaders++;

    return r;
}


void
parley_link_reader_free(parley_link_t *link, parley_link_reader_t *r)
{
    parley_link_reader_t  **p;

    for (p = &link->readers; *p != r; p = &(*p)->next) { /* void */ }

    *p = r->next;
    link->nreaders--;

    if (r->state == PARLEY_LINK_READING) {
        parley_link_note_track(link, PARLEY_LINK_ENDED, 0, r->track,
                               link->why.len > 0
                               ? link->why
                               : PARLEY_STR("the subscriber has left"));
    }

    parley_link_tap_part(link, r->tap);

    while (r->downs != NULL) {
        if (!r->downs->dead) {
            parley_link_down_reset(link, r, r->downs, PARLEY_LINK_CANCELLED);
        }

        parley_link_down_free(link, r, r->downs);
    }

    parley_link_drop(link, &r->track);
    parley_link_release(link, r);
}


int
parley_link_reader_object(parley_link_t *link, parley_link_reader_t *r,
    const parley_link_record_t *record)
{
    parley_link_down_t  *d;

    if (r->state != PARLEY_LINK_READING) {
        return 0;
    }

    if (record->frame == PARLEY_MOQ_STREAM) {
        r->late = 1;
    }

    if (!r->any || record->group > r->newest) {
        r->any = 1;
        r->newest = record->group;
    }

    if (!r->forward) {
        parley_link_down_break(link, r, record);
        return 0;
    }

    if (record->group > r->end) {

        /* groups of the range may still have objects to come */

        for (d = r->downs; d != NULL; d = d->next) {
            if (!d->dead && !d->fin) {
                return 0;
            }
        }

        return parley_link_reader_end(link, r,
                                      PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED,
                                      "the last group is over");
    }

    if (!parley_link_reader_starts(r, record)) {
        return 0;
    }

    d = parley_link_down(link, r, record);

    if (d == NULL) {
        return parley_link_memory(link);
    }

    if (d->dead || d->fin) {
        return 0;
    }

    if (parley_link_reader_put(link, r, d, record) != 0) {
        return parley_link_memory(link);
    }

    if (parley_link_down_flush(link, r, d) != 0) {
        return -1;
    }

    return r->waiting > link->conf.lag || r->ndowns > PARLEY_LINK_DOWNS
           ? parley_link_reader_late(link, r) : 0;
}


/* Returns whether an object is not before the beginning of the
   subscription. */

static int
parley_link_reader_starts(parley_link_reader_t *r,
    const parley_link_record_t *record)
{
    parley_moqt_location_t  at;

    at.group = record->group;
    at.object = record->id;

    if (r->skips) {
        r->skips = 0;
        r->start.group = record->id == 0 ? record->group : record->group + 1;
        r->start.object = 0;
    }

    return parley_moqt_location_order(at, r->start) >= 0;
}


/* Appends an object to a stream; the header of the stream is before the first
   one.  An object that cannot follow the one before is left out. */

static int
parley_link_reader_put(parley_link_t *link, parley_link_reader_t *r,
    parley_link_down_t *d, const parley_link_record_t *record)
{
    size_t                before;
    parley_buf_t          b;
    parley_moqt_object_t  o;

    memset(&o, 0, sizeof(parley_moqt_object_t));

    o.status = (parley_moqt_status_t) record->status;
    o.group = record->group;
    o.subgroup = record->subgroup;
    o.id = record->id;
    o.priority = record->priority;
    o.length = record->payload.len;
    o.extensions.octets = record->text;

    parley_buf_init(&b, &link->arena, 0);

    if (parley_moqt_object_write(&d->writer, &b, &o) != 0) {
        return b.failed ? -1 : 0;
    }

    before = d->rest.len - d->rest.at;

    if (b.failed
        || parley_link_down_put(link, d, parley_str_make(b.data, b.len)) != 0
        || parley_link_down_put(link, d, record->payload) != 0)
    {
        return -1;
    }

    r->waiting += d->rest.len - d->rest.at - before;

    parley_link_note_object(link, 1);

    return 0;
}


/* Appends octets to a stream.  What it takes now is not copied.  If it has
   failed, the flush that follows says so. */

static int
parley_link_down_put(parley_link_t *link, parley_link_down_t *d,
    parley_str_t octets)
{
    int64_t  n;

    n = 0;

    if (octets.len == 0) {
        return 0;
    }

    if (d->stream != NULL && d->rest.len == 0) {
        n = link->env.write(link->env.ctx, d->stream, octets);
        n = n < 0 ? 0 : n;
    }

    return parley_link_rest_put(link, &d->rest, octets.data + n,
                                octets.len - (size_t) n);
}


/* Drops the streams that the peer is too slow for. */

static int
parley_link_reader_late(parley_link_t *link, parley_link_reader_t *r)
{
    parley_link_down_t  *d, *next;

    if (!r->late) {

        /* what waits is lost */

        for (d = r->downs; d != NULL; d = next) {
            next = d->next;

            if (!d->dead) {
                parley_link_down_reset(link, r, d, PARLEY_LINK_LATE);
            }

            parley_link_down_free(link, r, d);
        }

        return parley_link_reader_end(link, r,
                                      PARLEY_MOQT_DONE_TOO_FAR_BEHIND,
                                      "the subscriber is too slow");
    }

    r->start.group = r->newest;
    r->start.object = 0;

    for (d = r->downs; d != NULL; d = next) {
        next = d->next;

        if (d->group < r->newest) {

            if (!d->dead) {
                parley_link_down_reset(link, r, d, PARLEY_LINK_LATE);
            }

            parley_link_down_free(link, r, d);
        }
    }

    if (r->waiting <= link->conf.lag && r->ndowns <= PARLEY_LINK_DOWNS) {
        return 0;
    }

    /* the newest group alone is too much */

    r->start.group++;

    while ((d = r->downs) != NULL) {

        if (!d->dead) {
            parley_link_down_reset(link, r, d, PARLEY_LINK_LATE);
        }

        parley_link_down_free(link, r, d);
    }

    return 0;
}


int
parley_link_reader_stream_end(parley_link_t *link, parley_link_reader_t *r,
    const parley_link_record_t *record)
{
    parley_link_down_t  *d;

    for (d = r->downs; d != NULL && d->number != record->number; d = d->next)
    {
        /* void */
    }

    if (d == NULL) {
        return 0;
    }

    if (d->dead) {
        parley_link_down_free(link, r, d);
        return 0;
    }

    if (record->kind == PARLEY_LINK_RESET) {
        parley_link_down_reset(link, r, d, record->id);
        parley_link_down_free(link, r, d);
        return 0;
    }

    d->fin = 1;

    return parley_link_down_flush(link, r, d);
}


int
parley_link_reader_end(parley_link_t *link, parley_link_reader_t *r,
    parley_moqt_done_t code, const char *text)
{
    parley_link_tap_t   *tap;
    parley_link_down_t  *d, *next;

    if (r->state == PARLEY_LINK_ENDING) {
        return 0;
    }

    tap = r->tap;

    if (r->state == PARLEY_LINK_READING) {
        parley_link_note_track(link, PARLEY_LINK_ENDED, 0, r->track,
                               parley_str_c(text));
    }

    r->state = PARLEY_LINK_ENDING;
    r->code = code;
    r->text = text;
    r->tap = NULL;

    parley_link_tap_part(link, tap);

    for (d = r->downs; d != NULL; d = next) {
        next = d->next;

        if (!d->fin) {
            if (!d->dead) {
                parley_link_down_reset(link, r, d, PARLEY_LINK_CANCELLED);
            }

            parley_link_down_free(link, r, d);
        }
    }

    return 0;
}


int
parley_link_readers_flush(parley_link_t *link)
{
    parley_link_down_t     *d, *following;
    parley_moqt_effect_t    effect;
    parley_link_reader_t   *r, *next;
    parley_moqt_message_t   m;

    for (r = link->readers; r != NULL; r = next) {
        next = r->next;

        for (d = r->downs; d != NULL; d = following) {
            following = d->next;

            if (!d->dead && parley_link_down_flush(link, r, d) != 0) {
                return -1;
            }
        }

        if (r->state != PARLEY_LINK_ENDING || r->downs != NULL) {
            continue;
        }

        memset(&m, 0, sizeof(parley_moqt_message_t));

        m.type = PARLEY_MOQT_PUBLISH_DONE;
        m.request = r->request;
        m.code = r->code;
        m.streams = r->streams;
        m.text = parley_str_c(r->text);

        parley_link_reader_free(link, r);

        if (parley_link_send(link, &m, &effect) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Finds the stream of a record, or begins one. */

static parley_link_down_t *
parley_link_down(parley_link_t *link, parley_link_reader_t *r,
    const parley_link_record_t *record)
{
    parley_buf_t           b;
    parley_link_down_t    *d, **p;
    parley_moqt_stream_t   stream;

    /* an older stream is written before a newer one */

    for (p = &r->downs; *p != NULL; p = &(*p)->next) {
        if ((*p)->number == record->number) {
            return *p;
        }
    }

    d = parley_link_alloc(link, sizeof(parley_link_down_t));

    if (d == NULL) {
        return NULL;
    }

    memset(&stream, 0, sizeof(parley_moqt_stream_t));

    stream.type = PARLEY_MOQT_STREAM_SUBGROUP | PARLEY_MOQT_STREAM_PRESENT
                  | (record->type & (PARLEY_MOQT_STREAM_EXTENSIONS
                                     | PARLEY_MOQT_STREAM_LAST
                                     | PARLEY_MOQT_STREAM_DEFAULT));
    stream.alias = r->alias;
    stream.group = record->group;
    stream.subgroup = record->subgroup;
    stream.priority = record->priority;

    parley_buf_init(&b, &link->arena, 0);

    if (parley_moqt_data_write(&d->writer, link->draft, &b, &stream) != 0
        || b.failed
        || parley_link_rest_put(link, &d->rest, b.data, b.len) != 0)
    {
        parley_link_rest_free(link, &d->rest);
        parley_link_release(link, d);
        return NULL;
    }

    d->number = record->number;
    d->group = record->group;

    r->waiting += d->rest.len;
    r->ndowns++;

    *p = d;

    return d;
}


/* Resets the stream of an object that is left out: the subscriber must not take
   the next object for the following one.  A later object begins another. */

static void
parley_link_down_break(parley_link_t *link, parley_link_reader_t *r,
    const parley_link_record_t *record)
{
    parley_link_down_t  *d;

    for (d = r->downs; d != NULL && d->number != record->number; d = d->next)
    {
        /* void */
    }

    if (d != NULL && !d->dead && !d->fin) {
        parley_link_down_reset(link, r, d, PARLEY_LINK_CANCELLED);
        parley_link_down_free(link, r, d);
    }
}


/* Writes the octets of a stream, and ends it. */

static int
parley_link_down_flush(parley_link_t *link, parley_link_reader_t *r,
    parley_link_down_t *d)
{
    int     rc;
    size_t  before;

    if (d->stream == NULL) {

        d->stream = link->env.open(link->env.ctx);

        if (d->stream == NULL) {
            return 0;
        }

        r->streams++;
    }

    before = d->rest.len - d->rest.at;
    rc = parley_link_rest_flush(link, &d->rest, d->stream);

    r->waiting -= before - (d->rest.len - d->rest.at);

    if (rc < 0) {

        /* the peer has stopped this stream: only its objects are not sent */

        parley_link_down_reset(link, r, d, PARLEY_LINK_CANCELLED);

        if (d->fin) {
            parley_link_down_free(link, r, d);
        }

    } else if (rc > 0 && d->fin) {
        link->env.finish(link->env.ctx, d->stream);
        d->stream = NULL;
        d->dead = 1;
        parley_link_down_free(link, r, d);
    }

    return 0;
}


/* Resets a stream; its further records are ignored. */

static void
parley_link_down_reset(parley_link_t *link, parley_link_reader_t *r,
    parley_link_down_t *d, uint64_t code)
{
    if (d->stream != NULL && !link->closed) {
        link->env.reset(link->env.ctx, d->stream, code);
    }

    r->waiting -= d->rest.len - d->rest.at;

    parley_link_rest_free(link, &d->rest);

    d->stream = NULL;
    d->dead = 1;
}


static void
parley_link_down_free(parley_link_t *link, parley_link_reader_t *r,
    parley_link_down_t *d)
{
    parley_link_down_t  **p;

    for (p = &r->downs; *p != d; p = &(*p)->next) { /* void */ }

    *p = d->next;
    r->ndowns--;

    parley_link_rest_free(link, &d->rest);
    parley_link_release(link, d);
}
