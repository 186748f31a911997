/* Declarations shared by the files of the hub.  Private to them. */

#ifndef PARLEY_HUB_PARTS_H
#define PARLEY_HUB_PARTS_H

#include <string.h>

#include "core/parley_buf.h"
#include "hub/parley_event_id.h"
#include "hub/parley_hub.h"
#include "hub/parley_selector.h"


/* slots of the wheel, one for each second; a power of two */
#define PARLEY_HUB_WHEEL       64

/* limits of one feed, and of one read of a subscriber */
#define PARLEY_HUB_RECORDS     64
#define PARLEY_HUB_OCTETS      (256 * 1024)

/* octets of records above which no more are copied */
#define PARLEY_HUB_BUFFERED    (4 * 1024 * 1024)

/* Ticks after which a subscriber stops waiting for the state: at least one
   second, as for a message. */
#define PARLEY_HUB_PATIENCE    2

/* s between the keeps of the logs of all channels */
#define PARLEY_HUB_KEEP        (PARLEY_LOG_LEASE / 1000 / 3)


typedef struct parley_hub_channel_s   parley_hub_channel_t;
typedef struct parley_hub_selector_s  parley_hub_selector_t;


typedef enum {
    PARLEY_SUBSCRIBER_JOINING = 0,
    PARLEY_SUBSCRIBER_LIVE,     /* has all records that its group had */
    PARLEY_SUBSCRIBER_READY,    /* behind: reads at its turn */
    PARLEY_SUBSCRIBER_READING,  /* behind: waits for the state */
    PARLEY_SUBSCRIBER_BLOCKED,  /* behind: its connection takes no octets */
    PARLEY_SUBSCRIBER_WAITING   /* for its group or channel to reach its
                                   place */
} parley_subscriber_state_t;


/* a record, copied once */
typedef struct {
    uint32_t               refs;        /* entries of channels that refer to
                                           it */
    uint32_t               size;        /* octets counted as buffered */
    unsigned               readable:1;
    uint32_t               ends;        /* s when it expires */
    uint64_t               number;      /* unique in the hub */
    parley_arena_t         arena;
    parley_publication_t   publication;
    uint8_t                encoded[PARLEY_PROTO_COUNT];     /* 1: encoded, 2: it
                                                               has no form */
    parley_str_t           messages[PARLEY_PROTO_COUNT];
    parley_str_t           written[PARLEY_FORMS][PARLEY_PROTO_COUNT];
                                        /* result of parley_hub_form_message();
                                           empty: not yet */
} parley_hub_item_t;


/* an entry of a channel: a record, or a gap (item NULL) */
typedef struct {
    parley_hub_item_t  *item;
    parley_place_t      place;
    uint32_t            sum;            /* sum of the channel up to this
                                           entry */
} parley_hub_entry_t;


struct parley_hub_selector_s {
    parley_hub_selector_t  *next;       /* in its bucket */
    uint32_t                refs;       /* groups that use it */
    uint32_t                hash;
    parley_str_t            text;
    parley_selector_t       selector;
    parley_arena_t          arena;

    uint64_t                tested;     /* number of the item tested last */
    int                     verdict;    /* result of that test */
};


/* a log with subscribers in this process */
struct parley_hub_channel_s {
    parley_hub_channel_t  *next;        /* in its bucket */
    parley_hub_channel_t  *stale_next;
    uint8_t                key[PARLEY_KEY_LEN];
    parley_place_t         place;       /* place after its last entry */
    uint64_t               seen;        /* greatest offset that was fed while it
                                           was stale */
    uint64_t               seq;         /* number of the last entry */
    uint32_t               sum;         /* octets of all entries, modulo 2^32 */
    parley_hub_entry_t    *entries;     /* the last entries, up to seq */
    uint32_t               nentries;
    uint32_t               room;
    uint32_t               queued;      /* groups with a pending round */
    uint32_t               subscribers;
    parley_hub_group_t    *groups;
    parley_hub_op_t       *op;          /* its read under way */
    unsigned               placed:1;    /* the first subscriber has joined */
    unsigned               stale:1;     /* it reads the log; fed records are
                                           skipped */
    unsigned               listed:1;    /* in the list of stale channels */
    unsigned               again:1;     /* the read may miss records: read
                                           again */
    unsigned               closed:1;
};


/* end of an event in a text, and the place after it */
typedef struct {
    size_t          end;
    parley_place_t  place;
    uint32_t        sum;
    unsigned        owed:1;             /* a job owes it to its reader */
} parley_hub_event_t;


