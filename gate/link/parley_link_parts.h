/*
 * Parts of parley_link.h.  Functions return 0, or -1 after they have closed the
 * link (parley_link_close()), unless they say otherwise.
 */

#ifndef PARLEY_LINK_PARTS_H
#define PARLEY_LINK_PARTS_H

#include "core/parley_buf.h"
#include "gate/link/parley_link.h"
#include "moqt/parley_moqt_data.h"
#include "moqt/parley_moqt_session.h"
#include "translate/moq/parley_moq_fragment.h"


/* requests of each side that live at a time */
#define PARLEY_LINK_REQUESTS  64

/* octets that wait for a stream before more is refused */
#define PARLEY_LINK_FULL  65536

/* octets of the control stream that may wait for the peer */
#define PARLEY_LINK_CONTROL_MAX  262144

/* ms for a proof, for the alias of a data stream, for a skipped Request ID, and
   for the chunks of a payload */
#define PARLEY_LINK_PROOF    5000
#define PARLEY_LINK_UNKNOWN  1000
#define PARLEY_LINK_SKIPPED  1000
#define PARLEY_LINK_CHUNKS   30000

/* ms for the publisher of a track; between the requests of a subscriber for a
   track that is not there; between counts of subscribers, and without one */
#define PARLEY_LINK_READY_BY  5000
#define PARLEY_LINK_POLLS     10000
#define PARLEY_LINK_COUNT     1000
#define PARLEY_LINK_ALONE     5000

/* streams of a subscriber that are open or wait to be */
#define PARLEY_LINK_DOWNS  128

/* codes of a stream that is reset (section 10.4.3 of the draft) */
#define PARLEY_LINK_CANCELLED  1
#define PARLEY_LINK_LATE       2

/* op of a relay; those of objects are numbers of streams */
#define PARLEY_LINK_OP_WANT    1    /* from the publisher of a track */
#define PARLEY_LINK_OP_SPACE   2    /* from that of a namespace */
#define PARLEY_LINK_OP_COUNT   3
#define PARLEY_LINK_OP_STREAM  16   /* the first stream */

/* streams of a peer without a proof that are read; more wait */
#define PARLEY_LINK_UNPROVED  4

/* malformed frames in a row that close the connection */
#define PARLEY_LINK_MALFORMED  3

/* messages that share a group of objects, and object IDs of each message */
#define PARLEY_LINK_GROUP      256
#define PARLEY_LINK_FRAGMENTS  65536

/* octets of a session_id; a longer one is refused */
#define PARLEY_LINK_SESSION_MAX  256

/* octets of a token, and of the peer of a session */
#define PARLEY_LINK_TOKEN_MAX  16384
#define PARLEY_LINK_PEER_MAX   2048

/* tracks of the gateway on a connection: those of its sessions, those that have
   a subscription before session_init, and those of sessions that have ended */
#define PARLEY_LINK_TRACKS(link)  (4 * (size_t) (link)->conf.sessions + 4)

#define PARLEY_LINK_SPACE    "a2a"
#define PARLEY_LINK_GATEWAY  "parley"


/* octets that a stream has not taken */
typedef struct {
    uint8_t  *data;
    size_t    at;
    size_t    len;
    size_t    size;
} parley_link_rest_t;


/* an answer that waits for its track */
typedef struct parley_link_item_s  parley_link_item_t;

struct parley_link_item_s {
    parley_link_item_t  *next;
    uint64_t             id;        /* Session ID */
    uint32_t             stream;    /* Stream ID */
    parley_moq_type_t    type;
    size_t               len;
    uint8_t              octets[];
};


/* a track of the gateway */
typedef struct parley_link_track_s  parley_link_track_t;

struct parley_link_track_s {
    parley_link_track_t    *next;
    parley_str_t            name;       /* owned */
    uint64_t                request;    /* Request ID of its subscription */
    uint64_t                alias;
    unsigned                offers:1;   /* PUBLISH is to be sent */
    unsigned                offered:1;  /* PUBLISH waits for its answer */
    unsigned                live:1;     /* it has a subscription */
    unsigned                forward:1;  /* which wants objects */
    unsigned                mailbox:1;
    unsigned                ends:1;     /* its session has ended: PUBLISH_DONE
                                           follows the last answer */
    unsigned                any:1;      /* largest is set */
    unsigned                gap:1;      /* of a mailbox: records after largest
                                           are lost */
    parley_moqt_location_t  largest;    /* last object of the track */
    parley_moqt_location_t  start;      /* first object of the subscription */
    uint64_t                end;        /* its last group */
    uint64_t                streams;    /* that it has opened */
    uint64_t                place;      /* of the next answer; a connection uses
                                           each place of a name once */

