/*
 * The canonical message: the meaning of a message of any protocol.  A codec's
 * decode() fills it, and another codec's encode() reads it.  A codec knows no
 * other codec.
 *
 * All spans point into the decoded document or into the arena of the request.
 * The message owns no memory.
 */

#ifndef PARLEY_MSG_H
#define PARLEY_MSG_H

#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_atoms.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "core/parley_protocols.h"
#include "core/parley_str.h"


typedef enum {
#define X(id, word, member, shape, ...)  PARLEY_PROTO_##id,
    PARLEY_PROTOCOLS(X, , )
#undef X
    PARLEY_PROTO_COUNT,
    PARLEY_PROTO_NONE = PARLEY_PROTO_COUNT
} parley_proto_t;


/* a bit per protocol: 1 << parley_proto_t */
typedef unsigned  parley_proto_set_t;

#define PARLEY_PROTO_BIT(p)  (1u << (p))
#define PARLEY_ACT_BIT(act)  (1u << (act))
#define PARLEY_PROTO_ALL     (PARLEY_PROTO_BIT(PARLEY_PROTO_COUNT) - 1)


/* protocol of the names and intents in the canonical message, the configuration
   and a token's sub */
#define PARLEY_PROTO_CANONICAL  PARLEY_PROTO_AEE

/* protocol of chat, with a parley_chat_t in its codec (parley_chat.h) */
#define PARLEY_PROTO_CHAT       PARLEY_PROTO_C2A

/* protocol of the handles that identify logs, and of the scopes that address
   them; its messages are for subscribers only */
#define PARLEY_PROTO_STREAMS    PARLEY_PROTO_CHANNEL

/* protocol of the verbs that are MCP tools (parley_mcp) */
#define PARLEY_PROTO_VERBS      PARLEY_PROTO_CHANNEL

/* protocol of the messages that are objects of MoQ tracks (parley_moq) */
#define PARLEY_PROTO_TRACKS     PARLEY_PROTO_MOQ

/*
 * protocol of the escalations that report problems; the gateway reports its own
 * problems in it
 */
#define PARLEY_PROTO_WARNINGS   PARLEY_PROTO_VCP


typedef enum {
    PARLEY_ACT_REQUEST = 0,     /* the recipient must do something and answer */
    PARLEY_ACT_REPLY,           /* answer: done */
    PARLEY_ACT_FAILURE,         /* answer: not done */
    PARLEY_ACT_EVENT,           /* for information, without an answer */
    PARLEY_ACT_PROGRESS         /* the answer will follow */
} parley_act_t;


typedef enum {
    PARLEY_PRIORITY_LOW = 0,
    PARLEY_PRIORITY_NORMAL,
    PARLEY_PRIORITY_HIGH,
    PARLEY_PRIORITY_URGENT
} parley_priority_t;


/*
 * Severity of a message that reports a problem: of a VCP escalation its
 * severity, in other protocols that of a failure.  NONE: the message does not
 * report a problem.
 */
typedef enum {
    PARLEY_SEVERITY_NONE = 0,
    PARLEY_SEVERITY_INFO,
    PARLEY_SEVERITY_WARNING,
    PARLEY_SEVERITY_CRITICAL,
    PARLEY_SEVERITY_EMERGENCY
} parley_severity_t;


/*
 * Attention that the recipient must give to a message, if act and priority do
 * not express it.
 */
typedef enum {
    PARLEY_NOTICE_USUAL = 0,
    PARLEY_NOTICE_NOW,          /* interrupts: serious problems, agent-channel
                                   binding moments */
    PARLEY_NOTICE_ORDER,        /* must be obeyed and acknowledged, not
                                   discussed: VCP constraints */
    PARLEY_NOTICE_RECORD,       /* is stored for information: locks, leases, VCP
                                   escalations for information */
    PARLEY_NOTICE_OFFER         /* the recipient may answer: a VCP message that
                                   shares with one agent, or announces to it */
} parley_notice_t;


/* Bits: the approval of a human has both. */
typedef enum {
    PARLEY_APPROVAL_NONE = 0,
    PARLEY_APPROVAL_ANYBODY = 1,    /* an acknowledgment, or an approval that
                                       any recipient may give */
    PARLEY_APPROVAL_HUMAN = 3       /* an approval that only a human may give */
} parley_approval_t;


/*
 * A native envelope member without a canonical field: requires, trace and
 * unknown fields of AEE, the provenance block of agent-channel, and others.
 * The target's open slot carries it, or it is reported as loss.
 */
typedef struct {
    parley_str_t       name;    /* unescaped */
    parley_json_ref_t  value;
} parley_member_t;


/* signature of a message as received; absent if value is empty */
typedef struct {
    parley_str_t  alg;          /* "ed25519", "HS256" */
    parley_str_t  kid;          /* empty if the protocol has none */
    parley_str_t  value;        /* base64, without a prefix */
    unsigned      present:1;    /* the member is present and not null */
    unsigned      opaque:1;     /* present, in a form that cannot be verified
                                   (AEE-14: refused) */
} parley_msg_sig_t;


