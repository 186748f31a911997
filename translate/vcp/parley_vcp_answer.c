#include "translate/vcp/parley_vcp.h"


/* status or code of a refusal by an overloaded service */
#define PARLEY_VCP_BUSY  "busy"


static int parley_vcp_answer_status(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine, parley_arena_t *arena,
    const parley_encoded_t *sent, uint32_t status, parley_answer_t *answer,
    parley_error_t *err);
static int parley_vcp_answer_rejected(const parley_encoded_t *sent,
    uint32_t status, parley_answer_t *answer, parley_error_t *err);
static int parley_vcp_answer_again(parley_str_t code);
static int parley_vcp_answer_id(const parley_json_t *doc, uint32_t id,
    const parley_encoded_t *sent, parley_error_t *err);
static int parley_vcp_answer_reply(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine, parley_arena_t *arena,
    const parley_encoded_t *sent, uint32_t reply, parley_answer_t *answer,
    parley_error_t *err);
static int parley_vcp_answer_message(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine, parley_arena_t *arena,
    const parley_encoded_t *sent, const parley_json_t *doc,
    parley_answer_t *answer, parley_error_t *err);
static int parley_vcp_answer_refuses(const parley_json_t *doc,
    uint32_t status);
static parley_str_t parley_vcp_answer_text(const parley_json_t *doc,
    parley_atom_t name);
static int parley_vcp_is_escalation(const parley_answer_t *answer,
    const parley_encode_opts_t *opts);
static int parley_vcp_accepted(parley_arena_t *arena,
    const parley_msg_t *request, parley_str_t reply, parley_reply_t *ret,
    parley_error_t *err);
static int parley_vcp_rejected(parley_arena_t *arena, int status,
    parley_str_t id, parley_str_t code, parley_str_t field,
    parley_str_t message, parley_reply_t *ret);


/*
 * Section 8.2: {"status": "accepted" | "duplicate", "message_id"}, here with an
 * optional "reply".  A refusal is {"status": "rejected", ...}, or {"status":
 * "busy", ...} if the message may be sent again.  A message alone is also an
 * answer.
 */

int
parley_vcp_answer_decode(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    uint32_t              status;
    const parley_json_t  *doc;

    doc = &answer->doc;

    if (parley_json_member(doc, 0, PARLEY_ATOM_vcp_message)
        != PARLEY_JSON_NONE)
    {
        return parley_vcp_answer_message(dialect, engine, arena, sent, doc,
                                         answer, err);
    }

    status = parley_json_member(doc, 0, PARLEY_ATOM_status);

    if (status != PARLEY_JSON_NONE) {
        return parley_vcp_answer_status(dialect, engine, arena, sent, status,
                                        answer, err);
    }

    if (answer->status == 202) {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/status",
                            "the answer must have a status");
}


static int
parley_vcp_answer_status(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent, uint32_t status,
    parley_answer_t *answer, parley_error_t *err)
{
    uint32_t              id, reply;
    const parley_json_t  *doc;

    doc = &answer->doc;

    if (parley_vcp_answer_refuses(doc, status)) {
        return parley_vcp_answer_rejected(sent, status, answer, err);
    }

    if ((!parley_json_string_is(doc, status, PARLEY_STR("accepted"))
         && !parley_json_string_is(doc, status, PARLEY_STR("duplicate")))
        || answer->status >= 300)
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/status",
                                "/status does not fit the HTTP status");
    }

    id = parley_json_member(doc, 0, PARLEY_ATOM_message_id);

    if (id == PARLEY_JSON_NONE) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/message_id",
                                "/message_id is required");
    }

    if (parley_vcp_answer_id(doc, id, sent, err) != 0) {
        return -1;
    }

    reply = parley_json_member(doc, 0, PARLEY_ATOM_reply);

    if (reply == PARLEY_JSON_NONE
        || parley_json_type(doc, reply) == PARLEY_JSON_NULL)
    {
        return 0;
    }

    return parley_vcp_answer_reply(dialect, engine, arena, sent, reply, answer,
                                   err);
}


