/*
 * Checks of a block as a whole, which no single directive can make.  nginx -t
 * and "parley explain" both use them.
 */

#include <string.h>

#include "translate/parley_codec.h"
#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_settings_parts.h"
#include "translate/parley_suits.h"


static int parley_settings_delivers(const parley_settings_t *s,
    parley_problem_t *problem);
static int parley_settings_takes(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, const parley_engine_t *engine,
    parley_problem_t *problem);
static void parley_settings_collect(parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_settings_lacks(const parley_settings_http_t *http,
    const parley_settings_t *s, parley_error_t *err);
static const char *parley_settings_lack(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_settings_window_min(const parley_settings_t *s,
    parley_error_t *err);
static int parley_settings_pairs(const parley_gate_conf_t *gate,
    parley_error_t *err);
static int parley_settings_redacts(const parley_gate_conf_t *gate,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err);
static int parley_settings_supplies(const parley_settings_t *s,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err);
static parley_str_t parley_settings_constant(const parley_value_t *value);


/* directive of an endpoint; COUNT: the block takes messages */

static const parley_directive_id_t
    parley_settings_serving[PARLEY_ENDPOINTS] =
{
    [PARLEY_ENDPOINT_NONE] = PARLEY_DIRECTIVE_COUNT,
    [PARLEY_ENDPOINT_KEYS] = PARLEY_DIRECTIVE_KEYS,
    [PARLEY_ENDPOINT_STREAM] = PARLEY_DIRECTIVE_STREAM,
    [PARLEY_ENDPOINT_ROSTER] = PARLEY_DIRECTIVE_ROSTER,
    [PARLEY_ENDPOINT_CONTROL] = PARLEY_DIRECTIVE_CONTROL,
    [PARLEY_ENDPOINT_PROOF] = PARLEY_DIRECTIVE_COUNT
};


int
parley_settings_inactive(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    unsigned               i;
    const parley_where_t  *where;
    parley_directive_id_t  other;

    if (parley_settings_answers(s)) {
        return parley_settings_answer(env, s, block, problem);
    }

    if (block->internal && block->name.len > 0
        && parley_str_eq(block->name, http->deliver_uri))
    {
        parley_settings_used(http, s, PARLEY_SETTINGS_VCP);

        return parley_settings_delivers(s, problem);
    }

    other = parley_settings_other(s, parley_settings_bit(ACCEPT));

    if (other != PARLEY_DIRECTIVE_COUNT) {

        if (block->frame && !block->handled) {
            return 0;
        }

        problem->where = s->where[other];

        return s->where[PARLEY_DIRECTIVE_ACCEPT].line != 0
               ? parley_problem(problem, "\"%s\" has no effect with "
                                "\"parley_accept off\", which also applies to "
                                "locations inside: requests pass unchecked",
                                parley_directives[other].name)
               : parley_problem(problem, "\"%s\" has no effect without "
                                "\"parley_accept\": requests pass unchecked",
                                parley_directives[other].name);
    }

    if (!block->handled || block->internal
        || parley_settings_has(s, PARLEY_DIRECTIVE_ACCEPT))
    {
        return 0;
    }

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        where = &s->where[i];

        if (!(parley_directives[i].flags & PARLEY_GUARDS) || where->line == 0
            || parley_settings_off(s, (parley_directive_id_t) i))
        {
            continue;
        }

        problem->where.line = 0;
        parley_settings_used(http, s, (uint64_t) 1 << i);

        (void) parley_problem(problem, "location \"%.*s\" inherits \"%s\", "
                              "which has no effect without "
                              "\"parley_accept\": requests pass unchecked; "
                              "\"parley_accept off\" confirms this; inherited "
                              "from %.*s:%u",
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


/*
 * Checks the location of parley_deliver.  It takes no messages, but VCP
 * messages that it posts get their context and constitution there.
 */

static int
parley_settings_delivers(const parley_settings_t *s,
    parley_problem_t *problem)
{
    const char             *name;
    parley_directive_id_t   other;

    other = parley_settings_other(s, PARLEY_SETTINGS_VCP
                                     | parley_settings_bit(ACCEPT));

    if (other != PARLEY_DIRECTIVE_COUNT) {
        problem->where = s->where[other];

        return parley_problem(problem, "\"%s\" has no effect in the location "
                              "of \"parley_deliver\", to which no messages "
                              "come", parley_directives[other].name);
    }

    name = s->context.varies ? "parley_vcp_context"
           : s->constitution.varies ? "parley_vcp_constitution" : NULL;

    if (name == NULL) {
        return 0;
    }

    problem->where = s->where[s->context.varies
                              ? PARLEY_DIRECTIVE_VCP_CONTEXT
                              : PARLEY_DIRECTIVE_VCP_CONSTITUTION];

    return parley_problem(problem, "\"%s\" in the location of "
                          "\"parley_deliver\" must have no variables: a "
                          "delivery has no request", name);
}


int
parley_settings_verify(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, const parley_engine_t *engine,
    parley_problem_t *problem)
{
    parley_directive_id_t  by;

    if (parley_settings_answers(s)
        && (parley_settings_answer(env, s, block, problem) != 0
            || !s->proves))
    {
        return problem->text[0] == '\0' ? 0 : -1;
    }

    parley_settings_used(http, s, parley_settings_uses(s, block));

    if (s->proves) {
        return parley_settings_proof(env, http, s, block, problem);
    }

    if (s->moq != NULL && parley_settings_moq(s, block, problem) != 0) {
        return -1;
    }

    if (s->websocket != NULL
        && parley_settings_websocket(http, s, block, problem) != 0)
    {
        return -1;
    }

    if (s->host != NULL
        && parley_settings_host(http, s, block, problem) != 0)
    {
        return -1;
    }

    by = s->websocket != NULL
         ? PARLEY_DIRECTIVE_COUNT
         : s->moq != NULL
         ? PARLEY_DIRECTIVE_MOQ
         : parley_settings_serving[parley_settings_endpoint(s)];

    if (by != PARLEY_DIRECTIVE_COUNT) {

        if (parley_settings_endpoint_check(http, s, block, by, problem) != 0) {
            return -1;
        }

        parley_settings_collect(http, s);
        parley_settings_warnings_served(env, s, block, by, problem);
        parley_settings_warnings_returns(env, s, block, by, problem);

        if (s->moq != NULL) {
            parley_settings_moq_warnings(env, http, s, block, problem);
        }

        return 0;
    }

    if (s->submit != NULL && s->websocket == NULL
        && parley_settings_submits(s, block, problem) != 0)
    {
        return -1;
    }

    return parley_settings_takes(env, http, s, block, engine, problem);
}


/* Checks a block that takes messages. */

static int
parley_settings_takes(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, const parley_engine_t *engine,
    parley_problem_t *problem)
{
    parley_error_t         err;
    parley_proto_set_t     idle;
    parley_directive_id_t  by;

    by = s->mcp != NULL ? PARLEY_DIRECTIVE_MCP
         : s->websocket != NULL ? PARLEY_DIRECTIVE_WEBSOCKET
         : s->host != NULL ? PARLEY_DIRECTIVE_HOST
         : s->submit != NULL ? PARLEY_DIRECTIVE_SUBMIT
         : PARLEY_DIRECTIVE_ACCEPT;

    problem->where = s->where[by];

    if (parley_settings_lacks(http, s, &err) != 0
        || parley_settings_window_min(s, &err) != 0
        || parley_settings_pairs(&s->gate, &err) != 0
        || parley_settings_redacts(&s->gate, engine, env->arena, &err) != 0
        || parley_settings_supplies(s, engine, env->arena, &err) != 0)
    {
        return parley_problem(problem, "\"%s\" %s",
                              parley_directives[by].name, err.text);
    }

    if (parley_settings_certificate(http, s, block, problem) != 0) {
        return -1;
    }

    idle = parley_settings_idle(&s->gate, &err);

    if (idle & ~http->idle) {
        /* one warning for each protocol */
        http->idle |= idle;

        (void) parley_problem(problem, "\"%s\" %s",
                              parley_directives[by].name, err.text);
        parley_settings_warn(env, problem);
    }

    parley_settings_collect(http, s);
    parley_settings_warnings(env, http, s, block, by, problem);

    /* directives outside have their effect in the locations inside */

    return block->frame ? 0 : parley_settings_effects(s, problem);
}


/*
 * Adds the block to the settings of http that depend on all blocks: tickets
 * with a stream, the longest freshness, protocols that are published or held.
 */

static void
parley_settings_collect(parley_settings_http_t *http,
    const parley_settings_t *s)
{
    unsigned            i;
    int64_t             ms;
    parley_jwt_conf_t  *jwt;

    for (jwt = http->tickets; s->stream != NULL && jwt != NULL;
         jwt = jwt->next)
    {
        if (s->jwt == jwt && s->moq == NULL) {
            jwt->streams = 1;
        }
    }

    if (s->gate.accept == 0) {
        return;
    }

    ms = s->gate.past_ms + s->gate.future_ms;

    if (ms > http->longest_ms) {
        http->longest_ms = ms;
    }

    if (s->submit == NULL) {
        return;
    }

    http->published |= s->gate.accept;

    for (i = 0; s->submit->hold != 0 && i < PARLEY_PROTO_COUNT; i++) {
        if ((s->gate.accept & PARLEY_PROTO_BIT(i)) && http->holds[i] == NULL) {
            http->holds[i] = s;
        }
    }
}


static int
parley_settings_lacks(const parley_settings_http_t *http,
    const parley_settings_t *s, parley_error_t *err)
{
    const char  *why;

    why = parley_settings_lack(http, s);

    return why == NULL ? 0
           : parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL, "%s", why);
}


static const char *
parley_settings_lack(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    const parley_gate_conf_t  *gate = &s->gate;

    if (http->zone.len == 0) {
        return "needs \"parley_zone\"";
    }

    if (gate->speak == PARLEY_PROTO_NONE) {
        return "names several protocols and needs \"parley_speak\", the "
               "protocol of the service";
    }

    if (!gate->trusted && s->jwt == NULL
        && gate->certificate == PARLEY_DEMAND_OFF
        && gate->signature != PARLEY_DEMAND_REQUIRED)
    {
        return PARLEY_SETTINGS_PROOF ", \"parley_certificate on\", "
               "\"parley_signature required\" or, to trust all callers, "
               "\"parley_trusted on\"";
    }

    if (gate->signature == PARLEY_DEMAND_OFF && !gate->trusted) {
        return "cannot have \"parley_signature off\" without "
               "\"parley_trusted on\"";
    }

    if (parley_settings_has_no_jwks(http, s)) {
        return "has \"parley_jwt on\" and needs \"parley_jwks\" or "
               "\"parley_jwks_request\"";
    }

    if (gate->signature == PARLEY_DEMAND_REQUIRED && !http->child_keys
        && (http->directory == NULL
            || !parley_directory_has_keys(http->directory)))
    {
        return http->directory != NULL
               ? "has \"parley_signature required\", but no principal of "
                 "\"parley_identities\" has \"keys\""
               : "has \"parley_signature required\" and needs "
                 "\"parley_identities\" with keys";
    }

    if (s->window_ms < gate->past_ms + gate->future_ms) {
        return "has a \"parley_window\" shorter than \"past=\" plus "
               "\"future=\" of \"parley_freshness\": a message could be "
               "replayed";
    }

    return NULL;
}


/* Checks parley_window against the minimum of each accepted protocol. */

static int
parley_settings_window_min(const parley_settings_t *s, parley_error_t *err)
{
    unsigned  i;
    int64_t   min;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        min = parley_codecs[i]->window_min_ms;

        if ((s->gate.accept & PARLEY_PROTO_BIT(i)) && s->window_ms < min) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                          "has a \"parley_window\" below the %d minutes that "
                          "%s requires", (int) (min / 60000),
                          (const char *)
                          parley_proto_title((parley_proto_t) i).data);
        }
    }

    return 0;
}


