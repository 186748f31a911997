/*
 * Cases: reading AEE messages, canonical forms of one long number, and
 * translations to VCP of all sizes.
 */

#include <string.h>

#include "bench/bench_pure.h"
#include "core/parley_jcs.h"


static parley_str_t           bench_body;
static parley_encoded_t       bench_sent;
static parley_loss_t          bench_loss;
static parley_encode_opts_t   bench_opts;


static void bench_prepare_message(const bench_case_t *c);
static int bench_run_json(void);
static int bench_run_decode(void);
static int bench_run_to_vcp(void);
static int bench_run_canonical(void);


const bench_case_t  bench_message_cases[] = {
    { "aee-json", 20, "aee", 700, bench_prepare_message, bench_run_json },
    { "aee-decode", 20, "aee", 700, bench_prepare_message,
      bench_run_decode },
    { "large-500", 20, "aee-large", 500, bench_prepare_message,
      bench_run_to_vcp },
    { "large-8k", 5, "aee-large", 8000, bench_prepare_message,
      bench_run_to_vcp },
    { "large-64k", 2, "aee-large", 64000, bench_prepare_message,
      bench_run_to_vcp },
    { "large-1m", 1, "aee-large", 1000000, bench_prepare_message,
      bench_run_to_vcp },
    { "number-8k", 5, "aee-number", 8000, bench_prepare_message,
      bench_run_canonical },
    { "number-1m", 1, "aee-number", 1000000, bench_prepare_message,
      bench_run_canonical },
    { NULL, 0, NULL, 0, NULL, NULL }
};


static void
bench_prepare_message(const bench_case_t *c)
{
    bench_body = bench_make(c, NULL, NULL);

    memset(&bench_opts, 0, sizeof(parley_encode_opts_t));

    bench_opts.self = PARLEY_STR("agent.gateway");
}


static int
bench_run_json(void)
{
    parley_arena_reset(&bench_request.arena);

    return parley_json_read(&bench_request.doc, &bench_request.arena, NULL, 1,
                            bench_body, &bench_request.err);
}


static int
bench_run_decode(void)
{
    return bench_read(bench_body, PARLEY_PROTO_AEE);
}


static int
bench_run_to_vcp(void)
{
    bench_request_t  *r;

    r = &bench_request;

    if (bench_read(bench_body, PARLEY_PROTO_AEE) != 0) {
        return -1;
    }

    memset(&bench_sent, 0, sizeof(parley_encoded_t));
    parley_loss_init(&bench_loss, &r->arena);

    return parley_encode(r->engine, &r->arena, PARLEY_PROTO_VCP, &r->msg,
                         &bench_opts, &bench_sent, &bench_loss, &r->err)
           == 0
           && bench_loss.count == 0
           && parley_str_begins(bench_sent.body, "{\"vcp_message\":\"1.2\",")
           && parley_str_eq(bench_sent.id, r->msg.id) ? 0 : -1;
}


static int
bench_run_canonical(void)
{
    parley_buf_t      b;
    parley_str_t      ret;
    bench_request_t  *r;

    r = &bench_request;

    if (bench_run_json() != 0) {
        return -1;
    }

    parley_buf_init(&b, &r->arena, 512);
    parley_jcs_write(&b, (parley_json_ref_t) { &r->doc, 0 }, parley_str_none);

    return parley_buf_done(&b, &ret) == 0 && ret.len < 400 ? 0 : -1;
}
