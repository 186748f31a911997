/*
 * A simulated world for the hub: several processes over one state in memory,
 * clients with connections, a clock, and failures.
 *
 * A model knows which messages were accepted, and the clients see which events
 * arrive.  They check that everything arrives.  Neither asks the hub or the
 * state.
 */

#ifndef PARLEY_SIM_H
#define PARLEY_SIM_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/parley_ask.h"
#include "hub/parley_hub.h"
#include "state/parley_log.h"
#include "state/memory/parley_memory.h"
#include "hub/parley_runner.h"
#include "hub/parley_selector.h"
#include "gate/admission/parley_suspension.h"
#include "t/simulate/parley_sim_play.h"


#define SIM_PROCESSES  4
#define SIM_CLIENTS    10
#define SIM_LOGS       4
#define SIM_EPOCHS     64       /* of one log */
#define SIM_RECORDS    4096
#define SIM_EVENT      8192     /* maximum, in octets */
#define SIM_CONNS      24
#define SIM_WINDOW_MAX (64 * 1024)
#define SIM_OPENING    64       /* maximum of octets at the beginning of a
                                   stream */
#define SIM_LIVE       1        /* parley_subscriber_state_t */
#define SIM_SLOW       200      /* octets that a slow client takes */
#define SIM_JOBS       4096
#define SIM_ATTEMPTS   64       /* of all processes at one time */
#define SIM_PRINCIPALS 4        /* the parent of each is the next one */
#define SIM_PEERS      2        /* to which the gateway opens WebSockets */
#define SIM_QUESTIONS  512
#define SIM_ANSWERS    8        /* answers at one time, and resumptions */
#define SIM_ACK_MS     5000     /* to acknowledge a critical message */
#define SIM_SMALL      (1024 * 1024)    /* a smaller zone may be full */
#define SIM_LATE       1024     /* verbs of a process at one time */
#define SIM_LANES_DUE  1000000  /* lanes of deadlines */
#define SIM_LANES_OWED 2000000  /* lanes of records owed to log readers */
#define SIM_LANES_UP   3000000  /* lanes of raised messages, by principal */
#define SIM_APPEND_JOBS (3 + SIM_LOGS)


typedef enum {
    SIM_APPEND = 0,
    SIM_WAKE,                   /* a process handles its wake-up */
    SIM_TURN,
    SIM_CONNECT,
    SIM_DUE,                    /* a process runs its due jobs */
    SIM_ANSWER,                 /* a peer answers an attempt */
    SIM_ASK,                    /* a question with a deadline is asked */
    SIM_ACK,                    /* a peer answers a question, or begins to */
    SIM_HOLD,                   /* a sender is suspended, or resumed */
    SIM_LATER,                  /* the state answers a hub */
    SIM_DISCONNECT,
    SIM_READ,                   /* a client reads the events that came */
    SIM_WINDOW,                 /* a connection becomes slow or fast */
    SIM_TIME,
    SIM_SLEEP,                  /* a long time */
    SIM_KILL,
    SIM_CRASH,                  /* during a verb */
    SIM_START,
    SIM_RELOAD,
    SIM_STALL,                  /* a process does nothing for some time */
    SIM_ERASE,
    SIM_SETTLE,                 /* all processes finish their work */
    SIM_VERBS
} sim_verb_t;


/* an accepted record */
typedef struct {
    unsigned           logs;            /* bits */
    uint64_t           offsets[SIM_LOGS];
    unsigned           epochs[SIM_LOGS];
    int64_t            time;
    int64_t            ends;
    size_t             size;            /* of the record */
    unsigned           erased:1;
    unsigned           owed:1;          /* jobs owe it to the readers of its
                                           logs */
    unsigned           had;             /* logs whose owner received it, bits */
    unsigned           live;            /* clients that had all earlier records,
                                           bits */
    unsigned           sender;
    const char        *kind;
    parley_audience_t  audience;
} sim_record_t;


typedef struct {
    uint64_t  epochs[SIM_EPOCHS];
    unsigned  nepochs;
    uint64_t  last;                     /* offset, in the newest epoch */
    int64_t   kept;                     /* last time that it had a subscriber */
} sim_log_t;

