/*
 * Publishing: a publication is appended to logs, and whoever has subscribers is
 * woken (HUB-01: what was answered was appended).
 *
 *     parley_publish_append()     what is to be asked of the state
 *     parley_selector_count()     when it answered: how many it is for
 *     parley_hub_env_t.wake       and then
 */

#ifndef PARLEY_PUBLISH_H
#define PARLEY_PUBLISH_H

#include "hub/parley_publication.h"


/* ms that a record lives whose message does not say how long */
#define PARLEY_PUBLISH_LIVES  ((int64_t) 1 << 40)


typedef struct {
    const parley_publication_t   *publication;
    const uint8_t               (*logs)[PARLEY_KEY_LEN];    /* no two are
                                                               equal */
    size_t                        nlogs;
    const uint8_t                *account;  /* of the sender */
    parley_retention_t            retention;
    int64_t                       ttl;      /* ms */
    unsigned                      closes:1; /* nothing comes after it */
} parley_publish_t;


/*
 * Fills *ret, which points to what p does, and into the arena.  Returns 0, or
 * -1: a text of the publication is too long, or there is no memory.
 */
int parley_publish_append(parley_arena_t *arena, const parley_publish_t *p,
    parley_append_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PUBLISH_H */
