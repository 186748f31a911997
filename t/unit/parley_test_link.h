/*
 * A link (gate/link) and the client's side of moqt/.  The test is the adapter:
 * it proves tokens and answers commands.
 */

#ifndef PARLEY_TEST_LINK_H
#define PARLEY_TEST_LINK_H

#include "t/unit/parley_test_moqt.h"

#include "gate/link/parley_link.h"
#include "moqt/parley_moqt_data.h"
#include "translate/moq/parley_moq_frame.h"


#define STREAMS  64


/* a stream that the gateway opened */
typedef struct {
    uint8_t             octets[400000];
    size_t              len;
    size_t              room;       /* octets that it takes */
    int                 open;
    int                 finished;
    int                 reset;
    uint64_t            code;
} stream_t;

/* an object that the client got */
typedef struct {
    uint64_t            alias;
    uint64_t            request;    /* of a FETCH */
    uint64_t            group;
    uint64_t            id;
    uint64_t            group_gap;
    uint64_t            object_gap;
    int                 ends;       /* it is the end of its group */
    parley_moq_frame_t  frame;
    char                text[2048]; /* its payload */
} object_t;

typedef struct {
    parley_link_t         *link;
    parley_moqt_session_t  client;
    parley_link_stream_t  *control;
    int64_t                now;
    size_t                 split;       /* octets of a read */

    stream_t               out;         /* control stream */
    size_t                 out_at;      /* octets that the client took */
    stream_t              *streams[STREAMS];
    size_t                 nstreams;
    size_t                 may_open;

    int                    closed;
    parley_moqt_code_t     code;
    char                   text[256];

    parley_link_proof_t    proofs[8];
    char                   tokens[8][64];
    size_t                 nproofs;
    size_t                 forgotten;
    size_t                 noted[3][3]; /* facts of sessions, of subscribers,
                                           of publishers */
    parley_link_post_t    *posts[64];
    size_t                 nposts;
    parley_link_fetch_t   *fetches[8];
    size_t                 nfetches;
    size_t                 abandoned;

    parley_link_tap_t     *taps[16];
    size_t                 ntaps;
    size_t                 parted;
    uint8_t                records[32][4096];   /* that were relayed */
    size_t                 lens[32];
    int                    publisher[32];
    char                   tracks[32][64];
    size_t                 nrecords;
    uint64_t               op;          /* of the last one */
    int64_t                counts[2];   /* of subscribers, of publishers */
    int                    later;       /* relay() answers later */
    int                    resumed;
    size_t                 room;        /* octets that new streams take */

    parley_moqt_message_t  got[64];     /* control messages of the gateway */
    uint64_t               types[64];
    char                   names[64][128];
    size_t                 ngot;

    object_t               objects[600];
    size_t                 nobjects;
} world_t;


static world_t  w;

#include "t/unit/parley_test_link_tap.h"

static inline int64_t
env_write(void *ctx, void *stream, parley_str_t octets)
{
    size_t     n;
    stream_t  *s = stream;

    (void) ctx;

    if (s->reset) {
        return -1;
    }

    n = octets.len < s->room ? octets.len : s->room;

    assert_true(s->len + n <= sizeof(s->octets));

    memcpy(s->octets + s->len, octets.data, n);

    s->len += n;
    s->room -= n;

    return (int64_t) n;
}


static inline void *
env_open(void *ctx)
{
    stream_t  *s;

    (void) ctx;

    if (w.may_open == 0) {
        return NULL;
    }

    w.may_open--;

    s = calloc(1, sizeof(stream_t));
    assert_non_null(s);
    assert_true(w.nstreams < STREAMS);

    s->open = 1;
    s->room = w.room;
    w.streams[w.nstreams++] = s;

    return s;
}


static inline void
env_finish(void *ctx, void *stream)
{
    stream_t  *s = stream;

    (void) ctx;

    assert_true(s->open);

    s->open = 0;
    s->finished = 1;
}


static inline void
env_reset(void *ctx, void *stream, uint64_t code)
{
    stream_t  *s = stream;

    (void) ctx;

    assert_true(s->open);

    s->open = 0;
    s->reset = 1;
    s->code = code;
}


static inline int
env_locate(void *ctx, parley_str_t authority, parley_str_t path,
    parley_link_conf_t *ret, parley_moqt_fault_t *fault)
{
    (void) ctx;

    if (!parley_str_is(path, "/moq")) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_PATH, "PATH",
                                     "no location has this path");
    }

    if (!parley_str_is(authority, "localhost")) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_AUTHORITY,
                                     "AUTHORITY", "no server has this name");
    }

    memset(ret, 0, sizeof(parley_link_conf_t));

    ret->sessions = 4;
    ret->tracks = 4;
    ret->object = 65536;
    ret->lag = 20000;

    return 0;
}


