/* Accounts of chat platforms, and the surfaces that deliver for them. */

#include <stdio.h>

#include "auth/parley_directory_index.h"
#include "auth/parley_surface.h"


/* a list of a principal, and its member */
typedef struct {
    const parley_list_t  *list;
    const char           *member;
} parley_directory_sources_t;


static int parley_directory_account_add(parley_directory_t *dir,
    parley_arena_t *arena, size_t at, const parley_directory_sources_t *of,
    char first[PARLEY_POINTER_MAX], parley_error_t *err);
static uint32_t *parley_directory_account_slot(const parley_directory_t *dir,
    parley_str_t name, const parley_directory_account_t **ret_like);
static const parley_directory_account_t *parley_directory_account_find(
    const parley_directory_t *dir, parley_str_t name,
    const parley_directory_account_t **ret_like);
static const parley_directory_account_t *parley_directory_account_party(
    const parley_directory_t *dir, parley_namespace_t space,
    const parley_party_t *party);


int
parley_directory_accounts(parley_directory_t *dir, parley_arena_t *arena,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    size_t                       i, k, n, size;
    const parley_principal_t    *p;
    parley_directory_sources_t   lists[2];

    for (i = 0, n = 0; i < dir->nprincipals; i++) {
        n += dir->principals[i].accounts.n + dir->principals[i].surface.n;
    }

    if (n == 0) {
        return 0;
    }

    if (n > UINT32_MAX / 4) {
        return parley_error_memory(err);
    }

    for (size = 16; size < 2 * n; size *= 2) { /* void */ }

    dir->accounts_mask = (uint32_t) size - 1;
    dir->accounts = parley_arena_calloc(arena, size * sizeof(uint32_t));
    dir->sources = parley_arena_calloc(arena,
                                       n * sizeof(parley_directory_account_t));

    if (dir->accounts == NULL || dir->sources == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < dir->nprincipals; i++) {
        p = &dir->principals[i];

        lists[0].list = &p->accounts;
        lists[0].member = "accounts";
        lists[1].list = &p->surface;
        lists[1].member = "surface";

        for (k = 0; k < 2; k++) {
            if (parley_directory_account_add(dir, arena, i, &lists[k], first,
                                             err)
                != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


/* Adds the accounts or the sources of a principal. */

static int
parley_directory_account_add(parley_directory_t *dir, parley_arena_t *arena,
    size_t at, const parley_directory_sources_t *of,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    char                               pointer[PARLEY_POINTER_MAX];
    size_t                             k;
    uint32_t                          *slot;
    parley_surface_account_t           account;
    parley_directory_account_t        *source;
    const parley_directory_account_t  *like;

    for (k = 0; k < of->list->n; k++) {
        source = &dir->sources[dir->nsources];
        source->text = of->list->list[k];
        source->principal = &dir->principals[at];

        (void) snprintf(pointer, sizeof(pointer), "/principals/%zu/%s/%zu", at,
                        of->member, k);

        if (parley_surface_read(source->text, &account) != 0
            || parley_surface_name(arena, &account, &source->name) != 0)
        {
            return parley_error_memory(err);
        }

        slot = parley_directory_account_slot(dir, source->name, &like);

        if (*slot == 0) {
            dir->nsources++;
            *slot = (uint32_t) dir->nsources;
            continue;
        }

        like = &dir->sources[*slot - 1];

        if (like->principal == source->principal) {
            continue;
        }

        (void) snprintf(first, PARLEY_POINTER_MAX, "/principals/%zu/%s",
                        (size_t) (like->principal - dir->principals),
                        of->member);

        return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "\"%.*s\" is also in \"%s\" of "
                                "/principals/%zu",
                                source->text.len < 96
                                ? (int) source->text.len : 96,
                                (const char *) source->text.data, of->member,
                                (size_t) (like->principal - dir->principals));
    }

    return 0;
}


/*
 * Returns the slot of a derived name, or the free one where it belongs.
 * *ret_like is an account with a name that differs only in the case of letters,
 * or NULL.
 */

static uint32_t *
parley_directory_account_slot(const parley_directory_t *dir,
    parley_str_t name, const parley_directory_account_t **ret_like)
{
    uint32_t                           i;
    uint32_t                          *slot;
    const parley_directory_account_t  *there;

    *ret_like = NULL;

    for (i = parley_directory_hash_like(name); /* void */ ; i++) {
        slot = &dir->accounts[i & dir->accounts_mask];

        if (*slot == 0) {
            return slot;
        }

        there = &dir->sources[*slot - 1];

        if (parley_str_eq(there->name, name)) {
            return slot;
        }

        if (parley_str_eq_fold(there->name, name)) {
            *ret_like = there;
        }
    }
}


/*
 * Returns the account or source with a derived name, or NULL; *ret_like as
 * parley_directory_account_slot().
 */

static const parley_directory_account_t *
parley_directory_account_find(const parley_directory_t *dir,
    parley_str_t name, const parley_directory_account_t **ret_like)
{
    uint32_t  slot;

    *ret_like = NULL;

    if (dir->accounts == NULL) {
        return NULL;
    }

    slot = *parley_directory_account_slot(dir, name, ret_like);

    return slot != 0 ? &dir->sources[slot - 1] : NULL;
}


const parley_principal_t *
parley_directory_by_account(const parley_directory_t *dir,
    parley_str_t name, const parley_principal_t **ret_like)
{
    const parley_directory_account_t  *account, *like;

    account = parley_directory_account_find(dir, name, &like);

    *ret_like = account == NULL && like != NULL ? like->principal : NULL;

    return account != NULL ? account->principal : NULL;
}


/*
 * Finds the account or, if it is not listed, the source that a name is derived
 * from.  A sub that is not a name in any other name space is not derived from
 * one.
 */

static const parley_directory_account_t *
parley_directory_account_party(const parley_directory_t *dir,
    parley_namespace_t space, const parley_party_t *party)
{
    parley_str_t                       source;
    const parley_directory_account_t  *account, *like;

    if (party->host.len > 0
        || (party->opaque && space == PARLEY_NAMESPACE_SUB))
    {
        return NULL;
    }

    source = parley_surface_source(party->name);

    if (source.len == 0) {
        return NULL;
    }

    account = parley_directory_account_find(dir, party->name, &like);

    return account != NULL ? account
           : parley_directory_account_find(dir, source, &like);
}


const parley_principal_t *
parley_directory_account_owner(const parley_directory_t *dir,
    parley_namespace_t space, const parley_party_t *party)
{
    const parley_directory_account_t  *account;

    account = parley_directory_account_party(dir, space, party);

    return account != NULL ? account->principal : NULL;
}


int
parley_directory_account_taken(const parley_directory_t *dir, size_t at,
    parley_namespace_t space, const parley_party_t *party,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    char                               pointer[PARLEY_POINTER_MAX];
    size_t                             owner;
    const char                        *member;
    parley_str_t                       text;
    const parley_principal_t          *p;
    const parley_directory_account_t  *account;

    p = &dir->principals[at];
    account = parley_directory_account_party(dir, space, party);

    if (account == NULL
        || (account->principal == p
            && parley_str_eq(account->name, party->name)))
    {
        return 0;
    }

    owner = (size_t) (account->principal - dir->principals);
    member = parley_namespace_members[p->names[space].len > 0
                                      ? space : PARLEY_NAMESPACE_SUB];
    text = p->names[space].len > 0 ? p->names[space] : p->sub;

    (void) snprintf(pointer, sizeof(pointer), "/principals/%zu/%s", at,
                    member);
    (void) snprintf(first, PARLEY_POINTER_MAX, "/principals/%zu/%s", owner,
                    parley_str_eq(account->name, party->name) ? "accounts"
                                                              : "surface");

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                            "%s \"%.*s\" is the name of an account of "
                            "\"%.*s\", see /principals/%zu; the principal "
                            "does not list it in \"accounts\"", member,
                            text.len < 40 ? (int) text.len : 40,
                            (const char *) text.data,
                            account->text.len < 40
                            ? (int) account->text.len : 40,
                            (const char *) account->text.data, owner);
}
