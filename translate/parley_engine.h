/*
 * The translation engine: the compiled schemas, and the steps that all
 * protocols share.  It is created when the configuration is read.  Requests
 * share it and do not change it.
 */

#ifndef PARLEY_ENGINE_H
#define PARLEY_ENGINE_H

#include "core/parley_arena.h"
#include "translate/parley_codec_types.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "translate/parley_loss.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_VERSION  "0.2.0"


struct parley_schema_s;

/* Returns the compiled schema of a protocol's messages. */
const struct parley_schema_s *parley_engine_envelope(
    const parley_engine_t *engine, parley_proto_t proto);


/*
 * Creates an engine.  Returns NULL with *err filled.  mem must outlive the
 * engine.
 */
parley_engine_t *parley_engine_create(const parley_mem_t *mem,
    parley_error_t *err);
void parley_engine_destroy(parley_engine_t *engine);


/*
 * Finds the protocol of a document among the accepted ones.  Without a known
 * discriminator, the best match of at least two members wins.  If only one
 * protocol is accepted, the result is that protocol: errors then name the
 * missing member.  PARLEY_PROTO_NONE: protocol-unsupported.
 */
parley_proto_t parley_detect(const parley_json_t *doc,
    parley_proto_set_t accepted);

/*
 * Validates a document by the protocol's schema, or by that of its log records.
 * The errors field-missing, field-unknown and field-invalid name the member.
 */
int parley_validate(const parley_engine_t *engine, parley_proto_t proto,
    const parley_json_t *doc, parley_error_t *err)
    __attribute__((warn_unused_result));
