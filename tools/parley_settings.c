/* What is in force at a location. */

#include <string.h>

#include "parley_config.h"
#include "parley_location.h"
#include "parley_reserved.h"
#include "parley_settings.h"


static int parley_settings_main(const parley_conf_t *conf);
static int parley_settings_tree(parley_tool_t *tool,
    const parley_directive_t *block, const parley_settings_t *outer,
    int64_t *ret_longest_ms);
static int parley_settings_named(parley_tool_t *tool,
    const parley_directive_t *http, parley_settings_t *s);
static int parley_settings_has_location(const parley_directive_t *block,
    parley_str_t uri);
static void parley_settings_settle(parley_settings_t *s);
static int parley_settings_whole(parley_tool_t *tool,
    const parley_directive_t *block, parley_settings_t *s,
    int64_t *ret_longest_ms);
static unsigned parley_settings_kind(const parley_directive_t *block);
static int parley_settings_stray(const parley_directive_t *block);
static int parley_settings_path(parley_tool_t *tool,
    const parley_directive_t *block, parley_settings_t *s);


int
parley_settings_read(parley_tool_t *tool, const parley_conf_t *conf,
    const char *keys, const parley_engine_t *engine, parley_settings_t *ret)
{
    int64_t                    longest_ms;
    const parley_directive_t  *d;

    memset(ret, 0, sizeof(parley_settings_t));

    ret->conf = conf;
    ret->keys = keys;
    ret->engine = engine;
    ret->self = PARLEY_STR("service.parley");
    ret->said = PARLEY_PROTO_NONE;
    ret->gate.signature = PARLEY_DEMAND_OPTIONAL;
    ret->gate.caps.priority = PARLEY_PRIORITY_URGENT;
    ret->gate.limits = parley_json_limits_default;
    ret->gate.past_ms = PARLEY_SETTINGS_PAST_MS;
    ret->gate.future_ms = PARLEY_SETTINGS_FUTURE_MS;
    ret->window_ms = 600000;

    if (parley_settings_main(conf) != 0
        || parley_settings_block(tool, conf->http, PARLEY_IN_HTTP, ret) != 0
        || (keys != NULL && parley_settings_keys(tool, keys, ret) != 0))
    {
        return -1;
    }

    /* as nginx does it: everything is read before anything is put together */

    longest_ms = 0;

    if (parley_settings_tree(tool, conf->http, ret, NULL) != 0
        || parley_settings_named(tool, conf->http, ret) != 0
        || parley_settings_tree(tool, conf->http, ret, &longest_ms) != 0)
    {
        return -1;
    }

    d = parley_conf_in(conf->http, "parley_jwks_request");

    if (d != NULL && !parley_settings_has_location(conf->http, d->words[1])) {
        return parley_conf_bad(d, "needs a location \"%.*s\" in a server",
                               (int) d->words[1].len,
                               (const char *) d->words[1].data);
    }

    ret->longest_ms = longest_ms;

    return 0;
}


/* The gateway's names, which nobody else has. */

static int
parley_settings_named(parley_tool_t *tool, const parley_directive_t *http,
    parley_settings_t *s)
{
    parley_error_t  err;

    if (parley_gate_self(&tool->arena, s->self, s->self_names) != 0) {
        parley_say("out of memory");
        return -1;
    }

    if (s->directory == NULL
        || parley_reserved_directory(&tool->arena, s->self_names,
                                     s->directory, &err)
           == 0)
    {
        return 0;
    }

    parley_config_locate(&tool->arena.mem, s->identities_text, &err);

    return parley_settings_wrong(parley_conf_in(http, "parley_identities"),
                                 s->identities, s->identities_text, &err);
}


/* Whether a location of that name, no pattern, stands anywhere in a block. */

static int
parley_settings_has_location(const parley_directive_t *block,
    parley_str_t uri)
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

        if (parley_settings_has_location(d, uri)) {
            return 1;
        }
    }

    return 0;
}


