/*
 * A simulated world for gate/link: connections of agents over MoQ.  Each one
 * has a link of the gateway, an adapter, and a peer with the client's side of
 * moqt/.  Octets are split, streams overtake each other, and connections end at
 * any octet.
 *
 * Each frame of a peer has a Stream ID of its own: the number of the model's
 * frame.  So an answer tells the frame that it answers.
 */

#ifndef PARLEY_SIM_LINK_H
#define PARLEY_SIM_LINK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/parley_buf.h"
#include "gate/link/parley_link.h"
#include "moqt/parley_moqt_data.h"
#include "moqt/parley_moqt_session.h"
#include "t/simulate/parley_sim_play.h"
#include "translate/moq/parley_moq_fragment.h"
#include "translate/moq/parley_moq_frame.h"


#define SIM_CONNS      4
#define SIM_SESSIONS   3            /* settings of the location */
#define SIM_TRACKS     4
#define SIM_OBJECT     4096
#define SIM_REQUESTS   64           /* limit of the peer's session */
#define SIM_FRAMES     2048
#define SIM_TOKENS     512
#define SIM_NAMES      64           /* tracks of the gateway that are known */
#define SIM_ALIASES    256
#define SIM_PUBS       8
#define SIM_INPUTS     24           /* data streams of a peer at a time */
#define SIM_PIECES     4            /* frames of a data stream */
#define SIM_ASKED      64           /* requests that wait for an answer */
#define SIM_PROOFS     16
#define SIM_POSTS      64
#define SIM_FETCHES    8
#define SIM_DUE        1024
#define SIM_AGENTS     3            /* that are listed */
#define SIM_GAP        (UINT64_C(1) << 63)
#define SIM_FULL       65536        /* octets that wait for a track */
#define SIM_FLOOD      10000         /* frames of a flood */
#define SIM_ANSWER     3000         /* octets of the longest answer */
#define SIM_RECORD     4000         /* octets of the longest record */
#define SIM_RETAINED   400          /* records of a log */
#define SIM_LAG        20000        /* octets that wait for a subscriber */
#define SIM_LOGS       6            /* of opaque tracks and namespaces */
#define SIM_MEMBERS    16           /* logs that a connection has joined */
#define SIM_RELAYS     256          /* records that are being appended */
#define SIM_VIDEOS     3            /* opaque tracks of a peer */
#define SIM_WATCHES    5            /* subscriptions of them */
#define SIM_UPDATES    16
#define SIM_FILMS      2048         /* their frames */
#define SIM_FILM       900          /* octets of the longest one */
#define SIM_OPAQUE     1000         /* index of the first request of them */


typedef enum {
    SIM_STEP_CONNECT = 0,
    SIM_STEP_LOSE,              /* a connection */
    SIM_STEP_INIT,              /* session_init */
    SIM_STEP_CMD,
    SIM_STEP_BEAT,              /* HEARTBEAT */
    SIM_STEP_BYE,
    SIM_STEP_GIVE,              /* octets of a data stream arrive */
    SIM_STEP_RESET,             /* a data stream */
    SIM_STEP_PUBLISH,
    SIM_STEP_ANNOUNCE,          /* PUBLISH_NAMESPACE, and its DONE */
    SIM_STEP_UNPUBLISH,
    SIM_STEP_REPLY,             /* to PUBLISH or SUBSCRIBE of the gateway */
    SIM_STEP_SUBSCRIBE,
    SIM_STEP_UPDATE,            /* REQUEST_UPDATE */
    SIM_STEP_UNSUBSCRIBE,
    SIM_STEP_FETCH,
    SIM_STEP_CANCEL,            /* FETCH_CANCEL */
    SIM_STEP_GRANT,             /* MAX_REQUEST_ID */
    SIM_STEP_LIST,              /* SUBSCRIBE_NAMESPACE */
    SIM_STEP_PROVE,             /* the adapter ends a proof */
    SIM_STEP_EXPIRE,
    SIM_STEP_ANSWER,            /* a posted command */
    SIM_STEP_APPEND,            /* records to a log */
    SIM_STEP_TRIM,              /* a log loses records */
    SIM_STEP_EPOCH,             /* a log begins again */
    SIM_STEP_SERVE,             /* records of a fetch */
    SIM_STEP_SLOW,              /* the peer reads little */
    SIM_STEP_ROOM,              /* the peer reads again */
    SIM_STEP_STOP,              /* STOP_SENDING */
    SIM_STEP_TIME,
    SIM_STEP_LEAVE,
    SIM_STEP_OFFER,             /* PUBLISH of an opaque track */
    SIM_STEP_WATCH,             /* SUBSCRIBE, TRACK_STATUS */
    SIM_STEP_FILM,              /* its frames */
    SIM_STEP_JOIN,              /* the adapter ends a join */
    SIM_STEP_RELAY,             /* and an append */
    SIM_STEP_UNRULE,            /* a membership ends */
    SIM_STEP_EVIL,              /* of an attacker */
    SIM_STEP_FLOOD,
    SIM_STEP_COUNT
} sim_link_verb_t;


