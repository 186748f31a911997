/*
 * What a C2A caller gets back: a response where its message was a request.
 *
 *     {"jsonrpc": "2.0", "id": 7, "result": {"accepted": true,
 *         "disposition": "responded", "message": {...}}}
 *     {"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "...",
 *         "data": {"code": "field-missing", "field": "/params/eventId"}}}
 *
 * The result of a tool call has "content" that a model reads, message in
 * "structuredContent", and "isError" where it failed.
 */

#include "parley_c2a.h"
#include "parley_embed.h"
#include "parley_msg_field.h"


#define PARLEY_C2A_INVALID_REQUEST   (-32600)
#define PARLEY_C2A_METHOD_NOT_FOUND  (-32601)


/* what there is to say to a caller */
typedef struct {
    const parley_json_t       *doc;         /* its message */
    parley_c2a_disposition_t   disposition;
    parley_str_t               message;     /* JSON, or empty */
    const parley_msg_t        *msg;         /* that message, or NULL */
    int64_t                    delivered;   /* as the service counted; -1: it
                                               did not */
} parley_c2a_said_t;


/* why its message was not taken; all but number may be empty */
typedef struct {
    const parley_json_t       *doc;         /* its message, or NULL */
    int                        number;
    parley_str_t               code;
    parley_str_t               field;
    parley_str_t               message;
    parley_str_t               retryable;   /* JSON */
    parley_str_t               backoff_ms;  /* JSON */
} parley_c2a_why_t;


static int parley_c2a_refused(parley_arena_t *arena,
    const parley_msg_t *request, const parley_failure_t *failure,
    parley_reply_t *ret);
static int parley_c2a_say(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_msg_t *msg, const parley_encode_opts_t *opts,
    parley_str_t *ret, parley_loss_t *loss, parley_error_t *err);
static int parley_c2a_accepted(parley_arena_t *arena,
    const parley_c2a_said_t *said, parley_reply_t *ret,
    parley_error_t *err);
static void parley_c2a_disposed(parley_buf_t *b,
    const parley_c2a_said_t *said, int message);
static int parley_c2a_content(parley_buf_t *b,
    const parley_c2a_said_t *said);
static int parley_c2a_number(const parley_error_t *error);
static int parley_c2a_fail(parley_arena_t *arena,
    const parley_c2a_why_t *why, int mcp, parley_reply_t *ret);
static void parley_c2a_error(parley_buf_t *b, const parley_c2a_why_t *why);
static void parley_c2a_why_data(parley_buf_t *b, const parley_c2a_why_t *why);
static void parley_c2a_tool_error(parley_buf_t *b,
    const parley_c2a_why_t *why);
static int parley_c2a_is_tool(const parley_json_t *doc);
static int parley_c2a_again(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret);


/* by act of the answer */
static const parley_c2a_disposition_t  parley_c2a_answered[] = {
    [PARLEY_ACT_REQUEST] = PARLEY_C2A_DEFERRED,
    [PARLEY_ACT_REPLY] = PARLEY_C2A_RESPONDED,
    [PARLEY_ACT_FAILURE] = PARLEY_C2A_FAILED,
    [PARLEY_ACT_EVENT] = PARLEY_C2A_ACKNOWLEDGED,
    [PARLEY_ACT_PROGRESS] = PARLEY_C2A_CLAIMED,
};


int
parley_c2a_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_c2a_said_t  said;
    parley_failure_t   failure;

    (void) now_ms;

    /* a failure with the status of one: the service did not take it */

    if ((answer->kind == PARLEY_ANSWER_REFUSED || answer->status >= 300)
        && parley_answer_failed(answer, PARLEY_FAILURE_RETRY, &failure, loss))
    {
        return parley_c2a_refused(arena, request, &failure, ret) == 0
               ? 0 : parley_error_memory(err);
    }

    if (!parley_c2a_is_call(request->doc)) {

        if (answer->kind == PARLEY_ANSWER_MESSAGE) {
            parley_loss_pointer(loss, "");
        }

        ret->status = 202;
        return 0;
    }

    memset(&said, 0, sizeof(parley_c2a_said_t));

    said.doc = request->doc;
    said.disposition = parley_c2a_disposition(request);
    said.delivered = answer->counted ? answer->delivered : -1;

    if (answer->kind == PARLEY_ANSWER_MESSAGE) {
        said.msg = &answer->msg;
        said.disposition = parley_c2a_answered[answer->msg.act];

        if (answer->msg.act == PARLEY_ACT_PROGRESS) {

            /* that is a notification, and a response comes once */

            parley_loss_at(loss, &answer->msg, PARLEY_MSG_DATA);

        } else if (parley_c2a_say(engine, arena, request, &answer->msg, opts,
                                  &said.message, loss, err)
                   != 0)
        {
            return -1;
        }
    }

    return parley_c2a_accepted(arena, &said, ret, err);
}