/*
 * ms after which a log may begin again: its lease, minus the longest time
 * until the lease is renewed
 */
#define SIM_LEASE  (PARLEY_LOG_LEASE * 2 / 3)


typedef struct sim_process_s  sim_process_t;
typedef struct sim_client_s   sim_client_t;

/* a connection, which its client may have given up */
typedef struct {
    parley_subscriber_t   s;
    unsigned              used:1;
    unsigned              slow:1;       /* takes a few octets, then no others */
    unsigned              twice:1;      /* its session had another connection:
                                           either of them may have joined
                                           last */
    unsigned              over:1;       /* the process ended it; octets that
                                           came before remain */
    sim_process_t        *process;      /* NULL: the process ended */
    sim_client_t         *client;       /* NULL: the client gave it up */
    int64_t               began;
    int64_t               since;        /* connected and not slow since then */
    unsigned              log;
    unsigned              opened:1;     /* something was written */
    size_t                scanned;      /* octets of events that were examined
                                           when they came */
    size_t                window;       /* maximum of unread octets */
    size_t                len;          /* octets that came and were not read */
    uint8_t               octets[SIM_WINDOW_MAX];
} sim_conn_t;


/* a question that must be answered in time */
typedef struct {
    parley_record_id_t   id;
    unsigned             kind;          /* parley_job_subject_kind_t, at
                                           first */
    unsigned             sender;        /* a principal */
    int64_t              after;         /* ms until its first deadline */
    int64_t              ends;          /* end of the time that the state keeps
                                           it */
    unsigned             nanswers;      /* answers that came */
    unsigned             asked:1;
    unsigned             answered:1;    /* an answer was settled */
    unsigned             told:1;        /* its sender was told of the timeout */
} sim_question_t;

/* an admission, with the keys that it points to */
typedef struct {
    parley_admission_t   admission;
    uint8_t              account[PARLEY_KEY_LEN];
    uint8_t              id[PARLEY_KEY_LEN];
    uint8_t              print[PARLEY_PRINT_LEN];
    uint8_t              slot[PARLEY_KEY_LEN];
} sim_admission_t;

/* an answer that was admitted and not yet settled */
typedef struct {
    sim_process_t       *process;       /* NULL: unused */
    sim_question_t      *question;
    sim_admission_t      admission;
    uint64_t             stamp;
} sim_answer_t;


/*
 * whether a principal is suspended, for one kind of alarm: emergency or
 * critical
 */
typedef struct {
    unsigned             on:1;
    unsigned             version;       /* number of suspensions so far */
} sim_hold_t;

#define SIM_HOLDS  PARLEY_SUSPENSIONS_MAX

/* an admitted message that resumes a principal */
typedef struct {
    sim_process_t       *process;       /* NULL: unused */
    unsigned             principal;
    sim_admission_t      admission;
    uint64_t             stamp;
    size_t               n;
    parley_lift_t        lifts[SIM_HOLDS];
    unsigned             holds[SIM_HOLDS];      /* holds of the principal */
    unsigned             versions[SIM_HOLDS];
} sim_resume_t;


/* a job, as the model knows it */
typedef struct {
    sim_question_t  *question;          /* question of this deadline, or NULL */
    unsigned         kind;              /* parley_job_subject_kind_t */
    unsigned         asked;             /* principal that is asked, or
                                           informed */
    int              how;               /* expected result */
    unsigned         lane;
    unsigned         record;
    unsigned         tries;             /* attempts */
    unsigned         seen;
    int64_t          before;            /* time before which it must not run */
    sim_process_t   *trying;            /* process that runs it; NULL: none */
    unsigned         timer:1;           /* delivers nothing */
    unsigned         owed:1;            /* to the readers of a log: its lane is
                                           SIM_LANES_OWED and the log */
    int64_t          ends;              /* of an owed job: time of its end */
    unsigned         critical:1;        /* its failure is reported */
    unsigned         vague:1;           /* its process died while it ended it:
                                           it is due at before, or later */
    unsigned         ended:1;
} sim_job_t;

