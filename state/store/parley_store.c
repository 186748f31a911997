/*
 * The verbs that are the zone's alone, and the object.
 */

#include <stdlib.h>
#include <string.h>

#include "core/parley_digest.h"
#include "state/store/parley_store_parts.h"


static parley_state_done_t parley_store_list(parley_state_t *state,
    const parley_listing_t *listing, parley_listed_t *ret,
    parley_call_t *call);
static parley_state_done_t parley_store_counts(parley_state_t *state,
    parley_state_stat_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_append(parley_state_t *state,
    const parley_append_t *a, parley_appended_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_read(parley_state_t *state,
    const parley_log_read_t *r, parley_log_page_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_feed(parley_state_t *state,
    const parley_feed_t *f, parley_feed_page_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_erase(parley_state_t *state,
    const parley_erase_t *e, parley_call_t *call);
static parley_state_done_t parley_store_had(parley_state_t *state,
    const parley_had_t *had, parley_call_t *call);
static parley_state_done_t parley_store_keep(parley_state_t *state,
    const uint8_t (*logs)[PARLEY_KEY_LEN], size_t n, parley_call_t *call);
static parley_state_done_t parley_store_join(parley_state_t *state,
    const parley_join_t *j, parley_joined_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_leave(parley_state_t *state,
    const parley_leave_t *l, parley_call_t *call);
static parley_state_done_t parley_store_roster(parley_state_t *state,
    const parley_roster_t *r, parley_roster_page_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_job_add(parley_state_t *state,
    const parley_job_add_t *add, parley_job_added_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_job_take(parley_state_t *state,
    const parley_job_take_t *take, parley_job_page_t *ret,
    parley_call_t *call);
static parley_state_done_t parley_store_job_end(parley_state_t *state,
    const parley_job_end_t *end, parley_job_ended_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_job_drop(parley_state_t *state,
    const uint8_t lane[PARLEY_KEY_LEN], size_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_job_list(parley_state_t *state,
    const parley_job_list_t *list, parley_job_listing_t *ret,
    parley_call_t *call);


static const parley_log_ops_t  parley_store_log_ops = {
    .append = parley_store_append,
    .read = parley_store_read,
    .feed = parley_store_feed,
    .erase = parley_store_erase,
    .had = parley_store_had,
    .keep = parley_store_keep,
    .join = parley_store_join,
    .leave = parley_store_leave,
    .roster = parley_store_roster,
};

static const parley_job_ops_t  parley_store_job_ops = {
    .add = parley_store_job_add,
    .take = parley_store_job_take,
    .end = parley_store_job_end,
    .drop = parley_store_job_drop,
    .list = parley_store_job_list,
};

static const parley_state_ops_t  parley_store_ops = {
    .admit = parley_store_admit,
    .settle = parley_store_settle,
    .rate = parley_store_rate,
    .put = parley_store_put,
    .get = parley_store_get,
    .list = parley_store_list,
    .drop = parley_store_drop,
    .stat = parley_store_counts,
    .cancel = parley_store_cancel,
    .log = &parley_store_log_ops,
    .job = &parley_store_job_ops,
};


/* Returns the zone of a state. */

static inline parley_state_t *
parley_store_zone(parley_state_t *state)
{
    return ((parley_store_t *) state)->zone;
}


parley_store_t *
parley_store_create(parley_state_t *zone, const parley_store_env_t *env,
    const parley_store_conf_t *conf, parley_mem_t *mem)
{
    parley_store_t  *s;

    if (conf->prefix.len + 2 > PARLEY_STORE_PREFIX) {
        return NULL;
    }

    s = mem->alloc(mem->ctx, sizeof(parley_store_t));

    if (s == NULL) {
        return NULL;
    }

    memset(s, 0, sizeof(parley_store_t));

    s->state = *zone;
    s->state.ops = &parley_store_ops;
    s->state.format = PARLEY_STATE_OLDEST;
    s->zone = zone;
    s->env = env;
    s->conf = conf;
    s->mem = mem;
    s->last = &s->first;

    s->prefix[0] = '{';
    memcpy(s->prefix + 1, conf->prefix.data, conf->prefix.len);
    s->prefix[conf->prefix.len + 1] = '}';
    s->prefix_len = conf->prefix.len + 2;

    memcpy(s->changes, "0", 2);

    return s;
}


void
parley_store_destroy(parley_store_t *s)
{
    parley_store_call_t  *call;

    while (s->first != NULL) {
        call = s->first;
        s->first = call->next;
        parley_store_call_free(s, call);
    }

    parley_store_call_spare_free(s);
    parley_wire_destroy(s->wire);
    free(s->taken);
    s->mem->free(s->mem->ctx, s);
}


parley_state_t *
parley_store_state(parley_store_t *s)
{
    return &s->state;
}


void
parley_store_stat(const parley_store_t *s, parley_store_stat_t *ret)
{
    *ret = s->stat;
    ret->pending = s->calls;
}


int
parley_store_secret(const uint8_t key[PARLEY_STORE_KEY],
    uint8_t out[PARLEY_KEY_SECRET],
    uint8_t fingerprint[PARLEY_STORE_FINGERPRINT])
{
    uint8_t       digest[PARLEY_SHA256_LEN];
    parley_str_t  parts[2];

    parts[0] = parley_str_make(key, PARLEY_STORE_KEY);
    parts[1] = PARLEY_STR("parley store secret");

    if (parley_sha256(parts[0], digest) != 0) {
        return -1;
    }

    memcpy(fingerprint, digest, PARLEY_STORE_FINGERPRINT);

    /* the engine has the fingerprint, so this derivation is another */

    parley_key_make(key, parts, 2, out);

    return 0;
}


static parley_state_done_t
parley_store_list(parley_state_t *state, const parley_listing_t *listing,
    parley_listed_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->list(state, listing, ret, call);
}


static parley_state_done_t
parley_store_counts(parley_state_t *state, parley_state_stat_t *ret,
    parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->stat(state, ret, call);
}


/* An append may take an admission: then the store takes it too. */

static parley_state_done_t
parley_store_append(parley_state_t *state, const parley_append_t *a,
    parley_appended_t *ret, parley_call_t *call)
{
    parley_store_t  *s = (parley_store_t *) state;

    (void) s->zone->ops->log->append(s->zone, a, ret, call);

    if (a->takes != NULL && ret->verdict == PARLEY_APPEND_OK) {
        parley_store_taken(s, a->takes, a->how);
    }

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_store_read(parley_state_t *state, const parley_log_read_t *r,
    parley_log_page_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->read(state, r, ret, call);
}


static parley_state_done_t
parley_store_feed(parley_state_t *state, const parley_feed_t *f,
    parley_feed_page_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->feed(state, f, ret, call);
}


static parley_state_done_t
parley_store_erase(parley_state_t *state, const parley_erase_t *e,
    parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->erase(state, e, call);
}


static parley_state_done_t
parley_store_had(parley_state_t *state, const parley_had_t *had,
    parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->had(state, had, call);
}


static parley_state_done_t
parley_store_keep(parley_state_t *state, const uint8_t (*logs)[PARLEY_KEY_LEN],
    size_t n, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->keep(state, logs, n, call);
}


static parley_state_done_t
parley_store_join(parley_state_t *state, const parley_join_t *j,
    parley_joined_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->join(state, j, ret, call);
}


static parley_state_done_t
parley_store_leave(parley_state_t *state, const parley_leave_t *l,
    parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->leave(state, l, call);
}


static parley_state_done_t
parley_store_roster(parley_state_t *state, const parley_roster_t *r,
    parley_roster_page_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->log->roster(state, r, ret, call);
}


static parley_state_done_t
parley_store_job_add(parley_state_t *state, const parley_job_add_t *add,
    parley_job_added_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->job->add(state, add, ret, call);
}


static parley_state_done_t
parley_store_job_take(parley_state_t *state, const parley_job_take_t *take,
    parley_job_page_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->job->take(state, take, ret, call);
}


static parley_state_done_t
parley_store_job_end(parley_state_t *state, const parley_job_end_t *end,
    parley_job_ended_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->job->end(state, end, ret, call);
}


static parley_state_done_t
parley_store_job_drop(parley_state_t *state, const uint8_t lane[PARLEY_KEY_LEN],
    size_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->job->drop(state, lane, ret, call);
}


static parley_state_done_t
parley_store_job_list(parley_state_t *state, const parley_job_list_t *list,
    parley_job_listing_t *ret, parley_call_t *call)
{
    state = parley_store_zone(state);

    return state->ops->job->list(state, list, ret, call);
}
