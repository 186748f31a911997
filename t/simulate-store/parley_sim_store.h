/*
 * A simulated world for the store: nodes, each with a zone and workers, over a
 * model of the engine (parley_engine.h).  Every worker runs state/store.  The
 * octets of its connections to the engine are delayed, split, cut and lost.
 *
 * A model knows which ids and answers were accepted and which reservations are
 * held.  It sees the calls of workers and their verdicts, and asks neither the
 * store nor the zones.
 */

#ifndef PARLEY_SIM_STORE_H
#define PARLEY_SIM_STORE_H

#include <stdio.h>
#include <stdlib.h>

#include "state/memory/parley_memory.h"
#include "state/parley_import.h"
#include "state/parley_log.h"
#include "state/store/parley_store.h"
#include "t/simulate-store/parley_engine.h"
#include "t/simulate/parley_sim_play.h"


#define SIM_NODES     3
#define SIM_WORKERS   2         /* workers of a node */
#define SIM_LINKS     64
#define SIM_IDS       96
#define SIM_VERBS     256
#define SIM_LOGS      3
#define SIM_RECORDS   256
#define SIM_SESSIONS  64
#define SIM_EPOCHS    32        /* epochs of a log */
#define SIM_MS        ((int64_t) 1000)          /* times are us */
#define SIM_SECOND    ((int64_t) 1000 * 1000)
#define SIM_ZONE      (1024 * 1024)
#define SIM_TTL       ((int64_t) 3600 * 1000)   /* ms */


typedef enum {
    SIM_STEP_MESSAGE = 0,       /* a message, new or known, is accepted or
                                   given back */
    SIM_STEP_TICKET,            /* a ticket, which one node may accept */
    SIM_STEP_ASK,               /* a question */
    SIM_STEP_ANSWER,            /* a final answer to a question */
    SIM_STEP_SUBMIT,            /* a message that is appended to logs */
    SIM_STEP_APPEND,            /* a record without a message */
    SIM_STEP_JOIN,              /* a session joins a log */
    SIM_STEP_LEAVE,
    SIM_STEP_CANCEL,            /* a caller ends */
    SIM_STEP_TIME,
    SIM_STEP_SLEEP,
    SIM_STEP_CUT,               /* a connection, after some octets */
    SIM_STEP_FREEZE,            /* the octets of a connection are delayed */
    SIM_STEP_PAUSE,             /* the engine does nothing for some time */
    SIM_STEP_STOP,              /* a worker does nothing for some time */
    SIM_STEP_KILL,              /* a worker */
    SIM_STEP_DIE,               /* a node */
    SIM_STEP_QUIT,              /* a node or a worker ends in order */
    SIM_STEP_START,             /* workers of nodes without */
    SIM_STEP_FAIL_OVER,
    SIM_STEP_RESTART,           /* of the engine, with its data or empty */
    SIM_STEP_FLUSH,
    SIM_STEP_FULL,              /* the engine has no memory, or has again */
    SIM_STEP_COUNT
} sim_store_step_t;


struct sim_worker_s;
struct sim_verb_s;


/* octets that travel */
typedef struct sim_chunk_s {
    struct sim_chunk_s  *next;
    int64_t              at;
    size_t               len;
    uint8_t              octets[];
} sim_chunk_t;


/* a connection, which may outlive its worker's interest in it */
typedef struct {
    uint64_t              conn;         /* at the engine; 0: not used */
    struct sim_worker_s  *worker;       /* NULL: closed by the worker */
    parley_store_link_t   which;
    struct sim_worker_s  *of;           /* that opened it, in that life */
    uint64_t              of_life;
    uint64_t              life;
    sim_chunk_t          *out;          /* to the engine */
    sim_chunk_t          *in;
    int64_t               frozen[2];    /* until which no octets arrive at the
                                           engine, at the worker */
    size_t                left[2];      /* octets to and from the engine, after
                                           which it is cut */
    unsigned              cut:1;        /* it takes octets no longer */
} sim_link_t;


