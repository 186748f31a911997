/* The model: checks the events against the accepted records. */

#include "t/simulate/parley_sim.h"


static int
sim_filter_admits(const char *filter, const sim_record_t *r)
{
    return (strstr(filter, "kind:") == NULL || strstr(filter, r->kind) != NULL)
           && (strstr(filter, "sender:") == NULL
               || strstr(filter, sim_senders[r->sender]) != NULL);
}


int
sim_is_for(const sim_client_t *c, const sim_record_t *r)
{
    const parley_audience_t  *a;

    a = &r->audience;

    if ((r->logs & (1u << c->log)) == 0
        || !sim_filter_admits(c->filter, r))
    {
        return 0;
    }

    switch (a->form) {

    case PARLEY_AUDIENCE_PREFIX:
        return strncmp(c->instrument, (const char *) a->instrument.data,
                       a->instrument.len)
               == 0;

    case PARLEY_AUDIENCE_SESSION:
        return parley_str_eq(a->session, parley_str_c(c->session))
               && parley_str_eq(a->instrument, parley_str_c(c->instrument));

    default:
        return 1;
    }
}


static unsigned
sim_epoch(unsigned log, uint64_t epoch)
{
    unsigned  i;

    for (i = 0; i < world.logs[log].nepochs; i++) {
        if (world.logs[log].epochs[i] == epoch) {
            return i;
        }
    }

    return SIM_EPOCHS;
}


static sim_record_t *
sim_find(unsigned log, unsigned epoch, uint64_t offset)
{
    unsigned       i;
    sim_record_t  *r;

    for (i = world.nrecords; i != 0; i--) {
        r = &world.records[i - 1];

        if ((r->logs & (1u << log)) != 0 && r->epochs[log] == epoch
            && r->offsets[log] == offset)
        {
            return r;
        }
    }

    return NULL;
}


/*
 * Returns the number of an epoch.  A log may begin again after its lease, and
 * always with a new epoch.
 */

static unsigned
sim_epoch_begins(unsigned log, uint64_t epoch)
{
    sim_log_t  *l;

    l = &world.logs[log];

    if (l->nepochs != 0 && l->epochs[l->nepochs - 1] == epoch) {
        return l->nepochs - 1;
    }

    if (sim_epoch(log, epoch) != SIM_EPOCHS) {
        sim_fail("an epoch of log %u comes again", log);
    }

    if (l->nepochs != 0 && world.now - l->kept < SIM_LEASE) {
        sim_fail("log %u is another one", log);
    }

    if (l->nepochs == SIM_EPOCHS) {
        sim_fail("too many epochs");
    }

    l->epochs[l->nepochs++] = epoch;
    l->last = 0;
    l->kept = world.now;

    return l->nepochs - 1;
}


void
sim_accepted(sim_record_t *r, const parley_placed_t *places)
{
    unsigned  i, log;

    i = 0;

    for (log = 0; log < SIM_LOGS; log++) {

        if ((r->logs & (1u << log)) == 0) {
            continue;
        }

        r->epochs[log] = sim_epoch_begins(log, places[i].place.epoch);
        r->offsets[log] = places[i].place.offset;

        if (r->offsets[log] != world.logs[log].last + 1) {
            sim_fail("log %u goes on at %u after %u", log,
                     (unsigned) r->offsets[log],
                     (unsigned) world.logs[log].last);
        }

        world.logs[log].last++;
        world.logs[log].kept = world.now;
        i++;
    }

    for (i = 0; i < SIM_CLIENTS; i++) {
        if (world.clients[i].conn != NULL
            && world.clients[i].conn->s.state == SIM_LIVE)
        {
            r->live |= 1u << i;
        }
    }

    world.nrecords++;
}


/* Returns the end of a log, with epoch 0 if the log does not exist. */

static parley_place_t
sim_end_of(unsigned log)
{
    parley_place_t     end;
    parley_state_t    *state;
    parley_log_page_t  page;
    parley_log_read_t  read;

    state = &world.outside.state;

    memset(&read, 0, sizeof(read));

    read.log = world.keys[log];
    read.backward = 1;
    read.records = 1;
    read.octets = 1;
    read.arena = &world.arena;

    (void) state->ops->log->read(state, &read, &page, NULL);

    end.epoch = page.epoch;
    end.offset = page.last;

    return end;
}


