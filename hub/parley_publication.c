#include <string.h>

#include "hub/parley_publication.h"
#include "core/parley_hex.h"


#define PARLEY_PUBLICATION_VERSION  6

/* the texts of the message, and the facts */
#define PARLEY_PUBLICATION_QUESTION_TEXT  6
#define PARLEY_PUBLICATION_VIEWS_TEXT     11
#define PARLEY_PUBLICATION_FACTS          12
#define PARLEY_PUBLICATION_TEXTS                                             \
    (PARLEY_PUBLICATION_FACTS + PARLEY_CHANNEL_AXES)


/* beginning of a record; the texts and the message follow */
typedef struct {
    uint8_t   version;
    uint8_t   kind;
    uint8_t   proto;
    uint8_t   form;
    uint8_t   own;
    uint8_t   priority;
    uint8_t   owed;
    uint8_t   zero;
    uint16_t  lens[PARLEY_PUBLICATION_TEXTS];
    uint8_t   log[PARLEY_KEY_LEN];
    uint8_t   stamp[8];
    uint8_t   ms[8];
    uint8_t   timeout_ms[8];
} parley_publication_head_t;


/* Returns text number n. */

static parley_str_t *
parley_publication_text(parley_publication_t *p, unsigned n)
{
    switch (n) {

    case 0:
        return &p->audience.instrument;

    case 1:
        return &p->audience.session;

    case 2:
        return &p->sender;

    case 3:
        return &p->author;

    case 4:
        return &p->scope;

    case 5:
        return &p->answers;

    case PARLEY_PUBLICATION_QUESTION_TEXT:
        return &p->question;

    case 7:
        return &p->from;

    case 8:
        return &p->to;

    case 9:
        return &p->id;

    case 10:
        return &p->instrument;

    case PARLEY_PUBLICATION_VIEWS_TEXT:
        return &p->views;

    default:
        return &p->facts.values[n - PARLEY_PUBLICATION_FACTS];
    }
}


/* Returns the maximum of octets of text number n. */

static size_t
parley_publication_max(unsigned n)
{
    return n == PARLEY_PUBLICATION_QUESTION_TEXT
           || n == PARLEY_PUBLICATION_VIEWS_TEXT
           ? UINT16_MAX : PARLEY_PUBLICATION_TEXT_MAX;
}


int
parley_publication_write(parley_arena_t *arena, const parley_publication_t *p,
    parley_str_t ret[2])
{
    size_t                      len;
    uint8_t                    *out, *at;
    unsigned                    i;
    parley_str_t                text;
    parley_publication_t        copy;
    parley_publication_head_t   head;

    copy = *p;
    len = sizeof(head);

    memset(&head, 0, sizeof(head));

    head.version = PARLEY_PUBLICATION_VERSION;
    head.kind = (uint8_t) p->kind;
    head.proto = (uint8_t) p->proto;
    head.form = (uint8_t) p->audience.form;
    head.own = p->own;
    head.owed = p->owed;
    head.priority = (uint8_t) p->priority;
    memcpy(head.log, p->log, PARLEY_KEY_LEN);
    memcpy(head.stamp, &p->stamp, sizeof(head.stamp));
    memcpy(head.ms, &p->ms, sizeof(head.ms));
    memcpy(head.timeout_ms, &p->timeout_ms, sizeof(head.timeout_ms));

    for (i = 0; i < PARLEY_PUBLICATION_TEXTS; i++) {
        text = *parley_publication_text(&copy, i);

        if (text.len > parley_publication_max(i)) {
            return -1;
        }

        head.lens[i] = (uint16_t) text.len;
        len += text.len;
    }

    out = parley_arena_octets(arena, len);

    if (out == NULL) {
        return -1;
    }

    at = parley_octets_copy(out, (const uint8_t *) &head, sizeof(head));

    for (i = 0; i < PARLEY_PUBLICATION_TEXTS; i++) {
        text = *parley_publication_text(&copy, i);
        at = parley_octets_copy(at, text.data, text.len);
    }

    ret[0] = parley_str_make(out, len);
    ret[1] = p->message;

    return 0;
}


int
parley_publication_read(parley_str_t octets, parley_publication_t *ret)
{
    unsigned                    i;
    parley_str_t                rest;
    parley_publication_head_t   head;

    memset(ret, 0, sizeof(parley_publication_t));

    if (octets.len < sizeof(head)) {
        return -1;
    }

    memcpy(&head, octets.data, sizeof(head));
    rest = parley_str_from(octets, sizeof(head));

    if (head.version != PARLEY_PUBLICATION_VERSION
        || head.kind > PARLEY_PUBLICATION_CANCELLED
        || head.proto > PARLEY_PROTO_NONE
        || head.form > PARLEY_AUDIENCE_SESSION)
    {
        return -1;
    }

    for (i = 0; i < PARLEY_PUBLICATION_TEXTS; i++) {

        if (head.lens[i] > rest.len) {
            memset(ret, 0, sizeof(parley_publication_t));
            return -1;
        }

        *parley_publication_text(ret, i) = parley_str_make(rest.data,
                                                           head.lens[i]);
        rest = parley_str_from(rest, head.lens[i]);
    }

    ret->kind = (parley_publication_kind_t) head.kind;
    ret->proto = (parley_proto_t) head.proto;
    ret->audience.form = (parley_audience_form_t) head.form;
    ret->own = head.own != 0;
    ret->owed = head.owed != 0;
    ret->priority = (parley_priority_t) head.priority;
    memcpy(ret->log, head.log, PARLEY_KEY_LEN);
    memcpy(&ret->stamp, head.stamp, sizeof(ret->stamp));
    memcpy(&ret->ms, head.ms, sizeof(ret->ms));
    memcpy(&ret->timeout_ms, head.timeout_ms, sizeof(ret->timeout_ms));
    ret->message = rest;

    return 0;
}


void
parley_publication_question(const parley_record_id_t *id,
    uint8_t out[PARLEY_PUBLICATION_QUESTION])
{
    uint8_t  octets[PARLEY_PUBLICATION_QUESTION / 2];

    memcpy(octets, id->key, PARLEY_KEY_LEN);
    memcpy(&octets[PARLEY_KEY_LEN], &id->tag, sizeof(id->tag));

    (void) parley_hex_write(out, octets, sizeof(octets));
}
