/*
 * Suspensions in the simulated world.  A suspended principal sends nothing
 * until a message of its parent is settled (VCP-26).  That message must answer
 * the last suspension.
 */

#include "gate/party/parley_account.h"
#include "t/simulate/parley_sim.h"


/* the change in progress, in case the process dies */
static struct {
    sim_hold_t     *suspends;
    uint32_t        generation;         /* generation before the change */
    sim_resume_t    settles;
} under;


static const parley_severity_t  sim_alarms[SIM_HOLDS] = {
    PARLEY_SEVERITY_CRITICAL, PARLEY_SEVERITY_EMERGENCY
};


static void
sim_hold_ask(parley_ask_t *ask, parley_state_t *state)
{
    parley_ask_init(ask, state, &world.arena);
    parley_ask_begin(ask, world.now);
}


static void
sim_hold_account(sim_admission_t *a, unsigned principal)
{
    memset(a, 0, sizeof(sim_admission_t));

    parley_account_key(&world.outside.state, sim_sub(principal),
                       parley_str_none, a->account);
}


static const parley_admission_t *
sim_hold_admission(sim_admission_t *a)
{
    memset(&a->admission, 0, sizeof(a->admission));

    a->admission.account = a->account;
    a->admission.id = a->id;
    a->admission.print = a->print;
    a->admission.ttl = 1000;

    return &a->admission;
}


static unsigned
sim_hold_of(const parley_suspension_t *s)
{
    return s->alarm == PARLEY_SEVERITY_EMERGENCY;
}


/*
 * Returns the generation of the current suspension, or 0 without one.  No
 * process dies during this look.
 */

static uint32_t
sim_hold_generation(const sim_hold_t *hold)
{
    size_t                i;
    uint32_t              generation;
    unsigned              edges, n;
    parley_ask_t          ask;
    parley_suspensions_t  there;

    edges = sim_edges;
    sim_edges = 0;
    generation = 0;
    n = (unsigned) (hold - &world.holds[0][0]);

    sim_hold_ask(&ask, &world.outside.state);

    if (parley_suspension_get(&ask, sim_sub(n / SIM_HOLDS), &there) != 0) {
        abort();
    }

    for (i = 0; i < there.n; i++) {
        if (sim_hold_of(&there.list[i]) == n % SIM_HOLDS) {
            generation = there.list[i].lift.generation;
        }
    }

    sim_edges = edges;

    return generation;
}


static void
sim_hold_suspend(sim_process_t *p, unsigned principal)
{
    unsigned              i;
    parley_ask_t          ask;
    sim_hold_t           *hold;
    parley_put_result_t   got;
    parley_suspension_t   s;

    memset(&s, 0, sizeof(s));

    i = parley_test_below(&world.random, SIM_HOLDS);
    hold = &world.holds[principal][i];

    s.alarm = sim_alarms[i];
    s.since_ms = world.now;
    s.sub = sim_sub(principal);
    s.id = parley_test_chance(&world.random, 50)
           ? PARLEY_STR("an id")
           : PARLEY_STR("an id that takes more room than the other one did, so "
                        "that what is there is not what there was before it");

    under.generation = sim_hold_generation(hold);
    under.suspends = hold;
    sim_hold_ask(&ask, &p->memory.state);

    if (parley_suspension_put(&ask, &s, &got) != 0) {
        abort();
    }

    under.suspends = NULL;

    if (got == PARLEY_PUT_OK) {
        hold->on = 1;
        hold->version++;
    }
}


/* Sends a message that is not an escalation. */