/* events to write together */
typedef struct {
    parley_str_t         text;
    parley_hub_event_t  *events;
    uint32_t             n;
    unsigned             opens:1;       /* it is not from a log, and is kept
                                           as a whole if nothing of it was
                                           written */
    parley_place_t       before;        /* place of the subscriber before it */
    uint32_t             before_sum;
    parley_arena_t       arena;
} parley_hub_text_t;


/* subscribers that receive the same records */
struct parley_hub_group_s {
    parley_hub_group_t      *next;      /* of its channel */
    parley_hub_group_t      *queue;     /* in the list of groups with a pending
                                           round */
    parley_hub_channel_t    *channel;
    parley_hub_selector_t   *selector;
    const parley_stream_t   *stream;
    parley_str_t             reader;
    uint32_t                 subscribers;

    parley_subscriber_t     *todo;      /* live: have all entries up to base */
    parley_subscriber_t     *done;      /* live: have all entries up to target;
                                           in a round only */
    parley_subscriber_t     *blocked;
    parley_subscriber_t     *waiting;
    parley_subscriber_t     *busy;      /* joining or reading */

    uint64_t                 base;      /* numbers of the channel's entries */
    uint64_t                 target;
    parley_place_t           base_place;
    parley_place_t           target_place;
    parley_hub_text_t        round;
    unsigned                 queued:1;
    unsigned                 going:1;   /* a round is under way */
    unsigned                 named:1;   /* the round has a record for one
                                           session */
};


typedef enum {
    PARLEY_HUB_OP_FEED = 0,
    PARLEY_HUB_OP_UNFEED,
    PARLEY_HUB_OP_JOIN,
    PARLEY_HUB_OP_READ,         /* by a subscriber */
    PARLEY_HUB_OP_RESYNC,       /* by a channel */
    PARLEY_HUB_OP_TELL
} parley_hub_op_kind_t;


/* a verb under way */
struct parley_hub_op_s {
    parley_call_t           call;
    parley_hub_op_t        *next;
    parley_hub_op_t       **link;
    parley_hub_t           *hub;
    parley_hub_op_kind_t    kind;
    parley_subscriber_t    *subscriber;
    parley_hub_channel_t   *channel;
    parley_join_t           join;
    uint64_t                replaced;   /* join: stamp of a later session of its
                                           name */
    parley_place_t          place;      /* place of its channel at the call */
    uint32_t                since;      /* s, by the wheel */
    unsigned                waits:1;    /* join: waits until the process is
                                           fed */
    parley_arena_t          arena;

    union {
        parley_feed_page_t  fed;
        parley_joined_t     joined;
        parley_log_page_t   page;
        parley_appended_t   appended;
    } ret;
};


typedef struct {
    parley_subscriber_t   *first;
    parley_subscriber_t  **last;
} parley_hub_queue_t;


struct parley_hub_s {
    parley_state_t           *state;
    parley_hub_env_t          env;
    uint32_t                  now;      /* s that the wheel has reached */
    uint32_t                  kept;     /* s of the last keep of the logs */

    uint64_t                  position; /* position of the feed; 0: not fed */
    parley_hub_op_t          *feeding;
    parley_hub_op_t          *ops;
    unsigned                  again:1;  /* it was woken during a feed */
    unsigned                  hungry:1; /* too much is buffered, or memory is
                                           exhausted */
    unsigned                  asked:1;  /* env->turn was called */
    unsigned                  odd:1;    /* alternates between the two kinds of
                                           work of a turn */
    unsigned                  served;   /* subscribers served in the first
                                           round's group */
    size_t                    turned;   /* octets written in this turn */
    uint64_t                  items;

    parley_hub_channel_t    **channels; /* buckets, a power of two */
    uint32_t                  nbuckets;
    parley_hub_selector_t   **selectors;        /* buckets, as many as of
                                                   channels */

    parley_hub_group_t       *rounds;
    parley_hub_group_t      **rounds_last;
    parley_hub_group_t       *serving;  /* first group of rounds, while it is
                                           served */
    parley_hub_queue_t        ready;
    parley_hub_channel_t     *stale;
    parley_subscriber_t      *wheel[PARLEY_HUB_WHEEL];

    parley_hub_stat_t         stat;
};


