/*
 * Logs of opaque tracks: records that they have for publishers and subscribers,
 * and commands about subscriptions.
 */

#include <string.h>

#include "core/parley_json.h"
#include "gate/link/parley_link_opaque.h"


static int parley_link_watch_request(parley_link_t *link,
    const parley_moq_frame_t *frame, parley_str_t session, parley_str_t track);
static int parley_link_watch_cancel(parley_link_t *link,
    const parley_moq_frame_t *frame, parley_str_t session, parley_str_t track);
static int parley_link_watch_refuse(parley_link_t *link,
    const parley_moq_frame_t *frame, parley_str_t action, parley_str_t session,
    int status, const char *code, const char *text);
static int parley_link_watch_tell(parley_link_t *link,
    const parley_moq_frame_t *frame, parley_str_t action, parley_str_t session,
    parley_str_t track);
static int parley_link_watch_joined(parley_link_t *link,
    parley_link_reader_t *r, int status, const char *code);
static int parley_link_publisher_joined(parley_link_t *link,
    parley_link_source_t *s, int status, const char *code);
static int parley_link_publisher_ok(parley_link_t *link,
    parley_link_source_t *s, int64_t count);
static const char *parley_link_left(int status);
static void parley_link_space_joined(parley_link_t *link,
    parley_link_tap_t *tap, int status);
static int parley_link_publisher_record(parley_link_t *link,
    parley_link_tap_t *tap, const parley_link_record_t *record);
static int parley_link_watch_record(parley_link_t *link,
    parley_link_reader_t *r, const parley_link_record_t *record);


int
parley_link_watch_command(parley_link_t *link,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t action)
{
    int                     subscribes;
    parley_str_t            answer, session, track, subscriber, token;
    parley_link_session_t  *s;

    subscribes = parley_str_is(action, "subscribe_request");

    if (!subscribes && !parley_str_is(action, "unsubscribe_request")) {
        return 1;
    }

    answer = subscribes ? PARLEY_STR("track_ready") : action;
    session = parley_link_string(doc, 0, PARLEY_STR("session_id"));
    track = parley_link_string(doc, 0, PARLEY_STR("track_name"));
    token = parley_link_string(doc, 0, PARLEY_STR("auth_token"));

    s = parley_link_session(link, frame->session);

    if (s == NULL) {
        return parley_link_watch_refuse(link, frame, answer, session, 401,
                                        "token-missing", "the Session ID has "
                                        "no open session");
    }

    if (session.len == 0) {
        session = s->name;
    }

    if (token.len > 0 && !parley_link_token_proves(link, token)) {
        parley_link_note_track(link, PARLEY_LINK_DENIED, 0, track,
                               PARLEY_STR("token-invalid"));

        return parley_link_watch_refuse(link, frame, answer, session, 401,
                                        "token-invalid", "auth_token is not "
                                        "one that is proved on this "
                                        "connection");
    }

    if (track.len == 0) {
        return parley_link_watch_refuse(link, frame, answer, session, 400,
                                        "field-missing",
                                        "track_name is missing");
    }

    if (!subscribes) {
        return parley_link_watch_cancel(link, frame, session, track);
    }

    subscriber = parley_link_string(doc, 0, PARLEY_STR("subscriber_id"));

    if (!parley_str_eq(subscriber, link->agent)) {
        parley_link_note_track(link, PARLEY_LINK_DENIED, 0, track,
                               PARLEY_STR("sender-identity-mismatch"));

        return parley_link_watch_refuse(link, frame, answer, session, 403,
                                        "sender-identity-mismatch",
                                        "subscriber_id is not the agent of "
                                        "the session");
    }

    return parley_link_watch_request(link, frame, session, track);
}


/* Checks a subscribe_request: it joins the log of the track, and leaves it. */

static int
parley_link_watch_request(parley_link_t *link,
    const parley_moq_frame_t *frame, parley_str_t session, parley_str_t track)
{
    size_t                 n;
    parley_link_tap_t      tap;
    parley_link_reader_t  *r;

    memset(&tap, 0, sizeof(parley_link_tap_t));

    for (n = 0; n < track.len && track.data[n] != '.'; n++) { /* void */ }

    tap.agent = parley_str_make(track.data, n);
    tap.track = track;
    tap.token = parley_link_token(link);

    if (n > PARLEY_LINK_AGENT_MAX || !parley_link_is_opaque(tap.agent, track)
        || parley_str_is(tap.agent, PARLEY_LINK_GATEWAY))
    {
        return parley_link_watch_refuse(link, frame, PARLEY_STR("track_ready"),
                                        session, 400, "field-invalid",
                                        "track_name is not {agent}.{any}."
                                        "{any but cmd}");
    }

    if (link->nreaders >= link->conf.tracks) {
        return parley_link_watch_refuse(link, frame, PARLEY_STR("track_ready"),
                                        session, 429, "rate-limited",
                                        "too many subscriptions");
    }

    r = parley_link_reader_make(link, &tap);

    if (r == NULL) {
        return parley_link_memory(link);
    }

    r->command = 1;
    r->id = frame->session;
    r->stream = frame->stream;

    return 0;
}


