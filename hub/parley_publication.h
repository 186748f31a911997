/*
 * A publication: a message as it was accepted, with what decides who of a log's
 * subscribers gets it.  It is appended as one record (parley_log.h), which
 * every process of one version of Parley reads.
 */

#ifndef PARLEY_PUBLICATION_H
#define PARLEY_PUBLICATION_H

#include "core/parley_arena.h"
#include "translate/channel/parley_channel_filter.h"
#include "state/parley_log.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_PUBLICATION_TEXT_MAX  1024   /* octets of a text, but question;
                                               longer ones are not published */


typedef enum {
    PARLEY_PUBLICATION_MESSAGE = 0,
    PARLEY_PUBLICATION_REPLACED,    /* told to the processes: the session of
                                       that name in this log is another's since
                                       the stamp */
    PARLEY_PUBLICATION_CANCELLED    /* told to the processes: the client of an
                                       account (log) does not wait for its call
                                       any more (parley_gate_cancel.c) */
} parley_publication_kind_t;


/* which sessions of a log it is for */
typedef enum {
    PARLEY_AUDIENCE_ALL = 0,
    PARLEY_AUDIENCE_PREFIX,         /* whose instrument begins so */
    PARLEY_AUDIENCE_SESSION         /* the one of this instrument and name */
} parley_audience_form_t;


typedef struct {
    parley_audience_form_t  form;
    parley_str_t            instrument;
    parley_str_t            session;
} parley_audience_t;


typedef struct parley_publication_s {
    parley_publication_kind_t  kind;
    parley_proto_t             proto;       /* that the message is in */
    parley_audience_t          audience;
    parley_channel_facts_t     facts;       /* for filters */
    parley_str_t               sender;      /* sub of its principal */
    parley_str_t               author;      /* as in the message */
    parley_str_t               instrument;  /* of its session, if the directory
                                               gives another; else empty */
    parley_str_t               scope;       /* that it was submitted with;
                                               empty: its recipient alone */
    parley_str_t               from;        /* what may stand beside a message:
                                               the names of its sender */
    parley_str_t               to;          /* and recipient, */
    parley_str_t               id;          /* its id, also one that was
                                               made, */
    int64_t                    ms;          /* and when it came */
    parley_priority_t          priority;    /* that it goes on with: one that it
                                               embeds says what it had before */
    int64_t                    timeout_ms;  /* the same of its deadline */
    parley_str_t               answers;     /* parley_publication_question() of
                                               what it answers for good; empty:
                                               nothing */
    parley_str_t               question;    /* the record of what it answers, or
                                               reports on (parley_question.h);
                                               empty: nothing that is known */
    unsigned                   own:1;       /* it names question as its sender
                                               does */
    unsigned                   owed:1;      /* a job owes it to the readers of
                                               its logs (VCP-33) */
    parley_str_t               message;

    /* REPLACED */
    uint8_t                    log[PARLEY_KEY_LEN];
    uint64_t                   stamp;
} parley_publication_t;


/*
 * The record of a publication: two parts, of which the second is the message
 * itself.  Returns 0, or -1: a text is too long, or there is no memory.
 */
int parley_publication_write(parley_arena_t *arena,
    const parley_publication_t *p, parley_str_t ret[2])
    __attribute__((warn_unused_result));

/* The name of a question, in *out: letters and digits. */
#define PARLEY_PUBLICATION_QUESTION  (2 * (PARLEY_KEY_LEN + 4))

void parley_publication_question(const parley_record_id_t *id,
    uint8_t out[PARLEY_PUBLICATION_QUESTION]);

/* Reads a record; spans of *ret are its octets.  -1: it is none. */
int parley_publication_read(parley_str_t octets, parley_publication_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PUBLICATION_H */
