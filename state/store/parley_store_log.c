/* The verbs of logs that need no answer of the store. */

#include <string.h>

#include "state/store/parley_store_step.h"


static parley_state_done_t parley_store_read(parley_state_t *state,
    const parley_log_read_t *r, parley_log_page_t *ret, parley_call_t *caller);
static parley_state_done_t parley_store_log_feed(parley_state_t *state,
    const parley_feed_t *f, parley_feed_page_t *ret, parley_call_t *caller);
static parley_state_done_t parley_store_erase(parley_state_t *state,
    const parley_erase_t *e, parley_call_t *caller);
static parley_state_done_t parley_store_had(parley_state_t *state,
    const parley_had_t *had, parley_call_t *caller);
static parley_state_done_t parley_store_keep(parley_state_t *state,
    const uint8_t (*logs)[PARLEY_KEY_LEN], size_t n, parley_call_t *caller);


const parley_log_ops_t  parley_store_log_ops = {
    .append = parley_store_append,
    .read = parley_store_read,
    .feed = parley_store_log_feed,
    .erase = parley_store_erase,
    .had = parley_store_had,
    .keep = parley_store_keep,
    .join = parley_store_join,
    .leave = parley_store_leave,
    .roster = parley_store_roster,
};


static parley_state_done_t
parley_store_read(parley_state_t *state, const parley_log_read_t *r,
    parley_log_page_t *ret, parley_call_t *caller)
{
    state = ((parley_store_t *) state)->zone;

    return state->ops->log->read(state, r, ret, caller);
}


static parley_state_done_t
parley_store_log_feed(parley_state_t *state, const parley_feed_t *f,
    parley_feed_page_t *ret, parley_call_t *caller)
{
    state = ((parley_store_t *) state)->zone;

    return state->ops->log->feed(state, f, ret, caller);
}


/* The zone erases at once, the store and other nodes follow. */

static parley_state_done_t
parley_store_erase(parley_state_t *state, const parley_erase_t *e,
    parley_call_t *caller)
{
    uint64_t              step;
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    step = s->zone->ops->import->appended(s->zone, e);

    (void) s->zone->ops->log->erase(s->zone, e, NULL);

    call = parley_store_call(s, NULL);

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_erase(s, &call->arena, e),
                         PARLEY_STORE_SAID, step);
    }

    (void) caller;

    return PARLEY_STATE_DONE;
}


/* Other nodes have the jobs that end here. */

static parley_state_done_t
parley_store_had(parley_state_t *state, const parley_had_t *had,
    parley_call_t *caller)
{
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    (void) caller;

    if (s->zone->ops->import->had(s->zone, had) == 0) {
        return PARLEY_STATE_DONE;
    }

    call = parley_store_call(s, NULL);

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_had(s, &call->arena, had),
                         PARLEY_STORE_SAID, 0);
    }

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_store_keep(parley_state_t *state, const uint8_t (*logs)[PARLEY_KEY_LEN],
    size_t n, parley_call_t *caller)
{
    char                  ms[24];
    parley_str_t          arguments[6];
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    (void) caller;
    (void) s->zone->ops->log->keep(s->zone, logs, n, NULL);

    call = s->main.stage == PARLEY_STORE_UP ? parley_store_call(s, NULL) : NULL;

    if (call == NULL) {
        return PARLEY_STATE_DONE;
    }

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_keep");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_wire_number(PARLEY_LOG_LEASE, ms);
    arguments[5] = parley_str_make(logs, n * PARLEY_KEY_LEN);

    if (parley_store_command(call, arguments, 6) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }

    return PARLEY_STATE_DONE;
}
