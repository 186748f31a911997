/* Messages from the operands: one for each file, or one for each line. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/parley_tool.h"


#define PARLEY_INPUT_CHUNK     65536
#define PARLEY_INPUT_PROGRESS  200          /* ms */


typedef struct {
    parley_input_pt   handler;
    void             *ctx;
    size_t            count;
    size_t            bad;
    int64_t           told_ms;
    unsigned          progress:1;
    unsigned          shown:1;
} parley_input_run_t;


static int tool_input_one(parley_tool_t *tool, parley_input_t *in,
    parley_input_run_t *run, const char *path);
static int tool_input_lines(parley_tool_t *tool, parley_input_t *in,
    parley_input_run_t *run, FILE *file);
static int tool_input_line(FILE *file, size_t max, parley_input_t *in);
static int tool_input_give(parley_tool_t *tool, parley_input_t *in,
    parley_input_run_t *run);
static void tool_input_progress(parley_input_run_t *run);


int
tool_input_each(parley_tool_t *tool, parley_input_pt handler, void *ctx)
{
    int                 worst, status;
    size_t              i;
    parley_input_t      in;
    parley_arena_t      arena;
    parley_input_run_t  run;

    memset(&run, 0, sizeof(run));
    memset(&in, 0, sizeof(in));

    run.handler = handler;
    run.ctx = ctx;
    run.progress = tool->lines && isatty(STDERR_FILENO)
                   && !isatty(STDOUT_FILENO);

    parley_arena_init(&arena, &parley_mem_libc, PARLEY_INPUT_CHUNK);
    in.arena = &arena;

    worst = PARLEY_EXIT_OK;

    for (i = 0; i == 0 || i < tool->noperands; i++) {
        status = tool_input_one(tool, &in, &run,
                                tool->noperands ? tool->operands[i] : "-");

        if (status > worst) {
            worst = status;
        }
    }

    if (run.shown) {
        fputs("\r\033[K", stderr);
    }

    if (tool->lines) {
        tool_say("%zu message%s, %zu bad", run.count,
                 run.count == 1 ? "" : "s", run.bad);
    }

    parley_arena_reset(&arena);

    return worst;
}


static int
tool_input_one(parley_tool_t *tool, parley_input_t *in,
    parley_input_run_t *run, const char *path)
{
    int    status;
    FILE  *file;

    in->name = (strcmp(path, "-") == 0) ? "stdin" : path;
    in->line = 0;

    file = tool_file_open(path);
    if (file == NULL) {
        return PARLEY_EXIT_USAGE;
    }

    if (tool->lines) {
        status = tool_input_lines(tool, in, run, file);

    } else if (tool_file_read(file, tool->limits.octets + 1, in->arena,
                               &in->text) != 0)
    {
        tool_say("%s: %s", in->name, strerror(errno));
        status = PARLEY_EXIT_USAGE;

    } else {
        status = tool_input_give(tool, in, run);
    }

    if (tool_file_close(file, in->name) != 0) {
        status = PARLEY_EXIT_USAGE;
    }

    return status;
}


static int
tool_input_lines(parley_tool_t *tool, parley_input_t *in,
    parley_input_run_t *run, FILE *file)
{
    int     rc, status, worst;
    size_t  i;

    worst = PARLEY_EXIT_OK;

    for ( ;; ) {
        in->line++;

        rc = tool_input_line(file, tool->limits.octets + 1, in);

        if (rc < 0) {
            tool_say("%s:%zu: %s", in->name, in->line, strerror(errno));
            return PARLEY_EXIT_USAGE;
        }

        if (rc == 0) {
            return worst;
        }

        for (i = 0; i < in->text.len; i++) {
            if (strchr(" \t\r", in->text.data[i]) == NULL
                || in->text.data[i] == '\0')
            {
                break;
            }
        }

        if (i == in->text.len) {
            parley_arena_reset(in->arena);
            continue;
        }

        status = tool_input_give(tool, in, run);

        if (status > worst) {
            worst = status;
        }
    }
}


/*
 * Reads one line without its end.  Of a longer line, keeps at most max octets:
 * enough for the reader to refuse it.  Returns 1, 0 at the end of the file, or
 * -1 with errno.
 */
static int
tool_input_line(FILE *file, size_t max, parley_input_t *in)
{
    int           c;
    parley_buf_t  b;

    parley_buf_init(&b, in->arena, 1024);

    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        if (b.len < max) {
            parley_buf_octet(&b, (uint8_t) c);
        }
    }

    if (ferror(file)) {
        return -1;
    }

    if (parley_buf_done(&b, &in->text) != 0) {
        errno = ENOMEM;
        return -1;
    }

    return c == '\n' || in->text.len > 0;
}


static int
tool_input_give(parley_tool_t *tool, parley_input_t *in,
    parley_input_run_t *run)
{
    int  status;

    parley_error_clear(&in->err);

    if (run->shown) {
        fputs("\r\033[K", stderr);
        run->shown = 0;
    }

    status = run->handler(tool, in, run->ctx);

    parley_arena_reset(in->arena);

    run->count++;

    if (status != PARLEY_EXIT_OK) {
        run->bad++;
    }

    if (run->progress) {
        tool_input_progress(run);
    }

    return status;
}


static void
tool_input_progress(parley_input_run_t *run)
{
    int64_t  now;

    if (run->count % 64 != 0) {
        return;
    }

    now = tool_host_ms();

    if (now - run->told_ms < PARLEY_INPUT_PROGRESS) {
        return;
    }

    run->told_ms = now;
    run->shown = 1;

    fprintf(stderr, "\r\033[K%zu messages, %zu bad", run->count, run->bad);
    fflush(stderr);
}
