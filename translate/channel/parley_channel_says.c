/*
 * Reads a payload by its kind (section 5): its act, its correlation, its text
 * for a person and its urgency.
 */

#include "translate/channel/parley_channel.h"
#include "translate/parley_deadline_read.h"
#include "core/parley_id.h"


#define PARLEY_CHANNEL_QUERY_REF  "query:"


static int parley_channel_says_kind(parley_msg_t *msg,
    const parley_channel_kind_info_t *kind);
static int parley_channel_says_question(parley_msg_t *msg,
    const parley_channel_kind_info_t *kind);
static int parley_channel_says_reference(const parley_msg_t *msg,
    parley_str_t *ret);
static void parley_channel_says_failure(parley_msg_t *msg);
static int parley_channel_says_moment(parley_msg_t *msg);
static void parley_channel_says_options(parley_buf_t *b,
    const parley_json_t *doc, uint32_t question);
static void parley_channel_says_text(parley_buf_t *b,
    const parley_json_t *doc, uint32_t value);
static void parley_channel_says_urgency(parley_msg_t *msg,
    parley_channel_kind_t kind);


int
parley_channel_says(parley_msg_t *msg)
{
    const parley_channel_kind_info_t  *kind;

    kind = parley_channel_kind_find(msg->form);

    return kind != NULL ? parley_channel_says_kind(msg, kind) : 0;
}


static int
parley_channel_says_kind(parley_msg_t *msg,
    const parley_channel_kind_info_t *kind)
{
    uint32_t              value;
    const parley_json_t  *doc;

    doc = msg->data.doc;

    msg->act = kind->act;

    if (kind->text != PARLEY_ATOM_NONE) {
        msg->said[0] = parley_json_member(doc, msg->data.node, kind->text);

        if (parley_msg_string(doc, msg->said[0], &msg->text) != 0) {
            return -1;
        }
    }

    if (kind->corr != PARLEY_ATOM_NONE) {
        value = parley_json_member(doc, msg->data.node, kind->corr);

        if (parley_channel_id(doc, value, &msg->corr) != 0) {
            return -1;
        }
    }

    if (parley_channel_says_question(msg, kind) != 0) {
        return -1;
    }

    if (msg->act == PARLEY_ACT_REPLY) {
        parley_channel_says_failure(msg);
    }

    parley_channel_says_urgency(msg, kind->kind);

    return kind->kind == PARLEY_CHANNEL_BINDING_MOMENT
           ? parley_channel_says_moment(msg) : 0;
}


/*
 * Fills the name of the question.  Its answers have the same name.  A kind that
 * asks a question has no other correlation.
 */

static int
parley_channel_says_question(parley_msg_t *msg,
    const parley_channel_kind_info_t *kind)
{
    uint32_t      value;
    parley_str_t  id;

    id = parley_str_none;

    if (kind->question != PARLEY_ATOM_NONE) {
        value = parley_json_member(msg->data.doc, msg->data.node,
                                   kind->question);

        if (parley_channel_id(msg->data.doc, value, &id) != 0) {
            return -1;
        }

    } else if (kind->kind == PARLEY_CHANNEL_HANDOVER
               && parley_channel_says_reference(msg, &id) != 0)
    {
        return -1;
    }

    if (id.len == 0) {
        return 0;
    }

    msg->corr = id;

    /* A return event reports on the exchange of an answer. */

    if (kind->act == PARLEY_ACT_REPLY
        || kind->kind == PARLEY_CHANNEL_RETURN_EVENT)
    {
        msg->reply_to = id;

    } else {
        msg->question = id;
    }

    return 0;
}


/* Finds "query:<query_id>", the pointer of a handover that needs an answer. */

