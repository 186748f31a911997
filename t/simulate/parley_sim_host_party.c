/* Calls of the simulated host: agents act on events, answer them and list them,
   and readers answer offers. */

#include <stdarg.h>

#include "t/simulate/parley_sim_host.h"


static sim_pair_t *sim_host_any_pair(sim_party_t party);
static int sim_host_on(sim_party_t party, char *id, unsigned *room,
    int *thread);


/* Returns an agent, more often one that has events. */

sim_party_t
sim_host_agent(void)
{
    if (sim_host.npairs > 0 && sim_host_chance(60)) {
        sim_pair_t  *pair;

        pair = &sim_host.pairs[sim_host_below(sim_host.npairs)];

        if (pair->reader >= SIM_ADA) {
            return pair->reader;
        }
    }

    return (sim_party_t) (SIM_ADA + sim_host_below(SIM_PARTIES - SIM_ADA));
}


const char *
sim_host_room_kind(unsigned room)
{
    return room <= SIM_D2 ? "dm" : "channel";
}


/* Makes a call; the body is an object of JSON-RPC without its end. */

sim_op_t *
sim_host_op(sim_party_t party, sim_host_op_t kind, const char *fmt, ...)
{
    char      *text;
    va_list    args;
    sim_op_t  *op;

    if (sim_host.nops == SIM_HOST_OPS) {
        return NULL;
    }

    text = parley_arena_alloc(&sim_host.texts, 2048);

    if (text == NULL) {
        abort();
    }

    va_start(args, fmt);
    vsnprintf(text, 2048, fmt, args);
    va_end(args);

    op = &sim_host.ops[sim_host.nops++];
    memset(op, 0, sizeof(sim_op_t));

    op->party = party;
    op->kind = kind;
    op->body = text;
    op->said = -1;

    return op;
}


/* Returns an event of the reader's mailbox, more often a new one. */

static sim_pair_t *
sim_host_any_pair(sim_party_t party)
{
    unsigned     i, n;
    sim_pair_t  *found;

    found = NULL;
    n = 0;

    for (i = sim_host.npairs; i != 0 && n < 8; i--) {
        if (sim_host.pairs[i - 1].reader != party) {
            continue;
        }

        n++;

        if (found == NULL || sim_host_chance(40)) {
            found = &sim_host.pairs[i - 1];
        }
    }

    return found;
}


/* Finds an event that an agent may name: most often one of its mailbox. */

static int
sim_host_on(sim_party_t party, char *id, unsigned *room, int *thread)
{
    sim_pair_t  *pair;
    sim_said_t  *said;

    pair = sim_host_chance(85) ? sim_host_any_pair(party) : NULL;

    if (pair != NULL) {
        said = sim_host_said(parley_str_c(pair->base));
        memcpy(id, pair->id, SIM_HOST_ID);
        *room = pair->room;
        *thread = said != NULL && said->thread[0] != '\0';
        return 1;
    }

    said = sim_host_chance(20) ? sim_host_any_said() : NULL;

    if (said == NULL || said->visible == 0) {
        return 0;
    }

    memcpy(id, said->id, SIM_HOST_ID);
    *room = said->room;
    *thread = said->thread[0] != '\0';

    return 1;
}


/* An agent acts on an event by a tool other than send_message. */

void
sim_host_acts(void)
{
    int           thread;
    char          id[SIM_HOST_ID], args[64];
    unsigned      n, room;
    sim_op_t     *op;
    const char   *tool;
    sim_party_t   party;

    static const char *const  signals[] = {
        "seen", "working", "agree", "declined", "done", "blocked", "queued",
        "claimed", "unclear"
    };

    party = sim_host_agent();

    if (!sim_host_on(party, id, &room, &thread)) {
        return;
    }

    n = sim_host_below(100);
    args[0] = '\0';

    if (n < 40) {
        tool = "react";
        snprintf(args, sizeof(args), ",\"signal\":\"%s\"",
                 signals[sim_host_below(9)]);

    } else if (n < 55) {
        tool = "defer";
        snprintf(args, sizeof(args), ",\"reason\":\"busy %u\"",
                 sim_host_below(3));

    } else if (n < 88) {
        tool = "claim";
        snprintf(args, sizeof(args), ",\"ttlMs\":%u",
                 1000 + sim_host_below(60000));

    } else {
        tool = "resolve";
    }

    op = sim_host_op(party, SIM_OP_ACT,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"tools/call\",\"params\":{\"name\":\"chat.%s\","
                     "\"arguments\":{\"inReplyTo\":\"%s\"%s}}}", tool, id,
                     args);

    if (op != NULL) {
        memcpy(op->on, id, sizeof(op->on));
    }
}


