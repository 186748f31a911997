/*
 * Records of a reader: its part in an event, the claim of an event, and the
 * cursor of its mailbox.
 */

#include <string.h>

#include "gate/host/parley_host_parts.h"


/* fixed part of a reader's part; the id of its answer follows */
typedef struct {
    uint8_t  disposition;
    uint8_t  accepted;
    uint8_t  attempts;
    uint8_t  reminded;
    uint8_t  escalated;
    uint8_t  extended;
    uint8_t  failures;
    uint8_t  raiser;
    uint8_t  due_ms[8];
} parley_host_delivery_head_t;

/* fixed part of a claim; its owner follows */
typedef struct {
    uint8_t  until_ms[8];
    uint8_t  number[4];
} parley_host_claim_head_t;


static void
parley_host_delivery_id(const parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub, parley_record_id_t *ret)
{
    parley_str_t  parts[3];

    parts[0] = source;
    parts[1] = id;
    parts[2] = sub;

    parley_host_id(h, PARLEY_KIND_DELIVERY, parts, 3, ret);
}


int
parley_host_delivery_get(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub, parley_host_delivery_t *ret)
{
    int                          rc;
    parley_str_t                 rest;
    parley_record_t              record;
    parley_record_id_t           name;
    parley_host_delivery_head_t  head;

    memset(ret, 0, sizeof(parley_host_delivery_t));

    parley_host_delivery_id(h, id, source, sub, &name);

    rc = parley_host_get(h, &name, &record);

    if (rc != 1 || record.value.len < sizeof(head)) {
        return rc == 1 ? 0 : rc;
    }

    memcpy(&head, record.value.data, sizeof(head));
    rest = parley_str_from(record.value, sizeof(head));

    ret->disposition = (parley_chat_disposition_t) head.disposition;
    ret->accepted = head.accepted != 0;
    ret->attempts = head.attempts;
    ret->reminded = head.reminded != 0;
    ret->escalated = head.escalated;
    ret->extended = head.extended != 0;
    ret->failures = head.failures;
    ret->raiser = head.raiser;
    memcpy(&ret->due_ms, head.due_ms, sizeof(head.due_ms));
    ret->answer = parley_host_text_read(&rest);
    ret->generation = record.generation;

    return 1;
}


int
parley_host_delivery_put(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub,
    const parley_host_delivery_t *delivery)
{
    parley_buf_t                 b;
    parley_record_id_t           name;
    parley_host_delivery_head_t  head;

    memset(&head, 0, sizeof(head));

    head.disposition = (uint8_t) delivery->disposition;
    head.accepted = delivery->accepted;
    head.attempts = delivery->attempts;
    head.reminded = delivery->reminded;
    head.escalated = delivery->escalated;
    head.extended = delivery->extended;
    head.failures = delivery->failures;
    head.raiser = delivery->raiser;
    memcpy(head.due_ms, &delivery->due_ms, sizeof(head.due_ms));

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(&head, sizeof(head)));
    parley_host_text(&b, delivery->answer);

    parley_host_delivery_id(h, id, source, sub, &name);

    return parley_host_put(h, &name, &b, delivery->generation == 0,
                           delivery->generation);
}


/* The claim of an event is the part of a reader without a name. */

int
parley_host_claim_get(parley_host_t *h, parley_str_t id, parley_str_t source,
    parley_host_claim_t *ret)
{
    int                       rc;
    parley_str_t              rest;
    parley_record_t           record;
    parley_record_id_t        name;
    parley_host_claim_head_t  head;

    memset(ret, 0, sizeof(parley_host_claim_t));

    parley_host_delivery_id(h, id, source, parley_str_none, &name);

    rc = parley_host_get(h, &name, &record);

    if (rc != 1 || record.value.len < sizeof(head)) {
        return rc == 1 ? 0 : rc;
    }

    memcpy(&head, record.value.data, sizeof(head));
    rest = parley_str_from(record.value, sizeof(head));

    memcpy(&ret->until_ms, head.until_ms, sizeof(head.until_ms));
    memcpy(&ret->number, head.number, sizeof(head.number));
    ret->owner = parley_host_text_read(&rest);
    ret->generation = record.generation;

    return 1;
}


int
parley_host_claim_put(parley_host_t *h, parley_str_t id, parley_str_t source,
    const parley_host_claim_t *claim)
{
    parley_buf_t              b;
    parley_record_id_t        name;
    parley_host_claim_head_t  head;

    memcpy(head.until_ms, &claim->until_ms, sizeof(head.until_ms));
    memcpy(head.number, &claim->number, sizeof(head.number));

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(&head, sizeof(head)));
    parley_host_text(&b, claim->owner);

    parley_host_delivery_id(h, id, source, parley_str_none, &name);

    return parley_host_put(h, &name, &b, claim->generation == 0,
                           claim->generation);
}


int
parley_host_cursor_get(parley_host_t *h, parley_str_t sub, parley_place_t *ret,
    uint32_t *generation)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  name;

    memset(ret, 0, sizeof(parley_place_t));
    *generation = 0;

    parley_host_id(h, PARLEY_KIND_MAILBOX, &sub, 1, &name);

    rc = parley_host_get(h, &name, &record);

    if (rc == 1 && record.value.len >= sizeof(parley_place_t)) {
        memcpy(ret, record.value.data, sizeof(parley_place_t));
        *generation = record.generation;
    }

    return rc;
}


int
parley_host_cursor_put(parley_host_t *h, parley_str_t sub,
    const parley_place_t *cursor, uint32_t generation)
{
    parley_buf_t        b;
    parley_record_id_t  name;

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(cursor, sizeof(parley_place_t)));

    parley_host_id(h, PARLEY_KIND_MAILBOX, &sub, 1, &name);

    return parley_host_put(h, &name, &b, generation == 0, generation);
}


int
parley_host_mailbox_find(parley_host_t *h, const parley_principal_t *owner,
    parley_str_t id, parley_str_t source, parley_publication_t *p,
    parley_host_views_t *views, parley_host_row_t *row)
{
    int                i, rc;
    uint8_t            log[PARLEY_KEY_LEN];
    parley_place_t     end;
    parley_log_page_t  page;

    rc = parley_host_mailbox_log(h, owner, log);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    memset(&end, 0, sizeof(parley_place_t));

    rc = parley_host_read(h, log, &end, PARLEY_HOST_NEWEST, 1, &page);

    for (i = 0; rc == 0 && page.epoch != 0 && i < page.n; i++) {

        if (parley_publication_read(page.list[i].octets, p) == 0
            && parley_str_eq(p->id, id)
            && parley_host_views_find(p->views, owner->sub, views, row)
            && parley_str_eq(views->source, source))
        {
            return 1;
        }
    }

    return rc;
}
