/*
 * The contents of a step of the store's order (parley_import.h), as octets: the
 * same on every host.  Numbers have their lowest octet first.
 *
 *   format 1, kind 1, node 8, worker 8, process 4, then by kind
 *   a  append   flags 1, account 16, logs 4 and their keys, retention 4 4 8,
 *               ttl 8, record 4, jobs 4 and for each: lane 16, class 1,
 *               flags 1, after 8, lasts 8, text 4; the fields of x if it
 *               is the notice of an end
 *   e  erase    log 16, epoch 8, offset 8
 *   h  had      log 16, all 1, n 4, epoch 8 and offset 8 of each
 *   j  join     log 16, stamp 8 (0: the number of the step), flags 1,
 *               account 16, selector 4, session 4, card 4
 *   l  leave    log 16, stamp 8 (0: any of the worker), session 4
 *   g  gone
 *   c  close    n 1, and for each: kind 1, key 16, tag 4
 *   d  drop     lane 16
 *   r  roster   all nodes add their sessions again
 *   w  work     flags 1, account 16, number of the job 8 (0: by the number of
 *               the step), jobs as a
 *   x  end      lane 16, job 8, how 1, mark 1, untried 1, after 4
 *   o  adopt    number of the node 4
 *   k  keep     from 8, till 8, n 4, and the numbers of jobs 8 each
 *   i  in       the node of a reservation 8, kind 1, key 16, stamp 8: does it
 *               hold it?
 *
 * A text is its length in 4 octets and its octets.
 */

#ifndef PARLEY_STORE_STEP_H
#define PARLEY_STORE_STEP_H

#include "state/parley_import.h"
#include "state/store/parley_store_parts.h"


#define PARLEY_STEP_FORMAT   '1'
#define PARLEY_STEP_PLACE    16         /* octets of a place */
#define PARLEY_STEP_JOB      38         /* octets of a job without its text */

#define PARLEY_STEP_TIME     ((int64_t) 1 << 44)        /* ms, more than any
                                           duration */

#define PARLEY_STEP_CLOSES   1          /* flags of an append */
#define PARLEY_STEP_ACCOUNT  2          /* also of a join, and of work */
#define PARLEY_STEP_ENDS     4

#define PARLEY_STEP_MARK     2          /* bits of the mark of a job */

#define PARLEY_STEP_OWED     1          /* flags of a job */
#define PARLEY_STEP_SOLE     2
#define PARLEY_STEP_COUNTED  4


/* a step that was read; its texts are borrowed from the octets */
typedef struct {
    parley_import_t   import;
    parley_append_t   append;
    parley_erase_t    erase;
    parley_had_t      had;
    parley_join_t     join;
    parley_leave_t    leave;
    parley_str_t      record;
    parley_record_id_t  closes[PARLEY_CLOSES_MAX];
    parley_import_end_t  end;
    parley_import_id_t  held;           /* a reservation of this node that
                                           another one asks about; key NULL:
                                           none */
} parley_store_step_t;


/* Write the contents of a step; the result is empty if memory is exhausted. */
parley_str_t parley_store_write_append(const parley_store_t *s,
    parley_arena_t *arena, const parley_append_t *a,
    const parley_import_end_t *end);    /* that it is the notice of; or NULL */
parley_str_t parley_store_write_erase(const parley_store_t *s,
    parley_arena_t *arena, const parley_erase_t *e);
parley_str_t parley_store_write_had(const parley_store_t *s,
    parley_arena_t *arena, const parley_had_t *had);
parley_str_t parley_store_write_join(const parley_store_t *s,
    parley_arena_t *arena, const parley_join_t *j, uint64_t stamp,
    const parley_process_t *worker);
parley_str_t parley_store_write_leave(const parley_store_t *s,
    parley_arena_t *arena, const parley_leave_t *l);

/* empty also if no node shares the records that how closes */
parley_str_t parley_store_write_close(const parley_store_t *s,
    parley_arena_t *arena, const parley_settlement_t *how);