typedef struct sim_worker_s {
    struct sim_node_s    *node;
    unsigned              number;
    uint64_t              life;         /* 0: it does not run */
    uint32_t              pid;
    parley_memory_t       zone;
    parley_store_env_t    env;
    parley_store_t       *store;
    parley_store_conf_t   conf;
    sim_link_t           *links[PARLEY_STORE_LINKS];    /* NULL: no
                                           connection */
    uint64_t              timer;        /* number of its timer */
    int64_t               stopped;      /* until then */
    uint64_t              fallbacks;    /* as the last verdict saw them */
} sim_worker_t;


typedef struct sim_node_s {
    unsigned             number;
    unsigned             lives;         /* how often it has started */
    void                *memory;        /* of its zone; NULL: it is dead */
    parley_store_conf_t  conf;
    int64_t              base;          /* ms of its clock at the beginning */
    int64_t              wall;          /* ms that its time of day is ahead */
    int64_t              until;         /* end of its lease, ms of the engine */
    sim_worker_t         workers[SIM_WORKERS];
} sim_node_t;


/* a message id, or the slot of a question */
typedef struct {
    uint8_t             key[PARLEY_KEY_LEN];
    parley_kind_t       kind;
    char                name[24];
    unsigned            everywhere:1;   /* a ticket */
    unsigned            question:1;     /* the slot: its question was put */
    unsigned            accepted:1;
    unsigned            local:1;        /* in doubt for good */
    unsigned            alone:1;        /* accepted by a node alone */
    unsigned            committed:1;    /* the engine has it as taken */
    unsigned            unheld:1;       /* accepted, but not reserved at the
                                           engine */
    uint64_t            life;           /* of the worker that accepted it */
    unsigned            by;             /* number of the node that accepted
                                           it */
    unsigned            lives;          /* and its lives */
    unsigned            freeing;        /* workers that give it back, until the
                                           engine has done so, bits */
    int64_t             written;        /* us of the last write of it at the
                                           engine; 0: none */
    struct sim_verb_s  *holder;         /* the admission that holds it */
    unsigned            dead:1;         /* a node that died holds it */
    int64_t             until;          /* end of that node's lease */
    uint64_t            node;           /* its name */
    struct sim_node_s  *orphan;         /* a worker of this node was killed with
                                           it, and the engine does not know
                                           yet */
    unsigned            stuck:1;        /* a killed worker may have left it
                                           reserved */
    parley_record_id_t  record;         /* the question */
} sim_id_t;


/* a record of logs */
typedef struct {
    char            text[24];
    unsigned        logs;               /* bits */
    parley_place_t  places[SIM_LOGS];
    int64_t         executed;           /* us when the engine had it; 0: not */
    int64_t         accepted;           /* us when its caller knew; 0: not */
    unsigned        lost:1;             /* by the engine */
} sim_record_t;


/* a session of the roster */
typedef struct {
    sim_worker_t  *worker;              /* NULL: not joined */
    uint64_t       life;
    unsigned       log;
    uint64_t       stamp;
    char           name[24];
} sim_session_t;


/* an epoch of a log */
typedef struct {
    uint64_t  epoch;
    uint64_t  generation;       /* of the store, in which it was made */
    unsigned  ends;             /* ends before it was made */
} sim_epoch_t;


/* a reader of all records of a log at a node */
typedef struct {
    unsigned        lives;              /* of its node; 0: none */
    int64_t         since;              /* us of its beginning or last gap */
    parley_place_t  place;
    uint8_t         seen[SIM_RECORDS];
} sim_reader_t;


typedef enum {
    SIM_VERB_FREE = 0,
    SIM_VERB_GET,               /* reads the question */
    SIM_VERB_ADMIT,
    SIM_VERB_HOLD,              /* the message is being processed */
    SIM_VERB_PUT,
    SIM_VERB_APPEND,
    SIM_VERB_JOIN,
    SIM_VERB_SETTLE
} sim_verb_stage_t;