    void                   *stream;     /* of the open group; NULL: none */
    uint64_t                group;
    parley_moqt_data_writer_t  writer;
    parley_link_rest_t      rest;       /* of the open group */

    parley_link_item_t     *first;      /* answers */
    parley_link_item_t    **last;
    size_t                  waiting;    /* octets of the answers */
};


/* a track of the peer */
typedef struct parley_link_source_s  parley_link_source_t;

struct parley_link_source_s {
    parley_link_source_t  *next;        /* of the opaque ones */
    unsigned               refs;        /* its request and its streams */
    parley_str_t           agent;       /* of its namespace; after the
                                           struct */

    /* these of an opaque track */
    parley_str_t           name;        /* after the struct */
    parley_str_t           extensions;  /* owned; encoded, of the track */
    uint64_t               request;     /* Request ID */
    parley_link_tap_t     *tap;         /* of the track, or of its namespace;
                                           NULL: it has ended */
    unsigned               subscribes:1;    /* SUBSCRIBE is to be sent */
    unsigned               requested:1;     /* SUBSCRIBE was sent */
    unsigned               answered:1;  /* PUBLISH or SUBSCRIBE has its OK */
    unsigned               wanted:1;    /* there are subscribers */
    unsigned               forwards:1;  /* the publisher was told to send */
    int64_t                counted;     /* ms, when subscribers were counted */
    int64_t                alone;       /* ms, time of the first count
                                           without a subscriber; 0: there is
                                           one */
};


/* kind of a record */
typedef enum {
    PARLEY_LINK_WANT = 1,       /* for the publisher: text is the track */
    PARLEY_LINK_POLL,           /* as WANT, from one that was ready */
    PARLEY_LINK_READY,          /* the track begins; text has its extensions */
    PARLEY_LINK_ABSENT,         /* the publisher does not have the track */
    PARLEY_LINK_OBJECT,         /* text has its extensions */
    PARLEY_LINK_FIN,            /* end of a stream */
    PARLEY_LINK_RESET,
    PARLEY_LINK_DONE            /* end of the track */
} parley_link_record_kind_t;

typedef struct {
    parley_link_record_kind_t  kind;
    parley_moq_type_t          frame;   /* of an object; 0: it has none */
    uint8_t                    type;    /* of the stream of an object */
    uint8_t                    priority;
    uint8_t                    status;  /* of an object */
    uint64_t                   number;  /* of the publisher's stream */
    uint64_t                   group;
    uint64_t                   subgroup;
    uint64_t                   id;      /* of an object; code of RESET and
                                           DONE */
    parley_str_t               text;
    parley_str_t               payload;
} parley_link_record_t;


/* a stream of a subscriber: it mirrors one of the publisher */
typedef struct parley_link_down_s  parley_link_down_t;

struct parley_link_down_s {
    parley_link_down_t         *next;
    uint64_t                    number;
    uint64_t                    group;
    unsigned                    fin:1;      /* its octets are complete */
    unsigned                    dead:1;     /* it was reset */
    void                       *stream;     /* NULL: not open */
    parley_moqt_data_writer_t   writer;
    parley_link_rest_t          rest;
};

typedef enum {
    PARLEY_LINK_JOINING = 0,
    PARLEY_LINK_ASKING,         /* the publisher was asked */
    PARLEY_LINK_READING,
    PARLEY_LINK_ENDING          /* PUBLISH_DONE follows the last octets */
} parley_link_reading_t;


/* a subscription of the peer to an opaque track, or its subscribe_request */
typedef struct parley_link_reader_s  parley_link_reader_t;

