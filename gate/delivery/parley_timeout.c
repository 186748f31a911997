/*
 * A task without an answer in its time has failed: the gateway sends an AEE
 * error to its sender, in place of the answer (AEE-29).  It is the task's last
 * answer: later ones are reply-unmatched (SEC-08).
 */

#include <string.h>

#include "gate/delivery/parley_deadline_parts.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_engine.h"


static int parley_timeout_publish(parley_deadline_t *d, parley_str_t record);
static int parley_timeout_error(parley_deadline_t *d, parley_msg_t *task,
    parley_reply_t *ret);


int
parley_timeout_tell(parley_deadline_t *d, const parley_record_t *question)
{
    int           rc;
    uint8_t       slot[PARLEY_KEY_LEN];
    parley_str_t  record;

    record = question != NULL ? question->value : parley_str_none;

    /* after eviction the answer is unknown; a question closed by an earlier try
       is closed */

    if (!parley_deadline_is_claimed(d)
        && (question == NULL || question->closed))
    {
        return parley_deadline_finish(d, question == NULL
                                          ? PARLEY_DEADLINE_LOST
                                          : PARLEY_DEADLINE_ANSWERED);
    }

    d->to = d->deliver->http->directory == NULL ? NULL
            : parley_directory_by_sub(d->deliver->http->directory, d->sub);

    parley_question_slot(d->ask.state, &d->question, 0, parley_str_none,
                         parley_str_none, slot);

    rc = parley_deadline_claim(d, PARLEY_STR("timeout"), parley_str_none,
                               slot);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc < 0) {
        return parley_deadline_retry(d);
    }

    if (rc == 0) {
        return parley_deadline_finish(d, PARLEY_DEADLINE_ANSWERED);
    }

    return d->to == NULL ? parley_deadline_finish(d, PARLEY_DEADLINE_LOST)
                         : parley_timeout_publish(d, record);
}


static int
parley_timeout_publish(parley_deadline_t *d, parley_str_t record)
{
    int                    rc;
    uint8_t               *name;
    parley_msg_t           task;
    parley_reply_t         error;
    parley_append_t       *append;
    parley_publication_t  *p;

    p = parley_arena_calloc(d->arena, sizeof(parley_publication_t));
    name = parley_arena_octets(d->arena, PARLEY_PUBLICATION_QUESTION);

    if (p == NULL || name == NULL
        || parley_timeout_error(d, &task, &error) != 0)
    {
        return parley_deadline_retry(d);
    }

    parley_publication_question(&d->question, name);

    p->kind = PARLEY_PUBLICATION_MESSAGE;
    p->proto = PARLEY_PROTO_CANONICAL;
    p->from = d->deliver->http->self_names[PARLEY_PROTO_CANONICAL];
    p->to = task.sender;
    p->id = error.id;
    p->ms = d->now_ms;
    p->priority = task.priority;
    p->answers = parley_str_make(name, PARLEY_PUBLICATION_QUESTION);
    p->question = record;
    p->own = 1;
    p->message = error.body;

    rc = parley_deadline_notify(d, p, d->to, PARLEY_SUBJECT_NOTICE, p->from,
                                &append);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_deadline_retry(d);
    }

    d->end.tells = append;

    return parley_deadline_finish(d, PARLEY_DEADLINE_TIMED_OUT);
}


static int
parley_timeout_error(parley_deadline_t *d, parley_msg_t *task,
    parley_reply_t *ret)
{
    parley_json_t     doc;
    parley_error_t    err;
    parley_refusal_t  refusal;

    parley_error_clear(&err);

    if (parley_render_message(d->deliver, &d->publication, d->arena, task,
                              &doc, &err)
        != 0)
    {
        return -1;
    }

    (void) parley_error_set(&err, PARLEY_E_TIMEOUT, NULL,
                            "the message was not answered in time");

    memset(&refusal, 0, sizeof(parley_refusal_t));

    refusal.error = &err;
    refusal.msg = task;
    refusal.self = d->deliver->http->self_names[PARLEY_PROTO_CANONICAL];
    refusal.now_ms = d->now_ms;
    refusal.backoff_ms = -1;

    return parley_refuse(d->arena, PARLEY_PROTO_CANONICAL, &refusal, ret);
}
