/* parley audit verify: checks audit logs of the gateway. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/audit/parley_audit_verify.h"
#include "tools/parley_tool.h"


static int tool_audit_run(parley_tool_t *tool);
static int tool_audit_files(parley_tool_t *tool, parley_audit_verify_t *v);
static int tool_audit_file(const char *path, parley_audit_verify_t *v);
static int tool_audit_result(parley_tool_t *tool, parley_audit_verify_t *v);
static void tool_audit_found(void *ctx,
    const parley_audit_finding_t *finding);
static void tool_audit_found_json(parley_tool_t *tool,
    const parley_audit_finding_t *finding);
static void tool_audit_chain(const parley_audit_seen_t *s);
static void tool_audit_chain_json(parley_tool_t *tool,
    const parley_audit_seen_t *s);
static void tool_audit_total(const parley_audit_verify_t *v,
    uint64_t open);
static void tool_audit_total_json(parley_tool_t *tool,
    const parley_audit_verify_t *v, uint64_t open);
static void tool_audit_count(parley_buf_t *b, const char *name, uint64_t n);


static const parley_option_t  parley_audit_options[] = {
    { "keys", 0, "FILE", "the gateway's keys: a JWKS, or one JWK; every\n"
      "checkpoint has to be signed with one", 0 },
    { "json", 0, NULL, "one JSON object a line: findings, chains, a total", 0 },
    tool_option_end
};


const parley_command_t  parley_cmd_audit_verify = {
    .name = "audit verify",
    .operands = "FILE...",
    .min = 1,
    .max = -1,
    .summary = "Verifies audit logs (parley_audit)",
    .text = "The files of a rotated log must be in the order of their "
            "writing.  A line that\nwas changed, removed, moved, repeated "
            "or inserted is found if a later line of\nits chain or a "
            "checkpoint follows.  Lines behind the last checkpoint of a "
            "chain\ncan be cut off unseen, and without --keys the whole log "
            "can be forged: the\noutput has the number of such lines.\n",
    .options = parley_audit_options,
    .run = tool_audit_run
};


static int
tool_audit_run(parley_tool_t *tool)
{
    int                    status;
    const char            *path;
    parley_jwks_t          keys;
    parley_audit_verify_t  v;

    memset(&v, 0, sizeof(v));
    memset(&keys, 0, sizeof(keys));

    path = tool_option(tool, "keys");

    if (path != NULL && tool_file_keys(tool, path, &keys) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    v.keys = path != NULL ? &keys : NULL;
    v.seed = tool->seed;
    v.say = tool_audit_found;
    v.ctx = tool;

    parley_audit_verify_init(&v);

    status = tool_audit_files(tool, &v);

    parley_audit_verify_free(&v);
    parley_jwks_free(&keys);

    return status;
}


static int
tool_audit_files(parley_tool_t *tool, parley_audit_verify_t *v)
{
    size_t  i;

    for (i = 0; i < tool->noperands; i++) {
        if (tool_audit_file(tool->operands[i], v) != 0) {
            return PARLEY_EXIT_USAGE;
        }
    }

    return tool_audit_result(tool, v);
}


static int
tool_audit_file(const char *path, parley_audit_verify_t *v)
{
    int         rc;
    FILE       *file;
    char       *line;
    size_t      size;
    ssize_t     n;
    const char *name;

    file = tool_file_open(path);
    if (file == NULL) {
        return -1;
    }

    name = file == stdin ? "stdin" : path;
    line = NULL;
    size = 0;
    rc = 0;

    parley_audit_verify_file(v, name);

    while ((n = getline(&line, &size, file)) > 0) {
        n -= line[n - 1] == '\n';
        parley_audit_verify_line(v, parley_str_make(line, (size_t) n));
    }

    if (ferror(file) || !feof(file)) {
        tool_say("%s: %s", name, strerror(errno));
        rc = -1;
    }

    free(line);

    return tool_file_close(file, name) != 0 ? -1 : rc;
}


static int
tool_audit_result(parley_tool_t *tool, parley_audit_verify_t *v)
{
    int                         rc;
    uint64_t                    open;
    const parley_audit_seen_t  *s;

    rc = parley_audit_verify_end(v);

    if (rc == -1) {
        tool_say("out of memory");
        return PARLEY_EXIT_USAGE;
    }

    open = 0;

    for (s = v->chains; s != NULL; s = s->next) {

        if (s->first == 0) {
            continue;
        }

        if (tool->json) {
            tool_audit_chain_json(tool, s);

        } else {
            tool_audit_chain(s);
        }

        open += parley_audit_seen_open(s);
    }

    if (tool->json) {
        tool_audit_total_json(tool, v, open);

    } else {
        tool_audit_total(v, open);
    }

    return rc == 0 ? PARLEY_EXIT_OK : PARLEY_EXIT_INVALID;
}


static void
tool_audit_found(void *ctx, const parley_audit_finding_t *finding)
{
    char           where[PARLEY_AUDIT_FINDING_MAX];
    parley_tool_t *tool = ctx;

    if (tool->json) {
        tool_audit_found_json(tool, finding);
        return;
    }

    where[0] = '\0';

    if (finding->file != NULL) {
        (void) snprintf(where, sizeof(where), "%s:%" PRIu64 ": ",
                        finding->file, finding->line);
    }

    if (finding->chain[0] == '\0') {
        tool_say("%s%s%s", where,
                 finding->kind == PARLEY_AUDIT_NOTE ? "note: " : "",
                 finding->text);

    } else if (finding->seq == 0) {
        tool_say("%s%schain %s: %s", where,
                 finding->kind == PARLEY_AUDIT_NOTE ? "note: " : "",
                 finding->chain, finding->text);

    } else {
        tool_say("%s%schain %s, line %" PRIu64 ": %s", where,
                 finding->kind == PARLEY_AUDIT_NOTE ? "note: " : "",
                 finding->chain, finding->seq, finding->text);
    }
}


static void
tool_audit_found_json(parley_tool_t *tool,
    const parley_audit_finding_t *finding)
{
    parley_buf_t  b;
    parley_str_t  text;

    parley_buf_init(&b, &tool->arena, 512);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("finding"),
                      finding->kind == PARLEY_AUDIT_NOTE
                      ? PARLEY_STR("note") : PARLEY_STR("fault"));

    if (finding->file != NULL) {
        parley_buf_member(&b, PARLEY_STR("file"),
                          parley_str_c(finding->file));
        tool_audit_count(&b, "line", finding->line);
    }

    if (finding->chain[0] != '\0') {
        parley_buf_member(&b, PARLEY_STR("chain"),
                          parley_str_c(finding->chain));
    }

    if (finding->seq != 0) {
        tool_audit_count(&b, "seq", finding->seq);
    }

    parley_buf_member(&b, PARLEY_STR("text"), parley_str_c(finding->text));
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &text) == 0) {
        tool_output_json(text);
    }
}


static void
tool_audit_chain(const parley_audit_seen_t *s)
{
    tool_show_format(stdout, "chain %s: lines %" PRIu64 " to %" PRIu64
                     ", %" PRIu64 " verdicts, %" PRIu64 " outcomes",
                     s->text, s->first, s->last, s->counts[0],
                     s->counts[1]);

    if (s->lost > 0) {
        printf(", %" PRIu64 " could not be written", s->lost);
    }

    if (parley_audit_seen_open(s) > 0) {
        printf(", %" PRIu64 " behind the last checkpoint",
               parley_audit_seen_open(s));
    }

    puts(s->ended ? ", ended" : "");
}


static void
tool_audit_chain_json(parley_tool_t *tool, const parley_audit_seen_t *s)
{
    parley_buf_t  b;
    parley_str_t  text;

    parley_buf_init(&b, &tool->arena, 512);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("chain"), parley_str_c(s->text));
    tool_audit_count(&b, "first", s->first);
    tool_audit_count(&b, "last", s->last);
    tool_audit_count(&b, "lines", s->lines);
    tool_audit_count(&b, "verdicts", s->counts[0]);
    tool_audit_count(&b, "outcomes", s->counts[1]);
    tool_audit_count(&b, "lost", s->lost);
    tool_audit_count(&b, "open", parley_audit_seen_open(s));
    parley_buf_name(&b, PARLEY_STR("ended"));
    parley_buf_str(&b, s->ended ? PARLEY_STR("true") : PARLEY_STR("false"));
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &text) == 0) {
        tool_output_json(text);
    }
}


static void
tool_audit_total(const parley_audit_verify_t *v, uint64_t open)
{
    printf("%" PRIu64 " lines, %" PRIu64 " checkpoints", v->records,
           v->checkpoints);

    if (v->keys != NULL) {
        printf(", %" PRIu64 " of them signed by these keys", v->verified);

    } else {
        printf(", their signatures not verified (--keys)");
    }

    if (v->parts > 0) {
        printf(", %" PRIu64 " lines in part", v->parts);
    }

    printf(": %s\n", v->faults == 0 ? "nothing is wrong" : "NOT AS WRITTEN");

    if (open > 0) {
        printf("No checkpoint covers the last %" PRIu64 " lines: lines that "
               "were changed with their\ndigests, or cut off behind them, are "
               "not found.\n", open);
    }

    if (v->keys == NULL) {
        puts("Without keys, a log that was forged as a whole is not found "
             "either.");
    }
}


static void
tool_audit_total_json(parley_tool_t *tool, const parley_audit_verify_t *v,
    uint64_t open)
{
    parley_buf_t  b;
    parley_str_t  text;

    parley_buf_init(&b, &tool->arena, 512);
    parley_buf_octet(&b, '{');
    parley_buf_name(&b, PARLEY_STR("ok"));
    parley_buf_str(&b, v->faults == 0 ? PARLEY_STR("true")
                                      : PARLEY_STR("false"));
    tool_audit_count(&b, "lines", v->records);
    tool_audit_count(&b, "faults", v->faults);
    tool_audit_count(&b, "parts", v->parts);
    tool_audit_count(&b, "checkpoints", v->checkpoints);
    tool_audit_count(&b, "verified", v->verified);
    tool_audit_count(&b, "open", open);
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &text) == 0) {
        tool_output_json(text);
    }
}


static void
tool_audit_count(parley_buf_t *b, const char *name, uint64_t n)
{
    parley_buf_name(b, parley_str_c(name));
    parley_buf_int(b, (int64_t) n);
}
