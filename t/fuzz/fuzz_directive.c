/*
 * Directives, one on each line, with words separated by spaces.  An empty line
 * ends the outer block; the inner block follows.  Every file that a directive
 * names contains the whole input.
 */

#include <string.h>

#include "gate/settings/parley_directive.h"
#include "t/fuzz/parley_fuzz.h"


#define MAX_WORDS  24


typedef struct {
    parley_str_t            input;
    parley_settings_env_t   env;
    parley_settings_http_t  http;
    parley_problem_t        problem;
} reading_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static int
compile(void *ctx, parley_str_t text, void **ret, parley_problem_t *problem)
{
    (void) problem;

    check(memchr(text.data, '$', text.len) != NULL);
    *ret = ctx;

    return 0;
}


static int
file(void *ctx, parley_str_t name, parley_str_t *ret_path,
    parley_str_t *ret_text, parley_problem_t *problem)
{
    reading_t  *rd = ctx;

    if (name.len == 0) {
        return parley_problem(problem, "no file");
    }

    *ret_path = name;
    *ret_text = rd->input;

    return 0;
}


static int
walk(void *ctx, parley_str_t folder,
    int (*visit)(void *data, parley_str_t path), void *data,
    parley_str_t *ret_path, parley_problem_t *problem)
{
    (void) ctx;
    (void) problem;

    *ret_path = folder;

    return visit(data, folder);
}


static void
read_one(reading_t *rd, parley_str_t line, unsigned in, parley_settings_t *s)
{
    int               rc;
    size_t            n;
    parley_str_t      words[MAX_WORDS];
    parley_setting_t  d;

    memset(&d, 0, sizeof(d));

    d.env = &rd->env;
    d.http = &rd->http;
    d.s = s;
    d.words = words;
    d.problem = &rd->problem;

    while (line.len > 0 && d.n < MAX_WORDS) {
        for (n = 0; n < line.len && line.data[n] != ' '; n++) { /* void */ }

        words[d.n++] = parley_str_make(line.data, n);
        line = parley_str_from(line, n < line.len ? n + 1 : n);
    }

    d.row = d.n == 0 ? NULL : parley_directive_find(words[0]);

    if (d.row == NULL || !(d.row->in & in)) {
        return;
    }

    rd->problem.where.line++;
    rd->problem.where.in = in;

    rc = parley_directive_read(&d);
    check((rc == 0) == (rd->problem.text[0] == '\0'));

    if (rc == 0 && !(d.row->flags & PARLEY_OFTEN)) {
        check(parley_directive_read(&d) != 0);
        check(strstr(rd->problem.text, "is duplicate") != NULL);
    }
}


/* the inner block keeps its own settings and inherits the others */

static void
merge(parley_settings_t *inner, const parley_settings_t *outer)
{
    size_t                         i;
    const uint8_t                 *from;
    parley_settings_t              before;
    const parley_directive_row_t  *row;

    before = *inner;
    parley_settings_merge(inner, outer);

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        row = &parley_directives[i];
        from = (const uint8_t *) ((before.own & (uint64_t) 1 << i)
                                  ? &before : outer);

        check(row->size == 0
              || memcmp((const uint8_t *) inner + row->offset,
                        from + row->offset, row->size) == 0);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t               n;
    unsigned             in;
    reading_t            rd;
    parley_str_t         rest;
    parley_arena_t       arena;
    parley_settings_t    blocks[2];

    memset(&rd, 0, sizeof(rd));

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rd.input = parley_str_make(data, size);
    rd.env.ctx = &rd;
    rd.env.arena = &arena;
    rd.env.compile = compile;
    rd.env.read = file;
    rd.env.secret = file;
    rd.env.walk = walk;

    parley_settings_http_init(&rd.http);
    parley_settings_init(&blocks[0]);
    parley_settings_init(&blocks[1]);

    in = PARLEY_IN_HTTP;

    for (rest = rd.input; rest.len > 0;
         rest = parley_str_from(rest, n < rest.len ? n + 1 : n))
    {
        for (n = 0; n < rest.len && rest.data[n] != '\n'; n++) { /* void */ }

        if (n == 0) {
            in = PARLEY_IN_LOCATION;
            continue;
        }

        read_one(&rd, parley_str_make(rest.data, n), in,
                 &blocks[in == PARLEY_IN_LOCATION]);
    }

    merge(&blocks[1], &blocks[0]);

    parley_settings_http_free(&rd.http);
    parley_arena_reset(&arena);

    return 0;
}
