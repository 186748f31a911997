/* Defines the table of metrics, and the slots of workers and their sum. */

#include <string.h>

#include "gate/metrics/parley_counters.h"


/*
 * A slot's owner is one word: the process id in the low bits, the start time in
 * the host's ticks above it.
 */
#define PARLEY_OWNER_PID  24


#define PARLEY_DIGITS_ONE   0
#define PARLEY_DIGITS_PART  3
#define PARLEY_DIGITS_MS    3
#define PARLEY_DIGITS_NS    9


const parley_metric_t  parley_metrics[PARLEY_ROWS] = {
#define PARLEY_METRIC(id, kind, a, b, c, unit, name, member, help)            \
    [PARLEY_ROW_##id] = {                                                     \
        parley_str(name), parley_str(member), parley_str(help),               \
        PARLEY_METRIC_##kind,                                                 \
        { PARLEY_LABELS_##a, PARLEY_LABELS_##b, PARLEY_LABELS_##c },          \
        PARLEY_DIGITS_##unit, PARLEY_M_##id, PARLEY_M_##id##_LAST             \
    },
#include "gate/metrics/parley_metric.def"
#undef PARLEY_METRIC
};


static const struct {
    parley_str_t  name;
    unsigned      n;
} parley_labels[PARLEY_LABELS_SETS] = {
    [PARLEY_LABELS_NONE] = { parley_str(""), 1 },
    [PARLEY_LABELS_ACCEPTED] = { parley_str("accepted"),
                                 PARLEY_L_ACCEPTED_COUNT },
    [PARLEY_LABELS_SPOKEN] = { parley_str("spoken"), PARLEY_L_SPOKEN_COUNT },
    [PARLEY_LABELS_READ] = { parley_str("protocol"), PARLEY_L_READ_COUNT },
    [PARLEY_LABELS_CODE] = { parley_str("code"), PARLEY_L_CODE_COUNT },
    [PARLEY_LABELS_VERDICT] = { parley_str("verdict"),
                                PARLEY_L_VERDICT_COUNT },
    [PARLEY_LABELS_OUTCOME] = { parley_str("outcome"), PARLEY_L_OUTCOME_COUNT },
#define PARLEY_LABELS(set, name)                                              \
    [PARLEY_LABELS_##set] = { parley_str(name), PARLEY_L_##set##_COUNT },
#define PARLEY_LABEL(set, sym, word)
#include "gate/metrics/parley_label.def"
#undef PARLEY_LABEL
};


/* words of all sets in one array, and the index at which each set begins */

static const parley_str_t  parley_label_words[] = {
#define PARLEY_LABEL(set, sym, word)  parley_str(word),
#include "gate/metrics/parley_label.def"
#undef PARLEY_LABEL
};

enum {
#define PARLEY_LABELS(set, name)      PARLEY_FIRST_##set,                     \
                                      PARLEY_BEFORE_##set                     \
                                      = PARLEY_FIRST_##set - 1,
#define PARLEY_LABEL(set, sym, word)  PARLEY_AT_##set##_##sym,
#include "gate/metrics/parley_label.def"
#undef PARLEY_LABEL
};

static const unsigned  parley_labels_first[PARLEY_LABELS_SETS] = {
#define PARLEY_LABELS(set, name)  [PARLEY_LABELS_##set] = PARLEY_FIRST_##set,
#define PARLEY_LABEL(set, sym, word)
#include "gate/metrics/parley_label.def"
#undef PARLEY_LABEL
};


/* bounds of GATEWAY_TIME: 10 us to 250 ms */
static const uint64_t  parley_bounds_gateway[PARLEY_BUCKETS] = {
    10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000,
    10000000, 50000000, 250000000
};

/* bounds of UPSTREAM_TIME: 1 ms to 30 s */
static const uint64_t  parley_bounds_upstream[PARLEY_BUCKETS] = {
    1000000, 2500000, 5000000, 10000000, 25000000, 50000000, 100000000,
    250000000, 500000000, 1000000000, 5000000000, 30000000000
};


static uint64_t parley_slot_owner(const parley_process_t *process);
static int parley_slot_is_free(uint64_t owner, const parley_processes_t *host);
static void parley_slot_begin(parley_slot_t *slot);


const uint64_t *
parley_metric_bounds(parley_metric_id_t id)
{
    return id == PARLEY_ROW_UPSTREAM_TIME ? parley_bounds_upstream
                                          : parley_bounds_gateway;
}


parley_str_t
parley_label_name(parley_labels_t set)
{
    return parley_labels[set].name;
}


unsigned
parley_label_count(parley_labels_t set)
{
    return parley_labels[set].n;
}


parley_str_t
parley_label_word(parley_labels_t set, unsigned i)
{
    switch (set) {

    case PARLEY_LABELS_NONE:
        return parley_str_none;

    case PARLEY_LABELS_ACCEPTED:
    case PARLEY_LABELS_SPOKEN:
    case PARLEY_LABELS_READ:
        return i < PARLEY_PROTO_COUNT ? parley_proto_name((parley_proto_t) i)
                                      : PARLEY_STR("none");

    case PARLEY_LABELS_CODE:
        return i == PARLEY_E_NONE ? PARLEY_STR("other")
                                  : parley_error_info((parley_code_t) i)->word;

    case PARLEY_LABELS_VERDICT:
        return parley_verdict_name((parley_verdict_t) (i + 1));

    case PARLEY_LABELS_OUTCOME:
        return parley_outcome_name((parley_outcome_kind_t) i);

    default:
        return parley_label_words[parley_labels_first[set] + i];
    }
}


size_t
parley_slots_size(unsigned n)
{
    return sizeof(parley_slots_t) + n * sizeof(parley_slot_t);
}


parley_slots_t *
parley_slots_make(void *p, unsigned n, uint64_t now_ms)
{
    parley_slots_t  *slots = p;

    slots->n = n;
    slots->created_ms = now_ms;

    return slots;
}


parley_slot_t *
parley_slots_claim(parley_slots_t *slots, const parley_process_t *self,
    const parley_processes_t *host)
{
    uint64_t        owner, mine;
    unsigned        i;
    parley_slot_t  *slot;

    mine = parley_slot_owner(self);

    for (i = 0; i < slots->n; i++) {
        slot = &slots->slots[i];
        owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);

        if (owner != mine && !parley_slot_is_free(owner, host)) {
            continue;
        }

        if (__atomic_compare_exchange_n(&slot->owner, &owner, mine, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        {
            parley_slot_begin(slot);
            return slot;
        }
    }

    return NULL;
}


int
parley_slot_has_owner(const parley_slot_t *slot)
{
    return __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE) != 0;
}


int
parley_slot_lives(const parley_slot_t *slot, const parley_processes_t *host)
{
    return !parley_slot_is_free(__atomic_load_n(&slot->owner,
                                                __ATOMIC_ACQUIRE), host);
}


void
parley_slot_leave(parley_slot_t *slot)
{
    __atomic_store_n(&slot->owner, 0, __ATOMIC_RELEASE);
}


unsigned
parley_slots_sum(const parley_slots_t *slots, const parley_processes_t *host,
    parley_snapshot_t *ret)
{
    int                     lives;
    size_t                  k;
    unsigned                i, n, cell;
    const parley_slot_t    *slot;
    const parley_metric_t  *m;

    memset(ret, 0, sizeof(parley_snapshot_t));

    n = 0;

    for (i = 0; i < slots->n; i++) {
        slot = &slots->slots[i];
        lives = parley_slot_lives(slot, host);
        n += lives != 0;

        for (k = 0; k < PARLEY_ROWS; k++) {
            m = &parley_metrics[k];

            if (m->kind >= PARLEY_METRIC_TOTAL
                || (m->kind == PARLEY_METRIC_LEVEL && !lives))
            {
                continue;
            }

            for (cell = m->first; cell <= m->last; cell++) {
                ret->cells[cell] += __atomic_load_n(&slot->cells[cell],
                                                    __ATOMIC_RELAXED);
            }
        }
    }

    return n;
}


void
parley_slot_count_time(parley_slot_t *slot, parley_metric_id_t id, uint64_t ns)
{
    unsigned         i, first;
    const uint64_t  *bounds;

    bounds = parley_metric_bounds(id);
    first = parley_metrics[id].first;

    for (i = 0; i < PARLEY_BUCKETS && ns > bounds[i]; i++) { /* void */ }

    parley_count(slot, first + i, 1);
    parley_count(slot, first + PARLEY_TIME_SUM, ns);
}


static uint64_t
parley_slot_owner(const parley_process_t *process)
{
    return process->began << PARLEY_OWNER_PID
           | (process->pid & (((uint64_t) 1 << PARLEY_OWNER_PID) - 1));
}


static int
parley_slot_is_free(uint64_t owner, const parley_processes_t *host)
{
    parley_process_t  process;

    if (owner == 0) {
        return 1;
    }

    process.pid = (uint32_t) (owner & (((uint64_t) 1 << PARLEY_OWNER_PID) - 1));
    process.began = owner >> PARLEY_OWNER_PID;

    return !host->is_alive(host->ctx, &process);
}


/*
 * Sets the levels of a new owner to 0.  The counters of the former owner stay.
 */

static void
parley_slot_begin(parley_slot_t *slot)
{
    size_t                  k;
    unsigned                cell;
    const parley_metric_t  *m;

    for (k = 0; k < PARLEY_ROWS; k++) {
        m = &parley_metrics[k];

        if (m->kind != PARLEY_METRIC_LEVEL) {
            continue;
        }

        for (cell = m->first; cell <= m->last; cell++) {
            parley_count_level(slot, cell, 0);
        }
    }
}
