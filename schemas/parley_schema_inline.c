#include "schemas/parley_schema_inline.h"
#include "schemas/parley_schema_text.h"


static void parley_schema_inline_value(parley_buf_t *b,
    const parley_json_t *doc, uint32_t node, int names);
static parley_str_t parley_schema_inline_keyword(const parley_json_t *doc,
    uint32_t schema, parley_str_t keyword);


/*
 * Keywords of the built-in schemas that other validators refuse, and their
 * replacements for clients.  A client that validates may accept more than the
 * gateway, but never less.
 */
static const struct {
    parley_str_t  own;
    parley_str_t  common;
} parley_schema_inline_own[] = {
    { parley_str("x-words"), parley_str("description") },
    { parley_str("maxOctets"), parley_str("maxLength") },
    { parley_str("format"), parley_str_none }
};


parley_str_t
parley_schema_source(parley_str_t uri)
{
    const parley_schema_text_t  *text;

    for (text = parley_schema_texts;
         text->text.len > 0 && !parley_str_eq(text->uri, uri);
         text++)
    {
        /* void */
    }

    return text->text;
}


void
parley_schema_inline(parley_buf_t *b, const parley_json_t *doc, uint32_t node)
{
    parley_schema_inline_value(b, doc, node, 0);
}


/* names: the members of the value are property names, not keywords */

static void
parley_schema_inline_value(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node, int names)
{
    int                 comma, object;
    uint32_t            i, value;
    parley_str_t        keyword;
    parley_json_ref_t   ref;
    parley_json_type_t  type;

    type = parley_json_type(doc, node);
    object = type == PARLEY_JSON_OBJECT;

    ref.doc = doc;
    ref.node = node;

    if (!object && type != PARLEY_JSON_ARRAY) {
        parley_buf_value(b, ref);
        return;
    }

    ref.node = parley_json_get(doc, node, PARLEY_STR("$ref"));

    if (ref.node != PARLEY_JSON_NONE && parley_json_node(doc, node)->count == 1)
    {
        node = parley_json_resolve(doc, 0,
                          parley_str_from(parley_json_span(doc, ref.node), 1));
    }

    comma = 0;
    parley_buf_octet(b, object ? '{' : '[');

    for (i = parley_json_first(node);
         i != parley_json_end(doc, node);
         i = parley_json_after(doc, value))
    {
        value = i + (uint32_t) object;
        keyword = object ? parley_json_span(doc, i) : parley_str_none;

        if (object && !names) {
            keyword = parley_schema_inline_keyword(doc, node, keyword);

            if (keyword.len == 0) {
                continue;
            }
        }

        if (comma++) {
            parley_buf_octet(b, ',');
        }

        if (object) {
            parley_buf_json_string(b, keyword);
            parley_buf_octet(b, ':');
        }

        parley_schema_inline_value(b, doc, value,
                                   !names
                                   && parley_str_is(keyword, "properties"));
    }

    parley_buf_octet(b, object ? '}' : ']');
}


/* Returns the keyword that replaces this one, or an empty string to omit it. */

static parley_str_t
parley_schema_inline_keyword(const parley_json_t *doc, uint32_t schema,
    parley_str_t keyword)
{
    size_t  i;

    if (parley_str_is(keyword, "$ref")) {
        return parley_str_none;
    }

    for (i = 0; i < sizeof(parley_schema_inline_own)
                    / sizeof(parley_schema_inline_own[0]); i++)
    {
        if (!parley_str_eq(keyword, parley_schema_inline_own[i].own)) {
            continue;
        }

        keyword = parley_schema_inline_own[i].common;

        return parley_json_get(doc, schema, keyword) == PARLEY_JSON_NONE
               ? keyword : parley_str_none;
    }

    return keyword;
}
