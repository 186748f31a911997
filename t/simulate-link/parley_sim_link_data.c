/* Data streams of the peer: sessions, commands, and the octets of attackers. */

#include "t/simulate-link/parley_sim_link.h"


/* Returns a track of the peer, at times one without PUBLISH. */

static sim_pub_t *
sim_pub(sim_conn_t *c)
{
    unsigned    i, n;
    sim_pub_t  *pub;

    n = sim_below(SIM_PUBS);

    for (i = 0; i < SIM_PUBS; i++) {
        pub = &c->pubs[(n + i) % SIM_PUBS];

        if (pub->used && !pub->done) {
            return pub;
        }
    }

    for (pub = c->pubs; pub->used && !pub->done; pub++) { /* void */ }

    memset(pub, 0, sizeof(sim_pub_t));

    pub->used = 1;
    pub->alias = ++c->next_alias;
    pub->agent = c->evil && sim_chance(30) ? 1 - c->who : c->who;

    if (sim_chance(70)) {
        sim_publish(c, pub);
    }

    return c->closed || c->number == 0 ? NULL : pub;
}


static unsigned
sim_frame(sim_conn_t *c, sim_kind_t kind, sim_pub_t *pub, uint64_t id)
{
    sim_open_t   *s;
    sim_frame_t  *f;

    if (sim_link.nframes == SIM_FRAMES) {
        return 0;
    }

    f = &sim_link.frames[sim_link.nframes];

    memset(f, 0, sizeof(sim_frame_t));

    f->kind = kind;
    f->conn = c->number;
    f->agent = pub->agent;
    f->id = id;

    s = sim_open(c, id);
    f->open = s != NULL && !s->shaky;

    return sim_link.nframes++;
}


/* a data stream that is written */
typedef struct {
    parley_arena_t             arena;
    parley_buf_t               b;
    parley_moqt_data_writer_t  writer;
    uint64_t                   id;
    sim_input_t               *in;
} sim_writer_t;


static int
sim_write_begin(sim_writer_t *w, sim_conn_t *c, sim_pub_t *pub)
{
    unsigned              i;
    parley_moqt_stream_t  st;

    for (i = 0; i < SIM_INPUTS && c->inputs[i].octets != NULL; i++) {
        /* void */
    }

    if (i == SIM_INPUTS || c->closed) {
        return -1;
    }

    memset(w, 0, sizeof(sim_writer_t));
    memset(&st, 0, sizeof(st));

    w->in = &c->inputs[i];
    memset(w->in, 0, sizeof(sim_input_t));
    w->in->pub = (unsigned) (pub - c->pubs);

    parley_arena_init(&w->arena, &parley_mem_libc, 0);
    parley_buf_init(&w->b, &w->arena, 0);

    st.type = PARLEY_MOQT_STREAM_SUBGROUP
              | (sim_chance(30) ? PARLEY_MOQT_STREAM_FIRST : 0);
    st.alias = pub->alias;
    st.group = sim_below(100);

    return parley_moqt_data_write(&w->writer, sim_draft, &w->b, &st);
}


static void
sim_write_frame(sim_writer_t *w, const parley_moq_frame_t *frame)
{
    parley_moqt_object_t  o;

    memset(&o, 0, sizeof(o));

    o.id = w->id;
    o.length = PARLEY_MOQ_HEADER_LEN + frame->payload.len;
    w->id += 1 + sim_below(3);

    if (parley_moqt_object_write(&w->writer, &w->b, &o) != 0) {
        abort();
    }

    parley_moq_frame_write(&w->b, frame);
}


/* Writes a frame of the model; its payload may come in chunks. */

static void
sim_write(sim_writer_t *w, sim_conn_t *c, unsigned n, parley_moq_frame_t *f)
{
    size_t        len;
    parley_str_t  all;

    f->stream = n;
    all = f->payload;

    if (f->type == PARLEY_MOQ_CMD && c->broken < 8 && sim_chance(12)) {
        len = sim_below((unsigned) all.len);
        f->payload = parley_str_make(all.data, len);
        f->flags = PARLEY_MOQ_FRAGMENTED;
        sim_write_frame(w, f);
        c->broken++;

        f->payload = parley_str_from(all, len);
        f->flags = 0;
    }

    sim_write_frame(w, f);

    w->in->frames[w->in->n] = n;
    w->in->ends[w->in->n++] = w->b.len;
}


static void
sim_write_end(sim_writer_t *w, sim_conn_t *c)
{
    w->in->len = w->b.len;
    w->in->octets = malloc(w->b.len);
    memcpy(w->in->octets, w->b.data, w->b.len);

    parley_arena_reset(&w->arena);

    w->in->st = parley_link_stream(c->link, PARLEY_LINK_DATA, NULL);

    if (w->in->st == NULL) {
        free(w->in->octets);
        w->in->octets = NULL;

    } else if (sim_chance(60)) {
        (void) sim_give(c, w->in, SIZE_MAX);
    }
}


