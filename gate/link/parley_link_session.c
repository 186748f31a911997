/* Agent sessions: session_init, its proof, and session_bye. */

#include <string.h>

#include "gate/link/parley_link_parts.h"
#include "translate/moq/parley_moq.h"


static void parley_link_session_end(parley_link_t *link,
    parley_link_session_t *s, parley_str_t why);
static int parley_link_init(parley_link_t *link, parley_link_source_t *source,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t name);
static int parley_link_renew(parley_link_t *link, parley_link_session_t *s,
    parley_str_t token);
static int parley_link_prove(parley_link_t *link, parley_link_session_t *s,
    parley_str_t token);
static int parley_link_denied(parley_link_t *link,
    const parley_link_source_t *source, const parley_moq_frame_t *frame,
    parley_str_t name, int status, const char *code, const char *text);
static void parley_link_setup_proved(parley_link_t *link,
    const parley_link_proved_t *proved);
static int parley_link_principal_set(parley_link_t *link,
    const parley_link_proved_t *proved);
static int parley_link_accept(parley_link_t *link, parley_link_session_t *s,
    const parley_link_proved_t *proved);
static int parley_link_reject(parley_link_t *link, parley_link_session_t *s,
    const parley_link_proved_t *proved);
static int parley_link_ack(parley_link_t *link, parley_link_session_t *s);
static int parley_link_bye(parley_link_t *link, parley_link_session_t *s,
    int status, parley_str_t text);
static int parley_link_listen(parley_link_t *link);


int
parley_link_command(parley_link_t *link, parley_link_source_t *source,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t action)
{
    parley_str_t            name;
    parley_link_session_t  *s;

    name = parley_link_string(doc, 0, PARLEY_STR("session_id"));

    if (parley_str_is(action, "session_init")) {
        return parley_link_init(link, source, frame, doc, name);
    }

    s = parley_link_session(link, frame->session);

    if (s == NULL) {
        return parley_link_refuse(link, frame, action, name, 401,
                                  PARLEY_STR("token-missing"),
                                  parley_str_none,
                                  PARLEY_STR("the Session ID has no open "
                                             "session"));
    }

    if (parley_str_is(action, "session_bye")) {

        if (!parley_str_eq(name, s->name)) {
            return parley_link_refuse(link, frame, action, name, 400,
                                      PARLEY_STR("field-invalid"),
                                      PARLEY_STR("/session_id"),
                                      PARLEY_STR("it is not that of the "
                                                 "session"));
        }

        parley_link_session_end(link, s, PARLEY_STR("session_bye"));

        return parley_link_listen(link);
    }

    return parley_link_refuse(link, frame, action, name, 400,
                              PARLEY_STR("kind-unknown"),
                              PARLEY_STR("/action"),
                              PARLEY_STR("this command is not for the "
                                         "gateway"));
}


/*
 * Begins a session.  A session_init of a live session with a newer token renews
 * its proof.
 */

