/* Reads the configuration: words, directives, blocks, included files. */

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/parley_conf.h"


#define PARLEY_CONF_WORDS  512      /* of one directive */


typedef enum {
    PARLEY_CONF_WORD = 0,
    PARLEY_CONF_SEMICOLON,
    PARLEY_CONF_OPEN,
    PARLEY_CONF_CLOSE,
    PARLEY_CONF_EOF,
    PARLEY_CONF_ERROR
} parley_conf_token_t;


typedef struct {
    parley_tool_t         *tool;
    const parley_conf_t   *conf;
    const char            *file;
    const uint8_t         *pos;
    const uint8_t         *end;
    unsigned               line;
    unsigned               depth;       /* nested blocks */
    unsigned               included;    /* nested included files */
    parley_str_t           word;        /* last word read */
} parley_conf_reader_t;


static int tool_conf_file(parley_tool_t *tool, const parley_conf_t *conf,
    const char *path, unsigned included, unsigned depth,
    parley_directive_t *block);
static int tool_conf_blocks(parley_conf_reader_t *rd,
    parley_directive_t *block);
static int tool_conf_ends(parley_conf_reader_t *rd,
    parley_conf_token_t token, const parley_str_t *last,
    const parley_directive_t *block, const parley_directive_t *outer);
static int tool_conf_ended(parley_conf_reader_t *rd,
    parley_conf_token_t token, unsigned line, const parley_str_t *words,
    size_t n, parley_directive_t **block);
static int tool_conf_directive(parley_conf_reader_t *rd, unsigned line,
    const parley_str_t *words, size_t n, parley_directive_t *block,
    parley_directive_t **ret);
static int tool_conf_include(parley_conf_reader_t *rd, unsigned line,
    parley_str_t pattern, parley_directive_t *block);
static parley_conf_token_t tool_conf_token(parley_conf_reader_t *rd);
static parley_conf_token_t tool_conf_quoted(parley_conf_reader_t *rd);
static parley_conf_token_t tool_conf_plain(parley_conf_reader_t *rd);
static parley_conf_token_t tool_conf_word(parley_conf_reader_t *rd,
    const uint8_t *start, size_t len);
static int tool_conf_broken(const parley_conf_reader_t *rd, unsigned line,
    const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));


int
tool_conf_read(parley_tool_t *tool, const char *path, parley_conf_t *ret)
{
    char                *folder;
    const char          *slash;
    parley_directive_t  *d;

    memset(ret, 0, sizeof(parley_conf_t));

    slash = strrchr(path, '/');
    folder = (char *) parley_arena_octets(&tool->arena, strlen(path) + 1);

    if (folder == NULL) {
        tool_say("out of memory");
        return -1;
    }

    strcpy(folder, path);
    folder[slash != NULL ? slash + 1 - path : 0] = '\0';

    ret->folder = folder;
    ret->main.file = path;
    ret->main.is_block = 1;

    if (tool_conf_file(tool, ret, path, 0, 0, &ret->main) != 0) {
        return -1;
    }

    for (d = ret->main.first; d != NULL; d = d->next) {

        if (!d->is_block || !tool_conf_is(d, "http")) {
            continue;
        }

        if (ret->http != NULL) {
            return tool_conf_wrong(d, "\"http\" directive is duplicate");
        }

        ret->http = d;
    }

    if (ret->http == NULL) {
        tool_say("%s: no \"http\" block", path);
        return -1;
    }

    return 0;
}


const char *
tool_conf_path(parley_tool_t *tool, const char *folder, parley_str_t name)
{
    parley_buf_t  b;
    parley_str_t  s;

    parley_buf_init(&b, &tool->arena, name.len + 64);

    if (name.len == 0 || name.data[0] != '/') {
        parley_buf_str(&b, parley_str_c(folder));
    }

    parley_buf_str(&b, name);
    parley_buf_octet(&b, '\0');

    if (parley_buf_done(&b, &s) != 0) {
        tool_say("out of memory");
        return NULL;
    }

    return (const char *) s.data;
}


int
tool_conf_wrong(const parley_directive_t *d, const char *fmt, ...)
{
    va_list  args;

    tool_show_format(stderr, "parley: %s:%u: ", d->file, d->line);

    va_start(args, fmt);
    tool_show_args(stderr, fmt, args);
    va_end(args);

    fputc('\n', stderr);

    return -1;
}


static int
tool_conf_broken(const parley_conf_reader_t *rd, unsigned line,
    const char *fmt, ...)
{
    va_list  args;

    tool_show_format(stderr, "parley: %s:%u: ", rd->file, line);

    va_start(args, fmt);
    tool_show_args(stderr, fmt, args);
    va_end(args);

    fputc('\n', stderr);

    return -1;
}


