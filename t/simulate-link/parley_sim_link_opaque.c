/*
 * Opaque tracks: their logs, which the adapter has, their publishers and their
 * subscribers.  Each agent has two tracks, video 0 and 1, and a log of its
 * namespace.
 *
 * The payload of a frame is the number of its film: a frame that was sent.
 */

#include "t/simulate-link/parley_sim_link.h"


/* Returns the log of a track, "" for the namespace; or SIM_LOGS. */

unsigned
sim_log_of(parley_str_t agent, parley_str_t track)
{
    char      name[32];
    unsigned  i;

    for (i = 0; i < SIM_LOGS; i++) {

        if (!parley_str_eq(agent, parley_str_c(sim_names[i / 3]))) {
            continue;
        }

        snprintf(name, sizeof(name), "%s.%u.video", sim_names[i / 3],
                 i % 3 - 1);

        if (i % 3 == 0 ? track.len == 0
                       : parley_str_eq(track, parley_str_c(name)))
        {
            return i;
        }
    }

    return SIM_LOGS;
}


static sim_member_t *
sim_member(const parley_link_tap_t *tap)
{
    return tap->data;
}


int
sim_env_join(void *ctx, parley_link_tap_t *tap)
{
    unsigned       i;
    sim_conn_t    *c = ctx;
    sim_member_t  *m;

    for (i = 0; i < SIM_MEMBERS && c->members[i].tap != NULL; i++) {
        /* void */
    }

    if (i == SIM_MEMBERS) {
        sim_fail("MOQ-16: a connection has joined %d logs", SIM_MEMBERS);
    }

    m = &c->members[i];
    memset(m, 0, sizeof(sim_member_t));

    m->tap = tap;
    m->log = sim_log_of(tap->agent, tap->track);
    tap->data = m;

    return 0;
}


void
sim_env_part(void *ctx, parley_link_tap_t *tap)
{
    unsigned  i;

    (void) ctx;

    memset(sim_member(tap), 0, sizeof(sim_member_t));

    /* it is not told of its records; another may get its address */

    for (i = 0; i < sim_link.nrelays; i++) {
        if (sim_link.relays[i].tap == tap) {
            sim_link.relays[i].tap = NULL;
        }
    }
}


/* Returns the members that get a record. */

static int64_t
sim_members(unsigned log, unsigned publisher)
{
    int64_t              count;
    unsigned             i, j;
    const sim_member_t  *m;

    for (i = 0, count = 0; i < SIM_CONNS; i++) {

        for (j = 0; j < SIM_MEMBERS && sim_link.conns[i].number != 0; j++) {
            m = &sim_link.conns[i].members[j];

            count += m->tap != NULL && m->joined && m->log == log
                     && m->tap->publishes == publisher;
        }
    }

    return count;
}


int
sim_env_relay(void *ctx, parley_link_relay_t *relay)
{
    unsigned       log;
    sim_conn_t    *c = ctx;
    sim_relay_t   *r;

    log = sim_log_of(relay->tap->agent, relay->track);
    relay->count = sim_members(log, relay->publisher);

    if (log == SIM_LOGS || sim_link.nrelays == SIM_RELAYS
        || sim_chance(1))
    {
        return -1;
    }

    if (relay->asks && sim_chance(70)) {
        return 1;
    }

    r = &sim_link.relays[sim_link.nrelays];
    memset(r, 0, sizeof(sim_relay_t));

    r->log = log;
    r->publisher = relay->publisher;
    r->seq = ++sim_link.seq;

    if (!relay->asks) {
        r->len = relay->record.len;
        r->octets = malloc(r->len);
        memcpy(r->octets, relay->record.data, r->len);
    }

    if (!relay->asks && sim_chance(60)) {
        sim_link.nrelays++;
        return 1;
    }

    r->conn = c->number;
    r->tap = relay->tap;
    r->op = relay->op;
    r->count = relay->count;

    sim_link.nrelays++;

    return 0;
}


