#include "translate/parley_engine.h"
#include "translate/parley_name.h"
#include "translate/parley_embed.h"
#include "translate/parley_plain_msg.h"
#include "translate/parley_msg_field.h"

#include <stdio.h>


#define PARLEY_ANSWER_UNSAID  422   /* status if nothing else determines it */

/* results of a message without a code */
#define PARLEY_ANSWER_REFUSAL  "refused"
#define PARLEY_ANSWER_FAILED   "failed"


static int parley_answer_allows(int status, const parley_answer_t *answer);
static int parley_answer_error(int status, parley_error_t *err);
static int parley_answer_string(parley_answer_t *answer, uint32_t value,
    parley_str_t *ret);
static void parley_answer_report_lost(const parley_answer_t *answer,
    parley_proto_t caller, parley_loss_t *loss);
static void parley_answer_members(const parley_answer_t *answer,
    uint32_t object, const uint32_t *said, unsigned n, parley_loss_t *loss);
static void parley_answer_payload(const parley_answer_t *answer,
    parley_failure_form_t form, parley_failure_t *ret, parley_loss_t *loss);
static int parley_answer_agent(parley_arena_t *arena,
    const parley_msg_t *request, const parley_encode_opts_t *opts,
    parley_str_t name, parley_proto_t to, parley_str_t *ret,
    parley_error_t *err);
static parley_str_t parley_answer_word(int status);


int
parley_answer_decode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_encoded_t *sent, int status,
    parley_str_t body, const parley_json_limits_t *limits, uint64_t seed,
    parley_answer_t *answer, parley_error_t *err)
{
    parley_json_t  doc;

    parley_error_clear(err);
    parley_octets_zero(answer, sizeof(parley_answer_t));

    answer->status = status;

    if (status == 204 || (body.len == 0 && status >= 200 && status < 300)) {
        return 0;
    }

    if (body.len == 0) {
        return parley_answer_error(status, err);
    }

    if (parley_json_read(&doc, arena, limits, seed, body, err) != 0) {

        if (err->code == PARLEY_E_CAPACITY) {
            return -1;
        }

        if (status == 202) {

            /* 202 alone says that the service took the message. */

            parley_error_clear(err);
            return 0;
        }

        return parley_answer_error(status, err);
    }

    return parley_answer_read(engine, arena, proto, sent, status, &doc, answer,
                              err);
}


int
parley_answer_read(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_encoded_t *sent, int status,
    const parley_json_t *doc, parley_answer_t *answer, parley_error_t *err)
{
    parley_error_clear(err);
    parley_octets_zero(answer, sizeof(parley_answer_t));

    answer->status = status;
    answer->doc = *doc;

    if (parley_codecs[proto]->answer_decode(engine, arena, sent, answer, err)
        == 0
        && (answer->kind != PARLEY_ANSWER_MESSAGE
            || (parley_plain_msg(&answer->msg, err) == 0
                && (answer->msg.origin == answer->msg.wire
                    || parley_embed_nested(&answer->msg, err) == 0))))
    {
        return parley_answer_allows(status, answer) ? 0
               : parley_answer_error(status, err);
    }

    if (err->code == PARLEY_E_CAPACITY) {
        return -1;
    }

    parley_answer_at(answer, err);

    /* An invalid body matters only if the status requires a valid one. */

    if (status >= 500 || status == 429) {
        return parley_answer_error(status, err);
    }

    err->code = PARLEY_E_UPSTREAM_INVALID;

    return -1;
}


void
parley_answer_at(const parley_answer_t *answer, parley_error_t *err)
{
    char         field[PARLEY_POINTER_MAX], text[PARLEY_TEXT_MAX];
    size_t       len;
    const char  *rest, *words;

    if (answer->at == NULL) {
        return;
    }

    memcpy(field, err->field, sizeof(field));
    memcpy(text, err->text, sizeof(text));

    words = parley_error_words(err);

    /* The codec knows the place in a nested document. */

    len = answer->within != NULL ? strlen(answer->within) : 0;
    rest = strncmp(field, len > 0 ? answer->within : "", len) == 0
           ? field + len : field;

    (void) snprintf(err->field, sizeof(err->field), "%s%.*s", answer->at,
                    (int) (sizeof(err->field) - strlen(answer->at) - 1), rest);

    /* If the text begins with the pointer, it begins with the new pointer. */

    if (words != err->text) {
        (void) snprintf(err->text, sizeof(err->text), "%.96s %.94s",
                        err->field, text + (words - err->text));
    }
}