static inline int
env_prove(void *ctx, const parley_link_proof_t *proof)
{
    (void) ctx;

    assert_true(w.nproofs < 8);

    w.proofs[w.nproofs] = *proof;
    (void) snprintf(w.tokens[w.nproofs++], 64, "%.*s", (int) proof->token.len,
                    (const char *) proof->token.data);

    return 0;
}


static inline int
env_post(void *ctx, parley_link_post_t *post)
{
    (void) ctx;

    w.posts[w.nposts++] = post;

    return 0;
}


static inline int
env_fetch(void *ctx, parley_link_fetch_t *fetch)
{
    (void) ctx;

    w.fetches[w.nfetches++] = fetch;

    return 0;
}


static inline void
env_abandon(void *ctx, parley_link_fetch_t *fetch)
{
    (void) ctx;
    (void) fetch;

    w.abandoned++;
}


static inline void
env_forget(void *ctx, parley_link_session_t *session)
{
    (void) ctx;
    (void) session;

    w.forgotten++;
}


static inline void
env_close(void *ctx, parley_moqt_code_t code, const char *text)
{
    (void) ctx;

    assert_false(w.closed);

    w.closed = 1;
    w.code = code;
    (void) snprintf(w.text, sizeof(w.text), "%s", text);
}


static inline void
env_resume(void *ctx)
{
    (void) ctx;

    w.resumed++;
}


static inline int
env_random(void *ctx, uint8_t out[16])
{
    (void) ctx;

    memset(out, 7, 16);

    return 0;
}


static inline int64_t
env_now(void *ctx)
{
    (void) ctx;

    return w.now;
}


static const parley_link_env_t  env = {
    .write = env_write,
    .open = env_open,
    .finish = env_finish,
    .reset = env_reset,
    .locate = env_locate,
    .prove = env_prove,
    .post = env_post,
    .fetch = env_fetch,
    .abandon = env_abandon,
    .forget = env_forget,
    .join = env_join,
    .part = env_part,
    .relay = env_relay,
    .agents = env_agents,
    .note = env_note,
    .close = env_close,
    .resume = env_resume,
    .random = env_random,
    .now = env_now
};


/* Reads the control messages and objects that the gateway has written. */

static inline void
look(void)
{
    int                    rc;
    size_t                 i;
    uint64_t               alias;
    object_t              *o;
    parley_str_t           in, part;
    parley_moqt_data_t     data;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    in = parley_str_make(w.out.octets + w.out_at, w.out.len - w.out_at);

    while (!w.closed
           && (rc = parley_moqt_session_take(&w.client, &in, &m, &effect,
                                             &fault))
              != 0)
    {
        if (rc < 0) {
            fail_msg("the client closes: %s: %s", fault.member, fault.text);
        }

        assert_true(w.ngot < 64);

        w.types[w.ngot] = m.type;
        w.got[w.ngot] = m;
        (void) snprintf(w.names[w.ngot++], 128, "%.*s", (int) m.name.len,
                        (const char *) m.name.data);
    }

    w.out_at = w.out.len;
    w.nobjects = 0;

    for (i = 0; i < w.nstreams; i++) {

        in = parley_str_make(w.streams[i]->octets, w.streams[i]->len);
        alias = 0;

        parley_moqt_data_init(&data, draft, &parley_mem_libc);

        while ((rc = parley_moqt_data_next(&data, &in, &part, &fault)) > 0) {

            if (rc != PARLEY_MOQT_DATA_OBJECT || data.left > 0) {
                alias = data.stream.alias;
                continue;
            }

            o = &w.objects[w.nobjects++];
            memset(o, 0, sizeof(object_t));

            o->alias = alias;
            o->request = data.stream.request;
            o->group = data.object.group;
            o->id = data.object.id;
            o->group_gap = parley_moqt_pairs_integer(draft,
                               &data.object.extensions,
                               PARLEY_MOQT_EXT_GROUP_GAP, 0);
            o->object_gap = parley_moqt_pairs_integer(draft,
                                &data.object.extensions,
                                PARLEY_MOQT_EXT_OBJECT_GAP, 0);

            parley_error_t  err;
            size_t          used;

            o->ends = data.object.status == PARLEY_MOQT_STATUS_END_OF_GROUP;

            if (o->ends) {
                continue;
            }

            assert_int_equal(parley_moq_frame_read(part, 65536, &o->frame,
                                                   &used, &err), 0);
            assert_int_equal(used, part.len);

            (void) snprintf(o->text, sizeof(o->text), "%.*s",
                            (int) o->frame.payload.len,
                            (const char *) o->frame.payload.data);
        }

        assert_int_equal(rc, 0);
        parley_moqt_data_free(&data);
    }
}


