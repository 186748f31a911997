/*
 * A state that several nodes share: the state of this node, its zone, decides
 * first, and a store makes the decision valid at all nodes.  The store is a
 * Redis or Valkey server.  This room has no I/O: it writes commands and reads
 * replies through parley_store_env_t.
 *
 *   admit            the zone, then the id and the slot in the store
 *   settle           the zone, then the store; awaited if it closes a question
 *                    or ends a suspension
 *   put, get, drop   records of the kinds that other nodes need
 *   rate             the zone; its counts go to the store every
 *                    PARLEY_STORE_RATES ms
 *   append, join     steps of one order for all nodes (parley_import.h); the
 *                    verb is done when the zone has taken the step
 *   asks, roster     the zone, after it has taken the steps of other nodes
 *   erase, leave,    the zone, then a step that is not awaited
 *   had, drop
 *
 * Suspensions and keys of children are in the zone of every node: each worker
 * asks every PARLEY_STORE_TICK ms for the changes of other nodes.  A job
 * belongs to the node that accepted its message; the records of chat are the
 * zone's alone.
 *
 * A node has a lease, which each of its workers renews.  After the lease the
 * reservations of the node are free.  The zone frees those of a dead worker at
 * once.  A lease does not end while no node can renew.
 *
 * A worker sends its calls in order on one connection.  Unanswered calls are
 * sent again after a connection was lost, and have no effect twice: a call
 * names its holder, the node and the stamp that the zone gave to the admission.
 *
 * The first worker of a node has a second connection, the inbox: the engine
 * tells it the number of each step.  Without an inbox, or if a number is lost,
 * the node asks for steps all the same.
 */

#ifndef PARLEY_STORE_H
#define PARLEY_STORE_H

#include "core/parley_buf.h"
#include "state/parley_log.h"
#include "state/parley_state.h"


#define PARLEY_STORE_KEY      32    /* octets of the file of key= */
#define PARLEY_STORE_FINGERPRINT  16
#define PARLEY_STORE_NODE     8     /* octets of the name of a node */
#define PARLEY_STORE_TIMEOUT  100   /* ms, default of timeout= */
#define PARLEY_STORE_LEASE    10000 /* ms, default of lease= */
#define PARLEY_STORE_RATES    100   /* ms between two reports of counts */
#define PARLEY_STORE_TICK     250   /* ms between two questions for changes */
#define PARLEY_STORE_CALLS    16384 /* unanswered calls of a worker */
#define PARLEY_STORE_OCTETS   (16 * 1024 * 1024)        /* of these calls */
#define PARLEY_STORE_MEMBERS  64    /* nodes that are listed */
#define PARLEY_STORE_TAKEN    65536 /* ids taken while the store is away */


struct parley_process_link_s;

typedef struct parley_store_s  parley_store_t;


/* the connections of a store */
typedef enum {
    PARLEY_STORE_MAIN = 0,      /* all commands */
    PARLEY_STORE_INBOX,         /* numbers of new steps */
    PARLEY_STORE_LINKS
} parley_store_link_t;


typedef enum {
    PARLEY_STORE_INFO = 0,
    PARLEY_STORE_WARN,          /* data may be lost, or a promise is weaker */
    PARLEY_STORE_ERROR,         /* the store is away */
    PARLEY_STORE_CRIT           /* the operator must change something */
} parley_store_level_t;


/* the decision about messages while the store is away */
typedef enum {
    PARLEY_STORE_REFUSE = 0,    /* PARLEY_ADMIT_AWAY */
    PARLEY_STORE_LOCAL          /* the zone decides alone */
} parley_store_fallback_t;


/*
 * The host of a store.  No function calls back into the store.
 */
