/* Memory of a link, which is counted and may fail. */

#include "t/simulate-link/parley_sim_link.h"


struct sim_block_s {
    sim_block_t  *next;
    sim_block_t  *prev;
    size_t        size;
    size_t        pad;          /* aligns the octets to 16 */
};


void *
sim_mem_alloc(void *ctx, size_t size)
{
    sim_mem_t    *mem = ctx;
    sim_block_t  *b;

    mem->count++;

    if (mem->every != 0 && mem->count % mem->every == 0) {
        mem->starved = 1;
        return NULL;
    }

    b = malloc(sizeof(sim_block_t) + size);

    if (b == NULL) {
        abort();
    }

    memset(b + 1, 0xA5, size);

    b->size = size;
    b->prev = NULL;
    b->next = mem->blocks;

    if (b->next != NULL) {
        b->next->prev = b;
    }

    mem->blocks = b;
    mem->octets += size;

    if (mem->octets > mem->most) {
        mem->most = mem->octets;
    }

    return b + 1;
}


void
sim_mem_free(void *ctx, void *p)
{
    sim_mem_t    *mem = ctx;
    sim_block_t  *b = (sim_block_t *) p - 1;

    if (b->prev != NULL) {
        b->prev->next = b->next;

    } else {
        mem->blocks = b->next;
    }

    if (b->next != NULL) {
        b->next->prev = b->prev;
    }

    mem->octets -= b->size;
    memset(b, 0x5A, sizeof(sim_block_t) + b->size);
    free(b);
}


void
sim_env_free(sim_mem_t *mem)
{
    while (mem->blocks != NULL) {
        sim_mem_free(mem, mem->blocks + 1);
    }
}
