/* Reads the directives of every block into settings, by the gate's table. */

#include <string.h>

#include "tools/parley_conf.h"
#include "gate/settings/parley_directive.h"
#include "gate/settings/parley_moq_conf.h"


#define PARLEY_CONF_IDLE  75000     /* ms, nginx's default keepalive_timeout */


typedef struct {
    parley_tool_t           *tool;
    const parley_conf_t     *conf;
    const char              *keys;      /* --keys, or NULL */
    const parley_engine_t   *engine;
    parley_settings_env_t    env;
    parley_conf_files_t      files;
    parley_settings_http_t  *http;
    parley_problem_t        *problem;
    unsigned                 accepting:1;       /* at least one block accepts
                                                   messages */
} parley_conf_reading_t;


static int tool_conf_keys(parley_conf_reading_t *rd);
static int tool_conf_stray(const parley_directive_t *block);
static unsigned tool_conf_kind(const parley_directive_t *block);
static int tool_conf_apply(parley_conf_reading_t *rd,
    parley_directive_t *block);
static int tool_conf_one(parley_conf_reading_t *rd,
    const parley_directive_t *d, parley_settings_t *s);
static int tool_conf_merge(parley_conf_reading_t *rd,
    const parley_directive_t *block);
static int tool_conf_verify(parley_conf_reading_t *rd,
    const parley_directive_t *block);
static void tool_conf_facts(const parley_directive_t *block,
    parley_block_facts_t *ret);
static int tool_conf_returns(const parley_directive_t *block);
static int64_t tool_conf_idle(const parley_directive_t *server);
static int tool_conf_listens(const parley_directive_t *d, const char *word);
static const parley_directive_t *tool_conf_default(
    const parley_directive_t *server, parley_str_t address);
static void tool_conf_moq(const parley_directive_t *block,
    parley_block_facts_t *ret);


int
tool_conf_settings(parley_tool_t *tool, const parley_conf_t *conf,
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

    tool_conf_env_init(&rd.env, &rd.files, tool, conf->folder);

    parley_settings_http_init(ret);

    /* as in nginx: reads all blocks before it merges them */

    if (tool_conf_stray(&conf->main) != 0
        || tool_conf_apply(&rd, conf->http) != 0
        || tool_conf_keys(&rd) != 0)
    {
        return -1;
    }

    if (parley_settings_http_settle(&rd.env, ret, &problem) != 0) {
        return tool_conf_failed(&problem);
    }

    if (tool_conf_merge(&rd, conf->http) != 0
        || tool_conf_verify(&rd, conf->http) != 0)
    {
        return -1;
    }

    d = tool_conf_in(conf->http, "parley_jwks_request");

    if (d != NULL && rd.accepting
        && tool_conf_location(conf->http, d->words[1]) == NULL)
    {
        return tool_conf_wrong(d, "\"parley_jwks_request\" needs a location "
                               "\"%s\" in a server",
                               (const char *) d->words[1].data);
    }

    return 0;
}


/*
 * Reads the keys of --keys.  They replace the keys that parley_jwks_request
 * would fetch, or the keys of parley_jwks.
 */

static int
tool_conf_keys(parley_conf_reading_t *rd)
{
    parley_jwks_t            keys, *jwks;
    parley_settings_http_t  *http = rd->http;

    if (rd->keys == NULL) {
        return 0;
    }

    if (tool_file_keys(rd->tool, rd->keys, &keys) != 0) {
        return -1;
    }

    if (parley_jwks_verifiers(&keys) == 0) {
        tool_say("%s: no key that verifies tokens", rd->keys);
        return -1;
    }

    jwks = parley_arena_calloc(&rd->tool->arena, sizeof(parley_jwks_t));

    if (jwks == NULL) {
        tool_say("out of memory");
        return -1;
    }

    parley_jwks_of(&keys, http->jwks_issuer);

    if (parley_jwks_beside(&rd->tool->arena, &keys, http->jwks_issuer,
                           http->jwks_uri.len > 0 ? http->jwks : NULL, jwks)
        != 0)
    {
        tool_say("out of memory");
        return -1;
    }

    http->jwks = jwks;

    return 0;
}


/* Refuses directives of the module outside http, server and location. */

