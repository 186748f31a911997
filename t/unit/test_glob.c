/* auth/parley_glob.h */

#include "t/unit/parley_test_auth.h"

#include "auth/parley_glob.h"


static void
test_covers(void **state)
{
    size_t          i;
    parley_glob_t   glob, other;
    parley_error_t  err;

    static const struct {
        const char  *glob;
        const char  *other;
        int          covers;
    } cases[] = {
        { "ops.run", "ops.run", 1 },
        { "ops.run", "ops.runs", 0 },
        { "ops.*", "ops.run", 1 },
        { "ops.run", "ops.*", 0 },
        { "ops.*", "ops.*", 1 },
        { "ops.*", "ops.**", 0 },
        { "ops.**", "ops.**", 1 },
        { "ops.**", "ops.*", 1 },
        { "ops.**", "ops", 1 },
        { "ops.**", "ops.a.**", 1 },
        { "ops.a.**", "ops.**", 0 },
        { "**", "**", 1 },
        { "**", "a.*|b", 1 },
        { "*", "**", 0 },
        { "*.**", "**", 0 },
        { "*.**", "*.**", 1 },
        { "**.*", "a.**", 0 },
        { "**.z", "a.**.z", 1 },
        { "**.z", "**", 0 },
        { "a*", "a*b", 1 },
        { "a*b", "a*", 0 },
        { "ops:*", "ops:run", 1 },
        { "*", "ops:*", 1 },
        { "a|b", "b|a", 1 },
        { "a|b", "a|b|c", 0 },
        { "a|b.**", "b.c|b.*.d", 1 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        if (parley_glob_compile(&test_arena, parley_str_c(cases[i].glob),
                                &glob, &err)
            != 0
            || parley_glob_compile(&test_arena, parley_str_c(cases[i].other),
                                   &other, &err)
               != 0)
        {
            fail_msg("%s, %s: %s", cases[i].glob, cases[i].other, err.text);
        }

        if (parley_glob_covers(&glob, &other) != cases[i].covers) {
            fail_msg("%s covers %s: not %d", cases[i].glob, cases[i].other,
                     cases[i].covers);
        }
    }
}


static void
test_match(void **state)
{
    size_t          i;
    parley_glob_t   glob;
    parley_error_t  err;

    static const struct {
        const char  *pattern;
        const char  *text;
        int          matches;
    } cases[] = {
        { "ops.run", "ops.run", 1 },
        { "ops.run", "ops.runs", 0 },
        { "ops.run", "ops", 0 },
        { "ops.run", "ops.run.x", 0 },
        { "ops.run", "", 0 },
        { "ops.run", "OPS.RUN", 0 },

        { "*", "a", 1 },
        { "*", "", 0 },
        { "*", "a.b", 0 },
        { "ops.*", "ops.run", 1 },
        { "ops.*", "ops", 0 },
        { "ops.*", "ops.", 0 },
        { "ops.*", "ops.a.b", 0 },
        { "*.run", "ops.run", 1 },
        { "*.*", "a.b", 1 },
        { "*.*", "a", 0 },

        { "**", "", 1 },
        { "**", "a", 1 },
        { "**", "a.b.c", 1 },
        { "ops.**", "ops", 1 },
        { "ops.**", "ops.a", 1 },
        { "ops.**", "ops.a.b.c", 1 },
        { "ops.**", "opsx", 0 },
        { "ops.**", "opsx.a", 0 },
        { "ops.**", "x.ops", 0 },
        { "**.read", "read", 1 },
        { "**.read", "a.b.read", 1 },
        { "**.read", "a.read.b", 0 },
        { "a.**.z", "a.z", 1 },
        { "a.**.z", "a.b.c.z", 1 },
        { "a.**.z", "a", 0 },
        { "a.**.z", "z", 0 },
        { "a.**.b.**.c", "a.x.b.y.b.z.c", 1 },
        { "a.**.b.**.c", "a.x.y.z.c", 0 },
        { "**.a.**", "x.y.a", 1 },
        { "**.a.**", "x.y", 0 },
        { "**.**", "a", 1 },
        { "**.*", "", 0 },
        { "*.**", "a", 1 },
        { "*.**.*", "a", 0 },
        { "*.**.*", "a.b", 1 },

        { "ops:*", "ops:run", 1 },
        { "ops:*", "ops:", 1 },
        { "ops:*", "ops", 0 },
        { "ops:*", "ops:a.b", 0 },
        { "*:run", "ops:run", 1 },
        { "a*b*c", "abc", 1 },
        { "a*b*c", "axxbyybc", 1 },
        { "a*b*c", "axxbyyb", 0 },
        { "agent.*@host", "agent.backup@host", 1 },
        { "agent.*@host", "agent.backup@host.example", 0 },
        { "agent.*@host.example", "agent.backup@host.example", 1 },
        { "agent://h/\x2a", "agent://h/x", 1 },
        { "agent://h/\x2a", "agent://i/x", 0 },
        { "~bob", "~bob", 1 },

        { "a|b", "a", 1 },
        { "a|b", "b", 1 },
        { "a|b", "a|b", 0 },
        { "a.x|b.**", "b", 1 },
        { "a.x|b.**", "a.y", 0 },

        { "a", "a.", 0 },
        { "a.*", "a..b", 0 },
        { "a.**.b", "a..b", 1 },
        { "**", ".", 1 },
        { "*", ".", 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (parley_glob_compile(&test_arena, parley_str_c(cases[i].pattern),
                                &glob, &err)
            != 0)
        {
            fail_msg("%s: %s", cases[i].pattern, err.text);
        }

        if (parley_glob_match(&glob, parley_str_c(cases[i].text))
            != cases[i].matches)
        {
            fail_msg("%s %s \"%s\"", cases[i].pattern,
                     cases[i].matches ? "does not match" : "matches",
                     cases[i].text);
        }
    }
}


static void
test_refused(void **state)
{
    char            text[PARLEY_GLOB_MAX + 2];
    size_t          i;
    parley_glob_t   glob;
    parley_error_t  err;

    static const char  *bad[] = {
        "", "|", "a|", "|a", "a||b", ".", ".a", "a.", "a..b", "a**", "**a",
        "a.**b", "***", "a b", "a\tb", "a\x7f", "a.***.b", "ops.**run",
    };

    (void) state;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&glob, 0xff, sizeof(glob));

        if (parley_glob_compile(&test_arena, parley_str_c(bad[i]), &glob,
                                &err)
            == 0)
        {
            fail_msg("\"%s\" was taken", bad[i]);
        }

        assert_true(err.text[0] != '\0');
        assert_int_equal(glob.n, 0);
        assert_false(parley_glob_match(&glob, PARLEY_STR("a")));
    }

    memset(text, 'a', sizeof(text));
    assert_int_equal(parley_glob_compile(&test_arena,
                         parley_str_make(text, PARLEY_GLOB_MAX), &glob, &err),
                     0);
    assert_int_equal(parley_glob_compile(&test_arena,
                         parley_str_make(text, PARLEY_GLOB_MAX + 1), &glob,
                         &err),
                     -1);

    for (i = 0; i < 2 * PARLEY_GLOB_CHOICES - 1; i++) {
        text[i] = i % 2 ? '|' : 'a';
    }

    assert_int_equal(parley_glob_compile(&test_arena, parley_str_make(text, i),
                                         &glob, &err), 0);
    assert_int_equal(glob.n, PARLEY_GLOB_CHOICES);
    text[i++] = '|';
    text[i++] = 'a';
    assert_int_equal(parley_glob_compile(&test_arena, parley_str_make(text, i),
                                         &glob, &err), -1);
}


