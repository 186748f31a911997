/*
 * A publication for one principal, outside the step PUBLISH.  It goes to the
 * principal's log, and also to the URL if the log has no subscriber.  A
 * principal without a URL may get it on its next connection.
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
    parley_ask_t                         *ask;      /* NULL: the URL gets it
                                                       even if the log has a
                                                       subscriber */
    const parley_publication_t           *publication;
    const uint8_t                        *account;  /* account that pays for it;
                                                       NULL: none */
    const parley_principal_t             *to;       /* recipient; NULL: none */
    parley_job_subject_kind_t             kind;     /* kind of the job for its
                                                       URL; NONE: no job */
    parley_job_class_t                    class;    /* class of that job */
    parley_str_t                          sender;   /* sender, which determines
                                                       the lane of that job */
    parley_job_subject_kind_t             awaits;   /* kind of a job for its
                                                       next connection if it has
                                                       no URL; NONE: no job */
} parley_publish_to_t;


/*
 * Fills *ret with the append, in the arena.  Returns 0; PARLEY_WAIT, if ask is
 * set; or -1: a text is too long, no memory, or the state gave no answer.
 */
int parley_publish_to(const parley_publish_to_t *n, parley_arena_t *arena,
    parley_append_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PUBLISH_TO_H */