static int
parley_vcp_answer_rejected(const parley_encoded_t *sent, uint32_t status,
    parley_answer_t *answer, parley_error_t *err)
{
    uint32_t              id;
    const parley_json_t  *doc;

    doc = &answer->doc;
    id = parley_json_member(doc, 0, PARLEY_ATOM_message_id);

    if (parley_vcp_answer_id(doc, id, sent, err) != 0) {
        return -1;
    }

    parley_answer_was_read(answer, status);
    parley_answer_was_read(answer, id);

    if (parley_answer_words(answer, 0,
                            parley_json_member(doc, 0,
                                               PARLEY_ATOM_message))
        != 0)
    {
        return parley_error_memory(err);
    }

    if (answer->code.len == 0
        && parley_json_string_is(doc, status, PARLEY_STR(PARLEY_VCP_BUSY)))
    {
        answer->code = PARLEY_STR(PARLEY_VCP_BUSY);
    }

    answer->kind = PARLEY_ANSWER_REFUSED;
    answer->retryable = parley_vcp_answer_again(answer->code);

    /* Later steps must not treat a refusal as a success. */

    if (answer->status < 300) {
        answer->status = answer->retryable ? 503 : 422;
    }

    return 0;
}


/* Returns whether a refusal with this code allows another attempt. */

static int
parley_vcp_answer_again(parley_str_t code)
{
    parley_code_t  known;

    known = parley_error_code(code);

    return known != PARLEY_E_NONE ? parley_error_info(known)->retryable
                                  : parley_str_is(code, PARLEY_VCP_BUSY);
}


/* Checks the id of an answer.  Only a refusal may omit it. */

static int
parley_vcp_answer_id(const parley_json_t *doc, uint32_t id,
    const parley_encoded_t *sent, parley_error_t *err)
{
    if (id == PARLEY_JSON_NONE || parley_json_string_is(doc, id, sent->id)) {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/message_id",
                            "/message_id must be the id of the answered "
                            "message");
}


/* Reads the reply, a message in the answer, as a separate document. */

static int
parley_vcp_answer_reply(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine, parley_arena_t *arena,
    const parley_encoded_t *sent, uint32_t reply, parley_answer_t *answer,
    parley_error_t *err)
{
    parley_json_t  *doc;

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));
    if (doc == NULL) {
        return parley_error_memory(err);
    }

    if (parley_json_part(&answer->doc, reply, arena, doc) != 0) {
        return parley_error_memory(err);
    }

    answer->at = "/reply";

    return parley_vcp_answer_message(dialect, engine, arena, sent, doc, answer,
                                     err);
}


static int
parley_vcp_answer_message(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    const parley_json_t *doc, parley_answer_t *answer, parley_error_t *err)
{
    parley_msg_t  *msg;

    msg = &answer->msg;

    if (parley_decode(engine, arena, dialect->proto, doc, 0, msg, err)
        != 0)
    {
        return -1;
    }

    if (msg->act == PARLEY_ACT_REPLY
        && !parley_str_eq(msg->reply_to, sent->id))
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID,
                                "/payload/reason",
                                "the acknowledgment must name the answered "
                                "message");
    }

    answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


/* An answer of section 8.2 has a status and is not a message. */

int
parley_vcp_receipt(const parley_json_t *doc, parley_receipt_t *ret)
{
    uint32_t      status;
    parley_str_t  word;

    status = parley_json_member(doc, 0, PARLEY_ATOM_status);

    if (parley_json_string(doc, status, &word) != 0
        || parley_json_member(doc, 0, PARLEY_ATOM_vcp_message)
           != PARLEY_JSON_NONE)
    {
        return 0;
    }

    ret->refused = parley_vcp_answer_refuses(doc, status);
    ret->id = parley_vcp_answer_text(doc, PARLEY_ATOM_message_id);
    ret->code = parley_vcp_answer_text(doc, PARLEY_ATOM_code);

    return 1;
}


/* Returns whether a status says that the message was not taken. */

static int
parley_vcp_answer_refuses(const parley_json_t *doc, uint32_t status)
{
    return parley_json_string_is(doc, status, PARLEY_STR("rejected"))
           || parley_json_string_is(doc, status, PARLEY_STR(PARLEY_VCP_BUSY));
}


static parley_str_t
parley_vcp_answer_text(const parley_json_t *doc, parley_atom_t name)
{
    parley_str_t  value;

    return parley_json_string(doc, parley_json_member(doc, 0, name), &value)
           == 0 ? value : parley_str_none;
}


