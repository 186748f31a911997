/*
 * The translation engine: the compiled schemas and the steps that are the
 * same for every protocol.  Made once when the configuration is read,
 * read-only and shared while requests run.
 */

#ifndef PARLEY_ENGINE_H
#define PARLEY_ENGINE_H

#include "core/parley_arena.h"
#include "translate/parley_codec.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "translate/parley_loss.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_VERSION  "0.2.0"


struct parley_schema_s;

/* The compiled schema of a protocol's messages. */
const struct parley_schema_s *parley_engine_envelope(
    const parley_engine_t *engine, parley_proto_t proto);


/* Returns NULL with *err filled.  mem must outlive the engine. */
parley_engine_t *parley_engine_create(const parley_mem_t *mem,
    parley_error_t *err);
void parley_engine_destroy(parley_engine_t *engine);


/*
 * The protocol of a document among those accepted.  Where none shows its
 * discriminator the best match of at least two members wins, and the only
 * protocol of a set of one always does, so that a missing member is named
 * rather than guessed about.  PARLEY_PROTO_NONE: protocol-unsupported.
 */
parley_proto_t parley_detect(const parley_json_t *doc,
    parley_proto_set_t accepted);

/*
 * Validates a document by the protocol's schema, or by that of its log
 * records: field-missing, field-unknown or field-invalid, naming the member.
 */
int parley_validate(const parley_engine_t *engine, parley_proto_t proto,
    const parley_json_t *doc, parley_error_t *err)
    __attribute__((warn_unused_result));
