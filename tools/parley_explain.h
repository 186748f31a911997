/* parley explain: shows a message on its way through the steps of a gateway. */

#ifndef PARLEY_EXPLAIN_H
#define PARLEY_EXPLAIN_H

#include "tools/parley_conf.h"
#include "auth/parley_certificate.h"
#include "gate/steps/parley_trace_directive.h"
#include "gate/message/parley_gate.h"
#include "state/memory/parley_memory.h"
#include "gate/settings/parley_settings.h"
#include "gate/party/parley_who.h"
#include "gate/correlation/parley_exchange.h"


#define PARLEY_EXPLAIN_TEXT  512


typedef struct {
    parley_step_t             step;
    parley_step_result_t      result;
    parley_trace_directive_t  by;
    char                      text[PARLEY_EXPLAIN_TEXT];
} parley_explained_t;


typedef struct {
    parley_settings_http_t      http;
    parley_settings_t           settings;       /* of the block */
    const parley_directive_t   *block;          /* block that the message is
                                                   sent to */
    parley_engine_t        *engine;
    parley_str_t            token;          /* empty: none */
    const parley_msg_t     *answering;      /* NULL: without --answering */
    const char             *asker;          /* sub of the principal that sent
                                               it; NULL: the listed sender */
    int64_t                 now_ms;
    parley_encode_opts_t    trace;          /* trace_id, span_id */
    parley_str_t            query;          /* --args */
    const parley_directive_t   *connects;   /* location of parley_moq, whose
                                               commands go to block; NULL:
                                               none */
    parley_submit_conf_t    submit;         /* of block, for connects */
    void                   *octets;         /* memory of the state */
    parley_memory_t         memory;         /* state, empty for each message */
    parley_response_t       response;       /* --answer */
    unsigned                answers:1;
    parley_certificate_t    certificate;    /* --certificate; without names:
                                               none */
    const char             *method;         /* --method */
    unsigned                plain:1;        /* request without TLS */

    /* of the current message */
    parley_tool_t          *tool;
    parley_input_t         *in;
    parley_gate_t           gate;
    parley_who_t            who;
    parley_json_t           doc;
    parley_json_t           rewritten;
    parley_msg_t            msg;
    parley_loss_t           loss;
    parley_answered_t       answered;
    parley_priority_t       priority;       /* before caps */
    int64_t                 timeout_ms;

    char                    note[PARLEY_EXPLAIN_TEXT];
    parley_explained_t      steps[PARLEY_STEP_COUNT];
    size_t                  nsteps;
} parley_explain_t;


/*
 * Appends to the text of the current step, with unprintable characters
 * replaced.
 */
void tool_explain_note(parley_explain_t *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));


/* parley_explain_state.c: a private state */

/* Returns 0, or -1 if memory ran out. */
int tool_explain_state_init(parley_explain_t *e);

/* Removes the records of the previous message. */
void tool_explain_state_clear(parley_explain_t *e);

/*
 * Records the message of --answering as forwarded: it waits for an answer,
 * which is the current message.
 */
void tool_explain_remember(parley_explain_t *e);


/* parley_explain_steps.c: callbacks of the gate */
extern const parley_gate_env_t  parley_explain_env;

/* parley_explain_told.c: texts of the steps that the gate takes itself */
void tool_explain_say(parley_explain_t *e, parley_step_t step,
    parley_step_result_t result);


/* arguments for "%.*s" */
#define tool_explain_str(s)  (int) (s).len, (const char *) (s).data


#endif /* PARLEY_EXPLAIN_H */
