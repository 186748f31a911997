/*
 * Formats of streams: server-sent events,
 *
 *   id: 3f09c2a1b47e.17
 *   data: {"vcp_message":"1.2", ...}
 *
 * or frames of a WebSocket.  A text frame is exactly one message, so places are
 * sent separately.  The payload of each ping is the place up to which
 * everything was written, "3f09c2a1b47e.17".  If records are lost, the
 * connection is closed with the place after which the client can resume:
 *
 *   4410 last_event_id=3f09c2a1b47e.17~
 *
 * More records may be lost before the client is back.  PARLEY_EVENT_ID_TOLD
 * lets its next connection begin with the first one that is left.
 *
 * The third format has entries for the adapter of MoQ (parley_hub_object.h).
 */

#include "core/parley_octets.h"
#include "http/parley_events.h"
#include "http/parley_frame.h"
#include "hub/parley_hub_object.h"
#include "hub/parley_hub_parts.h"


#define PARLEY_HUB_OBJECT_LEN  21   /* octets of an entry before its message */


static void parley_hub_form_ping(parley_buf_t *b,
    const parley_place_t *place);
static void parley_hub_form_object(parley_buf_t *b,
    parley_hub_object_kind_t kind, const parley_place_t *place, size_t len);


int
parley_hub_form_message(parley_form_t form, parley_str_t message,
    parley_arena_t *arena, parley_str_t *ret)
{
    parley_buf_t    b;
    parley_event_t  event;

    if (form == PARLEY_FORM_OBJECTS) {
        *ret = message;
        return 0;
    }

    parley_buf_init(&b, arena, message.len + 16);

    if (form == PARLEY_FORM_FRAMES) {
        parley_frame_write(&b, PARLEY_FRAME_TEXT, message);

    } else {
        memset(&event, 0, sizeof(parley_event_t));

        event.has_data = 1;
        event.data = message;

        parley_events_write(&b, &event);
    }

    return parley_buf_done(&b, ret);
}


void
parley_hub_form_event(parley_buf_t *b, const parley_stream_t *stream,
    const parley_place_t *place, parley_str_t written)
{
    if (stream->form == PARLEY_FORM_EVENTS) {
        parley_buf_lit(b, "id: ");
        parley_event_id_write(b, place);
        parley_buf_octet(b, '\n');

    } else if (stream->form == PARLEY_FORM_OBJECTS) {
        parley_hub_form_object(b, PARLEY_HUB_OBJECT_MESSAGE, place,
                               written.len);
    }

    parley_buf_str(b, written);

    if (stream->confirms) {
        parley_hub_form_ping(b, place);
    }
}


void
parley_hub_form_open(parley_buf_t *b, const parley_stream_t *stream,
    const parley_place_t *place, int resumed,
    const parley_retention_t *retention)
{
    if (stream->form == PARLEY_FORM_FRAMES) {
        parley_hub_form_ping(b, place);
        return;
    }

    if (stream->form == PARLEY_FORM_OBJECTS) {
        parley_hub_form_object(b, PARLEY_HUB_OBJECT_OPEN, place, 0);
        return;
    }

    parley_event_open(b, resumed ? NULL : place, stream->retry, retention);
}


void
parley_hub_form_gap(parley_buf_t *b, parley_form_t form,
    const parley_place_t *place)
{
    uint8_t       text[PARLEY_PLACE_REASON];
    parley_str_t  reason;

    if (form == PARLEY_FORM_EVENTS) {
        parley_event_gap(b, place);
        return;
    }

    if (form == PARLEY_FORM_OBJECTS) {
        parley_hub_form_object(b, PARLEY_HUB_OBJECT_GAP, place, 0);
        return;
    }

    reason = parley_event_id_reason_told(place, text);

    parley_frame_close(b, PARLEY_CLOSE_GAP, reason);
}


void
parley_hub_form_alive(parley_buf_t *b, parley_form_t form,
    const parley_place_t *place)
{
    if (form == PARLEY_FORM_FRAMES) {
        parley_hub_form_ping(b, place);
        return;
    }

    if (form == PARLEY_FORM_OBJECTS) {
        parley_hub_form_object(b, PARLEY_HUB_OBJECT_ALIVE, place, 0);
        return;
    }

    parley_buf_lit(b, ":\n\n");
}


static void
parley_hub_form_object(parley_buf_t *b, parley_hub_object_kind_t kind,
    const parley_place_t *place, size_t len)
{
    uint8_t  octets[PARLEY_HUB_OBJECT_LEN], *p;

    octets[0] = (uint8_t) kind;

    p = parley_octets_write32(octets + 1, (uint32_t) len);
    p = parley_octets_write64(p, place->epoch);
    (void) parley_octets_write64(p, place->offset);

    parley_buf_put(b, octets, sizeof(octets));
}


size_t
parley_hub_object_read(parley_str_t in, parley_hub_object_t *ret)
{
    size_t  n;

    if (in.len < PARLEY_HUB_OBJECT_LEN) {
        return 0;
    }

    n = parley_octets_read32(in.data + 1);

    if (n > in.len - PARLEY_HUB_OBJECT_LEN) {
        return 0;
    }

    ret->kind = (parley_hub_object_kind_t) in.data[0];
    ret->place.epoch = parley_octets_read64(in.data + 5);
    ret->place.offset = parley_octets_read64(in.data + 13);
    ret->message = parley_str_make(in.data + PARLEY_HUB_OBJECT_LEN, n);

    return PARLEY_HUB_OBJECT_LEN + n;
}


static void
parley_hub_form_ping(parley_buf_t *b, const parley_place_t *place)
{
    uint8_t       text[PARLEY_PLACE_REASON];
    parley_str_t  reason;

    reason = parley_event_id_reason(place, text);

    parley_frame_write(b, PARLEY_FRAME_PING,
                       parley_str_from(reason, PARLEY_PLACE_PREFIX));
}
