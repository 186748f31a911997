/* Declarations shared by the files of the store.  Private to them. */

#ifndef PARLEY_STORE_PARTS_H
#define PARLEY_STORE_PARTS_H

#include <string.h>

#include "state/parley_job.h"
#include "state/parley_log.h"
#include "state/store/parley_store.h"
#include "state/store/parley_wire.h"


/* octets of an id after its state, by format; a build of the tests has some */
#ifndef PARLEY_STORE_BETWEEN
#define PARLEY_STORE_BETWEEN(format)  (0 * (format))
#define PARLEY_STORE_BETWEEN_MAX      0
#endif

#define PARLEY_STORE_HOLDER    (PARLEY_STORE_NODE + 8)
#define PARLEY_STORE_PRINTED   (2 + PARLEY_STORE_BETWEEN_MAX                  \
                                + PARLEY_PRINT_LEN + PARLEY_STORE_HOLDER)
#define PARLEY_STORE_ENTRY     10   /* octets of a record's entry before its
                                       end */
#define PARLEY_STORE_HEAD      (PARLEY_STORE_ENTRY + 8 + 4)     /* before its
                                       value */
#define PARLEY_STORE_ROOM      768  /* octets that a call needs at most, in the
                                       ordinary case */
#define PARLEY_STORE_VALUE     (1024 * 1024)        /* octets of a record; a
                                       larger one is the zone's alone */
#define PARLEY_STORE_CONFIRM   "100"        /* ms that WAIT waits */
#define PARLEY_STORE_SPARE     64   /* freed calls that are kept */
#define PARLEY_STORE_STEPS     20   /* ms between two questions for steps
                                       without an inbox */
#define PARLEY_STORE_STEPS_MOST  1000  /* and with one */
#define PARLEY_STORE_NODES     1000 /* ms between two looks for ended nodes */
#define PARLEY_STORE_FIRST     64   /* admissions that wait for a count of
                                       subscribers */
#define PARLEY_STORE_SAID      60000        /* ms that nodes can read a step
                                       without a record */
#define PARLEY_STORE_NUMBERS   ((int64_t) 1 << 48)  /* numbers of steps are
                                                       below it */
#define PARLEY_STORE_COUNTS    512  /* limits counted between two reports */
#define PARLEY_STORE_PAUSE_MAX  1000   /* ms between two tries, at most */
#define PARLEY_STORE_BEGIN     2000 /* ms that a step of the beginning may
                                       take */
#define PARLEY_STORE_PREFIX    66   /* octets of a prefix with its braces */
#define PARLEY_STORE_RESERVED  ((int64_t) 3600 * 1000)  /* ms after which the
                                       engine forgets a reservation */


struct parley_import_s;
struct parley_process_link_s;

typedef struct parley_store_call_s  parley_store_call_t;

/* Reads the reply to a call.  Returns 1 if the call was sent again with another
   command, else 0: it is over. */
typedef int (*parley_store_answer_pt)(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);

/* Answers a caller without the store: the call timed out, or cannot be sent. */
typedef void (*parley_store_give_up_pt)(parley_store_t *s,
    parley_store_call_t *call);


/* an admission, copied */
typedef struct {
    parley_admission_t  a;
    uint64_t            stamp;
    uint8_t             account[PARLEY_KEY_LEN];
    uint8_t             id[PARLEY_KEY_LEN];
    uint8_t             slot[PARLEY_KEY_LEN];
    uint8_t             print[PARLEY_PRINT_LEN];
} parley_store_admission_t;


/* a command that the engine has not answered */
struct parley_store_call_s {
    parley_store_call_t      *next;
    parley_str_t              octets;
    parley_str_t              content;  /* of the step that it adds */
    parley_call_t            *caller;   /* NULL: the call is not awaited */
    void                     *ret;
    parley_store_answer_pt    answer;
    parley_store_give_up_pt   give_up;  /* NULL: not awaited */
    int64_t                   since;    /* ms of env.now when it began */
    void                    (*leave)(parley_store_t *s,
                                 parley_store_call_t *call);    /* called when
                                                   the caller is cancelled; or
                                                   NULL */
    void                    (*finish)(parley_store_t *s,
                                 parley_store_call_t *call);    /* called when
                                                   the zone has taken the
                                                   call's step */
    int                     (*again)(parley_store_t *s,
                                 parley_store_call_t *call);    /* asked, with a
                                                   gone caller, on a new
                                                   connection: 1 if the call is
                                                   sent again; NULL: kept
                                                   tells */
    unsigned                  gone:1;   /* the caller was cancelled, or has an
                                           answer */
    unsigned                  local:1;  /* gone: the zone decided alone */
    unsigned                  lifts:1;  /* it ends a suspension */
    unsigned                  once:1;   /* not sent again */
    unsigned                  kept:1;   /* gone: still sent again */
    unsigned                  question:1;       /* it puts a question */
    unsigned                  stays:1;  /* in waiting, also after its caller is
                                           gone */
    unsigned                  settled:1;        /* gone: the zone has given the
                                                   admission back */
    uint64_t                  step;     /* number of its step; 0: unknown, or it
                                           adds none */

