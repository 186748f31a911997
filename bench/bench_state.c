/* Cases: what is asked of shared memory and of the policy. */

#include <stdlib.h>
#include <string.h>

#include "bench_pure.h"
#include "parley_key.h"
#include "parley_limit.h"
#include "parley_policy.h"
#include "parley_window.h"


static uint64_t          bench_number;
static parley_window_t  *bench_window;
static parley_limit_t   *bench_limit;
static parley_policy_t   bench_policy;


static void bench_prepare_state(const bench_case_t *c);
static int bench_run_window(void);
static int bench_run_limit(void);
static int bench_run_policy(void);


const bench_case_t  bench_state_cases[] = {
    { "window", 20, NULL, 0, bench_prepare_state, bench_run_window },
    { "limit", 20, NULL, 0, bench_prepare_state, bench_run_limit },
    { "policy", 20, NULL, 0, bench_prepare_state, bench_run_policy },
    { NULL, 0, NULL, 0, NULL, NULL }
};


static void
bench_prepare_state(const bench_case_t *c)
{
    parley_error_t  err;

    static parley_arena_t      arena;
    static const parley_str_t  words[] = {
        parley_str("scope=ops:run"), parley_str("protocol=aee"),
        parley_str("type=task"), parley_str("intent=vcp.*")
    };

    if (bench_window != NULL) {
        return;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    bench_window = parley_window_create_locked(&parley_mem_libc, 65536, 0);
    bench_limit = parley_limit_create_locked(&parley_mem_libc, 65536, 0);

    if (bench_window == NULL || bench_limit == NULL
        || parley_policy_add(&bench_policy, &arena, 1, words, 4, &err) != 0)
    {
        bench_die(c->name);
    }
}


/* an id that was not seen, reserved and committed */

static int
bench_run_window(void)
{
    uint8_t               key[PARLEY_KEY_LEN];
    char                  id[] = "01a1fca2-df11-7396-827c-000000000000";
    uint64_t              n;
    unsigned              i;
    parley_str_t          parts[3];
    parley_window_slot_t  slot;

    static const uint8_t  secret[PARLEY_KEY_SECRET];

    n = ++bench_number;

    for (i = 35; n > 0; i--) {
        id[i] = (char) ('0' + n % 10);
        n /= 10;
    }

    parts[0] = PARLEY_STR("aee");
    parts[1] = PARLEY_STR("child-7");
    parts[2] = parley_str_make(id, sizeof(id) - 1);

    parley_key_make(secret, parts, 3, key);

    if (parley_window_reserve_locked(bench_window, &parley_mem_libc, key, 1,
                                     60000, 1, &slot)
        != PARLEY_WINDOW_NEW)
    {
        return -1;
    }

    return parley_window_commit_locked(bench_window, &parley_mem_libc, key,
                                       slot.stamp, 1, 600000, 0);
}


static int
bench_run_limit(void)
{
    int64_t              wait;
    uint8_t              key[PARLEY_KEY_LEN];
    parley_str_t         parts[2];
    parley_limit_rate_t  rate;

    static const uint8_t  secret[PARLEY_KEY_SECRET];

    parts[0] = PARLEY_STR("rate");
    parts[1] = PARLEY_STR("child-7");
    rate.interval_us = 1;
    rate.burst = 100000;

    parley_key_make(secret, parts, 2, key);

    return parley_limit_take_locked(bench_limit, &parley_mem_libc, key, 1,
                                    &rate, &wait)
           == PARLEY_LIMIT_OK ? 0 : -1;
}


static int
bench_run_policy(void)
{
    parley_error_t           err;
    parley_policy_request_t  request;

    static const parley_str_t  scopes[] = {
        parley_str("ops:run"), parley_str("vcp:send")
    };

    memset(&request, 0, sizeof(parley_policy_request_t));

    request.scopes = scopes;
    request.nscopes = 2;
    request.principal = PARLEY_STR("child-7");
    request.protocol = PARLEY_STR("aee");
    request.type = PARLEY_STR("task");
    request.intent = PARLEY_STR("vcp.escalation");
    request.to = PARLEY_STR("agent.parent-1");

    return parley_policy_check(&bench_policy, &request, &err);
}
