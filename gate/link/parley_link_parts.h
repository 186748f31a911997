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

/* ms for the streams of a track after its PUBLISH_DONE */
#define PARLEY_LINK_OVER  2000

/* data streams of a peer before its proof; also the streams of its requests
   whose message is not whole then */
#define PARLEY_LINK_UNPROVED  4

/* octets of an object, and of the chunks of all payloads, after which a stream
   waits for the proof */
#define PARLEY_LINK_EARLY     32768

/* octets of the refusals before the proof that wait for a track */
#define PARLEY_LINK_REFUSALS  4096

/* ms until a request that cannot be served now may come again */
#define PARLEY_LINK_RETRY  1000

/* SUBSCRIBE_NAMESPACE that are answered in a time, ms */
#define PARLEY_LINK_LISTS   10
#define PARLEY_LINK_LISTED  10000

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
    unsigned                spare:1;    /* it has no session, and ends if
                                           another track needs its place */
    unsigned                any:1;      /* largest is set */
    unsigned                gap:1;      /* of a mailbox: records after largest
                                           are lost */
    unsigned                joins:1;    /* its subscription may have a Joining
                                           FETCH */
    unsigned                had:1;      /* joined is set */
    parley_moqt_location_t  largest;    /* last object of the track */
    parley_moqt_location_t  joined;     /* largest when the subscription began:
                                           the end of a Joining FETCH */
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


/* a subscription to an opaque track: parley_link_opaque.h */
typedef struct parley_link_reader_s  parley_link_reader_t;


/* a track of the peer */
typedef struct parley_link_source_s  parley_link_source_t;

struct parley_link_source_s {
    parley_link_source_t  *next;        /* of the opaque ones */
    parley_link_source_t  *later;       /* in the list of those that are over */
    unsigned               refs;        /* its request and its streams */
    unsigned               over:1;      /* PUBLISH_DONE came; streams may
                                           follow */
    parley_str_t           agent;       /* of its namespace; after the
                                           struct */
    uint64_t               streams;     /* that have begun */

