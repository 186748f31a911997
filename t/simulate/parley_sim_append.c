/* Messages that processes append, some of them with an admission. */

#include "hub/parley_publish.h"
#include "t/simulate/parley_sim.h"


#define SIM_ADMITTED_MS  60000      /* time for which an accepted id is known */


/* the message in progress, and its admission */
static struct {
    parley_admission_t     admission;
    parley_settlement_t    how;
    uint8_t                id[PARLEY_KEY_LEN];
    uint8_t                slot[PARLEY_KEY_LEN];
    unsigned               stale;       /* it was given back before */
} sim_taking;


static void sim_give_back(parley_state_t *state, uint64_t stamp);


static const char *const  sim_kinds[] = {
    "agent_advisory", "agent_query", "agent_broadcast"
};


static void
sim_audience(sim_record_t *r)
{
    sim_client_t  *c;

    if (parley_test_chance(&world.random, 70)) {
        return;
    }

    if (parley_test_chance(&world.random, 50)) {
        r->audience.form = PARLEY_AUDIENCE_PREFIX;
        r->audience.instrument = PARLEY_STR("cc-");
        return;
    }

    c = sim_client(parley_test_random(&world.random));

    r->audience.form = PARLEY_AUDIENCE_SESSION;
    r->audience.instrument = parley_str_c(c->instrument);
    r->audience.session = parley_str_c(c->session);
    r->logs = 1u << c->log;
}


/* Makes the record that a process publishes. */

static sim_record_t *
sim_record(parley_publish_t *publish, parley_publication_t *p,
    uint8_t (*keys)[PARLEY_KEY_LEN])
{
    char                  *text;
    size_t                 len;
    unsigned               log;
    sim_record_t          *record;
    parley_test_random_t  *r;

    r = &world.random;
    record = &world.records[world.nrecords];

    memset(record, 0, sizeof(sim_record_t));
    memset(publish, 0, sizeof(parley_publish_t));
    memset(p, 0, sizeof(parley_publication_t));

    record->logs = parley_test_chance(r, 60)
                   ? 1u << parley_test_below(r, SIM_LOGS)
                   : 1 + parley_test_below(r, (1u << SIM_LOGS) - 1);
    record->time = world.now;
    record->sender = parley_test_below(r, 3);
    record->kind = sim_kinds[parley_test_below(r, 3)];
    record->ends = world.now + (parley_test_chance(r, 90)
                                ? (int64_t) 1 << 40
                                : (int64_t) parley_test_below(r, 5000));
    sim_audience(record);
    record->owed = record->audience.form == PARLEY_AUDIENCE_ALL
                   && parley_test_chance(r, 30);

    len = parley_test_chance(r, 95) ? 16 + parley_test_below(r, 200)
                                    : parley_test_below(r, 4000) + 16;

    text = parley_arena_alloc(&world.arena, len + 1);

    if (text == NULL) {
        abort();
    }

    memset(text, 'x', len);
    text[snprintf(text, len, "%u:", world.nrecords)] = 'x';

    p->proto = PARLEY_PROTO_CHANNEL;
    p->audience = record->audience;
    p->owed = record->owed;
    p->facts.values[PARLEY_CHANNEL_AXIS_KIND] = parley_str_c(record->kind);
    p->facts.values[PARLEY_CHANNEL_AXIS_SENDER]
        = parley_str_c(sim_senders[record->sender]);
    p->message = parley_str_make(text, len);

    for (log = 0; log < SIM_LOGS; log++) {
        if (record->logs & (1u << log)) {
            memcpy(keys[publish->nlogs++], world.keys[log], PARLEY_KEY_LEN);
        }
    }

    publish->publication = p;
    publish->logs = (const uint8_t (*)[PARLEY_KEY_LEN]) keys;
    publish->retention = world.retention;
    publish->ttl = record->ends - world.now;

    return record;
}


/*
 * Admits the message that is to be appended.  Half of all messages have an
 * admission, as far as there is room.
 */

static void
sim_admit(sim_process_t *p, parley_append_t *append)
{
    parley_str_t       part;
    parley_admitted_t  got;

    memset(&sim_taking, 0, sizeof(sim_taking));

    if (parley_test_chance(&world.random, 50)) {
        return;
    }

    part = parley_str_make(&world.nadmitted, sizeof(world.nadmitted));
    world.nadmitted++;

    parley_state_key(&world.outside.state, PARLEY_KIND_ID, &part, 1,
                     sim_taking.id);
    parley_state_key(&world.outside.state, PARLEY_KIND_SLOT, &part, 1,
                     sim_taking.slot);

    sim_taking.admission.id = sim_taking.id;
    sim_taking.admission.print = sim_taking.id;
    sim_taking.admission.slot = sim_taking.slot;
    sim_taking.admission.ttl = SIM_ADMITTED_MS;
    sim_taking.admission.slot_ttl = SIM_ADMITTED_MS;

    (void) p->memory.state.ops->admit(&p->memory.state,
                                      &sim_taking.admission, &got, NULL);

    if (got.verdict != PARLEY_ADMIT_OK) {
        return;
    }

    sim_taking.how.stamp = got.stamp;
    sim_taking.how.taken = 1;

    append->takes = &sim_taking.admission;
    append->how = &sim_taking.how;

    if (parley_test_chance(&world.random, 10)) {
        sim_give_back(&p->memory.state, got.stamp);
        sim_taking.stale = 1;
    }
}


