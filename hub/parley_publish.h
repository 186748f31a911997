/*
 * Publishing: a publication is appended to logs, and processes with subscribers
 * are woken (HUB-01: an answered message was appended).  In this order:
 *
 *   parley_publication_append()    prepares the append
 *   parley_selector_count()    counts the subscribers in its result
 *   parley_hub_env_t.wake      wakes the processes
 */

#ifndef PARLEY_PUBLISH_H
#define PARLEY_PUBLISH_H

#include "hub/parley_publication.h"


/* ms that a record lives if its message has no limit */
#define PARLEY_PUBLISH_LIVES  ((int64_t) 1 << 40)


typedef struct {
    const parley_publication_t   *publication;
    const uint8_t               (*logs)[PARLEY_KEY_LEN];    /* keys of the logs,
                                                               distinct */
    size_t                        nlogs;
    const uint8_t                *account;  /* account of the sender */
    parley_retention_t            retention;
    int64_t                       ttl;      /* ms */
    unsigned                      closes:1; /* the logs take no appends after
                                               this one */
} parley_publish_t;


/*
 * Fills *ret, which borrows from p and the arena.  Returns 0, or -1 if a text
 * of the publication is too long or memory is exhausted.
 */
int parley_publication_append(parley_arena_t *arena, const parley_publish_t *p,
    parley_append_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PUBLISH_H */
