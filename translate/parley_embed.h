/*
 * Embeds a message for which a target has no form in a message of the target,
 * completely and exactly, and reads it back (promise 2 of docs/mapping.md).
 * The outer message embeds the inner one as a capsule.  The capsule contains
 * the inner protocol, form and payload, the envelope fields that the outer
 * message does not express, and a reference to the inner message.
 *
 * The content of a capsule is the same for all targets.  A slot, which each
 * codec describes (parley_codec_t.slot), says which fields the outer message
 * already expresses.  The codec's extract() finds the capsule.
 *
 *   AEE      the payload and a member of it:
 *            {payload..., "references": [reference],
 *            "<x>": {"form", members..., "payload"}}
 *   C2A      a part of the content:
 *            {"type": "data", "mediaType": "application/vnd.<x>+json",
 *            "form", "data": {payload}, "members": {...}, "reference"}
 *   channel  a text, for people (parley_embed_text.h)
 *   MoQ CMD  the payload and a member: {"payload", "<x>": {"form", "id",
 *            ..., "members": {...}}}
 */

#ifndef PARLEY_EMBED_H
#define PARLEY_EMBED_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "core/parley_json.h"
#include "translate/parley_msg.h"


#define PARLEY_EMBED_TAKEN  3

/* media type of a part that contains a message of <x> */
#define PARLEY_EMBED_MEDIA_PREFIX  "application/vnd."
#define PARLEY_EMBED_MEDIA_SUFFIX  "+json"


/* fields of a capsule: first words, then values */
typedef enum {
    PARLEY_EMBED_FORM = 0,
    PARLEY_EMBED_INTENT,        /* absent: "<x>.<form>" */
    PARLEY_EMBED_ID,
    PARLEY_EMBED_CREATED,
    PARLEY_EMBED_SENDER,
    PARLEY_EMBED_RECIPIENT,
    PARLEY_EMBED_CORR,
    PARLEY_EMBED_REPLY_TO,
    PARLEY_EMBED_ACT,
    PARLEY_EMBED_PRIORITY,      /* absent: normal */
    PARLEY_EMBED_WORDS,

    PARLEY_EMBED_TIMEOUT = PARLEY_EMBED_WORDS,  /* a number */
    PARLEY_EMBED_REQUIRES,      /* JSON: AEE's requires; for other protocols
                                   {"timeout_ms"} */
    PARLEY_EMBED_TRACE,
    PARLEY_EMBED_MEMBERS        /* an object */
} parley_embed_field_t;


typedef struct parley_embed_s {
    parley_json_ref_t  at;          /* place of the capsule, for errors */
    parley_proto_t     origin;      /* NONE: the content is not a whole message,
                                       but another reader may take it for one */
    parley_str_t       words[PARLEY_EMBED_WORDS];   /* empty: absent */
    int64_t            timeout_ms;  /* -1: absent */
    parley_json_ref_t  requires;    /* node NONE: absent */
    parley_json_ref_t  trace;
    parley_json_ref_t  members;
    parley_json_ref_t  data;        /* payload, an object */

    parley_atom_t      taken[PARLEY_EMBED_TAKEN];   /* names of members that do
                                                       not belong to the
                                                       envelope, or NONE */

    /* fields for a text (parley_embed_text.h) */
    parley_str_t       payload;     /* data as text, as received */
    parley_str_t       code;        /* text begins with "error CODE: " */
    parley_str_t       sentence;    /* first sentence, for a person; or empty */
} parley_embed_t;


/* line or member of a slot that has a field */
typedef struct {
    parley_str_t          name;
    parley_embed_field_t  field;
    unsigned              required:1;
} parley_embed_item_t;


typedef struct parley_embed_slot_s  parley_embed_slot_t;


/* fields of the inner message that the outer message expresses by its own */
typedef enum {
    PARLEY_EMBED_SAYS_NOTHING = 0,  /* none: the capsule has ids, act and
                                       priority */
    PARLEY_EMBED_SAYS_UNLESS,       /* all that the payload does not have */
    PARLEY_EMBED_SAYS_ALL           /* all: the inner payload is part of the
                                       outer payload and has the rest */
} parley_embed_says_t;


