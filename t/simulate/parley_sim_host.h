/*
 * The host of chat (gate/host) in a simulated world: a surface, people and
 * agents call it through the gate, as nginx does.  Several processes run over
 * one state.  Its verbs complete later and in any order, so calls of different
 * processes meet at each verb.  A process may die at any edge of the code that
 * changes the state.
 *
 * A model knows the calls of the parties, and the answers of the host.  After
 * each verb it looks at the new records of all logs, and after each step at the
 * records of the parties, by the host's own functions.
 */

#ifndef PARLEY_SIM_HOST_H
#define PARLEY_SIM_HOST_H

#include "gate/delivery/parley_delivery.h"
#include "gate/host/parley_host_follow.h"
#include "gate/host/parley_host_parts.h"
#include "gate/host/parley_host_turn.h"
#include "gate/message/parley_stream_request.h"
#include "gate/settings/parley_settings.h"
#include "t/simulate/parley_sim.h"


#define SIM_HOST_CALLS   48     /* calls and streams at one time */
#define SIM_HOST_OPS     400    /* calls in a history */
#define SIM_HOST_SAID    400    /* messages */
#define SIM_HOST_PAIRS   2048   /* events of readers */
#define SIM_HOST_OFFERS  2048
#define SIM_HOST_IDS     4096
#define SIM_HOST_ID      80     /* octets of an id */
#define SIM_HOST_PARTS   16     /* fragments of a turn that the model keeps */
#define SIM_HOST_POSTS   32     /* attempts at URLs at one time */

/* the wall clock at the time 0 of the state's clock */
#define SIM_HOST_WALL    1764184800000

#define SIM_HOST_NAMED   PARLEY_STR("web.main")     /* the source */


/* parties; the surface and the people come before the agents */
typedef enum {
    SIM_WEB = 0,
    SIM_WILL,
    SIM_ZOE,
    SIM_ADA,
    SIM_BO,
    SIM_CY,
    SIM_EVE,
    SIM_LEE,
    SIM_PARTIES
} sim_party_t;

#define SIM_NO_PARTY  SIM_PARTIES

/* conversations */
typedef enum {
    SIM_D1 = 0,                 /* DM of will and ada */
    SIM_D2,                     /* DM of zoe and bo */
    SIM_C1,                     /* channel of ada, bo, cy and lee */
    SIM_C2,                     /* channel with members that change */
    SIM_ROOMS
} sim_room_t;


/* the steps of a history */
typedef enum {
    SIM_HOST_POST = 0,          /* the surface posts */
    SIM_HOST_ACT,               /* an agent acts on an event, */
    SIM_HOST_SEND,              /* answers one, */
    SIM_HOST_LIST,              /* reads and acknowledges */
    SIM_HOST_ANSWER,            /* a reader answers an offer */
    SIM_HOST_MEMBERS,
    SIM_HOST_RETRY,             /* a call is repeated */
    SIM_HOST_OPEN,              /* a stream begins */
    SIM_HOST_PEER,              /* a URL answers */
    SIM_HOST_VERBS,             /* the state answers */
    SIM_HOST_TIME,
    SIM_HOST_SLEEP,
    SIM_HOST_QUIT,
    SIM_HOST_KILL,
    SIM_HOST_CRASH,
    SIM_HOST_START,
    SIM_HOST_RELOAD,
    SIM_HOST_SETTLE,
    SIM_HOST_VERB_COUNT
} sim_host_verb_t;

