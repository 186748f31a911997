/*
 * A world for the hub: several processes over one state in memory, clients with
 * connections, a clock, and whatever goes wrong.  A history is a list of steps
 * that follow from a seed; what a step meets follows from those before it, so
 * that any part of a history is one, too.
 *
 * What must be true is known by a model, which sees what was accepted, and by
 * the clients, which see what comes: neither asks the hub or the state.
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
#include "t/unit/parley_test_random.h"


#define SIM_PROCESSES  4
#define SIM_CLIENTS    10
#define SIM_LOGS       4
#define SIM_EPOCHS     64       /* of one log */
#define SIM_RECORDS    4096
#define SIM_STEPS      400
#define SIM_EVENT      8192     /* octets, at most */
#define SIM_CONNS      24
#define SIM_WINDOW_MAX (64 * 1024)
#define SIM_OPENING    64       /* octets that a stream opens with, at most */
#define SIM_LIVE       1        /* parley_subscriber_state_t */
#define SIM_SLOW       200      /* octets that who is slow takes */
#define SIM_JOBS       4096
#define SIM_ATTEMPTS   64       /* under way at once, of all */
#define SIM_PRINCIPALS 4        /* each is the parent of the one before */
#define SIM_QUESTIONS  512
#define SIM_ANSWERS    8        /* under way at once, and resumptions */
#define SIM_ACK_MS     5000     /* to acknowledge what is critical */
#define SIM_SMALL      (1024 * 1024)    /* a smaller zone may be full */
#define SIM_LATE       1024     /* verbs of one that are under way */
#define SIM_LANES_DUE  1000000  /* lanes of deadlines */
#define SIM_LANES_OWED 2000000  /* of what is owed to the readers of logs */
#define SIM_LANES_UP   3000000  /* of what went up, to principals */
#define SIM_APPEND_JOBS (3 + SIM_LOGS)


typedef enum {
    SIM_APPEND = 0,
    SIM_WAKE,                   /* a process sees that it was woken */
    SIM_TURN,
    SIM_CONNECT,
    SIM_DUE,                    /* a process does what is due */
    SIM_ANSWER,                 /* a peer answers an attempt */
    SIM_ASK,                    /* something has to be answered in time */
    SIM_ACK,                    /* a peer answers that, or is about to */
    SIM_HOLD,                   /* a sender is suspended, or resumed */
    SIM_LATER,                  /* what a hub asked of the state is answered */
    SIM_DISCONNECT,
    SIM_READ,                   /* a client takes what has come */
    SIM_WINDOW,                 /* a client's connection becomes slow, or not */
    SIM_TIME,
    SIM_SLEEP,                  /* a long time */
    SIM_KILL,
    SIM_CRASH,                  /* in the midst of a verb */
    SIM_START,
    SIM_RELOAD,
    SIM_STALL,                  /* a process does nothing for some time */
    SIM_ERASE,
    SIM_SETTLE,                 /* all do what there is to do */
    SIM_VERBS
} sim_verb_t;


typedef struct {
    sim_verb_t  verb;
    uint64_t    arg;
} sim_step_t;


/* what was accepted */
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
    unsigned           had;             /* logs whose owner was written it,
                                           bits */
    unsigned           live;            /* clients that had all before, bits */
    unsigned           sender;
    const char        *kind;
    parley_audience_t  audience;
} sim_record_t;


typedef struct {
    uint64_t  epochs[SIM_EPOCHS];
    unsigned  nepochs;
    uint64_t  last;                     /* offset, in the newest epoch */
    int64_t   kept;                     /* when somebody was there for it */
} sim_log_t;

/* ms after which a log may be another one: its lease, but for what may pass
   until it is kept again */
#define SIM_LEASE  (PARLEY_LOG_LEASE * 2 / 3)


typedef struct sim_process_s  sim_process_t;
typedef struct sim_client_s   sim_client_t;

/* a connection, which its client may have given up */
typedef struct {
    parley_subscriber_t   s;
    unsigned              used:1;
    unsigned              slow:1;       /* it takes a little, and then nothing
                                           more */
    unsigned              twice:1;      /* another one of its session was there:
                                           either may have joined last */
    unsigned              over:1;       /* it was ended: what has come is there
                                           still */
    sim_process_t        *process;      /* NULL: it is gone */
    sim_client_t         *client;       /* NULL: it was given up */
    int64_t               began;
    int64_t               since;        /* it has been there, and not slow */
    unsigned              log;
    unsigned              opened:1;     /* something was written */
    size_t                scanned;      /* octets of events that were looked at
                                           as they came */
    size_t                window;       /* octets that it takes */
    size_t                len;          /* that have come and were not read */
    uint8_t               octets[SIM_WINDOW_MAX];
} sim_conn_t;


