/*
 * Cases: the decision of the host of chat about one reader of an event, alone
 * and with the search for the parties of the event.
 */

#include <string.h>

#include "bench/bench_pure.h"
#include "gate/host/parley_attention.h"
#include "gate/settings/parley_identities.h"


static parley_chat_event_t        bench_event;
static parley_directory_t        *bench_directory;
static parley_attention_t         bench_attention;
static parley_attention_thread_t  bench_thread;
static const parley_principal_t  *bench_principals;


static void bench_prepare_verdict(const bench_case_t *c);
static int bench_find(void);
static int bench_run_verdict(void);
static int bench_run_parties(void);


const bench_case_t  bench_host_cases[] = {
    { "verdict", 20, NULL, 0, bench_prepare_verdict, bench_run_verdict },
    { "parties", 20, NULL, 0, bench_prepare_verdict, bench_run_parties },
    { NULL, 0, NULL, 0, NULL, NULL }
};


/* A direct message of a human to an agent. */

static void
bench_prepare_verdict(const bench_case_t *c)
{
    parley_error_t          err;
    parley_chat_event_t    *e;
    static parley_arena_t   arena;

    static const parley_str_t  file = parley_str(
        "{\"principals\":["
        "{\"sub\":\"ada\",\"handle\":\"~ada\",\"c2a\":\"agent:ada\"},"
        "{\"sub\":\"will\",\"handle\":\"~will\",\"c2a\":\"human:will\","
        "\"accounts\":[\"web/main/will\"]}]}");

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_identities_read(&arena, &parley_mem_libc, file,
                               &bench_directory, &err) != 0)
    {
        bench_die(c->name);
    }

    (void) parley_directory_principals(bench_directory, &bench_principals);

    e = &bench_event;

    e->id = PARLEY_STR("m1");
    e->platform = PARLEY_STR("web");
    e->workspace = PARLEY_STR("main");
    e->conversation = PARLEY_STR("D1");
    e->kind = PARLEY_CHAT_DM;
    e->author = PARLEY_STR("will");
    e->human = 1;
    e->recipient.kind = PARLEY_CHAT_TARGET_NAME;
    e->recipient.text = PARLEY_STR("agent:ada");
    e->deadline_ms = -1;
    e->created_ms = -1;
    e->directedness = PARLEY_CHAT_TO_ME;
    e->policy = PARLEY_CHAT_MUST;
    e->mode = PARLEY_CHAT_IMMEDIATE;

    if (bench_find() != 0) {
        bench_die(c->name);
    }
}


/* Finds the parties of the event.  Returns 0 or -1. */

static int
bench_find(void)
{
    parley_attention_input_t  in;

    memset(&in, 0, sizeof(in));
    parley_arena_reset(&bench_request.arena);

    in.directory = bench_directory;
    in.event = &bench_event;
    in.thread = &bench_thread;
    in.deadline_ms = PARLEY_ATTENTION_DEADLINE;
    in.loop = PARLEY_ATTENTION_LOOP;
    in.accepted_ms = 1000;

    return parley_attention_init(&bench_attention, &bench_request.arena, &in,
                                 &bench_request.err);
}


/* Decides about the recipient. */

static int
bench_run_verdict(void)
{
    parley_attention_offer_t    offer;
    parley_attention_verdict_t  v;

    memset(&offer, 0, sizeof(offer));

    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.now_ms = 1000;

    parley_attention_decide(&bench_attention, &bench_principals[0], &offer,
                            &v);

    return v.row == PARLEY_ATTENTION_DM && v.policy == PARLEY_CHAT_MUST ? 0
                                                                        : -1;
}


static int
bench_run_parties(void)
{
    return bench_find() == 0 ? bench_run_verdict() : -1;
}
