/* The peer reads what the gateway wrote, and judges it. */

#include "t/simulate-link/parley_sim_link.h"


/* Returns the request that waits, and forgets it. */

static int
sim_asked(sim_conn_t *c, uint64_t id, parley_moqt_type_t *type)
{
    unsigned  i;

    for (i = 0; i < SIM_ASKED; i++) {
        if (c->asked[i].type != 0 && c->asked[i].id == id) {
            *type = c->asked[i].type;
            c->asked[i].type = 0;
            return c->asked[i].index;
        }
    }

    *type = 0;

    return -1;
}


static void
sim_alias(sim_conn_t *c, sim_track_t *t, uint64_t alias)
{
    t->alias = alias;

    if (c->naliases < SIM_ALIASES) {
        memset(&c->aliases[c->naliases], 0, sizeof(sim_alias_t));
        c->aliases[c->naliases].alias = alias;
        c->aliases[c->naliases++].track = (int) (t - c->tracks);
    }
}


static void
sim_published(sim_conn_t *c, const parley_moqt_message_t *m)
{
    sim_track_t  *t;

    if (m->space.count != 2 || !parley_str_is(m->space.fields[0], "a2a")
        || !parley_str_is(m->space.fields[1], "parley"))
    {
        sim_fail("MOQ-15: PUBLISH in another namespace");
    }

    t = sim_track(c, m->name);

    if (t == NULL) {
        return;
    }

    if (t->mailbox && !sim_is(c, t->who))
    {
        sim_fail("MOQ-13: PUBLISH of the mailbox of another principal");
    }

    t->offered = 1;
    t->request = m->request;
    sim_alias(c, t, m->alias);
}


static void
sim_done(sim_conn_t *c, const parley_moqt_message_t *m)
{
    unsigned      i, j;
    sim_track_t  *t;

    for (i = 0; i < c->ntracks; i++) {

        t = &c->tracks[i];

        if (t->request != m->request || !(t->live || t->offered)) {
            continue;
        }

        for (j = 0; j < c->naliases; j++) {
            if (c->aliases[j].track == (int) i
                && c->aliases[j].alias == t->alias)
            {
                c->aliases[j].done = 1;
                c->aliases[j].told = m->streams;
            }
        }

        t->live = 0;
        t->offered = 0;

        if (m->code != PARLEY_MOQT_DONE_TRACK_ENDED) {
            sim_tear(c, t);
        }
    }
}


static void
sim_answered(sim_conn_t *c, const parley_moqt_message_t *m)
{
    int                  index;
    sim_fetch_t         *f;
    sim_track_t         *t;
    parley_moqt_type_t   type;
    parley_moqt_pair_t   pair;

    index = sim_asked(c, m->request, &type);

    if (type == PARLEY_MOQT_SUBSCRIBE) {
        t = &c->tracks[index];
        t->asked = 0;

        if (m->type == PARLEY_MOQT_SUBSCRIBE_OK) {

            if (t->mailbox && !sim_is(c, t->who))
            {
                sim_fail("MOQ-13: a subscription of the mailbox of another "
                         "principal");
            }

            t->live = 1;
            t->request = m->request;
            sim_alias(c, t, m->alias);

            if (t->mailbox && t->any && !t->torn
                && !parley_moqt_pairs_find(sim_draft, &m->params,
                                           PARLEY_MOQT_PARAM_LARGEST_OBJECT,
                                           &pair))
            {
                sim_fail("MOQ-15: SUBSCRIBE_OK has no largest object");
            }
        }

    } else if (type == PARLEY_MOQT_PUBLISH
               && m->type == PARLEY_MOQT_PUBLISH_OK)
    {
        if (c->pubs[index].proved
            && !sim_is(c, c->pubs[index].agent))
        {
            sim_fail("MOQ-13: a track in the namespace of another principal");
        }

    } else if (type == PARLEY_MOQT_PUBLISH) {
        c->pubs[index].done = 1;

    } else if (type == PARLEY_MOQT_PUBLISH_NAMESPACE
               && m->type == PARLEY_MOQT_REQUEST_ERROR
               && c->announce == m->request)
    {
        c->announced = 0;
    }

    for (index = 0; index < SIM_FETCHES; index++) {

        f = &c->fetches[index];

        if (!f->used || f->request != m->request) {
            continue;
        }

        if (m->type == PARLEY_MOQT_FETCH_OK) {
            f->ok = 1;

            if (f->start.group == UINT64_MAX
                || parley_moqt_location_order(m->end, f->end) < 0
                || (f->end.object == 0 && f->end.group >= m->end.group))
            {
                f->end = m->end;
            }

        } else if (m->type == PARLEY_MOQT_REQUEST_ERROR) {
            f->used = 0;
            f->fetch = NULL;
        }
    }
}