/* a message, as its author said it */
typedef struct {
    unsigned     index;
    sim_room_t   room;
    sim_party_t  author;
    char         id[SIM_HOST_ID];       /* of an agent's message: empty until it
                                           is visible */
    char         answers[SIM_HOST_ID];
    char         thread[4];
    const char  *target;                /* its target and its attention */
    unsigned     named;                 /* parties that it names, bits */
    unsigned     obliges;               /* party that it may oblige */
    int64_t      lasts;                 /* its deadline, ms; 0: the default */
    int64_t      ms;                    /* wall clock of its append; 0: not
                                           visible */
    unsigned     waits;                 /* parties that get it in a turn, */
    unsigned     turned;                /* that got it so, */
    unsigned     raised;                /* that an event of the host has, */
    unsigned     ended;                 /* and that ended it before, bits */
    unsigned     visible;               /* number of its records */
    unsigned     order;                 /* of its append; 0: not visible */
    unsigned     members;               /* readers of the room at its append */
    int          of;                    /* message that it changes; -1: none */
    unsigned     role:1;                /* it names a role */
    unsigned     accepted:1;            /* the host said so */
    unsigned     deletes:1;
    unsigned     changed:1;             /* an edit or a deletion of it was
                                           sent */
    unsigned     gone:1;                /* its deletion is done */
    unsigned     refused:1;             /* the surface refused it for good */
    unsigned     took:1;                /* the surface accepted it */
} sim_said_t;

/* a call that a party repeats until it has an answer */
typedef struct {
    sim_party_t  party;
    const char  *body;
    int          said;          /* message of this call; -1: none */
    unsigned     kind;          /* sim_host_op_t */
    char         on[SIM_HOST_ID];       /* event that it names */
    char         result[SIM_HOST_ID];   /* eventId of its answer */
    unsigned     room;          /* the call changes this member of the room */
    unsigned     member;
    int64_t      born;          /* time of its first call */
    unsigned     flying;        /* calls of it under way */
    unsigned     tries;
    unsigned     done:1;
    unsigned     ok:1;
    unsigned     late:1;        /* its party does not wait for it */
    int          code;          /* of its refusal */
} sim_op_t;

typedef enum {
    SIM_OP_POST = 0,            /* chat/deliver of the surface */
    SIM_OP_SEND,
    SIM_OP_ACT,
    SIM_OP_LIST,
    SIM_OP_ACK,                 /* an answer to an offer */
    SIM_OP_MEMBERS,
    SIM_OP_TYPING
} sim_host_op_t;

/* an event in the mailbox of a reader */
typedef struct {
    sim_party_t  reader;
    char         id[SIM_HOST_ID];
    char         base[SIM_HOST_ID];     /* id without the forms of the host */
    parley_place_t  place;
    int64_t      ms;            /* wall clock of its append */
    int64_t      due;           /* deadline, wall clock */
    int64_t      lasts;         /* of the view at its append */
    unsigned     room;
    unsigned     mode;
    unsigned     policy;
    unsigned     parts[SIM_HOST_PARTS]; /* messages of a turn */
    unsigned     nparts;
    unsigned     to_me:1;
    unsigned     told:1;        /* the event is only about another one */
    unsigned     sent:1;        /* an agent's message for the surface */
    unsigned     acked:1;       /* the reader has acknowledged it, or may have,
                                   because it sent that */
    unsigned     failed:1;      /* it may have said that it failed */
    unsigned     raised:1;      /* it went up */
    unsigned     over:1;        /* its end was checked */
    unsigned     past:1;        /* it ended or went up */
    unsigned     known:1;       /* part has been read */
    parley_chat_disposition_t  disposition;     /* of the reader's part when it
                                                   was read last */
    int64_t      decided;       /* wall clock when that was new */
    unsigned     extended;
    unsigned     failures;
    unsigned     escalated;
    unsigned     accepted;
} sim_pair_t;

/* an offer that a reader saw */
typedef struct {
    sim_party_t  reader;
    char         id[SIM_HOST_ID];
    char         request[SIM_HOST_ID + 16];     /* id of JSON-RPC; empty: it was
                                                   listed */
    unsigned     done:1;
} sim_offer_t;

