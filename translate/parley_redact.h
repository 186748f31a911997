/*
 * Redacts a value everywhere in a message: at its pointer, and in a carried
 * message of another protocol (SEC-12).
 */

#ifndef PARLEY_REDACT_H
#define PARLEY_REDACT_H

#include "core/parley_arena.h"
#include "translate/parley_engine.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


/* replacement, as JSON, for words that must have a text */
#define PARLEY_REDACTED  "\"[redacted]\""


/* edits of one document; grows */
typedef struct parley_redact_s {
    parley_arena_t       *arena;
    const parley_edit_t  *asked;        /* requested by the operator */
    uint32_t              nasked;

    parley_edit_t        *edits;
    uint32_t              n;
    uint32_t              size;
} parley_redact_t;


/*
 * Adds an edit at pointer prefix rest.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_redact_add(parley_redact_t *r, parley_str_t prefix,
    parley_str_t rest, parley_str_t value)
    __attribute__((warn_unused_result));

/*
 * Returns the part of a pointer after "/payload"; empty: it points elsewhere.
 */
parley_str_t parley_redact_in_payload(parley_str_t pointer);

/*
 * Collects the nedits first edits, and those that the n redactions of asked
 * require for m, with room for one more: r->edits, r->n.  Returns 0, or -1 if
 * memory is exhausted.
 */
int parley_redact_edits(parley_redact_t *r, parley_arena_t *arena,
    const parley_msg_t *m, const parley_edit_t *edits, uint32_t nedits,
    const parley_edit_t *asked, uint32_t nasked, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Redacts body, a message of protocol proto that a translation has made.
 * Returns 0, or -1: policy-refused if the message would be invalid afterwards.
 */
int parley_redact_made(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, uint64_t seed, const parley_edit_t *asked,
    uint32_t nasked, parley_str_t *body, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_REDACT_H */
