/* The world: its beginning, its steps, and the end, at which all is settled. */

#include <stdarg.h>

#include "t/simulate-link/parley_sim_link.h"


/* octets of the longest writes of a call; see sim_bound() */
#define SIM_CONTROL  262144
#define SIM_WRITE    (SIM_RECORD + 64 * (SIM_RECORD / 1400 + 1))


sim_link_t  sim_link;

const char *const  sim_names[] = { "alice", "bob", "none" };
const parley_moqt_draft_t *const  sim_draft = &parley_moqt_draft_16;


void
sim_link_tell(const char *fmt, ...)
{
    va_list  args;

    sim_run.received++;

    if (sim_run.told == 0) {
        return;
    }

    va_start(args, fmt);
    printf("%8lld  ", (long long) sim_link.now);
    vprintf(fmt, args);
    printf("\n");
    va_end(args);
}


unsigned
sim_below(unsigned n)
{
    return parley_test_below(&sim_link.draw, n);
}


int
sim_chance(unsigned percent)
{
    return parley_test_chance(&sim_link.draw, percent);
}


/*
 * The memory of a link at most: for each thing that it holds, their number and
 * their octets.  Buffers double, and the old one lives while it is copied.
 */

static size_t
sim_bound(void)
{
    size_t  stream, track, fetch, session, post, source, call;

    stream = 1024 + 3 * SIM_OBJECT + 3 * 65536;
    track = 2 * (SIM_FULL + PARLEY_LINK_POSTS * (SIM_ANSWER + 256))
            + 3 * (SIM_FULL + SIM_WRITE);
    fetch = 1024 + 3 * (SIM_FULL + SIM_WRITE);
    session = 512 + 4 * SIM_OBJECT;
    post = 256 + 3 * SIM_OBJECT;
    source = 64 + PARLEY_LINK_AGENT_MAX;
    call = 16 * SIM_OBJECT + 65536;

    return 65536                                /* itself, its requests */
           + 3 * 65536                          /* a control message */
           + 3 * SIM_CONTROL                    /* octets for the peer */
           + (SIM_INPUTS + 2) * stream / 8      /* few have extensions */
           + (4 * SIM_SESSIONS + 6) * track
           + SIM_SESSIONS * (session + fetch)
           + PARLEY_LINK_POSTS * post
           + (SIM_TRACKS + 64) * source
           + SIM_TRACKS * (3 * (SIM_LAG + SIM_OBJECT) + 130 * 1024)
           + 6 * SIM_OBJECT + 4096              /* chunks of payloads */
           + call;
}


void
sim_drop(sim_conn_t *c)
{
    unsigned       i;
    sim_out_t     *out;

    sim_link_tell("%u: ends", c->number);

    c->closed = 1;

    for (i = 0; i < SIM_INPUTS; i++) {
        free(c->inputs[i].octets);
    }

    for (i = 0; i < SIM_FETCHES; i++) {
        if (c->fetches[i].fetch == NULL) {
            c->fetches[i].used = 0;
        }
    }

    parley_link_free(c->link, "the end");
    c->link = NULL;
    c->number = 0;

    parley_moqt_session_free(&c->client);

    while ((out = c->outs) != NULL) {
        c->outs = out->next;
        parley_moqt_data_free(&out->data);
        free(out->octets);
        free(out->frame);
        free(out->whole);
        free(out);
    }

    sim_held_free(&c->held[SIM_HELD_CONTROL]);
    sim_held_free(&c->held[SIM_HELD_LIST]);
    free(c->out.octets);
    free(c->listed.octets);
    parley_moqt_control_free(&c->list_control);
    c->out.octets = NULL;

    if (c->mem.octets != 0) {
        sim_fail("MOQ-12: a link keeps %zu octets of %zu allocations after "
                 "its end", c->mem.octets, c->mem.count);
    }
}


