/*
 * Chat, in the words of a protocol: the event that a surface submits, the calls
 * of surfaces and harnesses, and all that a host writes to them: views, results
 * and session ids.  A protocol of chat has its words in a parley_chat_t, the
 * member "chat" of its codec.  The functions decide nothing: the host decides
 * about the readers of an event, and the form for each of them.
 *
 * Each enumeration of attention is in ascending order: a greater value is
 * stronger.  An empty span is an absent value.  Times are milliseconds since
 * 1970, durations milliseconds.
 */

#ifndef PARLEY_CHAT_H
#define PARLEY_CHAT_H

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "translate/parley_codec_types.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_CHAT_MENTIONS_MAX  64            /* different mentions */
#define PARLEY_CHAT_DEADLINE_MAX  86400000      /* ms; a longer one is this */
#define PARLEY_CHAT_ID_MAX        256           /* octets of an id or a name */
#define PARLEY_CHAT_PLACE_MAX     64            /* octets of a place in a log */
#define PARLEY_CHAT_NAMES_MAX     256           /* names of a members call */
#define PARLEY_CHAT_TTL_MAX       3600000       /* ms; a longer one is this */

/* events of list_events and messages of read_thread: without "limit", and at
   most */
#define PARLEY_CHAT_LIST          20
#define PARLEY_CHAT_LIST_MAX      100
#define PARLEY_CHAT_READ          50
#define PARLEY_CHAT_READ_MAX      200


typedef enum {
    PARLEY_CHAT_AMBIENT = 0,
    PARLEY_CHAT_TO_OTHER,
    PARLEY_CHAT_TO_ROLE,
    PARLEY_CHAT_TO_ME,
    PARLEY_CHAT_DIRECTEDNESSES
} parley_chat_directedness_t;

typedef enum {
    PARLEY_CHAT_MUST_NOT = 0,
    PARLEY_CHAT_ACK,
    PARLEY_CHAT_MAY,
    PARLEY_CHAT_MUST,
    PARLEY_CHAT_POLICIES
} parley_chat_policy_t;

typedef enum {
    PARLEY_CHAT_SILENT = 0,
    PARLEY_CHAT_DIGEST,
    PARLEY_CHAT_MAILBOX,
    PARLEY_CHAT_NOTIFY,
    PARLEY_CHAT_BUFFERED,
    PARLEY_CHAT_IMMEDIATE,
    PARLEY_CHAT_MODES
} parley_chat_mode_t;

/* bits of a set of modes */
#define PARLEY_CHAT_MODE_BIT(mode)  (1u << (mode))
#define PARLEY_CHAT_MODE_ALL        ((1u << PARLEY_CHAT_MODES) - 1)

typedef enum {
    PARLEY_CHAT_DM = 0,
    PARLEY_CHAT_CHANNEL,
    PARLEY_CHAT_THREAD,
    PARLEY_CHAT_SYSTEM,
    PARLEY_CHAT_TOOL,
    PARLEY_CHAT_KINDS
} parley_chat_kind_t;

/*
 * The reasons of a submission are below PARLEY_CHAT_REASONS; an unknown one is
 * NONE (C2A-32).  The others are the host's own, for views: of rows without a
 * reason in the submission, and of events that the host makes.
 */
