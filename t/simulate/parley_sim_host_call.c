/* Calls and streams of the simulated host: the adapter of the gate. */

#include <jansson.h>

#include "auth/parley_certificate.h"
#include "gate/host/parley_host.h"
#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_EVENT  65536   /* maximum of an event's octets */


static sim_call_t *sim_host_free_call(void);
static void sim_host_begin_call(sim_call_t *c, sim_party_t party,
    sim_process_t *p, parley_str_t method);
static void sim_host_run(sim_call_t *c);
static void sim_host_subscribe(sim_call_t *c);
static void sim_host_end_call(sim_call_t *c);
static void sim_host_drop(sim_call_t *c);


static parley_step_result_t
sim_host_step_method(parley_gate_t *g)
{
    return parley_gate_method(g, g->in.method);
}


static parley_step_result_t
sim_host_step_body(parley_gate_t *g)
{
    sim_call_t *c = g->ctx;

    g->in.now_ms = sim_host_now();

    if (c->op != NULL) {
        g->in.body = parley_str_c(c->op->body);
    }

    return PARLEY_RESULT_PASSED;
}


static int64_t
sim_host_clock(parley_gate_t *g)
{
    (void) g;

    return sim_host_now();
}


static int
sim_host_random(parley_gate_t *g, uint8_t out[16])
{
    unsigned  i;

    (void) g;

    for (i = 0; i < 16; i++) {
        out[i] = (uint8_t) parley_test_random(&world.random);
    }

    return 0;
}


static void
sim_host_wakes(parley_gate_t *g)
{
    (void) g;

    sim_host_wake();
}


static int
sim_host_arrival(parley_gate_t *g, parley_arrival_t *ret)
{
    (void) g;

    ret->location = PARLEY_STR(" /chat");

    return 0;
}


static int
sim_host_value(parley_gate_t *g, const parley_value_t *v, parley_str_t *ret)
{
    (void) g;

    *ret = v->text;

    return 0;
}


/* The certificate of a connection proves its caller. */

static int
sim_host_certificate(parley_gate_t *g, const parley_certificate_t **ret)
{
    char                  *name;
    sim_call_t            *c = g->ctx;
    parley_certificate_t  *certificate;

    certificate = parley_arena_calloc(&c->arena, sizeof(parley_certificate_t));
    name = parley_arena_alloc(&c->arena, 16);

    if (certificate == NULL || name == NULL) {
        abort();
    }

    snprintf(name, 16, "CN=%s", sim_parties[c->party]);

    certificate->print[0] = (uint8_t) (1 + c->party);
    certificate->names[0].kind = PARLEY_CERTIFICATE_SHA256;
    certificate->names[0].text = parley_str_make(certificate->print,
                                                 sizeof(certificate->print));
    certificate->names[1].kind = PARLEY_CERTIFICATE_SUBJECT;
    certificate->names[1].text = parley_str_c(name);
    certificate->nnames = 2;
    certificate->expires = INT64_MAX;
    *ret = certificate;

    return 0;
}


/* A request has no headers. */

static void
sim_host_headers(parley_gate_t *g, parley_str_t name,
    void (*found)(void *data, parley_str_t value), void *data)
{
    (void) g;
    (void) name;
    (void) found;
    (void) data;
}


static const parley_gate_env_t  sim_host_env = {
    .steps = {
        [PARLEY_STEP_METHOD] = sim_host_step_method,
        [PARLEY_STEP_BODY] = sim_host_step_body,
    },
    .now = sim_host_clock,
    .random = sim_host_random,
    .wake = sim_host_wakes,
    .arrival = sim_host_arrival,
    .value = sim_host_value,
    .headers = sim_host_headers,
    .certificate = sim_host_certificate,
};


static void
sim_host_resume(parley_ask_t *q)
{
    ((sim_call_t *) q->ctx)->resumed = 1;
}


static sim_call_t *
sim_host_free_call(void)
{
    unsigned  i;

    for (i = 0; i < SIM_HOST_CALLS; i++) {
        if (sim_host.calls[i].process == NULL) {
            return &sim_host.calls[i];
        }
    }

    return NULL;
}


