/*
 * The identities file (GW-03, GW-11):
 *
 *   {"principals": [{"sub", "aee", "vcp", "c2a", "handle", "instrument",
 *                    "instruments": [], "parent", "human", "roles": [],
 *                    "orgs": [], "grants": [], "reached": [], "max_priority",
 *                    "rate", "deliver", "speaks", "accounts": [],
 *                    "streams": [], "surface": [], "keys": [JWK],
 *                    "certificates": [NAME]}]}
 *
 * Only sub is required of a principal.  A JWK may have "not_before" and
 * "expires", times of RFC 3339.  parley_certificate.h describes NAME, and
 * parley_surface.h accounts and surface.  streams are ids of the work streams
 * that the principal owns.
 */

#ifndef PARLEY_DIRECTORY_H
#define PARLEY_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "auth/parley_principal.h"
#include "core/parley_str.h"


struct parley_certificate_s;    /* parley_certificate.h */


typedef struct parley_directory_s  parley_directory_t;


/*
 * The party that a name means.  Names of different protocols are derived from
 * one another if their parties have the same kind, name and host.
 */
typedef struct {
    unsigned      kind;         /* number, as in the syntaxes of names */
    parley_str_t  name;
    parley_str_t  host;         /* empty: none */
    unsigned      opaque:1;     /* the syntax does not tell the kind */
} parley_party_t;

/*
 * Reads the party of a name by the syntax of its name space, into spans of
 * name.  Returns 0, or -1 if the syntax does not have such a name.
 */
typedef int (*parley_party_pt)(parley_namespace_t space, parley_str_t name,
    parley_party_t *ret);


/*
 * Reads the text of an identities file into arena; text need not outlive the
 * call.  party reads names; NULL: no name is derived from another.
 *
 * Unknown members and members of the wrong type are errors, and also these: a
 * sub or name that two principals have, or names of two principals that are
 * derived from one another (err->field is the JSON Pointer of the second, the
 * text names the first and its line); an instrument that is a name of another
 * principal that does not act for this one; a parent that is not a sub; a
 * cycle of parents; a human that is neither the sub of a human with a handle
 * nor a Sovereign handle; an invalid key, or one that cannot verify signatures
 * of messages; a deliver that is not an https URL without userinfo, a speaks
 * that is not a protocol with a name or has no deliver; a certificate, an
 * account, a stream or a surface's source that two principals have; a name that
 * is derived from an account which its principal does not list.  err->offset is
 * the position in text.
 *
 * Returns 0, or -1 with *err filled, *ret NULL and nothing to free.
 */
int parley_directory_parse(parley_arena_t *arena, parley_str_t text,
    parley_party_pt party, parley_directory_t **ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees the keys; call before the arena is reset.  directory may be NULL. */
void parley_directory_free(parley_directory_t *directory);

/* Returns the principal with that sub, or NULL.  O(1). */
const parley_principal_t *parley_directory_by_sub(
    const parley_directory_t *directory, parley_str_t sub);

/*
 * Returns the principal with a name in a name space, or NULL.  This is the
 * principal that lists the name there.  A principal without a name there also
 * counts, if the name is derived from a name that it lists in another name
 * space or, if it lists no names, from its sub.  O(1).
 */
const parley_principal_t *parley_directory_by_name(
    const parley_directory_t *directory, parley_namespace_t space,
    parley_str_t name);

/* As parley_directory_by_name(), without derived names. */
const parley_principal_t *parley_directory_listed(
    const parley_directory_t *directory, parley_namespace_t space,
    parley_str_t name);

/*
 * Returns the principal to which a name belongs, or NULL.  No other principal
 * may use the name (SEC-21).  To a principal belong the names that it lists,
 * its sub, and all names derived from them in any protocol, even if the
 * principal lists another name there.  A name derived from an account belongs
 * to the principal that lists the account, else to the one with a surface for
 * its source.  A text with the syntax of other name spaces is read as a name of
 * these too.
 */
const parley_principal_t *parley_directory_owner(
    const parley_directory_t *directory, parley_namespace_t space,
    parley_str_t name);

/*
 * Returns the principal that lists the account, or the source of its surface,
 * from which a name is derived by parley_surface_name(), or NULL.  If NULL,
 * *ret_like is a principal that lists an account or source with a name that
 * differs only in the case of letters, or NULL.
 */
const parley_principal_t *parley_directory_by_account(
    const parley_directory_t *directory, parley_str_t name,
    const parley_principal_t **ret_like);

/*
 * Finds the principal that lists a client certificate, by its fingerprint or by
 * a name in it (SEC-17).  Returns 0 with *ret, which is NULL if no principal
 * lists it; or -1 if several principals do: *ret and *ret_other are two of
 * them.
 */
int parley_directory_by_certificate(const parley_directory_t *directory,
    const struct parley_certificate_s *certificate,
    const parley_principal_t **ret, const parley_principal_t **ret_other)
    __attribute__((warn_unused_result));

/* Returns whether any principal has a rate. */
int parley_directory_has_rates(const parley_directory_t *directory);

/* Returns whether any principal has a max_priority. */
int parley_directory_has_caps(const parley_directory_t *directory);

/* Returns whether any principal is a chat surface. */
int parley_directory_has_surfaces(const parley_directory_t *directory);

/* Returns whether any principal has a certificate. */
int parley_directory_has_certificates(const parley_directory_t *directory);

/*
 * Returns the principal to which an instrument belongs, if that forbids self to
 * claim it; self is the entry of the claims' sub, or NULL.  An instrument
 * belongs to the principal that has its name in any protocol, regardless of its
 * version, or that lists it.  Returns NULL if it belongs to no principal, to
 * self, to a principal that acts for self, or to one that lists it for self's
 * own human (GW-03, SEC-06).
 */
const parley_principal_t *parley_directory_by_instrument(
    const parley_directory_t *directory, const parley_principal_t *self,
    parley_str_t instrument);

/*
 * As parley_directory_by_instrument(), for a name in a name space that is the
 * name of a listed instrument.
 */
const parley_principal_t *parley_directory_by_agent(
    const parley_directory_t *directory, const parley_principal_t *self,
    parley_namespace_t space, parley_str_t name);

/*
 * Iterates over the principals that list an instrument, in any version.  *at is
 * the cursor, initially 0.  Returns the next one, or NULL.  O(1) per call.
 */
const parley_principal_t *parley_directory_next_drafted(
    const parley_directory_t *directory, parley_str_t instrument,
    uint32_t *at);

/*
 * Iterates over the principals that list a role, in the order of the file, each
 * once.  *at is the cursor, initially 0.  Returns the next one, or NULL.  O(1)
 * per call.
 */
const parley_principal_t *parley_directory_next_role(
    const parley_directory_t *directory, parley_str_t role, uint32_t *at);

/* Returns the principal that owns a work stream, or NULL.  O(1). */
const parley_principal_t *parley_directory_by_stream(
    const parley_directory_t *directory, parley_str_t stream);

/*
 * Iterates over the principals that have name, ignoring ASCII case, in any
 * name space.  *at is the cursor, initially 0.  Returns the next one, or NULL;
 * a principal with several such names is returned for each.  O(1) per call.
 */
const parley_principal_t *parley_directory_next_like(
    const parley_directory_t *directory, parley_str_t name, uint32_t *at);

/* Returns whether any principal has a key. */
int parley_directory_has_keys(const parley_directory_t *directory);

/*
 * Sets *ret to the principals, owned by the directory; returns their number.
 */
size_t parley_directory_principals(const parley_directory_t *directory,
    const parley_principal_t **ret);


#endif /* PARLEY_DIRECTORY_H */
