/* SUBSCRIBE_NAMESPACE, which has a stream of its own. */

#include <string.h>

#include "gate/link/parley_link_parts.h"


/* Subscribe Options of SUBSCRIBE_NAMESPACE */
#define PARLEY_LINK_OPTION_PUBLISH  0


/* a list of agents that is being sent */
typedef struct {
    parley_link_stream_t           *st;
    const parley_moqt_namespace_t  *prefix;
} parley_link_listed_t;


static int parley_link_namespace(parley_link_stream_t *st,
    const parley_moqt_message_t *m);
static int parley_link_listed(void *data, parley_str_t agent);
static int parley_link_respond(parley_link_stream_t *st,
    parley_moqt_message_t *m);


/* SUBSCRIBE_NAMESPACE is answered on its own stream. */

int
parley_link_request(parley_link_stream_t *st, parley_str_t *in,
    uint64_t *code)
{
    int                    rc;
    parley_link_t         *link = st->link;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    /* it has overtaken CLIENT_SETUP, or waits for the proof of its token */

    if (!link->moqt.setup_in || link->setup_proving) {
        st->waits = 1;
        return 0;
    }

    rc = parley_moqt_control_next(&st->control, in, &m, &fault);

    if (rc == 1 && st->known) {
        return parley_link_close(link, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                 "a second message on the stream of a "
                                 "request");
    }

    if (rc < 0
        || (rc == 1
            && parley_moqt_session_accept(&link->moqt, &m, &effect, &fault)
               != 0))
    {
        return parley_link_fail(link, &fault);
    }

    if (rc == 0) {
        return 0;
    }

    st->known = 1;
    st->request = m.request;

    if (st->early) {
        st->early = 0;
        link->unread--;
    }

    *code = PARLEY_MOQT_NO_ERROR;

    return parley_link_namespace(st, &m);
}


/*
 * SUBSCRIBE_NAMESPACE: the agents that the caller may address (MOQ-08).  The
 * directory and the rules do not change before a reload, which ends the
 * connection; so the list does not change either.
 */

static int
parley_link_namespace(parley_link_stream_t *st, const parley_moqt_message_t *m)
{
    const char                   *text;
    parley_link_t                *link = st->link;
    parley_link_listed_t          listed;
    parley_moqt_refuse_t          code;
    parley_moqt_message_t         answer;
    const parley_link_stream_t   *other;

    const parley_link_session_t  *s;

    for (s = link->sessions; s != NULL && s->state == PARLEY_LINK_PROVING;
         s = s->next)
    { /* void */ }

    memset(&answer, 0, sizeof(parley_moqt_message_t));

    answer.type = PARLEY_MOQT_REQUEST_ERROR;

    if (s == NULL && !link->setup_proved) {
        answer.code = PARLEY_MOQT_REFUSE_UNAUTHORIZED;
        answer.text = PARLEY_STR("no token was proved");
        return parley_link_respond(st, &answer);
    }

    if (parley_link_token_check(link, m, &code, &text) != 0) {
        answer.code = code;
        answer.text = parley_str_c(text);
        return parley_link_respond(st, &answer);
    }

    for (other = link->streams; other != NULL; other = other->next) {

        if (other->lists) {
            answer.code = PARLEY_MOQT_REFUSE_PREFIX_OVERLAP;
            answer.text = PARLEY_STR("another SUBSCRIBE_NAMESPACE is open");
            return parley_link_respond(st, &answer);
        }
    }

    /* each list asks the rules about all agents */

    if (link->lists == 0 || link->now - link->listed >= PARLEY_LINK_LISTED) {
        link->listed = link->now;
        link->lists = 0;
    }

    if (link->lists == PARLEY_LINK_LISTS) {
        answer.code = PARLEY_MOQT_REFUSE_INTERNAL_ERROR;
        answer.retry = (uint64_t) (link->listed + PARLEY_LINK_LISTED
                                   - link->now + 1);
        answer.text = PARLEY_STR("too many SUBSCRIBE_NAMESPACE in 10 seconds");
        return parley_link_respond(st, &answer);
    }

    link->lists++;

    answer.type = PARLEY_MOQT_REQUEST_OK;

    st->lists = 1;

    if (parley_link_respond(st, &answer) != 0
        || m->options == PARLEY_LINK_OPTION_PUBLISH)
    {
        return link->closed ? -1 : 0;
    }

    listed.st = st;
    listed.prefix = &m->space;

    return link->env.agents(link->env.ctx, (parley_link_session_t *) s,
                            parley_link_listed, &listed)
           == 0 ? 0 : parley_link_memory(link);
}


static int
parley_link_listed(void *data, parley_str_t agent)
{
    size_t                  i;
    parley_link_listed_t   *listed = data;
    parley_moqt_message_t   m;

    const parley_str_t  fields[] = { PARLEY_STR(PARLEY_LINK_SPACE), agent };

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_NAMESPACE;

    for (i = 0; i < 2; i++) {

        if (i >= listed->prefix->count) {

            if (parley_moqt_namespace_add(&m.space, fields[i]) != 0) {
                return 0;
            }

        } else if (!parley_str_eq(listed->prefix->fields[i], fields[i])) {
            return 0;
        }
    }

    if (listed->prefix->count > 2) {
        return 0;
    }

    /* the peer may have stopped the stream */

    (void) parley_link_respond(listed->st, &m);

    return listed->st->link->closed ? -1 : 0;
}


/* Sends a message on the stream of a request. */

static int
parley_link_respond(parley_link_stream_t *st, parley_moqt_message_t *m)
{
    parley_buf_t           b;
    parley_link_t         *link = st->link;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;

    m->request = st->request;

    parley_buf_init(&b, &link->arena, 0);

    if (parley_moqt_session_send(&link->moqt, &b, m, &effect, &fault) != 0) {
        return parley_link_fail(link, &fault);
    }

    if (b.failed || parley_link_rest_put(link, &st->rest, b.data, b.len) != 0)
    {
        return parley_link_memory(link);
    }

    st->refused = m->type == PARLEY_MOQT_REQUEST_ERROR;

    return parley_link_respond_flush(link, st) < 0 ? -1 : 0;
}


int
parley_link_respond_flush(parley_link_t *link, parley_link_stream_t *st)
{
    int  rc;

    rc = parley_link_rest_flush(link, &st->rest, st->handle);

    if (rc < 0) {
        parley_link_rest_free(link, &st->rest);
    }

    if (rc == 1 && st->refused) {
        link->env.finish(link->env.ctx, st->handle);
    }

    if (rc == 0) {
        link->responds = 1;
    }

    return rc;
}
