/*
 * An escalation that was not acknowledged goes to the next principal above as
 * it was accepted, with its id.  That principal acknowledges it to the child
 * that sent it.
 */

#include <string.h>

#include "gate/delivery/parley_deadline_parts.h"
#include "gate/settings/parley_settings.h"


static const parley_principal_t *parley_escalation_asked(
    const parley_deadline_t *d);
static int parley_escalation_is_gone(const parley_deadline_t *d);
static int parley_escalation_append(parley_deadline_t *d,
    const parley_principal_t *to);


int
parley_escalation_raise(parley_deadline_t *d)
{
    int                        rc;
    parley_str_t               to;
    const parley_principal_t  *asked;

    asked = parley_escalation_asked(d);

    d->to = asked == NULL ? NULL
            : parley_deadline_above(d->deliver->http, asked);

    /* the claim includes the recipient: after a reload another principal may be
       above */

    to = d->to != NULL ? d->to->sub : parley_str_none;
    rc = parley_deadline_claim(d, PARLEY_DEADLINE_RAISES, to, NULL);

    /* after a reload the search begins above the sender, and may find a
       previous recipient again */

    if (rc == 0 && parley_escalation_is_gone(d)) {
        rc = parley_deadline_claim(d, d->sub, to, NULL);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    /* without a claim, the recipient could not acknowledge it */

    if (rc < 0) {
        return parley_deadline_retry(d);
    }

    /* another job has the claim */

    if (rc == 0) {
        return parley_deadline_finish(d, PARLEY_DEADLINE_ANSWERED);
    }

    return d->to == NULL
           ? parley_deadline_finish(d, PARLEY_DEADLINE_UNACKNOWLEDGED)
           : parley_escalation_append(d, d->to);
}


/* If a reload removed the last recipient, the search begins above the
   sender. */

static const parley_principal_t *
parley_escalation_asked(const parley_deadline_t *d)
{
    const parley_directory_t  *directory;
    const parley_principal_t  *p;

    directory = d->deliver->http->directory;

    if (directory == NULL) {
        return NULL;
    }

    p = parley_directory_by_sub(directory, d->sub);

    return p != NULL ? p
           : parley_directory_by_sub(directory, d->publication.sender);
}


static int
parley_escalation_is_gone(const parley_deadline_t *d)
{
    return d->deliver->http->directory == NULL
           || parley_directory_by_sub(d->deliver->http->directory, d->sub)
              == NULL;
}


static int
parley_escalation_append(parley_deadline_t *d, const parley_principal_t *to)
{
    int               rc;
    parley_job_t     *jobs;
    parley_append_t  *append;

    memset(&d->publication.audience, 0, sizeof(parley_audience_t));

    rc = parley_deadline_notify(d, &d->publication, to, PARLEY_SUBJECT_DELIVER,
                                d->publication.sender, &append);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    jobs = rc != 0 ? NULL
           : parley_arena_calloc(d->arena, 2 * sizeof(parley_job_t));

    if (jobs == NULL) {
        return parley_deadline_retry(d);
    }

    if (append->njobs != 0) {
        jobs[0] = append->jobs[0];
    }

    if (parley_question_job(d->arena, d->ask.state, PARLEY_SUBJECT_ESCALATION,
                             &d->question, to->sub, &jobs[append->njobs])
        != 0)
    {
        return parley_deadline_retry(d);
    }

    jobs[append->njobs].after = PARLEY_ESCALATION_MS;
    jobs[append->njobs].lasts = PARLEY_ESCALATION_MS + PARLEY_DEADLINE_LIVES;

    append->jobs = jobs;
    append->njobs++;

    d->end.tells = append;

    return parley_deadline_finish(d, PARLEY_DEADLINE_RAISED);
}
