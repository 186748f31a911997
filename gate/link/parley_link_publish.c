/* Tracks that the agent publishes, and PUBLISH of those of the gateway. */

#include <string.h>

#include "gate/link/parley_link_opaque.h"


static int parley_link_evict(parley_link_t *link);
static int parley_link_want(parley_link_t *link);
static int parley_link_offer(parley_link_t *link, parley_link_track_t *t);
static int parley_link_may_publish(const parley_link_t *link,
    const parley_moqt_namespace_t *space);
static int parley_link_publish_opaque(parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_request_t *request);
static int parley_link_is_cmd(parley_str_t agent, parley_str_t name);


/*
 * A track of the agent.  Before the proof any agent may be named; session_init
 * is refused if its token is another agent's.
 */

int
parley_link_publish(parley_link_t *link, const parley_moqt_message_t *m,
    parley_moqt_request_t *request)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  ok;

    if (!parley_link_may_publish(link, &m->space)) {
        parley_link_note_track(link, PARLEY_LINK_DENIED, 1, m->name,
                               PARLEY_STR("sender-identity-mismatch"));

        return parley_link_error(link, m->request,
                                 PARLEY_MOQT_REFUSE_UNAUTHORIZED,
                                 "an agent publishes in the namespace a2a and "
                                 "its own id");
    }

    if (!parley_link_is_cmd(m->space.fields[1], m->name)) {

        if (!parley_link_is_opaque(m->space.fields[1], m->name)) {
            return parley_link_error(link, m->request,
                                     PARLEY_MOQT_REFUSE_NOT_SUPPORTED,
                                     "the track is not named "
                                     "{agent}.{any}.{any}");
        }

        if (!link->proved) {
            return parley_link_error(link, m->request,
                                     PARLEY_MOQT_REFUSE_UNAUTHORIZED,
                                     "no token is proved");
        }
    }

    if (link->nsources >= link->conf.tracks) {
        return parley_link_error_later(link, m->request,
                                       PARLEY_MOQT_REFUSE_UNINTERESTED,
                                       "too many tracks");
    }

    if (!parley_link_is_cmd(m->space.fields[1], m->name)) {
        return parley_link_publish_opaque(link, m, request);
    }

    request->data = parley_link_source(link, m->space.fields[1],
                                       parley_str_none);
    if (request->data == NULL) {
        return parley_link_memory(link);
    }

    memset(&ok, 0, sizeof(parley_moqt_message_t));

    ok.type = PARLEY_MOQT_PUBLISH_OK;
    ok.request = m->request;

    parley_link_unblock(link);

    return parley_link_send(link, &ok, &effect);
}


/* PUBLISH_OK follows when the log of the track is joined. */

static int
parley_link_publish_opaque(parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_request_t *request)
{
    parley_link_tap_t      tap;
    parley_link_source_t  *s;

    s = parley_link_source_find(link, m->name);

    if (s != NULL && s->over) {

        /* what has not come of it is left out */

        s->over_by = link->now;

        if (parley_link_source_settle(link, s) != 0) {
            return -1;
        }

        s = NULL;
    }

    /* PUBLISH replaces a SUBSCRIBE of the gateway that has no answer yet
       (section 5.1 of the draft) */

    if (s != NULL && !s->subscribes && (!s->requested || s->answered)) {
        return parley_link_error(link, m->request,
                                 PARLEY_MOQT_REFUSE_DUPLICATE_SUBSCRIPTION,
                                 "the connection publishes the track "
                                 "already");
    }

    if (s != NULL
        && parley_link_source_end(link, s, NULL,
                                  "the agent publishes the track again")
           != 0)
    {
        return -1;
    }

    s = parley_link_source(link, m->space.fields[1], m->name);

    if (s == NULL) {
        return parley_link_memory(link);
    }

    s->request = m->request;
    request->data = s;

    memset(&tap, 0, sizeof(parley_link_tap_t));

    tap.agent = s->agent;
    tap.track = s->name;
    tap.token = parley_link_token(link);
    tap.publishes = 1;
    tap.owner = s;

    if (m->extensions.octets.len > 0
        && parley_link_copy(link, &s->extensions, m->extensions.octets) != 0)
    {
        return parley_link_memory(link);
    }

    s->tap = parley_link_tap_join(link, &tap);

    return s->tap != NULL ? 0 : parley_link_memory(link);
}


