#include <string.h>

#include "parley_bind.h"
#include "parley_digest.h"
#include "parley_engine.h"
#include "parley_hex.h"
#include "parley_jcs.h"
#include "parley_retain.h"
#include "parley_time.h"


/* how often a refutation is tried where others come at the same time */
#define PARLEY_REFUTE_TRIES  8

#define PARLEY_HASH_PREFIX   "sha256:"
#define PARLEY_HASH_LEN      (sizeof(PARLEY_HASH_PREFIX)                      \
                              + 2 * PARLEY_SHA256_LEN)


/* what is under an id, read */
typedef struct {
    parley_record_t  record;
    parley_json_t    doc;           /* of its value */
    parley_str_t     protocol;
    parley_str_t     sub;
    parley_str_t     to;
    parley_str_t     sender;
    parley_str_t     recipient;
    uint32_t         refutations;   /* how many */
    parley_str_t     refuted;       /* they, without brackets */
    parley_str_t     message;
} parley_kept_t;


/* those of a task's id that its sender is a party of, the oldest first */
typedef struct {
    parley_str_t     id;
    size_t           n;
    size_t           which;         /* is meant */
    parley_kept_t    kept[PARLEY_RECORDS_MAX + 2 * PARLEY_RECORDS_OWNED];
} parley_found_t;


static int parley_retain_write(const parley_retain_t *r,
    const parley_retained_t *m, parley_str_t refuted, parley_str_t *ret);
static int parley_retain_find(const parley_retain_t *r, parley_found_t **ret,
    parley_task_fault_t *fault);
static int parley_retain_owned(const parley_retain_t *r, parley_found_t *f,
    parley_record_id_t *id);
static int parley_retain_gather(const parley_retain_t *r, parley_found_t *f,
    const parley_records_t *records);
static int parley_retain_read(const parley_retain_t *r, parley_kept_t *m);
static int parley_retain_is_agent(const parley_retain_t *r,
    const parley_kept_t *m);
static int parley_retain_choose(const parley_retain_t *r, parley_found_t *f,
    parley_task_fault_t *fault);
static int parley_retain_hash(const parley_retain_t *r,
    const parley_kept_t *m, char hash[PARLEY_HASH_LEN]);
static int parley_retain_others(const parley_retain_t *r, parley_buf_t *b,
    const parley_found_t *f);
static int parley_retain_is_said(const parley_retain_t *r,
    const parley_kept_t *m);
static int parley_retain_add(const parley_retain_t *r, parley_str_t reason,
    const parley_kept_t *m, parley_str_t *ret, parley_task_fault_t *fault);
static int parley_retain_replace(const parley_retain_t *r, parley_str_t id,
    const parley_kept_t *m, parley_str_t value, parley_put_result_t *ret);
static parley_str_t parley_retain_text(const parley_json_t *doc,
    uint32_t object, const char *name);


int
parley_retain(const parley_retain_t *r, const parley_retained_t *m)
{
    int                  rc;
    parley_put_t         put;
    parley_str_t         value;
    parley_put_result_t  got;

    memset(&put, 0, sizeof(parley_put_t));

    parley_retain_id(r->ask->state, m, &put.id);

    if (parley_retain_write(r, m, parley_str_none, &value) != 0) {
        return -1;
    }

    put.queue = m->queue;
    put.account = m->account;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = m->ttl;
    put.under = m->under;
    put.stamp = m->stamp;

    rc = parley_ask_put(r->ask, &put, &got);

    return rc == 0 && got != PARLEY_PUT_OK ? -1 : rc;
}