static void
sim_message(sim_conn_t *c, const parley_moqt_message_t *m)
{
    switch (m->type) {

    case PARLEY_MOQT_SERVER_SETUP:
        c->ready = 1;
        break;

    case PARLEY_MOQT_PUBLISH:
        sim_published(c, m);
        break;

    case PARLEY_MOQT_SUBSCRIBE:

        if (c->nwants < 4) {
            c->want_agents[c->nwants] = parley_str_is(m->name, "bob.0.cmd");
            c->wants[c->nwants++] = m->request;
        }

        break;

    case PARLEY_MOQT_PUBLISH_DONE:
        sim_done(c, m);
        break;

    case PARLEY_MOQT_GOAWAY:

        if (!c->left) {
            sim_fail("MOQ-17: GOAWAY without a reason");
        }

        break;

    default:
        sim_answered(c, m);
    }
}


/* Judges a gap that is told before an object. */

static void
sim_gap(const sim_conn_t *c, const sim_out_t *out, sim_track_t *t,
    const parley_moqt_object_t *o)
{
    int       gap;
    uint64_t  group, object;

    if (c->faulty) {
        return;
    }

    gap = t->ndue > 0 && (t->due[0] & SIM_GAP);
    group = out->group_gap;
    object = out->object_gap;

    if (t->any && !t->torn
        && ((group > 0 && o->group - group <= t->last.group)
            || (object > 0 && t->last.group == o->group
                && o->id - object <= t->last.object)))
    {
        sim_fail("MOQ-15: a gap is told that has objects");
    }

    if (gap && !t->torn && group == 0 && object == 0 && !t->ended) {
        sim_fail("MOQ-15: a gap before (%llu, %llu) is not told",
                 (unsigned long long) o->group, (unsigned long long) o->id);
    }

    if (!gap && !t->torn && (group > 0 || object > 65535)) {
        sim_fail("MOQ-15: a gap is told before (%llu, %llu) where none is",
                 (unsigned long long) o->group, (unsigned long long) o->id);
    }

    t->ended = 0;
}


/* A record of a mailbox; t is NULL if it was fetched. */

static void
sim_mailed(sim_conn_t *c, sim_out_t *out, const parley_moq_frame_t *frame,
    sim_track_t *t, sim_fetch_t *f)
{
    char    text[SIM_RECORD];
    size_t  len;

    len = sim_record(text, t != NULL ? t->who : f->who,
                     t != NULL ? t->epoch : f->epoch, out->place);

    if (frame->session != 0 || frame->stream != (uint32_t) out->place
        || out->whole_len > len
        || memcmp(out->whole, text + len - out->whole_len, out->whole_len)
           != 0
        || (out->whole_len < len && f == NULL && !t->torn))
    {
        sim_fail("MOQ-15: another record is at the place %llu",
                 (unsigned long long) out->place);
    }

    if (f != NULL) {
        return;
    }

    /* spoiled octets of the control stream may hide messages of the peer */

    if (t->torn || c->faulty) {

        while (t->ndue > 0 && (t->due[0] & ~SIM_GAP) <= out->place) {
            memmove(t->due, t->due + 1, --t->ndue * sizeof(uint64_t));
        }

        return;
    }

    if (t->ndue == 0 || (t->due[0] & ~SIM_GAP) != out->place) {
        sim_fail("MOQ-15: the record %llu comes, and %llu is due",
                 (unsigned long long) out->place,
                 (unsigned long long) (t->ndue > 0 ? t->due[0] & ~SIM_GAP : 0));
    }

    memmove(t->due, t->due + 1, --t->ndue * sizeof(uint64_t));
}


/* A frame of a track of answers. */

