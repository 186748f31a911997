/* The tables of a directory.  Private to the directory. */

#ifndef PARLEY_DIRECTORY_INDEX_H
#define PARLEY_DIRECTORY_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "auth/parley_directory.h"
#include "auth/parley_directory_group.h"
#include "core/parley_error.h"


struct parley_certificate_name_s;   /* parley_certificate.h */


/*
 * Open-addressing tables, at most half full.  tables, one per name space:
 * index of the principal + 1, or 0.  likes, all names: index *
 * PARLEY_NAMESPACE_COUNT + space + 1, or 0.  parties, by the party of a name:
 * as likes, the first name of each party.  certificates, by
 * parley_certificate_name_t: index in listed + 1, or 0.  accounts, by the
 * derived name in lower case: index in sources + 1, or 0.
 */

typedef struct {
    const struct parley_certificate_name_s  *name;
    const parley_principal_t                *principal;
} parley_directory_listed_t;

/* an account, or the source of a surface, that a principal lists */
typedef struct {
    parley_str_t               text;        /* as it is listed */
    parley_str_t               name;        /* derived, see parley_surface.h */
    const parley_principal_t  *principal;
} parley_directory_account_t;

struct parley_directory_s {
    parley_principal_t  *principals;
    size_t               nprincipals;
    uint32_t            *tables[PARLEY_NAMESPACE_COUNT];
    uint32_t             mask;
    uint32_t            *likes;
    uint32_t            *parties;
    uint32_t             likes_mask;        /* of parties too */
    parley_party_pt      party;             /* NULL: no derived names */

    parley_directory_group_t    instruments;    /* without ~ and version */
    parley_directory_group_t    roles;
    parley_directory_group_t    streams;

    parley_directory_listed_t  *listed;
    size_t                      nlisted;
    uint32_t                   *certificates;
    uint32_t                    certificates_mask;

    parley_directory_account_t  *sources;
    size_t                       nsources;
    uint32_t                    *accounts;      /* NULL: no accounts are
                                                   listed */
    uint32_t                     accounts_mask;
};


/*
 * Builds the tables and resolves parents and humans.  Returns 0, or -1 with
 * *err filled: a name of two principals (first: the JSON Pointer of the first
 * one, else empty), an instrument of another principal, an unknown parent or
 * human, a cycle of parents, or memory exhausted.
 */
int parley_directory_index(parley_directory_t *dir, parley_arena_t *arena,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Refuses name, of principal number at, because another principal has it.
 * other and other_space: slot's principal and its name.  Sets first to the JSON
 * Pointer of that name.  Returns -1.
 */
int parley_directory_clash(const parley_directory_t *dir, size_t at,
    parley_namespace_t space, size_t other, parley_namespace_t other_space,
    char first[PARLEY_POINTER_MAX], parley_error_t *err);

/*
 * Builds the table of parties.  Returns 0, or -1 as parley_directory_index():
 * names of two principals that are derived from one another.
 */
int parley_directory_parties(parley_directory_t *dir, parley_arena_t *arena,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Builds the table of accounts.  Returns 0, or -1 as parley_directory_index():
 * an account, or the source of a surface, of two principals.
 */
int parley_directory_accounts(parley_directory_t *dir, parley_arena_t *arena,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the principal to which the party of a name belongs because the name
 * is derived from an account: the principal that lists the account, or else the
 * one that delivers for its source (C2A-38).  Returns NULL if there is none.
 */
const parley_principal_t *parley_directory_account_owner(
    const parley_directory_t *dir, parley_namespace_t space,
    const parley_party_t *party);

/*
 * Checks that the name of principal number at in a name space, which means the
 * party, is not derived from an account that the principal does not list.
 * Returns 0, or -1 as parley_directory_index().
 */
int parley_directory_account_taken(const parley_directory_t *dir, size_t at,
    parley_namespace_t space, const parley_party_t *party,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
    __attribute__((warn_unused_result));

/* Returns whether two parties are equal. */
int parley_directory_party_eq(const parley_party_t *a, const parley_party_t *b);

/* Indexes certificates.  Returns 0, or -1 if two principals list one. */
int parley_directory_certificates_index(parley_directory_t *dir,
    parley_arena_t *arena, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_DIRECTORY_INDEX_H */
