/*
 * The hub of one process: its subscribers, and the way of records from logs
 * (state/parley_log.h) to them.
 *
 * A record is copied out of the state once, encoded once for each protocol of a
 * subscriber, and tested once for each selector.  Records are written in
 * rounds.  A round belongs to a group, whose subscribers all receive the same
 * records.  It writes all records since the previous round to each subscriber.
 * A round is divided over several turns, so that a large group does not block
 * the worker.
 *
 * A subscriber that takes all records shares its group's place.  A slower one
 * has the rest of one event, and its own place in the log, from which it reads
 * when its connection takes more (HUB-03).  A subscriber that is further behind
 * than its stream allows is ended.
 *
 * The state may answer later, in any order.  A subscriber that waits for the
 * state for more than a second is ended.  The hub uses no clock, connection or
 * process itself: the caller passes them as callbacks of parley_hub_env_t.  A
 * callback must not call the hub.
 */

#ifndef PARLEY_HUB_H
#define PARLEY_HUB_H

#include "hub/parley_publication.h"
#include "hub/parley_stream.h"


typedef struct parley_hub_s         parley_hub_t;
typedef struct parley_hub_group_s   parley_hub_group_t;
typedef struct parley_hub_op_s      parley_hub_op_t;
typedef struct parley_subscriber_s  parley_subscriber_t;


/* reason for the end of a subscription */
typedef enum {
    PARLEY_END_GONE = 0,        /* the connection failed */
    PARLEY_END_SLOW,            /* too far behind */
    PARLEY_END_EXPIRED,         /* the proof of the caller expired */
    PARLEY_END_REPLACED,        /* another connection took its session */
    PARLEY_END_AGED,            /* maximum age reached */
    PARLEY_END_LEAVING,         /* the process ends */
    PARLEY_END_CLOSED,          /* the log is closed */
    PARLEY_END_LOST,            /* the log ended; a new one of its key has
                                   another epoch */
    PARLEY_END_SHARE,           /* no room: the account has used its share */
    PARLEY_END_FULL,            /* no room in the state */
    PARLEY_END_MANY,            /* too many different selectors */
    PARLEY_END_MEMORY,
    PARLEY_END_SILENT,          /* the state did not answer in time */
    PARLEY_END_LIMIT,           /* the account has its maximum of connections;
                                   refused before the hub (parley_seats.h) */
    PARLEY_ENDS
} parley_end_t;


/*
 * A subscription.  The caller allocates it and keeps it from
 * parley_hub_subscribe() until its end; its members are private to the hub.
 */
struct parley_subscriber_s {
    parley_subscriber_t   *next;        /* in a list of its group, or in the
                                           list of ready subscribers */
    parley_subscriber_t  **link;
    parley_subscriber_t   *due_next;    /* in the wheel */
    parley_subscriber_t  **due_link;
    parley_hub_group_t    *group;
    parley_hub_op_t       *op;          /* verb under way */
    parley_str_t           session;     /* borrowed from the caller */
    uint64_t               stamp;       /* stamp of its join */
    uint64_t               epoch:48;    /* epoch of its place, unless it is
                                           live */
    uint64_t               state:8;
    uint64_t               resumes:1;   /* it resumes from a place */
    uint64_t               lost:1;      /* that place is unknown: it begins with
                                           a gap */
    uint64_t               told:1;      /* its client was told of a gap at its
                                           place */
    uint64_t               caught:1;    /* it has been live */
    uint64_t               ahead:1;     /* live, and already has the records of
                                           the next round up to its place */
    uint64_t               owns:1;      /* jobs owe it the records of its log */
    uint64_t               begins:1;    /* of records before its join it reads
                                           only owed ones */
    uint64_t               rest_owed:1; /* a job owes it the event in rest */
    uint64_t               offset;
    uint64_t               late;        /* up to this offset it reads records
                                           from before its join; 0: it has
                                           them */
    uint8_t               *rest;        /* rest of an event that is partly
                                           written */
    uint32_t               rest_len;
    uint32_t               rest_at;
    uint32_t               sum;         /* sum of its channel at its place */
    uint32_t               written;     /* s, time of the last write */
    uint32_t               ends;        /* s, time of its end; 0: unlimited */
    uint32_t               why;         /* parley_end_t of ends */
};


/* Parameters of a subscription.  The texts are copied, except for session. */
typedef struct {
    const uint8_t          *log;
    const uint8_t          *account;    /* account of the subscriber; NULL:
                                           none */
    const parley_stream_t  *stream;     /* must outlive the hub */
    parley_str_t            selector;   /* from parley_selector_text() */
    parley_str_t            reader;     /* reader for env->admits and env->view,
                                           which are asked once per reader and
                                           record */
    parley_str_t            session;    /* must outlive the subscription */
    parley_str_t            card;
    parley_place_t          from;       /* it resumes after this place; epoch 0:
                                           it begins with owed records, then new
                                           ones */
    unsigned                lost:1;     /* it begins so, after a gap: its
                                           earlier place is unknown */
    unsigned                told:1;     /* the client was told of a gap at from:
                                           it begins with the first record that
                                           is left, without another gap, unless
                                           the log has another epoch */
    unsigned                owns:1;     /* the client owns the log: it first
                                           gets the records that jobs owe to
                                           readers of the log
                                           (state/parley_job.h), and each job
                                           ends when the client gets its
                                           record */
    uint32_t                lasts;      /* s until its proof expires; 0:
                                           never */
} parley_subscription_t;