struct parley_link_reader_s {
    parley_link_reader_t   *next;
    parley_link_reading_t   state;
    parley_link_tap_t      *tap;        /* NULL: it has parted */
    parley_str_t            track;      /* owned */
    uint64_t                request;    /* Request ID */
    uint64_t                alias;
    int64_t                 by;         /* ms, for the publisher; when it is
                                           asked again */
    unsigned                command:1;  /* it is a subscribe_request */
    unsigned                forward:1;
    unsigned                skips:1;    /* it begins with the next group */
    unsigned                any:1;      /* newest is set */
    unsigned                late:1;     /* the track has STREAM frames */
    uint64_t                id;         /* Session ID of a command */
    uint32_t                stream;     /* its Stream ID */
    parley_moqt_location_t  start;      /* first object */
    uint64_t                end;        /* last group */
    uint64_t                newest;     /* group */
    uint64_t                streams;    /* that were opened */
    parley_link_down_t     *downs;
    size_t                  ndowns;
    size_t                  waiting;    /* octets of all streams */
    parley_moqt_done_t      code;       /* of ENDING */
    const char             *text;
};

typedef enum {
    PARLEY_LINK_PROVING = 0,
    PARLEY_LINK_OPEN,
    PARLEY_LINK_RENEWING        /* open, and a newer token is being proved */
} parley_link_state_t;


/* an agent session */
struct parley_link_session_s {
    parley_link_session_t  *next;
    parley_link_state_t     state;
    uint64_t                id;         /* Session ID */
    uint32_t                stream;     /* Stream ID of session_init */
    unsigned                listens:1;  /* its proof has the mailbox */
    unsigned                counted:1;  /* it was noted as opened */
    unsigned                asks:1;     /* the proof that runs may get it */
    parley_str_t            name;       /* session_id, owned */
    parley_str_t            token;      /* owned */
    parley_str_t            fresh;      /* owned; token that is being proved */
    parley_str_t            peer;       /* owned; default recipient */
    parley_link_source_t   *source;     /* track of session_init */
    parley_link_track_t    *track;      /* of its answers */
};


/* a fetch, and its stream */
typedef struct {
    parley_link_fetch_t     fetch;      /* must be first */
    uint64_t                request;    /* Request ID */
    parley_moqt_location_t  start;
    parley_moqt_location_t  end;        /* after the last object; object 0: the
                                           whole group */
    unsigned                begun:1;    /* FETCH_OK was sent */
    unsigned                over:1;     /* no record follows */
    unsigned                lost:1;     /* records of its range are lost */
    unsigned                opened:1;   /* FETCH_HEADER is in rest */
    void                   *stream;
    parley_moqt_data_writer_t  writer;
    parley_link_rest_t      rest;
} parley_link_fetching_t;

struct parley_link_stream_s {
    parley_link_t          *link;
    parley_link_stream_t   *next;
    parley_link_stream_t  **prev;
    parley_link_kind_t      kind;
    void                   *handle;
    unsigned                begun:1;    /* octets have come */
    unsigned                known:1;    /* its alias is known */
    unsigned                waits:1;    /* its input must be passed again */
    unsigned                held:1;     /* the object is whole and waits */
    unsigned                stopped:1;  /* nothing more is wanted */
    unsigned                lists:1;    /* it has the list of agents */
    unsigned                early:1;    /* it counts as unproved */
    unsigned                refused:1;  /* it ends with its answer */
    unsigned                relaying:1; /* a record is being appended */
    unsigned                relayed:1;  /* records were, and FIN was not */
    uint64_t                number;     /* in records */
    parley_str_t            extensions; /* owned; of the object */
    int64_t                 since;      /* ms, when an unknown alias came */
    parley_moqt_data_t      data;
    parley_moqt_control_t   control;    /* of a REQUEST stream */
    uint64_t                request;    /* Request ID of a REQUEST stream */
    parley_link_source_t   *source;
    uint8_t                *octets;     /* of the object */
    size_t                  len;
    size_t                  size;
    parley_link_rest_t      rest;       /* for the peer */
};