static void
sim_reply(sim_conn_t *c, sim_out_t *out, const parley_moq_frame_t *frame,
    sim_track_t *t)
{
    char          name[320];
    unsigned      i;
    sim_open_t   *s;
    sim_frame_t  *f;

    if (frame->stream == 0 || c->faulty) {
        return;         /* of a flood; the frame was spoiled */
    }

    if (frame->stream >= sim_link.nframes) {
        sim_fail("MOQ-17: an answer to a frame that was never sent");
    }

    f = &sim_link.frames[frame->stream];

    if (f->conn != c->number) {
        sim_fail("MOQ-12: an answer to a frame of another connection");
    }

    s = sim_open(c, frame->session);

    if (s != NULL && !s->shaky && f->id == frame->session) {

        snprintf(name, sizeof(name), "parley.%s.cmd", s->name);

        if ((f->open || f->posted > 0) && f->kind != SIM_INIT
            && strcmp(name, t->name) != 0)
        {
            sim_fail("MOQ-17: the answer to %u of %s is on the track %s",
                     frame->stream, s->name, t->name);
        }
    }

    if (f->kind == SIM_BEAT && f->id == frame->session && s != NULL
        && !s->shaky && frame->type != PARLEY_MOQ_HEARTBEAT)
    {
        sim_fail("MOQ-04: a heartbeat has an answer of another type");
    }

    sim_link_tell("%u: %s: %u %.*s", c->number, t->name, frame->stream,
                  (int) out->whole_len, (char *) out->whole);

    /* session_bye of the gateway has the Stream ID of session_init */

    out->whole[out->whole_len] = '\0';

    if (strstr((char *) out->whole, "\"session_bye\"") != NULL
        && f->kind != SIM_BYE)
    {
        if (s != NULL) {
            s->shaky = 1;
        }

        return;
    }

    if (f->kind == SIM_INIT
        && strstr((char *) out->whole, "\"session_ack\"") != NULL
        && strstr((char *) out->whole, "\"approved\"") != NULL)
    {
        if (s == NULL) {
            for (i = 0; i < SIM_NAMES && c->opens[i].id != 0; i++) {
                /* void */
            }

            if (i == SIM_NAMES) {
                return;
            }

            s = &c->opens[i];
            s->id = frame->session;
            s->shaky = (sim_link.tokens[f->token].expired || c->unfit) & 1;
            snprintf(s->name, sizeof(s->name), "%.*s",
                     (int) strlen(t->name) - 11, t->name + 7);

        } else if (strncmp(s->name, t->name + 7, strlen(s->name)) != 0
                   || strlen(s->name) + 11 != strlen(t->name))
        {
            s->shaky = 1;       /* the Session ID has another session now */
        }

        if (!sim_is(c, f->agent))
        {
            sim_fail("MOQ-13: a session of a second principal is open");
        }

        /* the mailbox proves again with the frame of its session_init */

        f->answers = 0;
    }

    if (++f->answers > 1 && f->kind != SIM_INIT) {
        sim_fail("MOQ-17: the frame %u is answered twice", frame->stream);
    }
}


/* A whole object. */

