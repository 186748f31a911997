#include <string.h>

#include "gate/party/parley_responder_check.h"
#include "core/parley_digest.h"
#include "translate/parley_engine.h"
#include "core/parley_hex.h"
#include "core/parley_jcs.h"
#include "hub/parley_publication.h"
#include "gate/admission/parley_retain_parts.h"


#define PARLEY_HASH_PREFIX   "sha256:"
#define PARLEY_HASH_LEN      (sizeof(PARLEY_HASH_PREFIX)                      \
                              + 2 * PARLEY_SHA256_LEN)


static int parley_retain_owned(const parley_retain_t *r, parley_found_t *f,
    parley_record_id_t *id);
static int parley_retain_gather(const parley_retain_t *r, parley_found_t *f,
    const parley_records_t *records);
static int parley_retain_read(const parley_retain_t *r, parley_kept_t *m);
static int parley_retain_is_agent(const parley_retain_t *r,
    const parley_kept_t *m);
static int parley_retain_choose(const parley_retain_t *r, parley_found_t *f,
    parley_task_fault_t *fault);
static int parley_retain_has_corr(const parley_retain_t *r,
    const parley_kept_t *m, parley_task_fault_t *fault);
static int parley_retain_has_hash(const parley_retain_t *r,
    const parley_kept_t *m, parley_task_fault_t *fault);
static int parley_retain_hash(const parley_retain_t *r,
    const parley_kept_t *m, char hash[PARLEY_HASH_LEN]);
static int parley_retain_others(const parley_retain_t *r, parley_buf_t *b,
    const parley_found_t *f);


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


int
parley_retain_write(const parley_retain_t *r, const parley_retained_t *m,
    parley_str_t refuted, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, r->arena, m->message.len + refuted.len + 256);

    parley_buf_octet(&b, r->ask->state->format);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("protocol"), m->protocol);
    parley_buf_member(&b, PARLEY_STR("sub"), m->sub);
    parley_buf_member(&b, PARLEY_STR("to"), m->to);
    parley_buf_member(&b, PARLEY_STR("sender"), m->sender);
    parley_buf_member(&b, PARLEY_STR("recipient"), m->recipient);
    parley_buf_member(&b, PARLEY_STR("corr"), m->corr);
    parley_buf_member(&b, PARLEY_STR("sent_corr"), m->sent_corr);
    parley_buf_name(&b, PARLEY_STR("refutations"));
    parley_buf_octet(&b, '[');
    parley_buf_str(&b, refuted);
    parley_buf_octet(&b, ']');
    parley_buf_name(&b, PARLEY_STR("message"));
    parley_buf_str(&b, m->message);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret);
}


int
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
 * Reads the records that belong to the caller, and those of the principal in
 * "from".  There are more records than a list has, but no other sender can
 * displace these.
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
                   : parley_responder_principal(
                         &agents, task->wire,
                         parley_retain_text(task->data.doc, task->data.node,
                                            "from"));

        id->tag = parley_state_tag(r->ask->state, owner, 2, NULL, 0);

        rc = parley_ask_get_owned(r->ask, id, &records);

        if (rc == 0) {
            rc = parley_retain_gather(r, f, &records);
        }
    }

    return rc;
}


/* Adds the messages of records that the caller may see, each once. */

