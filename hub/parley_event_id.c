#include <string.h>

#include "hub/parley_event_id.h"
#include "core/parley_hex.h"


#define PARLEY_EVENT_EPOCH  12      /* hexadecimal digits */
#define PARLEY_EVENT_DIGITS  18     /* maximum digits of an offset that is
                                       read */


void
parley_event_id_write(parley_buf_t *b, const parley_place_t *place)
{
    uint8_t       text[PARLEY_PLACE_REASON];
    parley_str_t  reason;

    reason = parley_event_id_reason(place, text);

    parley_buf_str(b, parley_str_from(reason, PARLEY_PLACE_PREFIX));
}


parley_str_t
parley_event_id_reason(const parley_place_t *place,
    uint8_t text[PARLEY_PLACE_REASON])
{
    int       i;
    uint8_t  *p, *digit, octets[PARLEY_EVENT_EPOCH / 2], digits[20];
    uint64_t  offset;

    for (i = 0; i < PARLEY_EVENT_EPOCH / 2; i++) {
        octets[i] = (uint8_t) (place->epoch >> 8 * (sizeof(octets) - 1 - i));
    }

    memcpy(text, "last_event_id=", PARLEY_PLACE_PREFIX);

    p = text + PARLEY_PLACE_PREFIX;

    (void) parley_hex_write(p, octets, sizeof(octets));

    p += PARLEY_EVENT_EPOCH;
    *p++ = '.';

    digit = digits + sizeof(digits);
    offset = place->offset;

    do {
        *--digit = (uint8_t) ('0' + offset % 10);
        offset /= 10;
    } while (offset != 0);

    p = parley_octets_copy(p, digit, (size_t) (digits + sizeof(digits)
                                               - digit));

    return parley_str_make(text, (size_t) (p - text));
}


parley_str_t
parley_event_id_reason_told(const parley_place_t *place,
    uint8_t text[PARLEY_PLACE_REASON])
{
    parley_str_t  reason;

    reason = parley_event_id_reason(place, text);
    text[reason.len++] = PARLEY_EVENT_ID_TOLD;

    return reason;
}


int
parley_event_id_told(parley_str_t *text)
{
    if (text->len == 0 || text->data[text->len - 1] != PARLEY_EVENT_ID_TOLD) {
        return 0;
    }

    text->len--;

    return 1;
}


int
parley_event_id_read(parley_str_t text, parley_place_t *ret)
{
    size_t          i;
    uint8_t         c;
    parley_place_t  place;

    memset(ret, 0, sizeof(parley_place_t));
    memset(&place, 0, sizeof(parley_place_t));

    if (text.len < PARLEY_EVENT_EPOCH + 2
        || text.len > PARLEY_EVENT_EPOCH + 1 + PARLEY_EVENT_DIGITS
        || text.data[PARLEY_EVENT_EPOCH] != '.')
    {
        return -1;
    }

    for (i = 0; i < PARLEY_EVENT_EPOCH; i++) {
        c = text.data[i];

        if (c >= '0' && c <= '9') {
            c -= '0';

        } else if (c >= 'a' && c <= 'f') {
            c = (uint8_t) (c - 'a' + 10);

        } else {
            return -1;
        }

        place.epoch = place.epoch << 4 | c;
    }

    for (i = PARLEY_EVENT_EPOCH + 1; i < text.len; i++) {
        c = text.data[i];

        if (c < '0' || c > '9') {
            return -1;
        }

        place.offset = place.offset * 10 + (c - '0');
    }

    if (place.epoch == 0) {
        return -1;
    }

    *ret = place;

    return 0;
}


static void
parley_event_id_line(parley_buf_t *b, const parley_place_t *place)
{
    parley_buf_lit(b, "id: ");
    parley_event_id_write(b, place);
    parley_buf_octet(b, '\n');
}


void
parley_event_open(parley_buf_t *b, const parley_place_t *place,
    uint32_t retry, const parley_retention_t *retention)
{
    if (place != NULL) {
        parley_event_id_line(b, place);
        parley_buf_lit(b, "event: ready\n");
    }

    parley_buf_lit(b, "retry: ");
    parley_buf_int(b, retry);

    /* some clients ignore the id of an event without data */

    if (place != NULL) {
        parley_buf_lit(b, "\ndata: {\"retention\":{\"count\":");
        parley_buf_int(b, retention->records);
        parley_buf_lit(b, ",\"ms\":");
        parley_buf_int(b, retention->ms);
        parley_buf_lit(b, "}}");
    }

    parley_buf_lit(b, "\n\n");
}


void
parley_event_gap(parley_buf_t *b, const parley_place_t *place)
{
    parley_place_t  first;

    first = *place;
    first.offset++;

    parley_event_id_line(b, place);
    parley_buf_lit(b, "event: gap\ndata: {\"first\":\"");
    parley_event_id_write(b, &first);
    parley_buf_lit(b, "\"}\n\n");
}