static int
tool_conf_file(parley_tool_t *tool, const parley_conf_t *conf,
    const char *path, unsigned included, unsigned depth,
    parley_directive_t *block)
{
    parley_str_t          text;
    parley_conf_reader_t  rd;

    if (tool_file_whole(tool, path, PARLEY_CONF_MAX, &text) != 0) {
        return -1;
    }

    memset(&rd, 0, sizeof(rd));

    rd.tool = tool;
    rd.conf = conf;
    rd.file = path;
    rd.pos = text.data;
    rd.end = text.data + text.len;
    rd.line = 1;
    rd.depth = depth;
    rd.included = included;

    return tool_conf_blocks(&rd, block);
}


/* Reads the directives of a file up to its end. */
static int
tool_conf_blocks(parley_conf_reader_t *rd, parley_directive_t *block)
{
    size_t                n;
    unsigned              line;
    parley_str_t          words[PARLEY_CONF_WORDS];
    parley_directive_t   *outer;
    parley_conf_token_t   token;

    n = 0;
    line = 0;
    outer = block;

    for ( ;; ) {
        token = tool_conf_token(rd);

        switch (token) {

        case PARLEY_CONF_ERROR:
            return -1;

        case PARLEY_CONF_WORD:

            if (n == PARLEY_CONF_WORDS) {
                return tool_conf_broken(rd, line, "too many words");
            }

            line = n == 0 ? rd->line : line;
            words[n++] = rd->word;
            continue;

        case PARLEY_CONF_CLOSE:
        case PARLEY_CONF_EOF:

            if (tool_conf_ends(rd, token, n > 0 ? &words[n - 1] : NULL,
                               block, outer)
                != 0)
            {
                return -1;
            }

            if (token == PARLEY_CONF_EOF) {
                return 0;
            }

            block = block->parent;
            rd->depth--;
            continue;

        default:

            if (tool_conf_ended(rd, token, line, words, n, &block) != 0) {
                return -1;
            }

            n = 0;
        }
    }
}


/* Checks that a block or the file may end here; last is a word without ";". */

static int
tool_conf_ends(parley_conf_reader_t *rd, parley_conf_token_t token,
    const parley_str_t *last, const parley_directive_t *block,
    const parley_directive_t *outer)
{
    if (last != NULL) {
        return tool_conf_broken(rd, rd->line, "no \";\" after \"%s\"",
                                (const char *) last->data);
    }

    if (token == PARLEY_CONF_EOF && block != outer) {
        return tool_conf_broken(rd, rd->line, "the block of \"%s\" in line "
                                "%u has no \"}\"",
                                (const char *) block->words[0].data,
                                block->line);
    }

    if (token == PARLEY_CONF_CLOSE && block == outer) {
        return tool_conf_broken(rd, rd->line, "unexpected \"}\"");
    }

    return 0;
}


/*
 * Ends a directive: ";" or "{" follows its words.  For "{", sets *block to the
 * new block.
 */

static int
tool_conf_ended(parley_conf_reader_t *rd, parley_conf_token_t token,
    unsigned line, const parley_str_t *words, size_t n,
    parley_directive_t **block)
{
    parley_directive_t  *d;

    if (n == 0) {
        return tool_conf_broken(rd, rd->line, "unexpected \"%c\"",
                                rd->pos[-1]);
    }

    if (token == PARLEY_CONF_SEMICOLON && n == 2
        && parley_str_is(words[0], "include"))
    {
        return tool_conf_include(rd, line, words[1], *block);
    }

    if (tool_conf_directive(rd, line, words, n, *block, &d) != 0) {
        return -1;
    }

    if (token == PARLEY_CONF_OPEN) {
        d->is_block = 1;
        *block = d;

        if (++rd->depth > PARLEY_CONF_DEPTH) {
            return tool_conf_broken(rd, line, "too many blocks within each "
                                    "other");
        }
    }

    return 0;
}


static int
tool_conf_directive(parley_conf_reader_t *rd, unsigned line,
    const parley_str_t *words, size_t n, parley_directive_t *block,
    parley_directive_t **ret)
{
    parley_directive_t  *d;

    d = parley_arena_calloc(&rd->tool->arena, sizeof(parley_directive_t));

    if (d != NULL) {
        d->words = parley_arena_alloc(&rd->tool->arena,
                                      n * sizeof(parley_str_t));
    }

    if (d == NULL || d->words == NULL) {
        tool_say("out of memory");
        return -1;
    }

    memcpy(d->words, words, n * sizeof(parley_str_t));

    d->nwords = n;
    d->file = rd->file;
    d->line = line;
    d->parent = block;

    if (block->last != NULL) {
        block->last->next = d;

    } else {
        block->first = d;
    }

    block->last = d;
    *ret = d;

    return 0;
}


/*
 * Includes files.  A pattern without a match is allowed; a missing file is an
 * error.
 */
