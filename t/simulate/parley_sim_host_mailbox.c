/* New records in the mailboxes of the simulated host. */

#include "gate/host/parley_host_turn_text.h"
#include "gate/settings/parley_host_conf.h"
#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_TICK    512        /* precision of deadlines, in ms */


static void sim_host_turn(sim_pair_t *pair, const parley_publication_t *p);
static void sim_host_raised(const sim_pair_t *pair);


/* A mailbox gets an event. */

void
sim_host_in_mailbox(sim_party_t party, const parley_log_record_t *record,
    const parley_publication_t *p, uint64_t epoch)
{
    unsigned              i;
    sim_pair_t           *pair;
    sim_said_t           *said;
    parley_str_t          base;
    parley_host_row_t     row;
    parley_host_views_t   views;

    if (!parley_host_views_find(p->views, parley_str_c(sim_parties[party]),
                                &views, &row))
    {
        sim_fail("C2A-33: %.*s is in the mailbox of %s without a row",
                 (int) p->id.len, (const char *) p->id.data,
                 sim_parties[party]);
    }

    if (row.waits) {
        sim_fail("C2A-09: %.*s comes to %s before its turn", (int) p->id.len,
                 (const char *) p->id.data, sim_parties[party]);
    }

    sim_host_tell("%s gets %.*s, offer %u, policy %d, mode %d, for %lld ms",
                  sim_parties[party], (int) p->id.len,
                  (const char *) p->id.data, row.attempt,
                  (int) row.verdict.policy, (int) row.verdict.mode,
                  (long long) views.deadline_ms);

    /* an edit of a fragment may come alone, and as the turn with it */

    if (!views.turn || parley_host_event_base(p->id).len != p->id.len
        || (said = sim_host_said(p->id)) == NULL || said->of < 0)
    {
        sim_host_once(party, p->id, row.attempt);
    }

    /* an offer that is repeated, to the stream alone */

    if (row.attempt > 1) {
        return;
    }

    if (sim_host.npairs == SIM_HOST_PAIRS || p->id.len >= SIM_HOST_ID) {
        sim_fail("too many events");
    }

    pair = &sim_host.pairs[sim_host.npairs++];
    memset(pair, 0, sizeof(sim_pair_t));

    base = parley_host_event_base(p->id);

    pair->reader = party;
    memcpy(pair->id, p->id.data, p->id.len);
    memcpy(pair->base, base.data, base.len);

    /* a knock after a claim may come again, under its id */

    for (i = 0; i + 1 < sim_host.npairs; i++) {
        if (sim_host.pairs[i].reader == party
            && strcmp(sim_host.pairs[i].id, pair->id) == 0)
        {
            pair->acked |= sim_host.pairs[i].acked;
            pair->failed |= sim_host.pairs[i].failed;

            /* a message and a turn of its id go up to one lead, the second one
               after the records of the first have expired */

            sim_host.pairs[i].raised |= (unsigned) sim_host_is_few();
        }
    }

    pair->place.epoch = epoch;
    pair->place.offset = record->offset;
    pair->ms = p->ms;
    pair->due = p->ms + views.deadline_ms;
    pair->lasts = views.deadline_ms;
    pair->mode = row.verdict.mode;
    pair->policy = row.verdict.policy;
    pair->to_me = row.verdict.directedness == PARLEY_CHAT_TO_ME;
    pair->told = parley_host_is_told(&views) != 0;
    pair->sent = parley_host_is_sent(&row) != 0;

    for (pair->room = 0; pair->room < SIM_ROOMS - 1; pair->room++) {
        if (parley_str_eq(views.conversation,
                          parley_str_c(sim_rooms[pair->room])))
        {
            break;
        }
    }

    if (views.turn) {
        sim_host_turn(pair, p);
    }

    if (base.len != p->id.len) {
        sim_host_raised(pair);

        /* a reader of the conversation gets the content */

        said = sim_host_said(base);

        if (said != NULL && row.reads) {

            if (!sim_host_reads(party, said, NULL)) {
                sim_fail("C2A-33: %s goes up to %s with its content", pair->id,
                         sim_parties[party]);
            }

            said->raised |= 1u << party;
        }

        return;
    }

    if (views.turn) {
        return;
    }

    said = sim_host_said(p->id);

    if (said != NULL && said->of < 0 && pair->policy == PARLEY_CHAT_MUST
        && said->author < SIM_ADA)
    {
        if (pair->lasts != (said->lasts != 0 ? said->lasts
                            : sim_host.s->host->deadline_ms))
        {
            sim_fail("C2A-23: the deadline of %s is %d ms", said->id,
                     (int) pair->lasts);
        }
    }
}


