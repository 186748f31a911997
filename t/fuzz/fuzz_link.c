/*
 * A connection of an agent over MoQ (gate/link).  The octets are events: octets
 * of the control stream, whole control messages, data streams and frames, FIN
 * and reset, results of proofs and commands, records, time, and room for the
 * streams of the gateway.  No command may be posted before a proof, at most 16
 * are posted at once, and all memory is freed.
 */

#include "moqt/parley_moqt_data.h"
#include "moqt/parley_moqt_message.h"
#include "t/fuzz/parley_fuzz_link.h"
#include "translate/moq/parley_moq_frame.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void input_give(fuzz_input_t *in, parley_str_t octets, int fin);


/* Gives a control message.  Its numbers come from the input; its form is
   valid. */

static void
give_message(void)
{
    uint64_t                    alias;
    parley_buf_t                b;
    parley_str_t                octets;
    parley_arena_t              arena;
    parley_moqt_fault_t         fault;
    parley_moqt_token_t         token;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  p;

    static const uint8_t  types[] = {
        PARLEY_MOQT_CLIENT_SETUP, PARLEY_MOQT_PUBLISH, PARLEY_MOQT_SUBSCRIBE,
        PARLEY_MOQT_PUBLISH_OK, PARLEY_MOQT_PUBLISH_NAMESPACE,
        PARLEY_MOQT_SUBSCRIBE_OK, PARLEY_MOQT_REQUEST_UPDATE,
        PARLEY_MOQT_UNSUBSCRIBE, PARLEY_MOQT_FETCH, PARLEY_MOQT_FETCH_CANCEL,
        PARLEY_MOQT_MAX_REQUEST_ID, PARLEY_MOQT_PUBLISH_DONE,
        PARLEY_MOQT_PUBLISH_NAMESPACE_DONE, PARLEY_MOQT_REQUEST_ERROR,
        PARLEY_MOQT_TRACK_STATUS
    };

    static const char *const  names[] = {
        "alice.0.cmd", "bob.0.cmd", "parley.s1.cmd", "parley.s2.cmd",
        "alice.000000000abc.mailbox", "alice.0.video", "bob.0.video"
    };

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    memset(&m, 0, sizeof(m));
    memset(&token, 0, sizeof(token));

    m.type = types[next() % sizeof(types)];
    m.row = parley_moqt_draft_row(draft, m.type);
    alias = next();

    m.request = m.row->request ? w.request : alias % 16;
    w.request += m.row->request ? 2 : 0;
    m.alias = alias % 4;
    m.existing = alias % 16;
    m.maximum = 2 * alias;
    m.fetch = 1 + alias % 3;
    m.name = parley_str_c(names[alias % 7]);
    m.start.group = alias % 3;
    m.end.group = m.start.group + alias % 2;

    parley_moqt_pairs_writer_init(&p, draft, &arena);

    if (m.row->setup) {
        parley_moqt_pairs_put_octets(&p, PARLEY_MOQT_SETUP_PATH,
                                     alias & 1 ? PARLEY_STR("/m")
                                               : PARLEY_STR("/mo"));
        parley_moqt_pairs_put_integer(&p, PARLEY_MOQT_SETUP_MAX_REQUEST_ID,
                                      alias & 2 ? 64 : 0);

        if (alias & 4) {
            token.alias_type = PARLEY_MOQT_TOKEN_USE_VALUE;
            token.value = PARLEY_STR("token");
            parley_moqt_pairs_put_token(&p, PARLEY_MOQT_SETUP_TOKEN, &token);
        }

    } else if (m.row->request && alias & 32) {
        token.alias_type = PARLEY_MOQT_TOKEN_USE_VALUE;
        token.value = alias & 64 ? PARLEY_STR("token") : PARLEY_STR("other");
        parley_moqt_pairs_put_token(&p, PARLEY_MOQT_PARAM_TOKEN, &token);
    }

    if (m.type == PARLEY_MOQT_SUBSCRIBE || m.type == PARLEY_MOQT_PUBLISH_OK
        || m.type == PARLEY_MOQT_REQUEST_UPDATE)
    {
        parley_moqt_pairs_put_integer(&p, PARLEY_MOQT_PARAM_FORWARD,
                                      alias < 200);
    }

    check(parley_moqt_pairs_done(&p, &m.params) == 0);
    check(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")) == 0);
    check(parley_moqt_namespace_add(&m.space,
                                    strchr("pm", m.name.data[0])
                                    || alias % 7 == 4 ? PARLEY_STR("parley")
                                    : m.name.data[0] == 'a'
                                    ? PARLEY_STR("alice") : PARLEY_STR("bob"))
          == 0);

    if (parley_moqt_message_write(draft, &b, &m, &fault) == 0
        && parley_buf_done(&b, &octets) == 0)
    {
        input_give(&w.control, octets, 0);
    }

    parley_arena_reset(&arena);
}


static void
input_end(fuzz_input_t *in)
{
    parley_link_stream_free(in->st);
    free(in->octets);
    memset(in, 0, sizeof(fuzz_input_t));
}


static void
input_read(fuzz_input_t *in)
{
    uint64_t  code;

    if (in->st == NULL || in->blocked || w.closed) {
        return;
    }

    if (parley_link_read(in->st, &in->rest, in->fin, &code) != 0) {
        check(in != &w.control);
        input_end(in);
        return;
    }

    in->blocked = parley_link_waits(in->st);

    check(in->blocked || in->rest.len == 0);

    if (in->fin && !in->blocked) {
        input_end(in);
    }
}


static void
input_give(fuzz_input_t *in, parley_str_t octets, int fin)
{
    uint8_t  *p;

    if (in->st == NULL || in->fin || in->rest.len > 65536) {
        return;
    }

    p = malloc(in->rest.len + octets.len + 1);
    check(p != NULL);

    if (in->rest.len > 0) {
        memcpy(p, in->rest.data, in->rest.len);
    }

    if (octets.len > 0) {
        memcpy(p + in->rest.len, octets.data, octets.len);
    }

    free(in->octets);
    in->octets = p;
    in->rest = parley_str_make(p, in->rest.len + octets.len);
    in->fin = fin;

    input_read(in);
}


/* Gives a data stream of one frame. */

static void
give_frame(fuzz_input_t *in)
{
    uint8_t                    n;
    uint8_t                    gap[] = { PARLEY_MOQT_EXT_GROUP_GAP, 0 };
    parley_buf_t               b;
    parley_str_t               octets;
    parley_arena_t             arena;
    parley_moq_frame_t         f;
    parley_moqt_object_t       o;
    parley_moqt_stream_t       st;
    parley_moqt_data_writer_t  writer;

    static const char *const  texts[] = {
        "{\"action\":\"session_init\",\"session_id\":\"s1\",\"peer\":1}",
        "{\"action\":\"session_init\",\"session_id\":\"s2\"}",
        "{\"action\":\"session_bye\",\"session_id\":\"s1\"}",
        "{\"action\":\"do\"}",
        "{\"action\":\"do\",\"session_id\":\"d\",\"aee\":{\"recipient\":1}}",
        "{\"action\":\"session_ack\"}", "[]", ""
    };

    if (in->st == NULL) {
        in->st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    memset(&f, 0, sizeof(f));
    memset(&o, 0, sizeof(o));
    memset(&st, 0, sizeof(st));

    n = next();

    st.type = PARLEY_MOQT_STREAM_SUBGROUP;
    st.alias = n >> 6;

    f.payload = parley_str_c(texts[n % 8]);
    f.type = f.payload.len == 0 ? PARLEY_MOQ_HEARTBEAT : PARLEY_MOQ_CMD;
    f.session = n >> 3 & 3;
    f.stream = next();
    f.flags = n & 32 && f.payload.len > 0 ? PARLEY_MOQ_FRAGMENTED : 0;

    o.length = PARLEY_MOQ_HEADER_LEN + f.payload.len;

    /* a gap in group 0 makes the track malformed */

    if ((f.stream & 14) == 14) {
        st.type |= PARLEY_MOQT_STREAM_EXTENSIONS;
        gap[1] = f.stream >> 4 & 1;
        o.extensions.octets = parley_str_make(gap, sizeof(gap));
    }

    check(parley_moqt_data_write(&writer, draft, &b, &st) == 0);
    check(parley_moqt_object_write(&writer, &b, &o) == 0);
    parley_moq_frame_write(&b, &f);
    check(parley_buf_done(&b, &octets) == 0);

    input_give(in, octets, f.stream & 1);

    parley_arena_reset(&arena);
}


static void
end_proof(void)
{
    uint8_t               n;
    parley_place_t        place;
    parley_link_proof_t   proof;
    parley_link_proved_t  proved;

    n = next();

    if (w.nproofs == 0) {
        return;
    }

    proof = w.proofs[n % w.nproofs];
    w.proofs[n % w.nproofs] = w.proofs[w.nproofs - 1];
    w.nproofs--;

    memset(&proved, 0, sizeof(proved));
    memset(&place, 0, sizeof(place));

    proved.status = n & 64 ? 401 : 0;
    proved.principal = n & 128 ? PARLEY_STR("bob") : PARLEY_STR("alice");
    proved.agent = proved.principal;

    if (proved.status == 0) {
        w.proved = 1;

        if (proof.listens) {
            place.epoch = 0xabc;
            place.offset = w.offset;
            parley_link_mailbox(w.link, &place, n & 1);
        }
    }

    if (!w.closed) {
        parley_link_proved(w.link, proof.session, &proved);
    }
}


static void
end_post(void)
{
    uint8_t              n;
    parley_link_post_t  *post;

    n = next();

    if (w.nposts == 0) {
        return;
    }

    post = w.posts[n % w.nposts];
    w.posts[n % w.nposts] = w.posts[w.nposts - 1];
    w.nposts--;

    parley_link_answered(w.link, post, n & 64 ? 403 : 202,
                         n & 128 ? PARLEY_STR("{\"action\":\"do\"}")
                                 : PARLEY_STR("<html>"));
}


static void
pass_record(void)
{
    uint8_t               n;
    char                  text[3000];
    parley_str_t          record;
    parley_place_t        place;
    parley_link_fetch_t  *fetch;

    n = next();
    memset(text, 'x', sizeof(text));
    memset(&place, 0, sizeof(place));

    record = parley_str_make(text, n & 1 ? sizeof(text) : 10);
    place.epoch = n & 2 && n & 4 && n & 8 ? 0xabd : 0xabc;

    if (n & 16 && w.fetch != NULL) {
        fetch = w.fetch;
        place.offset = fetch->from.offset + 1 + (n >> 5);
        (void) parley_link_fetch_mail(w.link, fetch, &place, record);

        if (n & 32 && w.fetch == fetch && !w.closed) {
            w.fetch = NULL;
            parley_link_fetched(w.link, fetch, n & 64, n);
        }

        return;
    }

    if (n & 32) {
        w.offset += n;
        place.offset = w.offset;
        parley_link_mailbox(w.link, &place, n & 64);
        return;
    }

    place.offset = ++w.offset;
    (void) parley_link_mail(w.link, &place, record);
}


/* Ends the joining of a log, or passes a record of it. */

static void
tap_event(void)
{
    size_t   i, len;
    uint8_t  n;

    n = next();
    i = n % FUZZ_TAPS;

    if (w.taps[i] == NULL) {
        return;
    }

    if (!w.joined[i]) {
        w.joined[i] = (n & 8) == 0;
        parley_link_joined(w.link, w.taps[i], n & 8 ? n & 16 ? 403 : 409 : 0,
                           n & 8 ? "scope-unauthorised" : "");
        return;
    }

    len = next();
    len = len < (size_t) (w.end - w.pos) ? len : (size_t) (w.end - w.pos);

    parley_link_record(w.link, w.taps[i], parley_str_make(w.pos, len),
                       n >> 7);
    w.pos += len;
}


static void
event(void)
{
    size_t         n;
    uint8_t        op;
    fuzz_input_t  *in;

    op = next();
    in = &w.inputs[op / 16 % FUZZ_STREAMS];

    switch (op % 16) {

    case 0:
        n = next();
        n = n < (size_t) (w.end - w.pos) ? n : (size_t) (w.end - w.pos);
        input_give(&w.control, parley_str_make(w.pos, n), 0);
        w.pos += n;
        break;

    case 1:
    case 2:
    case 3:
        give_message();
        break;

    case 4:
    case 5:
        give_frame(in);
        break;

    case 6:
        n = next();
        n = n < (size_t) (w.end - w.pos) ? n : (size_t) (w.end - w.pos);

        if (in->st == NULL) {
            in->st = parley_link_stream(w.link, n & 1 ? PARLEY_LINK_DATA
                                        : PARLEY_LINK_REQUEST, &w);
        }

        input_give(in, parley_str_make(w.pos, n), 0);
        w.pos += n;
        break;

    case 7:
        input_give(in, parley_str_none, 1);
        break;

    case 8:

        if (in->st != NULL) {
            parley_link_is_reset(in->st);
            input_end(in);
        }

        break;

    case 9:
        end_proof();
        break;

    case 10:
        end_post();
        break;

    case 11:
        pass_record();
        break;

    case 12:
        w.now += 100 * next();
        break;

    case 13:
        w.room = op & 16 ? SIZE_MAX : 20 * (size_t) next();
        parley_link_writable(w.link);
        break;

    case 14:

        if (op >= 64) {
            tap_event();

        } else if (op < 32) {
            parley_link_leave(w.link);

        } else if (w.proved) {
            parley_link_expired(w.link, NULL, 401, PARLEY_STR("expired"));
        }

        break;

    default:

        for (n = 0; n < FUZZ_STREAMS; n++) {
            input_read(&w.inputs[n]);
        }
    }

    input_read(&w.control);
    (void) parley_link_tick(w.link);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t             i;
    parley_link_env_t  env = {
        .mem = { fuzz_alloc, fuzz_free, NULL },
        .write = fuzz_write,
        .open = fuzz_open,
        .finish = fuzz_finish,
        .reset = fuzz_reset,
        .locate = fuzz_locate,
        .prove = fuzz_prove,
        .post = fuzz_post,
        .fetch = fuzz_fetch,
        .abandon = fuzz_abandon,
        .join = fuzz_join,
        .part = fuzz_part,
        .relay = fuzz_relay,
        .forget = fuzz_forget,
        .close = fuzz_close,
        .agents = fuzz_agents,
        .resume = fuzz_resume,
        .random = fuzz_random,
        .now = fuzz_now
    };

    memset(&w, 0, sizeof(w));

    w.pos = data;
    w.end = data + size;
    w.now = 1000;
    w.room = SIZE_MAX;
    w.offset = 300;

    w.link = parley_link_create(draft, &env, 5000);
    check(w.link != NULL);

    w.control.st = parley_link_stream(w.link, PARLEY_LINK_CONTROL, &w);
    check(w.control.st != NULL);

    while (w.pos < w.end && !w.closed) {
        event();
    }

    for (i = 0; i < FUZZ_STREAMS; i++) {
        if (w.inputs[i].st != NULL) {
            input_end(&w.inputs[i]);
        }
    }

    parley_link_free(w.link, "");
    free(w.control.octets);
    check(w.blocks == 0 && w.fetch == NULL);

    return 0;
}
