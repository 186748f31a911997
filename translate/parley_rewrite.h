/*
 * What the operator changes in a message before it goes on: caps (AEE-28,
 * AEE-29) and redaction.  What was changed is read and validated again; the
 * document that was checked is never patched in place.
 */

#ifndef PARLEY_REWRITE_H
#define PARLEY_REWRITE_H

#include "translate/parley_engine.h"


#define PARLEY_CAPS_MAX  2      /* edits of caps */


typedef struct {
    parley_priority_t  priority;        /* the highest that passes */
    parley_str_t       max_priority;    /* the sender's own, a word; empty:
                                           none */
    int64_t            timeout_ms;      /* 0: any */
} parley_caps_t;


/* The priority that a message goes on with below the caps. */
parley_priority_t parley_rewrite_capped(const parley_msg_t *m,
    const parley_caps_t *caps);

/*
 * The edits that bring a message below the caps, PARLEY_CAPS_MAX at most.
 * Returns 0 and *ret_n, or -1: no memory.
 */
int parley_rewrite_caps(parley_arena_t *arena, const parley_msg_t *m,
    const parley_caps_t *caps, parley_edit_t *edits, uint32_t *ret_n,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Brings down what no edit can: a deadline that stands in no member, or in one
 * that only the message has which m carries, and the priority of such a
 * message.  A severity is no priority: it stays.
 */
void parley_rewrite_clamp(parley_msg_t *m, const parley_caps_t *caps);

/*
 * Makes the edits; edits has room for one more, that of the signature, which
 * does not go on with other octets.  The new document is in *ret_doc and m is
 * of it, but m->sig, which was verified, stays.  *ret_amended: whether any
 * edit named something; otherwise nothing is touched.  limits, seed and mve5
 * as for the document that was received.
 *
 * Returns 0, or -1: policy-refused where the message would not be valid any
 * more.
 */
int parley_rewrite(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_limits_t *limits, uint64_t seed, int mve5,
    parley_edit_t *edits, uint32_t n, parley_msg_t *m,
    parley_json_t *ret_doc, int *ret_amended, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * A message of the same protocol on both sides, whose octets are the
 * gateway's since parley_rewrite() made them (doc): so is its signature, where
 * opts say how to sign.  sent->body gets it.
 */
int parley_rewrite_sign(parley_arena_t *arena, parley_proto_t proto,
    const parley_json_t *doc, const parley_encode_opts_t *opts,
    parley_encoded_t *sent, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_REWRITE_H */
