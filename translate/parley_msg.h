/*
 * The canonical message: what every protocol's message means, whatever it
 * looks like.  A codec's decode fills it, another codec's encode reads it;
 * no codec knows another.
 *
 * All spans point into the document it was decoded from or into the arena of
 * the request; the message owns nothing.
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
#define PARLEY_PROTO_ALL     (PARLEY_PROTO_BIT(PARLEY_PROTO_COUNT) - 1)


/* whose names and intents are also those of the canonical message, of the
   configuration and of a sub */
#define PARLEY_PROTO_CANONICAL  PARLEY_PROTO_AEE

/* by whose names, as handles, logs are known, and by whose scopes they are
   addressed; whose messages are sent for their readers alone */
#define PARLEY_PROTO_STREAMS    PARLEY_PROTO_CHANNEL

/* whose verbs are tools of MCP (parley_mcp) */
#define PARLEY_PROTO_VERBS      PARLEY_PROTO_CHANNEL

/* whose escalations tell of a trouble, and which the gateway writes, too */
#define PARLEY_PROTO_WARNINGS   PARLEY_PROTO_VCP


typedef enum {
    PARLEY_ACT_REQUEST = 0,     /* somebody is to do something and answer */
    PARLEY_ACT_REPLY,           /* the answer: it was done */
    PARLEY_ACT_FAILURE,         /* the answer: it was not */
    PARLEY_ACT_EVENT,           /* for information, no answer expected */
    PARLEY_ACT_PROGRESS         /* the answer is on its way */
} parley_act_t;


typedef enum {
    PARLEY_PRIORITY_LOW = 0,
    PARLEY_PRIORITY_NORMAL,
    PARLEY_PRIORITY_HIGH,
    PARLEY_PRIORITY_URGENT
} parley_priority_t;


/*
 * How grave a message is that reports a trouble: VCP escalations by their
 * severity, failures elsewhere.  NONE: it reports none.
 */
typedef enum {
    PARLEY_ALARM_NONE = 0,
    PARLEY_ALARM_INFO,
    PARLEY_ALARM_WARNING,
    PARLEY_ALARM_CRITICAL,
    PARLEY_ALARM_EMERGENCY
} parley_alarm_t;


/*
 * What notice the recipient is to take of a message, where act and priority
 * do not say it.
 */
typedef enum {
    PARLEY_NOTICE_USUAL = 0,
    PARLEY_NOTICE_NOW,          /* it interrupts: grave troubles, agent-channel
                                   binding moments */
    PARLEY_NOTICE_ORDER,        /* it is obeyed and acknowledged, not
                                   discussed: VCP constraints */
    PARLEY_NOTICE_RECORD,       /* it is kept, nobody has to look: locks,
                                   leases, VCP escalations for information */
    PARLEY_NOTICE_OFFER         /* its recipient may answer: what VCP shares
                                   with, or announces to, one agent */
} parley_notice_t;


/* Bits: a human's approval is one. */
typedef enum {
    PARLEY_APPROVAL_NONE = 0,
    PARLEY_APPROVAL_ANYBODY = 1,    /* an acknowledgment, or an approval that
                                       anybody may give who is asked */
    PARLEY_APPROVAL_HUMAN = 3       /* that a human alone may give */
} parley_approval_t;


/*
 * A native envelope member that the canonical message has no field for: AEE
 * requires, trace and unknown fields, the provenance block of agent-channel,
 * and so on.  It travels in the target's open slot, or is reported as loss.
 */
typedef struct {
    parley_str_t       name;    /* unescaped */
    parley_json_ref_t  value;
} parley_member_t;


/* a message's signature, as it was carried; absent where value is empty */
typedef struct {
    parley_str_t  alg;          /* "ed25519", "HS256" */
    parley_str_t  kid;          /* empty where the protocol has none */
    parley_str_t  value;        /* base64, without a prefix */
    unsigned      present:1;    /* the member is there and not null */
    unsigned      opaque:1;     /* there, but of a form that nobody can
                                   verify (AEE-14: then it is refused) */
} parley_msg_sig_t;