typedef struct {
    /* Begins a connection: parley_store_opened() or parley_store_closed()
       follows.  The inbox goes to the server of the main connection, which is
       open. */
    void    (*connect)(void *ctx, parley_store_link_t link);

    /* Sends octets, which are copied.  If that fails, parley_store_closed()
       follows. */
    void    (*send)(void *ctx, parley_store_link_t link, parley_str_t octets);

    /* Closes the connection, or ends its beginning; parley_store_closed() is
       not called for it. */
    void    (*close)(void *ctx, parley_store_link_t link);

    /* Calls parley_store_timer() in ms; replaces an earlier request.  -1: does
       not call it. */
    void    (*timer)(void *ctx, int64_t ms);

    /* Returns milliseconds of a clock that does not jump. */
    int64_t (*now)(void *ctx);

    /* Returns the time of day in ms, to be compared with the engine's. */
    int64_t (*wall)(void *ctx);

    uint64_t (*random)(void *ctx);

    /* A session with this stamp has replaced one of this node: the worker with
       the old one must end it. */
    void    (*replaced)(void *ctx, const parley_join_t *j, uint64_t stamp);

    /* The zone has new records for all workers of the node. */
    void    (*appended)(void *ctx);

    /* Another node has left: it stopped in order, or its lease is over.  NULL:
       the host does not note this. */
    void    (*left)(void *ctx, const char *host, const char *node,
                int stopped);

    /* Logs a line, which has no secrets. */
    void    (*log)(void *ctx, parley_store_level_t level, const char *text);

    void     *ctx;
} parley_store_env_t;


/* the settings of a store; the texts must outlive it */
typedef struct {
    parley_str_t             prefix;    /* of all keys; the braces of the hash
                                           tag are added */
    parley_str_t             user;      /* empty: no user */
    parley_str_t             password;  /* empty: no AUTH */
    uint8_t                  fingerprint[PARLEY_STORE_FINGERPRINT];
                                        /* of the key of the store */
    uint8_t                  node[PARLEY_STORE_NODE];   /* random, made with
                                                           the zone */
    parley_str_t             config;    /* digest of the settings that all
                                           nodes must have in common */
    parley_str_t             version;   /* and host: for the list of nodes,
                                           without spaces */
    parley_str_t             host;
    unsigned                 first:1;   /* the first process of its node: it
                                           has the inbox, and logs nodes with
                                           another digest */
    int64_t                  timeout;   /* ms that a message waits for a
                                           reply */
    int64_t                  lease;     /* ms, at least 1000 */
    size_t                   room;      /* octets of all steps in the store */
    parley_store_fallback_t  fallback;
} parley_store_conf_t;


/* results of calls, for metrics */
typedef enum {
    PARLEY_STORE_OK = 0,
    PARLEY_STORE_FAILED,        /* an error of the engine */
    PARLEY_STORE_SLOW,          /* no answer in time */
    PARLEY_STORE_AWAY,          /* not sent, without a connection */
    PARLEY_STORE_RESULTS
} parley_store_result_t;


/* losses, for metrics */
typedef enum {
    PARLEY_STORE_LOST_ID = 0,   /* more than PARLEY_STORE_TAKEN ids were taken
                                   while the store was away */
    PARLEY_STORE_LOST_CALL,     /* a call did not fit into the queue; a record
                                   is above 1 MB, or its key is full */
    PARLEY_STORE_LOST_RATE,     /* a count was not sent */
    PARLEY_STORE_LOST_GENERATION,       /* the store began another generation:
                                           verbs that it acknowledged shortly
                                           before may be lost */
    PARLEY_STORE_LOST_UNCONFIRMED,      /* no replica confirmed a suspension or
                                           a key */
    PARLEY_STORE_LOST_FORMAT,   /* a value was skipped: this version does not
                                   read its format */
    PARLEY_STORE_LOST_JOB,      /* the zone became full before it had a job of
                                   its node */
    PARLEY_STORE_LOST_QUESTION, /* a question was late: its connection was lost
                                   before the engine had answered */
    PARLEY_STORE_LOSSES
} parley_store_loss_t;


