/*
 * agent-channel 1.0 (Agent-Channel Fan-Out).  Private to translate/channel
 * but for the descriptor.
 */

#ifndef PARLEY_CHANNEL_H
#define PARLEY_CHANNEL_H

#include "parley_buf.h"
#include "parley_codec.h"
#include "parley_engine.h"


#define PARLEY_CHANNEL_TEXT_MAX    2048     /* octets, section 5 */
#define PARLEY_CHANNEL_CODE_MAX    64
#define PARLEY_CHANNEL_ID_MAX      128      /* of a session's identifier */
#define PARLEY_CHANNEL_WINDOW_MS   60000    /* for answers, where the origin
                                               names no deadline */
#define PARLEY_CHANNEL_MS_MAX      9007199254740991     /* 2^53 - 1 */
#define PARLEY_CHANNEL_NAMES_MAX   8

/* what an error is called where the protocol has a code for it; any other has
   its word */
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
    parley_str_t           name;        /* "agent_query" */
    parley_str_t           intent;      /* "channel.agent_query" */
    parley_act_t           act;         /* of an answer that begins "error
                                           CODE: " FAILURE all the same */
    parley_atom_t          text;        /* the member a person reads, or
                                           NONE */
    parley_atom_t          corr;        /* the member that correlates, or
                                           NONE */
    parley_atom_t          question;    /* the member that names the one
                                           question, in it and in its answers,
                                           or NONE */

    /* the payload's members, those required first; NONE ends the list */
    unsigned               nrequired;
    parley_atom_t          names[PARLEY_CHANNEL_NAMES_MAX];
} parley_channel_kind_info_t;


/*
 * The members of section 3; those from ttl_ms on no canonical field holds.
 */
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


/* where a frame has them; PARLEY_JSON_NONE: nowhere */
typedef struct {
    uint32_t  values[PARLEY_CHANNEL_FIELDS];
    uint8_t   rest[PARLEY_CHANNEL_FIELDS];  /* ttl_ms and so on that are there,
                                               as they stand in the frame */
    unsigned  nrest;
} parley_channel_fields_t;


/* the lines of a text carrier, decoded; empty: no such line */
typedef struct {
    parley_proto_t     origin;
    parley_str_t       form;
    parley_str_t       intent;
    parley_str_t       id;
    parley_str_t       corr;
    parley_str_t       reply_to;
    parley_str_t       act;
    parley_str_t       priority;
    parley_json_ref_t  requires;        /* any value; NONE: no such line */
    parley_json_ref_t  trace;
    parley_json_ref_t  members;
    parley_json_ref_t  payload;         /* an object */
    parley_str_t       text;            /* the same, as it stands there */

    parley_str_t       code;            /* "error CODE: " stands before it */
    parley_str_t       words;           /* and what a person reads; or empty */
} parley_channel_carrier_t;


/* what an encode puts together */
typedef struct {
    parley_arena_t                    *arena;
    const parley_msg_t                *m;
    const parley_encode_opts_t        *opts;
    parley_loss_t                     *loss;
    parley_error_t                    *err;

    const parley_channel_kind_info_t  *kind;
    unsigned                           native:1;    /* the payload is an
                                                       agent-channel one */
    parley_str_t                       text;        /* else what it says, as
                                                       it stands in quotes */
    parley_str_t                       words;       /* of that, what a person
                                                       reads first; or empty */
    uint32_t                           spoken;      /* the value of the payload
                                                       that words are, NONE
                                                       where they stand in it
                                                       as well */
    unsigned                           deep:1;      /* values in it are, for
                                                       who reads it */
    int64_t                            timeout_ms;  /* that it says; -1: no
                                                       deadline */
    parley_str_t                       id;
    parley_str_t                       question;    /* query_id and so on: its
                                                       own, or what it
                                                       answers; or empty */
    parley_str_t                       sender;
    parley_str_t                       recipient;
    parley_str_t                       scope;       /* empty: the recipient */
    parley_str_t                       created;
    parley_str_t                       acted_by;
    parley_str_t                       drafted_with;
    parley_str_t                       human;       /* that the directory */
    parley_str_t                       instrument;  /* has; or empty */
} parley_channel_encode_t;


extern const parley_codec_t  parley_channel_codec;

/* the words of the line "act: ", by parley_act_t */
extern const parley_str_t  parley_channel_acts[];


/* Which member of section 3 it is; PARLEY_CHANNEL_FIELDS: none. */
parley_channel_field_t parley_channel_field(const parley_json_t *doc,
    uint32_t name);
parley_channel_field_t parley_channel_field_of(parley_str_t name);

/* Finds all of them in a frame, which need not be valid. */
void parley_channel_fields(const parley_json_t *doc,
    parley_channel_fields_t *ret);

/* NULL: the catalogue has no such kind. */
const parley_channel_kind_info_t *parley_channel_kind_find(parley_str_t name);
const parley_channel_kind_info_t *parley_channel_kind(
    parley_channel_kind_t kind);

