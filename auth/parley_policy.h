/*
 * Policy: rules in order, the first that matches decides, no match is a
 * refusal as soon as one rule exists (GW-04, AEE-19).
 *
 *  allow scope=ops:run protocol=* type=task intent=ops.**
 *  deny  principal=agent.old role=guest to=human.**
 *
 * A rule matches where each of its words does.  Each value is a glob.  scope
 * and role match where one of the caller's does.
 */

#ifndef PARLEY_POLICY_H
#define PARLEY_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_error.h"
#include "parley_glob.h"
#include "parley_str.h"


typedef enum {
    PARLEY_POLICY_SCOPE = 0,
    PARLEY_POLICY_PRINCIPAL,        /* its sub */
    PARLEY_POLICY_ROLE,
    PARLEY_POLICY_PROTOCOL,
    PARLEY_POLICY_TYPE,
    PARLEY_POLICY_INTENT,
    PARLEY_POLICY_TO,
    PARLEY_POLICY_WORDS
} parley_policy_word_t;


typedef struct parley_policy_rule_s {
    struct parley_policy_rule_s  *next;
    unsigned                      allow:1;
    unsigned                      given;    /* 1 << parley_policy_word_t */
    unsigned                      number;   /* 1, 2, ... in the policy */
    parley_glob_t                 globs[PARLEY_POLICY_WORDS];
} parley_policy_rule_t;


/* all zero: no rules */
typedef struct {
    parley_policy_rule_t  *first;
    parley_policy_rule_t  *last;
    unsigned               n;
} parley_policy_t;


/* what is asked; empty spans are matched by '**' alone */
typedef struct {
    const parley_str_t  *scopes;
    size_t               nscopes;
    const parley_str_t  *roles;
    size_t               nroles;
    parley_str_t         principal;
    parley_str_t         protocol;
    parley_str_t         type;
    parley_str_t         intent;
    parley_str_t         to;
} parley_policy_request_t;


/*
 * Compiles the words of one rule ("scope=ops:run", ...) and puts it last.
 * No words: a rule that matches everything.  Returns 0, or -1 with the policy
 * unchanged: an unknown or repeated word, no '=', a bad glob; err->field is
 * the word's name, the text says what is wrong with it.
 */
int parley_policy_add(parley_policy_t *policy, parley_arena_t *arena,
    int allow, const parley_str_t *words, size_t n, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns 0 where the request is allowed, or where there are no rules; else
 * -1 with the code of the nearest miss: scope-unauthorised where an allow
 * rule lacks nothing but the scope, else intent-refused where one lacks
 * nothing but the intent, else policy-refused.  The text names the rule by
 * its number.
 */
int parley_policy_check(const parley_policy_t *policy,
    const parley_policy_request_t *request, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_POLICY_H */