static void
sim_object(sim_conn_t *c, sim_out_t *out)
{
    size_t                  used;
    uint64_t                place;
    sim_track_t            *t;
    sim_fetch_t            *f;
    parley_error_t          err;
    parley_moq_frame_t      frame;
    parley_moqt_object_t   *o;
    parley_moqt_location_t  at;

    o = &out->data.object;
    t = out->alias >= 0 ? &c->tracks[c->aliases[out->alias].track] : NULL;
    f = out->fetch >= 0 ? &c->fetches[out->fetch] : NULL;

    at.group = o->group;
    at.object = o->id;

    if (t != NULL) {

        if (t->any && parley_moqt_location_order(at, t->last) <= 0) {
            sim_fail("MOQ-15: the location (%llu, %llu) of %s comes after "
                     "(%llu, %llu)", (unsigned long long) at.group,
                     (unsigned long long) at.object, t->name,
                     (unsigned long long) t->last.group,
                     (unsigned long long) t->last.object);
        }

        if (o->status == PARLEY_MOQT_STATUS_END_OF_GROUP) {

            if (!t->torn && t->epoch == c->high.epoch
                && at.group != c->gap_group)
            {
                sim_fail("MOQ-15: a group ends where no gap is");
            }

            t->ended = 1;
            t->last = at;
            return;
        }

    } else if (parley_moqt_location_order(at, f->start) < 0
               && f->start.group != UINT64_MAX)
    {
        sim_fail("MOQ-15: an object before the range of its fetch");

    } else if (parley_moqt_location_order(at, f->end) >= 0
               && (f->end.object != 0 || at.group > f->end.group))
    {
        sim_fail("MOQ-15: an object (%llu, %llu) after the range of its fetch",
                 (unsigned long long) at.group,
                 (unsigned long long) at.object);
    }

    if (parley_moq_frame_read(parley_str_make(out->frame, out->frame_len),
                              SIM_OBJECT, &frame, &used, &err) != 0
        || used != out->frame_len)
    {
        sim_fail("MOQ-12: the gateway sends a malformed frame");
    }

    place = at.group * 256 + at.object / 65536;

    if (out->whole_len == 0 || place != out->place || at.object != out->id) {

        if (out->whole_len > 0
            || (at.object % 65536 != 0 && f == NULL && !t->torn))
        {
            sim_fail("MOQ-15: a message misses its chunks");
        }

        out->place = place;

        if (f != NULL) {

            if (f->got != 0 && place != f->got + 1
                && (place != f->got || at.object % 65536 == 0))
            {
                sim_fail("MOQ-15: a fetch misses records before %llu",
                         (unsigned long long) place);
            }

            f->got = place;     /* its last chunk may be after the range */
        }
    }

    if (t != NULL && t->mailbox) {

        if (out->whole_len == 0) {
            sim_gap(c, out, t, o);
        }
    }

    if (t != NULL) {
        t->any = 1;
        t->last = at;
    }

    out->whole = realloc(out->whole, out->whole_len + frame.payload.len + 1);
    memcpy(out->whole + out->whole_len, frame.payload.data,
           frame.payload.len);
    out->whole_len += frame.payload.len;
    out->id = at.object + 1;

    if (frame.flags & PARLEY_MOQ_FRAGMENTED) {
        return;
    }

    sim_run.received++;

    if (t == NULL || t->mailbox) {
        sim_mailed(c, out, &frame, t, f);

    } else {
        sim_reply(c, out, &frame, t);
    }

    out->whole_len = 0;
}


/* Finds the track of a stream.  Returns 0 if it is not known yet. */

static int
sim_header(sim_conn_t *c, sim_out_t *out)
{
    unsigned               i;
    parley_moqt_stream_t  *s;

    s = &out->data.stream;

    if (s->type == PARLEY_MOQT_STREAM_FETCH) {

        for (i = 0; i < SIM_FETCHES; i++) {
            if (c->fetches[i].used && c->fetches[i].request == s->request) {
                out->fetch = (int) i;
                return 1;
            }
        }

        return 0;
    }

    for (i = 0; i < c->naliases; i++) {
        if (c->aliases[i].alias == s->alias) {
            out->alias = (int) i;
            c->aliases[i].streams++;
            return 1;
        }
    }

    return 0;
}


static void
sim_stream_end(sim_conn_t *c, sim_out_t *out)
{
    uint64_t      last;
    sim_fetch_t  *f;

    out->seen = 1;

    if (out->fetch >= 0) {
        f = &c->fetches[out->fetch];

        last = f->end.object == 0 ? f->end.group * 256 + 255
               : f->end.group * 256 + (f->end.object - 1) / 65536;

        if (out->finished && !f->cancelled
            && (f->lost || (f->got < last && f->got < f->at)))
        {
            sim_fail("MOQ-15: a fetch ends with FIN after %llu, and its "
                     "range ends at %llu", (unsigned long long) f->got,
                     (unsigned long long) last);
        }

        f->used = 0;
        return;
    }

    if (out->alias < 0) {
        c->headless = 1;        /* a stream was reset before its header */
    }

    if (out->alias >= 0 && out->reset) {
        c->aliases[out->alias].torn = 1;
        sim_tear(c, &c->tracks[c->aliases[out->alias].track]);
    }
}


