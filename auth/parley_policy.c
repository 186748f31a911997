#include <stdio.h>
#include <string.h>

#include "auth/parley_policy.h"


static const parley_str_t  parley_policy_words[PARLEY_POLICY_WORDS] = {
    [PARLEY_POLICY_SCOPE] = parley_str("scope"),
    [PARLEY_POLICY_PRINCIPAL] = parley_str("principal"),
    [PARLEY_POLICY_ROLE] = parley_str("role"),
    [PARLEY_POLICY_PROTOCOL] = parley_str("protocol"),
    [PARLEY_POLICY_TYPE] = parley_str("type"),
    [PARLEY_POLICY_INTENT] = parley_str("intent"),
    [PARLEY_POLICY_TO] = parley_str("to"),
    [PARLEY_POLICY_METHOD] = parley_str("method"),
};


parley_str_t
parley_policy_word_name(parley_policy_word_t word)
{
    return parley_policy_words[word];
}


int
parley_policy_fail(parley_error_t *err, parley_str_t name, const char *text)
{
    char  field[64];

    (void) snprintf(field, sizeof(field), "%.*s",
                    (int) (name.len < sizeof(field) ? name.len
                                                    : sizeof(field) - 1),
                    (const char *) name.data);

    (void) parley_error_set(err, PARLEY_E_FIELD_INVALID, field, "%s", text);
    err->is_name = 1;

    return -1;
}


/* Sets the text '"word" why'. */

static int
parley_policy_wrong(parley_error_t *err, parley_str_t name, parley_str_t word,
    const char *why)
{
    char  text[PARLEY_TEXT_MAX];

    (void) snprintf(text, sizeof(text), "\"%.*s\" %.*s",
                    word.len < 64 ? (int) word.len : 64,
                    (const char *) word.data, PARLEY_TEXT_MAX - 68, why);

    return parley_policy_fail(err, name, text);
}


static int
parley_policy_word(parley_policy_rule_t *rule, parley_arena_t *arena,
    parley_str_t word, parley_error_t *err)
{
    char            why[2 * PARLEY_TEXT_MAX];
    unsigned        i;
    parley_str_t    name, value;
    const uint8_t  *equals;
    parley_error_t  reason;

    equals = word.len == 0 ? NULL : memchr(word.data, '=', word.len);

    if (equals == NULL) {
        return parley_policy_wrong(err, word, word, "is not a condition; "
                                   "expected NAME=PATTERN, such as type=task");
    }

    name = parley_str_make(word.data, (size_t) (equals - word.data));
    value = parley_str_from(word, name.len + 1);

    for (i = 0; i < PARLEY_POLICY_WORDS; i++) {
        if (parley_str_eq(name, parley_policy_words[i])) {
            break;
        }
    }

    if (i == PARLEY_POLICY_WORDS) {
        return parley_policy_wrong(err, name, word, "is unknown; expected "
                                   "scope=, principal=, role=, protocol=, "
                                   "type=, intent=, to= or method=");
    }

    if (rule->given & (1u << i)) {
        return parley_policy_wrong(err, name, word, "is a second condition of "
                                   "this name; expected one, with \"|\" "
                                   "between its patterns");
    }

    if (parley_glob_compile(arena, value, &rule->globs[i], &reason) != 0) {

        if (reason.code == PARLEY_E_CAPACITY) {
            return parley_error_memory(err);
        }

        (void) snprintf(why, sizeof(why), "is not a pattern: %s; expected "
                        "patterns such as ops.run, or ops.*|notes.**",
                        reason.text);

        return parley_policy_wrong(err, name, word, why);
    }

    rule->given |= 1u << i;

    return 0;
}