/*
 * Ends a join: the adapter has its result.  A later publisher ends the
 * membership of an earlier one.  Returns whether there was one.
 */

int
sim_join(sim_conn_t *c)
{
    int            status;
    unsigned       i, j, token;
    sim_member_t  *m, *other;
    sim_token_t   *t;

    for (i = 0; i < SIM_MEMBERS; i++) {
        m = &c->members[i];

        if (m->tap != NULL && !m->told) {
            break;
        }
    }

    if (i == SIM_MEMBERS || c->closed) {
        return 0;
    }

    token = sim_token_number(m->tap->token);
    t = &sim_link.tokens[token];

    status = !t->proved || t->expired || t->conn != c->number ? 401
             : m->tap->publishes
             ? m->log / 3 == t->who || m->log == SIM_LOGS ? 0 : 403
             : m->log < SIM_LOGS
               && (m->log / 3 == t->who
                   || sim_link.rules[t->who][m->log / 3]) ? 0 : 403;

    if (m->tap->publishes && !c->faulty && status == 403) {
        sim_fail("MOQ-13: a publisher in the namespace of another principal");
    }

    for (i = 0; i < SIM_CONNS && m->tap->publishes && status == 0; i++) {

        for (j = 0; j < SIM_MEMBERS && sim_link.conns[i].number != 0; j++) {
            other = &sim_link.conns[i].members[j];

            if (other->tap != NULL && other->joined && other != m
                && other->tap->publishes && other->log == m->log
                && !sim_link.conns[i].closed)
            {
                other->joined = 0;
                parley_link_joined(sim_link.conns[i].link, other->tap, 409,
                                   "state-conflict");
                sim_after(&sim_link.conns[i]);
            }
        }
    }

    if (c->closed || m->tap == NULL) {
        return 1;
    }

    sim_link_tell("%u: joins %.*s: %d", c->number, (int) m->tap->track.len,
                  (const char *) m->tap->track.data, status);

    m->told = 1;
    m->joined = status == 0;
    m->since = sim_link.seq;

    parley_link_joined(c->link, m->tap, status, "");
    sim_after(c);

    return 1;
}


/* Passes the first record on to all members of its log.  One that was refused
   gets it too, until the link has parted.  Returns whether there was one. */

int
sim_relay(void)
{
    unsigned       i, j;
    sim_conn_t    *c;
    sim_relay_t    r;
    sim_member_t  *m;

    if (sim_link.nrelays == 0) {
        return 0;
    }

    r = sim_link.relays[0];
    memmove(sim_link.relays, sim_link.relays + 1,
            --sim_link.nrelays * sizeof(sim_relay_t));

    for (i = 0; i < SIM_CONNS; i++) {
        c = &sim_link.conns[i];

        for (j = 0; j < SIM_MEMBERS && c->number != 0 && !c->closed; j++) {
            m = &c->members[j];

            if (m->tap != NULL && r.conn == c->number && r.tap == m->tap) {
                r.conn = 0;

                if (r.op != 0) {
                    parley_link_relayed(c->link, m->tap, r.op, r.count);
                    sim_after(c);
                }
            }

            if (r.octets != NULL && m->tap != NULL && !c->closed && m->told
                && m->log == r.log && m->since < r.seq
                && m->tap->publishes == r.publisher)
            {
                parley_link_record(c->link, m->tap,
                                   parley_str_make(r.octets, r.len), 0);
                sim_after(c);
            }
        }
    }

    free(r.octets);

    return 1;
}


/* The membership of a subscriber ends: its token does. */

void
sim_unrule(sim_conn_t *c)
{
    unsigned       i;
    sim_member_t  *m;

    for (i = 0; i < SIM_MEMBERS && !c->closed; i++) {
        m = &c->members[i];

        if (m->tap != NULL && m->joined && sim_chance(50)) {
            m->joined = 0;
            parley_link_joined(c->link, m->tap, 401, "token-expired");
            sim_after(c);
            return;
        }
    }
}