void
sim_after(sim_conn_t *c)
{
    unsigned  i;

    if (c->number == 0 || c->link == NULL) {
        return;
    }

    sim_look(c);

    if (c->mem.octets > sim_bound()) {
        sim_fail("MOQ-16: a link has %zu octets, and may have %zu",
                 c->mem.octets, sim_bound());
    }

    if (parley_link_sessions(c->link) > SIM_SESSIONS) {
        sim_fail("MOQ-13: more than %d sessions", SIM_SESSIONS);
    }

    if (c->resumed && !c->closed) {
        c->resumed = 0;
        c->mail_waits = 0;
        c->held[SIM_HELD_CONTROL].waits = 0;
        c->held[SIM_HELD_LIST].waits = 0;

        for (i = 0; i < SIM_INPUTS; i++) {
            c->inputs[i].blocked = 0;
        }

        if (sim_held(c)) {
            sim_after(c);
        }
    }
}


/* Time passes for a connection. */

static void
sim_tick(sim_conn_t *c)
{
    if (c->number != 0 && !c->closed) {
        (void) parley_link_tick(c->link);
        sim_after(c);
    }
}


/* Ends the connections that the link has closed, and those without memory. */

static void
sim_sweep(void)
{
    unsigned     i;
    sim_conn_t  *c;

    for (i = 0; i < SIM_CONNS; i++) {
        c = &sim_link.conns[i];

        if (c->number != 0 && c->closed) {
            sim_drop(c);
        }
    }
}


void
sim_link_begin(uint64_t seed)
{
    unsigned     i;
    sim_link_t  *s = &sim_link;

    memset(s, 0, sizeof(sim_link_t));

    s->random.state = seed;
    s->draw.state = seed;
    s->now = 1000;
    s->nframes = 1;
    s->ntokens = 1;             /* no token: it is refused */
    s->tokens[0].who = 2;
    s->stateless = (unsigned) parley_test_chance(&s->random, 40);
    s->floods = (unsigned) parley_test_chance(&s->random, 10);
    s->starving = (unsigned) parley_test_chance(&s->random, 20);

    s->nfilms = 1;
    s->rules[0][1] = (unsigned) parley_test_chance(&s->random, 50);
    s->rules[1][0] = (unsigned) parley_test_chance(&s->random, 50);

    for (i = 0; i < 2; i++) {
        s->logs[i].epoch = 0xabc0 + 16 * i;
        s->logs[i].last = parley_test_chance(&s->random, 30) ? 0
                          : 200 + parley_test_below(&s->random, 120);
        s->logs[i].first = 1;
    }
}


static void
sim_link_free_relays(void)
{
    while (sim_link.nrelays > 0) {
        free(sim_link.relays[--sim_link.nrelays].octets);
    }
}


void
sim_link_forget(void)
{
    unsigned     i, j;
    sim_out_t   *out;
    sim_conn_t  *c;

    sim_link_free_relays();

    for (i = 0; i < SIM_CONNS; i++) {

        c = &sim_link.conns[i];
        sim_env_free(&c->mem);

        if (c->number == 0) {
            continue;
        }

        parley_moqt_session_free(&c->client);

        for (j = 0; j < SIM_INPUTS; j++) {
            free(c->inputs[j].octets);
        }

        while ((out = c->outs) != NULL) {
            c->outs = out->next;
            parley_moqt_data_free(&out->data);
            free(out->octets);
            free(out->frame);
            free(out->whole);
            free(out);
        }

        sim_held_free(&c->held[SIM_HELD_CONTROL]);
        sim_held_free(&c->held[SIM_HELD_LIST]);
        free(c->out.octets);
        free(c->listed.octets);
        parley_moqt_control_free(&c->list_control);
        c->number = 0;
    }
}


