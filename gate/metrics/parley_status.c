/*
 * Chooses the format of a status, and fills the cells of the state, the zone,
 * the keys and readiness.
 */

#include "gate/metrics/parley_status.h"


_Static_assert((int) PARLEY_L_KIND_COUNT == PARLEY_KIND_COUNT
               && (int) PARLEY_L_LOOSE_COUNT == PARLEY_EVICTABLE_COUNT,
               "the labels are those of parley_kind_t and parley_evictable_t");


#define PARLEY_Q_MAX  1000


static const struct {
    parley_str_t  word;         /* value of format= */
    parley_str_t  type;
} parley_status_formats[PARLEY_STATUS_FORMATS] = {
    [PARLEY_STATUS_JSON] = { parley_str("json"),
                             parley_str("application/json") },
    [PARLEY_STATUS_PROMETHEUS] = {
                             parley_str("prometheus"),
                             parley_str("text/plain; version=0.0.4; "
                                        "charset=utf-8") },
    [PARLEY_STATUS_HTML] = { parley_str("html"),
                             parley_str("text/html; charset=utf-8") }
};


/*
 * media ranges of Accept; a range with a wildcard ranks below a full type of
 * equal quality
 */
static const struct {
    parley_str_t            range;
    parley_status_format_t  format;
    unsigned                named:1;
} parley_status_ranges[] = {
    { parley_str("application/json"), PARLEY_STATUS_JSON, 1 },
    { parley_str("text/html"), PARLEY_STATUS_HTML, 1 },
    { parley_str("text/plain"), PARLEY_STATUS_PROMETHEUS, 1 },
    { parley_str("application/openmetrics-text"), PARLEY_STATUS_PROMETHEUS,
      1 },
    { parley_str("text/*"), PARLEY_STATUS_PROMETHEUS, 0 },
    { parley_str("application/*"), PARLEY_STATUS_JSON, 0 },
    { parley_str("*/*"), PARLEY_STATUS_JSON, 0 }
};


static int parley_status_named(parley_str_t query,
    parley_status_format_t *ret);
static void parley_status_accepted(parley_str_t accept,
    parley_status_format_t *ret);
static parley_str_t parley_status_trim(parley_str_t s);
static unsigned parley_status_q(parley_str_t params);
static parley_str_t parley_status_part(parley_str_t *rest, uint8_t end);


int
parley_status_format(parley_str_t query, parley_str_t accept,
    parley_status_format_t *ret)
{
    *ret = PARLEY_STATUS_FORMATS;

    if (parley_status_named(query, ret) != 0) {
        return -1;
    }

    if (*ret == PARLEY_STATUS_FORMATS) {
        *ret = PARLEY_STATUS_JSON;
        parley_status_accepted(accept, ret);
    }

    return 0;
}


parley_str_t
parley_status_type(parley_status_format_t format)
{
    return parley_status_formats[format].type;
}


static int
parley_status_named(parley_str_t query, parley_status_format_t *ret)
{
    unsigned      i;
    parley_str_t  argument, value;

    while (query.len > 0) {
        argument = parley_status_part(&query, '&');

        if (!parley_str_begins(argument, "format=")) {
            continue;
        }

        value = parley_str_from(argument, sizeof("format=") - 1);

        for (i = 0; i < PARLEY_STATUS_FORMATS; i++) {
            if (parley_str_eq(value, parley_status_formats[i].word)) {
                break;
            }
        }

        if (i == PARLEY_STATUS_FORMATS || *ret != PARLEY_STATUS_FORMATS) {
            return -1;
        }

        *ret = (parley_status_format_t) i;
    }

    return 0;
}


/* Finds the first range of the highest quality (RFC 9110, section 12.5.1). */

static void
parley_status_accepted(parley_str_t accept, parley_status_format_t *ret)
{
    size_t        i;
    unsigned      q, best;
    parley_str_t  params, range;

    best = 0;

    while (accept.len > 0) {
        params = parley_status_part(&accept, ',');
        range = parley_status_trim(parley_status_part(&params, ';'));

        for (i = 0; i < sizeof(parley_status_ranges)
                        / sizeof(parley_status_ranges[0]); i++)
        {
            if (!parley_str_eq_fold(range, parley_status_ranges[i].range)) {
                continue;
            }

            q = parley_status_q(params) * 2;
            q += q > 0 && parley_status_ranges[i].named;

            if (q > best) {
                best = q;
                *ret = parley_status_ranges[i].format;
            }
        }
    }
}


/* Returns the quality of a media range in thousandths: 500 for "q=0.5". */

static unsigned
parley_status_q(parley_str_t params)
{
    unsigned      q, unit;
    parley_str_t  param;

    while (params.len > 0) {
        param = parley_status_trim(parley_status_part(&params, ';'));

        if (param.len < 3 || (param.data[0] | 0x20) != 'q'
            || param.data[1] != '=')
        {
            continue;
        }

        if (param.data[2] != '0') {
            return PARLEY_Q_MAX;
        }

        q = 0;
        unit = 100;

        /* "q=0", or "q=0." and up to three digits */

        for (param = parley_str_from(param, 4);
             param.len > 0 && *param.data >= '0' && *param.data <= '9';
             param = parley_str_from(param, 1))
        {
            q += (unsigned) (*param.data - '0') * unit;
            unit /= 10;
        }

        return q;
    }

    return PARLEY_Q_MAX;
}


