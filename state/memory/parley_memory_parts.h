/* Declarations shared by the files of the state.  Private to them. */

#ifndef PARLEY_MEMORY_PARTS_H
#define PARLEY_MEMORY_PARTS_H

#include "state/memory/parley_memory.h"


/* mark of an id or slot that is taken; else the mark is the number of the
   process that reserved it */
#define PARLEY_MARK_TAKEN  UINT16_MAX


/* PARLEY_IMPORT_DUES, PARLEY_IMPORT_NODES */
#define PARLEY_MEMORY_DUES   3
#define PARLEY_MEMORY_NODES  64


typedef struct {
    parley_process_t  process;          /* pid 0: free */
    uint64_t          since;            /* stamps of its reservations are at
                                           least this */
    uint64_t          joins;            /* stamps of its sessions are at least
                                           this */
    uint64_t          joined;           /* step of its last JOIN */
    uint64_t          worker;           /* its number in a store; 0: none, or
                                           its end is told */
    uint64_t          fed;              /* number of its next append to feed; 0:
                                           not fed */
    uint32_t          quits;            /* it uses the store no longer */
    uint32_t          linked;           /* link is of this process; 0: of the
                                           one that had the number before */
    parley_process_link_t  link;        /* last connection to the store */
} parley_member_of_t;


/* the appends (parley_memory_log.c) */
typedef struct {
    uint64_t          head;             /* newest visible append */
    uint64_t          passed;           /* no process waits for appends up to
                                           this one */
    uint64_t          pending;          /* append under way, or interrupted by
                                           the death of its process; 0: none */
    uint64_t          step;             /* last step of a store's order that
                                           was imported; 0: none */
    uint64_t          stepping;         /* step of the append under way; 0:
                                           none */
    uint32_t          fed_max;          /* greatest number of a process that was
                                           fed */
} parley_appends_t;


/*
 * Jobs by the time when they are due (parley_memory_due.c): a list for each 128
 * ms.  A list also holds jobs that are due whole turns later.
 */
#define PARLEY_DUE_SLOTS  256
#define PARLEY_DUE_NEVER  UINT64_MAX

typedef struct {
    parley_block_t    first;
    parley_block_t    last;
} parley_due_slot_t;

typedef struct {
    uint64_t           next;            /* time before which no job can be
                                           taken; read without the lock */
    int64_t            tick;            /* tick of the first list that may hold
                                           due jobs */
    uint64_t           elsewhere;       /* jobs of other nodes */
    uint64_t           taken;           /* jobs that processes have taken */
    uint64_t           counted;         /* jobs with the flag counted, without
                                           those of other nodes */
    uint64_t           ended[PARLEY_STATE_ENDS];

    /* End under way, or interrupted by the death of its process.  It is valid
       once ending is set and, if it has a notice, the notice is appended. */
    uint32_t           ending;
    uint32_t           how;
    uint64_t           number;          /* number of the notice's append; 0: no
                                           notice */
    uint64_t           count;           /* new value of ended[how] */
    uint8_t            lane[PARLEY_KEY_LEN];
    uint64_t           at;

    parley_due_slot_t  slots[PARLEY_DUE_SLOTS];
} parley_due_t;


/*
 * Settlement as taken under way, or interrupted by the death of its process:
 * the next process completes it.  If it belongs to an append, it is completed
 * only if the append became visible.
 */
typedef struct {
    uint32_t             under_way;
    uint32_t             has_account;
    uint32_t             has_id;
    uint32_t             has_slot;
    uint32_t             ncloses;
    uint32_t             nlifts;
    int64_t              id_until;
    int64_t              slot_until;
    uint64_t             stamp;
    uint64_t             number;        /* number of its append; 0: none */
    uint8_t              account[PARLEY_KEY_LEN];
    uint8_t              id[PARLEY_KEY_LEN];
    uint8_t              print[PARLEY_PRINT_LEN];
    uint8_t              slot[PARLEY_KEY_LEN];
    parley_record_id_t   closes[PARLEY_CLOSES_MAX];
    parley_lift_t        lifts[PARLEY_LIFTS_MAX];
} parley_settling_t;


