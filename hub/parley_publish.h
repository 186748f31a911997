/*
 * Publishing: a publication is appended to logs, and whoever has subscribers is
 * woken (HUB-01: what was answered was appended).
 */

#ifndef PARLEY_PUBLISH_H
#define PARLEY_PUBLISH_H

#include "parley_hub.h"


typedef struct parley_publish_s  parley_publish_t;

/* The caller's, until it is done or cancelled. */
struct parley_publish_s {
    const parley_publication_t   *publication;
    const uint8_t               (*logs)[PARLEY_KEY_LEN];    /* no two are
                                                               equal */
    size_t                        nlogs;
    const uint8_t                *account;  /* of the sender */
    parley_retention_t            retention;
    int64_t                       ttl;      /* ms */
    unsigned                      closes:1; /* nothing comes after it */
    parley_arena_t               *arena;
    void                        (*done)(parley_publish_t *p);
    void                         *ctx;

    /* when it is done */
    parley_append_verdict_t       verdict;
    int64_t                       count;    /* subscriptions it was emitted to
                                               (ACH-19) */
    const parley_placed_t        *places;   /* [nlogs] */

    /* private */
    parley_hub_t                 *hub;
    parley_call_t                 call;
    parley_appended_t             appended;
};


/*
 * DONE: at once; else p->done is called.  A publication that cannot be written
 * is PARLEY_APPEND_MEMORY.
 */
parley_state_done_t parley_publish(parley_hub_t *hub, parley_publish_t *p);

/* Nobody waits for it: it may be published all the same. */
void parley_publish_cancel(parley_publish_t *p);


#endif /* PARLEY_PUBLISH_H */