typedef struct {
    parley_mem_t   mem;

    /*
     * Writes to the connection.  Returns the octets taken, or -1 if it failed.
     */
    int64_t      (*write)(void *ctx, parley_subscriber_t *s,
                      parley_str_t octets);

    /* Called when the subscription has ended; it then belongs to the caller
       again.  If epoch is not 0, the client has all records up to epoch and
       offset. */
    void         (*end)(void *ctx, parley_subscriber_t *s, parley_end_t why);

    /*
     * Encodes a message in a protocol.  Returns 0 with *ret; 1 if the message
     * has no form there and is skipped; or -1 if memory is exhausted.
     */
    int          (*encode)(void *ctx, const parley_publication_t *p,
                      parley_proto_t to, parley_arena_t *arena,
                      parley_str_t *ret);

    /*
     * As encode, for a publication with views, and for each publication of a
     * stream with views: writes the view of the reader of
     * one stream.  NULL: encode writes the message as it was accepted.
     */
    int          (*view)(void *ctx, const parley_publication_t *p,
                      const parley_stream_t *stream, parley_str_t reader,
                      parley_arena_t *arena, parley_str_t *ret);

    /* Returns whether a reader may have a message; NULL: always. */
    int          (*admits)(void *ctx, const parley_stream_t *stream,
                      parley_str_t reader, const parley_publication_t *p);

    /* Called when a client cancels a call (PARLEY_PUBLICATION_CANCELLED); NULL:
       this process holds no calls. */
    void         (*cancelled)(void *ctx, const parley_publication_t *p);

    /* Called after an append: every process must call parley_hub_wake(). */
    void         (*wake)(void *ctx);

    /* Called when there is work: this process must call parley_hub_turn() after
       this callback and its caller have returned. */
    void         (*turn)(void *ctx);

    /* Returns seconds of a clock that does not jump. */
    uint32_t     (*now)(void *ctx);

    uint32_t     (*random)(void *ctx);
    void          *ctx;

    /* retention of the logs, told to new streams; all 0: nothing is retained */
    parley_retention_t  retention;
} parley_hub_env_t;


/* Creates a hub.  Returns NULL if memory is exhausted. */
parley_hub_t *parley_hub_create(parley_state_t *state,
    const parley_hub_env_t *env);

/* Ends all subscriptions, calling env->end for each, and frees the hub. */
void parley_hub_free(parley_hub_t *hub);

/*
 * Begins a subscription, which may end before this function returns.  Returns
 * 0, or -1 if memory is exhausted and it did not begin.
 */
int parley_hub_subscribe(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
    __attribute__((warn_unused_result));

/*
 * Ends a subscription without calling env->end, for example when the client has
 * left.
 */
void parley_hub_unsubscribe(parley_hub_t *hub, parley_subscriber_t *s);

/* Continues after a partial write, when the connection takes more. */
void parley_hub_writable(parley_hub_t *hub, parley_subscriber_t *s);

/*
 * Tells all processes that a session was replaced by one with a higher stamp.
 * Each ends its subscriptions of that name below the stamp.
 */
void parley_hub_replaced(parley_hub_t *hub, const parley_join_t *j,
    uint64_t stamp);

/* Copies new records from the state; writes nothing. */
void parley_hub_wake(parley_hub_t *hub);

/* Writes to at most budget subscribers, and stops after octets octets; then
   calls env->turn if work remains. */
void parley_hub_turn(parley_hub_t *hub, unsigned budget, size_t octets);

/* Handles time; to be called once a second.  Also looks for new records. */
void parley_hub_tick(parley_hub_t *hub);

/* Ends all subscribers at random times within that number of seconds; at once
   if it is less than two.  Subscribers of a stream with stays are not ended. */
void parley_hub_drain(parley_hub_t *hub, uint32_t seconds);


typedef struct {
    size_t    subscribers;
    size_t    behind;           /* subscribers that are behind */
    size_t    channels;
    size_t    buffered;         /* octets of records that are not delivered */
    uint64_t  delivered;        /* completely written events */
    uint64_t  writes;
    uint64_t  ended[PARLEY_ENDS];
} parley_hub_stat_t;


void parley_hub_stat(const parley_hub_t *hub, parley_hub_stat_t *ret);


#endif /* PARLEY_HUB_H */