void
sim_link_step(const sim_step_t *step)
{
    unsigned         i;
    sim_conn_t      *c;
    sim_link_verb_t  verb;

    sim_link.draw.state = step->arg;

    verb = (sim_link_verb_t) step->verb;
    c = &sim_link.conns[sim_below(SIM_CONNS)];

    switch (verb) {

    case SIM_STEP_APPEND:
    case SIM_STEP_TRIM:
    case SIM_STEP_EPOCH:
        sim_step_log(verb);
        break;

    case SIM_STEP_RELAY:
        (void) sim_relay();
        break;

    case SIM_STEP_TIME:
        sim_link.now += sim_chance(80) ? 50 + sim_below(400)
                                       : sim_below(4000);
        break;

    case SIM_STEP_LOSE:

        if (c->number != 0) {
            sim_drop(c);
        }

        break;

    default:

        /* the first step of a free place connects */

        if (c->number == 0) {
            sim_connect(c);

        } else if (verb != SIM_STEP_CONNECT) {
            sim_step_conn(c, verb);
        }
    }

    for (i = 0; i < SIM_CONNS; i++) {
        sim_tick(&sim_link.conns[i]);
    }

    sim_sweep();
}


/* Does all that waits.  Returns whether there was something. */

static int
sim_settle(sim_conn_t *c)
{
    int           work;
    unsigned      i;
    sim_out_t    *out;
    sim_track_t  *t;

    work = 0;
    c->room = SIZE_MAX;
    c->may_open = 64;
    c->out.room = SIZE_MAX;
    c->listed.room = SIZE_MAX;
    work |= c->listed.choked;

    for (out = c->outs; out != NULL; out = out->next) {
        out->room = SIZE_MAX;
        work |= out->choked;
    }

    sim_writable(c);

    if (c->requests && c->client.maximum_in < 4 * SIM_REQUESTS) {
        sim_step_conn(c, SIM_STEP_GRANT);
    }

    for (i = 0; i < SIM_PUBS && !c->closed; i++) {
        if (c->pubs[i].used && !c->pubs[i].sent) {
            sim_publish(c, &c->pubs[i]);
        }
    }

    for (i = 0; i < c->ntracks && !c->closed; i++) {
        t = &c->tracks[i];

        if (t->offered) {
            sim_accept(c, t, 1);
            work = 1;

        } else if (t->live && !t->forward) {
            sim_update(c, t, 1);
            work |= t->forward;

        } else if (!t->live && !t->asked && !t->mailbox) {
            sim_subscribe(c, t);
        }
    }

    for (i = 0; i < SIM_INPUTS && !c->closed; i++) {
        work |= sim_give(c, &c->inputs[i], SIZE_MAX);
    }

    while (!c->closed && sim_prove(c)) {
        work = 1;
    }

    while (!c->closed && sim_answer(c)) {
        work = 1;
    }

    work |= sim_serve(c);
    work |= sim_mail(c);

    while (!c->closed && sim_updated(c)) {
        work = 1;
    }

    while (!c->closed && sim_join(c)) {
        work = 1;
    }

    while (sim_relay()) {
        work = 1;
    }

    return work;
}


/* Judges a connection of which nothing waits any longer. */