void
sim_look(unsigned log)
{
    parley_place_t  end;

    end = sim_end_of(log);

    if (end.epoch != 0) {
        (void) sim_epoch_begins(log, end.epoch);
    }
}


/* Looks at each log of the record, from outside the process. */

void
sim_perhaps(sim_record_t *r, const parley_state_room_t *before)
{
    unsigned             log, there, n;
    parley_place_t       end;
    parley_placed_t      places[SIM_LOGS];
    parley_state_room_t  after;

    n = 0;
    there = 0;

    for (log = 0; log < SIM_LOGS; log++) {

        sim_look(log);
        end = sim_end_of(log);

        if ((r->logs & (1u << log)) == 0) {

            if (end.epoch != 0 && end.offset != world.logs[log].last) {
                sim_fail("log %u has what nobody appended", log);
            }

            continue;
        }

        places[n].place = end;
        n++;

        if (end.epoch != 0 && end.offset == world.logs[log].last + 1) {
            there++;

        } else if (end.epoch != 0 && end.offset != world.logs[log].last) {
            sim_fail("log %u ends at %u after %u", log, (unsigned) end.offset,
                     (unsigned) world.logs[log].last);
        }
    }

    if (there != 0 && there != n) {
        sim_fail("a record is in %u of %u logs", there, n);
    }

    if (there != 0) {
        sim_accepted(r, places);
        return;
    }

    parley_memory_table(&world.outside, &after);

    if (after.entries[PARLEY_KIND_RECORD]
        > before->entries[PARLEY_KIND_RECORD]
        || after.entries[PARLEY_KIND_PLACE]
           > before->entries[PARLEY_KIND_PLACE])
    {
        sim_fail("an append that was none leaves something");
    }
}


void
sim_count(const sim_record_t *r, int64_t *least, int64_t *most)
{
    unsigned           i;
    const sim_conn_t  *c;

    *least = 0;
    *most = sim_later_leaves();

    if (world.unburied) {
        *most = SIM_CONNS * 100;
        return;
    }

    for (i = 0; i < SIM_CONNS; i++) {
        c = &world.conns[i];

        if (!c->used || c->s.stamp == 0) {
            continue;
        }

        if (c->client == NULL || c->twice) {
            ++*most;

        } else if (sim_is_for(c->client, r)) {
            ++*least;
            ++*most;
        }
    }
}


static int
sim_is_retained(unsigned log, unsigned epoch, uint64_t offset)
{
    size_t               octets;
    uint64_t             i;
    const sim_record_t  *r, *next;

    if (epoch + 1 != world.logs[log].nepochs) {
        return 0;
    }

    r = sim_find(log, epoch, offset);

    if (r == NULL
        || world.logs[log].last - offset >= world.retention.records
        || r->time + world.retention.ms <= world.now)
    {
        return 0;
    }

    octets = 0;

    for (i = offset; i <= world.logs[log].last; i++) {
        next = sim_find(log, epoch, i);
        octets += next != NULL ? next->size : 0;
    }

    return octets <= world.retention.octets
           || offset == world.logs[log].last;
}


/* Returns whether a client must still get a record. */

static int
sim_is_owed(const sim_client_t *c, unsigned epoch, uint64_t offset)
{
    const sim_record_t  *r;

    r = sim_find(c->log, epoch, offset);

    /* records from before its connection are not owed, unless it resumes */

    if (offset <= c->begun && c->place.epoch != 0
        && epoch == sim_epoch(c->log, c->place.epoch))
    {
        return 0;
    }

    return r != NULL && sim_is_for(c, r) && !r->erased && r->ends > world.now;
}


void
sim_had(unsigned log, const parley_place_t *place)
{
    sim_record_t  *r;

    r = sim_find(log, sim_epoch(log, place->epoch), place->offset);

    if (r != NULL) {
        r->had |= 1u << log;
    }
}


/* Checks the place where a client begins; it must get all later records. */

void
sim_client_opened(sim_client_t *c, const parley_place_t *place)
{
    unsigned  epoch;

    epoch = sim_epoch(c->log, place->epoch);

    if (epoch == SIM_EPOCHS) {
        sim_fail("%s begins in a log that nobody knows", c->session);
    }

    if (c->place.epoch != 0) {
        sim_fail("%s begins anew although it resumes", c->session);
    }

    if (epoch + 1 == world.logs[c->log].nepochs
        && place->offset > world.logs[c->log].last)
    {
        sim_fail("%s begins behind the end", c->session);
    }
}


