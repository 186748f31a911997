/*
 * The promises of the host, as a model of the parties sees them.  It reads the
 * records of the state by the host's own functions, and compares them with the
 * calls and the answers of the parties.
 */

#include "gate/settings/parley_host_conf.h"
#include "t/simulate/parley_sim_host.h"


static unsigned sim_host_waiting(const sim_said_t *said);
static void sim_host_waits(sim_said_t *said);
static void sim_host_deleted(void);


/* A context of the model's own reads. */

void
sim_host_asks(parley_host_t *h, parley_ask_t *ask, parley_error_t *err)
{
    static const uint8_t  account[PARLEY_KEY_LEN];

    parley_arena_reset(&sim_host.arena);
    memset(h, 0, sizeof(parley_host_t));
    parley_error_clear(err);
    parley_ask_init(ask, &world.outside.state, &sim_host.arena);
    parley_ask_begin(ask, world.now);

    h->ask = ask;
    h->arena = &sim_host.arena;
    h->err = err;
    h->engine = sim_host.render.engine;
    h->http = sim_host.http;
    h->host = sim_host.s->host;
    h->proto = sim_host.s->host->stream.proto;
    h->account = account;
    h->seed = 1;
    h->now_ms = sim_host_now();
}


/* Reads the part of a reader. */

int
sim_host_part_of(const char *id, sim_party_t party, parley_host_delivery_t *ret)
{
    int             rc;
    parley_ask_t    ask;
    parley_host_t   h;
    parley_error_t  err;

    sim_host_asks(&h, &ask, &err);

    rc = parley_host_delivery_get(&h, parley_str_c(id), SIM_HOST_NAMED,
                                  parley_str_c(sim_parties[party]), ret);
    if (rc < 0) {
        sim_fail("the model cannot read the state");
    }

    return rc;
}


sim_party_t
sim_host_party(parley_str_t sub)
{
    unsigned  i;

    for (i = 0; i < SIM_PARTIES; i++) {
        if (parley_str_eq(sub, parley_str_c(sim_parties[i]))) {
            return (sim_party_t) i;
        }
    }

    return SIM_NO_PARTY;
}


sim_said_t *
sim_host_said(parley_str_t id)
{
    unsigned  i;

    for (i = 0; i < sim_host.nsaid; i++) {
        if (id.len > 0
            && parley_str_eq(id, parley_str_c(sim_host.said[i].id)))
        {
            return &sim_host.said[i];
        }
    }

    return NULL;
}


/* Returns whether a party may read a message: it reads the conversation, the
   message names it, or it is in a turn that does. */

int
sim_host_reads(sim_party_t party, const sim_said_t *said,
    const unsigned *before)
{
    unsigned  members;

    members = before != NULL ? before[said->room] : 0;

    members |= sim_host.members[said->room] | sim_host.unsure[said->room]
               | said->members | said->named | said->turned
               | said->raised;

    if (said->of >= 0) {
        members |= sim_host.said[said->of].turned
                   | sim_host.said[said->of].raised;
    }

    return party == SIM_WEB || party == said->author
           || (members & (1u << party));
}


/* Returns the mark of a message in its text, or NULL. */

const char *
sim_host_mark(parley_str_t text)
{
    size_t  i;

    for (i = 0; i + 4 < text.len; i++) {
        if (memcmp(text.data + i, "TOK", 3) == 0) {
            return (const char *) text.data + i;
        }
    }

    return NULL;
}


/* Checks the octets that a party gets: they name messages by a mark.  before:
   the readers of each conversation when the call began, or NULL. */

void
sim_host_octets(sim_party_t party, parley_str_t octets, const unsigned *before)
{
    size_t       i, at;
    unsigned     n;
    sim_said_t  *said;

    for (i = 0; i + 4 < octets.len; i++) {

        if (memcmp(octets.data + i, "TOK", 3) != 0) {
            continue;
        }

        n = 0;

        for (at = i + 3; at < octets.len && octets.data[at] >= '0'
                         && octets.data[at] <= '9'; at++)
        {
            n = n * 10 + (unsigned) (octets.data[at] - '0');
        }

        if (n >= sim_host.nsaid) {
            sim_fail("%s gets an unknown message",
                     sim_parties[party]);
        }

        said = &sim_host.said[n];

        if (!sim_host_reads(party, said, before)) {
            sim_fail("C2A-33: %s gets %s of %s: %.*s", sim_parties[party],
                     said->id, sim_rooms[said->room], (int) octets.len,
                     (const char *) octets.data);
        }

        if (said->gone) {
            sim_fail("C2A-25: %s gets %s, which was deleted",
                     sim_parties[party], said->id);
        }
    }
}


/* Returns whether the logs keep few records: if a conversation has dropped a
   message, its change does not find the readers. */

