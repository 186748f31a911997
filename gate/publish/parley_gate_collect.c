/*
 * Collects frames for a call of MCP (ACH-27): frames of a stream, or responses
 * to a query.  The call collects them for a limited time and returns them in
 * one result.  The hub writes events to it, as to any subscriber.
 */

#include <stdio.h>
#include <string.h>

#include "hub/parley_event_id.h"
#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_settings.h"


static void *parley_gate_collect_alloc(void *ctx, size_t size);
static int parley_gate_collect_event(parley_gate_t *g,
    const parley_event_t *event);
static void parley_gate_collect_write(const parley_gate_t *g,
    parley_buf_t *b);
static int parley_gate_collect_wrap(parley_gate_t *g, parley_reply_t *ret);


int
parley_gate_collect_may(parley_gate_t *g, parley_stream_request_t *opening)
{
    parley_mem_t  mem;

    mem.alloc = parley_gate_collect_alloc;
    mem.free = NULL;
    mem.ctx = g->arena;

    opening->collects = 1;

    g->serve.mcp->opening = opening;

    /*
     * An event may be as long as any accepted message.  An event that is
     * refused here would be the first one of each later call.
     */

    parley_events_init(&g->serve.mcp->events, &mem, UINT32_MAX);
    parley_buf_init(&g->serve.mcp->list, g->arena, 0);

    return g->env->hold != NULL ? g->env->hold(g, opening) : 0;
}


static void *
parley_gate_collect_alloc(void *ctx, size_t size)
{
    return parley_arena_alloc(ctx, size);
}


int
parley_gate_collect(parley_gate_t *g, parley_str_t octets)
{
    int                 rc, some;
    parley_error_t      err;
    parley_event_t      event;
    parley_gate_mcp_t  *call;

    call = g->serve.mcp;
    some = 0;

    while (!call->full) {
        rc = parley_events_read(&call->events, &octets, &event, &err);

        if (rc == PARLEY_EVENTS_MORE) {
            break;
        }

        if (rc < 0) {
            call->full = 1;

        } else if (rc == PARLEY_EVENTS_EVENT) {
            some |= parley_gate_collect_event(g, &event);
        }
    }

    /*
     * a call for a stream returns with its first frames; a query waits for all
     * responses
     */

    return call->full
           || (some && call->verb->does == PARLEY_CHANNEL_DOES_SUBSCRIBE);
}


/*
 * Adds an event to the list.  Returns whether the call has something to return.
 * A frame that does not fit is left for the next call, which begins behind the
 * last event of this one.
 */

static int
parley_gate_collect_event(parley_gate_t *g, const parley_event_t *event)
{
    int                 frame;
    parley_buf_t       *b;
    parley_gate_mcp_t  *call;

    call = g->serve.mcp;
    b = &call->list;

    frame = event->has_data && event->name.len == 0;

    if (frame && b->len + event->data.len > g->conf.gate->limits.octets
        && call->n > 0)
    {
        call->full = 1;
        return 0;
    }

    if (event->has_id && event->id.len <= sizeof(call->last)) {
        memcpy(call->last, event->id.data, event->id.len);
        call->last_len = event->id.len;
    }

    if (parley_str_is(event->name, "gap")) {

        if (parley_arena_str(g->arena, event->data, &call->gap) != 0) {
            b->failed = 1;
        }

        return 1;
    }

    if (!frame) {
        return 0;
    }

    if (call->n++ != 0) {
        parley_buf_octet(b, ',');
    }

    if (call->verb->does == PARLEY_CHANNEL_DOES_SUBSCRIBE) {
        parley_buf_lit(b, "{\"id\":");
        parley_buf_json_string(b, event->id);
        parley_buf_lit(b, ",\"frame\":");
        parley_buf_str(b, event->data);
        parley_buf_octet(b, '}');

    } else {
        parley_buf_str(b, event->data);
    }

    call->full = call->n == call->max;

    return 1;
}


int
parley_gate_collect_result(parley_gate_t *g, parley_reply_t *ret)
{
    parley_buf_t         b;
    parley_str_t         body;
    parley_gate_mcp_t   *call;

    call = g->serve.mcp;
    body = ret->body;

    parley_buf_init(&b, g->arena, body.len + call->list.len + 256);

    if (body.len > 0) {
        /* without the "}" at the end */
        parley_buf_put(&b, body.data, body.len - 1);

    } else {
        parley_buf_octet(&b, '{');
    }

    if (call->made.len > 0) {
        parley_buf_member(&b, call->verb->makes, call->made);
    }

    if (call->verb->does == PARLEY_CHANNEL_DOES_QUERY) {

        if (call->again) {
            parley_buf_name(&b, PARLEY_STR("duplicate"));
            parley_buf_lit(&b, "true");
        }

        parley_buf_name(&b, PARLEY_STR("responses"));
        parley_buf_octet(&b, '[');
        parley_buf_put(&b, call->list.data, call->list.len);
        parley_buf_octet(&b, ']');

    } else if (call->verb->does == PARLEY_CHANNEL_DOES_SUBSCRIBE) {
        parley_gate_collect_write(g, &b);
    }

    parley_buf_octet(&b, '}');

    if (call->list.failed || parley_buf_done(&b, &ret->body) != 0) {
        return parley_error_memory(g->err);
    }

    return parley_gate_collect_wrap(g, ret);
}