struct parley_link_s {
    parley_link_env_t         env;
    parley_link_conf_t        conf;
    const parley_moqt_draft_t  *draft;
    parley_moqt_session_t     moqt;
    parley_arena_t            arena;    /* of one call */
    parley_buf_t              out;      /* control messages of one call */
    uint64_t                  seed;     /* of the reader of JSON */
    int64_t                   now;      /* ms, of this call */
    int64_t                   setup_by; /* times by which these must be there;
                                           0: no limit */
    int64_t                   proof_by;
    int64_t                   skipped_by;

    unsigned                  closed:1;
    unsigned                  leaving:1;
    unsigned                  proved:1; /* principal is set */
    unsigned                  setup_proving:1;
    unsigned                  setup_proved:1;
    unsigned                  listening:1;  /* a proof has the mailbox */
    unsigned                  blocked:1;    /* input or a record waits */
    unsigned                  drained:1;    /* there is room for it */
    unsigned                  responds:1;   /* answers on the streams of
                                               requests wait */
    unsigned                  announced:1;  /* PUBLISH_NAMESPACE was accepted */
    unsigned                  wanted:1;     /* SUBSCRIBE of its track is to be
                                               sent */
    parley_str_t              principal;    /* owned */
    parley_str_t              agent;        /* owned */
    parley_str_t              announced_agent;  /* owned */
    parley_str_t              setup_token;      /* owned */
    parley_link_stream_t     *streams;
    parley_link_stream_t     *control;
    parley_link_session_t    *sessions;
    size_t                    nsessions;
    parley_link_track_t      *tracks;
    size_t                    ntracks;
    size_t                    nsources;
    parley_link_source_t     *sources;  /* opaque ones */
    parley_link_reader_t     *readers;
    size_t                    nreaders;
    parley_link_tap_t        *taps;
    parley_link_tap_t        *space;    /* of the announced namespace; NULL:
                                           none */
    uint64_t                  numbers;  /* of the last stream */
    uint64_t                  aliases;  /* that were given */
    uint64_t                  groups;   /* that tracks of answers have used */
    parley_link_track_t      *mailbox;
    parley_place_t            mail;     /* place of the mailbox; epoch 0:
                                           unknown */
    parley_link_post_t       *posts;
    size_t                    nposts;
    parley_link_fetch_t      *fetches;
    parley_moq_reassembly_t  *reassembly;
    unsigned                  malformed;
    unsigned                  unproved; /* streams that are read before the
                                           proof */
};


/* parley_link_base.c */

/* Closes the connection and returns -1. */
int parley_link_close(parley_link_t *link, parley_moqt_code_t code,
    const char *text);
int parley_link_fail(parley_link_t *link, const parley_moqt_fault_t *fault);
int parley_link_memory(parley_link_t *link);

/* Notes a fact about a session or about a track. */
void parley_link_note(parley_link_t *link, parley_link_what_t what,
    parley_str_t session, parley_str_t why);
void parley_link_note_track(parley_link_t *link, parley_link_what_t what,
    int publishes, parley_str_t track, parley_str_t why);

/* Counts an object. */
void parley_link_note_object(parley_link_t *link, int out);

/* Lets streams that wait be read again. */
void parley_link_unblock(parley_link_t *link);

/* Owned octets.  copy replaces *to; it returns 0, or -1 if memory is
   exhausted. */
int parley_link_copy(parley_link_t *link, parley_str_t *to,
    parley_str_t from);
void parley_link_drop(parley_link_t *link, parley_str_t *s);
void *parley_link_alloc(parley_link_t *link, size_t size);
void parley_link_release(parley_link_t *link, void *p);

/*
 * Appends octets to a rest, and writes it.  put returns 0, or -1 if memory is
 * exhausted.  flush returns 1 if all octets were taken, 0, or -1 if the stream
 * has failed.
 */
int parley_link_rest_put(parley_link_t *link, parley_link_rest_t *rest,
    const uint8_t *octets, size_t len);
int parley_link_rest_flush(parley_link_t *link, parley_link_rest_t *rest,
    void *stream);
void parley_link_rest_free(parley_link_t *link, parley_link_rest_t *rest);

/* Sends a control message.  Returns 1 if the peer permits no request now. */
int parley_link_send(parley_link_t *link, parley_moqt_message_t *m,
    parley_moqt_effect_t *effect);

