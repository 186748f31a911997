/*
 * What the functions of a codec (parley_codec.h) take and give, and what they
 * ask of their caller.
 */

#ifndef PARLEY_CODEC_TYPES_H
#define PARLEY_CODEC_TYPES_H

#include "translate/parley_binding.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "translate/parley_msg.h"
#include "translate/parley_severity.h"
#include "core/parley_str.h"


typedef struct parley_engine_s  parley_engine_t;


/*
 * Asks the directory for a principal's name in another protocol.  Returns 1
 * and *ret (valid as long as the configuration or the arena), 0 where the
 * directory has no entry for this name (the syntax decides then), -1 where
 * it has one and the principal has no name there (identity-unmappable).
 */
typedef int (*parley_resolve_pt)(void *ctx, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);


/*
 * Asks the directory for the handle of the human that the principal of this
 * name acts for, and for its instrument's handle, perhaps with @version
 * (agent-channel 3.2).  Either may be empty: not known.  *ret_instrument is an
 * instrument that the message names, or empty; it is left alone if it is one of
 * the principal's.
 */
typedef void (*parley_attribute_pt)(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);


/*
 * Asks the directory for the hierarchy: whether the principal of the second
 * name is the parent of that of the first.  Returns 1: it is; -1: another is,
 * or it is the child; 0: that is not known.
 */
typedef int (*parley_above_pt)(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_str_t other);


/*
 * Signs octets: fills alg, kid and value (base64) of *ret, valid as long as
 * the arena.  Returns 0, or -1 with *err filled.
 */
typedef int (*parley_sign_pt)(void *ctx, parley_str_t octets,
    parley_msg_sig_t *ret, parley_error_t *err);


struct parley_redact_s;
struct parley_embed_s;
struct parley_embed_slot_s;


/* an account on a chat platform, as a message names its author */
typedef struct {
    parley_str_t  platform;
    parley_str_t  workspace;
    parley_str_t  id;
    unsigned      human:1;
} parley_msg_account_t;


/* a change of a document, for parley_edit() */
typedef struct {
    parley_str_t  pointer;      /* JSON Pointer; must not be "" */
    parley_str_t  value;        /* JSON text; empty: remove the member */
} parley_edit_t;


typedef struct {
    parley_str_t          self;         /* the gateway's own AEE name */
    parley_str_t          context;      /* parley_vcp_context, may be empty */
    parley_str_t          constitution; /* parley_vcp_constitution */
    parley_str_t          broadcast;    /* parley_vcp_broadcast: the group, by
                                           its AEE name, that all peers of the
                                           upstream are; empty: none */
    const parley_severity_t  *severities;   /* parley_vcp_severity */
    uint32_t                  nseverities;
    parley_resolve_pt     resolve;      /* may be NULL */
    parley_attribute_pt   attribute;    /* may be NULL */
    parley_above_pt       above;        /* may be NULL */
    void                 *resolve_ctx;  /* of these */

    parley_str_t          alias;        /* the id for a protocol whose replies
                                           name that alone, where the message's
                                           own is another's; empty: its own */

    const parley_msg_t   *answering;    /* the caller's message that this one
                                           answers, or NULL: a request */

    int64_t               now_ms;       /* when the message came, for one that
                                           does not say when it was made; 0:
                                           unknown */

    parley_str_t          trace_id;     /* of the request's traceparent; used
                                           where the message has no trace */
    parley_str_t          span_id;

    /* what was verified about the sender (GW-08); empty: nothing */
    parley_str_t          principal;
    parley_str_t          sig_alg;
    parley_str_t          sig_kid;

    /*
     * Signs octets for the gateway (GW-08); NULL: messages made are not
     * signed.  parley_encode() calls it with the RFC 8785 form of what it
     * made; answer_encode of a protocol whose answer embeds a message makes
     * that message with parley_encode().
     */
    parley_sign_pt        sign;
    void                 *sign_ctx;

    /* SEC-12: what the message that is made must not have (parley_redact.h) */
    const parley_edit_t  *redact;
    uint32_t              nredact;
} parley_encode_opts_t;


/* the result of an encode */
typedef struct {
    parley_str_t  body;
    parley_str_t  id;           /* of the message made; empty where that is
                                   derived and no answer names it:
                                   parley_encoded_id() */
    parley_str_t  corr;         /* what an answer will be matched with */
    parley_str_t  scope;        /* agent-channel: to submit it with; empty:
                                   none, the recipient alone */
    parley_str_t  call;         /* what a later message takes it back by, where
                                   that is not its id */
    unsigned      copied:1;     /* body is the input itself, unchanged */
    unsigned      answerable:1; /* its protocol has a way to refer back to a
                                   message of this form */
    unsigned      one_way:1;       /* but not to answer it in words (C2A-13) */
    unsigned      approval:2;   /* as in parley_msg_t */
    parley_alarm_t  alarm;      /* its severity, where it has one */
} parley_encoded_t;


/* what a submission says about a message beside its octets */
typedef struct {
    parley_str_t  scope;        /* the query argument; empty: not given */
    parley_str_t  human;        /* the handle of the human the session is
                                   bound to; empty: not known */
    parley_str_t  instrument;   /* that the directory lists for the session;
                                   empty: none */
    const parley_str_t  *instruments;   /* others that it lists */
    size_t               ninstruments;
    parley_str_t  author;       /* as in the message */

    parley_str_t  owner;        /* sub of the principal that was proven; empty:
                                   nobody was */

    /* of the binding's reads; no data: not there */
    parley_str_t  headers[PARLEY_BINDING_HEADERS];

    /* for messages that do not say it themselves */
    const uint8_t  *random;     /* 16 octets for the id; NULL: that is made of
                                   what the message says */
    parley_str_t  sender;       /* the session's principal, by its name in the
                                   message's protocol */
    parley_str_t  recipient;    /* the track or peer that it came for */
    int64_t       ms;           /* when it came; 0: not known */
    parley_str_t  session;      /* MoQ: the Session ID of its frame, in hex;
                                   empty: none */
    uint32_t      stream;       /* the Stream ID of its frame */
} parley_submission_t;


