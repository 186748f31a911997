/*
 * How another protocol's message travels in the payload of an AEE message,
 * whole and exactly (promise 2 of docs/mapping.md):
 *
 *     intent   <x>.<form>
 *     payload  the native payload's members, then
 *              "references": [{"id", "type": "<x>.message", "hash",
 *                              "locator": "parley:<x>:<id>", "verified"}]
 *              "<x>": the native envelope members that AEE has no field for;
 *                     absent where there are none
 *
 * In an error the payload has "code", "message" and "retryable" as well, in a
 * result that approves "approved": true.
 * An answer has the intent of the task that it answers instead (AEE-33), and
 * "<x>": {"form": "<x>.<form>"}.
 * Native payload members that have one of these names travel in
 * "<x>": {"payload": {...}}.
 */

#ifndef PARLEY_CARRY_H
#define PARLEY_CARRY_H

#include "parley_buf.h"
#include "parley_codec.h"
#include "parley_json.h"
#include "parley_msg.h"


/*
 * The protocol, other than AEE, that an intent "<x>.<form>" names, and the
 * form; PARLEY_PROTO_NONE where it names none.
 */
parley_proto_t parley_carry_intent(parley_str_t intent, parley_str_t *ret_form);

/*
 * The same of an answer, whose intent is its task's: *ret_intent is the member
 * "form" of the payload's member named after the protocol.  Returns 0, or -1:
 * no memory.
 */
int parley_carry_form(const parley_json_t *doc, uint32_t payload,
    parley_proto_t *ret_proto, parley_str_t *ret_intent,
    parley_str_t *ret_form)
    __attribute__((warn_unused_result));

/*
 * The gateway's own item in the references of a payload that carries a
 * message of proto, or PARLEY_JSON_NONE: the payload carries none.
 */
uint32_t parley_carry_reference(const parley_json_t *doc, uint32_t payload,
    parley_proto_t proto);

/*
 * What of m's payload stands in "<x>": {"payload"}, an object, or
 * PARLEY_JSON_NONE.
 */
uint32_t parley_carry_elsewhere(const parley_msg_t *m);

/*
 * Which way in a hierarchy a message may go whose protocol knows none: a
 * message in another protocol's words, carried or not, goes where that
 * protocol lets it go.  Translation must not be a way around.
 */
parley_direction_t parley_carry_direction(const parley_msg_t *m);

/*
 * Writes the payload object of an AEE message that carries m; form is the
 * intent of m, where the message has another one, else empty.  Returns 0, or
 * -1 where the digest fails or memory cannot be had.
 */
int parley_carry_write(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, const parley_encode_opts_t *opts)
    __attribute__((warn_unused_result));

/*
 * Writes "name":value, at once where it stands so in the document: a name
 * that has no escapes there needs none.
 */
void parley_carry_member(parley_buf_t *b, const parley_member_t *member);

/*
 * The SHA-256 of the RFC 8785 form of m's document, without a credential, in
 * lower-case hex: m->digest where that is there.  Returns 0, or -1 where the
 * digest fails or memory cannot be had.
 */
int parley_carry_digest(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Writes the reference by which a message made of m names it (promise 5):
 * {"id", "type", "hash", "locator", "verified"}.  Returns 0, or -1 where the
 * digest fails or memory cannot be had.
 */
int parley_carry_reference_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_encode_opts_t *opts)
    __attribute__((warn_unused_result));

/*
 * The id that the message had which m carries, where the carrier could not
 * take it as it was; else m's own.  -1: no memory.
 */
int parley_carry_origin_id(const parley_msg_t *m, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Writes the native payload object of m in the words of its origin: m->data
 * without what carrying it added, and without the member named skip (empty:
 * none).
 */
void parley_carry_payload(parley_buf_t *b, const parley_msg_t *m,
    parley_atom_t skip);


#endif /* PARLEY_CARRY_H */
