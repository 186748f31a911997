/*
 * Arguments and results of the functions of a codec (parley_codec.h), and the
 * callbacks that these functions need.
 */

#ifndef PARLEY_CODEC_TYPES_H
#define PARLEY_CODEC_TYPES_H

#include "translate/parley_binding.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "translate/parley_msg.h"
#include "translate/parley_severity_word.h"
#include "core/parley_str.h"


typedef struct parley_engine_s  parley_engine_t;


/*
 * Finds a principal's name in another protocol in the directory.  Returns 1 and
 * *ret, which is valid as long as the configuration or the arena.  Returns 0 if
 * the directory has no entry for this name (the syntax decides), or -1 if the
 * entry has no name in that protocol (identity-unmappable).
 */
typedef int (*parley_resolve_pt)(void *ctx, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);


/*
 * Finds the handle of the human for which the principal of this name acts, and
 * the handle of its instrument, which may have an @version (agent-channel 3.2).
 * Both are empty if unknown.  *ret_instrument contains the instrument that the
 * message names, or is empty.  The callback keeps it if it belongs to the
 * principal.
 */
typedef void (*parley_attribute_pt)(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);


/*
 * Returns the place of two principals in the hierarchy: 1 if the principal of
 * other is the parent of that of name; -1 if another principal is the parent,
 * or other is the child; 0 if the hierarchy is unknown.
 */
typedef int (*parley_above_pt)(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_str_t other);


/*
 * Signs octets: fills alg, kid and value (base64) of *ret, which are valid as
 * long as the arena.  Returns 0, or -1 with *err filled.
 */
typedef int (*parley_sign_pt)(void *ctx, parley_str_t octets,
    parley_msg_sig_t *ret, parley_error_t *err);


struct parley_redact_s;
struct parley_embed_s;
struct parley_embed_slot_s;


/* account on a chat platform, as a message names its author */
typedef struct {
    parley_str_t  platform;
    parley_str_t  workspace;
    parley_str_t  id;
    unsigned      human:1;
} parley_msg_account_t;


/* a change of a document, for parley_edit() */
typedef struct parley_edit_s {
    parley_str_t  pointer;      /* JSON Pointer; must not be "" */
    parley_str_t  value;        /* JSON text; empty: remove the member */
} parley_edit_t;


typedef struct {
    parley_str_t          self;         /* AEE name of the gateway */
    parley_str_t          context;      /* parley_vcp_context; may be empty */
    parley_str_t          constitution; /* parley_vcp_constitution */
    parley_str_t          broadcast;    /* parley_vcp_broadcast: AEE name of the
                                           group of all peers of the upstream;
                                           empty: none */
    const parley_severity_word_t  *severities; /* parley_vcp_severity */
    uint32_t                       nseverities;
    parley_resolve_pt     resolve;      /* may be NULL */
    parley_attribute_pt   attribute;    /* may be NULL */
    parley_above_pt       above;        /* may be NULL */
    void                 *resolve_ctx;  /* argument of these callbacks */

    parley_str_t          alias;        /* id for a protocol with replies that
                                           have only an id, if another message
                                           already uses the message's own id;
                                           empty: the own id */

    const parley_msg_t   *answering;    /* message of the caller that this one
                                           answers; NULL: this is a request */

    int64_t               now_ms;       /* arrival time, for a message without a
                                           time of creation; 0: unknown */

    parley_str_t          trace_id;     /* from the request's traceparent, for a
                                           message without a trace */
    parley_str_t          span_id;

    /* verified facts about the sender (GW-08); empty: none */
    parley_str_t          principal;
    parley_str_t          sig_alg;
    parley_str_t          sig_kid;

    /*
     * Signs octets for the gateway (GW-08); NULL: the gateway does not sign.
     * parley_encode() calls it with the RFC 8785 form of a new message.  If an
     * answer embeds a message, answer_encode() makes that message with
     * parley_encode().
     */
    parley_sign_pt        sign;
    void                 *sign_ctx;

    /* edits of the new message for redaction (SEC-12, parley_redact.h) */
    const parley_edit_t  *redact;
    uint32_t              nredact;
} parley_encode_opts_t;