/* Answer a request by REQUEST_ERROR or REQUEST_OK. */
int parley_link_error(parley_link_t *link, uint64_t request,
    parley_moqt_refuse_t code, const char *text);
int parley_link_ok(parley_link_t *link, uint64_t request);

/* Returns a member of an object that is a string, or an empty one. */
parley_str_t parley_link_string(const parley_json_t *doc, uint32_t object,
    parley_str_t name);

/* Returns the earlier one of two times, which may be 0: none. */
int64_t parley_link_next(int64_t next, int64_t at);


/* Finds the session of a Session ID, or returns NULL. */
parley_link_session_t *parley_link_session(parley_link_t *link,
    uint64_t id);


/* parley_link_call.c */

/* Begin and end a call of the adapter.  done writes the octets of the call. */
void parley_link_enter(parley_link_t *link);
void parley_link_done(parley_link_t *link);


/* parley_link_control.c */

/* Reads the control stream. */
int parley_link_control(parley_link_t *link, parley_str_t *in);


/* parley_link_namespace.c */

/* Reads a stream that begins with SUBSCRIBE_NAMESPACE. */
int parley_link_request(parley_link_stream_t *st, parley_str_t *in,
    uint64_t *code);


/* Writes octets that wait for a stream of a request; as
   parley_link_rest_flush(). */
int parley_link_respond_flush(parley_link_t *link, parley_link_stream_t *st);


/* parley_link_publish.c */

/* Take PUBLISH and PUBLISH_NAMESPACE. */
int parley_link_publish(parley_link_t *link, const parley_moqt_message_t *m,
    parley_moqt_request_t *request);
int parley_link_announce(parley_link_t *link, const parley_moqt_message_t *m);

/* Finds or makes the track of the answers of a session_id.  Returns NULL if
   memory is exhausted. */
parley_link_track_t *parley_link_answers(parley_link_t *link,
    parley_str_t name);

/* Sends requests that the peer did not permit before. */
int parley_link_requests(parley_link_t *link);

/* Joins the log of the announced namespace, after the proof. */
int parley_link_announce_join(parley_link_t *link);


/* parley_link_tap.c */

/* Joins the log of facts, which are copied.  Returns NULL if memory is
   exhausted. */
parley_link_tap_t *parley_link_tap_join(parley_link_t *link,
    const parley_link_tap_t *facts);
void parley_link_tap_part(parley_link_t *link, parley_link_tap_t *tap);

/* Returns the token of the connection, or an empty one. */
parley_str_t parley_link_token(const parley_link_t *link);

/* Appends a record, or with relay->asks only counts; as env->relay(). */
int parley_link_tap_relay(parley_link_t *link, parley_link_tap_t *tap,
    const parley_link_record_t *record, parley_link_relay_t *relay);

/* Reads a record; spans of *ret are borrowed.  Returns 0, or -1 if it is
   invalid. */
int parley_link_record_read(parley_str_t in, parley_link_record_t *ret);

/* Returns whether a name is that of an opaque track: {agent}.{any}.{other}. */
int parley_link_is_opaque(parley_str_t agent, parley_str_t name);


/* parley_link_source.c */

/* Makes a track of the peer; its name is empty, unless it is opaque.  Returns
   NULL if memory is exhausted. */
parley_link_source_t *parley_link_source(parley_link_t *link,
    parley_str_t agent, parley_str_t name);
void parley_link_source_drop(parley_link_t *link, parley_link_source_t *s);

/* Finds an opaque track that has not ended, or returns NULL. */
parley_link_source_t *parley_link_source_find(const parley_link_t *link,
    parley_str_t name);

/* Appends a record for the subscribers, as env->relay(), and notes how many
   there are. */
int parley_link_source_relay(parley_link_t *link, parley_link_source_t *s,
    const parley_link_record_t *record, uint64_t op);
void parley_link_source_counted(const parley_link_t *link,
    parley_link_source_t *s, int64_t count);

/* Subscribers want objects; tell them that a track is ready, or not there. */
int parley_link_source_want(parley_link_t *link, parley_link_source_t *s,
    int polls);
void parley_link_source_absent(parley_link_t *link, parley_link_tap_t *tap,
    parley_str_t name);

/* Sends a request that the track needs.  Returns 1 if the peer permits no
   request now. */
