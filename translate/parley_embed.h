/*
 * How a message that a target has no form for travels in one of the target's:
 * whole and exactly, and back (promise 2 of docs/mapping.md).  The outer
 * message embeds the inner one as a capsule: its protocol, form, payload,
 * what its envelope says that the outer one does not, and a reference to it.
 *
 * What a capsule says is the same everywhere.  Where it stands, and which of
 * it the fields of the outer message say already, is a slot, which each codec
 * describes (parley_codec_t.slot); extract of the codec finds it there.
 *
 *     AEE      the payload and a member of it:
 *              {payload..., "references": [reference],
 *               "<x>": {"form", members..., "payload"}}
 *     C2A      a part of the content:
 *              {"type": "data", "mediaType": "application/vnd.<x>+json",
 *               "form", "data": {payload}, "members": {...}, "reference"}
 *     channel  a text, for people (parley_embed_text.h)
 *     MoQ CMD  the payload and a member: {"payload", "aee": {"form", "id",
 *              ..., "members": {...}}}
 */

#ifndef PARLEY_EMBED_H
#define PARLEY_EMBED_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "core/parley_json.h"
#include "translate/parley_msg.h"


#define PARLEY_EMBED_TAKEN  3

/* the media type of a part that is a message of <x> */
#define PARLEY_EMBED_MEDIA_PREFIX  "application/vnd."
#define PARLEY_EMBED_MEDIA_SUFFIX  "+json"


/* what a capsule says: first words, then values */
typedef enum {
    PARLEY_EMBED_FORM = 0,
    PARLEY_EMBED_INTENT,        /* not said: "<x>.<form>" */
    PARLEY_EMBED_ID,
    PARLEY_EMBED_CREATED,
    PARLEY_EMBED_SENDER,
    PARLEY_EMBED_RECIPIENT,
    PARLEY_EMBED_CORR,
    PARLEY_EMBED_REPLY_TO,
    PARLEY_EMBED_ACT,
    PARLEY_EMBED_PRIORITY,      /* not said: normal */
    PARLEY_EMBED_WORDS,

    PARLEY_EMBED_TIMEOUT = PARLEY_EMBED_WORDS,  /* a number */
    PARLEY_EMBED_REQUIRES,      /* JSON: AEE's; of others {"timeout_ms"} */
    PARLEY_EMBED_TRACE,
    PARLEY_EMBED_MEMBERS        /* an object */
} parley_embed_field_t;


typedef struct parley_embed_s {
    parley_json_ref_t  at;          /* where it stands, for errors */
    parley_proto_t     origin;      /* NONE: what stands there is no whole
                                       message, but another reader may take it
                                       for one */
    parley_str_t       words[PARLEY_EMBED_WORDS];   /* empty: not said */
    int64_t            timeout_ms;  /* -1: not said */
    parley_json_ref_t  requires;    /* node NONE: not said */
    parley_json_ref_t  trace;
    parley_json_ref_t  members;
    parley_json_ref_t  data;        /* the payload, an object */

    parley_atom_t      taken[PARLEY_EMBED_TAKEN];   /* names of members that
                                       are none of the envelope's, or NONE */

    /* of a text (parley_embed_text.h) */
    parley_str_t       payload;     /* data, as it stands there */
    parley_str_t       code;        /* "error CODE: " stands before it */
    parley_str_t       sentence;    /* what a person reads first; or empty */
} parley_embed_t;


/* a line or member by which a slot says a field */
typedef struct {
    parley_str_t          name;
    parley_embed_field_t  field;
    unsigned              required:1;
} parley_embed_item_t;


typedef struct parley_embed_slot_s  parley_embed_slot_t;


/* what the outer message says by its own fields of the inner one */
typedef enum {
    PARLEY_EMBED_SAYS_NOTHING = 0,  /* the capsule has ids, act and priority */
    PARLEY_EMBED_SAYS_UNLESS,       /* all that the payload does not say */
    PARLEY_EMBED_SAYS_ALL           /* the payload adds what it has no word
                                       for; it is part of the outer payload */
} parley_embed_says_t;