struct parley_embed_slot_s {
    parley_proto_t              proto;      /* protocol of the outer message */
    const parley_embed_item_t  *items;
    unsigned                    nitems;
    parley_embed_says_t         says;
    parley_act_t                act;    /* NOTHING: act if the payload does not
                                           have it either */

    /*
     * Returns whether the outer message, read alone, says the same as the inner
     * one.  NULL: always.
     */
    int  (*agrees)(const parley_msg_t *outer, const parley_embed_t *c,
             const parley_msg_t *inner);
    unsigned                    strict:1;   /* agrees() also decides whether the
                                               outer message embeds a message */
};


/* words of PARLEY_EMBED_ACT, indexed by parley_act_t */
extern const parley_str_t  parley_embed_acts[];


/* Initializes an empty capsule. */
void parley_embed_init(parley_embed_t *ret);

/* Fills a capsule from m, without the act, the members and the payload. */
void parley_embed_fill(parley_embed_t *ret, const parley_msg_t *m);

/*
 * Replaces *msg by the message that its document embeds, if it embeds one.
 * Fields that the slot does not express come from the capsule.  Sender and
 * recipient stay those of the outer message, unless the capsule has them.  If
 * the parts contradict each other, *msg is unchanged.  Returns 0, or -1 if
 * memory is exhausted.
 */
int parley_embed_read(parley_arena_t *arena, parley_msg_t *msg)
    __attribute__((warn_unused_result));

/*
 * Checks that an embedded message does not embed another one (promise 5).
 * Rules, redaction and AEE-20 examine only the first level; the next reader
 * would see the second level as well (SEC-04).  parley_decode() checks each
 * embedded message, and parley_encode() each message that it embeds, so that
 * its output can be decoded.  Returns 0, or -1: field-invalid with a pointer to
 * the inner capsule.
 */
int parley_embed_nested(const parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Fills words and values from the members of object that a slot names.  Returns
 * 1; 0 if a required member is missing, or a word or number is empty or has
 * another type; -1 if memory is exhausted.
 */
int parley_embed_items_read(const parley_embed_slot_t *slot,
    parley_json_ref_t object, parley_embed_t *ret)
    __attribute__((warn_unused_result));

/*
 * Reports the parts of an object read by parley_embed_items_read() that Parley
 * does not use: members that the slot does not name, and a form that proto does
 * not have.
 */
void parley_embed_items_unread(const parley_embed_slot_t *slot,
    parley_json_ref_t object, parley_proto_t proto, parley_loss_t *loss);

/*
 * Finds the protocol of a media type, or PARLEY_PROTO_NONE.  Case, parameters
 * and surrounding blanks are ignored (RFC 9110 section 8.3.1).
 */
parley_proto_t parley_embed_media(parley_str_t type);

/*
 * Returns whether messages of proto have this form.  For MoQ, any word may be a
 * form.
 */
int parley_embed_is_form(parley_proto_t proto, parley_str_t form);

/*
 * Returns whether an id or correlation equals own, or can be AEE's replacement
 * of own: AEE replaces ids that are too short.
 */
int parley_embed_is_id(parley_str_t id, parley_str_t own);

/*
 * Fills msg->members with the members of an object, without those in taken.
 * Returns 0, or -1 if memory is exhausted.
 */
int parley_embed_members(parley_arena_t *arena, parley_msg_t *msg,
    parley_json_ref_t object, const parley_atom_t *taken)
    __attribute__((warn_unused_result));

/* Writes the members of a capsule of m after an open brace. */
void parley_embed_items_write(parley_buf_t *b,
    const parley_embed_slot_t *slot, const parley_embed_t *c,
    const parley_msg_t *m);

/*
 * Writes the envelope members of m.  comma: whether a comma precedes the first.
 */
void parley_embed_members_write(parley_buf_t *b, const parley_msg_t *m,
    int comma);

/*
 * Writes "name":value.  A name without escapes in its document is copied as it
 * is.
 */
void parley_embed_member(parley_buf_t *b, const parley_member_t *member);

/* Copies a member, name and value, unchanged. */
void parley_embed_copy(parley_buf_t *b, const parley_json_t *doc,
    uint32_t name, int *comma);

/*
 * Writes the native payload object of m in the words of its origin: m->data
 * without the members that embedding added, and without the member skip (NONE:
 * all members).
 */
void parley_embed_payload(parley_buf_t *b, const parley_msg_t *m,
    parley_atom_t skip);

/*
 * Writes an object with other values for the members named in fixed: JSON text,
 * or empty to remove the member.  A missing member is added if "always" is set.
 * name may be NONE.  A value that is not an object is copied.
 */
typedef struct {
    parley_atom_t  name;
    parley_str_t   value;
    unsigned       always:1;
} parley_embed_fixed_t;

void parley_embed_object(parley_buf_t *b, parley_json_ref_t value,
    const parley_embed_fixed_t *fixed, unsigned nfixed);

/*
 * Writes the reference by which a message made of m names m (promise 5): {"id",
 * "type", "hash", "locator", "verified"}.  Returns 0, or -1 if the digest fails
 * or memory is exhausted.
 */
int parley_embed_reference_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_encode_opts_t *opts)
    __attribute__((warn_unused_result));

