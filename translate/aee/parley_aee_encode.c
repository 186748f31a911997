#include "translate/aee/parley_aee.h"
#include "core/parley_id.h"
#include "translate/parley_embed.h"
#include "translate/parley_name.h"
#include "core/parley_time.h"
#include "translate/parley_msg_field.h"


static int parley_aee_encode_head(parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_aee_head_t *head, parley_str_t *ret_form, parley_error_t *err);
static parley_str_t parley_aee_encode_intent(const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_str_t *ret_form);
static int parley_aee_encode_ids(parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_aee_head_t *head, parley_error_t *err);
static int parley_aee_encode_own_id(parley_arena_t *arena,
    const parley_msg_t *m, parley_aee_head_t *head, parley_error_t *err);
static int parley_aee_encode_id(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t id, const char *purpose, parley_str_t *ret,
    parley_error_t *err);
static int parley_aee_encode_ts(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t *ret, parley_error_t *err);
static void parley_aee_head(parley_buf_t *b, const parley_aee_head_t *head);
static void parley_aee_head_rest(parley_buf_t *b,
    const parley_aee_head_t *head);
static void parley_aee_restore(parley_buf_t *b,
    const parley_aee_head_t *head);
static void parley_aee_untimed(const parley_msg_t *m, parley_loss_t *loss);
static void parley_aee_restore_requires(parley_buf_t *b,
    const parley_aee_head_t *head, parley_json_ref_t requires);
static int parley_aee_check_restored(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *m, parley_str_t body,
    parley_error_t *err);


int
parley_aee_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    parley_buf_t       b;
    parley_str_t       form;
    parley_aee_head_t  head;

    if (parley_aee_encode_head(arena, m, opts, &head, &form, err) != 0) {
        return -1;
    }

    parley_buf_init(&b, arena, m->doc->input.len + 512);

    parley_aee_head(&b, &head);

    if (head.restored) {
        parley_embed_payload(&b, m, PARLEY_ATOM_NONE);

    } else if (parley_aee_embed_write(&b, m, form, opts) != 0) {
        return parley_error_memory(err);
    }

    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &ret->body) != 0) {
        return parley_error_memory(err);
    }

    ret->id = head.id;
    ret->corr = head.corr;

    /* A result or error has the id of its task (AEE section 4). */
    ret->answerable = head.act == PARLEY_ACT_REQUEST;

    if (head.restored
        && parley_aee_check_restored(engine, arena, m, ret->body, err) != 0)
    {
        return -1;
    }

    if (m->origin != m->wire) {
        parley_codecs[m->wire]->unmapped(m, loss);
    }

    if (head.restored && head.timeout_ms < 0) {
        parley_aee_untimed(m, loss);
    }

    return 0;
}


static int
parley_aee_encode_head(parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_aee_head_t *head,
    parley_str_t *ret_form, parley_error_t *err)
{
    memset(head, 0, sizeof(parley_aee_head_t));

    head->act = m->act;
    head->intent = parley_aee_encode_intent(m, opts, ret_form);
    head->priority = m->priority;
    head->timeout_ms = m->timeout_ms;
    head->restored = m->origin == PARLEY_PROTO_AEE ? m : NULL;

    if (m->trace_id.len > 0) {
        head->trace_id = m->trace_id;
        head->span_id = m->span_id;

    } else if (opts->trace_id.len > 0) {
        head->trace_id = opts->trace_id;
        head->span_id = opts->span_id;
    }

    if (parley_aee_is_short(head->intent, PARLEY_AEE_INTENT_MIN)) {
        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_INTENT).pointer,
                                "an AEE intent must have at least 3 "
                                "characters");
    }

    return parley_aee_encode_ids(arena, m, opts, head, err) == 0
           && parley_aee_encode_ts(arena, m, &head->ts, err) == 0
           && parley_name_translate(arena, opts, m, m->sender,
                                    PARLEY_MSG_SENDER, PARLEY_PROTO_AEE,
                                    &head->from, err)
              == 0
           && parley_name_translate(arena, opts, m, m->recipient,
                                    PARLEY_MSG_RECIPIENT, PARLEY_PROTO_AEE,
                                    &head->to, err)
              == 0 ? 0 : -1;
}


