/* Records of the mailbox: as they come, and those that the peer fetches. */

#include <string.h>

#include "core/parley_hex.h"
#include "gate/link/parley_link_parts.h"


static int parley_link_gap(parley_link_t *link, parley_link_track_t *t,
    parley_moqt_location_t at, parley_moqt_pairs_t *ret);


void
parley_link_mailbox(parley_link_t *link, const parley_place_t *place, int gap)
{
    parley_link_track_t  *t;

    if (link->closed) {
        return;
    }

    parley_link_enter(link);

    t = link->mailbox;

    if (t != NULL && place->epoch != link->mail.epoch) {

        /* a new log is another track */

        t->ends = 1;
        link->mailbox = NULL;
        t = NULL;
    }

    if (t != NULL) {
        t->gap = gap || (t->any ? parley_moqt_location_order(
                                      parley_link_location(place->offset),
                                      t->largest) > 0
                                : place->offset > 0);
    }

    link->mail = *place;

    if (link->proved) {
        (void) parley_link_mailbox_offer(link);
    }

    parley_link_done(link);
}


int
parley_link_mailbox_offer(parley_link_t *link)
{
    uint8_t               octets[6], hex[12];
    size_t                i;
    parley_buf_t          b;
    parley_str_t          name;
    parley_link_track_t  *t;

    if (link->mailbox != NULL || link->mail.epoch == 0) {
        return 0;
    }

    for (i = 0; i < sizeof(octets); i++) {
        octets[i] = (uint8_t) (link->mail.epoch >> (8 * (5 - i)));
    }

    (void) parley_hex_write(hex, octets, sizeof(octets));

    parley_buf_init(&b, &link->arena, 0);
    parley_buf_str(&b, link->agent);
    parley_buf_octet(&b, '.');
    parley_buf_put(&b, hex, sizeof(hex));
    parley_buf_lit(&b, ".mailbox");

    if (parley_buf_done(&b, &name) != 0) {
        return parley_link_memory(link);
    }

    t = parley_link_track_make(link, name);

    if (t == NULL) {
        return parley_link_memory(link);
    }

    t->mailbox = 1;
    t->offers = 1;

    if (link->mail.offset > 0) {
        t->any = 1;
        t->largest = parley_link_location_end(link->mail.offset);
    }

    link->mailbox = t;

    return parley_link_requests(link) < 0 ? -1 : 0;
}


/* Without a subscription a message is not written; it can be fetched. */

int
parley_link_mail(parley_link_t *link, const parley_place_t *place,
    parley_str_t message)
{
    int                    rc;
    parley_link_track_t   *t;
    parley_link_object_t   object;
    parley_moqt_location_t  at;

    t = link->mailbox;

    if (link->closed) {
        return 1;
    }

    if (t == NULL) {

        if (place->epoch == link->mail.epoch) {
            link->mail = *place;
        }

        return 1;
    }

    at = parley_link_location(place->offset);

    if (t->any && parley_moqt_location_order(at, t->largest) <= 0) {
        return 1;
    }

    /* the objects before one that is left out are sent first */

    if (parley_link_track_full(t)
        || (t->live && !t->forward && t->rest.len > t->rest.at))
    {
        link->blocked = 1;
        return 0;
    }

    parley_link_enter(link);

    memset(&object, 0, sizeof(parley_link_object_t));

    object.place = place->offset;
    object.start = t->start;
    object.frame.type = PARLEY_MOQ_CMD;
    object.frame.stream = (uint32_t) place->offset;
    object.frame.payload = message;

    rc = 1;

    if (t->live && t->forward && t->gap) {
        rc = parley_link_gap(link, t, at, &object.extensions);
    }

    if (rc > 0 && t->live && t->forward) {
        rc = parley_link_track_write(link, t, &object);
    }

    if (rc >= 0 && !(t->live && t->forward)) {

        /* the subscription may have ended just now */

        parley_link_track_break(link, t);

        rc = 1;
        t->any = 1;
        t->gap = 0;
        t->largest = parley_link_location_end(place->offset);
    }

    if (rc == 0) {
        link->blocked = 1;

    } else {
        link->mail.offset = place->offset;
    }

    parley_link_done(link);

    return rc != 0;
}


