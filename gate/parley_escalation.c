/*
 * An escalation that nobody acknowledged goes up as it was accepted, under its
 * id: whoever is above acknowledges it to the child that sent it, as the one
 * before it would have.
 */

#include <string.h>

#include "parley_overdue_parts.h"
#include "parley_publish.h"
#include "parley_settings.h"


static int parley_escalation_append(parley_overdue_t *d,
    const parley_principal_t *to);


int
parley_escalation_raise(parley_overdue_t *d)
{
    int                        rc;
    const parley_principal_t  *asked;

    asked = d->deliver->http->directory == NULL ? NULL
            : parley_directory_by_sub(d->deliver->http->directory, d->sub);

    d->to = asked == NULL ? NULL
            : parley_overdue_above(d->deliver->http, asked);

    rc = parley_overdue_claim(d, d->sub, NULL);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    /* another try of the same message was here; one more than once is better
       than none */

    if (rc == 0) {
        return parley_overdue_over(d, PARLEY_OVERDUE_ANSWERED);
    }

    return d->to == NULL
           ? parley_overdue_over(d, PARLEY_OVERDUE_UNACKNOWLEDGED)
           : parley_escalation_append(d, d->to);
}


static int
parley_escalation_append(parley_overdue_t *d, const parley_principal_t *to)
{
    int               rc;
    parley_job_t     *jobs;
    parley_append_t  *append;
    parley_publish_t  publish;

    append = parley_arena_calloc(d->arena, sizeof(parley_append_t));

    memset(&publish, 0, sizeof(parley_publish_t));
    memset(&d->publication.audience, 0, sizeof(parley_audience_t));

    publish.publication = &d->publication;
    publish.account = d->account;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    parley_deliver_retention(d->deliver->http, &publish.retention);

    if (append == NULL
        || parley_publish_append(d->arena, &publish, append) != 0)
    {
        return parley_overdue_again(d);
    }

    append->arena = d->arena;

    rc = parley_overdue_reach(d, to, PARLEY_LOAD_DELIVER,
                               d->publication.sender, append);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    jobs = rc != 0 ? NULL
           : parley_arena_calloc(d->arena, 2 * sizeof(parley_job_t));

    if (jobs == NULL) {
        return parley_overdue_again(d);
    }

    if (append->njobs != 0) {
        jobs[0] = append->jobs[0];
    }

    if (parley_overdue_job(d->arena, d->ask.state, PARLEY_LOAD_ESCALATION,
                            &d->question, to->sub, &jobs[append->njobs])
        != 0)
    {
        return parley_overdue_again(d);
    }

    jobs[append->njobs].after = PARLEY_ESCALATION_MS;
    jobs[append->njobs].lasts = PARLEY_ESCALATION_MS + PARLEY_OVERDUE_LIVES;

    append->jobs = jobs;
    append->njobs++;

    d->end.tells = append;

    return parley_overdue_over(d, PARLEY_OVERDUE_RAISED);
}