/* The peer offers a track, or ends it. */

void
sim_offer(sim_conn_t *c)
{
    char                   name[32];
    unsigned               i;
    sim_video_t           *v;
    parley_moqt_message_t  m;

    i = sim_below(SIM_VIDEOS);
    v = &c->videos[i];

    memset(&m, 0, sizeof(m));

    if (v->used) {

        if (v->done || v->subscribed || !sim_chance(20)) {
            return;
        }

        m.type = PARLEY_MOQT_PUBLISH_DONE;
        m.request = v->request;
        m.code = PARLEY_MOQT_DONE_TRACK_ENDED;
        memset(v, 0, sizeof(sim_video_t));
        sim_control(c, &m);
        return;
    }

    v->used = 1;
    v->alias = ++c->next_alias;
    v->log = 3 * (c->evil && sim_chance(30) ? 1 - c->who : c->who) + 1
             + sim_below(2);

    snprintf(name, sizeof(name), "%s.%u.video", sim_names[v->log / 3],
             v->log % 3 - 1);

    m.type = PARLEY_MOQT_PUBLISH;
    m.name = parley_str_c(name);
    m.alias = v->alias;
    sim_space(&m, sim_names[v->log / 3]);

    sim_ask(c, &m, SIM_OPAQUE + (int) i);
    sim_control(c, &m);

    v->request = m.request;

    if (m.request > UINT64_MAX - 2) {
        v->used = 0;
    }
}


/* Answers SUBSCRIBE of the gateway of such a track. */

int
sim_supply(sim_conn_t *c, parley_moqt_message_t *m, unsigned log)
{
    unsigned      i;
    sim_video_t  *v;

    for (i = 0; i < SIM_VIDEOS && c->videos[i].used; i++) { /* void */ }

    if (i == SIM_VIDEOS || sim_chance(20)) {
        return 0;
    }

    v = &c->videos[i];
    memset(v, 0, sizeof(sim_video_t));

    v->used = 1;
    v->subscribed = 1;
    v->forward = 1;
    v->alias = ++c->next_alias;
    v->log = log;
    v->request = m->request;

    m->type = PARLEY_MOQT_SUBSCRIBE_OK;
    m->alias = v->alias;

    return 1;
}


/* The gateway has sent a message about a track of the peer. */

void
sim_video_told(sim_conn_t *c, const parley_moqt_message_t *m)
{
    unsigned      i;
    sim_video_t  *v;

    for (i = 0; i < SIM_VIDEOS; i++) {
        v = &c->videos[i];

        if (!v->used) {
            continue;
        }

        if (m->type == PARLEY_MOQT_UNSUBSCRIBE && m->request == v->request) {
            memset(v, 0, sizeof(sim_video_t));

        } else if (m->type == PARLEY_MOQT_REQUEST_UPDATE
                   && m->existing == v->request)
        {
            v->forward = (unsigned)
                         parley_moqt_pairs_integer(sim_draft, &m->params,
                                                   PARLEY_MOQT_PARAM_FORWARD,
                                                   1) & 1;
        }
    }

    if (m->type == PARLEY_MOQT_REQUEST_UPDATE && c->nupdates < SIM_UPDATES) {
        c->updates[c->nupdates++] = m->request;
    }
}


/* Answers REQUEST_UPDATE of the gateway.  Returns whether there was one. */

int
sim_updated(sim_conn_t *c)
{
    parley_moqt_message_t  m;

    if (c->closed || c->nupdates == 0) {
        return 0;
    }

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_REQUEST_OK;
    m.request = c->updates[--c->nupdates];
    sim_control(c, &m);

    return 1;
}


/* The peer subscribes to a track, asks for its status, or ends that. */

