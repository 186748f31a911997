/*
 * The promises about ids and answers.  A promise is excused only if the engine
 * has lost the writes that it depends on, the lease of the node was over, or
 * the node decided alone (fallback=local).
 */

#include "t/simulate-store/parley_sim_store.h"


uint64_t
sim_number(parley_str_t text)
{
    char  room[32];

    snprintf(room, sizeof(room), "%.*s", (int) text.len, text.data);

    return strtoull(room, NULL, 10);
}


/* Returns ms of the engine's clock. */

static int64_t
sim_model_ms(void)
{
    return sim_store.engine.us / SIM_MS;
}


/* Returns whether a lease that ends at that time is over; 0: an emptied store
   does not know the node.  While no node can renew, no lease ends. */

static int
sim_model_over(int64_t until)
{
    int64_t  ms = sim_model_ms();

    return until == 0
           || (until <= ms && ms - sim_store.renewed <= sim_store.lease / 2);
}


static unsigned
sim_model_bit(const sim_worker_t *w)
{
    return 1u << (w->node->number * SIM_WORKERS + w->number);
}


sim_id_t *
sim_id_add(parley_kind_t kind)
{
    char          text[24];
    sim_id_t     *x;
    sim_store_t  *s = &sim_store;
    parley_str_t  part;

    if (s->nids == SIM_IDS) {
        return NULL;
    }

    x = &s->ids[s->nids];
    memset(x, 0, sizeof(sim_id_t));

    snprintf(x->name, sizeof(x->name), "%s%u",
             kind == PARLEY_KIND_ID ? "id" : "slot", ++s->nids);
    snprintf(text, sizeof(text), "%s", x->name);
    part = parley_str_c(text);
    x->kind = kind;

    sim_key(kind, part, x->key);
    sim_key(PARLEY_KIND_QUESTION, part, x->record.key);
    x->record.kind = PARLEY_KIND_QUESTION;
    x->record.tag = 0x10000 + s->nids;

    return x;
}


/* Whether an id is free is unknown from now on. */

static void
sim_model_forget(sim_id_t *x)
{
    unsigned     i;
    sim_verb_t  *v;

    for (i = 0; i < SIM_VERBS; i++) {
        v = &sim_store.verbs[i];

        if (v->stage != SIM_VERB_FREE
            && (v->id == x || (v->answers && v->slot == x)))
        {
            v->lost = 1;
        }
    }

    x->accepted = 0;
    x->alone = 0;
    x->committed = 0;
    x->holder = NULL;
    x->dead = 0;
    x->stuck = 1;
}


static void
sim_model_hold(sim_verb_t *v, sim_id_t *x)
{
    if (v->over && !v->alone) {
        sim_fail("CLU-01 a node that has lost its lease admits nothing: %s, at "
                 "node %u", x->name, v->worker->node->number);
    }

    if (v->alone && !x->everywhere) {
        v->lost = 1;
    }

    if (v->lost || x->local) {
        return;
    }

    if (x->accepted && !x->unheld) {
        sim_fail("%s: %s is admitted again, at node %u",
                 x->kind == PARLEY_KIND_ID
                 ? x->everywhere ? "CLU-08 a ticket is used once"
                                 : "CLU-01 an id is taken once"
                 : "CLU-02 a question has one final answer",
                 x->name, v->worker->node->number);
    }

    if (x->holder != NULL && !x->holder->lost) {
        sim_fail("CLU-01 one message at a time holds an id: %s is held by two, "
                 "at nodes %u and %u", x->name,
                 x->holder->worker->node->number, v->worker->node->number);
    }

    x->holder = v;
    x->dead = 0;
}


void
sim_model_admitted(sim_verb_t *v)
{
    sim_model_hold(v, v->id);

    if (v->answers) {
        sim_model_hold(v, v->slot);
    }
}


/* The engine may have reserved the id, and forgets it with the next call. */

void
sim_model_refused(sim_verb_t *v)
{
    if (v->stage != SIM_VERB_ADMIT
        || (v->admitted.verdict != PARLEY_ADMIT_AWAY
            && v->admitted.verdict != PARLEY_ADMIT_OK))
    {
        return;
    }

    v->id->freeing |= sim_model_bit(v->worker);

    if (v->answers) {
        v->slot->freeing |= sim_model_bit(v->worker);
    }
}