typedef enum {
    PARLEY_CHAT_REASON_NONE = 0,
    PARLEY_CHAT_REASON_DM,
    PARLEY_CHAT_REASON_MENTION,
    PARLEY_CHAT_REASON_ROLE,
    PARLEY_CHAT_REASON_ASSIGNMENT,
    PARLEY_CHAT_REASON_APPROVAL,
    PARLEY_CHAT_REASON_BLOCKER,
    PARLEY_CHAT_REASON_QUESTION,
    PARLEY_CHAT_REASON_THANKS,
    PARLEY_CHAT_REASON_STATUS,
    PARLEY_CHAT_REASON_PROGRESS,
    PARLEY_CHAT_REASON_LOG,
    PARLEY_CHAT_REASON_CANCELLATION,
    PARLEY_CHAT_REASON_SAFETY,
    PARLEY_CHAT_REASONS,

    PARLEY_CHAT_REASON_ANSWER = PARLEY_CHAT_REASONS,
    PARLEY_CHAT_REASON_REACTION,
    PARLEY_CHAT_REASON_PART,        /* the reader takes part in the thread */
    PARLEY_CHAT_REASON_OTHER,       /* addressed to another party */
    PARLEY_CHAT_REASON_AGENT,       /* an agent's message without a task */
    PARLEY_CHAT_REASON_AMBIENT,
    PARLEY_CHAT_REASON_REMINDER,
    PARLEY_CHAT_REASON_ESCALATED,
    PARLEY_CHAT_REASON_FREE,        /* a claim ended without an answer */
    PARLEY_CHAT_REASON_SEND_FAILED,
    PARLEY_CHAT_REASON_SEND_UNCONFIRMED,
    PARLEY_CHAT_REASON_EDITED,      /* before the reader answered */
    PARLEY_CHAT_REASON_EDITED_LATE, /* after the reader answered */
    PARLEY_CHAT_REASON_DELETED,     /* a fragment of the turn was deleted */
    PARLEY_CHAT_REASON_DIGEST,
    PARLEY_CHAT_REASON_FAILED,      /* the harness could not process it */
    PARLEY_CHAT_REASON_UNDELIVERED, /* no principal is left for it */
    PARLEY_CHAT_REASON_WORDS
} parley_chat_reason_t;

/* result of an event for a reader; UNDISPOSED, DEFERRED, CLAIMED: it is open */
typedef enum {
    PARLEY_CHAT_UNDISPOSED = 0,
    PARLEY_CHAT_RESPONDED,
    PARLEY_CHAT_ACKNOWLEDGED,
    PARLEY_CHAT_DEFERRED,
    PARLEY_CHAT_CLAIMED,
    PARLEY_CHAT_IGNORED,
    PARLEY_CHAT_SUPERSEDED,
    PARLEY_CHAT_FAILED,
    PARLEY_CHAT_DISPOSITIONS
} parley_chat_disposition_t;

/* NONE: not a reaction, or one with a glyph that means no signal */
typedef enum {
    PARLEY_CHAT_SIGNAL_NONE = 0,
    PARLEY_CHAT_SIGNAL_SEEN,
    PARLEY_CHAT_SIGNAL_AGREE,
    PARLEY_CHAT_SIGNAL_WORKING,
    PARLEY_CHAT_SIGNAL_QUEUED,
    PARLEY_CHAT_SIGNAL_CLAIMED,
    PARLEY_CHAT_SIGNAL_DONE,
    PARLEY_CHAT_SIGNAL_DECLINED,
    PARLEY_CHAT_SIGNAL_BLOCKED,
    PARLEY_CHAT_SIGNAL_UNCLEAR,
    PARLEY_CHAT_SIGNALS
} parley_chat_signal_t;

typedef enum {
    PARLEY_CHAT_MESSAGE = 0,
    PARLEY_CHAT_EDIT,           /* of an earlier message */
    PARLEY_CHAT_DELETE,
    PARLEY_CHAT_REACTION,       /* to an earlier message */
    PARLEY_CHAT_PROGRESS        /* of the work on an earlier event; never
                                   submitted */
} parley_chat_act_t;

/* how far the work on an event is */
typedef struct {
    parley_str_t  of;               /* the event */
    double        done;             /* 0 or more */
    double        total;            /* -1: unknown */
} parley_chat_progress_t;


/* the recipient, or a mention */
typedef enum {
    PARLEY_CHAT_TARGET_NONE = 0,
    PARLEY_CHAT_TARGET_NAME,        /* text: a name in the protocol of chat */
    PARLEY_CHAT_TARGET_ROLE,        /* text: the role, without a prefix */
    PARLEY_CHAT_TARGET_ACCOUNT      /* text: as parley_surface.h */
} parley_chat_target_kind_t;