static parley_str_t
parley_status_part(parley_str_t *rest, uint8_t end)
{
    parley_str_t  part;

    part = parley_str_until(*rest, end);
    *rest = parley_str_from(*rest, part.len + 1);

    return part;
}


static parley_str_t
parley_status_trim(parley_str_t s)
{
    while (s.len > 0 && (*s.data == ' ' || *s.data == '\t')) {
        s = parley_str_from(s, 1);
    }

    while (s.len > 0 && (s.data[s.len - 1] == ' '
                         || s.data[s.len - 1] == '\t'))
    {
        s.len--;
    }

    return s;
}


void
parley_status_state(parley_snapshot_t *s, const parley_state_stat_t *stat)
{
    unsigned  i;

    s->state = 1;

    for (i = 0; i < PARLEY_L_KIND_COUNT; i++) {
        s->cells[PARLEY_M_ENTRIES + i] = stat->entries[i];
    }

    s->cells[PARLEY_M_LIMITED] = stat->limited;
    s->cells[PARLEY_M_ORPHANS] = stat->orphans;
    s->cells[PARLEY_M_REPAIRS] = stat->repairs;
    s->cells[PARLEY_M_JOBS] = stat->entries[PARLEY_KIND_JOB];
    s->cells[PARLEY_M_JOBS_TAKEN] = stat->taken;
    s->cells[PARLEY_M_CHAT_OBLIGATIONS] = stat->counted;

    for (i = 0; i < PARLEY_STATE_ENDS; i++) {
        s->cells[PARLEY_M_JOBS_ENDED + i] = stat->ended[i];
    }

    s->cells[PARLEY_M_SUSPENSIONS + PARLEY_L_HOLD_SUSPENDED]
        = stat->held[PARLEY_SEVERITY_EMERGENCY];
    s->cells[PARLEY_M_SUSPENSIONS + PARLEY_L_HOLD_PAUSED]
        = stat->held[PARLEY_SEVERITY_CRITICAL];
}


void
parley_status_zone(parley_snapshot_t *s, const parley_state_room_t *t,
    unsigned share)
{
    unsigned   i;
    uint64_t  *cells = s->cells;

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        cells[PARLEY_M_ZONE_OCTETS + i] = t->queued_blocks[i] * t->block;
        cells[PARLEY_M_ZONE_EVICTED + i] = t->evicted[i];
    }

    cells[PARLEY_M_ZONE_OCTETS + PARLEY_L_USE_FREE] = t->free * t->block;
    cells[PARLEY_M_ZONE_OCTETS + PARLEY_L_USE_PROMISED]
        = (t->blocks - t->free - t->loose) * t->block;

    cells[PARLEY_M_ZONE_LEFT] = (t->free + t->loose) * PARLEY_SHARE_ALL
                                / (t->blocks > 0 ? t->blocks : 1);
    cells[PARLEY_M_ZONE_LARGEST] = t->largest * PARLEY_SHARE_ALL
                                   / (t->blocks > 0 ? t->blocks : 1);
    cells[PARLEY_M_ZONE_SHARE] = share;

    cells[PARLEY_M_ZONE_REFUSED + PARLEY_L_ROOM_FULL] = t->full;
    cells[PARLEY_M_ZONE_REFUSED + PARLEY_L_ROOM_SHARE] = t->shared;
}


void
parley_status_keys(parley_snapshot_t *s, const parley_status_keys_t *keys)
{
    s->cells[PARLEY_M_KEYS + PARLEY_L_KEYS_FILE] = keys->from_file;
    s->cells[PARLEY_M_KEYS + PARLEY_L_KEYS_FETCHED] = keys->fetched;
    s->cells[PARLEY_M_KEYS_AGE] = keys->age_ms > 0 ? (uint64_t) keys->age_ms
                                                   : 0;
    s->cells[PARLEY_M_KEYS_FAILED] = keys->failed ? 1 : 0;
}


void
parley_status_store(parley_snapshot_t *s, const parley_status_store_t *store)
{
    uint64_t  *cells = s->cells;

    s->store = 1;

    cells[PARLEY_M_STORE_GENERATION] = store->generation;
    cells[PARLEY_M_STORE_NODES] = store->nodes;
    cells[PARLEY_M_STORE_DIFFER] = store->differ;
    cells[PARLEY_M_STORE_OCTETS + PARLEY_L_STORE_USE_USED] = store->used;
    cells[PARLEY_M_STORE_OCTETS + PARLEY_L_STORE_USE_MAX] = store->max;
    cells[PARLEY_M_STORE_CLOCK] = (uint64_t) (store->offset_ms < 0
                                              ? -store->offset_ms
                                              : store->offset_ms);
}


void
parley_status_ready(parley_snapshot_t *s, unsigned failed)
{
    unsigned  i;

    for (i = 0; i < PARLEY_L_CHECK_COUNT; i++) {
        s->cells[PARLEY_M_READY + i] = !(failed & (1U << i));
    }
}
