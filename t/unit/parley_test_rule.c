#include "t/unit/parley_test_rule.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>


static parley_test_rule_t *parley_test_rule_at(parley_test_rules_t *rules,
    uint32_t node);
static void parley_test_rule_keyword(parley_test_rules_t *rules,
    parley_test_rule_t *rule, parley_str_t name, uint32_t value);


static void
parley_test_rule_die(const char *what, parley_str_t name)
{
    fprintf(stderr, "%s: %.*s\n", what, (int) name.len,
            (const char *) name.data);
    abort();
}


static void *
parley_test_rule_alloc(parley_test_rules_t *rules, size_t size)
{
    void  *p;

    p = parley_arena_calloc(&rules->arena, size);

    if (p == NULL) {
        parley_test_rule_die("out of memory", parley_str_none);
    }

    return p;
}


void
parley_test_rules_init(parley_test_rules_t *rules, parley_str_t text)
{
    parley_error_t  err;

    parley_arena_init(&rules->arena, &parley_mem_libc, 65536);

    if (parley_json_read(&rules->doc, &rules->arena, NULL, 1, text, &err)
        != 0)
    {
        parley_test_rule_die("no schema", parley_str_c(err.text));
    }

    rules->rules = parley_test_rule_alloc(rules, rules->doc.nnodes
                                                 * sizeof(rules->rules[0]));
    rules->match = pcre2_match_data_create(1, NULL);
}


void
parley_test_rules_done(parley_test_rules_t *rules)
{
    uint32_t  i;

    for (i = 0; i < rules->doc.nnodes; i++) {
        if (rules->rules[i] != NULL) {
            pcre2_code_free(rules->rules[i]->regex);
        }
    }

    pcre2_match_data_free(rules->match);
    parley_arena_reset(&rules->arena);
}


parley_test_rule_t *
parley_test_rule(parley_test_rules_t *rules, const char *pointer)
{
    uint32_t  node;

    node = parley_json_resolve(&rules->doc, 0, parley_str_c(pointer));

    if (node == PARLEY_JSON_NONE) {
        parley_test_rule_die("no such schema", parley_str_c(pointer));
    }

    return parley_test_rule_at(rules, node);
}


static parley_test_rule_t *
parley_test_rule_at(parley_test_rules_t *rules, uint32_t node)
{
    uint32_t              k;
    parley_str_t          name;
    const parley_json_t  *doc;
    parley_test_rule_t   *rule;

    if (rules->rules[node] != NULL) {
        return rules->rules[node];
    }

    doc = &rules->doc;

    rule = parley_test_rule_alloc(rules, sizeof(parley_test_rule_t));
    rules->rules[node] = rule;

    rule->node = node;
    rule->types = PARLEY_TEST_TYPES_ALL;
    rule->minimum = -INFINITY;
    rule->maximum = INFINITY;
    rule->above = -INFINITY;
    rule->max_length = UINT_MAX;
    rule->max_octets = UINT_MAX;
    rule->max_items = UINT_MAX;

    switch (parley_json_type(doc, node)) {

    case PARLEY_JSON_TRUE:
        return rule;

    case PARLEY_JSON_FALSE:
        rule->never = 1;
        return rule;

    case PARLEY_JSON_OBJECT:
        break;

    default:
        parley_test_rule_die("no schema", parley_json_raw(doc, node));
    }

    for (k = parley_json_first(node);
         k != parley_json_end(doc, node);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_string(doc, k, &name) != 0) {
            parley_test_rule_die("out of memory", parley_str_none);
        }

        parley_test_rule_keyword(rules, rule, name, k + 1);
    }

    return rule;
}


