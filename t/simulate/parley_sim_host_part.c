/* The parts of readers in events of the simulated host: acknowledgments,
   dispositions, deadlines, and the cursors of mailboxes. */

#include "t/simulate/parley_sim_host.h"


/* ms after a deadline within which a process that lives has escalated */
#define SIM_HOST_SLACK   30000


static int sim_host_is_acked(sim_pair_t *pair);
static void sim_host_obligation(sim_pair_t *pair, const parley_host_delivery_t
    *part);


/* Returns whether the reader has acknowledged an event, or may have: it sent an
   answer to the offer, or a call that names the event. */

static int
sim_host_is_acked(sim_pair_t *pair)
{
    unsigned     i, k;
    sim_op_t    *op;
    sim_said_t  *said, *of;

    said = sim_host_said(parley_str_c(pair->base));

    for (i = 0; i < sim_host.npairs; i++) {
        pair->acked |= sim_host.pairs[i].acked
                       && sim_host.pairs[i].reader == pair->reader
                       && strcmp(sim_host.pairs[i].id, pair->id) == 0;
    }

    for (i = 0; i < sim_host.nops && !pair->acked; i++) {
        op = &sim_host.ops[i];

        if (op->party != pair->reader || op->on[0] == '\0') {
            continue;
        }

        if (strcmp(op->on, pair->id) == 0) {
            pair->acked = 1;
        }

        of = sim_host_said(parley_host_event_base(parley_str_c(op->on)));

        if (of == NULL) {
            continue;
        }

        if (said != NULL && sim_host_is_same(said, of)) {
            pair->acked = 1;
        }

        for (k = 0; k < pair->nparts; k++) {
            if (sim_host_is_same(&sim_host.said[pair->parts[k]], of)) {
                pair->acked = 1;
            }
        }
    }

    return pair->acked;
}


/* C2A-14, C2A-20, C2A-22: a reader acknowledges an event, and one disposition
   ends it. */

void
sim_host_part(sim_pair_t *pair)
{
    int                      decided;
    parley_host_delivery_t   part;

    if (sim_host_part_of(pair->id, pair->reader, &part) == 0) {

        if (pair->known && pair->policy == PARLEY_CHAT_MUST && !pair->told
            && !parley_host_is_decided(pair->disposition)
            && pair->escalated == 0 && !pair->past
            && !sim_host_is_changed(pair))
        {
            sim_fail("C2A-22: the part of %s in %s is lost",
                     sim_parties[pair->reader], pair->id);
        }

        pair->known = 0;

        if (!pair->over) {
            sim_host_obligation(pair, &part);
        }

        return;
    }

    decided = pair->known && parley_host_is_decided(pair->disposition);

    if (part.accepted && !sim_host_is_acked(pair)) {
        sim_fail("C2A-20: %s is accepted by %s, which did not acknowledge it",
                 pair->id, sim_parties[pair->reader]);
    }

    if (part.disposition == PARLEY_CHAT_FAILED && !pair->failed
        && part.failures == 0)
    {
        sim_fail("C2A-35: %s failed for %s, which did not say so", pair->id,
                 sim_parties[pair->reader]);
    }

    /* a change may end the event again after the part has expired, between two
       looks */

    if (decided && part.disposition == PARLEY_CHAT_SUPERSEDED
        && sim_host_now() - pair->decided >= 2 * sim_host.http->retain_ms)
    {
        decided = 0;
        pair->known = 0;
    }

    if (decided && part.disposition != pair->disposition
        && part.failures == pair->failures)
    {
        sim_fail("C2A-14: %s of %s has the disposition %d, and had %d",
                 pair->id, sim_parties[pair->reader], (int) part.disposition,
                 (int) pair->disposition);
    }

    if (pair->known && part.failures > pair->failures) {
        pair->due = part.due_ms;

    } else if (pair->known && part.extended && !pair->extended) {

        if (part.due_ms > pair->due + pair->lasts) {
            sim_fail("C2A-23: the deadline of %s moves by %d ms",
                     pair->id, (int) (part.due_ms - pair->due));
        }

        pair->due = part.due_ms;

    } else if (part.due_ms != 0 && !pair->known) {
        pair->due = part.due_ms;

    } else if (part.due_ms != 0 && part.due_ms != pair->due) {
        sim_fail("C2A-23: the deadline of %s is set again", pair->id);
    }

    if (!pair->known || pair->disposition != part.disposition
        || pair->escalated != part.escalated || pair->extended != part.extended
        || pair->failures != part.failures || pair->accepted != part.accepted)
    {
        sim_host_tell("  %s of %s: disposition %d, accepted %u, escalated %u, "
                      "extended %u, failures %u, due in %lld, slot %.*s",
                      pair->id, sim_parties[pair->reader],
                      (int) part.disposition, part.accepted, part.escalated,
                      part.extended, part.failures,
                      (long long) (pair->due - sim_host_now()),
                      (int) part.answer.len,
                      (const char *) part.answer.data);
    }

    if (!pair->known || pair->disposition != part.disposition) {
        pair->decided = sim_host_now();
    }

    pair->known = 1;
    pair->over = parley_host_is_decided(part.disposition)
                 || part.escalated > 0;
    pair->past |= pair->over;
    pair->disposition = part.disposition;
    pair->failures = part.failures;
    pair->extended = part.extended;
    pair->escalated = part.escalated;
    pair->accepted = part.accepted;

    sim_host_obligation(pair, &part);
}


