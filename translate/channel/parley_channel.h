/*
 * agent-channel 1.0 (Agent-Channel Fan-Out).  Other folders use only the
 * descriptor of this header.
 */

#ifndef PARLEY_CHANNEL_H
#define PARLEY_CHANNEL_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_embed_text.h"
#include "translate/parley_engine.h"


#define PARLEY_CHANNEL_TEXT_MAX    2048     /* octets, section 5 */
#define PARLEY_CHANNEL_ID_MAX      128      /* maximum octets of a session
                                               identifier */
#define PARLEY_CHANNEL_WINDOW_MS   60000    /* for answers, if the message has
                                               no deadline */
#define PARLEY_CHANNEL_MS_MAX      9007199254740991     /* 2^53 - 1 */
#define PARLEY_CHANNEL_NAMES_MAX   8

/* protocol's code of an error; an error that is not listed has its own word */
#define PARLEY_CHANNEL_CODES(X)                                               \
    X(JSON_INVALID, FIELD_INVALID)                                            \
    X(METHOD_NOT_ALLOWED, ENVELOPE_VERSION_UNSUPPORTED)                       \
    X(PROTOCOL_UNSUPPORTED, ENVELOPE_VERSION_UNSUPPORTED)                     \
    X(INTENT_REFUSED, SCOPE_UNAUTHORISED)                                     \
    X(DIRECTION_REFUSED, SCOPE_UNAUTHORISED)                                  \
    X(POLICY_REFUSED, SCOPE_UNAUTHORISED)                                     \
    X(MESSAGE_TOO_LARGE, FIELD_INVALID)                                       \
    X(MESSAGE_STALE, FIELD_INVALID)                                           \
    X(TRANSLATION_UNSUPPORTED, FIELD_INVALID)                                 \
    X(TRANSLATION_LOSSY, FIELD_INVALID)                                       \
    X(IDENTITY_UNMAPPABLE, FIELD_INVALID)


/* the catalogue of section 4 */
typedef enum {
    PARLEY_CHANNEL_ADVISORY = 0,
    PARLEY_CHANNEL_BROADCAST,
    PARLEY_CHANNEL_HANDOVER,
    PARLEY_CHANNEL_LOCK_REQUEST,
    PARLEY_CHANNEL_LOCK_RELEASE,
    PARLEY_CHANNEL_LEASE_EXTEND,
    PARLEY_CHANNEL_QUERY,
    PARLEY_CHANNEL_RESPONSE,
    PARLEY_CHANNEL_RETURN_EVENT,
    PARLEY_CHANNEL_BINDING_MOMENT,
    PARLEY_CHANNEL_DIAGNOSTIC_REQUEST,
    PARLEY_CHANNEL_DIAGNOSTIC_RESPONSE,
    PARLEY_CHANNEL_INTENT_DECLARE,
    PARLEY_CHANNEL_INTENT_WITHDRAW,
    PARLEY_CHANNEL_FLUSH_EXECUTED,
    PARLEY_CHANNEL_KINDS
} parley_channel_kind_t;


typedef struct {
    parley_channel_kind_t  kind;
    parley_str_t           name;        /* for example "agent_query" */
    parley_str_t           intent;      /* for example "channel.agent_query" */
    parley_act_t           act;         /* act; an answer that begins with
                                           "error CODE: " is a FAILURE */
    parley_atom_t          text;        /* member with the text for a person, or
                                           NONE */
    parley_atom_t          corr;        /* member with the correlation, or
                                           NONE */
    parley_atom_t          question;    /* member that names one question, in
                                           the question and in its answers; or
                                           NONE */

    /* members of the payload, required ones first; NONE ends the list */
    unsigned               nrequired;
    parley_atom_t          names[PARLEY_CHANNEL_NAMES_MAX];
} parley_channel_kind_info_t;


/* Members of section 3.  Those from ttl_ms on have no canonical field. */
typedef enum {
    PARLEY_CHANNEL_VERSION = 0,
    PARLEY_CHANNEL_FRAME_ID,
    PARLEY_CHANNEL_KIND,
    PARLEY_CHANNEL_SENDER,
    PARLEY_CHANNEL_RECIPIENT,
    PARLEY_CHANNEL_CREATED,
    PARLEY_CHANNEL_PAYLOAD,
    PARLEY_CHANNEL_TTL,
    PARLEY_CHANNEL_ACTED_BY,
    PARLEY_CHANNEL_DRAFTED_WITH,
    PARLEY_CHANNEL_LOCATION,
    PARLEY_CHANNEL_METHOD,
    PARLEY_CHANNEL_RETURN_REF,
    PARLEY_CHANNEL_CONTEXT_CHECK,
    PARLEY_CHANNEL_BASIS,
    PARLEY_CHANNEL_FIELDS
} parley_channel_field_t;


/* values of the members; PARLEY_JSON_NONE: missing */
typedef struct {
    uint32_t  values[PARLEY_CHANNEL_FIELDS];
    uint8_t   rest[PARLEY_CHANNEL_FIELDS];  /* present members from ttl_ms on,
                                               in the order of the frame */
    unsigned  nrest;
} parley_channel_fields_t;


