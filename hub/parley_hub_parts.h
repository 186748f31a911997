/* What the files of the hub share.  Private to them. */

#ifndef PARLEY_HUB_PARTS_H
#define PARLEY_HUB_PARTS_H

#include <string.h>

#include "core/parley_buf.h"
#include "hub/parley_event_id.h"
#include "hub/parley_hub.h"
#include "hub/parley_selector.h"


/* seconds of the wheel, a power of two */
#define PARLEY_HUB_WHEEL       64

/* of one feed, or of one that reads on */
#define PARLEY_HUB_RECORDS     64
#define PARLEY_HUB_OCTETS      (256 * 1024)

/* octets of records above which nothing more is copied */
#define PARLEY_HUB_BUFFERED    (4 * 1024 * 1024)

/* ticks after which a subscriber does not wait for the state any more: at least
   one second, as a message does */
#define PARLEY_HUB_PATIENCE    2

/* s between two that keep the logs of all channels */
#define PARLEY_HUB_KEEP        (PARLEY_LOG_LEASE / 1000 / 3)


typedef struct parley_hub_channel_s   parley_hub_channel_t;
typedef struct parley_hub_selector_s  parley_hub_selector_t;


typedef enum {
    PARLEY_SUBSCRIBER_JOINING = 0,
    PARLEY_SUBSCRIBER_LIVE,     /* it has all that its group had */
    PARLEY_SUBSCRIBER_READY,    /* behind: it reads on at its turn */
    PARLEY_SUBSCRIBER_READING,  /* behind: the state is asked */
    PARLEY_SUBSCRIBER_BLOCKED,  /* behind: its connection takes no more */
    PARLEY_SUBSCRIBER_WAITING   /* for its group, or its channel, to come to
                                   where it is */
} parley_subscriber_state_t;


/* a record, copied once */
typedef struct {
    uint32_t               refs;        /* entries of channels */
    uint32_t               size;        /* octets that are counted */
    unsigned               readable:1;
    uint32_t               ends;        /* s: its own time is over */
    uint64_t               number;      /* no other one's */
    parley_arena_t         arena;
    parley_publication_t   publication;
    uint8_t                encoded[PARLEY_PROTO_COUNT];     /* 1: there, 2: it
                                                               has no form */
    parley_str_t           messages[PARLEY_PROTO_COUNT];
    parley_str_t           written[PARLEY_FORMS][PARLEY_PROTO_COUNT];
                                        /* as parley_hub_form_message(); empty:
                                           not yet */
} parley_hub_item_t;


/* what came to a channel: a record, or that some are missing (item NULL) */
typedef struct {
    parley_hub_item_t  *item;
    parley_place_t      place;
    uint32_t            sum;            /* of the channel, with this one */
} parley_hub_entry_t;


struct parley_hub_selector_s {
    parley_hub_selector_t  *next;       /* in its bucket */
    uint32_t                refs;       /* groups */
    uint32_t                hash;
    parley_str_t            text;
    parley_selector_t       selector;
    parley_arena_t          arena;

    uint64_t                tested;     /* number of the item that was tested
                                           last, */
    int                     verdict;    /* and how */
};


/* a log that somebody here is subscribed to */
struct parley_hub_channel_s {
    parley_hub_channel_t  *next;        /* in its bucket */
    parley_hub_channel_t  *stale_next;
    uint8_t                key[PARLEY_KEY_LEN];
    parley_place_t         place;       /* that its entries have come to */
    uint64_t               seen;        /* the greatest offset that it was fed
                                           while it was stale */
    uint64_t               seq;         /* of the last entry */
    uint32_t               sum;         /* octets of all entries, modulo 2^32 */
    parley_hub_entry_t    *entries;     /* the last ones, up to seq */
    uint32_t               nentries;
    uint32_t               room;
    uint32_t               queued;      /* groups that have a round to go */
    uint32_t               subscribers;
    parley_hub_group_t    *groups;
    parley_hub_op_t       *op;          /* it reads */
    unsigned               placed:1;    /* the first has joined */
    unsigned               stale:1;     /* it reads on, what it is fed is passed
                                           over */
    unsigned               listed:1;    /* among those that are to read on */
    unsigned               again:1;     /* what it reads may not be all */
    unsigned               closed:1;
};


/* where an event of a round ends, and where its subscriber is then */
typedef struct {
    size_t          end;
    parley_place_t  place;
    uint32_t        sum;
    unsigned        owed:1;             /* a job owes it to its reader */
} parley_hub_event_t;


/* events that go to somebody in one write */
typedef struct {
    parley_str_t         text;
    parley_hub_event_t  *events;
    uint32_t             n;
    unsigned             opens:1;       /* it is in no log, and kept whole where
                                           it is not begun */
    parley_place_t       before;        /* where its subscriber was */
    uint32_t             before_sum;
    parley_arena_t       arena;
} parley_hub_text_t;


/* subscribers that get the same */
struct parley_hub_group_s {
    parley_hub_group_t      *next;      /* of its channel */
    parley_hub_group_t      *queue;     /* of those that have a round to go */
    parley_hub_channel_t    *channel;
    parley_hub_selector_t   *selector;
    const parley_stream_t   *stream;
    parley_str_t             reader;
    uint32_t                 subscribers;