static int
parley_retain_write(const parley_retain_t *r, const parley_retained_t *m,
    parley_str_t refuted, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, r->arena, m->message.len + refuted.len + 256);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("protocol"), m->protocol);
    parley_buf_member(&b, PARLEY_STR("sub"), m->sub);
    parley_buf_member(&b, PARLEY_STR("to"), m->to);
    parley_buf_member(&b, PARLEY_STR("sender"), m->sender);
    parley_buf_member(&b, PARLEY_STR("recipient"), m->recipient);
    parley_buf_name(&b, PARLEY_STR("refutations"));
    parley_buf_octet(&b, '[');
    parley_buf_str(&b, refuted);
    parley_buf_octet(&b, ']');
    parley_buf_name(&b, PARLEY_STR("message"));
    parley_buf_str(&b, m->message);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret);
}


/* what the task's payload names, for one who may see it */

static int
parley_retain_find(const parley_retain_t *r, parley_found_t **ret,
    parley_task_fault_t *fault)
{
    int                 rc;
    parley_found_t     *f;
    parley_records_t    records;
    parley_json_ref_t   payload;
    parley_record_id_t  id;

    f = parley_arena_calloc(r->arena, sizeof(parley_found_t));

    if (f == NULL) {
        return -1;
    }

    *ret = f;

    payload = r->who->msg->data;
    f->id = parley_retain_text(payload.doc, payload.node, "id");

    if (f->id.len == 0) {
        fault->code = "E_FIELD_MISSING";
        fault->field = "/payload/id";
        fault->why = "/payload/id must be the id of a message";
        return 0;
    }

    fault->code = "E_NOT_FOUND";
    fault->field = "";
    fault->why = "no message of this id is retained for this caller";

    id.kind = PARLEY_KIND_MESSAGE;
    parley_retain_key(r->ask->state, f->id, id.key);

    rc = parley_ask_get(r->ask, id.kind, id.key, &records);

    if (rc == 0 && records.n == PARLEY_RECORDS_MAX) {
        rc = parley_retain_owned(r, f, &id);
    }

    if (rc == 0) {
        rc = parley_retain_gather(r, f, &records);
    }

    return rc != 0 ? rc : f->n != 0 ? parley_retain_choose(r, f, fault) : 0;
}


/*
 * There are more than are looked at: those of who asks, and of who is asked
 * for, are among them however many others there are.
 */

static int
parley_retain_owned(const parley_retain_t *r, parley_found_t *f,
    parley_record_id_t *id)
{
    int                  i, rc;
    parley_str_t         owner[2];
    parley_agents_t      agents;
    parley_records_t     records;
    const parley_msg_t  *task;

    task = r->who->msg;
    owner[1] = parley_str_none;

    parley_who_agents(r->who, &agents);

    rc = 0;

    for (i = 0; rc == 0 && i < 2; i++) {
        owner[0] = i == 0 ? parley_who_proven(r->who)
                   : parley_bind_principal(&agents, task->wire,
                                           parley_retain_text(task->data.doc,
                                                              task->data.node,
                                                              "from"));

        id->tag = parley_state_tag(r->ask->state, owner, 2, NULL, 0);

        rc = parley_ask_get_owned(r->ask, id, &records);

        if (rc == 0) {
            rc = parley_retain_gather(r, f, &records);
        }
    }

    return rc;
}


/* those of them that the caller may see, once */

static int
parley_retain_gather(const parley_retain_t *r, parley_found_t *f,
    const parley_records_t *records)
{
    int             i;
    size_t          k;
    parley_kept_t  *m;

    for (i = records->n - 1; i >= 0; i--) {

        if (records->list[i].queue == PARLEY_LOOSE_MESSAGE && !r->retains) {
            continue;
        }

        for (k = 0; k < f->n; k++) {
            if (f->kept[k].record.tag == records->list[i].tag) {
                break;
            }
        }

        if (k < f->n) {
            continue;
        }

        m = &f->kept[f->n];
        m->record = records->list[i];

        if (parley_retain_read(r, m) != 0) {
            return -1;
        }

        f->n += parley_retain_is_agent(r, m);
    }

    return 0;
}


