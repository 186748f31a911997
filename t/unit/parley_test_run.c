#include "t/unit/parley_test_run.h"

#include "t/unit/parley_test_mutate.h"
#include "t/unit/parley_test_shrink.h"
#include "t/unit/parley_test_twin.h"

#include <signal.h>
#include <unistd.h>


#ifndef __has_feature
#define __has_feature(x)  0
#endif

#if __has_feature(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
#define PARLEY_TEST_RUN_ASAN    1
#define PARLEY_TEST_RUN_SLOWER  10      /* factor of the run time */
#else
#define PARLEY_TEST_RUN_ASAN    0
#define PARLEY_TEST_RUN_SLOWER  1
#endif

#define PARLEY_TEST_RUN_TRIES   4000    /* of the shrinker */
#define PARLEY_TEST_RUN_SHAPES  8       /* tried for each message */


/* a message to check */
typedef struct {
    parley_test_run_t  *run;
    parley_proto_t      from;
    parley_proto_t      to;
    uint64_t            variant;
    int                 spoiled;
    const char         *failed;     /* the promise that it broke */
    uint64_t            shape;      /* shape of its text */
} parley_test_look_t;


/* the current message, printed if it ends the process */
static char  parley_test_run_now[70000];


static void
parley_test_run_say(void)
{
    ssize_t  ignored;

    ignored = write(2, parley_test_run_now, strlen(parley_test_run_now));
    (void) ignored;
}


#if PARLEY_TEST_RUN_ASAN

void __asan_on_error(void);


void
__asan_on_error(void)
{
    parley_test_run_say();
}


static void
parley_test_run_guard(void)
{
}

#else


static void
parley_test_run_crashed(int signo)
{
    parley_test_run_say();

    signal(signo, SIG_DFL);
    raise(signo);
}


static void
parley_test_run_guard(void)
{
    signal(SIGSEGV, parley_test_run_crashed);
    signal(SIGBUS, parley_test_run_crashed);
    signal(SIGFPE, parley_test_run_crashed);
    signal(SIGABRT, parley_test_run_crashed);
}

#endif


void
parley_test_run_init(parley_test_run_t *run, unsigned messages)
{
    memset(run, 0, sizeof(parley_test_run_t));

    parley_test_forms_init(&run->forms);

    run->seed = 20260215;
    run->messages = messages / PARLEY_TEST_RUN_SLOWER;

    if (getenv("PARLEY_TEST_SEED") != NULL) {
        run->seed = strtoull(getenv("PARLEY_TEST_SEED"), NULL, 0);
    }

    if (getenv("PARLEY_TEST_MESSAGES") != NULL) {
        run->messages = (unsigned) strtoul(getenv("PARLEY_TEST_MESSAGES"),
                                           NULL, 0);
    }

    parley_test_run_guard();
}


void
parley_test_run_done(parley_test_run_t *run)
{
    parley_test_forms_done(&run->forms);
}


/*
 * Checks a message.  A message from the schema is accepted, and all promises
 * hold.  A changed message may be refused, if the second checker refuses it
 * too.  Its twin in canonical form must have the same meaning.
 */

static parley_test_pair_result_t
parley_test_run_look(const parley_test_look_t *look, parley_str_t text,
    const parley_test_tree_t *tree, parley_test_pair_t *pair)
{
    int                        holds;
    parley_test_pair_result_t  result;

    pair->from = look->from;
    pair->to = look->to;
    pair->variant = look->variant;

    result = parley_test_pair(pair, text);

    if (result == PARLEY_TEST_PAIR_FAILED) {
        return result;
    }

    holds = tree != NULL
            && parley_test_form_holds(&look->run->forms, look->from, tree);

    if (result != PARLEY_TEST_PAIR_REFUSED) {
        if (!holds) {
            return parley_test_pair_broken(pair, "what is not valid is "
                                           "refused", "%s", "");
        }

    } else if (holds && !parley_test_twin_is_more(&pair->err)) {
        return parley_test_pair_broken(pair, "what is valid is taken",
                                       "%s %s", pair->err.field,
                                       pair->err.text);

    } else if (parley_test_twin_refusal(pair) != 0) {
        return PARLEY_TEST_PAIR_FAILED;
    }

    return look->spoiled ? parley_test_twin(pair, result) : result;
}


/*
 * Writes a message with random order, white space and escapes, as these may
 * cause a failure; shape 0 is plain.  The text is one line, as line breaks are
 * between values only.
 */

static parley_str_t
parley_test_run_shape(parley_arena_t *arena, const parley_test_tree_t *tree,
    uint64_t shape)
{
    size_t                i;
    parley_str_t          text;
    parley_test_random_t  random;

    random.state = shape;

    text = parley_test_tree_write(arena, tree, shape > 0 ? &random : NULL);

    for (i = 0; i < text.len; i++) {
        if (text.data[i] == '\n' || text.data[i] == '\r') {
            ((uint8_t *) (uintptr_t) text.data)[i] = ' ';
        }
    }

    return text;
}


static int
parley_test_run_fails(void *ctx, const parley_test_tree_t *tree)
{
    int                  fails;
    uint64_t             shape;
    parley_str_t         text;
    parley_arena_t       arena;
    parley_test_pair_t   pair;
    parley_test_look_t  *look = ctx;

    fails = 0;

    for (shape = 0; !fails && shape <= PARLEY_TEST_RUN_SHAPES; shape++) {
        parley_arena_init(&arena, &parley_mem_libc, 16384);

        pair.arena = &arena;
        text = parley_test_run_shape(&arena, tree, shape);

        fails = parley_test_run_look(look, text,
                                     parley_test_twin_tree(&arena, text),
                                     &pair)
                == PARLEY_TEST_PAIR_FAILED
                && strcmp(pair.failed, look->failed) == 0;

        if (fails) {
            look->shape = shape;
        }

        parley_arena_reset(&arena);
    }

    return fails;
}


