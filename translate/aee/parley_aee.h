/*
 * AEE, Agent Envelope Exchange: draft-cowles-aee-00.  Other folders use only
 * the descriptor of this header.
 */

#ifndef PARLEY_AEE_H
#define PARLEY_AEE_H

#include "translate/parley_codec.h"
#include "translate/parley_embed.h"
#include "translate/parley_engine.h"


#define PARLEY_AEE_ID_MIN      8    /* minimum characters of id, corr,
                                       reply_to */
#define PARLEY_AEE_TS_MIN      10
#define PARLEY_AEE_INTENT_MIN  3


/* the fourteen fields, in the order of section 3 */
typedef enum {
    PARLEY_AEE_V = 0,
    PARLEY_AEE_ID,
    PARLEY_AEE_TS,
    PARLEY_AEE_TYPE,
    PARLEY_AEE_FROM,
    PARLEY_AEE_TO,
    PARLEY_AEE_INTENT,
    PARLEY_AEE_CORR,
    PARLEY_AEE_REPLY_TO,
    PARLEY_AEE_TRACE,
    PARLEY_AEE_PRIORITY,
    PARLEY_AEE_REQUIRES,
    PARLEY_AEE_PAYLOAD,
    PARLEY_AEE_SIG,
    PARLEY_AEE_FIELDS
} parley_aee_field_t;


/* envelope to write, without its payload and signature */
typedef struct {
    parley_act_t         act;
    parley_str_t         id;
    parley_str_t         ts;
    parley_str_t         from;
    parley_str_t         to;
    parley_str_t         intent;
    parley_str_t         corr;
    parley_str_t         reply_to;      /* empty: null */
    parley_str_t         trace_id;      /* both ids, or none */
    parley_str_t         span_id;
    parley_priority_t    priority;
    int64_t              timeout_ms;    /* -1: requires is null */
    const parley_msg_t  *restored;      /* AEE message that another protocol's
                                           slot carried: its members replace
                                           trace, requires and the null of
                                           reply_to; or NULL */
} parley_aee_head_t;


/* content of an error envelope from the gateway */
typedef struct {
    parley_str_t         self;
    const parley_msg_t  *msg;           /* the failed message, or NULL */
    parley_str_t         code;          /* "E_RATE_LIMITED" */
    parley_str_t         message;
    parley_str_t         field;         /* empty: none */
    int                  retryable;
    int64_t              backoff_ms;    /* -1: unknown */
    int64_t              now_ms;
    const uint8_t       *random;        /* 16 octets for a message without an
                                           id; or NULL */
    parley_str_t         answer;        /* for a duplicate: id of its first
                                           answer; may be empty */
} parley_aee_failure_t;


/* result of a pass over the top-level members */
typedef struct {
    uint32_t  fields[PARLEY_AEE_FIELDS + 1];    /* values, or NONE; the last one
                                                   is that of an unknown
                                                   member */
    uint32_t  nmembers;                 /* members without a canonical field */
    uint32_t  member;                   /* name of the first one */
} parley_aee_scan_t;


extern const parley_binding_t  parley_aee_binding;
extern const parley_codec_t  parley_aee_codec;


/* Return the field with a name, or PARLEY_AEE_FIELDS. */
parley_aee_field_t parley_aee_field(const parley_json_t *doc, uint32_t name);
parley_aee_field_t parley_aee_field_name(parley_str_t name);

/* Implements the codec's spelling(). */
int parley_aee_spelling(const parley_json_t *doc, parley_error_t *err);

/* Finds the fields of a document, which need not be an object. */
void parley_aee_scan(const parley_json_t *doc, parley_aee_scan_t *scan);

/*
 * Fills msg->members with the members of msg->doc without a canonical field,
 * which the scan found.  Returns 0, or -1 if memory is exhausted.
 */
int parley_aee_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_aee_scan_t *scan);

/* Returns the word of "type" for an act. */
parley_str_t parley_aee_type(parley_act_t act);

/*
 * Returns whether an intent lies in the reserved namespace aee.*, and is
 * neither one of the seven of section 9 nor an extension (AEE-20).
 */
int parley_aee_is_reserved(parley_str_t intent);

/*
 * Writes an envelope up to "payload":.  The caller writes the payload and the
 * closing brace.  The id and the time come from the gateway and need no escape.
 */
void parley_aee_head_made(parley_buf_t *b, const parley_aee_head_t *head);

/*
 * Writes an error envelope as the body of *ret.  It is valid for any message.
 * Returns 0, or -1 if memory is exhausted.
 */
int parley_aee_failure(parley_arena_t *arena, const parley_aee_failure_t *f,
    parley_reply_t *ret);

/* Implements the codec's event(). */
int parley_aee_event(parley_arena_t *arena, const parley_own_event_t *event,
    parley_str_t *ret);

/*
 * Converts a code to AEE's form: "rate-limited" to "E_RATE_LIMITED", an empty
 * one to "E_REFUSED".  Returns 0, or -1 if memory is exhausted.
 */
int parley_aee_code(parley_arena_t *arena, parley_str_t word,
    parley_str_t *ret);

/* Returns the gateway's name, or a default if none is configured. */
parley_str_t parley_aee_self(parley_str_t self);

/* Returns whether a UTF-8 text has fewer than min characters. */
int parley_aee_is_short(parley_str_t s, size_t min);


/*
 * Fills id, sender, recipient, intent and corr, as far as they are strings.
 * The envelope need not be valid.  Returns 0, or -1 if memory is exhausted.
 */
int parley_aee_peek(parley_msg_t *msg);

/*
 * Reads msg->data, an object: fills text, code, and another protocol's message
 * if it carries one.  Returns 0, or -1 if memory is exhausted.
 */
int parley_aee_payload(parley_arena_t *arena, parley_msg_t *msg);


/*
 * Returns the deadline in requires.timeout_ms, which may be PARLEY_JSON_NONE or
 * of any type, or -1.  A fraction of a millisecond counts as one, so that a cap
 * holds.
 */
int64_t parley_aee_timeout(const parley_json_t *doc, uint32_t value);

/* Fills act, text and code of an envelope that another protocol carries. */
int parley_aee_says(parley_msg_t *msg);


/* Implements the codec's spoken() (parley_codec.h). */
parley_atom_t parley_aee_spoken(const parley_msg_t *m);


int parley_aee_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err);

/*
 * Decodes a service's answer; the caller need not initialise msg.  *ret_taken
 * is set if the answer is a stream envelope with the status "accepted".  Then
 * *msg has only the act and the fields of parley_aee_peek().
 */
int parley_aee_decode_answer(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc, parley_msg_t *msg,
    int *ret_taken, parley_error_t *err);


/*
 * Implements the codec's extract() (parley_codec.h); its slot is the payload.
 */
int parley_aee_extract(const parley_msg_t *m, parley_embed_t *ret);

extern const parley_embed_slot_t  parley_aee_slot;

/*
 * Writes the payload object of an envelope that embeds m.  form is the intent
 * of m if the envelope has another one, else empty.  Returns 0, or -1 if the
 * digest fails or memory is exhausted.
 */
int parley_aee_embed_write(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, const parley_encode_opts_t *opts)
    __attribute__((warn_unused_result));

int parley_aee_within(struct parley_redact_s *r, const parley_msg_t *m);

int parley_aee_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err);

int parley_aee_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);

int parley_aee_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err);

int parley_aee_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret);


#endif /* PARLEY_AEE_H */
