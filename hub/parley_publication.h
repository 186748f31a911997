/*
 * A publication: an accepted message, with the facts that select its
 * subscribers in a log.  It is appended as one record (parley_log.h), which
 * every process of one version of Parley can read.
 */

#ifndef PARLEY_PUBLICATION_H
#define PARLEY_PUBLICATION_H

#include "core/parley_arena.h"
#include "translate/channel/parley_channel_filter.h"
#include "state/parley_log.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_PUBLICATION_TEXT_MAX  1024   /* octets of a text other than
                                               question and views; longer ones
                                               are refused */


typedef enum {
    PARLEY_PUBLICATION_MESSAGE = 0,
    PARLEY_PUBLICATION_REPLACED,    /* fed to processes only: a later connection
                                       took the session of that name in this
                                       log, with this stamp */
    PARLEY_PUBLICATION_CANCELLED    /* fed to processes only: the client of an
                                       account (log) cancelled its call
                                       (parley_gate_cancel.c) */
} parley_publication_kind_t;


/* the sessions of a log that receive it */
typedef enum {
    PARLEY_AUDIENCE_ALL = 0,
    PARLEY_AUDIENCE_PREFIX,         /* sessions whose instrument begins with
                                       instrument */
    PARLEY_AUDIENCE_SESSION         /* the session with this instrument and
                                       name */
} parley_audience_form_t;


typedef struct {
    parley_audience_form_t  form;
    parley_str_t            instrument;
    parley_str_t            session;
} parley_audience_t;


typedef struct parley_publication_s {
    parley_publication_kind_t  kind;
    parley_proto_t             proto;       /* protocol of the message */
    parley_audience_t          audience;
    parley_channel_facts_t     facts;       /* for filters */
    parley_str_t               sender;      /* sub of the sender's principal */
    parley_str_t               author;      /* author, as in the message */
    parley_str_t               instrument;  /* instrument of the session, if the
                                               directory gives another; else
                                               empty */
    parley_str_t               scope;       /* scope of the submission; empty:
                                               only the recipient */
    parley_str_t               from;        /* name of the sender, if the
                                               message lacks it */
    parley_str_t               to;          /* name of the recipient, if the
                                               message lacks it */
    parley_str_t               id;          /* id of the message, also a
                                               generated one */
    int64_t                    ms;          /* time of arrival */
    parley_priority_t          priority;    /* effective priority; an embedded
                                               message has its earlier one */
    int64_t                    timeout_ms;  /* effective deadline; an embedded
                                               message has its earlier one */
    parley_str_t               answers;     /* parley_publication_question() of
                                               the question that it finally
                                               answers; empty: none */
    parley_str_t               question;    /* record of the question that it
                                               answers or reports on
                                               (parley_question.h); empty:
                                               unknown */
    unsigned                   own:1;       /* it names question as its sender
                                               does */
    unsigned                   owed:1;      /* a job owes it to the readers of
                                               its logs (VCP-33) */
    parley_str_t               views;       /* not empty: each reader gets its
                                               own view of the message, which
                                               parley_hub_env_t.view writes
                                               from this text; at most 65535
                                               octets.  facts is empty, so a
                                               stream with a filter does not get
                                               the message. */
    parley_str_t               message;

    /* for REPLACED and CANCELLED */
    uint8_t                    log[PARLEY_KEY_LEN];
    uint64_t                   stamp;
} parley_publication_t;


/*
 * Writes the record of a publication in two parts; the second is the message.
 * Returns 0, or -1 if a text is too long or memory is exhausted.
 */
int parley_publication_write(parley_arena_t *arena,
    const parley_publication_t *p, parley_str_t ret[2])
    __attribute__((warn_unused_result));

/* Writes the name of a question: letters and digits. */
#define PARLEY_PUBLICATION_QUESTION  (2 * (PARLEY_KEY_LEN + 4))

void parley_publication_question(const parley_record_id_t *id,
    uint8_t out[PARLEY_PUBLICATION_QUESTION]);

/*
 * Reads a record; spans of *ret are borrowed from octets.  Returns 0, or -1 if
 * it is invalid.
 */
int parley_publication_read(parley_str_t octets, parley_publication_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PUBLICATION_H */