static int
parley_link_init(parley_link_t *link, parley_link_source_t *source,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t name)
{
    parley_str_t            token, peer;
    parley_link_session_t  *s;

    token = parley_link_string(doc, 0, PARLEY_STR("auth_token"));

    if (link->proved && !parley_str_eq(source->agent, link->agent)) {
        return parley_link_denied(link, source, frame, name, 403,
                                  "sender-identity-mismatch",
                                  "the track is in the namespace of another "
                                  "agent");
    }

    if (name.len == 0 || name.len > PARLEY_LINK_SESSION_MAX) {
        return parley_link_denied(link, source, frame, name, 400,
                                  name.len == 0 ? "field-missing"
                                                : "field-invalid",
                                  "session_id must have 1 to 256 octets");
    }

    if (frame->session == 0) {
        return parley_link_denied(link, source, frame, name, 400,
                                  "field-invalid",
                                  "the Session ID of the frame must not be 0");
    }

    if (!parley_link_is_token(token)) {
        return parley_link_denied(link, source, frame, name, 401,
                                  "token-invalid",
                                  "auth_token is too long, or has octets that "
                                  "no token has");
    }

    peer = parley_link_string(doc, parley_json_get(doc, 0,
                                                   PARLEY_STR("payload")),
                              PARLEY_STR("peer"));

    if (peer.len > PARLEY_LINK_PEER_MAX) {
        return parley_link_denied(link, source, frame, name, 400,
                                  "field-invalid",
                                  "payload.peer is too long");
    }

    for (s = link->sessions; s != NULL; s = s->next) {

        if (s->id == frame->session && parley_str_eq(s->name, name)) {
            s->stream = frame->stream;
            s->quiet = 0;
            return parley_link_renew(link, s, token);
        }

        if (s->id == frame->session || parley_str_eq(s->name, name)) {
            return parley_link_denied(link, source, frame, name, 409,
                                      "state-conflict",
                                      s->id == frame->session
                                      ? "the Session ID has another session"
                                      : "the session_id has another session");
        }
    }

    if (link->nsessions >= link->conf.sessions) {
        return parley_link_denied(link, source, frame, name, 429,
                                  "rate-limited",
                                  "too many sessions on this connection");
    }

    s = parley_link_alloc(link, sizeof(parley_link_session_t));

    if (s == NULL) {
        return parley_link_memory(link);
    }

    s->next = link->sessions;
    s->id = frame->session;
    s->stream = frame->stream;
    s->source = source;
    source->refs++;

    link->sessions = s;
    link->nsessions++;

    if (parley_link_copy(link, &s->name, name) != 0
        || parley_link_copy(link, &s->peer, peer) != 0)
    {
        return parley_link_memory(link);
    }

    return parley_link_prove(link, s, token);
}


static int
parley_link_renew(parley_link_t *link, parley_link_session_t *s,
    parley_str_t token)
{
    if (s->state == PARLEY_LINK_OPEN) {
        s->state = PARLEY_LINK_RENEWING;
    }

    return parley_link_prove(link, s, token);
}


static int
parley_link_prove(parley_link_t *link, parley_link_session_t *s,
    parley_str_t token)
{
    parley_link_proof_t  proof;

    if (token.len == 0) {
        token = link->setup_token;
    }

    if (parley_link_copy(link, &s->fresh, token) != 0) {
        return parley_link_memory(link);
    }

    memset(&proof, 0, sizeof(parley_link_proof_t));

    proof.session = s;
    proof.token = s->fresh;
    proof.listens = !link->listening || s->listens;

    s->asks = !link->listening;

    if (proof.listens) {
        link->listening = 1;
        s->listens = 1;
    }

    return link->env.prove(link->env.ctx, &proof) == 0
           ? 0 : parley_link_memory(link);
}


void
parley_link_proved(parley_link_t *link, parley_link_session_t *s,
    const parley_link_proved_t *proved)
{
    int  rc;

    if (link->closed) {
        return;
    }

    parley_link_enter(link);

    if (s == NULL) {
        parley_link_setup_proved(link, proved);

    } else {
        rc = proved->status == 0 ? parley_link_accept(link, s, proved)
                                 : parley_link_reject(link, s, proved);

        if (rc == 0) {
            (void) parley_link_listen(link);
        }
    }

    parley_link_done(link);
    parley_link_unblock(link);
}


static void
parley_link_setup_proved(parley_link_t *link,
    const parley_link_proved_t *proved)
{
    link->setup_proving = 0;

    if (proved->status != 0) {
        (void) parley_link_close(link, proved->expired
                                       ? PARLEY_MOQT_EXPIRED_AUTH_TOKEN
                                       : PARLEY_MOQT_UNAUTHORIZED,
                                 "CLIENT_SETUP: the token is refused");
        return;
    }

    link->setup_proved = 1;

    if (parley_link_principal_set(link, proved) == 0
        && parley_link_mailbox_offer(link) == 0)
    {
        (void) parley_link_announce_join(link);
    }
}


/* Returns 1 if the connection has another principal. */

static int
parley_link_principal_set(parley_link_t *link,
    const parley_link_proved_t *proved)
{
    if (link->proved) {
        return !parley_str_eq(link->principal, proved->principal);
    }

    if (parley_link_copy(link, &link->principal, proved->principal) != 0
        || parley_link_copy(link, &link->agent, proved->agent) != 0)
    {
        return parley_link_memory(link);
    }

    link->proved = 1;
    link->proof_by = 0;

    return 0;
}