    union {
        parley_store_admission_t  admit;
        struct {
            parley_store_admission_t  takes;
            parley_settlement_t       how;
            parley_record_id_t        closes[PARLEY_CLOSES_MAX];
            parley_lift_t             lifts[PARLEY_LIFTS_MAX];
            parley_appended_t        *ret;      /* the caller's, while it
                                                   waits */
            parley_append_t           counts;   /* to count subscribers */
            unsigned                  has_takes:1;
            unsigned                  has_job:1;        /* it is the notice of
                                                           an end */
        } append;
        parley_join_t             join;
        parley_roster_t           roster;
        parley_lookup_t           lookup;
        struct {
            parley_record_id_t    id;
            parley_str_t          entry;
            int64_t               ttl;
            uint8_t               under[PARLEY_KEY_LEN];
            uint64_t              stamp;
            unsigned              has_under:1;
        } put;
        struct {
            const struct parley_store_count_s  *list;
            size_t                              n;
        } rates;
        const struct parley_process_link_s  *kill;
        uint64_t                             worker;    /* that has ended */
        struct {
            parley_kind_t         kind;
            uint8_t               key[PARLEY_KEY_LEN];
        } held;
    } u;

    parley_arena_t            arena;
    uint8_t                   room[PARLEY_STORE_ROOM];
};


/* counts of a limit since the last report */
typedef struct parley_store_count_s {
    parley_rating_t  rating;
    uint8_t          account[PARLEY_KEY_LEN];
    int64_t          count;
} parley_store_count_t;


/* an id taken while the store was away */
typedef struct {
    uint8_t   id[PARLEY_KEY_LEN];
    uint8_t   print[PARLEY_PRINT_LEN];
    uint64_t  stamp;
    int64_t   until;            /* ms of env.now */
} parley_store_taken_t;


/* steps of a connection's beginning, in their order */
typedef enum {
    PARLEY_STORE_DOWN = 0,      /* no connection */
    PARLEY_STORE_CONNECTING,
    PARLEY_STORE_AUTH,
    PARLEY_STORE_SERVER,        /* INFO server */
    PARLEY_STORE_ROLE,          /* INFO replication memory */
    PARLEY_STORE_CLIENT,        /* CLIENT ID */
    PARLEY_STORE_KILL,          /* CLIENT KILL of the connection before */
    PARLEY_STORE_ENTER,
    PARLEY_STORE_LOAD,          /* FUNCTION LOAD, then ENTER */
    PARLEY_STORE_ORDER,         /* p1_order */
    PARLEY_STORE_SUBSCRIBE,     /* of the inbox, after SERVER */
    PARLEY_STORE_UP
} parley_store_stage_t;


/* a connection */
typedef struct {
    parley_store_link_t         link;
    parley_store_stage_t        stage;
    parley_wire_t              *wire;
    int64_t                     began;          /* when this stage began */
    int64_t                     retry;          /* DOWN: when to connect */
    int64_t                     pause;          /* ms until the next try */
    int64_t                     heard;          /* last reply */
    char                        why[160];       /* reason of a failure; empty:
                                                   none */
} parley_store_connection_t;


struct parley_store_s {
    parley_state_t              state;  /* first member */
    parley_state_t             *zone;
    const parley_store_env_t   *env;
    const parley_store_conf_t  *conf;
    parley_mem_t               *mem;
    char                        prefix[PARLEY_STORE_PREFIX];
    size_t                      prefix_len;

    /* the queue of unanswered calls, oldest first */
    parley_store_call_t        *first;
    parley_store_call_t       **last;
    size_t                      calls;
    size_t                      octets;
    size_t                      awaited;

