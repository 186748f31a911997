/* The peer reads and judges the octets of the gateway. */

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

    if (type != 0 && index >= SIM_OPAQUE) {
        sim_watched(c, m, type, (unsigned) index - SIM_OPAQUE);
        return;
    }

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
            c->want_logs[c->nwants] = sim_log_of(m->space.fields[1], m->name);
            c->wants[c->nwants++] = m->request;
        }

        break;

    case PARLEY_MOQT_PUBLISH_DONE:
        sim_done(c, m);
        sim_unwatched(c, m);
        break;

    case PARLEY_MOQT_REQUEST_UPDATE:
    case PARLEY_MOQT_UNSUBSCRIBE:
        sim_video_told(c, m);
        break;

    case PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL:
        c->announced = 0;
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


/* A whole object. */

static void
sim_object(sim_conn_t *c, sim_out_t *out)
{
    int                     order;
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

        order = t->any ? parley_moqt_location_order(at, t->last) : 1;

        /* another subscription is told the same end of a group */

        if (order < 0
            || (order == 0 && o->status != PARLEY_MOQT_STATUS_END_OF_GROUP))
        {
            sim_fail("MOQ-15: the location (%llu, %llu) of %s comes after "
                     "(%llu, %llu)", (unsigned long long) at.group,
                     (unsigned long long) at.object, t->name,
                     (unsigned long long) t->last.group,
                     (unsigned long long) t->last.object);
        }

        if (o->status == PARLEY_MOQT_STATUS_END_OF_GROUP) {

            if (!t->torn && t->epoch == c->high.epoch
                && !(c->gaps >> at.group % 64 & 1))
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

    } else if ((f->ok || f->start.group != UINT64_MAX)
               && parley_moqt_location_order(at, f->end) >= 0
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

    for (i = 0; i < SIM_WATCHES; i++) {
        if (c->watches[i].used && !c->watches[i].status
            && c->watches[i].alias == s->alias)
        {
            out->watch = (int) i;
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

    if (out->alias < 0 && out->watch < 0) {
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

    if (out->alias < 0 && out->fetch < 0 && out->watch < 0 && out->begun
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

        if (out->data.left == 0 && out->watch >= 0) {
            sim_seen(c, out);

        } else if (out->data.left == 0) {
            sim_object(c, out);
        }
    }

    if (in.len > 0 && in.len < out->len) {
        memmove(out->octets, in.data, in.len);
    }

    out->len = in.len;

    if (out->len == 0 && (out->finished || out->reset) && !out->seen) {

        if (out->finished
            && (out->alias >= 0 || out->fetch >= 0 || out->watch >= 0)
            && parley_moqt_data_end(&out->data, &fault) != 0)
        {
            sim_fail("MOQ-12: the gateway ends a stream in an object");
        }

        if (out->alias >= 0 || out->fetch >= 0 || out->watch >= 0
            || out->reset)
        {
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
