/*
 * What a gateway tells of itself (OPS-01, OPS-02): a snapshot of all cells, as
 * JSON and as Prometheus text.  There are no ids, names or URLs in it, unless
 * who is suspended is asked for, which JSON alone tells.
 */

#ifndef PARLEY_STATUS_H
#define PARLEY_STATUS_H

#include "core/parley_arena.h"
#include "gate/metrics/parley_counters.h"
#include "state/parley_state.h"
#include "gate/admission/parley_suspended.h"
#include "state/memory/parley_table.h"


/* how it is told */
typedef enum {
    PARLEY_STATUS_JSON = 0,
    PARLEY_STATUS_PROMETHEUS,
    PARLEY_STATUS_HTML,
    PARLEY_STATUS_FORMATS
} parley_status_format_t;


/* of which it is */
typedef struct {
    parley_str_t         parley;        /* versions, as they were built */
    parley_str_t         nginx;
    int64_t              now_ms;        /* wall clock */
    parley_suspended_t  *suspended;     /* NULL: not told */
} parley_status_t;


/* what the gateway knows of its keys */
typedef struct {
    size_t   from_file;
    size_t   fetched;
    int64_t  age_ms;            /* -1: none was ever loaded */
    int      failed;            /* the last try to fetch them */
} parley_status_keys_t;


/*
 * The format that a request asks for: the argument "format" of its query, which
 * decides alone where it is there, else by its header Accept (either may be
 * empty); JSON where neither says.  Returns 0, or -1: the argument is there
 * twice, or names none.
 */
int parley_status_format(parley_str_t query, parley_str_t accept,
    parley_status_format_t *ret)
    __attribute__((warn_unused_result));

parley_str_t parley_status_type(parley_status_format_t format);

/* What the cells of the state are, and of the memory that it is in, of which
   one principal may have share. */
void parley_status_state(parley_snapshot_t *s,
    const parley_state_stat_t *stat);
void parley_status_zone(parley_snapshot_t *s, const parley_table_stat_t *t,
    unsigned share);

void parley_status_keys(parley_snapshot_t *s,
    const parley_status_keys_t *keys);

/* of parley_health_failed() */
void parley_status_ready(parley_snapshot_t *s, unsigned failed);

/* The snapshot; 0, or -1: no memory. */
int parley_status_json(parley_arena_t *arena, const parley_snapshot_t *s,
    const parley_status_t *of, parley_str_t *ret)
    __attribute__((warn_unused_result));

int parley_status_prometheus(parley_arena_t *arena,
    const parley_snapshot_t *s, const parley_status_t *of, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_STATUS_H */