typedef struct sim_conn_s  sim_conn_t;
typedef struct sim_block_s  sim_block_t;


/* memory of a link */
typedef struct {
    size_t        octets;
    size_t        most;
    size_t        count;        /* of allocations */
    size_t        every;        /* each n-th one fails; 0: none */
    unsigned      starved:1;    /* one has failed */
    sim_block_t  *blocks;
} sim_mem_t;


/* a token; its text is "NAME-NUMBER" */
typedef struct {
    unsigned  who;              /* 0 or 1; 2: the token is refused */
    unsigned  conn;             /* number of the connection that sent it */
    uint64_t  id;               /* Session ID of its session_init; 0: SETUP */
    unsigned  proved;
    unsigned  expired;
} sim_token_t;


typedef enum { SIM_CMD = 0, SIM_INIT, SIM_BEAT, SIM_BYE, SIM_BAD } sim_kind_t;

/* a frame that a peer sent */
typedef struct {
    sim_kind_t  kind;
    unsigned    conn;           /* number of its connection */
    unsigned    agent;          /* of the track */
    uint64_t    id;             /* Session ID */
    unsigned    arrived:1;      /* the link has taken all of it */
    unsigned    open:1;         /* its session was open when it was sent */
    unsigned    stateless:1;    /* Session ID 0 */
    unsigned    posted;
    unsigned    token;          /* with which it was posted */
    unsigned    due:1;          /* its answer must come */
    unsigned    acked:1;        /* of session_init: session_ack has come */
    unsigned    mailed:1;       /* with a mailbox */
    unsigned    answers;
} sim_frame_t;


/* a stream that the gateway opened, or the control stream */
typedef struct sim_out_s  sim_out_t;

struct sim_out_s {
    sim_out_t           *next;
    sim_conn_t          *conn;
    size_t               room;
    unsigned             open:1;
    unsigned             finished:1;
    unsigned             reset:1;
    unsigned             stopped:1;     /* by the peer */
    unsigned             choked:1;      /* it took too few octets */
    unsigned             begun:1;       /* its header has come */
    unsigned             seen:1;        /* its end */
    uint8_t             *octets;        /* that the peer has not read */
    size_t               len;
    size_t               size;
    parley_moqt_data_t   data;
    int                  alias;         /* index; -1: not known */
    int                  fetch;
    int                  watch;
    unsigned             film;          /* first one of its stream; 0: none */
    unsigned             last;          /* film that came */
    uint8_t             *frame;         /* object that is read */
    size_t               frame_len;
    uint8_t             *whole;         /* payload of several chunks */
    size_t               whole_len;
    uint64_t             place;         /* of the payload */
    uint64_t             id;            /* next object of it */
    uint64_t             group_gap;     /* of the object */
    uint64_t             object_gap;
};


/* a track of the gateway, as the peer knows it */
typedef struct {
    char                    name[320];
    unsigned                who;
    unsigned                mailbox:1;
    unsigned                offered:1;  /* PUBLISH waits for the peer */
    unsigned                asked:1;    /* SUBSCRIBE waits for the gateway */
    unsigned                live:1;
    unsigned                forward:1;
    unsigned                torn:1;     /* objects were given up */
    unsigned                filtered:1; /* its filter is not Largest Object */
    unsigned                any:1;
    unsigned                ended:1;    /* it was, by the end of a group */
    uint64_t                epoch;
    uint64_t                request;
    uint64_t                alias;
    parley_moqt_location_t  last;
    uint64_t                end;        /* last group */
    uint64_t                due[SIM_DUE];   /* places, with SIM_GAP after a
                                               gap */
    unsigned                ndue;
} sim_track_t;


/* an alias that the gateway gave */
typedef struct {
    uint64_t  alias;
    int       track;
    uint64_t  streams;
    uint64_t  told;             /* by PUBLISH_DONE */
    unsigned  done:1;
    unsigned  torn:1;
} sim_alias_t;


