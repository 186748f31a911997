/* Messages under way, as a gate calls the verbs for them. */

#include "t/simulate-store/parley_sim_store.h"


static const char *const  sim_stages[] = {
    "free", "get", "admit", "hold", "put", "append", "join", "settle"
};


void
sim_verb_free(sim_verb_t *v)
{
    parley_arena_reset(&v->arena);
    v->stage = SIM_VERB_FREE;
}


static void
sim_verb_done(parley_call_t *call)
{
    sim_verb_t  *v = (sim_verb_t *) call;

    if (!v->waits) {
        sim_fail("CLU-11 a verb is answered once: %s is answered twice",
                 sim_stages[v->stage]);
    }

    v->waits = 0;
    sim_verb_go(v);
}


/* Returns whether the verb waits for the store. */

int
sim_verb_waits(sim_verb_t *v, parley_state_done_t how)
{
    v->waits = how == PARLEY_STATE_LATER;

    return v->waits;
}


static int
sim_verb_admit(sim_verb_t *v)
{
    parley_state_t      *state = parley_store_state(v->worker->store);
    parley_admission_t  *a = &v->a;

    memset(a, 0, sizeof(parley_admission_t));
    memset(&v->admitted, 0, sizeof(parley_admitted_t));

    a->account = v->account;
    a->id = v->id != NULL ? v->id->key : NULL;
    a->print = v->print;
    a->slot = v->answers ? v->slot->key : NULL;
    a->ttl = SIM_TTL;
    a->slot_ttl = SIM_TTL;
    a->stale = v->stale;
    a->everywhere = v->id != NULL && v->id->everywhere;

    v->stage = SIM_VERB_ADMIT;

    return sim_verb_waits(v, state->ops->admit(state, a, &v->admitted,
                                               &v->call));
}


static int
sim_verb_get(sim_verb_t *v)
{
    parley_state_t   *state = parley_store_state(v->worker->store);
    parley_lookup_t   l;

    memset(&l, 0, sizeof(parley_lookup_t));
    l.kind = PARLEY_KIND_QUESTION;
    l.tag = v->slot->record.tag;
    l.mask = PARLEY_TAG_WHOLE;
    l.arena = &v->arena;
    memcpy(l.key, v->slot->record.key, PARLEY_KEY_LEN);

    v->stage = SIM_VERB_GET;

    return sim_verb_waits(v, state->ops->get(state, &l, &v->records,
                                             &v->call));
}


static int
sim_verb_put(sim_verb_t *v)
{
    parley_put_t     put;
    parley_str_t     value = PARLEY_STR("1what is it");
    parley_state_t  *state = parley_store_state(v->worker->store);

    memset(&put, 0, sizeof(parley_put_t));
    put.id = v->slot->record;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.account = v->account;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = SIM_TTL;
    put.under = v->id->key;
    put.stamp = v->stamp;

    v->stage = SIM_VERB_PUT;

    return sim_verb_waits(v, state->ops->put(state, &put, &v->put, &v->call));
}


static int
sim_verb_settle(sim_verb_t *v)
{
    parley_state_t       *state = parley_store_state(v->worker->store);
    parley_settlement_t   how;

    memset(&how, 0, sizeof(parley_settlement_t));
    how.stamp = v->stamp;
    how.taken = (int) v->takes;

    if (v->takes && v->answers) {
        how.closes[0] = &v->slot->record;
    }

    if (!v->takes && v->asks) {
        how.drops[0] = &v->slot->record;
    }

    if (v->takes) {
        sim_model_accepted(v);
    } else {
        sim_model_ended(v);
    }

    v->stage = SIM_VERB_SETTLE;

    return sim_verb_waits(v, state->ops->settle(state, &v->a, &how,
                                                &v->settled, &v->call));
}


static void
sim_verb_held(sim_event_t *e)
{
    sim_verb_t  *v = e->p;

    if (v->stage == SIM_VERB_HOLD && v->number == e->life) {
        v->hold = 0;
        sim_verb_go(v);
    }
}


static void
sim_verb_tell(const sim_verb_t *v, const char *what)
{
    sim_tell("  %u.%u %s%s%s: %s%s", v->worker->node->number,
             v->worker->number, v->id != NULL ? v->id->name : "",
             v->slot != NULL ? (v->answers ? " to " : " asks ") : "",
             v->slot != NULL ? v->slot->name : "", what,
             v->alone ? " (alone)" : "");
}


/* Does the next stages of a message, until one waits. */