static void
sim_read(sim_conn_t *c, sim_out_t *out)
{
    int                    rc;
    parley_str_t           in, part;
    parley_moqt_fault_t    fault;

    in = parley_str_make(out->octets, out->len);

    if (out->alias < 0 && out->fetch < 0 && out->begun
        && !sim_header(c, out))
    {
        return;
    }

    while (!out->stopped
           && (rc = parley_moqt_data_next(&out->data, &in, &part, &fault))
              != 0)
    {
        if (rc < 0) {
            sim_fail("MOQ-12: the gateway breaks the protocol on a stream: "
                     "%s: %s", fault.member, fault.text);
        }

        if (rc == PARLEY_MOQT_DATA_STREAM) {
            out->begun = 1;

            if (!sim_header(c, out)) {
                break;
            }

            continue;
        }

        if (rc == PARLEY_MOQT_DATA_OBJECT) {
            out->frame_len = 0;

            /* extensions are valid only now */

            out->group_gap = parley_moqt_pairs_integer(sim_draft,
                                 &out->data.object.extensions,
                                 PARLEY_MOQT_EXT_GROUP_GAP, 0);
            out->object_gap = parley_moqt_pairs_integer(sim_draft,
                                  &out->data.object.extensions,
                                  PARLEY_MOQT_EXT_OBJECT_GAP, 0);

            if (out->data.object.malformed != NULL) {
                sim_fail("MOQ-15: a malformed track: %s",
                         out->data.object.malformed);
            }
        }

        out->frame = realloc(out->frame, out->frame_len + part.len + 1);

        if (part.len > 0) {
            memcpy(out->frame + out->frame_len, part.data, part.len);
        }

        out->frame_len += part.len;

        if (out->data.left == 0) {
            sim_object(c, out);
        }
    }

    if (in.len > 0 && in.len < out->len) {
        memmove(out->octets, in.data, in.len);
    }

    out->len = in.len;

    if (out->len == 0 && (out->finished || out->reset) && !out->seen) {

        if (out->finished && (out->alias >= 0 || out->fetch >= 0)
            && parley_moqt_data_end(&out->data, &fault) != 0)
        {
            sim_fail("MOQ-12: the gateway ends a stream in an object");
        }

        if (out->alias >= 0 || out->fetch >= 0 || out->reset) {
            sim_stream_end(c, out);
        }
    }
}


/* A stream of a group ends before the next one of its track begins. */

static void
sim_fins(sim_conn_t *c)
{
    sim_out_t  *a, *b;

    for (a = c->outs; a != NULL; a = a->next) {

        for (b = a->next; b != NULL && a->open && a->alias >= 0; b = b->next) {

            if (b->alias == a->alias) {
                sim_fail("MOQ-15: a group has no FIN, and the next one has "
                         "begun");
            }
        }
    }
}


/* Reads the list of agents. */

static void
sim_listed(sim_conn_t *c)
{
    int                    rc;
    parley_str_t           in;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    in = parley_str_make(c->listed.octets, c->listed.len);

    while ((rc = parley_moqt_control_next(&c->list_control, &in, &m, &fault))
           != 0)
    {
        if (rc < 0 || parley_moqt_session_accept(&c->client, &m, &effect,
                                                 &fault) != 0)
        {
            sim_fail("MOQ-08: the list breaks the protocol: %s: %s",
                     fault.member, fault.text);
        }

        if (m.type == PARLEY_MOQT_NAMESPACE) {
            c->list_names++;

        } else {
            c->list_ok = m.type == PARLEY_MOQT_REQUEST_OK ? 1 : 2;
        }
    }

    c->listed.len = 0;
}


void
sim_look(sim_conn_t *c)
{
    int                    rc;
    sim_out_t             *out, **p;
    parley_str_t           in;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    in = parley_str_make(c->out.octets, c->out.len);

    while (!c->closed
           && (rc = parley_moqt_session_take(&c->client, &in, &m, &effect,
                                             &fault))
              != 0)
    {
        if (rc < 0) {
            sim_fail("MOQ-12: the gateway breaks the protocol: %s: %s: %s",
                     fault.place, fault.member, fault.text);
        }

        sim_message(c, &m);
    }

    c->out.len = 0;

    if (c->list != NULL && !c->closed) {
        sim_listed(c);
    }

    for (out = c->outs; out != NULL && !c->closed; out = out->next) {
        sim_read(c, out);
    }

    sim_fins(c);

    for (p = &c->outs; (out = *p) != NULL; /* void */ ) {

        if (!out->seen && !(out->stopped && !out->open)) {
            p = &out->next;
            continue;
        }

        *p = out->next;
        parley_moqt_data_free(&out->data);
        free(out->octets);
        free(out->frame);
        free(out->whole);
        free(out);
    }
}