    parley_subscriber_t     *todo;      /* live: have all up to base, */
    parley_subscriber_t     *done;      /* up to target; in a round only */
    parley_subscriber_t     *blocked;
    parley_subscriber_t     *waiting;
    parley_subscriber_t     *busy;      /* joining, reading */

    uint64_t                 base;      /* of the channel's entries */
    uint64_t                 target;
    parley_place_t           base_place;
    parley_place_t           target_place;
    parley_hub_text_t        round;
    unsigned                 queued:1;
    unsigned                 going:1;   /* a round is */
    unsigned                 named:1;   /* something in it is for one session */
};


typedef enum {
    PARLEY_HUB_OP_FEED = 0,
    PARLEY_HUB_OP_UNFEED,
    PARLEY_HUB_OP_JOIN,
    PARLEY_HUB_OP_READ,         /* for a subscriber */
    PARLEY_HUB_OP_RESYNC,       /* for a channel */
    PARLEY_HUB_OP_TELL
} parley_hub_op_kind_t;


/* a verb that is under way */
struct parley_hub_op_s {
    parley_call_t           call;
    parley_hub_op_t        *next;
    parley_hub_op_t       **link;
    parley_hub_t           *hub;
    parley_hub_op_kind_t    kind;
    parley_subscriber_t    *subscriber;
    parley_hub_channel_t   *channel;
    parley_join_t           join;
    uint64_t                replaced;   /* a join: by one of that stamp */
    parley_place_t          place;      /* where its channel was */
    uint32_t                since;      /* s, of the wheel */
    unsigned                waits:1;    /* a join, for the process to be fed */
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
    uint32_t                  now;      /* that the wheel has come to */
    uint32_t                  kept;     /* when the logs were */

    uint64_t                  position; /* 0: it is not fed */
    parley_hub_op_t          *feeding;
    parley_hub_op_t          *ops;
    unsigned                  again:1;  /* it was woken meanwhile */
    unsigned                  hungry:1; /* too much is buffered, or there is
                                           no memory */
    unsigned                  asked:1;  /* for a turn */
    unsigned                  odd:1;    /* of turns: whose it is */
    unsigned                  served;   /* of the first round's group */
    size_t                    turned;   /* octets that were written in this
                                           turn */
    uint64_t                  items;

    parley_hub_channel_t    **channels; /* buckets, a power of two */
    uint32_t                  nbuckets;
    parley_hub_selector_t   **selectors;        /* as many */