void
sim_verb_go(sim_verb_t *v)
{
    parley_store_stat_t  stat;

    static const char *const  verdicts[] = {
        "admitted", "suspended", "duplicate", "other", "in flight", "stale",
        "answered", "answering", "limited", "share", "full", "away"
    };

    for ( ;; ) {

        switch (v->stage) {

        case SIM_VERB_GET:

            if (v->records.n <= 0 || v->records.list[0].closed) {
                sim_verb_tell(v, v->records.n <= 0 ? "no question" : "closed");
                sim_verb_free(v);
                return;
            }

            if (sim_verb_admit(v)) {
                return;
            }

            break;

        case SIM_VERB_ADMIT:
            parley_store_stat(v->worker->store, &stat);
            v->alone = sim_store.local
                       && stat.fallbacks != v->worker->fallbacks;
            v->worker->fallbacks = stat.fallbacks;
            sim_verb_tell(v, verdicts[v->admitted.verdict]);

            if (v->admitted.verdict != PARLEY_ADMIT_OK) {
                sim_model_refused(v);
                sim_verb_free(v);
                return;
            }

            v->stamp = v->admitted.stamp;
            sim_model_admitted(v);

            if (v->asks && sim_verb_put(v)) {
                return;
            }

            if (v->asks) {
                break;
            }

            v->stage = SIM_VERB_HOLD;
            break;

        case SIM_VERB_PUT:
            v->takes = v->takes && v->put == PARLEY_PUT_OK;
            v->stage = SIM_VERB_HOLD;
            break;

        case SIM_VERB_HOLD:

            if (v->hold != 0) {
                sim_store_at(sim_store.now + v->hold, sim_verb_held, v,
                             v->number, v->worker);
                return;
            }

            if (v->record != NULL && v->takes) {
                if (sim_log_append(v)) {
                    return;
                }

                break;
            }

            sim_verb_tell(v, v->takes ? "is taken" : "is given back");

            if (sim_verb_settle(v)) {
                return;
            }

            break;

        case SIM_VERB_APPEND:
            sim_log_appended(v);

            if (v->id == NULL || v->appended.verdict == PARLEY_APPEND_OK) {
                sim_verb_free(v);
                return;
            }

            v->takes = 0;
            v->stage = SIM_VERB_HOLD;
            break;

        case SIM_VERB_JOIN:
            sim_log_joined(v);
            sim_verb_free(v);
            return;

        default:

            if (v->takes && v->answers) {
                sim_verb_tell(v, v->settled == 0 ? "is the answer" : "late");
                sim_model_answered(v);
            }

            if (v->takes && v->asks) {
                v->slot->question = 1;
            }

            sim_verb_free(v);
            return;
        }
    }
}


/* Returns a message at a worker; NULL: there are too many. */

sim_verb_t *
sim_verb(sim_worker_t *w)
{
    unsigned     i;
    sim_verb_t  *v;

    for (i = 0; i < SIM_VERBS; i++) {
        v = &sim_store.verbs[i];

        if (v->stage == SIM_VERB_FREE) {
            memset(v, 0, sizeof(sim_verb_t));
            v->call.done = sim_verb_done;
            v->worker = w;
            v->life = w->life;
            v->number = ++sim_store.nverbs;
            memset(v->account, 'a', PARLEY_KEY_LEN);
            memset(v->print, 'p', PARLEY_PRINT_LEN);
            parley_arena_init(&v->arena, &parley_mem_libc, 0);

            return v;
        }
    }

    return NULL;
}


/* Returns one of the ids or slots; NULL: no id is of that kind. */

static sim_id_t *
sim_id_any(parley_kind_t kind, int everywhere, int question)
{
    unsigned      i, at;
    sim_id_t     *x;
    sim_store_t  *s = &sim_store;

    if (s->nids == 0) {
        return NULL;
    }

    at = parley_test_below(&s->draw, s->nids);

    for (i = 0; i < s->nids; i++) {
        x = &s->ids[(at + i) % s->nids];

        if (x->kind == kind && (int) x->everywhere == everywhere
            && (!question || x->question))
        {
            return x;
        }
    }

    return NULL;
}