static inline void *
parley_hub_alloc(parley_hub_t *hub, size_t size)
{
    void  *p;

    p = hub->env.mem.alloc(hub->env.mem.ctx, size);

    if (p != NULL) {
        memset(p, 0, size);
    }

    return p;
}


static inline void
parley_hub_release(parley_hub_t *hub, void *p)
{
    if (p != NULL && hub->env.mem.free != NULL) {
        hub->env.mem.free(hub->env.mem.ctx, p);
    }
}


static inline uint32_t
parley_hub_now(const parley_hub_t *hub)
{
    return hub->env.now(hub->env.ctx);
}


static inline int
parley_hub_is_at(const parley_subscriber_t *s, const parley_place_t *place)
{
    return s->epoch == place->epoch && s->offset == place->offset;
}


static inline void
parley_hub_put(parley_subscriber_t *s, const parley_place_t *place,
    uint32_t sum)
{
    s->epoch = place->epoch;
    s->offset = place->offset;
    s->sum = sum;
}


/* parley_hub.c */

/* Ends a subscription.  Its group and channel may be freed. */
void parley_hub_end(parley_hub_t *hub, parley_subscriber_t *s,
    parley_end_t why);

/* Calls env->turn, once. */
void parley_hub_ask(parley_hub_t *hub);

/* parley_hub_channel.c */

/* Returns the channel of a log, or NULL without subscribers. */
parley_hub_channel_t *parley_hub_channel(const parley_hub_t *hub,
    const uint8_t key[PARLEY_KEY_LEN]);

/* Finds or creates a channel; NULL if memory is exhausted. */
parley_hub_channel_t *parley_hub_channel_open(parley_hub_t *hub,
    const uint8_t key[PARLEY_KEY_LEN]);

/* Frees the channel if it has no groups. */
void parley_hub_channel_close(parley_hub_t *hub,
    parley_hub_channel_t *channel);

/* Finds or creates the group of a subscription; NULL if memory is exhausted. */
parley_hub_group_t *parley_hub_group(parley_hub_t *hub,
    parley_hub_channel_t *channel, const parley_subscription_t *subscription);

/* Frees the group if it has no subscribers and is not being served. */
void parley_hub_group_leave(parley_hub_t *hub, parley_hub_group_t *group);

/* Moves a subscriber to a list of its group, with the state of that list. */
void parley_hub_move(parley_hub_t *hub, parley_subscriber_t *s,
    parley_subscriber_t **list, parley_subscriber_state_t state);

/* parley_hub_join.c */

/*
 * Begins a join.  Returns 0, or -1 if memory is exhausted and it did not begin.
 */