/*
 * Returns whether an answer may have this status.  A message that the service
 * did not take has only a refusal or a failure as its answer.
 */

static int
parley_answer_allows(int status, const parley_answer_t *answer)
{
    return (status >= 200 && status < 300)
           || answer->kind == PARLEY_ANSWER_REFUSED
           || (answer->kind == PARLEY_ANSWER_MESSAGE
               && answer->msg.act == PARLEY_ACT_FAILURE);
}


/* Fills the error of a status (GW-29): 429 and 503 keep their meaning. */

static int
parley_answer_error(int status, parley_error_t *err)
{
    if (status == 429) {
        return parley_error_set(err, PARLEY_E_RATE_LIMITED, "",
                                "the service's rate limit is reached");
    }

    if (status == 503) {
        return parley_error_set(err, PARLEY_E_CAPACITY, "",
                                "the service is overloaded or down for now");
    }

    if (status == 504) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_TIMEOUT, "",
                                "the service did not answer in time");
    }

    if (status >= 500) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_UNAVAILABLE, "",
                                "the service failed with status %d", status);
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "",
                            "the service answered with status %d and no "
                            "message", status);
}


void
parley_answer_was_read(parley_answer_t *answer, uint32_t value)
{
    if (value != PARLEY_JSON_NONE && answer->nread < PARLEY_ANSWER_READ) {
        answer->read[answer->nread++] = value;
    }
}


int
parley_answer_words(parley_answer_t *answer, uint32_t object,
    uint32_t message)
{
    uint32_t              field;
    const parley_json_t  *doc;

    doc = &answer->doc;
    field = parley_json_member(doc, object, PARLEY_ATOM_field);

    if (parley_answer_string(answer,
                             parley_json_member(doc, object, PARLEY_ATOM_code),
                             &answer->code)
        != 0
        || parley_answer_string(answer, field, &answer->field) != 0
        || parley_answer_string(answer, message, &answer->message) != 0)
    {
        return -1;
    }

    if (answer->field.len > 0) {
        answer->at_field = field;
    }

    return 0;
}


static int
parley_answer_string(parley_answer_t *answer, uint32_t value,
    parley_str_t *ret)
{
    if (value == PARLEY_JSON_NONE
        || parley_json_type(&answer->doc, value) != PARLEY_JSON_STRING)
    {
        return 0;
    }

    parley_answer_was_read(answer, value);

    return parley_msg_string(&answer->doc, value, ret);
}


int
parley_answer_again(const parley_answer_t *answer)
{
    parley_code_t  code;

    if (answer->outright) {
        return answer->retryable;
    }

    code = parley_error_code(answer->code);

    return code != PARLEY_E_NONE ? parley_error_info(code)->retryable
                                 : answer->retryable || answer->status == 429
                                   || answer->status >= 500;
}


/* Reports the values of a refusal that its caller does not receive. */

static void
parley_answer_report_lost(const parley_answer_t *answer, parley_proto_t caller,
    parley_loss_t *loss)
{
    unsigned  i, n, retries;
    uint32_t  value, said[PARLEY_ANSWER_READ];

    retries = parley_codecs[caller]->retries;

    for (i = n = 0; i < answer->nread; i++) {
        value = answer->read[i];

        if ((value == answer->at_field && answer->field.len == 0)
            || (value == answer->at_retryable && !retries)
            || (value == answer->at_wait
                && (!retries || !parley_answer_again(answer))))
        {
            continue;
        }

        said[n++] = value;
    }

    parley_answer_members(answer, 0, said, n, loss);
}


/*
 * Reports the members of an object that contain no value of said.  An object
 * that contains one is examined in turn.
 */

