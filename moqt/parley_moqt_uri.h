/* Parts of a "moqt" URI: RFC 3986 and section 3.1.2 of the draft. */

#ifndef PARLEY_MOQT_URI_H
#define PARLEY_MOQT_URI_H

#include "core/parley_str.h"


/*
 * Returns whether s is a path-abempty, which may be empty, with an optional
 * "?" and query.
 */
int parley_moqt_uri_path(parley_str_t s);

/*
 * Returns whether s is an authority: an optional user and "@", a host that is
 * not empty, an optional ":" and digits of a port.  A host in brackets is not
 * checked further than its characters.
 */
int parley_moqt_uri_authority(parley_str_t s);


#endif /* PARLEY_MOQT_URI_H */