struct parley_shared_s {
    uint8_t              secret[PARLEY_KEY_SECRET];
    uint64_t             stamps;        /* last stamp that was given */
    uint64_t             limited;
    uint64_t             orphans;
    uint32_t             vacated;       /* a process ended, and its entries may
                                           remain */
    uint32_t             busy;          /* a process has the lock, or died with
                                           it */
    uint64_t             repairs;
    parley_table_t      *table;
    parley_appends_t     appends;
    parley_due_t         jobs;
    parley_settling_t    settling;
    uint64_t             held[PARLEY_STATE_HOLDS];      /* suspensions, by
                                                           tag */
    uint32_t             nprocesses;    /* without number 0 */
    uint32_t             nworkers;      /* workers of other nodes; their
                                           numbers follow */
    uint32_t             worker;        /* the last one that was added */
    uint64_t             generation;    /* of the store */
    int64_t              due[PARLEY_MEMORY_DUES];       /* when each was due
                                                           last */
    uint32_t             nodes[PARLEY_MEMORY_NODES];    /* other nodes that have
                                                           jobs; 0: none */
    parley_member_of_t   processes[];
};


/* parley_memory.c: repairs the state after a process died with the lock */
void parley_memory_repair_locked(const parley_memory_t *s);


static inline void
parley_memory_lock(const parley_memory_t *s)
{
    s->env.lock(s->env.ctx);

    if (s->sh->busy) {
        s->repair(s);
    }

    __atomic_store_n(&s->sh->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}


static inline void
parley_memory_unlock(const parley_memory_t *s)
{
    parley_table_made_locked(s->sh->table);

    __atomic_store_n(&s->sh->busy, 0, __ATOMIC_RELEASE);

    s->env.unlock(s->env.ctx);
}


static inline int64_t
parley_memory_now(const parley_memory_t *s)
{
    return s->env.now(s->env.ctx);
}


/*
 * Returns the time until which an entry of this process lasts, unless it is
 * dropped earlier.
 */

static inline int64_t
parley_memory_lasts(const parley_memory_t *s, int64_t now)
{
    return s->process != 0 ? PARLEY_TABLE_FOREVER : now + PARLEY_LEASE;
}


/*
 * Returns a new stamp.  A stamp is never 0, nor are its low 32 bits, which are
 * a generation.
 */

static inline uint64_t
parley_memory_stamp(parley_memory_t *s)
{
    s->sh->stamps++;

    if (parley_state_generation(s->sh->stamps) == 0) {
        s->sh->stamps++;
    }

    return s->sh->stamps;
}


/* parley_memory_log.c */

extern const struct parley_log_ops_s  parley_memory_log_ops;

/* parley_memory_import.c */

extern const struct parley_import_ops_s  parley_memory_import_ops;

/* parley_memory_job.c */

extern const struct parley_job_ops_s  parley_memory_job_ops;

/* parley_memory_lane.c */

/*
 * Repairs jobs after the death of a process: each is as it was before the last
 * verb, or after it.
 */
void parley_job_repair_locked(parley_memory_t *s, int64_t now);

/* parley_memory_process.c */

/*
 * Returns whether the process with that number, which reserved an entry with
 * that stamp, is known to have ended.  If not, *ret is that process; pid 0:
 * unknown.
 */
int parley_memory_is_gone(const parley_memory_t *s, uint32_t number,
    uint64_t stamp, parley_process_t *ret);

/* Returns whether the process of a session, or of a group, has ended. */
int parley_memory_has_left(const parley_memory_t *s, const parley_entry_t *e);

/* Ends the registration of a process or worker. */
void parley_memory_vacate_locked(const parley_memory_t *s,
    parley_member_of_t *m);

/* Asks the host, without the lock.  Returns 1 if the process has ended. */
int parley_memory_bury(parley_memory_t *s, uint32_t number,
    const parley_process_t *process);

/* parley_memory_admit.c */

parley_state_done_t parley_memory_admit(parley_state_t *state,
    const parley_admission_t *a, parley_admitted_t *ret, parley_call_t *call);

/* Drops the reservations of processes that are known to have ended. */
void parley_memory_orphans(parley_memory_t *s);

/* parley_memory_settle.c */

parley_state_done_t parley_memory_settle(parley_state_t *state,
    const parley_admission_t *a, const parley_settlement_t *how, int *ret,
    parley_call_t *call);

/*
 * Returns whether an append may take an admission: 0; -1 if it is not reserved;
 * or PARLEY_SETTLED_LATE if a question to close is closed.
 */
int parley_settle_may_locked(parley_memory_t *s, const parley_admission_t *a,
    const parley_settlement_t *how);

/*
 * Writes down a settlement that becomes valid with the append of that number.
 */
void parley_settle_begin_locked(parley_memory_t *s,
    const parley_admission_t *a, const parley_settlement_t *how,
    uint64_t number, int64_t now);

/*
 * Completes the settlement that was written down, or drops it if its append did
 * not become visible.
 */
void parley_settle_mend_locked(parley_memory_t *s, int64_t now);

/* parley_memory_record.c */

parley_state_done_t parley_memory_put(parley_state_t *state,
    const parley_put_t *put, parley_put_result_t *ret, parley_call_t *call);
parley_state_done_t parley_memory_get(parley_state_t *state,
    const parley_lookup_t *lookup, parley_records_t *ret, parley_call_t *call);
parley_state_done_t parley_memory_list(parley_state_t *state,
    const parley_listing_t *listing, parley_listed_t *ret,
    parley_call_t *call);
parley_state_done_t parley_memory_drop(parley_state_t *state,
    const parley_record_id_t *id, uint32_t generation, parley_call_t *call);

/* Returns whether an account is suspended. */
int parley_record_suspends_locked(parley_memory_t *s, const uint8_t *account,
    int64_t now);

/* Counts suspensions again after the death of a process. */
void parley_record_repair_locked(parley_memory_t *s);

/* Return 0, or PARLEY_SETTLED_LATE if the question is closed. */
int parley_record_close_locked(parley_memory_t *s,
    const parley_record_id_t *id);
int parley_record_closed_locked(parley_memory_t *s,
    const parley_record_id_t *id);
void parley_record_drop_locked(parley_memory_t *s,
    const parley_record_id_t *id, uint32_t generation);

/* parley_memory_rate.c */

parley_state_done_t parley_memory_rate(parley_state_t *state,
    const parley_rating_t *rating, parley_rated_t *ret, parley_call_t *call);
void parley_memory_raise(parley_state_t *state, const parley_rating_t *rating,
    int64_t ahead);
void parley_memory_give_back(parley_state_t *state,
    const parley_rating_t *rating);
void parley_memory_limited(parley_state_t *state);

/*
 * parley_memory_rate_find() returns the entry of a limit, or NULL if nothing
 * was counted.  parley_memory_rate_wait() updates it to now and returns 0 if a
 * message may pass, else the milliseconds to wait.
 */
parley_entry_t *parley_memory_rate_find(parley_memory_t *s, const uint8_t *key);
int64_t parley_memory_rate_wait(parley_entry_t *e,
    const parley_limit_rate_t *rate, int64_t now);
void parley_memory_rate_take(parley_entry_t *e, const parley_limit_rate_t *rate,
    int64_t now);
void parley_memory_rate_give(parley_entry_t *e,
    const parley_limit_rate_t *rate);


#endif /* PARLEY_MEMORY_PARTS_H */