static void
sim_model_release(sim_verb_t *v, sim_id_t *x)
{
    if (x->holder == v) {
        x->holder = NULL;
    }
}


static void
sim_model_take(const sim_verb_t *v, sim_id_t *x)
{
    if (!v->lost && !x->local && x->accepted && !x->unheld) {
        sim_fail("CLU-01 an id is taken once: %s twice", x->name);
    }

    /* two nodes took it, each alone */

    if (x->accepted && (v->alone || x->alone)) {
        x->local = 1;
    }

    x->accepted = 1;
    x->alone = v->alone;
    x->unheld = v->lost;
    x->by = v->worker->node->number;
    x->lives = v->worker->node->lives;
    x->life = v->worker->life;
}


void
sim_model_accepted(sim_verb_t *v)
{
    sim_model_take(v, v->id);
    sim_model_release(v, v->id);
}


void
sim_model_answered(sim_verb_t *v)
{
    sim_id_t  *x = v->slot;

    if (v->settled == 0) {

        if (!v->lost && !x->local && x->accepted && !x->unheld) {
            sim_fail("CLU-02 a question has one final answer: %s has "
                     "two", x->name);
        }

        sim_model_take(v, x);

    } else if (!v->lost && !x->local && !x->accepted) {
        sim_fail("CLU-02 an answer is late if there is another: %s has "
                 "none", x->name);
    }

    sim_model_release(v, x);
}


void
sim_model_ended(sim_verb_t *v)
{
    if (v->id != NULL) {
        sim_model_release(v, v->id);
        v->id->freeing |= sim_model_bit(v->worker);
    }

    if (v->answers) {
        sim_model_release(v, v->slot);
        v->slot->freeing |= sim_model_bit(v->worker);
    }
}


/* A message of a worker that is killed. */

static void
sim_model_drop(sim_verb_t *v, sim_id_t *x, int dies)
{
    if (x->holder == v) {
        x->holder = NULL;

        if (dies && !v->lost) {
            x->dead = 1;
            x->until = v->worker->node->until;
            memcpy(&x->node, v->worker->node->conf.node, PARLEY_STORE_NODE);
        }
    }

    /* the answer may have been accepted */

    if (v->stage == SIM_VERB_SETTLE && v->takes && x == v->slot) {
        x->local = 1;
    }
}


void
sim_model_killed(sim_worker_t *w, int dies)
{
    uint8_t       orphans[SIM_IDS];
    unsigned      i;
    sim_id_t     *x;
    sim_verb_t   *v;
    sim_store_t  *s = &sim_store;

    memset(orphans, 0, sizeof(orphans));

    for (i = 0; i < SIM_VERBS; i++) {
        v = &s->verbs[i];

        if (v->stage == SIM_VERB_FREE || v->worker != w) {
            continue;
        }

        if (v->id != NULL) {
            sim_model_drop(v, v->id, dies);
            orphans[v->id - s->ids] = 1;
        }

        /* the append may have taken it */

        if (v->id != NULL && v->stage == SIM_VERB_APPEND) {
            v->id->local = 1;
        }

        if (v->answers) {
            sim_model_drop(v, v->slot, dies);
            orphans[v->slot - s->ids] = 1;
        }

        parley_arena_reset(&v->arena);
        v->stage = SIM_VERB_FREE;
    }

    for (i = 0; i < s->nids; i++) {
        x = &s->ids[i];

        /* it was not told to the engine */

        if ((x->freeing & sim_model_bit(w)) != 0 || x->orphan == w->node) {
            x->stuck = 1;
        }

        x->freeing &= ~sim_model_bit(w);

        if (orphans[i]) {
            x->orphan = w->node;
        }

        if (x->accepted && !x->committed && x->unheld && x->life == w->life) {
            x->local = 1;
        }
    }
}


void
sim_model_died(const sim_node_t *n)
{
    unsigned   i;
    sim_id_t  *x;

    for (i = 0; i < sim_store.nids; i++) {
        x = &sim_store.ids[i];

        if (x->accepted && !x->committed && x->by == n->number
            && x->lives == n->lives)
        {
            x->local = 1;
        }
    }
}