static int
parley_channel_says_reference(const parley_msg_t *msg, parley_str_t *ret)
{
    uint32_t              i, refs;
    parley_str_t          text;
    const parley_json_t  *doc;

    doc = msg->data.doc;
    refs = parley_json_member(doc, msg->data.node, PARLEY_ATOM_pointer_refs);

    if (refs == PARLEY_JSON_NONE
        || parley_json_type(doc, refs) != PARLEY_JSON_ARRAY)
    {
        return 0;
    }

    for (i = parley_json_first(refs);
         i != parley_json_end(doc, refs);
         i = parley_json_after(doc, i))
    {
        if (parley_msg_string(doc, i, &text) != 0) {
            return -1;
        }

        if (!parley_str_begins(text, PARLEY_CHANNEL_QUERY_REF)) {
            continue;
        }

        text = parley_str_from(text, sizeof(PARLEY_CHANNEL_QUERY_REF) - 1);

        if (parley_uuid_is_any_case(text, 4)) {
            return parley_channel_lower(doc->arena, text, ret);
        }
    }

    return 0;
}


void
parley_channel_reference(parley_buf_t *b, parley_str_t question)
{
    parley_buf_lit(b, ",\"pointer_refs\":[\"" PARLEY_CHANNEL_QUERY_REF);
    parley_buf_str(b, question);
    parley_buf_lit(b, "\"]");
}


static void
parley_channel_says_failure(parley_msg_t *msg)
{
    parley_str_t  text, code;

    text = msg->text;

    if (!parley_embed_code_read(&text, &code)) {
        return;
    }

    msg->act = PARLEY_ACT_FAILURE;
    msg->alarm = PARLEY_SEVERITY_WARNING;
    msg->text = text;
    msg->code = code;
    msg->said[1] = msg->said[0];
}


/*
 * Appends the question and the options of a decision to its text:
 *
 *   The branch is stale.
 *
 *   Merge it?
 *   1. rebase (recommended): keeps the history
 *   2. merge: is quick
 */

static int
parley_channel_says_moment(parley_msg_t *msg)
{
    uint32_t              question;
    parley_buf_t          b;
    const parley_json_t  *doc;

    doc = msg->data.doc;
    question = parley_json_member(doc, msg->data.node, PARLEY_ATOM_question);

    if (question == PARLEY_JSON_NONE
        || parley_json_type(doc, question) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    parley_buf_init(&b, doc->arena, 0);

    parley_buf_str(&b, msg->text);
    parley_buf_lit(&b, "\n\n");
    parley_channel_says_text(&b, doc,
                             parley_json_member(doc, question,
                                                PARLEY_ATOM_stem));
    parley_channel_says_options(&b, doc, question);

    return parley_buf_done(&b, &msg->text);
}


static void
parley_channel_says_options(parley_buf_t *b, const parley_json_t *doc,
    uint32_t question)
{
    int64_t   n, recommended;
    uint32_t  i, options, value;

    options = parley_json_member(doc, question, PARLEY_ATOM_options);
    value = parley_json_member(doc, question, PARLEY_ATOM_recommended_idx);

    if (options == PARLEY_JSON_NONE
        || parley_json_type(doc, options) != PARLEY_JSON_ARRAY)
    {
        return;
    }

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_NUMBER
        || parley_json_integer(doc, value, &recommended) != 0)
    {
        recommended = -1;
    }

    n = 0;

    for (i = parley_json_first(options);
         i != parley_json_end(doc, options);
         i = parley_json_after(doc, i))
    {
        parley_buf_octet(b, '\n');
        parley_buf_int(b, n + 1);
        parley_buf_lit(b, ". ");
        parley_channel_says_text(b, doc,
                                 parley_json_member(doc, i,
                                                    PARLEY_ATOM_label));

        if (n++ == recommended) {
            parley_buf_lit(b, " (recommended)");
        }

        parley_buf_lit(b, ": ");
        parley_channel_says_text(b, doc,
                                 parley_json_member(doc, i,
                                                    PARLEY_ATOM_reasoning));
    }
}