typedef struct {
    parley_proto_t        wire;       /* what it was decoded from */
    parley_proto_t        origin;     /* whose form, data and members these
                                         are: differs from wire where an AEE
                                         (or C2A, or agent-channel) message
                                         carries another protocol's */
    const parley_json_t  *doc;        /* the document it was decoded from */
    parley_str_t          digest;     /* parley_embed_digest() of it, where its
                                         decode made that; else empty */

    parley_str_t          form;       /* native type in origin's words:
                                         "task", "escalation" */
    parley_act_t          act;
    parley_str_t          id;
    parley_str_t          created;    /* as it was written; empty: it does
                                         not say */
    int64_t               created_ms; /* -1: no RFC 3339 timestamp */
    parley_str_t          owner;      /* sub of the principal that was proven;
                                         empty: nobody was */
    parley_str_t          sender;     /* names in the syntax of wire; a
                                         message that names none is from the
                                         caller */
    parley_str_t          author;     /* AEE's name of the instrument whose
                                         session sent it, where the sender has
                                         a human's name; else empty */
    parley_str_t          recipient;  /* empty: whoever it answers */
    parley_str_t          intent;     /* never empty: "vcp.escalation" */
    parley_str_t          outer_form; /* where another protocol's message is
                                         carried, what wire itself says of
                                         these two; else empty */
    parley_str_t          outer_intent;
    parley_str_t          corr;       /* empty: none of its own */
    parley_str_t          reply_to;   /* empty: answers nothing */
    parley_str_t          names;      /* of an answer that goes by a
                                         correlation, or by what it carries:
                                         the id of the one message that it
                                         answers, where it says it */
    parley_str_t          question;   /* what its answers name it by, where that
                                         is not its id (agent-channel's
                                         query_id); empty: the id */
    parley_str_t          call;       /* what its sender has for it beside the
                                         id, to take it back by; empty: none */
    parley_str_t          recalls;    /* the call that this takes back; empty:
                                         it takes nothing back */
    parley_str_t          place;      /* JSON, in the words of wire: where its
                                         sender wants an answer to stand (C2A:
                                         a conversation); empty: anywhere */
    parley_str_t          token;      /* JSON: what its sender wants progress
                                         reported under; empty: by its id */
    parley_priority_t     priority;
    int64_t               timeout_ms; /* -1: no deadline */
    parley_alarm_t        alarm;
    parley_notice_t       notice;
    parley_str_t          text;       /* what a person would read, or empty */
    parley_str_t          code;       /* of a FAILURE, in AEE's manner
                                         ("E_TIMEOUT"), or empty */
    unsigned              retryable:1;  /* of a FAILURE */
    unsigned              in_words:1; /* of a REPLY: a message for others to
                                           read, no mere sign (C2A-13) */
    unsigned              scoped:1;   /* its answers go to a recipient scope,
                                         not to its sender (ACH-31) */
    unsigned              mute:1;     /* an event that nobody answers in words
                                         (C2A-13) */
    unsigned              open:1;     /* an event that its readers may answer */
    unsigned              approval:2; /* parley_approval_t: what it asks for;
                                         who agrees to it has answered */
    unsigned              dm:1;       /* its recipient is but the name of a
                                         conversation of two */
    unsigned              renamed:1;  /* members have the sender's own name
                                         beside that of the author */
    unsigned              approves:1; /* of a REPLY: such an answer, which says
                                         so in the member "approved" of what
                                         carries it */
    unsigned              unapproved:1; /* it would be one, were its sender a
                                           human: parley_disapprove() */
    uint32_t              agrees;     /* the value in data that says so, or
                                         PARLEY_JSON_NONE */

    parley_str_t          session;    /* of an answer to such a message: whose
                                         it is; empty: it does not say */
    parley_str_t          handle;     /* agent-channel: whose group the
                                         recipient is; else empty */
    parley_str_t          scope;      /* agent-channel: the recipient scope
                                         it was submitted with, or empty: the
                                         recipient alone */

    /*
     * Where a text of this message holds another protocol's message, that
     * one's own id, corr and reply_to; the fields above are those of the
     * message that holds it (duplicates, answers and logs go by them).
     */
    unsigned              held:1;
    parley_str_t          held_id;
    parley_str_t          held_corr;
    parley_str_t          held_reply_to;

    parley_json_ref_t     data;       /* the native payload, an object */
    unsigned              carried:1;  /* data has the members "references"
                                         (the gateway's item in it) and the
                                         one named after origin, which are
                                         not origin's */
    unsigned              anonymous:1;  /* it names no id: id is made of what
                                           it says, and no duplicate is known
                                           by it (GW-20) */
    unsigned              mcp:1;      /* its sender speaks MCP: reads a refusal
                                         only in a response of status 200 */
    unsigned              sessions:1; /* each session of whom it is for may
                                         answer it: agent-channel's
                                         agent_query */
    unsigned              partial:1;  /* MVE-5: a log record, no envelope
                                         (AEE-13) */

    const uint8_t        *envelope;   /* of each atom, whether a member of
                                         data that has it is the envelope's,
                                         not the payload's; NULL: none is */
    unsigned              local:1;    /* for the gateway itself, whose session
                                         it is about: never forwarded */
    unsigned              native:1;   /* between its sender and a service that
                                         speaks the same protocol: nobody else
                                         can be told (MCP's tools/list) */

    uint32_t              said[3];    /* values in data that text, code and
                                         retryable say, PARLEY_JSON_NONE
                                         where there is none */

    parley_member_t      *members;
    uint32_t              nmembers;

    parley_str_t          trace_id;   /* of AEE trace, or empty */
    parley_str_t          span_id;

    parley_msg_sig_t      sig;
} parley_msg_t;


