/*
 * SEC-12: what is redacted is redacted also in what a message embeds.  The
 * codecs say where that is (parley_codec_t.within).
 */

#ifndef PARLEY_EMBED_REDACT_H
#define PARLEY_EMBED_REDACT_H

#include "translate/parley_embed.h"
#include "translate/parley_redact.h"


/*
 * Adds what r->asked means in a capsule: data is the JSON Pointer of its
 * payload (empty: the outer payload is it), members that of its envelope
 * members.  Returns 0, or -1: no memory.
 */
int parley_embed_redact(parley_redact_t *r, parley_str_t data,
    parley_str_t members)
    __attribute__((warn_unused_result));

/*
 * The same in a text at a pointer, for every capsule that anybody may read
 * there.  Returns 0, or -1: no memory.
 */
int parley_embed_redact_text(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t pointer)
    __attribute__((warn_unused_result));

/*
 * The same in an array of parts at a pointer: what a part has in "data" and
 * "members", and its words where they stand in another's "text" again.
 * Returns 0, or -1: no memory.
 */
int parley_embed_redact_parts(parley_redact_t *r, const parley_json_t *doc,
    const char *at)
    __attribute__((warn_unused_result));


#endif /* PARLEY_EMBED_REDACT_H */