typedef struct {
    parley_chat_target_kind_t  kind;
    parley_str_t               text;
} parley_chat_target_t;


/*
 * An event as a surface submits it.  An empty span is an absent member.  All
 * spans point into the document or its arena.
 */
typedef struct {
    parley_chat_act_t           act;
    parley_str_t                id;
    parley_str_t                of;             /* event that is changed, or
                                                   gets the reaction */
    parley_str_t                in_reply_to;

    parley_str_t                platform;       /* the source */
    parley_str_t                workspace;
    parley_str_t                conversation;   /* its id */
    parley_chat_kind_t          kind;           /* of the conversation */
    parley_str_t                thread;
    parley_str_t                stream;         /* work stream */

    parley_str_t                author;         /* id of its account */
    unsigned                    human:1;        /* the surface says that a
                                                   human wrote the event */

    parley_chat_target_t        recipient;
    const parley_chat_target_t  *mentions;      /* different ones, in their
                                                   order */
    unsigned                    nmentions;      /* at most MENTIONS_MAX */

    parley_chat_signal_t        signal;
    parley_str_t                glyph;
    parley_chat_reason_t        reason;
    parley_priority_t           priority;
    int64_t                     deadline_ms;    /* 1 to DEADLINE_MAX, or -1 */
    int64_t                     created_ms;     /* -1: unknown */

    /* upper bounds that the author declares, else the strongest value */
    parley_chat_directedness_t  directedness;
    parley_chat_policy_t        policy;
    parley_chat_mode_t          mode;
} parley_chat_event_t;


/* ---- calls: what a surface or a harness posts ---- */

typedef enum {
    PARLEY_CHAT_CALL_IGNORED = 0,   /* a notification without an effect here:
                                       202 */
    PARLEY_CHAT_CALL_DELIVER,       /* a surface's event: "event" */
    PARLEY_CHAT_CALL_MEMBERS,       /* "place", "add", "remove" */
    PARLEY_CHAT_CALL_TYPING,        /* "place", "author", "active" */
    PARLEY_CHAT_CALL_INITIALIZE,    /* "session", "glyphs" */
    PARLEY_CHAT_CALL_PING,
    PARLEY_CHAT_CALL_DISCOVER,
    PARLEY_CHAT_CALL_TOOLS,         /* the list of tools */
    PARLEY_CHAT_CALL_TOOL,          /* "tool", "args" */
    PARLEY_CHAT_CALL_PROGRESS,      /* "progress"; args has its event as
                                       in_reply_to, and its text */
    PARLEY_CHAT_CALL_CANCELLED,     /* "cancels" */
    PARLEY_CHAT_CALL_RESPONSE,      /* "outcome", "offer" */
    PARLEY_CHAT_CALLS
} parley_chat_call_kind_t;

/* the seven tools */
typedef enum {
    PARLEY_CHAT_LIST_EVENTS = 0,
    PARLEY_CHAT_READ_THREAD,
    PARLEY_CHAT_SEND_MESSAGE,
    PARLEY_CHAT_REACT,
    PARLEY_CHAT_CLAIM,
    PARLEY_CHAT_DEFER,
    PARLEY_CHAT_RESOLVE,
    PARLEY_CHAT_TOOLS
} parley_chat_tool_t;

/* where a send, a claim, a read or a change of members goes */
typedef struct {
    parley_str_t        name;           /* a party: "agent:bo"; then no other
                                           member is filled */
    parley_str_t        id;             /* conversation; may be empty if thread
                                           is given */
    parley_str_t        thread;
    parley_str_t        stream;
    parley_str_t        platform;       /* source; empty: any */
    parley_str_t        workspace;
    parley_chat_kind_t  kind;           /* KINDS: not given */
} parley_chat_place_t;

/* one attempt to give an event to a reader, as the id of its request has it */
typedef struct {
    parley_str_t  id;                   /* event; empty: no id of this form */
    unsigned      attempt;              /* from 1 */
    uint32_t      tag;                  /* tag() of the event */
} parley_chat_offer_t;