int parley_link_source_request(parley_link_t *link, parley_link_source_t *s);

/* Ends a track, and tells the subscribers; done NULL: only its streams end. */
int parley_link_source_end(parley_link_t *link, parley_link_source_t *s,
    const parley_link_record_t *done);

/* The agent has ended a track, or has refused or accepted its SUBSCRIBE; it has
   ended the announcement of its namespace. */
int parley_link_source_over(parley_link_t *link, parley_link_source_t *s,
    const parley_moqt_message_t *m);
int parley_link_source_answered(parley_link_t *link, parley_link_source_t *s,
    const parley_moqt_message_t *m);
void parley_link_source_unannounced(parley_link_t *link);

/* Tells subscribers that a stream is reset. */
void parley_link_source_reset(parley_link_stream_t *st);

/* Counts subscribers.  *next is the time of the next call; 0: none. */
int parley_link_sources_tick(parley_link_t *link, int64_t *next);


/* parley_link_reader.c */

/* Finds a subscription by its request, or returns NULL. */
parley_link_reader_t *parley_link_reader_of(const parley_link_t *link,
    uint64_t request);

/* Makes a subscription and joins its log.  Returns NULL if memory is
   exhausted. */
parley_link_reader_t *parley_link_reader_make(parley_link_t *link,
    const parley_link_tap_t *facts);
void parley_link_reader_free(parley_link_t *link, parley_link_reader_t *r);

/* Takes an object, or the end of a stream. */
int parley_link_reader_object(parley_link_t *link, parley_link_reader_t *r,
    const parley_link_record_t *record);
int parley_link_reader_stream_end(parley_link_t *link,
    parley_link_reader_t *r, const parley_link_record_t *record);

/* Ends a subscription: PUBLISH_DONE follows its last octets.  code and text are
   those of the message; text is constant. */
int parley_link_reader_end(parley_link_t *link, parley_link_reader_t *r,
    parley_moqt_done_t code, const char *text);

/* Writes octets that wait. */
int parley_link_readers_flush(parley_link_t *link);


/* parley_link_watch.c */

/* Takes SUBSCRIBE and REQUEST_UPDATE of an opaque track.  They return 1 if it
   is another track. */
int parley_link_watch(parley_link_t *link, const parley_moqt_message_t *m);
int parley_link_watch_update(parley_link_t *link,
    const parley_moqt_message_t *m);

/* Asks the publisher of the track, or that of the namespace; takes the number
   of publishers that were asked, or -1; and ends a subscription that cannot go
   on. */
int parley_link_watch_ask(parley_link_t *link, parley_link_reader_t *r,
    int space);
int parley_link_watch_asked(parley_link_t *link,
    parley_link_reader_t *r, int space, int64_t count);
int parley_link_watch_lose(parley_link_t *link,
    parley_link_reader_t *r, parley_moqt_refuse_t code, const char *text);

/* Asks for tracks that are not ready; as parley_link_sources_tick(). */
int parley_link_watch_tick(parley_link_t *link, int64_t *next);


/* parley_link_log.c */

/* Takes subscribe_request and unsubscribe_request.  Returns 1 if it is another
   action. */
int parley_link_watch_command(parley_link_t *link,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t action);


/* parley_link_relay.c */

/* Takes the object of a stream of an opaque track, and its FIN.  They return 1
   if it must wait, -1 if the link stops the stream, or -2 if it is closed. */
int parley_link_relay_object(parley_link_stream_t *st);
int parley_link_relay_fin(parley_link_stream_t *st);


/* parley_link_input.c */


/* Reads a data stream; as parley_link_read(). */
int parley_link_data(parley_link_stream_t *st, parley_str_t *in, int fin,
    uint64_t *code);


/* parley_link_session.c */

/* Takes a command about a session of the gateway. */
int parley_link_command(parley_link_t *link, parley_link_source_t *source,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t action);

/* Returns whether a token can be the value of a header field: at most
   PARLEY_LINK_TOKEN_MAX characters of visible ASCII. */
int parley_link_is_token(parley_str_t token);

/* Frees a session; why is the reason of its end. */
void parley_link_session_free(parley_link_t *link, parley_link_session_t *s,
    parley_str_t why);