/* C2A-22, C2A-23: an obligation that is not decided goes up at its deadline,
   also if the logs have dropped its record. */

static void
sim_host_obligation(sim_pair_t *pair, const parley_host_delivery_t *part)
{
    const sim_said_t  *said;

    if (!sim_host.settled || pair->policy != PARLEY_CHAT_MUST || pair->told
        || pair->reader < SIM_ADA || pair->raised)
    {
        return;
    }

    /* a message that was deleted does not go up, and an event without its
       record is not followed again after a failed send */

    said = sim_host_said(parley_str_c(pair->base));

    if (said != NULL && said->gone && pair->nparts == 0) {
        return;
    }

    if ((sim_host_is_changed(pair)
         && (sim_host_is_few() || part->disposition == PARLEY_CHAT_FAILED
             || part->disposition == PARLEY_CHAT_IGNORED))
        || (sim_host_is_few() && part->disposition == PARLEY_CHAT_FAILED
            && part->failures > 0))
    {
        return;
    }

    if (!parley_host_is_open(part)
        && part->disposition != PARLEY_CHAT_FAILED
        && part->disposition != PARLEY_CHAT_IGNORED)
    {
        return;
    }

    if (sim_host_now() - SIM_HOST_SLACK
        > (pair->due > pair->ms ? pair->due : pair->ms)
        && part->escalated == 0)
    {
        sim_fail("C2A-23: %s of %s is open for %d ms after its deadline",
                 pair->id, sim_parties[pair->reader],
                 (int) (sim_host_now() - pair->due));
    }
}


/* C2A-20, C2A-21: the cursor is over events that need no acknowledgment, or
   have one. */

void
sim_host_cursor(sim_party_t party)
{
    char                     id[SIM_HOST_ID];
    unsigned                 i;
    uint32_t                 generation;
    parley_str_t             named;
    parley_ask_t             ask;
    parley_host_t            h;
    parley_error_t           err;
    parley_place_t           place, *known;
    sim_pair_t              *pair;
    parley_host_delivery_t   part;

    sim_host_asks(&h, &ask, &err);

    if (parley_host_cursor_get(&h, parley_str_c(sim_parties[party]), &place,
                               &generation)
        != 1)
    {
        return;
    }

    known = &sim_host.cursors[party];

    if (known->epoch == place.epoch && known->offset == place.offset) {
        return;
    }

    for (i = 0; i < sim_host.npairs; i++) {
        pair = &sim_host.pairs[i];

        if (pair->reader != party || pair->place.epoch != place.epoch
            || pair->place.offset > place.offset
            || (known->epoch == place.epoch
                && pair->place.offset <= known->offset)
            || pair->mode <= PARLEY_CHAT_MAILBOX || sim_host_is_acked(pair)
            || pair->place.offset < sim_host.first[party]
            || sim_host_is_changed(pair)
            || sim_host_now() - pair->ms >= sim_host.http->retain_ms
            || (!pair->to_me
                && !((sim_host.members[pair->room]
                      & ~sim_host.unsure[pair->room]
                      & ~sim_host.left[pair->room]) & (1u << party))))
        {
            continue;
        }

        named = parley_host_event_named(parley_str_c(pair->id));
        snprintf(id, sizeof(id), "%.*s", (int) named.len,
                 (const char *) named.data);

        (void) sim_host_part_of(id, party, &part);

        if (part.disposition == PARLEY_CHAT_UNDISPOSED) {
            sim_fail("C2A-21: the cursor of %s is over %s, which is open",
                     sim_parties[party], pair->id);
        }
    }

    *known = place;
}
