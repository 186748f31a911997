#include "parley_schema_program.h"

#include <stdarg.h>
#include <stdio.h>


static uint32_t parley_schema_line(parley_str_t text, size_t offset);


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
    err->location[0] = '\0';

    if (doc == NULL) {
        return -1;
    }

    snprintf(err->location, sizeof(err->location), "%.*s#%s",
             (int) doc->name.len, (const char *) doc->name.data, pointer);

    if (node < doc->json.nnodes) {
        err->error.offset = doc->json.nodes[node].off;
        err->line = parley_schema_line(doc->json.input, err->error.offset);
    }

    return -1;
}


void
parley_schema_fault_at(parley_schema_error_t *err,
    const parley_schema_doc_t *doc, const parley_error_t *json)
{
    err->error = *json;

    if (json->offset != PARLEY_NO_OFFSET) {
        err->line = parley_schema_line(doc->json.input, json->offset);
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
    err->location[0] = '\0';

    return -1;
}


static uint32_t
parley_schema_line(parley_str_t text, size_t offset)
{
    size_t    i;
    uint32_t  line;

    line = 1;

    for (i = 0; i < offset && i < text.len; i++) {
        line += (text.data[i] == '\n');
    }

    return line;
}