typedef struct {
    parley_proto_t        wire;       /* protocol of the document */
    parley_proto_t        origin;     /* protocol of the form, data and members;
                                         differs from wire if an AEE, C2A or
                                         agent-channel message carries another
                                         protocol's message */
    const parley_json_t  *doc;        /* the decoded document */
    parley_str_t          digest;     /* parley_embed_digest() of doc if the
                                         decode has computed it; else empty */

    parley_str_t          form;       /* native type in the words of origin:
                                         "task", "escalation" */
    parley_act_t          act;
    parley_str_t          id;
    parley_str_t          created;    /* time of creation as received; empty:
                                         none */
    int64_t               created_ms; /* -1: not an RFC 3339 timestamp */
    parley_str_t          owner;      /* sub of the proven principal; empty:
                                         none */
    parley_str_t          sender;     /* names in the syntax of wire; empty
                                         sender: the message is from the
                                         caller */
    parley_str_t          author;     /* AEE name of the instrument that sent
                                         the message in its session, if the
                                         sender has the name of a human; else
                                         empty */
    parley_str_t          recipient;  /* empty: the sender of the answered
                                         message */
    parley_str_t          intent;     /* never empty: "vcp.escalation" */
    parley_str_t          outer_form; /* if another protocol's message is
                                         carried: form and intent of the outer
                                         message in wire; else empty */
    parley_str_t          outer_intent;
    parley_str_t          corr;       /* empty: no correlation */
    parley_str_t          reply_to;   /* id of the answered message; empty:
                                         none */
    parley_str_t          names;      /* for an answer with a correlation, or
                                         matched by content: id of the one
                                         message that it answers, if it has
                                         it */
    parley_str_t          question;   /* text by which answers name this
                                         message, if it differs from the id
                                         (agent-channel's query_id); empty: the
                                         id */
    parley_str_t          call;       /* second name that the sender gave to the
                                         message, to recall it; empty: none */
    parley_str_t          recalls;    /* call that this message recalls; empty:
                                         none */
    parley_str_t          place;      /* JSON in the words of wire: requested
                                         place of an answer (C2A: a
                                         conversation); empty: any */
    parley_str_t          token;      /* JSON: token under which the sender
                                         wants progress reports; empty: the
                                         id */
    parley_priority_t     priority;
    int64_t               timeout_ms; /* -1: no deadline */
    parley_severity_t     alarm;
    parley_notice_t       notice;
    parley_str_t          text;       /* text for a person, or empty */
    parley_str_t          code;       /* for a FAILURE: code in AEE's form
                                         ("E_TIMEOUT"), or empty */
    unsigned              retryable:1;  /* for a FAILURE */
    unsigned              in_words:1; /* for a REPLY: text for readers, not only
                                         a signal (C2A-13) */
    unsigned              scoped:1;   /* answers go to a recipient scope instead
                                         of the sender (ACH-31) */
    unsigned              mute:1;     /* event that cannot be answered with text
                                         (C2A-13) */
    unsigned              open:1;     /* event that its readers may answer */
    unsigned              approval:2; /* parley_approval_t: requested approval;
                                         an approval is an answer */
    unsigned              dm:1;       /* the recipient is only the name of a
                                         conversation of two */
    unsigned              renamed:1;  /* members have the sender's own name, and
                                         also that of the author */
    unsigned              approves:1; /* REPLY that approves; the carrier has a
                                         member "approved" with this value */
    unsigned              unapproved:1; /* would approve if its sender were a
                                           human: parley_engine_disapprove() */
    uint32_t              agrees;     /* value in data that expresses the
                                         approval, or PARLEY_JSON_NONE */

    parley_str_t          session;    /* for an answer to a question for each
                                         session: session that answers; empty:
                                         unknown */
    parley_str_t          handle;     /* agent-channel: handle of the owner of
                                         the recipient group; else empty */
    parley_str_t          scope;      /* agent-channel: recipient scope of the
                                         submission; empty: the recipient
                                         alone */

    /*
     * If a text of this message holds another protocol's message: id, corr and
     * reply_to of the held message.  The fields above are those of the outer
     * message, which duplicates, answers and logs use.
     */
    unsigned              held:1;
    parley_str_t          held_id;
    parley_str_t          held_corr;
    parley_str_t          held_reply_to;

    parley_json_ref_t     data;       /* native payload, an object */
    unsigned              carried:1;  /* data has the member "references" with
                                         the gateway's item, and a member named
                                         after origin; neither belongs to
                                         origin */
    unsigned              anonymous:1;  /* the message has no id: id is derived
                                           from the content, and duplicates are
                                           not detected by it (GW-20) */
    unsigned              mcp:1;      /* the sender speaks MCP, and reads a
                                         refusal only from a response with
                                         status 200 */
    unsigned              sessions:1; /* each session of the recipient may
                                         answer: agent-channel's agent_query */
    unsigned              partial:1;  /* partial log record of MVE-5, not an
                                         envelope (AEE-13) */

    const uint8_t        *envelope;   /* for each atom: whether a member of data
                                         with this name belongs to the envelope,
                                         not to the payload; NULL: none does */
    unsigned              local:1;    /* for the gateway itself, about the
                                         sender's session: never forwarded */
    unsigned              native:1;   /* only for a service of the sender's
                                         protocol: not translatable (MCP's
                                         tools/list) */

    uint32_t              said[3];    /* values in data of text, code and
                                         retryable, or PARLEY_JSON_NONE */

    parley_member_t      *members;
    uint32_t              nmembers;

    parley_str_t          trace_id;   /* from AEE's trace, or empty */
    parley_str_t          span_id;

    parley_msg_sig_t      sig;
} parley_msg_t;


