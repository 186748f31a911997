/*
 * What a gateway counts.  Every worker has a slot of its own in memory that all
 * of them share, and adds to it without a lock; whoever is asked sums the
 * slots.  A slot outlives its worker and keeps its values: the next worker goes
 * on with it, so that counters never fall (OPS-02).
 *
 * The rows are those of parley_metric.def.  A row is an array of cells, one for
 * each combination of its labels, the last label running fastest; a TIME is an
 * array of buckets, then what is above them, then the sum.  Labels are the
 * words of parley_label.def.
 */

#ifndef PARLEY_COUNTERS_H
#define PARLEY_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "state/parley_process.h"
#include "gate/correlation/parley_verdict.h"


/* PARLEY_L_VERDICT_PASSED, ..., PARLEY_L_VERDICT_COUNT */
#define PARLEY_LABELS(set, name)     enum {
#define PARLEY_LABEL(set, sym, word)     PARLEY_L_##set##_##sym,
#define PARLEY_LABELS_END(set)           PARLEY_L_##set##_COUNT };
#include "gate/metrics/parley_label.def"
#undef PARLEY_LABEL

/* PARLEY_PROTO_NONE: not known */
#define PARLEY_L_ACCEPTED_COUNT  (PARLEY_PROTO_COUNT + 1)
#define PARLEY_L_SPOKEN_COUNT    (PARLEY_PROTO_COUNT + 1)
#define PARLEY_L_READ_COUNT      PARLEY_PROTO_COUNT

/* PARLEY_E_NONE: a code that is none of Parley's */
#define PARLEY_L_CODE_COUNT      PARLEY_E_COUNT

/* without PARLEY_VERDICT_NONE, the first */
#define PARLEY_L_VERDICT_COUNT   (PARLEY_VERDICT_COUNT - 1)
#define PARLEY_L_OUTCOME_COUNT   PARLEY_OUTCOME_COUNT

#define PARLEY_L_NONE_COUNT      1


/* the sets themselves */
typedef enum {
    PARLEY_LABELS_NONE = 0,
    PARLEY_LABELS_ACCEPTED,
    PARLEY_LABELS_SPOKEN,
    PARLEY_LABELS_READ,
    PARLEY_LABELS_CODE,
    PARLEY_LABELS_VERDICT,
    PARLEY_LABELS_OUTCOME,
#define PARLEY_LABELS(set, name)  PARLEY_LABELS_##set,
#define PARLEY_LABEL(set, sym, word)
#include "gate/metrics/parley_label.def"
#undef PARLEY_LABEL
    PARLEY_LABELS_SETS
} parley_labels_t;


typedef enum {
    PARLEY_METRIC_COUNT = 0,    /* of slots */
    PARLEY_METRIC_LEVEL,
    PARLEY_METRIC_TIME,
    PARLEY_METRIC_TOTAL,        /* of the moment */
    PARLEY_METRIC_GAUGE
} parley_metric_kind_t;


/* bounds of a TIME, in nanoseconds; both sets are fixed */
#define PARLEY_BUCKETS        12
#define PARLEY_TIME_OVER      PARLEY_BUCKETS        /* cell: above them */
#define PARLEY_TIME_SUM       (PARLEY_BUCKETS + 1)  /* cell: nanoseconds */
#define PARLEY_TIME_CELLS     (PARLEY_BUCKETS + 2)

#define PARLEY_CELLS_COUNT    1
#define PARLEY_CELLS_LEVEL    1
#define PARLEY_CELLS_TIME     PARLEY_TIME_CELLS
#define PARLEY_CELLS_TOTAL    1
#define PARLEY_CELLS_GAUGE    1

/* PARLEY_M_MESSAGES: its first cell */
enum {
#define PARLEY_METRIC(id, kind, a, b, c, ...)                                 \
    PARLEY_M_##id,                                                            \
    PARLEY_M_##id##_LAST = PARLEY_M_##id - 1 + PARLEY_CELLS_##kind            \
                           * PARLEY_L_##a##_COUNT * PARLEY_L_##b##_COUNT      \
                           * PARLEY_L_##c##_COUNT,
#include "gate/metrics/parley_metric.def"
#undef PARLEY_METRIC
    PARLEY_CELLS
};

#define PARLEY_SLOT_CELLS     (PARLEY_M_UNLOGGED_LAST + 1)


typedef enum {
#define PARLEY_METRIC(id, ...)  PARLEY_ROW_##id,
#include "gate/metrics/parley_metric.def"
#undef PARLEY_METRIC
    PARLEY_ROWS
} parley_metric_id_t;