/* a track of the peer */
typedef struct {
    unsigned  used:1;
    unsigned  sent:1;
    unsigned  done:1;
    unsigned  proved:1;         /* the connection was, when it was sent */
    unsigned  agent;
    uint64_t  alias;
    uint64_t  request;
} sim_pub_t;


/* a data stream of the peer */
typedef struct {
    parley_link_stream_t  *st;
    uint8_t               *octets;
    size_t                 len;
    size_t                 at;          /* that the link took */
    unsigned               blocked:1;   /* the link waits */
    unsigned               frames[SIM_PIECES];
    size_t                 ends[SIM_PIECES];
    unsigned               n;
    unsigned               pub;
    unsigned               film;        /* first one; 0: none */
} sim_input_t;


/* octets of a stream of control messages that wait */
typedef struct {
    uint8_t   *octets;
    size_t     n;
    unsigned   waits:1;                 /* the link does not read them now */
} sim_held_t;

enum { SIM_HELD_CONTROL, SIM_HELD_LIST, SIM_HELD };


/* a log that a link has joined */
typedef struct {
    parley_link_tap_t  *tap;            /* NULL: free */
    unsigned            log;
    unsigned            told:1;         /* the link has the result */
    unsigned            joined:1;
    uint64_t            since;          /* records after this number */
} sim_member_t;


/* an append under way */
typedef struct {
    unsigned            log;
    unsigned            publisher;
    uint64_t            seq;
    uint8_t            *octets;         /* NULL: it only counts */
    size_t              len;
    unsigned            conn;           /* that is told; 0: none */
    parley_link_tap_t  *tap;
    uint64_t            op;
    int64_t             count;
} sim_relay_t;


/* an opaque track of a peer */
typedef struct {
    unsigned  used:1;
    unsigned  done:1;
    unsigned  subscribed:1;             /* by the gateway */
    unsigned  forward:1;
    unsigned  log;
    uint64_t  alias;
    uint64_t  request;
    uint64_t  group;
} sim_video_t;


/* a subscription of one, or TRACK_STATUS */
typedef struct {
    unsigned  used:1;
    unsigned  status:1;
    unsigned  live:1;
    unsigned  torn:1;                   /* its streams may break off */
    unsigned  log;
    uint64_t  alias;
    uint64_t  request;
} sim_watch_t;


/* a frame of an opaque track that was sent */
typedef struct {
    unsigned  log;
    unsigned  first;                    /* of its stream */
    unsigned  alien:1;                  /* its Session ID is not open */
    unsigned  fin:1;                    /* of the first: FIN has arrived */
} sim_film_t;


typedef struct {
    parley_moqt_type_t  type;   /* 0: free */
    uint64_t            id;
    int                 index;  /* of its track, fetch or publication */
} sim_asked_t;


/* a session that is open, as the peer knows it */
typedef struct {
    uint64_t  id;               /* 0: free */
    char      name[64];
    unsigned  shaky:1;          /* it may have ended */
} sim_open_t;


/* the adapter's proof of a session */
typedef struct {
    parley_link_session_t  *session;    /* NULL: of CLIENT_SETUP */
    unsigned                used:1;
    unsigned                pending:1;
    unsigned                listens:1;
    unsigned                proved:1;
    parley_str_t            octets;     /* of the link */
    unsigned                token;
    unsigned                next;       /* token that is being proved */
} sim_proof_t;


typedef struct {
    parley_link_fetch_t  *fetch;        /* NULL: the adapter has none */
    uint64_t              at;           /* place that was passed */
    uint64_t              epoch;
    unsigned              used:1;       /* the peer has it */
    unsigned              ok:1;
    unsigned              lost:1;       /* records of its range are lost */
    unsigned              fresh:1;      /* the link has not begun it */
    unsigned              cancelled:1;
    uint64_t              request;
    unsigned              who;
    parley_moqt_location_t  start;
    parley_moqt_location_t  end;
    uint64_t              got;          /* last place that came */
} sim_fetch_t;


