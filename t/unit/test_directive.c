/*
 * parley_directive.h, parley_settings.h: directives, and the settings that
 * they make
 */

#include "t/unit/parley_test.h"

#include "gate/settings/parley_directive.h"
#include "translate/parley_engine.h"
#include "translate/parley_codec_types.h"
#include "gate/settings/parley_jwt_conf.h"
#include "auth/parley_policy.h"


#define MAX_WORDS  16


static parley_arena_t          arena;
static parley_settings_http_t  http;
static parley_settings_t       outer, inner;
static parley_problem_t        problem;
static char                    warned[PARLEY_PROBLEM_TEXT];


static int
compile(void *ctx, parley_str_t text, void **ret, parley_problem_t *p)
{
    (void) ctx;
    (void) text;
    (void) p;

    *ret = &arena;

    return 0;
}


static int
no_file(void *ctx, parley_str_t name, parley_str_t *ret_path,
    parley_str_t *ret_text, parley_problem_t *p)
{
    (void) ctx;
    (void) ret_path;
    (void) ret_text;

    return parley_problem(p, "no \"%.*s\"", (int) name.len,
                          (const char *) name.data);
}


static void
warn(void *ctx, const parley_problem_t *p)
{
    (void) ctx;

    (void) snprintf(warned, sizeof(warned), "%s", p->text);
}


static const parley_settings_env_t  env = {
    .arena = &arena, .compile = compile, .read = no_file, .warn = warn
};


static void
begin(void)
{
    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_settings_http_init(&http);
    parley_settings_init(&outer);
    parley_settings_init(&inner);

    problem.where.file = PARLEY_STR("nginx.conf");
    problem.where.line = 0;
}


static void
end(void)
{
    parley_settings_http_free(&http);
    parley_arena_reset(&arena);
}


/* Reads a line of words up to ";".  Returns NULL or the error. */

static const char *
set(parley_settings_t *s, unsigned in, const char *line)
{
    size_t            len;
    parley_str_t      words[MAX_WORDS];
    parley_setting_t  d;

    memset(&d, 0, sizeof(d));

    d.env = &env;
    d.http = &http;
    d.s = s;
    d.words = words;
    d.problem = &problem;

    problem.where.line++;
    problem.where.in = in;

    for ( ; *line != ';'; line += len + (line[len] == ' ')) {
        len = strcspn(line, " ;");
        words[d.n++] = parley_str_make(line, len);
        assert_true(d.n < MAX_WORDS);
    }

    d.row = parley_directive_find(words[0]);
    assert_non_null(d.row);
    assert_true(d.row->in & in);

    return parley_directive_read(&d) == 0 ? NULL : problem.text;
}


#define in_http(line)    assert_null(set(&outer, PARLEY_IN_HTTP, line))
#define in_inner(line)   assert_null(set(&inner, PARLEY_IN_LOCATION, line))
#define wrong(line, why)                                                      \
    assert_string_equal(set(&inner, PARLEY_IN_LOCATION, line), why)


static void
test_table(void **state)
{
    size_t                         i, k;
    const parley_directive_row_t  *a, *b;

    (void) state;

    assert_true(PARLEY_DIRECTIVE_COUNT <= 64);      /* settings.own */
    assert_null(parley_directive_find(PARLEY_STR("parley_nothing")));

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        a = &parley_directives[i];

        assert_ptr_equal(parley_directive_find(parley_str_c(a->name)), a);
        assert_true(a->max == 0 || a->min <= a->max);
        assert_true((a->size == 0) == (a->in == PARLEY_IN_HTTP));

        /* two parts are either equal or do not overlap */

        for (k = 0; k < i; k++) {
            b = &parley_directives[k];

            if (a->size == 0 || b->size == 0
                || (a->offset == b->offset && a->size == b->size))
            {
                continue;
            }

            assert_true(a->offset + a->size <= b->offset
                        || b->offset + b->size <= a->offset);
        }
    }
}


