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
 */

#include "http/parley_events.h"
#include "http/parley_frame.h"
#include "hub/parley_hub_parts.h"


static void parley_hub_form_ping(parley_buf_t *b,
    const parley_place_t *place);


int
parley_hub_form_message(parley_form_t form, parley_str_t message,
    parley_arena_t *arena, parley_str_t *ret)
{
    parley_buf_t    b;
    parley_event_t  event;

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

    parley_buf_lit(b, ":\n\n");
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
