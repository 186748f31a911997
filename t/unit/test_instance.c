/*
 * The generator of messages itself: texts by patterns, instances by schemas,
 * the second checker, the shrinker.
 */

#include "t/unit/parley_test.h"

#include "t/unit/parley_test_instance.h"
#include "t/unit/parley_test_mutate.h"
#include "t/unit/parley_test_pattern.h"
#include "t/unit/parley_test_shrink.h"


static void
source_init(parley_test_source_t *s, parley_arena_t *arena, uint64_t seed)
{
    parley_arena_init(arena, &parley_mem_libc, 16384);

    s->arena = arena;
    s->random.state = seed;
}


/* A text made from a pattern matches it, and varies. */

static void
test_pattern(void **state)
{
    int                    error;
    size_t                 i;
    unsigned               n, differ;
    pcre2_code            *regex;
    PCRE2_SIZE             offset;
    parley_buf_t           b;
    parley_str_t           text, last;
    parley_arena_t         arena;
    pcre2_match_data      *match;
    parley_test_source_t   s;

    static const char *const  patterns[] = {
        "^[0-9a-f]{8}-7[0-9a-f]{3}$",
        "^creed://[a-z0-9.-]+/[a-zA-Z0-9._/@-]+$",
        "^base64:(?:[A-Za-z0-9+/]{4})*(?:[a-z+/]{2}==|[A-Z0-9]{3}=)?$",
        "^(?:a\\*|b(?:c|d|)e{2,3}|org:~[a-z]/members/(?:[A-Z]{1,9}/)?\\*)$",
        "Z$", "^aee\\.", "x", "[a\\]-]{3,}", "^a.c?$", "^\\.\\$\\^\\|\\(\\)$",
    };

    (void) state;

    match = pcre2_match_data_create(1, NULL);
    source_init(&s, &arena, 1);

    for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {

        regex = pcre2_compile((PCRE2_SPTR) patterns[i], strlen(patterns[i]),
                              PCRE2_DOLLAR_ENDONLY, &error, &offset, NULL);
        assert_non_null(regex);

        differ = 0;
        last = parley_str_none;

        for (n = 0; n < 300; n++) {
            parley_buf_init(&b, &arena, 0);
            parley_test_pattern_put(&b, &s.random, parley_str_c(patterns[i]));
            assert_int_equal(parley_buf_done(&b, &text), 0);

            if (pcre2_match(regex, text.data, text.len, 0, 0, match, NULL)
                < 0)
            {
                fail_msg("%s does not match %s", patterns[i],
                         (const char *) text.data);
            }

            differ += !parley_str_eq(text, last);
            last = text;
        }

        assert_true(differ > 100 || i == 9);

        pcre2_code_free(regex);
    }

    pcre2_match_data_free(match);
    parley_arena_reset(&arena);
}


#define SCHEMA                                                                \
    "{\"type\": \"object\", \"required\": [\"kind\", \"n\"],"                 \
    " \"properties\": {"                                                      \
    "   \"kind\": { \"type\": \"string\", \"enum\": [\"a\", \"b\", \"c\"] }," \
    "   \"n\": { \"type\": \"integer\", \"minimum\": 3, \"maximum\": 5 },"    \
    "   \"text\": { \"type\": \"string\", \"minLength\": 1,"                  \
    "               \"maxOctets\": 9 },"                                      \
    "   \"when\": { \"type\": \"string\", \"format\": \"date-time\","         \
    "               \"pattern\": \"Z$\" },"                                   \
    "   \"list\": { \"type\": \"array\", \"minItems\": 1, \"maxItems\": 2,"   \
    "               \"items\": { \"$ref\": \"#/$defs/item\" } },"             \
    "   \"payload\": { \"type\": \"object\" },"                               \
    "   \"where\": { \"type\": [\"object\", \"null\"],"                       \
    "                \"properties\": { \"x\": true, \"y\": true },"           \
    "                \"anyOf\": [{ \"required\": [\"x\"] },"                  \
    "                            { \"required\": [\"y\"] },"                  \
    "                            { \"type\": \"null\" }] } },"                \
    " \"additionalProperties\": false,"                                       \
    " \"if\": { \"properties\": { \"kind\": { \"const\": \"a\" } } },"        \
    " \"then\": { \"required\": [\"payload\"], \"properties\": {"             \
    "     \"payload\": { \"$ref\": \"#/$defs/pay\" } } },"                    \
    " \"else\": { \"properties\": { \"payload\": false } },"                  \
    " \"$defs\": {"                                                           \
    "   \"item\": { \"type\": \"number\", \"exclusiveMinimum\": 0,"           \
    "               \"not\": { \"const\": 1 } },"                             \
    "   \"pay\": { \"type\": \"object\", \"required\": [\"p\"],"              \
    "              \"properties\": { \"p\": { \"type\": \"boolean\" } },"     \
    "              \"additionalProperties\": false } } }"


