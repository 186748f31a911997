/*
 * A principal: the caller, with its names in every protocol (GW-03).  It is
 * made from the identities file, from token claims, or from both.
 */

#ifndef PARLEY_PRINCIPAL_H
#define PARLEY_PRINCIPAL_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "auth/parley_jwk.h"
#include "auth/parley_namespace.h"
#include "core/parley_rate.h"
#include "core/parley_str.h"
#include "core/parley_url.h"


/* maximum of items in a list of the directory and of claims */
#define PARLEY_LIST_MAX         1024
#define PARLEY_CLAIM_LIST_MAX   4096


/* strings in their order in the file or claim */
typedef struct {
    parley_str_t  *list;
    size_t         n;
} parley_list_t;


/* Read-only once made.  An empty span is an absent member. */
typedef struct parley_principal_s {
    parley_str_t                      sub;
    parley_str_t                      names[PARLEY_NAMESPACE_COUNT];
    parley_str_t                      instrument;   /* own instrument:
                                                       handle, optionally
                                                       with @version */
    parley_str_t                      parent;       /* sub of the parent */
    parley_str_t                      human;        /* human that it acts for: a
                                                       sub or a handle */
    parley_str_t                      max_priority; /* low, normal, high,
                                                       urgent */
    parley_limit_rate_t               rate;         /* limit of its messages;
                                                       interval 0: none */
    parley_str_t                      deliver;      /* https or wss URL for
                                                       deliveries; empty:
                                                       none */
    parley_str_t                      speaks;       /* protocol at that URL, as
                                                       a word; empty: one in
                                                       which it has a name */
    parley_list_t                     roles;
    parley_list_t                     instruments;  /* allowed instruments,
                                                       including instrument */
    parley_list_t                     orgs;         /* parley_membership.h */
    parley_list_t                     grants;
    parley_list_t                     reached;
    parley_list_t                     accounts;     /* parley_surface.h */
    parley_list_t                     streams;      /* ids of the work streams
                                                       that it owns */
    parley_list_t                     surface;      /* sources that it delivers
                                                       for */
    parley_jwks_t                     keys;         /* borrowed from the
                                                       directory */
    struct parley_certificate_name_s  *certificates;    /* borrowed from the
                                                           directory */
    size_t                            ncertificates;
    const struct parley_principal_s  *above;        /* the parent, or NULL */
    const struct parley_principal_s  *sovereign;    /* the human, or NULL */
} parley_principal_t;


/* Returns whether the gateway opens a WebSocket to the principal.  The
   principal gets messages by it as by a connection of its own (VCP-32). */
static inline int
parley_principal_is_dialled(const parley_principal_t *p)
{
    return parley_url_wss(p->deliver) != 0;
}

/*
 * Returns the id of an agent in the names of tracks of MoQ: its handle without
 * "~", or its name in AEE without the kind; or an empty string.
 */
parley_str_t parley_principal_agent(const parley_principal_t *p);


/*
 * Members that claims can supply.  parent, human, max_priority, rate, deliver,
 * speaks, reached, accounts, streams, surface, keys and certificates come from
 * the directory only.
 */
typedef enum {
    PARLEY_MEMBER_SUB = 0,

    /* the names, in the order of protocols */
#define X(id, word, member, shape, ...)  PARLEY_MEMBER_##id,
    PARLEY_PROTOCOLS(X, , )
#undef X

    PARLEY_MEMBER_INSTRUMENT,
    PARLEY_MEMBER_ROLES,
    PARLEY_MEMBER_ORGS,
    PARLEY_MEMBER_GRANTS,
    PARLEY_MEMBER_COUNT,

    PARLEY_MEMBER_NAMES = PARLEY_MEMBER_SUB + 1,
    PARLEY_MEMBER_HANDLE = PARLEY_MEMBER_NAMES + PARLEY_NAMESPACE_HANDLE
} parley_claim_member_t;


/*
 * Names of the claims that supply the members; empty: none, or "sub" for
 * PARLEY_MEMBER_SUB.  A name that begins with '/' is a JSON Pointer into the
 * claims.
 */
typedef struct {
    parley_str_t  claims[PARLEY_MEMBER_COUNT];
} parley_claim_map_t;


struct parley_certificate_name_s; /* parley_certificate.h */
struct parley_jwt_s;            /* parley_jwt.h */
struct parley_directory_s;


/* Returns the member of that name, or PARLEY_MEMBER_COUNT. */
parley_claim_member_t parley_member_find(parley_str_t word);

/*
 * Sets the claim that supplies a member.  If several protocols share the
 * member's name, the claim supplies all of them.
 */
void parley_principal_claim_map(parley_claim_map_t *map,
    parley_claim_member_t member, parley_str_t claim);

/*
 * Returns the reason, for an error message, why parley_member_find() did not
 * find word.
 */
const char *parley_member_why(parley_str_t word);

/* Returns whether list has the instrument, in any version. */
int parley_instrument_is_listed(const parley_list_t *list,
    parley_str_t instrument);

/*
 * Makes the principal of a verified token.  directory and map may be NULL;
 * without a map only sub comes from the claims.  If the directory has an entry
 * for the sub, its members take precedence, roles, orgs and grants are the
 * union, and keys are the entry's.
 *
 * Names from claims must be well-formed and, with a directory, must not belong
 * to another principal, nor be its instrument.  An instrument from claims is
 * the only one of the principal, also if the directory lists others.  Roles,
 * orgs and grants are an array of strings or one space-separated string.
 *
 * *ret borrows from the directory's entry; all else is copied into arena.
 * Returns 0, or -1 with *ret zeroed and *err filled: with the claim's name as
 * field token-invalid or, if the name is derived from another principal's,
 * sender-identity-mismatch (SEC-21); or capacity.
 */
int parley_principal_from_claims(parley_arena_t *arena,
    const struct parley_jwt_s *jwt, const parley_claim_map_t *map,
    const struct parley_directory_s *directory, parley_principal_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

#endif /* PARLEY_PRINCIPAL_H */
