/*
 * The hub of one process: its subscribers, and how what is appended to logs
 * (state/parley_log.h) gets to them.
 *
 * A record is copied out of the state once, encoded once for each protocol that
 * somebody reads, and tested once for each selector.  It goes to subscribers in
 * rounds: a round of a group, which is of all that get the same, writes to each
 * of them whatever came since the one before, in pieces of a turn, so that a
 * large group keeps nobody from the worker.
 *
 * Who takes all of it has no place of its own.  Who does not has the rest of
 * one event, and a place in the log, from which it reads on once its connection
 * takes more (HUB-03); who is behind by more than its stream allows is ended.
 *
 * The state may answer later, in any order.  Whatever subscriber waits for it
 * for more than a second is ended.  Nothing here has a clock, a connection or a
 * process: a caller says what time it is and what may be written, and is called
 * by parley_hub_env_t, from which it must not call the hub again.
 */

#ifndef PARLEY_HUB_H
#define PARLEY_HUB_H

#include "hub/parley_publication.h"


typedef struct parley_hub_s         parley_hub_t;
typedef struct parley_hub_group_s   parley_hub_group_t;
typedef struct parley_hub_op_s      parley_hub_op_t;
typedef struct parley_subscriber_s  parley_subscriber_t;


/* why a subscription ended */
typedef enum {
    PARLEY_END_GONE = 0,        /* its connection fails */
    PARLEY_END_SLOW,            /* it is too far behind */
    PARLEY_END_EXPIRED,         /* what proved it has expired */
    PARLEY_END_REPLACED,        /* another one has its session */
    PARLEY_END_AGED,            /* it was long enough */
    PARLEY_END_LEAVING,         /* this process ends */
    PARLEY_END_CLOSED,          /* its log is */
    PARLEY_END_LOST,            /* its log is gone: another one has another
                                   epoch, and says what that means */
    PARLEY_END_SHARE,           /* there was no room for it: its share, */
    PARLEY_END_FULL,            /* the state, */
    PARLEY_END_MANY,            /* or too many different filters */
    PARLEY_END_MEMORY,
    PARLEY_END_SILENT,          /* the state does not answer in time */
    PARLEY_END_LIMIT,           /* its account has its number of connections:
                                   the hub never had it (parley_seats.h) */
    PARLEY_ENDS
} parley_end_t;


/* how its subscribers are written to */
typedef enum {
    PARLEY_FORM_EVENTS = 0,     /* server-sent events, see parley_event_id.h */
    PARLEY_FORM_FRAMES,         /* frames of a WebSocket: of text, one message
                                   each; places are told in pings, see
                                   parley_hub_form.c */
    PARLEY_FORMS
} parley_form_t;


/* what the streams of one kind have in common */
typedef struct {
    parley_proto_t  proto;      /* that its subscribers read */
    parley_form_t   form;
    uint32_t        lag;        /* octets that one may be behind */
    uint32_t        keepalive;  /* s, at least 1 */
    uint32_t        age;        /* s that one lasts; 0: any time */
    uint32_t        retry;      /* ms */
    uint32_t        timeout;    /* s for which octets that were sent may stay
                                   unacknowledged (HUB-11) */
    unsigned        stays:1;    /* parley_hub_drain() does not end its
                                   subscribers */
} parley_stream_t;


/*
 * A subscription.  The caller has it, from parley_hub_subscribe() until it was
 * ended; all of it is the hub's.
 */
struct parley_subscriber_s {
    parley_subscriber_t   *next;        /* in a list of its group, or of those
                                           that are ready */
    parley_subscriber_t  **link;
    parley_subscriber_t   *due_next;    /* in the wheel */
    parley_subscriber_t  **due_link;
    parley_hub_group_t    *group;
    parley_hub_op_t       *op;          /* a verb that is under way */
    parley_str_t           session;     /* the caller's */
    uint64_t               stamp;       /* of its membership */
    uint64_t               epoch:48;    /* of its place, unless it is live */
    uint64_t               state:8;
    uint64_t               resumes:1;   /* it said from where */
    uint64_t               lost:1;      /* and that is none: it begins */
    uint64_t               caught:1;    /* it was live */
    uint64_t               ahead:1;     /* live, and of the round to come it has
                                           what is before its place */
    uint64_t               owns:1;      /* jobs owe it the records of its log */
    uint64_t               begins:1;    /* it reads what is owed alone, of what
                                           came before it did */
    uint64_t               rest_owed:1; /* a job owes it the event of rest */
    uint64_t               offset;
    uint64_t               late;        /* up to this offset it reads what came
                                           before it did; 0: no more */
    uint8_t               *rest;        /* of one event */
    uint32_t               rest_len;
    uint32_t               rest_at;
    uint32_t               sum;         /* of its channel, at its place */
    uint32_t               written;     /* s */
    uint32_t               ends;        /* s; 0: not by itself */
    uint32_t               why;         /* parley_end_t, of ends */
};