static void
sim_hold_send(sim_process_t *p, unsigned principal)
{
    int                   held;
    sim_admission_t       a;
    parley_ask_t          ask;
    parley_admitted_t     got;
    parley_admission_t    admission;
    parley_settlement_t   how;

    held = world.holds[principal][0].on || world.holds[principal][1].on;

    sim_hold_account(&a, principal);
    admission = *sim_hold_admission(&a);
    admission.id = NULL;
    admission.suspends = 1;

    sim_hold_ask(&ask, &p->memory.state);

    if (parley_ask_admit(&ask, &admission, &got) != 0) {
        abort();
    }

    if (held != (got.verdict == PARLEY_ADMIT_SUSPENDED)) {
        sim_fail("VCP-26: %s is %s", (const char *) sim_sub(principal).data,
                 held ? "admitted although it is suspended"
                      : "refused although nothing holds it");
    }

    if (got.verdict == PARLEY_ADMIT_OK) {
        memset(&how, 0, sizeof(how));
        how.stamp = got.stamp;
        p->memory.state.ops->settle(&p->memory.state, &admission, &how, NULL,
                                    NULL);
    }
}


static void
sim_hold_lifted(const sim_resume_t *r)
{
    size_t       i;
    sim_hold_t  *hold;

    for (i = 0; i < r->n; i++) {
        hold = &world.holds[r->principal][r->holds[i]];

        if (hold->version == r->versions[i]) {
            hold->on = 0;
        }
    }
}


/* Settles the parent's message, as accepted or not. */

static void
sim_hold_settle(sim_process_t *p, sim_resume_t *r)
{
    int                   late;
    parley_ask_t          ask;
    parley_settlement_t   how;

    memset(&how, 0, sizeof(how));
    how.stamp = r->stamp;
    how.taken = !parley_test_chance(&world.random, 20);

    if (how.taken) {
        how.lifts = r->lifts;
        how.nlifts = r->n;
    }

    under.settles = *r;
    r->process = NULL;

    sim_hold_ask(&ask, &p->memory.state);

    if (parley_ask_settle(&ask, sim_hold_admission(&r->admission), &how, &late)
        != 0)
    {
        abort();
    }

    under.settles.process = NULL;

    if (how.taken) {
        sim_hold_lifted(r);
    }
}


static void
sim_hold_resume(sim_process_t *p, unsigned principal)
{
    size_t                i;
    unsigned              hold;
    parley_ask_t          ask;
    parley_str_t          part;
    sim_resume_t         *r;
    parley_admitted_t     got;
    parley_suspensions_t  there;

    for (i = 0; i < SIM_ANSWERS && world.resumes[i].process != NULL; i++) {
        /* void */
    }

    if (i == SIM_ANSWERS) {
        return;
    }

    r = &world.resumes[i];
    memset(r, 0, sizeof(sim_resume_t));

    r->principal = principal;
    sim_hold_account(&r->admission, principal + 1);
    world.nresumes++;
    part = parley_str_make(&world.nresumes, sizeof(world.nresumes));
    parley_state_key(&world.outside.state, PARLEY_KIND_ID, &part, 1,
                     r->admission.id);

    sim_hold_ask(&ask, &p->memory.state);

    if (parley_suspension_get(&ask, sim_sub(principal), &there) != 0
        || parley_ask_admit(&ask, sim_hold_admission(&r->admission), &got)
           != 0)
    {
        abort();
    }

    if (got.verdict != PARLEY_ADMIT_OK) {
        return;
    }

    for (i = 0; i < there.n; i++) {
        hold = sim_hold_of(&there.list[i]);

        r->lifts[r->n] = there.list[i].lift;
        r->holds[r->n] = hold;
        r->versions[r->n++] = world.holds[principal][hold].version;
    }

    r->stamp = got.stamp;
    r->process = p;

    if (parley_test_chance(&world.random, 40)) {
        sim_hold_settle(p, r);
    }
}


void
sim_hold(sim_process_t *p)
{
    unsigned  i, principal;

    principal = parley_test_below(&world.random, SIM_PRINCIPALS - 1);

    switch (parley_test_below(&world.random, 4)) {

    case 0:
        sim_hold_suspend(p, principal);
        return;

    case 1:
        sim_hold_send(p, principal);
        return;

    case 2:
        sim_hold_resume(p, principal);
        return;

    default:

        for (i = 0; i < SIM_ANSWERS; i++) {
            if (world.resumes[i].process == p) {
                sim_hold_settle(p, &world.resumes[i]);
                return;
            }
        }

        sim_hold_send(p, principal);
    }
}


