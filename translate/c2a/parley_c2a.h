/*
 * C2A, the Chat-to-Agents Protocol, draft 2026-06-02.  Private to
 * translate/c2a but for the descriptor.
 */

#ifndef PARLEY_C2A_H
#define PARLEY_C2A_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_embed.h"
#include "translate/parley_engine.h"
#include "translate/parley_mcp.h"


/* of the draft */
#define PARLEY_C2A_VERSION  "2026-06-02"

/* of attention.deadlineMs: what every reader of JSON has exactly */
#define PARLEY_C2A_DEADLINE_MAX  9007199254740991LL

/* headers that a request is asked for */
typedef enum {
    PARLEY_C2A_HEADER_MCP = 0       /* whoever has it is a client of MCP */
} parley_c2a_header_t;


typedef enum {
    PARLEY_C2A_DELIVER = 0,
    PARLEY_C2A_LIST_EVENTS,
    PARLEY_C2A_READ_THREAD,
    PARLEY_C2A_SEND_MESSAGE,
    PARLEY_C2A_REACT,
    PARLEY_C2A_CLAIM,
    PARLEY_C2A_DEFER,
    PARLEY_C2A_RESOLVE,
    PARLEY_C2A_CANCELLED,
    PARLEY_C2A_PROGRESS,

    PARLEY_C2A_NATIVE,          /* from here on what no other protocol is told:
                                   MCP's own methods ... */
    PARLEY_C2A_INITIALIZE = PARLEY_C2A_NATIVE,
    PARLEY_C2A_INITIALIZED,
    PARLEY_C2A_PING,
    PARLEY_C2A_TOOLS_LIST,
    PARLEY_C2A_DISCOVER,
    PARLEY_C2A_TOOL,            /* ... any other tool ... */
    PARLEY_C2A_METHOD,          /* ... any other method ... */
    PARLEY_C2A_RESPONSE,        /* ... and what a client says to a request of
                                   the service's */
    PARLEY_C2A_FORMS
} parley_c2a_form_t;


/* how an event disposes of what it answers; "Event Disposition" */
typedef enum {
    PARLEY_C2A_UNDISPOSED = 0,
    PARLEY_C2A_RESPONDED,
    PARLEY_C2A_ACKNOWLEDGED,
    PARLEY_C2A_DEFERRED,
    PARLEY_C2A_CLAIMED,
    PARLEY_C2A_IGNORED,
    PARLEY_C2A_SUPERSEDED,
    PARLEY_C2A_FAILED
} parley_c2a_disposition_t;


typedef struct {
    parley_str_t              form;     /* "chat.deliver" */
    parley_str_t              intent;   /* "c2a.chat.deliver" */
    parley_str_t              method;   /* "chat/deliver", "tools/call" */
    parley_act_t              act;      /* where nothing else decides */
    parley_priority_t         priority;
    parley_c2a_disposition_t  disposition;  /* of a tool that was called */

    /* of the draft's tools, for MCP's tools/list */
    parley_str_t              alias;    /* without the dot, which several
                                           harnesses do not take */
    parley_str_t              input;    /* its schema: a JSON Pointer */
    parley_str_t              description;

    unsigned                  acts;     /* bits PARLEY_ACT_BIT() of other acts
                                           that it may have */
    unsigned                  carries:1;    /* it may carry a message of another
                                               protocol */
    unsigned                  reads:1;  /* see parley_mcp_tool_t */
    unsigned                  repeats:1;

    unsigned                  tool:1;   /* params are {name, arguments} */
    unsigned                  native:1;
} parley_c2a_form_info_t;


/* "Reaction Signals" */
typedef struct {
    parley_str_t              name;         /* "blocked" */
    parley_str_t              glyph;        /* the default; may be empty */
    parley_str_t              meaning;
    parley_c2a_disposition_t  disposition;
    parley_act_t              act;
    parley_str_t              code;         /* of a FAILURE */
    parley_alarm_t            alarm;
    unsigned                  retryable:1;
    unsigned                  approves:1;   /* where that was asked for */
} parley_c2a_signal_t;


/* what attention an event asks for: a row of the table of the mapping */
typedef struct {
    parley_act_t  act;              /* for messages of this act ... */
    unsigned      has;              /* ... that have all of these bits */

    parley_str_t  kind;             /* conversation.kind */
    parley_str_t  directedness;
    parley_str_t  policy;
    parley_str_t  mode;             /* injection.mode */
    parley_str_t  reason;
} parley_c2a_row_t;