/* one that is to be; the texts are copied, but for session */
typedef struct {
    const uint8_t          *log;
    const uint8_t          *account;    /* NULL: nobody's */
    const parley_stream_t  *stream;     /* outlives the hub */
    parley_str_t            selector;   /* parley_selector_text() */
    parley_str_t            reader;     /* for env->admits; those that differ
                                           are asked about each */
    parley_str_t            session;    /* outlives the subscription */
    parley_str_t            card;
    parley_place_t          from;       /* it resumes behind it; epoch 0: it
                                           begins with what is owed to it, and
                                           with what comes */
    unsigned                lost:1;     /* with that, and a gap before it: what
                                           it had is not known */
    unsigned                owns:1;     /* its client is whose log it is: what
                                           jobs owe to the readers of the log
                                           (state/parley_job.h) it is given
                                           first, and they end as it gets it */
    uint32_t                lasts;      /* s until what proved it expires; 0:
                                           it does not */
} parley_subscription_t;


typedef struct {
    parley_mem_t   mem;

    /* Octets that the connection took, 0 for none; -1: it fails. */
    int64_t      (*write)(void *ctx, parley_subscriber_t *s,
                      parley_str_t octets);

    /* It is over, and the caller's again; epoch and offset are those of a place
       behind which it misses nothing, if epoch is not 0. */
    void         (*end)(void *ctx, parley_subscriber_t *s, parley_end_t why);

    /*
     * The message in a protocol: 0 and *ret, 1: it has no form there and is
     * passed over; -1: no memory.
     */
    int          (*encode)(void *ctx, const parley_publication_t *p,
                      parley_proto_t to, parley_arena_t *arena,
                      parley_str_t *ret);

    /* Whether a reader may have it; NULL: any may have all. */
    int          (*admits)(void *ctx, const parley_stream_t *stream,
                      parley_str_t reader, const parley_publication_t *p);

    /* A call is not waited for any more (PARLEY_PUBLICATION_CANCELLED); NULL:
       none is held here. */
    void         (*cancelled)(void *ctx, const parley_publication_t *p);

    /* Something was appended: every process is to call parley_hub_wake(). */
    void         (*wake)(void *ctx);

    /* There is something to do: this one is to call parley_hub_turn(), when it
       has returned from here. */
    void         (*turn)(void *ctx);

    /* seconds of a clock that does not jump */
    uint32_t     (*now)(void *ctx);

    uint32_t     (*random)(void *ctx);
    void          *ctx;

    /* of the logs, for those who open a stream; all 0: nothing is retained */
    parley_retention_t  retention;
} parley_hub_env_t;


/* NULL: no memory. */
parley_hub_t *parley_hub_create(parley_state_t *state,
    const parley_hub_env_t *env);

/* All leave; env->end is called for each. */
void parley_hub_free(parley_hub_t *hub);

/*
 * Begins a subscription, which may be over before this returns.  Returns 0, or
 * -1: no memory, and it did not begin.
 */
int parley_hub_subscribe(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
    __attribute__((warn_unused_result));

/* The same, and env->end is not called: its client has left, perhaps. */
void parley_hub_unsubscribe(parley_hub_t *hub, parley_subscriber_t *s);

/* Its connection takes more, after a write that was taken in part. */
void parley_hub_writable(parley_hub_t *hub, parley_subscriber_t *s);

/* Something may have been appended: it is copied, and nothing is written. */
void parley_hub_wake(parley_hub_t *hub);

/* Writes to at most so many subscribers, and to no more once that was so many
   octets; env->turn is called for the rest. */
void parley_hub_turn(parley_hub_t *hub, unsigned budget, size_t octets);

/* Time passes: once a second.  It wakes itself, too. */
void parley_hub_tick(parley_hub_t *hub);

/* All end within so many seconds, at times of their own; at once where that is
   less than two.  Subscribers of a stream that stays end by themselves. */
void parley_hub_drain(parley_hub_t *hub, uint32_t seconds);


typedef struct {
    size_t    subscribers;
    size_t    behind;           /* of these */
    size_t    channels;
    size_t    buffered;         /* octets of records that are not delivered */
    uint64_t  delivered;        /* events that were written as a whole */
    uint64_t  writes;
    uint64_t  ended[PARLEY_ENDS];
} parley_hub_stat_t;


void parley_hub_stat(const parley_hub_t *hub, parley_hub_stat_t *ret);


#endif /* PARLEY_HUB_H */
