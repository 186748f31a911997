#include "schemas/parley_schema_program.h"

#include <stdarg.h>
#include <stdio.h>


static void parley_schema_place(parley_schema_error_t *err, parley_str_t text);


int
parley_schema_fault(parley_schema_error_t *err,
    const parley_schema_doc_t *doc, uint32_t node, const char *keyword,
    const char *fmt, ...)
{
    char     text[PARLEY_TEXT_MAX], pointer[PARLEY_POINTER_MAX];
    va_list  args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    pointer[0] = '\0';

    if (doc != NULL && node < doc->json.nnodes) {
        parley_json_pointer(&doc->json, node, pointer, sizeof(pointer));
    }

    (void) parley_error_set(&err->error, PARLEY_E_FIELD_INVALID, pointer,
                            "%s", text);
    err->keyword = keyword;
    err->line = 0;
    err->column = 0;
    err->location[0] = '\0';

    if (doc == NULL) {
        return -1;
    }

    snprintf(err->location, sizeof(err->location), "%.*s#%s",
             (int) doc->name.len, (const char *) doc->name.data, pointer);

    if (node < doc->json.nnodes) {
        err->error.offset = doc->json.nodes[node].off;
        parley_schema_place(err, doc->json.input);
    }

    return -1;
}


void
parley_schema_fault_at(parley_schema_error_t *err,
    const parley_schema_doc_t *doc, const parley_error_t *json)
{
    err->error = *json;

    if (json->offset != PARLEY_NO_OFFSET) {
        parley_schema_place(err, doc->json.input);
    }

    snprintf(err->location, sizeof(err->location), "%.*s#%s",
             (int) doc->name.len, (const char *) doc->name.data,
             json->is_name ? "" : json->field);
}


int
parley_schema_no_memory(parley_schema_error_t *err)
{
    (void) parley_error_memory(&err->error);

    err->keyword = "";
    err->line = 0;
    err->column = 0;
    err->location[0] = '\0';

    return -1;
}


static void
parley_schema_place(parley_schema_error_t *err, parley_str_t text)
{
    parley_position_t  place;

    parley_error_position(text, err->error.offset, &place);

    err->line = place.line;
    err->column = place.column;
}