void
parley_settings_free(parley_settings_t *s)
{
    parley_directory_free(s->directory);
    parley_intents_destroy(s->intents);
    parley_jwks_free(&s->jwks);
    parley_jwk_free(&s->signing);
}


int
parley_settings_at(parley_tool_t *tool, const parley_place_t *place,
    parley_settings_t *s)
{
    parley_error_t             err;
    const parley_directive_t  *d;

    s->place = *place;

    if (parley_settings_path(tool, place->block, s) != 0) {
        return -1;
    }

    parley_settings_settle(s);
    s->window_ms = parley_location_window(s->window_ms, s->longest_ms);

    if (s->gate.accept != 0 && parley_location_idle(&s->gate, &err) != 0) {
        (void) parley_conf_bad(parley_conf_get(place->block, "parley_accept"),
                               "%s", err.text);
    }

    if (s->jwt && !s->has_jwks) {
        d = parley_conf_in(s->conf->http, "parley_jwks_request");
        return parley_conf_bad(d, "fetches the keys of tokens while nginx "
                               "runs; give them with --keys FILE");
    }

    return 0;
}


/* What a block comes to, by what stands in it and around it. */

static void
parley_settings_settle(parley_settings_t *s)
{
    s->gate.speak = s->said == PARLEY_PROTO_NONE
                    ? parley_location_speaks(s->gate.accept) : s->said;
    s->gate.policy = &s->policy;
    s->gate.rate = s->rated != NULL ? &s->rate : NULL;
    s->gate.redact = s->redact;
    parley_location_guard(&s->gate, s->jwt ? &s->failures : NULL);
}


/* What no directive can know of alone; how old a message may be here. */

static int
parley_settings_whole(parley_tool_t *tool, const parley_directive_t *block,
    parley_settings_t *s, int64_t *ret_longest_ms)
{
    int64_t  ms;

    parley_settings_settle(s);

    ms = s->gate.past_ms + s->gate.future_ms;

    if (s->gate.accept != 0 && ms > *ret_longest_ms) {
        *ret_longest_ms = ms;
    }

    return parley_settings_verify(block, tool, s);
}


/* From the outermost block to this one; http itself is read already. */

static int
parley_settings_path(parley_tool_t *tool, const parley_directive_t *block,
    parley_settings_t *s)
{
    if (block == s->conf->http) {
        return 0;
    }

    if (parley_settings_path(tool, block->parent, s) != 0) {
        return -1;
    }

    return parley_settings_block(tool, block, parley_settings_kind(block), s);
}


/* Parley's directives belong into http. */

static int
parley_settings_main(const parley_conf_t *conf)
{
    const parley_directive_t  *d;

    if (parley_settings_stray(&conf->main) != 0) {
        return -1;
    }

    for (d = conf->main.first; d != NULL; d = d->next) {
        if (d->is_block && parley_conf_is(d, "events")
            && parley_settings_stray(d) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_settings_tree(parley_tool_t *tool, const parley_directive_t *block,
    const parley_settings_t *outer, int64_t *ret_longest_ms)
{
    unsigned                   in;
    parley_settings_t          s;
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {

        if (!d->is_block) {
            continue;
        }

        in = parley_settings_kind(d);

        if (in == 0) {

            if ((parley_conf_is(d, "if") || parley_conf_is(d, "limit_except")
                 || parley_conf_is(d, "upstream"))
                && parley_settings_stray(d) != 0)
            {
                return -1;
            }

            continue;
        }

        s = *outer;

        if (parley_settings_block(tool, d, in, &s) != 0
            || (ret_longest_ms != NULL
                && parley_settings_whole(tool, d, &s, ret_longest_ms) != 0)
            || parley_settings_tree(tool, d, &s, ret_longest_ms) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static unsigned
parley_settings_kind(const parley_directive_t *block)
{
    return parley_conf_is(block, "server") ? PARLEY_IN_SERVER
           : parley_conf_is(block, "location") ? PARLEY_IN_LOCATION : 0;
}


static int
parley_settings_stray(const parley_directive_t *block)
{
    return parley_settings_block(NULL, block, 0, NULL);
}
