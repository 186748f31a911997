/* New records in the logs of the simulated host, and the claims of their
   messages. */

#include "gate/settings/parley_host_conf.h"
#include "t/simulate/parley_sim_host.h"


static void sim_host_log(unsigned i);
static void sim_host_in_room(unsigned room, const parley_log_record_t *record,
    const parley_publication_t *p);
static void sim_host_reply(sim_said_t *said, parley_str_t message);
static int sim_host_is_left(parley_str_t id);
static int sim_host_is_to(const char *id, sim_party_t party);
static int sim_host_is_raised(const sim_said_t *said);
static void sim_host_answered(sim_said_t *said);
static int sim_host_slot(const sim_said_t *said, const char *end);
static void sim_host_claims(void);


/* Looks at the new records of all logs, and at the claims. */

void
sim_host_look(void)
{
    unsigned  i;

    if (sim_host.head != sim_jobs_head()) {
        sim_host.head = sim_jobs_head();

        for (i = 0; i < SIM_PARTIES + SIM_ROOMS; i++) {
            sim_host_log(i);
        }
    }

    sim_host_claims();
}


static void
sim_host_log(unsigned i)
{
    int                    k;
    parley_arena_t         arena;
    parley_log_page_t      page;
    parley_log_read_t      read;
    parley_publication_t   p;

    memset(&read, 0, sizeof(read));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    read.log = i < SIM_PARTIES ? sim_host.logs[i]
                               : sim_host.rooms[i - SIM_PARTIES];
    read.from = sim_host.seen[i];
    read.records = 1000;
    read.octets = SIZE_MAX / 2;
    read.arena = &arena;

    if (read.from.epoch == 0) {
        read.from.epoch = PARLEY_HOST_BEFORE;
    }

    (void) world.outside.state.ops->log->read(&world.outside.state, &read,
                                              &page, NULL);

    for (k = 0; page.epoch != 0 && k < page.n; k++) {

        if (parley_publication_read(page.list[k].octets, &p) != 0) {
            sim_fail("a record is not a publication");
        }

        if (p.views.len == 0 || p.views.data[0] >= PARLEY_HOST_CANCELLED) {
            continue;
        }

        if (i < SIM_PARTIES) {
            sim_host_in_mailbox((sim_party_t) i, &page.list[k], &p,
                                page.epoch);

        } else {
            sim_host_in_room(i - SIM_PARTIES, &page.list[k], &p);
        }
    }

    if (page.epoch != 0 && i < SIM_PARTIES) {
        sim_host.first[i] = page.first;
    }

    if (page.epoch != 0) {
        sim_host.seen[i].epoch = page.epoch;
        sim_host.seen[i].offset = page.last;
    }

    parley_arena_reset(&arena);
}


/* Returns whether the id is that of a reaction which a process left when it
   died.  After some seconds equal calls take it over, also two at once. */

static int
sim_host_is_left(parley_str_t id)
{
    unsigned   i;
    sim_op_t  *op;

    for (i = 0; id.data[0] == 'r' && i < sim_host.nops; i++) {
        op = &sim_host.ops[i];

        if (op->kind == SIM_OP_ACT && op->born != 0
            && world.now - op->born >= 5000 && op->tries > op->flying)
        {
            return 1;
        }
    }

    return 0;
}


/* C2A-12: a log gets an event once. */

void
sim_host_once(unsigned log, parley_str_t id, unsigned attempt)
{
    char         text[SIM_HOST_ID];
    unsigned     i;

    /* an event that went up comes again if an edit has erased it before */

    for (i = 0; parley_host_event_base(id).len != id.len
                && i < sim_host.npairs; i++)
    {
        if (parley_str_eq(parley_str_c(sim_host.pairs[i].base),
                          parley_host_event_base(id))
            && sim_host_is_changed(&sim_host.pairs[i]))
        {
            return;
        }
    }

    /* an event of the host may come again after the logs dropped it */

    if (sim_host_is_few() && id.len > 2
        && (memcmp(id.data, "e-", 2) == 0
            || memchr(id.data, ':', id.len) != NULL))
    {
        return;
    }

    snprintf(text, sizeof(text), "%u %u %.*s", log, attempt, (int) id.len,
             (const char *) id.data);

    for (i = 0; i < sim_host.nids; i++) {
        if (strcmp(sim_host.ids[i], text) == 0 && !sim_host_is_left(id)) {
            sim_fail("C2A-12: %.*s is in a log twice (%s)", (int) id.len,
                     (const char *) id.data,
                     log < SIM_PARTIES ? sim_parties[log]
                                       : sim_rooms[log - SIM_PARTIES]);
        }
    }

    if (sim_host.nids == SIM_HOST_IDS) {
        sim_fail("too many events");
    }

    memcpy(sim_host.ids[sim_host.nids++], text, sizeof(text));
}


