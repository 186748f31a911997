/*
 * Origins of pages (RFC 6454), as browsers send them in the header Origin, and
 * patterns of them, as an operator writes them.
 */

#ifndef PARLEY_ORIGIN_H
#define PARLEY_ORIGIN_H

#include "core/parley_str.h"


/*
 * Reads the pattern scheme "://" host [ ":" port ]: a host in lower case, which
 * may begin with "*." for any one label, and nothing after it.  *ret is the
 * part of text without a port that is the scheme's default, which browsers
 * leave out.  Returns NULL, or the fault of text in words.
 */
const char *parley_origin_parse(parley_str_t text, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Returns whether an origin, which is untrusted, matches a parsed pattern. */
int parley_origin_match(parley_str_t pattern, parley_str_t origin);


#endif /* PARLEY_ORIGIN_H */
