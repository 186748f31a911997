/*
 * The rules parley_allow and parley_deny, checked against known protocols and
 * types.
 */

#ifndef PARLEY_RULES_H
#define PARLEY_RULES_H

#include "auth/parley_policy.h"
#include "gate/settings/parley_settings.h"


/* rules of a block: parley_allow, parley_deny */
typedef struct parley_rules_conf_s {
    parley_policy_t              policy;        /* data of each rule is its
                                                   parley_where_t */
    struct parley_rules_conf_s  *next;          /* rules of another block */
} parley_rules_conf_t;


/*
 * Types of requests that are not messages, in every protocol: opening a stream,
 * reading a roster, and the operations of parley_control.
 */
#define PARLEY_RULES_SUBSCRIBE  PARLEY_STR("subscribe")
#define PARLEY_RULES_ROSTER     PARLEY_STR("roster")
#define PARLEY_RULES_CONTROL    PARLEY_STR("control")


/*
 * As parley_policy_add(), and checks protocols and types.  A rule with an
 * unknown protocol or type would never match, which is dangerous in a deny
 * rule.
 */
int parley_rules_add(parley_policy_t *policy, parley_arena_t *arena,
    int allow, const parley_str_t *words, size_t n, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the first earlier rule with the opposite verdict that decides every
 * request that rule matches, or NULL.
 */
const parley_policy_rule_t *parley_rules_covering(
    const parley_policy_t *policy, const parley_policy_rule_t *rule);


#endif /* PARLEY_RULES_H */
