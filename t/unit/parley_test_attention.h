/*
 * Random chat events, with a directory, a thread and a session, for the tests
 * of attention.  The seed is fixed.
 */

#ifndef PARLEY_TEST_ATTENTION_H
#define PARLEY_TEST_ATTENTION_H

#include <stdarg.h>

#include "auth/parley_directory.h"
#include "gate/host/parley_attention.h"
#include "gate/settings/parley_identities.h"
#include "t/unit/parley_test.h"
#include "t/unit/parley_test_random.h"


#define SEED        0xA77E5710ULL
#define EVENTS      4000
#define PER_FILE    20          /* events with one directory */
#define MOST        10          /* principals */
#define TARGETS     4           /* mentions */
#define UNLISTED    -1          /* index of a party without a principal */
#define ACCEPTED    1771151400123LL
#define DEADLINE    300000


typedef enum { AGENT = 0, DEAF, HUMAN, GUEST, PROXY, KINDS } kind_t;

/*
 * Names by kind.  DEAF and GUEST have no mailbox, and the name of GUEST in chat
 * is derived.  PROXY has the name of a human, and acts for another.
 */
static const char *const  members[KINDS] = {
    [AGENT] = "\"handle\":\"~cc-p%u\",\"c2a\":\"agent:p%u\"",
    [DEAF] = "\"c2a\":\"agent:p%u\"",
    [HUMAN] = "\"handle\":\"~p%u\",\"c2a\":\"human:p%u\"",
    [GUEST] = "\"aee\":\"human.p%u\"",
    [PROXY] = ("\"handle\":\"~cc-p%u\",\"c2a\":\"human:p%u\","
               "\"human\":\"~boss\""),
};


/* an event with its surroundings; an index is that of a principal */
typedef struct {
    parley_test_random_t        random;
    parley_arena_t              file;       /* of the directory */
    parley_arena_t              arena;      /* of the event */
    parley_directory_t         *dir;
    const parley_principal_t   *all;
    unsigned                    n;
    kind_t                      kinds[MOST];
    unsigned                    roles[MOST];    /* bits */
    unsigned                    accounts;       /* bits: lists accounts */

    parley_chat_event_t         event;
    parley_chat_target_t        mentions[TARGETS];
    parley_attention_thread_t   thread;
    parley_str_t                names[8];   /* participants, then parties */
    parley_attention_input_t    in;
    parley_attention_offer_t    offer;
    parley_attention_t          found;

    int                         author;
    int                         by_agent;
    int                         recipient;
    int                         mentioned[TARGETS];
    unsigned                    asked;      /* bits of mentioned roles */
    int                         owner;
    int                         stream;
    int                         subject;
    int                         parts[4];
    int                         parties[4];

    unsigned                    seen;       /* times that a property had
                                               something to show */
} world_t;


static inline parley_str_t
text(parley_arena_t *arena, const char *fmt, ...)
{
    int       len;
    char     *data;
    va_list   args;

    data = parley_arena_alloc(arena, 256);
    assert_non_null(data);

    va_start(args, fmt);
    len = vsnprintf(data, 256, fmt, args);
    va_end(args);

    assert_true(len >= 0 && len < 256);

    return parley_str_make(data, (size_t) len);
}


static inline void
directory(world_t *w)
{
    unsigned        i, k;
    size_t          len;
    char            json[4096];
    parley_error_t  err;

    parley_directory_free(w->dir);
    parley_arena_reset(&w->file);

    w->n = 1 + parley_test_below(&w->random, MOST);
    w->accounts = 0;
    len = (size_t) sprintf(json, "{\"principals\":[");

    for (i = 0; i < w->n; i++) {
        w->kinds[i] = parley_test_below(&w->random, KINDS);
        w->roles[i] = parley_test_below(&w->random, 4);

        len += (size_t) sprintf(json + len, "%s{\"sub\":\"p%u\",",
                                i > 0 ? "," : "", i);
        len += (size_t) sprintf(json + len, members[w->kinds[i]], i, i);
        len += (size_t) sprintf(json + len, ",\"streams\":[\"s%u\"]", i);

        for (k = 0; k < 2 && w->roles[i] != 0; k++) {
            if (w->roles[i] == 3 ? k == 0 : w->roles[i] == 1u << k) {
                len += (size_t) sprintf(json + len, ",\"roles\":[\"r%u\"%s]",
                                        k, w->roles[i] == 3 ? ",\"r1\"" : "");
            }
        }

        if (parley_test_chance(&w->random, 70)) {
            w->accounts |= 1u << i;
            len += (size_t) sprintf(json + len, ",\"accounts\":[\"web/main/"
                                    "p%u\",\"slack/T1/p%u\"]", i, i);
        }

        json[len++] = '}';
    }

    len += (size_t) sprintf(json + len, "]}");
    assert_true(len < sizeof(json));

    if (parley_identities_read(&w->file, &parley_mem_libc,
                               parley_str_make(json, len), &w->dir, &err)
        != 0)
    {
        fail_msg("%s: %s: %s", json, err.field, err.text);
    }

    assert_int_equal(parley_directory_principals(w->dir, &w->all), w->n);
}


