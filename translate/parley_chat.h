/*
 * Chat: the event that a surface submits, and the words of attention.  Each
 * enumeration of attention is in ascending order: a greater value is stronger.
 * A protocol of chat has its words and its reader in a parley_chat_t.
 */

#ifndef PARLEY_CHAT_H
#define PARLEY_CHAT_H

#include "core/parley_arena.h"
#include "translate/parley_codec_types.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_CHAT_MENTIONS_MAX  64            /* different mentions */
#define PARLEY_CHAT_DEADLINE_MAX  86400000      /* ms; a longer one is this */


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

/* an unknown reason is NONE (C2A-32) */
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
    PARLEY_CHAT_REASONS
} parley_chat_reason_t;

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
    PARLEY_CHAT_REACTION        /* to an earlier message */
} parley_chat_act_t;


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


typedef struct parley_chat_s {
    /* words, by the values of the enumerations */
    const parley_str_t  *directednesses;
    const parley_str_t  *policies;
    const parley_str_t  *modes;
    const char          *mentions;      /* JSON Pointer in a submission */

    /*
     * Reads the submission of a surface.  Returns 0, or -1 with *err filled and
     * the JSON Pointer of the member at fault: field-missing, field-unknown,
     * field-invalid; or capacity if memory is exhausted.
     */
    int  (*read)(const parley_engine_t *engine, parley_arena_t *arena,
             const parley_json_t *doc, parley_chat_event_t *ret,
             parley_error_t *err);
} parley_chat_t;


#endif /* PARLEY_CHAT_H */
