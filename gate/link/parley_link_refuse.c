/* Answers of a link to frames that it refuses. */

#include "gate/link/parley_link_parts.h"
#include "translate/moq/parley_moq.h"


/*
 * The error goes to the session of the frame, else to the track of the
 * session_id, else to any session of the connection.
 */

int
parley_link_refuse(parley_link_t *link, const parley_moq_frame_t *frame,
    parley_str_t action, parley_str_t session, int status, parley_str_t code,
    parley_str_t field, parley_str_t text)
{
    parley_buf_t            b;
    parley_str_t            json;
    parley_link_track_t    *t;
    parley_link_session_t  *s;

    s = parley_link_session(link, frame->session);

    if (session.len == 0 && s != NULL) {
        session = s->name;
    }

    t = s != NULL ? s->track
        : session.len > 0 && session.len <= PARLEY_LINK_SESSION_MAX
        ? parley_link_answers(link, session) : NULL;

    if (t == NULL) {

        for (s = link->sessions; s != NULL; s = s->next) {
            if (s->state != PARLEY_LINK_PROVING) {
                t = s->track;
            }
        }

        if (t == NULL) {
            return link->closed ? -1 : 0;
        }
    }

    /* frames of a session wait for room; another peer gets no answer */

    if (s == NULL
        && (parley_link_track_full(t)
            || (!link->proved && t->waiting > PARLEY_LINK_REFUSALS)))
    {
        return 0;
    }

    parley_buf_init(&b, &link->arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("action"),
                      action.len > 0 ? action : PARLEY_STR("error"));

    if (session.len > 0) {
        parley_buf_member(&b, PARLEY_STR("session_id"), session);
    }

    parley_link_status_put(&b, action, status, code, field, text);
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &json) != 0) {
        return parley_link_memory(link);
    }

    for (s = link->sessions;
         s != NULL && s->track != t
         && !(s->track == NULL && parley_str_eq(s->name, session));
         s = s->next)
    { /* void */ }

    /* the session may still begin, unless it is denied */

    t->ends = s == NULL && parley_str_is(action, "session_ack");
    t->spare = s == NULL && !t->ends;

    return parley_link_track_put(link, t, PARLEY_MOQ_CMD, frame->session,
                                 frame->stream, json);
}


/* A session_ack is approved or denied. */

void
parley_link_status_put(parley_buf_t *b, parley_str_t action, int status,
    parley_str_t code, parley_str_t field, parley_str_t text)
{
    size_t  i;

    const struct {
        parley_str_t  name;
        parley_str_t  value;
    } members[] = {
        { parley_str("code"), code },
        { parley_str("field"), field },
        { parley_str("message"), text },
    };

    parley_buf_member(b, PARLEY_STR("status"),
                      parley_moq_status_name(status == 401 || status == 403
                                             || parley_str_is(action,
                                                              "session_ack")
                                             ? PARLEY_MOQ_DENIED
                                             : PARLEY_MOQ_ERROR));
    parley_buf_name(b, PARLEY_STR("error_code"));
    parley_buf_int(b, status);
    parley_buf_name(b, PARLEY_STR("payload"));
    parley_buf_octet(b, '{');

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (members[i].value.len > 0) {
            parley_buf_member(b, members[i].name, members[i].value);
        }
    }

    parley_buf_octet(b, '}');
}
