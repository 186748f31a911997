/*
 * The status of a gateway (OPS-01, OPS-02): a snapshot of all cells, as JSON
 * and as Prometheus text.  It has no ids, names or URLs.  Exceptions, in JSON
 * only: the list of suspended principals, on request, and that of the gateways
 * of a store.
 */

#ifndef PARLEY_STATUS_H
#define PARLEY_STATUS_H

#include "core/parley_arena.h"
#include "gate/metrics/parley_counters.h"
#include "state/parley_state.h"
#include "gate/admission/parley_suspended.h"


/* format of a status */
typedef enum {
    PARLEY_STATUS_JSON = 0,
    PARLEY_STATUS_PROMETHEUS,
    PARLEY_STATUS_HTML,
    PARLEY_STATUS_FORMATS
} parley_status_format_t;


/* a gateway of the store */
typedef struct {
    parley_str_t  node;         /* its number in the store, in hexadecimal */
    parley_str_t  host;
    parley_str_t  version;
    parley_str_t  formats;      /* the oldest and the newest that it reads */
    parley_str_t  config;       /* digest of its settings */
    int64_t       lease_ms;     /* rest of its lease */
    unsigned      own:1;        /* this gateway */
    unsigned      differs:1;    /* its settings are others */
} parley_status_node_t;


/* facts that are not in cells */
typedef struct parley_status_s {
    parley_str_t         parley;        /* versions at build time */
    parley_str_t         nginx;
    int64_t              now_ms;        /* wall clock */
    parley_suspended_t  *suspended;     /* suspended principals; NULL: not
                                           listed */
    const parley_status_node_t  *nodes;
    size_t               nnodes;
} parley_status_t;


/* loaded keys */
typedef struct {
    size_t   from_file;
    size_t   fetched;
    int64_t  age_ms;            /* -1: no keys were ever loaded */
    int      failed;            /* the last attempt to fetch keys failed */
} parley_status_keys_t;


/* the store, as one worker knows it */
typedef struct {
    uint64_t  generation;
    uint64_t  nodes;
    uint64_t  differ;           /* with other settings */
    uint64_t  used;             /* octets; 0: unknown */
    uint64_t  max;              /* 0: no bound */
    int64_t   offset_ms;        /* the store's clock is ahead */
} parley_status_store_t;


/*
 * Finds the format that a request asks for.  The argument "format" of the query
 * decides if it is there.  If not, the field Accept decides.  Both texts may be
 * empty; the default is JSON.  Returns 0, or -1 if the argument appears twice
 * or names an unknown format.
 */
int parley_status_format(parley_str_t query, parley_str_t accept,
    parley_status_format_t *ret)
    __attribute__((warn_unused_result));

parley_str_t parley_status_type(parley_status_format_t format);

/*
 * Fill the cells of the state and of its memory.  share is the part of the
 * memory that one principal may use, in thousandths.
 */
void parley_status_state(parley_snapshot_t *s,
    const parley_state_stat_t *stat);
void parley_status_zone(parley_snapshot_t *s, const parley_state_room_t *t,
    unsigned share);

void parley_status_keys(parley_snapshot_t *s,
    const parley_status_keys_t *keys);

/* Fills the cells of the store, which are missing without a store. */
void parley_status_store(parley_snapshot_t *s,
    const parley_status_store_t *store);

/* Fills the cells of readiness.  failed comes from parley_health_failed(). */
void parley_status_ready(parley_snapshot_t *s, unsigned failed);

/* Writes the snapshot as JSON.  Returns 0, or -1 without memory. */
int parley_status_json(parley_arena_t *arena, const parley_snapshot_t *s,
    const parley_status_t *of, parley_str_t *ret)
    __attribute__((warn_unused_result));

int parley_status_prometheus(parley_arena_t *arena,
    const parley_snapshot_t *s, const parley_status_t *of, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_STATUS_H */
