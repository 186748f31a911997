/*
 * Tracks of the gateway: answers and the mailbox.  256 messages share a group,
 * which is one subgroup stream, so that a stream costs little for each message.
 * The place of a message gives its location:
 *
 *   group = place / 256, object = (place mod 256) * 65536 + fragment
 *
 * The place of an answer is its number, that of a message of the mailbox its
 * offset in the log.
 */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


#define PARLEY_LINK_PRIORITY  128


static void parley_link_item_free(parley_link_t *link,
    parley_link_track_t *t);
static int parley_link_group(parley_link_t *link, parley_link_track_t *t,
    uint64_t group);
static int parley_link_track_failed(parley_link_t *link,
    parley_link_track_t *t);


parley_link_track_t *
parley_link_track(parley_link_t *link, parley_str_t name)
{
    parley_link_track_t  *t;

    for (t = link->tracks; t != NULL; t = t->next) {
        if (parley_str_eq(t->name, name)) {
            return t;
        }
    }

    return NULL;
}


parley_link_track_t *
parley_link_track_of(parley_link_t *link, uint64_t request)
{
    parley_link_track_t  *t;

    for (t = link->tracks; t != NULL; t = t->next) {
        if (t->request == request && (t->live || t->offered)) {
            return t;
        }
    }

    return NULL;
}


parley_link_track_t *
parley_link_track_make(parley_link_t *link, parley_str_t name)
{
    parley_link_track_t  *t;

    t = parley_link_alloc(link, sizeof(parley_link_track_t));

    if (t == NULL) {
        return NULL;
    }

    if (parley_link_copy(link, &t->name, name) != 0) {
        parley_link_release(link, t);
        return NULL;
    }

    t->last = &t->first;
    t->place = link->groups * PARLEY_LINK_GROUP;
    t->next = link->tracks;

    link->tracks = t;
    link->ntracks++;

    return t;
}


void
parley_link_track_free(parley_link_t *link, parley_link_track_t *t)
{
    parley_link_track_t  **p;

    for (p = &link->tracks; *p != t; p = &(*p)->next) { /* void */ }

    *p = t->next;
    link->ntracks--;

    if (link->mailbox == t) {
        link->mailbox = NULL;
    }

    if (!t->mailbox && t->place > link->groups * PARLEY_LINK_GROUP) {
        link->groups = (t->place + PARLEY_LINK_GROUP - 1) / PARLEY_LINK_GROUP;
    }

    if (t->stream != NULL && !link->closed) {
        link->env.finish(link->env.ctx, t->stream);
    }

    while (t->first != NULL) {
        parley_link_item_free(link, t);
    }

    parley_link_rest_free(link, &t->rest);
    parley_link_drop(link, &t->name);
    parley_link_release(link, t);
}


/* Frees the first answer. */

static void
parley_link_item_free(parley_link_t *link, parley_link_track_t *t)
{
    parley_link_item_t  *item;

    item = t->first;

    t->first = item->next;
    t->waiting -= sizeof(parley_link_item_t) + item->len;

    if (t->first == NULL) {
        t->last = &t->first;
    }

    parley_link_release(link, item);
}


int
parley_link_range_is_empty(const parley_link_t *link,
    const parley_moqt_message_t *m, uint64_t group)
{
    parley_moqt_pair_t    pair;
    parley_moqt_fault_t   fault;
    parley_moqt_filter_t  filter;

    return parley_moqt_pairs_find(link->draft, &m->params,
                                  PARLEY_MOQT_PARAM_FILTER, &pair)
           && parley_moqt_filter_read(link->draft, pair.octets, &filter,
                                      &fault) == 0
           && filter.type == PARLEY_MOQT_FILTER_RANGE
           && (filter.end_group < filter.start.group
               || filter.end_group < group);
}


/* The default is to send objects from the next one on. */