/* "aee", "vcp", "vcp2", "c2a", "channel", "moq"; "" for NONE */
parley_str_t parley_proto_name(parley_proto_t proto);

/* "agent-channel", for a person; zero-terminated, "" for NONE */
parley_str_t parley_proto_title(parley_proto_t proto);

/* "handle": the member of a principal that is its name there */
parley_str_t parley_proto_member(parley_proto_t proto);

/* Whether principals have a name of their own there; else that is their sub. */
int parley_proto_is_named(parley_proto_t proto);

/* Private to this header. */
extern const parley_atom_t  parley_proto_atoms[PARLEY_PROTO_COUNT + 1];


/*
 * The same as the name of a member; PARLEY_ATOMS, which no member has, where
 * there is none.
 */
static inline parley_atom_t
parley_proto_atom(parley_proto_t proto)
{
    return parley_proto_atoms[proto < PARLEY_PROTO_COUNT ? proto
                                                         : PARLEY_PROTO_NONE];
}


/* PARLEY_PROTO_NONE where the word names no protocol */
parley_proto_t parley_proto_find(parley_str_t word);

/* Whose word and a dot begin the text, and the rest of it; PARLEY_PROTO_NONE
   and an empty rest: nobody's. */
parley_proto_t parley_proto_begins(parley_str_t text, parley_str_t *ret_rest);

/*
 * An empty message of a protocol: no timestamp, no deadline, no data,
 * priority normal.
 */
void parley_msg_init(parley_msg_t *m, parley_proto_t proto,
    const parley_json_t *doc);

/*
 * The text of a string value; empty where the value is no string or absent.
 * Returns 0, or -1: no memory.
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


/* The same of the member of an object, which may be PARLEY_JSON_NONE. */
int parley_msg_member(const parley_json_t *doc, uint32_t object,
    parley_atom_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * A UUID of that version (4, 7 or 8) that follows from an id of m's and what
 * it is for: the same for the same protocol, principal (where none is proven:
 * sender), id and purpose, and nobody else's (AEE-35, SEC-11).  Version 7
 * begins with m's own time.  Returns 0 and *ret in the arena, or -1: no memory,
 * or the digest fails.
 */
int parley_msg_derive(parley_arena_t *arena, const parley_msg_t *m,
    int version, parley_str_t id, parley_str_t purpose, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * The message as its origin knows it: with the held ids, where there are.
 */
void parley_msg_release(const parley_msg_t *m, parley_msg_t *ret);

/*
 * Whether member name of m->data is the payload's own: not put there by
 * carrying, and not one of the envelope.
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

/* Returns 0, or -1 where the word names no priority. */
int parley_priority_find(parley_str_t word, parley_priority_t *ret);


#endif /* PARLEY_MSG_H */