typedef struct {
    parley_subscriber_t   s;            /* must be first */
    sim_process_t        *process;      /* NULL: unused */
    sim_op_t             *op;           /* NULL: a stream */
    sim_party_t           party;
    unsigned              readers[SIM_ROOMS];   /* of each conversation, when
                                                   the call began */
    unsigned              resumed:1;
    unsigned              open:1;       /* a stream that has begun */
    unsigned              joined:1;     /* the hub has it */
    unsigned              over:1;       /* the hub ended it */
    parley_gate_t         gate;
    parley_arena_t        arena;
    parley_error_t        err;
    parley_who_t          caller;
    parley_json_t         doc;
    parley_json_t         rewritten;
    parley_msg_t          msg;
    parley_loss_t         loss;
    parley_stream_request_t  opening;
    char                  session[32];
    char                 *text;         /* octets of an event that is not
                                           whole */
    size_t                len;
} sim_call_t;

/* an attempt at a URL */
typedef struct {
    sim_process_t        *process;      /* NULL: unused */
    parley_run_t         *run;
    parley_delivery_t    *delivery;
    int64_t               began;
} sim_post_t;

/* a claim, as its record was last */
typedef struct {
    char                  id[SIM_HOST_ID];
    unsigned              owner;
    int64_t               until;
    uint32_t              number;
} sim_claim_t;

typedef struct {
    unsigned              variant;
    parley_settings_http_t  *http;
    const parley_settings_t *s;
    parley_render_t       render;
    parley_arena_t        arena;        /* of the model's reads */
    parley_arena_t        texts;        /* of the history */
    uint8_t               logs[SIM_PARTIES][PARLEY_KEY_LEN];
    uint8_t               rooms[SIM_ROOMS][PARLEY_KEY_LEN];
    parley_place_t        seen[SIM_PARTIES + SIM_ROOMS];
    parley_place_t        cursors[SIM_PARTIES];
    uint64_t              head;
    uint64_t              first[SIM_PARTIES];   /* offsets of the first records
                                                   that mailboxes retain */
    unsigned              members[SIM_ROOMS];   /* readers, bits, */
    unsigned              unsure[SIM_ROOMS];    /* those of a call without an
                                                   answer, */
    unsigned              left[SIM_ROOMS];      /* and those that were removed
                                                   once */
    sim_call_t            calls[SIM_HOST_CALLS];
    sim_post_t            posts[SIM_HOST_POSTS];
    sim_op_t              ops[SIM_HOST_OPS];
    unsigned              nops;
    sim_said_t            said[SIM_HOST_SAID];
    unsigned              appends;      /* of messages */
    unsigned              nsaid;
    sim_pair_t            pairs[SIM_HOST_PAIRS];
    unsigned              npairs;
    sim_offer_t           offers[SIM_HOST_OFFERS];
    unsigned              noffers;
    sim_claim_t           claims[SIM_HOST_SAID];
    unsigned              nclaims;
    char                  ids[SIM_HOST_IDS][SIM_HOST_ID];
    unsigned              nids;
    unsigned              keys;         /* number of ids that were used */
    int64_t               tick;         /* of the hubs */
    unsigned              settled:1;    /* nothing is under way */
} sim_host_t;

extern sim_host_t         sim_host;
extern const char *const  sim_parties[SIM_PARTIES];
extern const char *const  sim_rooms[SIM_ROOMS];


/* with -v: prints each event and answer; with -vv: also the verbs */
#define sim_host_tell(...)                                                    \
    do {                                                                      \
        if (sim_run.told) {                                                   \
            printf("%9lld  ", (long long) world.now - 1000000);               \
            printf(__VA_ARGS__);                                              \
            printf("\n");                                                     \
        }                                                                     \
    } while (0)


/* parley_sim_host.c: the steps of a history */
void sim_host_step(const sim_step_t *step);
void sim_host_end(void);