/* Patterns for which a backtracking matcher would not end. */
static void
test_blow_up(void **state)
{
    char            pattern[PARLEY_GLOB_MAX + 1], *text;
    size_t          i;
    parley_glob_t   glob;
    parley_error_t  err;

    (void) state;

    for (i = 0; i + 2 < 256; i += 2) {
        pattern[i] = '*';
        pattern[i + 1] = 'a';
    }

    pattern[i] = 'b';
    pattern[i + 1] = '\0';

    text = (char *) parley_arena_octets(&test_arena, 20001);
    memset(text, 'a', 20000);
    text[20000] = '\0';

    assert_int_equal(parley_glob_compile(&test_arena, parley_str_c(pattern),
                                         &glob, &err), 0);
    assert_int_equal(parley_glob_match(&glob, parley_str_c(text)), 0);

    for (i = 0; i + 5 < 256; i += 5) {
        memcpy(pattern + i, "**.a.", 5);
    }

    pattern[i] = 'b';
    pattern[i + 1] = '\0';

    for (i = 1; i < 20000; i += 2) {
        text[i] = '.';
    }

    text[19999] = '\0';

    assert_int_equal(parley_glob_compile(&test_arena, parley_str_c(pattern),
                                         &glob, &err), 0);
    assert_int_equal(parley_glob_match(&glob, parley_str_c(text)), 0);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-04 labels, * and **", test_match),
    parley_auth_test("GW-28 patterns that match all of another", test_covers),
    parley_auth_test("GW-11 what is no pattern is refused", test_refused),
    parley_auth_test("GW-04 matching does not blow up", test_blow_up),
};


PARLEY_TEST_MAIN(tests)
