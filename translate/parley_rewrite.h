/*
 * Changes that the operator requests in a message: caps (AEE-28, AEE-29) and
 * redaction.  The changed message is read and validated again.  The document
 * that was checked is never changed in place.
 */

#ifndef PARLEY_REWRITE_H
#define PARLEY_REWRITE_H

#include "translate/parley_caps.h"
#include "translate/parley_engine.h"


#define PARLEY_CAPS_MAX  3      /* maximum edits of caps */


/* Returns the priority of a message after the caps. */
parley_priority_t parley_rewrite_capped(const parley_msg_t *m,
    const parley_caps_t *caps);

/*
 * Writes the edits that apply the caps, at most PARLEY_CAPS_MAX.  Returns 0 and
 * *ret_n, or -1 if memory is exhausted.
 */
int parley_rewrite_caps(parley_arena_t *arena, const parley_msg_t *m,
    const parley_caps_t *caps, parley_edit_t *edits, uint32_t *ret_n,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes the edit of the text that contains the message m, if its priority is
 * above cap or its deadline above timeout_ms (0: any deadline).  The pointer of
 * the edit is empty if nothing changes.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_rewrite_text(parley_arena_t *arena, const parley_msg_t *m,
    parley_priority_t cap, int64_t timeout_ms, parley_edit_t *edit,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Applies the caps that edits cannot express: to a deadline without a member,
 * or with a member only in the message that m carries, and to the priority of
 * such a message.  A severity is not a priority, and does not change.
 */
void parley_rewrite_clamp(parley_msg_t *m, const parley_caps_t *caps);

/*
 * Applies edits.  edits has room for one more, which removes the signature: it
 * does not cover other octets.  *ret_doc is the new document, and m refers to
 * it, but m->sig, which was verified, stays.  *ret_amended is set if an edit
 * matched a value; otherwise nothing changes.  limits, seed and mve5: as for
 * the received document.
 *
 * Returns 0, or -1: policy-refused if the message would be invalid afterwards.
 */
int parley_rewrite(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_limits_t *limits, uint64_t seed, int mve5,
    parley_edit_t *edits, uint32_t n, parley_msg_t *m,
    parley_json_t *ret_doc, int *ret_amended, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Signs a message of the same protocol on both sides that parley_rewrite()
 * changed (doc), if opts have a signer: its octets are now the gateway's.  The
 * result is in sent->body.
 */
int parley_rewrite_sign(parley_arena_t *arena, parley_proto_t proto,
    const parley_json_t *doc, const parley_encode_opts_t *opts,
    parley_encoded_t *sent, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_REWRITE_H */