    parley_store_call_t        *spare;          /* freed calls, to be used
                                                   again */
    size_t                      nspare;

    /* the connections */
    parley_store_connection_t   main;
    parley_store_connection_t   inbox;
    int64_t                     pinged;         /* last PING of the inbox */
    int64_t                     timer;          /* ms of env.now of the next
                                                   parley_store_timer() */
    unsigned                    slow;           /* timeouts in a row */
    unsigned                    unusable:1;     /* the operator must change
                                                   something */
    unsigned                    restores:1;     /* the engine is another one */
    unsigned                    loaded:1;       /* FUNCTION LOAD was tried */
    unsigned                    quits:1;        /* the node has stopped */
    char                        run[48];        /* run_id of the engine */
    uint64_t                    replicas;       /* that are connected */
    uint64_t                    had;            /* generation of the zone before
                                                   this worker entered */
    int64_t                     entering;       /* CLIENT ID of this
                                                   connection */
    char                        client[24];     /* of the last one that sent
                                                   calls, to be killed by the
                                                   next */
    char                        client_run[48];
    uint64_t                    killed[2];      /* the last one of a dead
                                                   worker: id, engine */

    /* lease and changes */
    int64_t                     renewed;        /* sending of the last renewal
                                                   that was answered */
    int64_t                     renewing;       /* sending of the renewal under
                                                   way; 0: none */
    unsigned                    renewals;       /* that were sent */
    int64_t                     ticked;         /* last question for changes */
    char                        changes[24];    /* number of the last change
                                                   that the zone has */
    unsigned                    asking:1;       /* a question for changes is
                                                   under way */
    int64_t                     offset;         /* engine's ms minus env.now */

    /* counts of limits */
    parley_store_count_t        counts[PARLEY_STORE_COUNTS];
    uint16_t                    slots[PARLEY_STORE_COUNTS * 2];
    size_t                      ncounts;
    int64_t                     reported;

    /* steps */
    char                        generation[24]; /* as text */
    uint64_t                    worker;         /* number of this worker */
    uint32_t                    process;        /* its number in the zone */
    parley_store_call_t        *waiting;        /* calls; the zone does not
                                                   have their steps yet */
    void                      (*joined)(parley_store_t *s,
                                   const struct parley_import_s *i);    /* the
                                                   zone has taken a join */
    size_t                      session;        /* sessions are being added
                                                   again, from this position
                                                   on; 0: not */
    int64_t                     fed;            /* last question for steps */
    uint64_t                    first_fed[PARLEY_STORE_FIRST];  /* stamps of the
                                                   admissions before which the
                                                   steps were taken */
    uint64_t                    hint;           /* number of a step that the
                                                   inbox was told during a
                                                   question */
    uint64_t                    own;            /* and of the last step of this
                                                   node */
    unsigned                    rejoins:1;      /* with the next renewal, a
                                                   session is added again */
    unsigned                    feeding:1;      /* a question for steps is under
                                                   way */
    unsigned                    lapsed:1;       /* the lease was over: other
                                                   nodes have dropped the
                                                   sessions of this one */
    unsigned                    behind:1;       /* and the zone has not taken
                                                   all steps since */

    int64_t                     asked_held;     /* last question whether a node
                                                   holds a reservation */

    /* ids taken while the store was away */
    parley_store_taken_t       *taken;
    size_t                      ntaken, taken_size;
    size_t                      taken_sent;     /* number of those sent */

    parley_store_member_t       members[PARLEY_STORE_MEMBERS];
    size_t                      nmembers;
    unsigned                    listed:1;       /* in this generation */

    parley_store_stat_t         stat;
};


/* parley_store_roster.c */

/* Adds the sessions of this node again, some at each call, until s->session is
   0. */
void parley_store_sessions(parley_store_t *s);

/* parley_store_step.c */

/* Adds a step with contents, which are sent again after a lost connection.
   erases: number of the step to remove, or 0. */
void parley_store_say(parley_store_t *s, parley_store_call_t *call,
    parley_str_t content, int64_t ms, uint64_t erases);

/* Sets its command alone, and reads its answer unless the call has a function
   for this.  Returns 0, or -1 if memory is exhausted. */
int parley_store_say_command(parley_store_t *s, parley_store_call_t *call,
    parley_str_t content, int64_t ms, uint64_t erases);

/* Reads the answer.  Returns 1 if the step is added again. */
int parley_store_said(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);