static unsigned
parley_test_rule_types(parley_test_rule_t *rule,
    const parley_test_tree_t *value)
{
    size_t                     i;
    unsigned                   types;
    const parley_test_tree_t  *item;

    static const struct {
        parley_str_t  name;
        unsigned      types;
    } names[] = {
        { parley_str("null"), PARLEY_TEST_TYPE(PARLEY_JSON_NULL) },
        { parley_str("boolean"), PARLEY_TEST_TYPE_BOOLEAN },
        { parley_str("number"), PARLEY_TEST_TYPE(PARLEY_JSON_NUMBER) },
        { parley_str("integer"), PARLEY_TEST_TYPE(PARLEY_JSON_NUMBER) },
        { parley_str("string"), PARLEY_TEST_TYPE(PARLEY_JSON_STRING) },
        { parley_str("array"), PARLEY_TEST_TYPE(PARLEY_JSON_ARRAY) },
        { parley_str("object"), PARLEY_TEST_TYPE(PARLEY_JSON_OBJECT) },
    };

    types = 0;

    if (value->type == PARLEY_JSON_ARRAY) {
        for (item = value->first; item != NULL; item = item->next) {
            types |= parley_test_rule_types(rule, item);
        }

        return types;
    }

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (parley_str_eq(value->text, names[i].name)) {
            types = names[i].types;
        }
    }

    rule->integer |= parley_str_is(value->text, "integer");

    return types;
}


static parley_test_rule_t **
parley_test_rule_list(parley_test_rules_t *rules, uint32_t value)
{
    uint32_t              i, n;
    parley_test_rule_t  **list;

    list = parley_test_rule_alloc(rules,
                                  (parley_json_node(&rules->doc, value)->count
                                   + 1) * sizeof(list[0]));
    n = 0;

    for (i = parley_json_first(value);
         i != parley_json_end(&rules->doc, value);
         i = parley_json_after(&rules->doc, i))
    {
        if (parley_json_type(&rules->doc, value) == PARLEY_JSON_OBJECT) {
            i++;
        }

        list[n++] = parley_test_rule_at(rules, i);
    }

    return list;
}


static void
parley_test_rule_pattern(parley_test_rule_t *rule)
{
    int         error;
    PCRE2_SIZE  offset;

    rule->regex = pcre2_compile(rule->pattern.data, rule->pattern.len,
                                PCRE2_UTF | PCRE2_DOLLAR_ENDONLY
                                | PCRE2_ALT_BSUX, &error, &offset, NULL);

    if (rule->regex == NULL) {
        parley_test_rule_die("no pattern", rule->pattern);
    }
}


static parley_test_tree_t *
parley_test_rule_names(parley_test_rules_t *rules,
    const parley_test_tree_t *properties)
{
    parley_test_tree_t        *names;
    const parley_test_tree_t  *item;

    names = parley_test_tree(&rules->arena, PARLEY_JSON_ARRAY);

    for (item = properties->first; item != NULL; item = item->next) {
        parley_test_tree_add(names, parley_test_tree_string(&rules->arena,
                                                            item->name));
    }

    return names;
}


