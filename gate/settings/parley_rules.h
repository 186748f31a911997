/* parley_allow, parley_deny: rules whose words name what there is. */

#ifndef PARLEY_RULES_H
#define PARLEY_RULES_H

#include "auth/parley_policy.h"


/* the types of opening a stream, of asking who did, and of what operators do,
   of every protocol */
#define PARLEY_RULES_SUBSCRIBE  PARLEY_STR("subscribe")
#define PARLEY_RULES_ROSTER     PARLEY_STR("roster")
#define PARLEY_RULES_CONTROL    PARLEY_STR("control")


/*
 * parley_policy_add(), and closed vocabularies are checked: a protocol or a
 * type that does not exist would never match, above all in a deny rule.
 */
int parley_rules_add(parley_policy_t *policy, parley_arena_t *arena,
    int allow, const parley_str_t *words, size_t n, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the first rule before rule that decides every request that rule could
 * decide otherwise, or NULL.
 */
const parley_policy_rule_t *parley_rules_covering(
    const parley_policy_t *policy, const parley_policy_rule_t *rule);


#endif /* PARLEY_RULES_H */