void
sim_init(sim_conn_t *c)
{
    char                 text[8], json[256];
    uint64_t             id;
    unsigned             i, n, token;
    sim_pub_t           *pub;
    sim_open_t          *s;
    sim_writer_t         w;
    parley_moq_frame_t   f;

    pub = sim_pub(c);

    if (pub == NULL || sim_write_begin(&w, c, pub) != 0) {
        return;
    }

    /* a new session, or one that renews its token */

    s = sim_chance(25) ? &c->opens[sim_below(4)] : NULL;

    if (s != NULL && s->id != 0 && sim_chance(80)) {
        id = s->id;
        i = (unsigned) strtoul(s->name + 1, NULL, 10);

    } else {
        id = sim_chance(c->evil ? 70 : 90) ? 1000 * c->number + sim_below(6)
             : sim_below(3) + 1000 * sim_below(4);
        i = sim_chance(90) ? (unsigned) (id % 1000) : sim_below(4);
    }

    n = sim_frame(c, SIM_INIT, pub, id);
    memset(&f, 0, sizeof(f));

    token = sim_token(c, id);
    sim_token_text(text, token);
    sim_link.frames[n].token = token;

    snprintf(json, sizeof(json), "{\"action\":\"session_init\","
             "\"session_id\":\"s%u\"%s%s%s,\"payload\":{\"peer\":\"agent.x\"}}",
             i, sim_chance(12) ? ",\"x\":\"" : ",\"auth_token\":\"", text,
             "\"");

    f.type = PARLEY_MOQ_CMD;
    f.session = id;
    f.payload = parley_str_c(json);

    if (n != 0) {
        sim_write(&w, c, n, &f);

        /* a command that follows at once */

        if (sim_chance(50)) {
            n = sim_frame(c, SIM_CMD, pub, id);
            f.payload = PARLEY_STR("{\"action\":\"do\"}");

            if (n != 0) {
                sim_write(&w, c, n, &f);
            }
        }
    }

    sim_write_end(&w, c);
}


/* Sends commands, a heartbeat or session_bye of a session. */

void
sim_cmd(sim_conn_t *c, sim_kind_t kind)
{
    char                 json[2048];
    size_t               len;
    uint64_t             id;
    unsigned             i, n, count;
    sim_pub_t           *pub;
    sim_open_t          *s;
    sim_writer_t         w;
    parley_moq_frame_t   f;

    s = &c->opens[sim_below(4)];

    if (s->id == 0) {
        s = &c->opens[0];
    }

    id = s->id != 0 && sim_chance(c->evil ? 60 : 95) ? s->id
         : 1000 * (1 + sim_below(sim_link.numbers)) + sim_below(4);

    if (kind == SIM_CMD && sim_chance(4)) {
        id = 0;
    }

    pub = sim_pub(c);

    if (pub == NULL || sim_write_begin(&w, c, pub) != 0) {
        return;
    }

    count = kind == SIM_CMD ? 1 + sim_below(SIM_PIECES) : 1;

    for (i = 0; i < count; i++) {

        n = sim_frame(c, kind, pub, id);

        if (n == 0) {
            break;
        }

        memset(&f, 0, sizeof(f));

        f.type = kind == SIM_BEAT ? PARLEY_MOQ_HEARTBEAT : PARLEY_MOQ_CMD;
        f.session = id;

        if (kind == SIM_BYE) {
            snprintf(json, sizeof(json), "{\"action\":\"session_bye\","
                     "\"session_id\":\"%s\"}", s->name);
            f.payload = parley_str_c(json);

            if (s->id == id) {
                s->shaky = 1;
            }

        } else if (kind == SIM_CMD) {
            len = (size_t) snprintf(json, 64, "{\"action\":\"do\",\"p\":\"");
            n = sim_chance(20) ? sim_below(1500) : sim_below(30);
            memset(json + len, 'z', n);
            memcpy(json + len + n, "\"}", 3);
            f.payload = parley_str_c(json);
            n = sim_link.nframes - 1;
        }

        sim_write(&w, c, n, &f);
    }

    sim_write_end(&w, c);
}


void
sim_input_end(sim_conn_t *c, sim_input_t *in)
{
    (void) c;

    if (in->st != NULL) {
        parley_link_stream_free(in->st);
    }

    free(in->octets);
    memset(in, 0, sizeof(sim_input_t));
}


/* Octets of a data stream arrive.  Returns whether the link took some. */

