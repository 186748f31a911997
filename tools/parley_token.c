/* Tokens as input: from the command line, files or standard input. */

#include <string.h>
#include <strings.h>

#include "parley_tool.h"


#define PARLEY_TOKEN_MAX  (1 << 20)     /* octets that are looked at */


int
parley_token_each(parley_tool_t *tool, parley_input_pt handler, void *ctx)
{
    int              status;
    const char      *token;
    parley_arena_t   arena;
    parley_input_t   in;

    tool->limits.octets = PARLEY_TOKEN_MAX;
    token = parley_option(tool, "token");

    if (token == NULL) {
        return parley_input_each(tool, handler, ctx);
    }

    if (tool->noperands > 0) {
        return parley_say_usage(tool, "--token and a FILE");
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


parley_str_t
parley_token_trim(parley_str_t s)
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