/* The gateway subscribes to the track of commands of an agent that announces
   its namespace. */

int
parley_link_announce(parley_link_t *link, const parley_moqt_message_t *m)
{
    if (!parley_link_may_publish(link, &m->space)) {
        return parley_link_error(link, m->request,
                                 PARLEY_MOQT_REFUSE_UNAUTHORIZED,
                                 "an agent publishes in the namespace a2a and "
                                 "its own id");
    }

    if (link->announced) {
        return parley_link_error(link, m->request,
                                 PARLEY_MOQT_REFUSE_UNINTERESTED,
                                 "a namespace is announced already");
    }

    if (parley_link_copy(link, &link->announced_agent, m->space.fields[1])
        != 0)
    {
        return parley_link_memory(link);
    }

    link->announced = 1;
    link->announcement = m->request;
    link->wanted = 1;

    return parley_link_ok(link, m->request) != 0
           || parley_link_announce_join(link) != 0
           ? -1 : parley_link_requests(link) < 0 ? -1 : 0;
}


int
parley_link_announce_join(parley_link_t *link)
{
    parley_link_tap_t  tap;

    if (!link->announced || !link->proved || link->space != NULL) {
        return 0;
    }

    /* before the proof any agent may be named */

    if (!parley_str_eq(link->announced_agent, link->agent)) {
        return parley_link_announce_cancel(link,
                                           PARLEY_MOQT_REFUSE_UNAUTHORIZED,
                                           "the namespace is that of another "
                                           "agent");
    }

    memset(&tap, 0, sizeof(parley_link_tap_t));

    tap.agent = link->announced_agent;
    tap.token = parley_link_token(link);
    tap.publishes = 1;

    link->space = parley_link_tap_join(link, &tap);

    return link->space != NULL ? 0 : parley_link_memory(link);
}


int
parley_link_announce_cancel(parley_link_t *link, parley_moqt_refuse_t code,
    const char *text)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL;
    m.request = link->announcement;
    m.code = code;
    m.text = parley_str_c(text);

    link->announced = 0;
    link->wanted = 0;

    parley_link_drop(link, &link->announced_agent);

    return parley_link_send(link, &m, &effect);
}


int
parley_link_requests(parley_link_t *link)
{
    parley_link_track_t   *t;
    parley_link_source_t  *s;

    if (link->wanted && parley_link_want(link) < 0) {
        return -1;
    }

    for (s = link->sources; s != NULL; s = s->next) {
        if (parley_link_source_request(link, s) < 0) {
            return -1;
        }
    }

    for (t = link->tracks; t != NULL; t = t->next) {

        if (t->offers && parley_link_offer(link, t) < 0) {
            return -1;
        }
    }

    return 0;
}


/* Sends SUBSCRIBE of {agent}.0.cmd. */

static int
parley_link_want(parley_link_t *link)
{
    int                    rc;
    parley_buf_t           b;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_SUBSCRIBE;

    parley_buf_init(&b, &link->arena, 0);
    parley_buf_str(&b, link->announced_agent);
    parley_buf_lit(&b, ".0.cmd");

    if (parley_buf_done(&b, &m.name) != 0
        || parley_moqt_namespace_add(&m.space,
                                     PARLEY_STR(PARLEY_LINK_SPACE)) != 0
        || parley_moqt_namespace_add(&m.space, link->announced_agent) != 0)
    {
        return parley_link_memory(link);
    }

    rc = parley_link_send(link, &m, &effect);

    if (rc != 0) {
        return rc;
    }

    link->wanted = 0;
    effect.request->data = parley_link_source(link, link->announced_agent,
                                              parley_str_none);

    return effect.request->data != NULL ? 0 : parley_link_memory(link);
}


