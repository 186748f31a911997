/* The surface of the simulated host: messages of people, edits, deletions,
   reactions, and the members of channels. */

#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_SOURCE                                                       \
    "\"source\":{\"platform\":\"web\",\"workspaceId\":\"main\"}"


static int sim_host_is_busy(sim_room_t room);
static sim_party_t sim_host_author(sim_room_t room);
static const char *sim_host_target(sim_said_t *said);
static void sim_host_post_message(void);
static sim_said_t *sim_host_changing(void);
static void sim_host_post_change(int deletes);
static void sim_host_post_reaction(void);
static void sim_host_post_typing(void);


sim_said_t *
sim_host_say(sim_room_t room, sim_party_t author)
{
    sim_said_t  *said;

    if (sim_host.nsaid == SIM_HOST_SAID) {
        return NULL;
    }

    said = &sim_host.said[sim_host.nsaid];
    memset(said, 0, sizeof(sim_said_t));

    said->index = sim_host.nsaid++;
    said->room = room;
    said->author = author;
    said->of = -1;
    said->obliges = SIM_NO_PARTY;

    return said;
}


sim_said_t *
sim_host_any_said(void)
{
    return sim_host.nsaid == 0 ? NULL
           : &sim_host.said[sim_host_below(sim_host.nsaid)];
}


/* The surface posts the next message of a conversation after the answer to the
   one before, as a rule. */

static int
sim_host_is_busy(sim_room_t room)
{
    unsigned   i;
    sim_op_t  *op;

    for (i = 0; i < sim_host.nops; i++) {
        op = &sim_host.ops[i];

        if (op->kind == SIM_OP_POST && !op->done && op->said >= 0
            && sim_host.said[op->said].room == room)
        {
            return !sim_host_chance(20);
        }
    }

    return 0;
}


void
sim_host_posts(void)
{
    unsigned  n;

    n = sim_host_below(100);

    if (n < 70) {
        sim_host_post_message();

    } else if (n < 78) {
        sim_host_post_reaction();

    } else if (n < 97) {
        sim_host_post_change(n >= 88);

    } else {
        sim_host_post_typing();
    }
}


static sim_party_t
sim_host_author(sim_room_t room)
{
    return room == SIM_D1 ? SIM_WILL : room == SIM_D2 ? SIM_ZOE
           : sim_host_chance(50) ? SIM_WILL : SIM_ZOE;
}


/* Writes the target and the attention of a message. */

static const char *
sim_host_target(sim_said_t *said)
{
    char         *text;
    char          deadline[48];
    unsigned      n;
    sim_party_t   to;

    text = parley_arena_alloc(&sim_host.texts, 256);

    if (text == NULL) {
        abort();
    }

    deadline[0] = '\0';

    if (sim_host_chance(40)) {
        said->lasts = 12000 + sim_host_below(80000);
        snprintf(deadline, sizeof(deadline), ",\"deadlineMs\":%d",
                 (int) said->lasts);
    }

    n = sim_host_below(100);
    to = said->room == SIM_D1 ? SIM_ADA : said->room == SIM_D2 ? SIM_BO
         : sim_host_agent();

    if (said->room <= SIM_D2 && n < 60) {
        snprintf(text, 256, "\"target\":{\"recipient\":\"agent:%s\"},"
                 "\"attention\":{\"reason\":\"direct_message\"%s},",
                 sim_parties[to], deadline);

    } else if (said->room > SIM_D2 && n < 30) {
        snprintf(text, 256, "\"target\":{\"mentions\":[\"agent:%s\"]},"
                 "\"attention\":{\"reason\":\"mention\"%s},", sim_parties[to],
                 deadline);

    } else if (said->room > SIM_D2 && n < 70) {
        said->role = 1;
        snprintf(text, 256, "\"target\":{\"mentions\":[\"role:crew\"]},"
                 "\"attention\":{\"reason\":\"role_mention\"%s},", deadline);

        return text;

    } else if (n < 85) {
        snprintf(text, 256, "\"target\":{\"recipient\":\"agent:%s\"},"
                 "\"attention\":{\"reason\":\"assignment\",\"priority\":"
                 "\"urgent\"%s},", sim_parties[to], deadline);

    } else {
        snprintf(text, 256, "\"attention\":{\"reason\":\"status\"%s},",
                 deadline);

        return text;
    }

    said->named = 1u << to;
    said->obliges = to;

    return text;
}