int
sim_give(sim_conn_t *c, sim_input_t *in, size_t octets)
{
    int            rc;
    size_t         n, taken;
    uint8_t       *copy;
    unsigned       i, waits;
    uint64_t       code;
    parley_str_t   rest;

    if (in->octets == NULL || in->blocked || c->closed) {
        return 0;
    }

    n = in->len - in->at;
    n = n < octets ? n : octets;

    copy = malloc(n > 0 ? n : 1);
    memcpy(copy, in->octets + in->at, n);
    rest = parley_str_make(copy, n);

    rc = parley_link_read(in->st, &rest, in->at + n == in->len, &code);

    taken = n - rest.len;
    free(copy);

    if (c->closed) {
        sim_after(c);
        return 0;
    }

    in->at += taken;
    waits = parley_link_waits(in->st) ? 1 : 0;

    if (rc == 0 && rest.len > 0 && !waits) {
        sim_fail("MOQ-12: the link leaves octets and does not wait");
    }

    for (i = 0; i < in->n && in->frames[i] != 0; i++) {
        if (in->ends[i] < in->at || (in->ends[i] == in->at && !waits)) {
            sim_link.frames[in->frames[i]].arrived = 1;
        }
    }

    in->blocked = waits & 1;

    if (rc == 0 && in->film != 0 && in->at == in->len && !waits) {
        sim_link.films[in->film].fin = 1;
    }

    if (rc < 0 || (in->at == in->len && !waits)) {
        sim_input_end(c, in);
    }

    sim_after(c);

    return 1;
}


/* Sends malformed octets, as an attacker. */

void
sim_evil(sim_conn_t *c)
{
    uint8_t              octets[64];
    unsigned             i, n;
    sim_pub_t           *pub;
    sim_writer_t         w;
    parley_moq_frame_t   f;

    if (!c->evil || c->closed) {
        return;
    }

    if (sim_chance(25)) {
        c->faulty = 1;
        sim_link.spoiled = 1;
        n = 1 + sim_below(sizeof(octets));

        for (i = 0; i < n; i++) {
            octets[i] = (uint8_t) sim_below(sim_chance(50) ? 256 : 32);
        }

        sim_raw(c, octets, n);
        sim_after(c);
        return;
    }

    pub = sim_pub(c);

    if (pub == NULL || sim_write_begin(&w, c, pub) != 0) {
        return;
    }

    n = sim_frame(c, SIM_BAD, pub, 0);
    memset(&f, 0, sizeof(f));

    f.type = (parley_moq_type_t) (1 + sim_below(4));
    f.session = sim_chance(50) ? 1000 * sim_below(8) + sim_below(3) : 0;
    f.stream = n;
    f.flags = (uint8_t) sim_below(8);
    f.payload = f.type == PARLEY_MOQ_HEARTBEAT ? parley_str_none
                : parley_test_one(&sim_link.draw, "{", "{\"action\":7}",
                      "{\"action\":\"session_init\",\"session_id\":\"\"}",
                      "{\"action\":\"session_bye\",\"session_id\":\"s1\"}",
                      "{\"action\":\"subscribe_request\"}",
                      "{\"action\":\"session_ack\",\"session_id\":\"s0\"}",
                      "{\"action\":\"session_init\",\"session_id\":\"s9\","
                      "\"auth_token\":\"x-000\"}", "[]", "x");

    sim_link.frames[n].id = f.session;

    if (n != 0) {
        sim_write_frame(&w, &f);
    }

    if (sim_chance(30) && w.b.len > 3) {
        i = sim_below((unsigned) w.b.len);
        w.b.data[i] ^= (uint8_t) (1 + sim_below(255));
        c->faulty = 1;
        sim_link.spoiled = 1;
    }

    sim_write_end(&w, c);
}


/* Sends many frames, and reads no answers. */

void
sim_flood(sim_conn_t *c)
{
    char                 json[128];
    size_t               before;
    unsigned             i, kind;
    uint64_t             id;
    sim_pub_t           *pub;
    sim_writer_t         w;
    parley_moq_frame_t   f;

    if (!c->flooded || !sim_link.floods || c->closed) {
        return;
    }

    pub = sim_pub(c);

    if (pub == NULL || sim_write_begin(&w, c, pub) != 0) {
        return;
    }

    kind = c->evil ? sim_below(4) : 0;
    id = c->opens[0].id;
    before = c->mem.octets;

    for (i = 0; i < SIM_FLOOD; i++) {

        memset(&f, 0, sizeof(f));
        f.type = kind == 0 ? PARLEY_MOQ_HEARTBEAT : PARLEY_MOQ_CMD;
        f.session = kind == 1 ? 0 : kind == 2 ? 77 : id;

        snprintf(json, sizeof(json), kind == 3
                 ? "{\"action\":\"session_ack\"}" : kind == 2
                 ? "{\"action\":\"do\",\"session_id\":\"flood\"}"
                 : "{\"action\":\"session_init\",\"session_id\":\"f%u\"}",
                 sim_link.now % 2 == 0 ? i : i % 3);

        f.payload = kind == 0 ? parley_str_none : parley_str_c(json);
        sim_write_frame(&w, &f);
    }

    sim_link_tell("%u: floods %u", c->number, kind);
    sim_write_end(&w, c);

    /* answers of one track wait, and the stream behind them */

    if (c->number != 0 && c->mem.octets > before + 4 * SIM_FULL) {
        sim_fail("MOQ-16: a flood takes %zu octets",
                 c->mem.octets - before);
    }
}
