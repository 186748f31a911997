/*
 * Accounts of chat platforms (C2A-38).  A source is a platform and one of its
 * workspaces, as slack/T123; an account is the id of an author in a source, as
 * slack/T123/U9.
 */

#ifndef PARLEY_SURFACE_H
#define PARLEY_SURFACE_H

#include "core/parley_arena.h"
#include "auth/parley_namespace.h"
#include "core/parley_str.h"


/* platform of the conversations of agents among themselves: no principal is its
   surface */
#define PARLEY_SURFACE_OWN  "parley"

/* maximum octets of the name that is derived from an account */
#define PARLEY_SURFACE_NAME_MAX  (PARLEY_NAME_MAX - 8)


typedef struct {
    parley_str_t  platform;
    parley_str_t  workspace;
    parley_str_t  id;           /* empty: the text is a source */
} parley_surface_account_t;


/*
 * Reads a source or an account into spans of text.  The id may have slashes.
 * Returns 0, or -1 if text is neither, or its name would be too long.
 */
int parley_surface_read(parley_str_t text, parley_surface_account_t *ret);

/* Returns whether text is a source. */
int parley_surface_source_is(parley_str_t text);

/* Returns whether the platform of a source or an account is not reserved. */
int parley_surface_is_free(parley_str_t text);

/* Returns whether text is an account. */
int parley_surface_account_is(parley_str_t text);

/*
 * Writes the name that is derived from an account, slack.T123.U9, or from a
 * source, slack.T123.  Octets of a part other than A-Z, a-z, 0-9, '_' and '-'
 * are written as %2E, so different accounts have different names.  Returns 0; 1
 * if the name would be too long; or -1 if memory is exhausted.
 */
int parley_surface_name(parley_arena_t *arena,
    const parley_surface_account_t *account, parley_str_t *ret);

/*
 * Returns the part of a derived name of an account that is derived from its
 * source, or an empty span if name is not derived from an account.
 */
parley_str_t parley_surface_source(parley_str_t name);

/*
 * Returns whether name is written as parley_surface_name() writes it: each '%'
 * begins two digits, 0-9 or A-F, of an octet that is not plain.
 */
int parley_surface_is_encoded(parley_str_t name);


#endif /* PARLEY_SURFACE_H */
