/*
 * Data streams of the agent: objects, the frames in them, and the commands in
 * the frames.
 *
 * A frame waits, and with it the rest of its stream, while the token of its
 * agent session is being proved, and while too many commands are under way.
 */

#include <string.h>

#include "core/parley_json.h"
#include "gate/link/parley_link_opaque.h"
#include "translate/moq/parley_moq.h"


static int parley_link_object(parley_link_stream_t *st);
static int parley_link_begin(parley_link_stream_t *st);
static int parley_link_collect(parley_link_stream_t *st, parley_str_t part);
static int parley_link_busy(const parley_link_t *link,
    const parley_moq_frame_t *frame);
static int parley_link_frame(parley_link_stream_t *st,
    const parley_moq_frame_t *frame);
static int parley_link_heartbeat(parley_link_t *link,
    const parley_moq_frame_t *frame);
static int parley_link_chunk(parley_link_t *link,
    const parley_moq_frame_t *frame, parley_moq_frame_t *ret);
static int parley_link_cmd(parley_link_stream_t *st,
    const parley_moq_frame_t *frame);
static int parley_link_post(parley_link_t *link,
    const parley_moq_frame_t *frame, const parley_link_post_t *facts);
static int parley_link_malformed(parley_link_t *link,
    const parley_moq_frame_t *frame, const parley_error_t *err);
static parley_str_t parley_link_answer(parley_link_t *link,
    const parley_link_post_t *post, int status);


/* JSON of a command is checked by the location that gets it */
static const parley_json_limits_t  parley_link_limits = {
    .octets = UINT32_MAX,
    .depth = PARLEY_JSON_DEPTH_MAX,
    .string = UINT32_MAX,
    .members = UINT32_MAX
};


int
parley_link_data(parley_link_stream_t *st, parley_str_t *in, int fin,
    uint64_t *code)
{
    int                   rc;
    parley_str_t          part;
    parley_link_t        *link = st->link;
    parley_moqt_fault_t   fault;

    *code = PARLEY_MOQT_REFUSE_INTERNAL_ERROR;

    if (st->held) {

        rc = parley_link_object(st);

        if (rc != 0) {
            return rc < 0 ? -1 : 0;
        }
    }

    if (st->begun && !st->known) {

        rc = parley_link_begin(st);

        if (rc != 0) {
            return rc < 0 ? -1 : 0;
        }
    }

    for ( ;; ) {

        if (!link->proved && st->len >= PARLEY_LINK_EARLY
            && st->data.left > 0)
        {
            st->waits = 1;
            return 0;
        }

        rc = parley_moqt_data_next(&st->data, in, &part, &fault);

        switch (rc) {

        case PARLEY_MOQT_DATA_MORE:

            if (fin && parley_moqt_data_end(&st->data, &fault) != 0) {
                return parley_link_fail(link, &fault);
            }

            rc = fin && st->source != NULL && st->source->name.len > 0
                 ? parley_link_relay_fin(st) : 0;

            if (fin && rc == 0) {
                st->ended = 1;
                rc = parley_link_source_settle(link, st->source);
            }

            return rc < 0 ? -1 : 0;

        case PARLEY_MOQT_DATA_STREAM:

            st->begun = 1;
            rc = parley_link_begin(st);

            if (rc != 0) {
                return rc < 0 ? -1 : 0;
            }

            break;

        case PARLEY_MOQT_DATA_OBJECT:
        case PARLEY_MOQT_DATA_PAYLOAD:

            if (st->data.object.malformed != NULL
                || (rc == PARLEY_MOQT_DATA_OBJECT && st->over))
            {
                *code = PARLEY_MOQT_REFUSE_MALFORMED_TRACK;
                (void) parley_link_source_malformed(st);
                return -1;
            }

            st->over = st->data.object.status != PARLEY_MOQT_STATUS_NORMAL;

            if (parley_link_collect(st, part) != 0) {
                return -1;
            }

            if (rc == PARLEY_MOQT_DATA_OBJECT && st->source->name.len > 0
                && parley_link_copy(link, &st->extensions,
                                    st->data.object.extensions.octets) != 0)
            {
                return parley_link_memory(link);
            }

            if (st->data.left == 0
                && (st->source->name.len > 0
                    || st->data.object.status == PARLEY_MOQT_STATUS_NORMAL))
            {
                st->held = 1;
                rc = parley_link_object(st);

                if (rc != 0) {
                    return rc < 0 ? -1 : 0;
                }
            }

            break;

        default:

            if (fault.stream) {
                return -1;
            }

            return parley_link_fail(link, &fault);
        }
    }
}


