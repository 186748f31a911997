/*
 * VCP inter-agent messaging 1.2 and 2.0.  Other folders use only the
 * descriptors of this header.  Section numbers are those of 1.2.
 */

#ifndef PARLEY_VCP_H
#define PARLEY_VCP_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"


#define PARLEY_VCP_REASON_MAX   4096    /* characters, section 4.4.1 */
#define PARLEY_VCP_ACTION_MAX   1024
#define PARLEY_VCP_ACK_MS       5000    /* section 6.1 */
#define PARLEY_VCP_WINDOW_MS  300000  /* VCP-18: 5 minutes */
#define PARLEY_VCP_PAST_MS      300000  /* section 7.4 */
#define PARLEY_VCP_FUTURE_MS    30000


typedef enum {
    PARLEY_VCP_CONTEXT_SHARE = 0,
    PARLEY_VCP_CONSTITUTION_ANNOUNCE,
    PARLEY_VCP_CONSTRAINT_PROPAGATE,
    PARLEY_VCP_ESCALATION,
    PARLEY_VCP_TYPES
} parley_vcp_type_t;


/* the members of an envelope, section 3.2 */
typedef enum {
    PARLEY_VCP_MESSAGE = 0,     /* "vcp_message", the version */
    PARLEY_VCP_TYPE,
    PARLEY_VCP_MESSAGE_ID,
    PARLEY_VCP_SENDER,
    PARLEY_VCP_RECIPIENT,
    PARLEY_VCP_TIMESTAMP,
    PARLEY_VCP_PAYLOAD,
    PARLEY_VCP_SIGNATURE,
    PARLEY_VCP_FIELDS
} parley_vcp_field_t;


/* differences between the versions, without their schemas */
typedef struct {
    parley_proto_t  proto;
    parley_str_t    version;        /* value of "vcp_message" */
    size_t          reason_max;     /* characters; 0: any number */
    size_t          action_max;     /* of a blocked_action; 0: unlimited */
    unsigned        open:1;         /* the envelope may have other members */
    unsigned        integers:1;     /* a personal_state has integers */
    int           (*is_id)(parley_str_t s);     /* Returns whether s is a
                                                   message_id. */
} parley_vcp_dialect_t;


/* context of an encode */
typedef struct {
    const parley_vcp_dialect_t  *dialect;   /* of the new message */
    const parley_engine_t       *engine;
    parley_arena_t              *arena;
    const parley_msg_t          *m;
    const parley_encode_opts_t  *opts;
    parley_loss_t               *loss;
    parley_error_t              *err;

    parley_buf_t                 payload;
    parley_vcp_type_t            type;
    unsigned                     made:1;    /* the payload is not VCP's own */
    unsigned                     whole:1;   /* the payload is m->data,
                                               unchanged */
    unsigned                     context:1; /* the message's own context is
                                               used */
} parley_vcp_encode_t;


extern const parley_binding_t  parley_vcp_binding;
extern const parley_name_syntax_t  parley_vcp_syntax;
extern const parley_plain_t  parley_vcp_names[];
extern const parley_atom_t
    parley_vcp_passing[][PARLEY_CODEC_PASSING_NAMES];
extern const parley_codec_t  parley_vcp_codec;
extern const parley_codec_t  parley_vcp2_codec;


