/* What the directives say in every block, read by the gate's table. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "parley_conf.h"
#include "parley_directive.h"


#define PARLEY_CONF_FILE_MAX  (64 << 20)
#define PARLEY_CONF_FOLDERS   32        /* within each other */


typedef struct {
    parley_tool_t           *tool;
    const parley_conf_t     *conf;
    const char              *keys;      /* --keys, or NULL */
    const parley_engine_t   *engine;
    parley_settings_env_t    env;
    parley_settings_http_t  *http;
    parley_problem_t        *problem;
    unsigned                 accepting:1;       /* some block does */
} parley_conf_reading_t;


static int parley_conf_keys(parley_conf_reading_t *rd);
static int parley_conf_stray(const parley_directive_t *block);
static unsigned parley_conf_kind(const parley_directive_t *block);
static int parley_conf_apply(parley_conf_reading_t *rd,
    parley_directive_t *block);
static int parley_conf_one(parley_conf_reading_t *rd,
    const parley_directive_t *d, parley_settings_t *s);
static int parley_conf_merge(parley_conf_reading_t *rd,
    const parley_directive_t *block);
static int parley_conf_verify(parley_conf_reading_t *rd,
    const parley_directive_t *block);
static void parley_conf_facts(const parley_directive_t *block,
    parley_block_facts_t *ret);
static int parley_conf_has_location(const parley_directive_t *block,
    parley_str_t uri);
static int parley_conf_failed(const parley_problem_t *problem);
static int parley_conf_compile(void *ctx, parley_str_t text, void **ret,
    parley_problem_t *problem);
static int parley_conf_file(void *ctx, parley_str_t name,
    parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem);
static int parley_conf_folder(void *ctx, parley_str_t name,
    int (*visit)(void *data, parley_str_t path), void *data,
    parley_str_t *ret_path, parley_problem_t *problem);
static int parley_conf_walk(parley_conf_reading_t *rd, const char *path,
    int (*visit)(void *data, parley_str_t path), void *data, unsigned depth,
    parley_problem_t *problem);


int
parley_conf_settings(parley_tool_t *tool, const parley_conf_t *conf,
    const char *keys, const parley_engine_t *engine,
    parley_settings_http_t *ret)
{
    parley_problem_t           problem;
    parley_conf_reading_t      rd;
    const parley_directive_t  *d;

    memset(&rd, 0, sizeof(rd));

    rd.tool = tool;
    rd.conf = conf;
    rd.keys = keys;
    rd.engine = engine;
    rd.http = ret;
    rd.problem = &problem;

    rd.env.ctx = &rd;
    rd.env.arena = &tool->arena;
    rd.env.compile = parley_conf_compile;
    rd.env.read = parley_conf_file;
    rd.env.walk = parley_conf_folder;

    parley_settings_http_init(ret);

    /* as nginx does it: everything is read before anything is put together */

    if (parley_conf_stray(&conf->main) != 0
        || parley_conf_apply(&rd, conf->http) != 0
        || parley_conf_keys(&rd) != 0)
    {
        return -1;
    }

    if (parley_settings_http_settle(&rd.env, ret, &problem) != 0) {
        return parley_conf_failed(&problem);
    }

    if (parley_conf_merge(&rd, conf->http) != 0
        || parley_conf_verify(&rd, conf->http) != 0)
    {
        return -1;
    }

    d = parley_conf_in(conf->http, "parley_jwks_request");

    if (d != NULL && rd.accepting
        && !parley_conf_has_location(conf->http, d->words[1]))
    {
        return parley_conf_wrong(d, "\"parley_jwks_request\" needs a location "
                                 "\"%s\" in a server",
                                 (const char *) d->words[1].data);
    }

    return 0;
}


/* those of --keys are in the place of parley_jwks */

static int
parley_conf_keys(parley_conf_reading_t *rd)
{
    parley_jwks_t  *jwks;

    if (rd->keys == NULL) {
        return 0;
    }

    jwks = parley_arena_calloc(&rd->tool->arena, sizeof(parley_jwks_t));

    if (jwks == NULL) {
        parley_say("out of memory");
        return -1;
    }

    if (parley_file_keys(rd->tool, rd->keys, jwks) != 0) {
        return -1;
    }

    rd->http->jwks = jwks;

    if (parley_jwks_verifiers(jwks) == 0) {
        parley_say("%s: no key that verifies tokens", rd->keys);
        return -1;
    }

    return 0;
}


/* The module's directives belong into http, servers and locations. */