static inline int
is_human(const world_t *w, int i)
{
    return w->kinds[i] == HUMAN || w->kinds[i] == GUEST;
}


/* Returns the index of a principal, or UNLISTED. */

static inline int
anyone(world_t *w)
{
    return (int) parley_test_below(&w->random, w->n + 1) - 1;
}


static inline parley_str_t
sub(world_t *w, int i)
{
    return i == UNLISTED ? PARLEY_STR("nowhere") : w->all[i].sub;
}


/* Makes a recipient or a mention; returns the index that it means. */

static inline int
target(world_t *w, int roles, parley_chat_target_t *ret)
{
    int       i;
    unsigned  role;

    i = anyone(w);
    ret->kind = PARLEY_CHAT_TARGET_NAME;

    if (roles && parley_test_chance(&w->random, 25)) {
        role = parley_test_below(&w->random, 3);
        w->asked |= 1u << role;
        ret->kind = PARLEY_CHAT_TARGET_ROLE;
        ret->text = text(&w->arena, "r%u", role);
        return UNLISTED;
    }

    if (i == UNLISTED) {
        ret->text = PARLEY_STR("agent:nowhere");

    } else if (w->kinds[i] == GUEST) {
        ret->text = text(&w->arena, "human:p%d", i);

    } else if ((w->accounts & (1u << i)) == 0
               || parley_test_chance(&w->random, 50))
    {
        ret->text = w->all[i].names[PARLEY_PROTO_CHAT];

    } else {
        ret->kind = PARLEY_CHAT_TARGET_ACCOUNT;
        ret->text = text(&w->arena, "%s/p%d",
                         parley_test_chance(&w->random, 50) ? "web/main"
                                                            : "slack/T1", i);
    }

    return i;
}


static inline void
author(world_t *w)
{
    int                   i, human;
    parley_chat_event_t  *e;

    e = &w->event;
    i = anyone(w);
    human = parley_test_chance(&w->random, 60);

    e->human = (unsigned) human & 1;
    e->platform = PARLEY_STR("web");
    e->workspace = PARLEY_STR("main");
    e->author = text(&w->arena, "p%d", i);
    w->in.author = NULL;

    if (parley_test_chance(&w->random, 50)) {
        e->platform = PARLEY_STR("slack");
        e->workspace = PARLEY_STR("T1");
    }

    if (i != UNLISTED && parley_test_chance(&w->random, 30)) {
        w->in.author = &w->all[i];
        human = 1;

    } else if (i != UNLISTED && (w->accounts & (1u << i)) == 0) {
        i = UNLISTED;
    }

    w->author = i;
    w->by_agent = !human || (i != UNLISTED && !is_human(w, i));
}


static inline void
thread(world_t *w)
{
    unsigned                    i;
    parley_attention_thread_t  *t;

    t = &w->thread;
    memset(t, 0, sizeof(parley_attention_thread_t));

    w->owner = anyone(w);
    w->subject = anyone(w);
    t->owner = sub(w, w->owner);
    t->subject = sub(w, w->subject);
    t->obliged = parley_test_below(&w->random, 2) & 1;
    t->agents = parley_test_below(&w->random, 20);
    t->participants = w->names;
    t->parties = w->names + 4;
    t->nparticipants = parley_test_below(&w->random, 5);
    t->nparties = parley_test_below(&w->random, 5);

    for (i = 0; i < 4; i++) {
        w->parts[i] = anyone(w);
        w->parties[i] = anyone(w);
        w->names[i] = sub(w, w->parts[i]);
        w->names[4 + i] = sub(w, w->parties[i]);
    }
}


/* Chooses the bounds of the author, and the session. */