/*
 * Makes the extensions that tell how many objects before one are lost.  Those
 * at the end of a group are told in that group.  Returns 1, 0 if that must
 * wait, or -1.
 */

static int
parley_link_gap(parley_link_t *link, parley_link_track_t *t,
    parley_moqt_location_t at, parley_moqt_pairs_t *ret)
{
    int                         rc;
    uint64_t                    first, group;
    parley_moqt_location_t      next;
    parley_moqt_pairs_writer_t  w;

    next = t->largest;
    next.object++;

    if (t->any && at.group > next.group
        && parley_moqt_location_order(next, t->start) >= 0)
    {

        rc = parley_link_track_close(link, t);

        if (rc <= 0) {
            return rc;
        }
    }

    parley_moqt_pairs_writer_init(&w, link->draft, &link->arena);

    first = t->any && t->largest.group == at.group ? t->largest.object + 1 : 0;

    group = t->any ? t->largest.group + 1 : 0;

    if (at.group > group) {
        parley_moqt_pairs_put_integer(&w, PARLEY_MOQT_EXT_GROUP_GAP,
                                      at.group - group);
    }

    if (at.object > first) {
        parley_moqt_pairs_put_integer(&w, PARLEY_MOQT_EXT_OBJECT_GAP,
                                      at.object - first);
    }

    return parley_moqt_pairs_done(&w, ret) == 0
           ? 1 : parley_link_memory(link);
}


int
parley_link_fetch_mail(parley_link_t *link, parley_link_fetch_t *fetch,
    const parley_place_t *place, parley_str_t message)
{
    int                      rc;
    parley_link_object_t     object;
    parley_link_fetching_t  *f = (parley_link_fetching_t *) fetch;
    parley_moqt_location_t   last;

    if (link->closed || place->offset > fetch->last) {
        return 1;
    }

    if (f->rest.len - f->rest.at > PARLEY_LINK_FULL) {
        return 0;
    }

    parley_link_enter(link);

    memset(&object, 0, sizeof(parley_link_object_t));

    object.place = place->offset;
    object.start = f->start;
    object.end = f->end;
    object.frame.type = PARLEY_MOQ_CMD;
    object.frame.stream = (uint32_t) place->offset;
    object.frame.payload = message;

    rc = parley_link_fetch_ok(link, f);

    if (rc == 0
        && parley_link_object_put(link, &f->writer, &f->rest, &object, &last)
           != 0)
    {
        (void) parley_link_memory(link);
    }

    parley_link_done(link);

    return 1;
}


void
parley_link_fetched(parley_link_t *link, parley_link_fetch_t *fetch, int lost,
    uint64_t first)
{
    parley_buf_t             b;
    parley_str_t             text;
    parley_link_fetching_t  *f = (parley_link_fetching_t *) fetch;
    parley_moqt_message_t    m;

    f->over = 1;

    if (link->closed) {
        return;
    }

    parley_link_enter(link);

    if (!lost) {
        (void) parley_link_fetch_ok(link, f);

    } else if (f->begun) {

        /* the stream is reset after its octets */

        f->lost = 1;

    } else if (first == 0) {
        memset(&m, 0, sizeof(parley_moqt_message_t));
        m.request = f->request;

        (void) parley_link_fetch_refuse(link, &m,
                                        PARLEY_MOQT_REFUSE_INTERNAL_ERROR,
                                        PARLEY_STR("the mailbox cannot be "
                                                   "read now"));
        parley_link_fetch_free(link, fetch);

    } else {
        parley_buf_init(&b, &link->arena, 0);
        parley_buf_lit(&b, "the first object that is retained has the "
                           "location ");
        parley_buf_int(&b, (int64_t) (first / PARLEY_LINK_GROUP));
        parley_buf_octet(&b, ',');
        parley_buf_int(&b, (int64_t) (first % PARLEY_LINK_GROUP
                                      * PARLEY_LINK_FRAGMENTS));

        memset(&m, 0, sizeof(parley_moqt_message_t));
        m.request = f->request;

        if (parley_buf_done(&b, &text) != 0) {
            (void) parley_link_memory(link);

        } else {
            (void) parley_link_fetch_refuse(link, &m,
                                            PARLEY_MOQT_REFUSE_INVALID_RANGE,
                                            text);
        }

        parley_link_fetch_free(link, fetch);
    }

    parley_link_done(link);
}
