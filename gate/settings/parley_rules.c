/* Checks the words of rules against the known protocols, types and methods. */

#include <stdio.h>

#include "translate/parley_codec.h"
#include "gate/settings/parley_rules.h"


static int parley_rules_vet(const parley_policy_rule_t *rule,
    parley_error_t *err);
static int parley_rules_quotes(const parley_policy_rule_t *rule,
    parley_error_t *err);
static int parley_rules_unknown(const parley_policy_rule_t *rule,
    parley_policy_word_t word, size_t choice, const char *why,
    parley_error_t *err);
static int parley_rules_is_method(const parley_policy_rule_t *rule,
    size_t choice);
static int parley_rules_is_protocol(const parley_policy_rule_t *rule,
    size_t choice);
static int parley_rules_is_type(const parley_policy_rule_t *rule,
    size_t choice);
static int parley_rules_is_open(const parley_policy_rule_t *rule);
static int parley_rules_skips(const parley_policy_rule_t *before,
    const parley_policy_rule_t *rule);


/* types that an allow rule matches only if it names them literally */
static const parley_str_t  parley_rules_asked[] = {
    PARLEY_RULES_SUBSCRIBE,
    PARLEY_RULES_ROSTER,
    PARLEY_RULES_CONTROL
};

#define PARLEY_RULES_ASKED                                                   \
    (sizeof(parley_rules_asked) / sizeof(parley_rules_asked[0]))


int
parley_rules_add(parley_policy_t *policy, parley_arena_t *arena, int allow,
    const parley_str_t *words, size_t n, parley_error_t *err)
{
    return parley_policy_add(policy, arena, allow, words, n, parley_rules_vet,
                             err);
}


static int
parley_rules_vet(const parley_policy_rule_t *rule, parley_error_t *err)
{
    size_t  i;

    if (parley_rules_quotes(rule, err) != 0) {
        return -1;
    }

    for (i = 0; i < rule->globs[PARLEY_POLICY_PROTOCOL].n; i++) {
        if (!parley_rules_is_protocol(rule, i)) {
            return parley_rules_unknown(rule, PARLEY_POLICY_PROTOCOL, i,
                                        "is not a protocol; expected "
                                        PARLEY_PROTOCOL_WORDS, err);
        }
    }

    for (i = 0; i < rule->globs[PARLEY_POLICY_METHOD].n; i++) {
        if (!parley_rules_is_method(rule, i)) {
            return parley_rules_unknown(rule, PARLEY_POLICY_METHOD, i,
                                        "is not a method: methods are written "
                                        "in capitals; expected one such as "
                                        "GET or M-SEARCH, or *", err);
        }
    }

    if (parley_rules_is_open(rule)) {
        return 0;
    }

    for (i = 0; i < rule->globs[PARLEY_POLICY_TYPE].n; i++) {
        if (!parley_rules_is_type(rule, i)) {
            return parley_rules_unknown(rule, PARLEY_POLICY_TYPE, i,
                                        "is not a type of a protocol; expected "
                                        "one, or a MoQ action with "
                                        "protocol=moq", err);
        }
    }

    return 0;
}


/*
 * Refuses quotes.  nginx keeps a quote inside a word: to="x" is a rule for a
 * name with quotes, and would never match.
 */

static int
parley_rules_quotes(const parley_policy_rule_t *rule, parley_error_t *err)
{
    size_t                i;
    parley_str_t          text;
    parley_policy_word_t  word;

    for (word = PARLEY_POLICY_SCOPE; word < PARLEY_POLICY_WORDS; word++) {
        for (i = 0; i < rule->globs[word].n; i++) {
            text = rule->globs[word].choices[i];

            if (parley_str_begins(text, "\"")
                || parley_str_begins(text, "'"))
            {
                return parley_rules_unknown(rule, word, i,
                                            "has quotes; expected quotes "
                                            "around the whole word", err);
            }
        }
    }

    return 0;
}