static void
test_values(void **state)
{
    size_t   i;
    int64_t  n;

    static const struct {
        const char  *text;
        int64_t      ms;
    } times[] = {
        { "90", 90000 }, { "90s", 90000 }, { "1h30m", 5400000 },
        { "500ms", 500 }, { "1w", 604800000 }, { "1m 1s", 61000 },
        { "36500d", PARLEY_SETTING_TIME_MAX }, { "0", 0 },
        { "", -1 }, { "s", -1 }, { "36501d", -1 }, { "1s1m", -1 },
        { "1y", -1 }, { "-1", -1 }, { "9999999999999", -1 }
    };

    static const struct {
        const char  *text;
        int64_t      size;
    } sizes[] = {
        { "512", 512 }, { "64k", 65536 }, { "1M", 1 << 20 }, { "", -1 },
        { "k", -1 }, { "1g", -1 }, { "1kk", -1 }
    };

    (void) state;

    for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        if (parley_setting_time(parley_str_c(times[i].text), &n) != 0) {
            n = -1;
        }

        assert_int_equal(n, times[i].ms);
    }

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (parley_setting_size(parley_str_c(sizes[i].text), &n) != 0) {
            n = -1;
        }

        assert_int_equal(n, sizes[i].size);
    }
}


static void
test_wrong(void **state)
{
    (void) state;

    begin();

    wrong("parley_speak;",
          "invalid number of arguments in \"parley_speak\" directive");
    wrong("parley_speak a b c;",
          "invalid number of arguments in \"parley_speak\" directive");
    wrong("parley_trusted yes;", "invalid value \"yes\" in \"parley_trusted\" "
          "directive, it must be \"on\" or \"off\"");
    wrong("parley_cap priority=low priority=low;",
          "\"parley_cap\": \"priority=low\" is duplicate");
    wrong("parley_redact payload;", "\"parley_redact\": \"payload\" is not a "
          "JSON Pointer; expected a member, such as /payload/secret");
    assert_string_equal(set(&outer, PARLEY_IN_HTTP, "parley_identities none;"),
                        "no \"none\"");

    in_inner("parley_loss reject;");
    wrong("parley_loss report;", "\"parley_loss\" directive is duplicate");

    /* a number of any length is a number */

    wrong("parley_limits depth=99999999999999999999;",
          "\"parley_limits\": \"depth=99999999999999999999\" is not in the "
          "range; expected 1 to 512");
    wrong("parley_limits body=99999999999999999999m;",
          "\"parley_limits\": \"body=99999999999999999999m\" is not in the "
          "range; expected 1 to 256m");
    wrong("parley_cap timeout=99999999999999999999d;",
          "\"parley_cap\": \"timeout=99999999999999999999d\" is not in the "
          "range; expected 1ms to 36500d");
    wrong("parley_limits depth=99999999999999999999k;",
          "\"parley_limits\": \"depth=99999999999999999999k\" is not a "
          "number; expected 1 to 512");
    assert_int_equal(inner.gate.loss, PARLEY_LOSS_REJECT);

    end();
}


/*
 * Every directive of an inner block replaces that of the outer block as a
 * whole.
 */

