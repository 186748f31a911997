/*
 * Caps of a message that the text of another protocol's message contains
 * (parley_embed_text.h).
 */

#include <stdio.h>

#include "translate/parley_rewrite.h"
#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_embed_text.h"
#include "translate/parley_msg_field.h"


static int parley_rewrite_text_capsule(parley_arena_t *arena,
    const parley_msg_t *m, uint32_t *ret_value, parley_str_t *ret_text,
    parley_embed_t *ret);
static void parley_rewrite_text_part(parley_buf_t *b, parley_str_t *text,
    parley_str_t part, parley_str_t value);


int
parley_rewrite_text(parley_arena_t *arena, const parley_msg_t *m,
    parley_priority_t cap, int64_t timeout_ms, parley_edit_t *edit,
    parley_error_t *err)
{
    int                rc;
    char               number[24], pointer[PARLEY_POINTER_MAX];
    uint32_t           value, node;
    parley_buf_t       b, made;
    parley_str_t       text, rest;
    parley_embed_t     c;
    parley_priority_t  priority;

    edit->pointer = parley_str_none;

    rc = parley_rewrite_text_capsule(arena, m, &value, &text, &c);

    if (rc != 1) {
        return rc == 0 ? 0 : parley_error_memory(err);
    }

    rest = text;

    parley_buf_init(&made, arena, text.len + 32);

    /* the line of the priority comes before that of the deadline */

    if (parley_priority_find(c.words[PARLEY_EMBED_PRIORITY], &priority) == 0
        && priority > cap)
    {
        parley_rewrite_text_part(&made, &rest, c.words[PARLEY_EMBED_PRIORITY],
                                 parley_priority_name(cap));
    }

    if (timeout_ms > 0 && c.timeout_ms > timeout_ms
        && c.requires.node != PARLEY_JSON_NONE)
    {
        node = parley_json_member(c.requires.doc, c.requires.node,
                                  PARLEY_ATOM_timeout_ms);

        (void) snprintf(number, sizeof(number), "%lld",
                        (long long) timeout_ms);
        parley_rewrite_text_part(&made, &rest,
                                 parley_json_raw(c.requires.doc, node),
                                 parley_str_c(number));
    }

    if (rest.len == text.len) {
        return 0;
    }

    parley_buf_str(&made, rest);

    if (parley_buf_done(&made, &text) != 0) {
        return parley_error_memory(err);
    }

    (void) parley_json_pointer(m->doc, value, pointer, sizeof(pointer));

    parley_buf_init(&b, arena, text.len + 64);
    parley_buf_json_string(&b, text);

    return parley_buf_done(&b, &edit->value) == 0
           && parley_arena_str(arena, parley_str_c(pointer), &edit->pointer)
              == 0
           ? 0 : parley_error_memory(err);
}


/*
 * Finds the text that contains the message m.  Returns 1; 0 if no text of the
 * document contains it; -1 if memory is exhausted.
 */

static int
parley_rewrite_text_capsule(parley_arena_t *arena, const parley_msg_t *m,
    uint32_t *ret_value, parley_str_t *ret_text, parley_embed_t *ret)
{
    int                    rc;
    uint32_t               k, payload;
    const parley_codec_t  *codec;

    codec = parley_codecs[m->wire];

    if (!m->held || m->data.doc == m->doc
        || codec->pointers[PARLEY_MSG_DATA] == NULL)
    {
        return 0;
    }

    payload = parley_json_resolve(m->doc, 0,
                                  parley_str_c(codec->pointers
                                               [PARLEY_MSG_DATA]));

    if (payload == PARLEY_JSON_NONE
        || parley_json_type(m->doc, payload) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    for (k = parley_json_first(payload);
         k != parley_json_end(m->doc, payload);
         k = parley_json_after(m->doc, k + 1))
    {
        if (parley_msg_string(m->doc, k + 1, ret_text) != 0) {
            return -1;
        }

        rc = parley_embed_text_read(arena, m->doc->seed, codec->slot,
                                    *ret_text, ret);
        if (rc < 0) {
            return -1;
        }

        if (rc == 1 && ret->origin == m->origin
            && parley_str_eq(ret->words[PARLEY_EMBED_ID], m->held_id))
        {
            *ret_value = k + 1;
            return 1;
        }
    }

    return 0;
}


/*
 * Copies *text up to a part of it, and writes value instead of the part.  *text
 * becomes the rest.  A part elsewhere, that is a string with escapes, stays.
 */

static void
parley_rewrite_text_part(parley_buf_t *b, parley_str_t *text,
    parley_str_t part, parley_str_t value)
{
    size_t  n;

    if (part.data < text->data || part.data + part.len > text->data + text->len)
    {
        return;
    }

    n = (size_t) (part.data - text->data);

    parley_buf_str(b, parley_str_make(text->data, n));
    parley_buf_str(b, value);

    *text = parley_str_from(*text, n + part.len);
}
