/*
 * Redacts values in embedded messages as well (SEC-12).  The codecs know their
 * places (parley_codec_t.within).
 */

#ifndef PARLEY_EMBED_REDACT_H
#define PARLEY_EMBED_REDACT_H

#include "translate/parley_embed.h"
#include "translate/parley_redact.h"


/*
 * Adds the edits that r->asked requires in a capsule.  data is the JSON Pointer
 * of its payload (empty: the outer payload), members that of its envelope
 * members.  Returns 0, or -1 if memory is exhausted.
 */
int parley_embed_redact(parley_redact_t *r, parley_str_t data,
    parley_str_t members)
    __attribute__((warn_unused_result));

/*
 * Adds the edits for the messages that a carrier with the member "payload"
 * embeds.  object may have members "<x>" of other protocols.  The pointer of
 * the envelope members is before, <x> and after.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_embed_redact_members(parley_redact_t *r, const parley_json_t *doc,
    uint32_t object, parley_str_t before, parley_str_t after)
    __attribute__((warn_unused_result));

/*
 * Does the work of parley_embed_redact() in a text at a pointer, for every
 * capsule that a reader may find there.
 */
int parley_embed_redact_text(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t pointer)
    __attribute__((warn_unused_result));

/*
 * Does the work of parley_embed_redact() in an array of parts at a pointer.
 * Redacts "data" and "members" of a part, and the words of a part that the
 * "text" of another part repeats.
 */
int parley_embed_redact_parts(parley_redact_t *r, const parley_json_t *doc,
    const char *at)
    __attribute__((warn_unused_result));


#endif /* PARLEY_EMBED_REDACT_H */
