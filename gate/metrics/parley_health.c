/* Reports liveness and readiness. */

#include "core/parley_buf.h"
#include "gate/metrics/parley_health.h"


static const parley_str_t  parley_health_reasons[PARLEY_L_CHECK_COUNT] = {
    [PARLEY_L_CHECK_ZONE] = parley_str("parley_zone has no room for a new "
                                       "principal"),
    [PARLEY_L_CHECK_KEYS] = parley_str("no keys that verify tokens were "
                                       "loaded yet"),
    [PARLEY_L_CHECK_REVOCATIONS] = parley_str("the revocations cannot be "
                                              "read"),
    [PARLEY_L_CHECK_STORE] = parley_str("the store is away")
};


unsigned
parley_health_failed(const parley_health_facts_t *facts)
{
    unsigned  failed;

    failed = 0;

    if (facts->stat == NULL
        || facts->stat->level == PARLEY_STATE_FULL)
    {
        failed |= 1 << PARLEY_L_CHECK_ZONE;
    }

    if (!facts->keys) {
        failed |= 1 << PARLEY_L_CHECK_KEYS;
    }

    if (!facts->revocations) {
        failed |= 1 << PARLEY_L_CHECK_REVOCATIONS;
    }

    if (!facts->store) {
        failed |= 1 << PARLEY_L_CHECK_STORE;
    }

    return failed;
}


int
parley_health_reply(parley_arena_t *arena, parley_health_t asked,
    unsigned failed, int *ret_status, parley_str_t *ret_body)
{
    unsigned      i, n;
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    if (asked == PARLEY_HEALTH_LIVE) {
        failed = 0;
        parley_buf_lit(&b, "{\"status\":\"live\"");

    } else if (failed == 0) {
        parley_buf_lit(&b, "{\"status\":\"ready\"");

    } else {
        parley_buf_lit(&b, "{\"status\":\"not ready\",\"failed\":{");
    }

    n = 0;

    for (i = 0; i < PARLEY_L_CHECK_COUNT; i++) {
        if (failed & (1U << i)) {
            parley_buf_put(&b, ",", n++ > 0);
            parley_buf_json_string(&b,
                                   parley_label_word(PARLEY_LABELS_CHECK, i));
            parley_buf_octet(&b, ':');
            parley_buf_json_string(&b, parley_health_reasons[i]);
        }
    }

    if (failed != 0) {
        parley_buf_octet(&b, '}');
    }

    parley_buf_lit(&b, "}\n");

    *ret_status = failed == 0 ? 200 : 503;

    return parley_buf_done(&b, ret_body);
}