static void
parley_answer_members(const parley_answer_t *answer, uint32_t object,
    const uint32_t *said, unsigned n, parley_loss_t *loss)
{
    unsigned              i;
    uint32_t              k;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = &answer->doc;
    value.doc = doc;

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        value.node = k + 1;

        for (i = 0; i < n; i++) {
            if (said[i] >= value.node
                && said[i] < parley_json_after(doc, value.node))
            {
                break;
            }
        }

        if (i == n) {
            if (parley_json_type(doc, value.node) != PARLEY_JSON_NULL) {
                parley_loss_value(loss, value);
            }

        } else if (said[i] != value.node) {
            parley_answer_members(answer, value.node, said, n, loss);
        }
    }
}


int
parley_answer_failed(const parley_answer_t *answer,
    parley_failure_form_t form, parley_failure_t *ret, parley_loss_t *loss)
{
    const parley_msg_t  *m;

    memset(ret, 0, sizeof(parley_failure_t));

    m = &answer->msg;

    if (answer->kind == PARLEY_ANSWER_REFUSED) {
        ret->word = answer->code;
        ret->message = answer->message;

    } else if (answer->kind == PARLEY_ANSWER_MESSAGE
               && m->act == PARLEY_ACT_FAILURE)
    {
        ret->word = m->code.len > 0 ? m->code
                                    : PARLEY_STR(PARLEY_ANSWER_FAILED);
        ret->message = m->text;

        parley_answer_payload(answer, form, ret, loss);

    } else {
        return 0;
    }

    if (ret->word.len == 0) {
        ret->word = parley_answer_word(answer->status);
    }

    ret->field = answer->field;
    ret->code = parley_error_code(ret->word);
    ret->status = answer->status;

    if (ret->code != PARLEY_E_NONE) {
        ret->word = parley_error_info(ret->code)->word;
    }

    if (ret->status < 400) {
        ret->status = ret->code != PARLEY_E_NONE
                      ? parley_error_info(ret->code)->http
                      : PARLEY_ANSWER_UNSAID;
    }

    return 1;
}


/*
 * Reads retryable and backoff_ms from the payload of an error, and reports its
 * other members as lost, except code and text.
 */

static void
parley_answer_payload(const parley_answer_t *answer,
    parley_failure_form_t form, parley_failure_t *ret, parley_loss_t *loss)
{
    int64_t              ms;
    uint32_t             said[5], value;
    parley_json_ref_t    data;
    const parley_msg_t  *m;

    m = &answer->msg;
    data = m->data;

    said[0] = m->said[0];
    said[1] = m->said[1];
    said[2] = PARLEY_JSON_NONE;
    said[3] = PARLEY_JSON_NONE;
    said[4] = PARLEY_JSON_NONE;

    if (parley_codecs[m->wire]->retries && answer->field.len > 0) {
        said[2] = parley_json_member(data.doc, data.node, PARLEY_ATOM_field);
    }

    if (parley_codecs[m->wire]->retries && form == PARLEY_FAILURE_RETRY) {

        if (m->said[2] != PARLEY_JSON_NONE) {
            said[3] = m->said[2];
            ret->retryable = parley_json_raw(data.doc, said[3]);
        }

        value = parley_json_get(data.doc, data.node,
                                PARLEY_STR("backoff_ms"));

        if (value != PARLEY_JSON_NONE
            && parley_json_type(data.doc, value) == PARLEY_JSON_NUMBER
            && parley_json_integer(data.doc, value, &ms) == 0)
        {
            said[4] = value;
            ret->backoff_ms = parley_json_raw(data.doc, value);
        }
    }

    parley_loss_unsaid(loss, m, said, sizeof(said) / sizeof(said[0]));
}


/*
 * Returns the code of a service's refusal without a code, by its status:
 * "refused" if no code of Parley has the status.  The result never says that a
 * member of the caller's message is invalid.
 */

static parley_str_t
parley_answer_word(int status)
{
    unsigned  i;

    static const struct {
        int            status;
        parley_code_t  code;
    } words[] = {
        { 403, PARLEY_E_POLICY_REFUSED },
        { 413, PARLEY_E_MESSAGE_TOO_LARGE },
        { 429, PARLEY_E_RATE_LIMITED },
        { 503, PARLEY_E_CAPACITY },
        { 504, PARLEY_E_UPSTREAM_TIMEOUT },
    };

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (words[i].status == status) {
            return parley_error_info(words[i].code)->word;
        }
    }

    return status >= 500 ? parley_error_info(PARLEY_E_UPSTREAM_UNAVAILABLE)
                           ->word
                         : PARLEY_STR(PARLEY_ANSWER_REFUSAL);
}