static int
parley_link_watch_cancel(parley_link_t *link,
    const parley_moq_frame_t *frame, parley_str_t session, parley_str_t track)
{
    parley_link_reader_t  *r;

    for (r = link->readers; r != NULL; r = r->next) {
        if (!r->command && !r->status && r->state != PARLEY_LINK_ENDING
            && parley_str_eq(r->track, track))
        {
            if ((r->state == PARLEY_LINK_READING
                 ? parley_link_reader_end(link, r,
                                          PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED,
                                          "unsubscribe_request")
                 : parley_link_watch_lose(link, r, PARLEY_MOQT_REFUSE_TIMEOUT,
                                          "unsubscribe_request"))
                != 0)
            {
                return -1;
            }

            return parley_link_watch_tell(link, frame,
                                          PARLEY_STR("unsubscribe_request"),
                                          session, track);
        }
    }

    return parley_link_watch_refuse(link, frame,
                                    PARLEY_STR("unsubscribe_request"), session,
                                    404, "field-invalid",
                                    "the track has no subscription");
}


static int
parley_link_watch_refuse(parley_link_t *link, const parley_moq_frame_t *frame,
    parley_str_t action, parley_str_t session, int status, const char *code,
    const char *text)
{
    return parley_link_refuse(link, frame, action, session, status,
                              parley_str_c(code), parley_str_none,
                              parley_str_c(text));
}


/* Answers a command about a track. */

static int
parley_link_watch_tell(parley_link_t *link, const parley_moq_frame_t *frame,
    parley_str_t action, parley_str_t session, parley_str_t track)
{
    parley_buf_t            b;
    parley_str_t            json, url;
    parley_link_session_t  *s;

    s = parley_link_session(link, frame->session);

    if (s == NULL) {
        return 0;
    }

    parley_buf_init(&b, &link->arena, 0);
    parley_buf_lit(&b, "moq://track/");
    parley_buf_str(&b, track);

    if (parley_buf_done(&b, &url) != 0) {
        return parley_link_memory(link);
    }

    parley_buf_init(&b, &link->arena, 0);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("action"), action);
    parley_buf_member(&b, PARLEY_STR("session_id"),
                      session.len > 0 ? session : s->name);
    parley_buf_member(&b, PARLEY_STR("status"), PARLEY_STR("approved"));
    parley_buf_member(&b, PARLEY_STR("track_name"), track);

    if (parley_str_is(action, "track_ready")) {
        parley_buf_member(&b, PARLEY_STR("track_url"), url);
    }

    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &json) != 0) {
        return parley_link_memory(link);
    }

    return parley_link_track_put(link, s->track, PARLEY_MOQ_CMD,
                                 frame->session, frame->stream, json);
}


void
parley_link_joined(parley_link_t *link, parley_link_tap_t *tap, int status,
    const char *code)
{
    if (link->closed) {
        return;
    }

    parley_link_enter(link);

    tap->joined = status == 0;

    if (!tap->publishes) {
        (void) parley_link_watch_joined(link, tap->owner, status, code);

    } else if (tap->owner != NULL) {
        (void) parley_link_publisher_joined(link, tap->owner, status, code);

    } else if (status != 0) {
        parley_link_space_joined(link, tap, status);
    }

    parley_link_done(link);
    parley_link_unblock(link);
}