static void
sim_host_begin_call(sim_call_t *c, sim_party_t party, sim_process_t *p,
    parley_str_t method)
{
    unsigned        i;
    parley_gate_t  *g;

    static const parley_mem_t  mem = { sim_alloc, sim_free, NULL };

    memset(c, 0, sizeof(sim_call_t));

    sim_at = p;
    c->process = p;
    c->party = party;

    for (i = 0; i < SIM_ROOMS; i++) {
        c->readers[i] = sim_host.members[i] | sim_host.unsure[i];
    }

    parley_arena_init(&c->arena, &mem, 0);
    parley_error_clear(&c->err);
    parley_loss_init(&c->loss, &c->arena);
    parley_who_about(&c->caller, &c->arena, &c->msg);

    g = &c->gate;

    g->env = &sim_host_env;
    g->ctx = c;
    g->engine = sim_host.render.engine;
    g->arena = &c->arena;
    g->err = &c->err;
    g->who = &c->caller;
    g->doc = &c->doc;
    g->msg = &c->msg;
    g->rewritten = &c->rewritten;
    g->loss = &c->loss;
    g->in.seed = 1;
    g->in.address = PARLEY_STR("1234");
    g->in.tls = 1;
    g->in.method = method;
    g->in.uri = PARLEY_STR("/chat");

    parley_ask_init(&g->ask, &p->memory.state, &c->arena);
    g->ask.resume = sim_host_resume;
    g->ask.ctx = c;

    parley_gate_configure(g, sim_host.http, sim_host.s);
    parley_gate_init(g);
}


void
sim_host_call(sim_op_t *op, sim_process_t *p)
{
    sim_call_t  *c;

    c = sim_host_free_call();

    if (c == NULL) {
        return;
    }

    sim_host_begin_call(c, op->party, p, PARLEY_STR("POST"));

    c->op = op;
    op->flying++;
    op->tries++;

    sim_host_run(c);
}


void
sim_host_open(sim_party_t party, sim_process_t *p)
{
    sim_call_t  *c;

    c = sim_host_free_call();

    if (c != NULL) {
        sim_host_begin_call(c, party, p, PARLEY_STR("GET"));
        sim_host_run(c);
    }
}


static void
sim_host_run(sim_call_t *c)
{
    sim_op_t              *op;
    parley_step_result_t   result;

    sim_at = c->process;
    c->resumed = 0;

    result = parley_gate_run(&c->gate, world.now);

    if (result == PARLEY_RESULT_WAIT) {
        return;
    }

    op = c->op;

    if (op == NULL && result == PARLEY_RESULT_ANSWERED
        && c->gate.serve.opening != NULL)
    {
        sim_host_subscribe(c);
        return;
    }

    if (result == PARLEY_RESULT_FAILED) {
        sim_fail("a call of %s failed: %s", sim_parties[c->party],
                 op != NULL ? op->body : "GET");
    }

    if (op != NULL) {

        if (result == PARLEY_RESULT_ANSWERED) {
            sim_host_octets(c->party, c->gate.out.reply.body, c->readers);
        }

        sim_host_replied(op, result == PARLEY_RESULT_ANSWERED
                             ? 0 : (int) c->err.code,
                         c->gate.out.reply.body);
    }

    sim_host_end_call(c);
}


/* Ends a call, as nginx at the end of a request. */

static void
sim_host_end_call(sim_call_t *c)
{
    sim_at = c->process;

    parley_gate_leave(&c->gate, world.now);

    if (c->op != NULL) {
        c->op->flying--;
    }

    sim_host_drop(c);
}


static void
sim_host_drop(sim_call_t *c)
{
    parley_arena_reset(&c->arena);
    free(c->text);
    c->text = NULL;
    c->process = NULL;
}


/* Runs a call that the state has answered.  Returns 1, or 0. */

int
sim_host_resumed(sim_process_t *p)
{
    unsigned     i;
    sim_call_t  *c;

    for (i = 0; i < SIM_HOST_CALLS; i++) {
        c = &sim_host.calls[i];

        if (c->process != p) {
            continue;
        }

        if (c->over) {
            sim_host_end_call(c);
            return 1;
        }

        if (c->resumed) {
            sim_host_run(c);
            return 1;
        }
    }

    return 0;
}


static void
sim_host_subscribe(sim_call_t *c)
{
    parley_str_t  session;

    c->opening = *c->gate.serve.opening;
    session = c->opening.subscription.session;

    if (session.len > sizeof(c->session)) {
        sim_fail("a mailbox has a long session");
    }

    memcpy(c->session, session.data, session.len);
    c->opening.subscription.session = parley_str_make(c->session, session.len);
    c->open = 1;
    c->joined = 1;

    if (parley_hub_subscribe(c->process->hub, &c->s, &c->opening.subscription)
        != 0)
    {
        sim_fail("a stream did not begin");
    }
}


/* The client of a stream or of a call leaves. */

