/*
 * The records of questions: the question itself, and its other names (aliases).
 * The format and a letter for the form come first.
 */

#include <string.h>

#include "core/parley_octets.h"
#include "gate/correlation/parley_question_parts.h"


#define PARLEY_QUESTION_FORM_QUESTION  'q'
#define PARLEY_QUESTION_FORM_ALIAS     'a'

/* members of a head that are octets, from asked to same */
#define PARLEY_QUESTION_OCTETS  (PARLEY_KEY_LEN + 12 + PARLEY_QUESTION_TEXTS)

/* flags of an alias */
#define PARLEY_QUESTION_HAS_CORR  1
#define PARLEY_QUESTION_HAS_NAME  2


_Static_assert(offsetof(parley_question_head_t, same) + PARLEY_QUESTION_TEXTS
               - offsetof(parley_question_head_t, asked)
               == PARLEY_QUESTION_OCTETS,
               "the octets of a head have no gap");
_Static_assert(PARLEY_QUESTION_HEAD
               == 2 + 8 + PARLEY_QUESTION_OCTETS + 2 * PARLEY_QUESTION_TEXTS,
               "a head has these parts");


static int parley_question_is_form(parley_str_t record, uint8_t form,
    size_t len);
static void parley_question_head_read(const uint8_t *p,
    parley_question_head_t *ret);


/* Fills the references and the lengths of q->head. */

int
parley_question_write(const parley_asking_t *a, parley_question_t *q,
    parley_str_t *ret, parley_error_t *err)
{
    size_t    i, j, size;
    uint8_t  *p;
    uint64_t  lengths, length;

    size = PARLEY_QUESTION_HEAD;
    lengths = 0;

    for (i = 0; i < PARLEY_QUESTION_TEXTS; i++) {

        if (q->texts[i].len == 0) {
            continue;
        }

        /* most lengths differ from all earlier ones */

        length = 1ULL << q->texts[i].len % 64;

        for (j = lengths & length ? 0 : i; j < i; j++) {
            if (parley_str_eq(q->texts[i], q->texts[j])) {
                q->head.same[i] = (uint8_t) (j + 1);
                break;
            }
        }

        lengths |= length;

        if (q->head.same[i] != 0) {
            continue;
        }

        size += q->texts[i].len;

        if (size > PARLEY_QUESTION_MAX) {
            return parley_error_set(err, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                                    "the names and ids of the message are too "
                                    "long to record it for a reply");
        }

        q->head.len[i] = (uint16_t) q->texts[i].len;
    }

    p = parley_arena_octets(a->arena, size);

    if (p == NULL) {
        return parley_error_memory(err);
    }

    *ret = parley_str_make(p, size);

    parley_question_head_write(p, &q->head, a->ask->state->format);
    p += PARLEY_QUESTION_HEAD;

    for (i = 0; i < PARLEY_QUESTION_TEXTS; i++) {
        if (q->head.len[i] != 0) {
            memcpy(p, q->texts[i].data, q->head.len[i]);
            p += q->head.len[i];
        }
    }

    return 0;
}


void
parley_question_head_write(uint8_t out[PARLEY_QUESTION_HEAD],
    const parley_question_head_t *h, uint8_t format)
{
    uint8_t  *p;

    p = out;

    *p++ = format;
    *p++ = PARLEY_QUESTION_FORM_QUESTION;

    p = parley_octets_write64(p, (uint64_t) h->time);

    memcpy(p, h->asked, PARLEY_QUESTION_OCTETS);
    p += PARLEY_QUESTION_OCTETS;

    (void) parley_octets_write16s(p, h->len, PARLEY_QUESTION_TEXTS);
}


static void
parley_question_head_read(const uint8_t *p, parley_question_head_t *ret)
{
    p += 2;

    ret->time = (int64_t) parley_octets_read64(p);
    p += 8;

    memcpy(ret->asked, p, PARLEY_QUESTION_OCTETS);
    p += PARLEY_QUESTION_OCTETS;

    parley_octets_read16s(p, ret->len, PARLEY_QUESTION_TEXTS);
}


static int
parley_question_is_form(parley_str_t record, uint8_t form, size_t len)
{
    return record.len >= len && parley_state_reads_format(record)
           && record.data[1] == form;
}


/* Another gateway may have written the record. */

int
parley_question_split(parley_str_t record, parley_question_t *ret)
{
    size_t         i;
    parley_str_t   rest;

    if (!parley_question_is_form(record, PARLEY_QUESTION_FORM_QUESTION,
                                 PARLEY_QUESTION_HEAD))
    {
        return -1;
    }

    parley_question_head_read(record.data, &ret->head);
    ret->record = record;

    if (ret->head.proto >= PARLEY_PROTO_COUNT
        || ret->head.sent >= PARLEY_PROTO_COUNT)
    {
        return -1;
    }

    rest = parley_str_from(record, PARLEY_QUESTION_HEAD);

    for (i = 0; i < PARLEY_QUESTION_TEXTS; i++) {

        if (ret->head.same[i] > i || ret->head.len[i] > rest.len) {
            return -1;
        }

        if (ret->head.same[i] != 0) {
            ret->texts[i] = ret->texts[ret->head.same[i] - 1];
            continue;
        }

        ret->texts[i] = parley_str_make(rest.data, ret->head.len[i]);
        rest = parley_str_from(rest, ret->head.len[i]);
    }

    return 0;
}


