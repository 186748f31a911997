/*
 * What a C2A caller is told of a message that was taken before: its first
 * result, octet for octet, under the id of the call at hand (C2A-12, C2A-20);
 * where that is not kept that it was taken.
 *
 *     {"jsonrpc": "2.0", "id": 8, "result": {"accepted": true,
 *         "duplicate": true}}
 */

#include "parley_c2a.h"
#include "parley_engine.h"


static int parley_c2a_again(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret);


int
parley_c2a_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret)
{
    parley_buf_t       b;
    parley_c2a_form_t  form;

    if (!parley_c2a_is_call(m->doc)) {
        ret->status = 202;
        return 0;
    }

    ret->status = 200;
    ret->content_type = parley_c2a_binding.media_type;

    if (first->text.len > 0) {
        return parley_c2a_again(arena, m, first, ret);
    }

    form = parley_c2a_form_of(m->doc);

    parley_buf_init(&b, arena, 256);

    parley_c2a_result_begin(&b, m->doc);
    parley_buf_name(&b, PARLEY_STR("accepted"));
    parley_buf_lit(&b, "true,\"duplicate\":true");

    if (form != PARLEY_C2A_FORMS && parley_c2a_form_info(form)->tool) {
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
