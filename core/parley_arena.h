/*
 * One arena per request: allocation is a pointer increment, freeing is for
 * the whole arena at once.  Memory comes from the caller (parley_mem_t), so
 * that the gateway can take it from an nginx pool and a test can make the
 * n-th allocation fail.
 */

#ifndef PARLEY_ARENA_H
#define PARLEY_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


typedef struct {
    void  *(*alloc)(void *ctx, size_t size);    /* NULL: no memory */
    void   (*free)(void *ctx, void *p);         /* may be NULL: never freed */
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


/*
 * Makes an empty arena; allocates nothing yet.  block_size is the size of
 * the blocks asked for (0: 4096 octets); a larger allocation gets a block of
 * its own.
 */
void parley_arena_init(parley_arena_t *arena, const parley_mem_t *mem,
    size_t block_size);

/* Gives every block back; the arena is empty and usable again. */
void parley_arena_reset(parley_arena_t *arena);

/* Aligned to 16 octets, not zeroed; NULL where memory cannot be had. */
void *parley_arena_alloc(parley_arena_t *arena, size_t size)
    __attribute__((warn_unused_result));

/* The same, zeroed. */
void *parley_arena_calloc(parley_arena_t *arena, size_t size)
    __attribute__((warn_unused_result));

/* Octets without alignment, for text. */
uint8_t *parley_arena_octets(parley_arena_t *arena, size_t size)
    __attribute__((warn_unused_result));

/*
 * Copies s and a terminating zero (not counted) into the arena.
 * Returns 0, or -1 where memory cannot be had; *ret is then empty.
 */
int parley_arena_str(parley_arena_t *arena, parley_str_t s, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_ARENA_H */