static int
tool_conf_stray(const parley_directive_t *block)
{
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (parley_str_begins(d->words[0], "parley_")) {
            return parley_directive_find(d->words[0]) != NULL
                   ? tool_conf_wrong(d, "\"%s\" directive is not allowed "
                                     "here",
                                     (const char *) d->words[0].data)
                   : tool_conf_wrong(d, "unknown directive \"%s\"",
                                     (const char *) d->words[0].data);
        }

        if (d->is_block && tool_conf_is(d, "events")
            && tool_conf_stray(d) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static unsigned
tool_conf_kind(const parley_directive_t *block)
{
    return tool_conf_is(block, "http") ? PARLEY_IN_HTTP
           : tool_conf_is(block, "server") ? PARLEY_IN_SERVER
           : tool_conf_is(block, "location") ? PARLEY_IN_LOCATION : 0;
}


/* Applies the directives of a block and of the blocks in it. */

static int
tool_conf_apply(parley_conf_reading_t *rd, parley_directive_t *block)
{
    parley_directive_t  *d;

    block->settings = parley_arena_alloc(&rd->tool->arena,
                                         sizeof(parley_settings_t));
    if (block->settings == NULL) {
        tool_say("out of memory");
        return -1;
    }

    parley_settings_init(block->settings);

    for (d = block->first; d != NULL; d = d->next) {

        if (parley_str_begins(d->words[0], "parley_")) {
            if (tool_conf_one(rd, d, block->settings) != 0) {
                return -1;
            }

        } else if (!d->is_block) {
            continue;

        } else if (tool_conf_kind(d) != 0) {
            if (tool_conf_apply(rd, d) != 0) {
                return -1;
            }

        } else if ((tool_conf_is(d, "if") || tool_conf_is(d, "upstream")
                    || tool_conf_is(d, "limit_except"))
                   && tool_conf_stray(d) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
tool_conf_one(parley_conf_reading_t *rd, const parley_directive_t *d,
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

    in = tool_conf_kind(d->parent);

    if (set.row == NULL) {
        return tool_conf_wrong(d, "unknown directive \"%s\"",
                               (const char *) d->words[0].data);
    }

    if (!(set.row->in & in)) {
        return tool_conf_wrong(d, "\"%s\" directive is not allowed here",
                               set.row->name);
    }

    if (d->is_block) {
        return tool_conf_wrong(d, "directive \"%s\" is not terminated by "
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
           : tool_conf_failed(rd->problem);
}


static int
tool_conf_merge(parley_conf_reading_t *rd, const parley_directive_t *block)
{
    parley_block_facts_t       facts;
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (d->settings == NULL) {
            continue;
        }

        parley_settings_merge(d->settings, block->settings);

        tool_conf_facts(d, &facts);

        if (!parley_settings_steps(d->settings)
            && parley_settings_inactive(&rd->env, rd->http, d->settings,
                                        &facts, rd->problem)
               != 0)
        {
            return tool_conf_failed(rd->problem);
        }

        if (tool_conf_merge(rd, d) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
tool_conf_verify(parley_conf_reading_t *rd, const parley_directive_t *block)
{
    parley_block_facts_t       facts;
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (d->settings == NULL) {
            continue;
        }

        tool_conf_facts(d, &facts);

        if (parley_settings_steps(d->settings)) {
            rd->accepting = 1;

            if (parley_settings_verify(&rd->env, rd->http, d->settings, &facts,
                                       rd->engine, rd->problem)
                != 0)
            {
                return tool_conf_failed(rd->problem);
            }
        }

        if (tool_conf_verify(rd, d) != 0) {
            return -1;
        }
    }

    return 0;
}


/*
 * Collects facts about a block.  "handled" means that a module of nginx
 * handles its requests.
 */

static void
tool_conf_facts(const parley_directive_t *block, parley_block_facts_t *ret)
{
    size_t                     i;
    const parley_directive_t  *verify, *server;

    static const char *const  handlers[] = {
        "proxy_pass", "grpc_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass",
        "memcached_pass", "perl", "empty_gif", "flv", "mp4", "stub_status"
    };

    static const char *const  restricting[] = {
        "allow", "deny", "auth_basic", "auth_request"
    };

    memset(ret, 0, sizeof(parley_block_facts_t));

    ret->name = tool_conf_is(block, "location")
                ? block->words[block->nwords - 1] : parley_str_none;
    ret->location = tool_conf_is(block, "location") ? 1 : 0;
    ret->pattern = ret->location && (block->words[1].data[0] == '~'
                                     || block->words[1].data[0] == '@');
    ret->returns = tool_conf_returns(block) ? 1 : 0;

    for (server = block; server != NULL && !tool_conf_is(server, "server");
         server = server->parent)
    { /* void */ }

    ret->returned = server != NULL && tool_conf_returns(server) ? 1 : 0;
    ret->frame = tool_conf_is(block, "location")
                 && tool_conf_in(block, "location") != NULL;
    ret->internal = tool_conf_in(block, "internal") != NULL;

    verify = tool_conf_get(block, "ssl_verify_client");

    ret->verifies = verify != NULL && verify->nwords > 1
                    && (parley_str_is(verify->words[1], "on")
                        || parley_str_is(verify->words[1], "optional"));

    ret->open = 1;

    for (i = 0; i < sizeof(restricting) / sizeof(restricting[0]); i++) {
        if (tool_conf_get(block, restricting[i]) != NULL) {
            ret->open = 0;
        }
    }

    for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
        if (tool_conf_in(block, handlers[i]) != NULL) {
            ret->handled = 1;
        }
    }

    if (block->settings->moq != NULL) {
        tool_conf_moq(block, ret);
    }
}


/* Returns whether a "return" comes before all other rewriting. */

static int
tool_conf_returns(const parley_directive_t *block)
{
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {
        if (tool_conf_is(d, "return") || tool_conf_is(d, "rewrite")
            || tool_conf_is(d, "set") || tool_conf_is(d, "if")
            || tool_conf_is(d, "break"))
        {
            return tool_conf_is(d, "return");
        }
    }

    return 0;
}


/* Returns keepalive_timeout of a server in ms. */

static int64_t
tool_conf_idle(const parley_directive_t *server)
{
    int64_t                    ret;
    const parley_directive_t  *d;

    ret = PARLEY_CONF_IDLE;
    d = tool_conf_get(server, "keepalive_timeout");

    if (d != NULL && d->nwords > 1) {
        (void) parley_setting_time(d->words[1], &ret);
    }

    return ret;
}


/* Returns whether a directive is "listen" with that word after the address. */

static int
tool_conf_listens(const parley_directive_t *d, const char *word)
{
    size_t  i;

    for (i = 2; tool_conf_is(d, "listen") && i < d->nwords; i++) {
        if (parley_str_eq(d->words[i], parley_str_c(word))) {
            return 1;
        }
    }

    return 0;
}


/* Finds the default server of an address with QUIC, at which a server
   listens. */

static const parley_directive_t *
tool_conf_default(const parley_directive_t *server, parley_str_t address)
{
    const parley_directive_t  *d, *other, *first;

    first = NULL;

    for (other = server->parent->first; other != NULL; other = other->next) {
        for (d = other->first; d != NULL; d = d->next) {

            if (!tool_conf_is(other, "server") || !tool_conf_listens(d, "quic")
                || !parley_str_eq(d->words[1], address))
            {
                continue;
            }

            if (tool_conf_listens(d, "default_server")) {
                return other;
            }

            first = first == NULL ? other : first;
        }
    }

    return first == NULL ? server : first;
}


/* Collects the facts about a block of parley_moq. */

static void
tool_conf_moq(const parley_directive_t *block, parley_block_facts_t *ret)
{
    int64_t                    idle;
    const parley_directive_t  *d, *server, *location;

    for (server = block; !tool_conf_is(server, "server");
         server = server->parent)
    {
        /* a location is in a server */
    }

    ret->unquic = 1;
    ret->idle = tool_conf_idle(server);

    for (d = server->first; d != NULL; d = d->next) {
        if (tool_conf_listens(d, "quic")) {
            ret->unquic = 0;

            /* QUIC begins in the default server of the address */

            idle = tool_conf_idle(tool_conf_default(server, d->words[1]));
            ret->idle = idle < ret->idle ? idle : ret->idle;
        }
    }

    location = tool_conf_location(server, block->settings->moq->messages);

    ret->messages = location != NULL ? location->settings : NULL;
    ret->hidden = location != NULL
                  && tool_conf_in(location, "internal") != NULL;
}


const parley_directive_t *
tool_conf_location(const parley_directive_t *block, parley_str_t uri)
{
    const parley_directive_t  *d, *inner;

    for (d = block->first; d != NULL; d = d->next) {

        if (!d->is_block) {
            continue;
        }

        if (tool_conf_is(d, "location") && d->nwords > 1
            && parley_str_eq(d->words[d->nwords - 1], uri)
            && (d->nwords == 2 || parley_str_is(d->words[1], "=")
                || parley_str_is(d->words[1], "^~")))
        {
            return d;
        }

        inner = tool_conf_location(d, uri);

        if (inner != NULL) {
            return inner;
        }
    }

    return NULL;
}
