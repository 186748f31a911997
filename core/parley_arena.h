/*
 * A bump allocator: one arena per request, freed as a whole.  Blocks come from
 * a parley_mem_t, so the gateway can draw on an nginx pool and a test can fail
 * the n-th allocation.
 */

#ifndef PARLEY_ARENA_H
#define PARLEY_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


typedef struct {
    void  *(*alloc)(void *ctx, size_t size);    /* NULL on failure */
    void   (*free)(void *ctx, void *p);         /* NULL: never called */
    void    *ctx;
} parley_mem_t;


typedef struct parley_arena_block_s  parley_arena_block_t;

typedef struct {
    uint8_t               *pos;
    uint8_t               *end;
    parley_arena_block_t  *blocks;
    size_t                 block_size;
    parley_mem_t           mem;
} parley_arena_t;


/* malloc() and free() */
extern const parley_mem_t  parley_mem_libc;

/* malloc() and free(); memory is zeroed before it is freed */
extern const parley_mem_t  parley_mem_secret;


/*
 * Makes arena empty without allocating.  *mem is copied; the object behind
 * mem->ctx must outlive the arena.  block_size is in octets, 0 for 4096; a
 * request that does not fit into one block gets a block of its own.
 */
void parley_arena_init(parley_arena_t *arena, const parley_mem_t *mem,
    size_t block_size);

/*
 * Uses size octets of the caller as the first block of an empty arena, so that
 * small requests need no allocation.  The caller keeps ownership; the octets
 * must outlive the arena.
 */
void parley_arena_lend(parley_arena_t *arena, void *octets, size_t size);

/*
 * Frees all blocks and with them everything allocated; the arena can be used
 * again.
 */
void parley_arena_reset(parley_arena_t *arena);

/*
 * Returns size octets, uninitialised and aligned to 16, valid until the reset;
 * NULL if memory is exhausted.
 */
void *parley_arena_alloc(parley_arena_t *arena, size_t size)
    __attribute__((warn_unused_result));

/* As parley_arena_alloc(), zeroed. */
void *parley_arena_calloc(parley_arena_t *arena, size_t size)
    __attribute__((warn_unused_result));

/* As parley_arena_alloc(), unaligned: for text. */
uint8_t *parley_arena_octets(parley_arena_t *arena, size_t size)
    __attribute__((warn_unused_result));

/*
 * Copies s and a NUL, not counted in ret->len, into the arena.  Returns 0, or
 * -1 with *ret empty if memory is exhausted.
 */
int parley_arena_str(parley_arena_t *arena, parley_str_t s, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_ARENA_H */
