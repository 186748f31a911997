/*
 * The step HOST: the calls of surfaces and harnesses at a host of chat.  The
 * gateway stores nothing for a session of a harness.  Its id has the negotiated
 * values, so it is valid after a reload and on another node.
 */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_glyph.h"
#include "gate/host/parley_host_other.h"
#include "gate/host/parley_host_turn_parts.h"
#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_host_conf.h"
#include "translate/parley_codec.h"


static int parley_host_run(parley_host_call_t *c);
static inline int parley_host_is_list(const parley_chat_call_t *call);
static int parley_host_begins(parley_host_call_t *c);
static parley_str_t parley_host_caller(const parley_gate_t *g);
static int parley_host_answer(parley_host_call_t *c,
    const parley_chat_result_t *result);


parley_step_result_t
parley_gate_host(parley_gate_t *g)
{
    int                   rc;
    parley_host_call_t    c;
    const parley_json_t  *doc;

    if (g->out.other != NULL) {
        return parley_host_other_publish(g);
    }

    memset(&c, 0, sizeof(parley_host_call_t));
    memset(&g->out.reply, 0, sizeof(parley_reply_t));

    c.g = g;
    c.refused.until_ms = -1;
    parley_host_of(g, &c.h);
    c.chat = parley_codecs[g->read.proto]->chat;

    if (g->who->principal == NULL) {
        return parley_step_result(parley_error_set(g->err,
                                      PARLEY_E_TOKEN_MISSING, NULL,
                                      "a token or a client certificate is "
                                      "required"));
    }

    doc = g->read.edited ? g->rewritten : g->doc;

    if (c.chat->call(g->arena, doc, &c.call, g->err) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    rc = c.call.kind == PARLEY_CHAT_CALL_INITIALIZE
         ? 0 : parley_host_session(g, &c.session);

    if (rc == 0) {
        rc = parley_host_run(&c);
    }

    if (rc == -1) {
        g->out.refused = parley_arena_alloc(g->arena,
                                            sizeof(parley_chat_refused_t));
        if (g->out.refused != NULL) {
            *g->out.refused = c.refused;
        }
    }

    if (c.h.full) {
        g->report.wait = PARLEY_GATE_NO_ROOM;
    }

    parley_host_audit_end(&c.h, g, rc == PARLEY_WAIT);

    return rc == 1 ? PARLEY_RESULT_PASSED
           : rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


/* Returns 1 if the message goes through the steps again, as the answer to a
   message of another protocol. */


static int
parley_host_run(parley_host_call_t *c)
{
    int                   rc;
    parley_chat_result_t  none;

    memset(&none, 0, sizeof(parley_chat_result_t));

    none.tools = PARLEY_HOST_TOOLS;

    switch (c->call.kind) {

    case PARLEY_CHAT_CALL_DELIVER:
        return parley_host_accept(c);

    case PARLEY_CHAT_CALL_MEMBERS:
        return parley_host_members(c);

    case PARLEY_CHAT_CALL_TYPING:
        return parley_host_typing(c);

    case PARLEY_CHAT_CALL_PROGRESS:
    case PARLEY_CHAT_CALL_TOOL:
        return parley_host_is_list(&c->call) ? parley_host_list(c)
                                             : parley_host_tool(c);

    case PARLEY_CHAT_CALL_RESPONSE:
        return parley_host_acknowledge(c);

    case PARLEY_CHAT_CALL_INITIALIZE:
        return parley_host_begins(c);

    case PARLEY_CHAT_CALL_CANCELLED:
        rc = parley_gate_cancel(c->g, c->g->doc);

        return rc == 0 ? parley_host_answer(c, &none) : rc;

    case PARLEY_CHAT_CALL_IGNORED:
    case PARLEY_CHAT_CALL_PING:
    case PARLEY_CHAT_CALL_DISCOVER:
    case PARLEY_CHAT_CALL_TOOLS:
        return parley_host_answer(c, &none);

    default:
        return parley_error_set(c->g->err, PARLEY_E_KIND_UNKNOWN, "/method",
                                "this host does not have the method");
    }
}


static inline int
parley_host_is_list(const parley_chat_call_t *call)
{
    return call->kind == PARLEY_CHAT_CALL_TOOL
           && (call->tool == PARLEY_CHAT_LIST_EVENTS
               || call->tool == PARLEY_CHAT_READ_THREAD);
}


/* A harness begins a session with the modes that both sides have. */

static int
parley_host_begins(parley_host_call_t *c)
{
    int                   rc;
    char                  text[PARLEY_CHAT_SESSION_MAX];
    uint8_t               random[16];
    parley_gate_t        *g;
    parley_chat_result_t  result;

    g = c->g;

    if (g->env->random == NULL || g->env->random(g, random) != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "no session can be made");
    }

    rc = g->who->principal->surface.n > 0
         ? parley_host_glyphs_keep(&c->h, g->who->principal->sub,
                                   c->call.glyphs)
         : 0;

    if (rc != 0) {
        return rc;
    }

    memset(&result, 0, sizeof(parley_chat_result_t));

    result.tools = PARLEY_HOST_TOOLS;
    result.session = c->call.session;

    if (c->h.host->digest_ms == 0) {
        result.session.modes &= ~PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_DIGEST);
    }

    result.session.issued_ms = g->in.now_ms;
    memcpy(result.session.random, random, sizeof(result.session.random));

    if (parley_host_answer(c, &result) != 0) {
        return -1;
    }

    return c->chat->session_write(&result.session, parley_host_caller(g), text)
           == 0
           && parley_arena_str(g->arena, parley_str_c(text),
                            &g->out.session)
           == 0 ? 0 : parley_error_memory(g->err);
}


int
parley_host_session(parley_gate_t *g, parley_chat_session_t *ret)
{
    parley_str_t          text;
    const parley_chat_t  *chat;

    memset(ret, 0, sizeof(parley_chat_session_t));

    chat = parley_codecs[g->read.proto]->chat;

    if (g->env->header == NULL
        || !g->env->header(g, PARLEY_STR("mcp-session-id"), &text))
    {
        ret->modes = PARLEY_CHAT_MODE_ALL
                     & ~PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_DIGEST);
        ret->chat = 1;
        ret->issued_ms = g->in.now_ms;
        memset(ret->random, 0xff, sizeof(ret->random));

        return 0;
    }

    return chat->session_read(text, parley_host_caller(g), ret) == 0 ? 0
           : parley_error_set(g->err, PARLEY_E_SESSION_UNKNOWN, NULL,
                              "the session in Mcp-Session-Id is unknown to "
                              "this host; begin a new one");
}


/* Returns the sub of the caller, which may be a surface. */

static parley_str_t
parley_host_caller(const parley_gate_t *g)
{
    return g->who->surface != NULL ? g->who->surface->sub
                                   : g->who->principal->sub;
}


static int
parley_host_answer(parley_host_call_t *c, const parley_chat_result_t *result)
{
    return c->chat->answer(c->g->arena, &c->call, result, &c->g->out.reply)
           == 0 ? 0 : parley_error_memory(c->g->err);
}