parley_proto_set_t
parley_settings_idle(const parley_gate_conf_t *gate, parley_error_t *ret)
{
    unsigned            i;
    parley_str_t        word;
    parley_proto_set_t  idle;

    idle = 0;

    for (i = PARLEY_PROTO_COUNT; i > 0; i--) {

        if (!(gate->accept & PARLEY_PROTO_BIT(i - 1))
            || gate->signature != PARLEY_DEMAND_REQUIRED
            || parley_codecs[i - 1]->pointers[PARLEY_MSG_SIGNATURE] != NULL)
        {
            continue;
        }

        idle |= PARLEY_PROTO_BIT(i - 1);
        word = parley_proto_name((parley_proto_t) (i - 1));

        (void) parley_error_set(ret, PARLEY_E_FIELD_INVALID, NULL,
                                "names %.*s, a protocol without signatures, "
                                "with \"parley_signature required\": its "
                                "messages are refused",
                                (int) word.len, (const char *) word.data);
    }

    return idle;
}


/* Fails if no accepted protocol has messages that can pass. */

static int
parley_settings_pairs(const parley_gate_conf_t *gate, parley_error_t *err)
{
    return parley_settings_idle(gate, err) == gate->accept ? -1 : 0;
}


static int
parley_settings_redacts(const parley_gate_conf_t *gate,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err)
{
    unsigned              i;
    uint32_t              k;
    const parley_edit_t  *edit;

    for (k = 0; k < gate->nredact; k++) {
        edit = &gate->redact[k];

        for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
            if ((gate->accept & PARLEY_PROTO_BIT(i))
                && !parley_codec_requires(engine, scratch, (parley_proto_t) i,
                                          edit->pointer, edit->value))
            {
                break;
            }
        }

        if (i == PARLEY_PROTO_COUNT) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                    "has \"parley_redact %.*s\", which leaves "
                                    "no message valid",
                                    edit->pointer.len < 64
                                    ? (int) edit->pointer.len : 64,
                                    (const char *) edit->pointer.data);
        }
    }

    return 0;
}


static int
parley_settings_supplies(const parley_settings_t *s,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err)
{
    unsigned              i;
    parley_error_t        wrong;
    parley_encode_opts_t  opts;

    memset(&opts, 0, sizeof(parley_encode_opts_t));

    opts.context = parley_settings_constant(&s->context);
    opts.constitution = parley_settings_constant(&s->constitution);

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (parley_codec_supplies(engine, scratch, (parley_proto_t) i, &opts,
                                  &wrong) == 0)
        {
            continue;
        }

        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "has a \"%s\" that %s",
                                strcmp(wrong.field, "/context") == 0
                                ? "parley_vcp_context"
                                : "parley_vcp_constitution", wrong.text);
    }

    return 0;
}


/* Returns the value, or an empty string if variables decide it later. */

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

    ms = http->longest_ms;

    if (s->gate.accept != 0 && ms > s->window_ms) {
        problem.where = s->where[PARLEY_DIRECTIVE_ACCEPT];

        (void) parley_problem(&problem, "\"parley_window\" of "
                              "\"parley_accept\" becomes %lld ms, the longest "
                              "\"parley_freshness\" of any location",
                              (long long) ms);
        parley_settings_warn(env, &problem);
        s->window_ms = ms;
    }
}
