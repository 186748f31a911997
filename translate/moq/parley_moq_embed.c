/*
 * A command that embeds another protocol's message:
 *
 *   action      its intent, without "moq.cmd."
 *   session_id  its correlation
 *   status      "approved" for a reply, "denied" or "error" for a failure,
 *               "working" for progress
 *   error_code  of a failure, if its code has a number
 *   payload     its payload
 *   "aee"       {"form", "id", "created", "sender", "recipient", and if they
 *               differ from the default: "intent", "corr", "reply_to",
 *               "priority", "timeout_ms", "members": {...}}
 *
 * An agent that knows only commands reads the first five.
 */

#include "translate/moq/parley_moq.h"
#include "translate/parley_embed_redact.h"
#include "translate/parley_name.h"
#include "core/parley_time.h"


static int parley_moq_has_payload(const parley_msg_t *m);
static int parley_moq_agrees(const parley_msg_t *outer,
    const parley_embed_t *c, const parley_msg_t *inner);
static void parley_moq_write_status(parley_moq_encode_t *e);
static int64_t parley_moq_error_code(parley_str_t code);
static int parley_moq_write_capsule(parley_moq_encode_t *e);


static const parley_embed_item_t  parley_moq_items[] = {
    { parley_str("form"), PARLEY_EMBED_FORM, 1 },
    { parley_str("id"), PARLEY_EMBED_ID, 1 },
    { parley_str("created"), PARLEY_EMBED_CREATED, 1 },
    { parley_str("sender"), PARLEY_EMBED_SENDER, 1 },
    { parley_str("recipient"), PARLEY_EMBED_RECIPIENT, 1 },
    { parley_str("intent"), PARLEY_EMBED_INTENT, 0 },
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
    .act = PARLEY_ACT_REQUEST,
    .agrees = parley_moq_agrees,
    .strict = 1,
};


int
parley_moq_extract(const parley_msg_t *m, parley_embed_t *ret)
{
    int                rc;
    parley_json_ref_t  object, payload;

    object = parley_embed_find(m, parley_proto_name(PARLEY_PROTO_CANONICAL));

    if (object.node == PARLEY_JSON_NONE
        || parley_json_type(object.doc, object.node) != PARLEY_JSON_OBJECT)
    {
        return 0;
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

    parley_embed_init(ret);

    ret->at = object;
    ret->origin = PARLEY_PROTO_CANONICAL;
    ret->data = payload;
    ret->words[PARLEY_EMBED_INTENT] = parley_moq_action(m->intent);
    ret->words[PARLEY_EMBED_CORR] = m->corr;

    return parley_embed_items_read(&parley_moq_slot, object, ret);
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
 * command.
 */

static int
parley_moq_agrees(const parley_msg_t *outer, const parley_embed_t *c,
    const parley_msg_t *inner)
{
    (void) c;

    if (inner->act != PARLEY_ACT_REPLY && inner->act != PARLEY_ACT_FAILURE
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

    if (e->m->data.node != PARLEY_JSON_NONE) {
        parley_buf_value(b, e->m->data);

    } else {
        parley_buf_lit(b, "{}");
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

    /* The command has the correlation; that of an answer is the exchange's. */

    words[PARLEY_EMBED_CORR] = parley_str_none;

    if (e->opts->answering != NULL) {
        words[PARLEY_EMBED_REPLY_TO] = parley_str_none;
    }

    if (parley_str_eq(m->intent, e->action)) {
        words[PARLEY_EMBED_INTENT] = parley_str_none;
    }

    parley_buf_name(&e->b, parley_proto_name(m->origin));
    parley_buf_octet(&e->b, '{');
    parley_embed_items_write(&e->b, &parley_moq_slot, &c, m);
    parley_buf_octet(&e->b, '}');

    return 0;
}


int
parley_moq_within(parley_redact_t *r, const parley_msg_t *m)
{
    (void) m;

    return parley_embed_redact(r, parley_str_none,
                               PARLEY_STR("/aee/members"));
}
