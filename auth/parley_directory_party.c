/* Ownership of names that are derived from one another (SEC-21). */

#include <string.h>

#include "auth/parley_directory_index.h"


/* a name of a principal, and its slot's number in the table of parties */
typedef struct {
    const parley_principal_t  *principal;
    parley_namespace_t         space;
} parley_directory_named_t;


static int parley_directory_is_named(const parley_principal_t *p);
static int parley_directory_party_of(const parley_directory_t *dir,
    const parley_principal_t *p, unsigned space, parley_party_t *ret);
static uint32_t *parley_directory_party_slot(const parley_directory_t *dir,
    const parley_party_t *party);
static uint32_t parley_directory_hash_party(const parley_party_t *party);
static int parley_directory_party_find(const parley_directory_t *dir,
    const parley_party_t *party, parley_directory_named_t *ret);


int
parley_directory_parties(parley_directory_t *dir, parley_arena_t *arena,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    size_t           i;
    uint32_t        *slot;
    unsigned         space;
    parley_party_t   party;

    if (dir->party == NULL) {
        return 0;
    }

    dir->parties = parley_arena_calloc(arena, ((size_t) dir->likes_mask + 1)
                                              * sizeof(uint32_t));
    if (dir->parties == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < dir->nprincipals; i++) {
        for (space = 0; space < PARLEY_NAMESPACE_COUNT; space++) {

            if (parley_directory_party_of(dir, &dir->principals[i], space,
                                          &party)
                != 0)
            {
                continue;
            }

            if (parley_directory_account_taken(dir, i,
                    (parley_namespace_t) space, &party, first, err)
                != 0)
            {
                return -1;
            }

            slot = parley_directory_party_slot(dir, &party);

            if (*slot == 0) {
                *slot = (uint32_t) i * PARLEY_NAMESPACE_COUNT + space + 1;

            } else if ((*slot - 1) / PARLEY_NAMESPACE_COUNT != i) {
                return parley_directory_clash(dir, i,
                           (parley_namespace_t) space,
                           (*slot - 1) / PARLEY_NAMESPACE_COUNT,
                           (parley_namespace_t)
                           ((*slot - 1) % PARLEY_NAMESPACE_COUNT),
                           first, err);
            }
        }
    }

    return 0;
}


/* Returns whether a principal lists a name in any protocol. */

static int
parley_directory_is_named(const parley_principal_t *p)
{
    unsigned  i;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        if (i != PARLEY_NAMESPACE_SUB && p->names[i].len > 0) {
            return 1;
        }
    }

    return 0;
}


/*
 * Reads the party of a principal's name in a name space.  A principal without
 * names has its sub as the name in each protocol with a fitting syntax.
 * Returns 0, or -1 if the principal has no name that can be read.
 */

static int
parley_directory_party_of(const parley_directory_t *dir,
    const parley_principal_t *p, unsigned space, parley_party_t *ret)
{
    parley_str_t  name;

    memset(ret, 0, sizeof(parley_party_t));

    name = p->names[space];

    if (name.len > 0) {
        return dir->party((parley_namespace_t) space, name, ret);
    }

    return !parley_directory_is_named(p)
           && dir->party((parley_namespace_t) space, p->sub, ret) == 0
           && !ret->opaque ? 0 : -1;
}


/* Returns the slot of the party, or the free one where it belongs. */

static uint32_t *
parley_directory_party_slot(const parley_directory_t *dir,
    const parley_party_t *party)
{
    uint32_t         i, at;
    uint32_t        *slot;
    parley_party_t   other;

    for (i = parley_directory_hash_party(party); /* void */ ; i++) {
        slot = &dir->parties[i & dir->likes_mask];

        if (*slot == 0) {
            return slot;
        }

        at = *slot - 1;

        if (parley_directory_party_of(dir,
                &dir->principals[at / PARLEY_NAMESPACE_COUNT],
                at % PARLEY_NAMESPACE_COUNT, &other)
            == 0
            && parley_directory_party_eq(party, &other))
        {
            return slot;
        }
    }
}


static uint32_t
parley_directory_hash_party(const parley_party_t *party)
{
    return parley_directory_hash(party->name) + party->kind
           + (party->host.len > 0 ? parley_directory_hash(party->host) : 0);
}


int
parley_directory_party_eq(const parley_party_t *a, const parley_party_t *b)
{
    return a->kind == b->kind && parley_str_eq(a->name, b->name)
           && parley_str_eq(a->host, b->host);
}


/* Finds the name of a principal that means this party: 1, or 0. */

static int
parley_directory_party_find(const parley_directory_t *dir,
    const parley_party_t *party, parley_directory_named_t *ret)
{
    uint32_t  slot;

    slot = *parley_directory_party_slot(dir, party);

    if (slot == 0) {
        return 0;
    }

    slot--;
    ret->principal = &dir->principals[slot / PARLEY_NAMESPACE_COUNT];
    ret->space = (parley_namespace_t) (slot % PARLEY_NAMESPACE_COUNT);

    return 1;
}


const parley_principal_t *
parley_directory_by_name(const parley_directory_t *dir,
    parley_namespace_t space, parley_str_t name)
{
    parley_party_t             party;
    const parley_principal_t  *p;
    parley_directory_named_t   named;

    p = parley_directory_listed(dir, space, name);

    if (p != NULL || name.len == 0 || dir->party == NULL) {
        return p;
    }

    memset(&party, 0, sizeof(party));

    if (dir->party(space, name, &party) != 0
        || !parley_directory_party_find(dir, &party, &named)
        || named.principal->names[space].len > 0)
    {
        return NULL;
    }

    /* the sub of a principal with names is only its name in MoQ */

    return named.space != PARLEY_NAMESPACE_SUB
           || !parley_directory_is_named(named.principal)
           ? named.principal : NULL;
}


const parley_principal_t *
parley_directory_owner(const parley_directory_t *dir,
    parley_namespace_t space, parley_str_t name)
{
    unsigned                   i;
    parley_party_t             party;
    const parley_principal_t  *p;
    parley_directory_named_t   named;

    p = parley_directory_listed(dir, space, name);

    if (p != NULL || name.len == 0 || dir->party == NULL) {
        return p;
    }

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        memset(&party, 0, sizeof(party));

        if (dir->party((parley_namespace_t) i, name, &party) != 0
            || (i != space && party.opaque))
        {
            continue;
        }

        if (parley_directory_party_find(dir, &party, &named)) {
            return named.principal;
        }

        p = parley_directory_account_owner(dir, (parley_namespace_t) i,
                                           &party);
        if (p != NULL) {
            return p;
        }
    }

    return NULL;
}
