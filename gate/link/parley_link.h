/*
 * A link: one connection of an agent that speaks Agent Protocol over MoQ
 * (draft-liu-agent-protocol-over-moq-00) on MoQ Transport.  The link has the
 * MoQ session, the agent sessions, and the tracks of commands, answers and
 * messages.  It reads and writes octets.  The adapter gives it the connection,
 * the clock and the check of tokens as callbacks of parley_link_env_t, and
 * reports results by the functions below.
 *
 * Tracks, with their namespace and name:
 *
 *   a2a, agent     agent.any.cmd           commands of the agent
 *   a2a, parley    parley.session_id.cmd   answers of the gateway
 *   a2a, parley    agent.epoch.mailbox     messages for the agent
 *   a2a, agent     agent.any.other         opaque objects of an agent
 *
 * A connection has one principal: that of the first token that is proved
 * (MOQ-13).  No frame of an agent session is used before its token is proved
 * (MOQ-06).  A command that is not about a session becomes a request of the
 * adapter (parley_link_env_t.post), which takes the steps of a POST (MOQ-14).
 *
 * A callback must not call the link.
 */

#ifndef PARLEY_LINK_H
#define PARLEY_LINK_H

#include "core/parley_arena.h"
#include "core/parley_str.h"
#include "moqt/parley_moqt.h"
#include "moqt/parley_moqt_draft.h"
#include "state/parley_log.h"


#define PARLEY_LINK_POSTS  16       /* commands that are posted at once */

/* octets of an agent id, and of the name of an opaque track */
#define PARLEY_LINK_AGENT_MAX  256
#define PARLEY_LINK_TRACK_MAX  512


typedef struct parley_link_s          parley_link_t;
typedef struct parley_link_stream_s   parley_link_stream_t;
typedef struct parley_link_session_s  parley_link_session_t;
typedef struct parley_link_post_s     parley_link_post_t;
typedef struct parley_link_fetch_s    parley_link_fetch_t;


/* settings of the location; zero is not a default */
typedef struct {
    uint32_t  sessions;         /* agent sessions at a time, at least 1 */
    uint32_t  tracks;           /* tracks that the peer publishes or has
                                   subscribed to at a time, at least 1 */
    size_t    object;           /* octets of a message or an object */
    size_t    lag;              /* octets that wait for the reader of an opaque
                                   track */
    unsigned  stateless:1;      /* Session ID 0 is allowed (MOQ-11) */
} parley_link_conf_t;


/* kinds of the streams that the peer opens */
typedef enum {
    PARLEY_LINK_CONTROL = 0,    /* the first bidirectional stream */
    PARLEY_LINK_REQUEST,        /* another one */
    PARLEY_LINK_DATA            /* unidirectional */
} parley_link_kind_t;


/* a token to be proved; it belongs to the link */
typedef struct {
    parley_link_session_t  *session;    /* NULL: the token of CLIENT_SETUP */
    parley_str_t            token;      /* empty: a client certificate proves */
    unsigned                listens:1;  /* the adapter subscribes the mailbox,
                                           and calls parley_link_mailbox()
                                           before parley_link_proved() */
} parley_link_proof_t;


/* result of a proof */
typedef struct {
    int           status;       /* 0: proved; else the HTTP status of the
                                   refusal */
    parley_str_t  principal;    /* sub of the principal; empty: the proof was
                                   refused before it was known */
    parley_str_t  agent;        /* its agent id, parley_principal_agent() */
    parley_str_t  code;         /* of the error, or empty */
    parley_str_t  message;
    unsigned      expired:1;    /* the token has expired */
} parley_link_proved_t;


/* a command that is posted; the octets are the link's until
   parley_link_answered() */
struct parley_link_post_s {
    parley_link_post_t     *next;
    parley_link_session_t  *session;    /* NULL: it has ended, or has the ID
                                           0 */
    parley_str_t            body;       /* JSON of the command */
    parley_str_t            action;     /* action of the command, or empty */
    parley_str_t            dialogue;   /* its session_id; empty: that of its
                                           agent session */
    parley_str_t            token;      /* token of its agent session */
    parley_str_t            recipient;  /* of the command, or the peer of its
                                           agent session; or empty */
    uint64_t                id;         /* Session ID of its frame */
    uint32_t                stream;     /* Stream ID of its frame */
    void                   *data;       /* the adapter's */
};


/* records of the mailbox that the peer fetches */
struct parley_link_fetch_s {
    parley_link_fetch_t  *next;
    parley_place_t        from;         /* records after this place */
    uint64_t              last;         /* offset of the last record */
    void                 *data;         /* the adapter's */
};


/* a fact about an agent session or an opaque track, for metrics and the audit
   log */
typedef enum {
    PARLEY_LINK_OPENED = 0,
    PARLEY_LINK_DENIED,
    PARLEY_LINK_ENDED
} parley_link_what_t;