int
parley_link_track_set(parley_link_t *link, parley_link_track_t *t,
    const parley_moqt_pairs_t *params, int updates)
{
    parley_moqt_pair_t      pair;
    parley_moqt_fault_t     fault;
    parley_moqt_filter_t    filter;
    parley_moqt_location_t  next;

    next = t->largest;

    if (t->any) {
        next.object++;
    }

    if (!updates) {
        t->joins = 1;
        t->had = t->any;
        t->joined = t->largest;
    }

    if (parley_moqt_pairs_find(link->draft, params, PARLEY_MOQT_PARAM_FILTER,
                               &pair))
    {
        if (parley_moqt_filter_read(link->draft, pair.octets, &filter, &fault)
            != 0)
        {
            return parley_link_fail(link, &fault);
        }

        t->start = next;
        t->end = UINT64_MAX;

        if (!updates) {
            t->joins = filter.type == PARLEY_MOQT_FILTER_LARGEST_OBJECT;
        }

        switch (filter.type) {

        case PARLEY_MOQT_FILTER_NEXT_GROUP:

            /* the first group of a track is the next one */

            if (t->any) {
                t->start.group = t->largest.group + 1;
                t->start.object = 0;
            }

            break;

        case PARLEY_MOQT_FILTER_RANGE:
            t->end = filter.end_group;

            /* fall through */

        case PARLEY_MOQT_FILTER_START:

            /* objects of the past come by FETCH */

            if (parley_moqt_location_order(filter.start, next) > 0) {
                t->start = filter.start;
            }

            break;

        default: /* PARLEY_MOQT_FILTER_LARGEST_OBJECT */
            break;
        }

    } else if (!updates) {
        t->start = next;
        t->end = UINT64_MAX;
    }

    t->forward = parley_moqt_pairs_integer(link->draft, params,
                                           PARLEY_MOQT_PARAM_FORWARD,
                                           updates ? t->forward : 1)
                 != 0;

    return 0;
}


int
parley_link_track_stop(parley_link_t *link, parley_link_track_t *t, int done,
    parley_moqt_done_t code, const char *text)
{
    unsigned               told;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    if (t->stream != NULL && done && t->rest.len == t->rest.at
        && (code == PARLEY_MOQT_DONE_TRACK_ENDED
            || code == PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED))
    {
        link->env.finish(link->env.ctx, t->stream);
        t->stream = NULL;
    }

    parley_link_track_break(link, t);

    link->drained = 1;

    told = done && (t->live || t->offered);

    t->live = 0;
    t->forward = 0;
    t->offered = 0;
    t->offers = 0;

    if (!told) {
        return 0;
    }

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_PUBLISH_DONE;
    m.request = t->request;
    m.code = code;
    m.streams = t->streams;
    m.text = parley_str_c(text);

    return parley_link_send(link, &m, &effect);
}


void
parley_link_track_break(parley_link_t *link, parley_link_track_t *t)
{
    if (t->stream != NULL) {
        link->env.reset(link->env.ctx, t->stream, PARLEY_LINK_CANCELLED);
        t->stream = NULL;
    }

    parley_link_rest_free(link, &t->rest);
}


int
parley_link_track_put(parley_link_t *link, parley_link_track_t *t,
    parley_moq_type_t type, uint64_t id, uint32_t stream, parley_str_t payload)
{
    parley_link_item_t  *item;

    item = parley_link_alloc(link, sizeof(parley_link_item_t) + payload.len);

    if (item == NULL) {
        return parley_link_memory(link);
    }

    item->id = id;
    item->stream = stream;
    item->type = type;
    item->len = payload.len;

    if (payload.len > 0) {
        memcpy(item->octets, payload.data, payload.len);
    }

    *t->last = item;
    t->last = &item->next;
    t->waiting += sizeof(parley_link_item_t) + payload.len;

    return 0;
}


int
parley_link_track_full(const parley_link_track_t *t)
{
    return t->waiting + t->rest.len - t->rest.at > PARLEY_LINK_FULL;
}