void
sim_watch(sim_conn_t *c)
{
    char                   name[32];
    unsigned               i, index;
    sim_watch_t           *x;
    parley_moqt_message_t  m;

    index = sim_below(SIM_WATCHES);
    x = &c->watches[index];

    memset(&m, 0, sizeof(m));

    if (x->used) {

        if (x->live && sim_chance(30)) {
            m.type = PARLEY_MOQT_UNSUBSCRIBE;
            m.request = x->request;
            x->torn = 1;
            x->live = 0;
            sim_control(c, &m);
        }

        return;
    }

    memset(x, 0, sizeof(sim_watch_t));

    x->used = 1;
    x->log = 3 * sim_below(2) + 1 + sim_below(2);

    for (i = 0; i < 4 && sim_members(x->log, 1) == 0; i++) {
        x->log = 3 * (i / 2) + 1 + i % 2;
    }

    x->status = sim_chance(30) & 1;

    snprintf(name, sizeof(name), "%s.%u.video", sim_names[x->log / 3],
             x->log % 3 - 1);

    m.type = x->status ? PARLEY_MOQT_TRACK_STATUS : PARLEY_MOQT_SUBSCRIBE;
    m.name = parley_str_c(name);
    sim_space(&m, sim_names[x->log / 3]);

    sim_ask(c, &m, SIM_OPAQUE + (int) index);
    sim_control(c, &m);

    x->request = m.request;

    if (m.request > UINT64_MAX - 2) {
        x->used = 0;
    }
}


/* A request of a track has its answer. */

void
sim_watched(sim_conn_t *c, const parley_moqt_message_t *m,
    parley_moqt_type_t type, unsigned index)
{
    sim_watch_t  *x;

    if (type == PARLEY_MOQT_PUBLISH) {

        if (m->type != PARLEY_MOQT_PUBLISH_OK) {
            memset(&c->videos[index], 0, sizeof(sim_video_t));
        }

        return;
    }

    x = &c->watches[index];

    if (m->type == PARLEY_MOQT_REQUEST_ERROR) {
        memset(x, 0, sizeof(sim_watch_t));
        return;
    }

    if (!c->faulty && !sim_is(c, x->log / 3)
        && !sim_link.rules[sim_is(c, 1)][x->log / 3])
    {
        sim_fail("MOQ-16: %s may read %s, and no rule allows it",
                 sim_names[sim_is(c, 1)], sim_names[x->log / 3]);
    }

    if (x->status) {
        memset(x, 0, sizeof(sim_watch_t));
        return;
    }

    x->live = 1;
    x->alias = m->alias;
}


/* PUBLISH_DONE of a subscription.  Its streams may still come. */

void
sim_unwatched(sim_conn_t *c, const parley_moqt_message_t *m)
{
    unsigned      i;
    sim_watch_t  *x;

    for (i = 0; i < SIM_WATCHES; i++) {
        x = &c->watches[i];

        if (x->used && x->live && x->request == m->request) {
            x->live = 0;
            x->torn = 1;
        }
    }
}


/* Sends a stream of some frames. */