typedef struct {
    parley_link_what_t  what;
    unsigned            track:1;        /* it is a track, else a session */
    unsigned            publishes:1;    /* the peer is the track's publisher,
                                           else a subscriber */
    parley_str_t        name;           /* session_id; or name of the track */
    parley_str_t        why;            /* error code of a denial; reason of an
                                           end; or empty */
    parley_str_t        principal;      /* sub that the token of a denied
                                           session proved; else that of the
                                           connection; or empty */
    parley_str_t        agent;          /* agent of the track that brought a
                                           denied session_init, or empty */
} parley_link_fact_t;


/*
 * A log that the link has joined: that of an opaque track, or of the namespace
 * of an agent.  Its publishers get the records for the publisher, one of them
 * at a time: a later one ends the membership of an earlier one.  The others are
 * subscribers, which a rule with type=subscribe has to allow.
 */
typedef struct parley_link_tap_s  parley_link_tap_t;

struct parley_link_tap_s {
    parley_link_tap_t  *next;
    parley_str_t        agent;      /* publisher of the track */
    parley_str_t        track;      /* its name; empty: the namespace */
    parley_str_t        token;      /* empty: a client certificate proves */
    unsigned            publishes:1;
    unsigned            joined:1;   /* the link's own */
    void               *owner;      /* the link's own */
    void               *data;       /* the adapter's */
};


/* an append to a log */
typedef struct {
    parley_link_tap_t  *tap;        /* joined; of the agent of the log */
    parley_str_t        track;      /* of the log; empty: the namespace */
    parley_str_t        record;
    uint64_t            op;         /* for parley_link_relayed(); 0: it is not
                                       called */
    unsigned            publisher:1;    /* the record is for the publisher, else
                                           for the subscribers */
    unsigned            asks:1;     /* nothing is appended, only counted */
    int64_t             count;      /* subscribers that get the record, if it
                                       was appended at once */
} parley_link_relay_t;


typedef struct {
    parley_mem_t  mem;

    /*
     * Writes to a stream of open(), or to the stream of the peer that has this
     * handle.  Returns the octets that were taken, or -1 if the stream has
     * failed.  If it takes fewer than all, the adapter calls
     * parley_link_writable() later.
     */
    int64_t     (*write)(void *ctx, void *stream, parley_str_t octets);

    /* Opens a unidirectional stream.  Returns NULL if that is not possible now;
       parley_link_writable() follows. */
    void       *(*open)(void *ctx);

    /* Ends a stream of open(), or the gateway's side of a stream of the peer,
       after its octets; or resets it.  It must not be used afterwards. */
    void        (*finish)(void *ctx, void *stream);
    void        (*reset)(void *ctx, void *stream, uint64_t code);

    /*
     * Finds the location of a PATH and AUTHORITY; either is empty if SETUP has
     * none.  Returns 0 with *ret, or -1 with INVALID_PATH or INVALID_AUTHORITY.
     */
    int         (*locate)(void *ctx, parley_str_t authority,
                    parley_str_t path, parley_link_conf_t *ret,
                    parley_moqt_fault_t *fault);

    /* Begin work that parley_link_proved(), parley_link_answered() and
       parley_link_fetched() end.  They return 0, or -1 if memory is
       exhausted. */
    int         (*prove)(void *ctx, const parley_link_proof_t *proof);
    int         (*post)(void *ctx, parley_link_post_t *post);
    int         (*fetch)(void *ctx, parley_link_fetch_t *fetch);

    /* Cancels fetch(): parley_link_fetched() must not follow. */
    void        (*abandon)(void *ctx, parley_link_fetch_t *fetch);

    /* Joins a log; parley_link_joined() follows.  Returns 0, or -1 if memory is
       exhausted. */
    int         (*join)(void *ctx, parley_link_tap_t *tap);

    /* Leaves a log: parley_link_joined(), parley_link_record() and
       parley_link_relayed() must not follow. */
    void        (*part)(void *ctx, parley_link_tap_t *tap);

    /* Appends a record, which it copies.  Returns 1 with relay->count; 0 if
       parley_link_relayed() follows; or -1 if it cannot be appended. */
    int         (*relay)(void *ctx, parley_link_relay_t *relay);

    /* A session has ended, and with it the need for its proof. */
    void        (*forget)(void *ctx, parley_link_session_t *session);

    /* Closes the connection.  The text is NUL-terminated, and valid only during
       the call.  The link ignores all input after it. */
    void        (*close)(void *ctx, parley_moqt_code_t code,
                    const char *text);

    /*
     * Calls each with the id of every agent to which the rules could let the
     * principal of the connection send a message, in the call.  session is one
     * that is open; NULL: the token of CLIENT_SETUP is the proof.  The adapter
     * may use another valid proof of the connection.  Returns 0, or -1 if
     * memory is exhausted.
     */
    int         (*agents)(void *ctx, parley_link_session_t *session,
                    int (*each)(void *data, parley_str_t agent), void *data);

    /* Notes a fact, and an object with a frame that was received or sent;
       NULL: nothing is noted. */
    void        (*note)(void *ctx, const parley_link_fact_t *fact);
    void        (*object)(void *ctx, int out);

    /* Input that parley_link_read() left over may be read now, and a record
       that parley_link_mail() did not take may be passed again. */
    void        (*resume)(void *ctx);

    /* Fills 16 random octets.  Returns 0 or -1. */
    int         (*random)(void *ctx, uint8_t out[16]);

    /* Returns milliseconds of a clock that does not jump. */
    int64_t     (*now)(void *ctx);
    void         *ctx;
} parley_link_env_t;