int
parley_link_track_flush(parley_link_t *link, parley_link_track_t *t)
{
    int                    rc, full, waited;
    parley_link_item_t    *item;
    parley_link_object_t   object;

    full = parley_link_track_full(t);

    while (t->live && t->forward && t->first != NULL
           && t->rest.len - t->rest.at < PARLEY_LINK_FULL)
    {
        item = t->first;

        memset(&object, 0, sizeof(parley_link_object_t));

        object.place = t->place;
        object.start = t->start;
        object.frame.type = item->type;
        object.frame.session = item->id;
        object.frame.stream = item->stream;
        object.frame.payload = parley_str_make(item->octets, item->len);

        rc = parley_link_track_write(link, t, &object);

        if (rc < 0) {
            return -1;
        }

        if (rc == 0) {
            break;
        }

        t->place++;
        parley_link_item_free(link, t);
    }

    if (t->stream != NULL) {

        waited = t->rest.len > t->rest.at;
        rc = parley_link_rest_flush(link, &t->rest, t->stream);

        if (rc < 0) {
            return parley_link_track_failed(link, t);
        }

        /* once: what is resumed comes here again */

        if (rc > 0 && waited && !t->forward) {
            link->drained = 1;
        }
    }

    if (full && !parley_link_track_full(t)) {
        link->drained = 1;
    }

    if (!t->ends || t->first != NULL || t->rest.len > t->rest.at) {
        return 0;
    }

    rc = parley_link_track_stop(link, t, 1, PARLEY_MOQT_DONE_TRACK_ENDED,
                                "the session has ended");
    parley_link_track_free(link, t);

    return rc;
}


/* Writes a message.  Returns 0 if it must wait. */

int
parley_link_track_write(parley_link_t *link, parley_link_track_t *t,
    const parley_link_object_t *object)
{
    int                     rc;
    parley_moqt_location_t  at, last;

    at = parley_link_location(object->place);

    if (at.group > t->end) {

        if (t->stream != NULL
            && parley_link_rest_flush(link, &t->rest, t->stream) == 0)
        {
            return 0;
        }

        return parley_link_track_stop(link, t, 1,
                                      PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED, "");
    }

    last = parley_link_location_end(object->place);

    if (parley_moqt_location_order(last, t->start) < 0) {
        t->any = 1;
        t->largest = last;
        return 1;
    }

    rc = parley_link_group(link, t, at.group);

    if (rc <= 0) {
        return rc;
    }

    if (parley_link_object_put(link, &t->writer, &t->rest, object,
                               &t->largest)
        != 0)
    {
        return parley_link_memory(link);
    }

    t->any = 1;
    t->gap = 0;

    return 1;
}


int
parley_link_track_close(parley_link_t *link, parley_link_track_t *t)
{
    int                   rc;
    parley_buf_t          b;
    parley_moqt_object_t  o;

    rc = parley_link_group(link, t, t->largest.group);

    if (rc <= 0
        || (t->writer.any
            && t->writer.last.status == PARLEY_MOQT_STATUS_END_OF_GROUP))
    {
        return rc;
    }

    memset(&o, 0, sizeof(parley_moqt_object_t));

    o.group = t->largest.group;
    o.id = t->largest.object + 1;
    o.priority = PARLEY_LINK_PRIORITY;
    o.status = PARLEY_MOQT_STATUS_END_OF_GROUP;

    parley_buf_init(&b, &link->arena, 0);

    return parley_moqt_object_write(&t->writer, &b, &o) != 0 || b.failed
           || parley_link_rest_put(link, &t->rest, b.data, b.len) != 0
           ? parley_link_memory(link) : 1;
}


/* Opens the stream of a group.  Returns 1; 0 if the stream of the group before
   has octets, or if no stream can be opened now. */