typedef enum {
    PARLEY_CHAT_ACCEPTED = 0,
    PARLEY_CHAT_RETRY,                  /* retryable error: not an answer */
    PARLEY_CHAT_UNSUPPORTED,            /* -32601: no more attempts */
    PARLEY_CHAT_REFUSED                 /* another error: failed */
} parley_chat_outcome_t;

/* what a session negotiated; its id says it again at each request */
typedef struct {
    uint32_t  modes;                    /* PARLEY_CHAT_MODE_BIT(); SILENT and
                                           MAILBOX are always set */
    unsigned  interrupt:1;
    unsigned  chat:1;                   /* speaks this protocol, with
                                           acknowledgments: may get events */
    int64_t   issued_ms;                /* a greater one is newer; */
    uint8_t   random[8];                /* if equal, the greater random */
} parley_chat_session_t;

/* arguments of a tool; a member that the tool does not have is absent */
typedef struct {
    parley_json_ref_t           all;            /* the object of arguments; node
                                                   NONE: not given */
    parley_chat_place_t         place;          /* "target"; for list_events
                                                   "conversation" */
    unsigned                    placed:1;       /* place is given */
    parley_str_t                in_reply_to;
    parley_str_t                key;            /* idempotencyKey */

    parley_json_ref_t           content;        /* send_message: an array of
                                                   parts, node NONE: absent; */
    parley_str_t                text;           /* or a text; never both */
    parley_chat_directedness_t  directedness;   /* send_message */
    parley_chat_kind_t          visibility;     /* send_message: DM, THREAD or
                                                   CHANNEL */
    const parley_chat_target_t *mentions;       /* send_message: different */
    unsigned                    nmentions;

    parley_chat_signal_t        signal;         /* react */
    parley_str_t                reason;         /* react, defer */
    parley_str_t                eta;
    int64_t                     ttl_ms;         /* claim: 1 to TTL_MAX; -1 */

    parley_str_t                id;             /* list_events: one event */
    parley_str_t                stream;
    int                         policy;         /* parley_chat_policy_t; -1 */
    int64_t                     since_ms;       /* -1 */
    parley_str_t                after;          /* place, not checked, at most
                                                   PLACE_MAX octets */
    parley_str_t                ack_through;    /* as after */
    int64_t                     wait_ms;        /* 0 or more; the host has a
                                                   maximum */
    unsigned                    sent:1;
    unsigned                    limit;          /* from 1 to LIST_MAX or
                                                   READ_MAX */
} parley_chat_args_t;

/* spans point into the document or its arena */
typedef struct {
    parley_chat_call_kind_t     kind;
    const parley_json_t        *doc;
    parley_str_t                request;        /* JSON of its id; "null": a
                                                   notification, or a response
                                                   to no request */
    unsigned                    answers:1;      /* a request: gets a result */

    const parley_chat_event_t  *event;
    parley_chat_place_t         place;
    parley_str_t                author;         /* id of the account */
    unsigned                    active:1;
    const parley_str_t         *add;            /* names or accounts */
    unsigned                    nadd;
    const parley_str_t         *remove;
    unsigned                    nremove;

    parley_chat_session_t       session;        /* what the client can do;
                                                   issued_ms and random are
                                                   zero */
    const parley_str_t         *glyphs;         /* [PARLEY_CHAT_SIGNALS], empty
                                                   ones are the default; NULL:
                                                   not given */
    parley_chat_tool_t          tool;
    parley_chat_args_t          args;
    parley_chat_progress_t      progress;
    parley_str_t                cancels;        /* JSON of a request's id */
    parley_chat_outcome_t       outcome;
    parley_chat_offer_t         offer;
} parley_chat_call_t;


/* ---- views: what a reader gets ---- */

/*
 * An event as the host keeps it: the submission of a surface, or the text of
 * post().  doc has at least its method and params.
 */
typedef struct {
    const parley_json_t  *doc;
    parley_str_t          author;       /* name in the directory, "human:will";
                                           never that of the account */
    parley_str_t          id;           /* message of which doc is an edit that
                                           no reader has seen; empty: doc has
                                           its own id */
} parley_chat_stored_t;