static void
parley_gate_collect_write(const parley_gate_t *g, parley_buf_t *b)
{
    const parley_place_t     *from;
    const parley_gate_mcp_t  *call;

    call = g->serve.mcp;
    from = &call->opening->subscription.from;

    parley_buf_member(b, PARLEY_STR("handle"), call->handle);
    parley_buf_member(b, PARLEY_STR("session"), call->opening->session);
    parley_buf_name(b, PARLEY_STR("frames"));
    parley_buf_octet(b, '[');
    parley_buf_put(b, call->list.data, call->list.len);
    parley_buf_octet(b, ']');

    if (call->gap.len > 0) {
        parley_buf_name(b, PARLEY_STR("gap"));
        parley_buf_str(b, call->gap);
    }

    if (call->last_len > 0) {
        parley_buf_member(b, PARLEY_STR("last_event_id"),
                          parley_str_make(call->last, call->last_len));

    } else if (from->epoch != 0) {

        /* no events came: the next call begins where this one did */

        parley_buf_name(b, PARLEY_STR("last_event_id"));
        parley_buf_octet(b, '"');
        parley_event_id_write(b, from);
        parley_buf_octet(b, '"');
    }
}


/*
 * Wraps the result as structured content, and as text for a model that reads
 * only text.
 */

static int
parley_gate_collect_wrap(parley_gate_t *g, parley_reply_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, g->arena, 2 * ret->body.len + 256);

    parley_mcp_result_begin(&b, &g->serve.mcp->doc);
    parley_buf_name(&b, PARLEY_STR("content"));
    parley_buf_lit(&b, "[{\"type\":\"text\",\"text\":");
    parley_buf_json_string(&b, ret->body);
    parley_buf_lit(&b, "}],\"structuredContent\":");
    parley_buf_str(&b, ret->body);
    parley_buf_lit(&b, "}}");

    ret->status = 200;
    ret->content_type = PARLEY_STR("application/json");

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(g->err);
}


/*
 * Returns the collected result.  If the caller was revoked during the call, the
 * result has no frames (SEC-16).
 */

int
parley_gate_collect_reply(parley_gate_t *g, parley_reply_t *ret)
{
    *ret = g->out.reply;

    if (parley_gate_revocation_is_hit(g) != 0) {
        parley_error_clear(g->err);

        parley_buf_init(&g->serve.mcp->list, g->arena, 0);
        g->serve.mcp->gap = parley_str_none;
        g->serve.mcp->last_len = 0;
    }

    return parley_gate_collect_result(g, ret);
}


/*
 * Refuses a query because its worker is leaving.  If the query has an id, the
 * client repeats the call.  The repeated call is a duplicate and collects the
 * responses.
 */

int
parley_gate_collect_none(parley_gate_t *g)
{
    if (g->serve.mcp->verb->does != PARLEY_CHANNEL_DOES_QUERY) {
        return 0;
    }

    g->report.wait = PARLEY_GATE_OVERDUE;

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "this worker is shutting down: the query \"%.*s\" "
                            "was taken, %s returns its responses",
                            (int) g->msg->id.len, g->msg->id.data,
                            g->serve.mcp->made.len > 0 ? "agent_subscribe"
                                                       : "the same call");
}


int
parley_gate_collect_refused(parley_gate_t *g, parley_proto_t proto,
    const parley_refusal_t *refusal, parley_reply_t *ret)
{
    int                       lacks;
    char                      ms[24];
    parley_mcp_why_t          why;
    const parley_error_t     *error;
    const parley_gate_mcp_t  *call;

    call = g->serve.mcp;
    error = refusal->error;

    if (g->conf.s->mcp == NULL) {
        return parley_refuse(g->arena, proto, refusal, ret);
    }

    /*
     * the frame of a duplicate is taken already: it is delivered once (ACH-26)
     */

    if (call != NULL && error->code == PARLEY_E_MESSAGE_DUPLICATE
        && error->field[0] == '\0')
    {
        if (parley_refuse(g->arena, proto, refusal, ret) != 0) {
            return -1;
        }

        /* a held query returns this reply with the collected responses */

        if (g->publish.holds) {
            g->out.reply = *ret;
            return 0;
        }

        return parley_gate_collect_result(g, ret);
    }

    memset(&why, 0, sizeof(parley_mcp_why_t));

    parley_mcp_why(&why, error,
                   parley_channel_called(error->code));

    /*
     * the status and its header field tell the client what kind of token it
     * needs
     */

    lacks = parley_error_info(error->code)->http == 401
            || g->report.lacks != NULL;

    if (call != NULL) {
        why.doc = call->read ? &call->doc : NULL;
        why.tool = call->verb != NULL;
        why.mcp = !call->foreign && !lacks;
    }

    if (refusal->backoff_ms >= 0) {
        (void) snprintf(ms, sizeof(ms), "%lld",
                        (long long) refusal->backoff_ms);
        why.retryable = PARLEY_STR("true");
        why.backoff_ms = parley_str_c(ms);
    }

    return parley_mcp_fail(g->arena, &why, ret);
}
