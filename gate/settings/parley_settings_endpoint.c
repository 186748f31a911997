/*
 * Checks blocks from which nothing goes to a service: parley_keys,
 * parley_stream, parley_moq, parley_roster, parley_control, parley_submit,
 * parley_mcp, parley_websocket, parley_host.
 */

#include <string.h>

#include "auth/parley_policy.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings_parts.h"


static int parley_settings_listens(parley_settings_http_t *http,
    const parley_settings_t *s, parley_problem_t *problem);
static parley_directive_id_t parley_settings_listens_by(
    const parley_settings_t *s);
static const char *parley_settings_endpoint_check_lack(
    const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block);


/* VCP-31, ACH-20: a location that takes no messages */

int
parley_settings_endpoint_check(parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_directive_id_t id, parley_problem_t *problem)
{
    const char             *why, *name;
    parley_directive_id_t   other;

    problem->where = s->where[id];
    name = parley_directives[id].name;
    why = parley_settings_endpoint_check_lack(http, s, block);

    if (why != NULL) {
        return parley_problem(problem, "\"%s\" %s", name, why);
    }

    if (parley_settings_certificate(http, s, block, problem) != 0) {
        return -1;
    }

    other = parley_settings_other(s, (uint64_t) 1 << id
                                     | parley_settings_bit(ACCEPT)
                                     | parley_settings_uses(s, block));

    if (other != PARLEY_DIRECTIVE_COUNT) {
        problem->where = s->where[other];

        return parley_problem(problem, "\"%s\" has no effect: \"%s\" in this "
                              "location accepts no messages",
                              parley_directives[other].name, name);
    }

    return (id == PARLEY_DIRECTIVE_STREAM || id == PARLEY_DIRECTIVE_MOQ)
           && parley_settings_listens(http, s, problem) != 0
           ? -1 : parley_settings_effects(s, problem);
}


/*
 * HUB-06: a publication is written once for each protocol with subscribers, so
 * all streams of a protocol must have equal settings.
 */

static int
parley_settings_listens(parley_settings_http_t *http,
    const parley_settings_t *s, parley_problem_t *problem)
{
    const char               *by, *name;
    const parley_where_t     *where;
    const parley_settings_t  *first;
    parley_directive_id_t     id;

    id = parley_settings_listens_by(s);
    by = parley_directives[id].name;
    first = http->listens[s->stream->proto];

    if (first == NULL) {
        http->listens[s->stream->proto] = s;
        first = s;
    }

    name = s->context.varies ? "parley_vcp_context"
           : s->constitution.varies ? "parley_vcp_constitution" : NULL;

    if (name != NULL) {
        return parley_problem(problem, "\"%s\" has a \"%s\" with variables; "
                              "expected a value without variables", by, name);
    }

    name = !parley_str_eq(s->context.text, first->context.text)
           ? "parley_vcp_context"
           : !parley_str_eq(s->constitution.text, first->constitution.text)
           ? "parley_vcp_constitution"
           : !parley_str_eq(s->broadcast, first->broadcast)
           ? "parley_vcp_broadcast" : NULL;

    if (name == NULL) {
        return 0;
    }

    where = &first->where[parley_settings_listens_by(first)];

    return parley_problem(problem, "\"%s\" has another \"%s\" than the one in "
                          "%.*s:%u; expected equal values for all streams of "
                          "a protocol", by, name, (int) where->file.len,
                          (const char *) where->file.data, where->line);
}


static parley_directive_id_t
parley_settings_listens_by(const parley_settings_t *s)
{
    return s->websocket != NULL ? PARLEY_DIRECTIVE_WEBSOCKET
           : s->moq != NULL ? PARLEY_DIRECTIVE_MOQ
           : s->host != NULL ? PARLEY_DIRECTIVE_HOST
           : PARLEY_DIRECTIVE_STREAM;
}


int
parley_settings_alone(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t id,
    const char *expects, uint64_t others, parley_problem_t *problem)
{
    size_t       i;
    const char  *name = parley_directives[id].name;

    problem->where = s->where[id];

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        if ((others & (uint64_t) 1 << i) && parley_settings_has(s, i)
            && !parley_settings_off(s, (parley_directive_id_t) i))
        {
            return parley_problem(problem, "\"%s\" %s\"%s\"", name, expects,
                                  parley_directives[i].name);
        }
    }

    return block->handled || block->frame
           ? parley_problem(problem, "\"%s\" %s%s", name, expects,
                            block->handled ? PARLEY_SETTINGS_HANDLER
                                           : PARLEY_SETTINGS_NESTED)
           : 0;
}


/* C2A-01: a location of parley_host */

