/* parley explain: a message on its way through the steps of a gateway. */

#ifndef PARLEY_EXPLAIN_H
#define PARLEY_EXPLAIN_H

#include "parley_seal.h"
#include "parley_settings.h"
#include "parley_who.h"


#define PARLEY_EXPLAIN_TEXT  512
#define PARLEY_EXPLAIN_MAX   32     /* steps */


typedef enum {
    PARLEY_STEP_PASSED = 0,
    PARLEY_STEP_REFUSED,        /* in->err */
    PARLEY_STEP_UNASKED,        /* what only a running gateway knows */
    PARLEY_STEP_NONE,           /* there is nothing to do here */
    PARLEY_STEP_ANSWERED        /* by the gateway itself: the last step */
} parley_verdict_t;


typedef struct {
    const char        *name;
    parley_verdict_t   verdict;
    char               text[PARLEY_EXPLAIN_TEXT];
} parley_explained_t;


typedef struct {
    parley_settings_t          settings;
    parley_engine_t           *engine;
    const char                *token;       /* NULL: none */
    const parley_msg_t        *answering;   /* NULL: not given */
    int64_t                    now_ms;
    parley_str_t               scope;       /* arguments of the URI */
    parley_str_t               recipient;
    unsigned                   plain:1;     /* it comes without TLS */

    /* of the message at hand */
    parley_tool_t             *tool;
    parley_input_t            *in;
    parley_who_t               who;
    parley_seal_t              seal;
    parley_jwt_t               jwt;         /* what who.jwt shows */
    parley_principal_t         owner;       /* of the token */
    parley_json_t              doc;
    parley_json_t              amended;     /* after caps and redaction */
    parley_proto_t             proto;
    parley_msg_t               msg;
    parley_encode_opts_t       opts;
    parley_encoded_t           sent;
    parley_loss_t              loss;
    unsigned                   doc_read:1;
    unsigned                   msg_read:1;
    unsigned                   edited:1;

    parley_explained_t         steps[PARLEY_EXPLAIN_MAX];
    size_t                     nsteps;
} parley_explain_t;


/* One step: its verdict, and what is to be said in the last of e->steps. */
typedef parley_verdict_t (*parley_step_pt)(parley_explain_t *e);

typedef struct {
    const char      *name;      /* NULL ends the table */
    parley_step_pt   run;
} parley_step_t;


/* Adds to the text of the step at hand; made printable. */
void parley_explain_note(parley_explain_t *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));


/* What the request says about e->msg; once more where that was made anew. */
int parley_explain_submit(parley_explain_t *e);


/*
 * parley_explain_check.c, parley_explain_pass.c: the steps, in the order of
 * docs/architecture.md
 */
extern const parley_step_t  parley_explain_checks[];
extern const parley_step_t  parley_explain_passes[];


#endif /* PARLEY_EXPLAIN_H */
