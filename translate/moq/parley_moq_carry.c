/*
 * How another protocol's message travels as a command, whole and exactly:
 *
 *     action      its intent, without "moq.cmd."
 *     session_id  its correlation
 *     status      "approved" of a reply, "denied" or "error" of a failure
 *     error_code  of a failure, where its code has a number
 *     payload     its payload
 *     "aee"       {"form", "id", "created", "sender", "recipient", and where
 *                  they say more: "intent", "corr", "reply_to", "priority",
 *                  "timeout_ms", "members": {...}}
 *
 * An agent that knows only commands reads the first five.
 */

#include "parley_moq.h"
#include "parley_carry.h"
#include "parley_name.h"
#include "parley_time.h"


static int parley_moq_carried_head(parley_msg_t *msg, uint32_t object,
    parley_msg_t *head);
static int parley_moq_carried_members(parley_arena_t *arena,
    parley_msg_t *msg, uint32_t object);
static int parley_moq_nested_payload(const parley_msg_t *m);
static void parley_moq_write_status(parley_moq_encode_t *e);
static int64_t parley_moq_error_code(parley_str_t code);
static int parley_moq_write_head(parley_moq_encode_t *e);
static void parley_moq_write_more(parley_moq_encode_t *e);
static void parley_moq_write_members(parley_moq_encode_t *e);


int
parley_moq_carried(parley_arena_t *arena, parley_msg_t *msg)
{
    int                   rc;
    uint32_t              object, payload;
    parley_msg_t          head;
    const parley_json_t  *doc;

    doc = msg->doc;

    object = parley_json_member(doc, 0, PARLEY_ATOM_aee);
    payload = parley_json_member(doc, 0, PARLEY_ATOM_payload);

    if (object == PARLEY_JSON_NONE || payload == PARLEY_JSON_NONE
        || parley_json_type(doc, payload) != PARLEY_JSON_OBJECT
        || parley_codecs[PARLEY_PROTO_AEE]->payload == NULL)
    {
        return 0;
    }

    head = *msg;
    head.data.doc = doc;
    head.data.node = payload;

    rc = parley_moq_carried_head(msg, object, &head);

    if (rc <= 0) {
        return rc;
    }

    *msg = head;

    return parley_moq_carried_members(arena, msg, object);
}


/*
 * Returns 1, or 0: it is no such member, or contradicts the command's status;
 * -1: no memory.
 */

static int
parley_moq_carried_head(parley_msg_t *msg, uint32_t object,
    parley_msg_t *head)
{
    unsigned              i;
    uint32_t              value;
    parley_str_t          text, priority;
    const parley_json_t  *doc;

    const struct {
        parley_atom_t  name;
        parley_str_t  *to;
        int            required;
    } texts[] = {
        { PARLEY_ATOM_form, &head->form, 1 },
        { PARLEY_ATOM_id, &head->held_id, 1 },
        { PARLEY_ATOM_created, &head->created, 1 },
        { PARLEY_ATOM_sender, &head->sender, 1 },
        { PARLEY_ATOM_recipient, &head->recipient, 1 },
        { PARLEY_ATOM_intent, &head->intent, 0 },
        { PARLEY_ATOM_corr, &head->held_corr, 0 },
        { PARLEY_ATOM_reply_to, &head->held_reply_to, 0 },
        { PARLEY_ATOM_priority, &priority, 0 },
    };

    doc = msg->doc;
    priority = parley_str_none;

    head->intent = msg->form;
    head->held_corr = msg->corr;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {

        value = parley_json_member(doc, object, texts[i].name);

        if (parley_msg_string(doc, value, &text) != 0) {
            return -1;
        }

        if (text.len > 0) {
            *texts[i].to = text;

        } else if (texts[i].required || value != PARLEY_JSON_NONE) {
            return 0;
        }
    }

    if (priority.len > 0
        && parley_priority_find(priority, &head->priority) != 0)
    {
        return 0;
    }

    value = parley_json_member(doc, object, PARLEY_ATOM_timeout_ms);

    if (value != PARLEY_JSON_NONE
        && (parley_json_type(doc, value) != PARLEY_JSON_NUMBER
            || parley_json_integer(doc, value, &head->timeout_ms) != 0
            || head->timeout_ms < 0))
    {
        return 0;
    }

    head->outer_form = msg->form;
    head->outer_intent = msg->intent;

    head->origin = PARLEY_PROTO_AEE;
    head->held = 1;
    head->act = PARLEY_ACT_REQUEST;
    head->code = parley_str_none;
    head->retryable = 0;
    head->text = parley_str_none;
    head->said[0] = PARLEY_JSON_NONE;

    (void) parley_time_parse(head->created, &head->created_ms);

    if (parley_codecs[PARLEY_PROTO_AEE]->payload(head) != 0) {
        return -1;
    }

    /*
     * Who reads the command alone must not read something else: what may be
     * done goes by the intent.  An answer has the action of what it answers.
     */

    if (head->act != PARLEY_ACT_REPLY && head->act != PARLEY_ACT_FAILURE
        && !parley_str_eq(parley_moq_action(head->intent), msg->form))
    {
        return 0;
    }

    return (head->act == PARLEY_ACT_REPLY) == (msg->act == PARLEY_ACT_REPLY)
           && (head->act == PARLEY_ACT_FAILURE)
              == (msg->act == PARLEY_ACT_FAILURE);
}