/*
 * A code that is none of ours stands in data as it was; its number says the
 * status.
 */

static int
parley_c2a_refused(parley_arena_t *arena, const parley_msg_t *request,
    const parley_failure_t *failure, parley_reply_t *ret)
{
    parley_c2a_why_t  why;

    ret->status = failure->status;

    why.doc = request->doc;
    why.number = failure->code != PARLEY_E_NONE
                 ? parley_c2a_code_number(failure->code)
                 : PARLEY_C2A_NUMBERS - failure->status;
    why.code = failure->word;
    why.field = failure->field;
    why.message = failure->message;
    why.retryable = failure->retryable;
    why.backoff_ms = failure->backoff_ms;

    return parley_c2a_fail(arena, &why, request->mcp, ret);
}


/*
 * The answer as an event, or as the call that it was; one that C2A cannot
 * say is lost, and *ret is empty.
 */

static int
parley_c2a_say(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, const parley_msg_t *msg,
    const parley_encode_opts_t *opts, parley_str_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    uint32_t              node;
    parley_json_t         doc;
    parley_encoded_t      made;
    parley_encode_opts_t  answering;

    answering = *opts;
    answering.answering = request;

    *ret = parley_str_none;

    if (parley_encode(engine, arena, PARLEY_PROTO_C2A, msg, &answering,
                      &made, loss, err)
        != 0)
    {
        if (err->code == PARLEY_E_CAPACITY
            || err->code == PARLEY_E_REPLY_UNMATCHED)
        {
            return -1;
        }

        parley_loss_pointer(loss, err->field);
        parley_error_clear(err);

        return 0;
    }

    if (parley_read_again(&doc, arena, msg->doc->seed, made.body, err) != 0) {
        return -1;
    }

    node = parley_c2a_arguments(&doc);

    if (node == PARLEY_JSON_NONE) {
        node = parley_c2a_params(&doc);
    }

    *ret = parley_json_raw(&doc, node);

    return 0;
}


static int
parley_c2a_accepted(parley_arena_t *arena, const parley_c2a_said_t *said,
    parley_reply_t *ret, parley_error_t *err)
{
    int           tool;
    parley_buf_t  b;

    tool = parley_c2a_is_tool(said->doc);

    parley_buf_init(&b, arena, said->message.len + 256);

    parley_c2a_result_begin(&b, said->doc);
    parley_c2a_disposed(&b, said, !tool);

    if (tool) {
        if (parley_c2a_content(&b, said) != 0) {
            return parley_error_memory(err);
        }

        parley_buf_lit(&b, ",\"structuredContent\":{");
        parley_c2a_disposed(&b, said, 1);
        parley_buf_octet(&b, '}');

        if (said->msg != NULL && said->msg->act == PARLEY_ACT_FAILURE) {
            parley_buf_lit(&b, ",\"isError\":true");
        }
    }

    parley_buf_lit(&b, "}}");

    ret->status = 200;
    ret->content_type = parley_c2a_binding.media_type;

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(err);
}


static void
parley_c2a_disposed(parley_buf_t *b, const parley_c2a_said_t *said,
    int message)
{
    parley_buf_name(b, PARLEY_STR("accepted"));
    parley_buf_lit(b, "true");

    if (said->disposition == PARLEY_C2A_UNDISPOSED) {
        parley_buf_lit(b, ",\"disposition\":null");

    } else {
        parley_buf_member(b, PARLEY_STR("disposition"),
                          parley_c2a_disposition_name(said->disposition));
    }

    if (said->delivered >= 0) {
        parley_buf_lit(b, ",\"delivered\":");
        parley_buf_int(b, said->delivered);
    }

    if (message && said->message.len > 0) {
        parley_buf_lit(b, ",\"message\":");
        parley_buf_str(b, said->message);
    }
}


/*
 * For a model that sees nothing else: what the answer says, and its payload
 * where it says nothing in words.
 */