void
sim_model_lost(int64_t us)
{
    unsigned   i;
    sim_id_t  *x;

    sim_store.ends++;
    sim_log_lost(us);

    for (i = 0; i < sim_store.nids; i++) {
        x = &sim_store.ids[i];

        if (x->written != 0 && x->written >= us) {
            sim_tell("  %s may be lost", x->name);
            sim_model_forget(x);
        }
    }
}


void
sim_model_leases(void)
{
    char            name[] = "{parley}m", last[] = "{parley}T";
    size_t          i, k;
    sim_node_t     *n;
    sim_store_t    *s = &sim_store;
    engine_key_t   *key;

    key = engine_find(&s->engine.data, parley_str_c(name), sim_model_ms());

    for (i = 0; i < s->nnodes; i++) {
        n = &s->nodes[i];
        n->until = 0;

        for (k = 0; key != NULL && k < key->n; k++) {
            if (parley_str_eq(key->items[k].name,
                              parley_str_make(n->conf.node,
                                              PARLEY_STORE_NODE)))
            {
                n->until = (int64_t) key->items[k].score;
            }
        }
    }

    key = engine_find(&s->engine.data, parley_str_c(last), sim_model_ms());
    s->renewed = 0;

    if (key != NULL) {
        s->renewed = (int64_t) sim_number(key->text);
    }
}


static void
sim_model_renewed(parley_str_t name)
{
    unsigned      i;
    int64_t       ms = sim_model_ms();
    sim_id_t     *x;
    sim_node_t   *n;
    sim_store_t  *s = &sim_store;

    if (ms - s->renewed > s->lease / 2) {

        for (i = 0; i < s->nnodes; i++) {
            n = &s->nodes[i];

            if (n->until != 0 && n->until >= s->renewed
                && n->until < ms + s->lease)
            {
                n->until = ms + s->lease;
            }
        }

        for (i = 0; i < s->nids; i++) {
            x = &s->ids[i];

            if (x->dead && x->until != 0 && x->until >= s->renewed
                && x->until < ms + s->lease)
            {
                x->until = ms + s->lease;
            }
        }
    }

    for (i = 0; i < s->nnodes; i++) {
        if (parley_str_eq(name, parley_str_make(s->nodes[i].conf.node,
                                                PARLEY_STORE_NODE)))
        {
            s->nodes[i].until = ms + s->lease;
        }
    }

    s->renewed = ms;
}


/* The reservations of a node that has stopped in order are free. */

static void
sim_model_quit(parley_str_t name)
{
    unsigned     i, k, living;
    sim_node_t  *n;

    for (i = 0; i < sim_store.nnodes; i++) {
        n = &sim_store.nodes[i];

        if (!parley_str_eq(name, parley_str_make(n->conf.node,
                                                 PARLEY_STORE_NODE)))
        {
            continue;
        }

        n->until = 0;

        for (k = 0; k < sim_store.nids; k++) {
            if (memcmp(&sim_store.ids[k].node, name.data, PARLEY_STORE_NODE)
                == 0)
            {
                sim_store.ids[k].until = 0;
            }
        }

        for (k = 0, living = 0; k < SIM_WORKERS; k++) {
            living += n->workers[k].life != 0;
        }

        if (living > 1) {
            sim_fail("CLU-07 a node stops with its last worker: node %u has "
                     "%u", i, living);
        }
    }
}


/* A node has entered: *4, and then the generation. */

static void
sim_model_generation(parley_str_t reply)
{
    uint64_t      generation;
    sim_store_t  *s = &sim_store;
    const char   *p = (const char *) reply.data;

    p = strchr(strchr(p, '\n') + 1, '\n') + 1;
    generation = strtoull(p, NULL, 10);

    if (generation == s->generation) {
        return;
    }

    if (generation < s->generation || (s->generation != 0
                                       && s->begun == s->ends))
    {
        sim_fail("CLU-10 a generation follows an end of the engine: %llu "
                 "follows %llu", (unsigned long long) generation,
                 (unsigned long long) s->generation);
    }

    s->generation = generation;
    s->begun = s->ends;
}


/* Returns the id of a key of the engine, after that letter. */

