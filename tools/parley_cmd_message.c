/* parley detect and parley validate. */

#include <stdio.h>
#include <string.h>

#include "tools/parley_conf.h"
#include "gate/settings/parley_directive.h"
#include "translate/parley_intents.h"


typedef struct {
    parley_message_t         message;
    parley_settings_http_t   http;      /* --intents */
} parley_validate_t;


static int tool_detect_run(parley_tool_t *tool);
static int tool_detect_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static int tool_validate_run(parley_tool_t *tool);
static int tool_validate_intents(parley_tool_t *tool,
    parley_settings_http_t *http);
static int tool_validate_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);


static const parley_option_t  parley_detect_options[] = {
    PARLEY_OPTIONS_INPUT,
    tool_option_end
};


static const parley_option_t  parley_validate_options[] = {
    { "as", 0, "P", PARLEY_PROTOCOL_WORDS ";\nelse it is detected",
      0 },
    { "partial", 0, NULL, "a log record will do where the protocol has such\n"
      "a form (AEE: MVE-5)", 0 },
    { "intents", 0, "FOLDER", "schemas of payloads, as parley_intents has\n"
      "them: the payload must be valid too", 0 },
    PARLEY_OPTIONS_INPUT,
    tool_option_end
};


const parley_command_t  parley_cmd_detect = {
    .name = "detect",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Names the protocol of a message",
    .text = "Prints aee, vcp and so on, with more than one FILE behind "
            "\"FILE: \".  The message\nneed not be valid.\n",
    .options = parley_detect_options,
    .run = tool_detect_run
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
    .run = tool_validate_run
};


static int
tool_detect_run(parley_tool_t *tool)
{
    return tool_input_each(tool, tool_detect_one, NULL);
}


static int
tool_detect_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    parley_buf_t    b;
    parley_json_t   doc;
    parley_proto_t  proto;

    (void) ctx;

    if (tool_message_read(tool, in, &doc) != 0) {
        return tool_output_error(tool, in);
    }

    proto = parley_detect(&doc, PARLEY_PROTO_ALL);

    if (proto == PARLEY_PROTO_NONE) {
        (void) parley_error_set(&in->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                "the message is not of a known protocol");
        return tool_output_error(tool, in);
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("protocol"),
                          parley_proto_name(proto));
        tool_output_end(&b);
        return PARLEY_EXIT_OK;
    }

    if (tool->noperands > 1) {
        tool_show_format(stdout, "%s: ", in->name);
    }

    tool_output_line(parley_proto_name(proto));

    return PARLEY_EXIT_OK;
}


static int
tool_validate_run(parley_tool_t *tool)
{
    int                status;
    parley_validate_t  v;

    parley_settings_http_init(&v.http);

    if (tool_message_init(tool, "as", &v.message) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    v.message.partial = tool_option(tool, "partial") != NULL;
    status = PARLEY_EXIT_USAGE;

    if (tool_validate_intents(tool, &v.http) == 0) {
        status = tool_input_each(tool, tool_validate_one, &v);
    }

    parley_settings_http_free(&v.http);
    tool_message_free(&v.message);

    return status;
}


/* Reads the folder of --intents as the directive reads it. */

static int
tool_validate_intents(parley_tool_t *tool, parley_settings_http_t *http)
{
    parley_str_t            words[2];
    parley_problem_t        problem;
    parley_setting_t        set;
    parley_conf_files_t     files;
    parley_settings_env_t   env;

    if (tool_option(tool, "intents") == NULL) {
        return 0;
    }

    words[0] = PARLEY_STR("parley_intents");
    words[1] = parley_str_c(tool_option(tool, "intents"));

    tool_conf_env_init(&env, &files, tool, "");

    memset(&problem, 0, sizeof(problem));
    memset(&set, 0, sizeof(set));

    set.env = &env;
    set.http = http;
    set.row = &parley_directives[PARLEY_DIRECTIVE_INTENTS];
    set.words = words;
    set.n = 2;
    set.problem = &problem;

    return parley_directive_read(&set) == 0 ? 0
                                            : tool_conf_failed(&problem);
}


static int
tool_validate_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    parley_buf_t        b;
    parley_message_t   *m;
    parley_validate_t  *v = ctx;

    m = &v->message;

    if (tool_message_decode(tool, in, m) != 0
        || (v->http.intents != NULL
            && parley_intents_check(v->http.intents, in->arena, &m->msg,
                                    &in->err)
               != 0))
    {
        return tool_output_error(tool, in);
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("protocol"),
                          parley_proto_name(m->msg.wire));
        parley_buf_member(&b, PARLEY_STR("type"), m->msg.form);
        parley_buf_member(&b, PARLEY_STR("id"), m->msg.id);
        parley_buf_member(&b, PARLEY_STR("intent"), m->msg.intent);
        tool_output_end(&b);
    }

    return PARLEY_EXIT_OK;
}
