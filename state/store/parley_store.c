/*
 * The verbs that are the zone's alone, and the object.
 */

#include <stdlib.h>
#include <string.h>

#include "core/parley_digest.h"
#include "state/store/parley_store_step.h"


static parley_state_done_t parley_store_list(parley_state_t *state,
    const parley_listing_t *listing, parley_listed_t *ret,
    parley_call_t *call);
static parley_state_done_t parley_store_counts(parley_state_t *state,
    parley_state_stat_t *ret, parley_call_t *call);


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
    s->joined = parley_store_owe_again;
    s->inbox.link = PARLEY_STORE_INBOX;

    s->prefix[0] = '{';
    memcpy(s->prefix + 1, conf->prefix.data, conf->prefix.len);
    s->prefix[conf->prefix.len + 1] = '}';
    s->prefix_len = conf->prefix.len + 2;

    memcpy(s->changes, "0", 2);
    s->worker = env->random(env->ctx) | 1;

    return s;
}


void
parley_store_destroy(parley_store_t *s)
{
    parley_store_call_t  *call;

    while (s->waiting != NULL) {
        call = s->waiting;
        s->waiting = call->next;
        parley_store_call_free(s, call);
    }

    while (s->first != NULL) {
        call = s->first;
        s->first = call->next;
        parley_store_call_free(s, call);
    }

    parley_store_call_spare_free(s);
    parley_wire_destroy(s->main.wire);
    parley_wire_destroy(s->inbox.wire);
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
    ret->inbox = parley_store_has_inbox(s) != 0;
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