static int
parley_c2a_content(parley_buf_t *b, const parley_c2a_said_t *said)
{
    parley_buf_t         payload;
    parley_str_t         text;
    const parley_msg_t  *m;

    m = said->msg;

    parley_buf_lit(b, ",\"content\":[{\"type\":\"text\",\"text\":\"");

    if (m == NULL) {
        parley_buf_lit(b, "accepted");

        if (said->disposition != PARLEY_C2A_UNDISPOSED) {
            parley_buf_lit(b, ", ");
            parley_buf_str(b, parley_c2a_disposition_name(said->disposition));
        }

        if (said->delivered >= 0) {
            parley_buf_lit(b, ", delivered to ");
            parley_buf_int(b, said->delivered);
        }

        parley_buf_lit(b, "\"}]");
        return 0;
    }

    parley_c2a_write_words(b, m, parley_str_none);
    parley_buf_lit(b, "\"}");

    if (m->text.len == 0 && m->act != PARLEY_ACT_FAILURE) {
        parley_buf_init(&payload, b->arena, 0);
        parley_embed_payload(&payload, m, PARLEY_ATOM_NONE);

        if (parley_buf_done(&payload, &text) != 0) {
            return -1;
        }

        if (!parley_str_is(text, "{}")) {
            parley_buf_lit(b, ",{\"type\":\"text\",\"text\":");
            parley_buf_json_string(b, text);
            parley_buf_octet(b, '}');
        }
    }

    parley_buf_octet(b, ']');

    return 0;
}


/* What a token lacks a client asks for by the status and its header alone. */

int
parley_c2a_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    int                    mcp;
    parley_c2a_why_t       why;
    const parley_error_t  *error;

    memset(&why, 0, sizeof(parley_c2a_why_t));

    error = refusal->error;
    why.doc = refusal->doc;

    if (why.doc == NULL && refusal->msg != NULL) {
        why.doc = refusal->msg->doc;
    }

    if (why.doc != NULL && why.doc->nnodes == 0) {
        why.doc = NULL;
    }

    why.number = parley_c2a_number(error);
    why.code = parley_error_info(error->code)->word;
    why.field = parley_str_c(error->field);
    why.message = parley_str_c(error->text);

    mcp = (refusal->headers[PARLEY_C2A_HEADER_MCP].data != NULL
           || (why.doc != NULL && parley_c2a_is_mcp(why.doc)))
          && parley_error_info(error->code)->http != 401
          && error->code != PARLEY_E_SCOPE_UNAUTHORISED;

    return parley_c2a_fail(arena, &why, mcp, ret);
}


/*
 * What is no request is -32600, a method that there is not -32601, what is
 * wrong with its params -32602 (C2A-28), and so with an argument of the query,
 * which says what they do.
 */

static int
parley_c2a_number(const parley_error_t *error)
{
    const char  *field;

    field = error->field;

    switch (error->code) {

    case PARLEY_E_KIND_UNKNOWN:
        if (strcmp(field, "/method") == 0) {
            return PARLEY_C2A_METHOD_NOT_FOUND;
        }

        break;

    case PARLEY_E_FIELD_MISSING:
    case PARLEY_E_FIELD_INVALID:
    case PARLEY_E_FIELD_UNKNOWN:
        if (!error->is_name
            && strncmp(field, "/params", sizeof("/params") - 1) != 0)
        {
            return PARLEY_C2A_INVALID_REQUEST;
        }

        break;

    default:
        break;
    }

    return parley_c2a_code_number(error->code);
}


/*
 * A client of MCP reads no body of another status than 200; what has no id
 * has no response, whatever its status.
 */

static int
parley_c2a_fail(parley_arena_t *arena, const parley_c2a_why_t *why, int mcp,
    parley_reply_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    mcp = mcp && why->doc != NULL && parley_c2a_is_call(why->doc);

    if (mcp) {
        ret->status = 200;
    }

    if (mcp && parley_c2a_is_tool(why->doc)) {
        parley_c2a_tool_error(&b, why);

    } else {
        parley_c2a_error(&b, why);
    }

    ret->content_type = parley_c2a_binding.media_type;

    return parley_buf_done(&b, &ret->body);
}


static void
parley_c2a_error(parley_buf_t *b, const parley_c2a_why_t *why)
{
    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    parley_buf_str(b, why->doc != NULL ? parley_c2a_call_id(why->doc)
                                       : PARLEY_STR("null"));
    parley_buf_lit(b, ",\"error\":{\"code\":");
    parley_buf_int(b, why->number);
    parley_buf_member(b, PARLEY_STR("message"), why->message);
    parley_buf_lit(b, ",\"data\":{");
    parley_c2a_why_data(b, why);
    parley_buf_lit(b, "}}}");
}


