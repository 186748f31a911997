/* parley canon: prints the canonical form of JSON. */

#include <stdio.h>
#include <unistd.h>

#include "core/parley_jcs.h"
#include "tools/parley_tool.h"


static int tool_canon_run(parley_tool_t *tool);
static int tool_canon_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);


static const parley_option_t  parley_canon_options[] = {
    PARLEY_OPTIONS_INPUT,
    tool_option_end
};


const parley_command_t  parley_cmd_canon = {
    .name = "canon",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Prints the canonical form of JSON (RFC 8785)",
    .text = "The output is the canonical octets and nothing else, fit for a "
            "digest or a\nsignature; a newline follows on a terminal, with "
            "-n and with more than one\nFILE.  With --json the form is the "
            "string \"canonical\".\n",
    .options = parley_canon_options,
    .run = tool_canon_run
};


static int
tool_canon_run(parley_tool_t *tool)
{
    return tool_input_each(tool, tool_canon_one, NULL);
}


static int
tool_canon_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    char           pointer[PARLEY_POINTER_MAX];
    parley_str_t   s;
    parley_buf_t   b;
    parley_json_t  doc;

    (void) ctx;

    if (tool_message_read(tool, in, &doc) != 0) {
        return tool_output_error(tool, in);
    }

    parley_buf_init(&b, in->arena, in->text.len);
    parley_jcs_write(&b, (parley_json_ref_t) { &doc, 0 }, parley_str_none);

    if (parley_buf_done(&b, &s) != 0) {
        (void) parley_error_memory(&in->err);
        return tool_output_error(tool, in);
    }

    if (doc.inexact != PARLEY_JSON_NONE) {
        (void) parley_json_pointer(&doc, doc.inexact, pointer,
                                   sizeof(pointer));
        tool_say("%s: warning: the number %s%sis not exact as a double",
                 in->name, pointer, pointer[0] != '\0' ? " " : "");
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("canonical"), s);
        tool_output_end(&b);
        return PARLEY_EXIT_OK;
    }

    tool_output(s);

    if (tool->lines || tool->noperands > 1 || isatty(STDOUT_FILENO)) {
        (void) putc('\n', stdout);
    }

    return PARLEY_EXIT_OK;
}