static int
parley_link_accept(parley_link_t *link, parley_link_session_t *s,
    const parley_link_proved_t *proved)
{
    int                   rc;
    parley_link_proved_t  refused;

    memset(&refused, 0, sizeof(parley_link_proved_t));

    refused.status = 403;
    refused.code = PARLEY_STR("sender-identity-mismatch");
    refused.principal = proved->principal;

    if (!parley_str_eq(s->source->agent, proved->agent)) {
        refused.message = PARLEY_STR("the token is not that of the agent of "
                                     "the track");
        return parley_link_reject(link, s, &refused);
    }

    rc = parley_link_principal_set(link, proved);

    if (rc < 0) {
        return -1;
    }

    if (rc > 0) {
        refused.message = PARLEY_STR("the connection has another principal");
        return parley_link_reject(link, s, &refused);
    }

    parley_link_drop(link, &s->token);

    if (s->state == PARLEY_LINK_PROVING) {
        s->counted = 1;
        parley_link_note(link, PARLEY_LINK_OPENED, s->name, parley_str_none);
    }

    s->token = s->fresh;
    s->fresh = parley_str_none;
    s->state = PARLEY_LINK_OPEN;
    s->asks = 0;

    if (s->track == NULL) {
        s->track = parley_link_answers(link, s->name);

        if (s->track == NULL) {
            return parley_link_memory(link);
        }
    }

    if (parley_link_mailbox_offer(link) != 0
        || parley_link_announce_join(link) != 0)
    {
        return -1;
    }

    /* session_ack answers session_init; without one it only names a mailbox
       that was not known before */

    return s->quiet && (s->mailed || link->mailbox == NULL)
           ? 0 : parley_link_ack(link, s);
}


/*
 * Tells that a token is refused.  A session that was open keeps the token that
 * it had, unless this one is it.
 */

static int
parley_link_reject(parley_link_t *link, parley_link_session_t *s,
    const parley_link_proved_t *proved)
{
    int                 opens;
    parley_moq_frame_t  frame;

    opens = s->state == PARLEY_LINK_PROVING;

    if (s->asks) {
        s->asks = 0;
        s->listens = 0;
        link->listening = 0;
    }

    if (!opens && parley_str_eq(s->fresh, s->token)) {
        return parley_link_bye(link, s, proved->status, proved->message);
    }

    if (s->track == NULL) {
        s->track = parley_link_answers(link, s->name);

        if (s->track == NULL) {
            return parley_link_memory(link);
        }
    }

    memset(&frame, 0, sizeof(parley_moq_frame_t));

    frame.session = s->id;
    frame.stream = s->stream;

    parley_link_note_denied(link, s->name, proved->code, s->source,
                            proved->principal);

    s->state = PARLEY_LINK_OPEN;

    if (parley_link_refuse(link, &frame, PARLEY_STR("session_ack"), s->name,
                           proved->status, proved->code, parley_str_none,
                           proved->message)
        != 0)
    {
        return -1;
    }

    if (opens) {
        parley_link_session_end(link, s, proved->message);

    } else {
        parley_link_drop(link, &s->fresh);
    }

    return 0;
}


static int
parley_link_ack(parley_link_t *link, parley_link_session_t *s)
{
    parley_buf_t  b;
    parley_str_t  json;

    parley_buf_init(&b, &link->arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("action"), PARLEY_STR("session_ack"));
    parley_buf_member(&b, PARLEY_STR("session_id"), s->name);
    parley_buf_member(&b, PARLEY_STR("status"), PARLEY_STR("approved"));

    if (link->mailbox != NULL) {
        parley_buf_name(&b, PARLEY_STR("payload"));
        parley_buf_octet(&b, '{');
        parley_buf_member(&b, PARLEY_STR("mailbox"), link->mailbox->name);
        parley_buf_octet(&b, '}');
    }

    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &json) != 0) {
        return parley_link_memory(link);
    }

    s->mailed = link->mailbox != NULL;

    return parley_link_track_put(link, s->track, PARLEY_MOQ_CMD, s->id,
                                 s->stream, json);
}