static void
parley_c2a_why_data(parley_buf_t *b, const parley_c2a_why_t *why)
{
    parley_buf_member(b, PARLEY_STR("code"), why->code);

    if (why->field.len > 0) {
        parley_buf_member(b, PARLEY_STR("field"), why->field);
    }

    if (why->retryable.len > 0) {
        parley_buf_name(b, PARLEY_STR("retryable"));
        parley_buf_str(b, why->retryable);
    }

    if (why->backoff_ms.len > 0) {
        parley_buf_name(b, PARLEY_STR("backoff_ms"));
        parley_buf_str(b, why->backoff_ms);
    }
}


static void
parley_c2a_tool_error(parley_buf_t *b, const parley_c2a_why_t *why)
{
    parley_c2a_result_begin(b, why->doc);
    parley_buf_name(b, PARLEY_STR("content"));
    parley_buf_lit(b, "[{\"type\":\"text\",\"text\":\"");
    parley_buf_json_text(b, why->code);

    if (why->message.len > 0) {
        parley_buf_lit(b, ": ");
    }

    parley_buf_json_text(b, why->message);
    parley_buf_lit(b, "\"}],\"structuredContent\":{");
    parley_c2a_why_data(b, why);
    parley_buf_member(b, PARLEY_STR("message"), why->message);
    parley_buf_lit(b, "},\"isError\":true}}");
}


void
parley_c2a_result_begin(parley_buf_t *b, const parley_json_t *doc)
{
    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    parley_buf_str(b, parley_c2a_call_id(doc));
    parley_buf_lit(b, ",\"result\":{");

    if (parley_c2a_is_modern(doc)) {
        parley_buf_lit(b, "\"resultType\":\"complete\"");
    }
}


static int
parley_c2a_is_tool(const parley_json_t *doc)
{
    parley_c2a_form_t  form;

    form = parley_c2a_form_of(doc);

    return form != PARLEY_C2A_FORMS && parley_c2a_form_info(form)->tool;
}


int
parley_c2a_is_call(const parley_json_t *doc)
{
    return !parley_str_is(parley_c2a_call_id(doc), "null");
}


parley_str_t
parley_c2a_call_id(const parley_json_t *doc)
{
    uint32_t  id;

    id = parley_json_member(doc, 0, PARLEY_ATOM_id);

    if (id == PARLEY_JSON_NONE
        || (parley_json_type(doc, id) != PARLEY_JSON_STRING
            && parley_json_type(doc, id) != PARLEY_JSON_NUMBER))
    {
        return PARLEY_STR("null");
    }

    return parley_json_raw(doc, id);
}


/*
 * A message that was taken before gets its first result, octet for octet,
 * under the id of the call at hand (C2A-12, C2A-20); where that is not kept
 * that it was taken: {"accepted": true, "duplicate": true}.
 */

int
parley_c2a_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret)
{
    parley_buf_t  b;

    if (!parley_c2a_is_call(m->doc)) {
        ret->status = 202;
        return 0;
    }

    ret->status = 200;
    ret->content_type = parley_c2a_binding.media_type;

    if (first->text.len > 0) {
        return parley_c2a_again(arena, m, first, ret);
    }

    parley_buf_init(&b, arena, 256);

    parley_c2a_result_begin(&b, m->doc);
    parley_buf_name(&b, PARLEY_STR("accepted"));
    parley_buf_lit(&b, "true,\"duplicate\":true");

    if (parley_c2a_is_tool(m->doc)) {
        parley_buf_lit(&b, ",\"content\":[{\"type\":\"text\",\"text\":"
                       "\"accepted before\"}],\"structuredContent\":"
                       "{\"accepted\":true,\"duplicate\":true}");
    }

    parley_buf_lit(&b, "}}");

    return parley_buf_done(&b, &ret->body);
}


/* not a space of it is another */

static int
parley_c2a_again(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret)
{
    size_t          before;
    uint32_t        id;
    parley_buf_t    b;
    parley_str_t    raw;
    parley_json_t   doc;
    parley_error_t  err;

    if (parley_read_again(&doc, arena, m->doc->seed, first->text, &err) != 0) {
        return -1;
    }

    ret->status = first->status;
    ret->body = first->text;

    id = parley_json_member(&doc, 0, PARLEY_ATOM_id);

    if (id == PARLEY_JSON_NONE) {
        return 0;
    }

    raw = parley_json_raw(&doc, id);
    before = (size_t) (raw.data - first->text.data);

    parley_buf_init(&b, arena, first->text.len + 32);
    parley_buf_octets(&b, first->text.data, before);
    parley_buf_str(&b, parley_c2a_call_id(m->doc));
    parley_buf_str(&b, parley_str_from(first->text, before + raw.len));

    return parley_buf_done(&b, &ret->body);
}
