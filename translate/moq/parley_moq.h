/*
 * CMD of Agent Protocol over MoQ (draft-liu-agent-protocol-over-moq-00): the
 * JSON of a command.  Other folders use only the descriptor of this header.
 * parley_moq_frame.h has the frames.
 */

#ifndef PARLEY_MOQ_H
#define PARLEY_MOQ_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_embed.h"
#include "translate/parley_engine.h"


#define PARLEY_MOQ_INTENT  "moq.cmd."


/* members that the draft names and that have a canonical field */
typedef enum {
    PARLEY_MOQ_ACTION = 0,
    PARLEY_MOQ_SESSION_ID,
    PARLEY_MOQ_AUTH_TOKEN,
    PARLEY_MOQ_STATUS,
    PARLEY_MOQ_ERROR_CODE,
    PARLEY_MOQ_PAYLOAD,
    PARLEY_MOQ_FIELDS
} parley_moq_field_t;


/* meanings of a status */
typedef enum {
    PARLEY_MOQ_UNSAID = 0,      /* missing, or an unknown word */
    PARLEY_MOQ_APPROVED,
    PARLEY_MOQ_DENIED,
    PARLEY_MOQ_ERROR,
    PARLEY_MOQ_ACCEPTED,        /* this one and those below: progress */
    PARLEY_MOQ_PENDING,
    PARLEY_MOQ_WORKING
} parley_moq_status_t;


/* context of an encode */
typedef struct {
    parley_arena_t              *arena;
    const parley_msg_t          *m;
    const parley_encode_opts_t  *opts;
    parley_loss_t               *loss;
    parley_error_t              *err;

    parley_buf_t                 b;
    parley_str_t                 action;
    parley_str_t                 session_id;    /* or empty */
    unsigned                     unnamed:1;     /* the inner message lacks
                                                   sender, recipient or time */
} parley_moq_encode_t;


/* failure that the gateway reports as a command */
typedef struct {
    const parley_msg_t  *request;   /* failed command, as far as it was read */
    int                  status;    /* HTTP */
    parley_str_t         code;      /* each may be empty */
    parley_str_t         field;
    parley_str_t         message;
    int64_t              backoff_ms;    /* -1: unknown, or not retryable */
} parley_moq_failure_t;


extern const parley_binding_t  parley_moq_binding;
extern const parley_codec_t  parley_moq_codec;


/* Finds a field.  PARLEY_MOQ_FIELDS: the name is unknown. */
parley_moq_field_t parley_moq_field_find(parley_str_t name);

parley_moq_status_t parley_moq_status(const parley_json_t *doc,
    uint32_t value);
parley_str_t parley_moq_status_name(parley_moq_status_t status);

/*
 * Returns whether a command is about a session or a subscription of the
 * gateway.
 */
int parley_moq_is_local(parley_str_t action);

/*
 * Returns whether a command names its recipient itself, or carries a message of
 * another protocol, which has it.  *ret is the recipient of aee.recipient; or
 * empty.
 */
int parley_moq_recipient(const parley_json_t *doc, parley_str_t *ret);

/* Returns the action of an intent: the intent without "moq.cmd.".  Case is
   ignored, as in rules and schemas. */
parley_str_t parley_moq_action(parley_str_t intent);


/*
 * Fills form, intent, corr and local, as far as they can be read.  The command
 * need not be valid.  Returns 0, or -1 if memory is exhausted.
 */
int parley_moq_peek(parley_msg_t *msg);

int parley_moq_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err);

/*
 * Do the work of parley_moq_decode() in two steps.  The first step needs a
 * message from parley_msg_init(), and omits the id, which is the most expensive
 * part.  The second step derives the id; it returns 0, or -1 if memory is
 * exhausted.
 */
int parley_moq_read(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, parley_msg_t *msg, parley_error_t *err);
int parley_moq_identify(parley_arena_t *arena, parley_msg_t *msg);

/*
 * Fills the other fields that parley_moq_read() fills, of a valid command,
 * after parley_moq_peek().  Returns 0, or -1 if memory is exhausted.
 */
int parley_moq_fill(parley_arena_t *arena, parley_msg_t *msg);

int parley_moq_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err);

/* Implements the codec's payload() (parley_codec.h). */
int parley_moq_says(parley_msg_t *msg);

/*
 * Implements the codec's extract() (parley_codec.h); its slot is the member
 * "<x>": "aee", "vcp", ...
 */
int parley_moq_extract(const parley_msg_t *m, parley_embed_t *ret);

extern const parley_embed_slot_t  parley_moq_slot;

int parley_moq_within(struct parley_redact_s *r, const parley_msg_t *m);

/* Implements the codec's locate() (parley_codec.h). */
uint32_t parley_moq_locate(const parley_msg_t *m, parley_msg_field_t field);

int parley_moq_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err);

/* Writes another protocol's message as a command. */
int parley_moq_write_embedded(parley_moq_encode_t *e);

int parley_moq_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);

int parley_moq_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err);

int parley_moq_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret);


#endif /* PARLEY_MOQ_H */