/* a peer with a lasting job */
typedef struct {
    sim_process_t       *holder;        /* process that has the job, or NULL */
    parley_run_t        *run;           /* of the holder */
    int64_t              since;         /* time since which no process has it */
    unsigned             seen;
    unsigned             configured:1;
    unsigned             added:1;       /* the state has its job */
    unsigned             adding:1;      /* a process adds its job now */
    unsigned             ending:1;      /* a process ends its job now */
    unsigned             vague:1;       /* this process died then */
} sim_peer_t;

/* an attempt that is in progress */
typedef struct {
    parley_run_t    *run;               /* NULL: unused */
    sim_process_t   *process;
    int64_t          began;
} sim_attempt_t;


struct sim_client_s {
    unsigned              log;
    char                  session[16];
    const char           *instrument;
    const char           *filter;
    unsigned              stream;
    parley_str_t          selector;
    uint8_t               selector_text[128];
    sim_conn_t           *conn;         /* NULL: not connected */

    unsigned              owns:1;       /* the log belongs to the client */
    parley_place_t        place;        /* last known place; epoch 0: none */
    uint64_t              begun;        /* of records before it connected, up to
                                           this offset, it gets only the owed
                                           ones */
    unsigned              gaps;
};


struct sim_process_s {
    unsigned          alive:1;
    unsigned          woken:1;
    unsigned          turn:1;
    unsigned          leaving:1;
    unsigned          behind:1;         /* it was told that it is late, and has
                                           not read everything yet */
    uint32_t          pid;
    int64_t           stalled;          /* until this time */
    int64_t           since;            /* time when it was woken */
    int64_t           late;             /* time when it had read after it was
                                           late */
    parley_memory_t   memory;
    parley_hub_t     *hub;
    parley_runner_t  *runner;
    int64_t           due;              /* time of its runner's next turn */
    int64_t           plan;             /* time when it adds missing jobs of
                                           peers */
    size_t            octets;           /* allocated */
    unsigned          nlate;            /* verbs in progress */
    struct parley_late_s  *asked[SIM_LATE];
    struct sim_block_s  *blocks;
};


typedef struct {
    void                 *zone;
    size_t                size;
    int64_t               now;
    uint32_t              pids;
    void                 *locked;       /* owner of the lock: a process, or the
                                           model */
    unsigned              edges;        /* edges left for the process that held
                                           them before the model looked */
    parley_memory_t       outside;      /* the model's own view */
    unsigned              later:1;      /* the state answers hubs later */
    parley_retention_t    retention;
    parley_stream_t       streams[2];
    uint8_t               keys[SIM_LOGS][PARLEY_KEY_LEN];

    sim_process_t         processes[SIM_PROCESSES];
    sim_client_t          clients[SIM_CLIENTS];
    sim_conn_t            conns[SIM_CONNS];
    unsigned              unburied:1;       /* a process died, and no process
                                               has started since */
    sim_log_t             logs[SIM_LOGS];
    sim_record_t          records[SIM_RECORDS];
    unsigned              nrecords;
    unsigned              nadmitted;    /* messages with an admission */

    sim_job_t             jobs[SIM_JOBS];
    unsigned              njobs;
    sim_attempt_t         attempts[SIM_ATTEMPTS];
    uint64_t              ended[PARLEY_JOB_ENDS];       /* reported ends */
    uint64_t              silent;       /* ended by a process that died then */
    sim_job_t            *ending;       /* job that a process ends now */
    const parley_run_t   *run;          /* run of that job */
    unsigned              tells;        /* it appends a message at its end */
    uint64_t              told;         /* messages that were appended at
                                           ends */

    sim_peer_t            peers[SIM_PEERS];

    sim_question_t        questions[SIM_QUESTIONS];
    unsigned              nquestions;
    sim_answer_t          answers[SIM_ANSWERS];
    sim_hold_t            holds[SIM_PRINCIPALS - 1][SIM_HOLDS];
    sim_resume_t          resumes[SIM_ANSWERS];
    unsigned              nresumes;     /* total number */

    parley_test_random_t  random;       /* of the step */
    parley_arena_t        arena;        /* of the step */
    size_t                written;      /* octets in the current turn */
    size_t                widest;       /* octets of the largest write in it */
} sim_world_t;


extern sim_world_t        world;

/* the process that runs now, and whose memory is allocated */
extern sim_process_t     *sim_at;