static sim_id_t *
sim_model_id(parley_kind_t kind, parley_str_t key)
{
    unsigned   i;
    sim_id_t  *x;

    for (i = 0; i < sim_store.nids && key.len == PARLEY_KEY_LEN; i++) {
        x = &sim_store.ids[i];

        if (x->kind == kind && memcmp(x->key, key.data, PARLEY_KEY_LEN) == 0) {
            return x;
        }
    }

    return NULL;
}


/* An id was reserved: its holder must have lost its lease. */

static void
sim_model_reserves(sim_id_t *x, parley_str_t holder)
{
    unsigned     i;
    sim_node_t  *n;
    sim_verb_t  *v;

    x->written = sim_store.engine.us;

    for (i = 0; i < SIM_VERBS; i++) {
        v = &sim_store.verbs[i];

        /* it holds the id, or its verdict is under way */

        if (v->stage == SIM_VERB_FREE
            || (v->id != x && (!v->answers || v->slot != x)))
        {
            continue;
        }

        n = v->worker->node;

        if (memcmp(holder.data, n->conf.node, PARLEY_STORE_NODE) != 0
            && sim_model_over(n->until))
        {
            v->over = !v->lost && v->stage == SIM_VERB_ADMIT && n->until != 0;
            v->lost = 1;
        }
    }

    if (x->accepted && !x->committed) {
        n = &sim_store.nodes[x->by];

        if (x->unheld || x->lives != n->lives || sim_model_over(n->until)) {
            x->local = 1;
        }
    }

    /* late octets of the dead node itself may reserve it for another message of
       that node: no worker gets the verdict */

    if (x->dead && !x->local
        && memcmp(holder.data, &x->node, PARLEY_STORE_NODE) != 0)
    {

        if (!sim_model_over(x->until)) {
            sim_fail("CLU-07 a dead node has its reservations until its lease "
                     "ends: %s is free %lld ms before", x->name,
                     (long long) (x->until - sim_model_ms()));
        }

        x->dead = 0;
    }
}


static void
sim_model_words(uint64_t conn, const parley_str_t *words, size_t n,
    parley_str_t reply)
{
    sim_id_t      *x;
    parley_str_t   prefix = PARLEY_STR("{parley}i");
    sim_worker_t  *w;

    if (parley_str_is(words[0], "SET") && n >= 5
        && words[1].len == prefix.len + PARLEY_KEY_LEN
        && memcmp(words[1].data, prefix.data, prefix.len) == 0)
    {
        x = sim_model_id(PARLEY_KIND_ID, parley_str_from(words[1],
                                                         prefix.len));

        if (x != NULL && reply.data[0] != '-') {

            if (words[2].data[1] == 't') {

                /* NX: another node has it */

                if (reply.data[0] == '$' && reply.data[1] != '-') {
                    return;
                }

                x->written = sim_store.engine.us;
                x->committed = 1;
                x->dead = 0;

            } else if (reply.data[0] == '$' && reply.data[1] == '-') {
                sim_model_reserves(x, parley_str_from(words[2],
                                                      words[2].len - 16));
            }
        }

        return;
    }

    if (!parley_str_is(words[0], "FCALL") || reply.data[0] == '-') {
        return;
    }

    if (parley_str_is(words[1], "p1_enter")) {
        sim_model_renewed(words[7]);
        sim_model_generation(reply);

    } else if (parley_str_is(words[1], "p1_renew") && reply.data[0] == '*') {
        sim_model_renewed(words[4]);

    } else if (parley_str_is(words[1], "p1_quit") && reply.data[1] == '1') {
        sim_model_quit(words[4]);

    } else if (parley_str_is(words[1], "p1_admit")
               && memcmp(reply.data, "$2\r\nok", 6) == 0)
    {
        x = sim_model_id(PARLEY_KIND_ID, words[6]);

        if (x != NULL) {
            sim_model_reserves(x, words[4]);
        }

        x = sim_model_id(PARLEY_KIND_SLOT, words[7]);

        if (x != NULL) {
            sim_model_reserves(x, words[4]);
        }

    } else if (parley_str_is(words[1], "p1_settle")) {
        x = sim_model_id(PARLEY_KIND_ID, words[6]);

        if (x != NULL) {
            x->written = sim_store.engine.us;
            x->committed = 1;
            x->dead = 0;        /* a node that decided alone may take it */
        }

        x = sim_model_id(PARLEY_KIND_SLOT, words[8]);

        if (x != NULL) {
            x->written = sim_store.engine.us;
            x->committed = 1;
            x->dead = 0;        /* a node that decided alone may take it */
        }

    } else if (parley_str_is(words[1], "p1_append") && reply.data[0] == '*') {
        sim_log_placed(words[4], words[11], reply);
        sim_log_executed(words[5], reply);
        x = n > 12 ? sim_model_id(PARLEY_KIND_ID, words[14]) : NULL;

        if (x != NULL) {
            x->written = sim_store.engine.us;
            x->committed = 1;
        }

    } else if (parley_str_is(words[1], "p1_say") && words[4].data[1] == 'r') {
        sim_store.asked = sim_store.now;

    } else if (parley_str_is(words[1], "p1_join") && reply.data[0] == '*') {
        sim_log_placed(words[4], words[10], reply);

    } else if (parley_str_is(words[1], "p1_free")) {
        w = sim_net_worker(conn);
        x = sim_model_id(PARLEY_KIND_ID, words[5]);

        if (x != NULL) {
            x->written = sim_store.engine.us;
            x->freeing &= w != NULL ? ~sim_model_bit(w) : ~0u;
            x->orphan = w != NULL && x->orphan == w->node ? NULL : x->orphan;
        }

        x = sim_model_id(PARLEY_KIND_SLOT, words[6]);

        if (x != NULL) {
            x->written = sim_store.engine.us;
            x->freeing &= w != NULL ? ~sim_model_bit(w) : ~0u;
            x->orphan = w != NULL && x->orphan == w->node ? NULL : x->orphan;
        }
    }
}


