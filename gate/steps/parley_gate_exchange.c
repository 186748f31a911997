/*
 * The step ANSWER.  It translates the service's answer, or finds the error that
 * prevents an answer.
 */

#include <string.h>

#include "translate/parley_codec.h"
#include "gate/message/parley_gate_steps.h"
#include "http/parley_events.h"
#include "gate/correlation/parley_exchange.h"
#include "translate/parley_loss.h"


static parley_exchange_t *parley_gate_exchanged(parley_gate_t *g);
static int parley_gate_understood(parley_gate_t *g, int rc);
static void parley_gate_strip(const parley_gate_t *g, parley_event_t *event);
static int parley_gate_last(parley_gate_t *g, parley_arena_t *arena,
    parley_event_t *event, parley_answered_t *ret);


static const struct {
    parley_code_t   code;
    parley_took_t   took;
    const char     *text;
} parley_upstream_errors[PARLEY_UPSTREAM_ERROR_COUNT] = {
#define PARLEY_UPSTREAM_ERROR(name, error, by, why)                           \
    [PARLEY_UPSTREAM_ERROR_##name] = { PARLEY_E_##error, PARLEY_TOOK_##by,    \
                                       why },
    PARLEY_UPSTREAM_ERRORS(PARLEY_UPSTREAM_ERROR)
#undef PARLEY_UPSTREAM_ERROR
};


/* Returns the exchange with the service. */

static parley_exchange_t *
parley_gate_exchanged(parley_gate_t *g)
{
    return parley_gate_message_exchange(g, g->conf.gate->speak, &g->out.sent);
}


/*
 * Reports that the answer was understood.  A failure is reported when the
 * message is settled.
 */

static int
parley_gate_understood(parley_gate_t *g, int rc)
{
    if (rc == 0) {
        parley_gate_report_step(g, PARLEY_STEP_ANSWER, PARLEY_RESULT_PASSED);
    }

    return rc;
}


int
parley_gate_answer(parley_gate_t *g, const parley_response_t *response,
    parley_answered_t *ret)
{
    int                 rc;
    parley_exchange_t  *x;

    if (response->status < 200 || response->status > 599) {
        parley_gate_upstream_error(g, PARLEY_UPSTREAM_ERROR_STATUS,
                                   response->status);
        return -1;
    }

    if (g->serve.relays) {
        return parley_gate_understood(g, parley_gate_relayed(g, response,
                                                             ret));
    }

    x = parley_gate_exchanged(g);

    if (x == NULL) {
        return parley_error_memory(g->err);
    }

    rc = parley_exchange_answer(x, g->arena, response, g->env->now(g), ret,
                                g->loss, g->err);
    if (rc != 0) {
        g->report.wait = response->wait_ms;
    }

    return parley_gate_understood(g, rc);
}


int
parley_gate_events(parley_gate_t *g, parley_events_t *events,
    parley_str_t *in, parley_event_t *ret)
{
    int  kind;

    kind = parley_events_read(events, in, ret, g->err);

    if (kind < 0) {
        /* events with status 200 are an answer; another body is not */
        g->err->taken = !parley_events_is_foreign(events);
        return -1;
    }

    parley_gate_strip(g, ret);

    return kind;
}


static void
parley_gate_strip(const parley_gate_t *g, parley_event_t *event)
{
    if (!parley_gate_message_responds(g)) {
        return;
    }

    if (!g->serve.relays) {
        event->has_id = 0;
        event->id = parley_str_none;
        event->name = parley_str_none;

    } else if (g->read.proto != g->conf.gate->speak) {
        event->name = parley_str_none;
    }
}


int
parley_gate_event(parley_gate_t *g, parley_arena_t *arena, parley_str_t data,
    parley_answered_t *ret)
{
    int                 rc;
    parley_loss_t       lost;
    parley_exchange_t  *x;

    if (g->serve.relays) {
        return parley_gate_understood(g, parley_gate_relayed_event(g, arena,
                                                                   data, ret));
    }

    x = parley_gate_exchanged(g);

    if (x == NULL) {
        return parley_error_memory(g->err);
    }

    parley_loss_init(&lost, arena);

    rc = parley_exchange_event(x, arena, data, g->env->now(g), ret, &lost,
                               g->err);

    parley_loss_keep(g->loss, &lost);

    return parley_gate_understood(g, rc);
}


