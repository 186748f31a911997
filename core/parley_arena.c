#include "core/parley_arena.h"

#include <stdlib.h>
#include <string.h>


#define PARLEY_ARENA_BLOCK  4096
#define PARLEY_ARENA_ALIGN  16


struct parley_arena_block_s {
    parley_arena_block_t  *next;
};


static void *parley_mem_libc_alloc(void *ctx, size_t size);
static void parley_mem_libc_free(void *ctx, void *p);
static void *parley_mem_secret_alloc(void *ctx, size_t size);
static void parley_mem_secret_free(void *ctx, void *p);
static uint8_t *parley_arena_align(uint8_t *p);
static uint8_t *parley_arena_block(parley_arena_t *arena, size_t size);


const parley_mem_t  parley_mem_secret = {
    parley_mem_secret_alloc,
    parley_mem_secret_free,
    NULL
};

const parley_mem_t  parley_mem_libc = {
    parley_mem_libc_alloc,
    parley_mem_libc_free,
    NULL
};


static void *
parley_mem_libc_alloc(void *ctx, size_t size)
{
    (void) ctx;

    return malloc(size);
}


static void
parley_mem_libc_free(void *ctx, void *p)
{
    (void) ctx;

    free(p);
}


/* The size of an allocation precedes its octets. */

static void *
parley_mem_secret_alloc(void *ctx, size_t size)
{
    uint8_t  *p;

    (void) ctx;

    p = size < SIZE_MAX - PARLEY_ARENA_ALIGN
        ? malloc(PARLEY_ARENA_ALIGN + size) : NULL;

    if (p == NULL) {
        return NULL;
    }

    memcpy(p, &size, sizeof(size));

    return p + PARLEY_ARENA_ALIGN;
}


static void
parley_mem_secret_free(void *ctx, void *p)
{
    size_t    size;
    uint8_t  *begin;

    (void) ctx;

    if (p == NULL) {
        return;
    }

    begin = (uint8_t *) p - PARLEY_ARENA_ALIGN;
    memcpy(&size, begin, sizeof(size));

    explicit_bzero(p, size);
    free(begin);
}


void
parley_arena_init(parley_arena_t *arena, const parley_mem_t *mem,
    size_t block_size)
{
    arena->pos = NULL;
    arena->end = NULL;
    arena->blocks = NULL;
    arena->block_size = (block_size == 0) ? PARLEY_ARENA_BLOCK : block_size;
    arena->mem = *mem;
}


void
parley_arena_lend(parley_arena_t *arena, void *octets, size_t size)
{
    arena->pos = octets;
    arena->end = arena->pos + size;
}


void
parley_arena_reset(parley_arena_t *arena)
{
    parley_arena_block_t  *b, *next;

    for (b = arena->blocks; b != NULL; b = next) {
        next = b->next;

        if (arena->mem.free != NULL) {
            arena->mem.free(arena->mem.ctx, b);
        }
    }

    arena->pos = NULL;
    arena->end = NULL;
    arena->blocks = NULL;
}


void *
parley_arena_alloc(parley_arena_t *arena, size_t size)
{
    uint8_t  *p;

    if (arena->pos != NULL) {
        p = parley_arena_align(arena->pos);

        if (p <= arena->end && size <= (size_t) (arena->end - p)) {
            arena->pos = p + size;
            return p;
        }
    }

    return parley_arena_block(arena, size);
}


void *
parley_arena_calloc(parley_arena_t *arena, size_t size)
{
    void  *p;

    p = parley_arena_alloc(arena, size);

    if (p != NULL) {
        memset(p, 0, size);
    }

    return p;
}


uint8_t *
parley_arena_octets(parley_arena_t *arena, size_t size)
{
    uint8_t  *p;

    if (arena->pos != NULL && size <= (size_t) (arena->end - arena->pos)) {
        p = arena->pos;
        arena->pos += size;
        return p;
    }

    return parley_arena_block(arena, size);
}


int
parley_arena_str(parley_arena_t *arena, parley_str_t s, parley_str_t *ret)
{
    uint8_t  *p;

    *ret = parley_str_none;

    if (s.len == SIZE_MAX) {
        return -1;
    }

    p = parley_arena_octets(arena, s.len + 1);
    if (p == NULL) {
        return -1;
    }

    if (s.len != 0) {
        memcpy(p, s.data, s.len);
    }

    p[s.len] = '\0';
    *ret = parley_str_make(p, s.len);

    return 0;
}


static uint8_t *
parley_arena_align(uint8_t *p)
{
    return p + (-(uintptr_t) p & (PARLEY_ARENA_ALIGN - 1));
}


/*
 * Allocates a block and returns its first size octets.  mem.alloc need only
 * align to a pointer.  The tail of the new block becomes the free space only if
 * it is larger than the free space of the current block.
 */
static uint8_t *
parley_arena_block(parley_arena_t *arena, size_t size)
{
    size_t                 total;
    uint8_t               *p, *end;
    parley_arena_block_t  *b;

    if (size > SIZE_MAX / 2) {
        return NULL;
    }

    total = sizeof(parley_arena_block_t) + PARLEY_ARENA_ALIGN + size;

    if (total < arena->block_size) {
        total = arena->block_size;
    }

    b = arena->mem.alloc(arena->mem.ctx, total);
    if (b == NULL) {
        return NULL;
    }

    b->next = arena->blocks;
    arena->blocks = b;

    p = parley_arena_align((uint8_t *) (b + 1));
    end = (uint8_t *) b + total;

    if (arena->pos == NULL || end - (p + size) > arena->end - arena->pos) {
        arena->pos = p + size;
        arena->end = end;
    }

    return p;
}