static int
parley_link_denied(parley_link_t *link, const parley_link_source_t *source,
    const parley_moq_frame_t *frame, parley_str_t name, int status,
    const char *code, const char *text)
{
    parley_link_note_denied(link, name, parley_str_c(code), source,
                            parley_str_none);

    return parley_link_refuse(link, frame, PARLEY_STR("session_ack"), name,
                              status, parley_str_c(code), parley_str_none,
                              parley_str_c(text));
}


void
parley_link_expired(parley_link_t *link, parley_link_session_t *s, int status,
    parley_str_t message)
{
    parley_link_session_t  *next;

    if (link->closed) {
        return;
    }

    parley_link_enter(link);

    if (s == NULL) {

        /* the token of CLIENT_SETUP; sessions without one of their own used
           it */

        link->setup_proved = 0;

        for (s = link->sessions; s != NULL && !s->listens; s = s->next) {
            /* void */
        }

        link->listening = s != NULL;

        if (link->sessions == NULL) {
            (void) parley_link_close(link, PARLEY_MOQT_EXPIRED_AUTH_TOKEN,
                                     "the token of CLIENT_SETUP has expired");
        }

    } else if (s->state == PARLEY_LINK_PROVING) {

        if (s->listens) {
            s->asks = 0;
            s->listens = 0;
            link->listening = 0;
        }

    } else {
        (void) parley_link_bye(link, s, status, message);
    }

    for (s = link->sessions; s != NULL && !link->setup_proved; s = next) {
        next = s->next;

        if (s->state != PARLEY_LINK_PROVING && link->setup_token.len > 0
            && parley_str_eq(s->token, link->setup_token))
        {
            (void) parley_link_bye(link, s, status, message);
        }
    }

    (void) parley_link_listen(link);

    parley_link_done(link);
    parley_link_unblock(link);
}


static int
parley_link_bye(parley_link_t *link, parley_link_session_t *s, int status,
    parley_str_t text)
{
    int           rc;
    parley_buf_t  b;
    parley_str_t  json;

    parley_buf_init(&b, &link->arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("action"), PARLEY_STR("session_bye"));
    parley_buf_member(&b, PARLEY_STR("session_id"), s->name);
    parley_link_status_put(&b, PARLEY_STR("session_bye"), status,
                           parley_str_none, parley_str_none, text);
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &json) != 0) {
        return parley_link_memory(link);
    }

    rc = parley_link_track_put(link, s->track, PARLEY_MOQ_CMD, s->id,
                               s->stream, json);

    parley_link_session_end(link, s, text);

    return rc;
}


/* If the proof that had the mailbox has ended, another session proves again,
   and gets it. */

static int
parley_link_listen(parley_link_t *link)
{
    parley_link_session_t  *s;

    if (link->listening || link->closed) {
        return 0;
    }

    for (s = link->sessions; s != NULL; s = s->next) {
        if (s->state == PARLEY_LINK_OPEN) {
            s->quiet = 1;
            return parley_link_renew(link, s, s->token);
        }
    }

    return 0;
}


/* Ends a session; its track ends after its last answer. */

static void
parley_link_session_end(parley_link_t *link, parley_link_session_t *s,
    parley_str_t why)
{
    if (s->track != NULL) {
        s->track->ends = 1;
    }

    parley_link_session_free(link, s, why);
}


void
parley_link_session_free(parley_link_t *link, parley_link_session_t *s,
    parley_str_t why)
{
    parley_link_post_t      *post;
    parley_link_session_t  **p;

    for (post = link->posts; post != NULL; post = post->next) {
        if (post->session == s) {
            post->session = NULL;
        }
    }

    for (p = &link->sessions; *p != s; p = &(*p)->next) { /* void */ }

    *p = s->next;
    link->nsessions--;

    if (s->listens) {
        link->listening = 0;
    }

    if (s->counted) {
        parley_link_note(link, PARLEY_LINK_ENDED, s->name, why);
    }

    link->env.forget(link->env.ctx, s);

    parley_link_source_drop(link, s->source);
    parley_link_drop(link, &s->name);
    parley_link_drop(link, &s->token);
    parley_link_drop(link, &s->fresh);
    parley_link_drop(link, &s->peer);
    parley_link_release(link, s);
}