/* what has to be answered in time */
typedef struct {
    parley_record_id_t   id;
    unsigned             kind;          /* parley_load_kind_t, at first */
    unsigned             sender;        /* a principal */
    int64_t              after;         /* ms, of its first deadline */
    int64_t              ends;          /* it is remembered */
    unsigned             nanswers;      /* that came */
    unsigned             asked:1;
    unsigned             answered:1;    /* by one that was settled */
    unsigned             told:1;        /* its sender, that nobody answered */
} sim_question_t;

/* an admission, with what it points to */
typedef struct {
    parley_admission_t   admission;
    uint8_t              account[PARLEY_KEY_LEN];
    uint8_t              id[PARLEY_KEY_LEN];
    uint8_t              print[PARLEY_PRINT_LEN];
    uint8_t              slot[PARLEY_KEY_LEN];
} sim_admission_t;

/* an answer that was admitted, and is to be settled */
typedef struct {
    sim_process_t       *process;       /* NULL: there is none */
    sim_question_t      *question;
    sim_admission_t      admission;
    uint64_t             stamp;
} sim_answer_t;


/* whether a principal is suspended, for an emergency or for what is critical */
typedef struct {
    unsigned             on:1;
    unsigned             version;       /* one more for each time */
} sim_hold_t;

#define SIM_HOLDS  PARLEY_SUSPENSIONS_MAX

/* what resumes a principal, and was admitted */
typedef struct {
    sim_process_t       *process;       /* NULL: there is none */
    unsigned             principal;
    sim_admission_t      admission;
    uint64_t             stamp;
    size_t               n;
    parley_lift_t        lifts[SIM_HOLDS];
    unsigned             holds[SIM_HOLDS];      /* of the principal */
    unsigned             versions[SIM_HOLDS];
} sim_resume_t;


/* a job, as the model knows it */
typedef struct {
    sim_question_t  *question;          /* whose deadline it is, or NULL */
    unsigned         kind;              /* of load */
    unsigned         asked;             /* who is, or is to be told */
    int              how;               /* what it comes to */
    unsigned         lane;
    unsigned         record;
    unsigned         tries;             /* attempts */
    unsigned         seen;
    int64_t          before;            /* nobody tries it */
    sim_process_t   *trying;            /* one that lives; NULL: nobody */
    unsigned         timer:1;           /* it delivers nothing */
    unsigned         owed:1;            /* to the readers of a log: its lane is
                                           SIM_LANES_OWED and the log */
    int64_t          ends;              /* the same: it is too late */
    unsigned         critical:1;        /* somebody is told where it fails */
    unsigned         vague:1;           /* who was ending it died: it is due at
                                           before, or later */
    unsigned         ended:1;
} sim_job_t;

/* an attempt that is under way */
typedef struct {
    parley_run_t    *run;               /* NULL: there is none */
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
    sim_conn_t           *conn;         /* NULL: none */

    unsigned              owns:1;       /* the log is its own */
    parley_place_t        place;        /* the last that it knows; epoch 0 */
    uint64_t              begun;        /* of what came before it did, up to
                                           this offset, it gets what is owed
                                           alone */
    unsigned              gaps;
};


struct sim_process_s {
    unsigned          alive:1;
    unsigned          woken:1;
    unsigned          turn:1;
    unsigned          leaving:1;
    unsigned          behind:1;         /* it is told that it is late, and what
                                           comes of that is still to come */
    uint32_t          pid;
    int64_t           stalled;          /* until then */
    int64_t           since;            /* it is woken */
    int64_t           late;             /* when it saw that too late */
    parley_memory_t   memory;
    parley_hub_t     *hub;
    parley_runner_t  *runner;
    int64_t           due;              /* its runner's turn */
    size_t            octets;           /* allocated */
    unsigned          nlate;            /* verbs that are under way */
    struct parley_late_s  *asked[SIM_LATE];
    struct sim_block_s  *blocks;
};