/* A conversation gets a message. */

static void
sim_host_in_room(unsigned room, const parley_log_record_t *record,
    const parley_publication_t *p)
{
    unsigned              n;
    const char           *mark;
    sim_said_t           *said;
    sim_party_t           party;
    parley_str_t          rest;
    parley_host_row_t     row;
    parley_host_views_t   views;

    (void) record;

    sim_host_tell("%s gets %.*s of %.*s", sim_rooms[room], (int) p->id.len,
                  (const char *) p->id.data, (int) p->from.len,
                  (const char *) p->from.data);
    sim_host_once(SIM_PARTIES + room, p->id, 0);

    said = sim_host_said(p->id);
    mark = sim_host_mark(p->message);

    if (said == NULL && mark != NULL) {
        n = (unsigned) strtoul(mark + 3, NULL, 10);

        if (n >= sim_host.nsaid) {
            sim_fail("an unknown message");
        }

        said = &sim_host.said[n];
    }

    if (said == NULL) {
        return;
    }

    if (said->visible++ > 0) {
        sim_fail("C2A-11: %s said %s once, and it is visible as %.*s, too",
                 sim_parties[said->author], said->id, (int) p->id.len,
                 (const char *) p->id.data);
    }

    if (said->room != room) {
        sim_fail("C2A-07: %.*s is in another conversation", (int) p->id.len,
                 (const char *) p->id.data);
    }

    snprintf(said->id, sizeof(said->id), "%.*s", (int) p->id.len,
             (const char *) p->id.data);

    said->ms = p->ms;
    said->order = ++sim_host.appends;
    said->members = sim_host.members[room] | sim_host.unsure[room];

    if (parley_host_views_read(p->views, &views, &rest) == 0) {
        while (parley_host_views_next(&rest, &row)) {
            party = sim_host_party(row.sub);

            if (row.waits && party != SIM_NO_PARTY) {
                said->waits |= 1u << party;
            }

            /* an answer is for the author of its event */

            if (said->author >= SIM_ADA && party != SIM_NO_PARTY
                && row.verdict.directedness == PARLEY_CHAT_TO_ME)
            {
                said->named |= 1u << party;
            }
        }
    }

    if (said->author >= SIM_ADA && said->answers[0] != '\0') {
        sim_host_reply(said, p->message);
        sim_host_answered(said);
    }
}


/* The answer names the last edit of the event that its author named. */

static void
sim_host_reply(sim_said_t *said, parley_str_t message)
{
    size_t  i, len;

    static const char  member[] = "\"inReplyTo\":\"";

    len = sizeof(member) - 1;

    for (i = 0; i + len < message.len; i++) {
        if (memcmp(message.data + i, member, len) == 0) {
            snprintf(said->answers, sizeof(said->answers), "%.*s",
                     (int) strcspn((const char *) message.data + i + len,
                                   "\""),
                     (const char *) message.data + i + len);
            return;
        }
    }

    sim_fail("C2A-11: the answer %s names no event", said->id);
}


/* Returns whether an event is addressed to a reader, so that it needs no claim:
   also the newest fragment of a turn. */

static int
sim_host_is_to(const char *id, sim_party_t party)
{
    unsigned  i;

    for (i = 0; i < sim_host.npairs; i++) {
        if (sim_host.pairs[i].reader == party && sim_host.pairs[i].to_me
            && strcmp(sim_host.pairs[i].base, id) == 0)
        {
            return 1;
        }
    }

    return 0;
}


/* Returns whether the author of an answer has the event, and it also went up to
   the author from another reader: each has a slot. */

static int
sim_host_is_raised(const sim_said_t *said)
{
    int            own, raised;
    unsigned       i;
    sim_pair_t    *pair;

    own = raised = 0;

    for (i = 0; i < sim_host.npairs; i++) {
        pair = &sim_host.pairs[i];

        if (pair->reader == said->author
            && strcmp(pair->base, said->answers) == 0)
        {
            own |= strcmp(pair->id, pair->base) == 0;
            raised |= strstr(pair->id, ":escalated:") != NULL;
        }
    }

    return own && raised;
}


/*
 * An answer of an agent becomes visible: its slot names it, its author has the
 * claim of an event for several agents, and it is the only one.
 */