void
parley_question_message(const parley_question_t *q, parley_msg_t *m)
{
    m->form = q->texts[PARLEY_QUESTION_FORM];
    m->act = (parley_act_t) q->head.act;
    m->id = q->texts[PARLEY_QUESTION_ID];
    m->corr = q->texts[PARLEY_QUESTION_CORR];
    m->question = q->texts[PARLEY_QUESTION_QUESTION];
    m->intent = q->texts[PARLEY_QUESTION_INTENT];
    m->sender = q->texts[PARLEY_QUESTION_SENDER];
    m->recipient = q->texts[PARLEY_QUESTION_RECIPIENT];
    m->alarm = (parley_severity_t) q->head.alarm;
    m->priority = (parley_priority_t) q->head.priority;
    m->approval = q->head.approval;
    m->place = q->texts[PARLEY_QUESTION_PLACE];
    m->token = q->texts[PARLEY_QUESTION_TOKEN];
    m->scoped = q->texts[PARLEY_QUESTION_SCOPE].len > 0;
}


void
parley_question_asked_by(const parley_question_t *q,
    parley_who_asker_t *ret)
{
    ret->recipient = parley_str_none;
    ret->wire = (parley_proto_t) q->head.proto;
    ret->name = q->texts[PARLEY_QUESTION_SENDER];
    ret->sent = (parley_proto_t) q->head.sent;
    ret->sent_name = q->texts[PARLEY_QUESTION_SENT_FROM];
}


parley_str_t
parley_question_lead(const parley_state_t *state, const parley_record_id_t *to,
    uint8_t out[PARLEY_QUESTION_LEAD])
{
    uint8_t  *p;

    p = out;

    *p++ = state->format;
    *p++ = PARLEY_QUESTION_FORM_ALIAS;

    memcpy(p, to->key, PARLEY_KEY_LEN);
    p = parley_octets_write32(p + PARLEY_KEY_LEN, to->tag);

    *p++ = 0;
    (void) parley_octets_write16(p, 0);

    return parley_str_make(out, PARLEY_QUESTION_LEAD);
}


int
parley_question_alias_write(const parley_asking_t *a,
    const parley_question_alias_t *alias, parley_str_t *ret)
{
    size_t    n;
    uint8_t  *p;

    if (alias->corr.len + alias->asker_name.len > PARLEY_QUESTION_MAX) {
        return -1;
    }

    n = PARLEY_QUESTION_LEAD + alias->corr.len + alias->asker_name.len;
    p = parley_arena_octets(a->arena, n);

    if (p == NULL) {
        return -1;
    }

    *ret = parley_str_make(p, n);

    (void) parley_question_lead(a->ask->state, &alias->id, p);
    p += PARLEY_QUESTION_LEAD;

    p[-3] = (uint8_t) ((alias->has_corr ? PARLEY_QUESTION_HAS_CORR : 0)
                       | (alias->has_asker_name ? PARLEY_QUESTION_HAS_NAME
                                                : 0));
    (void) parley_octets_write16(p - 2, (uint16_t) alias->corr.len);

    p = parley_octets_copy(p, alias->corr.data, alias->corr.len);
    (void) parley_octets_copy(p, alias->asker_name.data,
                              alias->asker_name.len);

    return 0;
}


int
parley_question_is_alias(parley_str_t record, parley_question_alias_t *ret)
{
    size_t          len;
    uint8_t         flags;
    const uint8_t  *p;

    parley_octets_zero(ret, sizeof(parley_question_alias_t));

    if (!parley_question_is_form(record, PARLEY_QUESTION_FORM_ALIAS,
                                 PARLEY_QUESTION_LEAD))
    {
        return 0;
    }

    p = record.data + 2;

    ret->id.kind = PARLEY_KIND_QUESTION;
    memcpy(ret->id.key, p, PARLEY_KEY_LEN);
    p += PARLEY_KEY_LEN;

    ret->id.tag = parley_octets_read32(p);
    flags = p[4];
    len = parley_octets_read16(p + 5);

    record = parley_str_from(record, PARLEY_QUESTION_LEAD);

    if (len > record.len) {
        return 0;
    }

    ret->has_corr = (flags & PARLEY_QUESTION_HAS_CORR) != 0;
    ret->has_asker_name = (flags & PARLEY_QUESTION_HAS_NAME) != 0;
    ret->corr = parley_str_make(record.data, len);
    ret->asker_name = parley_str_from(record, len);

    return 1;
}
