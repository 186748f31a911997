/* parley token inspect: prints the claims of a token. */

#include "core/parley_base64.h"
#include "auth/parley_jwt.h"
#include "core/parley_time.h"
#include "tools/parley_tool.h"


static int tool_inspect_run(parley_tool_t *tool);
static int tool_inspect_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static void tool_inspect_time(const parley_json_t *claims,
    const char *name);
static int tool_inspect_split(parley_input_t *in, parley_str_t token,
    parley_str_t raw[3]);
static int tool_inspect_part(parley_tool_t *tool, parley_input_t *in,
    const char *name, parley_str_t raw, parley_json_t *doc);


static const parley_option_t  parley_inspect_options[] = {
    PARLEY_OPTIONS_TOKEN,
    tool_option_end
};


const parley_command_t  parley_cmd_token_inspect = {
    .name = "token inspect",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Prints the content of a token without verification",
    .text = "Prints header and claims as JSON.\n",
    .options = parley_inspect_options,
    .run = tool_inspect_run
};


static int
tool_inspect_run(parley_tool_t *tool)
{
    return tool_token_each(tool, tool_inspect_one, NULL);
}


static int
tool_inspect_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    size_t          len;
    uint8_t        *signature;
    parley_buf_t    b;
    parley_str_t    raw[3], text;
    parley_json_t   header, claims;

    (void) ctx;

    if (tool_inspect_split(in, tool_token_trim(in->text), raw) != 0
        || tool_inspect_part(tool, in, "header", raw[0], &header) != 0
        || tool_inspect_part(tool, in, "claims", raw[1], &claims) != 0)
    {
        return tool_output_error(tool, in);
    }

    signature = parley_arena_octets(in->arena,
                                    PARLEY_BASE64_DECODED(raw[2].len));

    if (signature == NULL
        || parley_base64url_decode(raw[2], signature, &len) != 0)
    {
        (void) parley_error_set(&in->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "the signature is not base64url");
        return tool_output_error(tool, in);
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_lit(&b, ",\"header\":");
        parley_buf_str(&b, header.input);
        parley_buf_lit(&b, ",\"claims\":");
        parley_buf_str(&b, claims.input);
        tool_output_end(&b);
        return PARLEY_EXIT_OK;
    }

    parley_buf_init(&b, in->arena, 1024);
    parley_buf_lit(&b, "{\n  \"header\": ");
    tool_output_pretty(&b, &header, 0, 1);
    parley_buf_lit(&b, ",\n  \"claims\": ");
    tool_output_pretty(&b, &claims, 0, 1);
    parley_buf_lit(&b, "\n}\n");

    if (parley_buf_done(&b, &text) != 0) {
        (void) parley_error_memory(&in->err);
        return tool_output_error(tool, in);
    }

    tool_show_json(stdout, text);
    (void) fflush(stdout);

    tool_inspect_time(&claims, "nbf");
    tool_inspect_time(&claims, "iat");
    tool_inspect_time(&claims, "exp");
    tool_say("%s: the signature was not verified", in->name);

    return PARLEY_EXIT_OK;
}


/* Prints a time claim as "exp 2026-02-15T10:30:00Z, 5 s ago". */
static void
tool_inspect_time(const parley_json_t *claims, const char *name)
{
    char      date[PARLEY_TIME_MAX];
    double    when;
    int64_t   left;
    uint32_t  node;

    node = parley_json_get(claims, 0, parley_str_c(name));

    if (node == PARLEY_JSON_NONE
        || parley_json_type(claims, node) != PARLEY_JSON_NUMBER)
    {
        return;
    }

    when = parley_json_number(claims, node);

    if (!(when >= 0 && when <= PARLEY_JWT_DATE_MAX)) {
        return;
    }

    (void) parley_time_format((int64_t) (when * 1000 + 0.04), date);
    left = (int64_t) when - tool_host_seconds();

    if (left > 0) {
        tool_say("%s is %s, in %lld s", name, date, (long long) left);

    } else {
        tool_say("%s is %s, %lld s ago", name, date, (long long) -left);
    }
}


static int
tool_inspect_split(parley_input_t *in, parley_str_t token,
    parley_str_t raw[3])
{
    size_t          i;
    unsigned        n;
    const uint8_t  *start;

    n = 0;
    start = token.data;

    for (i = 0; i <= token.len; i++) {

        if (i < token.len && token.data[i] != '.') {
            continue;
        }

        if (n == 3) {
            n++;
            break;
        }

        raw[n++] = parley_str_make(start, (size_t) (token.data + i - start));
        start = token.data + i + 1;
    }

    if (n != 3) {
        return parley_error_set(&in->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "a token has three parts with a dot "
                                "between them");
    }

    return 0;
}


static int
tool_inspect_part(parley_tool_t *tool, parley_input_t *in,
    const char *name, parley_str_t raw, parley_json_t *doc)
{
    size_t          len;
    uint8_t        *octets;
    parley_error_t  err;

    octets = parley_arena_octets(in->arena, PARLEY_BASE64_DECODED(raw.len));

    if (octets == NULL) {
        return parley_error_memory(&in->err);
    }

    if (parley_base64url_decode(raw, octets, &len) != 0) {
        return parley_error_set(&in->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "the %s is not base64url", name);
    }

    parley_error_clear(&err);

    if (parley_json_read(doc, in->arena, NULL, tool->seed,
                         parley_str_make(octets, len), &err)
        != 0)
    {
        return parley_error_set(&in->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "the %s is not JSON: %s", name, err.text);
    }

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return parley_error_set(&in->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "the %s is not an object", name);
    }

    return 0;
}
