/* What stands beside a message's octets, and whom it is for by that. */

#include <string.h>

#include "parley_gate_steps.h"
#include "parley_name.h"


int
parley_gate_self(parley_arena_t *arena, parley_str_t self,
    parley_str_t ret[PARLEY_PROTO_COUNT])
{
    int       rc;
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        rc = parley_name_map(arena, PARLEY_PROTO_CANONICAL, self,
                             (parley_proto_t) i, &ret[i]);
        if (rc < 0) {
            return -1;
        }

        if (rc != 0) {
            ret[i] = parley_str_none;
        }
    }

    return 0;
}


parley_outcome_t
parley_gate_submission(parley_gate_t *g)
{
    parley_msg_t         *m = g->msg;
    parley_submission_t   submission;

    memset(&submission, 0, sizeof(parley_submission_t));

    if (g->env->beside != NULL && g->env->beside(g, &submission) != 0) {
        return PARLEY_OUTCOME_FAILED;
    }

    submission.scope = g->arguments.list[PARLEY_ARGUMENT_SCOPE].value;
    submission.recipient = g->arguments.list[PARLEY_ARGUMENT_RECIPIENT].value;
    submission.ms = g->now_ms;

    g->addressed = submission.recipient.len > 0 && m->recipient.len == 0;

    /*
     * What names nobody and answers nothing is for whom the session is with:
     * the gateway.  Progress is for whom what it is of came from.
     */

    if (submission.recipient.len == 0 && m->reply_to.len == 0
        && m->act != PARLEY_ACT_PROGRESS)
    {
        submission.recipient = g->self[m->wire];
    }

    submission.sender = m->sender.len > 0 ? m->sender
                                          : parley_who_name(g->who, m->wire);

    if (parley_who_submission(g->who, &submission, g->err) != 0
        || parley_submit(g->arena, m, &submission, g->err) != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    return parley_codecs[m->wire]->submit != NULL
           ? PARLEY_OUTCOME_PASSED : PARLEY_OUTCOME_NONE;
}