struct sim_conn_s {
    unsigned               number;      /* 0: none */
    unsigned               who;
    unsigned               evil:1;
    unsigned               faulty:1;    /* it broke the protocol */
    unsigned               left:1;      /* GOAWAY */
    unsigned               closed:1;
    unsigned               resumed:1;
    unsigned               proved:1;
    unsigned               requests:1;  /* it permits requests */
    unsigned               ready:1;
    unsigned               announced:1;
    unsigned               unfit:1;     /* its token of SETUP has ended */
    unsigned               no_open:1;
    unsigned               mail_waits:1;
    unsigned               headless:1;
    unsigned               flooded:1;
    unsigned               gap;         /* before the next record */
    uint64_t               gaps;        /* groups in which gaps began; bits */
    uint64_t               announce;
    parley_link_stream_t  *list;        /* SUBSCRIBE_NAMESPACE */
    sim_out_t              listed;      /* its answer */
    uint64_t               list_id;
    unsigned               list_ok;
    unsigned               list_names;
    parley_moqt_control_t  list_control;
    unsigned               broken;      /* payloads without a last chunk */
    size_t                 may_open;
    size_t                 room;        /* of new streams */
    sim_mem_t              mem;
    parley_link_t         *link;
    parley_moqt_session_t  client;
    parley_link_stream_t  *control;
    sim_held_t             held[SIM_HELD];
    sim_out_t              out;         /* control stream */
    sim_out_t             *outs;
    sim_track_t            tracks[SIM_NAMES];
    unsigned               ntracks;
    sim_alias_t            aliases[SIM_ALIASES];
    unsigned               naliases;
    sim_pub_t              pubs[SIM_PUBS];
    uint64_t               next_alias;
    sim_input_t            inputs[SIM_INPUTS];
    sim_asked_t            asked[SIM_ASKED];
    uint64_t               wants[4];    /* SUBSCRIBE of the gateway */
    unsigned               want_agents[4];
    unsigned               want_logs[4];
    unsigned               nwants;
    sim_open_t             opens[SIM_NAMES];
    sim_proof_t            proofs[SIM_PROOFS];
    parley_link_post_t    *posts[SIM_POSTS];
    unsigned               nposts;
    sim_fetch_t            fetches[SIM_FETCHES];
    parley_place_t         place;       /* of the mailbox */
    parley_place_t         high;        /* the last one that was passed */
    int                    listener;    /* proof that has it; -1: none */
    sim_member_t           members[SIM_MEMBERS];
    sim_video_t            videos[SIM_VIDEOS];
    sim_watch_t            watches[SIM_WATCHES];
    uint64_t               updates[SIM_UPDATES];    /* of the gateway */
    unsigned               nupdates;
};


typedef struct {
    uint64_t  epoch;
    uint64_t  first;            /* offset of the first record */
    uint64_t  last;
} sim_log_t;


typedef struct {
    parley_test_random_t  random;
    parley_test_random_t  draw;         /* of a step */
    int64_t               now;
    unsigned              numbers;      /* of connections */
    unsigned              stateless;
    unsigned              floods;
    unsigned              starving;
    sim_conn_t            conns[SIM_CONNS];
    sim_log_t             logs[2];
    sim_token_t           tokens[SIM_TOKENS];
    unsigned              ntokens;
    sim_frame_t           frames[SIM_FRAMES];
    unsigned              nframes;
    unsigned              rules[2][2];  /* agent, publisher that it may read */
    unsigned              spoiled;      /* an attacker has spoiled octets */
    sim_relay_t           relays[SIM_RELAYS];
    unsigned              nrelays;
    uint64_t              seq;          /* of the last record */
    sim_film_t            films[SIM_FILMS];
    unsigned              nfilms;
    uint32_t              nrandoms;     /* that connections have got */
} sim_link_t;


extern sim_link_t  sim_link;
extern const char *const  sim_names[];
extern const parley_moqt_draft_t *const  sim_draft;