int
sim_host_is_few(void)
{
    return sim_host.http->retain_ms <= 60000;
}


/* Returns whether two ids name a message and an edit of it, or the same one. */

int
sim_host_is_same(const sim_said_t *a, const sim_said_t *b)
{
    return a == b || a->of == (int) b->index || b->of == (int) a->index
           || (a->of >= 0 && a->of == b->of);
}


/* Returns whether a message was changed, or an edit replaced. */

int
sim_host_is_replaced(const sim_said_t *said)
{
    unsigned           i;
    const sim_said_t  *other;

    /* of edits that came at the same time, the log has the order */

    for (i = 0; said->of >= 0 && i < sim_host.nsaid; i++) {
        other = &sim_host.said[i];

        if (other->of == said->of
            && (other->index > said->index || other->order > said->order))
        {
            return 1;
        }
    }

    return said->changed;
}


/* Returns whether the message of an event, or a fragment of it, was edited or
   deleted, or may be: then its record is erased. */

int
sim_host_is_changed(const sim_pair_t *pair)
{
    unsigned     k;
    sim_said_t  *said;

    said = sim_host_said(parley_str_c(pair->base));

    if (said != NULL && sim_host_is_replaced(said)) {
        return 1;
    }

    for (k = 0; k < pair->nparts; k++) {
        if (sim_host_is_replaced(&sim_host.said[pair->parts[k]])) {
            return 1;
        }
    }

    return 0;
}


/* Returns the readers that still wait for the turn of a message. */

static unsigned
sim_host_waiting(const sim_said_t *said)
{
    return said->waits & ~said->turned & ~said->raised & ~said->ended;
}


/* Notes the readers that end a message before its turn comes. */

static void
sim_host_waits(sim_said_t *said)
{
    unsigned                 r;
    parley_host_delivery_t   part;

    for (r = 0; r < SIM_PARTIES; r++) {

        if ((sim_host_waiting(said) & (1u << r))
            && sim_host_part_of(said->id, (sim_party_t) r, &part) == 1
            && !parley_host_is_open(&part)
            && part.disposition != PARLEY_CHAT_SUPERSEDED)
        {
            said->ended |= 1u << r;
        }
    }
}


/* C2A-25: no reader gets a message after its deletion. */

static void
sim_host_deleted(void)
{
    unsigned     i, k;
    sim_said_t  *said;

    for (i = 0; i < sim_host.nsaid; i++) {
        said = &sim_host.said[i];

        if (!said->deletes || !said->accepted || said->gone) {
            continue;
        }

        said->gone = 1;

        for (k = 0; k < sim_host.nsaid; k++) {
            if ((int) k == said->of || sim_host.said[k].of == said->of) {
                sim_host.said[k].gone = 1;
            }
        }
    }
}


/* Checks the records of all readers. */

void
sim_host_check(void)
{
    unsigned  i;

    if (sim_host.settled) {
        sim_host_deleted();
    }

    for (i = 0; i < sim_host.nsaid; i++) {
        if (sim_host.said[i].waits & ~sim_host.said[i].turned
            & ~sim_host.said[i].ended)
        {
            sim_host_waits(&sim_host.said[i]);
        }
    }

    for (i = 0; i < sim_host.npairs; i++) {
        sim_host_part(&sim_host.pairs[i]);
    }

    for (i = 0; i < SIM_PARTIES; i++) {
        sim_host_cursor((sim_party_t) i);
    }
}


/* All that was accepted is accounted for. */

void
sim_host_check_end(void)
{
    unsigned     i;
    sim_op_t    *op;
    sim_pair_t  *pair;
    sim_said_t  *said;

    for (i = 0; i < sim_host.nops; i++) {
        op = &sim_host.ops[i];

        if (!op->done && !op->late) {
            sim_fail("a call never has an answer: %s", op->body);
        }
    }

    for (i = 0; i < sim_host.nsaid; i++) {
        said = &sim_host.said[i];

        if (said->accepted && said->visible == 0) {
            sim_fail("C2A-11: %s was accepted, and is lost", said->id);
        }

        if (sim_host_waiting(said) != 0 && !said->changed && said->of < 0) {
            sim_fail("C2A-09: %s never comes to a reader", said->id);
        }
    }

    for (i = 0; i < sim_host.npairs; i++) {
        pair = &sim_host.pairs[i];

        if (pair->policy != PARLEY_CHAT_MUST || pair->told || pair->raised
            || pair->reader < SIM_ADA || !pair->known)
        {
            continue;
        }

        if (!parley_host_is_decided(pair->disposition)
            && pair->escalated == 0
            && !(sim_host_is_few() && sim_host_is_changed(pair)))
        {
            sim_fail("C2A-22: %s of %s never ends", pair->id,
                     sim_parties[pair->reader]);
        }
    }
}