static void
sim_host_post_message(void)
{
    sim_op_t     *op;
    sim_room_t    room;
    sim_said_t   *said;
    const char   *thread;

    room = (sim_room_t) sim_host_below(SIM_ROOMS);

    if (sim_host_is_busy(room)) {
        return;
    }

    said = sim_host_say(room, sim_host_author(room));

    if (said == NULL) {
        return;
    }

    said->target = sim_host_target(said);
    thread = room > SIM_D2 && sim_host_chance(30) ? ",\"threadId\":\"t1\"" : "";

    snprintf(said->id, sizeof(said->id), "m%u", said->index);

    if (thread[0] != '\0') {
        snprintf(said->thread, sizeof(said->thread), "t1");
    }

    op = sim_host_op(SIM_WEB, SIM_OP_POST,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"chat/deliver\",\"params\":{\"eventId\":\"%s\","
                     SIM_HOST_SOURCE ",\"conversation\":{\"id\":\"%s\","
                     "\"kind\":\"%s\"%s},\"author\":{\"id\":\"%s\",\"kind\":"
                     "\"human\"},%s\"content\":[{\"type\":\"text\",\"text\":"
                     "\"TOK%u.\"}]}}", said->id, sim_rooms[room],
                     sim_host_room_kind(room), thread,
                     sim_parties[said->author], said->target, said->index);

    if (op != NULL) {
        op->said = (int) said->index;
    }
}


/* Returns a message whose last change has no answer, or NULL. */

static sim_said_t *
sim_host_changing(void)
{
    unsigned     i;
    sim_said_t  *said;

    for (i = sim_host.nops; i > 0; i--) {

        if (sim_host.ops[i - 1].kind == SIM_OP_POST && !sim_host.ops[i - 1].done
            && sim_host.ops[i - 1].said >= 0)
        {
            said = &sim_host.said[sim_host.ops[i - 1].said];

            if (said->of >= 0) {
                return &sim_host.said[said->of];
            }
        }
    }

    return NULL;
}


/* An author edits or deletes a message of its own.  Two changes of a message
   may come at the same time. */

static void
sim_host_post_change(int deletes)
{
    char         content[64];
    sim_op_t    *op;
    sim_said_t  *first, *said;

    first = sim_host_chance(40) ? sim_host_changing() : NULL;

    if (first == NULL) {
        first = sim_host_any_said();

        if (first == NULL || !first->accepted || first->author >= SIM_ADA
            || first->of >= 0 || first->target == NULL
            || (first->changed && sim_host_chance(80))
            || sim_host_is_busy(first->room))
        {
            return;
        }
    }

    said = sim_host_say(first->room, first->author);

    if (said == NULL) {
        return;
    }

    said->of = (int) first->index;
    said->lasts = first->lasts;
    said->deletes = deletes != 0;
    said->named = first->named;
    said->role = first->role;
    said->obliges = first->obliges;
    first->changed = 1;

    memcpy(said->thread, first->thread, sizeof(said->thread));
    snprintf(said->id, sizeof(said->id), "m%u", said->index);
    snprintf(content, sizeof(content), "\"content\":[{\"type\":\"text\","
             "\"text\":\"TOK%u.\"}],", said->index);

    op = sim_host_op(SIM_WEB, SIM_OP_POST,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"chat/deliver\",\"params\":{\"eventId\":\"%s\","
                     SIM_HOST_SOURCE ",\"conversation\":{\"id\":\"%s\","
                     "\"kind\":\"%s\"%s},\"author\":{\"id\":\"%s\",\"kind\":"
                     "\"human\"},%s%s\"change\":{\"of\":\"%s\",\"kind\":"
                     "\"%s\"}}}", said->id, sim_rooms[said->room],
                     sim_host_room_kind(said->room),
                     said->thread[0] != '\0' ? ",\"threadId\":\"t1\"" : "",
                     sim_parties[said->author], deletes ? "" : first->target,
                     deletes ? "" : content, first->id,
                     deletes ? "delete" : "edit");

    if (op != NULL) {
        op->said = (int) said->index;
    }
}