int
parley_gate_ended(parley_gate_t *g, parley_arena_t *arena,
    parley_events_t *events, const parley_ending_t *how,
    parley_event_t *event, parley_answered_t *ret)
{
    int                 rc, whole;
    parley_exchange_t  *x;

    rc = parley_events_end(events, event, g->err);

    if (rc < 0) {
        return -1;
    }

    /* a client drops an event of a stream without its blank line */

    if (rc == PARLEY_EVENTS_LAST && !g->serve.relays) {
        return parley_gate_last(g, arena, event, ret);
    }

    /* the end between two events is proper unless the connection broke */

    whole = !how->broken && rc == PARLEY_EVENTS_WHOLE;

    if (g->serve.relays) {
        memset(ret, 0, sizeof(parley_answered_t));
        ret->over = 1;

        if (!whole) {
            parley_gate_upstream_error(g, PARLEY_UPSTREAM_ERROR_EARLY, 0);
        }

        return parley_gate_understood(g, whole ? 0 : -1);
    }

    x = parley_gate_exchanged(g);

    if (x == NULL) {
        return parley_error_memory(g->err);
    }

    rc = parley_exchange_end(x, g->arena, whole, g->env->now(g), ret, g->loss,
                             g->err);
    if (!whole) {
        parley_gate_upstream_error(g, PARLEY_UPSTREAM_ERROR_EARLY, 200);
        return -1;
    }

    ret->unsure = how->open && !x->answered;

    return parley_gate_understood(g, rc);
}


/*
 * Answers with the data of an event that ends with the stream instead of an
 * empty line.  Returns 1, or -1.
 */

static int
parley_gate_last(parley_gate_t *g, parley_arena_t *arena,
    parley_event_t *event, parley_answered_t *ret)
{
    if (event->data.len == 0 || parley_exchange_is_cut(event->data)) {
        parley_gate_upstream_error(g, PARLEY_UPSTREAM_ERROR_EARLY, 200);
        return -1;
    }

    parley_gate_strip(g, event);

    if (parley_gate_event(g, arena, event->data, ret) != 0) {
        /* it is unknown whether the data is complete */
        g->err->taken = 0;
        return -1;
    }

    return 1;
}


int
parley_gate_exchange_is_single(const parley_gate_t *g)
{
    return parley_codecs[g->msg->wire]->binding->single && !g->serve.relays;
}


void
parley_gate_upstream_error(parley_gate_t *g, parley_upstream_error_t what,
    int status)
{
    if (g->err->code != PARLEY_E_NONE) {
        return;
    }

    /* the timeout caused each of these errors */

    if (g->in.timed_out && (what == PARLEY_UPSTREAM_ERROR_UNREACHED
                            || what == PARLEY_UPSTREAM_ERROR_CONNECT_TIMEOUT
                            || what == PARLEY_UPSTREAM_ERROR_UNANSWERED
                            || what == PARLEY_UPSTREAM_ERROR_EARLY))
    {
        what = PARLEY_UPSTREAM_ERROR_TIMEOUT;
    }

    if (what == PARLEY_UPSTREAM_ERROR_NO_EVENTS
        && g->read.proto != g->conf.gate->speak
        && parley_codecs[g->read.proto]->binding->looks)
    {
        /* the client looks for a stream; most services have none */
        (void) parley_error_set(g->err, PARLEY_E_METHOD_NOT_ALLOWED, NULL,
                                "the service has no event stream here");
        return;
    }

    (void) parley_error_set(g->err, parley_upstream_errors[what].code, NULL,
                            "%s", parley_upstream_errors[what].text);

    g->err->taken = parley_upstream_errors[what].took == PARLEY_TOOK_STATUS
                    && status >= 200 && status < 300;
}
