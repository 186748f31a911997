#include <stdio.h>
#include <string.h>

#include "auth/parley_actor.h"
#include "auth/parley_directory_instrument.h"


static size_t parley_directory_tools(parley_directory_t *dir);
static int parley_directory_instrument_taken(const parley_directory_t *dir,
    const parley_principal_t *p, parley_str_t text,
    char first[PARLEY_POINTER_MAX], parley_error_t *err);
static const parley_principal_t *parley_directory_instrument_named(
    const parley_directory_t *dir, const parley_principal_t *self,
    parley_str_t instrument);
static const parley_principal_t *parley_directory_instrument_listed(
    const parley_directory_t *dir, const parley_principal_t *self,
    parley_str_t name);
static int parley_directory_instrument_is(const parley_directory_t *dir,
    parley_str_t instrument, const parley_party_t *party);
static parley_str_t parley_directory_instrument_text(unsigned space,
    parley_str_t instrument, char text[PARLEY_NAME_MAX]);
static parley_str_t parley_directory_instrument_name(parley_str_t instrument);


/* prefixes of an instrument's name; VCP and MoQ names do not tell agents */
static const parley_str_t  parley_directory_agents[PARLEY_NAMESPACE_COUNT] = {
#define X(id, word, member, shape, title, agent, human)  parley_str(agent),
    PARLEY_PROTOCOLS(X, , )
#undef X
};


int
parley_directory_instruments(parley_directory_t *dir, parley_arena_t *arena,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    size_t               i, k;
    parley_list_t        list;
    parley_principal_t  *p;

    if (parley_directory_group_init(&dir->instruments, arena,
                                    parley_directory_tools(dir), err)
        != 0)
    {
        return -1;
    }

    for (i = 0; i < dir->nprincipals; i++) {
        p = &dir->principals[i];
        list = p->instruments;

        for (k = 0; k < list.n; k++) {

            if (parley_directory_instrument_taken(dir, p, list.list[k], first,
                                                  err)
                != 0)
            {
                return -1;
            }

            parley_directory_group_add(&dir->instruments,
                parley_directory_instrument_name(list.list[k]), p);
        }
    }

    return 0;
}


/* Returns the number of instruments that the principals list. */

static size_t
parley_directory_tools(parley_directory_t *dir)
{
    size_t  i, n;

    for (i = 0, n = 0; i < dir->nprincipals; i++) {
        n += dir->principals[i].instruments.n;
    }

    return n;
}


/* Refuses an instrument that is the name of a principal of another human. */

static int
parley_directory_instrument_taken(const parley_directory_t *dir,
    const parley_principal_t *p, parley_str_t text,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    const parley_principal_t  *owner;

    owner = parley_directory_instrument_named(dir, p, text);

    if (owner == NULL) {
        return 0;
    }

    (void) snprintf(pointer, sizeof(pointer), "/principals/%zu/%s",
                    (size_t) (p - dir->principals),
                    parley_str_eq(text, p->instrument) ? "instrument"
                                                       : "instruments");
    (void) snprintf(first, PARLEY_POINTER_MAX, "/principals/%zu",
                    (size_t) (owner - dir->principals));

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                            "instrument \"%.*s\" has the name of "
                            "/principals/%zu, which does not act for "
                            "\"%.*s\"",
                            (int) text.len, (const char *) text.data,
                            (size_t) (owner - dir->principals),
                            p->sub.len < 64 ? (int) p->sub.len : 64,
                            (const char *) p->sub.data);
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
    unsigned        i;
    parley_str_t    prefix;
    parley_party_t  party;

    /* the name as a handle of an instrument, by the syntax of any protocol */

    for (i = 0; dir->party != NULL && i < PARLEY_NAMESPACE_COUNT; i++) {
        memset(&party, 0, sizeof(party));

        if (dir->party((parley_namespace_t) i, name, &party) == 0
            && (i == space || !party.opaque)
            && party.host.len == 0
            && parley_directory_instrument_is(dir, party.name, &party))
        {
            return parley_directory_instrument_listed(dir, self, party.name);
        }
    }

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


const parley_principal_t *
parley_directory_next_drafted(const parley_directory_t *dir,
    parley_str_t instrument, uint32_t *at)
{
    return parley_directory_group_next(&dir->instruments,
               parley_directory_instrument_name(instrument), at);
}


/*
 * Returns a principal that has the instrument as its own name and does not act
 * for self, or NULL.
 */

static const parley_principal_t *
parley_directory_instrument_named(const parley_directory_t *dir,
    const parley_principal_t *self, parley_str_t instrument)
{
    char                       text[PARLEY_NAME_MAX];
    unsigned                   i;
    parley_str_t               name, human;
    const parley_principal_t  *owner;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        name = parley_directory_instrument_text(i,
                   parley_directory_instrument_name(instrument), text);

        owner = parley_directory_owner(dir, (parley_namespace_t) i, name);

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
 * Returns a principal that lists the instrument, unless self lists it too or a
 * principal that lists it acts for self's human.
 */

static const parley_principal_t *
parley_directory_instrument_listed(const parley_directory_t *dir,
    const parley_principal_t *self, parley_str_t name)
{
    uint32_t                   at;
    parley_str_t               human;
    const parley_principal_t  *p, *owner;

    at = 0;
    owner = NULL;
    human = self != NULL ? parley_actor_human(self) : parley_str_none;

    while ((p = parley_directory_group_next(&dir->instruments, name, &at))
           != NULL)
    {
        owner = p;

        if (owner == self
            || (human.len > 0 && parley_str_eq(human,
                                               parley_actor_human(owner))))
        {
            return NULL;
        }
    }

    return owner;
}


/* Returns whether a party is that of an instrument, without ~ and version. */

static int
parley_directory_instrument_is(const parley_directory_t *dir,
    parley_str_t instrument, const parley_party_t *party)
{
    char            text[PARLEY_NAME_MAX];
    unsigned        i;
    parley_str_t    name;
    parley_party_t  other;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        name = parley_directory_instrument_text(i, instrument, text);
        memset(&other, 0, sizeof(other));

        if (name.len > 0
            && dir->party((parley_namespace_t) i, name, &other) == 0
            && parley_directory_party_eq(party, &other))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Writes the name of an instrument, given without ~ and version, in a name
 * space.  Empty if names there do not tell agents, or if it is too long.
 */

static parley_str_t
parley_directory_instrument_text(unsigned space, parley_str_t instrument,
    char text[PARLEY_NAME_MAX])
{
    parley_str_t  prefix;

    prefix = parley_directory_agents[space];

    if (prefix.len == 0 || prefix.len + instrument.len > PARLEY_NAME_MAX) {
        return parley_str_none;
    }

    memcpy(text, prefix.data, prefix.len);
    memcpy(text + prefix.len, instrument.data, instrument.len);

    return parley_str_make(text, prefix.len + instrument.len);
}


/* Strips ~ and version. */

static parley_str_t
parley_directory_instrument_name(parley_str_t instrument)
{
    return parley_str_from(parley_str_until(instrument, '@'), 1);
}
