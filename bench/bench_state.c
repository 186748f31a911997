/* Cases: operations of shared memory and of the policy. */

#include <stdlib.h>
#include <string.h>

#include "bench/bench_pure.h"
#include "auth/parley_policy.h"
#include "state/memory/parley_memory.h"
#include "gate/settings/parley_settings.h"
#include "gate/message/parley_tally.h"


#define BENCH_STATE  (64 << 20)


static uint64_t         bench_number;
static parley_memory_t  bench_state;
static parley_policy_t  bench_policy;


static void bench_prepare_state(const bench_case_t *c);
static void bench_no_lock(void *ctx);
static int64_t bench_now(void *ctx);
static int bench_run_window(void);
static int bench_run_limit(void);
static int bench_run_policy(void);
static int bench_run_counters(void);


const bench_case_t  bench_state_cases[] = {
    { "window", 20, NULL, 0, bench_prepare_state, bench_run_window },
    { "limit", 20, NULL, 0, bench_prepare_state, bench_run_limit },
    { "policy", 20, NULL, 0, bench_prepare_state, bench_run_policy },
    { "counters", 20, NULL, 0, bench_prepare_state, bench_run_counters },
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
    bench_state.env.now = bench_now;
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


static int64_t
bench_now(void *ctx)
{
    (void) ctx;

    return 1;
}


/* Reserves and commits a new id. */

static int
bench_run_window(void)
{
    int                  rc;
    char                 id[] = "01a1fca2-df11-7396-827c-000000000000";
    uint8_t              key[PARLEY_KEY_LEN];
    uint64_t             n;
    unsigned             i;
    parley_str_t         parts[3];
    parley_admitted_t    admitted;
    parley_admission_t   a;
    parley_settlement_t  how;

    static const uint8_t             account[PARLEY_KEY_LEN] = "child-7";
    static const uint8_t             print[PARLEY_PRINT_LEN];
    static const parley_state_ops_t *ops = &parley_memory_ops;

    n = ++bench_number;

    for (i = 35; n > 0; i--) {
        id[i] = (char) ('0' + n % 10);
        n /= 10;
    }

    parts[0] = PARLEY_STR("aee");
    parts[1] = PARLEY_STR("child-7");
    parts[2] = parley_str_make(id, sizeof(id) - 1);

    parley_state_key(&bench_state.state, PARLEY_KIND_ID, parts, 3, key);

    memset(&a, 0, sizeof(a));
    memset(&how, 0, sizeof(how));

    a.account = account;
    a.id = key;
    a.print = print;
    a.ttl = 600000;

    (void) ops->admit(&bench_state.state, &a, &admitted, NULL);

    how.stamp = admitted.stamp;
    how.taken = 1;

    (void) ops->settle(&bench_state.state, &a, &how, &rc, NULL);

    return admitted.verdict == PARLEY_ADMIT_OK ? rc : -1;
}


static int
bench_run_limit(void)
{
    parley_str_t     parts[2];
    parley_rated_t   got;
    parley_rating_t  r;

    static const uint8_t  account[PARLEY_KEY_LEN] = "child-7";

    parts[0] = PARLEY_STR("rate");
    parts[1] = PARLEY_STR("child-7");

    r.account = account;
    r.rate.interval_us = 1;
    r.rate.burst = 100000;
    r.shared = PARLEY_SHARED_NEAR;
    r.look = 0;
    r.others = 0;

    parley_state_key(&bench_state.state, PARLEY_KIND_RATE, parts, 2, r.key);

    (void) parley_memory_ops.rate(&bench_state.state, &r, &got, NULL);

    return got.verdict == PARLEY_RATE_OK ? 0 : -1;
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


/* Counts a message that passes and is answered in its worker's slot. */

static int
bench_run_counters(void)
{
    parley_gate_t       g;
    parley_outcome_t    outcome;
    parley_loss_t       loss;
    parley_gate_conf_t  conf;

    static parley_slot_t            slot;
    static const parley_settings_t  settings;

    memset(&g, 0, sizeof(parley_gate_t));
    memset(&outcome, 0, sizeof(parley_outcome_t));

    loss.count = 0;
    conf.speak = PARLEY_PROTO_VCP;

    g.conf.s = &settings;
    g.conf.gate = &conf;
    g.loss = &loss;
    g.read.proto = PARLEY_PROTO_AEE;
    g.report.verdict = PARLEY_VERDICT_PASSED;

    parley_tally_verdict(&slot, &g);
    parley_tally_outcome(&slot, &g, &outcome);
    parley_slot_count_time(&slot, PARLEY_ROW_GATEWAY_TIME, 60000);
    parley_slot_count_time(&slot, PARLEY_ROW_UPSTREAM_TIME, 40000000);

    return slot.cells[PARLEY_M_IN_FLIGHT] == 0 ? 0 : -1;
}