/* Sends PUBLISH of a track of the gateway.  A mailbox sends nothing before the
   peer asks for it. */

static int
parley_link_offer(parley_link_t *link, parley_link_track_t *t)
{
    int                         rc;
    parley_moqt_effect_t        effect;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  w;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_PUBLISH;
    m.name = t->name;
    m.alias = link->aliases + 1;

    parley_moqt_pairs_writer_init(&w, link->draft, &link->arena);

    if (t->any) {
        parley_moqt_pairs_put_location(&w, PARLEY_MOQT_PARAM_LARGEST_OBJECT,
                                       t->largest);
    }

    parley_moqt_pairs_put_integer(&w, PARLEY_MOQT_PARAM_FORWARD, 0);

    if (parley_moqt_pairs_done(&w, &m.params) != 0
        || parley_moqt_namespace_add(&m.space,
                                     PARLEY_STR(PARLEY_LINK_SPACE)) != 0
        || parley_moqt_namespace_add(&m.space,
                                     PARLEY_STR(PARLEY_LINK_GATEWAY)) != 0)
    {
        return parley_link_memory(link);
    }

    rc = parley_link_send(link, &m, &effect);

    if (rc == 0) {
        link->aliases++;

        t->offers = 0;
        t->offered = 1;
        t->request = m.request;
        t->alias = m.alias;
        t->streams = 0;
        t->forward = 0;
    }

    return rc;
}


static int
parley_link_may_publish(const parley_link_t *link,
    const parley_moqt_namespace_t *space)
{
    return space->count == 2
           && parley_str_is(space->fields[0], PARLEY_LINK_SPACE)
           && space->fields[1].len <= PARLEY_LINK_AGENT_MAX
           && !parley_str_is(space->fields[1], PARLEY_LINK_GATEWAY)
           && (!link->proved || parley_str_eq(space->fields[1], link->agent));
}


/* Returns whether a name is {agent}.{any}.cmd. */

static int
parley_link_is_cmd(parley_str_t agent, parley_str_t name)
{
    return name.len > agent.len + 1 + 4
           && memcmp(name.data, agent.data, agent.len) == 0
           && name.data[agent.len] == '.'
           && memcmp(name.data + name.len - 4, ".cmd", 4) == 0;
}


/* Ends the oldest track of a session that has ended, or of none.  The peer may
   never subscribe to it. */

static int
parley_link_evict(parley_link_t *link)
{
    parley_link_track_t  *t, *oldest;

    oldest = NULL;

    for (t = link->tracks; t != NULL; t = t->next) {
        if (t->ends || (t->spare && (oldest == NULL || !oldest->ends))) {
            oldest = t;
        }
    }

    if (oldest == NULL
        || parley_link_track_stop(link, oldest, 1,
                                  PARLEY_MOQT_DONE_TRACK_ENDED,
                                  "the session has ended")
           != 0)
    {
        return -1;
    }

    parley_link_track_free(link, oldest);

    return 0;
}


/* Finds or makes the track of the answers of a session_id. */

parley_link_track_t *
parley_link_answers(parley_link_t *link, parley_str_t name)
{
    parley_buf_t          b;
    parley_str_t          text;
    parley_link_track_t  *t;

    parley_buf_init(&b, &link->arena, 0);
    parley_buf_lit(&b, PARLEY_LINK_GATEWAY ".");
    parley_buf_str(&b, name);
    parley_buf_lit(&b, ".cmd");

    if (parley_buf_done(&b, &text) != 0) {
        return NULL;
    }

    t = parley_link_track(link, text);

    if (t != NULL) {
        t->ends = 0;
        t->spare = 0;
        return t;
    }

    if (link->ntracks >= PARLEY_LINK_TRACKS(link)
        && parley_link_evict(link) != 0)
    {
        return NULL;
    }

    t = parley_link_track_make(link, text);

    if (t != NULL) {
        t->offers = 1;

        if (parley_link_requests(link) < 0) {
            return NULL;
        }
    }

    return t;
}