typedef struct {
    parley_str_t          name;         /* of Prometheus */
    parley_str_t          member;       /* group.name */
    parley_str_t          help;
    parley_metric_kind_t  kind;
    parley_labels_t       labels[3];    /* NONE: no more */
    unsigned              digits;       /* of a cell behind the point */
    unsigned              first;        /* cell */
    unsigned              last;
} parley_metric_t;

extern const parley_metric_t  parley_metrics[PARLEY_ROWS];

/* The bounds of a TIME, which is GATEWAY_TIME or UPSTREAM_TIME. */
const uint64_t *parley_metric_bounds(parley_metric_id_t id);

/* "verdict" */
parley_str_t parley_labels_name(parley_labels_t set);

/* How many words a set has: 1 where it is NONE. */
unsigned parley_labels_count(parley_labels_t set);

/* "passed" */
parley_str_t parley_label_word(parley_labels_t set, unsigned i);


/*
 * What one worker has counted, in cache lines of its own.  Nobody else writes
 * to its cells while the owner lives.
 */
typedef struct {
    uint64_t  owner;            /* its process; 0: free */
    uint64_t  cells[PARLEY_SLOT_CELLS];
} __attribute__((aligned(64))) parley_slot_t;


/* what the workers share */
typedef struct {
    uint64_t       created_ms;  /* wall clock */
    uint64_t       lost[PARLEY_L_LOSS_COUNT];
    unsigned       n;
    parley_slot_t  slots[];
} parley_slots_t;

#define PARLEY_SLOTS  128


/* what is told, all of one moment */
typedef struct {
    uint64_t  cells[PARLEY_CELLS];
    unsigned  state:1;          /* the state has answered */
} parley_snapshot_t;


/* The octets of n slots. */
size_t parley_slots_size(unsigned n);

/* Makes n slots at p, which is aligned to a cache line and zeroed. */
parley_slots_t *parley_slots_make(void *p, unsigned n, uint64_t now_ms);

/*
 * Takes a slot for a process: one that is free, or whose owner is gone.  Its
 * counters go on, its levels begin at zero.  NULL: there is none.
 */
parley_slot_t *parley_slots_claim(parley_slots_t *slots,
    const parley_process_t *self, const parley_processes_t *host);

/* Whether a slot has an owner, and whether that process lives. */
int parley_slot_has_owner(const parley_slot_t *slot);
int parley_slot_lives(const parley_slot_t *slot,
    const parley_processes_t *host);

/* The owner goes; its counters stay. */
void parley_slot_leave(parley_slot_t *slot);

/*
 * Sums the slots into *ret and zeroes its other cells: counters of all of them,
 * levels of those whose owner lives.  Returns how many those are.
 */
unsigned parley_slots_sum(const parley_slots_t *slots,
    const parley_processes_t *host, parley_snapshot_t *ret);


/* Adds to a cell; whoever reads it sees the old or the new value. */
static inline void
parley_count(parley_slot_t *slot, unsigned cell, uint64_t n)
{
    __atomic_store_n(&slot->cells[cell], slot->cells[cell] + n,
                     __ATOMIC_RELAXED);
}


/* Sets the cell of a level. */
static inline void
parley_count_level(parley_slot_t *slot, unsigned cell, uint64_t n)
{
    __atomic_store_n(&slot->cells[cell], n, __ATOMIC_RELAXED);
}


static inline unsigned
parley_cell_message(parley_proto_t accepted, parley_proto_t spoken,
    parley_verdict_t verdict)
{
    return PARLEY_M_MESSAGES
           + ((unsigned) accepted * PARLEY_L_SPOKEN_COUNT + (unsigned) spoken)
             * PARLEY_L_VERDICT_COUNT
           + (unsigned) verdict - 1;
}


static inline unsigned
parley_cell_outcome(parley_proto_t accepted, parley_proto_t spoken,
    parley_outcome_kind_t outcome)
{
    return PARLEY_M_OUTCOMES
           + ((unsigned) accepted * PARLEY_L_SPOKEN_COUNT + (unsigned) spoken)
             * PARLEY_L_OUTCOME_COUNT
           + (unsigned) outcome;
}


static inline unsigned
parley_cell_refusal(parley_code_t code, unsigned by)
{
    return PARLEY_M_REFUSALS + (unsigned) code * PARLEY_L_BY_COUNT + by;
}


/* Counts how long something took. */
void parley_count_time(parley_slot_t *slot, parley_metric_id_t id,
    uint64_t ns);


#endif /* PARLEY_COUNTERS_H */