/* ---- processes that end */

void
sim_hold_gone(const sim_process_t *p)
{
    unsigned  i;

    for (i = 0; i < SIM_ANSWERS; i++) {
        if (world.resumes[i].process == p) {
            world.resumes[i].process = NULL;
        }
    }
}


/* Finds out whether the suspension was stored.  An older one stays in force. */

static void
sim_hold_suspended(sim_hold_t *hold)
{
    uint32_t  generation;

    generation = sim_hold_generation(hold);

    if (generation != 0 && generation != under.generation) {
        hold->on = 1;
        hold->version++;
    }
}


void
sim_hold_died(void)
{
    parley_ask_t          ask;
    sim_resume_t         *r;
    parley_admitted_t     got;
    parley_settlement_t   how;

    r = &under.settles;

    if (under.suspends != NULL) {
        sim_hold_suspended(under.suspends);
        under.suspends = NULL;
    }

    if (r->process == NULL) {
        return;
    }

    /*
     * the parent sends its message again: it was accepted and has lifted the
     * suspensions, or it was not and has lifted nothing
     */

    r->process = NULL;
    sim_hold_ask(&ask, &world.outside.state);

    if (parley_ask_admit(&ask, sim_hold_admission(&r->admission), &got) != 0) {
        abort();
    }

    if (got.verdict == PARLEY_ADMIT_DUPLICATE) {
        sim_hold_lifted(r);
        return;
    }

    if (got.verdict == PARLEY_ADMIT_OK) {
        memset(&how, 0, sizeof(how));
        how.stamp = got.stamp;
        ask.state->ops->settle(ask.state, sim_hold_admission(&r->admission),
                               &how, NULL, NULL);
    }
}


void
sim_hold_forget(void)
{
    memset(&under, 0, sizeof(under));
}


void
sim_hold_check(void)
{
    size_t                 i;
    unsigned               k, n, sums[SIM_HOLDS] = { 0, 0 };
    unsigned               seen[SIM_HOLDS];
    parley_ask_t           ask;
    parley_state_stat_t    stat;
    parley_suspensions_t   there;

    for (n = 0; n < SIM_PRINCIPALS - 1; n++) {

        sim_hold_ask(&ask, &world.outside.state);
        memset(seen, 0, sizeof(seen));

        if (parley_suspension_get(&ask, sim_sub(n), &there) != 0) {
            abort();
        }

        for (i = 0; i < there.n; i++) {
            seen[sim_hold_of(&there.list[i])]++;
        }

        for (k = 0; k < SIM_HOLDS; k++) {

            if (seen[k] != world.holds[n][k].on) {
                sim_fail("VCP-26: %s is suspended %u times and not %u",
                         (const char *) sim_sub(n).data, seen[k],
                         world.holds[n][k].on);
            }

            sums[k] += seen[k];
        }
    }

    (void) world.outside.state.ops->stat(&world.outside.state, &stat, NULL);

    for (k = 0; k < SIM_HOLDS; k++) {
        if (stat.held[sim_alarms[k]] != sums[k]) {
            sim_fail("VCP-26: %u are counted as suspended, %u are",
                     (unsigned) stat.held[sim_alarms[k]], sums[k]);
        }
    }
}


/* Lifts all suspensions that are left: time does not end them. */

void
sim_hold_end(void)
{
    size_t                i;
    unsigned              n;
    parley_ask_t          ask;
    parley_suspensions_t  there;

    sim_hold_check();

    for (n = 0; n < SIM_PRINCIPALS - 1; n++) {

        sim_hold_ask(&ask, &world.outside.state);

        if (parley_suspension_get(&ask, sim_sub(n), &there) != 0) {
            abort();
        }

        for (i = 0; i < there.n; i++) {
            if (parley_suspension_drop(&ask, &there.list[i]) != 0) {
                abort();
            }
        }
    }

    memset(world.holds, 0, sizeof(world.holds));
    sim_hold_check();
}