static int
tool_conf_include(parley_conf_reader_t *rd, unsigned line,
    parley_str_t pattern, parley_directive_t *block)
{
    int           rc;
    char         *copy;
    glob_t        found;
    size_t        i;
    const char   *path;

    if (rd->included == PARLEY_CONF_INCLUDE) {
        return tool_conf_broken(rd, line, "too many files within each "
                                "other");
    }

    path = tool_conf_path(rd->tool, rd->conf->folder, pattern);
    if (path == NULL) {
        return -1;
    }

    if (strpbrk(path, "*?[") == NULL) {
        return tool_conf_file(rd->tool, rd->conf, path, rd->included + 1,
                              rd->depth, block);
    }

    rc = glob(path, 0, NULL, &found);

    if (rc == GLOB_NOMATCH) {
        return 0;
    }

    if (rc != 0) {
        return tool_conf_broken(rd, line, "\"%s\" cannot be looked up",
                                path);
    }

    for (i = 0; i < found.gl_pathc && rc == 0; i++) {
        copy = (char *) parley_arena_octets(&rd->tool->arena,
                                            strlen(found.gl_pathv[i]) + 1);
        if (copy == NULL) {
            tool_say("out of memory");
            rc = -1;
            break;
        }

        strcpy(copy, found.gl_pathv[i]);

        rc = tool_conf_file(rd->tool, rd->conf, copy, rd->included + 1,
                            rd->depth, block);
    }

    globfree(&found);

    return rc;
}


static parley_conf_token_t
tool_conf_token(parley_conf_reader_t *rd)
{
    while (rd->pos < rd->end) {

        switch (*rd->pos) {

        case '\n':
            rd->line++;
            /* fall through */

        case ' ':
        case '\t':
        case '\r':
            rd->pos++;
            continue;

        case '#':
            while (rd->pos < rd->end && *rd->pos != '\n') {
                rd->pos++;
            }

            continue;

        case ';':
            rd->pos++;
            return PARLEY_CONF_SEMICOLON;

        case '{':
            rd->pos++;
            return PARLEY_CONF_OPEN;

        case '}':
            rd->pos++;
            return PARLEY_CONF_CLOSE;

        case '"':
        case '\'':
            return tool_conf_quoted(rd);

        default:
            return tool_conf_plain(rd);
        }
    }

    return PARLEY_CONF_EOF;
}


static parley_conf_token_t
tool_conf_quoted(parley_conf_reader_t *rd)
{
    uint8_t         quote;
    unsigned        line;
    const uint8_t  *start;

    line = rd->line;
    quote = *rd->pos++;
    start = rd->pos;

    while (rd->pos < rd->end && *rd->pos != quote) {

        if (*rd->pos == '\\' && rd->pos + 1 < rd->end) {
            rd->pos++;
        }

        if (*rd->pos++ == '\n') {
            rd->line++;
        }
    }

    if (rd->pos == rd->end) {
        (void) tool_conf_broken(rd, line, "the quotes that begin here do "
                                 "not end");
        return PARLEY_CONF_ERROR;
    }

    rd->pos++;

    if (rd->pos < rd->end && strchr(" \t\r\n;{)", *rd->pos) == NULL) {
        (void) tool_conf_broken(rd, rd->line, "unexpected \"%c\" after "
                                 "quotes", *rd->pos);
        return PARLEY_CONF_ERROR;
    }

    return tool_conf_word(rd, start, (size_t) (rd->pos - 1 - start));
}


static parley_conf_token_t
tool_conf_plain(parley_conf_reader_t *rd)
{
    const uint8_t  *start;

    start = rd->pos;

    while (rd->pos < rd->end) {

        /* "${name}" does not begin a block */

        if (*rd->pos == '{' && rd->pos > start && rd->pos[-1] == '$') {
            rd->pos++;
            continue;
        }

        if (strchr(" \t\r\n;{", *rd->pos) != NULL && *rd->pos != '\0') {
            break;
        }

        if (*rd->pos == '\\' && rd->pos + 1 < rd->end) {
            rd->pos++;
        }

        if (*rd->pos++ == '\n') {
            rd->line++;
        }
    }

    return tool_conf_word(rd, start, (size_t) (rd->pos - start));
}


/*
 * Returns a word without the backslashes before quotes and backslashes; \t, \r
 * and \n become the characters.
 */
static parley_conf_token_t
tool_conf_word(parley_conf_reader_t *rd, const uint8_t *start, size_t len)
{
    size_t       i, n;
    uint8_t     *out;
    const char  *at;

    static const char  escapes[] = "\"'\\trn";
    static const char  values[] = "\"'\\\t\r\n";

    out = parley_arena_octets(&rd->tool->arena, len + 1);

    if (out == NULL) {
        tool_say("out of memory");
        return PARLEY_CONF_ERROR;
    }

    for (i = 0, n = 0; i < len; i++) {

        if (start[i] == '\0') {
            (void) tool_conf_broken(rd, rd->line, "a zero octet");
            return PARLEY_CONF_ERROR;
        }

        if (start[i] == '\\' && i + 1 < len && start[i + 1] != '\0'
            && (at = strchr(escapes, start[i + 1])) != NULL)
        {
            out[n++] = (uint8_t) values[at - escapes];
            i++;
            continue;
        }

        out[n++] = start[i];
    }

    out[n] = '\0';
    rd->word = parley_str_make(out, n);

    return PARLEY_CONF_WORD;
}