/* what an encode puts together */
typedef struct {
    parley_arena_t              *arena;
    const parley_msg_t          *m;
    const parley_encode_opts_t  *opts;
    parley_loss_t               *loss;
    parley_error_t              *err;

    const parley_c2a_row_t      *row;
    parley_buf_t                 b;
    size_t                       id_at;         /* the id's text in b */
    size_t                       id_len;
    parley_str_t                 sender;        /* in C2A's syntax */
    parley_str_t                 recipient;
    parley_str_t                 conversation;  /* its id, or empty */
    parley_str_t                 thread;        /* or empty */
    parley_str_t                 kind;          /* of that conversation; empty:
                                                   the row's */
    unsigned                     placed:1;      /* where its question stood */
    const parley_msg_t          *asked;         /* that question, where it was
                                                   C2A; or NULL */
} parley_c2a_encode_t;


/* the id of the event that is made */

static inline parley_str_t
parley_c2a_event(const parley_c2a_encode_t *e)
{
    return e->opts->alias.len > 0 ? e->opts->alias : e->m->id;
}


extern const parley_binding_t  parley_c2a_binding;
extern const parley_codec_t  parley_c2a_codec;

/* the nine, in the order of the draft; C2A-15 */
#define PARLEY_C2A_SIGNALS  9

extern const parley_c2a_signal_t  parley_c2a_signals[PARLEY_C2A_SIGNALS];


const parley_c2a_form_info_t *parley_c2a_form_info(parley_c2a_form_t form);

/*
 * By the canonical form ("chat.react") of what other protocols may be told;
 * PARLEY_C2A_FORMS: there is none.
 */
parley_c2a_form_t parley_c2a_form_find(parley_str_t form);

/*
 * By method and, of tools/call, the name of the tool, which may be written
 * chat_react.  PARLEY_C2A_FORMS: there is no method.
 */
parley_c2a_form_t parley_c2a_form_of(const parley_json_t *doc);

/* The spelling() of the codec, and of a message of that form. */
int parley_c2a_spelling(const parley_json_t *doc, parley_error_t *err);
int parley_c2a_spelling_of(const parley_json_t *doc, parley_c2a_form_t form,
    parley_error_t *err);

/* Whether a name is that of a tool, "chat.react", or its alias. */
int parley_c2a_tool_is(const parley_json_t *doc, uint32_t name,
    parley_c2a_form_t form);

/* NULL: no such signal. */
const parley_c2a_signal_t *parley_c2a_signal(const parley_json_t *doc,
    uint32_t value);

/* "responded"; UNDISPOSED has no name */
parley_str_t parley_c2a_disposition_name(parley_c2a_disposition_t d);

/* How a message that was taken, and no more, is disposed of. */
parley_c2a_disposition_t parley_c2a_disposition(const parley_msg_t *m);

/*
 * The members of an event's params that are its envelope, from 1 on in the
 * order of parley_c2a_place_t: content, a knock and what the draft does not
 * name are its payload.
 */
extern const uint8_t  parley_c2a_envelope[PARLEY_ATOMS];

/* The row for a message, to a group or not. */
const parley_c2a_row_t *parley_c2a_row(const parley_msg_t *m, int group);

/*
 * Returns whether a message of this form reaches a service or a reader
 * (C2A-01): initialize and tools/list offer no other.
 */
int parley_c2a_offers(parley_c2a_form_t form, const parley_local_t *own);

/* Writes what tools/list answers: those of the tools that the caller may
   call.  -1: no memory. */
int parley_c2a_write_tools(parley_buf_t *b, parley_arena_t *arena,
    const parley_json_t *doc, const parley_local_t *own);

int parley_c2a_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err);

/*
 * The text of a string; of a number its canonical form, so that 1 and 1.0 name
 * the same call.  -1: no memory.
 */
int parley_c2a_scalar(const parley_json_t *doc, uint32_t value,
    parley_str_t *ret);

/* The codec's answers, unruled and own (parley_codec.h). */
void parley_c2a_answers(parley_msg_t *msg, int approval);

/*
 * The correlation: "id/threadId", "id" or "/threadId"; "/" and "%" in either
 * are percent-encoded, so that no two look alike.  -1: no memory.
 */
int parley_c2a_correlate(parley_arena_t *arena, parley_str_t id,
    parley_str_t thread, parley_str_t *ret);

/*
 * What reading would have as its correlation: the conversation, where the
 * payload that an event shows does not name something else.  What it names
 * is what the message was read with, and that stands in the event already,
 * but for an answer: that stands where what it answers does.
 */
int parley_c2a_corr(const parley_c2a_encode_t *e, parley_str_t *ret);

/* Of such a correlation the thread; empty: it has none. */
parley_str_t parley_c2a_thread(parley_str_t corr);