/* "aee", "vcp", "vcp2", "c2a", "channel", "moq"; "" for NONE */
parley_str_t parley_proto_name(parley_proto_t proto);

/* title for a person, "agent-channel"; zero-terminated, "" for NONE */
parley_str_t parley_proto_title(parley_proto_t proto);

/* Returns the member of a principal that has its name there: "handle". */
parley_str_t parley_proto_member(parley_proto_t proto);

/*
 * Returns whether principals have separate names in a protocol.  If not, the
 * sub is the name.
 */
int parley_proto_is_named(parley_proto_t proto);

/* Private to this header. */
extern const parley_atom_t  parley_proto_atoms[PARLEY_PROTO_COUNT + 1];


/*
 * Returns the word of a protocol as the name of a member.  For
 * PARLEY_PROTO_NONE, returns PARLEY_ATOMS, which no member has.
 */
static inline parley_atom_t
parley_proto_atom(parley_proto_t proto)
{
    return parley_proto_atoms[proto < PARLEY_PROTO_COUNT ? proto
                                                         : PARLEY_PROTO_NONE];
}


/*
 * Finds a protocol by its word.  Returns PARLEY_PROTO_NONE if the word is
 * unknown.
 */
parley_proto_t parley_proto_find(parley_str_t word);

/* Finds a protocol: text begins with its word and a dot.  *ret_rest is the rest
   of the text.  Otherwise returns PARLEY_PROTO_NONE with *ret_rest empty. */
parley_proto_t parley_proto_begins(parley_str_t text, parley_str_t *ret_rest);

/*
 * Initializes a message of a protocol without timestamp, deadline and data, and
 * with priority normal.
 */
void parley_msg_init(parley_msg_t *m, parley_proto_t proto,
    const parley_json_t *doc);

/*
 * Reads the text of a string value.  *ret is empty if the value is absent or
 * not a string.  Returns 0, or -1 if memory is exhausted.
 */
static inline int parley_msg_string(const parley_json_t *doc, uint32_t value,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

static inline int
parley_msg_string(const parley_json_t *doc, uint32_t value, parley_str_t *ret)
{
    const parley_json_node_t  *node;

    *ret = parley_str_none;

    if (value == PARLEY_JSON_NONE) {
        return 0;
    }

    node = parley_json_node(doc, value);

    if (node->type != PARLEY_JSON_STRING) {
        return 0;
    }

    if (node->flags & PARLEY_JSON_ESCAPED) {
        return parley_json_string(doc, value, ret);
    }

    *ret = parley_json_span(doc, value);

    return 0;
}


/*
 * Does the work of parley_msg_string() for a member of object, which may be
 * PARLEY_JSON_NONE.
 */
int parley_msg_member(const parley_json_t *doc, uint32_t object,
    parley_atom_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Derives a UUID of version 4, 7 or 8 from an id of m and its purpose.  Equal
 * protocol, principal (sender if none is proven), id and purpose give equal
 * UUIDs; all others differ (AEE-35, SEC-11).  Version 7 begins with the time of
 * m.  Returns 0 and *ret in the arena, or -1 if memory is exhausted or the
 * digest fails.
 */
int parley_msg_derive(parley_arena_t *arena, const parley_msg_t *m,
    int version, parley_str_t id, parley_str_t purpose, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Copies m with the ids of its held message, if it holds one. */
void parley_msg_release(const parley_msg_t *m, parley_msg_t *ret);

/*
 * Returns whether a member of m->data belongs to the payload: carrying did not
 * add it, and it is not an envelope member.
 */
static inline int
parley_msg_is_payload(const parley_msg_t *m, uint32_t name)
{
    parley_atom_t  atom;

    atom = parley_json_atom(m->data.doc, name);

    if (m->carried
        && (atom == PARLEY_ATOM_references
            || atom == parley_proto_atom(m->origin)))
    {
        return 0;
    }

    return m->envelope == NULL || !m->envelope[atom];
}


/* "low", "normal", "high", "urgent" */
parley_str_t parley_priority_name(parley_priority_t priority);

/* Finds a priority.  Returns 0, or -1 if the word is unknown. */
int parley_priority_find(parley_str_t word, parley_priority_t *ret);


#endif /* PARLEY_MSG_H */
