/*
 * The tables of docs/mapping.  The codecs translate one message of each form
 * (t/cases/forms), and the tables show the results.
 */

#ifndef PRINT_MAPPING_H
#define PRINT_MAPPING_H

#include <jansson.h>

#include "translate/parley_engine.h"
#include "gate/party/parley_who.h"


#define MAPPING_FORMS_MAX  64


/* arguments for "%.*s" */
#define mapping_len(s)  (int) (s).len, (const char *) (s).data


/* a message of t/cases/forms, decoded */
typedef struct {
    parley_str_t          note;     /* difference from others of its form */
    parley_str_t          scope;    /* scope of its submission; may be empty */
    parley_json_t         doc;
    parley_msg_t          msg;
    unsigned              asks:1;   /* the request for the table of answers */
    unsigned              answers:1;
} mapping_form_t;


typedef struct {
    parley_arena_t        arena;
    parley_engine_t      *engine;
    parley_directory_t   *directory;
    mapping_form_t        forms[PARLEY_PROTO_COUNT][MAPPING_FORMS_MAX];
    unsigned              nforms[PARLEY_PROTO_COUNT];
} mapping_t;


/* result of a translation */
typedef struct {
    parley_encoded_t      made;
    parley_reply_t        reply;    /* of an answer */
    parley_json_t         doc;      /* the result, read again */
    parley_msg_t          msg;
    parley_loss_t         loss;
    parley_error_t        err;
    unsigned              refused:1;
    unsigned              exact:1;  /* the way back gives the same message */
} mapping_made_t;


/* print_mapping_form.c.  An unreadable file ends the process. */
void mapping_read(mapping_t *t, const char *dir);
void mapping_die(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* print_mapping_run.c */
void mapping_translate(mapping_t *t, const mapping_form_t *form,
    parley_proto_t to, mapping_made_t *made);

/* Makes the answer to the caller of request if a service answers with form. */
void mapping_answer(mapping_t *t, const mapping_form_t *request,
    const mapping_form_t *form, mapping_made_t *made);

/*
 * Returns the HTTP status that the sender gets if the message is accepted;
 * *ret is the body.
 */
int mapping_take(mapping_t *t, const mapping_form_t *form, parley_str_t *ret);

/* Reads text as JSON that this program wrote. */
void mapping_json(mapping_t *t, parley_str_t text, parley_json_t *doc);

/* Adds the data of the sender's submission to a message. */
int mapping_submit(mapping_t *t, parley_msg_t *msg, parley_str_t scope,
    parley_error_t *err)
    __attribute__((warn_unused_result));


/* print_mapping_names.c: tables that need no message */
void mapping_names(mapping_t *t);
void mapping_attention(void);


#endif /* PRINT_MAPPING_H */