    parley_hub_group_t       *rounds;
    parley_hub_group_t      **rounds_last;
    parley_hub_group_t       *serving;  /* the first of them, in its turn */
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

/* It is over; its group and channel may be, too. */
void parley_hub_end(parley_hub_t *hub, parley_subscriber_t *s,
    parley_end_t why);

/* There is something to do. */
void parley_hub_ask(parley_hub_t *hub);

/* parley_hub_channel.c */

/* NULL: nobody here is subscribed to it. */
parley_hub_channel_t *parley_hub_channel(const parley_hub_t *hub,
    const uint8_t key[PARLEY_KEY_LEN]);

/* NULL: no memory. */
parley_hub_channel_t *parley_hub_channel_open(parley_hub_t *hub,
    const uint8_t key[PARLEY_KEY_LEN]);

/* It goes, unless there are groups. */
void parley_hub_channel_close(parley_hub_t *hub,
    parley_hub_channel_t *channel);

/* The group of a subscription, which is made where there is none; NULL: no
   memory. */
parley_hub_group_t *parley_hub_group(parley_hub_t *hub,
    parley_hub_channel_t *channel, const parley_subscription_t *subscription);

/* A group that nobody is in goes, unless it is being served. */
void parley_hub_group_leave(parley_hub_t *hub, parley_hub_group_t *group);

/* Moves it to a list; its state is that of who is in it. */
void parley_hub_move(parley_hub_t *hub, parley_subscriber_t *s,
    parley_subscriber_t **list, parley_subscriber_state_t state);

/* parley_hub_join.c */

/* -1: no memory, and it did not begin. */
int parley_hub_join(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
    __attribute__((warn_unused_result));

/* It is fed: those join that wait for that. */
void parley_hub_join_all(parley_hub_t *hub);
void parley_hub_joined(parley_hub_op_t *op);

/* parley_hub_op.c */

parley_hub_op_t *parley_hub_op(parley_hub_t *hub, parley_hub_op_kind_t kind);

/* Bounds a page that a verb reads into the memory of the verb. */
static inline void
parley_hub_op_reads(parley_hub_op_t *op, parley_log_read_t *read)
{
    read->records = PARLEY_HUB_RECORDS;
    read->octets = PARLEY_HUB_OCTETS;
    read->arena = &op->arena;
}

/* What a verb returned: it is done, or will be. */
void parley_hub_op_asked(parley_hub_op_t *op, parley_state_done_t done);
void parley_hub_op_free(parley_hub_op_t *op);
void parley_hub_op_cancel(parley_hub_op_t *op);

/* parley_hub_feed.c */

void parley_hub_feed(parley_hub_t *hub);

/* Nobody is here, and it is fed no more. */
void parley_hub_unfeed(parley_hub_t *hub);
void parley_hub_unfed(parley_hub_op_t *op);
void parley_hub_fed(parley_hub_op_t *op);

/* Its entries go on at a place, and what is before it may be missing. */
void parley_hub_jump(parley_hub_t *hub, parley_hub_channel_t *channel,
    const parley_place_t *place);

/* It reads on from where it is. */
void parley_hub_resync(parley_hub_t *hub, parley_hub_channel_t *channel);
void parley_hub_resynced(parley_hub_op_t *op);

/* Goes on with what waits for less to be buffered. */
void parley_hub_resume(parley_hub_t *hub);
void parley_hub_channel_trim(parley_hub_t *hub, parley_hub_channel_t *channel);

/* parley_hub_item.c */

/* NULL: no memory.  With a reference. */
parley_hub_item_t *parley_hub_item(parley_hub_t *hub, parley_str_t octets,
    int64_t left);
void parley_hub_item_free(parley_hub_t *hub, parley_hub_item_t *item);

/* A record as it is written to streams of a kind, without its place; 0; 1: it
   has no form there; -1: no memory.  Of an item once for all. */
int parley_hub_written(parley_hub_t *hub, const parley_publication_t *p,
    const parley_stream_t *stream, parley_arena_t *arena, parley_str_t *ret);
int parley_hub_item_written(parley_hub_t *hub, parley_hub_item_t *item,
    const parley_stream_t *stream, parley_str_t *ret);

/* As parley_selector_admits(), remembered. */
int parley_hub_admits(parley_hub_t *hub, parley_hub_group_t *group,
    const parley_hub_item_t *item);

/* NULL: no memory.  With a reference. */
parley_hub_selector_t *parley_hub_selector(parley_hub_t *hub,
    parley_str_t text);
void parley_hub_selector_free(parley_hub_t *hub,
    parley_hub_selector_t *selector);

/* parley_hub_form.c */

/* A message as it is written, but for its place; or -1: no memory. */
int parley_hub_form_message(parley_form_t form, parley_str_t message,
    parley_arena_t *arena, parley_str_t *ret);

/* That, and its place. */
void parley_hub_form_event(parley_buf_t *b, parley_form_t form,
    const parley_place_t *place, parley_str_t written);

/* What a subscription begins with; resumed: behind that place. */
void parley_hub_form_open(parley_buf_t *b, const parley_stream_t *stream,
    const parley_place_t *place, int resumed,
    const parley_retention_t *retention);

/* What should have come up to a place is gone. */
void parley_hub_form_gap(parley_buf_t *b, parley_form_t form,
    const parley_place_t *place);

/* Nothing came up to a place, and it lives. */
void parley_hub_form_alive(parley_buf_t *b, parley_form_t form,
    const parley_place_t *place);

/* parley_hub_round.c */

void parley_hub_queue(parley_hub_t *hub, parley_hub_group_t *group);
void parley_hub_unqueue(parley_hub_t *hub, parley_hub_group_t *group);

/* The first group that has a round to go: one subscriber of it. */
void parley_hub_round(parley_hub_t *hub);

/*
 * Sends a text: 1: all of it was taken; 0: not all, and the subscriber is
 * blocked; -1: it is over.
 */
int parley_hub_send(parley_hub_t *hub, parley_subscriber_t *s,
    parley_hub_text_t *text);

/* The subscriber has the record of that place, which a job owed it; all: and
   those before it. */
void parley_hub_had(parley_hub_t *hub, const parley_subscriber_t *s,
    const parley_place_t *place, int all);

int parley_hub_text_begin(parley_hub_t *hub, parley_hub_text_t *text,
    size_t events, parley_buf_t *b);
void parley_hub_text_event(parley_hub_text_t *text, const parley_buf_t *b,
    const parley_place_t *place, uint32_t sum, int owed);
int parley_hub_text_end(parley_hub_text_t *text, parley_buf_t *b);
void parley_hub_text_free(parley_hub_text_t *text);

/* parley_hub_behind.c */

/* It is its turn as soon as somebody has one. */
void parley_hub_ready(parley_hub_t *hub, parley_subscriber_t *s);

/* Its group is somewhere else: those that wait may be live there. */
void parley_hub_arrive(parley_hub_t *hub, parley_hub_group_t *group);

/* Whether it is live, or waits; else it has to read. */
int parley_hub_meet(parley_hub_t *hub, parley_subscriber_t *s);

/* One that is ready reads on. */
void parley_hub_step(parley_hub_t *hub, parley_subscriber_t *s);
void parley_hub_read_on(parley_hub_op_t *op);

/* parley_hub_tick.c */

void parley_hub_due(parley_hub_t *hub, parley_subscriber_t *s);
void parley_hub_undue(parley_subscriber_t *s);


#endif /* PARLEY_HUB_PARTS_H */