int
parley_settings_host(parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    const char  *why;

    if (parley_settings_alone(s, block, PARLEY_DIRECTIVE_HOST,
                              PARLEY_SETTINGS_PUBLISHES,
                              PARLEY_SETTINGS_READING
                              | parley_settings_bit(WEBSOCKET)
                              | parley_settings_bit(DRY_RUN), problem)
        != 0)
    {
        return -1;
    }

    why = s->jwt == NULL && s->gate.certificate != PARLEY_DEMAND_REQUIRED
          ? PARLEY_SETTINGS_PROOF " or \"parley_certificate required\""
          : http->directory == NULL
          ? "needs \"parley_identities\", which lists surfaces and readers"
          : http->retain == 0
          ? "needs \"parley_retain\", which keeps events for absent readers"
          : NULL;

    if (why != NULL) {
        return parley_problem(problem, "\"parley_host\" %s", why);
    }

    if (http->host == NULL) {
        http->host = s;

    } else if (memcmp(http->host->host, s->host, sizeof(parley_host_conf_t))
               != 0)
    {
        return parley_problem(problem, "\"parley_host\" has other parameters "
                              "than the one in %.*s:%u; expected equal "
                              "parameters for all hosts",
                              (int) http->host->where[PARLEY_DIRECTIVE_HOST]
                                                .file.len,
                              (const char *)
                              http->host->where[PARLEY_DIRECTIVE_HOST]
                                          .file.data,
                              http->host->where[PARLEY_DIRECTIVE_HOST].line);
    }

    return parley_settings_listens(http, s, problem);
}


/* VCP-20: a location that takes messages and has subscribers */

int
parley_settings_websocket(parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
{
    const char  *why;

    if (parley_settings_alone(s, block, PARLEY_DIRECTIVE_WEBSOCKET,
                              PARLEY_SETTINGS_PUBLISHES,
                              PARLEY_SETTINGS_READING, problem)
        != 0)
    {
        return -1;
    }

    why = s->jwt == NULL && s->gate.certificate == PARLEY_DEMAND_OFF
          ? PARLEY_SETTINGS_PROOF " or \"parley_certificate on\""
          : parley_settings_has(s, PARLEY_DIRECTIVE_DRY_RUN)
          ? PARLEY_SETTINGS_PUBLISHES "\"parley_dry_run\""
          : s->receiver.varies
          ? "has a \"parley_window\" with variables; expected a value without "
            "variables"
          : NULL;

    return why != NULL
           ? parley_problem(problem, "\"parley_websocket\" %s", why)
           : parley_settings_listens(http, s, problem);
}


static const char *
parley_settings_endpoint_check_lack(const parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block)
{
    if (s->gate.accept != 0) {
        return PARLEY_SETTINGS_ANSWERS "\"parley_accept\"";
    }

    if (block->handled) {
        return PARLEY_SETTINGS_ANSWERS PARLEY_SETTINGS_HANDLER;
    }

    if (block->frame) {
        return PARLEY_SETTINGS_ANSWERS PARLEY_SETTINGS_NESTED;
    }

    if (http->zone.len == 0) {
        return "needs \"parley_zone\"";
    }

    if (s->keys && http->directory == NULL) {
        return "needs \"parley_identities\", which lists parents";
    }

    if (s->jwt == NULL && s->gate.certificate == PARLEY_DEMAND_OFF) {
        return PARLEY_SETTINGS_PROOF " or \"parley_certificate on\"";
    }

    if (s->control && (s->gate.policy == NULL || s->gate.policy->n == 0)) {
        return "needs a rule; expected \"parley_allow type=control\" with a "
               "scope, a role or a principal";
    }

    return parley_settings_has_no_jwks(http, s)
           ? "has \"parley_jwt on\" and needs \"parley_jwks\" or "
             "\"parley_jwks_request\"" : NULL;
}


/* ACH-18: a location of parley_submit or parley_mcp, which has no service */

int
parley_settings_submits(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    const char             *why;
    parley_directive_id_t   id;

    id = s->mcp != NULL ? PARLEY_DIRECTIVE_MCP : PARLEY_DIRECTIVE_SUBMIT;

    problem->where = s->where[id];

    why = s->mcp != NULL && parley_settings_has(s, PARLEY_DIRECTIVE_SUBMIT)
          ? PARLEY_SETTINGS_PUBLISHES "\"parley_submit\""
          : s->mcp != NULL
            && s->gate.accept != PARLEY_PROTO_BIT(PARLEY_PROTO_VERBS)
          ? PARLEY_SETTINGS_PUBLISHES "\"parley_accept\""
          : s->mcp != NULL && s->jwt == NULL
            && s->gate.certificate == PARLEY_DEMAND_OFF
          ? PARLEY_SETTINGS_PROOF " or \"parley_certificate on\""
          : block->handled
          ? PARLEY_SETTINGS_PUBLISHES PARLEY_SETTINGS_HANDLER
          : block->frame
          ? PARLEY_SETTINGS_PUBLISHES PARLEY_SETTINGS_NESTED
          : parley_settings_has(s, PARLEY_DIRECTIVE_SPEAK)
          ? PARLEY_SETTINGS_PUBLISHES "\"parley_speak\""
          : parley_settings_has(s, PARLEY_DIRECTIVE_DRY_RUN)
          ? PARLEY_SETTINGS_PUBLISHES "\"parley_dry_run\""
          : NULL;

    return why == NULL ? 0
           : parley_problem(problem, "\"%s\" %s", parley_directives[id].name,
                            why);
}
