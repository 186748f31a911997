/*
 * A principal: who the caller is, with its names in every protocol (GW-03).
 * It comes from the identities file, from token claims, or from both.
 */

#ifndef PARLEY_PRINCIPAL_H
#define PARLEY_PRINCIPAL_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_error.h"
#include "parley_jwk.h"
#include "parley_jwt.h"
#include "parley_namespace.h"
#include "parley_str.h"


/* roles: in the directory, in claims */
#define PARLEY_LIST_MAX         1024
#define PARLEY_CLAIM_LIST_MAX   256


/* An empty span is "none".  Read-only once made. */
typedef struct parley_principal_s {
    parley_str_t                      sub;
    parley_str_t                      names[PARLEY_NAMESPACE_COUNT];
    parley_str_t                      instrument;   /* a handle, perhaps with
                                                       @version */
    parley_str_t                      parent;       /* its sub */
    parley_str_t                      human;        /* whom it acts for: a
                                                       sub, or a handle */
    parley_str_t                      max_priority; /* low, normal, high,
                                                       urgent */
    parley_str_t                     *roles;
    size_t                            nroles;
    parley_jwks_t                     keys;         /* the directory's */
    const struct parley_principal_s  *above;        /* the parent's entry, or
                                                       NULL */
    const struct parley_principal_s  *sovereign;    /* the human's entry, or
                                                       NULL */
} parley_principal_t;


/* members that token claims can bring; whom a principal obeys and acts for,
   how urgent it may be, and its keys the directory alone says */
typedef enum {
    PARLEY_MEMBER_SUB = 0,

    /* a name in each protocol, in their order */
#define X(id, word, member, shape, title)  PARLEY_MEMBER_##id,
    PARLEY_PROTOCOLS(X, , )
#undef X

    PARLEY_MEMBER_INSTRUMENT,
    PARLEY_MEMBER_ROLES,
    PARLEY_MEMBER_COUNT,

    PARLEY_MEMBER_NAMES = PARLEY_MEMBER_SUB + 1,
    PARLEY_MEMBER_HANDLE = PARLEY_MEMBER_NAMES + PARLEY_NAMESPACE_HANDLE
} parley_claim_member_t;


/*
 * Which claim brings which member; an empty name: none does.  The claim of
 * PARLEY_MEMBER_SUB is "sub" where empty.  A name beginning with '/' is a
 * JSON Pointer into the claims.
 */
typedef struct {
    parley_str_t  claims[PARLEY_MEMBER_COUNT];
} parley_claim_map_t;


struct parley_directory_s;


/* "handle" -> PARLEY_MEMBER_HANDLE; PARLEY_MEMBER_COUNT: no such member. */
parley_claim_member_t parley_member_find(parley_str_t word);

/* What is said of a word that it did not find: where else it comes from, or
   the members that there are. */
const char *parley_member_why(parley_str_t word);

/*
 * The principal of a verified token.  directory may be NULL, map too (then
 * sub alone comes from the claims).  Where the directory has an entry for the
 * sub, its members win over claims, and roles are the union; keys come from the
 * entry alone.
 *
 * What claims bring must be well-formed, and where there is a directory: a
 * name that it gives to another principal is refused, since a name belongs to
 * one principal per protocol, and so is another's instrument.
 *
 * Roles are an array of strings, or one string separated by spaces.
 *
 * Everything is copied into arena but the entry's own strings, which live as
 * long as the directory.  Returns 0, or -1 with *ret zero: token-invalid
 * (field the claim's name) or capacity.
 */
int parley_principal_from_claims(parley_arena_t *arena,
    const parley_jwt_t *jwt, const parley_claim_map_t *map,
    const struct parley_directory_s *directory, parley_principal_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

#endif /* PARLEY_PRINCIPAL_H */
