/*
 * Checks of a block with parley_jwt or parley_certificate and without
 * parley_accept.  A request passes to the block's content handler if its caller
 * is proven and the rules allow the caller (GW-30).
 */

#include "auth/parley_policy.h"
#include "gate/settings/parley_settings_parts.h"


static const char *parley_settings_proof_lack(
    const parley_settings_http_t *http, const parley_settings_t *s);
static int parley_settings_proof_words(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem);
static int parley_settings_proof_rates(const parley_settings_t *s,
    parley_problem_t *problem);
static void parley_settings_proof_returns(const parley_settings_env_t *env,
    const parley_block_facts_t *block, parley_problem_t *problem);
static void parley_settings_proof_inherits(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem);


int
parley_settings_proof(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    const char            *why;
    parley_directive_id_t  by, other;

    by = s->jwt != NULL ? PARLEY_DIRECTIVE_JWT : PARLEY_DIRECTIVE_CERTIFICATE;

    problem->where = s->where[by];
    why = parley_settings_proof_lack(http, s);

    if (why != NULL) {
        return parley_problem(problem, "\"%s\" %s",
                              parley_directives[by].name, why);
    }

    if (parley_settings_certificate(http, s, block, problem) != 0) {
        return -1;
    }

    /* directives outside have their effect in the locations inside */

    if (block->frame || !block->location) {
        return 0;
    }

    parley_settings_warnings_proof(env, http, s, block, by, problem);

    other = parley_settings_other(s, PARLEY_SETTINGS_PROVING
                                     | parley_settings_bit(ACCEPT)
                                     | parley_settings_bit(MOQ_ENDPOINT));

    if (other != PARLEY_DIRECTIVE_COUNT) {
        problem->where = s->where[other];

        return parley_problem(problem, "\"%s\" has no effect without "
                              "\"parley_accept\": no message is read from "
                              "requests here", parley_directives[other].name);
    }

    if (parley_settings_proof_words(s, block, problem) != 0
        || parley_settings_proof_rates(s, problem) != 0
        || parley_settings_effects(s, problem) != 0)
    {
        return -1;
    }

    parley_settings_proof_inherits(env, http, s, block, problem);
    parley_settings_proof_returns(env, block, problem);

    return 0;
}


static const char *
parley_settings_proof_lack(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    if (http->zone.len == 0) {
        return "needs \"parley_zone\"";
    }

    return parley_settings_has_no_jwks(http, s)
           ? "needs \"parley_jwks\" or \"parley_jwks_request\"" : NULL;
}


/* Refuses rules with words about a message, which no request has here. */

static int
parley_settings_proof_words(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    unsigned                     words;
    const parley_where_t        *where;
    const parley_policy_rule_t  *rule;

    if (s->gate.policy == NULL
        || !(s->gate.policy->given & ~PARLEY_POLICY_CALLER))
    {
        return 0;
    }

    for (rule = s->gate.policy->first; rule != NULL; rule = rule->next) {
        words = rule->given & ~PARLEY_POLICY_CALLER;

        if (words == 0) {
            continue;
        }

        where = rule->data;
        problem->where = *where;

        return parley_problem(problem, "\"%s\" has \"%s=\", which has no "
                              "effect in location \"%.*s\": without "
                              "\"parley_accept\" no message is read there; "
                              "give the location rules with scope=, "
                              "principal=, role= or method=, or "
                              "\"parley_accept off\"",
                              rule->allow ? "parley_allow" : "parley_deny",
                              (const char *) parley_policy_word_name(
                              (parley_policy_word_t) __builtin_ctz(words))
                                  .data,
                              (int) block->name.len,
                              (const char *) block->name.data);
    }

    return 0;
}


/* Refuses rates of priorities, which no request has here.  Inherited ones are
   for the messages of other blocks. */

static int
parley_settings_proof_rates(const parley_settings_t *s,
    parley_problem_t *problem)
{
    size_t  i;

    problem->where = s->where[PARLEY_DIRECTIVE_RATE];

    if (s->gate.rate == NULL || problem->where.in != PARLEY_IN_LOCATION) {
        return 0;
    }

    for (i = 0; i < PARLEY_CLASS_COUNT; i++) {

        if (s->gate.rate->classes[i].interval_us != 0) {
            return parley_problem(problem, "\"parley_rate\" has a rate of a "
                                  "priority, which has no effect without "
                                  "\"parley_accept\": a request has no "
                                  "priority here");
        }
    }

    return 0;
}


/* Warns of a "return", which answers before the proof. */

static void
parley_settings_proof_returns(const parley_settings_env_t *env,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    if (!block->returns || block->internal) {
        return;
    }

    problem->where.line = 0;

    (void) parley_problem(problem, "location \"%.*s\" answers by \"return\" "
                          "before the caller is proven: requests pass "
                          "unchecked; \"parley_accept off\" confirms this",
                          (int) block->name.len,
                          (const char *) block->name.data);

    parley_settings_warn(env, problem);
}


/* Warns of an inherited directive that protects messages only. */

static void
parley_settings_proof_inherits(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    size_t                 i;
    const parley_where_t  *where;

    if (block->internal) {
        return;
    }

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        where = &s->where[i];

        if (!(parley_directives[i].flags & PARLEY_GUARDS) || where->line == 0
            || (PARLEY_SETTINGS_PROVING & (uint64_t) 1 << i)
            || (i == PARLEY_DIRECTIVE_SIGNATURE
                && s->gate.signature != PARLEY_DEMAND_REQUIRED))
        {
            continue;
        }

        problem->where.line = 0;
        parley_settings_used(http, s, (uint64_t) 1 << i);

        (void) parley_problem(problem, "location \"%.*s\" inherits \"%s\", "
                              "which has no effect without "
                              "\"parley_accept\": the caller is proven, and "
                              "no message is read, inherited from %.*s:%u",
                              (int) block->name.len,
                              (const char *) block->name.data,
                              parley_directives[i].name,
                              (int) where->file.len,
                              (const char *) where->file.data, where->line);

        parley_settings_warn(env, problem);
    }
}
