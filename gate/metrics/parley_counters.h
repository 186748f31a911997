/*
 * Counters of a gateway.  Each worker adds to its own slot in memory that all
 * workers share, without a lock.  A request for the status sums the slots.  A
 * slot keeps its values when its worker ends.  The next owner continues with
 * them, so counters never fall (OPS-02).
 *
 * The rows are those of parley_metric.def.  A row is an array of cells, one for
 * each combination of its labels; the last label varies fastest.  A TIME is an
 * array of buckets, then a cell for longer times, then the sum.  Labels are the
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


/* enumerators of the labels: PARLEY_L_VERDICT_PASSED, PARLEY_L_VERDICT_COUNT */
#define PARLEY_LABELS(set, name)     enum {
#define PARLEY_LABEL(set, sym, word)     PARLEY_L_##set##_##sym,
#define PARLEY_LABELS_END(set)           PARLEY_L_##set##_COUNT };
#include "gate/metrics/parley_label.def"
#undef PARLEY_LABEL

/* The label PARLEY_PROTO_NONE is an unknown protocol. */
#define PARLEY_L_ACCEPTED_COUNT  (PARLEY_PROTO_COUNT + 1)
#define PARLEY_L_SPOKEN_COUNT    (PARLEY_PROTO_COUNT + 1)
#define PARLEY_L_READ_COUNT      PARLEY_PROTO_COUNT

/* The label PARLEY_E_NONE is a code that Parley does not define. */
#define PARLEY_L_CODE_COUNT      PARLEY_E_COUNT

/* PARLEY_VERDICT_NONE, the first enumerator, is not a label. */
#define PARLEY_L_VERDICT_COUNT   (PARLEY_VERDICT_COUNT - 1)
#define PARLEY_L_OUTCOME_COUNT   PARLEY_OUTCOME_COUNT

#define PARLEY_L_NONE_COUNT      1


/* sets of labels */
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
    PARLEY_METRIC_COUNT = 0,    /* counter in a worker's slot */
    PARLEY_METRIC_LEVEL,
    PARLEY_METRIC_TIME,
    PARLEY_METRIC_TOTAL,        /* value at the moment of the snapshot */
    PARLEY_METRIC_GAUGE
} parley_metric_kind_t;


/* number of bounds of a TIME, and the cells of a row behind its buckets */
#define PARLEY_BUCKETS        12
#define PARLEY_TIME_OVER      PARLEY_BUCKETS        /* number of longer times */
#define PARLEY_TIME_SUM       (PARLEY_BUCKETS + 1)  /* sum in nanoseconds */
#define PARLEY_TIME_CELLS     (PARLEY_BUCKETS + 2)

#define PARLEY_CELLS_COUNT    1
#define PARLEY_CELLS_LEVEL    1
#define PARLEY_CELLS_TIME     PARLEY_TIME_CELLS
#define PARLEY_CELLS_TOTAL    1
#define PARLEY_CELLS_GAUGE    1

/* PARLEY_M_MESSAGES is the first cell of the row MESSAGES. */
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
    parley_str_t          name;         /* name in Prometheus */
    parley_str_t          member;       /* group.name in JSON */
    parley_str_t          help;
    parley_metric_kind_t  kind;
    parley_labels_t       labels[3];    /* PARLEY_LABELS_NONE behind the last */
    unsigned              digits;       /* decimal places of a value */
    unsigned              first;        /* index of the first cell */
    unsigned              last;
} parley_metric_t;

extern const parley_metric_t  parley_metrics[PARLEY_ROWS];

/*
 * Returns the PARLEY_BUCKETS bounds of GATEWAY_TIME or UPSTREAM_TIME in
 * nanoseconds.
 */
const uint64_t *parley_metric_bounds(parley_metric_id_t id);

/* Returns the name of a set, as "verdict". */
parley_str_t parley_label_name(parley_labels_t set);

/* Returns the number of words of a set; 1 for PARLEY_LABELS_NONE. */
unsigned parley_label_count(parley_labels_t set);

/* Returns a word of a set, as "passed". */
parley_str_t parley_label_word(parley_labels_t set, unsigned i);


/*
 * Counters of one worker, aligned to a cache line.  Only the owner writes to
 * the cells while it lives.
 */
typedef struct parley_slot_s {
    uint64_t  owner;            /* process of the worker; 0: free */
    uint64_t  cells[PARLEY_SLOT_CELLS];
} __attribute__((aligned(64))) parley_slot_t;


/* memory that the workers share */
typedef struct parley_slots_s {
    uint64_t       created_ms;  /* wall clock time of the creation */
    uint64_t       lost[PARLEY_L_LOSS_COUNT];
    unsigned       n;
    parley_slot_t  slots[];
} parley_slots_t;

#define PARLEY_SLOTS  128


/* values of all cells at one moment */
typedef struct parley_snapshot_s {
    uint64_t  cells[PARLEY_CELLS];
    unsigned  state:1;          /* the state has answered */
    unsigned  store:1;          /* the gateway has a store */
} parley_snapshot_t;


/* Returns the size of n slots in octets. */
size_t parley_slots_size(unsigned n);

/*
 * Makes n slots at p.  The memory at p is zeroed and aligned to a cache line.
 */
parley_slots_t *parley_slots_make(void *p, unsigned n, uint64_t now_ms);

/*
 * Takes a slot for a process: a free slot, the process's own slot, or one of a
 * process that has ended.  The counters of the slot continue; its levels begin
 * at zero.  Returns NULL if all slots are taken.
 */
parley_slot_t *parley_slots_claim(parley_slots_t *slots,
    const parley_process_t *self, const parley_processes_t *host);

/*
 * Return whether a slot has an owner, and whether the owner is a live process.
 */
int parley_slot_has_owner(const parley_slot_t *slot);
int parley_slot_lives(const parley_slot_t *slot,
    const parley_processes_t *host);

/* Frees a slot.  Its counters stay. */
void parley_slot_leave(parley_slot_t *slot);

/*
 * Sums the slots into *ret and zeroes its other cells.  Counters are summed
 * over all slots, levels over the slots with a live owner.  Returns the number
 * of slots with a live owner.
 */
unsigned parley_slots_sum(const parley_slots_t *slots,
    const parley_processes_t *host, parley_snapshot_t *ret);


/* Adds to a cell.  A concurrent reader sees the old or the new value. */
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


/* Returns the cell of an offer of chat. */
static inline unsigned
parley_cell_offer(unsigned path, unsigned result)
{
    return PARLEY_M_CHAT_OFFERS + path * PARLEY_L_OFFER_COUNT + result;
}


/* Counts a duration in its bucket and adds it to the sum. */
void parley_slot_count_time(parley_slot_t *slot, parley_metric_id_t id,
    uint64_t ns);


#endif /* PARLEY_COUNTERS_H */