/* Tells other nodes which questions a message has closed. */
void parley_store_say_close(parley_store_t *s, const parley_settlement_t *how);

/* Tells other nodes that a session has left. */
void parley_store_say_leave(parley_store_t *s, const parley_leave_t *l);

/* parley_store_feed.c */

/* The connection is up: continues the order of steps. */
void parley_store_feed_begin(parley_store_t *s);

/* Asks for steps that the zone does not have. */
void parley_store_feed(parley_store_t *s);

/* Asks for steps, before a message is admitted with that stamp in the same
   write. */
void parley_store_feed_first(parley_store_t *s, uint64_t stamp);

/* Returns whether the zone has all steps that were added before that
   admission; 0: it has not. */
int parley_store_has_fed(const parley_store_t *s, uint64_t stamp);

/* Writes the question for steps as the command of a call.  Returns 0, or -1 if
   memory is exhausted. */
int parley_store_ask_command(parley_store_t *s, parley_store_call_t *call);

#define PARLEY_STORE_FEED  5    /* arguments of that question */

void parley_store_feed_arguments(parley_store_t *s,
    parley_str_t arguments[PARLEY_STORE_FEED], char known[24]);

/* Takes the steps of the reply into the zone.  Returns whether there are
   more. */
int parley_store_take_steps(parley_store_t *s,
    const parley_wire_reply_t *reply);

/* For the answer of a call: takes its step into the zone if the zone has all
   steps before it.  Returns 0. */
int parley_store_take_own(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);

/* Takes a step into the zone if the zone has all steps before it. */
void parley_store_take_next(parley_store_t *s, uint64_t number,
    parley_str_t content, parley_str_t places);

/* Periodic work, at each timer. */
void parley_store_feed_tick(parley_store_t *s, int64_t now);

/* There is a step of another node with that number. */
void parley_store_feed_hint(parley_store_t *s, uint64_t number);

/* Puts an answered call into the list waiting. */
void parley_store_wait(parley_store_t *s, parley_store_call_t *call,
    uint64_t step);

/* Gives up waiting calls that began before a time; those that stay wait on
   without their callers. */
void parley_store_wait_over(parley_store_t *s, int64_t before);

/* parley_store_inbox.c */

/* Begins the stage after s->inbox.stage. */
void parley_store_inbox_next(parley_store_t *s);

/* Reads a reply or a message. */
void parley_store_inbox_fed(parley_store_t *s,
    const parley_wire_reply_t *reply);

/* Connects, or sends PING, if that is due; called while the main connection is
   up. */
void parley_store_inbox_tick(parley_store_t *s, int64_t now);

/* The inbox is closed: with a reason, which is logged, or with the main
   connection.  */
void parley_store_inbox_away(parley_store_t *s, const char *why);

/* parley_store_call.c */

/* Tells the caller of a call that its verb is done. */
void parley_store_done(parley_store_t *s, parley_store_call_t *call);

/* Creates a call, which the next function takes.  Returns NULL if memory is
   exhausted. */
parley_store_call_t *parley_store_call(parley_store_t *s,
    parley_store_answer_pt answer);

/* Sets the command of a call, in place of an earlier one.  Returns 0, or -1 if
   memory is exhausted. */
int parley_store_command(parley_store_call_t *call,
    const parley_str_t *arguments, size_t n)
    __attribute__((warn_unused_result));

/*
 * Puts a call into the queue and sends it if the store is up.  The queue owns
 * the call.  Returns 0, or -1 if the queue is full: the call is freed.
 */
int parley_store_send(parley_store_t *s, parley_store_call_t *call);

/* Sends a call that was answered again, with another command.  Returns 1. */
int parley_store_resend(parley_store_t *s, parley_store_call_t *call);

/*
 * As parley_store_send() for a call that caller awaits: returns
 * PARLEY_STATE_LATER, or PARLEY_STATE_DONE after give_up.
 */
parley_state_done_t parley_store_await(parley_store_t *s,
    parley_store_call_t *call, void *ret, parley_call_t *caller,
    parley_store_give_up_pt give_up);

/* Frees a call.  The store keeps PARLEY_STORE_SPARE of them for later calls;
   _spare_free() frees these. */
void parley_store_call_free(parley_store_t *s, parley_store_call_t *call);
void parley_store_call_spare_free(parley_store_t *s);