/*
 * Finds the gateway's own item in the references of a payload that embeds a
 * message of proto.  PARLEY_JSON_NONE: the payload does not embed one.
 */
uint32_t parley_embed_reference(const parley_json_t *doc, uint32_t payload,
    parley_proto_t proto);

/*
 * Finds the original id of the message that m embeds, if the outer message
 * could not have it; else the id of m.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_embed_origin_id(const parley_msg_t *m, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Computes the SHA-256 of the RFC 8785 form of m's document without a
 * credential, in lower-case hex.  Uses m->digest if it is present.  Returns 0,
 * or -1 if the digest fails or memory is exhausted.
 */
int parley_embed_digest(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Finds the protocol, other than AEE, of an intent "<x>.<form>", and the form.
 * <x> is that of parley_embed_word().  PARLEY_PROTO_NONE: the intent does not
 * name one.
 */
parley_proto_t parley_embed_intent(parley_str_t intent, parley_str_t *ret_form);

/*
 * Returns the protocol that determines the intents and forms of proto: proto
 * itself, or the first version of the protocol (parley_codec_t.words).
 */
parley_proto_t parley_embed_kin(parley_proto_t proto);

/*
 * Returns the text before the dot and the form in the intents of proto: "vcp"
 * of "vcp.escalation", "moq.cmd" of "moq.cmd.render".
 */
parley_str_t parley_embed_word(parley_proto_t proto);

/* Returns whether the intent of m consists of its origin and its form. */
int parley_embed_is_usual(const parley_msg_t *m);

/*
 * Returns whether embedding adds a member of this name to the payload of m.
 * The payload's own member of this name then moves to "<x>": {"payload"}.
 */
int parley_embed_displaces(const parley_msg_t *m, uint32_t name);

/*
 * Finds the members of m's payload that moved to "<x>": {"payload"}, an object,
 * or PARLEY_JSON_NONE.
 */
uint32_t parley_embed_displaced(const parley_msg_t *m);

/*
 * Returns whether a message that contains the members and the payload of m is
 * certainly valid JSON.  levels is the number of levels that it adds.  The
 * depth must be allowed, and the members must not repeat the reply_to of m.
 * (They may have a null or empty reply_to although m answers a message.)  0:
 * the message must be read to decide.
 */
int parley_embed_is_simple(const parley_msg_t *m, uint32_t levels);

/* Finds m's envelope member of this name; node is NONE if it is missing. */
parley_json_ref_t parley_embed_find(const parley_msg_t *m, parley_str_t name);

/*
 * Returns the direction in a hierarchy for a message of a protocol without
 * directions.  A message in another protocol's words, embedded or not, has the
 * direction of that protocol.  Thus translation cannot bypass the rule.
 */
parley_direction_t parley_embed_direction(const parley_msg_t *m);

/* Fills *ret with the meaning of a message's intent in a hierarchy, for any
   protocol. */
void parley_embed_supervision(const parley_msg_t *m,
    parley_supervision_t *ret);

/*
 * Changes *err, which describes an invalid message made of m, to describe m: at
 * pointer, "in <language>, ...".  An error of memory stays.  Returns -1.
 */
int parley_embed_unsaid(const char *pointer, const char *language,
    parley_error_t *err)
    __attribute__((cold));


#endif /* PARLEY_EMBED_H */
