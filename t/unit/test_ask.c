/* state/parley_ask.c: a step that runs again */

#include "t/unit/parley_test_state.h"

#include "state/parley_ask.h"
#include "t/later/parley_later.h"


#define SIZE  (256 * 1024)
#define NOW   ((int64_t) 1000000)


static parley_test_state_t  t;
static parley_arena_t       arena;
static parley_ask_t         ask;
static parley_late_t       *late;       /* verb in progress, or NULL */
static unsigned             asked;      /* number of verbs */


static int
start(parley_late_t *one, parley_later_verb_t verb)
{
    (void) verb;

    assert_null(late);
    late = one;
    asked++;

    return 0;
}


static void
resume(parley_ask_t *q)
{
    (void) q;
}


static int
begin(void **state)
{
    (void) state;

    parley_test_state_begin(&t, SIZE, 250);
    parley_arena_init(&arena, &parley_mem_libc, 0);
    t.now = NOW;
    late = NULL;
    asked = 0;

    parley_later(&t.s, start);

    parley_ask_init(&ask, &t.s.state, &arena);
    ask.resume = resume;

    return 0;
}


static int
end(void **state)
{
    (void) state;

    if (late != NULL) {
        parley_later_complete(late);
    }

    parley_test_state_end(&t);
    parley_arena_reset(&arena);

    return 0;
}


static void
complete(void)
{
    parley_late_t  *one = late;

    assert_non_null(one);
    late = NULL;
    parley_later_complete(one);
}


static int
put(parley_put_result_t *ret)
{
    static uint8_t  key[PARLEY_KEY_LEN];

    parley_put_t  p;
    parley_str_t  value = PARLEY_STR("value");

    memset(&p, 0, sizeof(p));

    p.id.kind = PARLEY_KIND_QUESTION;
    memcpy(p.id.key, key, sizeof(key));
    p.queue = PARLEY_EVICTABLE_NONE;
    p.parts = &value;
    p.nparts = 1;
    p.ttl = 60000;

    return parley_ask_put(&ask, &p, ret);
}


/* An earlier answer is returned again, and the state is not asked again. */

static void
test_again(void **state)
{
    parley_put_result_t   got;
    parley_state_stat_t   stat;

    (void) state;

    parley_ask_begin(&ask, NOW);
    assert_int_equal(put(&got), PARLEY_WAIT);
    complete();

    parley_ask_begin(&ask, NOW);
    assert_int_equal(put(&got), 0);
    assert_int_equal(got, PARLEY_PUT_OK);
    assert_int_equal(parley_ask_stat(&ask, &stat), PARLEY_WAIT);
    complete();

    got = PARLEY_PUT_FULL;
    parley_ask_begin(&ask, NOW);
    assert_int_equal(put(&got), 0);
    assert_int_equal(got, PARLEY_PUT_OK);
    assert_int_equal(parley_ask_stat(&ask, &stat), 0);
    assert_int_equal(asked, 2);
}


/* An answer is not returned for another verb. */

static void
test_order(void **state)
{
    parley_put_result_t   got;
    parley_state_stat_t   stat;

    (void) state;

    parley_ask_begin(&ask, NOW);
    assert_int_equal(put(&got), PARLEY_WAIT);
    complete();

    parley_ask_begin(&ask, NOW);
    assert_int_equal(parley_ask_stat(&ask, &stat), -1);
    assert_int_equal(put(&got), -1);
    assert_int_equal(asked, 1);

    /* the next step asks again */

    parley_ask_next(&ask, NOW);
    assert_int_equal(parley_ask_stat(&ask, &stat), PARLEY_WAIT);
    assert_int_equal(asked, 2);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("GW-12 a step that is taken again has its answers", test_again),
    test("GW-12 and asks in the same order", test_order),
};

PARLEY_TEST_MAIN(tests)