static int
parley_link_watch_joined(parley_link_t *link, parley_link_reader_t *r,
    int status, const char *code)
{
    int                 rc;
    parley_moq_frame_t  frame;

    if (status != 0 && r->state == PARLEY_LINK_JOINING) {
        parley_link_note_track(link, PARLEY_LINK_DENIED, 0, r->track,
                               parley_str_c(code));
    }

    if (!r->command) {

        if (status == 0) {
            r->state = PARLEY_LINK_ASKING;
            r->by = link->now + PARLEY_LINK_READY_BY;
            return parley_link_watch_ask(link, r, 0);
        }

        return parley_link_watch_lose(link, r,
                                      status == 401 || status == 403
                                      ? PARLEY_MOQT_REFUSE_UNAUTHORIZED
                                      : PARLEY_MOQT_REFUSE_INTERNAL_ERROR,
                                      "the subscription is not allowed");
    }

    memset(&frame, 0, sizeof(parley_moq_frame_t));

    frame.session = r->id;
    frame.stream = r->stream;

    rc = status == 0
         ? parley_link_watch_tell(link, &frame, PARLEY_STR("track_ready"),
                                  parley_str_none, r->track)
         : parley_link_watch_refuse(link, &frame, PARLEY_STR("track_ready"),
                                    parley_str_none, status,
                                    status == 401 || status == 403
                                    || code[0] == '\0'
                                    ? "scope-unauthorised" : code,
                                    "the subscription is not allowed");

    parley_link_reader_free(link, r);

    return rc;
}


/* The log of a published track was joined; or its membership has ended. */

static int
parley_link_publisher_joined(parley_link_t *link, parley_link_source_t *s,
    int status, const char *code)
{
    int                   rc;
    parley_link_relay_t   relay;
    parley_link_record_t  done;

    if (status != 0) {

        if (!s->answered) {
            parley_link_note_track(link, PARLEY_LINK_DENIED, 1, s->name,
                                   parley_str_c(code));
        }

        s->limited = status == 429 || status >= 500;

        memset(&done, 0, sizeof(parley_link_record_t));

        done.kind = PARLEY_LINK_DONE;
        done.id = PARLEY_MOQT_DONE_TRACK_ENDED;

        /* subscribers stay for a later publisher */

        return parley_link_source_end(link, s, status == 409 || !s->answered
                                               ? NULL : &done,
                                      parley_link_left(status));
    }

    /* an earlier publisher may have left subscribers */

    memset(&relay, 0, sizeof(parley_link_relay_t));

    relay.track = s->name;
    relay.asks = 1;
    relay.op = PARLEY_LINK_OP_WANT;

    rc = parley_link_tap_relay(link, s->tap, NULL, &relay);

    return rc == 0 ? 0 : parley_link_publisher_ok(link, s,
                                                  rc > 0 ? relay.count : 0);
}


/*
 * Sends PUBLISH_OK to the publisher of a track with that many subscribers.  It
 * has FORWARD 1 if objects are wanted, or if the peer permits no REQUEST_UPDATE
 * that could ask for them later.
 */

static int
parley_link_publisher_ok(parley_link_t *link, parley_link_source_t *s,
    int64_t count)
{
    parley_moqt_effect_t        effect;
    parley_moqt_message_t       ok;
    parley_moqt_pairs_writer_t  w;

    s->wanted = s->wanted || count > 0;
    s->forwards = s->wanted || link->moqt.next_out >= link->moqt.maximum_out;

    memset(&ok, 0, sizeof(parley_moqt_message_t));

    ok.type = PARLEY_MOQT_PUBLISH_OK;
    ok.request = s->request;

    parley_moqt_pairs_writer_init(&w, link->draft, &link->arena);
    parley_moqt_pairs_put_integer(&w, PARLEY_MOQT_PARAM_FORWARD, s->forwards);

    if (parley_moqt_pairs_done(&w, &ok.params) != 0) {
        return parley_link_memory(link);
    }

    if (parley_link_send(link, &ok, &effect) != 0) {
        return -1;
    }

    s->answered = 1;

    parley_link_note_track(link, PARLEY_LINK_OPENED, 1, s->name,
                           parley_str_none);

    return s->wanted ? parley_link_source_want(link, s, 0) : 0;
}


/* Returns the reason for which a publisher has left a log. */

static const char *
parley_link_left(int status)
{
    return status == 409 ? "another connection has the track"
           : status == 401 || status == 403
           ? "the proof has expired or was revoked"
           : "the log of the track cannot be read";
}


/* The membership in the log of a namespace has ended.  Its tracks end too, and
   no further one is asked for. */

static void
parley_link_space_joined(parley_link_t *link, parley_link_tap_t *tap,
    int status)
{
    parley_link_source_t  *s, *next;

    for (s = link->sources; s != NULL; s = next) {
        next = s->next;

        if (s->tap == tap) {
            (void) parley_link_source_end(link, s, NULL,
                                          parley_link_left(status));
        }
    }

    link->space = NULL;
    parley_link_tap_part(link, tap);

    (void) parley_link_announce_cancel(link,
               status == 409 ? PARLEY_MOQT_REFUSE_UNINTERESTED
               : status == 401 || status == 403
               ? PARLEY_MOQT_REFUSE_UNAUTHORIZED
               : PARLEY_MOQT_REFUSE_INTERNAL_ERROR,
               status == 409 ? "another connection has announced the namespace"
                             : "the namespace cannot be announced");
}


