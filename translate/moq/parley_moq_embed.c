/*
 * A command that embeds another protocol's message:
 *
 *   action      its intent, without "moq.cmd."
 *   session_id  its correlation
 *   status      "approved" for a reply, "denied" or "error" for a failure,
 *               "working" for progress
 *   error_code  of a failure, if its code has a number
 *   payload     its payload
 *   "<x>"       {"form", "id", "created", "sender", "recipient", and if they
 *               differ from the default: "intent", "act", "corr", "reply_to",
 *               "priority", "timeout_ms", "members": {...}}
 *
 * <x> is the protocol of the message.  An agent that knows only commands reads
 * the first five.  "intent" is for AEE, since other intents are "<x>.<form>".
 * "act" is for the other protocols, if form and payload do not give it.
 */

#include "translate/moq/parley_moq.h"
#include "translate/parley_embed_redact.h"
#include "translate/parley_name.h"
#include "core/parley_time.h"


static int parley_moq_capsule(const parley_msg_t *m, parley_embed_t *ret);
static int parley_moq_has_payload(const parley_msg_t *m);
static int parley_moq_agrees(const parley_msg_t *outer,
    const parley_embed_t *c, const parley_msg_t *inner);
static void parley_moq_write_status(parley_moq_encode_t *e);
static int64_t parley_moq_error_code(parley_str_t code);
static int parley_moq_write_capsule(parley_moq_encode_t *e);
static int parley_moq_write_act(const parley_msg_t *m, parley_str_t *ret);


static const parley_embed_item_t  parley_moq_items[] = {
    { parley_str("form"), PARLEY_EMBED_FORM, 1 },
    { parley_str("id"), PARLEY_EMBED_ID, 1 },
    { parley_str("created"), PARLEY_EMBED_CREATED, 1 },
    { parley_str("sender"), PARLEY_EMBED_SENDER, 1 },
    { parley_str("recipient"), PARLEY_EMBED_RECIPIENT, 1 },
    { parley_str("intent"), PARLEY_EMBED_INTENT, 0 },
    { parley_str("act"), PARLEY_EMBED_ACT, 0 },
    { parley_str("corr"), PARLEY_EMBED_CORR, 0 },
    { parley_str("reply_to"), PARLEY_EMBED_REPLY_TO, 0 },
    { parley_str("priority"), PARLEY_EMBED_PRIORITY, 0 },
    { parley_str("timeout_ms"), PARLEY_EMBED_TIMEOUT, 0 },
    { parley_str("members"), PARLEY_EMBED_MEMBERS, 0 },
};


const parley_embed_slot_t  parley_moq_slot = {
    .proto = PARLEY_PROTO_MOQ,
    .items = parley_moq_items,
    .nitems = sizeof(parley_moq_items) / sizeof(parley_moq_items[0]),
    .says = PARLEY_EMBED_SAYS_NOTHING,
    .act = PARLEY_ACT_EVENT,
    .agrees = parley_moq_agrees,
    .strict = 1,
};


