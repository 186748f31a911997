/* Writes the JSON of texts in RFC 8785 form, if this keeps its values. */

#include "core/parley_decimal.h"
#include "translate/parley_embed_text.h"
#include "translate/parley_engine.h"
#include "core/parley_jcs.h"
#include "core/parley_number.h"
#include "translate/parley_msg_field.h"


static int parley_embed_text_kept(parley_embed_text_t *t, parley_buf_t *b);
static int parley_embed_text_check(parley_embed_text_t *t,
    parley_json_ref_t value, uint32_t top);
static uint32_t parley_embed_text_scan(parley_embed_text_t *t,
    const parley_json_t *doc, uint32_t value, uint32_t top);
static int parley_embed_text_inexact(parley_embed_text_t *t,
    const char *pointer);
static int parley_embed_text_is_double(const parley_json_t *doc, uint32_t i);


/*
 * Removes the members that AEE's carrying added, and the member that the words
 * contain.
 */

int
parley_embed_text_data(parley_embed_text_t *t, parley_buf_t *b)
{
    parley_buf_t         native;
    parley_str_t         text;
    parley_json_t        doc;
    const parley_msg_t  *m;

    m = t->m;

    if (m->data.node == PARLEY_JSON_NONE) {
        parley_buf_lit(b, "{}");
        return 0;
    }

    if (!m->carried) {
        return m->envelope == NULL && t->spoken == PARLEY_JSON_NONE
               ? parley_embed_text_value(t, b, m->data)
               : parley_embed_text_kept(t, b);
    }

    parley_buf_init(&native, t->arena, m->doc->input.len);
    parley_embed_payload(&native, m,
                         t->spoken != PARLEY_JSON_NONE
                         ? parley_json_atom(m->data.doc, t->spoken - 1)
                         : PARLEY_ATOM_NONE);

    if (parley_buf_done(&native, &text) != 0) {
        return parley_error_memory(t->err);
    }

    if (parley_read_again(&doc, t->arena, m->doc->seed, text, t->err) != 0) {
        return -1;
    }

    return parley_embed_text_value(t, b, (parley_json_ref_t) { &doc, 0 });
}


/* Writes the payload without the members that belong to the envelope. */

static int
parley_embed_text_kept(parley_embed_text_t *t, parley_buf_t *b)
{
    size_t                n;
    uint32_t              k, *kept;
    const parley_msg_t   *m;
    const parley_json_t  *doc;

    m = t->m;
    doc = m->data.doc;
    n = 0;

    kept = parley_arena_alloc(t->arena,
                              parley_json_node(doc, m->data.node)->count
                              * sizeof(uint32_t));
    if (kept == NULL) {
        return parley_error_memory(t->err);
    }

    for (k = parley_json_first(m->data.node);
         k != parley_json_end(doc, m->data.node);
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_msg_is_payload(m, k) || k + 1 == t->spoken) {
            continue;
        }

        kept[n++] = k;

        if (parley_embed_text_check(t, (parley_json_ref_t) { doc, k + 1 },
                                      m->data.node)
            != 0)
        {
            return -1;
        }
    }

    parley_jcs_text_members(b, doc, kept, n);

    return 0;
}


/*
 * RFC 8785 has doubles for numbers: a number that is not a double cannot be
 * written.
 */

int
parley_embed_text_value(parley_embed_text_t *t, parley_buf_t *b,
    parley_json_ref_t value)
{
    if (parley_embed_text_exact(t, value) != 0) {
        return -1;
    }

    parley_jcs_text(b, value);

    return 0;
}


int
parley_embed_text_exact(parley_embed_text_t *t, parley_json_ref_t value)
{
    return parley_embed_text_check(t, value, value.node);
}


/* Does the work of parley_embed_text_exact() for a part of the value top. */

static int
parley_embed_text_check(parley_embed_text_t *t, parley_json_ref_t value,
    uint32_t top)
{
    char      pointer[PARLEY_POINTER_MAX];
    uint32_t  i;

    i = parley_embed_text_scan(t, value.doc, value.node, top);

    if (i == PARLEY_JSON_NONE) {
        return 0;
    }

    if (value.doc != t->m->doc) {
        return parley_embed_text_inexact(t, parley_at(t->m,
                                           PARLEY_MSG_DATA).pointer);
    }

    (void) parley_json_pointer(value.doc, i, pointer, sizeof(pointer));

    return parley_embed_text_inexact(t, pointer);
}


/*
 * Returns the first number in a value that is not a double, or
 * PARLEY_JSON_NONE.  Sets t->deep if the value is too deep for a text that
 * begins with top.
 */

static uint32_t
parley_embed_text_scan(parley_embed_text_t *t, const parley_json_t *doc,
    uint32_t value, uint32_t top)
{
    uint32_t                   i, end, most;
    const parley_json_node_t  *node;

    end = parley_json_end(doc, value);
    most = parley_json_node(doc, top)->depth + parley_json_limits_default.depth;

    for (i = value; i < end; i++) {
        node = parley_json_node(doc, i);

        if (node->type == PARLEY_JSON_STRING) {
            continue;
        }

        if (node->type == PARLEY_JSON_NUMBER
            && !parley_embed_text_is_double(doc, i))
        {
            return i;
        }

        if (node->type >= PARLEY_JSON_ARRAY && node->depth >= most) {
            t->deep = 1;
        }
    }

    return PARLEY_JSON_NONE;
}


static int
parley_embed_text_inexact(parley_embed_text_t *t, const char *pointer)
{
    return parley_error_set(t->err, PARLEY_E_TRANSLATION_UNSUPPORTED, pointer,
                            "this number is not exact as a double: it has no "
                            "canonical form");
}


/* Returns whether a number is exactly equal to a double. */

static int
parley_embed_text_is_double(const parley_json_t *doc, uint32_t i)
{
    char              text[PARLEY_NUMBER_MAX];
    double            d;
    parley_str_t      literal;
    parley_decimal_t  written, kept;

    if (parley_json_node(doc, i)->flags & PARLEY_JSON_CANONICAL) {
        return 1;
    }

    literal = parley_json_raw(doc, i);

    if (parley_number_parse(literal, &d) != 0) {
        return 0;
    }

    written = parley_decimal_make(literal);
    kept = parley_decimal_make(parley_str_make(text,
                                              parley_number_format(d, text)));

    return parley_decimal_cmp(&written, &kept) == 0;
}