static void
test_merge(void **state)
{
    (void) state;

    begin();

    in_http("parley_accept aee aee-mve5 case=open;");
    in_http("parley_speak aee gateway=service.inner;");
    in_http("parley_limits body=2k depth=7;");
    in_http("parley_freshness past=1h;");
    in_http("parley_cap timeout=5s;");
    in_http("parley_window 20m receiver=$a;");
    in_http("parley_redact /a;");
    in_http("parley_redact /b mask;");
    in_http("parley_allow principal=**;");
    in_http("parley_rate 1r/s;");
    in_http("parley_jwt on token=$arg_t leeway=30s;");
    in_http("parley_vcp_context x$y;");

    in_inner("parley_accept vcp;");
    in_inner("parley_speak aee;");
    in_inner("parley_limits string=1k;");
    in_inner("parley_freshness future=1s;");
    in_inner("parley_cap priority=low;");
    in_inner("parley_window 30m;");
    in_inner("parley_redact /c;");
    in_inner("parley_deny principal=a;");
    in_inner("parley_rate off;");
    in_inner("parley_jwt on;");
    in_inner("parley_vcp_context x;");

    parley_settings_merge(&inner, &outer);

    assert_int_equal(inner.gate.accept, PARLEY_PROTO_BIT(PARLEY_PROTO_VCP));
    assert_int_equal(inner.gate.mve5, 0);
    assert_int_equal(inner.gate.any_case, 0);
    assert_int_equal(inner.gate.gateway.len, 0);
    assert_int_equal(inner.gate.limits.octets,
                     parley_json_limits_default.octets);
    assert_int_equal(inner.gate.limits.depth,
                     parley_json_limits_default.depth);
    assert_int_equal(inner.gate.limits.string, 1024);
    assert_int_equal(inner.gate.past_ms, 300000);
    assert_int_equal(inner.gate.future_ms, 1000);
    assert_int_equal(inner.gate.caps.timeout_ms, 0);
    assert_int_equal(inner.window_ms, 1800000);
    assert_null(inner.receiver.text.data);
    assert_int_equal(inner.gate.nredact, 1);
    assert_int_equal(inner.gate.policy->n, 1);
    assert_false(inner.gate.policy->first->allow);
    assert_null(inner.gate.rate);
    assert_int_equal(inner.gate.token.len, 0);
    assert_int_equal(inner.jwt->rules.leeway, 0);
    assert_false(inner.context.varies);

    assert_int_equal(http.leeway_max, 30);
    assert_int_equal(inner.where[PARLEY_DIRECTIVE_ALLOW].line, 0);
    assert_int_equal(inner.where[PARLEY_DIRECTIVE_DENY].in,
                     PARLEY_IN_LOCATION);

    end();
}


/* A missing directive is inherited, except for the settings derived from it. */

static void
test_inherit(void **state)
{
    (void) state;

    begin();

    in_http("parley_accept aee case=open;");
    in_http("parley_limits depth=7;");
    in_http("parley_jwt on token=$arg_t;");
    in_http("parley_vcp_context x$y;");
    in_http("parley_redact /a;");

    parley_settings_merge(&inner, &outer);

    assert_int_equal(inner.gate.accept, outer.gate.accept);
    assert_int_equal(inner.gate.any_case, 1);
    assert_int_equal(inner.gate.speak, PARLEY_PROTO_AEE);
    assert_int_equal(inner.gate.limits.depth, 7);
    assert_ptr_equal(inner.jwt, outer.jwt);
    assert_true(parley_str_is(inner.gate.token, "t"));
    assert_true(inner.context.varies);
    assert_ptr_equal(inner.context.compiled, &arena);
    assert_int_equal(inner.gate.nredact, 1);
    assert_int_equal(inner.where[PARLEY_DIRECTIVE_LIMITS].line, 2);
    assert_int_equal(inner.where[PARLEY_DIRECTIVE_LIMITS].in, PARLEY_IN_HTTP);

    end();
    begin();

    in_http("parley_accept aee;");
    in_inner("parley_accept vcp;");

    parley_settings_merge(&inner, &outer);

    assert_int_equal(inner.gate.speak, PARLEY_PROTO_VCP);

    end();
}


/* Verifies the inner block.  Returns NULL or the error. */

static const char *
verify(const parley_engine_t *engine)
{
    parley_block_facts_t  facts;

    memset(&facts, 0, sizeof(facts));
    facts.handled = 1;

    parley_settings_merge(&inner, &outer);

    return parley_settings_verify(&env, &http, &inner, &facts, engine,
                                  &problem)
           == 0 ? NULL : problem.text;
}


