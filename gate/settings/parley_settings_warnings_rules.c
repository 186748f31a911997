/* Warnings of nginx -t about rules that are valid and have no effect. */

#include <string.h>

#include "gate/settings/parley_rules.h"
#include "gate/settings/parley_settings_parts.h"


static void parley_settings_covered(const parley_settings_env_t *env,
    const parley_policy_t *policy, const parley_policy_rule_t *rule);
static void parley_settings_unknown(const parley_settings_env_t *env,
    const parley_directory_t *directory, const parley_policy_rule_t *rule);
static int parley_settings_knows(const parley_directory_t *directory,
    parley_str_t name);
static void parley_settings_rule_warn(const parley_settings_env_t *env,
    const parley_policy_rule_t *rule, parley_problem_t *problem);


void
parley_settings_warnings_rules(const parley_settings_env_t *env,
    const parley_settings_http_t *http)
{
    const parley_rules_conf_t   *rules;
    const parley_policy_rule_t  *rule;

    for (rules = http->rules; rules != NULL; rules = rules->next) {
        for (rule = rules->policy.first; rule != NULL; rule = rule->next) {

            parley_settings_covered(env, &rules->policy, rule);

            /* with parley_claims any principal may have any name */

            if (http->directory != NULL && http->nclaims == 0) {
                parley_settings_unknown(env, http->directory, rule);
            }
        }
    }
}


static void
parley_settings_covered(const parley_settings_env_t *env,
    const parley_policy_t *policy, const parley_policy_rule_t *rule)
{
    parley_problem_t             problem;
    const parley_where_t        *where;
    const parley_policy_rule_t  *before;

    before = parley_rules_covering(policy, rule);

    if (before == NULL) {
        return;
    }

    where = before->data;

    (void) parley_problem(&problem, "\"%s\" has no effect: the \"%s\" in "
                          "%.*s:%u comes first and matches all its messages",
                          rule->allow ? "parley_allow" : "parley_deny",
                          before->allow ? "parley_allow" : "parley_deny",
                          (int) where->file.len,
                          (const char *) where->file.data, where->line);

    parley_settings_rule_warn(env, rule, &problem);
}


static void
parley_settings_unknown(const parley_settings_env_t *env,
    const parley_directory_t *directory, const parley_policy_rule_t *rule)
{
    size_t                i;
    parley_str_t          name;
    parley_problem_t      problem;
    const parley_glob_t  *glob = &rule->globs[PARLEY_POLICY_PRINCIPAL];

    for (i = 0; i < glob->n; i++) {
        name = glob->choices[i];

        if (memchr(name.data, '*', name.len) != NULL
            || parley_settings_knows(directory, name))
        {
            continue;
        }

        (void) parley_problem(&problem, "\"%s\" has \"principal=%.*s\", but "
                              "no principal of \"parley_identities\" has this "
                              "name: the rule matches only a token with this "
                              "\"sub\"", rule->allow ? "parley_allow"
                                                     : "parley_deny",
                              (int) name.len, (const char *) name.data);

        parley_settings_rule_warn(env, rule, &problem);
    }
}


/* Returns whether a principal has the name, listed or derived, in any case. */

static int
parley_settings_knows(const parley_directory_t *directory, parley_str_t name)
{
    unsigned  space;
    uint32_t  at;

    for (space = 0; space < PARLEY_NAMESPACE_COUNT; space++) {
        if (parley_directory_owner(directory, (parley_namespace_t) space,
                                   name)
            != NULL)
        {
            return 1;
        }
    }

    at = 0;

    return parley_directory_next_like(directory, name, &at) != NULL;
}


static void
parley_settings_rule_warn(const parley_settings_env_t *env,
    const parley_policy_rule_t *rule, parley_problem_t *problem)
{
    problem->where = *(const parley_where_t *) rule->data;

    parley_settings_warn(env, problem);
}
