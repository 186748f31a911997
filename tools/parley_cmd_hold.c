/* parley hold list, parley hold lift: suspended principals (parley_control). */

#include <stdio.h>
#include <string.h>

#include "tools/parley_http.h"


static int tool_hold_list(parley_tool_t *tool);
static int tool_hold_lift(parley_tool_t *tool);
static int tool_hold_ask(parley_tool_t *tool, const char *method,
    const char *query, size_t *n);
static int tool_hold_refused(parley_tool_t *tool,
    const parley_http_answer_t *answer);
static int tool_hold_tell(parley_tool_t *tool, parley_str_t body,
    size_t *n);
static parley_str_t tool_hold_text(const parley_json_t *doc, uint32_t i,
    parley_str_t name);


static const parley_option_t  parley_hold_options[] = {
    { "control", 0, "URL", "that of parley_control: http://127.0.0.1:80/...,\n"
      "https://..., or http://unix:/run/nginx.sock:/...", 0 },
    { "token-file", 0, "FILE", "a file with the operator's token", 0 },
    { "cacert", 0, "FILE", "authorities that the gateway's certificate may be\n"
      "of, instead of the system's", 0 },
    { "json", 0, NULL, "the gateway's answer as it is", 0 },
    tool_option_end
};


const parley_command_t  parley_cmd_hold_list = {
    .name = "hold list",
    .operands = "",
    .min = 0,
    .max = 0,
    .summary = "Lists the suspended and paused principals",
    .text = "A line each: sub, state, since when, the id of the message.\n",
    .options = parley_hold_options,
    .run = tool_hold_list
};


const parley_command_t  parley_cmd_hold_lift = {
    .name = "hold lift",
    .operands = "SUB",
    .min = 1,
    .max = 1,
    .summary = "Resumes a principal that is suspended or paused",
    .text = "Prints the ended suspensions as \"hold list\" does; the status "
            "is 1 if\nno suspension ended.\n",
    .options = parley_hold_options,
    .run = tool_hold_lift
};


static int
tool_hold_list(parley_tool_t *tool)
{
    size_t  n;

    return tool_hold_ask(tool, "GET", NULL, &n);
}


static int
tool_hold_lift(parley_tool_t *tool)
{
    int            status;
    size_t         n;
    const char    *sub;
    parley_buf_t   b;
    parley_str_t   query;

    sub = tool->operands[0];

    parley_buf_init(&b, &tool->arena, 256);
    parley_buf_lit(&b, "sub=");
    parley_buf_put(&b, sub, strlen(sub) + 1);

    if (parley_buf_done(&b, &query) != 0) {
        tool_say("no memory");
        return PARLEY_EXIT_USAGE;
    }

    status = tool_hold_ask(tool, "DELETE", (const char *) query.data, &n);

    if (status == PARLEY_EXIT_OK && n == 0) {
        tool_say("\"%s\" is not suspended", sub);
        return PARLEY_EXIT_INVALID;
    }

    return status;
}


static int
tool_hold_ask(parley_tool_t *tool, const char *method, const char *query,
    size_t *n)
{
    parley_http_answer_t   answer;
    parley_http_request_t  request;

    memset(&request, 0, sizeof(parley_http_request_t));

    request.method = method;
    request.query = query;
    request.authorities = tool_option(tool, "cacert");

    if (tool_option_required(tool, "control", &request.url) != 0
        || tool_token_given(tool, &request.token) != 0
        || tool_http(tool, &request, &answer) != 0)
    {
        return PARLEY_EXIT_USAGE;
    }

    if (answer.status != 200) {
        return tool_hold_refused(tool, &answer);
    }

    return tool_hold_tell(tool, answer.body, n);
}


/* reads the member "detail" of RFC 9457 */

static int
tool_hold_refused(parley_tool_t *tool, const parley_http_answer_t *answer)
{
    parley_str_t    detail;
    parley_json_t   doc;
    parley_error_t  err;

    detail = parley_str_none;

    if (parley_json_read(&doc, &tool->arena, NULL, tool->seed, answer->body,
                         &err)
        == 0)
    {
        detail = tool_hold_text(&doc, 0, PARLEY_STR("detail"));
    }

    tool_say("the gateway answers with status %ld%s%.*s", answer->status,
             detail.len > 0 ? ": " : "", (int) detail.len,
             (const char *) detail.data);

    return PARLEY_EXIT_INVALID;
}


static int
tool_hold_tell(parley_tool_t *tool, parley_str_t body, size_t *n)
{
    size_t          k;
    uint32_t        i, list;
    parley_str_t    text;
    parley_json_t   doc;
    parley_error_t  err;

    static const parley_str_t  columns[] = {
        parley_str("sub"), parley_str("state"), parley_str("since"),
        parley_str("message_id")
    };

    *n = 0;
    list = PARLEY_JSON_NONE;

    if (parley_json_read(&doc, &tool->arena, NULL, tool->seed, body, &err)
        == 0)
    {
        list = parley_json_get(&doc, 0, PARLEY_STR("suspensions"));
    }

    if (list == PARLEY_JSON_NONE
        || parley_json_type(&doc, list) != PARLEY_JSON_ARRAY)
    {
        tool_say("the answer is not that of parley_control");
        return PARLEY_EXIT_USAGE;
    }

    for (i = parley_json_first(list); i != parley_json_end(&doc, list);
         i = parley_json_after(&doc, i))
    {
        (*n)++;

        for (k = 0; !tool->json && k < sizeof(columns) / sizeof(columns[0]);
             k++)
        {
            text = tool_hold_text(&doc, i, columns[k]);
            tool_show(stdout, text);
            tool_output(k + 1 < sizeof(columns) / sizeof(columns[0])
                        ? PARLEY_STR("  ") : PARLEY_STR("\n"));
        }
    }

    if (tool->json) {
        tool_output_json(body);
    }

    return PARLEY_EXIT_OK;
}


/* Returns the text of a member, or "-" if it is missing. */

static parley_str_t
tool_hold_text(const parley_json_t *doc, uint32_t i, parley_str_t name)
{
    parley_str_t  s;

    i = parley_json_get(doc, i, name);

    if (i == PARLEY_JSON_NONE || parley_json_string(doc, i, &s) != 0) {
        return PARLEY_STR("-");
    }

    return s;
}