/* the result of an encode */
typedef struct {
    parley_str_t  body;
    parley_str_t  id;           /* id of the new message; empty if it is derived
                                   and answers do not use it:
                                   parley_encode_id() then fills it */
    parley_str_t  corr;         /* correlation that an answer must have */
    parley_str_t  scope;        /* agent-channel: scope for the submission;
                                   empty: the recipient alone */
    parley_str_t  call;         /* text by which a later message recalls this
                                   one, if it differs from the id */
    unsigned      copied:1;     /* body is the unchanged input */
    unsigned      answerable:1; /* the protocol can refer back to a message of
                                   this form */
    unsigned      one_way:1;       /* but cannot answer it with text (C2A-13) */
    unsigned      approval:2;   /* as in parley_msg_t */
    parley_severity_t  alarm;   /* severity, or NONE */
} parley_encoded_t;


/* facts about a message from its submission, not from its octets */
typedef struct {
    parley_str_t  scope;        /* query argument; empty: not given */
    parley_str_t  human;        /* handle of the human of the session; empty:
                                   unknown */
    parley_str_t  instrument;   /* instrument of the session in the directory;
                                   empty: none */
    const parley_str_t  *instruments;   /* further instruments in the
                                           directory */
    size_t               ninstruments;
    parley_str_t  author;       /* as in the message */

    parley_str_t  owner;        /* sub of the proven principal; empty: none */

    /* headers that the binding reads; data is NULL if a header is missing */
    parley_str_t  headers[PARLEY_BINDING_HEADERS];

    /* facts for messages that do not contain them */
    const uint8_t  *random;     /* 16 octets for the id; NULL: the id is derived
                                   from the content */
    parley_str_t  sender;       /* name of the session's principal in the
                                   message's protocol */
    parley_str_t  recipient;    /* track or peer of the message */
    int64_t       ms;           /* arrival time; 0: unknown */
    parley_str_t  session;      /* MoQ: Session ID of the frame, in hex; empty:
                                   none */
    uint32_t      stream;       /* Stream ID of the frame */
} parley_submission_t;


typedef enum {
    PARLEY_DIRECTION_ANY = 0,
    PARLEY_DIRECTION_UP,        /* child to parent */
    PARLEY_DIRECTION_DOWN       /* parent to child */
} parley_direction_t;


/* a receipt for a message: an answer without a message of its own */
typedef struct {
    parley_str_t  id;           /* id of the message; empty: not given */
    parley_str_t  code;         /* code of a refusal; empty: not given */
    unsigned      refused:1;    /* the message was not taken */
} parley_receipt_t;


/* meaning of a message between a child and its parent */
typedef struct {
    parley_severity_t  alarm;       /* severity of an escalation; NONE: the
                                       message is not an escalation */
    unsigned           acknowledges:1; /* acknowledges an escalation */
    unsigned           asks:1;      /* escalation that needs an
                                       acknowledgment */
    unsigned           resumes:1;   /* resumes a suspended child (VCP-26) */
    parley_str_t       context;     /* context of an escalation; may be empty */
} parley_supervision_t;


typedef enum {
    PARLEY_ANSWER_TAKEN = 0,    /* accepted, without a message */
    PARLEY_ANSWER_MESSAGE,      /* answered with a message */
    PARLEY_ANSWER_REFUSED       /* refused by the upstream, with its own code
                                   and text */
} parley_answer_kind_t;


#define PARLEY_ANSWER_READ  8       /* maximum values of a refusal that are
                                       read */