int
parley_vcp_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_encoded_t      made;
    parley_failure_t      failure;
    parley_encode_opts_t  answering;

    (void) now_ms;

    if (answer->kind == PARLEY_ANSWER_TAKEN) {
        return parley_vcp_accepted(arena, request, parley_str_none, ret, err);
    }

    if (!parley_vcp_is_escalation(answer, opts)
        && parley_answer_failed(answer, PARLEY_FAILURE_BRIEF, &failure, loss))
    {
        return parley_vcp_rejected(arena, failure.status, request->id,
                                   failure.word, failure.field,
                                   failure.message, ret)
               == 0 ? 0 : parley_error_memory(err);
    }

    answering = *opts;
    answering.answering = request;

    if (parley_encode(engine, arena, request->wire, &answer->msg,
                      &answering, &made, loss, err)
        == 0)
    {
        return parley_vcp_accepted(arena, request, made.body, ret, err);
    }

    if (err->code == PARLEY_E_FIELD_INVALID) {
        /*
         * The acknowledgment names another escalation: parley_vcp_is_bound().
         */
        err->code = PARLEY_E_UPSTREAM_INVALID;
        parley_answer_at(answer, err);

        return -1;
    }

    if (parley_answer_unsaid(arena, ret, loss, err) != 0) {
        return -1;
    }

    return parley_vcp_accepted(arena, request, parley_str_none, ret, err);
}


/*
 * Returns whether a failure goes from a child to its parent, and is therefore
 * an escalation (section 4.4).  From a parent to its child, it is the answer to
 * the child's message.
 */

static int
parley_vcp_is_escalation(const parley_answer_t *answer,
    const parley_encode_opts_t *opts)
{
    return answer->kind == PARLEY_ANSWER_MESSAGE && answer->status < 300
           && opts->above != NULL
           && opts->above(opts->resolve_ctx, answer->msg.wire,
                          answer->msg.sender, answer->msg.recipient)
              > 0;
}


static int
parley_vcp_accepted(parley_arena_t *arena, const parley_msg_t *request,
    parley_str_t reply, parley_reply_t *ret, parley_error_t *err)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, reply.len + 128);

    parley_buf_lit(&b, "{\"status\":\"accepted\",\"message_id\":");
    parley_buf_json_string(&b, request->id);

    if (reply.len > 0) {
        parley_buf_lit(&b, ",\"reply\":");
        parley_buf_str(&b, reply);
    }

    parley_buf_octet(&b, '}');

    ret->status = 200;
    ret->content_type = parley_vcp_binding.media_type;

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(err);
}


/* A duplicate is not an error: its sender must not try again (VCP-13). */

int
parley_vcp_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret)
{
    parley_buf_t  b;

    (void) first;

    ret->status = 200;
    ret->content_type = parley_vcp_binding.media_type;

    parley_buf_init(&b, arena, 0);
    parley_buf_lit(&b, "{\"status\":\"duplicate\",\"message_id\":");
    parley_buf_json_string(&b, m->id);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, &ret->body);
}


int
parley_vcp_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    parley_msg_t           doc;
    const parley_msg_t    *msg;
    const parley_error_t  *error;

    msg = refusal->msg;
    error = refusal->error;

    if (msg == NULL) {
        parley_msg_init(&doc, PARLEY_PROTO_VCP, refusal->doc);

        if (refusal->doc != NULL && parley_vcp_peek(&doc) != 0) {
            return -1;
        }

        msg = &doc;
    }

    return parley_vcp_rejected(arena, ret->status, msg->id,
                               parley_error_info(error->code)->word,
                               parley_str_c(error->field),
                               parley_str_c(error->text), ret);
}


/* Empty members are omitted. */

static int
parley_vcp_rejected(parley_arena_t *arena, int status, parley_str_t id,
    parley_str_t code, parley_str_t field, parley_str_t message,
    parley_reply_t *ret)
{
    size_t        i;
    parley_buf_t  b;

    const struct {
        parley_str_t  name;
        parley_str_t  value;
    } members[] = {
        { parley_str("message_id"), id },
        { parley_str("code"), code },
        { parley_str("field"), field },
        { parley_str("message"), message },
    };

    parley_buf_init(&b, arena, 0);

    parley_buf_lit(&b, "{\"status\":\"rejected\"");

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (members[i].value.len > 0) {
            parley_buf_member(&b, members[i].name, members[i].value);
        }
    }

    parley_buf_octet(&b, '}');

    ret->status = status;
    ret->content_type = parley_vcp_binding.media_type;

    return parley_buf_done(&b, &ret->body);
}
