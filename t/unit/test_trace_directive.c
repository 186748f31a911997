/* GW-16: the directive that a trace names for a step */

#include <string.h>

#include "t/unit/parley_test.h"

#include "gate/steps/parley_trace_directive.h"
#include "gate/settings/parley_directive.h"


#define TEST_STANDS  3


typedef struct {
    parley_step_t  step;
    unsigned       stands[TEST_STANDS]; /* in the configuration; ends with
                                           COUNT */
    unsigned       decides;             /* COUNT: none of them */
} test_decider_t;


#define PARLEY_D(id)  PARLEY_DIRECTIVE_##id

#define TEST_DECIDER(step, first, second, third, decides)                     \
    { PARLEY_STEP_##step,                                                     \
      { PARLEY_D(first), PARLEY_D(second), PARLEY_D(third) },                 \
      PARLEY_D(decides) }

static const test_decider_t  test_deciders[] = {
    TEST_DECIDER(METHOD, ZONE, COUNT, COUNT, COUNT),
    TEST_DECIDER(METHOD, ACCEPT, KEYS, COUNT, KEYS),
    TEST_DECIDER(METHOD, ACCEPT, STREAM, COUNT, STREAM),
    TEST_DECIDER(METHOD, ROSTER, ZONE, COUNT, ROSTER),
    TEST_DECIDER(METHOD, ACCEPT, SUBMIT, COUNT, SUBMIT),
    TEST_DECIDER(METHOD, MCP, ZONE, COUNT, MCP),
    TEST_DECIDER(PROOF, ZONE, COUNT, COUNT, COUNT),
    TEST_DECIDER(PROOF, ZONE, CERTIFICATE, COUNT, CERTIFICATE),
    TEST_DECIDER(PROOF, JWT, CERTIFICATE, ZONE, JWT),
    TEST_DECIDER(SERVE, STREAM, ZONE, COUNT, STREAM),
    TEST_DECIDER(SERVE, ROSTER, ZONE, COUNT, ROSTER),
    TEST_DECIDER(SERVE, MCP, ZONE, COUNT, MCP),
    TEST_DECIDER(SCHEMA, SUBMIT, ZONE, COUNT, SUBMIT),
    TEST_DECIDER(ADMIT, ZONE, WINDOW, COUNT, WINDOW),
    TEST_DECIDER(ADMIT, ZONE, COUNT, COUNT, ZONE),
    TEST_DECIDER(REWRITE, ZONE, COUNT, COUNT, COUNT),
    TEST_DECIDER(REWRITE, ZONE, REDACT, COUNT, REDACT),
    TEST_DECIDER(PUBLISH, MCP, ACCEPT, COUNT, MCP),
    TEST_DECIDER(POLICY, ZONE, ACCEPT, COUNT, COUNT),
};


static void
test_decides(void **state)
{
    int                       rc;
    size_t                    i, n;
    unsigned                  id;
    parley_gate_t             g;
    parley_where_t           *where;
    parley_trace_directive_t  by;
    parley_settings_t         s;
    const test_decider_t     *t;
    parley_settings_http_t    http;

    (void) state;

    memset(&g, 0, sizeof(parley_gate_t));

    for (i = 0; i < sizeof(test_deciders) / sizeof(*test_deciders); i++) {
        t = &test_deciders[i];

        memset(&s, 0, sizeof(parley_settings_t));
        memset(&http, 0, sizeof(parley_settings_http_t));

        for (n = 0; n < TEST_STANDS && t->stands[n] != PARLEY_DIRECTIVE_COUNT;
             n++)
        {
            id = t->stands[n];
            where = parley_directives[id].size == 0 ? http.where : s.where;
            where[id].line = 100 + id;
        }

        rc = parley_gate_trace_directive(&http, &s, &g, t->step, &by);

        if (t->decides == PARLEY_DIRECTIVE_COUNT) {
            assert_int_equal(rc, 0);
            assert_null(by.name);
            assert_null(by.where);
            continue;
        }

        assert_int_equal(rc, 1);
        assert_string_equal(by.name, parley_directives[t->decides].name);
        assert_int_equal(by.where->line, 100 + t->decides);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-16 the directive that decided", test_decides),
};

PARLEY_TEST_MAIN(tests)