void
parley_link_record(parley_link_t *link, parley_link_tap_t *tap,
    parley_str_t octets, int lost)
{
    parley_link_reader_t  *r;
    parley_link_record_t   record;

    if (link->closed) {
        return;
    }

    parley_link_enter(link);

    if (lost && !tap->publishes) {
        r = tap->owner;

        if (r->state == PARLEY_LINK_READING) {
            (void) parley_link_reader_end(link, r,
                                          PARLEY_MOQT_DONE_TOO_FAR_BEHIND,
                                          "objects are lost");
        }

    } else if (octets.len > 0
               && parley_link_record_read(octets, &record) == 0)
    {
        (void) (tap->publishes
                ? parley_link_publisher_record(link, tap, &record)
                : parley_link_watch_record(link, tap->owner, &record));
    }

    parley_link_done(link);
}


static int
parley_link_publisher_record(parley_link_t *link, parley_link_tap_t *tap,
    const parley_link_record_t *record)
{
    parley_link_source_t  *s;

    if (record->kind != PARLEY_LINK_WANT && record->kind != PARLEY_LINK_POLL) {
        return 0;
    }

    if (tap->owner != NULL) {
        s = tap->owner;

        if (!s->answered) {
            s->wanted = 1;
            return 0;
        }

        return parley_link_source_want(link, s,
                                       record->kind == PARLEY_LINK_POLL);
    }

    s = parley_link_source_find(link, record->text);

    if (s == NULL) {

        if (!parley_link_is_opaque(tap->agent, record->text)) {
            return 0;
        }

        if (link->nsources >= link->conf.tracks) {
            parley_link_source_absent(link, tap, record->text);
            return 0;
        }

        s = parley_link_source(link, tap->agent, record->text);

        if (s == NULL) {
            return parley_link_memory(link);
        }

        s->tap = tap;
        s->subscribes = 1;
    }

    return parley_link_source_want(link, s, record->kind == PARLEY_LINK_POLL);
}


static int
parley_link_watch_record(parley_link_t *link, parley_link_reader_t *r,
    const parley_link_record_t *record)
{
    if (r->command) {
        return 0;
    }

    switch (record->kind) {

    case PARLEY_LINK_READY:
        return r->state == PARLEY_LINK_ASKING
               ? parley_link_watch_ready(link, r, record->text) : 0;

    case PARLEY_LINK_ABSENT:
        return r->state == PARLEY_LINK_JOINING ? 0
               : parley_link_watch_lose(link, r,
                                        PARLEY_MOQT_REFUSE_DOES_NOT_EXIST,
                                        "the agent does not publish the "
                                        "track");

    case PARLEY_LINK_OBJECT:
        return parley_link_reader_object(link, r, record);

    case PARLEY_LINK_FIN:
    case PARLEY_LINK_RESET:
        return parley_link_reader_stream_end(link, r, record);

    case PARLEY_LINK_DONE:
        return r->state != PARLEY_LINK_READING ? 0
               : parley_link_reader_end(link, r,
                                        (parley_moqt_done_t) record->id,
                                        "the publisher has ended the track");

    default:
        return 0;
    }
}


void
parley_link_relayed(parley_link_t *link, parley_link_tap_t *tap, uint64_t op,
    int64_t count)
{
    parley_link_source_t  *s;
    parley_link_stream_t  *st;

    if (link->closed) {
        return;
    }

    parley_link_enter(link);

    if (!tap->publishes) {
        (void) parley_link_watch_asked(link, tap->owner,
                                       op == PARLEY_LINK_OP_SPACE, count);

    } else if (op >= PARLEY_LINK_OP_STREAM) {

        for (st = link->streams; st != NULL; st = st->next) {
            if (st->number == op && st->source != NULL) {
                st->relaying = 0;
                parley_link_source_counted(link, st->source, count);

                if (count < 0) {
                    st->stopped = 1;
                    parley_link_source_reset(st);
                }

                break;
            }
        }

    } else if (tap->owner != NULL) {
        s = tap->owner;

        if (op == PARLEY_LINK_OP_WANT && !s->answered) {
            (void) parley_link_publisher_ok(link, s, count);

        } else if (count >= 0) {
            parley_link_source_counted(link, s, count);
        }
    }

    parley_link_done(link);
    parley_link_unblock(link);
}