/* context of an encode */
typedef struct {
    parley_arena_t                    *arena;
    const parley_msg_t                *m;
    const parley_encode_opts_t        *opts;
    parley_loss_t                     *loss;
    parley_error_t                    *err;

    const parley_channel_kind_info_t  *kind;
    unsigned                           native:1;    /* the payload belongs to
                                                       agent-channel */
    parley_embed_text_t                text;        /* text of any other
                                                       message */
    parley_str_t                       id;
    parley_str_t                       question;    /* query_id or
                                                       diagnostic_id: that of
                                                       the message, or of the
                                                       answered one; or empty */
    parley_str_t                       sender;
    parley_str_t                       recipient;
    parley_str_t                       scope;       /* empty: the recipient
                                                       alone */
    parley_str_t                       created;
    parley_str_t                       acted_by;
    parley_str_t                       drafted_with;
    parley_str_t                       human;       /* by the directory, */
    parley_str_t                       instrument;  /* or empty */
} parley_channel_encode_t;


extern const parley_binding_t  parley_channel_binding;
extern const parley_codec_t  parley_channel_codec;

extern const parley_embed_slot_t  parley_channel_slot;


/* Return a member of section 3, or PARLEY_CHANNEL_FIELDS. */
parley_channel_field_t parley_channel_field(const parley_json_t *doc,
    uint32_t name);
parley_channel_field_t parley_channel_field_of(parley_str_t name);

/* Finds all members of a frame, which need not be valid. */
void parley_channel_fields(const parley_json_t *doc,
    parley_channel_fields_t *ret);

/* Returns NULL if the catalogue does not have the kind. */
const parley_channel_kind_info_t *parley_channel_kind_find(parley_str_t name);
const parley_channel_kind_info_t *parley_channel_kind(
    parley_channel_kind_t kind);

/*
 * Returns whether the members of a payload match another kind: they include all
 * that it requires, and none that it does not know, and the given kind does not
 * know one of them.
 */
int parley_channel_kind_mismatch(const parley_channel_kind_info_t *kind,
    const parley_json_t *doc, uint32_t payload);


/* Finds the query_id or diagnostic_id of an answer, or PARLEY_JSON_NONE. */
uint32_t parley_channel_locate(const parley_msg_t *m, parley_msg_field_t field);

int parley_channel_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc, int mve5,
    parley_msg_t *msg, parley_error_t *err);

/*
 * Reads an agent-channel payload (parley_codec_t.payload): act, text,
 * correlation, priority, alarm, deadline.  The payload need not be valid.
 */
int parley_channel_says(parley_msg_t *msg);

/*
 * The first function reads a string; a UUID of version 4 becomes lower case
 * (RFC 9562 section 4).  The second converts a UUID of any case.  Both return
 * 0, or -1 if memory is exhausted.
 */
int parley_channel_id(const parley_json_t *doc, uint32_t value,
    parley_str_t *ret);
int parley_channel_lower(parley_arena_t *arena, parley_str_t id,
    parley_str_t *ret);

/* Returns a number of milliseconds, limited to PARLEY_CHANNEL_MS_MAX, or -1. */
int64_t parley_channel_ms(const parley_json_t *doc, uint32_t value);

/* Writes the member pointer_refs with the name of a question. */
void parley_channel_reference(parley_buf_t *b, parley_str_t question);

/* Implements the codec's sentence() (parley_codec.h). */
int parley_channel_sentence(parley_buf_t *b, const parley_msg_t *m);

int parley_channel_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err);

void parley_channel_unmapped(const parley_msg_t *m, parley_loss_t *loss);

/*
 * Implements the codec's extract() (parley_codec.h): finds a text that a
 * translation wrote.
 */
int parley_channel_extract(const parley_msg_t *m, parley_embed_t *ret);

int parley_channel_within(struct parley_redact_s *r, const parley_msg_t *m);


int parley_channel_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err);


/* Returns whether it is a handle, or handle@version. */
int parley_channel_is_versioned(parley_str_t name);

/* Fills identifiers, names, scope, time and attribution. */
int parley_channel_head(parley_channel_encode_t *e);

/*
 * Reads the parts of the new frame back that may be invalid.  Thus the frame is
 * valid, and its differences from the message are the loss.
 */
int parley_channel_check(const parley_engine_t *engine,
    parley_channel_encode_t *e, parley_encoded_t *ret);

/*
 * Finds an envelope member of a frame that another protocol's slot carried.  If
 * it is missing, node is NONE.
 */
parley_json_ref_t parley_channel_member(const parley_channel_encode_t *e,
    parley_str_t name);


int parley_channel_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);

int parley_channel_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err);

int parley_channel_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret);

int parley_channel_refuse(parley_arena_t *arena,
    const parley_refusal_t *refusal, parley_reply_t *ret);


#endif /* PARLEY_CHANNEL_H */
