/*
 * The verbs of a zone for a store that several nodes share.  The store puts the
 * appends and sessions of all nodes into one order, by numbers.  Each zone
 * takes them over in this order, so the logs and rosters of all zones become
 * equal.  The verbs are at once.
 *
 * Another node's session belongs to its worker, a process that the zone knows
 * only by name.  A zone has room for PARLEY_IMPORT_WORKERS of them.
 *
 * Each zone has the jobs of all nodes.  The node that added a job, or adopted
 * it after the end of the node before, is the only one that does it.
 */

#ifndef PARLEY_IMPORT_H
#define PARLEY_IMPORT_H

#include "state/parley_job.h"
#include "state/parley_log.h"
#include "state/parley_process.h"


#define PARLEY_IMPORT_WORKERS  256
#define PARLEY_IMPORT_NODES    64       /* other nodes whose jobs a zone can
                                           adopt */


typedef enum {
    PARLEY_IMPORT_NOTHING = 0,  /* only the number passes */
    PARLEY_IMPORT_APPEND,
    PARLEY_IMPORT_ERASE,
    PARLEY_IMPORT_HAD,
    PARLEY_IMPORT_JOIN,
    PARLEY_IMPORT_LEAVE,
    PARLEY_IMPORT_GONE,         /* a worker ended, with its sessions */
    PARLEY_IMPORT_ROSTER,       /* all nodes add their sessions again; the
                                   asking one drops those that it has */
    PARLEY_IMPORT_CLOSE,        /* a message closed questions */
    PARLEY_IMPORT_DROP,         /* the jobs of a lane are dropped */
    PARLEY_IMPORT_ADD,          /* jobs without a record */
    PARLEY_IMPORT_END,          /* an attempt at a job ended */
    PARLEY_IMPORT_ADOPT,        /* the node has the jobs of another one */
    PARLEY_IMPORT_KEEP          /* the node names its jobs */
} parley_import_kind_t;


/*
 * The end of an attempt.  A job has a number in the order: that of its step
 * times PARLEY_JOBS_MAX, and its place among the jobs of the step.
 */
typedef struct parley_import_end_s {
    uint8_t             lane[PARLEY_KEY_LEN];
    uint64_t            job;
    parley_job_how_t    how;
    unsigned            mark;
    uint32_t            after;      /* ms to the next attempt */
    unsigned            untried:1;
} parley_import_end_t;


/* one step of the order */
typedef struct parley_import_s {
    uint64_t                 number;    /* above that of the step before, below
                                           2^48 */
    parley_import_kind_t     kind;
    int64_t                  age;       /* ms since the step */
    unsigned                 own:1;     /* of this node */

    /* The worker.  Of another node: pid is the number of the node, began that
       of the worker.  JOIN, LEAVE, GONE of this node: pid is the number of the
       process. */
    parley_process_t         worker;

    /* JOIN: stamp of the session, and the end of the log.  ADD: number of the
       job, 0: by the number of the step */
    uint64_t                 stamp;
    parley_place_t           place;

    const parley_append_t   *append;    /* without takes; ADD: its jobs and
                                           account */
    const parley_place_t    *places;    /* [append->nlogs] */
    const parley_erase_t    *erase;
    const parley_had_t      *had;
    const parley_join_t     *join;
    const parley_leave_t    *leave;
    const parley_record_id_t *closes;
    size_t                   ncloses;
    const uint8_t           *lane;
    const parley_import_end_t *end;     /* also of an APPEND that is the notice
                                           of an end; else NULL */

    /* ADOPT: the node that had the jobs, 0: this one; the jobs of later steps
       are its own */
    uint32_t                 node;

    /* KEEP: the jobs of the node with numbers from and below till, in
       ascending order */
    const uint64_t          *jobs;      /* [njobs] */
    size_t                   njobs;
    uint64_t                 from;
    uint64_t                 till;
} parley_import_t;


/* an id or a slot */
typedef struct {
    parley_kind_t   kind;       /* PARLEY_KIND_ID or PARLEY_KIND_SLOT */
    const uint8_t  *key;        /* [PARLEY_KEY_LEN] */
    uint64_t        stamp;      /* of its admission */
    uint8_t         print[PARLEY_PRINT_LEN];    /* of an id that is taken */
    int64_t         left;       /* ms that it is taken */
} parley_import_id_t;


typedef enum {
    PARLEY_IMPORT_FREE = 0,
    PARLEY_IMPORT_RESERVED,
    PARLEY_IMPORT_TAKEN
} parley_import_held_t;


/* effect of a step that this process has to tell */
typedef enum {
    PARLEY_IMPORTED = 0,        /* none */
    PARLEY_IMPORTED_BEFORE,     /* the zone had the step */
    PARLEY_IMPORTED_REPLACED,   /* a JOIN has replaced a session of this node,
                                   whose process must be told */
    PARLEY_IMPORTED_LOST        /* the zone has no room for a job of this
                                   node */
} parley_imported_t;


/* periodic work that one process of a zone does for all */
typedef enum {
    PARLEY_IMPORT_DUE_FEED = 0,
    PARLEY_IMPORT_DUE_NODES,
    PARLEY_IMPORT_DUE_SESSIONS,
    PARLEY_IMPORT_DUES
} parley_import_due_t;


