/*
 * Serves the endpoint of parley_control.  An operator lists the suspended
 * principals and may resume them (VCP-26).  GET and DELETE return the
 * suspensions that existed before the request:
 *
 *     {"suspensions": [{"sub": "worker-7", "state": "suspended",
 *         "since": "2026-11-25T10:00:00Z", "message_id": "0195..."}]}
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_rules.h"


/* suspensions in one answer */
#define PARLEY_CONTROL_MAX  10000


static int parley_gate_control_list(parley_gate_t *g, parley_buf_t *b);
static int parley_gate_control_end(parley_gate_t *g, parley_buf_t *b);
static void parley_gate_control_tell(parley_buf_t *b,
    const parley_suspension_t *s);
static int parley_gate_control_no_answer(parley_gate_t *g, int rc);


parley_step_result_t
parley_gate_control_method(parley_gate_t *g, parley_str_t method)
{
    g->serve.erases = parley_str_is(method, "DELETE");

    if (g->serve.erases || parley_str_is(method, "GET")) {
        g->serve.request = g->serve.erases ? PARLEY_STR("control.lift")
                                           : PARLEY_STR("control.list");

        return PARLEY_RESULT_PASSED;
    }

    (void) parley_error_set(g->err, PARLEY_E_METHOD_NOT_ALLOWED, NULL,
                            "suspended principals are requested with "
                            PARLEY_CONTROL_METHODS);

    return PARLEY_RESULT_REFUSED;
}


parley_step_result_t
parley_gate_control(parley_gate_t *g)
{
    int           rc;
    parley_buf_t  b;

    /*
     * VCP-26: a suspended agent must not end a suspension, especially its own
     */

    rc = parley_gate_serving(g, g->serve.erases ? "the operator" : NULL);

    if (rc == 0) {
        rc = parley_gate_actor_passes(g);
    }

    if (rc == 0 && !parley_gate_may_ask(g, PARLEY_RULES_CONTROL)) {
        rc = parley_error_set(g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                              "no rule lets the caller control the gateway");
    }

    if (rc != 0) {
        return parley_step_result(rc);
    }

    parley_buf_init(&b, g->arena, 256);
    parley_buf_lit(&b, "{\"suspensions\":[");

    rc = g->serve.erases ? parley_gate_control_end(g, &b)
                         : parley_gate_control_list(g, &b);

    if (rc == 0) {
        parley_buf_lit(&b, "]}");
        rc = parley_gate_serving_json(g, &b);
    }

    return rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


static int
parley_gate_control_list(parley_gate_t *g, parley_buf_t *b)
{
    int                  i, rc;
    size_t               n;
    parley_listed_t      listed;
    parley_arguments_t   arguments;
    parley_suspension_t  s;

    parley_arguments_of(&arguments, 0, g->conf.gate->token);

    if (parley_arguments_read(&arguments, g->arena, g->in.query, g->err) != 0) {
        return -1;
    }

    n = 0;
    listed.at = 0;

    do {
        rc = parley_ask_list(&g->ask, PARLEY_KIND_SUSPENSION, listed.at,
                             &listed);
        if (rc != 0) {
            return parley_gate_control_no_answer(g, rc);
        }

        for (i = 0; i < listed.records.n && n < PARLEY_CONTROL_MAX; i++) {
            if (parley_suspension_read(g->ask.state, &listed.records.list[i],
                                       &s)
                == 0)
            {
                parley_gate_control_tell(b, &s);
                n++;
            }
        }

    } while (listed.at != 0 && n < PARLEY_CONTROL_MAX);

    return 0;
}


static int
parley_gate_control_end(parley_gate_t *g, parley_buf_t *b)
{
    int                   rc;
    size_t                i;
    parley_str_t          sub;
    parley_arguments_t    arguments;
    parley_suspensions_t  there;

    parley_arguments_of(&arguments, 1u << PARLEY_ARGUMENT_SUB,
                        g->conf.gate->token);

    if (parley_arguments_read(&arguments, g->arena, g->in.query, g->err) != 0) {
        return -1;
    }

    sub = arguments.list[PARLEY_ARGUMENT_SUB].value;

    if (sub.len == 0) {
        return parley_error_set(g->err, PARLEY_E_FIELD_MISSING, "/sub",
                                "the argument sub is missing: it names the "
                                "principal to resume");
    }

    g->serve.about = sub;

    rc = parley_suspension_get(&g->ask, sub, &there);

    if (rc != 0) {
        return parley_gate_control_no_answer(g, rc);
    }

    /* OPS-06: the audit line is written before the suspensions end */

    if (parley_gate_verdict_record_as(g, PARLEY_VERDICT_ANSWERED)
        == PARLEY_RESULT_REFUSED)
    {
        return -1;
    }

    for (i = 0; i < there.n; i++) {
        rc = parley_suspension_drop(&g->ask, &there.list[i]);

        if (rc != 0) {
            return parley_gate_control_no_answer(g, rc);
        }

        parley_gate_control_tell(b, &there.list[i]);
    }

    return 0;
}


static void
parley_gate_control_tell(parley_buf_t *b, const parley_suspension_t *s)
{
    if (b->len > 0 && b->data[b->len - 1] == '}') {
        parley_buf_octet(b, ',');
    }

    parley_suspension_tell(s, b);
}


static int
parley_gate_control_no_answer(parley_gate_t *g, int rc)
{
    return rc == -1 ? parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                       "the state did not answer") : rc;
}