static void
sim_host_post_reaction(void)
{
    sim_op_t    *op;
    sim_said_t  *of, *said;

    static const char *const  signals[] = {
        "seen", "agree", "done", "declined", "unclear"
    };

    of = sim_host_any_said();

    if (of == NULL || of->visible == 0) {
        return;
    }

    said = sim_host_say(of->room, sim_host_author(of->room));

    if (said == NULL) {
        return;
    }

    snprintf(said->id, sizeof(said->id), "m%u", said->index);

    op = sim_host_op(SIM_WEB, SIM_OP_POST,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"chat/deliver\",\"params\":{\"eventId\":\"%s\","
                     SIM_HOST_SOURCE ",\"conversation\":{\"id\":\"%s\","
                     "\"kind\":\"%s\"%s},\"author\":{\"id\":\"%s\",\"kind\":"
                     "\"human\"},\"reaction\":{\"of\":\"%s\",\"signal\":"
                     "\"%s\"}}}", said->id, sim_rooms[said->room],
                     sim_host_room_kind(said->room),
                     of->thread[0] != '\0' ? ",\"threadId\":\"t1\"" : "",
                     sim_parties[said->author], of->id,
                     signals[sim_host_below(5)]);

    if (op != NULL) {
        op->said = (int) said->index;
    }
}


static void
sim_host_post_typing(void)
{
    sim_op_t    *op;
    sim_room_t   room;

    room = (sim_room_t) sim_host_below(SIM_ROOMS);

    op = sim_host_op(SIM_WEB, SIM_OP_TYPING,
                     "{\"jsonrpc\":\"2.0\",\"method\":"
                     "\"notifications/typing\",\"params\":{" SIM_HOST_SOURCE
                     ",\"conversation\":{\"id\":\"%s\",\"kind\":\"%s\"},"
                     "\"author\":{\"id\":\"%s\",\"kind\":\"human\"},"
                     "\"active\":%s}}", sim_rooms[room],
                     sim_host_room_kind(room),
                     sim_parties[sim_host_author(room)],
                     sim_host_chance(60) ? "true" : "false");

    if (op != NULL) {
        op->late = 1;
    }
}


/* The surface adds the members of the channel C1. */

void
sim_host_invites(void)
{
    sim_op_t  *op;

    op = sim_host_op(SIM_WEB, SIM_OP_TYPING,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"chat/members\",\"params\":{" SIM_HOST_SOURCE ","
                     "\"conversation\":{\"id\":\"C1\",\"kind\":\"channel\"},"
                     "\"add\":[\"agent:ada\",\"agent:bo\",\"agent:cy\","
                     "\"agent:lee\"],\"remove\":[]}}");

    sim_host_call(op, &world.processes[0]);
    sim_host_settle();

    if (!op->done) {
        abort();
    }
}


/* The surface changes the members of a channel. */

void
sim_host_changes_members(void)
{
    int          add;
    unsigned     i;
    sim_op_t    *op;
    sim_party_t  party;

    party = sim_host_agent();
    add = sim_host_chance(60);

    for (i = 0; i < sim_host.nops; i++) {
        op = &sim_host.ops[i];

        if (op->kind == SIM_OP_MEMBERS && !op->done && op->member == party) {
            return;
        }
    }

    op = sim_host_op(SIM_WEB, SIM_OP_MEMBERS,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":"
                     "\"chat/members\",\"params\":{" SIM_HOST_SOURCE ","
                     "\"conversation\":{\"id\":\"C2\",\"kind\":\"channel\"},"
                     "\"add\":[%s%s%s],\"remove\":[%s%s%s]}}",
                     add ? "\"agent:" : "", add ? sim_parties[party] : "",
                     add ? "\"" : "", add ? "" : "\"agent:",
                     add ? "" : sim_parties[party], add ? "" : "\"");

    if (op != NULL) {
        op->room = SIM_C2;
        op->member = party;
        op->ok = add != 0;
        sim_host.unsure[SIM_C2] |= 1u << party;
        sim_host.left[SIM_C2] |= (unsigned) !add << party;
    }
}