/* Reads a reply to the oldest call. */
void parley_store_answered(parley_store_t *s,
    const parley_wire_reply_t *reply);

/* Gives up awaited calls that began before a time; INT64_MAX: all. */
void parley_store_give_up(parley_store_t *s, int64_t before);

/* Sends all calls of the queue again, on a new connection. */
void parley_store_send_again(parley_store_t *s);

void parley_store_cancel(parley_state_t *state, parley_call_t *call);

/* Ends the connection of a dead worker at the engine, before the commands that
   are sent next. */
void parley_store_kill(parley_store_t *s,
    const struct parley_process_link_s *link);

/* parley_store_enter.c */

/* Begins a connection. */
void parley_store_connect(parley_store_t *s, parley_store_connection_t *c,
    int64_t now);

/* Closes a connection, and sets the time of the next try. */
void parley_store_disconnect(parley_store_t *s, parley_store_connection_t *c);

/* Returns whether a connection has been in its stage of the beginning for too
   long. */
int parley_store_is_late(const parley_store_connection_t *c, int64_t now);

/* Sends the command of a stage. */
void parley_store_ask(parley_store_t *s, parley_store_connection_t *c,
    parley_store_stage_t stage, const parley_str_t *arguments, size_t n);

/* Begins the stage after s->main.stage. */
void parley_store_next(parley_store_t *s);

/* Returns the value of a line "name:value" of INFO, or an empty string. */
parley_str_t parley_store_line(const parley_wire_reply_t *reply,
    const char *name);

/* Reads the reply of a stage.  Returns 1 if the connection has entered. */
int parley_store_step(parley_store_t *s, const parley_wire_reply_t *reply);

/*
 * Reads role, replicas and the use of memory from INFO replication memory.
 * Returns 1, or 0 after parley_store_fail(): the engine is a replica.
 */
int parley_store_role(parley_store_t *s, const parley_wire_reply_t *reply);

/* parley_store_acl.c */

#define PARLEY_STORE_COMMANDS  32
#define PARLEY_STORE_UNASKED   3    /* commands that p1_enter does not check */

/* Names in lower case; "client|kill" is a subcommand. */
extern const char *const  parley_store_commands[PARLEY_STORE_COMMANDS];

/* parley_store_error.c */

/* Asks env for a timer at a time of env.now, unless one is asked for before. */
void parley_store_timer_at(parley_store_t *s, int64_t at);

/*
 * A connection cannot be used: it is closed when the event ends that is being
 * read.  Only the first reason counts.
 */
void parley_store_failed(parley_store_connection_t *c, const char *why);

/* As parley_store_failed(), of the main connection. */
void parley_store_fail(parley_store_t *s, const char *why);

/* As parley_store_fail(): a reply has a wrong form. */
void parley_store_strange(parley_store_t *s, const char *command);