int
parley_policy_add(parley_policy_t *policy, parley_arena_t *arena, int allow,
    const parley_str_t *words, size_t n, parley_policy_vet_pt vet,
    parley_error_t *err)
{
    size_t                 i;
    parley_policy_rule_t  *rule;

    if (n == 0) {
        return parley_policy_fail(err, PARLEY_STR("principal"), "a rule "
                                  "needs a condition, such as type=task; "
                                  "\"principal=**\" matches all");
    }

    rule = parley_arena_calloc(arena, sizeof(parley_policy_rule_t));

    if (rule == NULL) {
        return parley_error_memory(err);
    }

    rule->allow = allow != 0;

    for (i = 0; i < n; i++) {
        if (parley_policy_word(rule, arena, words[i], err) != 0) {
            return -1;
        }
    }

    rule->globs[PARLEY_POLICY_INTENT].fold = 1;
    rule->globs[PARLEY_POLICY_PRINCIPAL].fold = !allow;
    rule->globs[PARLEY_POLICY_TO].fold = !allow;

    if (vet != NULL && vet(rule, err) != 0) {
        return -1;
    }

    rule->number = ++policy->n;
    policy->given |= rule->given;

    if (policy->last == NULL) {
        policy->first = rule;

    } else {
        policy->last->next = rule;
    }

    policy->last = rule;

    return 0;
}


static int
parley_policy_any(const parley_glob_t *glob, const parley_str_t *list,
    size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (parley_glob_match(glob, list[i])) {
            return 1;
        }
    }

    /* '**' also matches without names */

    return n == 0 && parley_glob_match(glob, parley_str_none);
}


/*
 * As parley_policy_any(), for names; loose ones do not count for allow rules.
 */

static int
parley_policy_named(const parley_policy_rule_t *rule,
    const parley_glob_t *glob, const parley_policy_names_t *names)
{
    size_t  i;

    for (i = 0; i < names->n; i++) {
        if (!(rule->allow && names->list[i].loose)
            && parley_glob_match(glob, names->list[i].text))
        {
            return 1;
        }
    }

    return parley_glob_match(glob, parley_str_none);
}


/* Returns those bits of words that rule has and request does not match. */

static unsigned
parley_policy_misses(const parley_policy_rule_t *rule, unsigned words,
    const parley_policy_request_t *request)
{
    int                   met;
    unsigned              i, left, missed;
    const parley_glob_t  *glob;

    missed = 0;

    for (left = words; left != 0; left &= left - 1) {
        i = (unsigned) __builtin_ctz(left);
        glob = &rule->globs[i];

        switch (i) {

        case PARLEY_POLICY_SCOPE:
            met = parley_policy_any(glob, request->scopes, request->nscopes);
            break;

        case PARLEY_POLICY_ROLE:
            met = parley_policy_any(glob, request->roles, request->nroles);
            break;

        case PARLEY_POLICY_PRINCIPAL:
            met = parley_policy_named(rule, glob, &request->principal);
            break;

        case PARLEY_POLICY_PROTOCOL:
            met = parley_glob_match(glob, request->protocol);
            break;

        case PARLEY_POLICY_TYPE:
            met = parley_policy_named(rule, glob, &request->type);
            break;

        case PARLEY_POLICY_INTENT:
            met = parley_policy_named(rule, glob, &request->intent);
            break;

        case PARLEY_POLICY_TO:
            met = parley_policy_named(rule, glob, &request->to);
            break;

        default: /* PARLEY_POLICY_METHOD */
            met = parley_glob_match(glob, request->method);
            break;
        }

        if (!met) {
            missed |= 1u << i;
        }
    }

    return missed;
}


int
parley_policy_has_type(const parley_policy_rule_t *rule, parley_str_t type)
{
    size_t                i;
    const parley_glob_t  *glob;

    glob = &rule->globs[PARLEY_POLICY_TYPE];

    for (i = 0; i < glob->n; i++) {
        if (parley_str_eq(glob->choices[i], type)) {
            return 1;
        }
    }

    return 0;
}


int
parley_policy_covers(const parley_policy_rule_t *rule,
    const parley_policy_rule_t *other)
{
    unsigned              i, left;
    const parley_glob_t  *glob;

    for (left = rule->given; left != 0; left &= left - 1) {
        i = (unsigned) __builtin_ctz(left);
        glob = &rule->globs[i];

        if (parley_glob_match(glob, parley_str_none)) {
            /* "**" matches anything */
            continue;
        }

        if (!(other->given & (1u << i))
            || !parley_glob_covers(glob, &other->globs[i]))
        {
            return 0;
        }
    }

    return 1;
}