struct parley_embed_slot_s {
    parley_proto_t              proto;      /* of the outer message */
    const parley_embed_item_t  *items;
    unsigned                    nitems;
    parley_embed_says_t         says;
    parley_act_t                act;    /* NOTHING: where the payload does not
                                           say it either */

    /*
     * Whether who reads the outer message alone reads nothing else than the
     * inner one says.  NULL: always.
     */
    int  (*agrees)(const parley_msg_t *outer, const parley_embed_t *c,
             const parley_msg_t *inner);
    unsigned                    strict:1;   /* agrees decides also whether
                                               there is a message */
};


/* The words of PARLEY_EMBED_ACT, by parley_act_t. */
extern const parley_str_t  parley_embed_acts[];


/* An empty capsule: nothing is said. */
void parley_embed_init(parley_embed_t *ret);

/* What m says, all of it but act and what its members and payload say. */
void parley_embed_fill(parley_embed_t *ret, const parley_msg_t *m);

/*
 * Where the document of *msg embeds a message, makes *msg that one: whatever
 * the slot of its protocol does not say comes from the capsule.  Sender and
 * recipient stay those of the outer message, unless the capsule says them.
 * Where the parts do not go together *msg stays.  Returns 0, or -1: no memory.
 */
int parley_embed_read(parley_arena_t *arena, parley_msg_t *msg)
    __attribute__((warn_unused_result));

/*
 * Promise 5: a message that is embedded embeds none itself.  Rules, redaction
 * and AEE-20 look at what a message embeds; what that embeds again, the next
 * reader alone would see (SEC-04).  parley_decode() asks it of what was
 * embedded, parley_encode() of what would be, so that whatever is made is
 * taken.  Returns 0, or -1: field-invalid, with a pointer to the member that
 * does.
 */
int parley_embed_nested(const parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Fills words and values from the members of an object that a slot names.
 * Returns 1; 0 where one that is required is missing, or a word or number is
 * empty or of another type; -1: no memory.
 */
int parley_embed_items_read(const parley_embed_slot_t *slot,
    parley_json_ref_t object, parley_embed_t *ret)
    __attribute__((warn_unused_result));

/*
 * What an object that parley_embed_items_read() took says and nobody reads:
 * members that the slot does not name, and a form that proto does not have.
 */
void parley_embed_items_unread(const parley_embed_slot_t *slot,
    parley_json_ref_t object, parley_proto_t proto, parley_loss_t *loss);

/*
 * The protocol whose messages a media type names, NONE: without regard to
 * case, to parameters and to blanks around it, as whoever reads the part
 * compares it (RFC 9110 section 8.3.1).
 */
parley_proto_t parley_embed_media(parley_str_t type);

/* Whether messages of proto have that form; of MoQ any word may be one. */
int parley_embed_is_form(parley_proto_t proto, parley_str_t form);

/*
 * Whether an id or correlation is own, or can only be what AEE has in its
 * place: one that is too short for AEE is replaced.
 */
int parley_embed_is_id(parley_str_t id, parley_str_t own);

/*
 * Fills msg->members with the members of an object, without those whose names
 * are in taken.  Returns 0, or -1: no memory.
 */
int parley_embed_members(parley_arena_t *arena, parley_msg_t *msg,
    parley_json_ref_t object, const parley_atom_t *taken)
    __attribute__((warn_unused_result));

/* Writes, behind an open brace, the members that say a capsule of m. */
void parley_embed_items_write(parley_buf_t *b,
    const parley_embed_slot_t *slot, const parley_embed_t *c,
    const parley_msg_t *m);

/* Writes the envelope members of m, with a comma before the first or not. */
void parley_embed_members_write(parley_buf_t *b, const parley_msg_t *m,
    int comma);

/*
 * Writes "name":value, at once where it stands so in the document: a name
 * that has no escapes there needs none.
 */
void parley_embed_member(parley_buf_t *b, const parley_member_t *member);

/* Copies a member, name and value, octet for octet. */
void parley_embed_copy(parley_buf_t *b, const parley_json_t *doc,
    uint32_t name, int *comma);

/*
 * Writes the native payload object of m in the words of its origin: m->data
 * without what embedding it added, and without the member named skip (NONE:
 * none).
 */
void parley_embed_payload(parley_buf_t *b, const parley_msg_t *m,
    parley_atom_t skip);

/*
 * Writes an object (any other value as it is) whose members named in fixed
 * (NONE: none) have other values: JSON text, empty where the member goes.
 * What it lacks is added where it is to be there always.
 */
typedef struct {
    parley_atom_t  name;
    parley_str_t   value;
    unsigned       always:1;
} parley_embed_fixed_t;

void parley_embed_object(parley_buf_t *b, parley_json_ref_t value,
    const parley_embed_fixed_t *fixed, unsigned nfixed);

/*
 * Writes the reference by which a message made of m names it (promise 5):
 * {"id", "type", "hash", "locator", "verified"}.  Returns 0, or -1 where the
 * digest fails or memory cannot be had.
 */
int parley_embed_reference_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_encode_opts_t *opts)
    __attribute__((warn_unused_result));