/*
 * Returns the intent of an envelope.  An answer has the intent of its task, so
 * that the task's schemas apply, and its own intent in the payload (AEE-33).
 * If the payload already has a member of that name, the answer keeps its own
 * intent.
 */

static parley_str_t
parley_aee_encode_intent(const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_str_t *ret_form)
{
    uint32_t             i;
    const parley_msg_t  *asked;

    asked = opts->answering;
    *ret_form = parley_str_none;

    if (asked == NULL || asked->wire != PARLEY_PROTO_AEE
        || m->origin == PARLEY_PROTO_AEE
        || (m->act != PARLEY_ACT_REPLY && m->act != PARLEY_ACT_FAILURE
            && m->act != PARLEY_ACT_PROGRESS)
        || parley_str_eq(asked->intent, m->intent))
    {
        return m->intent;
    }

    for (i = 0; i < m->nmembers; i++) {
        if (parley_str_is(m->members[i].name, "form")) {
            return m->intent;
        }
    }

    *ret_form = m->intent;

    return asked->intent;
}


static int
parley_aee_encode_ids(parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_aee_head_t *head,
    parley_error_t *err)
{
    int           answers;
    parley_str_t  corr, reply_to;

    if (parley_aee_encode_own_id(arena, m, head, err) != 0) {
        return -1;
    }

    corr = m->corr;
    reply_to = m->reply_to;

    answers = m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE;

    if (opts->answering != NULL) {
        corr = opts->answering->corr;
        reply_to = answers ? opts->answering->id : parley_str_none;
    }

    if (answers && reply_to.len == 0) {
        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "an AEE result or error must answer a message");
    }

    if (corr.len == 0) {
        head->corr = head->id;

    } else if (parley_aee_encode_id(arena, m, corr, "corr", &head->corr, err)
               != 0)
    {
        return -1;
    }

    if (reply_to.len == 0) {
        return 0;
    }

    if (head->restored && opts->answering == NULL) {

        /* A task may have any text, which stays unchanged. */

        head->reply_to = reply_to;
        return 0;
    }

    return parley_aee_encode_id(arena, m, reply_to, "id", &head->reply_to,
                                err);
}


/*
 * Computes the id.  An id may be unique for its sender only (C2A's eventId).  A
 * service that ignores known ids would drop a second sender's message.
 * Therefore the new id is derived from the id and the sender (GW-03).  A UUID
 * is kept.
 */

static int
parley_aee_encode_own_id(parley_arena_t *arena, const parley_msg_t *m,
    parley_aee_head_t *head, parley_error_t *err)
{
    head->id = m->id;

    if (!parley_codecs[m->origin]->sender_ids
        || parley_uuid_is_any_version(m->id))
    {
        return parley_aee_encode_id(arena, m, m->id, "id", &head->id, err);
    }

    return parley_msg_derive(arena, m, 8, m->id, PARLEY_STR("id"), &head->id)
           == 0 ? 0 : parley_error_memory(err);
}


/* Replaces an id that is too short for AEE by a derived one. */

static int
parley_aee_encode_id(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t id, const char *purpose, parley_str_t *ret,
    parley_error_t *err)
{
    *ret = id;

    if (!parley_aee_is_short(id, PARLEY_AEE_ID_MIN)) {
        return 0;
    }

    return parley_msg_derive(arena, m, 8, id, parley_str_c(purpose), ret) == 0
           ? 0 : parley_error_memory(err);
}