typedef struct {
    int64_t   up_since;         /* ms of env.now; 0: away */
    uint64_t  calls[PARLEY_STORE_RESULTS];
    uint64_t  lost[PARLEY_STORE_LOSSES];
    uint64_t  reconnects;
    uint64_t  forked;           /* ids that another node took too, while the
                                   store was away */
    uint64_t  fallbacks;        /* messages decided without the store, or
                                   refused */
    uint64_t  generation;       /* 0: never entered */
    uint64_t  nodes;            /* as the last renewal told */
    uint64_t  differ;           /* those with another digest of the settings */
    uint64_t  used;             /* octets of the engine; 0: unknown */
    uint64_t  max;              /* 0: no bound */
    size_t    pending;          /* unanswered calls */
    unsigned  inbox;            /* the engine tells this process about new
                                   steps: 1 */
    int64_t   offset;           /* ms that the engine's clock is ahead of the
                                   host's, by parley_store_env_t.wall */
} parley_store_stat_t;


/* a node that has a lease, as the last renewal told */
typedef struct {
    uint8_t   node[PARLEY_STORE_NODE];
    char      formats[3];       /* the oldest and the newest that it reads */
    char      version[24];
    char      config[24];
    char      host[72];
    int64_t   until;            /* end of its lease, in ms of env.now */
    unsigned  own:1;            /* this node */
    unsigned  differs:1;        /* it has another config */
} parley_store_member_t;


/*
 * Creates the store of a process around zone; the verbs of zone are at once.
 * env, conf and zone must outlive it.  Returns NULL if memory is exhausted.
 */
parley_store_t *parley_store_create(parley_state_t *zone,
    const parley_store_env_t *env, const parley_store_conf_t *conf,
    parley_mem_t *mem);

/* Returns the verbs of the store, to be used in place of the zone's. */
parley_state_t *parley_store_state(parley_store_t *s);

/* Connects, and keeps connecting. */
void parley_store_begin(parley_store_t *s);

/*
 * The worker ends.  Returns whether calls are left to be answered; the caller
 * then waits, at most 1 s.
 */
int parley_store_end(parley_store_t *s);

/*
 * Called after parley_store_end(), and if the node does not continue with other
 * workers than those that use its zone.  The last worker of the node tells the
 * store that the node stops, so that other nodes adopt its jobs at once.
 * Returns whether the answer is to be awaited, for at least 500 ms if it does
 * not come: a new worker of the node must not begin earlier.
 */
int parley_store_quit(parley_store_t *s);

void parley_store_destroy(parley_store_t *s);

/*
 * Ends the connection of a dead worker of this node at the engine, and frees
 * the id or slot that it had reserved; a hook of the zone.  ctx is the store.
 */
void parley_store_orphan(void *ctx, parley_kind_t kind, const uint8_t *key,
    uint64_t stamp, const struct parley_process_link_s *link);

/* Events of the host. */
void parley_store_opened(parley_store_t *s, parley_store_link_t link);
void parley_store_fed(parley_store_t *s, parley_store_link_t link,
    const uint8_t *p, size_t len);
void parley_store_closed(parley_store_t *s, parley_store_link_t link,
    const char *why);
void parley_store_timer(parley_store_t *s);

/* Returns whether verbs reach the store. */
int parley_store_is_up(const parley_store_t *s);

void parley_store_stat(const parley_store_t *s, parley_store_stat_t *ret);

/* Returns the list of nodes, and their number; 0 before the first renewal. */
const parley_store_member_t *parley_store_members(const parley_store_t *s,
    size_t *n);

/*
 * Writes the rules of the engine's ACL for a user of a store: the keys of the
 * prefix, and the commands.
 */
void parley_store_acl(parley_buf_t *b, parley_str_t prefix);

/*
 * Derives from the key of the store the 16 octets that keys and prints of the
 * state are derived from, and a fingerprint, by which the store knows its key.
 * The key is not needed afterwards.  Returns 0, or -1.
 */
int parley_store_secret(const uint8_t key[PARLEY_STORE_KEY],
    uint8_t out[PARLEY_KEY_SECRET],
    uint8_t fingerprint[PARLEY_STORE_FINGERPRINT])
    __attribute__((warn_unused_result));


#endif /* PARLEY_STORE_H */