/* Every part of the schema is used, and no instance is refused by it. */

static void
test_instance(void **state)
{
    unsigned                 i;
    const char              *unseen;
    parley_arena_t           arena;
    parley_test_tree_t      *tree;
    parley_test_rules_t      rules;
    parley_test_source_t     s;
    parley_test_instance_t   in;

    (void) state;

    parley_test_rules_init(&rules, PARLEY_STR(SCHEMA));

    in.rules = &rules;
    in.source = &s;
    in.steer = NULL;

    assert_string_equal(parley_test_rules_unseen(&rules), "");

    for (i = 0; i < 500; i++) {
        source_init(&s, &arena, i);

        tree = parley_test_instance(&in, parley_test_rule(&rules, ""));
        assert_non_null(tree);
        assert_true(parley_test_holds(&rules, parley_test_rule(&rules, ""),
                                      tree, 1));

        parley_arena_reset(&arena);
    }

    unseen = parley_test_rules_unseen(&rules);
    assert_null(unseen);

    parley_test_rules_done(&rules);
}


/* The second checker refuses invalid values. */

static void
test_holds(void **state)
{
    size_t                i;
    parley_arena_t        arena;
    parley_test_rules_t   rules;

    static const struct {
        const char  *text;
        int          holds;
    } rows[] = {
        { "{\"kind\":\"b\",\"n\":3}", 1 },
        { "{\"kind\":\"b\",\"n\":5.0}", 1 },
        { "{\"kind\":\"a\",\"n\":3,\"payload\":{\"p\":true}}", 1 },
        { "{\"kind\":\"b\",\"n\":3,\"list\":[0.5,2]}", 1 },
        { "{\"kind\":\"b\",\"n\":3,\"where\":null}", 1 },
        { "{\"kind\":\"b\",\"n\":3,\"when\":\"2026-02-15T10:00:00Z\"}", 1 },
        { "{\"kind\":\"b\"}", 0 },
        { "{\"kind\":\"d\",\"n\":3}", 0 },
        { "{\"kind\":\"b\",\"n\":2}", 0 },
        { "{\"kind\":\"b\",\"n\":3.5}", 0 },
        { "{\"kind\":\"b\",\"n\":6}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"x\":1}", 0 },
        { "{\"kind\":\"a\",\"n\":3}", 0 },
        { "{\"kind\":\"a\",\"n\":3,\"payload\":{\"p\":1}}", 0 },
        { "{\"kind\":\"a\",\"n\":3,\"payload\":{\"p\":true,\"q\":1}}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"payload\":{}}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"list\":[]}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"list\":[2,2,2]}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"list\":[0]}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"list\":[1.0]}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"where\":{\"z\":1}}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"text\":\"\"}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"text\":\"\\u20ac\\u20ac\\u20ac.\"}", 0 },
        { "{\"kind\":\"b\",\"n\":3,\"when\":\"2026-02-15T10:00:00+01:00\"}",
          0 },
        { "{\"kind\":\"b\",\"n\":3,\"when\":\"2026-02-30T10:00:00Z\"}", 0 },
        { "[]", 0 },
    };

    (void) state;

    parley_test_rules_init(&rules, PARLEY_STR(SCHEMA));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (parley_test_holds(&rules, parley_test_rule(&rules, ""),
                              parley_test_tree_text(&arena,
                                  parley_str_c(rows[i].text)), 0)
            != rows[i].holds)
        {
            fail_msg("%s", rows[i].text);
        }
    }

    parley_arena_reset(&arena);
    parley_test_rules_done(&rules);
}


/* A value written in random form is equal. */

static void
test_write(void **state)
{
    unsigned               i, same;
    parley_str_t           text, plain;
    parley_arena_t         arena;
    parley_test_tree_t    *tree;
    parley_test_source_t   s;

    (void) state;

    same = 0;

    for (i = 0; i < 300; i++) {
        source_init(&s, &arena, i);

        tree = parley_test_value_object(&s, 3);
        plain = parley_test_tree_write(&arena, tree, NULL);
        text = parley_test_tree_write(&arena, tree, &s.random);
        same += (unsigned) parley_str_eq(text, plain);

        assert_true(parley_test_tree_same(tree,
                                          parley_test_tree_text(&arena,
                                                                text)));
        assert_true(parley_test_tree_same(tree,
                                          parley_test_tree_text(&arena,
                                                                plain)));
        parley_arena_reset(&arena);
    }

    assert_true(same < 150);
}


