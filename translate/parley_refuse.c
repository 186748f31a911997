#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"

#include <stdio.h>


static void parley_refuse_at(const parley_error_t *error,
    parley_error_t *ret);
static int parley_refuse_problem(parley_arena_t *arena,
    const parley_refusal_t *refusal, parley_reply_t *ret);
static parley_str_t parley_refuse_title(int status);


/*
 * An error with a member is not a duplicate, but another message with the same
 * id.
 */

int
parley_refuse(parley_arena_t *arena, parley_proto_t proto,
    const parley_refusal_t *refusal, parley_reply_t *ret)
{
    parley_error_t         at;
    parley_refusal_t       placed;
    const parley_codec_t  *codec;
    const parley_error_t  *error;

    error = refusal->error;
    codec = proto < PARLEY_PROTO_COUNT ? parley_codecs[proto] : NULL;

    memset(ret, 0, sizeof(parley_reply_t));

    if (error->code == PARLEY_E_MESSAGE_DUPLICATE && error->field[0] == '\0'
        && refusal->msg != NULL && codec != NULL && codec->duplicate != NULL)
    {
        return codec->duplicate(arena, refusal->msg, &refusal->first, ret);
    }

    ret->status = parley_error_info(error->code)->http;

    if (error->code == PARLEY_E_JSON_INVALID
        && error->offset != PARLEY_NO_OFFSET)
    {
        parley_refuse_at(error, &at);

        placed = *refusal;
        placed.error = &at;
        refusal = &placed;
    }

    if (codec != NULL) {
        return codec->refuse(arena, refusal, ret);
    }

    return parley_refuse_problem(arena, refusal, ret);
}


/*
 * Appends the offset to the text of an error: invalid JSON has no member to
 * name.
 */

static void
parley_refuse_at(const parley_error_t *error, parley_error_t *ret)
{
    int  n;

    *ret = *error;

    n = snprintf(ret->text, sizeof(ret->text), "%s at offset %zu",
                 error->text, error->offset);

    if (n < 0 || (size_t) n >= sizeof(ret->text)) {
        /* The text is too long for the offset. */
        memcpy(ret->text, error->text, sizeof(ret->text));
    }
}


/* Writes RFC 9457 problem details, for a caller with an unknown protocol. */

static int
parley_refuse_problem(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    parley_buf_t           b;
    const parley_error_t  *error;

    error = refusal->error;

    parley_buf_init(&b, arena, 0);

    parley_buf_lit(&b, "{\"type\":\"about:blank\",\"title\":\"");
    parley_buf_str(&b, parley_refuse_title(ret->status));
    parley_buf_lit(&b, "\",\"status\":");
    parley_buf_int(&b, ret->status);
    parley_buf_member(&b, PARLEY_STR("detail"), parley_str_c(error->text));
    parley_buf_member(&b, PARLEY_STR("code"),
                      parley_error_info(error->code)->word);

    if (error->field[0] != '\0') {
        parley_buf_member(&b, PARLEY_STR("field"),
                          parley_str_c(error->field));
    }

    if (error->offset != PARLEY_NO_OFFSET) {
        parley_buf_lit(&b, ",\"offset\":");
        parley_buf_int(&b, (int64_t) error->offset);
    }

    parley_buf_octet(&b, '}');

    ret->content_type = PARLEY_STR("application/problem+json");

    return parley_buf_done(&b, &ret->body);
}


/* Returns the phrase of the status, which "about:blank" requires. */

static parley_str_t
parley_refuse_title(int status)
{
    unsigned  i;

    static const struct {
        int           status;
        parley_str_t  title;
    } titles[] = {
        { 400, parley_str("Bad Request") },
        { 401, parley_str("Unauthorized") },
        { 403, parley_str("Forbidden") },
        { 404, parley_str("Not Found") },
        { 405, parley_str("Method Not Allowed") },
        { 409, parley_str("Conflict") },
        { 413, parley_str("Content Too Large") },
        { 415, parley_str("Unsupported Media Type") },
        { 422, parley_str("Unprocessable Content") },
        { 429, parley_str("Too Many Requests") },
        { 501, parley_str("Not Implemented") },
        { 502, parley_str("Bad Gateway") },
        { 503, parley_str("Service Unavailable") },
        { 504, parley_str("Gateway Timeout") },
    };

    for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
        if (titles[i].status == status) {
            return titles[i].title;
        }
    }

    return PARLEY_STR("Error");
}