/*
 * Whether the members of a payload are those of another kind: all that it
 * requires, none that it does not know, and one that kind does not know.
 */
int parley_channel_kind_mismatch(const parley_channel_kind_info_t *kind,
    const parley_json_t *doc, uint32_t payload);


/* The query_id or diagnostic_id that an answer names, or PARLEY_JSON_NONE. */
uint32_t parley_channel_spot(const parley_msg_t *m, parley_spot_t spot);

int parley_channel_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc, int mve5,
    parley_msg_t *msg, parley_error_t *err);

/*
 * What an agent-channel payload says of itself (parley_codec_t.payload): act,
 * text, correlation, priority, alarm, deadline.  It need not be valid.
 */
int parley_channel_says(parley_msg_t *msg);

/*
 * The text of a string in the document, a UUID of version 4 in lower case (RFC
 * 9562 section 4); of a UUID any case, its lower case.  -1: no memory.
 */
int parley_channel_id(const parley_json_t *doc, uint32_t value,
    parley_str_t *ret);
int parley_channel_lower(parley_arena_t *arena, parley_str_t id,
    parley_str_t *ret);

/* A number of milliseconds, or -1; what is too great stays great. */
int64_t parley_channel_ms(const parley_json_t *doc, uint32_t value);

/*
 * Takes "error CODE: " off the begin of a text.  Returns whether it was
 * there, and *ret the code.
 */
int parley_channel_code_read(parley_str_t *text, parley_str_t *ret);

/* Writes the member pointer_refs that names a question. */
void parley_channel_reference(parley_buf_t *b, parley_str_t question);

/* The codec's sentence (parley_codec.h). */
int parley_channel_sentence(parley_buf_t *b, const parley_msg_t *m);

/*
 * Where a text slot of the frame holds a text carrier that translation wrote,
 * makes *msg the message that it carries.  -1: no memory.
 */
int parley_channel_carried(parley_arena_t *arena,
    const parley_channel_fields_t *fields,
    const parley_channel_kind_info_t *kind, parley_msg_t *msg);

/* The deadline that the member requires of a text carrier says, or -1. */
int64_t parley_channel_timeout(parley_json_ref_t requires);

int parley_channel_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err);

void parley_channel_residue(const parley_msg_t *m, parley_loss_t *loss);

/* The codec's nested (parley_codec.h): a text carrier of a translation's. */
int parley_channel_nested(const parley_msg_t *m, parley_json_ref_t *ret);

int parley_channel_within(struct parley_redact_s *r, const parley_msg_t *m);


/*
 * Reads a text carrier.  Returns 1; 0 where the text is none; -1: no memory.
 * text is untrusted.
 */
int parley_channel_text_read(parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_channel_carrier_t *ret);

/*
 * Writes the text carrier of e->m, for e->kind, as e->text.  What is read from
 * it is e->m again, but for the deadline, where it is whole.
 */
int parley_channel_text_write(parley_channel_encode_t *e);

/* How many octets a text has that stands in quotes, without the escapes. */
size_t parley_channel_text_len(parley_str_t text);

/* Whether parley_channel_text_read() takes what was written.  -1: no memory */
int parley_channel_text_is_whole(const parley_channel_encode_t *e);

/*
 * The payload in RFC 8785 form, as it stands in a text; a number that has none
 * is an error.
 */
int parley_channel_text_data(parley_channel_encode_t *e, parley_buf_t *b);

/* Whether it has that form, else an error that names the number. */
int parley_channel_text_exact(parley_channel_encode_t *e,
    parley_json_ref_t value);

/* The same of any value of the message. */
int parley_channel_text_value(parley_channel_encode_t *e, parley_buf_t *b,
    parley_json_ref_t value);

/* A code as it stands in "error CODE: ": of A-Z, 0-9 and "_", never empty. */
void parley_channel_code(parley_buf_t *b, parley_str_t code);


int parley_channel_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err);

/* Chooses the kind and its text: e->kind, e->native, e->text. */
int parley_channel_choose(parley_channel_encode_t *e);

/* How grave the message is by its own words. */
parley_alarm_t parley_channel_alarm(const parley_channel_encode_t *e);

/* Fills identifiers, names, scope, time and attribution. */
int parley_channel_head(parley_channel_encode_t *e);

/* Whether s has no control characters. */
int parley_channel_is_plain(parley_str_t s);

/* Writes the payload. */
void parley_channel_payload(parley_buf_t *b,
    const parley_channel_encode_t *e);

/*
 * Reads back what was made, as far as it may be wrong: so it is valid, and
 * what differs from the message is what was lost.
 */
int parley_channel_check(const parley_engine_t *engine,
    parley_channel_encode_t *e, parley_encoded_t *ret);

/*
 * The envelope member of a frame that comes back from another protocol's
 * slot; node NONE: none.
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
/* the code of an error */
parley_str_t parley_channel_called(parley_code_t code);

int parley_channel_refuse(parley_arena_t *arena,
    const parley_refusal_t *refusal, parley_reply_t *ret);


#endif /* PARLEY_CHANNEL_H */