static int
parley_retain_gather(const parley_retain_t *r, parley_found_t *f,
    const parley_records_t *records)
{
    int             i;
    size_t          k;
    parley_kept_t  *m;

    for (i = records->n - 1; i >= 0; i--) {

        if (records->list[i].queue == PARLEY_EVICTABLE_MESSAGE && !r->retains) {
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

        if (!parley_state_reads_format(records->list[i].value)) {
            continue;
        }

        m = &f->kept[f->n];
        m->record = records->list[i];

        if (parley_retain_read(r, m) != 0) {
            return -1;
        }

        f->n += m->message.len != 0 && parley_retain_is_agent(r, m);
    }

    return 0;
}


/* A record that another program wrote into a store may have no message. */

static int
parley_retain_read(const parley_retain_t *r, parley_kept_t *m)
{
    uint32_t        list, message;
    parley_str_t    raw;
    parley_error_t  err;

    m->message = parley_str_none;

    if (parley_read_again(&m->doc, r->arena, r->seed,
                          parley_str_from(m->record.value, 1), &err)
        != 0)
    {
        return -1;
    }

    m->protocol = parley_retain_text(&m->doc, 0, "protocol");
    m->sub = parley_retain_text(&m->doc, 0, "sub");
    m->to = parley_retain_text(&m->doc, 0, "to");
    m->sender = parley_retain_text(&m->doc, 0, "sender");
    m->recipient = parley_retain_text(&m->doc, 0, "recipient");
    m->corr = parley_retain_text(&m->doc, 0, "corr");
    m->sent_corr = parley_retain_text(&m->doc, 0, "sent_corr");

    list = parley_json_get(&m->doc, 0, PARLEY_STR("refutations"));
    message = parley_json_member(&m->doc, 0, PARLEY_ATOM_message);

    if (list == PARLEY_JSON_NONE || message == PARLEY_JSON_NONE
        || parley_json_type(&m->doc, list) != PARLEY_JSON_ARRAY)
    {
        return 0;
    }

    raw = parley_json_raw(&m->doc, list);

    m->refutations = m->doc.nodes[list].count;
    m->refuted = parley_str_make(raw.data + 1, raw.len - 2);
    m->message = parley_json_raw(&m->doc, message);

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


/* Sets f->which to the oldest message that matches the task. */

static int
parley_retain_choose(const parley_retain_t *r, parley_found_t *f,
    parley_task_fault_t *fault)
{
    int                 rc;
    size_t              i;
    parley_str_t        from;
    parley_json_ref_t   payload;

    payload = r->who->msg->data;
    from = parley_retain_text(payload.doc, payload.node, "from");

    for (i = 0; i < f->n; i++) {

        if (from.len > 0 && !parley_str_eq(from, f->kept[i].sender)) {
            continue;
        }

        rc = parley_retain_has_corr(r, &f->kept[i], fault);

        if (rc == 1) {
            rc = parley_retain_has_hash(r, &f->kept[i], fault);
        }

        if (rc != 0) {
            f->which = i;
            return rc;
        }
    }

    return 0;
}


/*
 * Checks that the "corr" of the task, if it has one, is the message's.  Returns
 * 1, or 0 and *fault.
 */

static int
parley_retain_has_corr(const parley_retain_t *r, const parley_kept_t *m,
    parley_task_fault_t *fault)
{
    parley_str_t       corr;
    parley_json_ref_t  payload;

    payload = r->who->msg->data;

    if (parley_json_member(payload.doc, payload.node, PARLEY_ATOM_corr)
        == PARLEY_JSON_NONE)
    {
        return 1;
    }

    corr = parley_retain_text(payload.doc, payload.node, "corr");

    if (corr.len > 0
        && (parley_str_eq(corr, m->corr) || parley_str_eq(corr, m->sent_corr)))
    {
        return 1;
    }

    fault->code = "E_CORR_MISMATCH";
    fault->field = "/payload/corr";
    fault->why = "the retained message has another corr";

    return 0;
}


/*
 * Checks that the "hash" of the task, if it has one, is the SHA-256 of the
 * message's RFC 8785 form.  Returns 1; 0 and *fault; or -1: no memory.
 */

static int
parley_retain_has_hash(const parley_retain_t *r, const parley_kept_t *m,
    parley_task_fault_t *fault)
{
    char               own[PARLEY_HASH_LEN];
    parley_str_t       hash;
    parley_json_ref_t  payload;

    payload = r->who->msg->data;

    if (parley_json_member(payload.doc, payload.node, PARLEY_ATOM_hash)
        == PARLEY_JSON_NONE)
    {
        return 1;
    }

    hash = parley_retain_text(payload.doc, payload.node, "hash");

    if (parley_retain_hash(r, m, own) != 0) {
        return -1;
    }

    if (parley_str_eq(hash, parley_str_c(own))) {
        return 1;
    }

    fault->code = "E_HASH_MISMATCH";
    fault->field = "/payload/hash";
    fault->why = "the retained message has another hash";

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


/* Writes the other messages with this id, so that none is hidden by another. */

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


parley_str_t
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


void
parley_retain_key(const parley_state_t *state, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN])
{
    parley_state_key(state, PARLEY_KIND_MESSAGE, &id, 1, key);
}


/*
 * The tag separates owners, and messages with one id to several recipients
 * (parley_window receiver=).  A recipient longer than a name is omitted, as a
 * publication does not store it.
 */

void
parley_retain_id(const parley_state_t *state, const parley_retained_t *m,
    parley_record_id_t *ret)
{
    parley_str_t  owner[2], parts[4];

    ret->kind = PARLEY_KIND_MESSAGE;
    parley_retain_key(state, m->id, ret->key);

    /*
     * an answer belongs to its reader, as the asker chose the answer's sender
     */

    owner[0] = m->sub.len > 0 ? m->sub : m->to;
    owner[1] = owner[0].len > 0 ? parley_str_none : m->sender;

    parts[0] = m->protocol;
    parts[1] = m->sub;
    parts[2] = m->to;
    parts[3] = m->recipient.len <= PARLEY_PUBLICATION_TEXT_MAX
               ? m->recipient : parley_str_none;

    ret->tag = parley_state_tag(state, owner, 2, parts, 4);
}