/* A reader gets a turn: the fragments are in their order, and the deadline is
   the earliest of theirs. */

static void
sim_host_turn(sim_pair_t *pair, const parley_publication_t *p)
{
    int                  changed, again;
    int64_t              due, at, last;
    sim_said_t          *said;
    parley_str_t         rest;
    parley_turn_text_t   part;

    rest = p->message;
    again = strcmp(pair->id, pair->base) != 0;
    changed = 0;

    said = sim_host_said(parley_str_c(pair->base));

    /* an edit or a deletion of a fragment offers the turn again */

    if (said != NULL && said->of >= 0) {
        again = 1;
    }
    due = INT64_MAX;
    last = 0;

    while (parley_turn_text_next(&rest, &part)) {

        said = sim_host_said(part.id);

        if (said == NULL || pair->nparts == SIM_HOST_PARTS) {
            sim_fail("C2A-09: a turn has an unknown fragment");
        }

        pair->parts[pair->nparts++] = said->index;
        changed |= said->changed || said->of >= 0;

        if (said->ms < last) {
            sim_fail("C2A-09: the fragments of %s are not in their order",
                     pair->id);
        }

        last = said->ms;

        if (!again && (said->turned & (1u << pair->reader))) {
            sim_fail("C2A-09: %s comes to %s in two turns", said->id,
                     sim_parties[pair->reader]);
        }

        said->turned |= 1u << pair->reader;

        at = said->ms + (said->lasts != 0 ? said->lasts
                         : sim_host.s->host->deadline_ms);

        if (said->waits != 0 && at < due) {
            due = at;
        }

        /* a claim of the turn adds the deadline of a fragment */

        if (at - said->ms > pair->lasts) {
            pair->lasts = at - said->ms;
        }
    }

    if (!changed && !again && pair->policy == PARLEY_CHAT_MUST
        && pair->due != due && pair->due != pair->ms + 1)
    {
        sim_fail("C2A-23: the deadline of the turn %s is %d ms after that of "
                 "its fragments", pair->id, (int) (pair->due - due));
    }
}


/* An event is about another one of the same reader, or it went up: to one
   principal, once, and not before the deadline. */

static void
sim_host_raised(const sim_pair_t *pair)
{
    int                      seen;
    int64_t                  due;
    unsigned                 i, obliged;
    sim_pair_t              *other, *twice;
    sim_said_t              *said;
    const char              *level;
    parley_host_delivery_t   part;

    level = strstr(pair->id, ":escalated:");

    if (level == NULL || pair->told) {
        return;
    }

    seen = 0;
    obliged = 0;
    twice = NULL;

    for (i = 0; i < sim_host.npairs; i++) {
        other = &sim_host.pairs[i];

        if (other == pair || strcmp(other->base, pair->base) != 0) {
            continue;
        }

        if (strcmp(other->id, pair->id) == 0 && !sim_host_is_changed(other)) {
            twice = other;
        }

        if (other->policy != PARLEY_CHAT_MUST || other->told
            || (level[11] == '1') != (strcmp(other->id, other->base) == 0))
        {
            continue;
        }

        (void) sim_host_part_of(other->id, other->reader, &part);

        due = part.due_ms != 0 ? part.due_ms : other->due;
        other->raised = 1;
        obliged++;

        seen |= pair->ms + SIM_HOST_TICK >= due
                || part.disposition == PARLEY_CHAT_FAILED
                || part.disposition == PARLEY_CHAT_IGNORED || other->failed
                || (sim_host.left[other->room] & (1u << other->reader));
    }

    /* a turn may oblige several readers, with different principals above */

    if (twice != NULL && obliged == 1) {
        sim_fail("C2A-23: %s goes up to %s and to %s", pair->id,
                 sim_parties[twice->reader], sim_parties[pair->reader]);
    }

    /* a reader may decline or answer a message before its turn */

    said = sim_host_said(parley_str_c(pair->base));

    for (i = 0; obliged == 0 && said != NULL && i < SIM_PARTIES; i++) {
        if ((said->waits & (1u << i))
            && sim_host_part_of(said->id, (sim_party_t) i, &part) == 1)
        {
            seen |= part.disposition == PARLEY_CHAT_IGNORED
                    || part.failures > 0;
        }
    }

    if (!seen) {
        sim_fail("C2A-23: %s goes up before the deadline", pair->id);
    }
}
