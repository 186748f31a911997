/*
 * What is published for one principal, by who is no step PUBLISH: it goes to
 * the principal's log, and where nobody listens there to its URL.  Where it has
 * no URL, it may wait for the principal's next connection.
 */

#ifndef PARLEY_PUBLISH_TO_H
#define PARLEY_PUBLISH_TO_H

#include "state/parley_ask.h"
#include "state/parley_job.h"
#include "hub/parley_job_subject.h"
#include "auth/parley_principal.h"
#include "hub/parley_publish.h"


struct parley_settings_http_s;


typedef struct {
    const struct parley_settings_http_s  *http;
    const parley_state_t                 *state;
    parley_ask_t                         *ask;      /* NULL: the URL has it,
                                                       whoever listens */
    const parley_publication_t           *publication;
    const uint8_t                        *account;  /* that it is counted to;
                                                       NULL: to nobody */
    const parley_principal_t             *to;       /* NULL: nobody is told */
    parley_job_subject_kind_t             kind;     /* of a job for its URL;
                                                       NONE: there is none */
    parley_job_class_t                    class;    /* the same */
    parley_str_t                          sender;   /* in order with what else
                                                       that one sends there */
    parley_job_subject_kind_t             awaits;   /* of a job for its next
                                                       connection, where it has
                                                       no URL; NONE: there is
                                                       none */
} parley_publish_to_t;


/*
 * What is to be appended, in the arena: into *ret.  Returns 0; PARLEY_WAIT, of
 * ask; or -1: a text is too long, there is no memory, or no answer.
 */
int parley_publish_to(const parley_publish_to_t *n, parley_arena_t *arena,
    parley_append_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PUBLISH_TO_H */
