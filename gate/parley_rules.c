/* Words of rules, against the protocols that there are. */

#include <stdio.h>

#include "parley_codec.h"
#include "parley_rules.h"


static int parley_rules_vet(const parley_policy_rule_t *rule,
    parley_error_t *err);
static int parley_rules_unknown(const parley_policy_rule_t *rule,
    parley_policy_word_t word, size_t choice, const char *why,
    parley_error_t *err);
static int parley_rules_is_protocol(const parley_policy_rule_t *rule,
    size_t choice);
static int parley_rules_is_type(const parley_policy_rule_t *rule,
    size_t choice);
static int parley_rules_is_open(const parley_policy_rule_t *rule);


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

    for (i = 0; i < rule->globs[PARLEY_POLICY_PROTOCOL].n; i++) {
        if (!parley_rules_is_protocol(rule, i)) {
            return parley_rules_unknown(rule, PARLEY_POLICY_PROTOCOL, i,
                                        "is no protocol", err);
        }
    }

    if (parley_rules_is_open(rule)) {
        return 0;
    }

    for (i = 0; i < rule->globs[PARLEY_POLICY_TYPE].n; i++) {
        if (!parley_rules_is_type(rule, i)) {
            return parley_rules_unknown(rule, PARLEY_POLICY_TYPE, i,
                                        "is no type of any protocol (actions "
                                        "of MoQ go with protocol=moq)", err);
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
    parley_str_t  name;

    name = rule->globs[word].choices[choice];

    (void) snprintf(text, sizeof(text), "\"%.*s\" %s",
                    name.len < 64 ? (int) name.len : 64,
                    (const char *) name.data, why);

    return parley_policy_fail(err, parley_policy_word_name(word), text);
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

    if (parley_glob_match_choice(&rule->globs[PARLEY_POLICY_TYPE], choice,
                                 PARLEY_RULES_SUBSCRIBE)
        || parley_glob_match_choice(&rule->globs[PARLEY_POLICY_TYPE], choice,
                                    PARLEY_RULES_ROSTER)
        || parley_glob_match_choice(&rule->globs[PARLEY_POLICY_TYPE], choice,
                                    PARLEY_RULES_CONTROL))
    {
        return 1;
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


/* whether the rule says that it is about a protocol whose types are open */

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
