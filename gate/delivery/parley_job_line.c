/* Lines of the error log for jobs. */

#include <stdio.h>

#include "core/parley_escape.h"
#include "gate/delivery/parley_job_line.h"


typedef struct {
    char  text[PARLEY_ESCAPE_LOGGED + sizeof(", from \"\"")];
} parley_job_name_t;


static const char *parley_job_line_name(const char *name, parley_str_t s,
    parley_job_name_t *ret);


void
parley_job_line_attempt(const parley_delivery_t *delivery,
    const parley_taken_t *job, const parley_attempted_t *how,
    parley_job_line_t *ret)
{
    char                wrong[PARLEY_TEXT_MAX];
    char                where[PARLEY_ESCAPE_LOGGED + 1];
    char                attempt[sizeof(", attempt 4294967295")];
    const char         *what, *field;
    parley_job_name_t   id, to, from;

    ret->level = PARLEY_JOB_LINE_ERR;

    /* the invalid member and its error */

    field = parley_escape_line(parley_str_c(delivery->err.field),
                               PARLEY_ESCAPE_LOGGED, where);
    parley_error_line(parley_error_words(&delivery->err), wrong);

    attempt[0] = '\0';

    if (!parley_job_subject_awaits(delivery->kind)) {
        (void) snprintf(attempt, sizeof(attempt), ", attempt %u",
                        job->attempt);
    }

    switch (how->how) {

    case PARLEY_JOB_DELIVERED:
        ret->level = PARLEY_JOB_LINE_INFO;
        what = "delivered";
        break;

    case PARLEY_JOB_AGAIN:
        ret->level = PARLEY_JOB_LINE_INFO;
        what = "to be delivered again";
        break;

    case PARLEY_JOB_REFUSED:
        what = "undelivered, refused";
        break;

    default:
        what = "undelivered, given up";
    }

    (void) snprintf(ret->text, sizeof(ret->text),
                    "%s: %s%s%s%s%s%s%s%s%s", what, how->why,
                    field[0] != '\0' ? ", " : "", field,
                    wrong[0] != '\0' ? ": " : "", wrong, attempt,
                    parley_job_line_name("to", delivery->sub, &to),
                    parley_job_line_name("from",
                                         delivery->publication.sender, &from),
                    parley_job_line_name("id", delivery->publication.id,
                                         &id));
}


void
parley_job_line_over(const parley_delivery_t *delivery, int untold,
    parley_job_line_t *ret)
{
    parley_job_name_t  id;

    ret->level = PARLEY_JOB_LINE_NONE;
    ret->text[0] = '\0';

    if (!untold) {
        return;
    }

    ret->level = PARLEY_JOB_LINE_ERR;

    (void) snprintf(ret->text, sizeof(ret->text),
                    "an undelivered message could not be reported to the "
                    "parent, the zone is full%s",
                    parley_job_line_name("id", delivery->publication.id,
                                         &id));
}


void
parley_job_line_deadline(const parley_deadline_t *d, int untold,
    parley_job_line_t *ret)
{
    char                to[PARLEY_ESCAPE_LOGGED + 1];
    const char         *which, *sender, *above;
    parley_job_name_t   id, from;

    ret->level = PARLEY_JOB_LINE_NONE;
    ret->text[0] = '\0';

    which = parley_job_line_name("id", d->id.len > 0 ? d->id
                                                     : d->publication.id, &id);
    sender = parley_job_line_name("from", d->publication.sender, &from);
    above = parley_escape_line(d->to != NULL ? d->to->sub : d->sub,
                               PARLEY_ESCAPE_LOGGED, to);

    switch (d->how) {

    case PARLEY_DEADLINE_ANSWERED:
        return;

    case PARLEY_DEADLINE_RAISED:
        ret->level = PARLEY_JOB_LINE_WARN;

        (void) snprintf(ret->text, sizeof(ret->text),
                        "%s up to \"%s\"%s%s",
                        d->kind == PARLEY_SUBJECT_EMERGENCY
                        ? "an emergency goes"
                        : d->kind == PARLEY_SUBJECT_FOLLOW
                        ? "an event was not answered and goes"
                        : "an escalation was not acknowledged and goes",
                        above, sender, which);
        return;

    case PARLEY_DEADLINE_UNACKNOWLEDGED:
        ret->level = PARLEY_JOB_LINE_ERR;

        (void) snprintf(ret->text, sizeof(ret->text),
                        "an %s, and no principal above \"%s\" can be "
                        "reached%s%s", d->kind == PARLEY_SUBJECT_FOLLOW
                        ? "event was not answered"
                        : "escalation was not acknowledged", above, sender,
                        which);
        return;

    case PARLEY_DEADLINE_TIMED_OUT:
        ret->level = PARLEY_JOB_LINE_INFO;

        (void) snprintf(ret->text, sizeof(ret->text),
                        "a task was not answered in its time%s%s", sender,
                        which);
        return;

    default:
        ret->level = PARLEY_JOB_LINE_ERR;

        (void) snprintf(ret->text, sizeof(ret->text),
                        "%s%s%s", untold
                        ? "a message was not answered in time, and its sender "
                          "could not be told, the zone is full"
                        : "it is unknown whether a message was answered in "
                          "time", sender, which);
    }
}


/* Returns ', name "s"', or an empty text if s is empty. */

static const char *
parley_job_line_name(const char *name, parley_str_t s, parley_job_name_t *ret)
{
    char  text[PARLEY_ESCAPE_LOGGED + 1];

    ret->text[0] = '\0';

    if (s.len > 0) {
        (void) snprintf(ret->text, sizeof(ret->text), ", %s \"%s\"", name,
                        parley_escape_line(s, PARLEY_ESCAPE_LOGGED, text));
    }

    return ret->text;
}