int
parley_answer_unsaid(parley_arena_t *arena, parley_reply_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    parley_str_t                why;
    parley_buf_t                b;
    const parley_error_info_t  *info;

    if (err->code == PARLEY_E_CAPACITY
        || err->code == PARLEY_E_REPLY_UNMATCHED)
    {
        return -1;
    }

    info = parley_error_info(err->code);

    parley_buf_init(&b, arena, info->word.len + PARLEY_POINTER_MAX
                               + PARLEY_TEXT_MAX);
    parley_buf_str(&b, info->word);

    if (err->field[0] != '\0') {
        parley_buf_octet(&b, ' ');
        parley_buf_str(&b, parley_str_c(err->field));
    }

    parley_buf_lit(&b, ": ");
    parley_buf_str(&b, parley_str_c(err->text));
    parley_buf_octet(&b, '\0');

    ret->why = parley_buf_done(&b, &why) == 0 ? (const char *) why.data
               : "out of memory";

    parley_loss_pointer(loss, "");
    parley_error_clear(err);

    return 0;
}


int
parley_answer_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, const parley_answer_t *answer,
    const parley_encode_opts_t *opts, int64_t now_ms, parley_reply_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    parley_answer_t       given;
    parley_encode_opts_t  now;

    parley_error_clear(err);
    parley_loss_turn(loss);
    memset(ret, 0, sizeof(parley_reply_t));

    if (answer->kind == PARLEY_ANSWER_REFUSED && answer->nread > 0) {
        parley_answer_report_lost(answer, request->wire, loss);
    }

    if (answer->kind == PARLEY_ANSWER_REFUSED && answer->code.len == 0) {
        given = *answer;
        given.code = parley_answer_word(answer->status);
        answer = &given;
    }

    if (answer->kind == PARLEY_ANSWER_MESSAGE) {
        now = *opts;
        now.now_ms = now_ms;
        opts = &now;
    }

    if (answer->kind == PARLEY_ANSWER_MESSAGE
        && (answer->msg.sender.len == 0 || answer->msg.recipient.len == 0))
    {
        given = *answer;
        answer = &given;

        if (parley_answer_parties(arena, request, opts, now_ms, &given.msg,
                                  err)
            != 0)
        {
            return -1;
        }
    }

    return parley_codecs[request->wire]->answer_encode(engine, arena, request,
                                                       answer, opts, now_ms,
                                                       ret, loss, err);
}


int
parley_answer_parties(parley_arena_t *arena, const parley_msg_t *request,
    const parley_encode_opts_t *opts, int64_t now_ms, parley_msg_t *msg,
    parley_error_t *err)
{
    int                  mcp;
    parley_str_t         owner, author;
    parley_submission_t  submission;

    memset(&submission, 0, sizeof(parley_submission_t));

    submission.ms = now_ms;

    if (parley_answer_agent(arena, request, opts, request->recipient,
                            msg->wire, &submission.sender, err)
        != 0
        || parley_answer_agent(arena, request, opts, request->sender,
                               msg->wire, &submission.recipient, err)
           != 0)
    {
        return -1;
    }

    owner = msg->owner;
    author = msg->author;
    mcp = msg->mcp;

    if (parley_submit(arena, msg, &submission, err) != 0) {
        return -1;
    }

    /* An earlier submission has already proven the owner and the author. */

    msg->owner = owner;
    msg->author = author;
    msg->mcp |= mcp;

    return 0;
}


static int
parley_answer_agent(parley_arena_t *arena, const parley_msg_t *request,
    const parley_encode_opts_t *opts, parley_str_t name, parley_proto_t to,
    parley_str_t *ret, parley_error_t *err)
{
    if (parley_name_translate(arena, opts, request, name,
                              PARLEY_MSG_NOWHERE, to, ret, err)
        == 0)
    {
        return 0;
    }

    if (err->code == PARLEY_E_CAPACITY) {
        return -1;
    }

    parley_error_clear(err);

    return 0;
}