/* As parley_store_fail(); logs the change that the operator must make. */
void parley_store_unusable(parley_store_t *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads an error.  Returns 1: the call has failed; 0: the connection has. */
int parley_store_error(parley_store_t *s, parley_str_t error);

/* Logs the error of a failed call, unless the engine is full. */
void parley_store_call_refused(parley_store_t *s, parley_str_t error);

/* Logs that a key of the prefix has another type or form. */
void parley_store_foreign(parley_store_t *s);

/* Returns words of the engine for the log, without the password. */
parley_str_t parley_store_words(const parley_store_t *s, parley_str_t text);

void parley_store_log(parley_store_t *s, parley_store_level_t level,
    const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* parley_store_member.c */

/* Sends a command once.  Returns 1, or 0 if it cannot be sent. */
int parley_store_once(parley_store_t *s, parley_store_answer_pt answer,
    const parley_str_t *arguments, size_t n);

/* Sends p1_renew or a question for changes if they are due. */
void parley_store_member_tick(parley_store_t *s, int64_t now);

/* Puts the shared records of the zone into an emptied store. */
void parley_store_member_restore(parley_store_t *s);

/* parley_store_entry.c */

/* Returns whether the records of a kind are in the store; _in_zones: and in the
   zone of each node. */
int parley_store_is_shared(parley_kind_t kind);
int parley_store_in_zones(parley_kind_t kind);

/* Writes the name of a key: prefix, kind, key. */
parley_str_t parley_store_name(const parley_store_t *s, uint8_t kind,
    const uint8_t *key,
    uint8_t room[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN]);

void parley_store_holder(const parley_store_t *s, uint64_t stamp,
    uint8_t out[PARLEY_STORE_HOLDER]);

/* Writes the value of an id; state: 'r' reserved or 't' taken. */
parley_str_t parley_store_write_id(const parley_store_t *s, uint8_t state,
    const uint8_t *print, uint64_t stamp, uint8_t room[PARLEY_STORE_PRINTED]);

/* what the value of an id says */
typedef struct {
    uint8_t         state;
    const uint8_t  *print;
    const uint8_t  *holder;
} parley_store_id_t;

/* Reads the value of an id.  Returns 1; 0 if it is not one; or -1 after
   parley_store_unreadable(). */
int parley_store_read_id(parley_store_t *s, parley_str_t value,
    parley_store_id_t *ret);

/*
 * Takes the format off a value.  Returns 0, or -1 after
 * parley_store_unreadable().
 */
int parley_store_read_format(parley_store_t *s, parley_str_t *value);

/* Counts and logs a value whose format this version does not read. */
void parley_store_unreadable(parley_store_t *s);

/* Counts and logs a value of a known format that has another form. */
void parley_store_damaged(parley_store_t *s);

/* Sets the format of values from the reply to a function.  Returns 0, or -1 if
   it is not one that this version writes. */
int parley_store_set_format(parley_store_t *s,
    const parley_wire_reply_t *reply);

/* Writes the text of this node for the list of nodes. */
#define PARLEY_STORE_TEXT  128
void parley_store_member_text(const parley_store_t *s,
    char out[PARLEY_STORE_TEXT]);

/* Writes the name of a record in y: kind, key, tag. */
#define PARLEY_STORE_FIELD  (1 + PARLEY_KEY_LEN + 4)
void parley_store_field(const parley_record_id_t *id,
    uint8_t out[PARLEY_STORE_FIELD]);

/* Writes tag, generation, queue (0: guaranteed) and '0': not closed. */
void parley_store_entry(const parley_put_t *put, uint32_t generation,
    uint8_t out[PARLEY_STORE_ENTRY]);

/* Reads the next entry.  Returns 1, 0 at the end, or -1: damaged, no memory. */
int parley_store_parse(parley_store_t *s, parley_str_t *rest,
    parley_arena_t *arena, parley_record_t *ret);

/* Returns parts as one text; an empty text if memory is exhausted. */
parley_str_t parley_store_join_parts(parley_arena_t *arena,
    const parley_str_t *parts, size_t n);

/* Copies an admission without its limits. */
void parley_store_admission(parley_store_admission_t *copy,
    const parley_admission_t *a, uint64_t stamp);

/* Returns whether an admission has EXACT limits or quotas. */
int parley_store_is_exact(const parley_admission_t *a);

/* Sets the command of a call to p1_admit or p1_look, for its admission; counts:
   with its limits and quotas.  Returns 0, or -1 if memory is exhausted. */
int parley_store_admit_command(parley_store_t *s, parley_store_call_t *call,
    const char *name, int counts);

/* parley_store_admit.c */

parley_state_done_t parley_store_admit(parley_state_t *state,
    const parley_admission_t *a, parley_admitted_t *ret, parley_call_t *call);

/* parley_store_held.c */

/* Asks the node that has reserved an id or slot whether it holds it. */
void parley_store_ask_held(parley_store_t *s, parley_kind_t kind,
    const uint8_t *key);

/* parley_store_settle.c */

parley_state_done_t parley_store_settle(parley_state_t *state,
    const parley_admission_t *a, const parley_settlement_t *how, int *ret,
    parley_call_t *call);

/* Sends a settlement as taken of the zone, without waiting. */
void parley_store_taken(parley_store_t *s, const parley_admission_t *a,
    const parley_settlement_t *how);

/* Gives an admission back in the store, without waiting. */
void parley_store_free(parley_store_t *s, const parley_admission_t *a,
    const parley_settlement_t *how);
int parley_store_free_command(parley_store_t *s, parley_store_call_t *call,
    const parley_admission_t *a, const parley_settlement_t *how)
    __attribute__((warn_unused_result));

/* Sends ids that were taken while the store was away, as many as the queue has
   room for; called until all are sent. */
void parley_store_taken_send(parley_store_t *s);

/* arguments of p1_settle, and room for their octets */
#define PARLEY_STORE_SETTLE  (7 + 2 * PARLEY_CLOSES_MAX + 4 * PARLEY_LIFTS_MAX)

typedef struct {
    char      id_ttl[24], slot_ttl[24], count[24];
    uint8_t   holder[PARLEY_STORE_HOLDER];
    uint8_t   tags[PARLEY_CLOSES_MAX][4];
    uint8_t   lifts[PARLEY_LIFTS_MAX][9];
} parley_store_settle_room_t;

/* Writes the arguments after the prefix; returns their number. */
size_t parley_store_settle_arguments(const parley_store_t *s,
    parley_store_settle_room_t *room, const parley_admission_t *a,
    const parley_settlement_t *how,
    parley_str_t arguments[PARLEY_STORE_SETTLE]);

/* parley_store_record.c */

parley_state_done_t parley_store_put(parley_state_t *state,
    const parley_put_t *put, parley_put_result_t *ret, parley_call_t *call);
parley_state_done_t parley_store_get(parley_state_t *state,
    const parley_lookup_t *lookup, parley_records_t *ret, parley_call_t *call);
parley_state_done_t parley_store_drop(parley_state_t *state,
    const parley_record_id_t *id, uint32_t generation, parley_call_t *call);

/* parley_store_share.c */

/* For the answer of a call: waits until a replica has its effect.  Returns as
   an answer does. */
int parley_store_confirm(parley_store_t *s, parley_store_call_t *call);

/* Puts a record that the zone has into the store and its replica. */
parley_state_done_t parley_store_put_shared(parley_store_t *s,
    const parley_put_t *put, uint32_t generation, parley_put_result_t *ret,
    parley_call_t *caller);

/* Puts a change of another node into the zone; an empty entry drops. */
void parley_store_import(parley_store_t *s, parley_str_t field,
    parley_str_t entry);

/* Sends a shared record of the zone to an emptied store. */
void parley_store_share(parley_store_t *s, const parley_record_id_t *id,
    const parley_record_t *record);

/* parley_store_rate.c */

parley_state_done_t parley_store_rate(parley_state_t *state,
    const parley_rating_t *rating, parley_rated_t *ret, parley_call_t *call);
void parley_store_count(parley_store_t *s, const uint8_t *key,
    const uint8_t *account, const parley_limit_rate_t *rate, int count);
void parley_store_count_quotas(parley_store_t *s, const parley_admission_t *a,
    int count);
void parley_store_count_limits(parley_store_t *s, const parley_admission_t *a);
void parley_store_over(parley_store_t *s, const parley_admission_t *a,
    size_t i, int64_t ahead);
void parley_store_report(parley_store_t *s, int64_t now);

/* Returns a debt that the engine has told, in us, at most what it may be. */
int64_t parley_store_ahead(const parley_limit_rate_t *rate, int64_t us);

/* parley_store_library.c, made by tools/embed-library */

extern const char    parley_store_library[];
extern const size_t  parley_store_library_len;


/* Returns whether the lease of the node surely lasts: it is taken to end by a
   tenth earlier. */

static inline int
parley_store_holds(const parley_store_t *s, int64_t now)
{
    return now - s->renewed < s->conf->lease - s->conf->lease / 10;
}


/* Returns whether the inbox is told the number of each new step: libraries of
   earlier versions publish none. */

static inline int
parley_store_has_inbox(const parley_store_t *s)
{
    return s->inbox.stage == PARLEY_STORE_UP
           && s->state.format == PARLEY_STATE_FORMAT;
}


static inline parley_str_t
parley_store_generation(const parley_store_t *s)
{
    return parley_str_c(s->generation);
}


/* Writes a random epoch, for a log that does not exist. */

static inline parley_str_t
parley_store_epoch(const parley_store_t *s, char room[24])
{
    return parley_wire_number((int64_t) (s->env->random(s->env->ctx)
                                         >> 16 | 1), room);
}


/* Writes the name of a key of the store alone, or of its channel. */

static inline parley_str_t
parley_store_single(const parley_store_t *s, char letter,
    char room[PARLEY_STORE_PREFIX + 1])
{
    memcpy(room, s->prefix, s->prefix_len);
    room[s->prefix_len] = letter;

    return parley_str_make(room, s->prefix_len + 1);
}


static inline parley_str_t
parley_store_prefix(const parley_store_t *s)
{
    return parley_str_make(s->prefix, s->prefix_len);
}


#endif /* PARLEY_STORE_PARTS_H */
