/* parley explain: a message on its way through the steps of a gateway. */

#ifndef PARLEY_EXPLAIN_H
#define PARLEY_EXPLAIN_H

#include "tools/parley_conf.h"
#include "gate/steps/parley_decider.h"
#include "gate/message/parley_gate.h"
#include "state/memory/parley_memory.h"
#include "gate/settings/parley_settings.h"
#include "gate/party/parley_who.h"


#define PARLEY_EXPLAIN_TEXT  512


typedef struct {
    parley_step_t         step;
    parley_step_result_t  result;
    parley_decider_t      by;
    char                  text[PARLEY_EXPLAIN_TEXT];
} parley_explained_t;


typedef struct {
    parley_settings_http_t      http;
    parley_settings_t           settings;       /* of the block */
    const parley_directive_t   *block;          /* where the message goes */
    parley_engine_t        *engine;
    parley_str_t            token;          /* empty: none */
    const parley_msg_t     *answering;      /* NULL: not given */
    const char             *asker;          /* sub of who sent it; NULL: who
                                               is listed as its sender */
    int64_t                 now_ms;
    parley_encode_opts_t    trace;          /* trace_id, span_id */
    parley_str_t            query;          /* --args */
    void                   *octets;         /* of memory */
    parley_memory_t         memory;         /* the state, empty for each
                                               message */
    parley_response_t       response;       /* --answer */
    unsigned                answers:1;
    parley_certificate_t    certificate;    /* --certificate; no names: none */
    unsigned                plain:1;        /* it comes without TLS */

    /* of the message at hand */
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


/* Adds to what is said of the step at hand; made printable. */
void parley_explain_note(parley_explain_t *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));


/* parley_explain_state.c: a state of one's own */

/* Returns 0, or -1: no memory. */
int parley_explain_state_init(parley_explain_t *e);

/* Forgets what the message before has left. */
void parley_explain_state_clear(parley_explain_t *e);

/* What --answering gives has passed here, and waits for the message at hand. */
void parley_explain_remember(parley_explain_t *e);


/* parley_explain_steps.c: what the gate asks of the tool */
extern const parley_gate_env_t  parley_explain_env;

/* parley_explain_told.c: what is said of a step of the gate's own */
void parley_explain_say(parley_explain_t *e, parley_step_t step,
    parley_step_result_t result);


/* of a parley_str_t, for "%.*s" */
#define parley_explain_str(s)  (int) (s).len, (const char *) (s).data


#endif /* PARLEY_EXPLAIN_H */