typedef enum {
    PARLEY_DIRECTION_ANY = 0,
    PARLEY_DIRECTION_UP,        /* child to parent */
    PARLEY_DIRECTION_DOWN       /* parent to child */
} parley_direction_t;


/* what a message means between a child and its parent, besides */
typedef struct {
    parley_alarm_t  alarm;          /* of an escalation; NONE: it is none */
    unsigned        acknowledges:1; /* it is one, and answers another */
    unsigned        asks:1;         /* it is one, and is to be acknowledged */
    unsigned        resumes:1;      /* a child that is suspended (VCP-26) */
    parley_str_t    context;        /* of an escalation, as it says it; may be
                                       empty */
} parley_supervision_t;


typedef enum {
    PARLEY_ANSWER_TAKEN = 0,    /* it took the message and says no more */
    PARLEY_ANSWER_MESSAGE,      /* it answers with a message */
    PARLEY_ANSWER_REFUSED       /* its own refusal, in its own words */
} parley_answer_kind_t;


#define PARLEY_ANSWER_READ  8       /* values that are read of a refusal */

/* an upstream's answer, understood */
typedef struct {
    parley_answer_kind_t  kind;
    int                   status;   /* the upstream's HTTP status */
    parley_json_t         doc;      /* the body, where there was one */
    parley_msg_t          msg;      /* MESSAGE; of TAKEN its parties, where
                                       it names them */
    const char           *at;       /* where in doc msg stands, by JSON
                                       Pointer; NULL: it is all of it */
    const char           *within;   /* where in a document of its own that
                                       value is; NULL: it is all of it */
    int64_t               delivered;    /* subscriptions it reached, where */
    unsigned              counted:1;    /* the upstream counted them */
    unsigned              framed:1;     /* it is told by a frame of a WebSocket,
                                           which has no status of its own */
    parley_str_t          code;     /* REFUSED: the upstream's code, may be
                                       none of ours; empty: none given */
    parley_str_t          field;
    parley_str_t          message;
    int64_t               wait_ms;  /* REFUSED: after which it may be sent
                                       again, where */
    unsigned              waits:1;  /* the upstream says that */
    unsigned              retryable:1;  /* REFUSED: the upstream says that it
                                           may be sent again */
    unsigned              outright:1;   /* it says whether, and not only by its
                                           code */

    /* REFUSED: values in doc; 0: there is none */
    uint32_t              read[PARLEY_ANSWER_READ];     /* all that is above */
    unsigned              nread;
    uint32_t              at_field;         /* those of them that not every */
    uint32_t              at_retryable;     /* protocol can say */
    uint32_t              at_wait;
} parley_answer_t;


/* what of a message stands somewhere in its document */
typedef enum {
    PARLEY_MSG_FORM = 0,
    PARLEY_MSG_INTENT,
    PARLEY_MSG_CORR,
    PARLEY_MSG_REPLY_TO,      /* also what it reports on or takes back */
    PARLEY_MSG_PRIORITY,
    PARLEY_MSG_TIMEOUT,
    PARLEY_MSG_CREATED,
    PARLEY_MSG_SENDER,
    PARLEY_MSG_RECIPIENT,
    PARLEY_MSG_DATA,
    PARLEY_MSG_ID,
    PARLEY_MSG_SEVERITY,
    PARLEY_MSG_LIFETIME,      /* milliseconds; 0: it is not kept */
    PARLEY_MSG_SIGNATURE,
    PARLEY_MSG_SECRET,        /* a credential */
    PARLEY_MSG_NOWHERE
} parley_msg_field_t;


typedef struct parley_tasks_s  parley_tasks_t;


/* what a protocol tells of the first answer to what came before (GW-19) */
typedef enum {
    PARLEY_FIRST_NONE = 0,
    PARLEY_FIRST_BODY,              /* it is told again */
    PARLEY_FIRST_ID                 /* by which it can be fetched */
} parley_first_kind_t;


typedef struct {
    int           status;           /* it came with */
    parley_str_t  text;             /* of that kind; empty: it is not kept */
} parley_first_t;


/* a message of the gateway's own, for information */
typedef struct {
    parley_str_t  id;               /* no escape is needed in it */
    parley_str_t  from;             /* names in the protocol that it is of */
    parley_str_t  to;
    int64_t       now_ms;
    parley_str_t  intent;
    parley_str_t  payload;          /* JSON, an object */
} parley_own_event_t;


/* what is known of a message that is refused; all may be empty */
typedef struct {
    const parley_error_t  *error;
    const parley_msg_t    *msg;     /* the message, as far as it was read,
                                       or NULL */
    const parley_json_t   *doc;     /* its document, where it was JSON, or
                                       NULL */
    parley_str_t           self;    /* the gateway's AEE name */
    int64_t                now_ms;
    uint8_t                random[16];  /* for ids that have no origin */
    int64_t                backoff_ms;  /* -1: unknown */
    parley_first_t         first;       /* of a duplicate */
    parley_str_t           headers[PARLEY_BINDING_HEADERS];
                                    /* as in the submission */
} parley_refusal_t;


#endif /* PARLEY_CODEC_TYPES_H */
