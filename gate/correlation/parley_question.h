/*
 * Questions: what is remembered of a message that was sent, so that what
 * comes later and refers to it is led to its sender, or to whom it was for
 * (SEC-08).  A reply names the id that it had in the protocol in which it was
 * sent, or the one that its sender gave it, in the sender's own; its sender
 * takes it back by the call that it was.
 *
 * A question takes one final answer, or one of each responder where it was for
 * several, until its time is over.  Then, or when it has its answer, it is
 * closed: what it said is forgotten, that it was there is not.
 */

#ifndef PARLEY_QUESTION_H
#define PARLEY_QUESTION_H

#include "state/parley_ask.h"
#include "translate/parley_codec.h"
#include "state/parley_state.h"
#include "gate/party/parley_who.h"


/*
 * Where the sender gave no time an answer may come for so long; and for so
 * long at least it is known that there was a question.
 */
#define PARLEY_QUESTION_TIME  600000

/* octets of names and ids that are remembered of one */
#define PARLEY_QUESTION_MAX   4096


/* the texts of a record, in the order in which they stand */
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
    PARLEY_QUESTION_SCOPE,      /* that its answers go to; empty: its sender */
    PARLEY_QUESTION_TEXTS
} parley_question_text_t;


/*
 * How a record begins; the octets of the texts follow.  A text that is one
 * before it (an id that stays, a correlation that is the id) takes none:
 * same is the number of that one and 1.
 */
typedef struct {
    int64_t   time;             /* ms that it takes answers, from when it was
                                   put */
    uint8_t   asked[PARLEY_KEY_LEN];    /* of its sender's first answer; zero:
                                           none is kept for it */
    uint8_t   proto;
    uint8_t   sent;             /* in this protocol */
    uint8_t   act;
    uint8_t   alarm;
    uint8_t   sent_alarm;       /* as it was sent on */
    uint8_t   priority;
    uint8_t   one_way;          /* C2A-13 */
    uint8_t   approval;
    uint8_t   awaited;          /* it takes final answers; else it may be
                                   referred to, no more */
    uint8_t   several;          /* one of each responder */
    uint8_t   sessions;         /* who is a session */
    uint8_t   escalates;        /* to whoever is above, until one acknowledges
                                   it (VCP-24) */
    uint8_t   same[PARLEY_QUESTION_TEXTS];
    uint16_t  len[PARLEY_QUESTION_TEXTS];
} parley_question_head_t;


typedef struct {
    parley_question_head_t  head;
    parley_str_t            texts[PARLEY_QUESTION_TEXTS];
    parley_str_t            record;     /* that it was read from; else empty */
} parley_question_t;


/* a record that leads to a question by the name that it has elsewhere */
typedef struct {
    parley_record_id_t      id;         /* of the question */
    parley_str_t            corr;       /* its correlation there, where
                                           has_corr is set */
    parley_str_t            told;       /* the asker's name there, where
                                           has_told is set; may be empty */
    unsigned                has_corr:1; /* else its correlation is its own */
    unsigned                has_told:1; /* else the name is its own */
} parley_question_alias_t;


/* a message that is about to be sent */
typedef struct {
    parley_arena_t          *arena;
    parley_ask_t            *ask;
    parley_who_t            *who;       /* who->msg is the message */
    const parley_encoded_t  *sent;
    parley_proto_t           speak;     /* the protocol in which it is sent */
    parley_str_t             to;        /* whom it is for */
    parley_str_t             scope;     /* that its answers go to; empty: its
                                           sender */
    const parley_msg_t      *answering; /* what it answers, or NULL */
    const uint8_t           *account;
    const uint8_t           *asked;     /* NULL: no first answer is kept */
    const uint8_t           *under;     /* as in parley_put_t */
    uint64_t                 stamp;
    unsigned                 escalates:1;   /* see parley_question_head_t */
    unsigned                 published:1;   /* whoever reads it reads its own
                                               protocol */
} parley_asking_t;


/*
 * What was remembered of it, or may be where the state was not waited for; all
 * zero: nothing.
 */
typedef struct {
    parley_record_id_t  question;
    parley_record_id_t  call;
    parley_record_id_t  own;            /* leads to question from what its
                                           sender calls it; without question:
                                           an event that is mute */
    int64_t             until;          /* the record ends, by the clock of
                                           parley_ask_t */
    uint32_t            generation;     /* of what is kept */
    unsigned            kept:1;         /* question is there */
    unsigned            call_kept:1;
    unsigned            own_kept:1;
    unsigned            awaited:1;
    unsigned            optional:1;     /* but nobody waits for it */
    unsigned            several:1;
    unsigned            sessions:1;
} parley_asked_t;


/*
 * Remembers a message where somebody may refer to it.  Returns 0; PARLEY_WAIT;
 * or -1: capacity, where what has to be answered finds no room;
 * message-too-large.
 */