/*
 * Finds the track of a stream by its alias.  The control message that gives the
 * alias may come later than the stream.  Returns 1 if it is awaited.
 */

static int
parley_link_begin(parley_link_stream_t *st)
{
    parley_link_t          *link = st->link;
    parley_link_source_t   *source;
    parley_moqt_request_t  *request;

    if (st->data.stream.type == PARLEY_MOQT_STREAM_FETCH) {
        return parley_link_close(link, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                 "FETCH_HEADER: no FETCH was sent");
    }

    request = link->moqt.setup_in
              ? parley_moqt_session_alias(&link->moqt, st->data.stream.alias)
              : NULL;

    source = request != NULL ? request->data
             : parley_link_source_over_of(link, st->data.stream.alias);

    /* the publisher of a track may send before PUBLISH_OK */

    if ((request == NULL && source == NULL)
        || (source != NULL && source->name.len > 0 && !source->forwards
            && !source->answered))
    {
        if (st->since == 0) {
            st->since = link->now;
        }

        st->waits = 1;

        return 1;
    }

    if (source == NULL || (source->name.len > 0 && !source->forwards)) {
        return -1;
    }

    st->since = 0;
    st->known = 1;
    st->source = source;
    st->source->refs++;
    st->source->streams++;

    return 0;
}


/* Collects the octets of an object. */

static int
parley_link_collect(parley_link_stream_t *st, parley_str_t part)
{
    size_t          size, need;
    uint8_t        *p;
    parley_link_t  *link = st->link;

    if (st->data.object.length > link->conf.object) {
        return -1;
    }

    need = (size_t) st->data.object.length;

    if (need > st->size) {

        /* memory grows with the octets that have come */

        size = st->len + part.len;
        size = need < 2 * size ? need : 2 * size;

        if (size > st->size) {
            p = link->env.mem.alloc(link->env.mem.ctx, size);

            if (p == NULL) {
                return parley_link_memory(link);
            }

            if (st->len > 0) {
                memcpy(p, st->octets, st->len);
            }

            parley_link_release(link, st->octets);

            st->octets = p;
            st->size = size;
        }
    }

    if (part.len > 0) {
        memcpy(st->octets + st->len, part.data, part.len);
        st->len += part.len;
    }

    return 0;
}


/* Takes the object of a stream.  Returns 1 if it must wait, or -1. */

static int
parley_link_object(parley_link_stream_t *st)
{
    int                  rc;
    size_t               used;
    parley_str_t         object;
    parley_link_t       *link = st->link;
    parley_error_t       err;
    parley_moq_frame_t   frame;

    if (st->source->name.len > 0) {
        return parley_link_relay_object(st);
    }

    object = parley_str_make(st->octets, st->len);

    memset(&frame, 0, sizeof(parley_moq_frame_t));
    parley_error_clear(&err);

    rc = parley_moq_frame_read(object, (uint32_t) link->conf.object, &frame,
                               &used, &err);

    if (rc == 0 && used != object.len) {
        rc = parley_error_set(&err, PARLEY_E_FIELD_INVALID, "length",
                              "the object has octets after the frame");
    }

    /* the answer to a malformed frame needs room as well */

    if (parley_link_busy(link, &frame)) {
        st->waits = 1;
        return 1;
    }

    st->held = 0;

    parley_link_note_object(link, 0);

    rc = rc != 0 ? parley_link_malformed(link, &frame, &err)
                 : parley_link_frame(st, &frame);

    /* most streams are idle after their object */

    st->len = 0;
    st->size = 0;
    parley_link_release(link, st->octets);
    st->octets = NULL;

    return rc;
}


/* Returns whether a frame has to wait. */

static int
parley_link_busy(const parley_link_t *link, const parley_moq_frame_t *frame)
{
    const parley_link_session_t  *s;

    if (frame->type == PARLEY_MOQ_CMD && link->nposts >= PARLEY_LINK_POSTS) {
        return 1;
    }

    if (link->setup_proving) {
        return 1;
    }

    if (!link->proved && (frame->flags & PARLEY_MOQ_FRAGMENTED)
        && link->reassembly != NULL
        && parley_moq_reassembly_octets(link->reassembly) + frame->payload.len
           > PARLEY_LINK_EARLY)
    {
        return 1;
    }

    for (s = link->sessions; s != NULL; s = s->next) {

        if (s->id == frame->session) {
            return s->state != PARLEY_LINK_OPEN
                   || (s->track != NULL && parley_link_track_full(s->track));
        }
    }

    return 0;
}