/* a message under way */
typedef struct sim_verb_s {
    parley_call_t          call;        /* first member */
    sim_worker_t          *worker;
    uint64_t               life;
    uint64_t               number;
    sim_verb_stage_t       stage;
    sim_id_t              *id;
    sim_id_t              *slot;        /* that it answers, or asks; or NULL */
    sim_record_t          *record;      /* that it appends; or NULL */
    sim_session_t         *session;     /* that joins; or NULL */
    unsigned               asks:1;
    unsigned               answers:1;
    unsigned               takes:1;     /* it will be accepted */
    unsigned               stale:1;     /* it is too old */
    unsigned               waits:1;     /* for the store */
    unsigned               lost:1;      /* the engine lost the reservation, or
                                           its lease was over */
    unsigned               over:1;      /* lost with its lease, before its
                                           verdict came */
    unsigned               alone:1;     /* the node decided it */
    int64_t                hold;        /* us of processing */
    uint64_t               stamp;
    parley_admission_t     a;
    uint8_t                account[PARLEY_KEY_LEN];
    uint8_t                print[PARLEY_PRINT_LEN];
    parley_admitted_t      admitted;
    parley_put_result_t    put;
    parley_records_t       records;
    parley_appended_t      appended;
    parley_joined_t        joined;
    parley_arena_t         arena;
    int                    settled;
} sim_verb_t;


typedef struct sim_event_s {
    int64_t         at;
    uint64_t        order;
    void          (*run)(struct sim_event_s *e);
    void           *p;
    uint64_t        life;       /* of p */
    sim_worker_t   *worker;     /* it happens to this worker; or NULL */
    unsigned        engine:1;   /* it happens to the engine */
} sim_event_t;


typedef struct {
    int64_t               now;          /* us */
    uint64_t              order;
    uint64_t              lives;
    sim_event_t          *events;       /* a heap */
    size_t                nevents, size;

    engine_t              engine;
    int64_t               paused;       /* until then */
    int64_t               down;         /* until then */
    unsigned              runs;         /* starts of engines */
    int64_t               clock;        /* us that its clock is ahead */
    int64_t               renewed;      /* ms of the engine's clock when any
                                           node renewed */
    sim_link_t            links[SIM_LINKS];

    unsigned              nnodes;
    unsigned              nworkers;     /* workers of each node */
    int64_t               lease;        /* ms */
    unsigned              local:1;      /* fallback=local */
    unsigned              healing:1;    /* the faults are over */
    sim_node_t            nodes[SIM_NODES];

    sim_id_t              ids[SIM_IDS];
    unsigned              nids;
    sim_verb_t            verbs[SIM_VERBS];
    uint64_t              nverbs;

    sim_record_t          records[SIM_RECORDS];
    unsigned              nrecords;
    sim_session_t         sessions[SIM_SESSIONS];
    unsigned              nsessions;
    sim_reader_t          readers[SIM_NODES][SIM_LOGS];
    sim_epoch_t           epochs[SIM_LOGS][SIM_EPOCHS];
    unsigned              ghosts;       /* logs whose sessions may not be added
                                           again, bits */
    int64_t               asked;        /* us of a question for sessions */
    int64_t               full;         /* us when the engine had room again */
    unsigned              ends;         /* ends of engines or of their data */
    unsigned              begun;        /* ends before the last generation */
    uint64_t              generation;   /* the last one */

    parley_test_random_t  random;       /* of the world */
    parley_test_random_t  draw;         /* of the step */
} sim_store_t;


extern sim_store_t  sim_store;


#define sim_tell(...)                                                         \
    do {                                                                      \
        if (sim_run.told) {                                                   \
            printf("%9.3f  ", (double) sim_store.now / 1000);                 \
            printf(__VA_ARGS__);                                              \
            printf("\n");                                                     \
        }                                                                     \
    } while (0)


/* parley_sim_store_world.c */

void sim_store_begin(uint64_t seed);
void sim_store_step(const sim_step_t *step);
void sim_store_end(void);
void sim_store_forget(void);

/* Adds an event; worker may be NULL. */
void sim_store_at(int64_t us, void (*run)(sim_event_t *e), void *p,
    uint64_t life, sim_worker_t *worker);

/* Lets time pass. */
void sim_store_pass(int64_t us);


/* parley_sim_store_tell.c: commands of the engine */

/* Returns whether a command is one of those that workers send all the time. */
int sim_tell_is_routine(const parley_str_t *words, size_t n);

void sim_tell_command(uint64_t conn, const parley_str_t *words, size_t n,
    parley_str_t reply);


/* parley_sim_store_net.c: connections */