typedef struct {
    void                 *zone;
    size_t                size;
    int64_t               now;
    uint32_t              pids;
    void                 *locked;       /* who has the lock: a process, or the
                                           model */
    unsigned              edges;        /* that are left for who had them
                                           before the model looked */
    parley_memory_t       outside;      /* the model's own view */
    unsigned              later:1;      /* hubs are answered later */
    parley_retention_t    retention;
    parley_stream_t       streams[2];
    uint8_t               keys[SIM_LOGS][PARLEY_KEY_LEN];

    sim_process_t         processes[SIM_PROCESSES];
    sim_client_t          clients[SIM_CLIENTS];
    sim_conn_t            conns[SIM_CONNS];
    unsigned              unburied:1;       /* a process died, and nobody has
                                               come since */
    sim_log_t             logs[SIM_LOGS];
    sim_record_t          records[SIM_RECORDS];
    unsigned              nrecords;
    unsigned              nadmitted;    /* messages with an admission */

    sim_job_t             jobs[SIM_JOBS];
    unsigned              njobs;
    sim_attempt_t         attempts[SIM_ATTEMPTS];
    uint64_t              ended[PARLEY_JOB_ENDS];       /* that were told */
    uint64_t              silent;       /* ended by who died in the midst */
    sim_job_t            *ending;       /* one that somebody ends now */
    const parley_run_t   *run;          /* of that */
    unsigned              tells;        /* and tells of it */
    uint64_t              told;         /* ends that somebody was told of */

    sim_question_t        questions[SIM_QUESTIONS];
    unsigned              nquestions;
    sim_answer_t          answers[SIM_ANSWERS];
    sim_hold_t            holds[SIM_PRINCIPALS - 1][SIM_HOLDS];
    sim_resume_t          resumes[SIM_ANSWERS];
    unsigned              nresumes;     /* that there were */

    parley_test_random_t  random;       /* of the step */
    parley_arena_t        arena;        /* the same */
    uint64_t              received;     /* events that clients got */
    size_t                written;      /* octets, in the turn that is */
    size_t                widest;       /* of these by one write */
    jmp_buf               failed;
    char                  why[512];
} sim_world_t;


extern sim_world_t        world;

/* the process whose turn it is, and whose memory is taken */
extern sim_process_t     *sim_at;

/* it dies when so many edges of a verb have been passed; 0: it does not; and
   what is left of them while the verb is under way */
extern unsigned           sim_dies;
extern unsigned           sim_edges;
extern jmp_buf            sim_crash;

extern const char *const  sim_senders[];

/* A promise is broken; does not return. */
void sim_fail(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2)));


/* parley_sim_world.c */

void sim_begin(uint64_t seed);

/* All do what there is to do, and everything that must be true is. */
void sim_settle(void);

/* All end; nothing is left. */
void sim_end(void);

/* However it ended: memory is free again. */
void sim_forget(void);

void sim_start(sim_process_t *p);

/* Its memory and its connections go, and it says nothing. */
void sim_kill(sim_process_t *p);
void sim_exit(sim_process_t *p);

/* One that lives and may do something; one that does not live.  NULL: none. */
sim_process_t *sim_process(uint64_t arg);
sim_process_t *sim_free_process(void);

sim_client_t *sim_client(uint64_t arg);


/* parley_sim_step.c */

void sim_step(const sim_step_t *step);

/* A process sees that it was woken; it has its turn. */
void sim_wakes(sim_process_t *p);
void sim_turns(sim_process_t *p, unsigned budget, size_t octets);

/* A connection takes whatever comes. */
void sim_fast(sim_conn_t *conn);


/* parley_sim_append.c */

void sim_append(sim_process_t *p);


/* parley_sim_job.c */

void sim_jobs_start(sim_process_t *p);

/* Jobs of a record that is about to be appended, at most SIM_APPEND_JOBS: how
   many; and those that were. */
size_t sim_jobs_make(const sim_record_t *record, parley_job_t *jobs);
void sim_jobs_made(size_t n);

/* A process does what is due; a peer answers one of its attempts; it is gone,
   and its attempts with it. */
void sim_jobs_turn(sim_process_t *p);
void sim_jobs_answer(sim_process_t *p, uint64_t arg);
void sim_jobs_gone(sim_process_t *p);
unsigned sim_jobs_attempts(const sim_process_t *p);

/* Those that are there are those of the model; ending: who ended it died, or
   NULL. */
void sim_jobs_check(sim_job_t *ending);
void sim_jobs_drain(void);

/* appends that are visible */
uint64_t sim_jobs_head(void);


/* parley_sim_owed.c */

/* Adds jobs that owe a record to the owners of its logs behind n others;
   returns how many there are then. */