/* Creates a link.  handshake is the time in ms for CLIENT_SETUP.  Returns NULL
   if memory is exhausted. */
parley_link_t *parley_link_create(const parley_moqt_draft_t *draft,
    const parley_link_env_t *env, int64_t handshake);

/*
 * Frees the link, its streams, and its posts and fetches, which the adapter
 * must not report afterwards.  why is the reason of the end, for the facts of
 * its sessions and tracks.
 */
void parley_link_free(parley_link_t *link, const char *why);

/*
 * Begins a stream that the peer has opened.  handle is passed to env->write();
 * it is not used for DATA.  Returns NULL if memory is exhausted.
 */
parley_link_stream_t *parley_link_stream(parley_link_t *link,
    parley_link_kind_t kind, void *handle);

/* Ends a stream of the peer before or after its FIN. */
void parley_link_stream_free(parley_link_stream_t *st);

/*
 * Takes octets of a stream from *in.  fin says that nothing follows them.
 * Returns 0; if *in is then not empty, or parley_link_waits() is true, the
 * adapter must call again with the same octets after env->resume().  Returns
 * -1 if the link stops this stream; *code is then the code of
 * STOP_SENDING.
 */
int parley_link_read(parley_link_stream_t *st, parley_str_t *in, int fin,
    uint64_t *code);

/* Returns whether a stream waits for the result of a proof or for room. */
int parley_link_waits(const parley_link_stream_t *st);

/* The peer has reset a stream of its own. */
void parley_link_is_reset(parley_link_stream_t *st);

/* Streams of the gateway take octets again, or can be opened again. */
void parley_link_writable(parley_link_t *link);

/*
 * Handles time.  Returns the milliseconds after which it has to be called
 * again, or -1 if nothing waits.  It is also to be called after any other
 * function, because that may begin to wait.
 */
int64_t parley_link_tick(parley_link_t *link);


/* The token of session, or of CLIENT_SETUP if it is NULL, was examined. */
void parley_link_proved(parley_link_t *link, parley_link_session_t *session,
    const parley_link_proved_t *proved);

/*
 * The proof of a session has ended: it has expired, is revoked, or
 * the principal is suspended.
 */
void parley_link_expired(parley_link_t *link, parley_link_session_t *session,
    int status, parley_str_t message);

/*
 * A posted command has its answer: the HTTP status, and the body, which is a
 * command if it begins with "{".  Other bodies, as nginx's own pages, are
 * replaced.  Frees the post.
 */
void parley_link_answered(parley_link_t *link, parley_link_post_t *post,
    int status, parley_str_t body);

/*
 * The mailbox begins or continues after a place; epoch 0: nothing is known.
 * gap: records before it are lost.  Records between the last one that was
 * passed and the place count as lost; records that were passed are ignored.
 * The adapter must not begin the mailbox of a principal other than
 * parley_link_principal().
 */
void parley_link_mailbox(parley_link_t *link, const parley_place_t *place,
    int gap);

/*
 * A record of the mailbox.  Returns 1 if it was taken, or if no subscription
 * wants it, and 0 if the peer is too slow: the adapter must pass it again after
 * parley_link_writable() or env->resume().
 */
int parley_link_mail(parley_link_t *link, const parley_place_t *place,
    parley_str_t message);

/*
 * A record that is fetched, as parley_link_mail(), and the end of a fetch,
 * which frees it.  lost: the log has dropped records of its range; first is
 * then the offset of the first one that is left, or 0 if it cannot be read.
 */
int parley_link_fetch_mail(parley_link_t *link, parley_link_fetch_t *fetch,
    const parley_place_t *place, parley_str_t message);
void parley_link_fetched(parley_link_t *link, parley_link_fetch_t *fetch,
    int lost, uint64_t first);

/*
 * A log was joined; or, if status is not 0, it was not: the HTTP status of the
 * refusal, and its error code or an empty string.  A membership that was begun
 * may also end so: 409 if a later publisher has the track.
 */
void parley_link_joined(parley_link_t *link, parley_link_tap_t *tap,
    int status, const char *code);

/* A record of a log, in the order of the log; lost: records before it are
   lost, and it may be empty. */
void parley_link_record(parley_link_t *link, parley_link_tap_t *tap,
    parley_str_t record, int lost);

/* A record of env->relay() was appended; count is -1 if it was not. */
void parley_link_relayed(parley_link_t *link, parley_link_tap_t *tap,
    uint64_t op, int64_t count);

/* Ends the link because the process ends: GOAWAY. */
void parley_link_leave(parley_link_t *link);


/* Facts for metrics and logs. */
parley_str_t parley_link_principal(const parley_link_t *link);
size_t parley_link_sessions(const parley_link_t *link);
size_t parley_link_tracks(const parley_link_t *link);


#endif /* PARLEY_LINK_H */