void
sim_client_gap(sim_client_t *c, const parley_place_t *place)
{
    int                  early;
    unsigned             epoch;
    uint64_t             offset;
    const sim_record_t  *r;

    c->gaps++;
    early = 0;

    if (c->place.epoch != place->epoch) {

        if (sim_epoch(c->log, place->epoch) == SIM_EPOCHS) {
            sim_fail("%s is told of a log that nobody knows", c->session);
        }

        return;
    }

    epoch = sim_epoch(c->log, place->epoch);

    for (offset = c->place.offset + 1; offset <= place->offset; offset++) {

        if (sim_is_retained(c->log, epoch, offset)) {
            continue;
        }

        /*
         * a connected client that keeps up gets the record even if the log has
         * dropped it
         */

        r = sim_find(c->log, epoch, offset);

        if (r == NULL || c->conn == NULL
            || (r->live & (1u << (c - world.clients))) == 0
            || r->time < c->conn->since
            || r->time <= c->conn->process->late
            || c->conn->process->behind
            || r->time + PARLEY_FEED_GRACE <= world.now)
        {
            return;
        }

        early = 1;
    }

    if (early) {
        sim_fail("HUB-01: %s misses what was not waited for",
                 c->session);
    }

    sim_fail("HUB-02: %s is told of a gap from %u to %u, where none is",
             c->session, (unsigned) c->place.offset,
             (unsigned) place->offset);
}


void
sim_client_got(sim_client_t *c, const parley_place_t *place,
    parley_str_t data)
{
    char                 text[64];
    int                  len;
    unsigned             epoch;
    uint64_t             offset;
    const sim_record_t  *r;

    epoch = sim_epoch(c->log, place->epoch);
    r = sim_find(c->log, epoch, place->offset);

    if (r == NULL) {
        sim_fail("%s gets what nobody sent, at %u", c->session,
                 (unsigned) place->offset);
    }

    if (place->epoch != c->place.epoch) {
        sim_fail("%s gets another epoch untold", c->session);
    }

    if (place->offset <= c->place.offset) {
        sim_fail("HUB-01: %s gets %u after %u", c->session,
                 (unsigned) place->offset, (unsigned) c->place.offset);
    }

    if (place->offset <= c->begun && !r->owed) {
        sim_fail("VCP-33: %s gets %u, which nobody owes it", c->session,
                 (unsigned) place->offset);
    }

    if (!sim_is_for(c, r)) {
        sim_fail("%s gets %u, which is not for it", c->session,
                 (unsigned) place->offset);
    }

    if (r->ends < c->conn->began) {
        sim_fail("ACH-26: %s gets %u, which was over when it came", c->session,
                 (unsigned) place->offset);
    }

    len = snprintf(text, sizeof(text), "%s%u:",
                   world.streams[c->stream].proto == PARLEY_PROTO_AEE
                   ? "A " : "", (unsigned) (r - world.records));

    if (data.len < (size_t) len || memcmp(data.data, text, (size_t) len) != 0)
    {
        sim_fail("HUB-06: %s gets something else at %u", c->session,
                 (unsigned) place->offset);
    }

    for (offset = c->place.offset + 1; offset < place->offset; offset++) {
        if (sim_is_owed(c, epoch, offset)) {
            sim_fail("HUB-01: %s gets %u and not %u", c->session,
                     (unsigned) place->offset, (unsigned) offset);
        }
    }
}


void
sim_complete(void)
{
    unsigned             i, epoch;
    uint64_t             offset;
    const sim_client_t  *c;

    for (i = 0; i < SIM_CLIENTS; i++) {
        c = &world.clients[i];

        if (c->conn == NULL || c->conn->slow
            || c->conn->process->stalled > world.now || c->place.epoch == 0)
        {
            continue;
        }

        epoch = world.logs[c->log].nepochs - 1;
        offset = c->place.epoch == world.logs[c->log].epochs[epoch]
                 ? c->place.offset : 0;

        while (offset++ < world.logs[c->log].last) {
            if (sim_is_owed(c, epoch, offset)) {
                sim_fail("HUB-04: %s has not got %u", c->session,
                         (unsigned) offset);
            }
        }
    }
}