typedef struct parley_import_ops_s {
    /* Registers this process as the worker of that number, with its new
       connection.  Returns the number of the process in the zone; 0: it has
       none. */
    uint32_t  (*enter)(parley_state_t *s, uint64_t worker,
                  const parley_process_link_t *link);

    /* Returns 1 if the zone had another generation of the store before.
       generation: returns the last one. */
    int  (*begins)(parley_state_t *s, uint64_t generation);
    uint64_t  (*generation)(parley_state_t *s);

    /* Returns 1 if no process of the zone was told so in the last ms. */
    int  (*is_due)(parley_state_t *s, parley_import_due_t which, int64_t ms);

    /* No process of the zone is told so in the next ms. */
    void  (*put_off)(parley_state_t *s, parley_import_due_t which, int64_t ms);

    /* Returns the number of the last step that the zone has; 0: none. */
    uint64_t  (*number)(parley_state_t *s);

    /* Takes a step; one that the zone has is ignored. */
    parley_imported_t  (*take)(parley_state_t *s, const parley_import_t *i);

    /*
     * The zone misses steps up to a number, if it has not taken that one: drops
     * the sessions of other nodes, and the retained records, since erasures may
     * be among the missed steps.  0: drops the sessions alone.
     */
    void  (*miss)(parley_state_t *s, uint64_t number);

    /*
     * Drops the sessions of nodes that are not in a list.  The list was asked
     * for when the zone had the steps up to number: a node with a later JOIN
     * may have entered after the list was made, and keeps its sessions.
     * Returns a node that is not in the list and has jobs; 0: none.
     */
    uint32_t  (*keep_nodes)(parley_state_t *s, const uint32_t *nodes,
                  size_t n, uint64_t number);

    /* This process uses the store no longer.  Returns 1 if no other process of
       the zone uses it. */
    int  (*quits)(parley_state_t *s);

    /* Returns the number of a worker of this node that has ended, from position
       *at on, 0: the beginning, and the next position; 0: none.
       link: returns its last connection.  _told: the store knows its end. */
    uint64_t  (*ended)(parley_state_t *s, uint32_t *at,
                  parley_process_link_t *link);
    void  (*ended_told)(parley_state_t *s, uint64_t worker);

    /*
     * Calls each() with sessions of this node, from position at on, 0: the
     * beginning; account is in j->account.  Returns the next position; 0: this
     * was the last.
     */
    size_t  (*sessions)(parley_state_t *s, size_t at,
                void (*each)(void *ctx, const parley_join_t *j,
                    uint64_t stamp, const parley_process_t *worker),
                void *ctx);

    /* Returns the verdict of the zone about an append.  If a asks, counts the
       subscribers in *ret; else looks for room. */
    parley_append_verdict_t  (*may_append)(parley_state_t *s,
                                 const parley_append_t *a,
                                 parley_appended_t *ret);

    /* As may_append(), for a join. */
    parley_join_verdict_t  (*may_join)(parley_state_t *s,
                               const parley_join_t *j);

    /* Fills the result of a join that the zone has taken with a stamp. */
    void  (*joined)(parley_state_t *s, const parley_join_t *j, uint64_t stamp,
              parley_joined_t *ret);

    /* Returns the number of the step that appended a record; 0: unknown. */
    uint64_t  (*appended)(parley_state_t *s, const parley_erase_t *e);

    /* Ends jobs as parley_log_ops_t.had does; returns their number. */
    size_t  (*had)(parley_state_t *s, const parley_had_t *had);

    /* Removes a session that was joined with the stamp. */
    void  (*leave)(parley_state_t *s, const parley_leave_t *l);

    /* Removes a session of this process that was joined by a step before a
       number. */
    void  (*leave_before)(parley_state_t *s, const parley_leave_t *l,
              uint64_t number);

    /* Returns whether the zone has a session that was joined with the stamp. */
    int  (*has_session)(parley_state_t *s, const parley_leave_t *l);

    /* Returns whether a lane has jobs. */
    int  (*has_lane)(parley_state_t *s, const uint8_t lane[PARLEY_KEY_LEN]);

    /* Returns the number of the sole job of a lane, with the job in *ret and
       its text in the arena; 0: none, or another node has it. */
    uint64_t  (*sole)(parley_state_t *s, const uint8_t lane[PARLEY_KEY_LEN],
                  parley_arena_t *arena, parley_job_t *ret);

    /* As sessions(), with the numbers of the jobs that this node does. */
    size_t  (*jobs)(parley_state_t *s, size_t at,
                void (*each)(void *ctx, uint64_t job), void *ctx);

    /*
     * Finds a job of this node that owes a record to the readers of a log, from
     * before an epoch of the log.  Returns 1 with the append that adds both
     * again and the end of this job, in the arena, and marks the job as not
     * owed.  Returns 0 if no job is found or memory is exhausted.
     */
    int  (*owed_before)(parley_state_t *s, const uint8_t log[PARLEY_KEY_LEN],
             uint64_t epoch, parley_arena_t *arena, parley_append_t *ret,
             parley_import_end_t *end);

    /* Returns the state of an id or slot in this zone.  If it is taken, sets
       the other fields. */
    parley_import_held_t  (*held)(parley_state_t *s, parley_import_id_t *id);

    /* Returns whether this process has a job, and in *job its number in the
       order; 0: the zone alone has it. */
    int  (*has_job)(parley_state_t *s, const parley_job_id_t *id,
             uint64_t *job);
} parley_import_ops_t;


#endif /* PARLEY_IMPORT_H */