static void
sim_judge(sim_conn_t *c)
{
    char          name[320];
    unsigned      i, open, due;
    const parley_moqt_request_t  *r;

    sim_open_t   *s;
    sim_track_t  *t;
    sim_frame_t  *f;

    if (parley_link_principal(c->link).len == 0) {
        return;             /* streams wait for the first proof */
    }

    if (c->held[SIM_HELD_CONTROL].n > 0 || c->held[SIM_HELD_LIST].n > 0) {
        sim_fail("MOQ-12: a message of the peer waits for ever");
    }

    for (i = 0; i < SIM_INPUTS; i++) {

        if (c->inputs[i].octets == NULL) {
            continue;
        }

        /* a track without a subscription can only wait; after GOAWAY the peer
           begins none */

        if (c->inputs[i].blocked && c->requests && !c->left && !c->evil) {
            sim_fail("MOQ-12: a stream of the peer waits for ever");
        }

        return;
    }

    for (i = 0; i < c->ntracks; i++) {
        t = &c->tracks[i];

        if (t->mailbox && t->live && !t->torn && t->ndue > 0) {
            sim_fail("MOQ-15: the record %llu never comes",
                     (unsigned long long) t->due[0]);
        }
    }

    for (i = 0; i < 2 * SIM_REQUESTS; i++) {
        r = &c->client.requests[i];

        if (r->own && (r->state == PARLEY_MOQT_PENDING
                       || r->state == PARLEY_MOQT_CANCELLED)
            && r->type != PARLEY_MOQT_SUBSCRIBE_NAMESPACE)
        {
            sim_fail("MOQ-12: the request %llu has no answer",
                     (unsigned long long) r->id);
        }
    }

    open = 0;

    for (i = 0; i < SIM_PROOFS; i++) {
        open |= c->proofs[i].used && c->proofs[i].proved;
    }

    if (open && c->listener == -1 && parley_link_sessions(c->link) > 0
        && !c->evil)
    {
        sim_fail("MOQ-15: an open connection has no mailbox");
    }

    if (c->list != NULL && c->list_ok != 2 && !c->listed.stopped
        && (c->list_ok == 0 || c->list_names != SIM_AGENTS))
    {
        sim_fail("MOQ-08: %u of %d agents are listed", c->list_names,
                 SIM_AGENTS);
    }

    sim_judge_watches(c);

    if (c->mail_waits) {
        sim_fail("MOQ-15: the mailbox waits for ever");
    }

    for (i = 0; i < c->naliases; i++) {
        if (c->aliases[i].done && !c->aliases[i].torn && !c->headless
            && c->aliases[i].streams != c->aliases[i].told)
        {
            sim_fail("MOQ-12: PUBLISH_DONE counts %llu streams of %llu",
                     (unsigned long long) c->aliases[i].told,
                     (unsigned long long) c->aliases[i].streams);
        }
    }

    for (i = 1; i < sim_link.nframes; i++) {

        f = &sim_link.frames[i];

        if (f->conn != c->number) {
            continue;
        }

        s = sim_open(c, f->id);

        if (s == NULL || s->shaky) {
            continue;
        }

        snprintf(name, sizeof(name), "parley.%s.cmd", s->name);
        t = sim_track(c, parley_str_c(name));

        if (f->arrived && f->open && f->kind == SIM_CMD && f->posted == 0
            && f->agent == c->who && !c->evil)
        {
            sim_fail("MOQ-17: the command %u is lost", i);
        }

        if (t == NULL || t->torn || !t->live || !t->forward) {
            continue;
        }

        due = f->due && !sim_link.tokens[f->token].expired;

        if (f->arrived && f->open && !c->evil) {
            due |= f->kind == SIM_BEAT || f->kind == SIM_INIT;
        }

        if (f->answers == 0 && due) {
            sim_fail("MOQ-17: the frame %u has no answer", i);
        }
    }
}


static void
sim_rest(sim_conn_t *c)
{
    unsigned  n;

    for (n = 0; n < 300 && c->number != 0 && !c->closed; n++) {
        sim_link.draw.state = n;

        if (!sim_settle(c) && n > 3) {
            break;
        }
    }
}


void
sim_link_end(void)
{
    unsigned     i, n;
    sim_conn_t  *c;

    for (i = 0; i < SIM_CONNS; i++) {
        c = &sim_link.conns[i];

        sim_rest(c);

        /* streams whose alias stays unknown are stopped */

        for (n = 0; n < 8 && c->number != 0 && !c->closed; n++) {
            sim_link.now += 1001;
            sim_tick(c);
            sim_rest(c);
        }

        if (c->number != 0 && !c->closed && !c->mem.starved
            && !c->faulty)
        {
            sim_judge(c);
        }

        if (c->number != 0) {
            sim_drop(c);
        }
    }

    sim_link_free_relays();
}