static void
test_verify(void **state)
{
    parley_error_t    err;
    parley_engine_t  *engine;

    (void) state;

    begin();

    engine = parley_engine_create(&parley_mem_libc, &err);
    assert_non_null(engine);

    in_inner("parley_accept aee;");
    assert_string_equal(verify(engine),
                        "\"parley_accept\" needs \"parley_zone\"");
    assert_int_equal(problem.where.line, 1);

    in_http("parley_zone a:1m;");
    assert_non_null(strstr(verify(engine), "has no proof of the sender"));

    in_http("parley_trusted on;");
    in_http("parley_loss reject;");
    in_http("parley_freshness past=2h;");
    in_inner("parley_freshness past=1h;");
    in_inner("parley_window 1h;");
    assert_non_null(strstr(verify(engine), "a message could be replayed"));

    inner.window_ms = 7200000;
    assert_null(verify(engine));
    assert_int_equal(http.longest_ms, 3630000);

    /* SEC-13: another location accepts older messages */

    http.longest_ms = 7230000;
    parley_settings_window(&env, &http, &inner);
    assert_int_equal(inner.window_ms, 7230000);
    assert_string_equal(warned, "\"parley_window\" of \"parley_accept\" "
                        "becomes 7230000 ms, the longest "
                        "\"parley_freshness\" of any location");

    /* GW-28: only its own setting */

    parley_settings_init(&inner);
    in_inner("parley_accept aee;");
    in_inner("parley_window 3h;");
    assert_null(verify(engine));

    parley_settings_init(&inner);
    in_inner("parley_accept aee;");
    in_inner("parley_window 3h;");
    in_inner("parley_loss reject;");
    assert_non_null(strstr(verify(engine), "\"parley_loss\" has no effect "));
    assert_int_equal(problem.where.in, PARLEY_IN_LOCATION);

    parley_engine_destroy(engine);

    end();
}


static void
test_off(void **state)
{
    parley_block_facts_t  facts;

    (void) state;

    begin();

    memset(&facts, 0, sizeof(facts));
    facts.name = PARLEY_STR("/in");
    facts.handled = 1;
    warned[0] = '\0';

    in_http("parley_deny to=a;");
    parley_settings_merge(&inner, &outer);

    assert_int_equal(parley_settings_inactive(&env, &http, &inner, &facts,
                                              &problem),
                     0);
    assert_non_null(strstr(warned, "location \"/in\" inherits "
                           "\"parley_deny\", which has no effect"));
    assert_non_null(strstr(warned, "inherited from nginx.conf:1"));

    warned[0] = '\0';
    facts.internal = 1;
    assert_int_equal(parley_settings_inactive(&env, &http, &inner, &facts,
                                              &problem),
                     0);
    assert_string_equal(warned, "");

    facts.internal = 0;
    in_inner("parley_accept off;");
    assert_int_equal(parley_settings_inactive(&env, &http, &inner, &facts,
                                              &problem),
                     0);
    assert_string_equal(warned, "");

    in_inner("parley_cap priority=low;");
    assert_int_equal(parley_settings_inactive(&env, &http, &inner, &facts,
                                              &problem),
                     -1);
    assert_non_null(strstr(problem.text, "\"parley_cap\" has no effect"));

    facts.frame = 1;
    facts.handled = 0;
    assert_int_equal(parley_settings_inactive(&env, &http, &inner, &facts,
                                              &problem),
                     0);

    end();
}


static const struct CMUnitTest  tests[] = {
    parley_test("the table", test_table),
    parley_test("GW-11 times and sizes", test_values),
    parley_test("GW-11 what is wrong is said", test_wrong),
    parley_test("GW-11 a directive replaces the outer one whole", test_merge),
    parley_test("GW-11 what is not there is inherited", test_inherit),
    parley_test("SEC-13 GW-28 a block as a whole", test_verify),
    parley_test("SEC-07 a block that accepts nothing", test_off),
};

PARLEY_TEST_MAIN(tests)
