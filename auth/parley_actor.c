#include <string.h>

#include "auth/parley_actor.h"


static int parley_actor_has_human_name(const parley_principal_t *principal);
static int parley_actor_is_own_instrument(const parley_principal_t *principal,
    parley_str_t handle);


/* prefixes of human names; handles are told apart by their tier */
static const parley_str_t  parley_actor_humans[PARLEY_NAMESPACE_COUNT] = {
#define X(id, word, member, shape, title, agent, human)  parley_str(human),
    PARLEY_PROTOCOLS(X, , )
#undef X
};


int
parley_actor_is_instrument(const parley_principal_t *principal)
{
    return principal != NULL
           && (principal->human.len > 0 || principal->instrument.len > 0);
}


int
parley_actor_is_sovereign(parley_str_t handle)
{
    return handle.len > 0 && !parley_str_begins(handle, "~cc-");
}


parley_str_t
parley_actor_human(const parley_principal_t *principal)
{
    parley_str_t               handle;
    const parley_principal_t  *p;

    for (p = principal; p != NULL; p = p->above) {

        if (p->sovereign != NULL) {
            return p->sovereign->names[PARLEY_NAMESPACE_HANDLE];
        }

        if (p->human.len > 0) {
            return p->human;
        }

        handle = p->names[PARLEY_NAMESPACE_HANDLE];

        if (parley_actor_is_sovereign(handle)
            && !parley_actor_is_own_instrument(p, handle)
            && parley_actor_has_human_name(p))
        {
            return handle;
        }
    }

    return parley_str_none;
}


/*
 * Decides by the names in the other protocols; without any, the handle alone
 * decides.
 */

static int
parley_actor_has_human_name(const parley_principal_t *principal)
{
    unsigned      i, named;
    parley_str_t  name;

    named = 0;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        name = principal->names[i];

        if (parley_actor_humans[i].len == 0 || name.len == 0) {
            continue;
        }

        named = 1;

        if (name.len > parley_actor_humans[i].len
            && memcmp(name.data, parley_actor_humans[i].data,
                      parley_actor_humans[i].len)
               == 0)
        {
            return 1;
        }
    }

    return !named;
}


/*
 * Returns whether the principal lists the handle, in any version, as its
 * instrument.
 */

static int
parley_actor_is_own_instrument(const parley_principal_t *principal,
    parley_str_t handle)
{
    return parley_instrument_is_listed(&principal->instruments, handle);
}