typedef enum {
    PARLEY_CHAT_AS_REQUEST = 0,         /* with an id: needs an answer */
    PARLEY_CHAT_AS_NOTIFICATION,        /* to a reader of a conversation */
    PARLEY_CHAT_AS_OBJECT               /* in the result of a tool */
} parley_chat_shape_t;

typedef struct {
    const parley_chat_stored_t *events; /* the event alone; or the fragments of
                                           a turn, of one author, in their
                                           order: the last one counts */
    unsigned                    nevents;
    parley_chat_shape_t         shape;
    unsigned                    merged:1;       /* the ids of the events are
                                                   written, even of one */

    parley_str_t                id;     /* own id of the view, "m3:reminder";
                                           empty: that of the event */
    parley_str_t                of;     /* event that id is about */
    parley_str_t                reader; /* name, "agent:ada" */
    parley_str_t                source; /* of the event, for its tag */
    parley_str_t                key;    /* idempotencyKey; empty: id and
                                           reader, */
    unsigned                    qualified:1;    /* and the source before them */
    unsigned                    attempt;        /* from 1 */

    parley_chat_directedness_t  directedness;
    parley_chat_policy_t        policy;
    parley_chat_mode_t          mode;
    parley_chat_reason_t        reason; /* the event's, else that of its row;
                                           NONE: as the document has it */
    int64_t                     deadline_ms;    /* -1: none */
    unsigned                    interrupt:1;
    unsigned                    knock:1;        /* without content, in each
                                                   mode: not readable.  One of
                                                   mode NOTIFY that is not an
                                                   OBJECT is a knock as well */
    unsigned                    replies:1;      /* the reader may read the event
                                                   of inReplyTo */

    parley_chat_signal_t        signal; /* NONE: as the reaction has */

    /* names instead of those of the event; empty, NULL: as the event has */
    parley_str_t                glyph;
    parley_str_t                recipient;
    const parley_str_t         *mentions;
    unsigned                    nmentions;
    parley_str_t                escalated;      /* name of the reader that did
                                                   not answer */

    const parley_chat_stored_t *window; /* newest messages of the thread, oldest
                                           first; not in a knock */
    unsigned                    nwindow;
    size_t                      window_max;     /* octets of their contents: the
                                                   oldest ones beyond are left
                                                   out; 0: no limit */
} parley_chat_view_t;

/*
 * An event that an agent or the host makes, to be kept like a submission.
 * Members are as in parley_chat_event_t.
 */
typedef struct {
    parley_chat_act_t           act;            /* MESSAGE, REACTION, or
                                                   PROGRESS */
    parley_str_t                id;
    parley_str_t                of;             /* REACTION */
    parley_chat_progress_t      progress;       /* PROGRESS */
    parley_str_t                in_reply_to;
    parley_str_t                platform;
    parley_str_t                workspace;
    parley_str_t                conversation;
    parley_chat_kind_t          kind;
    parley_str_t                thread;
    parley_str_t                stream;
    parley_str_t                author;         /* name, "agent:ada" */
    parley_str_t                recipient;      /* name */
    const parley_chat_target_t *mentions;
    unsigned                    nmentions;
    parley_json_ref_t           content;        /* parts, */
    parley_str_t                text;           /* or a text */
    parley_chat_directedness_t  directedness;
    parley_chat_signal_t        signal;         /* REACTION */
    parley_chat_reason_t        why;            /* of the host: ESCALATED,
                                                   FAILED or UNDELIVERED; else
                                                   NONE, */
    parley_str_t                reason;         /* and the agent's words */
    parley_str_t                eta;
    parley_str_t                to;             /* name of the next principal */
    int64_t                     created_ms;
} parley_chat_post_t;

/* a conversation in a digest */
typedef struct {
    parley_str_t                id;
    unsigned                    messages;
    unsigned                    authors;
    parley_str_t                newest;         /* event; empty: none */
    const parley_chat_progress_t *progress;
    unsigned                    nprogress;
} parley_chat_digest_row_t;

