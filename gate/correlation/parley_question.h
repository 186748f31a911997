/*
 * Questions: records of messages that were sent, so that a later message that
 * refers to one finds its sender and its recipient (SEC-08).  A reply names the
 * id of the question in the protocol in which it was sent.  In the protocol of
 * its sender, a reply names the id that the sender gave it.  The sender takes a
 * question back by the id of its call.
 *
 * A question takes one final answer, or one from each responder if it was sent
 * to several, until its time is over.  After its answer or its time it is
 * closed: only the fact that it existed remains.
 */

#ifndef PARLEY_QUESTION_H
#define PARLEY_QUESTION_H

#include "state/parley_ask.h"
#include "translate/parley_codec_types.h"
#include "state/parley_state.h"
#include "gate/party/parley_who.h"


/*
 * Milliseconds for which a question takes answers if its sender set no
 * deadline.  Also the minimum time for which its record is kept.
 */
#define PARLEY_QUESTION_TIME  600000

/* octets of the names and ids of one record */
#define PARLEY_QUESTION_MAX   4096


/* texts of a record, in their order */
typedef enum {
    PARLEY_QUESTION_SENDER = 0,
    PARLEY_QUESTION_FORM,
    PARLEY_QUESTION_ID,
    PARLEY_QUESTION_CORR,
    PARLEY_QUESTION_QUESTION,
    PARLEY_QUESTION_INTENT,
    PARLEY_QUESTION_RECIPIENT,
    PARLEY_QUESTION_SENT_ID,
    PARLEY_QUESTION_SENT_CORR,
    PARLEY_QUESTION_SENT_CALL,
    PARLEY_QUESTION_SENT_FROM,
    PARLEY_QUESTION_SENT_TO,
    PARLEY_QUESTION_PLACE,
    PARLEY_QUESTION_TOKEN,
    PARLEY_QUESTION_SCOPE,      /* scope for the answers; empty: they go to the
                                   sender */
    PARLEY_QUESTION_TEXTS
} parley_question_text_t;


/*
 * Head of a record; the octets of the texts follow.  A text that is equal to an
 * earlier one (an unchanged id, a correlation that is the id) has no octets:
 * same is the index of the earlier text plus 1.
 */
typedef struct {
    int64_t   time;             /* ms for which it takes answers, from the put
                                   on */
    uint8_t   asked[PARLEY_KEY_LEN];    /* key of the sender's first answer;
                                           zero: none is kept */
    uint8_t   proto;
    uint8_t   sent;             /* protocol in which it was sent */
    uint8_t   act;
    uint8_t   alarm;
    uint8_t   sent_alarm;       /* alarm of the sent message */
    uint8_t   priority;
    uint8_t   one_way;          /* must not be answered in words (C2A-13) */
    uint8_t   approval;
    uint8_t   awaited;          /* takes final answers; else others may only
                                   refer to it */
    uint8_t   several;          /* takes one final answer from each responder */
    uint8_t   sessions;         /* a responder is a session */
    uint8_t   escalates;        /* goes to the next principal above until one
                                   acknowledges it (VCP-24) */
    uint8_t   same[PARLEY_QUESTION_TEXTS];
    uint16_t  len[PARLEY_QUESTION_TEXTS];
} parley_question_head_t;


typedef struct {
    parley_question_head_t  head;
    parley_str_t            texts[PARLEY_QUESTION_TEXTS];
    parley_str_t            record;     /* record that it was read from; else
                                           empty */
} parley_question_t;


/* record of another name of a question (an alias) */
typedef struct {
    parley_record_id_t      id;         /* record of the question */
    parley_str_t            corr;       /* correlation of the question by this
                                           name, if has_corr is set */
    parley_str_t            asker_name; /* name of the asker by this name, if
                                           has_told is set; may be empty */
    unsigned                has_corr:1; /* unset: the correlation is that of the
                                           asker */
    unsigned                has_asker_name:1;   /* unset: the name is that of
                                                   the asker */
} parley_question_alias_t;


/* message that is about to be sent */
typedef struct {
    parley_arena_t          *arena;
    parley_ask_t            *ask;
    parley_who_t            *who;       /* who->msg is the message */
    const parley_encoded_t  *sent;
    parley_proto_t           speak;     /* protocol in which it is sent */
    parley_str_t             to;        /* recipient */
    parley_str_t             scope;     /* scope for the answers; empty: the
                                           sender */
    const parley_msg_t      *answering; /* message that it answers, or NULL */
    const uint8_t           *account;
    const uint8_t           *asked;     /* key of the first answer; NULL: none
                                           is kept */
    const uint8_t           *under;     /* as in parley_put_t */
    uint64_t                 stamp;
    unsigned                 escalates:1;   /* see parley_question_head_t */
    unsigned                 published:1;   /* subscribers get it in their own
                                               protocols */
} parley_asking_t;


/*
 * Records of a message that were put, or may have been if the state was not
 * waited for.  All zero: none.
 */
typedef struct {
    parley_record_id_t  question;
    parley_record_id_t  call;
    parley_record_id_t  own;            /* alias by the sender's own name;
                                           without question: the record of a
                                           mute event */
    int64_t             until;          /* end of the records, by the clock of
                                           parley_ask_t */
    uint32_t            generation;     /* generation of the records */
    unsigned            kept:1;         /* question has been put */
    unsigned            call_kept:1;
    unsigned            own_kept:1;
    unsigned            awaited:1;
    unsigned            optional:1;     /* an answer may come but is not
                                           awaited */
    unsigned            several:1;
    unsigned            sessions:1;
} parley_asked_t;