void
sim_host_leave(sim_call_t *c)
{
    sim_at = c->process;

    if (c->joined) {
        c->joined = 0;
        parley_hub_unsubscribe(c->process->hub, &c->s);
    }

    sim_host_end_call(c);
}


void
sim_host_calls_gone(sim_process_t *p)
{
    unsigned     i;
    sim_call_t  *c;

    for (i = 0; i < SIM_HOST_CALLS; i++) {
        c = &sim_host.calls[i];

        if (c->process == p) {

            if (c->op != NULL) {
                c->op->flying--;
            }

            free(c->text);
            c->text = NULL;
            c->process = NULL;
        }
    }
}


int
sim_host_listens(sim_party_t party)
{
    unsigned  i;

    for (i = 0; i < SIM_HOST_CALLS; i++) {
        if (sim_host.calls[i].process != NULL && sim_host.calls[i].open
            && sim_host.calls[i].party == party && !sim_host.calls[i].over)
        {
            return 1;
        }
    }

    return 0;
}


/* Reads whole events: the data of each is one message. */

static int64_t
sim_host_write(void *ctx, parley_subscriber_t *s, parley_str_t octets)
{
    char        *end, *line;
    size_t       len;
    sim_call_t  *c;

    (void) ctx;

    c = (sim_call_t *) s;

    c->text = realloc(c->text, c->len + octets.len + 1);

    if (c->text == NULL) {
        abort();
    }

    memcpy(c->text + c->len, octets.data, octets.len);
    c->len += octets.len;
    c->text[c->len] = '\0';

    while ((end = strstr(c->text, "\n\n")) != NULL) {

        *end = '\0';
        line = strstr(c->text, "data: ");

        if (line != NULL) {
            line += 6;
            len = strcspn(line, "\n");
            sim_host_octets(c->party, parley_str_make(line, len), NULL);
            sim_host_sees(c->party, parley_str_make(line, len), 0);
        }

        len = (size_t) (end + 2 - c->text);
        c->len -= len;
        memmove(c->text, end + 2, c->len + 1);
    }

    return (int64_t) octets.len;
}


static void
sim_host_ended(void *ctx, parley_subscriber_t *s, parley_end_t why)
{
    (void) ctx;
    (void) why;

    ((sim_call_t *) s)->joined = 0;
    ((sim_call_t *) s)->over = 1;
}


static int
sim_host_encode(void *ctx, const parley_publication_t *p, parley_proto_t to,
    parley_arena_t *arena, parley_str_t *ret)
{
    parley_loss_t   loss;
    parley_error_t  err;

    (void) ctx;

    return parley_deliver(&sim_host.render, p, to, arena, ret, &loss, &err);
}


static int
sim_host_view(void *ctx, const parley_publication_t *p,
    const parley_stream_t *stream, parley_str_t reader, parley_arena_t *arena,
    parley_str_t *ret)
{
    const parley_reader_t  *r;

    (void) ctx;

    if (reader.len == 0 || p->views.len == 0) {
        return 1;
    }

    memcpy(&r, reader.data, sizeof(r));

    return parley_host_view(&sim_host.render, p, r, stream->proto,
                            sim_host_now(), arena, ret);
}


static int
sim_host_admits(void *ctx, const parley_stream_t *stream, parley_str_t reader,
    const parley_publication_t *p)
{
    const parley_reader_t  *r;

    (void) ctx;
    (void) stream;

    if (reader.len == 0) {
        return 1;
    }

    memcpy(&r, reader.data, sizeof(r));

    return p->views.len > 0
           && (r->mailbox != NULL || r->conversation != NULL);
}


static void
sim_host_hub_wake(void *ctx)
{
    (void) ctx;

    sim_host_wake();
}


static void
sim_host_hub_turn(void *ctx)
{
    ((sim_process_t *) ctx)->turn = 1;
}


static uint32_t
sim_host_hub_now(void *ctx)
{
    (void) ctx;

    return (uint32_t) (world.now / 1000);
}


static uint32_t
sim_host_hub_random(void *ctx)
{
    (void) ctx;

    return (uint32_t) parley_test_random(&world.random);
}


const parley_hub_env_t  sim_host_hub_env = {
    .mem = { sim_alloc, sim_free, NULL },
    .write = sim_host_write,
    .end = sim_host_ended,
    .encode = sim_host_encode,
    .view = sim_host_view,
    .admits = sim_host_admits,
    .wake = sim_host_hub_wake,
    .turn = sim_host_hub_turn,
    .now = sim_host_hub_now,
    .random = sim_host_hub_random,
};