/* decoded answer of an upstream */
typedef struct {
    parley_answer_kind_t  kind;
    int                   status;   /* HTTP status of the upstream */
    parley_json_t         doc;      /* the body, unless it is empty */
    parley_msg_t          msg;      /* MESSAGE; for TAKEN, only the parties that
                                       the answer names */
    const char           *at;       /* JSON Pointer of msg in doc; NULL: msg is
                                       all of doc */
    const char           *within;   /* JSON Pointer of msg in a document that
                                       the value at "at" contains as text; NULL:
                                       it is all of that document */
    int64_t               delivered;    /* number of subscriptions that received
                                           the message, if */
    unsigned              counted:1;    /* the upstream counted them */
    unsigned              framed:1;     /* the answer goes to the caller as a
                                           WebSocket frame, which has no
                                           status */
    parley_str_t          code;     /* REFUSED: code of the upstream, which may
                                       be unknown to Parley; empty: none */
    parley_str_t          field;
    parley_str_t          message;
    int64_t               wait_ms;  /* REFUSED: delay before the next attempt,
                                       if */
    unsigned              waits:1;  /* the upstream names a delay */
    unsigned              retryable:1;  /* REFUSED: the upstream allows another
                                           attempt */
    unsigned              outright:1;   /* the upstream says so explicitly, not
                                           only by its code */

    /* REFUSED: values in doc; 0: none */
    uint32_t              read[PARLEY_ANSWER_READ];     /* all values that were
                                                           read */
    unsigned              nread;
    uint32_t              at_field;         /* values among them that not
                                               every */
    uint32_t              at_retryable;     /* protocol can express */
    uint32_t              at_wait;
} parley_answer_t;


/* parts of a message that have a place in its document */
typedef enum {
    PARLEY_MSG_FORM = 0,
    PARLEY_MSG_INTENT,
    PARLEY_MSG_CORR,
    PARLEY_MSG_REPLY_TO,      /* also of the message that is reported on or
                                 recalled */
    PARLEY_MSG_PRIORITY,
    PARLEY_MSG_TIMEOUT,
    PARLEY_MSG_CREATED,
    PARLEY_MSG_SENDER,
    PARLEY_MSG_RECIPIENT,
    PARLEY_MSG_DATA,
    PARLEY_MSG_ID,
    PARLEY_MSG_SEVERITY,
    PARLEY_MSG_LIFETIME,      /* milliseconds; 0: not retained */
    PARLEY_MSG_SIGNATURE,
    PARLEY_MSG_SECRET,        /* a credential */
    PARLEY_MSG_NOWHERE
} parley_msg_field_t;


typedef struct parley_tasks_s  parley_tasks_t;


/* form in which a protocol repeats the first answer for a duplicate (GW-19) */
typedef enum {
    PARLEY_FIRST_NONE = 0,
    PARLEY_FIRST_BODY,              /* the body is sent again */
    PARLEY_FIRST_ID                 /* an id by which the sender can fetch the
                                       answer */
} parley_first_kind_t;


typedef struct {
    int           status;           /* status of the first answer */
    parley_str_t  text;             /* body or id; empty: it is not stored */
} parley_first_t;


/* informational message from the gateway itself */
typedef struct {
    parley_str_t  id;               /* needs no escape */
    parley_str_t  from;             /* names in the protocol of the event */
    parley_str_t  to;
    int64_t       now_ms;
    parley_str_t  intent;
    parley_str_t  payload;          /* JSON, an object */
} parley_own_event_t;


/* known facts about a refused message; each may be empty */
typedef struct {
    const parley_error_t  *error;
    const parley_msg_t    *msg;     /* the message as far as it was read, or
                                       NULL */
    const parley_json_t   *doc;     /* its document if it was JSON, or NULL */
    parley_str_t           self;    /* AEE name of the gateway */
    int64_t                now_ms;
    uint8_t                random[16];  /* for ids that are not derived */
    int64_t                backoff_ms;  /* -1: unknown */
    parley_first_t         first;       /* for a duplicate */
    parley_str_t           headers[PARLEY_BINDING_HEADERS];
                                    /* as in parley_submission_t */
    const struct parley_chat_refused_s  *chat;  /* facts of a host of chat, or
                                                   NULL */
} parley_refusal_t;


#endif /* PARLEY_CODEC_TYPES_H */