static int
parley_aee_encode_ts(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t *ret, parley_error_t *err)
{
    char         ts[PARLEY_TIME_MAX];
    parley_at_t  at;

    *ret = m->created;

    if (!parley_aee_is_short(m->created, PARLEY_AEE_TS_MIN)) {
        return 0;
    }

    if (m->created_ms < 0) {
        at = parley_at(m, PARLEY_MSG_CREATED);

        if (at.pointer[0] == '\0') {
            at = parley_at(m, PARLEY_MSG_FORM);
        }

        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                at.pointer,
                                "an AEE envelope needs a time, and the message "
                                "has none");
    }

    (void) parley_time_format(m->created_ms, ts);

    if (parley_arena_str(arena, parley_str_c(ts), ret) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}


static void
parley_aee_head(parley_buf_t *b, const parley_aee_head_t *head)
{
    parley_buf_lit(b, "{\"v\":\"1\",\"id\":\"");
    parley_buf_json_text(b, head->id);
    parley_buf_lit(b, "\",\"ts\":\"");
    parley_buf_json_text(b, head->ts);

    parley_aee_head_rest(b, head);
}


void
parley_aee_head_made(parley_buf_t *b, const parley_aee_head_t *head)
{
    parley_buf_lit(b, "{\"v\":\"1\",\"id\":\"");
    parley_buf_str(b, head->id);
    parley_buf_lit(b, "\",\"ts\":\"");
    parley_buf_str(b, head->ts);

    parley_aee_head_rest(b, head);
}


static void
parley_aee_head_rest(parley_buf_t *b, const parley_aee_head_t *head)
{
    parley_buf_lit(b, "\",\"type\":\"");
    parley_buf_str(b, parley_aee_type(head->act));
    parley_buf_lit(b, "\",\"from\":\"");
    parley_buf_json_text(b, head->from);
    parley_buf_lit(b, "\",\"to\":\"");
    parley_buf_json_text(b, head->to);
    parley_buf_lit(b, "\",\"intent\":\"");
    parley_buf_json_text(b, head->intent);
    parley_buf_lit(b, "\",\"corr\":\"");
    parley_buf_json_text(b, head->corr);

    if (head->reply_to.len > 0) {
        parley_buf_lit(b, "\",\"reply_to\":\"");
        parley_buf_json_text(b, head->reply_to);
        parley_buf_octet(b, '"');

    } else if (head->restored == NULL) {
        parley_buf_lit(b, "\",\"reply_to\":null");

    } else {
        parley_buf_octet(b, '"');
    }

    if (head->restored) {
        parley_aee_restore(b, head);

    } else if (head->trace_id.len > 0) {
        parley_buf_lit(b, ",\"trace\":{\"trace_id\":\"");
        parley_buf_json_text(b, head->trace_id);
        parley_buf_lit(b, "\",\"span_id\":\"");
        parley_buf_json_text(b, head->span_id);
        parley_buf_lit(b, "\"}");
    }

    parley_buf_lit(b, ",\"priority\":\"");
    parley_buf_str(b, parley_priority_name(head->priority));

    if (head->restored != NULL) {
        parley_buf_lit(b, "\",\"payload\":");

    } else if (head->timeout_ms >= 0) {
        parley_buf_lit(b, "\",\"requires\":{\"timeout_ms\":");
        parley_buf_int(b, head->timeout_ms);
        parley_buf_lit(b, "},\"payload\":");

    } else {
        parley_buf_lit(b, "\",\"requires\":null,\"payload\":");
    }
}


/*
 * Writes the restored members, which come from outside.  It omits a member with
 * the name of a field that the envelope already has.
 */