static void
parley_test_rule_keyword(parley_test_rules_t *rules,
    parley_test_rule_t *rule, parley_str_t name, uint32_t value)
{
    char                 pointer[200];
    double               n;
    parley_test_tree_t  *tree;

    tree = parley_test_tree_read(&rules->arena, &rules->doc, value);
    n = tree->type == PARLEY_JSON_NUMBER
        ? strtod((const char *) tree->text.data, NULL) : 0;

#define is(word)  parley_str_is(name, word)

    if (is("type")) {
        rule->types = parley_test_rule_types(rule, tree);
    } else if (is("const")) {
        rule->constant = tree;
    } else if (is("enum")) {
        rule->words = tree;
        rule->words_node = value;
        rule->seen_words = parley_test_rule_alloc(rules, tree->count
                                                         * sizeof(unsigned));
    } else if (is("required")) {
        rule->required = tree;
    } else if (is("properties")) {
        rule->names = parley_test_rule_names(rules, tree);
        rule->properties = parley_test_rule_list(rules, value);
    } else if (is("additionalProperties") && tree->type == PARLEY_JSON_FALSE) {
        rule->closed = 1;
    } else if (is("items")) {
        rule->items = parley_test_rule_at(rules, value);
    } else if (is("minimum")) {
        rule->minimum = n;
    } else if (is("maximum")) {
        rule->maximum = n;
    } else if (is("exclusiveMinimum")) {
        rule->above = n;
    } else if (is("minLength")) {
        rule->min_length = (unsigned) n;
    } else if (is("maxLength")) {
        rule->max_length = (unsigned) n;
    } else if (is("maxOctets")) {
        rule->max_octets = (unsigned) n;
    } else if (is("minItems")) {
        rule->min_items = (unsigned) n;
    } else if (is("maxItems")) {
        rule->max_items = (unsigned) n;
    } else if (is("pattern")) {
        rule->pattern = tree->text;
        parley_test_rule_pattern(rule);
    } else if (is("format") && parley_str_is(tree->text, "date-time")) {
        rule->date_time = 1;
    } else if (is("$ref") && parley_str_begins(tree->text, "#/")) {
        snprintf(pointer, sizeof(pointer), "%.*s", (int) tree->text.len - 1,
                 (const char *) tree->text.data + 1);
        rule->ref = parley_test_rule(rules, pointer);
    } else if (is("allOf")) {
        rule->all = parley_test_rule_list(rules, value);
    } else if (is("anyOf")) {
        rule->any = parley_test_rule_list(rules, value);
    } else if (is("not")) {
        rule->not = parley_test_rule_at(rules, value);
    } else if (is("if")) {
        rule->condition = parley_test_rule_at(rules, value);
    } else if (is("then")) {
        rule->then = parley_test_rule_at(rules, value);
    } else if (is("else")) {
        rule->otherwise = parley_test_rule_at(rules, value);
    } else if (!is("$schema") && !is("$id") && !is("$defs") && !is("$comment")
               && !is("title") && !is("description") && !is("default")
               && !is("x-words"))
    {
        parley_test_rule_die("a keyword that the generator does not know",
                             name);
    }

#undef is
}


static const char *
parley_test_rule_say(parley_test_rules_t *rules, uint32_t node)
{
    (void) parley_json_pointer(&rules->doc, node, rules->what,
                               sizeof(rules->what));

    return rules->what;
}


/*
 * Searches the parts that instances are made of: not conditions, negations and
 * parts that are never allowed.
 */

static const char *
parley_test_rule_unseen(parley_test_rules_t *rules, parley_test_rule_t *rule,
    uint8_t *visited)
{
    unsigned      i;
    uint32_t      word;
    const char   *found;

    parley_test_rule_t  *const others[] = {
        rule->ref, rule->items, rule->then, rule->otherwise
    };

    parley_test_rule_t **const lists[] = {
        rule->all, rule->any, rule->properties
    };

    if (rule->never || visited[rule->node]) {
        return NULL;
    }

    visited[rule->node] = 1;

    if (rule->seen == 0) {
        return parley_test_rule_say(rules, rule->node);
    }

    word = parley_json_first(rule->words_node);

    for (i = 0; rule->words != NULL && i < rule->words->count; i++) {
        if (rule->seen_words[i] == 0) {
            return parley_test_rule_say(rules, word);
        }

        word = parley_json_after(&rules->doc, word);
    }

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i] == NULL) {
            continue;
        }

        found = parley_test_rule_unseen(rules, others[i], visited);
        if (found != NULL) {
            return found;
        }
    }

    for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        parley_test_rule_t  **item;

        for (item = lists[i]; item != NULL && *item != NULL; item++) {
            found = parley_test_rule_unseen(rules, *item, visited);
            if (found != NULL) {
                return found;
            }
        }
    }

    return NULL;
}


const char *
parley_test_rules_unseen(parley_test_rules_t *rules)
{
    return parley_test_rule_unseen(rules, parley_test_rule(rules, ""),
                                   parley_test_rule_alloc(rules,
                                                          rules->doc.nnodes));
}
