#include "parley_schema_inline.h"
#include "parley_schema_text.h"


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
    int                 comma, object;
    uint32_t            i, value;
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

        if (object && parley_json_string_is(doc, i, PARLEY_STR("$ref"))) {
            continue;
        }

        if (comma++) {
            parley_buf_octet(b, ',');
        }

        if (object) {
            parley_buf_json_string(b, parley_json_span(doc, i));
            parley_buf_octet(b, ':');
        }

        parley_schema_inline(b, doc, value);
    }

    parley_buf_octet(b, object ? '}' : ']');
}
