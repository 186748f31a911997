/* Writes RFC 8785 inside a JSON string, for a document carried as text. */

#include "core/parley_jcs.h"
#include "core/parley_number.h"


static void parley_jcs_text_value(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_text_array(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_text_object(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_text_member(parley_buf_t *b, const parley_json_t *doc,
    uint32_t k, int comma);
static void parley_jcs_text_string(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_text_number(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);


void
parley_jcs_text(parley_buf_t *b, parley_json_ref_t value)
{
    if (value.node != PARLEY_JSON_NONE) {
        parley_jcs_text_value(b, value.doc, value.node);
    }
}


void
parley_jcs_text_members(parley_buf_t *b, const parley_json_t *doc,
    uint32_t *members, size_t n)
{
    size_t  j;

    if (parley_jcs_order(b->arena, doc, members, n) != 0) {
        b->failed = 1;
        return;
    }

    parley_buf_octet(b, '{');

    for (j = 0; j < n; j++) {
        parley_jcs_text_member(b, doc, members[j], j != 0);
    }

    parley_buf_octet(b, '}');
}


/* Recurses once per level, at most PARLEY_JSON_DEPTH_MAX. */
static void
parley_jcs_text_value(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    switch (parley_json_type(doc, i)) {

    case PARLEY_JSON_NUMBER:
        parley_jcs_text_number(b, doc, i);
        break;

    case PARLEY_JSON_STRING:
        parley_jcs_text_string(b, doc, i);
        break;

    case PARLEY_JSON_ARRAY:
        parley_jcs_text_array(b, doc, i);
        break;

    case PARLEY_JSON_OBJECT:
        parley_jcs_text_object(b, doc, i);
        break;

    default:
        parley_buf_str(b, parley_json_span(doc, i));
        break;
    }
}


static void
parley_jcs_text_array(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    uint32_t  k, end;

    parley_buf_octet(b, '[');

    end = parley_json_end(doc, i);

    for (k = parley_json_first(i); k != end; k = parley_json_after(doc, k)) {
        if (k != parley_json_first(i)) {
            parley_buf_octet(b, ',');
        }

        parley_jcs_text_value(b, doc, k);
    }

    parley_buf_octet(b, ']');
}


static void
parley_jcs_text_object(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    size_t     n;
    uint32_t   k, end, *members;

    end = parley_json_end(doc, i);

    if (doc->nodes[i].flags & PARLEY_JSON_SORTED) {
        parley_buf_octet(b, '{');

        for (k = parley_json_first(i); k != end;
             k = parley_json_after(doc, k + 1))
        {
            parley_jcs_text_member(b, doc, k, k != parley_json_first(i));
        }

        parley_buf_octet(b, '}');

        return;
    }

    members = parley_arena_alloc(b->arena,
                                 doc->nodes[i].count * sizeof(uint32_t));
    if (members == NULL) {
        b->failed = 1;
        return;
    }

    n = 0;

    for (k = parley_json_first(i); k != end;
         k = parley_json_after(doc, k + 1))
    {
        members[n++] = k;
    }

    parley_jcs_text_members(b, doc, members, n);
}


static void
parley_jcs_text_member(parley_buf_t *b, const parley_json_t *doc, uint32_t k,
    int comma)
{
    if (comma) {
        parley_buf_octet(b, ',');
    }

    parley_jcs_text_string(b, doc, k);
    parley_buf_octet(b, ':');
    parley_jcs_text_value(b, doc, k + 1);
}


static void
parley_jcs_text_string(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    parley_buf_t       form;
    parley_str_t       text;
    parley_json_ref_t  string;

    if (!(doc->nodes[i].flags & PARLEY_JSON_ESCAPED)) {
        parley_buf_lit(b, "\\\"");
        parley_buf_str(b, parley_json_span(doc, i));
        parley_buf_lit(b, "\\\"");
        return;
    }

    string.doc = doc;
    string.node = i;

    parley_buf_init(&form, b->arena, doc->nodes[i].len + sizeof("\"\""));
    parley_jcs_write(&form, string, parley_str_none);

    if (parley_buf_done(&form, &text) != 0) {
        b->failed = 1;
        return;
    }

    parley_buf_json_text(b, text);
}


static void
parley_jcs_text_number(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    char    text[PARLEY_NUMBER_MAX];
    size_t  n;

    if (doc->nodes[i].flags & PARLEY_JSON_CANONICAL) {
        parley_buf_str(b, parley_json_span(doc, i));
        return;
    }

    n = parley_number_format(parley_json_number(doc, i), text);
    parley_buf_put(b, text, n);
}
