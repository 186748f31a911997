#include "translate/channel/parley_channel.h"
#include "translate/channel/parley_channel_verb.h"


static int parley_channel_answer_frame(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    const parley_json_t *doc, parley_answer_t *answer, parley_error_t *err);
static int parley_channel_answer_refused(parley_answer_t *answer,
    parley_error_t *err);
static int parley_channel_answer_taken(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);
static int parley_channel_answer_nested(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent, uint32_t frame,
    parley_answer_t *answer, parley_error_t *err);
static int parley_channel_rejected(parley_arena_t *arena, int status,
    parley_str_t code, parley_str_t field, parley_str_t message,
    parley_reply_t *ret);


/*
 * Section 7.1: the number of subscriptions, {"frame_id", "delivered"}, here
 * with an optional "answer".  Section 10: {"code", "field", "message"}.  A
 * frame alone is also an answer.
 */

int
parley_channel_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    const parley_json_t  *doc;

    doc = &answer->doc;

    if (parley_json_member(doc, 0, PARLEY_ATOM_envelope_version)
        != PARLEY_JSON_NONE)
    {
        return parley_channel_answer_frame(engine, arena, sent, doc, answer,
                                           err);
    }

    if (answer->status >= 400
        && parley_json_member(doc, 0, PARLEY_ATOM_code) != PARLEY_JSON_NONE)
    {
        return parley_channel_answer_refused(answer, err);
    }

    if (answer->status >= 200 && answer->status < 300) {
        return parley_channel_answer_taken(engine, arena, sent, answer, err);
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/code",
                            "the answer must have a code");
}


static int
parley_channel_answer_frame(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    const parley_json_t *doc, parley_answer_t *answer, parley_error_t *err)
{
    parley_msg_t  *msg;

    msg = &answer->msg;

    if (parley_decode(engine, arena, PARLEY_PROTO_CHANNEL, doc, 0, msg, err)
        != 0)
    {
        return -1;
    }

    /* A message without a query_id is answered by its frame_id. */

    if ((msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE)
        && !parley_str_eq(msg->reply_to, sent->corr.len > 0 ? sent->corr
                                                            : sent->id)
        && !(msg->held && parley_str_eq(msg->held_reply_to, sent->id)))
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/payload",
                                "the frame must answer the forwarded frame");
    }

    answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


static int
parley_channel_answer_refused(parley_answer_t *answer, parley_error_t *err)
{
    if (parley_answer_words(answer, 0,
                            parley_json_member(&answer->doc, 0,
                                               PARLEY_ATOM_message))
        != 0)
    {
        return parley_error_memory(err);
    }

    answer->kind = PARLEY_ANSWER_REFUSED;

    return 0;
}


static int
parley_channel_answer_taken(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    int64_t               delivered;
    uint32_t              id, count, frame;
    const parley_json_t  *doc;

    doc = &answer->doc;

    id = parley_json_member(doc, 0, PARLEY_ATOM_frame_id);
    count = parley_json_member(doc, 0, PARLEY_ATOM_delivered);

    if (id == PARLEY_JSON_NONE && count == PARLEY_JSON_NONE
        && answer->status == 202)
    {
        return 0;
    }

    if (!parley_json_string_is(doc, id, sent->id)) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/frame_id",
                                "/frame_id must be the frame_id of the "
                                "answered frame");
    }

    if (count == PARLEY_JSON_NONE
        || parley_json_type(doc, count) != PARLEY_JSON_NUMBER
        || parley_json_integer(doc, count, &delivered) != 0
        || delivered < 0)
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/delivered",
                                "/delivered must be a whole number, 0 or "
                                "more");
    }

    answer->counted = 1;
    answer->delivered = delivered;

    frame = parley_json_get(doc, 0, PARLEY_STR("answer"));

    if (frame == PARLEY_JSON_NONE
        || parley_json_type(doc, frame) == PARLEY_JSON_NULL)
    {
        return 0;
    }

    return parley_channel_answer_nested(engine, arena, sent, frame, answer,
                                        err);
}


/* Reads the frame in the answer as a separate document. */

static int
parley_channel_answer_nested(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent, uint32_t frame,
    parley_answer_t *answer, parley_error_t *err)
{
    parley_json_t  *doc;

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));

    if (doc == NULL
        || parley_json_part(&answer->doc, frame, arena, doc) != 0)
    {
        return parley_error_memory(err);
    }

    answer->at = "/answer";

    return parley_channel_answer_frame(engine, arena, sent, doc, answer, err);
}


/*
 * Encodes the number of section 7.1 and the answer.  The answer is also
 * delivered on the sender's stream.
 */

int
parley_channel_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_buf_t          b;
    parley_encoded_t      made;
    parley_failure_t      failure;
    parley_encode_opts_t  answering;

    (void) now_ms;

    if (parley_answer_failed(answer, PARLEY_FAILURE_BRIEF, &failure, loss)) {
        return parley_channel_rejected(arena, failure.status,
                                       failure.code != PARLEY_E_NONE
                                       ? parley_channel_called(failure.code)
                                       : failure.word,
                                       failure.field, failure.message, ret)
               == 0 ? 0 : parley_error_memory(err);
    }

    if (answer->kind == PARLEY_ANSWER_MESSAGE) {
        answering = *opts;
        answering.answering = request;

        if (parley_encode(engine, arena, PARLEY_PROTO_CHANNEL, &answer->msg,
                          &answering, &made, loss, err)
            == 0)
        {
            ret->message = made.body;

        } else if (parley_answer_unsaid(arena, ret, loss, err) != 0) {
            return -1;
        }
    }

    ret->status = 200;
    ret->content_type = parley_channel_binding.media_type;

    parley_buf_init(&b, arena, ret->message.len + 96);
    parley_buf_lit(&b, "{\"frame_id\":");
    parley_buf_json_string(&b, request->id);
    parley_buf_lit(&b, ",\"delivered\":");
    parley_buf_int(&b, answer->counted ? answer->delivered : 1);

    if (ret->message.len > 0) {
        parley_buf_lit(&b, ",\"answer\":");
        parley_buf_str(&b, ret->message);
    }

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(err);
}


/* An earlier request delivered the frame; this one does not. */

int
parley_channel_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret)
{
    parley_buf_t  b;

    (void) first;

    ret->status = 200;
    ret->content_type = parley_channel_binding.media_type;

    parley_buf_init(&b, arena, 0);
    parley_buf_lit(&b, "{\"frame_id\":");
    parley_buf_json_string(&b, m->id);
    parley_buf_lit(&b, ",\"delivered\":0}");

    return parley_buf_done(&b, &ret->body);
}


/* Writes a refusal (ACH-23). */

int
parley_channel_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    const parley_error_t  *error;

    error = refusal->error;

    return parley_channel_rejected(arena, ret->status,
                                   parley_channel_called(error->code),
                                   parley_str_c(error->field),
                                   parley_str_c(error->text), ret);
}


static int
parley_channel_rejected(parley_arena_t *arena, int status, parley_str_t code,
    parley_str_t field, parley_str_t message, parley_reply_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("code"), code);

    if (field.len > 0) {
        parley_buf_member(&b, PARLEY_STR("field"), field);
    }

    parley_buf_member(&b, PARLEY_STR("message"), message);
    parley_buf_octet(&b, '}');

    ret->status = status;
    ret->content_type = parley_channel_binding.media_type;

    return parley_buf_done(&b, &ret->body);
}
