/*
 * Refusals as JSON-RPC errors.  What is no request is -32600, a method that
 * there is not -32601, what is wrong with its params -32602 (C2A-28); the
 * gateway's own code and the member stand in data.
 */

#include "parley_c2a.h"


#define PARLEY_C2A_INVALID_REQUEST   (-32600)
#define PARLEY_C2A_METHOD_NOT_FOUND  (-32601)


static int parley_c2a_number(const parley_error_t *error);


int
parley_c2a_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    parley_str_t           id;
    const parley_json_t   *doc;
    const parley_error_t  *error;

    error = refusal->error;
    doc = refusal->doc;

    if (doc == NULL && refusal->msg != NULL) {
        doc = refusal->msg->doc;
    }

    id = PARLEY_STR("null");

    if (doc != NULL && doc->nnodes > 0) {
        id = parley_c2a_call_id(doc);
    }

    return parley_c2a_error(arena, id, parley_c2a_number(error),
                            parley_error_info(error->code)->word,
                            parley_str_c(error->field),
                            parley_str_c(error->text), ret);
}


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
        if (strncmp(field, "/params", sizeof("/params") - 1) != 0) {
            return PARLEY_C2A_INVALID_REQUEST;
        }

        break;

    default:
        break;
    }

    return parley_error_info(error->code)->jsonrpc;
}


int
parley_c2a_error(parley_arena_t *arena, parley_str_t id, int number,
    parley_str_t code, parley_str_t field, parley_str_t message,
    parley_reply_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    parley_buf_lit(&b, "{\"jsonrpc\":\"2.0\",\"id\":");
    parley_buf_str(&b, id);
    parley_buf_lit(&b, ",\"error\":{\"code\":");
    parley_buf_int(&b, number);
    parley_buf_member(&b, PARLEY_STR("message"), message);
    parley_buf_lit(&b, ",\"data\":{");

    if (code.len > 0) {
        parley_buf_member(&b, PARLEY_STR("code"), code);
    }

    if (field.len > 0) {
        parley_buf_member(&b, PARLEY_STR("field"), field);
    }

    parley_buf_lit(&b, "}}}");

    ret->content_type = parley_c2a_codec.media_type;

    return parley_buf_done(&b, &ret->body);
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
