/*
 * Common code of all unit tests: cmocka with its includes in the required
 * order, TAP output, test names that may carry rule numbers, files of t/cases,
 * and memory whose n-th allocation fails.
 *
 *     static const struct CMUnitTest  tests[] = {
 *         parley_test("VCP-03 message_id is a UUIDv4", test_message_id),
 *     };
 *
 *     PARLEY_TEST_MAIN(tests)
 */

#ifndef PARLEY_TEST_H
#define PARLEY_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/parley_arena.h"
#include "core/parley_str.h"


#define parley_test(name, f)  { (name), (f), NULL, NULL, NULL }

#define PARLEY_TEST_MAIN(tests)                                               \
    int                                                                       \
    main(void)                                                                \
    {                                                                         \
        cmocka_set_message_output(CM_OUTPUT_TAP);                             \
        return cmocka_run_group_tests(tests, NULL, NULL);                     \
    }


/* Asserts that a span holds exactly these octets. */
#define parley_assert_str(s, text)                                            \
    do {                                                                      \
        parley_str_t  assert_str = (s);                                       \
        assert_int_equal(assert_str.len, strlen(text));                       \
        assert_memory_equal(assert_str.data, (text), assert_str.len);         \
    } while (0)


/*
 * Returns the octets of a file, in an allocation of their exact size, so that
 * the address sanitizer detects a read beyond the end.  The caller frees
 * ret.data.  The path is relative to the project's root.  A file that cannot
 * be read fails the test.
 */
static inline parley_str_t
parley_test_file(const char *path)
{
    long      size;
    FILE     *file;
    uint8_t  *data;

    file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s cannot be opened (tests run in the project's root)",
                 path);
    }

    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    assert_true(size >= 0);
    rewind(file);

    data = malloc((size_t) size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t) size, file), size);
    fclose(file);

    data[size] = '\0';

    return parley_str_make(data, (size_t) size);
}


/*
 * Memory from malloc() in which the (fail_at)-th allocation, counted from 1,
 * and all later ones fail; 0: none fails.  To test every allocation, raise
 * fail_at until a run does not reach it (allocations < fail_at).
 */
typedef struct {
    size_t  fail_at;
    size_t  allocations;
    size_t  live;           /* allocated and not freed */
} parley_test_mem_t;


static inline void *
parley_test_mem_alloc(void *ctx, size_t size)
{
    void               *p;
    parley_test_mem_t  *state = ctx;

    state->allocations++;

    if (state->fail_at != 0 && state->allocations >= state->fail_at) {
        return NULL;
    }

    p = malloc(size);
    if (p != NULL) {
        state->live++;
    }

    return p;
}


static inline void
parley_test_mem_free(void *ctx, void *p)
{
    parley_test_mem_t  *state = ctx;

    state->live--;
    free(p);
}


static inline parley_mem_t
parley_test_mem(parley_test_mem_t *state, size_t fail_at)
{
    state->fail_at = fail_at;
    state->allocations = 0;
    state->live = 0;

    return (parley_mem_t) { parley_test_mem_alloc, parley_test_mem_free,
                            state };
}


#endif /* PARLEY_TEST_H */