/* Two promises, for messages that break them. */

static int
has_an_x(void *ctx, const parley_test_tree_t *tree)
{
    unsigned                  *asked = ctx;
    const parley_test_tree_t  *item;

    (*asked)++;

    if (tree->type == PARLEY_JSON_STRING && tree->text.len > 0
        && memchr(tree->text.data, 'X', tree->text.len) != NULL)
    {
        return 1;
    }

    for (item = tree->first; item != NULL; item = item->next) {
        if (has_an_x(ctx, item)) {
            return 1;
        }
    }

    return 0;
}


static int
has_much(void *ctx, const parley_test_tree_t *tree)
{
    const parley_test_tree_t  *n, *list;

    (void) ctx;

    n = parley_test_tree_get(tree, "n");
    list = parley_test_tree_get(tree, "list");

    return n != NULL && n->type == PARLEY_JSON_NUMBER
           && strtod((const char *) n->text.data, NULL) > 41
           && list != NULL && list->count >= 2;
}


static void
test_shrink(void **state)
{
    size_t               i;
    unsigned             asked;
    parley_str_t         small;
    parley_arena_t       arena;
    parley_test_tree_t  *tree;

    static const struct {
        parley_test_fails_pt   fails;
        const char            *from;
        const char            *to;
    } rows[] = {
        { has_an_x,
          "{\"v\":\"1\",\"a\":{\"b\":[1,2,{\"c\":\"some\\u00e9 teXt\",\"d\":"
          "true}],\"e\":\"\"},\"f\":[\"no\"],\"g\":12.5}",
          "{\"a\":\"X\"}" },
        { has_an_x, "{\"a\":{\"X\":\"none\",\"b\":\"XX\"}}", "{\"a\":\"X\"}" },
        { has_an_x, "[[[[\"aXb\"]]]]", "[\"X\"]" },
        { has_much,
          "{\"x\":null,\"n\":98765.25,\"list\":[{\"a\":1},\"b\",[],\"d\"]}",
          "{\"n\":42,\"list\":[[],\"\"]}" },
        { has_much, "{\"n\":1e9,\"list\":[1,22.5,3]}",
          "{\"n\":42,\"list\":[0,0]}" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        asked = 0;

        tree = parley_test_tree_text(&arena, parley_str_c(rows[i].from));
        tree = parley_test_shrink(&arena, tree, rows[i].fails, &asked, 2000);
        small = parley_test_tree_write(&arena, tree, NULL);

        assert_string_equal((const char *) small.data, rows[i].to);

        parley_arena_reset(&arena);
    }
}


/* The shrinker stays within its tries, and its result still fails. */

static void
test_shrink_tries(void **state)
{
    unsigned             asked, tries;
    parley_arena_t       arena;
    parley_test_tree_t  *tree;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (tries = 0; tries < 20; tries++) {
        asked = 0;

        tree = parley_test_tree_text(&arena, PARLEY_STR("\"abcdefXghijk\""));
        tree = parley_test_shrink(&arena, tree, has_an_x, &asked, tries);

        assert_true(asked <= tries);
        assert_true(has_an_x(&asked, tree));
    }

    parley_arena_reset(&arena);
}


/* Changed messages mostly differ from the original. */

static void
test_mutate(void **state)
{
    unsigned               i, same;
    parley_str_t           text;
    parley_arena_t         arena;
    parley_test_tree_t    *tree, *before, *other;
    parley_test_source_t   s;

    (void) state;

    same = 0;

    for (i = 0; i < 500; i++) {
        source_init(&s, &arena, i);

        tree = parley_test_tree_text(&arena, PARLEY_STR(
                   "{\"a\":{\"b\":[1,true]},\"c\":\"text\",\"d\":null}"));
        before = parley_test_tree_copy(&arena, tree);
        other = parley_test_value_object(&s, 2);

        parley_test_mutate(&s, tree, other);
        same += (unsigned) parley_test_tree_same(before, tree);

        text = parley_test_tree_write(&arena, before, NULL);
        same += (unsigned) parley_str_eq(parley_test_mutate_octets(&s, text),
                                         text);

        parley_arena_reset(&arena);
    }

    assert_true(same < 150);
}


static const struct CMUnitTest  tests[] = {
    parley_test("texts by patterns", test_pattern),
    parley_test("instances by a schema", test_instance),
    parley_test("the second opinion", test_holds),
    parley_test("values written at random", test_write),
    parley_test("small cases", test_shrink),
    parley_test("small cases within bounds", test_shrink_tries),
    parley_test("spoiled messages", test_mutate),
};


PARLEY_TEST_MAIN(tests)