static int
parley_policy_deny(const parley_policy_rule_t *rule, parley_error_t *err)
{
    return parley_error_set(err, PARLEY_E_POLICY_REFUSED, NULL,
                            "rule %u denies this", rule->number);
}


static int
parley_policy_refuse(const parley_policy_rule_t *scope,
    const parley_policy_rule_t *intent, parley_error_t *err)
{
    if (scope != NULL) {
        (void) parley_error_set(err, PARLEY_E_SCOPE_UNAUTHORISED, "scope",
                                "rule %u asks for the scope %.*s",
                                scope->number,
                                (int) scope->globs[PARLEY_POLICY_SCOPE]
                                          .text.len,
                                (const char *)
                                    scope->globs[PARLEY_POLICY_SCOPE]
                                        .text.data);
        err->is_name = 1;

    } else if (intent != NULL) {
        (void) parley_error_set(err, PARLEY_E_INTENT_REFUSED, "intent",
                                "no rule grants this intent; rule %u grants "
                                "others", intent->number);
        err->is_name = 1;

    } else {
        (void) parley_error_set(err, PARLEY_E_POLICY_REFUSED, NULL,
                                "no rule allows this");
    }

    return -1;
}


int
parley_policy_check(const parley_policy_t *policy,
    const parley_policy_request_t *request,
    const parley_policy_rule_t **ret_rule, parley_error_t *err)
{
    unsigned                     missed;
    const parley_policy_rule_t  *rule, *scope, *intent;

    scope = NULL;
    intent = NULL;

    for (rule = policy->first; rule != NULL; rule = rule->next) {
        if (rule->allow && request->asked.len > 0
            && !parley_policy_has_type(rule, request->asked))
        {
            continue;
        }

        missed = parley_policy_misses(rule, rule->given, request);

        if (missed == 0) {
            break;
        }

        if (!rule->allow) {
            continue;
        }

        if (missed == 1u << PARLEY_POLICY_SCOPE && scope == NULL) {
            scope = rule;
        }

        if (missed == 1u << PARLEY_POLICY_INTENT && intent == NULL) {
            intent = rule;
        }
    }

    if (ret_rule != NULL) {
        *ret_rule = rule != NULL ? rule : scope != NULL ? scope : intent;
    }

    if (policy->first == NULL || (rule != NULL && rule->allow)) {
        return 0;
    }

    return rule != NULL ? parley_policy_deny(rule, err)
                        : parley_policy_refuse(scope, intent, err);
}


int
parley_policy_reaches(const parley_policy_t *policy,
    const parley_policy_request_t *request)
{
    const unsigned               open = 1u << PARLEY_POLICY_TYPE
                                        | 1u << PARLEY_POLICY_INTENT;
    const parley_policy_rule_t  *rule;

    for (rule = policy->first; rule != NULL; rule = rule->next) {

        if ((rule->allow || (rule->given & open) == 0)
            && parley_policy_misses(rule, rule->given & ~open, request) == 0)
        {
            return rule->allow;
        }
    }

    return policy->first == NULL;
}


int
parley_policy_caller(const parley_policy_t *policy,
    const parley_policy_request_t *request,
    const parley_policy_rule_t **ret_rule, parley_error_t *err)
{
    int                          needed;
    unsigned                     missed;
    const parley_policy_rule_t  *rule, *scope;

    needed = 0;
    scope = NULL;

    for (rule = policy->first; rule != NULL; rule = rule->next) {

        if (!rule->allow && (rule->given & ~PARLEY_POLICY_CALLER) != 0) {
            continue;
        }

        missed = parley_policy_misses(rule, rule->given & PARLEY_POLICY_CALLER,
                                      request);

        if (missed == 0) {
            break;
        }

        if (rule->allow && (rule->given & ~PARLEY_POLICY_CALLER) == 0) {
            needed = 1;

            if (missed == 1u << PARLEY_POLICY_SCOPE && scope == NULL) {
                scope = rule;
            }
        }
    }

    *ret_rule = rule != NULL ? rule : scope;

    if (rule != NULL) {
        return rule->allow ? 0 : parley_policy_deny(rule, err);
    }

    return needed ? parley_policy_refuse(scope, NULL, err) : 0;
}
