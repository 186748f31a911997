/*
 * The step SUSPEND.  A VCP emergency suspends its sender.  A critical
 * escalation pauses its sender if parley_vcp_critical is configured so.  The
 * parent resumes the sender (VCP-26, VCP-28).  A message of another protocol
 * has the same effect if it means the same in VCP.
 *
 * A sender is suspended before its message goes on.  The suspension stays even
 * if the message fails, because the sender may repeat it.  The message that
 * resumes a principal ends the suspension in the same operation that takes the
 * message.
 */

#include <string.h>

#include "translate/parley_severity.h"
#include "gate/message/parley_gate_steps.h"
#include "core/parley_id.h"
#include "gate/settings/parley_settings.h"


static parley_step_result_t parley_gate_suspend_sender(parley_gate_t *g,
    parley_severity_t alarm);
static parley_step_result_t parley_gate_suspend_recipient(parley_gate_t *g);
static int parley_gate_suspend_is_later(const parley_msg_t *m,
    const parley_suspension_t *s);


/*
 * Returns whether a suspended sender may send the message: an escalation, which
 * an acknowledgment can be, too (VCP-25), or an answer to one.
 */

int
parley_gate_suspend_is_free(const parley_gate_t *g)
{
    return g->read.supervision.alarm != PARLEY_SEVERITY_NONE
           || parley_gate_severity_reports(g)
           || (g->read.correlation.question != NULL
               && g->read.correlation.question->head.alarm
                  != PARLEY_SEVERITY_NONE);
}


parley_step_result_t
parley_gate_suspend(parley_gate_t *g)
{
    parley_severity_t          alarm;
    const parley_principal_t  *p = g->who->principal;

    if (p == NULL) {
        return PARLEY_RESULT_NONE;
    }

    if (g->read.supervision.resumes) {
        return parley_gate_suspend_recipient(g);
    }

    /*
     * a principal without a parent is not suspended: no principal could resume
     * it
     */

    alarm = parley_gate_severity(g);

    return p->parent.len > 0
           && parley_severity_suspends(alarm, g->conf.gate->pauses)
           ? parley_gate_suspend_sender(g, alarm) : PARLEY_RESULT_NONE;
}


static parley_step_result_t
parley_gate_suspend_sender(parley_gate_t *g, parley_severity_t alarm)
{
    int                   rc;
    size_t                i;
    parley_put_result_t   got;
    parley_suspension_t   s;
    parley_suspensions_t  before;

    rc = parley_suspension_get(&g->ask, g->who->principal->sub, &before);

    if (rc == PARLEY_WAIT) {
        return PARLEY_RESULT_WAIT;
    }

    s.alarm = alarm;
    s.sub = g->who->principal->sub;
    s.id = g->msg->id;

    /*
     * a sender's clock that is ahead must not make the suspension later than
     * the parent's reply to it
     */

    s.since_ms = g->msg->created_ms >= 0 && g->msg->created_ms < g->in.now_ms
                 ? g->msg->created_ms : g->in.now_ms;

    /*
     * a message with an older time must not move an existing suspension back:
     * an older message of the parent could then end it
     */

    for (i = 0; rc == 0 && i < before.n; i++) {
        if (before.list[i].alarm == alarm
            && before.list[i].since_ms > s.since_ms)
        {
            s.since_ms = before.list[i].since_ms;
        }
    }

    rc = parley_suspension_put(&g->ask, &s, &got);

    if (rc == PARLEY_WAIT) {
        return PARLEY_RESULT_WAIT;
    }

    if (rc == 0 && got == PARLEY_PUT_OK) {
        return PARLEY_RESULT_PASSED;
    }

    g->report.wait = PARLEY_GATE_NO_ROOM;

    (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL, "%s",
                            rc == 0 && got == PARLEY_PUT_AWAY
                            ? "the store of the gateways is away"
                            : "no room to remember that the sender is "
                              "suspended");

    return PARLEY_RESULT_REFUSED;
}


/*
 * Ends the suspensions of a child.  The message must come from the child's own
 * parent, name the child as its recipient, and be later than the message that
 * suspended the child.  A broadcast does not end suspensions.
 */

static parley_step_result_t
parley_gate_suspend_recipient(parley_gate_t *g)
{
    int                         rc;
    size_t                      i;
    parley_str_t                parent;
    const parley_msg_t         *m = g->msg;
    const parley_principal_t   *child;
    const parley_suspension_t  *s;

    parent = parley_who_proven(g->who);

    if (g->conf.http->directory == NULL || parent.len == 0) {
        return PARLEY_RESULT_NONE;
    }

    child = parley_directory_by_name(g->conf.http->directory,
                                     (parley_namespace_t) m->wire,
                                     m->recipient);

    if (child == NULL || !parley_str_eq(child->parent, parent)) {
        return PARLEY_RESULT_NONE;
    }

    rc = parley_suspension_get(&g->ask, child->sub, &g->suspend.resumes);

    if (rc == PARLEY_WAIT) {
        return PARLEY_RESULT_WAIT;
    }

    g->admit.entrance.lifts = g->suspend.lifts;
    g->admit.entrance.nlifts = 0;

    for (i = 0; rc == 0 && i < g->suspend.resumes.n; i++) {
        s = &g->suspend.resumes.list[i];

        if (parley_gate_actor_is_caller(g)
            && parley_gate_suspend_is_later(m, s)) {
            g->suspend.lifts[g->admit.entrance.nlifts++] = s->lift;
        }
    }

    g->admit.not_resumed = rc != 0 || g->suspend.resumes.n == 0
                       || g->admit.entrance.nlifts > 0 ? NULL
                       : parley_gate_actor_is_caller(g)
                       ? "the message is not later than the one that suspended "
                         "the recipient"
                       : "the parent does not use its token itself";

    return g->admit.entrance.nlifts > 0 ? PARLEY_RESULT_PASSED
                                        : PARLEY_RESULT_NONE;
}


/*
 * Returns whether a message is later than a suspension.  Some protocols have
 * only whole seconds.  So if both times are in the same second, their ids
 * decide if both are UUIDs of version 7 (VCP 5.4).
 */

static int
parley_gate_suspend_is_later(const parley_msg_t *m,
    const parley_suspension_t *s)
{
    if (m->created_ms > s->since_ms) {
        return 1;
    }

    return m->created_ms / 1000 == s->since_ms / 1000
           && parley_uuid_is(m->id, 7) && parley_uuid_is(s->id, 7)
           && memcmp(m->id.data, s->id.data, m->id.len) > 0;
}