/*
 * Whether the command has a payload with members, as it will be written;
 * another is a member.  -1: no memory.
 */

static int
parley_moq_nested_payload(const parley_msg_t *m)
{
    parley_buf_t  b;
    parley_str_t  payload;

    if (m->data.node == PARLEY_JSON_NONE) {
        return 0;
    }

    parley_buf_init(&b, m->doc->arena, 0);
    parley_carry_payload(&b, m, PARLEY_ATOM_NONE);

    return parley_buf_done(&b, &payload) != 0 ? -1
           : !parley_str_is(payload, "{}");
}


/*
 * A command that another protocol carries, whose member "aee" would be read
 * where it is a command again.
 */

int
parley_moq_nested(const parley_msg_t *m, parley_json_ref_t *ret)
{
    int                rc;
    uint32_t           i;
    parley_msg_t       seen, head;
    parley_json_ref_t  payload;

    *ret = parley_json_ref_none;
    payload = parley_json_ref_none;

    for (i = 0; i < m->nmembers; i++) {

        if (parley_str_is(m->members[i].name, "aee")) {
            *ret = m->members[i].value;

        } else if (parley_str_is(m->members[i].name, "payload")) {
            payload = m->members[i].value;
        }
    }

    if (ret->node == PARLEY_JSON_NONE
        || parley_json_type(ret->doc, ret->node) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    if (payload.node == PARLEY_JSON_NONE) {
        rc = parley_moq_nested_payload(m);

        if (rc <= 0) {
            return rc;
        }

        payload = m->data;

    } else if (parley_json_type(payload.doc, payload.node)
               != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    seen = *m;
    seen.doc = ret->doc;
    seen.data = payload;
    seen.form = parley_moq_action(m->intent);
    seen.held = 0;

    head = seen;

    return parley_moq_carried_head(&seen, ret->node, &head);
}


static int
parley_moq_carried_members(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t object)
{
    uint32_t              k, members;
    parley_member_t      *member;
    const parley_json_t  *doc;

    doc = msg->doc;

    msg->members = NULL;
    msg->nmembers = 0;

    members = parley_json_member(doc, object, PARLEY_ATOM_members);

    if (members == PARLEY_JSON_NONE
        || parley_json_type(doc, members) != PARLEY_JSON_OBJECT
        || parley_json_node(doc, members)->count == 0)
    {
        return 0;
    }

    msg->members = parley_arena_alloc(arena,
                                      parley_json_node(doc, members)->count
                                      * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = parley_json_first(members);
         k != parley_json_end(doc, members);
         k = parley_json_after(doc, k + 1))
    {
        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;

        if (parley_json_string(doc, k, &member->name) != 0) {
            return -1;
        }
    }

    return 0;
}


int
parley_moq_write_carried(parley_moq_encode_t *e)
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

    if (parley_moq_write_head(e) != 0) {
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


/* "E_403" is 403, "E_RATE_LIMITED" 429, what nobody knows has no number. */

static int64_t
parley_moq_error_code(parley_str_t code)
{
    size_t    i;
    int64_t   n;
    unsigned  k;

    for (k = PARLEY_E_NONE + 1; k < PARLEY_E_COUNT; k++) {
        if (parley_str_eq(parley_error_info((parley_code_t) k)->symbol,
                          code)) {
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
parley_moq_write_head(parley_moq_encode_t *e)
{
    char                 created[PARLEY_TIME_MAX];
    parley_buf_t        *b;
    parley_str_t         sender, recipient;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    if (parley_name_translate(e->arena, e->opts, m, m->sender,
                              PARLEY_SPOT_SENDER, PARLEY_PROTO_MOQ, &sender,
                              e->err)
        != 0
        || parley_name_translate(e->arena, e->opts, m, m->recipient,
                                 PARLEY_SPOT_RECIPIENT, PARLEY_PROTO_MOQ,
                                 &recipient, e->err)
           != 0)
    {
        return -1;
    }

    created[0] = '\0';

    if (m->created.len == 0) {
        (void) parley_time_format(m->created_ms, created);
    }

    e->unnamed = sender.len == 0 || recipient.len == 0
                 || (m->created.len == 0 && created[0] == '\0');

    parley_buf_name(b, parley_proto_name(m->origin));
    parley_buf_lit(b, "{\"form\":\"");
    parley_buf_json_text(b, m->form);
    parley_buf_lit(b, "\",\"id\":\"");
    parley_buf_json_text(b, m->id);
    parley_buf_lit(b, "\",\"created\":\"");
    parley_buf_json_text(b, m->created.len > 0 ? m->created
                                               : parley_str_c(created));
    parley_buf_lit(b, "\",\"sender\":\"");
    parley_buf_json_text(b, sender);
    parley_buf_lit(b, "\",\"recipient\":\"");
    parley_buf_json_text(b, recipient);
    parley_buf_octet(b, '"');

    parley_moq_write_more(e);
    parley_moq_write_members(e);

    parley_buf_octet(b, '}');

    return 0;
}


/* What is not said by the command, and not as usual. */

static void
parley_moq_write_more(parley_moq_encode_t *e)
{
    parley_buf_t        *b;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    if (!parley_str_eq(m->intent, e->action)) {
        parley_buf_member(b, PARLEY_STR("intent"), m->intent);
    }

    /* an answer's correlation travels in the exchange */

    if (e->opts->answering == NULL) {

        if (!parley_str_eq(m->corr, e->session_id)) {
            parley_buf_member(b, PARLEY_STR("corr"), m->corr);
        }

        if (m->reply_to.len > 0) {
            parley_buf_member(b, PARLEY_STR("reply_to"), m->reply_to);
        }
    }

    if (m->priority != PARLEY_PRIORITY_NORMAL) {
        parley_buf_member(b, PARLEY_STR("priority"),
                          parley_priority_name(m->priority));
    }

    if (m->timeout_ms >= 0) {
        parley_buf_name(b, PARLEY_STR("timeout_ms"));
        parley_buf_int(b, m->timeout_ms);
    }
}


static void
parley_moq_write_members(parley_moq_encode_t *e)
{
    uint32_t       i;
    parley_buf_t  *b;

    b = &e->b;

    if (e->m->nmembers == 0) {
        return;
    }

    parley_buf_name(b, PARLEY_STR("members"));
    parley_buf_octet(b, '{');

    for (i = 0; i < e->m->nmembers; i++) {
        if (i > 0) {
            parley_buf_octet(b, ',');
        }

        parley_carry_member(b, &e->m->members[i]);
    }

    parley_buf_octet(b, '}');
}