/* parley_link_refuse.c */

/* Answers a frame with an error, in the caller's session if it has one. */
int parley_link_refuse(parley_link_t *link, const parley_moq_frame_t *frame,
    parley_str_t action, parley_str_t session, int status, parley_str_t code,
    parley_str_t field, parley_str_t text);

/* Appends the members status, error_code and payload of an error.  code, field
   and text may be empty. */
void parley_link_status_put(parley_buf_t *b, parley_str_t action, int status,
    parley_str_t code, parley_str_t field, parley_str_t text);


/* parley_link_track.c */

/* Finds a track of the gateway by its name, or returns NULL; make adds it, and
   returns NULL if memory is exhausted. */
parley_link_track_t *parley_link_track(parley_link_t *link,
    parley_str_t name);
parley_link_track_t *parley_link_track_make(parley_link_t *link,
    parley_str_t name);
void parley_link_track_free(parley_link_t *link, parley_link_track_t *t);

/* Finds the track of a subscription, or returns NULL. */
parley_link_track_t *parley_link_track_of(parley_link_t *link,
    uint64_t request);

/* Begins its subscription by the parameters of a message, or updates it. */
int parley_link_track_set(parley_link_t *link, parley_link_track_t *t,
    const parley_moqt_pairs_t *params, int updates);

/* Ends its subscription: the open group, and with done PUBLISH_DONE. */
int parley_link_track_stop(parley_link_t *link, parley_link_track_t *t,
    int done, parley_moqt_done_t code, const char *text);

/* Queues a frame for a track. */
int parley_link_track_put(parley_link_t *link, parley_link_track_t *t,
    parley_moq_type_t type, uint64_t id, uint32_t stream,
    parley_str_t payload);

/* Writes answers and octets that wait. */
int parley_link_track_flush(parley_link_t *link, parley_link_track_t *t);

/* Returns whether more answers have to wait. */
int parley_link_track_full(const parley_link_track_t *t);

/*
 * Appends a message as objects of a group: one, or fragments.  Objects before
 * start, or at or after end, are left out; *last is the location of the last
 * one.  Returns 0, or -1 if memory is exhausted.
 */
typedef struct {
    uint64_t                place;      /* group and object */
    parley_moqt_location_t  start;
    parley_moqt_location_t  end;        /* (0, 0): none; object 0: after the
                                           whole group */
    parley_moq_frame_t      frame;
    parley_moqt_pairs_t     extensions;     /* of its first object */
} parley_link_object_t;

int parley_link_object_put(parley_link_t *link, parley_moqt_data_writer_t *w,
    parley_link_rest_t *rest, const parley_link_object_t *object,
    parley_moqt_location_t *last);

/* Writes a message.  Returns 1, 0 if it must wait, or -1. */
int parley_link_track_write(parley_link_t *link, parley_link_track_t *t,
    const parley_link_object_t *object);

/* Tells that the largest group has no further object.  Returns as
   parley_link_track_write(). */
int parley_link_track_close(parley_link_t *link, parley_link_track_t *t);

/* Return the locations of the first and of the last object that a place may
   have. */
parley_moqt_location_t parley_link_location(uint64_t place);
parley_moqt_location_t parley_link_location_end(uint64_t place);


/* parley_link_mailbox.c */

/* Offers the mailbox, if its place and its agent are known. */
int parley_link_mailbox_offer(parley_link_t *link);


/* parley_link_fetch.c */

/* Begins a FETCH of a mailbox. */
int parley_link_fetch_begin(parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_request_t *request);

/* Ends a fetch that its peer has cancelled. */
int parley_link_fetch_cancel(parley_link_t *link, uint64_t request);

void parley_link_fetch_free(parley_link_t *link, parley_link_fetch_t *fetch);

/* Answers FETCH by an error. */
int parley_link_fetch_refuse(parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_refuse_t code,
    parley_str_t text);

/* Sends FETCH_OK, once it is known that the range is retained. */
int parley_link_fetch_ok(parley_link_t *link, parley_link_fetching_t *f);


/* Writes octets that wait for the streams of fetches. */
int parley_link_fetch_flush(parley_link_t *link);

#endif /* PARLEY_LINK_PARTS_H */