int parley_question_keep(const parley_asking_t *a, parley_asked_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* What its question is remembered under, whether it is or not: of a->sent no
   more is needed than tells an answer to it apart. */
void parley_question_record(const parley_asking_t *a,
    parley_record_id_t *ret);

/*
 * The message, which was remembered, goes to somebody as a->sent too, who
 * answers that: what is under that name leads to the question.  It gives way
 * where there is no room.  Returns 0 or PARLEY_WAIT.
 */
int parley_question_alias(const parley_asking_t *a,
    const parley_asked_t *asked)
    __attribute__((warn_unused_result));

/* The same of an event that is mute, which was remembered: who answers a->sent
   answers what must not be answered (C2A-13). */
int parley_question_alias_mute(const parley_asking_t *a,
    const parley_asked_t *asked)
    __attribute__((warn_unused_result));

/*
 * drop: it was not taken, and nobody refers to it.  close: it has its answer,
 * and what comes later is reply-unmatched.  Both return 0: nothing of asked is
 * there any more; PARLEY_WAIT; or -1: no memory to ask with; close also
 * PARLEY_SETTLED_LATE: it had its answer before.
 */
int parley_question_drop(parley_ask_t *q, const parley_asked_t *asked)
    __attribute__((warn_unused_result));
int parley_question_close(parley_ask_t *q, const parley_asked_t *asked)
    __attribute__((warn_unused_result));

/*
 * Whether another asker's question is under the id that who->msg would have
 * where it is sent on, and a reply could not say whose it answers.  Returns 1,
 * 0, PARLEY_WAIT, or -1: no memory.
 */
int parley_question_is_taken(parley_ask_t *q, parley_who_t *who,
    parley_proto_t speak)
    __attribute__((warn_unused_result));

/*
 * Takes the slot of a final answer that comes in the response itself: of who
 * gave it, where the question is for several; session where those count as
 * one.  Returns 1; 0: that responder has answered before, or is about to;
 * PARLEY_WAIT.
 */
int parley_question_take(parley_ask_t *q, const parley_asked_t *asked,
    parley_str_t responder, parley_str_t session, const uint8_t *account)
    __attribute__((warn_unused_result));

/*
 * The key of what answers in a protocol name: an id, or a correlation where
 * its replies go by that.
 */
void parley_question_key(const parley_state_t *state, parley_proto_t proto,
    parley_str_t id, uint8_t out[PARLEY_KEY_LEN]);

/* The same of who names it alike in another protocol, of one that was made. */
void parley_question_key_in(const uint8_t key[PARLEY_KEY_LEN],
    parley_proto_t from, parley_proto_t to, uint8_t out[PARLEY_KEY_LEN]);

/* That of a call of a caller: whoever else says the same means another. */
void parley_question_call_key(const parley_state_t *state,
    const parley_who_t *who, parley_str_t call, uint8_t out[PARLEY_KEY_LEN]);

/* The id that a message has where it is sent on, unless that derives one. */
static inline parley_str_t
parley_question_id(const parley_msg_t *m)
{
    return m->held ? m->held_id : m->id;
}

/* The asker's name where who->msg is sent on; empty: it has none there. */
parley_str_t parley_question_from(parley_who_t *who, parley_proto_t speak);

/* Whose question who->msg is where it is sent on, as a reply names it. */
parley_str_t parley_question_asker(parley_who_t *who, parley_proto_t speak);

/* The tag of a question, whose owner its asker is; id: as it was sent. */
uint32_t parley_question_tag(const parley_state_t *state, parley_str_t asker,
    parley_str_t id);

/*
 * The slot that a final answer takes: of the question, or of who gives it
 * where each responder has one.
 */
void parley_question_slot(const parley_state_t *state,
    const parley_record_id_t *question, int several, parley_str_t responder,
    parley_str_t session, uint8_t out[PARLEY_KEY_LEN]);

/* The session that an agent-channel answer says it is of, or empty. */
parley_str_t parley_question_session(const parley_msg_t *answer);

/* A record as it was kept; texts point into it. */
void parley_question_split(parley_str_t record, parley_question_t *ret);

/*
 * Fills a message, that parley_msg_init() made, with what is remembered of it.
 */
void parley_question_message(const parley_question_t *q, parley_msg_t *m);

/* Fills the names of the asker, except the one that an answer has. */
void parley_question_asked_by(const parley_question_t *q,
    parley_who_asker_t *ret);

/* Returns whether a record leads to a question and is not one itself. */
int parley_question_is_alias(parley_str_t record, parley_question_alias_t *ret);

/* Whether it takes answers still where its record ends in left ms. */
int parley_question_is_open(const parley_question_t *q, int64_t left);

/* Milliseconds since it was put, where its record ends in left ms. */
int64_t parley_question_age(const parley_question_t *q, int64_t left);


#endif /* PARLEY_QUESTION_H */