static int
parley_retain_read(const parley_retain_t *r, parley_kept_t *m)
{
    uint32_t        list;
    parley_str_t    raw;
    parley_error_t  err;

    if (parley_read_again(&m->doc, r->arena, r->seed, m->record.value, &err)
        != 0)
    {
        return -1;
    }

    m->protocol = parley_retain_text(&m->doc, 0, "protocol");
    m->sub = parley_retain_text(&m->doc, 0, "sub");
    m->to = parley_retain_text(&m->doc, 0, "to");
    m->sender = parley_retain_text(&m->doc, 0, "sender");
    m->recipient = parley_retain_text(&m->doc, 0, "recipient");

    list = parley_json_get(&m->doc, 0, PARLEY_STR("refutations"));
    raw = parley_json_raw(&m->doc, list);

    m->refutations = m->doc.nodes[list].count;
    m->refuted = parley_str_make(raw.data + 1, raw.len - 2);
    m->message = parley_json_raw(&m->doc,
                                 parley_json_member(&m->doc, 0,
                                                    PARLEY_ATOM_message));

    return 0;
}


static int
parley_retain_is_agent(const parley_retain_t *r, const parley_kept_t *m)
{
    parley_str_t         name, sub;
    parley_proto_t       proto;
    const parley_msg_t  *task;

    sub = parley_who_proven(r->who);

    if (sub.len == 0) {
        return 0;
    }

    if (parley_str_eq(m->sub, sub) || parley_str_eq(m->to, sub)) {
        return 1;
    }

    task = r->who->msg;
    proto = parley_proto_find(m->protocol);

    if (proto == task->wire) {
        name = task->sender;

    } else if (parley_who_resolve(r->who, task->wire, task->sender, proto,
                                  &name)
               != 1)
    {
        return 0;
    }

    return name.len > 0 && parley_str_eq(name, m->recipient);
}


/*
 * The one from "from", where the task has that, with "hash" (SHA-256 of the
 * RFC 8785 form), where it has one: one that is no text is no hash of
 * anything.
 */

static int
parley_retain_choose(const parley_retain_t *r, parley_found_t *f,
    parley_task_fault_t *fault)
{
    char                own[PARLEY_HASH_LEN];
    size_t              i;
    parley_str_t        from, hash;
    parley_json_ref_t   payload;

    payload = r->who->msg->data;
    from = parley_retain_text(payload.doc, payload.node, "from");
    hash = parley_retain_text(payload.doc, payload.node, "hash");

    for (i = 0; i < f->n; i++) {

        if (from.len > 0 && !parley_str_eq(from, f->kept[i].sender)) {
            continue;
        }

        f->which = i;

        if (parley_json_member(payload.doc, payload.node, PARLEY_ATOM_hash)
            == PARLEY_JSON_NONE)
        {
            return 1;
        }

        fault->code = "E_HASH_MISMATCH";
        fault->field = "/payload/hash";
        fault->why = "the retained message has another hash";

        if (parley_retain_hash(r, &f->kept[i], own) != 0) {
            return -1;
        }

        if (parley_str_eq(hash, parley_str_c(own))) {
            return 1;
        }
    }

    return 0;
}


static int
parley_retain_hash(const parley_retain_t *r, const parley_kept_t *m,
    char hash[PARLEY_HASH_LEN])
{
    uint8_t            digest[PARLEY_SHA256_LEN];
    parley_buf_t       b;
    parley_str_t       canonical;
    parley_json_ref_t  message;

    message.doc = &m->doc;
    message.node = parley_json_member(&m->doc, 0, PARLEY_ATOM_message);

    parley_buf_init(&b, r->arena, m->message.len);
    parley_jcs_write(&b, message, parley_str_none);

    if (parley_buf_done(&b, &canonical) != 0
        || parley_sha256(canonical, digest) != 0)
    {
        return -1;
    }

    memcpy(hash, PARLEY_HASH_PREFIX, sizeof(PARLEY_HASH_PREFIX) - 1);
    parley_hex(digest, PARLEY_SHA256_LEN,
               hash + sizeof(PARLEY_HASH_PREFIX) - 1);

    return 0;
}