/* An agent answers an event, or says something. */

void
sim_host_sends(void)
{
    int          answers, thread;
    char         id[SIM_HOST_ID], reply[SIM_HOST_ID + 32];
    unsigned     room;
    sim_op_t    *op;
    sim_said_t  *said;
    sim_party_t  party;

    party = sim_host_agent();
    answers = sim_host_chance(90);
    id[0] = '\0';
    reply[0] = '\0';
    thread = 0;
    room = SIM_C1;

    if (answers) {

        if (!sim_host_on(party, id, &room, &thread)) {
            return;
        }

        snprintf(reply, sizeof(reply), "\"inReplyTo\":\"%s\",", id);
    }

    said = sim_host_say((sim_room_t) room, party);

    if (said == NULL) {
        return;
    }

    memcpy(said->answers, id, sizeof(said->answers));

    op = sim_host_op(party, SIM_OP_SEND,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"tools/call\",\"params\":{\"name\":"
                     "\"chat.send_message\",\"arguments\":{%s\"target\":{"
                     "\"id\":\"%s\",\"kind\":\"%s\"},\"idempotencyKey\":"
                     "\"k%u\",\"visibility\":\"%s\",\"directedness\":"
                     "\"to_me\",\"text\":\"TOK%u.\"}}}", reply,
                     sim_rooms[room], sim_host_room_kind(room),
                     sim_host.keys++, room <= SIM_D2 ? "dm" : "channel",
                     said->index);

    if (op != NULL) {
        op->said = (int) said->index;
        memcpy(op->on, id, sizeof(op->on));
    }
}


/* An agent reads its mailbox or a conversation, and acknowledges. */

void
sim_host_lists(void)
{
    char         ack[96];
    unsigned     i;
    sim_op_t    *op;
    sim_pair_t  *pair, *to;
    sim_party_t  party;

    party = sim_host_agent();

    if (sim_host_chance(25)) {
        i = sim_host_below(SIM_ROOMS);

        op = sim_host_op(party, SIM_OP_LIST,
                         "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                         "\"tools/call\",\"params\":{\"name\":\"chat.%s\","
                         "\"arguments\":{\"%s\":{\"id\":\"%s\",\"kind\":"
                         "\"%s\"}}}}", sim_host_chance(50) ? "read_thread"
                                                      : "list_events",
                         sim_host_chance(50) ? "conversation" : "target",
                         sim_rooms[i], sim_host_room_kind(i));

        if (op != NULL) {
            op->late = 1;
        }

        return;
    }

    to = sim_host_chance(60) ? sim_host_any_pair(party) : NULL;
    ack[0] = '\0';

    if (to != NULL) {
        snprintf(ack, sizeof(ack), ",\"ackThrough\":\"%llx.%llu\"",
                 (unsigned long long) to->place.epoch,
                 (unsigned long long) to->place.offset);

        for (i = 0; i < sim_host.npairs; i++) {
            pair = &sim_host.pairs[i];

            if (pair->reader == party && pair->place.epoch == to->place.epoch
                && pair->place.offset <= to->place.offset)
            {
                pair->acked = 1;
            }
        }
    }

    op = sim_host_op(party, SIM_OP_LIST,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"tools/call\",\"params\":{\"name\":"
                     "\"chat.list_events\",\"arguments\":{\"limit\":%u%s}}}",
                     1 + sim_host_below(30), ack);

    if (op != NULL) {
        op->late = 1;
    }
}


/* A reader answers an offer: accepted, or one of the errors. */