parley_str_t parley_store_write_drop(const parley_store_t *s,
    parley_arena_t *arena, const uint8_t lane[PARLEY_KEY_LEN]);

parley_str_t parley_store_write_work(const parley_store_t *s,
    parley_arena_t *arena, const parley_job_add_t *add, uint64_t number);

parley_str_t parley_store_write_end(const parley_store_t *s,
    parley_arena_t *arena, const parley_import_end_t *end);

parley_str_t parley_store_write_adopt(const parley_store_t *s,
    parley_arena_t *arena, uint32_t node);

/* the jobs of this node with numbers from and below till */
parley_str_t parley_store_write_keep(const parley_store_t *s,
    parley_arena_t *arena, uint64_t from, uint64_t till, const uint64_t *jobs,
    size_t n);

/* asks the node of a holder whether it holds an id or slot */
parley_str_t parley_store_write_held(const parley_store_t *s,
    parley_arena_t *arena, parley_kind_t kind, const uint8_t *key,
    const uint8_t *holder);

/* kind: 'g' of a worker of this node, or 'r' */
parley_str_t parley_store_write_plain(const parley_store_t *s,
    parley_arena_t *arena, char kind, uint64_t worker);

/*
 * Reads a step: its number, contents and places.  Returns 0; or -1 if they have
 * another form or memory is exhausted: the step is then to be passed over.
 */
int parley_store_read_step(const parley_store_t *s, parley_arena_t *arena,
    uint64_t number, parley_str_t content, parley_str_t places,
    parley_store_step_t *ret)
    __attribute__((warn_unused_result));

/* Reads n places; each has an epoch and an offset. */
void parley_store_read_places(const uint8_t *p, size_t n, parley_place_t *ret);

/* Returns the number by which zones know a node. */
uint32_t parley_store_node_number(const uint8_t *node);

/* parley_store_job.c */

extern const parley_job_ops_t  parley_store_job_ops;

/* Adds records that this node owes to the readers of a log again, if they are
   of an earlier epoch. */
void parley_store_owe_again(parley_store_t *s, const parley_import_t *i);

/* parley_store_roster.c */

parley_state_done_t parley_store_join(parley_state_t *state,
    const parley_join_t *j, parley_joined_t *ret, parley_call_t *caller);
parley_state_done_t parley_store_leave(parley_state_t *state,
    const parley_leave_t *l, parley_call_t *caller);
parley_state_done_t parley_store_roster(parley_state_t *state,
    const parley_roster_t *r, parley_roster_page_t *ret,
    parley_call_t *caller);

/* parley_store_log.c */

extern const parley_log_ops_t  parley_store_log_ops;

/* parley_store_step.c */

/* Names the jobs of this node, in a new generation. */
void parley_store_say_jobs(parley_store_t *s);

/* parley_store_held.c */

/* Answers another node about a reservation of this one. */
void parley_store_tell_held(parley_store_t *s, parley_import_id_t *id);

/* parley_store_append.c */

parley_state_done_t parley_store_append(parley_state_t *state,
    const parley_append_t *a, parley_appended_t *ret, parley_call_t *caller);

/* Reads the refusal of an append or a join.  Returns 1; 0: not refused. */
int parley_store_refuses(const parley_wire_reply_t *reply,
    parley_append_verdict_t *ret);

/* The zone decides about room and shares; if a asks, it counts subscribers. */
parley_append_verdict_t parley_store_append_may(parley_store_t *s,
    const parley_append_t *a, parley_appended_t *ret);

/* Returns the call of an append, which may be the notice of an end; NULL if
   memory is exhausted. */
parley_store_call_t *parley_store_append_call(parley_store_t *s,
    const parley_append_t *a, const parley_import_end_t *end);

/* The store is away, or did not answer in time. */
void parley_store_append_alone(parley_store_t *s, parley_store_call_t *call);


#endif /* PARLEY_STORE_STEP_H */