/*
 * number of edges of a verb after which the process dies, or 0; and the number
 * that is left while the verb runs
 */
extern unsigned           sim_dies;
extern unsigned           sim_edges;
extern jmp_buf            sim_crash;

extern const char *const  sim_senders[];

/* parley_sim_world.c */

void sim_begin(uint64_t seed);

/* Lets all processes finish their work, then checks every promise. */
void sim_settle(void);

/* Ends all processes; nothing may be left. */
void sim_end(void);

/* Frees all memory, after any end. */
void sim_forget(void);

void sim_zone(void);
void sim_memory(parley_memory_t *memory, void *ctx);
void sim_free_all(sim_process_t *p);
void sim_start(sim_process_t *p);

/* Removes a process with its memory and its connections, without a goodbye. */
void sim_kill(sim_process_t *p);
void sim_exit(sim_process_t *p);

/*
 * Return a process that lives and is not stalled, and one that does not live;
 * NULL if there is none.
 */
sim_process_t *sim_process(uint64_t arg);
sim_process_t *sim_free_process(void);

sim_client_t *sim_client(uint64_t arg);


/* parley_sim_step.c */

void sim_step(const sim_step_t *step);

/* Handle the wake-up of a process, and its turn. */
void sim_wakes(sim_process_t *p);
void sim_turns(sim_process_t *p, unsigned budget, size_t octets);

/* Lets a connection take all octets again. */
void sim_fast(sim_conn_t *conn);


/* parley_sim_append.c */

void sim_append(sim_process_t *p);


/* parley_sim_job.c */

void sim_jobs_start(sim_process_t *p);

/*
 * Makes the jobs of a record that is about to be appended, at most
 * SIM_APPEND_JOBS, and returns their number; sim_jobs_made() counts those that
 * were appended.
 */
size_t sim_jobs_make(const sim_record_t *record, parley_job_t *jobs);
void sim_jobs_made(size_t n);

/*
 * Run the due jobs of a process; answer one of its attempts; end its attempts
 * after the process ended.
 */
void sim_jobs_turn(sim_process_t *p);
void sim_jobs_answer(sim_process_t *p, uint64_t arg);
void sim_jobs_gone(sim_process_t *p);
unsigned sim_jobs_attempts(const sim_process_t *p);

/*
 * Checks that the state has the same jobs as the model.  ending is the job
 * that a process was ending when it died, or NULL.
 */
void sim_jobs_check(sim_job_t *ending);
void sim_jobs_drain(void);

/* Returns the number of visible appends. */
uint64_t sim_jobs_head(void);


/* parley_sim_lasting.c */

void sim_lasting_begin(void);
void sim_lasting_configure(uint64_t arg);

/* Returns the peer of a job's text, or NULL if it is another job. */
sim_peer_t *sim_lasting_peer(parley_str_t text);

/*
 * Run the lasting jobs of a process; react to its end; to a job that it took;
 * to the end of a job.
 */
void sim_lasting_turn(sim_process_t *p);
void sim_lasting_gone(const sim_process_t *p);
void sim_lasting_taken(sim_process_t *p, parley_run_t *run, sim_peer_t *peer);
void sim_lasting_over(sim_peer_t *peer, parley_job_how_t how);

/*
 * Compare the jobs of the state with the model: before a listing, for each
 * job, after it.
 */
void sim_lasting_unseen(void);
void sim_lasting_listed(sim_peer_t *peer, const parley_job_listed_t *listed);
void sim_lasting_check(void);

void sim_lasting_drain(void);


/* parley_sim_owed.c */

/*
 * Adds jobs that owe a record to the owners of its logs, after n others;
 * returns the new number.
 */
size_t sim_jobs_owe(const sim_record_t *record, parley_job_t *jobs, size_t n);

/*
 * Checks a job that was owed and has ended: a connection of the log's owner
 * must have its record.
 */
void sim_owed_had(sim_job_t *job);

/* Fails if the owner of a log is connected and a job still owes it a record. */
void sim_owes(const sim_job_t *job);


/* parley_sim_ask.c */

/* Ask a question; admit an answer, or settle an admitted one. */
void sim_ask(sim_process_t *p);
void sim_ack(sim_process_t *p);

