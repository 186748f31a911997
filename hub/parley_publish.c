#include <string.h>

#include "hub/parley_publish.h"


#define PARLEY_PUBLISH_PARTS  2


int
parley_publication_append(parley_arena_t *arena, const parley_publish_t *p,
    parley_append_t *ret)
{
    parley_str_t  *parts;

    memset(ret, 0, sizeof(parley_append_t));

    parts = parley_arena_alloc(arena,
                               PARLEY_PUBLISH_PARTS * sizeof(parley_str_t));

    if (parts == NULL
        || parley_publication_write(arena, p->publication, parts) != 0)
    {
        return -1;
    }

    ret->logs = p->logs;
    ret->nlogs = p->nlogs;
    ret->parts = parts;
    ret->nparts = PARLEY_PUBLISH_PARTS;
    ret->account = p->account;
    ret->retention = p->retention;
    ret->ttl = p->ttl;
    ret->closes = p->closes;
    ret->arena = arena;

    if (p->publication->audience.form == PARLEY_AUDIENCE_SESSION) {
        ret->session = p->publication->audience.session;
    }

    return 0;
}
