/*
 * What a block has of its own and what it takes from the one around it; what
 * is wrong with it as a whole.
 */

#include <string.h>

#include "parley_config.h"
#include "parley_directive.h"
#include "parley_location.h"
#include "parley_reserved.h"
#include "parley_state.h"


/* the directive itself stands in the block, no outer one */
#define parley_settings_has(s, id)                                           \
    (((s)->own & (uint64_t) 1 << (id)) && (s)->where[id].line != 0)


static void parley_settings_settle(parley_settings_t *s);
static int parley_settings_effects(const parley_settings_t *s,
    const parley_location_t *l, parley_problem_t *problem);
static parley_str_t parley_settings_constant(const parley_value_t *value);
static void parley_settings_warn(const parley_settings_env_t *env,
    const parley_problem_t *problem);


void
parley_settings_http_init(parley_settings_http_t *http)
{
    memset(http, 0, sizeof(parley_settings_http_t));

    http->share = PARLEY_SHARE_DEFAULT;
    http->self = PARLEY_STR("service.parley");
    http->replay_ms = 600000;
    http->jwks_interval_ms = 60000;
    http->jwks_refresh_ms = 3600000;
    http->jwks_timeout_ms = 10000;
}


void
parley_settings_init(parley_settings_t *s)
{
    memset(s, 0, sizeof(parley_settings_t));

    s->said = PARLEY_PROTO_NONE;
    s->window_ms = 600000;
    s->first = PARLEY_DIRECTIVE_COUNT;

    s->gate.signature = PARLEY_DEMAND_OPTIONAL;
    s->gate.caps.priority = PARLEY_PRIORITY_URGENT;
    s->gate.limits = parley_json_limits_default;
    s->gate.past_ms = 300000;
    s->gate.future_ms = 30000;
}


void
parley_settings_http_free(parley_settings_http_t *http)
{
    parley_directory_free(http->directory);
    parley_intents_destroy(http->intents);

    if (http->jwks != NULL) {
        parley_jwks_free(http->jwks);
    }

    if (http->signing != NULL) {
        parley_jwk_free(http->signing);
    }
}


int
parley_settings_http_settle(const parley_settings_env_t *env,
    parley_settings_http_t *http, parley_problem_t *problem)
{
    parley_error_t  err;

    problem->text[0] = '\0';
    problem->where.line = 0;

    if (parley_gate_self(env->arena, http->self, http->self_names) != 0) {
        return -1;
    }

    if (http->directory != NULL
        && parley_reserved_directory(env->arena, http->self_names,
                                     http->directory, &err)
           != 0)
    {
        parley_config_locate(&env->arena->mem, http->identities_text, &err);

        problem->where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

        return parley_set_file_wrong(problem, http->identities,
                                     http->identities_text, &err);
    }

    if (http->zone.len > 0 && http->replay_size >= http->zone_size) {
        return parley_problem(problem, "\"parley_replay\" is as large as "
                              "\"parley_zone\", of which first answers are a "
                              "part");
    }

    if (http->jwks_refresh_ms < http->jwks_interval_ms) {
        http->jwks_refresh_ms = http->jwks_interval_ms;
    }

    return 0;
}


void
parley_settings_merge(parley_settings_t *s, const parley_settings_t *outer)
{
    size_t                         i;
    const parley_directive_row_t  *row;

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        row = &parley_directives[i];

        if (row->size != 0 && !(s->own & (uint64_t) 1 << i)) {
            memcpy((uint8_t *) s + row->offset,
                   (const uint8_t *) outer + row->offset, row->size);
            s->where[i] = outer->where[i];
        }
    }

    parley_settings_settle(s);
}


/* what follows from what is in force, and is not inherited itself */

static void
parley_settings_settle(parley_settings_t *s)
{
    parley_gate_conf_t  *gate = &s->gate;

    gate->speak = s->said == PARLEY_PROTO_NONE
                  ? parley_location_speaks(gate->accept) : s->said;
    gate->gateway = s->gateway;
    gate->token = s->jwt != NULL && s->jwt->source == PARLEY_TOKEN_ARGUMENT
                  ? s->jwt->name : parley_str_none;

    parley_location_guard(gate, s->jwt != NULL ? &s->jwt->failures : NULL);
}