/* members of a codec that both versions share */
#define PARLEY_VCP_CODEC                                                      \
    .binding = &parley_vcp_binding,                                           \
    .syntax = &parley_vcp_syntax,                                             \
    .nparts = PARLEY_VCP_TYPES,                                               \
    .acts = PARLEY_ACT_BIT(PARLEY_ACT_REPLY)                                  \
            | PARLEY_ACT_BIT(PARLEY_ACT_FAILURE),                             \
    .discriminator = PARLEY_ATOM_vcp_message,                                 \
    .signature_member = parley_str("signature"),                              \
    .pointers[PARLEY_MSG_FORM] = "/type",                                     \
    .pointers[PARLEY_MSG_ID] = "/message_id",                                 \
    .pointers[PARLEY_MSG_CREATED] = "/timestamp",                             \
    .pointers[PARLEY_MSG_SENDER] = "/sender",                                 \
    .pointers[PARLEY_MSG_RECIPIENT] = "/recipient",                           \
    .pointers[PARLEY_MSG_INTENT] = "/type",                                   \
    .pointers[PARLEY_MSG_REPLY_TO] = "/payload/reason",                       \
    .pointers[PARLEY_MSG_DATA] = "/payload",                                  \
    .pointers[PARLEY_MSG_SEVERITY] = "/payload/severity",                     \
    .pointers[PARLEY_MSG_SIGNATURE] = "/signature",                           \
    .window_min_ms = PARLEY_VCP_WINDOW_MS,                                    \
    .past_max_ms = PARLEY_VCP_PAST_MS,                                        \
    .future_max_ms = PARLEY_VCP_FUTURE_MS,                                    \
    .needs_tls = 1,                                                           \
    .needs_signature = 1,                                                     \
    .delivers = 1,                                                            \
    .acknowledges = 1,                                                        \
    .names = parley_vcp_names,                                                \
    .passing = parley_vcp_passing,                                            \
    .decode = parley_vcp_decode,                                              \
    .payload = parley_vcp_says,                                               \
    .spoken = parley_vcp_spoken,                                              \
    .sentence = parley_vcp_sentence,                                          \
    .type = parley_vcp_type,                                                  \
    .direction = parley_vcp_direction,                                        \
    .attach = parley_vcp_attach,                                              \
    .receipt = parley_vcp_receipt,                                            \
    .receipt_begin = parley_str("{\"status\":"),                              \
    .answer_encode = parley_vcp_answer_encode,                                \
    .duplicate = parley_vcp_duplicate,                                        \
    .refuse = parley_vcp_refuse,

/* schemas of payloads, indexed by parley_vcp_type_t */
#define PARLEY_VCP_PART(version, name)                                        \
    parley_str("urn:parley:schema:vcp-" version "#/$defs/" name "_payload")

#define PARLEY_VCP_PARTS(version)                                             \
    [PARLEY_VCP_CONTEXT_SHARE] =                                              \
        PARLEY_VCP_PART(version, "context_share"),                            \
    [PARLEY_VCP_CONSTITUTION_ANNOUNCE] =                                      \
        PARLEY_VCP_PART(version, "constitution_announce"),                    \
    [PARLEY_VCP_CONSTRAINT_PROPAGATE] =                                       \
        PARLEY_VCP_PART(version, "constraint_propagate"),                     \
    [PARLEY_VCP_ESCALATION] =                                                 \
        PARLEY_VCP_PART(version, "escalation"),


/*
 * Returns the dialect of a protocol.  A protocol other than 2.0 has that of
 * 1.2.
 */
const parley_vcp_dialect_t *parley_vcp_dialect(parley_proto_t proto);

/* Returns whether a protocol is the other version of VCP. */
int parley_vcp_is_sibling(const parley_vcp_dialect_t *dialect,
    parley_proto_t proto);

/*
 * Returns the codec's score of a document for a version.  A "vcp_message" that
 * begins with "2." counts for 2.0, any other for 1.2.
 */
int parley_vcp_detect(const parley_vcp_dialect_t *dialect,
    const parley_json_t *doc);


/* Return the field with a name, or PARLEY_VCP_FIELDS. */
parley_vcp_field_t parley_vcp_field(const parley_json_t *doc, uint32_t name);
parley_vcp_field_t parley_vcp_field_name(parley_str_t name);

/*
 * Returns whether a name is that of an envelope member; ASCII case is ignored.
 */
int parley_vcp_is_reserved(parley_str_t name);