/* Returns the number of objects with a text. */

static inline size_t
texts(const char *text)
{
    size_t  i, n;

    for (i = 0, n = 0; i < w.nobjects; i++) {
        n += strstr(w.objects[i].text, text) != NULL;
    }

    return n;
}


/* Gives octets to a stream, in parts. */

static inline int
give(parley_link_stream_t *st, parley_str_t octets, int fin)
{
    int           rc;
    size_t        n;
    uint64_t      code;
    parley_str_t  in;

    rc = 0;

    do {
        n = octets.len < w.split ? octets.len : w.split;
        in = moqt_copy(parley_str_make(octets.data, n));

        void  *copy = (void *) (uintptr_t) in.data;

        rc = parley_link_read(st, &in, fin && n == octets.len, &code);

        if (octets.len > 0) {
            octets = parley_str_from(octets, n - in.len);
        }

        free(copy);

    } while (rc == 0 && octets.len > 0 && !parley_link_waits(st));

    return rc;
}


static inline void
control(parley_moqt_message_t *m)
{
    parley_buf_t          b;
    parley_str_t          octets;
    parley_arena_t        arena;
    parley_moqt_fault_t   fault;
    parley_moqt_effect_t  effect;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    assert_int_equal(parley_moqt_session_send(&w.client, &b, m, &effect,
                                              &fault), 0);
    assert_int_equal(parley_buf_done(&b, &octets), 0);

    (void) give(w.control, octets, 0);

    parley_arena_reset(&arena);
    look();
}


static inline void
raw(const char *hex)
{
    parley_str_t  octets;

    octets = moqt_octets(hex);
    (void) give(w.control, octets, 0);
    free((void *) (uintptr_t) octets.data);
}


static inline void
begin(size_t split)
{
    parley_link_env_t  e;

    memset(&w, 0, sizeof(w));

    w.split = split;
    w.now = 1000;
    w.out.room = SIZE_MAX;
    w.may_open = STREAMS;
    w.room = SIZE_MAX;

    e = env;
    e.mem = parley_mem_libc;

    w.link = parley_link_create(draft, &e, 5000);
    assert_non_null(w.link);

    assert_int_equal(parley_moqt_session_init(&w.client, draft,
                         &parley_mem_libc, PARLEY_MOQT_CLIENT, 64), 0);

    w.control = parley_link_stream(w.link, PARLEY_LINK_CONTROL, &w.out);
    assert_non_null(w.control);
}


static inline void
end(void)
{
    size_t  i;

    parley_link_free(w.link, "the end");
    parley_moqt_session_free(&w.client);

    /* what was noted as opened is noted as ended */

    for (i = 0; i < 3; i++) {
        assert_int_equal(w.noted[i][PARLEY_LINK_OPENED],
                         w.noted[i][PARLEY_LINK_ENDED]);
    }

    for (i = 0; i < w.nstreams; i++) {
        free(w.streams[i]);
    }
}


/* Sends CLIENT_SETUP, which permits n requests of the gateway. */

static inline void
setup(const char *path, const char *token, uint64_t n)
{
    parley_arena_t              arena;
    parley_moqt_token_t         t;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  p;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&m, 0, sizeof(m));
    memset(&t, 0, sizeof(t));

    m.type = PARLEY_MOQT_CLIENT_SETUP;

    w.client.maximum_in = n;

    parley_moqt_pairs_writer_init(&p, draft, &arena);
    parley_moqt_pairs_put_octets(&p, PARLEY_MOQT_SETUP_PATH,
                                 parley_str_c(path));
    parley_moqt_pairs_put_integer(&p, PARLEY_MOQT_SETUP_MAX_REQUEST_ID, n);

    if (token != NULL) {
        t.alias_type = PARLEY_MOQT_TOKEN_USE_VALUE;
        t.value = parley_str_c(token);
        parley_moqt_pairs_put_token(&p, PARLEY_MOQT_SETUP_TOKEN, &t);
    }

    parley_moqt_pairs_put_octets(&p, PARLEY_MOQT_SETUP_AUTHORITY,
                                 PARLEY_STR("localhost"));
    assert_int_equal(parley_moqt_pairs_done(&p, &m.params), 0);

    control(&m);

    parley_arena_reset(&arena);
}


/* Answers the last proof. */

static inline void
prove(int status, const char *principal, const char *agent)
{
    parley_place_t        place = { 0 };
    parley_link_proof_t  *proof;
    parley_link_proved_t  proved;

    proof = &w.proofs[w.nproofs - 1];
    memset(&proved, 0, sizeof(proved));

    proved.status = status;
    proved.principal = parley_str_c(principal);
    proved.agent = parley_str_c(agent);

    if (status != 0) {
        proved.code = PARLEY_STR("token-expired");
        proved.message = PARLEY_STR("the token has expired");

    } else if (proof->listens) {
        place.epoch = 0xabc;
        place.offset = 300;
        parley_link_mailbox(w.link, &place, 0);
    }

    parley_link_proved(w.link, proof->session, &proved);
    look();
}