static int
parley_link_group(parley_link_t *link, parley_link_track_t *t, uint64_t group)
{
    int                   rc;
    void                 *opened;
    parley_buf_t          b;
    parley_moqt_stream_t  stream;

    if (t->stream != NULL && t->group == group) {
        return 1;
    }

    if (t->stream != NULL) {

        rc = parley_link_rest_flush(link, &t->rest, t->stream);

        if (rc < 0) {
            return parley_link_track_failed(link, t);
        }

        if (rc == 0) {
            return 0;
        }
    }

    opened = link->env.open(link->env.ctx);

    if (opened == NULL) {
        return 0;
    }

    if (t->stream != NULL) {
        link->env.finish(link->env.ctx, t->stream);
    }

    t->stream = opened;

    t->group = group;
    t->streams++;

    memset(&stream, 0, sizeof(parley_moqt_stream_t));

    stream.type = PARLEY_MOQT_STREAM_SUBGROUP | PARLEY_MOQT_STREAM_ZERO
                  | (t->mailbox ? PARLEY_MOQT_STREAM_EXTENSIONS : 0);
    stream.alias = t->alias;
    stream.group = group;
    stream.priority = PARLEY_LINK_PRIORITY;

    parley_buf_init(&b, &link->arena, 0);

    if (parley_moqt_data_write(&t->writer, link->draft, &b, &stream) != 0
        || b.failed
        || parley_link_rest_put(link, &t->rest, b.data, b.len) != 0)
    {
        return parley_link_memory(link);
    }

    return 1;
}


/* The peer has stopped a stream: its subscription ends. */

static int
parley_link_track_failed(parley_link_t *link, parley_link_track_t *t)
{
    return parley_link_track_stop(link, t, 1, PARLEY_MOQT_DONE_INTERNAL_ERROR,
                                  "a stream of the track was stopped");
}


int
parley_link_object_put(parley_link_t *link, parley_moqt_data_writer_t *w,
    parley_link_rest_t *rest, const parley_link_object_t *object,
    parley_moqt_location_t *last)
{
    parley_buf_t           b;
    parley_moq_frame_t     chunk;
    parley_moq_split_t     split;
    parley_moqt_object_t   o;

    memset(&o, 0, sizeof(parley_moqt_object_t));

    *last = parley_link_location(object->place);

    o.group = last->group;
    o.id = last->object;
    o.priority = PARLEY_LINK_PRIORITY;
    o.extensions = object->extensions;

    parley_moq_split_init(&split, &object->frame);

    for ( /* void */ ; parley_moq_split_next(&split, &chunk); o.id++) {

        last->object = o.id;

        if (parley_moqt_location_order(*last, object->start) < 0) {
            continue;
        }

        if (object->end.object > 0
            && parley_moqt_location_order(*last, object->end) >= 0)
        {
            break;
        }

        o.length = PARLEY_MOQ_HEADER_LEN + chunk.payload.len;

        parley_buf_init(&b, &link->arena, (size_t) o.length + 64);

        if (parley_moqt_object_write(w, &b, &o) != 0) {
            return -1;
        }

        parley_moq_frame_write(&b, &chunk);

        if (b.failed || parley_link_rest_put(link, rest, b.data, b.len) != 0) {
            return -1;
        }

        memset(&o.extensions, 0, sizeof(parley_moqt_pairs_t));
        parley_link_note_object(link, 1);
    }

    return 0;
}


parley_moqt_location_t
parley_link_location(uint64_t place)
{
    parley_moqt_location_t  at;

    at.group = place / PARLEY_LINK_GROUP;
    at.object = place % PARLEY_LINK_GROUP * PARLEY_LINK_FRAGMENTS;

    return at;
}


parley_moqt_location_t
parley_link_location_end(uint64_t place)
{
    parley_moqt_location_t  at;

    at = parley_link_location(place);
    at.object += PARLEY_LINK_FRAGMENTS - 1;

    return at;
}