static int
parley_conf_stray(const parley_directive_t *block)
{
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (parley_str_begins(d->words[0], "parley_")) {
            return parley_directive_find(d->words[0]) != NULL
                   ? parley_conf_wrong(d, "\"%s\" directive is not allowed "
                                       "here",
                                       (const char *) d->words[0].data)
                   : parley_conf_wrong(d, "unknown directive \"%s\"",
                                       (const char *) d->words[0].data);
        }

        if (d->is_block && parley_conf_is(d, "events")
            && parley_conf_stray(d) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static unsigned
parley_conf_kind(const parley_directive_t *block)
{
    return parley_conf_is(block, "http") ? PARLEY_IN_HTTP
           : parley_conf_is(block, "server") ? PARLEY_IN_SERVER
           : parley_conf_is(block, "location") ? PARLEY_IN_LOCATION : 0;
}


/* What stands in a block, and in those within it. */

static int
parley_conf_apply(parley_conf_reading_t *rd, parley_directive_t *block)
{
    parley_directive_t  *d;

    block->settings = parley_arena_alloc(&rd->tool->arena,
                                         sizeof(parley_settings_t));
    if (block->settings == NULL) {
        parley_say("out of memory");
        return -1;
    }

    parley_settings_init(block->settings);

    for (d = block->first; d != NULL; d = d->next) {

        if (parley_str_begins(d->words[0], "parley_")) {
            if (parley_conf_one(rd, d, block->settings) != 0) {
                return -1;
            }

        } else if (!d->is_block) {
            continue;

        } else if (parley_conf_kind(d) != 0) {
            if (parley_conf_apply(rd, d) != 0) {
                return -1;
            }

        } else if ((parley_conf_is(d, "if") || parley_conf_is(d, "upstream")
                    || parley_conf_is(d, "limit_except"))
                   && parley_conf_stray(d) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_conf_one(parley_conf_reading_t *rd, const parley_directive_t *d,
    parley_settings_t *s)
{
    unsigned          in;
    parley_setting_t  set;

    memset(&set, 0, sizeof(set));

    set.env = &rd->env;
    set.http = rd->http;
    set.s = s;
    set.row = parley_directive_find(d->words[0]);
    set.words = d->words;
    set.n = d->nwords;
    set.problem = rd->problem;

    in = parley_conf_kind(d->parent);

    if (set.row == NULL) {
        return parley_conf_wrong(d, "unknown directive \"%s\"",
                                 (const char *) d->words[0].data);
    }

    if (!(set.row->in & in)) {
        return parley_conf_wrong(d, "\"%s\" directive is not allowed here",
                                 set.row->name);
    }

    if (d->is_block) {
        return parley_conf_wrong(d, "directive \"%s\" is not terminated by "
                                 "\";\"", set.row->name);
    }

    if (rd->keys != NULL
        && set.row == &parley_directives[PARLEY_DIRECTIVE_JWKS])
    {
        return 0;
    }

    rd->problem->where.file = parley_str_c(d->file);
    rd->problem->where.line = d->line;
    rd->problem->where.in = in;

    return parley_directive_read(&set) == 0 ? 0
           : parley_conf_failed(rd->problem);
}


static int
parley_conf_merge(parley_conf_reading_t *rd, const parley_directive_t *block)
{
    parley_block_facts_t       facts;
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (d->settings == NULL) {
            continue;
        }

        parley_settings_merge(d->settings, block->settings);

        parley_conf_facts(d, &facts);

        if (d->settings->gate.accept == 0
            && parley_settings_off(&rd->env, d->settings, &facts, rd->problem)
               != 0)
        {
            return parley_conf_failed(rd->problem);
        }

        if (parley_conf_merge(rd, d) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_conf_verify(parley_conf_reading_t *rd, const parley_directive_t *block)
{
    parley_block_facts_t       facts;
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (d->settings == NULL) {
            continue;
        }

        parley_conf_facts(d, &facts);

        if (d->settings->gate.accept != 0) {
            rd->accepting = 1;

            if (parley_settings_verify(&rd->env, rd->http, d->settings, &facts,
                                       rd->engine, rd->problem)
                != 0)
            {
                return parley_conf_failed(rd->problem);
            }
        }

        if (parley_conf_verify(rd, d) != 0) {
            return -1;
        }
    }

    return 0;
}


/* handled: by one of nginx's own modules */

static void
parley_conf_facts(const parley_directive_t *block, parley_block_facts_t *ret)
{
    size_t  i;

    static const char *const  handlers[] = {
        "proxy_pass", "grpc_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass",
        "memcached_pass", "perl", "empty_gif", "flv", "mp4", "stub_status"
    };

    memset(ret, 0, sizeof(parley_block_facts_t));

    ret->name = block->words[block->nwords - 1];
    ret->frame = parley_conf_is(block, "location")
                 && parley_conf_in(block, "location") != NULL;
    ret->internal = parley_conf_in(block, "internal") != NULL;

    for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
        if (parley_conf_in(block, handlers[i]) != NULL) {
            ret->handled = 1;
        }
    }
}


/* Whether a location of that name, no pattern, stands anywhere in a block. */

static int
parley_conf_has_location(const parley_directive_t *block, parley_str_t uri)
{
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (!d->is_block) {
            continue;
        }

        if (parley_conf_is(d, "location") && d->nwords > 1
            && parley_str_eq(d->words[d->nwords - 1], uri)
            && (d->nwords == 2 || parley_str_is(d->words[1], "=")
                || parley_str_is(d->words[1], "^~")))
        {
            return 1;
        }

        if (parley_conf_has_location(d, uri)) {
            return 1;
        }
    }

    return 0;
}


static int
parley_conf_failed(const parley_problem_t *problem)
{
    if (problem->text[0] == '\0') {
        parley_say("out of memory");

    } else if (problem->where.line == 0) {
        parley_say("%s", problem->text);

    } else {
        parley_say("%s:%u: %s", (const char *) problem->where.file.data,
                   problem->where.line, problem->text);
    }

    return -1;
}


/* Which variables there are only nginx knows, and how they are written. */

static int
parley_conf_compile(void *ctx, parley_str_t text, void **ret,
    parley_problem_t *problem)
{
    int          braces;
    size_t       n;
    const char  *p;

    static const char  name[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    (void) ctx;

    *ret = NULL;

    for (p = strchr((const char *) text.data, '$'); p != NULL;
         p = strchr(p + n, '$'))
    {
        braces = p[1] == '{';
        p += 1 + braces;
        n = strspn(p, name);

        if (braces && *p != '\0' && p[n] != '}') {
            return parley_problem(problem, "the closing bracket in \"%.*s\" "
                                  "variable is missing", (int) n, p);
        }

        if (n == 0) {
            return parley_problem(problem, "invalid variable name");
        }
    }

    return 0;
}


static int
parley_conf_file(void *ctx, parley_str_t name, parley_str_t *ret_path,
    parley_str_t *ret_text, parley_problem_t *problem)
{
    int                     rc;
    FILE                   *file;
    const char             *path;
    struct stat             st;
    parley_conf_reading_t  *rd = ctx;

    path = parley_conf_path(rd->tool, rd->conf, name);

    if (path == NULL) {
        return -1;
    }

    *ret_path = parley_str_c(path);
    file = fopen(path, "rb");

    if (file == NULL) {
        return parley_problem(problem, "open() \"%s\" failed (%d: %s)", path,
                              errno, strerror(errno));
    }

    rc = 0;

    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)
        || st.st_size > PARLEY_CONF_FILE_MAX)
    {
        rc = parley_problem(problem, "\"%s\" is no file, or is larger than "
                            "64m", path);

    } else if (parley_file_read(file, PARLEY_CONF_FILE_MAX, &rd->tool->arena,
                                ret_text)
               != 0)
    {
        rc = parley_problem(problem, "\"%s\" could not be read whole", path);
    }

    (void) fclose(file);

    return rc;
}


static int
parley_conf_folder(void *ctx, parley_str_t name,
    int (*visit)(void *data, parley_str_t path), void *data,
    parley_str_t *ret_path, parley_problem_t *problem)
{
    const char             *path;
    struct stat             st;
    parley_conf_reading_t  *rd = ctx;

    path = parley_conf_path(rd->tool, rd->conf, name);

    if (path == NULL) {
        return -1;
    }

    *ret_path = parley_str_c(path);

    if (stat(path, &st) != 0) {
        return parley_problem(problem, "\"%s\" is no folder (%d: %s)", path,
                              errno, strerror(errno));
    }

    return S_ISDIR(st.st_mode) ? parley_conf_walk(rd, path, visit, data, 0,
                                                  problem)
           : parley_problem(problem, "\"%s\" is no folder", path);
}


static int
parley_conf_walk(parley_conf_reading_t *rd, const char *path,
    int (*visit)(void *data, parley_str_t path), void *data, unsigned depth,
    parley_problem_t *problem)
{
    int             rc;
    DIR            *folder;
    parley_buf_t    b;
    parley_str_t    file;
    struct stat     st;
    struct dirent  *entry;

    folder = depth > PARLEY_CONF_FOLDERS ? NULL : opendir(path);

    if (folder == NULL) {
        return parley_problem(problem, "opendir() \"%s\" failed (%s)", path,
                              strerror(depth > PARLEY_CONF_FOLDERS
                                       ? ELOOP : errno));
    }

    rc = 0;

    while (rc == 0 && (entry = readdir(folder)) != NULL) {

        if (entry->d_name[strspn(entry->d_name, ".")] == '\0') {
            continue;
        }

        parley_buf_init(&b, &rd->tool->arena, 256);
        parley_buf_str(&b, parley_str_c(path));
        parley_buf_octet(&b, '/');
        parley_buf_str(&b, parley_str_c(entry->d_name));
        parley_buf_octet(&b, '\0');

        if (parley_buf_done(&b, &file) != 0
            || stat((const char *) file.data, &st) != 0)
        {
            rc = parley_problem(problem, "stat() of \"%s/%s\" failed (%s)",
                                path, entry->d_name, strerror(errno));

        } else if (S_ISDIR(st.st_mode)) {
            rc = parley_conf_walk(rd, (const char *) file.data, visit, data,
                                  depth + 1, problem);

        } else if (S_ISREG(st.st_mode)) {
            file.len--;
            rc = visit(data, file);
        }
    }

    (void) closedir(folder);

    return rc;
}