static inline void
bounds(world_t *w)
{
    parley_chat_event_t  *e;

    e = &w->event;

    e->directedness = PARLEY_CHAT_TO_ME;
    e->policy = PARLEY_CHAT_MUST;
    e->mode = PARLEY_CHAT_IMMEDIATE;
    e->created_ms = -1;

    if (parley_test_chance(&w->random, 30)) {
        e->directedness = parley_test_below(&w->random,
                                            PARLEY_CHAT_DIRECTEDNESSES);
    }

    if (parley_test_chance(&w->random, 30)) {
        e->policy = parley_test_below(&w->random, PARLEY_CHAT_POLICIES);
    }

    if (parley_test_chance(&w->random, 30)) {
        e->mode = parley_test_below(&w->random, PARLEY_CHAT_MODES);
    }

    if (parley_test_chance(&w->random, 30)) {
        e->created_ms = ACCEPTED - DEADLINE + 100
                        - parley_test_below(&w->random, 200);
    }

    w->offer.modes = parley_test_below(&w->random, PARLEY_CHAT_MODE_ALL + 1);
    w->offer.interrupt = parley_test_below(&w->random, 2) & 1;
    w->offer.unreadable = parley_test_chance(&w->random, 10) & 1;
    w->offer.now_ms = ACCEPTED + parley_test_below(&w->random, 2 * DEADLINE);
}


static inline void
event(world_t *w)
{
    unsigned              i;
    parley_chat_event_t  *e;

    e = &w->event;
    memset(e, 0, sizeof(parley_chat_event_t));

    author(w);
    thread(w);
    bounds(w);

    e->id = PARLEY_STR("m1");
    e->kind = parley_test_below(&w->random, PARLEY_CHAT_KINDS);
    e->priority = parley_test_below(&w->random, PARLEY_PRIORITY_URGENT + 1);
    e->deadline_ms = -1;
    e->mentions = w->mentions;
    w->recipient = UNLISTED;
    w->stream = UNLISTED;
    w->asked = 0;

    if (parley_test_chance(&w->random, 40)) {
        e->reason = parley_test_below(&w->random, PARLEY_CHAT_REASONS);
    }

    if (parley_test_chance(&w->random, 20)) {
        e->act = PARLEY_CHAT_REACTION;
        e->signal = parley_test_below(&w->random, PARLEY_CHAT_SIGNALS);
    }

    if (parley_test_chance(&w->random, 30)) {
        e->in_reply_to = PARLEY_STR("m0");
    }

    if (parley_test_chance(&w->random, 50)) {
        e->thread = PARLEY_STR("T1");
    }

    if (parley_test_chance(&w->random, 20)) {
        w->stream = anyone(w);
        e->stream = text(&w->arena, "s%d", w->stream);
    }

    if (parley_test_chance(&w->random, 30)) {
        w->recipient = target(w, 1, &e->recipient);
    }

    if (parley_test_chance(&w->random, 50)) {
        e->nmentions = parley_test_below(&w->random, TARGETS + 1);
    }

    for (i = 0; i < e->nmentions; i++) {
        w->mentioned[i] = target(w, 1, &w->mentions[i]);
    }
}


static inline void
begin(world_t *w)
{
    memset(w, 0, sizeof(world_t));

    w->random.state = SEED;
    parley_arena_init(&w->file, &parley_mem_libc, 0);
    parley_arena_init(&w->arena, &parley_mem_libc, 0);
}


static inline void
next(world_t *w, unsigned i)
{
    parley_arena_reset(&w->arena);

    if (i % PER_FILE == 0) {
        directory(w);
    }

    event(w);

    w->in.directory = w->dir;
    w->in.event = &w->event;
    w->in.thread = &w->thread;
    w->in.deadline_ms = DEADLINE;
    w->in.loop = parley_test_below(&w->random, 8);
    w->in.accepted_ms = ACCEPTED;
}


/* Finds the parties; returns 0 if the recipient has no mailbox. */

static inline int
find(world_t *w)
{
    parley_error_t  err;

    if (parley_attention_init(&w->found, &w->arena, &w->in, &err) == 0) {
        return 1;
    }

    assert_int_equal(err.code, PARLEY_E_IDENTITY_UNMAPPABLE);
    assert_true(w->recipient != UNLISTED
                && w->kinds[w->recipient] == DEAF);

    return 0;
}


static inline parley_attention_verdict_t
decide(world_t *w, unsigned i)
{
    parley_attention_verdict_t  v;

    memset(&v, 0xff, sizeof(v));
    parley_attention_decide(&w->found, &w->all[i], &w->offer, &v);

    return v;
}


static inline void
end(world_t *w)
{
    parley_directory_free(w->dir);
    parley_arena_reset(&w->file);
    parley_arena_reset(&w->arena);
}


#endif /* PARLEY_TEST_ATTENTION_H */