static void
sim_give_back(parley_state_t *state, uint64_t stamp)
{
    parley_settlement_t  how;

    memset(&how, 0, sizeof(how));
    how.stamp = stamp;

    (void) state->ops->settle(state, &sim_taking.admission, &how, NULL, NULL);
}


/*
 * Sends the message again, sometimes after its gateway tried to give it back.
 * It must be a duplicate if it was appended, and new otherwise.
 */

static void
sim_admit_again(const parley_append_t *append, int appended)
{
    parley_admitted_t   got;
    parley_state_t     *state = &world.outside.state;

    if (append->takes == NULL) {
        return;
    }

    if (parley_test_chance(&world.random, 30)) {
        sim_give_back(state, sim_taking.how.stamp);
    }

    (void) state->ops->admit(state, &sim_taking.admission, &got, NULL);

    switch (got.verdict) {

    case PARLEY_ADMIT_OK:
        sim_give_back(state, got.stamp);

        if (appended) {
            sim_fail("HUB-10: a message that was appended is taken again");
        }

        return;

    case PARLEY_ADMIT_DUPLICATE:

        if (!appended) {
            sim_fail("HUB-10: a message that was not appended is a duplicate");
        }

        return;

    case PARLEY_ADMIT_IN_FLIGHT:

        /* its process lives, and has not given it back */

        if (appended) {
            sim_fail("HUB-10: a message that was appended is not settled");
        }

        sim_give_back(state, sim_taking.how.stamp);
        return;

    case PARLEY_ADMIT_FULL:
        return;

    default:
        sim_fail("HUB-10: a message that comes again is refused: %d",
                 got.verdict);
    }
}


void
sim_append(sim_process_t *p)
{
    int                    crashed;
    uint8_t                keys[SIM_LOGS][PARLEY_KEY_LEN];
    int64_t                least, most, count, counts[PARLEY_PROTO_COUNT];
    size_t                 njobs;
    unsigned               nrecords;
    parley_job_t           jobs[SIM_APPEND_JOBS];
    parley_append_t        append;
    sim_record_t *volatile record;
    parley_publish_t       publish;
    parley_appended_t      appended;
    parley_state_room_t    before;
    parley_publication_t   publication;

    if (world.nrecords == SIM_RECORDS) {
        return;
    }

    record = sim_record(&publish, &publication, keys);

    if (parley_publication_append(&world.arena, &publish, &append) != 0) {
        abort();
    }

    njobs = sim_jobs_make(record, jobs);
    nrecords = world.nrecords;
    append.jobs = jobs;
    append.njobs = njobs;

    record->size = append.parts[0].len + append.parts[1].len;
    sim_admit(p, &append);
    parley_memory_table(&world.outside, &before);

    sim_count(record, &least, &most);

    crashed = setjmp(sim_crash);

    if (crashed == 0) {
        sim_edges = sim_dies;
        (void) p->memory.state.ops->log->append(&p->memory.state, &append,
                                                &appended, NULL);
    }

    sim_edges = 0;

    if (crashed) {
        sim_kill(p);
        sim_perhaps(record, &before);
        sim_jobs_made(world.nrecords != nrecords ? njobs : 0);
        sim_jobs_check(NULL);
        sim_admit_again(&append, world.nrecords != nrecords);

        /*
         * a process that dies before it wakes the others: the next append or
         * their next tick wakes them
         */

        sim_hub_env.wake(NULL);
        return;
    }

    switch (appended.verdict) {

    case PARLEY_APPEND_OK:

        if (sim_taking.stale) {
            sim_fail("HUB-10: a message that was given back is appended");
        }

        sim_hub_env.wake(NULL);
        sim_accepted(record, appended.places);
        sim_jobs_made(njobs);
        sim_admit_again(&append, 1);

        if (parley_selector_count(&world.arena, &publication, &appended,
                                  counts)
            != 0)
        {
            abort();
        }

        count = counts[PARLEY_PROTO_CHANNEL];

        if (count < least || count > most) {
            sim_fail("ACH-19: %d are told of %d to %d", (int) count,
                     (int) least, (int) most);
        }

        return;

    case PARLEY_APPEND_FULL:
    case PARLEY_APPEND_STALE:
        sim_perhaps(record, &before);
        sim_jobs_check(NULL);
        sim_admit_again(&append, 0);

        if (appended.verdict == PARLEY_APPEND_FULL || sim_taking.stale) {
            return;
        }

        /* fall through */

    default:
        sim_fail("an append is refused: %d", appended.verdict);
    }
}