/* Prints an event with -v, and counts it. */
void sim_link_tell(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

unsigned sim_below(unsigned n);
int sim_chance(unsigned percent);


/* parley_sim_link_world.c */
void sim_link_begin(uint64_t seed);
void sim_link_step(const sim_step_t *step);
void sim_link_end(void);
void sim_link_forget(void);

/* Ends a connection.  Checks that the link has freed its memory. */
void sim_drop(sim_conn_t *c);

/* Is called after each call of a link. */
void sim_after(sim_conn_t *c);


/* parley_sim_link_step.c */
void sim_step_conn(sim_conn_t *c, sim_link_verb_t verb);
void sim_step_log(sim_link_verb_t verb);


/* parley_sim_link_mem.c */
void *sim_mem_alloc(void *ctx, size_t size);
void sim_mem_free(void *ctx, void *p);
void sim_env_free(sim_mem_t *mem);


/* parley_sim_link_env.c */
parley_link_t *sim_env_link(sim_conn_t *c);
sim_proof_t *sim_proof_of(sim_conn_t *c, parley_link_session_t *session);

/* Reads the number of a token; that of an empty or spoiled one is 0, which is
   never proved. */
unsigned sim_token_number(parley_str_t text);


/* parley_sim_link_adapter.c */

/* The adapter ends a proof, answers a post, passes records.  They return
   whether there was work. */
int sim_prove(sim_conn_t *c);
int sim_answer(sim_conn_t *c);
int sim_serve(sim_conn_t *c);
int sim_mail(sim_conn_t *c);
void sim_expire(sim_conn_t *c);
void sim_writable(sim_conn_t *c);

/* Returns whether a connection has that principal. */
int sim_is(sim_conn_t *c, unsigned who);

/* The text of a record. */
size_t sim_record(char *text, unsigned who, uint64_t epoch, uint64_t offset);


/* parley_sim_link_peer.c */
void sim_connect(sim_conn_t *c);
void sim_control(sim_conn_t *c, parley_moqt_message_t *m);
void sim_raw(sim_conn_t *c, const uint8_t *octets, size_t len);

/* Gives the octets that wait.  Returns whether the link has read some. */
int sim_held(sim_conn_t *c);
void sim_held_free(sim_held_t *h);
unsigned sim_token(sim_conn_t *c, uint64_t id);
void sim_token_text(char text[8], unsigned token);
void sim_publish(sim_conn_t *c, sim_pub_t *pub);
void sim_list(sim_conn_t *c);
void sim_list_end(sim_conn_t *c);


/* parley_sim_link_data.c */
void sim_init(sim_conn_t *c);
void sim_cmd(sim_conn_t *c, sim_kind_t kind);
int sim_give(sim_conn_t *c, sim_input_t *in, size_t octets);
void sim_input_end(sim_conn_t *c, sim_input_t *in);
sim_open_t *sim_open(sim_conn_t *c, uint64_t id);
void sim_evil(sim_conn_t *c);
void sim_flood(sim_conn_t *c);


/* parley_sim_link_tracks.c */
sim_track_t *sim_track(sim_conn_t *c, parley_str_t name);
void sim_space(parley_moqt_message_t *m, const char *agent);
void sim_subscribe(sim_conn_t *c, sim_track_t *t);
void sim_accept(sim_conn_t *c, sim_track_t *t, int forward);
void sim_update(sim_conn_t *c, sim_track_t *t, int forward);
void sim_unsubscribe(sim_conn_t *c, sim_track_t *t);
void sim_tear(sim_conn_t *c, sim_track_t *t);
void sim_fetch(sim_conn_t *c);
int sim_want(sim_conn_t *c, int ok);
void sim_ask(sim_conn_t *c, const parley_moqt_message_t *m, int index);


/* parley_sim_link_opaque.c */
unsigned sim_log_of(parley_str_t agent, parley_str_t track);
int sim_env_join(void *ctx, parley_link_tap_t *tap);
void sim_env_part(void *ctx, parley_link_tap_t *tap);
int sim_env_relay(void *ctx, parley_link_relay_t *relay);
int sim_join(sim_conn_t *c);
int sim_relay(void);
void sim_unrule(sim_conn_t *c);
void sim_offer(sim_conn_t *c);
int sim_supply(sim_conn_t *c, parley_moqt_message_t *m, unsigned log);
void sim_video_told(sim_conn_t *c, const parley_moqt_message_t *m);
int sim_updated(sim_conn_t *c);
void sim_watch(sim_conn_t *c);
void sim_watched(sim_conn_t *c, const parley_moqt_message_t *m,
    parley_moqt_type_t type, unsigned index);
void sim_unwatched(sim_conn_t *c, const parley_moqt_message_t *m);
void sim_film(sim_conn_t *c);
void sim_seen(sim_conn_t *c, sim_out_t *out);
void sim_judge_watches(const sim_conn_t *c);


/* parley_sim_link_judge.c */
void sim_gap(const sim_conn_t *c, const sim_out_t *out, sim_track_t *t,
    const parley_moqt_object_t *o);
void sim_mailed(sim_conn_t *c, sim_out_t *out, const parley_moq_frame_t *frame,
    sim_track_t *t, sim_fetch_t *f);
void sim_reply(sim_conn_t *c, sim_out_t *out, const parley_moq_frame_t *frame,
    sim_track_t *t);


/* parley_sim_link_look.c */

/* The peer reads. */
void sim_look(sim_conn_t *c);


#endif /* PARLEY_SIM_LINK_H */