/* Publishes the track of commands.  Returns its alias. */

static inline uint64_t
publish(const char *agent, const char *name)
{
    static uint64_t        alias;
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_PUBLISH;
    m.name = parley_str_c(name);
    m.alias = ++alias;

    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space, parley_str_c(agent)),
                     0);
    control(&m);

    return alias;
}


/* Makes a stream of one frame for each JSON. */

static inline parley_str_t
frames(uint64_t alias, const parley_moq_frame_t *list, size_t n)
{
    size_t                     i;
    parley_buf_t               b;
    parley_str_t               ret;
    parley_arena_t             arena;
    parley_moqt_object_t       o;
    parley_moqt_stream_t       st;
    parley_moqt_data_writer_t  writer;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    memset(&st, 0, sizeof(st));
    st.type = PARLEY_MOQT_STREAM_SUBGROUP;
    st.alias = alias;

    assert_int_equal(parley_moqt_data_write(&writer, draft, &b, &st), 0);

    for (i = 0; i < n; i++) {
        memset(&o, 0, sizeof(o));
        o.id = i;
        o.length = PARLEY_MOQ_HEADER_LEN + list[i].payload.len;

        assert_int_equal(parley_moqt_object_write(&writer, &b, &o), 0);
        parley_moq_frame_write(&b, &list[i]);
    }

    assert_int_equal(parley_buf_done(&b, &ret), 0);
    ret = moqt_copy(ret);

    parley_arena_reset(&arena);

    return ret;
}


static inline parley_moq_frame_t
cmd(uint64_t session, uint32_t stream, const char *json)
{
    parley_moq_frame_t  f;

    memset(&f, 0, sizeof(f));

    f.type = PARLEY_MOQ_CMD;
    f.session = session;
    f.stream = stream;
    f.payload = parley_str_c(json);

    return f;
}


/* Sends frames on a new stream.  Returns it. */

static inline parley_link_stream_t *
send_frames(uint64_t alias, const parley_moq_frame_t *list, size_t n)
{
    parley_str_t           octets;
    parley_link_stream_t  *st;

    st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
    assert_non_null(st);

    octets = frames(alias, list, n);
    (void) give(st, octets, 1);
    free((void *) (uintptr_t) octets.data);

    look();

    return st;
}


static inline void
send_cmd(uint64_t alias, uint64_t session, uint32_t stream, const char *json)
{
    parley_moq_frame_t     f = cmd(session, stream, json);
    parley_link_stream_t  *st;

    st = send_frames(alias, &f, 1);

    if (!parley_link_waits(st)) {
        parley_link_stream_free(st);
    }
}


/* Accepts or refuses the gateway's PUBLISH of a name; returns its alias. */

static inline uint64_t
accept_publish(const char *name, int ok)
{
    size_t                 i;
    parley_moqt_message_t  m;

    for (i = 0; i < w.ngot; i++) {

        if (w.types[i] != PARLEY_MOQT_PUBLISH
            || strcmp(w.names[i], name) != 0)
        {
            continue;
        }

        memset(&m, 0, sizeof(m));

        m.type = ok ? PARLEY_MOQT_PUBLISH_OK : PARLEY_MOQT_REQUEST_ERROR;
        m.request = w.got[i].request;
        w.types[i] = 0;

        control(&m);

        return w.got[i].alias;
    }

    fail_msg("no PUBLISH of %s", name);

    return 0;
}


#define INIT(id, token)                                                       \
    "{\"action\":\"session_init\",\"session_id\":\"" id "\",\"auth_token\":\"" \
    token "\",\"payload\":{\"peer\":\"agent.service\"}}"


/* Opens the session s1 of alice with the Session ID 5.  Returns the alias of
   her commands. */

static inline uint64_t
open_session(size_t split)
{
    uint64_t  alias;

    begin(split);
    setup("/moq", NULL, 100);

    assert_int_equal(w.ngot, 1);
    assert_int_equal(w.types[0], PARLEY_MOQT_SERVER_SETUP);

    alias = publish("alice", "alice.0.cmd");
    assert_int_equal(w.types[1], PARLEY_MOQT_PUBLISH_OK);

    send_cmd(alias, 5, 1, INIT("s1", "token"));

    assert_int_equal(w.nproofs, 1);
    assert_string_equal(w.tokens[0], "token");
    assert_true(w.proofs[0].listens);

    prove(0, "alice", "alice");

    return alias;
}


#endif /* PARLEY_TEST_LINK_H */
