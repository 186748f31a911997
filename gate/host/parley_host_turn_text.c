/* The text of a turn, and its time (parley_host_turn_text.h). */

#include <string.h>

#include "gate/host/parley_host_turn_text.h"


/* beginning of a fragment; the id and the message follow */
typedef struct {
    uint8_t  message[4];        /* octets */
    uint8_t  id[2];
} parley_turn_text_head_t;


void
parley_turn_text_write(parley_buf_t *b, const parley_turn_text_t *part)
{
    uint16_t                  id;
    uint32_t                  message;
    parley_turn_text_head_t   head;

    id = (uint16_t) part->id.len;
    message = (uint32_t) part->message.len;

    memcpy(head.message, &message, sizeof(message));
    memcpy(head.id, &id, sizeof(id));

    parley_buf_str(b, parley_str_make(&head, sizeof(head)));
    parley_buf_str(b, part->id);
    parley_buf_str(b, part->message);
}


int
parley_turn_text_next(parley_str_t *rest, parley_turn_text_t *ret)
{
    uint16_t                  id;
    uint32_t                  message;
    parley_str_t              text;
    parley_turn_text_head_t   head;

    if (rest->len < sizeof(head)) {
        return 0;
    }

    memcpy(&head, rest->data, sizeof(head));
    memcpy(&message, head.message, sizeof(message));
    memcpy(&id, head.id, sizeof(id));

    text = parley_str_from(*rest, sizeof(head));

    if (id > text.len || message > text.len - id) {
        return 0;
    }

    ret->id = parley_str_make(text.data, id);
    ret->message = parley_str_make(text.data + id, message);
    *rest = parley_str_from(text, (size_t) id + message);

    return 1;
}


parley_str_t
parley_turn_text_last(parley_str_t text)
{
    parley_turn_text_t  part;

    part.message = parley_str_none;

    while (parley_turn_text_next(&text, &part)) { /* void */ }

    return part.message;
}


int64_t
parley_turn_due(const parley_turn_times_t *t)
{
    int64_t  due;

    if (t->full) {
        return t->first_ms;
    }

    due = t->newest_ms + t->quiet_ms;

    if (due < t->typing_ms) {
        due = t->typing_ms;
    }

    if (due > t->first_ms + t->max_ms) {
        due = t->first_ms + t->max_ms;
    }

    return due < t->limit_ms ? due : t->limit_ms;
}
