#include <stdio.h>
#include <string.h>

#include "parley_actor.h"
#include "parley_directory_instrument.h"


static uint32_t *parley_directory_instrument_slot(
    const parley_directory_t *dir, parley_str_t name);
static const parley_principal_t *parley_directory_instrument_named(
    const parley_directory_t *dir, const parley_principal_t *self,
    parley_str_t instrument);
static const parley_principal_t *parley_directory_instrument_listed(
    const parley_directory_t *dir, const parley_principal_t *self,
    parley_str_t name);
static parley_str_t parley_directory_instrument_name(parley_str_t instrument);


/* prefixes of an instrument's name; VCP and MoQ names do not tell agents */
static const parley_str_t  parley_directory_agents[PARLEY_NAMESPACE_COUNT] = {
#define X(id, word, member, shape, title, agent, human)  parley_str(agent),
    PARLEY_PROTOCOLS(X, , )
#undef X
};


int
parley_directory_instruments(parley_directory_t *dir, parley_arena_t *arena,
    parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    size_t                     i;
    uint32_t                  *slot;
    parley_str_t               text;
    const parley_principal_t  *owner;

    dir->instruments = parley_arena_calloc(arena, ((size_t) dir->mask + 1)
                                                  * sizeof(uint32_t));
    if (dir->instruments == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < dir->nprincipals; i++) {
        text = dir->principals[i].instrument;

        if (text.len == 0) {
            continue;
        }

        owner = parley_directory_instrument_named(dir, &dir->principals[i],
                                                  text);
        if (owner != NULL) {
            (void) snprintf(pointer, sizeof(pointer),
                            "/principals/%zu/instrument", i);

            return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                    "instrument \"%.*s\" has the name of "
                                    "/principals/%zu, which does not act for "
                                    "\"%.*s\"",
                                    (int) text.len, (const char *) text.data,
                                    (size_t) (owner - dir->principals),
                                    dir->principals[i].sub.len < 64
                                    ? (int) dir->principals[i].sub.len : 64,
                                    (const char *)
                                    dir->principals[i].sub.data);
        }

        slot = parley_directory_instrument_slot(dir,
                   parley_directory_instrument_name(text));

        if (*slot == 0) {
            *slot = (uint32_t) i + 1;
        }
    }

    return 0;
}


/*
 * Returns the slot of a name without ~ and version, or the free one where it
 * belongs.
 */

static uint32_t *
parley_directory_instrument_slot(const parley_directory_t *dir,
    parley_str_t name)
{
    uint32_t   i;
    uint32_t  *slot;

    for (i = parley_directory_hash(name); /* void */ ; i++) {
        slot = &dir->instruments[i & dir->mask];

        if (*slot == 0
            || parley_str_eq(parley_directory_instrument_name(
                                 dir->principals[*slot - 1].instrument),
                             name))
        {
            return slot;
        }
    }
}


const parley_principal_t *
parley_directory_by_instrument(const parley_directory_t *dir,
    const parley_principal_t *self, parley_str_t instrument)
{
    const parley_principal_t  *owner;

    owner = parley_directory_instrument_named(dir, self, instrument);

    return owner != NULL ? owner
           : parley_directory_instrument_listed(dir, self,
                 parley_directory_instrument_name(instrument));
}


const parley_principal_t *
parley_directory_by_agent(const parley_directory_t *dir,
    const parley_principal_t *self, parley_namespace_t space,
    parley_str_t name)
{
    parley_str_t  prefix;

    prefix = parley_directory_agents[space];

    if (prefix.len == 0 || name.len <= prefix.len
        || memcmp(name.data, prefix.data, prefix.len) != 0)
    {
        return NULL;
    }

    return parley_directory_instrument_listed(dir, self,
                                              parley_str_from(name,
                                                              prefix.len));
}


/*
 * Returns a principal whose own name the instrument is and which does not act
 * for self, or NULL.
 */

static const parley_principal_t *
parley_directory_instrument_named(const parley_directory_t *dir,
    const parley_principal_t *self, parley_str_t instrument)
{
    char                       text[PARLEY_NAME_MAX];
    unsigned                   i;
    parley_str_t               name, prefix, human;
    const parley_principal_t  *owner;

    name = parley_directory_instrument_name(instrument);

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        prefix = parley_directory_agents[i];

        if (prefix.len == 0 || prefix.len + name.len > sizeof(text)) {
            continue;
        }

        memcpy(text, prefix.data, prefix.len);
        memcpy(text + prefix.len, name.data, name.len);

        owner = parley_directory_by_name(dir, (parley_namespace_t) i,
                                         parley_str_make(text, prefix.len
                                                               + name.len));
        if (owner == NULL || owner == self) {
            continue;
        }

        human = parley_actor_human(owner);

        if (self == NULL || human.len == 0
            || !parley_str_eq(human, self->names[PARLEY_NAMESPACE_HANDLE]))
        {
            return owner;
        }
    }

    return NULL;
}


/*
 * Returns the principal that lists the instrument, unless it acts for the same
 * human as self.
 */

static const parley_principal_t *
parley_directory_instrument_listed(const parley_directory_t *dir,
    const parley_principal_t *self, parley_str_t name)
{
    uint32_t                   slot;
    parley_str_t               human;
    const parley_principal_t  *owner;

    slot = *parley_directory_instrument_slot(dir, name);

    if (slot == 0) {
        return NULL;
    }

    owner = &dir->principals[slot - 1];

    if (self == NULL) {
        return owner;
    }

    human = parley_actor_human(self);

    return owner == self
           || (human.len > 0 && parley_str_eq(human,
                                              parley_actor_human(owner)))
           ? NULL : owner;
}


/* Strips ~ and version. */

static parley_str_t
parley_directory_instrument_name(parley_str_t instrument)
{
    return parley_str_from(parley_str_until(instrument, '@'), 1);
}
