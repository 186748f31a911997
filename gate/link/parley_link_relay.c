/*
 * Objects that the agent sends on its opaque tracks.  The header of a frame is
 * checked, and the object is appended to the log of the track as it is.  A
 * stream waits while its record is being appended.
 */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


static int parley_link_relay_append(parley_link_stream_t *st,
    const parley_link_record_t *record);
static int parley_link_relay_check(parley_link_stream_t *st,
    parley_moq_frame_t *frame);
static int parley_link_relay_refuse(parley_link_t *link,
    const parley_moq_frame_t *frame, int status, const char *code,
    const char *text);


int
parley_link_relay_object(parley_link_stream_t *st)
{
    int                   rc;
    parley_link_t        *link = st->link;
    parley_moq_frame_t    frame;
    parley_link_record_t  record;

    if (st->relaying) {
        st->waits = 1;
        return 1;
    }

    memset(&frame, 0, sizeof(parley_moq_frame_t));
    memset(&record, 0, sizeof(parley_link_record_t));

    if (st->source->tap == NULL) {
        return -1;
    }

    if (st->data.object.status == PARLEY_MOQT_STATUS_NORMAL) {

        rc = parley_link_relay_check(st, &frame);

        if (rc != 0) {
            return rc;
        }

        record.payload = parley_str_make(st->octets, st->len);
    }

    parley_link_note_object(link, 0);

    record.kind = PARLEY_LINK_OBJECT;
    record.frame = frame.type;
    record.type = (uint8_t) st->data.stream.type;
    record.priority = st->data.stream.priority;
    record.status = (uint8_t) st->data.object.status;
    record.group = st->data.stream.group;
    record.subgroup = st->data.object.subgroup;
    record.id = st->data.object.id;
    record.text = st->extensions;

    rc = parley_link_relay_append(st, &record);

    st->held = 0;
    st->len = 0;
    st->size = 0;
    parley_link_release(link, st->octets);
    st->octets = NULL;
    parley_link_drop(link, &st->extensions);

    return rc;
}


int
parley_link_relay_fin(parley_link_stream_t *st)
{
    parley_link_record_t  record;

    if (st->relaying) {
        st->waits = 1;
        return 1;
    }

    if (!st->relayed || st->source->tap == NULL) {
        return 0;
    }

    memset(&record, 0, sizeof(parley_link_record_t));

    record.kind = PARLEY_LINK_FIN;
    record.group = st->data.stream.group;

    if (parley_link_relay_append(st, &record) != 0) {
        return -1;
    }

    st->relayed = 0;

    return 0;
}


/* Appends a record.  If that is not possible, the track cannot go on: its
   subscribers would miss an object. */

static int
parley_link_relay_append(parley_link_stream_t *st,
    const parley_link_record_t *record)
{
    int                   rc;
    parley_link_t        *link = st->link;
    parley_link_record_t  numbered, done;

    if (st->number == 0) {

        /* streams of an earlier publisher have other numbers */

        if (link->numbers == 0) {
            link->numbers = (link->seed | 1) << 16;
        }

        st->number = ++link->numbers;
    }

    numbered = *record;
    numbered.number = st->number;

    rc = parley_link_source_relay(link, st->source, &numbered, st->number);

    if (rc >= 0) {
        st->relaying = rc == 0;
        st->relayed = 1;
        return 0;
    }

    memset(&done, 0, sizeof(parley_link_record_t));

    done.kind = PARLEY_LINK_DONE;
    done.id = PARLEY_MOQT_DONE_INTERNAL_ERROR;
    done.text = PARLEY_STR("an object could not be stored");

    return parley_link_source_end(link, st->source, &done,
                                  "an object could not be stored")
           != 0 ? -2 : -1;
}


/* Checks the frame of an object (MOQ-06, MOQ-13). */

static int
parley_link_relay_check(parley_link_stream_t *st, parley_moq_frame_t *frame)
{
    size_t          used;
    parley_link_t  *link = st->link;
    parley_str_t    object;
    parley_error_t  err;

    object = parley_str_make(st->octets, st->len);
    parley_error_clear(&err);

    if (parley_moq_frame_read(object, (uint32_t) link->conf.object, frame,
                              &used, &err)
        != 0
        || used != object.len)
    {
        if (++link->malformed == PARLEY_LINK_MALFORMED) {
            (void) parley_link_close(link, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "three malformed frames in a row");
            return -2;
        }

        return parley_link_relay_refuse(link, frame, 400, "field-invalid",
                                        "the object is not one frame");
    }

    link->malformed = 0;

    if (frame->type == PARLEY_MOQ_CMD) {
        return parley_link_relay_refuse(link, frame, 400,
                                        "payload-kind-mismatch",
                                        "a command must come on the track "
                                        "{agent}.{any}.cmd");
    }

    if (parley_link_session(link, frame->session) == NULL
        && (frame->session != 0 || !link->conf.stateless
            || !link->setup_proved))
    {
        return parley_link_relay_refuse(link, frame, 401, "token-missing",
                                        "the Session ID has no open session");
    }

    return 0;
}


/* Tells why a stream is stopped. */

static int
parley_link_relay_refuse(parley_link_t *link, const parley_moq_frame_t *frame,
    int status, const char *code, const char *text)
{
    const parley_link_session_t  *s;

    s = parley_link_session(link, frame->session);

    /* frames of opaque tracks do not wait for a peer that reads no answers */

    if (s != NULL && parley_link_track_full(s->track)) {
        return -1;
    }

    return parley_link_refuse(link, frame, parley_str_none, parley_str_none,
                              status, parley_str_c(code), parley_str_none,
                              parley_str_c(text)) != 0 ? -2 : -1;
}