static void
parley_channel_says_text(parley_buf_t *b, const parley_json_t *doc,
    uint32_t value)
{
    parley_str_t  text;

    if (parley_msg_string(doc, value, &text) != 0) {
        b->failed = 1;
        return;
    }

    parley_buf_str(b, text);
}


static void
parley_channel_says_urgency(parley_msg_t *msg, parley_channel_kind_t kind)
{
    uint32_t              value;
    const parley_json_t  *doc;

    doc = msg->data.doc;

    switch (kind) {

    case PARLEY_CHANNEL_LOCK_REQUEST:
    case PARLEY_CHANNEL_LOCK_RELEASE:
    case PARLEY_CHANNEL_LEASE_EXTEND:
    case PARLEY_CHANNEL_RETURN_EVENT:
    case PARLEY_CHANNEL_INTENT_WITHDRAW:
    case PARLEY_CHANNEL_FLUSH_EXECUTED:
        msg->notice = PARLEY_NOTICE_RECORD;
        break;

    case PARLEY_CHANNEL_BINDING_MOMENT:
        msg->notice = PARLEY_NOTICE_NOW;
        break;

    case PARLEY_CHANNEL_QUERY:
        value = parley_json_member(doc, msg->data.node,
                                   PARLEY_ATOM_timeout_ms);
        msg->timeout_ms = parley_channel_ms(doc, value);
        break;

    case PARLEY_CHANNEL_INTENT_DECLARE:
        msg->notice = PARLEY_NOTICE_RECORD;
        value = parley_json_member(doc, msg->data.node, PARLEY_ATOM_urgency);

        if (parley_json_string_is(doc, value, PARLEY_STR("urgent"))) {
            msg->priority = PARLEY_PRIORITY_URGENT;
        }

        break;

    case PARLEY_CHANNEL_DIAGNOSTIC_REQUEST:
        value = parley_json_member(doc, msg->data.node, PARLEY_ATOM_severity);
        msg->said[1] = value;

        if (parley_json_string_is(doc, value, PARLEY_STR("info"))) {
            msg->alarm = PARLEY_SEVERITY_INFO;

        } else if (parley_json_string_is(doc, value, PARLEY_STR("degraded"))) {
            msg->alarm = PARLEY_SEVERITY_WARNING;

        } else if (parley_json_string_is(doc, value, PARLEY_STR("blocked"))) {
            msg->alarm = PARLEY_SEVERITY_CRITICAL;
            msg->priority = PARLEY_PRIORITY_HIGH;
        }

        break;

    default:
        break;
    }
}


int64_t
parley_channel_ms(const parley_json_t *doc, uint32_t value)
{
    return parley_msg_deadline(doc, value, PARLEY_CHANNEL_MS_MAX);
}


int
parley_channel_id(const parley_json_t *doc, uint32_t value, parley_str_t *ret)
{
    if (parley_msg_string(doc, value, ret) != 0) {
        return -1;
    }

    return parley_uuid_is(*ret, 4) || !parley_uuid_is_any_case(*ret, 4)
           ? 0 : parley_channel_lower(doc->arena, *ret, ret);
}


int
parley_channel_lower(parley_arena_t *arena, parley_str_t id,
    parley_str_t *ret)
{
    char  lower[PARLEY_UUID_LEN + 1];

    parley_uuid_lower(id, lower);

    return parley_arena_str(arena, parley_str_make(lower, PARLEY_UUID_LEN),
                            ret);
}


uint32_t
parley_channel_locate(const parley_msg_t *m, parley_msg_field_t field)
{
    const parley_channel_kind_info_t  *kind;

    kind = parley_channel_kind_find(m->form);

    if (field != PARLEY_MSG_REPLY_TO || m->origin != PARLEY_PROTO_CHANNEL
        || kind == NULL || m->act == PARLEY_ACT_REQUEST
        || kind->question == PARLEY_ATOM_NONE)
    {
        return PARLEY_JSON_NONE;
    }

    return parley_json_member(m->data.doc, m->data.node, kind->question);
}