    /* set by PUBLISH_DONE */
    uint64_t               alias;
    uint64_t               total;       /* Stream Count */
    uint64_t               code;        /* of PUBLISH_DONE */
    int64_t                over_by;     /* ms, for its last octets */

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
    unsigned               limited:1;   /* PUBLISH may be accepted later */
    int64_t                counted;     /* ms, when subscribers were counted */
    int64_t                alone;       /* ms, time of the first count
                                           without a subscriber; 0: there is
                                           one */
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
    unsigned                quiet:1;    /* the gateway has begun this proof */
    unsigned                mailed:1;   /* session_ack has named the mailbox */
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
    unsigned                cancelled:1;    /* by the peer */
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
    unsigned                over:1;     /* its group, or its track, has ended */
    unsigned                stopped:1;  /* nothing more is wanted */
    unsigned                lists:1;    /* it has the list of agents */
    unsigned                early:1;    /* it counts as unproved, or as
                                           unread */
    unsigned                refused:1;  /* it ends with its answer */
    unsigned                relaying:1; /* a record is being appended */
    unsigned                relayed:1;  /* records were, and FIN was not */
    unsigned                ended:1;    /* FIN or RESET came */
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
    parley_str_t              why;      /* reason of the end, in
                                           parley_link_free(); else empty */
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
    uint64_t                  announcement;     /* its Request ID */
    parley_str_t              setup_token;      /* owned */
    parley_link_stream_t     *streams;
    parley_link_stream_t     *control;
    parley_link_session_t    *sessions;
    size_t                    nsessions;
    parley_link_track_t      *tracks;
    size_t                    ntracks;
    size_t                    nsources;
    parley_link_source_t     *sources;  /* opaque ones */
    parley_link_source_t     *overs;    /* that wait for streams after
                                           PUBLISH_DONE */
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
    unsigned                  unproved; /* data streams before the proof */
    unsigned                  unread;   /* streams of requests before it that
                                           are not whole */
    unsigned                  lists;    /* SUBSCRIBE_NAMESPACE since listed */
    int64_t                   listed;   /* ms */
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
void parley_link_note_denied(parley_link_t *link, parley_str_t session,
    parley_str_t code, const parley_link_source_t *source,
    parley_str_t principal);
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

/* Answer a request by REQUEST_ERROR or REQUEST_OK.  One that is refused later
   can be sent again after PARLEY_LINK_RETRY. */
int parley_link_error(parley_link_t *link, uint64_t request,
    parley_moqt_refuse_t code, const char *text);
int parley_link_error_later(parley_link_t *link, uint64_t request,
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

/* Joins the log of the announced namespace, after the proof; and ends its
   announcement. */
int parley_link_announce_join(parley_link_t *link);
int parley_link_announce_cancel(parley_link_t *link,
    parley_moqt_refuse_t code, const char *text);


/* parley_link_tap.c */

/* Returns whether a name is that of an opaque track: {agent}.{any}.{other}. */
int parley_link_is_opaque(parley_str_t agent, parley_str_t name);


/* parley_link_source.c */

/* Makes a track of the peer; its name is empty, unless it is opaque.  Returns
   NULL if memory is exhausted. */
parley_link_source_t *parley_link_source(parley_link_t *link,
    parley_str_t agent, parley_str_t name);
void parley_link_source_drop(parley_link_t *link, parley_link_source_t *s);

/* Finds a track that is over by its alias, or returns NULL. */
parley_link_source_t *parley_link_source_over_of(const parley_link_t *link,
    uint64_t alias);

/* Ends a track that is over if its streams have ended, or its time has. */
int parley_link_source_settle(parley_link_t *link, parley_link_source_t *s);


/* parley_link_input.c */


/* Reads a data stream; as parley_link_read(). */
int parley_link_data(parley_link_stream_t *st, parley_str_t *in, int fin,
    uint64_t *code);


/* parley_link_token.c */

/* Returns whether a token can be the value of a header field: at most
   PARLEY_LINK_TOKEN_MAX characters of visible ASCII. */
int parley_link_is_token(parley_str_t token);

/* Returns the token of the connection, or an empty one. */
parley_str_t parley_link_token(const parley_link_t *link);

/* Returns whether a token is one of those that prove the principal. */
int parley_link_token_proves(const parley_link_t *link, parley_str_t token);

/*
 * Checks the tokens of a request.  Returns 0 if it has none, or only tokens
 * that prove the principal of the connection; else 1 with the code and the text
 * of REQUEST_ERROR.
 */
int parley_link_token_check(const parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_refuse_t *code,
    const char **text);


/* parley_link_session.c */

/* Takes a command about a session of the gateway. */
int parley_link_command(parley_link_t *link, parley_link_source_t *source,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t action);

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

/* Returns whether the range that SUBSCRIBE asks for ends before it begins, or
   before a group. */
int parley_link_range_is_empty(const parley_link_t *link,
    const parley_moqt_message_t *m, uint64_t group);

/* Begins its subscription by the parameters of a message, or updates it. */
int parley_link_track_set(parley_link_t *link, parley_link_track_t *t,
    const parley_moqt_pairs_t *params, int updates);

/*
 * Ends its subscription: the open group, and with done PUBLISH_DONE.  A FIN
 * says that the group has no further object (section 10.4.3 of the draft); so
 * the stream is reset unless the track, or the range of the subscription, is
 * over.  break resets the open group alone: an object of it is left out.
 */
int parley_link_track_stop(parley_link_t *link, parley_link_track_t *t,
    int done, parley_moqt_done_t code, const char *text);
void parley_link_track_break(parley_link_t *link, parley_link_track_t *t);

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
void parley_link_fetch_flush(parley_link_t *link);


#endif /* PARLEY_LINK_PARTS_H */
