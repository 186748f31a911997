/* Cases: messages read, translated and written. */

#include <stdio.h>
#include <string.h>

#include "bench_pure.h"


static parley_str_t           bench_body;
static parley_str_t           bench_answer;
static parley_encoded_t       bench_sent;
static parley_loss_t          bench_loss;
static parley_encode_opts_t   bench_opts;


static void bench_prepare_message(const bench_case_t *c);
static void bench_prepare_answer(const bench_case_t *c);
static int bench_run_json(void);
static int bench_run_decode(void);
static int bench_run_to_vcp(void);
static int bench_run_to_aee(void);
static int bench_run_answer(void);
static int bench_encode(parley_proto_t to);


const bench_case_t  bench_message_cases[] = {
    { "aee-json", 20, "aee", 700, bench_prepare_message, bench_run_json },
    { "aee-decode", 20, "aee", 700, bench_prepare_message,
      bench_run_decode },
    { "aee-to-vcp", 20, "aee", 700, bench_prepare_message,
      bench_run_to_vcp },
    { "vcp-answer", 20, "aee", 700, bench_prepare_answer,
      bench_run_answer },
    { "vcp-to-aee", 20, "vcp", 500, bench_prepare_message,
      bench_run_to_aee },
    { "large-500", 20, "aee-large", 500, bench_prepare_message,
      bench_run_to_vcp },
    { "large-8k", 5, "aee-large", 8000, bench_prepare_message,
      bench_run_to_vcp },
    { "large-64k", 2, "aee-large", 64000, bench_prepare_message,
      bench_run_to_vcp },
    { "large-1m", 1, "aee-large", 1000000, bench_prepare_message,
      bench_run_to_vcp },
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
    if (bench_read(bench_body, PARLEY_PROTO_AEE) != 0
        || bench_encode(PARLEY_PROTO_VCP) != 0)
    {
        return -1;
    }

    return parley_str_begins(bench_sent.body, "{\"vcp_message\":\"1.2\",")
           && parley_str_eq(bench_sent.id, bench_request.msg.id) ? 0 : -1;
}


static int
bench_run_to_aee(void)
{
    if (bench_read(bench_body, PARLEY_PROTO_VCP) != 0
        || bench_encode(PARLEY_PROTO_AEE) != 0)
    {
        return -1;
    }

    return parley_str_begins(bench_sent.body, "{\"v\":\"1\",")
           && parley_str_eq(bench_sent.id, bench_request.msg.id) ? 0 : -1;
}


static int
bench_encode(parley_proto_t to)
{
    bench_request_t  *r;

    r = &bench_request;

    memset(&bench_sent, 0, sizeof(parley_encoded_t));
    parley_loss_init(&bench_loss, &r->arena);

    if (parley_encode(r->engine, &r->arena, to, &r->msg, &bench_opts,
                      &bench_sent, &bench_loss, &r->err)
        != 0)
    {
        return -1;
    }

    return bench_loss.count == 0 ? 0 : -1;
}


/* The service's answer to the message that was sent. */

static void
bench_prepare_answer(const bench_case_t *c)
{
    static char  text[128];

    bench_prepare_message(c);

    if (bench_run_to_vcp() != 0) {
        bench_die(c->name);
    }

    bench_answer = parley_str_make(text, (size_t) snprintf(text, sizeof(text),
                          "{\"status\":\"accepted\",\"message_id\":\"%.*s\"}",
                          (int) bench_sent.id.len,
                          (const char *) bench_sent.id.data));
}


static int
bench_run_answer(void)
{
    parley_reply_t        reply;
    parley_arena_t        arena;
    parley_answer_t       answer;
    bench_request_t      *r;
    parley_encode_opts_t  opts;

    r = &bench_request;
    opts = bench_opts;
    opts.answering = &r->msg;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&reply, 0, sizeof(parley_reply_t));

    if (parley_answer_decode(r->engine, &arena, PARLEY_PROTO_VCP, &bench_sent,
                             200, bench_answer, NULL, 1, &answer, &r->err)
        != 0
        || parley_answer_encode(r->engine, &arena, &r->msg, &answer, &opts, 0,
                                &reply, &bench_loss, &r->err)
           != 0)
    {
        return -1;
    }

    parley_arena_reset(&arena);

    return reply.status == 202 && reply.body.len > 0 ? 0 : -1;
}