typedef struct {
    parley_str_t                    id;         /* "digest:ada:1764184800000" */
    parley_str_t                    reader;     /* name */
    unsigned                        attempt;
    int64_t                         created_ms;
    const parley_chat_digest_row_t *rows;
    unsigned                        nrows;
} parley_chat_digest_t;


/* ---- answers ---- */

/* reader of an accepted event, or of an event that the caller sent */
typedef struct {
    parley_str_t                to;             /* name */
    parley_str_t                row;            /* DELIVER */
    parley_chat_directedness_t  directedness;   /* DELIVER */
    parley_chat_policy_t        policy;
    parley_chat_mode_t          mode;           /* DELIVER */
    unsigned                    accepted:1;     /* list_events of sent */
    parley_chat_disposition_t   disposition;    /* list_events of sent */
} parley_chat_reader_t;

/* event in list_events or read_thread */
typedef struct {
    parley_str_t                place;          /* in the log; empty: none */
    parley_chat_disposition_t   disposition;
    const parley_chat_view_t   *view;           /* of shape OBJECT */
    const parley_chat_reader_t *readers;        /* with "sent" */
    unsigned                    nreaders;
} parley_chat_listed_t;

/* the mailbox of the caller, in each result of a tool */
typedef struct {
    uint64_t                    pending;
    parley_str_t                cursor;
} parley_chat_mailbox_t;

/*
 * The result of a call.  Which members count depends on the kind of the call,
 * or its tool.
 */
typedef struct {
    unsigned                     tools;         /* INITIALIZE, TOOLS: set of
                                                   tools that the host has,
                                                   1 << parley_chat_tool_t */

    /* DELIVER, and send_message, react: the new event */
    parley_str_t                 id;
    const parley_chat_reader_t  *readers;       /* DELIVER */
    unsigned                     nreaders;

    /* MEMBERS */
    const parley_str_t          *added;
    unsigned                     nadded;
    const parley_str_t          *removed;
    unsigned                     nremoved;
    const parley_str_t          *unknown;
    unsigned                     nunknown;

    parley_chat_session_t        session;       /* INITIALIZE: modes and
                                                   interrupt that both sides
                                                   have */

    /* tools */
    const parley_chat_mailbox_t *mailbox;       /* NULL: none */
    parley_chat_disposition_t    disposition;
    parley_chat_place_t          place;         /* send_message: conversation */
    unsigned                     resolved:1;    /* read_thread, resolve */
    parley_str_t                 by;            /* with resolved: name */
    int64_t                      at_ms;         /* with resolved */
    parley_str_t                 owner;         /* claim: name */
    int64_t                      until_ms;      /* claim */
    uint64_t                     generation;    /* claim */
    const parley_chat_listed_t  *events;        /* list_events, read_thread;
                                                   claim: the event */
    unsigned                     nevents;
    const parley_chat_place_t   *conversations; /* list_events: that the caller
                                                   may read */
    unsigned                     nconversations;
} parley_chat_result_t;

/* facts of a refusal beyond its error */
typedef struct parley_chat_refused_s {
    parley_str_t                 owner;         /* claim-held */
    int64_t                      until_ms;      /* claim-held; else -1 */
    parley_str_t                 id;            /* message-duplicate: event */
    unsigned                     retryable:1;   /* reply-unmatched: the event
                                                   may still come */
    const parley_chat_mailbox_t *mailbox;       /* of a tool; NULL: none */
} parley_chat_refused_t;


#define PARLEY_CHAT_SESSION_MAX  48     /* octets of a session id, and a NUL */