void
sim_model_executed(engine_t *e, uint64_t conn, const parley_str_t *words,
    size_t n, parley_str_t reply)
{
    (void) e;
    (void) conn;

    sim_run.received++;

    if (sim_run.told > 1u + (unsigned) sim_tell_is_routine(words, n)) {
        sim_tell_command(conn, words, n, reply);
    }

    sim_model_words(conn, words, n, reply);
}


void
sim_model_check(void)
{
    unsigned         i, k, told;
    sim_id_t        *x;
    sim_store_t     *s = &sim_store;
    sim_worker_t    *w;
    parley_admit_t   verdict;

    for (i = 0; i < s->nnodes * s->nworkers; i++) {
        w = &s->nodes[i / s->nworkers].workers[i % s->nworkers];

        if (!parley_store_is_up(w->store)) {
            sim_fail("CLU-09 a store is used again after a fault: worker %u.%u "
                     "is away", w->node->number, w->number);
        }
    }

    sim_log_check();

    for (i = 0; i < s->nids; i++) {
        x = &s->ids[i];

        for (k = 0; k < s->nnodes; k++) {
            w = &s->nodes[k].workers[0];

            /* Its end was told to the store, so no question to its holder
               is needed. */

            told = !x->accepted && !x->local && !x->stuck;

            if (told && x->kind == PARLEY_KIND_ID
                && sim_probe(w, x, 1) != PARLEY_ADMIT_STALE)
            {
                sim_fail("CLU-11 an id that nobody holds is free for a message "
                         "that is too old: %s is not, at node %u", x->name, k);
            }

            verdict = told ? sim_probe(w, x, 0) : sim_verdict(w, x);

            if (verdict == PARLEY_ADMIT_AWAY) {
                sim_fail("CLU-09 a store is used again after a fault: %s gets "
                         "no verdict at node %u", x->name, k);
            }

            if (x->accepted && !x->local
                && (x->committed || x->alone || !x->unheld)
                && verdict == PARLEY_ADMIT_OK)
            {
                sim_fail("%s: %s passes at node %u",
                         x->kind == PARLEY_KIND_ID
                         ? "CLU-01 a taken id is known at all nodes"
                         : "CLU-02 an answered question is known at all nodes",
                         x->name, k);
            }

            if (told && verdict != PARLEY_ADMIT_OK) {
                sim_fail("CLU-11 an id that nobody holds is free: %s is not, "
                         "at node %u (%u)", x->name, k, verdict);
            }
        }
    }
}