void
sim_message(unsigned step)
{
    unsigned       known;
    sim_verb_t    *v;
    sim_store_t   *s = &sim_store;
    sim_worker_t  *w;

    w = sim_worker_any();
    v = w != NULL ? sim_verb(w) : NULL;

    if (v == NULL) {
        return;
    }

    known = step == SIM_STEP_MESSAGE ? 40 : step == SIM_STEP_TICKET ? 60 : 0;

    if (step == SIM_STEP_ANSWER) {
        v->slot = sim_id_any(PARLEY_KIND_SLOT, 0, 1);

        if (v->slot == NULL) {
            return;
        }

        v->answers = 1;
    }

    if (parley_test_chance(&s->draw, known)) {
        v->id = sim_id_any(PARLEY_KIND_ID, step == SIM_STEP_TICKET, 0);
    }

    if (v->id == NULL) {
        v->id = sim_id_add(PARLEY_KIND_ID);
    }

    if (v->id != NULL && step == SIM_STEP_TICKET) {
        v->id->everywhere = 1;
    }

    if (v->id != NULL && step == SIM_STEP_SUBMIT) {
        sim_log_record(v);
    }

    if (step == SIM_STEP_ASK) {
        v->slot = sim_id_add(PARLEY_KIND_SLOT);
        v->asks = 1;
    }

    if (v->id == NULL || (v->asks && v->slot == NULL)) {
        return;
    }

    v->takes = parley_test_chance(&s->draw, 75);
    v->hold = parley_test_chance(&s->draw, 60)
              ? 0 : parley_test_chance(&s->draw, 70)
                    ? parley_test_below(&s->draw, 100 * SIM_MS)
                    : parley_test_below(&s->draw, 12 * SIM_SECOND);

    if (v->answers ? !sim_verb_get(v) : !sim_verb_admit(v)) {
        sim_verb_go(v);
    }
}


static void
sim_probed(parley_call_t *call)
{
    ((sim_verb_t *) call)->waits = 0;
}


parley_admit_t
sim_probe(sim_worker_t *w, sim_id_t *id, int stale)
{
    unsigned         i;
    sim_verb_t      *v;
    parley_admit_t   verdict;

    v = sim_verb(w);

    if (v == NULL) {
        abort();
    }

    v->call.done = sim_probed;
    v->id = id->kind == PARLEY_KIND_ID ? id : NULL;
    v->slot = id->kind == PARLEY_KIND_SLOT ? id : NULL;
    v->answers = v->slot != NULL;
    v->stale = (unsigned) stale & 1;

    if (sim_verb_admit(v)) {
        for (i = 0; i < 200 && v->waits; i++) {
            sim_store_pass(SIM_MS);
        }
    }

    if (v->waits) {
        sim_fail("CLU-08 a verb has an end: one has none");
    }

    verdict = v->admitted.verdict;

    if (verdict == PARLEY_ADMIT_OK) {
        v->stamp = v->admitted.stamp;
        v->stage = SIM_VERB_SETTLE;
        v->takes = 0;
        (void) sim_verb_settle(v);

        for (i = 0; i < 200 && id->freeing != 0; i++) {
            sim_store_pass(SIM_MS);
        }
    }

    sim_verb_free(v);

    return verdict;
}


parley_admit_t
sim_verdict(sim_worker_t *w, sim_id_t *x)
{
    unsigned        i;
    parley_admit_t  verdict;

    verdict = sim_probe(w, x, 0);

    for (i = 0; i < 5 && (verdict == PARLEY_ADMIT_IN_FLIGHT
                          || verdict == PARLEY_ADMIT_ANSWERING); i++)
    {
        sim_store_pass(100 * SIM_MS);
        verdict = sim_probe(w, x, 0);
    }

    if (i == 5 && !x->dead) {
        sim_fail("CLU-11 an id is in flight while a message holds it: %s is "
                 "for good, at node %u", x->name, w->node->number);
    }

    return verdict;
}


/* A caller ends while it waits. */

void
sim_cancel(void)
{
    unsigned         i, at;
    sim_verb_t      *v;
    sim_store_t     *s = &sim_store;
    parley_state_t  *state;

    at = parley_test_below(&s->draw, SIM_VERBS);

    for (i = 0; i < SIM_VERBS; i++) {
        v = &s->verbs[(at + i) % SIM_VERBS];

        if (v->stage != SIM_VERB_FREE && v->stage != SIM_VERB_SETTLE
            && v->waits && v->worker->stopped <= s->now)
        {
            break;
        }
    }

    if (i == SIM_VERBS) {
        return;
    }

    if (v->id != NULL) {
        sim_verb_tell(v, "cancelled");
    }

    state = parley_store_state(v->worker->store);
    state->ops->cancel(state, &v->call);
    v->waits = 0;

    if (v->stage == SIM_VERB_PUT
        || (v->stage == SIM_VERB_APPEND && v->id != NULL))
    {
        if (v->record != NULL) {
            v->id->local = 1;
        }

        v->takes = 0;
        (void) sim_verb_settle(v);

    } else if (v->stage == SIM_VERB_ADMIT) {
        sim_model_refused(v);
    }

    sim_verb_free(v);
}


unsigned
sim_verbs_under_way(const sim_worker_t *w)
{
    unsigned  i, n;

    for (i = 0, n = 0; i < SIM_VERBS; i++) {
        n += sim_store.verbs[i].stage != SIM_VERB_FREE
             && (w == NULL || sim_store.verbs[i].worker == w);
    }

    return n;
}
