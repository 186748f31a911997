/*
 * Makes the publication of a message.  It has the message as it was accepted,
 * and the facts that filters and scopes need.  These facts come from its form
 * as an agent-channel frame.  A message that cannot be a frame passes no
 * filter.
 */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "hub/parley_publication.h"
#include "translate/parley_rewrite.h"


static parley_str_t parley_gate_publish_fits(parley_str_t text);
static void parley_gate_publish_responds_to(const parley_gate_t *g,
    parley_publication_t *p, parley_str_t *scope);
static int parley_gate_publish_answers(parley_gate_t *g, parley_str_t *ret);
static int parley_gate_publish_frame(parley_gate_t *g,
    const parley_json_t **ret);
static int parley_gate_publish_accepted(parley_gate_t *g, parley_str_t *ret);
static parley_str_t parley_gate_publish_bare(parley_str_t text);


int
parley_gate_publish_message(parley_gate_t *g, parley_publication_t *ret,
    parley_str_t *scope)
{
    parley_str_t          recipient = parley_str_none;
    const parley_json_t  *frame = NULL;

    memset(ret, 0, sizeof(parley_publication_t));

    ret->kind = PARLEY_PUBLICATION_MESSAGE;
    ret->proto = g->msg->wire;
    ret->sender = parley_who_proven(g->who);
    ret->author = g->msg->author;
    ret->instrument = parley_who_drafts(g->who);

    if (parley_gate_publish_frame(g, &frame) != 0
        || parley_gate_publish_accepted(g, &ret->message) != 0)
    {
        return -1;
    }

    ret->message = parley_gate_publish_bare(ret->message);

    if (frame != NULL
        && parley_channel_facts(frame, &ret->facts, &recipient) != 0)
    {
        return parley_error_memory(g->err);
    }

    ret->ms = g->in.now_ms;
    ret->priority = g->msg->priority;
    ret->timeout_ms = g->msg->timeout_ms;

    ret->id = parley_gate_publish_fits(g->msg->id);
    ret->from = parley_gate_publish_fits(g->msg->sender);
    ret->to = parley_gate_publish_fits(g->msg->recipient);

    if (g->read.correlation.answering != NULL) {
        ret->question = g->read.correlation.question->record;
        ret->own = g->read.correlation.own;
    }

    if ((g->read.correlation.final || g->read.correlation.declines)
        && parley_gate_publish_answers(g, &ret->answers) != 0)
    {
        return parley_error_memory(g->err);
    }

    *scope = g->msg->wire == PARLEY_PROTO_STREAMS ? g->msg->scope
             : g->conf.gate->speak == PARLEY_PROTO_STREAMS ? g->out.sent.scope
                                                           : parley_str_none;
    ret->scope = *scope;

    parley_gate_publish_responds_to(g, ret, scope);

    if (scope->len == 0) {
        *scope = recipient;
    }

    return 0;
}


/*
 * Gives an answer the scope that its question asks for, unless the answer names
 * a part of that scope (ACH-31).
 */

static void
parley_gate_publish_responds_to(const parley_gate_t *g, parley_publication_t *p,
    parley_str_t *scope)
{
    parley_str_t  text;

    text = parley_correlation_scope(&g->read.correlation);

    if (text.len == 0 || g->msg->scope.len > 0) {
        return;
    }

    *scope = text;

    if (g->msg->wire == PARLEY_PROTO_STREAMS) {
        p->scope = text;
    }
}


/*
 * Returns a name or id, or an empty text if it is too long for a publication.
 */

static parley_str_t
parley_gate_publish_fits(parley_str_t text)
{
    return text.len <= PARLEY_PUBLICATION_TEXT_MAX ? text : parley_str_none;
}


/*
 * Makes the name by which the request is found that is held for this answer
 * (HUB-07).
 */

static int
parley_gate_publish_answers(parley_gate_t *g, parley_str_t *ret)
{
    uint8_t  *name;

    name = parley_arena_octets(g->arena, PARLEY_PUBLICATION_QUESTION);

    if (name == NULL) {
        return -1;
    }

    parley_publication_question(&g->read.correlation.id, name);
    *ret = parley_str_make(name, PARLEY_PUBLICATION_QUESTION);

    return 0;
}


/*
 * Finds the form of the message as a frame.  *ret is unchanged if the message
 * cannot be a frame.
 */

static int
parley_gate_publish_frame(parley_gate_t *g, const parley_json_t **ret)
{
    parley_json_t     *doc;
    parley_encoded_t   made;

    if (g->msg->wire == PARLEY_PROTO_STREAMS) {
        *ret = g->msg->doc;
        return 0;
    }

    if (g->publish.unframed) {
        return 0;
    }

    if (g->conf.gate->speak == PARLEY_PROTO_STREAMS) {
        made = g->out.sent;

    } else if (parley_gate_publish_form(g, PARLEY_PROTO_STREAMS, &made) != 0) {
        return 0;
    }

    doc = parley_arena_calloc(g->arena, sizeof(parley_json_t));

    if (doc == NULL) {
        return parley_error_memory(g->err);
    }

    *ret = doc;

    return parley_json_read(doc, g->arena, &g->conf.gate->limits, g->in.seed,
                            made.body, g->err);
}


/*
 * Returns the message in its own protocol, without the credentials in it, which
 * no recipient may get.
 */

static int
parley_gate_publish_accepted(parley_gate_t *g, parley_str_t *ret)
{
    parley_loss_t         loss;
    parley_encoded_t      own;

    if (g->publish.unframed || (g->msg->wire == PARLEY_PROTO_STREAMS
                                && g->conf.gate->speak == PARLEY_PROTO_STREAMS))
    {
        *ret = g->out.sent.body;
        return 0;
    }

    parley_loss_init(&loss, g->arena);
    memset(&own, 0, sizeof(parley_encoded_t));

    if (parley_encode(g->engine, g->arena, g->msg->wire, g->msg, &g->out.opts,
                      &own, &loss, g->err)
        != 0
        || (g->read.edited && own.copied
            && parley_rewrite_sign(g->arena, g->read.proto, g->rewritten,
                                   &g->out.opts, &own, g->err)
               != 0))
    {
        return -1;
    }

    *ret = own.body;

    return 0;
}


/*
 * Returns the text without surrounding white space.  A service may get white
 * space, but an event must not: a line feed at the end, as in a file, would
 * become another line of data.
 */

static parley_str_t
parley_gate_publish_bare(parley_str_t text)
{
    while (text.len > 0
           && memchr(" \t\r\n", text.data[text.len - 1], 4) != NULL)
    {
        text.len--;
    }

    while (text.len > 0 && memchr(" \t\r\n", text.data[0], 4) != NULL) {
        text = parley_str_from(text, 1);
    }

    return text;
}