int parley_validate_log(const parley_engine_t *engine, parley_proto_t proto,
    const parley_json_t *doc, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Validates a value by the schema number part of a protocol (parley_codec_t).
 * Returns 0, or -1.  If err is NULL, the function reports no reason, which
 * costs less.
 */
int parley_validate_part(const parley_engine_t *engine, parley_proto_t proto,
    unsigned part, parley_json_ref_t value, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Validates a document as a message of proto and fills *msg.  On error, *msg
 * still has id, sender, recipient, intent and corr, as far as they are strings,
 * for the refusal.
 */
int parley_decode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_json_t *doc, int mve5,
    parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Checks and applies the facts of the submission of a decoded message.  An
 * invalid scope is field-invalid, one of another handle scope-unauthorised.  An
 * attribution that does not belong to the session is sender-identity-mismatch
 * or field-invalid.  The function fills msg->scope and msg->owner, and adds to
 * msg->members.  If messages do not contain them (MoQ), it fills sender,
 * recipient, created_ms, corr and id.  A message without an id gets a random
 * one.  Must be called for every message after its caller is known.  A protocol
 * with messages that contain all facts accepts every submission.
 */
int parley_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Sets the meaning of m as an answer to an earlier message that asks for
 * approval (parley_approval_t).  Must be called once that message is known,
 * before the act of m is used.
 */
void parley_engine_answers(parley_msg_t *m, int approval);

/*
 * Turns an approval that only a human may give into progress, if its sender is
 * not a human (SEC-06).  The text of the approval is kept.  The approval is
 * also reported as loss, because it lacks the effect that the sender may have
 * intended.
 */
void parley_engine_disapprove(parley_msg_t *m);

/*
 * Returns whether the correlation of m matches corr.  Either may be shorter
 * than the other (C2A: a thread without its conversation, or the conversation
 * alone).
 */
int parley_engine_correlates(const parley_msg_t *m, parley_str_t corr);

/*
 * Returns whether m, for a service that speaks the protocol speak, needs proof
 * but no rule that allows it.
 */
int parley_engine_is_unruled(const parley_msg_t *m, parley_proto_t speak);

/*
 * Answers a message that the gateway itself handles, for any protocol.  Returns
 * 1 and *ret; 0 if the message must be forwarded; -1 with *err filled.
 */
int parley_engine_local(parley_arena_t *arena, const parley_msg_t *m,
    const parley_local_t *local, parley_reply_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes m as a message of proto.  If proto is the wire protocol of m, the
 * octets of the input are copied (ret->copied) without credentials.  Content
 * that cannot be expressed is added to *loss; if the message itself cannot be
 * expressed, the result is an error.  The output is valid by the target's
 * schema.  Equal input gives equal octets.
 */
int parley_encode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Fills ret->id of a message that parley_encode() made of m, if parley_encode()
 * left it empty: the id that a decode of the new message derives.
 */
int parley_encode_id(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m, parley_encoded_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes the input of a signature: the RFC 8785 form of the document without
 * the protocol's signature member.  A document with inexact numbers has none:
 * the error signature-invalid names the number.
 */
int parley_signing_input(parley_arena_t *arena, parley_proto_t proto,
    const parley_json_t *doc, parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Adds a signature to an encoded message without one. */
int parley_signing_attach(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t body, const parley_msg_sig_t *sig, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Decodes an upstream's answer.  body may be empty.  Errors are
 * upstream-invalid, upstream-unavailable, upstream-timeout, and, if the status
 * alone says so, rate-limited (429) and capacity (503).  limits and seed: as in
 * parley_json_read().
 */
int parley_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, parley_proto_t proto,
    const parley_encoded_t *sent, int status, parley_str_t body,
    const parley_json_limits_t *limits, uint64_t seed,
    parley_answer_t *answer, parley_error_t *err)
    __attribute__((warn_unused_result));

/* As parley_answer_decode(), for a body that is already read.  Reads doc only,
   so that several calls may share it. */
int parley_answer_read(const parley_engine_t *engine,
    parley_arena_t *arena, parley_proto_t proto,
    const parley_encoded_t *sent, int status, const parley_json_t *doc,
    parley_answer_t *answer, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Changes the pointer of an error about answer->msg so that it begins at the
 * whole answer.
 */
void parley_answer_at(const parley_answer_t *answer, parley_error_t *err);

/*
 * Fills the parties and the time of an answer, if its protocol does not contain
 * them.  The sender is the recipient of request, and the time is now_ms (0:
 * unknown).  A name that the protocol cannot express stays empty; a later step
 * that needs it reports the error.
 */
int parley_answer_parties(parley_arena_t *arena,
    const parley_msg_t *request, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Records that a value of answer->doc was read.  parley_answer_encode() reports
 * all other values of a refusal as lost.  PARLEY_JSON_NONE is ignored.
 */
void parley_answer_was_read(parley_answer_t *answer, uint32_t value);

/*
 * Reads a refusal: the members "code" and "field" of object in answer->doc, and
 * the value message.  object and message may be PARLEY_JSON_NONE.  Values that
 * are not strings stay empty.  Returns 0, or -1 if memory is exhausted.
 */
int parley_answer_words(parley_answer_t *answer, uint32_t object,
    uint32_t message)
    __attribute__((warn_unused_result));

/*
 * Returns whether a refusal allows another attempt, explicitly or by its code
 * or status.
 */
int parley_answer_again(const parley_answer_t *answer);

/* content of an answer that reports a failure */
typedef struct {
    int           status;       /* HTTP status, 400 or more */
    parley_code_t code;         /* a code of Parley, or NONE */
    parley_str_t  word;         /* word of code, or the code as received; never
                                   empty */
    parley_str_t  field;        /* may be empty */
    parley_str_t  message;      /* may be empty */
    parley_str_t  retryable;    /* JSON value from the payload of an error;
                                   empty: not given */
    parley_str_t  backoff_ms;   /* as retryable */
} parley_failure_t;

/* members with which a protocol reports a failure */
typedef enum {
    PARLEY_FAILURE_BRIEF = 0,   /* code, field and message */
    PARLEY_FAILURE_RETRY        /* also retryable and backoff_ms */
} parley_failure_form_t;

/*
 * Returns whether an answer is a failure, or a refusal by the service, for a
 * protocol that reports failures by status and code.  The status is that of the
 * service if it is an error status, else that of the code, else 422.  Without a
 * code, the status decides the code.  Content that *ret does not contain is
 * reported as loss.
 */
int parley_answer_failed(const parley_answer_t *answer,
    parley_failure_form_t form, parley_failure_t *ret, parley_loss_t *loss);

/*
 * Replaces an answer that the caller's protocol cannot express, as *err says,
 * by an acceptance.  The whole answer is reported as lost, ret->why is set,
 * *err is cleared, and the result is 0.  Returns -1 with *err unchanged if
 * memory is exhausted or the answer does not match the request
 * (reply-unmatched).
 */
int parley_answer_unsaid(parley_arena_t *arena, parley_reply_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Encodes an answer for the caller, in the protocol of request->wire. */
int parley_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes a refusal for the caller, in the form of proto, or as problem details
 * (RFC 9457) for PARLEY_PROTO_NONE.  Returns 0, or -1 if memory is exhausted.
 */
int parley_refuse(parley_arena_t *arena, parley_proto_t proto,
    const parley_refusal_t *refusal, parley_reply_t *ret)
    __attribute__((warn_unused_result));


/*
 * Writes the text of doc with members replaced or removed, for caps and
 * redaction.  An edit is skipped if its pointer matches no value.  The caller
 * reads and validates the result again.
 */
int parley_edit(parley_arena_t *arena, const parley_json_t *doc,
    const parley_edit_t *edits, uint32_t nedits, parley_str_t *ret,
    uint32_t *ret_applied, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes the text of an object with an additional member.  value is JSON text.
 * An existing member of this name is replaced if it is null; otherwise the
 * result is field-invalid.
 */
int parley_edit_append(parley_arena_t *arena, const parley_json_t *doc,
    parley_str_t name, parley_str_t value, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads text that Parley wrote, or a part of a document that was read within
 * its limits.  It applies no further limits.
 */
int parley_read_again(parley_json_t *doc, parley_arena_t *arena,
    uint64_t seed, parley_str_t text, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * Converts a W3C traceparent of version 00 to ids, which are spans of the
 * header, and back.  Returns 0, or -1 if the trace is invalid.
 */
int parley_traceparent_parse(parley_str_t header, parley_str_t *ret_trace_id,
    parley_str_t *ret_span_id);
int parley_traceparent_format(parley_arena_t *arena, parley_str_t trace_id,
    parley_str_t span_id, parley_str_t *ret);

/* Returns whether a traceparent can carry these ids: 32 and 16 lower-case hex
   digits, and not all zero. */
int parley_trace_is_valid(parley_str_t trace_id, parley_str_t span_id);


#endif /* PARLEY_ENGINE_H */
