/* Cases: what is asked of shared memory and of the policy. */

#include <stdlib.h>
#include <string.h>

#include "bench_pure.h"
#include "parley_policy.h"
#include "parley_memory.h"


#define BENCH_STATE  (64 << 20)


static uint64_t         bench_number;
static parley_state_t   bench_state;
static parley_policy_t  bench_policy;


static void bench_prepare_state(const bench_case_t *c);
static void bench_no_lock(void *ctx);
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
    void            *mem;
    parley_error_t   err;

    static parley_arena_t        arena;
    static const uint8_t         secret[PARLEY_KEY_SECRET];
    static const parley_str_t    words[] = {
        parley_str("scope=ops:run"), parley_str("protocol=aee"),
        parley_str("type=task"), parley_str("intent=vcp.*")
    };

    if (bench_state.sh != NULL) {
        return;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    mem = aligned_alloc(PARLEY_BLOCK, BENCH_STATE);

    bench_state.env.lock = bench_no_lock;
    bench_state.env.unlock = bench_no_lock;
    bench_state.share = 250;

    if (mem == NULL
        || parley_memory_create(&bench_state, mem, BENCH_STATE, secret) != 0
        || parley_policy_add(&bench_policy, &arena, 1, words, 4, NULL, &err)
           != 0)
    {
        bench_die(c->name);
    }
}


static void
bench_no_lock(void *ctx)
{
    (void) ctx;
}


/* an id that was not seen, reserved and committed */

static int
bench_run_window(void)
{
    char                 id[] = "01a1fca2-df11-7396-827c-000000000000";
    uint8_t              key[PARLEY_KEY_LEN];
    uint64_t             n;
    unsigned             i;
    parley_str_t         parts[3];
    parley_admitted_t    admitted;
    parley_admission_t   a;
    parley_settlement_t  how;

    static const uint8_t  account[PARLEY_KEY_LEN] = "child-7";
    static const uint8_t  print[PARLEY_PRINT_LEN];

    n = ++bench_number;

    for (i = 35; n > 0; i--) {
        id[i] = (char) ('0' + n % 10);
        n /= 10;
    }

    parts[0] = PARLEY_STR("aee");
    parts[1] = PARLEY_STR("child-7");
    parts[2] = parley_str_make(id, sizeof(id) - 1);

    parley_state_key(&bench_state, PARLEY_KIND_ID, parts, 3, key);

    memset(&a, 0, sizeof(a));
    memset(&how, 0, sizeof(how));

    a.account = account;
    a.id = key;
    a.print = print;
    a.ttl = 600000;
    a.now = 1;

    parley_memory_admit(&bench_state, &a, &admitted);

    how.stamp = admitted.stamp;
    how.taken = 1;
    how.now = 1;

    return admitted.verdict == PARLEY_ADMIT_OK
           ? parley_memory_settle(&bench_state, &a, &how) : -1;
}


static int
bench_run_limit(void)
{
    int64_t              wait;
    uint8_t              key[PARLEY_KEY_LEN];
    parley_str_t         parts[2];
    parley_limit_rate_t  rate;

    static const uint8_t  account[PARLEY_KEY_LEN] = "child-7";

    parts[0] = PARLEY_STR("rate");
    parts[1] = PARLEY_STR("child-7");
    rate.interval_us = 1;
    rate.burst = 100000;

    parley_state_key(&bench_state, PARLEY_KIND_RATE, parts, 2, key);

    return parley_memory_rate(&bench_state, account, key, &rate, 1, &wait)
           == PARLEY_RATE_OK ? 0 : -1;
}


static int
bench_run_policy(void)
{
    parley_error_t           err;
    parley_policy_request_t  request;

    static const parley_str_t  scopes[] = {
        parley_str("ops:run"), parley_str("vcp:send")
    };

    static const parley_policy_name_t  names[] = {
        { parley_str("child-7"), 0 }, { parley_str("task"), 0 },
        { parley_str("vcp.escalation"), 0 }, { parley_str("agent.parent-1"), 0 }
    };

    memset(&request, 0, sizeof(parley_policy_request_t));

    request.scopes = scopes;
    request.nscopes = 2;
    request.protocol = PARLEY_STR("aee");
    request.principal = (parley_policy_names_t) { &names[0], 1 };
    request.type = (parley_policy_names_t) { &names[1], 1 };
    request.intent = (parley_policy_names_t) { &names[2], 1 };
    request.to = (parley_policy_names_t) { &names[3], 1 };

    return parley_policy_check(&bench_policy, &request, NULL, &err);
}
