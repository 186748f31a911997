/*
 * Adds the job for the deadline of a message that is not answered in time
 * (parley_deadline.h).  The job is added with the record of the message.
 *
 * The step ESCALATE adds it for an escalation that goes to a service.  The
 * deadline does not depend on the service: if the service does not acknowledge
 * the escalation, it goes up.
 */

#include <string.h>

#include "gate/party/parley_address.h"
#include "translate/parley_severity.h"
#include "gate/publish/parley_gate_deliver.h"
#include "gate/delivery/parley_publish_to.h"
#include "gate/delivery/parley_deadline.h"
#include "gate/delivery/parley_delivery_route.h"


static const parley_principal_t *parley_gate_publish_superior(
    const parley_gate_t *g);
static int parley_gate_publish_deadline_job(parley_gate_t *g,
    parley_job_t *ret);
static int parley_gate_publish_deadline_add(parley_gate_t *g);


/*
 * Returns the principal that is asked first, or NULL if the sender's parent is
 * unknown.  Then the escalation does not go up and only reaches the recipients
 * that the rules allow.
 */

static const parley_principal_t *
parley_gate_publish_superior(const parley_gate_t *g)
{
    return g->who->principal->above;
}


parley_proto_set_t
parley_gate_escalate_protocols(const parley_gate_t *g)
{
    parley_proto_set_t         set;
    const parley_principal_t  *p;

    set = 0;

    if (parley_gate_severity_escalates(g)) {

        for (p = parley_gate_publish_superior(g); p != NULL; p = p->above) {
            set |= PARLEY_PROTO_BIT(parley_delivery_protocol(p, g->msg->wire));
        }
    }

    return set;
}


int
parley_gate_publish_times_out(const parley_gate_t *g)
{
    const parley_principal_t  *p;

    p = g->who->principal;

    return g->msg->wire == PARLEY_PROTO_CANONICAL
           && g->msg->act == PARLEY_ACT_REQUEST && g->msg->timeout_ms > 0
           && g->admit.asked.kept && !g->admit.asked.several
           && !parley_gate_severity_escalates(g) && p != NULL
           && (parley_address_has(p) || p->deliver.len > 0);
}


int
parley_gate_publish_deadlines(parley_gate_t *g, parley_append_t *append)
{
    int            rc;
    parley_job_t   job, *jobs;

    rc = parley_gate_publish_deadline_job(g, &job);

    if (rc <= 0) {
        return rc;
    }

    jobs = parley_arena_alloc(g->arena,
                              (append->njobs + 1) * sizeof(parley_job_t));

    if (jobs == NULL) {
        return parley_error_memory(g->err);
    }

    if (append->njobs != 0) {
        memcpy(jobs, append->jobs, append->njobs * sizeof(parley_job_t));
    }

    jobs[append->njobs++] = job;
    append->jobs = jobs;

    return 0;
}


/*
 * Makes the job.  Returns 1 and *ret; 0: the message has no deadline; or -1:
 * capacity.
 */

static int
parley_gate_publish_deadline_job(parley_gate_t *g, parley_job_t *ret)
{
    int64_t                    after;
    parley_str_t               sub;
    parley_job_subject_kind_t  kind;
    const parley_principal_t  *superior;

    if (!g->admit.asked.awaited || parley_gate_is_dry(g)) {
        return 0;
    }

    if (parley_gate_severity_escalates(g)) {
        superior = parley_gate_publish_superior(g);
        sub = superior != NULL ? superior->sub : parley_str_none;

        kind = PARLEY_SUBJECT_ESCALATION;
        after = PARLEY_ESCALATION_MS;

        if (superior != NULL
            && parley_severity_is_emergency(parley_gate_severity(g))
            && parley_deadline_above(g->conf.http, superior) != NULL)
        {
            kind = PARLEY_SUBJECT_EMERGENCY;
            after = 0;
        }

    } else if (parley_gate_publish_times_out(g)) {
        sub = g->who->principal->sub;
        kind = PARLEY_SUBJECT_TIMEOUT;
        after = parley_gate_message_deadline(g);

    } else {
        return 0;
    }

    if (parley_question_job(g->arena, g->ask.state, kind,
                            &g->admit.asked.question, sub, ret)
        != 0)
    {
        return parley_error_memory(g->err);
    }

    ret->after = after;
    ret->lasts = after + PARLEY_DEADLINE_LIVES;

    return 1;
}


parley_step_result_t
parley_gate_escalate(parley_gate_t *g)
{
    int  rc;

    if (!g->admit.asked.awaited || !parley_gate_severity_escalates(g)) {
        return PARLEY_RESULT_NONE;
    }

    rc = parley_gate_publish_keep_alias(g, parley_gate_escalate_protocols(g));

    if (rc == 0) {
        rc = parley_gate_publish_deadline_add(g);
    }

    g->publish.escalates = rc == 0;

    return parley_step_result(rc);
}


int
parley_gate_await(parley_gate_t *g)
{
    if (!parley_gate_publish_times_out(g) || g->publish.published) {
        return 0;
    }

    /* the message was taken: missing room for the job does not refuse it */

    return parley_gate_publish_deadline_add(g) == PARLEY_WAIT ? PARLEY_WAIT : 0;
}


/*
 * Appends the message as a record without readers, and the job of its deadline.
 */

static int
parley_gate_publish_deadline_add(parley_gate_t *g)
{
    int                   rc;
    parley_str_t          scope;
    parley_append_t       append;
    parley_publish_to_t   notify;
    parley_appended_t     appended;
    parley_publication_t  p;

    if (parley_gate_publish_message(g, &p, &scope) != 0) {
        return -1;
    }

    memset(&notify, 0, sizeof(parley_publish_to_t));

    notify.http = g->conf.http;
    notify.state = g->ask.state;
    notify.publication = &p;
    notify.account = g->proof.account;

    if (parley_publish_to(&notify, g->arena, &append) != 0) {
        return parley_error_memory(g->err);
    }

    rc = parley_gate_publish_deadlines(g, &append);

    if (rc != 0 || append.njobs == 0) {
        return rc;
    }

    rc = parley_ask_append(&g->ask, &append, &appended);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0 || appended.verdict != PARLEY_APPEND_OK) {
        g->report.wait = PARLEY_GATE_NO_ROOM;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "no room to record the deadline of the "
                                "message");
    }

    if (g->env->wake != NULL) {
        g->env->wake(g);
    }

    return 0;
}
