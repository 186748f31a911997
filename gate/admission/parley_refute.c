/* aee.context.refute: adds a refutation to a retained message (AEE-26). */

#include <string.h>

#include "gate/admission/parley_retain_parts.h"
#include "core/parley_time.h"


/* attempts to add a refutation while other refutations are written */
#define PARLEY_REFUTE_TRIES  8


static int parley_refute_is_said(const parley_retain_t *r,
    const parley_kept_t *m);
static int parley_refute_add(const parley_retain_t *r, parley_str_t reason,
    const parley_kept_t *m, parley_str_t *ret, parley_task_fault_t *fault);
static int parley_refute_replace(const parley_retain_t *r, parley_str_t id,
    const parley_kept_t *m, parley_str_t value, parley_put_result_t *ret);


int
parley_retain_refute(const parley_retain_t *r, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    int                   rc, tries;
    parley_str_t          reason, value;
    parley_found_t       *f;
    parley_json_ref_t     payload;
    parley_put_result_t   put;

    payload = r->who->msg->data;
    reason = parley_retain_text(payload.doc, payload.node, "reason");

    put = PARLEY_PUT_STALE;
    value = parley_str_none;

    for (tries = 0; put == PARLEY_PUT_STALE && tries < PARLEY_REFUTE_TRIES;
         tries++)
    {
        rc = parley_retain_find(r, &f, fault);

        if (rc == 1 && parley_refute_is_said(r, &f->kept[f->which])) {
            put = PARLEY_PUT_OK;
            break;
        }

        if (rc == 1) {
            rc = parley_refute_add(r, reason, &f->kept[f->which], &value,
                                   fault);
        }

        if (rc != 1) {
            return rc;
        }

        /*
         * stale: another refutation was written to the record since it was
         * read
         */

        rc = parley_refute_replace(r, f->id, &f->kept[f->which], value, &put);

        if (rc != 0) {
            return rc;
        }
    }

    *ret = put == PARLEY_PUT_OK ? PARLEY_STR("{\"acknowledged\":true}")
                                : PARLEY_STR("{\"acknowledged\":false}");

    return 1;
}


/*
 * Returns whether the message already has this refutation.  An earlier task
 * wrote it, but its answer came too late, and its sender had to try again.
 */

static int
parley_refute_is_said(const parley_retain_t *r, const parley_kept_t *m)
{
    uint32_t             i, list;
    const parley_msg_t  *task;

    task = r->who->msg;
    list = parley_json_get(&m->doc, 0, PARLEY_STR("refutations"));

    for (i = parley_json_first(list);
         i != parley_json_end(&m->doc, list);
         i = parley_json_after(&m->doc, i))
    {
        if (parley_str_eq(parley_retain_text(&m->doc, i, "by"), task->sender)
            && parley_str_eq(parley_retain_text(&m->doc, i, "id"), task->id))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Writes the message's record with one more refutation.  Returns 1 and *ret; 0
 * and *fault; or -1: no memory.
 */

static int
parley_refute_add(const parley_retain_t *r, parley_str_t reason,
    const parley_kept_t *m, parley_str_t *ret, parley_task_fault_t *fault)
{
    char               ts[PARLEY_TIME_MAX];
    parley_buf_t       b;
    parley_str_t       refuted;
    parley_retained_t  again;

    if (reason.len == 0 || reason.len > PARLEY_REASON_MAX) {
        fault->code = "E_FIELD_INVALID";
        fault->field = "/payload/reason";
        fault->why = "/payload/reason must be a text of at most 1024 octets";
        return 0;
    }

    if (m->refutations >= PARLEY_REFUTATIONS_MAX) {
        fault->code = "E_CAPACITY";
        fault->field = "";
        fault->why = "this message was refuted too often";
        return 0;
    }

    (void) parley_time_format(r->wall, ts);

    parley_buf_init(&b, r->arena, m->refuted.len + reason.len + 128);

    parley_buf_str(&b, m->refuted);

    if (m->refutations != 0) {
        parley_buf_octet(&b, ',');
    }

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("by"), r->who->msg->sender);
    parley_buf_member(&b, PARLEY_STR("id"), r->who->msg->id);
    parley_buf_member(&b, PARLEY_STR("reason"), reason);
    parley_buf_member(&b, PARLEY_STR("ts"), parley_str_c(ts));
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &refuted) != 0) {
        return -1;
    }

    memset(&again, 0, sizeof(parley_retained_t));

    again.protocol = m->protocol;
    again.sub = m->sub;
    again.to = m->to;
    again.sender = m->sender;
    again.recipient = m->recipient;
    again.corr = m->corr;
    again.sent_corr = m->sent_corr;
    again.message = m->message;

    return parley_retain_write(r, &again, refuted, ret) == 0 ? 1 : -1;
}


/* Replaces the record of m.  Its owner and its end stay unchanged. */

static int
parley_refute_replace(const parley_retain_t *r, parley_str_t id,
    const parley_kept_t *m, parley_str_t value, parley_put_result_t *ret)
{
    parley_put_t  put;

    memset(&put, 0, sizeof(parley_put_t));

    put.id.kind = PARLEY_KIND_MESSAGE;
    put.id.tag = m->record.tag;
    parley_retain_key(r->ask->state, id, put.id.key);

    put.parts = &value;
    put.nparts = 1;
    put.ttl = m->record.left;
    put.replaces = m->record.generation;

    return parley_ask_put(r->ask, &put, ret);
}