/*
 * React to the end of a process; to its death during a verb; reset the verb in
 * progress; settle all answers.
 */
void sim_ask_gone(const sim_process_t *p);
void sim_ask_died(void);
void sim_ask_forget(void);
void sim_ask_drain(void);


/* parley_sim_due.c */

/* Read the configuration once; return the name of a principal, and its log. */
void sim_due_settings(void);
parley_str_t sim_sub(unsigned principal);
void sim_due_log(unsigned principal, uint8_t out[PARLEY_KEY_LEN]);

/* Adds a deadline in that many ms for a question and a principal. */
sim_job_t *sim_due_add(sim_question_t *q, unsigned kind, unsigned asked,
    int64_t after);

/* Returns the job of a text, or NULL if it is not a deadline. */
sim_job_t *sim_due_job(parley_str_t text);

/*
 * Returns the job of a text that owes a raised message to its principal, or
 * NULL if it is another job.  listing: returns a job that was not seen yet,
 * and ending last.
 */
sim_job_t *sim_due_up(parley_str_t text, int listing, const sim_job_t *ending);

/*
 * Handle a deadline: it is due; it ended; it ended in a process that died; it
 * is seen in a list.
 */
void sim_due_begin(sim_process_t *p, parley_run_t *run, sim_job_t *job);
void sim_due_ended(sim_job_t *job, int untold);
void sim_due_silent(sim_job_t *job);
void sim_due_listed(const sim_job_t *job, const parley_job_listed_t *listed);

void sim_due_forget(void);


/* parley_sim_hold.c */

/* Suspends or resumes a principal, or sends a message of it. */
void sim_hold(sim_process_t *p);

/* As the functions of that name for questions. */
void sim_hold_gone(const sim_process_t *p);
void sim_hold_died(void);
void sim_hold_forget(void);

/*
 * Compare the suspensions of the state with the model; then lift all of them.
 */
void sim_hold_check(void);
void sim_hold_end(void);


/* parley_sim_model.c */

/* Returns whether a client must get a record of its log. */
int sim_is_for(const sim_client_t *c, const sim_record_t *r);

/* Records that a record was accepted at these places. */
void sim_accepted(sim_record_t *record, const parley_placed_t *places);

/*
 * Finds out whether a process that died had appended the record.  All its logs
 * must agree.
 */
void sim_perhaps(sim_record_t *record, const parley_state_room_t *before);

/* Notes the current epoch of a log, which may have begun again. */
void sim_look(unsigned log);

/* Returns the least and the largest number of clients to count for a record. */
void sim_count(const sim_record_t *record, int64_t *least, int64_t *most);

/* Check the events of a client: the place where it begins, a gap, a record. */
void sim_client_opened(sim_client_t *c, const parley_place_t *place);
void sim_client_gap(sim_client_t *c, const parley_place_t *place);
void sim_client_got(sim_client_t *c, const parley_place_t *place,
    parley_str_t data);

/* Records that the owner of a log received the record of a place. */
void sim_had(unsigned log, const parley_place_t *place);

/*
 * Checks that each client that is connected and not slow has all records for
 * it.
 */
void sim_complete(void);


/* parley_sim_client.c */

/* Read the octets that came, and check them. */
void sim_client_read(sim_conn_t *c);
void sim_client_connect(sim_client_t *c, sim_process_t *p);
void sim_client_give_up(sim_client_t *c);

/* Ends a connection, with its process or by it. */
void sim_conn_gone(sim_conn_t *c);

extern const parley_hub_env_t  sim_hub_env;

/* parley_sim_later.c */

/* Makes the state of a process answer later, if this history is like that. */
void sim_later_begin(sim_process_t *p);

/* Complete one verb in progress, or all of them. */
void sim_later(sim_process_t *p, uint64_t arg);
void sim_later_all(sim_process_t *p);

/*
 * Returns the number of members of the roster that may have left, or may not
 * know yet that they joined.
 */
unsigned sim_later_leaves(void);

/* Forgets the verbs in progress of a process that ended. */
void sim_later_forget(sim_process_t *p);

/* memory of a process, freed when the process ends */
void *sim_alloc(void *ctx, size_t size);
void sim_free(void *ctx, void *p);


#endif /* PARLEY_SIM_H */