/* parley_sim_host_world.c: processes, and the verbs of their states */
void sim_host_begin(uint64_t seed);
void sim_host_forget(void);
void sim_host_start(sim_process_t *p);
void sim_host_kill(sim_process_t *p);
void sim_host_exit(sim_process_t *p);
int sim_host_verb(sim_process_t *p, uint64_t arg, unsigned dies);
void sim_host_pump(sim_process_t *p, unsigned dies);
void sim_host_wake(void);
void sim_host_settle(void);
int64_t sim_host_now(void);

/* parley_sim_host_conf.c: settings from directives */
void sim_host_configure(unsigned variant);

/* parley_sim_host_call.c: calls and streams through the gate */
void sim_host_call(sim_op_t *op, sim_process_t *p);
void sim_host_open(sim_party_t party, sim_process_t *p);
void sim_host_leave(sim_call_t *c);
int sim_host_resumed(sim_process_t *p);
void sim_host_calls_gone(sim_process_t *p);
int sim_host_listens(sim_party_t party);
extern const parley_hub_env_t  sim_host_hub_env;

/* parley_sim_host_job.c */
void sim_host_jobs_start(sim_process_t *p);
void sim_host_jobs_gone(sim_process_t *p);
int sim_host_answer(sim_process_t *p, uint64_t arg);
void sim_host_posts_end(void);

/* parley_sim_host_surface.c: the surface and its people */
void sim_host_posts(void);
void sim_host_changes_members(void);
void sim_host_invites(void);
sim_said_t *sim_host_say(sim_room_t room, sim_party_t author);
sim_said_t *sim_host_any_said(void);

/* parley_sim_host_party.c: the calls of agents and readers */
void sim_host_acts(void);
void sim_host_sends(void);
void sim_host_lists(void);
void sim_host_answers(void);
void sim_host_retry(void);
int sim_host_is_old(sim_op_t *op);
void sim_host_acked(sim_party_t party, const char *id);
void sim_host_refuses(sim_party_t party, const char *id);
sim_party_t sim_host_agent(void);
const char *sim_host_room_kind(unsigned room);
sim_op_t *sim_host_op(sim_party_t party, sim_host_op_t kind, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* parley_sim_host_reply.c: answers and offers */
void sim_host_replied(sim_op_t *op, int code, parley_str_t body);
void sim_host_sees(sim_party_t party, parley_str_t octets, int url);

/* parley_sim_host_model.c: the promises */
void sim_host_check(void);
void sim_host_check_end(void);
void sim_host_octets(sim_party_t party, parley_str_t octets,
    const unsigned *before);
sim_said_t *sim_host_said(parley_str_t id);
sim_party_t sim_host_party(parley_str_t sub);
void sim_host_asks(parley_host_t *h, parley_ask_t *ask, parley_error_t *err);
int sim_host_part_of(const char *id, sim_party_t party,
    parley_host_delivery_t *ret);
int sim_host_reads(sim_party_t party, const sim_said_t *said,
    const unsigned *before);
const char *sim_host_mark(parley_str_t text);
int sim_host_is_few(void);
int sim_host_is_same(const sim_said_t *a, const sim_said_t *b);
int sim_host_is_replaced(const sim_said_t *said);
int sim_host_is_changed(const sim_pair_t *pair);

/* parley_sim_host_log.c, _mailbox.c: new records */
void sim_host_look(void);
void sim_host_once(unsigned log, parley_str_t id, unsigned attempt);
void sim_host_in_mailbox(sim_party_t party, const parley_log_record_t *record,
    const parley_publication_t *p, uint64_t epoch);

/* parley_sim_host_part.c: the parts of readers */
void sim_host_part(sim_pair_t *pair);
void sim_host_cursor(sim_party_t party);


static inline unsigned
sim_host_below(unsigned n)
{
    return parley_test_below(&world.random, n);
}


static inline int
sim_host_chance(unsigned percent)
{
    return parley_test_chance(&world.random, percent);
}


#endif /* PARLEY_SIM_HOST_H */