/*
 * Puts the records of a message that others may refer to.  Returns 0;
 * PARLEY_WAIT; or -1: capacity, if a message that needs an answer finds no
 * room; message-too-large.
 */
int parley_question_keep(const parley_asking_t *a, parley_asked_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* Returns the record id of the message's question, whether or not it is put.
   Uses only the members of a->sent that identify an answer. */
void parley_question_record(const parley_asking_t *a,
    parley_record_id_t *ret);

/*
 * Puts an alias for a message that was recorded and is also sent as a->sent, so
 * that answers to that form find the question.  Puts nothing if no room is
 * left.  Returns 0 or PARLEY_WAIT.
 */
int parley_question_alias(const parley_asking_t *a,
    const parley_asked_t *asked)
    __attribute__((warn_unused_result));

/* As parley_question_alias(), for a recorded mute event: an answer to a->sent
   is refused (C2A-13). */
int parley_question_alias_mute(const parley_asking_t *a,
    const parley_asked_t *asked)
    __attribute__((warn_unused_result));

/*
 * parley_question_drop() removes the records of a message that was not
 * accepted.  parley_question_close() closes the question after its answer:
 * later answers are reply-unmatched.  Both return 0 if the records are removed;
 * PARLEY_WAIT; or -1: no memory.  close also returns PARLEY_SETTLED_LATE if the
 * question had its answer before.
 */
int parley_question_drop(parley_ask_t *q, const parley_asked_t *asked)
    __attribute__((warn_unused_result));
int parley_question_close(parley_ask_t *q, const parley_asked_t *asked)
    __attribute__((warn_unused_result));

/*
 * Returns whether the question of another asker has the id with which who->msg
 * will be sent.  A reply could then mean either question.  Returns 1, 0,
 * PARLEY_WAIT, or -1: no memory.
 */
int parley_question_is_taken(parley_ask_t *q, parley_who_t *who,
    parley_proto_t speak)
    __attribute__((warn_unused_result));

/*
 * Takes the slot of a final answer in the response itself: the slot of its
 * responder, if the question was sent to several, and of its session, if
 * sessions count.  Returns 1; 0: this responder has already answered, or is
 * about to; PARLEY_WAIT.
 */
int parley_question_take(parley_ask_t *q, const parley_asked_t *asked,
    parley_str_t responder, parley_str_t session, const uint8_t *account)
    __attribute__((warn_unused_result));

/*
 * Makes the key of a question from the name that answers in a protocol use: an
 * id, or a correlation if replies use that.
 */
void parley_question_key(const parley_state_t *state, parley_proto_t proto,
    parley_str_t id, uint8_t out[PARLEY_KEY_LEN]);

/* Makes the key for the same name in another protocol from an existing key. */
void parley_question_key_in(const uint8_t key[PARLEY_KEY_LEN],
    parley_proto_t from, parley_proto_t to, uint8_t out[PARLEY_KEY_LEN]);

/* Makes the key of a call id.  It includes the caller, so equal ids of two
   callers differ. */
void parley_question_call_key(const parley_state_t *state,
    const parley_who_t *who, parley_str_t call, uint8_t out[PARLEY_KEY_LEN]);

/* Returns the id that a message is sent with, unless the encoder derives
   one. */
static inline parley_str_t
parley_question_id(const parley_msg_t *m)
{
    return m->held ? m->held_id : m->id;
}

/* Returns the name of the asker in the protocol speak; empty: it has none
   there. */
parley_str_t parley_question_from(parley_who_t *who, parley_proto_t speak);

/* Returns the name of the asker of who->msg that a reply in the protocol speak
   uses. */
parley_str_t parley_question_asker(parley_who_t *who, parley_proto_t speak);

/* Returns the tag of a question.  Its owner part identifies the asker.  id is
   the id with which the question was sent. */
uint32_t parley_question_tag(const parley_state_t *state, parley_str_t asker,
    parley_str_t id);

/*
 * Makes the key of the slot that a final answer takes: one for the question, or
 * one for each responder if several is set.
 */
void parley_question_slot(const parley_state_t *state,
    const parley_record_id_t *question, int several, parley_str_t responder,
    parley_str_t session, uint8_t out[PARLEY_KEY_LEN]);

/* Returns the session that an agent-channel answer names, or empty. */
parley_str_t parley_question_session(const parley_msg_t *answer);

/* Splits a record into its texts, which point into it.  Returns 0, or -1 if it
   is not the record of a question, or has an unknown format. */
int parley_question_split(parley_str_t record, parley_question_t *ret)
    __attribute__((warn_unused_result));

/*
 * Fills a message, prepared by parley_msg_init(), from the record of a
 * question.
 */
void parley_question_message(const parley_question_t *q, parley_msg_t *m);

/* Fills the names of the asker, except the one that the answer uses. */
void parley_question_asked_by(const parley_question_t *q,
    parley_who_asker_t *ret);

/* Returns whether a record is an alias, and fills *ret. */
int parley_question_is_alias(parley_str_t record, parley_question_alias_t *ret);

/* Returns whether a question takes answers, given that its record ends in left
   ms. */
int parley_question_is_open(const parley_question_t *q, int64_t left);

/* Returns the milliseconds since the put, given that the record ends in left
   ms. */
int64_t parley_question_age(const parley_question_t *q, int64_t left);


#endif /* PARLEY_QUESTION_H */