static void
parley_test_run_failed(parley_test_look_t *look, uint64_t seed,
    parley_test_pair_t *pair, parley_str_t text,
    const parley_test_tree_t *tree)
{
    parley_str_t         small;
    parley_test_pair_t   last;
    parley_test_tree_t  *least;

    look->failed = pair->failed;
    small = text;
    last = *pair;

    if (tree != NULL && parley_test_run_fails(look, tree)) {
        least = parley_test_shrink(pair->arena, tree, parley_test_run_fails,
                                   look, PARLEY_TEST_RUN_TRIES);
        (void) parley_test_run_fails(look, least);
        small = parley_test_run_shape(pair->arena, least, look->shape);
        last.arena = pair->arena;
        (void) parley_test_run_look(look, small, least, &last);
    }

    fail_msg("%s-to-%s: %s (seed %llu, variant %llu)\n%.*s\n%s",
             (const char *) parley_proto_name(look->from).data,
             (const char *) parley_proto_name(look->to).data, pair->failed,
             (unsigned long long) seed, (unsigned long long) look->variant,
             (int) small.len, (const char *) small.data, last.what);
}


static void
parley_test_run_each(parley_test_run_t *run, parley_proto_t proto,
    uint64_t seed, uint64_t variant, int spoiled, parley_str_t text,
    parley_arena_t *arena)
{
    unsigned                    to, taken;
    parley_arena_t              scratch;
    parley_test_tree_t         *tree;
    parley_test_pair_t          pair;
    parley_test_look_t          look;
    parley_test_pair_result_t   result;

    snprintf(parley_test_run_now, sizeof(parley_test_run_now),
             "# seed %llu, %s: %.*s\n", (unsigned long long) seed,
             (const char *) parley_proto_name(proto).data, (int) text.len,
             (const char *) text.data);

    tree = parley_test_twin_tree(arena, text);
    taken = 0;

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {
        if (to == (unsigned) proto) {
            continue;
        }

        look.run = run;
        look.from = proto;
        look.to = (parley_proto_t) to;
        look.variant = variant;
        look.spoiled = spoiled;

        parley_arena_init(&scratch, &parley_mem_libc, 65536);
        pair.arena = &scratch;

        result = parley_test_run_look(&look, text, tree, &pair);

        if (result == PARLEY_TEST_PAIR_FAILED) {
            parley_test_run_failed(&look, seed, &pair, text, tree);
        }

        run->said[proto][to] += result == PARLEY_TEST_PAIR_SAID;
        run->unsaid[proto][to] += result == PARLEY_TEST_PAIR_UNSAID;
        taken |= result != PARLEY_TEST_PAIR_REFUSED;

        if (result != PARLEY_TEST_PAIR_REFUSED) {
            run->acts[proto][pair.m.msg.act]++;
        }

        parley_arena_reset(&scratch);

        /* all other targets refuse it too */

        if (result == PARLEY_TEST_PAIR_REFUSED) {
            break;
        }
    }

    if (taken) {
        run->taken++;
    } else {
        run->refused++;
    }

    if (taken && !spoiled) {
        parley_test_form_seen(&run->forms, proto, tree);
    }
}


void
parley_test_run_message(parley_test_run_t *run, parley_proto_t proto,
    unsigned i)
{
    uint64_t               variant;
    parley_str_t           text;
    parley_arena_t         arena;
    parley_test_tree_t    *tree;
    parley_test_source_t   source;

    parley_arena_init(&arena, &parley_mem_libc, 65536);

    source.arena = &arena;
    source.random.state = run->seed + i;

    tree = parley_test_form(&run->forms, &source, proto);
    text = parley_test_tree_write(&arena, tree, &source.random);
    variant = parley_test_random(&source.random) % 100000;

    parley_test_run_each(run, proto, run->seed + i, variant, 0, text, &arena);

    parley_arena_reset(&arena);
}


void
parley_test_run_spoiled(parley_test_run_t *run, parley_proto_t proto,
    unsigned i)
{
    uint64_t               variant;
    parley_str_t           text;
    parley_arena_t         arena;
    parley_proto_t         other;
    parley_test_tree_t    *tree;
    parley_test_source_t   source;

    parley_arena_init(&arena, &parley_mem_libc, 65536);

    source.arena = &arena;
    source.random.state = run->seed + i;

    other = (parley_proto_t) parley_test_below(&source.random,
                                               PARLEY_PROTO_COUNT);
    tree = parley_test_form(&run->forms, &source, proto);

    if (parley_test_chance(&source.random, 75)) {
        parley_test_mutate(&source, tree, parley_test_form(&run->forms,
                                                           &source, other));
        text = parley_test_tree_write(&arena, tree, &source.random);

    } else {
        text = parley_test_tree_write(&arena, tree, &source.random);
        text = parley_test_mutate_octets(&source, text);
    }

    variant = parley_test_random(&source.random) % 100000;

    parley_test_run_each(run, proto, run->seed + i, variant, 1, text, &arena);

    parley_arena_reset(&arena);
}