void
sim_host_answers(void)
{
    unsigned      i, n, how;
    sim_op_t     *op;
    sim_said_t   *said;
    sim_offer_t  *offer;

    static const char *const  hows[] = {
        "\"result\":{\"accepted\":true}",
        "\"error\":{\"code\":-32000,\"message\":\"no\"}",
        "\"error\":{\"code\":-32601,\"message\":\"no method\"}",
        ("\"error\":{\"code\":-32000,\"message\":\"later\","
         "\"data\":{\"retryable\":true}}"),
    };

    if (sim_host.noffers == 0) {
        return;
    }

    n = sim_host.noffers < 12 ? sim_host.noffers : 12;
    i = sim_host.noffers - 1 - sim_host_below(n);
    offer = &sim_host.offers[i];

    if (offer->request[0] == '\0' || (offer->done && !sim_host_chance(10))) {
        return;
    }

    how = sim_host_below(100);
    how = how < 72 ? 0 : how < 86 ? 1 : how < 92 ? 2 : 3;

    said = sim_host_said(parley_str_c(offer->id));

    if (offer->reader == SIM_WEB && said != NULL
        && (said->took || said->refused))
    {
        how = said->took ? 0 : 1;
    }

    op = sim_host_op(offer->reader, SIM_OP_ACK,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}", offer->request,
                     hows[how]);

    if (op == NULL) {
        return;
    }

    offer->done = how < 3;
    op->late = how > 1;

    if (how == 0) {
        sim_host_acked(offer->reader, offer->id);

        if (offer->reader == SIM_WEB && said != NULL) {
            said->took = 1;
        }

    } else if (how == 1) {
        sim_host_refuses(offer->reader, offer->id);
    }
}


/* A reader sends that it has an event. */

void
sim_host_acked(sim_party_t party, const char *id)
{
    unsigned  i;

    for (i = 0; i < sim_host.npairs; i++) {
        if (sim_host.pairs[i].reader == party
            && strcmp(sim_host.pairs[i].id, id) == 0)
        {
            sim_host.pairs[i].acked = 1;
        }
    }
}


/* The reader says that it could not process an event; the surface, that it will
   never show the message. */

void
sim_host_refuses(sim_party_t party, const char *id)
{
    unsigned      i;
    sim_pair_t   *pair;
    sim_said_t   *said;
    parley_str_t  base;

    base = parley_host_event_base(parley_str_c(id));

    for (i = 0; i < sim_host.npairs; i++) {
        pair = &sim_host.pairs[i];

        if (pair->reader != party) {
            continue;
        }

        if (strcmp(pair->id, id) == 0) {
            pair->acked = 1;
        }

        /* a reminder means its event */

        if (parley_str_eq(parley_str_c(pair->base), base)) {
            pair->failed = 1;
        }
    }

    said = sim_host_said(parley_str_c(id));

    if (party == SIM_WEB && said != NULL && !said->took) {
        said->refused = 1;
    }
}


/* Returns whether the host may have forgotten the call: its party gives it
   up. */

int
sim_host_is_old(sim_op_t *op)
{
    if (op->born == 0) {
        op->born = world.now;
    }

    if (world.now - op->born < sim_host.http->retain_ms) {
        return 0;
    }

    op->late |= op->kind != SIM_OP_MEMBERS;

    return op->kind != SIM_OP_MEMBERS;
}


/* A party calls again: it had no answer, or it does not wait for one. */

void
sim_host_retry(void)
{
    unsigned        i, k;
    sim_op_t       *op;
    sim_process_t  *p;

    p = sim_process(parley_test_random(&world.random));
    k = sim_host.nops == 0 ? 0 : sim_host_below(sim_host.nops);

    for (i = 0; p != NULL && i < sim_host.nops; i++) {
        op = &sim_host.ops[(k + i) % sim_host.nops];

        if (!op->done && op->flying == 0 && !sim_host_is_old(op)) {
            sim_host_call(op, p);
            return;
        }
    }

    /* a call that is under way, or was answered */

    if (p != NULL && sim_host.nops > 0) {
        op = &sim_host.ops[sim_host.nops - 1 - sim_host_below(sim_host.nops < 6
                                                         ? sim_host.nops : 6)];

        /* two calls at once may both take over a reaction that a process left
           when it died */

        if (op->flying < 3 && !sim_host_is_old(op)
            && op->kind != SIM_OP_MEMBERS && op->kind != SIM_OP_TYPING
            && (op->kind != SIM_OP_ACT || op->done || op->tries == op->flying))
        {
            sim_host_call(op, p);
        }
    }
}