static int
parley_rules_unknown(const parley_policy_rule_t *rule,
    parley_policy_word_t word, size_t choice, const char *why,
    parley_error_t *err)
{
    char          text[PARLEY_TEXT_MAX];
    parley_str_t  name, value;

    name = parley_policy_word_name(word);
    value = rule->globs[word].choices[choice];

    (void) snprintf(text, sizeof(text), "\"%.*s=%.*s\" %s", (int) name.len,
                    (const char *) name.data,
                    value.len < 64 ? (int) value.len : 64,
                    (const char *) value.data, why);

    return parley_policy_fail(err, name, text);
}


/*
 * Returns whether nginx can read a method that matches: it refuses requests
 * with other characters in the method.
 */

static int
parley_rules_is_method(const parley_policy_rule_t *rule, size_t choice)
{
    size_t        i;
    uint8_t       c;
    parley_str_t  text;

    text = rule->globs[PARLEY_POLICY_METHOD].choices[choice];

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if ((c < 'A' || c > 'Z') && c != '_' && c != '-' && c != '*') {
            return 0;
        }
    }

    return 1;
}


static int
parley_rules_is_protocol(const parley_policy_rule_t *rule, size_t choice)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_glob_match_choice(&rule->globs[PARLEY_POLICY_PROTOCOL],
                                     choice,
                                     parley_proto_name((parley_proto_t) i)))
        {
            return 1;
        }
    }

    return 0;
}


static int
parley_rules_is_type(const parley_policy_rule_t *rule, size_t choice)
{
    unsigned      i, k;
    parley_str_t  type;

    for (i = 0; i < PARLEY_RULES_ASKED; i++) {
        if (parley_glob_match_choice(&rule->globs[PARLEY_POLICY_TYPE], choice,
                                     parley_rules_asked[i]))
        {
            return 1;
        }
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (parley_codecs[i]->type == NULL) {
            continue;
        }

        for (k = 0; (type = parley_codecs[i]->type(k)).len > 0; k++) {
            if (parley_glob_match_choice(&rule->globs[PARLEY_POLICY_TYPE],
                                         choice, type))
            {
                return 1;
            }
        }
    }

    return 0;
}


/* Returns whether the rule names a protocol without a fixed list of types. */

static int
parley_rules_is_open(const parley_policy_rule_t *rule)
{
    size_t                i;
    unsigned              k;
    const parley_glob_t  *glob;

    glob = &rule->globs[PARLEY_POLICY_PROTOCOL];

    for (i = 0; i < glob->n; i++) {
        for (k = 0; k < PARLEY_PROTO_COUNT; k++) {
            if (parley_codecs[k]->type == NULL
                && parley_str_eq(glob->choices[i],
                                 parley_proto_name((parley_proto_t) k)))
            {
                return 1;
            }
        }
    }

    return 0;
}


const parley_policy_rule_t *
parley_rules_covering(const parley_policy_t *policy,
    const parley_policy_rule_t *rule)
{
    const parley_policy_rule_t  *before;

    for (before = policy->first; before != rule; before = before->next) {
        if (before->allow != rule->allow
            && parley_policy_covers(before, rule)
            && !parley_rules_skips(before, rule))
        {
            return before;
        }
    }

    return NULL;
}


/*
 * Returns whether before, an allow rule, does not decide about one of the types
 * of parley_rules_asked, and rule does.  rule matters for such a type if it
 * names the type, or if a later rule would allow the type.
 */

static int
parley_rules_skips(const parley_policy_rule_t *before,
    const parley_policy_rule_t *rule)
{
    size_t                       i;
    parley_str_t                 type;
    const parley_policy_rule_t  *later;

    if (!before->allow) {
        return 0;
    }

    for (i = 0; i < PARLEY_RULES_ASKED; i++) {
        type = parley_rules_asked[i];

        if (parley_policy_has_type(before, type)) {
            continue;
        }

        if (parley_policy_has_type(rule, type)) {
            return 1;
        }

        if (rule->given & (1u << PARLEY_POLICY_TYPE)
            && !parley_glob_match(&rule->globs[PARLEY_POLICY_TYPE], type))
        {
            continue;
        }

        for (later = rule->next; later != NULL; later = later->next) {
            if (later->allow && parley_policy_has_type(later, type)) {
                return 1;
            }
        }
    }

    return 0;
}
