/*
 * Policy: rules in order, the first that matches decides, no match is a
 * refusal as soon as one rule exists (GW-04, AEE-19).
 *
 *  allow scope=ops:run protocol=* type=task intent=ops.**
 *  deny  principal=agent.old role=guest to=human.**
 *
 * A rule matches where each of its words does.  Each value is a glob.  scope
 * and role match where one of the caller's does.
 *
 * SEC-04: a party, a type and an intent have several names, and a rule
 * matches where one of them does.  Some of them are loose: they may be
 * somebody else's as well, and count for deny rules alone.  Intents are
 * compared without regard to ASCII case, and so are parties where they are
 * denied.
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
    PARLEY_POLICY_PRINCIPAL,
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
    unsigned               given;       /* 1 << word: that some rule has */
} parley_policy_t;


typedef struct {
    parley_str_t  text;
    unsigned      loose:1;
} parley_policy_name_t;

/* of one party, type or intent; none is matched by '**' alone */
typedef struct {
    const parley_policy_name_t  *list;
    size_t                       n;
} parley_policy_names_t;


/* what is asked */
typedef struct {
    const parley_str_t     *scopes;
    size_t                  nscopes;
    const parley_str_t     *roles;
    size_t                  nroles;
    parley_policy_names_t   principal;
    parley_str_t            protocol;
    parley_policy_names_t   type;
    parley_policy_names_t   intent;
    parley_policy_names_t   to;
} parley_policy_request_t;


/*
 * Looks at a rule before it counts: 0, or -1 with *err as
 * parley_policy_fail() fills it.
 */
typedef int (*parley_policy_vet_pt)(const parley_policy_rule_t *rule,
    parley_error_t *err);

/*
 * Compiles the words of one rule ("scope=ops:run", ...) and puts it last.
 * vet may be NULL.  Returns 0, or -1 with the policy unchanged: no words at
 * all, an unknown or repeated word, no '=', a bad glob; err->field is the
 * word's name, the text says what is wrong with it.
 */
int parley_policy_add(parley_policy_t *policy, parley_arena_t *arena,
    int allow, const parley_str_t *words, size_t n, parley_policy_vet_pt vet,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* What is wrong with the word of that name; returns -1. */
int parley_policy_fail(parley_error_t *err, parley_str_t name,
    const char *text);

/* "scope" */
parley_str_t parley_policy_word_name(parley_policy_word_t word);

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

/*
 * Of a request that was refused with scope-unauthorised, the scope that is
 * lacking: that of the first allow rule which lacks nothing else.  NULL: none.
 */
const parley_glob_t *parley_policy_lacks(const parley_policy_t *policy,
    const parley_policy_request_t *request);


#endif /* PARLEY_POLICY_H */
