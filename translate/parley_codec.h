/*
 * A codec: all that Parley knows about one protocol.  The table
 * parley_codecs[] is indexed by parley_proto_t; callers go through the
 * functions of parley_engine.h, which take the codec from it.  What a new
 * protocol brings besides is in docs/new-protocol.md.
 *
 * The functions are pure: no clock, no random, no I/O.  All memory is the
 * request's arena.  They return 0, or -1 with *err filled.
 */

#ifndef PARLEY_CODEC_H
#define PARLEY_CODEC_H

#include "parley_binding.h"
#include "parley_buf.h"
#include "parley_error.h"
#include "parley_json.h"
#include "parley_loss.h"
#include "parley_msg.h"
#include "parley_name_syntax.h"
#include "parley_plain.h"
#include "parley_severity.h"
#include "parley_str.h"


#define PARLEY_CODEC_PARTS_MAX      10
#define PARLEY_CODEC_PASSING_NAMES  4   /* of the longest path, and its end */


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
 * Asks the directory who acts where the principal of this name does: the
 * handle of the human it acts for, and its instrument's handle, perhaps with
 * @version (agent-channel 3.2).  Either may be empty: not known.
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


typedef struct {
    parley_proto_t  proto;

    const parley_binding_t      *binding;   /* to HTTP */
    const parley_name_syntax_t  *syntax;    /* of names */

    parley_str_t    schema;             /* its URI in the builtin set */
    parley_str_t    log_schema;         /* of a log record that is no full
                                           message (AEE-13); empty: none */

    const parley_str_t  *parts;         /* schemas of parts that are also
                                           validated by themselves */
    unsigned             nparts;        /* at most PARLEY_CODEC_PARTS_MAX */

    parley_atom_t   discriminator;      /* the top-level member that tells it
                                           from others */
    parley_str_t    signature_member;   /* top-level; empty: unsigned */
    parley_str_t    reply_to_member;    /* top-level: names what a message
                                           answers; empty: the payload does */
    parley_str_t    secret_member;      /* top-level: a credential, which is
                                           never copied and no part of a
                                           digest; empty: none */
    parley_str_t    words;              /* of a version of a protocol that has
                                           another row: its word, whose intents
                                           and forms these are too; empty: it
                                           has its own */
    unsigned        partners;           /* bits 1 << parley_proto_t: what it
                                           is translated to and from; 0: any
                                           other */

    /*
     * Where the canonical fields stand in a native message, as JSON Pointers,
     * for caps, errors and the loss report; NULL: the protocol has no such
     * member.
     */
    const char     *pointers[PARLEY_MSG_NOWHERE + 1];

    /*
     * Where besides, within what stands at the pointer of the data, members
     * stand that are the payload's in a message that carries such a one: JSON
     * Pointers, the data's own first; ends with an empty one.  NULL: the
     * payload is all of the data, and stands there in every message.
     */
    const parley_str_t  *payloads;

    /*
     * The names in a message that decode() took (SEC-01); names_of instead,
     * where that depends on its form.
     */
    const parley_plain_t   *names;
    const parley_plain_t  *(*names_of)(const parley_msg_t *msg);
    parley_first_kind_t  first;

    /* members that another try of the same message may have otherwise, each a
       path of names: signature and secret, and what changes besides; ends with
       an empty one.  NULL: none. */
    const parley_atom_t  (*passing)[PARLEY_CODEC_PASSING_NAMES];

    int64_t         window_min_ms;      /* how long ids are remembered */
    int64_t         past_max_ms;        /* the protocol's own bounds of a */
    int64_t         future_max_ms;      /* message's age; 0: it has none */
    unsigned        needs_tls:1;        /* VCP-19 */
    unsigned        needs_signature:1;  /* VCP-17 */
    unsigned        text_ids:1;         /* ids are any text */
    unsigned        replies_by_corr:1;  /* a reply names the correlation of
                                           what it answers, not its id */
    unsigned        replies_to_id:1;    /* and nobody whose it is: an id must
                                           be one asker's */
    unsigned        drafted:1;          /* messages say who drafted them */
    unsigned        retries:1;          /* a failure says in its payload
                                           whether and when to try again, and
                                           which member is at fault */
    unsigned        conversations:1;    /* a group may be a conversation, which
                                           whoever asks there reads */
    unsigned        unstreamed:1;       /* nobody opens a stream of events for
                                           its messages (parley_stream) */

    /*
     * How strongly the top-level members speak for this protocol: 0 not at
     * all, 50 and more its discriminator is there, 100 and more there is no
     * doubt.  Less than 50 where it is not.
     */
    int    (*detect)(const parley_json_t *doc);

    /*
     * Whether detect() would say 100 and more of a document that has the
     * discriminator, where that is anybody's word; NULL: there is none like
     * it.
     */
    int    (*certain)(const parley_json_t *doc);

    /* Validates by the schema, then fills *msg.  mve5: AEE-13. */
    int    (*decode)(const parley_engine_t *engine, parley_arena_t *arena,
               const parley_json_t *doc, int mve5, parley_msg_t *msg,
               parley_error_t *err);

    /*
     * AEE-08, of a protocol that is open at its top level: whether a member
     * has the name of one of the envelope's but for ASCII case, which another
     * reader may take for it.  Returns 0, or -1: field-unknown.  NULL: there
     * is none such.
     */
    int    (*spelling)(const parley_json_t *doc, parley_error_t *err);

    /*
     * Fills what msg->data, an object that nobody validated, says in this
     * protocol's words: act, text, code, alarm, notice.  msg->form and
     * msg->intent are set.  For a message that another protocol carries;
     * NULL: a payload says none of these.  -1: no memory.
     */
    int    (*payload)(parley_msg_t *msg);

    /*
     * Checks what the submission says, and fills msg->scope and msg->members
     * from it; NULL: a submission says nothing beside the message.
     */
    int    (*submit)(parley_arena_t *arena, parley_msg_t *msg,
               const parley_submission_t *submission, parley_error_t *err);

    /*
     * Reports the envelope members of m, whose wire is this protocol, that
     * no canonical field holds: what a target without an open slot loses.
     */
    void   (*unmapped)(const parley_msg_t *m, parley_loss_t *loss);

    /*
     * Adds to r what r->asked means in what m carries of another protocol
     * (SEC-12).  NULL: it carries nothing.  Returns 0, or -1: no memory.
     */
    int    (*within)(struct parley_redact_s *r, const parley_msg_t *m);

    /*
     * Finds the message that m, of this origin, embeds, as whoever reads m
     * would.  Returns 1 and *ret; 0; -1: no memory.  NULL: it never does.
     */
    int    (*extract)(const parley_msg_t *m, struct parley_embed_s *ret);
    const struct parley_embed_slot_s  *slot;    /* of what is found there */

    /*
     * Whoever speaks this protocol has an intent by another name as well:
     * *ret is that, or is left as it is where there is none.  NULL: there
     * never is.  Returns 0, or -1: no memory.
     */
    int    (*reading)(parley_arena_t *arena, parley_str_t intent,
               parley_str_t *ret);

    /* The i-th type of its messages; empty: there are no more.  NULL: any
       word may be one. */
    parley_str_t  (*type)(unsigned i);

    /*
     * Whether what opts supply is valid where a message of this protocol gets
     * it.  NULL: they supply nothing.
     */
    int    (*supplies)(const parley_engine_t *engine, parley_arena_t *arena,
               const parley_encode_opts_t *opts, parley_error_t *err);

    /* Writes m as a message of this protocol. */
    int    (*encode)(const parley_engine_t *engine, parley_arena_t *arena,
               const parley_msg_t *m, const parley_encode_opts_t *opts,
               parley_encoded_t *ret, parley_loss_t *loss,
               parley_error_t *err);

    /*
     * The value in m->doc, of this wire or this origin, where something
     * stands; PARLEY_JSON_NONE: at the pointer above, if anywhere.  NULL:
     * everything does.
     */
    uint32_t  (*locate)(const parley_msg_t *m, parley_msg_field_t field);

    /*
     * What m, of this wire, means as an answer to that one: changes act and
     * what goes with it.  To be called once what it answers is known;
     * approval is that one's.  NULL: the same whatever it answers.
     */
    void   (*answers)(parley_msg_t *m, int approval);

    /*
     * Whether the correlation that a message of this wire gives is that one: it
     * may say less than another message of the same does.  NULL: where they are
     * equal.
     */
    int    (*corr_is)(const parley_msg_t *m, parley_str_t want);

    /*
     * Whether m asks whether the gateway is able to take messages, which it
     * answers even where there is no room to count them.  NULL: none does.
     */
    int    (*asks_health)(const parley_msg_t *m);

    /*
     * Whether each session of whom m is for may answer it.  NULL: one answer
     * is all.
     */
    int    (*asks_sessions)(const parley_msg_t *m);

    /* tasks for a gateway itself, see parley_tasks.h; NULL: none */
    const parley_tasks_t  *tasks;

    /*
     * The member of m->data, whether it is there or not, that holds the text
     * of a message of this origin and form, and nothing else does; NONE.  Of
     * m form and data are known.  NULL: no member does.
     */
    parley_atom_t  (*spoken)(const parley_msg_t *m);
    unsigned         spoken_in_parts:1; /* it is an array of parts: one of
                                           {"type": "text", "text"} */

    /*
     * Writes what m, a message of this origin that has no text, says, as a
     * sentence for a person, without its sender: "locks src/parser.c for 60
     * s".  Returns 0: there is none.  NULL: there never is.
     */
    int    (*sentence)(parley_buf_t *b, const parley_msg_t *m);

    /*
     * Writes m, of this wire, as the text by which a harness gives it to a
     * model, which what stands in it cannot forge (C2A-26).  Returns 0; 1: of
     * such a message there is none; -1: no memory.  NULL: there never is.
     */
    int    (*render)(parley_buf_t *b, const parley_msg_t *m);

    /* Which way in a hierarchy such a message may go (VCP-30). */
    parley_direction_t  (*direction)(const parley_msg_t *m);

    /*
     * What a message with an intent of this protocol's means there; m may be
     * another protocol's.  NULL: none means anything.
     */
    void   (*supervises)(const parley_msg_t *m, parley_supervision_t *ret);

    /*
     * Puts a signature into a message that has none.  kid may be empty.
     */
    int    (*attach)(parley_arena_t *arena, const parley_json_t *doc,
               const parley_msg_sig_t *sig, parley_str_t *ret,
               parley_error_t *err);

    /*
     * This protocol's service answered (HTTP binding): status and body.
     * answer->doc is already read where the body is not empty.  sent is the
     * message that the service was given, in this protocol: an answer that
     * does not match it is upstream-invalid (AEE-34).
     */
    int    (*answer_decode)(const parley_engine_t *engine,
               parley_arena_t *arena, const parley_encoded_t *sent,
               parley_answer_t *answer, parley_error_t *err);

    /*
     * Tells this protocol's caller what came of its message request.  A
     * MESSAGE that it cannot say is loss; the caller still learns that its
     * message was taken.
     */
    int    (*answer_encode)(const parley_engine_t *engine,
               parley_arena_t *arena, const parley_msg_t *request,
               const parley_answer_t *answer,
               const parley_encode_opts_t *opts, int64_t now_ms,
               parley_reply_t *ret, parley_loss_t *loss,
               parley_error_t *err);

    /*
     * What the sender of a message is told that was taken before.  NULL: that
     * is refused.  -1: no memory.
     */
    int    (*duplicate)(parley_arena_t *arena, const parley_msg_t *m,
               const parley_first_t *first, parley_reply_t *ret);

    /* Writes an event.  NULL: the gateway sends none.  Returns 0, or -1: no
       memory. */
    int    (*event)(parley_arena_t *arena, const parley_own_event_t *event,
               parley_str_t *ret);

    /*
     * Fills intent and payload of an event that tells of a trouble, for a
     * person to look at and nobody to acknowledge; context is as in opts.
     * NULL: there is none such.  Returns 0, or -1: no memory.
     */
    int    (*warning)(parley_arena_t *arena, parley_str_t reason,
               parley_str_t context, parley_own_event_t *ret);

    /* A refusal in this protocol's manner.  status is already set. */
    int    (*refuse)(parley_arena_t *arena, const parley_refusal_t *refusal,
               parley_reply_t *ret);
} parley_codec_t;


/* indexed by parley_proto_t */
extern const parley_codec_t *const  parley_codecs[PARLEY_PROTO_COUNT];

/* The codec of a protocol.  Returns 0, or -1: protocol-unsupported. */
int parley_codec_find(parley_proto_t proto, const parley_codec_t **ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CODEC_H */