static void
parley_aee_restore(parley_buf_t *b, const parley_aee_head_t *head)
{
    int                     requires;
    uint32_t                i;
    const parley_member_t  *member;

    requires = 0;

    for (i = 0; i < head->restored->nmembers; i++) {
        member = &head->restored->members[i];

        switch (parley_aee_field_name(member->name)) {

        case PARLEY_AEE_FIELDS:
        case PARLEY_AEE_TRACE:
            break;

        case PARLEY_AEE_REQUIRES:
            requires = 1;
            parley_aee_restore_requires(b, head, member->value);
            continue;

        case PARLEY_AEE_REPLY_TO:
            if (head->reply_to.len == 0) {
                break;
            }

            continue;

        default:
            continue;
        }

        parley_buf_octet(b, ',');
        parley_embed_member(b, member);
    }

    if (!requires && head->timeout_ms >= 0) {
        parley_buf_lit(b, ",\"requires\":{\"timeout_ms\":");
        parley_buf_int(b, head->timeout_ms);
        parley_buf_octet(b, '}');
    }
}


/* Reports a deadline that the carrier does not have. */

static void
parley_aee_untimed(const parley_msg_t *m, parley_loss_t *loss)
{
    uint32_t           i;
    parley_json_ref_t  value;

    for (i = 0; i < m->nmembers; i++) {

        if (parley_aee_field_name(m->members[i].name)
            != PARLEY_AEE_REQUIRES)
        {
            continue;
        }

        value = m->members[i].value;
        value.node = parley_json_member(value.doc, value.node,
                                        PARLEY_ATOM_timeout_ms);

        if (parley_aee_timeout(value.doc, value.node) >= 0) {
            parley_loss_value(loss, value);
        }
    }
}


/*
 * Writes requires.  The carrier decides the deadline, which may be capped
 * (AEE-29).  An equal timeout_ms is kept as received.
 */

static void
parley_aee_restore_requires(parley_buf_t *b, const parley_aee_head_t *head,
    parley_json_ref_t requires)
{
    unsigned              comma;
    uint32_t              k, timeout;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = requires.doc;
    value.doc = doc;

    parley_buf_lit(b, ",\"requires\":");

    if (parley_json_type(doc, requires.node) != PARLEY_JSON_OBJECT
        && (parley_json_type(doc, requires.node) != PARLEY_JSON_NULL
            || head->timeout_ms < 0))
    {
        parley_buf_value(b, requires);
        return;
    }

    timeout = parley_json_member(doc, requires.node, PARLEY_ATOM_timeout_ms);

    if (parley_aee_timeout(doc, timeout) == head->timeout_ms) {
        parley_buf_value(b, requires);
        return;
    }

    comma = 0;

    parley_buf_octet(b, '{');

    if (head->timeout_ms >= 0) {
        comma = 1;
        parley_buf_lit(b, "\"timeout_ms\":");
        parley_buf_int(b, head->timeout_ms);
    }

    if (parley_json_type(doc, requires.node) == PARLEY_JSON_OBJECT) {
        for (k = parley_json_first(requires.node);
             k != parley_json_end(doc, requires.node);
             k = parley_json_after(doc, k + 1))
        {
            if (k + 1 == timeout) {
                continue;
            }

            if (comma++) {
                parley_buf_octet(b, ',');
            }

            value.node = k;
            parley_buf_value(b, value);
            parley_buf_octet(b, ':');
            value.node = k + 1;
            parley_buf_value(b, value);
        }
    }

    parley_buf_octet(b, '}');
}


static int
parley_aee_check_restored(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *m, parley_str_t body,
    parley_error_t *err)
{
    parley_json_t  doc;

    if (parley_aee_is_reserved(m->intent)) {
        return parley_error_set(err, PARLEY_E_INTENT_REFUSED,
                                parley_at(m, PARLEY_MSG_INTENT).pointer,
                                "the intent must not be in the reserved "
                                "namespace aee.*");
    }

    if (parley_read_again(&doc, arena, m->doc->seed, body, err) == 0
        && parley_validate(engine, PARLEY_PROTO_AEE, &doc, err) == 0)
    {
        return 0;
    }

    if (err->code == PARLEY_E_CAPACITY) {
        return -1;
    }

    return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                            parley_at(m, PARLEY_MSG_DATA).pointer,
                            "the carried content is not a valid AEE envelope");
}
