/* core/parley_arena.h */

#include "t/unit/parley_test.h"


static void
test_alloc(void **state)
{
    size_t              i, j, n;
    uint8_t            *p[300];
    parley_mem_t        mem;
    parley_arena_t      arena;
    parley_test_mem_t   memory;

    (void) state;

    mem = parley_test_mem(&memory, 0);
    parley_arena_init(&arena, &mem, 512);
    assert_int_equal(memory.allocations, 0);

    for (i = 0; i < 300; i++) {
        n = i * 7 % 200;
        p[i] = parley_arena_alloc(&arena, n);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t) p[i] % 16, 0);
        memset(p[i], (int) i, n);
    }

    for (i = 0; i < 300; i++) {
        for (j = 0; j < i * 7 % 200; j++) {
            assert_int_equal(p[i][j], (uint8_t) i);
        }
    }

    parley_arena_reset(&arena);
    assert_int_equal(memory.live, 0);

    assert_non_null(parley_arena_alloc(&arena, 100));
    parley_arena_reset(&arena);
    assert_int_equal(memory.live, 0);
}


static void
test_zeroed(void **state)
{
    size_t          i;
    uint8_t        *p;
    parley_arena_t  arena;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    p = parley_arena_alloc(&arena, 1000);
    assert_non_null(p);
    memset(p, 0xFF, 1000);

    p = parley_arena_calloc(&arena, 2000);
    assert_non_null(p);

    for (i = 0; i < 2000; i++) {
        assert_int_equal(p[i], 0);
    }

    parley_arena_reset(&arena);
}


/* Small allocations share a block; after a large one the block stays in use. */
static void
test_blocks(void **state)
{
    uint8_t            *a, *b;
    parley_mem_t        mem;
    parley_arena_t      arena;
    parley_test_mem_t   memory;

    (void) state;

    mem = parley_test_mem(&memory, 0);
    parley_arena_init(&arena, &mem, 0);

    a = parley_arena_octets(&arena, 10);
    b = parley_arena_octets(&arena, 10);
    assert_non_null(a);
    assert_ptr_equal(b, a + 10);
    assert_int_equal(memory.allocations, 1);

    assert_non_null(parley_arena_alloc(&arena, 100000));
    assert_int_equal(memory.allocations, 2);

    assert_ptr_equal(parley_arena_octets(&arena, 1), b + 10);
    assert_int_equal(memory.allocations, 2);

    a = parley_arena_alloc(&arena, 16);
    assert_non_null(a);
    assert_int_equal((uintptr_t) a % 16, 0);
    assert_int_equal(memory.allocations, 2);

    parley_arena_reset(&arena);
    assert_int_equal(memory.live, 0);
}


static void
test_str(void **state)
{
    char                text[] = "text";
    parley_mem_t        mem;
    parley_str_t        ret;
    parley_arena_t      arena;
    parley_test_mem_t   memory;

    (void) state;

    mem = parley_test_mem(&memory, 0);
    parley_arena_init(&arena, &mem, 0);

    assert_int_equal(parley_arena_str(&arena, parley_str_c(text), &ret), 0);
    memset(text, 'x', 4);
    parley_assert_str(ret, "text");
    assert_int_equal(ret.data[4], '\0');

    assert_int_equal(parley_arena_str(&arena, parley_str_none, &ret), 0);
    assert_int_equal(ret.len, 0);
    assert_non_null(ret.data);
    assert_int_equal(ret.data[0], '\0');

    assert_int_equal(parley_arena_str(&arena,
                                      parley_str_make(text, SIZE_MAX), &ret),
                     -1);
    assert_null(ret.data);

    parley_arena_reset(&arena);
}


static void
test_no_memory(void **state)
{
    size_t              n, got;
    unsigned            i;
    parley_mem_t        mem;
    parley_str_t        ret;
    parley_arena_t      arena;
    parley_test_mem_t   memory;

    (void) state;

    for (n = 1; n < 8; n++) {
        mem = parley_test_mem(&memory, n);
        parley_arena_init(&arena, &mem, 128);
        got = 0;

        for (i = 0; i < 10; i++) {
            got += parley_arena_alloc(&arena, 100) != NULL;
        }

        assert_int_equal(got, n - 1);

        assert_null(parley_arena_calloc(&arena, 1000));
        assert_null(parley_arena_octets(&arena, 1000));
        assert_null(parley_arena_alloc(&arena, SIZE_MAX));
        assert_null(parley_arena_alloc(&arena, SIZE_MAX - 40));

        assert_int_equal(parley_arena_str(&arena, parley_str_make("", 0),
                                          &ret),
                         (n == 1) ? -1 : 0);

        parley_arena_reset(&arena);
        assert_int_equal(memory.live, 0);
    }
}


/* Memory that is not freed piece by piece, such as an nginx pool's. */
static void
test_no_free(void **state)
{
    void               *block;
    parley_mem_t        mem;
    parley_arena_t      arena;
    parley_test_mem_t   memory;

    (void) state;

    mem = parley_test_mem(&memory, 0);
    mem.free = NULL;

    parley_arena_init(&arena, &mem, 0);
    assert_non_null(parley_arena_alloc(&arena, 10));

    block = arena.blocks;
    parley_arena_reset(&arena);
    assert_int_equal(memory.live, 1);
    assert_null(arena.blocks);

    free(block);
}


static void
test_lent(void **state)
{
    char               *p;
    char                octets[256];
    parley_mem_t        mem;
    parley_arena_t      arena;
    parley_test_mem_t   memory;

    (void) state;

    mem = parley_test_mem(&memory, 0);

    parley_arena_init(&arena, &mem, 512);
    parley_arena_lend(&arena, octets, sizeof(octets));

    p = parley_arena_alloc(&arena, 200);
    assert_true(p >= octets && p + 200 <= octets + sizeof(octets));
    assert_int_equal(memory.live, 0);

    assert_non_null(parley_arena_alloc(&arena, 200));
    assert_int_equal(memory.live, 1);

    /* lent octets are not freed, and are not used again */

    parley_arena_reset(&arena);
    assert_int_equal(memory.live, 0);

    assert_non_null(parley_arena_alloc(&arena, 100));
    assert_int_equal(memory.live, 1);

    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("allocations are aligned and apart", test_alloc),
    parley_test("calloc zeroes", test_zeroed),
    parley_test("blocks are shared", test_blocks),
    parley_test("strings are copied and terminated", test_str),
    parley_test("memory that fails", test_no_memory),
    parley_test("memory without a free", test_no_free),
    parley_test("memory that is lent", test_lent),
};


PARLEY_TEST_MAIN(tests)