void
sim_film(sim_conn_t *c)
{
    char                       text[SIM_FILM];
    unsigned                   i, n, count;
    parley_buf_t               b;
    sim_video_t               *v;
    sim_input_t               *in;
    parley_arena_t             arena;
    parley_moq_frame_t         f;
    parley_moqt_object_t       o;
    parley_moqt_stream_t       st;
    parley_moqt_data_writer_t  writer;

    v = &c->videos[sim_below(SIM_VIDEOS)];

    for (i = 0; i < SIM_VIDEOS && !v->forward; i++) {
        v = &c->videos[i];
    }

    for (i = 0; i < SIM_INPUTS && c->inputs[i].octets != NULL; i++) {
        /* void */
    }

    count = 1 + sim_below(4);

    if (!v->used || (!v->forward && sim_chance(80)) || i == SIM_INPUTS
        || c->closed || sim_link.nfilms + count >= SIM_FILMS)
    {
        return;
    }

    in = &c->inputs[i];
    memset(in, 0, sizeof(sim_input_t));
    memset(&st, 0, sizeof(st));

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    st.type = PARLEY_MOQT_STREAM_SUBGROUP;
    st.alias = v->alias;
    st.group = ++v->group;

    if (parley_moqt_data_write(&writer, sim_draft, &b, &st) != 0) {
        abort();
    }

    in->film = sim_link.nfilms;

    for (n = 0; n < count; n++) {
        sim_film_t  *film = &sim_link.films[sim_link.nfilms];

        memset(film, 0, sizeof(sim_film_t));
        memset(&f, 0, sizeof(f));
        memset(&o, 0, sizeof(o));

        film->log = v->log;
        film->first = in->film;
        film->alien = sim_chance(5) & 1;

        memset(text, 'v', sizeof(text));
        snprintf(text, 8, "%06u", sim_link.nfilms++);
        text[6] = 'v';

        f.type = sim_chance(50) ? PARLEY_MOQ_DATA : PARLEY_MOQ_STREAM;
        f.session = film->alien ? 900000 + sim_below(3) : c->opens[0].id;
        f.payload = parley_str_make(text, 6 + sim_below(SIM_FILM - 6));

        o.id = n;
        o.length = PARLEY_MOQ_HEADER_LEN + f.payload.len;

        if (parley_moqt_object_write(&writer, &b, &o) != 0) {
            abort();
        }

        parley_moq_frame_write(&b, &f);
    }

    in->len = b.len;
    in->octets = malloc(b.len);
    memcpy(in->octets, b.data, b.len);

    parley_arena_reset(&arena);

    in->st = parley_link_stream(c->link, PARLEY_LINK_DATA, NULL);

    if (in->st == NULL) {
        free(in->octets);
        in->octets = NULL;

    } else if (sim_chance(60)) {
        (void) sim_give(c, in, SIZE_MAX);
    }
}


/* An object of a track has come: it is one of the track, whole, and follows the
   one before. */

void
sim_seen(sim_conn_t *c, sim_out_t *out)
{
    char                  digits[8];
    size_t                used;
    unsigned              n;
    sim_film_t           *film;
    sim_watch_t          *x;
    parley_error_t        err;
    parley_moq_frame_t    f;

    x = &c->watches[out->watch];

    if (parley_moq_frame_read(parley_str_make(out->frame, out->frame_len),
                              SIM_OBJECT, &f, &used, &err) != 0
        || used != out->frame_len || f.type == PARLEY_MOQ_CMD)
    {
        sim_fail("MOQ-16: an object is not a frame of an opaque track");
    }

    sim_run.received++;

    if (sim_link.spoiled) {
        return;         /* the octets of an attacker may be anything */
    }

    if (f.payload.len < 6) {
        sim_fail("MOQ-16: an object has another payload");
    }

    memcpy(digits, f.payload.data, 6);
    digits[6] = '\0';
    n = (unsigned) strtoul(digits, NULL, 10);
    film = &sim_link.films[n % SIM_FILMS];

    if (n >= sim_link.nfilms || film->log != x->log) {
        sim_fail("MOQ-16: an object of another track");
    }

    if (film->alien) {
        sim_fail("MOQ-06: a frame of another session is relayed");
    }

    if (out->film != 0 && n != out->last + 1) {
        sim_fail("MOQ-16: an object is lost in its stream");
    }

    if (out->film != 0 && film->first != out->film) {
        sim_fail("MOQ-16: a stream has objects of two");
    }

    out->film = film->first;
    out->last = n;
}


/* Judges the streams of a subscription of which nothing waits any longer. */

void
sim_judge_watches(const sim_conn_t *c)
{
    const sim_out_t  *out;

    for (out = c->outs; out != NULL; out = out->next) {

        if (out->watch >= 0 && out->open && out->film != 0
            && !c->watches[out->watch].torn && sim_link.films[out->film].fin)
        {
            sim_fail("MOQ-16: a stream that has ended has no FIN");
        }
    }
}