int
parley_moq_extract(const parley_msg_t *m, parley_embed_t *ret)
{
    int                rc;
    parley_str_t      *words;
    parley_json_ref_t  payload;

    rc = parley_moq_capsule(m, ret);

    if (rc != 1) {
        return rc;
    }

    /* A payload that is empty or not an object is a member of the envelope. */

    payload = parley_embed_find(m, PARLEY_STR("payload"));

    if (payload.node == PARLEY_JSON_NONE) {
        rc = parley_moq_has_payload(m);

        if (rc <= 0) {
            return rc;
        }

        payload = m->data;

    } else if (parley_json_type(payload.doc, payload.node)
               != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    ret->data = payload;
    words = ret->words;

    if (words[PARLEY_EMBED_CORR].len == 0) {
        words[PARLEY_EMBED_CORR] = m->corr;
    }

    if (ret->origin != PARLEY_PROTO_CANONICAL) {
        return 1;
    }

    if (words[PARLEY_EMBED_INTENT].len == 0) {
        words[PARLEY_EMBED_INTENT] = parley_moq_action(m->intent);
    }

    /* A form that AEE does not have is read as a task. */

    if (words[PARLEY_EMBED_ACT].len == 0
        && !parley_embed_is_form(ret->origin, words[PARLEY_EMBED_FORM]))
    {
        words[PARLEY_EMBED_ACT] = parley_embed_acts[PARLEY_ACT_REQUEST];
    }

    return 1;
}


/*
 * Reads the member with the capsule.  Two capsules contradict each other.
 * Returns 1; 0 if there is not exactly one; -1 if memory is exhausted.
 */

static int
parley_moq_capsule(const parley_msg_t *m, parley_embed_t *ret)
{
    int                rc, found;
    uint32_t           i;
    parley_embed_t     c;
    parley_proto_t     proto;
    parley_json_ref_t  value;

    found = 0;

    for (i = 0; i < m->nmembers; i++) {
        value = m->members[i].value;
        proto = parley_proto_find(m->members[i].name);

        if (proto == PARLEY_PROTO_NONE || proto == PARLEY_PROTO_MOQ
            || parley_json_type(value.doc, value.node) != PARLEY_JSON_OBJECT)
        {
            continue;
        }

        parley_embed_init(&c);
        rc = parley_embed_items_read(&parley_moq_slot, value, &c);

        if (rc < 0 || found + rc > 1) {
            return rc < 0 ? -1 : 0;
        }

        if (rc == 1) {
            found = 1;
            *ret = c;
            ret->at = value;
            ret->origin = proto;
        }
    }

    return found;
}


/*
 * Returns whether the command has a payload with members when it is written, or
 * -1 if memory is exhausted.
 */

static int
parley_moq_has_payload(const parley_msg_t *m)
{
    parley_buf_t  b;
    parley_str_t  payload;

    if (m->data.node == PARLEY_JSON_NONE) {
        return 0;
    }

    parley_buf_init(&b, m->doc->arena, 0);
    parley_embed_payload(&b, m, PARLEY_ATOM_NONE);

    return parley_buf_done(&b, &payload) != 0 ? -1
           : !parley_str_is(payload, "{}");
}


/*
 * Returns whether the command alone says the same as the embedded message,
 * because rules examine the intent.  An answer has the action of the answered
 * command; so has progress, unless it is of AEE.  An AEE message has its own
 * intent, and its act is its form.  The intent of another protocol's message is
 * "<x>.<form>".
 */

static int
parley_moq_agrees(const parley_msg_t *outer, const parley_embed_t *c,
    const parley_msg_t *inner)
{
    if (c->origin == PARLEY_PROTO_CANONICAL
        ? c->words[PARLEY_EMBED_ACT].len > 0
          && parley_embed_is_form(c->origin, c->words[PARLEY_EMBED_FORM])
        : !parley_embed_is_usual(inner)
          || !parley_embed_is_form(c->origin, inner->form))
    {
        return 0;
    }

    if ((outer->act == PARLEY_ACT_REQUEST
         || (outer->act == PARLEY_ACT_PROGRESS
             && c->origin == PARLEY_PROTO_CANONICAL))
        && !parley_str_eq(parley_moq_action(inner->intent),
                          parley_moq_action(outer->intent)))
    {
        return 0;
    }

    return (inner->act == PARLEY_ACT_REPLY) == (outer->act == PARLEY_ACT_REPLY)
           && (inner->act == PARLEY_ACT_FAILURE)
              == (outer->act == PARLEY_ACT_FAILURE)
           && (inner->act == PARLEY_ACT_PROGRESS
               || outer->act != PARLEY_ACT_PROGRESS);
}


int
parley_moq_write_embedded(parley_moq_encode_t *e)
{
    parley_buf_t  *b;

    b = &e->b;

    parley_buf_lit(b, "{\"action\":\"");
    parley_buf_json_text(b, e->action);

    if (e->session_id.len > 0) {
        parley_buf_lit(b, "\",\"session_id\":\"");
        parley_buf_json_text(b, e->session_id);
    }

    parley_buf_octet(b, '"');

    parley_moq_write_status(e);

    parley_buf_lit(b, ",\"payload\":");

    if (e->m->carried || e->m->envelope != NULL
        || e->m->data.node == PARLEY_JSON_NONE)
    {
        parley_embed_payload(b, e->m, PARLEY_ATOM_NONE);

    } else {
        parley_buf_value(b, e->m->data);
    }

    if (parley_moq_write_capsule(e) != 0) {
        return -1;
    }

    parley_buf_octet(b, '}');

    return 0;
}


static void
parley_moq_write_status(parley_moq_encode_t *e)
{
    int64_t              n;
    parley_moq_status_t  status;

    if (e->m->act == PARLEY_ACT_REPLY) {
        parley_buf_member(&e->b, PARLEY_STR("status"),
                          parley_moq_status_name(PARLEY_MOQ_APPROVED));
        return;
    }

    if (e->m->act == PARLEY_ACT_PROGRESS) {
        parley_buf_member(&e->b, PARLEY_STR("status"),
                          parley_moq_status_name(PARLEY_MOQ_WORKING));
        return;
    }

    if (e->m->act != PARLEY_ACT_FAILURE) {
        return;
    }

    n = parley_moq_error_code(e->m->code);

    status = n == 401 || n == 403 || parley_str_is(e->m->code, "E_DENIED")
             ? PARLEY_MOQ_DENIED : PARLEY_MOQ_ERROR;

    parley_buf_member(&e->b, PARLEY_STR("status"),
                      parley_moq_status_name(status));

    if (n >= 0) {
        parley_buf_name(&e->b, PARLEY_STR("error_code"));
        parley_buf_int(&e->b, n);
    }
}


/*
 * Returns the number of a code: "E_403" is 403, "E_RATE_LIMITED" is 429.
 * Returns -1 for an unknown code.
 */

static int64_t
parley_moq_error_code(parley_str_t code)
{
    size_t    i;
    int64_t   n;
    unsigned  k;

    for (k = PARLEY_E_NONE + 1; k < PARLEY_E_COUNT; k++) {
        if (parley_str_eq(parley_error_info((parley_code_t) k)->symbol,
                          code))
        {
            return parley_error_info((parley_code_t) k)->http;
        }
    }

    if (!parley_str_begins(code, "E_") || code.len < 3 || code.len > 11) {
        return -1;
    }

    n = 0;

    for (i = 2; i < code.len; i++) {
        if (code.data[i] < '0' || code.data[i] > '9') {
            return -1;
        }

        n = 10 * n + code.data[i] - '0';
    }

    return n;
}


static int
parley_moq_write_capsule(parley_moq_encode_t *e)
{
    char                 created[PARLEY_TIME_MAX];
    parley_str_t        *words;
    parley_embed_t       c;
    const parley_msg_t  *m;

    m = e->m;

    parley_embed_fill(&c, m);
    words = c.words;

    if (parley_name_translate(e->arena, e->opts, m, m->sender,
                              PARLEY_MSG_SENDER, PARLEY_PROTO_MOQ,
                              &words[PARLEY_EMBED_SENDER], e->err)
        != 0
        || parley_name_translate(e->arena, e->opts, m, m->recipient,
                                 PARLEY_MSG_RECIPIENT, PARLEY_PROTO_MOQ,
                                 &words[PARLEY_EMBED_RECIPIENT], e->err)
           != 0)
    {
        return -1;
    }

    if (m->created.len == 0) {
        created[0] = '\0';
        (void) parley_time_format(m->created_ms, created);
        words[PARLEY_EMBED_CREATED] = parley_str_c(created);
    }

    e->unnamed = words[PARLEY_EMBED_SENDER].len == 0
                 || words[PARLEY_EMBED_RECIPIENT].len == 0
                 || words[PARLEY_EMBED_CREATED].len == 0;

    /* The correlation of an answer is the exchange's. */

    if (e->opts->answering != NULL) {
        words[PARLEY_EMBED_CORR] = parley_str_none;
        words[PARLEY_EMBED_REPLY_TO] = parley_str_none;

    } else if (parley_str_eq(m->corr, e->session_id)) {
        words[PARLEY_EMBED_CORR] = parley_str_none;
    }

    if (m->origin != PARLEY_PROTO_CANONICAL
        || parley_str_eq(m->intent, e->action))
    {
        words[PARLEY_EMBED_INTENT] = parley_str_none;
    }

    if (parley_moq_write_act(m, &words[PARLEY_EMBED_ACT]) != 0) {
        return parley_error_memory(e->err);
    }

    parley_buf_name(&e->b, parley_proto_name(m->origin));
    parley_buf_octet(&e->b, '{');
    parley_embed_items_write(&e->b, &parley_moq_slot, &c, m);
    parley_buf_octet(&e->b, '}');

    return 0;
}


/*
 * Finds the word of the act, if a reader of the form and the payload assumes
 * another act.  Returns 0, or -1 if memory is exhausted.
 */

static int
parley_moq_write_act(const parley_msg_t *m, parley_str_t *ret)
{
    parley_msg_t           said;
    const parley_codec_t  *codec;

    codec = parley_codecs[m->origin];

    if (m->origin == PARLEY_PROTO_CANONICAL || codec->payload == NULL) {
        return 0;
    }

    said = *m;
    said.act = parley_moq_slot.act;

    if (m->data.node != PARLEY_JSON_NONE && codec->payload(&said) != 0) {
        return -1;
    }

    if (said.act != m->act) {
        *ret = parley_embed_acts[m->act];
    }

    return 0;
}


uint32_t
parley_moq_locate(const parley_msg_t *m, parley_msg_field_t field)
{
    unsigned  i;
    uint32_t  capsule;

    static const parley_embed_field_t  fields[] = {
        [PARLEY_MSG_FORM] = PARLEY_EMBED_FORM,
        [PARLEY_MSG_INTENT] = PARLEY_EMBED_INTENT,
        [PARLEY_MSG_CORR] = PARLEY_EMBED_CORR,
        [PARLEY_MSG_REPLY_TO] = PARLEY_EMBED_REPLY_TO,
        [PARLEY_MSG_PRIORITY] = PARLEY_EMBED_PRIORITY,
        [PARLEY_MSG_TIMEOUT] = PARLEY_EMBED_TIMEOUT,
        [PARLEY_MSG_CREATED] = PARLEY_EMBED_CREATED,
        [PARLEY_MSG_SENDER] = PARLEY_EMBED_SENDER,
        [PARLEY_MSG_RECIPIENT] = PARLEY_EMBED_RECIPIENT,
        [PARLEY_MSG_ID] = PARLEY_EMBED_ID,
    };

    if (field == PARLEY_MSG_REPLY_TO && m->names.len > 0) {
        return parley_json_get(m->data.doc, m->data.node,
                               PARLEY_STR("in_reply_to"));
    }

    if (m->origin == m->wire || field == PARLEY_MSG_DATA
        || field >= sizeof(fields) / sizeof(fields[0]))
    {
        return PARLEY_JSON_NONE;
    }

    capsule = parley_json_member(m->doc, 0, parley_proto_atom(m->origin));

    for (i = 0; i < parley_moq_slot.nitems; i++) {
        if (parley_moq_items[i].field == fields[field]) {
            return parley_json_get(m->doc, capsule, parley_moq_items[i].name);
        }
    }

    return PARLEY_JSON_NONE;
}


int
parley_moq_within(parley_redact_t *r, const parley_msg_t *m)
{
    return parley_embed_redact_members(r, m->doc, 0, PARLEY_STR("/"),
                                       PARLEY_STR("/members"));
}
