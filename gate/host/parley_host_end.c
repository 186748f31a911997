#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_end.h"
#include "gate/host/parley_host_follow_parts.h"


void
parley_host_end_obligation(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub, unsigned failures)
{
    unsigned         i;
    parley_job_t     job;
    parley_buf_t     b;
    parley_str_t     ids[3];
    parley_state_t  *state;

    state = h->ask->state;
    ids[0] = id;
    ids[1] = parley_str_none;
    ids[2] = id;

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, id);
    parley_buf_lit(&b, PARLEY_HOST_REMINDER);

    if (parley_buf_done(&b, &ids[1]) != 0) {
        return;
    }

    /* a call that was slow must not drop the job that a failed send added */

    for (i = 0; i < (failures > 0 ? 3u : 2u); i++) {
        if (parley_host_follow_text(state, h->arena,
                                    i == 2 ? PARLEY_FOLLOW_AGAIN
                                           : PARLEY_FOLLOW_OPEN,
                                    ids[i], source, sub, 0, &job)
            == 0)
        {
            (void) state->ops->job->drop(state, job.lane, NULL, NULL);
        }
    }
}


void
parley_host_end_claim(parley_host_t *h, parley_str_t id, parley_str_t source,
    parley_str_t sub)
{
    parley_job_t     job;
    parley_state_t  *state;

    state = h->ask->state;

    if (parley_host_follow_text(state, h->arena, PARLEY_FOLLOW_CLAIM, id,
                                source, sub, 0, &job)
        == 0)
    {
        (void) state->ops->job->drop(state, job.lane, NULL, NULL);
    }
}


void
parley_host_end_acted(parley_host_act_t *a, unsigned accepted,
    parley_chat_disposition_t before)
{
    const parley_host_delivery_t  *part;

    part = &a->on.part;

    if (!accepted && before == PARLEY_CHAT_UNDISPOSED) {
        parley_host_audit_outcome(a->h, a->on.id, &a->on.row,
                                  PARLEY_HOST_BY_TOOL, PARLEY_CHAT_ACCEPTED);
    }

    if (part->disposition == before) {
        return;
    }

    parley_host_audit_disposed(a->h, a->on.id, a->caller->sub,
                               part->disposition);

    /* an event that has gone up, or goes up now, is followed by its own job */

    if (parley_host_is_decided(part->disposition) && part->escalated == 0
        && a->on.row.verdict.policy == PARLEY_CHAT_MUST
        && part->disposition != PARLEY_CHAT_IGNORED)
    {
        parley_host_end_obligation(a->h, a->on.id, a->on.event.source,
                                   a->caller->sub, part->failures);
        parley_host_audit_answered(a->h);
    }
}


void
parley_host_end_for(parley_host_t *h, parley_str_t id, parley_str_t source,
    parley_str_t sub, const parley_host_delivery_t *part)
{
    parley_host_audit_disposed(h, id, sub, part->disposition);
    parley_host_end_obligation(h, id, source, sub, part->failures);
}
