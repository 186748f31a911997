/* Tokens as input: from the command line, files or standard input. */

#include <string.h>
#include <strings.h>

#include "tools/parley_tool.h"


#define PARLEY_TOKEN_MAX  (1 << 20)     /* octets that are read */


int
tool_token_each(parley_tool_t *tool, parley_input_pt handler, void *ctx)
{
    int              status;
    const char      *token, *path;
    parley_arena_t   arena;
    parley_input_t   in;

    tool->limits.octets = PARLEY_TOKEN_MAX;
    token = tool_option(tool, "token");
    path = tool_option(tool, "token-file");

    if ((token != NULL) + (path != NULL) + (tool->noperands > 0) > 1) {
        return tool_say_usage(tool, "--token, --token-file and a FILE "
                              "exclude each other");
    }

    if (path != NULL) {
        tool->operands[tool->noperands++] = (char *) path;
    }

    if (token == NULL) {
        return tool_input_each(tool, handler, ctx);
    }

    memset(&in, 0, sizeof(in));
    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_error_clear(&in.err);

    in.name = "token";
    in.text = parley_str_c(token);
    in.arena = &arena;

    status = handler(tool, &in, ctx);

    parley_arena_reset(&arena);

    return status;
}


int
tool_token_given(parley_tool_t *tool, parley_str_t *ret)
{
    size_t         i;
    parley_str_t   text;
    const char    *token, *path;

    token = tool_option(tool, "token");
    path = tool_option(tool, "token-file");

    text = parley_str_c(token != NULL ? token : "");

    if (token != NULL && path != NULL) {
        return tool_say_usage(tool, "--token and --token-file exclude each "
                              "other");
    }

    if (path != NULL
        && tool_file_whole(tool, path, PARLEY_TOKEN_MAX, &text) != 0)
    {
        return -1;
    }

    *ret = tool_token_trim(text);

    if (path != NULL && ret->len == 0) {
        tool_say("%s: no token", path);
        return -1;
    }

    /* it becomes a field of a request */

    for (i = 0; i < ret->len; i++) {
        if (ret->data[i] <= ' ' || ret->data[i] > '~') {
            tool_say("%s: the token has an octet that is not visible ASCII",
                     path != NULL ? path : "--token");
            return -1;
        }
    }

    return 0;
}


parley_str_t
tool_token_trim(parley_str_t s)
{
    static const char  bearer[] = "Bearer ";

    while (s.len > 0 && s.data[s.len - 1] <= ' ') {
        s.len--;
    }

    while (s.len > 0 && s.data[0] <= ' ') {
        s = parley_str_from(s, 1);
    }

    if (s.len > sizeof(bearer) - 1
        && strncasecmp((const char *) s.data, bearer, sizeof(bearer) - 1)
           == 0)
    {
        s = parley_str_from(s, sizeof(bearer) - 1);
    }

    return s;
}