/* Implements spelling() of a codec with an open envelope. */
int parley_vcp_spelling(const parley_json_t *doc, parley_error_t *err);

/* Return the words of a type: "escalation" and "vcp.escalation". */
parley_str_t parley_vcp_type_name(parley_vcp_type_t type);
parley_str_t parley_vcp_type_intent(parley_vcp_type_t type);

/* Finds a type.  PARLEY_VCP_TYPES: the name is unknown. */
parley_vcp_type_t parley_vcp_type_find(parley_str_t name);

/*
 * Returns the id in a reason "ACK:<message_id>..." (section 6.2).  The id is
 * empty if the reason is different.
 */
parley_str_t parley_vcp_ack_id(const parley_vcp_dialect_t *dialect,
    parley_str_t reason);

/*
 * Fills id, sender, recipient, form and intent, as far as they are strings.
 * The message need not be valid.  Returns 0, or -1 if memory is exhausted.
 */
int parley_vcp_peek(parley_msg_t *msg);


/*
 * Fills act, text, severity and the answered message of an acknowledgment from
 * a payload, by msg->form.  The payload need not be valid.
 */
int parley_vcp_says(parley_msg_t *msg);

/*
 * Does the work of parley_vcp_says() for a type, without the text.  The
 * function reads only an acknowledgment.
 */
int parley_vcp_means(parley_vcp_type_t type, parley_msg_t *msg);


int parley_vcp_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err);

int parley_vcp_encode(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err);

/*
 * Writes the payload of a message of the other version: unchanged if it is
 * valid, else without the parts that may be omitted.  Those are reported
 * (parley_vcp_fit.c).
 */
int parley_vcp_fit(parley_vcp_encode_t *e);

/*
 * Writes as many characters of text as room allows, and returns the remaining
 * room.  If text was cut, value, a value of the payload or PARLEY_JSON_NONE, is
 * reported as lost.
 */
size_t parley_vcp_reason(parley_vcp_encode_t *e, parley_str_t text,
    uint32_t value, size_t room);

/* Compute message_id, timestamp and recipient of the envelope. */
int parley_vcp_encode_id(parley_vcp_encode_t *e, parley_str_t *ret);
int parley_vcp_encode_time(parley_vcp_encode_t *e, parley_str_t *ret);
int parley_vcp_encode_recipient(parley_vcp_encode_t *e, parley_str_t *ret);

/* Writes the payload of an escalation for a message that reports a problem. */
int parley_vcp_escalate(parley_vcp_encode_t *e);

/* Implements the codec's warning(): an escalation of severity warning. */
int parley_vcp_warning(parley_arena_t *arena, parley_str_t reason,
    parley_str_t context, parley_own_event_t *ret);

/* Writes the payload of the acknowledgment for a reply to an escalation. */
int parley_vcp_acknowledge(parley_vcp_encode_t *e);

/*
 * Checks that the new message, read back, may acknowledge e->opts->answering
 * (VCP-25, SEC-08).  Returns 0, or -1: field-invalid if it has another
 * escalation or severity, reply-unmatched if its sender is not the recipient of
 * the escalation, translation-unsupported if the message is not a reply.
 */
int parley_vcp_is_bound(parley_vcp_encode_t *e, const parley_msg_t *back);

int parley_vcp_answer_decode(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);

int parley_vcp_receipt(const parley_json_t *doc, parley_receipt_t *ret);
int parley_vcp_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err);

parley_atom_t parley_vcp_spoken(const parley_msg_t *m);
int parley_vcp_sentence(parley_buf_t *b, const parley_msg_t *m);
parley_str_t parley_vcp_type(unsigned i);
parley_direction_t parley_vcp_direction(const parley_msg_t *m);
int parley_vcp_attach(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_sig_t *sig, parley_str_t *ret, parley_error_t *err);

int parley_vcp_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret);
int parley_vcp_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret);


#endif /* PARLEY_VCP_H */