int
parley_settings_off(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
{
    size_t                 i;
    const parley_where_t  *where;

    if (s->first != PARLEY_DIRECTIVE_COUNT
        && s->where[s->first].in == PARLEY_IN_LOCATION)
    {
        if (block->frame && !block->handled) {
            return 0;
        }

        problem->where = s->where[s->first];

        return parley_problem(problem, "\"%s\" has no effect without "
                              "\"parley_accept\": whatever comes passes "
                              "unchecked", parley_directives[s->first].name);
    }

    if (!block->handled || block->internal
        || parley_settings_has(s, PARLEY_DIRECTIVE_ACCEPT))
    {
        return 0;
    }

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        where = &s->where[i];

        if (!(parley_directives[i].flags & PARLEY_GUARDS) || where->line == 0)
        {
            continue;
        }

        problem->where.line = 0;

        (void) parley_problem(problem, "location \"%.*s\" inherits \"%s\", "
                              "which has no effect without "
                              "\"parley_accept\": whatever comes passes "
                              "unchecked; \"parley_accept off\" says so, "
                              "inherited from %.*s:%u",
                              (int) block->name.len,
                              (const char *) block->name.data,
                              parley_directives[i].name,
                              (int) where->file.len,
                              (const char *) where->file.data, where->line);

        parley_settings_warn(env, problem);
        break;
    }

    return 0;
}


int
parley_settings_verify(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, const parley_engine_t *engine,
    parley_problem_t *problem)
{
    int64_t             ms;
    parley_error_t      err;
    parley_location_t   l;
    parley_proto_set_t  idle;

    memset(&l, 0, sizeof(parley_location_t));

    l.gate = &s->gate;
    l.window_ms = s->window_ms;
    l.context = parley_settings_constant(&s->context);
    l.constitution = parley_settings_constant(&s->constitution);
    l.token = s->jwt != NULL;
    l.has_zone = http->zone.len > 0;
    l.has_keys = http->jwks != NULL || http->jwks_uri.len > 0;
    l.has_principals = http->directory != NULL;
    l.has_signers = http->directory != NULL
                    && parley_directory_has_keys(http->directory);

    problem->where = s->where[PARLEY_DIRECTIVE_ACCEPT];

    if (parley_location_verify(&l, engine, env->arena, &err) != 0) {
        return parley_problem(problem, "\"parley_accept\" %s", err.text);
    }

    idle = parley_location_idle(&s->gate, &err);

    if (idle & ~http->idle[s->gate.speak]) {
        /* once of each pair */
        http->idle[s->gate.speak] |= idle;

        (void) parley_problem(problem, "\"parley_accept\" %s", err.text);
        parley_settings_warn(env, problem);
    }

    ms = s->gate.past_ms + s->gate.future_ms;

    if (ms > http->longest_ms) {
        http->longest_ms = ms;
    }

    /* what stands for locations within has its effect there */

    return block->frame ? 0 : parley_settings_effects(s, &l, problem);
}


/* GW-28 */

static int
parley_settings_effects(const parley_settings_t *s, const parley_location_t *l,
    parley_problem_t *problem)
{
    size_t                         i;
    parley_error_t                 err;
    const parley_directive_row_t  *row;

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        row = &parley_directives[i];

        if (row->beside != PARLEY_BESIDE_COUNT && parley_settings_has(s, i)
            && s->where[i].in == PARLEY_IN_LOCATION
            && parley_location_effect(l, row->beside, &err) != 0)
        {
            problem->where = s->where[i];
            return parley_problem(problem, "\"%s\" %s", row->name, err.text);
        }
    }

    return 0;
}


/* what has variables is not known yet */

static parley_str_t
parley_settings_constant(const parley_value_t *value)
{
    return value->varies ? parley_str_none : value->text;
}


void
parley_settings_window(const parley_settings_env_t *env,
    const parley_settings_http_t *http, parley_settings_t *s)
{
    int64_t           ms;
    parley_problem_t  problem;

    ms = parley_location_window(s->window_ms, http->longest_ms);

    if (ms != s->window_ms) {
        problem.where = s->where[PARLEY_DIRECTIVE_ACCEPT];

        (void) parley_problem(&problem, "\"parley_window\" is %lld ms here, "
                              "the longest \"parley_freshness\" of any "
                              "location, for \"parley_accept\"",
                              (long long) ms);
        parley_settings_warn(env, &problem);
    }

    s->window_ms = ms;
}


static void
parley_settings_warn(const parley_settings_env_t *env,
    const parley_problem_t *problem)
{
    if (env->warn != NULL) {
        env->warn(env->ctx, problem);
    }
}