/* Begins a connection of a worker. */
void sim_net_connect(sim_worker_t *w, parley_store_link_t which);
void sim_net_send(sim_worker_t *w, parley_store_link_t which,
    parley_str_t octets);

/* The worker closes its connection; octets under way still arrive. */
void sim_net_close(sim_worker_t *w, parley_store_link_t which);

/* Sends the replies of the engine. */
void sim_net_replies(void);

/* Returns the worker that opened a connection; NULL: it does not run. */
sim_worker_t *sim_net_worker(uint64_t conn);

/* All octets that were late arrive now. */
void sim_net_thaw(void);

/* The engine has closed its connections. */
void sim_net_engine_gone(void);
void sim_net_forget(void);


/* parley_sim_store_node.c: nodes and workers */

void sim_node_begin(sim_node_t *n);
void sim_worker_begin(sim_worker_t *w);
void sim_worker_kill(sim_worker_t *w);
void sim_node_free(sim_node_t *n);
int64_t sim_node_now(const sim_node_t *n);

/* Derives a key. */
void sim_key(parley_kind_t kind, parley_str_t part,
    uint8_t out[PARLEY_KEY_LEN]);

/* Returns a worker that runs; NULL: no worker runs. */
sim_worker_t *sim_worker_any(void);


/* parley_sim_store_fault.c */

void sim_fault(unsigned step);
void sim_heal(void);


/* parley_sim_store_verb.c: messages */

void sim_message(unsigned step);

/* Returns a verb of a worker; NULL: there are too many. */
sim_verb_t *sim_verb(sim_worker_t *w);
void sim_verb_go(sim_verb_t *v);
int sim_verb_waits(sim_verb_t *v, parley_state_done_t how);
void sim_verb_free(sim_verb_t *v);

/* Admits an id once more, at a worker, and gives it back.  stale: it looks for
   the id as a message that is too old. */
parley_admit_t sim_probe(sim_worker_t *w, sim_id_t *id, int stale);

/* As sim_probe(), when nothing is under way: the holder of an id that is in
   flight is asked. */
parley_admit_t sim_verdict(sim_worker_t *w, sim_id_t *id);
void sim_cancel(void);
unsigned sim_verbs_under_way(const sim_worker_t *w);        /* NULL: of all */


/* parley_sim_store_log.c: records, sessions, readers */

/* Begins a step. */
void sim_log_step(unsigned step);

/* Adds a record for the message of v. */
void sim_log_record(sim_verb_t *v);

/* Appends the record of a verb; returns whether it waits. */
int sim_log_append(sim_verb_t *v);
void sim_log_appended(sim_verb_t *v);
void sim_log_joined(sim_verb_t *v);

/* All readers read. */
void sim_log_read(void);
void sim_log_killed(const sim_worker_t *w);
void sim_log_lost(int64_t us);
void sim_log_executed(parley_str_t content, parley_str_t reply);

/* The engine has told the places of logs with these keys. */
void sim_log_placed(parley_str_t generation, parley_str_t keys,
    parley_str_t reply);
void sim_log_check(void);


/* parley_sim_store_model.c: the promises */

/* Returns a new id or slot; NULL: there are enough. */
sim_id_t *sim_id_add(parley_kind_t kind);

/* The store has admitted a message; accepted it; given it back. */
void sim_model_admitted(sim_verb_t *v);
void sim_model_refused(sim_verb_t *v);
void sim_model_accepted(sim_verb_t *v);
void sim_model_answered(sim_verb_t *v);
void sim_model_ended(sim_verb_t *v);

/* A worker is killed; dies: its node ends too, and the zone is lost. */
void sim_model_killed(sim_worker_t *w, int dies);
void sim_model_died(const sim_node_t *n);

/* The engine has lost writes from a time on. */
void sim_model_lost(int64_t us);

/* Reads the leases from the engine. */
void sim_model_leases(void);

void sim_model_executed(engine_t *e, uint64_t conn, const parley_str_t *words,
    size_t n, parley_str_t reply);

/* Reads a number. */
uint64_t sim_number(parley_str_t text);

/* All promises that hold when nothing is under way. */
void sim_model_check(void);


#endif /* PARLEY_SIM_STORE_H */
