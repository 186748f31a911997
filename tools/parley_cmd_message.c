/* parley detect and parley validate. */

#include <stdio.h>

#include "parley_tool.h"


static int parley_detect_run(parley_tool_t *tool);
static int parley_detect_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static int parley_validate_run(parley_tool_t *tool);
static int parley_validate_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);


static const parley_option_t  parley_detect_options[] = {
    PARLEY_OPTIONS_INPUT,
    parley_option_end
};


static const parley_option_t  parley_validate_options[] = {
    { "as", 0, "P", PARLEY_PROTOCOL_WORDS "; else it is detected",
      0 },
    { "partial", 0, NULL, "a log record will do where the protocol has such\n"
      "a form (AEE: MVE-5)", 0 },
    PARLEY_OPTIONS_INPUT,
    parley_option_end
};


const parley_command_t  parley_cmd_detect = {
    .name = "detect",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Names the protocol of a message",
    .text = "Prints aee, vcp and so on, with more than one FILE behind "
            "\"FILE: \".  The message\nneed not be valid.\n",
    .options = parley_detect_options,
    .run = parley_detect_run
};


const parley_command_t  parley_cmd_validate = {
    .name = "validate",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Says whether a message is valid",
    .text = "Nothing is printed of a valid message.  Of another the code, "
            "the JSON Pointer of\nthe member at fault and the reason go to "
            "standard error.  Time, signature and\nsender are not looked "
            "at.\n",
    .options = parley_validate_options,
    .run = parley_validate_run
};


static int
parley_detect_run(parley_tool_t *tool)
{
    return parley_input_each(tool, parley_detect_one, NULL);
}


static int
parley_detect_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    parley_buf_t    b;
    parley_json_t   doc;
    parley_proto_t  proto;

    (void) ctx;

    if (parley_message_read(tool, in, &doc) != 0) {
        return parley_output_error(tool, in);
    }

    proto = parley_detect(&doc, PARLEY_PROTO_ALL);

    if (proto == PARLEY_PROTO_NONE) {
        (void) parley_error_set(&in->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                "no protocol known has a message like this");
        return parley_output_error(tool, in);
    }

    if (tool->json) {
        parley_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("protocol"),
                          parley_proto_name(proto));
        parley_output_end(&b);
        return PARLEY_EXIT_OK;
    }

    if (tool->noperands > 1) {
        printf("%s: ", in->name);
    }

    parley_output_line(parley_proto_name(proto));

    return PARLEY_EXIT_OK;
}


static int
parley_validate_run(parley_tool_t *tool)
{
    int               status;
    parley_message_t  m;

    if (parley_message_init(tool, "as", &m) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    m.partial = parley_option(tool, "partial") != NULL;

    status = parley_input_each(tool, parley_validate_one, &m);

    parley_message_free(&m);

    return status;
}


static int
parley_validate_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    parley_buf_t       b;
    parley_message_t  *m = ctx;

    if (parley_message_decode(tool, in, m) != 0) {
        return parley_output_error(tool, in);
    }

    if (tool->json) {
        parley_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("protocol"),
                          parley_proto_name(m->msg.wire));
        parley_buf_member(&b, PARLEY_STR("type"), m->msg.form);
        parley_buf_member(&b, PARLEY_STR("id"), m->msg.id);
        parley_buf_member(&b, PARLEY_STR("intent"), m->msg.intent);
        parley_output_end(&b);
    }

    return PARLEY_EXIT_OK;
}