/* The account and the author of parley_codec_t. */
int parley_c2a_account(const parley_msg_t *m, parley_msg_account_t *ret)
    __attribute__((warn_unused_result));
int parley_c2a_author(parley_arena_t *arena, parley_str_t name,
    parley_edit_t *edits, uint32_t *ret_n)
    __attribute__((warn_unused_result));

/* The codec's corr_is (parley_codec.h). */
int parley_c2a_corr_is(const parley_msg_t *m, parley_str_t want);
int parley_c2a_unruled(const parley_msg_t *m, parley_proto_t speak);
int parley_c2a_local(parley_arena_t *arena, const parley_msg_t *m,
    const parley_local_t *own, parley_reply_t *ret, parley_error_t *err);

/* Whether it is an initialize with a version of MCP's. */
int parley_c2a_is_mcp(const parley_json_t *doc);

/* The same of a message that another protocol carries.  -1: no memory. */
int parley_c2a_says(parley_msg_t *msg);

/*
 * Fills text, and said, from a content array, or NONE: its text parts, joined
 * by newlines.  -1: no memory.
 */
int parley_c2a_text(parley_msg_t *msg, const parley_json_t *doc,
    uint32_t content)
    __attribute__((warn_unused_result));

/* Fills text, and said, of an event: its content, or the topic of a knock.
   -1: no memory. */
int parley_c2a_fill_text(parley_msg_t *msg, const uint32_t *at)
    __attribute__((warn_unused_result));

/* Of a failure that a tool returned the code, where there is one. */
int parley_c2a_words_failed(parley_msg_t *msg, uint32_t result);

/*
 * Fills *msg, whose head is known, from a valid message that has it at[] as
 * parley_c2a_places_t says.  -1: no memory.
 */
int parley_c2a_fill(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at, parley_c2a_form_t form);

/* The codec's extract (parley_codec.h): a part of the content, and its slot. */
int parley_c2a_extract(const parley_msg_t *m, parley_embed_t *ret);

extern const parley_embed_slot_t  parley_c2a_slot;

/* Writes the content array for a message of another protocol; -1: memory. */
int parley_c2a_write_content(parley_c2a_encode_t *e);

/* The codec's render (parley_codec.h). */
int parley_c2a_render(parley_buf_t *b, const parley_msg_t *m);

int parley_c2a_within(struct parley_redact_s *r, const parley_msg_t *m);

int parley_c2a_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err);

/* Writes what e->asked wants progress reported under. */
void parley_c2a_write_token(parley_c2a_encode_t *e);

/* Writes a C2A message that comes back from another protocol's slot. */
int parley_c2a_write_restored(parley_c2a_encode_t *e);

/*
 * Whether what was written is valid, and what is known of it: of an event
 * that the gateway makes, and of a message that comes back.
 */
int parley_c2a_check_event(const parley_engine_t *engine,
    parley_c2a_encode_t *e, parley_encoded_t *ret);
int parley_c2a_check_restored(const parley_engine_t *engine,
    parley_c2a_encode_t *e, parley_encoded_t *ret);

int parley_c2a_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);

int parley_c2a_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err);

int parley_c2a_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret);

int parley_c2a_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret);

/* what there is to say to a caller */
typedef struct {
    const parley_json_t       *doc;         /* its message */
    parley_c2a_disposition_t   disposition;
    parley_str_t               message;     /* JSON, or empty */
    const parley_msg_t        *msg;         /* that message, or NULL */
    int64_t                    delivered;   /* as the service counted; -1: it
                                               did not */
} parley_c2a_said_t;

/* Tells it that.  -1: no memory. */
int parley_c2a_accepted(parley_arena_t *arena, const parley_c2a_said_t *said,
    parley_reply_t *ret, parley_error_t *err);

/* Whether it calls a tool. */
int parley_c2a_is_tool(const parley_json_t *doc);


/* Where a message has what the codec looks for: each object is walked once. */

/* the objects in which they stand */
typedef enum {
    PARLEY_C2A_OF_MESSAGE = 0,
    PARLEY_C2A_OF_PARAMS,
    PARLEY_C2A_OF_ARGUMENTS,        /* of the draft's tools */
    PARLEY_C2A_OF_CONVERSATION,
    PARLEY_C2A_OF_PLACE,            /* that a tool's target is */
    PARLEY_C2A_OF_AUTHOR,
    PARLEY_C2A_OF_TARGET,
    PARLEY_C2A_OF_TIMING,
    PARLEY_C2A_OF_ATTENTION,
    PARLEY_C2A_OF_RESULT,
    PARLEY_C2A_OBJECTS
} parley_c2a_object_t;