typedef struct parley_chat_s {
    /* words, by the values of the enumerations */
    const parley_str_t  *directednesses;
    const parley_str_t  *policies;
    const parley_str_t  *modes;
    const parley_str_t  *kinds;
    const parley_str_t  *reasons;       /* PARLEY_CHAT_REASON_WORDS */
    const parley_str_t  *dispositions;  /* UNDISPOSED: empty */
    const char          *mentions;      /* JSON Pointer in a submission */

    /* Returns the disposition of a signal, and its word; NONE: empty. */
    parley_chat_disposition_t  (*signal)(parley_chat_signal_t signal,
        parley_str_t *ret);

    /* Returns the glyph of a signal if a platform has no other one. */
    parley_str_t  (*glyph)(parley_chat_signal_t signal);

    /*
     * Reads the submission of a surface.  Returns 0, or -1 with *err filled and
     * the JSON Pointer of the member at fault: field-missing, field-unknown,
     * field-invalid; or capacity if memory is exhausted.
     */
    int  (*read)(const parley_engine_t *engine, parley_arena_t *arena,
             const parley_json_t *doc, parley_chat_event_t *ret,
             parley_error_t *err);

    /*
     * Reads a document that encode() of the codec wrote for a reader.  *author
     * is the name of its author.  Returns 1; 0: it is not an event; or -1: no
     * memory.
     */
    int  (*written)(parley_arena_t *arena, const parley_json_t *doc,
             parley_chat_event_t *ret, parley_str_t *author,
             parley_error_t *err);

    /*
     * As decode() of the codec, for a message to a host: validates the document
     * as a submission, a call, or a response, and fills *msg.  The id of a
     * submission and of a call with a key is its own, else derived.  Errors as
     * read(), and envelope-version-unsupported.
     */
    int  (*decode)(const parley_engine_t *engine, parley_arena_t *arena,
             const parley_json_t *doc, parley_msg_t *msg,
             parley_error_t *err);

    /*
     * Reads a document that decode() accepted.  Returns 0, or -1 with *err
     * filled: kind-unknown (/method or /params/name), field-missing,
     * field-invalid, or capacity if memory is exhausted.
     */
    int  (*call)(parley_arena_t *arena, const parley_json_t *doc,
             parley_chat_call_t *ret, parley_error_t *err);

    /*
     * Writes what one reader gets.  A failed allocation is sticky in b, as for
     * all writers; so is one for an unescaped string.
     */
    void  (*view)(parley_buf_t *b, const parley_chat_view_t *view);

    /* Writes a digest, a request as view() writes. */
    void  (*digest)(parley_buf_t *b, const parley_chat_digest_t *digest);

    /*
     * Writes the notification that ends an offer.  reason is a word of reasons,
     * or SUPERSEDED as NONE.
     */
    void  (*cancel)(parley_buf_t *b, const parley_chat_offer_t *offer,
              parley_chat_reason_t reason);

    /*
     * Writes an event to be kept, a text that read() accepts unless its id has
     * a form of the host.
     */
    void  (*post)(parley_buf_t *b, const parley_chat_post_t *post);

    /* Reads what post() wrote of progress, except for its event.  Returns 0, or
       -1: doc has no progress. */
    int  (*progress)(const parley_json_t *doc, parley_chat_progress_t *ret);

    /* Returns the tag of the event of a source for a reader, given by its
       name. */
    uint32_t  (*tag)(parley_str_t id, parley_str_t reader,
                  parley_str_t source);

    /*
     * Writes the response to a call with a result; a call that does not answer
     * gets status 202.  Returns 0, or -1 if memory is exhausted.
     */
    int  (*answer)(parley_arena_t *arena, const parley_chat_call_t *call,
             const parley_chat_result_t *result, parley_reply_t *ret);

    /*
     * Writes the id of a session of the principal sub, NUL-terminated.  Returns
     * 0, or -1 if the digest fails.
     */
    int  (*session_write)(const parley_chat_session_t *session,
             parley_str_t sub, char ret[PARLEY_CHAT_SESSION_MAX]);

    /*
     * Reads a session id.  Returns 0; or -1 if the text has another form, or
     * belongs to another principal: session-unknown.
     */
    int  (*session_read)(parley_str_t text, parley_str_t sub,
             parley_chat_session_t *ret);
} parley_chat_t;


#endif /* PARLEY_CHAT_H */
