/*
 * Cases: a message of each protocol for a service of each other protocol, and
 * the answer of this service for the caller.  Names come from a directory, as
 * in the gateway.
 */

#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_answer.h"
#include "bench/bench_pure.h"
#include "auth/parley_actor.h"
#include "auth/parley_directory.h"
#include "gate/settings/parley_identities.h"
#include "translate/parley_agent.h"


#define BENCH_PAIR(from, to, kind)                                            \
    { from "-to-" to, 20, kind, 700, bench_prepare_pair, bench_run_pair },    \
    { from "-to-" to "-answer", 20, kind, 700, bench_prepare_told,            \
      bench_run_told }


/* 0: the sender, 1: the recipient */
static parley_proto_t           bench_protos[2];
static parley_str_t             bench_body;
static char                     bench_answer_text[BENCH_ANSWER_MAX];
static int                      bench_answer_status;
static parley_str_t             bench_answer_body;
static parley_encoded_t         bench_sent;
static parley_encode_opts_t     bench_opts;
static parley_loss_t            bench_loss;
static parley_directory_t      *bench_directory;


static void bench_prepare_pair(const bench_case_t *c);
static void bench_prepare_told(const bench_case_t *c);
static int bench_run_pair(void);
static int bench_run_told(void);
static void bench_pair_directory(void);
static int bench_find(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_agent_t *ret);
static int bench_resolve(void *ctx, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret);
static void bench_attribute(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);


const bench_case_t  bench_pair_cases[] = {
    BENCH_PAIR("aee", "vcp", "aee"),
    BENCH_PAIR("aee", "c2a", "aee-task"),
    BENCH_PAIR("aee", "channel", "aee-task"),
    BENCH_PAIR("aee", "moq", "aee-task"),
    BENCH_PAIR("vcp", "aee", "vcp"),
    BENCH_PAIR("vcp", "c2a", "vcp"),
    BENCH_PAIR("vcp", "channel", "vcp"),
    BENCH_PAIR("c2a", "aee", "c2a"),
    BENCH_PAIR("c2a", "vcp", "c2a-escalation"),
    BENCH_PAIR("c2a", "channel", "c2a"),
    BENCH_PAIR("channel", "aee", "channel"),
    BENCH_PAIR("channel", "vcp", "channel-diagnostic"),
    BENCH_PAIR("channel", "c2a", "channel"),
    BENCH_PAIR("moq", "aee", "moq"),
    { NULL, 0, NULL, 0, NULL, NULL }
};


static void
bench_prepare_pair(const bench_case_t *c)
{
    const char  *to, *end;

    to = strstr(c->name, "-to-") + 4;
    end = strstr(to, "-answer");

    bench_protos[0] = parley_proto_find(parley_str_make(c->name,
                                           (size_t) (to - 4 - c->name)));
    bench_protos[1] = parley_proto_find(parley_str_make(to, end != NULL
                                                  ? (size_t) (end - to)
                                                  : strlen(to)));

    bench_pair_directory();

    bench_body = bench_make(c, NULL, NULL);

    memset(&bench_opts, 0, sizeof(parley_encode_opts_t));

    bench_opts.self = PARLEY_STR("agent.gateway");
    bench_opts.context = PARLEY_STR("ctx|gateway");
    bench_opts.principal = PARLEY_STR("child-7");
    bench_opts.resolve = bench_resolve;
    bench_opts.attribute = bench_attribute;
}


static void
bench_pair_directory(void)
{
    static parley_arena_t  arena;

    if (bench_directory != NULL) {
        return;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_directory_parse(&arena, bench_file("identities.json"),
                               parley_identities_party,
                               &bench_directory, &bench_request.err)
        != 0)
    {
        bench_die("identities.json");
    }
}


static int
bench_run_pair(void)
{
    bench_request_t      *r;
    parley_submission_t   submission;

    r = &bench_request;

    if (bench_read(bench_body, bench_protos[0]) != 0) {
        return -1;
    }

    memset(&submission, 0, sizeof(parley_submission_t));

    submission.sender = r->msg.sender.len > 0 ? r->msg.sender
                                              : PARLEY_STR("child-7");
    submission.recipient = PARLEY_STR("parent-1");
    submission.ms = 1;

    bench_attribute(NULL, r->msg.wire, submission.sender, &submission.human,
                    &submission.instrument);

    memset(&bench_sent, 0, sizeof(parley_encoded_t));
    parley_loss_init(&bench_loss, &r->arena);

    bench_opts.now_ms = 1;

    return parley_submit(&r->arena, &r->msg, &submission, &r->err) == 0
           && parley_encode(r->engine, &r->arena, bench_protos[1], &r->msg,
                            &bench_opts, &bench_sent, &bench_loss, &r->err)
              == 0
           && !bench_sent.copied ? 0 : -1;
}


/* Makes the service's answer to the message that it received. */

static void
bench_prepare_told(const bench_case_t *c)
{
    int           n;
    char         *body;
    bench_http_t  request;

    bench_prepare_pair(c);

    if (bench_run_pair() != 0) {
        bench_die(c->name);
    }

    memset(&request, 0, sizeof(bench_http_t));

    n = asprintf(&request.data, "POST /%s HTTP/1.1\r\n\r\n%.*s",
                 (const char *) parley_proto_name(bench_protos[1]).data,
                 (int) bench_sent.body.len,
                 (const char *) bench_sent.body.data);
    if (n < 0) {
        bench_die(c->name);
    }

    request.len = (size_t) n;
    request.head = request.len - bench_sent.body.len;

    (void) bench_answer(&request, bench_answer_text);
    free(request.data);

    body = strstr(bench_answer_text, "\r\n\r\n") + 4;

    bench_answer_body = parley_str_make(body, strlen(body));
    bench_answer_status = atoi(bench_answer_text + sizeof("HTTP/1.1 ") - 1);
}


static int
bench_run_told(void)
{
    int                   rc;
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

    rc = parley_answer_decode(r->engine, &arena, bench_protos[1], &bench_sent,
                              bench_answer_status, bench_answer_body, NULL, 1,
                              &answer, &r->err);

    if (rc == 0) {
        rc = parley_answer_encode(r->engine, &arena, &r->msg, &answer, &opts,
                                  1, &reply, &bench_loss, &r->err);
    }

    parley_arena_reset(&arena);

    return rc == 0 && reply.status < 300 ? 0 : -1;
}


static int
bench_find(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_agent_t *ret)
{
    const parley_principal_t  *owner;

    (void) ctx;

    owner = parley_directory_by_name(bench_directory,
                                     (parley_namespace_t) proto, name);
    if (owner == NULL) {
        return 0;
    }

    ret->sub = owner->sub;
    ret->parent = owner->parent;
    ret->names = owner->names;
    ret->data = owner;

    return 1;
}


static int
bench_resolve(void *ctx, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_agents_t  agents;

    agents.arena = &bench_request.arena;
    agents.find = bench_find;
    agents.ctx = ctx;

    return parley_agent_resolve(&agents, &bench_request.msg, NULL, from,
                                name, to, ret);
}


static void
bench_attribute(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    parley_agent_t             agent;
    const parley_principal_t  *principal;

    *ret_human = parley_str_none;
    *ret_instrument = parley_str_none;

    if (bench_find(ctx, proto, name, &agent)) {
        principal = agent.data;
        *ret_human = parley_actor_human(principal);
        *ret_instrument = principal->instrument;
    }
}