static void
sim_host_answered(sim_said_t *said)
{
    int                  rc;
    unsigned             i;
    parley_ask_t         ask;
    parley_host_t        h;
    sim_said_t          *other, *on;
    parley_str_t         base;
    parley_error_t       err;
    parley_host_claim_t  claim;

    base = parley_host_event_base(parley_str_c(said->answers));
    on = sim_host_said(base);

    if (!sim_host_slot(said, "") && !sim_host_slot(said, ":escalated:1")
        && !sim_host_slot(said, ":escalated:2"))
    {
        sim_fail("C2A-13: the answer %s of %s to %s is visible, and no slot "
                 "names it", said->id, sim_parties[said->author],
                 said->answers);
    }

    for (i = 0; i < sim_host.nsaid; i++) {
        other = &sim_host.said[i];

        if (other == said || other->visible == 0 || other->refused
            || other->answers[0] == '\0')
        {
            continue;
        }

        if (strcmp(other->answers, said->answers) == 0
            && ((other->author == said->author
                 && !sim_host_is_raised(said))
                || (on != NULL && on->role
                    && !sim_host_is_to(on->id, said->author)
                    && !sim_host_is_to(on->id, other->author))))
        {
            sim_fail("C2A-13: %s and %s answer %s", other->id, said->id,
                     said->answers);
        }
    }

    if (on == NULL || !on->role || sim_host_is_to(on->id, said->author)) {
        return;
    }

    sim_host_asks(&h, &ask, &err);

    rc = parley_host_claim_get(&h, base, SIM_HOST_NAMED, &claim);

    if (rc != 1 || claim.until_ms <= said->ms
        || sim_host_party(claim.owner) != said->author)
    {
        sim_fail("C2A-19: the answer %s of %s is visible, and %.*s has the "
                 "claim of %s", said->id, sim_parties[said->author],
                 (int) claim.owner.len, (const char *) claim.owner.data,
                 on->id);
    }
}


/* Returns whether the slot of a form of the event has the answer. */

static int
sim_host_slot(const sim_said_t *said, const char *end)
{
    char                     id[SIM_HOST_ID + 16];
    unsigned                 i, k;
    sim_said_t              *on;
    sim_pair_t              *pair;
    parley_str_t             base;
    parley_host_delivery_t   part;

    base = parley_host_event_base(parley_str_c(said->answers));
    snprintf(id, sizeof(id), "%.*s%s", (int) base.len,
             (const char *) base.data, end);

    if (sim_host_part_of(id, said->author, &part) == 1
        && parley_str_eq(part.answer, parley_str_c(said->id)))
    {
        return 1;
    }

    /* the event was edited, or it is a fragment of a turn */

    on = sim_host_said(base);

    for (i = 0; on != NULL && i < sim_host.nsaid; i++) {

        if (sim_host.said[i].of < 0
            || (sim_host.said[i].of != (int) on->index
                && sim_host.said[i].of != on->of))
        {
            continue;
        }

        snprintf(id, sizeof(id), "%s%s", sim_host.said[i].id, end);

        if (sim_host_part_of(id, said->author, &part) == 1
            && parley_str_eq(part.answer, parley_str_c(said->id)))
        {
            return 1;
        }
    }

    for (i = 0; on != NULL && i < sim_host.npairs; i++) {
        pair = &sim_host.pairs[i];

        for (k = 0; k < pair->nparts && pair->reader == said->author; k++) {

            if (pair->parts[k] == on->index
                && sim_host_part_of(pair->id, said->author, &part) == 1
                && parley_str_eq(part.answer, parley_str_c(said->id)))
            {
                return 1;
            }
        }
    }

    return 0;
}


/* C2A-18: a claim has one owner until its end. */

static void
sim_host_claims(void)
{
    unsigned              i, k, owner;
    parley_ask_t          ask;
    sim_said_t           *said;
    sim_claim_t          *known;
    parley_host_t         h;
    parley_error_t        err;
    parley_host_claim_t   claim;

    for (i = 0; i < sim_host.nsaid; i++) {
        said = &sim_host.said[i];

        if (!said->role || said->visible == 0) {
            continue;
        }

        sim_host_asks(&h, &ask, &err);

        if (parley_host_claim_get(&h, parley_str_c(said->id), SIM_HOST_NAMED,
                                  &claim)
            != 1)
        {
            continue;
        }

        for (k = 0; k < sim_host.nclaims
                    && strcmp(sim_host.claims[k].id, said->id) != 0; k++)
        { /* void */ }

        known = &sim_host.claims[k];
        owner = sim_host_party(claim.owner);

        if (k == sim_host.nclaims) {
            sim_host.nclaims++;
            memset(known, 0, sizeof(sim_claim_t));
            memcpy(known->id, said->id, sizeof(known->id));

        } else if (owner != known->owner && known->until > sim_host_now()) {
            sim_fail("C2A-18: %s takes the claim of %s to %s",
                     sim_parties[owner], sim_parties[known->owner], said->id);

        } else if (claim.number == known->number && owner != known->owner) {
            sim_fail("C2A-18: two agents have the claim %u of %s",
                     claim.number, said->id);
        }

        known->owner = owner;
        known->until = claim.until_ms;
        known->number = claim.number;
    }
}