/* places in a message or a response; NOWHERE takes what nobody looks for */
typedef enum {
    PARLEY_C2A_NOWHERE = 0,
    PARLEY_C2A_AT_ID,
    PARLEY_C2A_AT_JSONRPC,
    PARLEY_C2A_AT_METHOD,
    PARLEY_C2A_AT_PARAMS,
    PARLEY_C2A_AT_RESULT,
    PARLEY_C2A_AT_ERROR,
    PARLEY_C2A_AT_NAME,
    PARLEY_C2A_AT_ARGUMENTS,
    PARLEY_C2A_AT_META,

    PARLEY_C2A_AT_EVENT_ID,         /* from here on what a payload has; to
                                       RELIABILITY what parley_c2a_envelope
                                       has.  Of a tool its key */
    PARLEY_C2A_AT_SOURCE,
    PARLEY_C2A_AT_CONVERSATION,     /* of a tool its target */
    PARLEY_C2A_AT_AUTHOR,
    PARLEY_C2A_AT_TARGET,
    PARLEY_C2A_AT_TIMING,
    PARLEY_C2A_AT_ATTENTION,
    PARLEY_C2A_AT_INJECTION,
    PARLEY_C2A_AT_RELIABILITY,
    PARLEY_C2A_AT_CONTENT,
    PARLEY_C2A_AT_KNOCK,
    PARLEY_C2A_AT_REASON,           /* words, the first that is there */
    PARLEY_C2A_AT_TEXT,
    PARLEY_C2A_AT_MESSAGE,
    PARLEY_C2A_AT_ETA,
    PARLEY_C2A_AT_SIGNAL,
    PARLEY_C2A_AT_IN_REPLY_TO,
    PARLEY_C2A_AT_REQUEST,
    PARLEY_C2A_AT_TOKEN,
    PARLEY_C2A_AT_CONVERSATION_ID,
    PARLEY_C2A_AT_THREAD_ID,
    PARLEY_C2A_AT_CONVERSATION_KIND,
    PARLEY_C2A_AT_AUTHOR_ID,
    PARLEY_C2A_AT_AUTHOR_KIND,
    PARLEY_C2A_AT_AUTHOR_NAME,      /* author.displayName */
    PARLEY_C2A_AT_RECIPIENT,
    PARLEY_C2A_AT_DIRECTEDNESS,
    PARLEY_C2A_AT_CREATED,
    PARLEY_C2A_AT_POLICY,
    PARLEY_C2A_AT_WHY,              /* attention.reason */
    PARLEY_C2A_AT_PRIORITY,
    PARLEY_C2A_AT_DEADLINE,
    PARLEY_C2A_AT_ACCEPTED,
    PARLEY_C2A_AT_DISPOSITION,
    PARLEY_C2A_PLACES
} parley_c2a_place_t;


/* the values' nodes, or PARLEY_JSON_NONE */
typedef struct {
    uint32_t  at[PARLEY_C2A_PLACES];
} parley_c2a_places_t;


/* a part that embeds a message: the values' nodes, or PARLEY_JSON_NONE */
typedef struct {
    uint32_t        node;       /* the part */
    uint32_t        form;
    uint32_t        data;
    uint32_t        members;
    parley_proto_t  proto;      /* what its media type names, or NONE */
} parley_c2a_part_t;


/*
 * Finds what a message has, and returns its form as parley_c2a_form_of()
 * does; PARLEY_C2A_RESPONSE where there is no method and a result or an
 * error.  It need not be valid.
 */
parley_c2a_form_t parley_c2a_places_find(parley_c2a_places_t *places,
    const parley_json_t *doc);

/* Finds what a payload of that form has, wherever it stands. */
void parley_c2a_places_payload(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t payload, parley_c2a_form_t form);

/* Finds what a response has, and its result. */
void parley_c2a_places_answer(parley_c2a_places_t *places,
    const parley_json_t *doc);

/*
 * The part of a content array that embeds a message; node NONE: there is
 * none.  Returns 0, or -1: no memory.
 */
int parley_c2a_part(const parley_json_t *doc, uint32_t content,
    parley_c2a_part_t *ret)
    __attribute__((warn_unused_result));

/*
 * SEC-04: whether no more than most parts of a content array have the media
 * type of a protocol's messages, however it is spelt and whatever they say
 * besides: rules look at one message.  content may be PARLEY_JSON_NONE.
 * Returns 0, or -1: field-invalid at the first that is too many.
 */
int parley_c2a_parts(const parley_json_t *doc, uint32_t content,
    unsigned most, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_C2A_H */
