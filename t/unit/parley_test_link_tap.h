/*
 * Logs of tracks, agents and facts for tests of a link: parley_test_link.h
 * includes this part after its world.
 */

#ifndef PARLEY_TEST_LINK_TAP_H
#define PARLEY_TEST_LINK_TAP_H

#include "core/parley_error.h"


static inline int
env_join(void *ctx, parley_link_tap_t *tap)
{
    (void) ctx;

    w.taps[w.ntaps++] = tap;

    return 0;
}


static inline void
env_part(void *ctx, parley_link_tap_t *tap)
{
    size_t  i;

    (void) ctx;

    for (i = 0; i < w.ntaps; i++) {
        if (w.taps[i] == tap) {
            w.taps[i] = NULL;
            w.parted++;
        }
    }
}


static inline int
env_relay(void *ctx, parley_link_relay_t *relay)
{
    (void) ctx;

    relay->count = w.counts[relay->publisher];
    w.op = relay->op;

    if (relay->asks) {
        return 1;
    }

    assert_true(w.nrecords < 32 && relay->record.len <= 4096);

    memcpy(w.records[w.nrecords], relay->record.data, relay->record.len);
    w.lens[w.nrecords] = relay->record.len;
    w.publisher[w.nrecords] = relay->publisher;
    (void) snprintf(w.tracks[w.nrecords], 64, "%.*s", (int) relay->track.len,
                    (const char *) relay->track.data);
    w.nrecords++;

    return w.later ? 0 : 1;
}


static inline int
env_agents(void *ctx, parley_link_session_t *session,
    int (*each)(void *data, parley_str_t agent), void *data)
{
    (void) ctx;

    assert_non_null(session);

    return each(data, PARLEY_STR("alice")) == 0
           ? each(data, PARLEY_STR("camera")) : -1;
}


static inline void
env_note(void *ctx, const parley_link_fact_t *fact)
{
    size_t  *noted;

    (void) ctx;

    noted = w.noted[!fact->track ? 0 : fact->publishes ? 2 : 1];
    noted[fact->what]++;

    assert_true(fact->name.len > 0 || fact->what == PARLEY_LINK_DENIED);
    assert_true(noted[PARLEY_LINK_ENDED] <= noted[PARLEY_LINK_OPENED]);

    /* the audit log needs them */

    assert_true(fact->what != PARLEY_LINK_ENDED || fact->why.len > 0);
    assert_true(fact->what != PARLEY_LINK_DENIED || fact->track
                || fact->agent.len > 0);

    /* docs/errors.md lists the codes */

    assert_true(fact->what != PARLEY_LINK_DENIED || fact->why.len == 0
                || parley_error_code(fact->why) != PARLEY_E_NONE);
}


#endif /* PARLEY_TEST_LINK_TAP_H */