int parley_hub_join(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
    __attribute__((warn_unused_result));

/* Begins the joins that waited for the process to be fed. */
void parley_hub_join_all(parley_hub_t *hub);
void parley_hub_joined(parley_hub_op_t *op);

/* parley_hub_op.c */

parley_hub_op_t *parley_hub_op(parley_hub_t *hub, parley_hub_op_kind_t kind);

/* Bounds the page of a read, in the memory of the verb. */
static inline void
parley_hub_op_reads(parley_hub_op_t *op, parley_log_read_t *read)
{
    read->records = PARLEY_HUB_RECORDS;
    read->octets = PARLEY_HUB_OCTETS;
    read->arena = &op->arena;
}

/* Handles the return value of a verb: completes it if it is done. */
void parley_hub_op_asked(parley_hub_op_t *op, parley_state_done_t done);
void parley_hub_op_free(parley_hub_op_t *op);
void parley_hub_op_cancel(parley_hub_op_t *op);

/* parley_hub_feed.c */

void parley_hub_feed(parley_hub_t *hub);

/* Ends the feed after the last subscriber has left. */
void parley_hub_unfeed(parley_hub_t *hub);
void parley_hub_unfed(parley_hub_op_t *op);
void parley_hub_fed(parley_hub_op_t *op);

/* Continues the entries at a place, with a gap before it. */
void parley_hub_jump(parley_hub_t *hub, parley_hub_channel_t *channel,
    const parley_place_t *place);

/* Makes the channel read the log from its place on. */
void parley_hub_resync(parley_hub_t *hub, parley_hub_channel_t *channel);
void parley_hub_resynced(parley_hub_op_t *op);

/* Continues feeds and reads that waited for less to be buffered. */
void parley_hub_resume(parley_hub_t *hub);
void parley_hub_channel_trim(parley_hub_t *hub, parley_hub_channel_t *channel);

/* parley_hub_item.c */

/* Creates an item with one reference; NULL if memory is exhausted. */
parley_hub_item_t *parley_hub_item(parley_hub_t *hub, parley_str_t octets,
    int64_t left);
void parley_hub_item_free(parley_hub_t *hub, parley_hub_item_t *item);

/*
 * Write a record in the format of a stream for the readers of a group, without
 * its place.  Return 0; 1 if it has no form there; or -1 if memory is
 * exhausted.  The result for an item is computed once, unless it has views:
 * then it is in arena.
 */
int parley_hub_written(parley_hub_t *hub, const parley_publication_t *p,
    const parley_hub_group_t *group, parley_arena_t *arena, parley_str_t *ret);
int parley_hub_item_written(parley_hub_t *hub, parley_hub_item_t *item,
    const parley_hub_group_t *group, parley_arena_t *arena, parley_str_t *ret);

/* As parley_selector_admits(), with a cached result. */
int parley_hub_admits(parley_hub_t *hub, parley_hub_group_t *group,
    const parley_hub_item_t *item);

/*
 * Finds or creates a selector, and adds a reference; NULL if memory is
 * exhausted.
 */
parley_hub_selector_t *parley_hub_selector(parley_hub_t *hub,
    parley_str_t text);
void parley_hub_selector_free(parley_hub_t *hub,
    parley_hub_selector_t *selector);

/* parley_hub_form.c */

/*
 * Writes a message without its place.  Returns 0, or -1 if memory is exhausted.
 */
int parley_hub_form_message(parley_form_t form, parley_str_t message,
    parley_arena_t *arena, parley_str_t *ret);

/* Appends a written message with its place. */
void parley_hub_form_event(parley_buf_t *b, const parley_stream_t *stream,
    const parley_place_t *place, parley_str_t written);

/* Appends the beginning of a stream at a place; resumed: after that place. */
void parley_hub_form_open(parley_buf_t *b, const parley_stream_t *stream,
    const parley_place_t *place, int resumed,
    const parley_retention_t *retention);

/* Appends a gap: records up to a place are lost. */
void parley_hub_form_gap(parley_buf_t *b, parley_form_t form,
    const parley_place_t *place);

/* Appends a keepalive: all records up to a place were written. */
void parley_hub_form_alive(parley_buf_t *b, parley_form_t form,
    const parley_place_t *place);

/* parley_hub_round.c */

void parley_hub_queue(parley_hub_t *hub, parley_hub_group_t *group);
void parley_hub_unqueue(parley_hub_t *hub, parley_hub_group_t *group);

/* Serves one subscriber of the first group with a pending round. */
void parley_hub_round(parley_hub_t *hub);

/*
 * Sends a text.  Returns 1 if all of it was taken; 0 if not, and the subscriber
 * is blocked; -1 if the subscription has ended.
 */
int parley_hub_send(parley_hub_t *hub, parley_subscriber_t *s,
    parley_hub_text_t *text);

/* Reports that the subscriber has the record of a place, which a job owed it;
   all: also all records before.  Nothing is reported for a stream that
   confirms. */
void parley_hub_had(parley_hub_t *hub, const parley_subscriber_t *s,
    const parley_place_t *place, int all);

int parley_hub_text_begin(parley_hub_t *hub, parley_hub_text_t *text,
    size_t events, parley_buf_t *b);
void parley_hub_text_event(parley_hub_text_t *text, const parley_buf_t *b,
    const parley_place_t *place, uint32_t sum, int owed);
int parley_hub_text_end(parley_hub_text_t *text, parley_buf_t *b);
void parley_hub_text_free(parley_hub_text_t *text);

/* parley_hub_behind.c */

/* Queues a subscriber for a turn. */
void parley_hub_ready(parley_hub_t *hub, parley_subscriber_t *s);

/* Handles a new place of the group: waiting subscribers may become live. */
void parley_hub_arrive(parley_hub_t *hub, parley_hub_group_t *group);

/* Returns whether the subscriber is live or waits; if 0, it must read. */
int parley_hub_meet(parley_hub_t *hub, parley_subscriber_t *s);

/* Continues a ready subscriber. */
void parley_hub_step(parley_hub_t *hub, parley_subscriber_t *s);
void parley_hub_read_on(parley_hub_op_t *op);

/* parley_hub_tick.c */

void parley_hub_due(parley_hub_t *hub, parley_subscriber_t *s);
void parley_hub_undue(parley_subscriber_t *s);


#endif /* PARLEY_HUB_PARTS_H */