static int
parley_link_frame(parley_link_stream_t *st, const parley_moq_frame_t *frame)
{
    int                  rc;
    parley_link_t       *link = st->link;
    parley_moq_frame_t   whole;

    switch (frame->type) {

    case PARLEY_MOQ_HEARTBEAT:
        link->malformed = 0;
        return parley_link_heartbeat(link, frame);

    case PARLEY_MOQ_CMD:
        rc = parley_link_chunk(link, frame, &whole);

        return rc <= 0 ? rc : parley_link_cmd(st, &whole);

    default:
        return parley_link_refuse(link, frame, parley_str_none,
                                  parley_str_none, 400,
                                  PARLEY_STR("payload-kind-mismatch"),
                                  PARLEY_STR("type"),
                                  PARLEY_STR("the track takes CMD and "
                                             "HEARTBEAT frames"));
    }
}


/* Acknowledges a heartbeat of a session (MOQ-04). */

static int
parley_link_heartbeat(parley_link_t *link, const parley_moq_frame_t *frame)
{
    parley_link_session_t  *s;

    s = parley_link_session(link, frame->session);

    if (s == NULL) {
        return 0;
    }

    return parley_link_track_put(link, s->track, PARLEY_MOQ_HEARTBEAT,
                                 frame->session, frame->stream,
                                 parley_str_none);
}


/* Joins the chunks of a payload.  Returns 1 with the whole one in *ret. */

static int
parley_link_chunk(parley_link_t *link, const parley_moq_frame_t *frame,
    parley_moq_frame_t *ret)
{
    int                  rc;
    parley_error_t       err;
    parley_moq_limits_t  limits;

    if (!(frame->flags & PARLEY_MOQ_FRAGMENTED)
        && (link->reassembly == NULL
            || parley_moq_reassembly_count(link->reassembly) == 0))
    {
        *ret = *frame;
        return 1;
    }

    if (link->reassembly == NULL) {

        limits = parley_moq_limits_default;

        limits.size = link->conf.object;
        limits.total = 4 * link->conf.object;
        limits.streams = PARLEY_LINK_POSTS;
        limits.timeout_ms = PARLEY_LINK_CHUNKS;

        link->reassembly = parley_moq_reassembly_create(&link->env.mem,
                                                        &limits);
        if (link->reassembly == NULL) {
            return parley_link_memory(link);
        }
    }

    parley_error_clear(&err);

    rc = parley_moq_reassembly_take(link->reassembly, frame, link->now, ret,
                                    &err);

    /* a payload that has failed is answered once */

    return rc == PARLEY_MOQ_FAILED_BEFORE ? 0
           : rc < 0 ? parley_link_malformed(link, frame, &err) : rc;
}


static int
parley_link_cmd(parley_link_stream_t *st, const parley_moq_frame_t *frame)
{
    int                    rc, local;
    parley_link_t         *link = st->link;
    parley_json_t          doc;
    parley_error_t         err;
    parley_link_post_t     facts;

    local = 0;

    parley_error_clear(&err);
    memset(&facts, 0, sizeof(parley_link_post_t));

    if (parley_moq_frame_cmd(frame, &facts.body, &err) != 0) {
        return parley_link_malformed(link, frame, &err);
    }

    link->malformed = 0;

    facts.session = parley_link_session(link, frame->session);

    /* the location refuses octets that are not JSON */

    if (parley_json_read(&doc, &link->arena, &parley_link_limits, link->seed,
                         facts.body, &err)
        == 0)
    {
        facts.action = parley_link_string(&doc, 0, PARLEY_STR("action"));
        facts.dialogue = parley_link_string(&doc, 0,
                                            PARLEY_STR("session_id"));

        local = parley_moq_is_local(facts.action);

        if (!parley_moq_recipient(&doc, &facts.recipient)
            && facts.session != NULL)
        {
            facts.recipient = facts.session->peer;
        }
    }

    /* session_init has a check of its own */

    if (link->proved && !parley_str_eq(st->source->agent, link->agent)
        && !parley_str_is(facts.action, "session_init"))
    {
        return parley_link_refuse(link, frame, facts.action, facts.dialogue,
                                  403, PARLEY_STR("sender-identity-mismatch"),
                                  parley_str_none,
                                  PARLEY_STR("the track is in the namespace of "
                                             "another agent"));
    }

    if (local) {
        rc = parley_link_watch_command(link, frame, &doc, facts.action);

        return rc <= 0 ? rc : parley_link_command(link, st->source, frame,
                                                  &doc, facts.action);
    }

    if (facts.session != NULL) {
        facts.token = facts.session->token;

    } else if (frame->session == 0 && link->conf.stateless
               && link->setup_proved)
    {
        facts.token = link->setup_token;

    } else {
        return parley_link_refuse(link, frame, facts.action, facts.dialogue,
                                  401, PARLEY_STR("token-missing"),
                                  parley_str_none,
                                  frame->session == 0
                                  ? PARLEY_STR("Session ID 0 is not allowed "
                                               "here")
                                  : PARLEY_STR("the Session ID has no open "
                                               "session"));
    }

    return parley_link_post(link, frame, &facts);
}


