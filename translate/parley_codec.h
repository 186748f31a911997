/*
 * A codec: everything that Parley knows about one protocol.  The table
 * parley_codecs[] is indexed by parley_proto_t.  Callers use the functions of
 * parley_engine.h, which find the codec in the table.  docs/new-protocol.md
 * lists the other parts of a new protocol.
 *
 * The functions are pure: they use no clock, no randomness and no I/O.  All
 * memory comes from the arena of the request.  They return 0, or -1 with *err
 * filled.
 */

#ifndef PARLEY_CODEC_H
#define PARLEY_CODEC_H

#include "core/parley_buf.h"
#include "translate/parley_codec_types.h"
#include "translate/parley_loss.h"
#include "translate/parley_name_syntax.h"
#include "translate/parley_plain.h"


#define PARLEY_CODEC_PARTS_MAX      10
#define PARLEY_CODEC_PASSING_NAMES  4   /* names of the longest path, and its
                                           end */
#define PARLEY_CODEC_AUTHOR_MAX     3   /* edits that set an author */


typedef struct {
    parley_proto_t  proto;

    const parley_binding_t      *binding;   /* binding to HTTP */
    const parley_name_syntax_t  *syntax;    /* syntax of names */

    parley_str_t    schema;             /* URI of the schema in the builtin
                                           set */
    parley_str_t    log_schema;         /* URI of the schema of a partial log
                                           record (AEE-13); empty: none */

    const parley_str_t  *parts;         /* schemas of parts that are also
                                           validated separately */
    unsigned             nparts;        /* at most PARLEY_CODEC_PARTS_MAX */

    parley_atom_t   discriminator;      /* top-level member that distinguishes
                                           the protocol from others */
    parley_str_t    signature_member;   /* top-level member; empty: messages are
                                           not signed */
    parley_str_t    reply_to_member;    /* top-level member with the id of the
                                           answered message; empty: the payload
                                           has the id */
    parley_str_t    secret_member;      /* top-level member with a credential,
                                           which is never copied and not part of
                                           a digest; empty: none */
    parley_str_t    words;              /* for another version of a protocol:
                                           the word of the first version, which
                                           also determines the intents and
                                           forms; empty: the protocol has its
                                           own word */
    parley_str_t    intents;            /* text before the dot and the form in
                                           an intent; empty: words, or the
                                           protocol's word */
    unsigned        acts;               /* bits PARLEY_ACT_BIT(): acts of
                                           messages of other protocols that it
                                           can express by itself; failures only
                                           if they have an alarm; 0: all */

    /*
     * JSON Pointers of the canonical fields in a native message, for caps,
     * errors and the loss report; NULL: the protocol does not have the member.
     */
    const char     *pointers[PARLEY_MSG_NOWHERE + 1];

    /*
     * JSON Pointers, in a message of this protocol, of the objects that
     * contribute members to the payload of a carrier.  The first is the pointer
     * of the data, the others are inside the data.  An empty string ends the
     * list.  NULL: a carrier has the whole data, and nothing else, as its
     * payload.
     */
    const parley_str_t  *payloads;

    /*
     * Names that decode() reads in a message (SEC-01).  If the names depend on
     * the form of the message, names_of() returns them.
     */
    const parley_plain_t   *names;
    const parley_plain_t  *(*names_of)(const parley_msg_t *msg);
    parley_first_kind_t  first;

    /* Members that may change when the same message is sent again: the
       signature, the secret and others.  Each is a path of names; an empty path
       ends the list.  NULL: none. */
    const parley_atom_t  (*passing)[PARLEY_CODEC_PASSING_NAMES];

    int64_t         window_min_ms;      /* minimum time for which ids are
                                           stored */
    int64_t         past_max_ms;        /* the protocol's own bounds of a */
    int64_t         future_max_ms;      /* message's age; 0: none */
    unsigned        needs_tls:1;        /* VCP-19 */
    unsigned        needs_signature:1;  /* VCP-17 */
    unsigned        delivers:1;         /* an accepted message is delivered
                                           while its age allows it, or reported
                                           (VCP-33) */
    unsigned        acknowledges:1;     /* the only answers are those to
                                           escalations (VCP-35) */
    unsigned        sender_ids:1;       /* an id is unique only for one
                                           sender */
    unsigned        replies_by_corr:1;  /* a reply has the correlation of the
                                           answered message, not its id */
    unsigned        replies_to_id:1;    /* a reply has the id of the answered
                                           message, without its sender: open
                                           questions of two senders must not
                                           share an id */
    unsigned        drafted:1;          /* messages name the instrument that
                                           drafted them */
    unsigned        retries:1;          /* the payload of a failure says whether
                                           and when to try again, and names the
                                           invalid member */
    unsigned        conversations:1;    /* a group may be a conversation, where
                                           a sender reads the answers to its
                                           questions */
    unsigned        unstreamed:1;       /* the protocol has no event streams
                                           (parley_stream) */

    /*
     * Returns how well the top-level members match this protocol: 0 if they do
     * not match, at least 50 if the discriminator is present, at least 100 if
     * the match is certain, and less than 50 without the discriminator.
     */
    int    (*detect)(const parley_json_t *doc);

    /*
     * Returns whether detect() would return at least 100 for a document that
     * has the discriminator.  NULL: the discriminator alone makes the match
     * certain.
     */
    int    (*certain)(const parley_json_t *doc);

    /*
     * Validates a document by the schema, then fills *msg.  mve5: see AEE-13.
     */
    int    (*decode)(const parley_engine_t *engine, parley_arena_t *arena,
               const parley_json_t *doc, int mve5, parley_msg_t *msg,
               parley_error_t *err);

    /*
     * Checks that no member of an open object differs from an envelope member
     * only in ASCII case (AEE-08): another reader may confuse the two
     * (parley_spelling.h).  Returns 0, or -1: field-unknown.  NULL: the
     * protocol has no open objects.
     */
    int    (*spelling)(const parley_json_t *doc, parley_error_t *err);

    /*
     * Fills act, text, code, alarm and notice from msg->data, an object that is
     * not validated, or absent.  The caller has set msg->form, msg->intent and
     * msg->members.  Used for a message that another protocol carries.  NULL:
     * payloads of this protocol say none of these.  Returns 0, or -1 if memory
     * is exhausted.
     */
    int    (*payload)(parley_msg_t *msg);

    /*
     * Checks the facts of a submission, and fills msg->scope and msg->members
     * from them.  NULL: a submission adds nothing to the message.
     */
    int    (*submit)(parley_arena_t *arena, parley_msg_t *msg,
               const parley_submission_t *submission, parley_error_t *err);

    /*
     * Finds the chat platform account of the author of m, a message with this
     * wire.  Returns 1 and *ret; 0 if m does not name an account; -1 if memory
     * is exhausted.  NULL: messages do not name accounts.
     */
    int    (*account)(const parley_msg_t *m, parley_msg_account_t *ret);

    /*
     * Writes the edits that set the author of a message for which account()
     * returned 1 to name.  edits has room for PARLEY_CODEC_AUTHOR_MAX.  Returns
     * 0 and *ret_n; 1 if an author cannot have this name; -1 if memory is
     * exhausted.
     */
    int    (*author)(parley_arena_t *arena, parley_str_t name,
               parley_edit_t *edits, uint32_t *ret_n);

    /* chat in the words of this protocol (parley_chat.h); NULL: none */
    const struct parley_chat_s  *chat;

    /*
     * Reports the envelope members of m, a message with this wire, that have no
     * canonical field.  A target without an open slot loses them.
     */
    void   (*unmapped)(const parley_msg_t *m, parley_loss_t *loss);

    /*
     * Adds to r the edits that r->asked requires in a message that m carries
     * for another protocol (SEC-12).  NULL: messages carry none.  Returns 0, or
     * -1 if memory is exhausted.
     */
    int    (*within)(struct parley_redact_s *r, const parley_msg_t *m);

    /*
     * Finds the message that m, of this origin, embeds, as a recipient of m
     * finds it.  Returns 1 and *ret; 0 if m embeds none; -1 if memory is
     * exhausted.  NULL: messages embed none.
     */
    int    (*extract)(const parley_msg_t *m, struct parley_embed_s *ret);
    const struct parley_embed_slot_s  *slot;    /* slot of an embedded
                                                   message */

    /*
     * Finds the second name of an intent for recipients of this protocol.  Sets
     * *ret, or leaves it unchanged if the intent has one name.  NULL: every
     * intent has one name.  Returns 0, or -1 if memory is exhausted.
     */
    int    (*reading)(parley_arena_t *arena, parley_str_t intent,
               parley_str_t *ret);

    /* Returns the i-th type of messages; empty after the last.  NULL: any word
       may be a type. */
    parley_str_t  (*type)(unsigned i);

    /*
     * Checks that the values supplied by opts are valid in a message of this
     * protocol.  NULL: opts supply no values.
     */
    int    (*supplies)(const parley_engine_t *engine, parley_arena_t *arena,
               const parley_encode_opts_t *opts, parley_error_t *err);

    /* Writes m as a message of this protocol. */
    int    (*encode)(const parley_engine_t *engine, parley_arena_t *arena,
               const parley_msg_t *m, const parley_encode_opts_t *opts,
               parley_encoded_t *ret, parley_loss_t *loss,
               parley_error_t *err);

    /*
     * Finds the value of a field in m->doc, where the wire or origin of m is
     * this protocol.  PARLEY_JSON_NONE: the field is at its entry of pointers,
     * if it is present.  NULL: this applies to every field.
     */
    uint32_t  (*locate)(const parley_msg_t *m, parley_msg_field_t field);

    /*
     * Sets the act and dependent fields of m, a message with this wire, as an
     * answer to a known message.  Must be called once, after that message is
     * known.  approval is the approval that the answered message asks for.
     * NULL: the meaning does not depend on the answered message.
     */
    void   (*answers)(parley_msg_t *m, int approval);

    /*
     * Returns whether the correlation of m, a message with this wire, matches
     * want.  A correlation may be shorter than that of another message in the
     * same conversation.  NULL: they must be equal.
     */
    int    (*corr_is)(const parley_msg_t *m, parley_str_t want);

    /*
     * Returns whether m asks if the gateway can take messages.  The gateway
     * answers such a message even if it has no room to count it.  NULL: no
     * message does.
     */
    int    (*asks_health)(const parley_msg_t *m);

    /*
     * Returns whether each session of the recipient may answer m.  NULL: only
     * one answer is possible.
     */
    int    (*asks_sessions)(const parley_msg_t *m);

    /* tasks for the gateway itself, see parley_tasks.h; NULL: none */
    const parley_tasks_t  *tasks;

    /*
     * Returns the member of m->data, present or not, that alone holds the text
     * of m.  The origin of m is this protocol; its form and data are known.
     * PARLEY_ATOM_NONE: no member does.  NULL: this applies to every message.
     */
    parley_atom_t  (*spoken)(const parley_msg_t *m);
    unsigned         spoken_in_parts:1; /* that member is an array of parts: one
                                           {"type": "text", "text"} */

    /*
     * Writes the content of m, of this origin and without text, as a sentence
     * for a person that does not name the sender: "locks src/parser.c for 60
     * s".  Returns 0 if such a message has no sentence.  NULL: no message has
     * one.
     */
    int    (*sentence)(parley_buf_t *b, const parley_msg_t *m);

    /*
     * Writes m, a message with this wire, as the text that a harness gives to a
     * model.  The content of m cannot forge the frame of the text (C2A-26).
     * Returns 0; 1 if such a message has no text; -1 if memory is exhausted.
     * NULL: no message has one.
     */
    int    (*render)(parley_buf_t *b, const parley_msg_t *m);

    /* Returns the direction in a hierarchy in which m may go (VCP-30). */
    parley_direction_t  (*direction)(const parley_msg_t *m);

    /*
     * Fills *ret with the meaning of an intent of this protocol in a hierarchy.
     * m may be a message of another protocol.  NULL: intents have no such
     * meaning.
     */
    void   (*supervises)(const parley_msg_t *m, parley_supervision_t *ret);

    /* Adds a signature to a message without one.  kid may be empty. */
    int    (*attach)(parley_arena_t *arena, const parley_json_t *doc,
               const parley_msg_sig_t *sig, parley_str_t *ret,
               parley_error_t *err);

    /*
     * Decodes the answer of a service of this protocol: status and body.
     * answer->doc is already read, unless the body is empty.  sent is the
     * message that the service received.  An answer that does not match it is
     * upstream-invalid (AEE-34).
     */
    int    (*answer_decode)(const parley_engine_t *engine,
               parley_arena_t *arena, const parley_encoded_t *sent,
               parley_answer_t *answer, parley_error_t *err);

    /*
     * Reads doc, a text of a WebSocket, as a receipt.  Returns whether it is
     * one, and fills *ret, whose spans are in doc.  NULL: peers of the protocol
     * do not send receipts on a WebSocket.
     */
    int    (*receipt)(const parley_json_t *doc, parley_receipt_t *ret);
    parley_str_t     receipt_begin;     /* first octets of each receipt that
                                           this codec writes */

    /*
     * Encodes the answer to request for its sender.  If the protocol cannot
     * express an answer of kind MESSAGE, the message is reported as lost, and
     * the sender still receives an acceptance.
     */
    int    (*answer_encode)(const parley_engine_t *engine,
               parley_arena_t *arena, const parley_msg_t *request,
               const parley_answer_t *answer,
               const parley_encode_opts_t *opts, int64_t now_ms,
               parley_reply_t *ret, parley_loss_t *loss,
               parley_error_t *err);

    /*
     * Writes the answer to a message that was accepted before.  NULL: the
     * gateway refuses a duplicate.  Returns 0, or -1 if memory is exhausted.
     */
    int    (*duplicate)(parley_arena_t *arena, const parley_msg_t *m,
               const parley_first_t *first, parley_reply_t *ret);

    /* Writes an event.  NULL: the gateway sends none.  Returns 0, or -1 if
       memory is exhausted. */
    int    (*event)(parley_arena_t *arena, const parley_own_event_t *event,
               parley_str_t *ret);

    /*
     * Fills intent and payload of an event that reports a problem to a person
     * and needs no acknowledgment.  context is that of opts.  NULL: the
     * protocol has no such event.  Returns 0, or -1 if memory is exhausted.
     */
    int    (*warning)(parley_arena_t *arena, parley_str_t reason,
               parley_str_t context, parley_own_event_t *ret);

    /*
     * Writes a refusal in the form of this protocol.  The status is already
     * set.
     */
    int    (*refuse)(parley_arena_t *arena, const parley_refusal_t *refusal,
               parley_reply_t *ret);
} parley_codec_t;


/* indexed by parley_proto_t */
extern const parley_codec_t *const  parley_codecs[PARLEY_PROTO_COUNT];

/* Finds the codec of a protocol.  Returns 0, or -1: protocol-unsupported. */
int parley_codec_find(parley_proto_t proto, const parley_codec_t **ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CODEC_H */