int
parley_retain_fetch(const parley_retain_t *r, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    int                   rc;
    parley_buf_t          b;
    parley_found_t       *f;
    const parley_kept_t  *m;

    rc = parley_retain_find(r, &f, fault);

    if (rc != 1) {
        return rc;
    }

    m = &f->kept[f->which];

    parley_buf_init(&b, r->arena, m->record.value.len + 128);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("id"), f->id);
    parley_buf_member(&b, PARLEY_STR("protocol"), m->protocol);
    parley_buf_name(&b, PARLEY_STR("envelope"));
    parley_buf_str(&b, m->message);

    if (m->refutations != 0) {
        parley_buf_name(&b, PARLEY_STR("refutations"));
        parley_buf_octet(&b, '[');
        parley_buf_str(&b, m->refuted);
        parley_buf_octet(&b, ']');
    }

    if (f->n > 1 && parley_retain_others(r, &b, f) != 0) {
        return -1;
    }

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? 1 : -1;
}


/* what else has this id, so that nobody's message hides another's */

static int
parley_retain_others(const parley_retain_t *r, parley_buf_t *b,
    const parley_found_t *f)
{
    char    hash[PARLEY_HASH_LEN];
    size_t  i, n;

    n = 0;

    parley_buf_name(b, PARLEY_STR("others"));
    parley_buf_octet(b, '[');

    for (i = 0; i < f->n; i++) {

        if (i == f->which) {
            continue;
        }

        if (parley_retain_hash(r, &f->kept[i], hash) != 0) {
            return -1;
        }

        if (n++ > 0) {
            parley_buf_octet(b, ',');
        }

        parley_buf_octet(b, '{');
        parley_buf_member(b, PARLEY_STR("protocol"), f->kept[i].protocol);
        parley_buf_member(b, PARLEY_STR("from"), f->kept[i].sender);
        parley_buf_member(b, PARLEY_STR("hash"), parley_str_c(hash));
        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, ']');

    return 0;
}


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

        if (rc == 1 && parley_retain_is_said(r, &f->kept[f->which])) {
            put = PARLEY_PUT_OK;
            break;
        }

        if (rc == 1) {
            rc = parley_retain_add(r, reason, &f->kept[f->which], &value,
                                   fault);
        }

        if (rc != 1) {
            return rc;
        }

        /* stale: somebody else has refuted it meanwhile */

        rc = parley_retain_replace(r, f->id, &f->kept[f->which], value, &put);

        if (rc != 0) {
            return rc;
        }
    }

    *ret = put == PARLEY_PUT_OK ? PARLEY_STR("{\"acknowledged\":true}")
                                : PARLEY_STR("{\"acknowledged\":false}");

    return 1;
}


/*
 * An earlier try of the same message has said it: that nobody waited for, and
 * its sender was told that it may come again.
 */

static int
parley_retain_is_said(const parley_retain_t *r, const parley_kept_t *m)
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


/* the message's value with a refutation more */

static int
parley_retain_add(const parley_retain_t *r, parley_str_t reason,
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
    again.message = m->message;

    return parley_retain_write(r, &again, refuted, ret) == 0 ? 1 : -1;
}


/* it stays whose it was, and ends when it would have */

static int
parley_retain_replace(const parley_retain_t *r, parley_str_t id,
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


static parley_str_t
parley_retain_text(const parley_json_t *doc, uint32_t object,
    const char *name)
{
    uint32_t      i;
    parley_str_t  s;

    i = parley_json_get(doc, object, parley_str_c(name));

    if (i == PARLEY_JSON_NONE
        || parley_json_type(doc, i) != PARLEY_JSON_STRING
        || parley_json_string(doc, i, &s) != 0)
    {
        return parley_str_none;
    }

    return s;
}