size_t sim_jobs_owe(const sim_record_t *record, parley_job_t *jobs, size_t n);

/* A job that is owed went: a connection of the log's owner must have it. */
void sim_owed_had(sim_job_t *job);

/* Fails where the owner of a log is there, and a job owes it a record still. */
void sim_owes(const sim_job_t *job);


/* parley_sim_ask.c */

/* Something is asked; an answer is admitted, or one that was is settled. */
void sim_ask(sim_process_t *p);
void sim_ack(sim_process_t *p);

/* A process is gone; it was in the midst of something; what anybody was about
   to do is forgotten; nobody answers any more. */
void sim_ask_gone(const sim_process_t *p);
void sim_ask_died(void);
void sim_ask_forget(void);
void sim_ask_drain(void);


/* parley_sim_due.c */

/* What a gateway is configured with, once; a principal; its log. */
void sim_due_settings(void);
parley_str_t sim_sub(unsigned principal);
void sim_due_log(unsigned principal, uint8_t out[PARLEY_KEY_LEN]);

/* A deadline in so many ms: of a question, and who is asked. */
sim_job_t *sim_due_add(sim_question_t *q, unsigned kind, unsigned asked,
    int64_t after);

/* The job of a text; NULL: it is no deadline. */
sim_job_t *sim_due_job(parley_str_t text);

/* The job that owes to a principal what went up to it, of a text; NULL: it is
   none.  listing: a job that was not seen, the last of all ending. */
sim_job_t *sim_due_up(parley_str_t text, int listing, const sim_job_t *ending);

/* It is due; it is over, and somebody may know; it is seen in a list. */
void sim_due_begin(sim_process_t *p, parley_run_t *run, sim_job_t *job);
void sim_due_ended(sim_job_t *job, int untold);
void sim_due_silent(sim_job_t *job);
void sim_due_listed(const sim_job_t *job, const parley_job_listed_t *listed);

void sim_due_forget(void);


/* parley_sim_hold.c */

/* A principal is suspended, sends something, or is resumed by its parent. */
void sim_hold(sim_process_t *p);

/* The same as those of deadlines. */
void sim_hold_gone(const sim_process_t *p);
void sim_hold_died(void);
void sim_hold_forget(void);

/* Those that are there are those of the model; then all of them go. */
void sim_hold_check(void);
void sim_hold_end(void);


/* parley_sim_model.c */

/* Whether a client is to get a record of its log. */
int sim_is_for(const sim_client_t *c, const sim_record_t *r);

/* It was accepted, to these places. */
void sim_accepted(sim_record_t *record, const parley_placed_t *places);

/* Whether a process that died had appended it is seen by all its logs alike. */
void sim_perhaps(sim_record_t *record, const parley_table_stat_t *before);

/* A log may be another one. */
void sim_look(unsigned log);

/* How many clients it is to be counted for: at least, and at most. */
void sim_count(const sim_record_t *record, int64_t *least, int64_t *most);

/* What a client gets: where it begins, that something is missing, a record. */
void sim_client_opened(sim_client_t *c, const parley_place_t *place);
void sim_client_gap(sim_client_t *c, const parley_place_t *place);
void sim_client_got(sim_client_t *c, const parley_place_t *place,
    parley_str_t data);

/* The owner of a log was written the record of a place. */
void sim_had(unsigned log, const parley_place_t *place);

/* The clients that should have all that is for them have it. */
void sim_complete(void);


/* parley_sim_client.c */

/* What has come is read, and looked at. */
void sim_client_read(sim_conn_t *c);
void sim_client_connect(sim_client_t *c, sim_process_t *p);
void sim_client_give_up(sim_client_t *c);

/* With its process, or because that ended it. */
void sim_conn_gone(sim_conn_t *c);

extern const parley_hub_env_t  sim_hub_env;

/* parley_sim_later.c */

/* What its hub asks is answered later, where that is so in this history. */
void sim_later_begin(sim_process_t *p);

/* One of what is under way is answered, or all of it. */
void sim_later(sim_process_t *p, uint64_t arg);
void sim_later_all(sim_process_t *p);

/* As many as the roster may have that have left, or have not heard that they
   joined. */
unsigned sim_later_leaves(void);

/* It has gone, with what was under way. */
void sim_later_forget(sim_process_t *p);

/* memory of a process, which goes with it */
void *sim_alloc(void *ctx, size_t size);
void sim_free(void *ctx, void *p);


#endif /* PARLEY_SIM_H */