/* Posts a command; its octets are copied, since the answer comes later. */

static int
parley_link_post(parley_link_t *link, const parley_moq_frame_t *frame,
    const parley_link_post_t *facts)
{
    size_t               i;
    uint8_t             *p;
    parley_link_post_t  *post;

    parley_str_t  *to;

    static const size_t  texts[] = {
        offsetof(parley_link_post_t, body),
        offsetof(parley_link_post_t, action),
        offsetof(parley_link_post_t, dialogue),
        offsetof(parley_link_post_t, token),
        offsetof(parley_link_post_t, recipient)
    };

    post = parley_link_alloc(link, sizeof(parley_link_post_t)
                                   + facts->body.len + facts->action.len
                                   + facts->dialogue.len + facts->token.len
                                   + facts->recipient.len);
    if (post == NULL) {
        return parley_link_memory(link);
    }

    *post = *facts;

    post->id = frame->session;
    post->stream = frame->stream;

    p = (uint8_t *) (post + 1);

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        to = (parley_str_t *) (void *) ((uint8_t *) post + texts[i]);

        if (to->len > 0) {
            memcpy(p, to->data, to->len);
            to->data = p;
            p += to->len;
        }
    }

    post->next = link->posts;
    link->posts = post;
    link->nposts++;

    return link->env.post(link->env.ctx, post) == 0
           ? 0 : parley_link_memory(link);
}


/*
 * Answers a malformed frame.  Several in a row close the connection, because
 * the peer does not speak the protocol.
 */

static int
parley_link_malformed(parley_link_t *link, const parley_moq_frame_t *frame,
    const parley_error_t *err)
{
    const parley_error_info_t  *info;

    if (++link->malformed == PARLEY_LINK_MALFORMED) {
        return parley_link_close(link, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                 err->text);
    }

    info = parley_error_info(err->code);

    return parley_link_refuse(link, frame, parley_str_none, parley_str_none,
                              info->http, info->word,
                              parley_str_c(err->field),
                              parley_str_c(err->text));
}


void
parley_link_answered(parley_link_t *link, parley_link_post_t *post, int status,
    parley_str_t body)
{
    parley_link_post_t    **p;
    parley_link_session_t  *s;

    for (p = &link->posts; *p != post; p = &(*p)->next) { /* void */ }

    *p = post->next;
    link->nposts--;

    s = post->session;

    if (s != NULL && !link->closed) {
        parley_link_enter(link);

        if (body.len == 0 || body.data[0] != '{') {
            body = parley_link_answer(link, post, status);
        }

        if (body.len > 0) {
            (void) parley_link_track_put(link, s->track, PARLEY_MOQ_CMD,
                                         post->id, post->stream, body);
        }

        parley_link_done(link);
    }

    parley_link_release(link, post);
    parley_link_unblock(link);
}


/* Makes an answer of a status alone.  Returns no octets if memory is
   exhausted. */

static parley_str_t
parley_link_answer(parley_link_t *link, const parley_link_post_t *post,
    int status)
{
    parley_buf_t         b;
    parley_str_t         ret;
    parley_moq_status_t  word;

    word = status < 300 ? PARLEY_MOQ_ACCEPTED
           : status == 401 || status == 403 ? PARLEY_MOQ_DENIED
           : PARLEY_MOQ_ERROR;

    parley_buf_init(&b, &link->arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("action"),
                      post->action.len > 0 ? post->action
                                           : PARLEY_STR("error"));
    parley_buf_member(&b, PARLEY_STR("session_id"),
                      post->dialogue.len > 0 ? post->dialogue
                                             : post->session->name);
    parley_buf_member(&b, PARLEY_STR("status"), parley_moq_status_name(word));

    if (word != PARLEY_MOQ_ACCEPTED) {
        parley_buf_name(&b, PARLEY_STR("error_code"));
        parley_buf_int(&b, status);
    }

    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &ret) != 0) {
        (void) parley_link_memory(link);
    }

    return ret;
}