int parley_validate_log(const parley_engine_t *engine, parley_proto_t proto,
    const parley_json_t *doc, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether a value is valid by the protocol's schema number part
 * (parley_codec_t): 0 where it is, else -1; err may be NULL: nothing is said of
 * what is wrong, which costs less.
 */
int parley_validate_part(const parley_engine_t *engine, parley_proto_t proto,
    unsigned part, parley_json_ref_t value, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Validates a document as a message of proto and fills *msg.  On error *msg
 * holds what could be read of it all the same (id, sender, recipient,
 * intent, corr as far as they are strings), for the refusal.
 */
int parley_decode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_json_t *doc, int mve5,
    parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * What the submission of a decoded message says beside its octets: a scope
 * that is none is field-invalid, one of another handle scope-unauthorised;
 * an attribution that is not the session's is sender-identity-mismatch or
 * field-invalid.  Fills msg->scope and adds to msg->members; where messages
 * do not name them (MoQ), also sender, recipient, created_ms, corr and id.
 * Sets msg->owner, and a random id where the message has none of its own.
 * To be called for every message once it is known who submits it; protocols
 * whose messages say all themselves accept everything.
 */
int parley_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Settles what a message means by what it answers, an earlier message that
 * asks for approval (parley_approval_t).  To be called once that is known,
 * before anybody asks for the act of m.
 */
void parley_answers(parley_msg_t *m, int approval);

/*
 * SEC-06: m approves what a human alone may approve, and no human sent it: it
 * is progress.  That it agreed is told, and reported as loss, for it does not
 * do there what its sender may have meant.
 */
void parley_disapprove(parley_msg_t *m);

/*
 * Whether the correlation of m is that one, which may say more, or less (C2A: a
 * thread without its conversation, or that alone).
 */
int parley_corr_is(const parley_msg_t *m, parley_str_t corr);

/*
 * Whether such a message, to a service that speaks speak, needs proof and no
 * rule that allows it.
 */
int parley_is_unruled(const parley_msg_t *m, parley_proto_t speak);

/*
 * What the gateway answers by itself, for any protocol: 1 and *ret; 0: the
 * message goes on; -1 with *err.
 */
int parley_local(parley_arena_t *arena, const parley_msg_t *m,
    const parley_local_t *local, parley_reply_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes m as a message of proto.  Where proto is m's own wire protocol the
 * octets are the input's (ret->copied), but for a credential in it.  What
 * cannot travel is added to *loss; what cannot be said is an error.  The
 * output is valid by the target's schema.  Same input, same octets.
 */
int parley_encode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Fills ret->id of what parley_encode() made of m, where that left it out:
 * the id that a decode of the message made derives.
 */
int parley_encoded_id(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m, parley_encoded_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * What a signature of a message covers: the RFC 8785 form of the document
 * without the protocol's signature member.  An inexact document has none:
 * signature-invalid, naming the number.
 */
int parley_signing_input(parley_arena_t *arena, parley_proto_t proto,
    const parley_json_t *doc, parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Puts a signature into an encoded message that has none. */
int parley_attach(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t body, const parley_msg_sig_t *sig, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Understands an upstream's answer.  body may be empty.  Any error is
 * upstream-invalid, upstream-unavailable or upstream-timeout, and by the
 * status alone rate-limited (429) or capacity (503).  limits and seed as in
 * parley_json_read().
 */
int parley_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, parley_proto_t proto,
    const parley_encoded_t *sent, int status, parley_str_t body,
    const parley_json_limits_t *limits, uint64_t seed,
    parley_answer_t *answer, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * An error about answer->msg names a member of it: leads the pointer there
 * from the whole answer.
 */
void parley_answer_at(const parley_answer_t *answer, parley_error_t *err);

/*
 * Completes an answer whose protocol does not name its parties, or does not
 * say when it was made: it is from whom the request was for, and came at
 * now_ms (0: not known).  A name that the protocol cannot say stays empty:
 * who needs it says so.
 */
int parley_answer_parties(parley_arena_t *arena,
    const parley_msg_t *request, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Notes a value of answer->doc that was read: what of a refusal is not, the
 * caller is not told, and parley_answer_encode() reports it.  NONE is ignored.
 */
void parley_answer_was_read(parley_answer_t *answer, uint32_t value);

/*
 * Reads what a refusal says: in answer->doc the members "code" and "field" of
 * object and the value message, each of which may be NONE; those that are no
 * strings stay empty.  -1: no memory.
 */
int parley_answer_words(parley_answer_t *answer, uint32_t object,
    uint32_t message)
    __attribute__((warn_unused_result));

/* whether a refusal says, outright or by its code or status, to come again */
int parley_answer_again(const parley_answer_t *answer);

/* what an answer that the message failed says */
typedef struct {
    int           status;       /* of HTTP, 400 or more */
    parley_code_t code;         /* where it is one of ours, else NONE */
    parley_str_t  word;         /* ours, or the code as it was given; never
                                   empty */
    parley_str_t  field;        /* may be empty */
    parley_str_t  message;      /* may be empty */
    parley_str_t  retryable;    /* JSON, of an error's payload; empty: it does
                                   not say */
    parley_str_t  backoff_ms;   /* the same */
} parley_failure_t;

/* what a protocol says of a failure beside code, field and message */
typedef enum {
    PARLEY_FAILURE_BRIEF = 0,   /* nothing */
    PARLEY_FAILURE_RETRY        /* retryable and backoff_ms */
} parley_failure_form_t;

/*
 * Whether an answer says that the message failed, for a protocol that says so
 * by a status and a code: a service's refusal, or a failure.  The status is
 * the service's where that is one of an error, else what goes with the code,
 * else 422; without a code that is by the status.  What of a failure is then
 * not said is reported.
 */
int parley_answer_failed(const parley_answer_t *answer,
    parley_failure_form_t form, parley_failure_t *ret, parley_loss_t *loss);

/*
 * Of an answer that the caller's protocol cannot say, for *err, nothing is
 * said but that the message was taken: the whole of it is lost, ret->why is
 * set, *err cleared, and 0 is returned.  -1, and *err as it is: no memory, or
 * the answer is to another message (reply-unmatched).
 */
int parley_answer_unsaid(parley_arena_t *arena, parley_reply_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Tells the caller, in the protocol of request->wire. */
int parley_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * A refusal for the caller: in proto's manner, or as problem details
 * (RFC 9457) for PARLEY_PROTO_NONE.  Returns 0, or -1 where memory cannot be
 * had.
 */
int parley_refuse(parley_arena_t *arena, parley_proto_t proto,
    const parley_refusal_t *refusal, parley_reply_t *ret)
    __attribute__((warn_unused_result));


/*
 * The text of doc with members replaced or removed.  An edit whose pointer
 * names nothing is skipped.  Used for caps and redaction; the result is read
 * and validated again.
 */
int parley_edit(parley_arena_t *arena, const parley_json_t *doc,
    const parley_edit_t *edits, uint32_t nedits, parley_str_t *ret,
    uint32_t *ret_applied, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The text of an object with one member more, value JSON text.  A member of
 * that name that is null is replaced; any other is field-invalid.
 */
int parley_edit_append(parley_arena_t *arena, const parley_json_t *doc,
    parley_str_t name, parley_str_t value, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads text that Parley wrote itself, or a part of a document that was read
 * within its limits before: without limits of its own.
 */
int parley_read_again(parley_json_t *doc, parley_arena_t *arena,
    uint64_t seed, parley_str_t text, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * W3C Trace Context, version 00: traceparent to ids (spans of the header)
 * and back.  Returns 0, or -1 where there is no valid trace.
 */
int parley_traceparent_parse(parley_str_t header, parley_str_t *ret_trace_id,
    parley_str_t *ret_span_id);
int parley_traceparent_format(parley_arena_t *arena, parley_str_t trace_id,
    parley_str_t span_id, parley_str_t *ret);

/* Whether a traceparent can carry these ids: 32 and 16 lower-case hex digits,
   neither all zero. */
int parley_trace_is_valid(parley_str_t trace_id, parley_str_t span_id);


#endif /* PARLEY_ENGINE_H */