/*
 * The gateway's own item in the references of a payload that embeds a message
 * of proto, or PARLEY_JSON_NONE: the payload embeds none.
 */
uint32_t parley_embed_reference(const parley_json_t *doc, uint32_t payload,
    parley_proto_t proto);

/*
 * The id that the message had which m embeds, where the outer message could
 * not take it as it was; else m's own.  -1: no memory.
 */
int parley_embed_origin_id(const parley_msg_t *m, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * The SHA-256 of the RFC 8785 form of m's document, without a credential, in
 * lower-case hex: m->digest where that is there.  Returns 0, or -1 where the
 * digest fails or memory cannot be had.
 */
int parley_embed_digest(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * The protocol, other than AEE, that an intent "<x>.<form>" names, and the
 * form; PARLEY_PROTO_NONE where it names none.
 */
parley_proto_t parley_embed_intent(parley_str_t intent, parley_str_t *ret_form);

/*
 * The protocol whose intents and forms proto has, if not its own: of a version
 * of a protocol with another row that one (parley_codec_t.words).
 */
parley_proto_t parley_embed_kin(parley_proto_t proto);

/* The word that the intents of proto begin with: "vcp" in "vcp.escalation". */
parley_str_t parley_embed_word(parley_proto_t proto);

/* Whether the intent of m says no more than its origin and its form. */
int parley_embed_is_usual(const parley_msg_t *m);

/*
 * Whether embedding puts a member of this name into the payload of m, so that
 * one of the payload's own goes to "<x>": {"payload"}.
 */
int parley_embed_displaces(const parley_msg_t *m, uint32_t name);

/*
 * What of m's payload stands in "<x>": {"payload"}, an object, or
 * PARLEY_JSON_NONE.
 */
uint32_t parley_embed_displaced(const parley_msg_t *m);

/*
 * Whether a message that has its members and its payload within so many levels
 * is valid JSON as these are: it names once what m answers (m may have a
 * member for that which is null or empty, and answer something all the same),
 * and is not too deep.  "No" means only that it has to be read.
 */
int parley_embed_is_simple(const parley_msg_t *m, uint32_t levels);

/* The value of m's envelope member of that name; node NONE: there is none. */
parley_json_ref_t parley_embed_find(const parley_msg_t *m, parley_str_t name);

/*
 * Which way in a hierarchy a message may go whose protocol knows none: a
 * message in another protocol's words, embedded or not, goes where that
 * protocol lets it go.  Translation must not be a way around.
 */
parley_direction_t parley_embed_direction(const parley_msg_t *m);

/* What a message of any protocol means by its intent, see
   parley_supervision_t. */
void parley_embed_supervision(const parley_msg_t *m,
    parley_supervision_t *ret);

/*
 * What was made of m is not valid, as *err says of what was made: says it of m,
 * at pointer, "in <language>, ...".  A failure of memory stays.  Returns -1.
 */
int parley_embed_unsaid(const char *pointer, const char *language,
    parley_error_t *err)
    __attribute__((cold));


#endif /* PARLEY_EMBED_H */
