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

#include "core/parley_buf.h"
#include "translate/parley_codec_types.h"
#include "translate/parley_loss.h"
#include "translate/parley_name_syntax.h"
#include "translate/parley_plain.h"


#define PARLEY_CODEC_PARTS_MAX      10
#define PARLEY_CODEC_PASSING_NAMES  4   /* of the longest path, and its end */
#define PARLEY_CODEC_AUTHOR_MAX     3   /* edits of an author */


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
    unsigned        delivers:1;         /* a message that was accepted is
                                           delivered while its age allows it,
                                           or reported (VCP-33) */
    unsigned        acknowledges:1;     /* the only answers are those to
                                           escalations (VCP-35) */
    unsigned        sender_ids:1;       /* an id is unique for its sender
                                           only */
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
     * AEE-08, of a protocol with open objects: whether a member has the name
     * of one of the envelope's but for ASCII case, which another reader may
     * take for it (parley_spelling.h).  Returns 0, or -1: field-unknown.
     * NULL: there is none such.
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
     * Finds the account on a chat platform that wrote m, of this wire.  Returns
     * 1 and *ret; 0: m does not name one; -1: no memory.  NULL: no message
     * does.
     */
    int    (*account)(const parley_msg_t *m, parley_msg_account_t *ret);

    /*
     * Writes the edits that make name the author of a message for which
     * account() returned 1; edits has room for PARLEY_CODEC_AUTHOR_MAX.
     * Returns 0 and *ret_n; 1: an author cannot have this name; -1: no memory.
     */
    int    (*author)(parley_arena_t *arena, parley_str_t name,
               parley_edit_t *edits, uint32_t *ret_n);

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
