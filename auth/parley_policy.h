/*
 * Policy: an ordered list of rules.  The first matching rule decides.  If there
 * are rules and none matches, the request is refused (GW-04, AEE-19).
 *
 *   allow scope=ops:run protocol=* type=task intent=ops.**
 *   deny  principal=agent.old role=guest to=human.**
 *   allow role=reader method=GET|HEAD
 *
 * A rule matches if each of its words does.  Values are globs.  scope and role
 * match if one of the caller's scopes or roles does.
 *
 * A principal, recipient, type or intent may have several names; a word matches
 * if one of them does.  A loose name may belong to another party and counts for
 * deny rules only (SEC-04).  Intents are compared ignoring ASCII case, and so
 * are principals and recipients in deny rules.
 */

#ifndef PARLEY_POLICY_H
#define PARLEY_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "auth/parley_glob.h"
#include "core/parley_str.h"


typedef enum {
    PARLEY_POLICY_SCOPE = 0,
    PARLEY_POLICY_PRINCIPAL,
    PARLEY_POLICY_ROLE,
    PARLEY_POLICY_PROTOCOL,
    PARLEY_POLICY_TYPE,
    PARLEY_POLICY_INTENT,
    PARLEY_POLICY_TO,
    PARLEY_POLICY_METHOD,
    PARLEY_POLICY_WORDS
} parley_policy_word_t;


/* words that a request without a message has, too */
#define PARLEY_POLICY_CALLER  (1u << PARLEY_POLICY_SCOPE                      \
                               | 1u << PARLEY_POLICY_PRINCIPAL                \
                               | 1u << PARLEY_POLICY_ROLE                     \
                               | 1u << PARLEY_POLICY_METHOD)


typedef struct parley_policy_rule_s {
    struct parley_policy_rule_s  *next;
    unsigned                      allow:1;
    unsigned                      given;    /* 1 << parley_policy_word_t */
    unsigned                      number;   /* position, from 1 */
    const void                   *data;     /* the caller's; NULL at first */
    parley_glob_t                 globs[PARLEY_POLICY_WORDS];
} parley_policy_rule_t;


/* Zeroed: no rules. */
typedef struct parley_policy_s {
    parley_policy_rule_t  *first;
    parley_policy_rule_t  *last;
    unsigned               n;
    unsigned               given;       /* union of the rules' given */
} parley_policy_t;


typedef struct {
    parley_str_t  text;
    unsigned      loose:1;
} parley_policy_name_t;

/*
 * The names of a principal, recipient, type or intent.  Without names only
 * '**' matches.
 */
typedef struct {
    const parley_policy_name_t  *list;
    size_t                       n;
} parley_policy_names_t;


/* The request to decide on; everything is borrowed. */
typedef struct {
    const parley_str_t     *scopes;
    size_t                  nscopes;
    const parley_str_t     *roles;
    size_t                  nroles;
    parley_policy_names_t   principal;
    parley_str_t            method;     /* of HTTP: "GET" */
    parley_str_t            protocol;
    parley_policy_names_t   type;
    parley_policy_names_t   intent;
    parley_policy_names_t   to;
    parley_str_t            asked;      /* a type that a rule allows only by its
                                           literal name; or empty */
} parley_policy_request_t;


/*
 * Vets a compiled rule before it is added.  Returns 0, or -1 after
 * parley_policy_fail().
 */
typedef int (*parley_policy_vet_pt)(const parley_policy_rule_t *rule,
    parley_error_t *err);

/*
 * Compiles a rule from its words ("scope=ops:run", ...) into arena and appends
 * it.  vet may be NULL.  Returns 0, or -1 with *err filled and the policy
 * unchanged: no words, an unknown or repeated word, no '=', an invalid glob, or
 * a rule refused by vet.  err->field is the name of the word, the text
 * describes the fault.
 */
int parley_policy_add(parley_policy_t *policy, parley_arena_t *arena,
    int allow, const parley_str_t *words, size_t n, parley_policy_vet_pt vet,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* Sets *err for the word of that name.  Returns -1. */
int parley_policy_fail(parley_error_t *err, parley_str_t name,
    const char *text);

/* Returns the name of a word: "scope". */
parley_str_t parley_policy_word_name(parley_policy_word_t word);

/*
 * Returns whether rule matches every request that other matches, except by a
 * loose name or in another case of letters.
 */
int parley_policy_covers(const parley_policy_rule_t *rule,
    const parley_policy_rule_t *other);

/* Returns whether rule has type literally, not by a '*'. */
int parley_policy_has_type(const parley_policy_rule_t *rule,
    parley_str_t type);

/*
 * Decides on a request.  Returns 0 if it is allowed or there are no rules, else
 * -1 with the code of the nearest miss: scope-unauthorised if an allow rule
 * lacks only the scope, else intent-refused if one lacks only the intent, else
 * policy-refused.  The text has the rule's number.  *ret_rule is the rule that
 * allows, denies, or is the nearest miss, or NULL without such a rule.
 * ret_rule may be NULL.
 */
int parley_policy_check(const parley_policy_t *policy,
    const parley_policy_request_t *request,
    const parley_policy_rule_t **ret_rule, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether a rule could allow a request with some type and intent.  The
 * first rule decides that matches the other words and either allows or has only
 * such words.
 */
int parley_policy_reaches(const parley_policy_t *policy,
    const parley_policy_request_t *request);

/*
 * Decides on a request that needs no rule, by the words of
 * PARLEY_POLICY_CALLER alone (SEC-24).  The first rule decides that matches the
 * caller and either allows or has only such words.  If no rule decides, the
 * request is allowed unless an allow rule has only such words.  Returns 0, or
 * -1 as parley_policy_check() does.
 */
int parley_policy_caller(const parley_policy_t *policy,
    const parley_policy_request_t *request,
    const parley_policy_rule_t **ret_rule, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_POLICY_H */
