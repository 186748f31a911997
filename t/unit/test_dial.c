/* parley_dial.h: the WebSockets that the gateway opens to peers (VCP-32) */

#include "auth/parley_revocation.h"
#include "gate/delivery/parley_dial.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_job_subject.h"
#include "t/unit/parley_test_translate.h"
#include "t/unit/parley_test_job.h"


#define ID  "01950304-21c8-7000-8000-000000000001"

#define PRINCIPALS                                                            \
    "{\"principals\":["                                                       \
    "{\"sub\":\"bob\",\"aee\":\"agent.bob\",\"vcp\":\"agent://o/bob\","       \
    "\"deliver\":\"wss://peer.example/vcp/ws\"},"                             \
    "{\"sub\":\"far\",\"deliver\":\"wss://far.example/\"},"                   \
    "{\"sub\":\"post\",\"deliver\":\"https://peer.example/\"},"               \
    "{\"sub\":\"none\"}]}"


static parley_settings_http_t  http;
static parley_settings_t       location;
static parley_stream_t         stream;
static parley_render_t         render;


static int
begin_dial(void **state)
{
    parley_error_t  err;

    (void) begin(state);

    memset(&http, 0, sizeof(http));
    memset(&location, 0, sizeof(location));
    memset(&stream, 0, sizeof(stream));

    assert_int_equal(parley_directory_parse(&arena, PARLEY_STR(PRINCIPALS),
                                            NULL, &http.directory, &err),
                     0);

    stream.proto = PARLEY_PROTO_VCP;
    location.stream = &stream;
    location.context.text = PARLEY_STR("ctx|gateway");
    location.constitution.text = PARLEY_STR("creed://acme/gateway@1");

    http.dials = &location;
    http.deliver_hosts = PARLEY_STR("peer.example");
    http.self_names[PARLEY_PROTO_CANONICAL] = PARLEY_STR("service.parley");

    render.engine = parley_test_engine();
    render.http = &http;
    render.seed = PARLEY_TEST_SEED;

    return 0;
}


static int
end_dial(void **state)
{
    parley_directory_free(http.directory);

    return end(state);
}


/* Adds the job of a peer. */

static parley_job_added_t
add_dial(const char *sub)
{
    parley_job_add_t    a;
    parley_job_added_t  rc;

    a.account = NULL;

    assert_int_equal(parley_dial_job(&arena, &t.s.state, parley_str_c(sub),
                                     &a.job),
                     0);
    (void) t.s.state.ops->job->add(&t.s.state, &a, &rc, NULL);

    return rc;
}


static void
test_job(void **state)
{
    parley_job_t  bob, again, eve;
    parley_str_t  sub;

    (void) state;

    assert_int_equal(parley_dial_job(&arena, &t.s.state, PARLEY_STR("bob"),
                                     &bob), 0);
    assert_int_equal(parley_dial_job(&arena, &t.s.state, PARLEY_STR("bob"),
                                     &again), 0);
    assert_int_equal(parley_dial_job(&arena, &t.s.state, PARLEY_STR("eve"),
                                     &eve), 0);

    assert_memory_equal(bob.lane, again.lane, PARLEY_KEY_LEN);
    assert_memory_not_equal(bob.lane, eve.lane, PARLEY_KEY_LEN);

    assert_int_equal(parley_job_subject_read(bob.text, &sub),
                     PARLEY_SUBJECT_DIAL);
    parley_assert_str(sub, "bob");

    assert_int_equal(bob.class, PARLEY_JOB_LASTING);
    assert_int_equal(bob.sole, 1);
    assert_int_equal(bob.owed, 0);
    assert_int_equal(bob.after, 0);
}


/* However often the job is added, and by any process, there is one. */

static void
test_sole(void **state)
{
    parley_job_id_t  id;

    (void) state;

    assert_int_equal(add_dial("bob"), PARLEY_JOB_ADDED);
    assert_int_equal(add_dial("bob"), PARLEY_JOB_ADDED);
    assert_int_equal(entries(PARLEY_KIND_JOB), 1);
    assert_int_equal(add_dial("eve"), PARLEY_JOB_ADDED);
    assert_int_equal(entries(PARLEY_KIND_JOB), 2);

    (void) take_by(&t.s, MAX);
    assert_int_equal(got.n, 2);
    id = got.list[0].id;

    /* also while a process has it, for days */

    assert_int_equal(add_dial("bob"), PARLEY_JOB_ADDED);
    assert_int_equal(add_dial("eve"), PARLEY_JOB_ADDED);
    assert_int_equal(entries(PARLEY_KIND_JOB), 2);

    t.now += 30 * DAY;
    assert_string_equal(take_by(&other, MAX), "");
    assert_int_equal(add_dial("bob"), PARLEY_JOB_ADDED);
    assert_int_equal(entries(PARLEY_KIND_JOB), 2);

    /* a job that is over can be added again */

    assert_int_equal(end_by(&other, &id, PARLEY_JOB_DONE, 0),
                     PARLEY_JOB_NOT_ITS);
    assert_int_equal(end_by(&t.s, &id, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
    assert_int_equal(entries(PARLEY_KIND_JOB), 1);

    (void) add_dial("bob");
    (void) add_dial("eve");
    assert_int_equal(entries(PARLEY_KIND_JOB), 2);
    assert_int_equal((take_by(&other, MAX), got.n), 1);
}


/* Without sole, a lane has any number of jobs. */

static void
test_not_sole(void **state)
{
    parley_job_add_t    a;
    parley_job_added_t  rc;

    (void) state;

    a.account = NULL;
    assert_int_equal(parley_dial_job(&arena, &t.s.state, PARLEY_STR("bob"),
                                     &a.job), 0);
    a.job.sole = 0;

    (void) t.s.state.ops->job->add(&t.s.state, &a, &rc, NULL);
    (void) t.s.state.ops->job->add(&t.s.state, &a, &rc, NULL);
    assert_int_equal(entries(PARLEY_KIND_JOB), 2);

    a.job.sole = 1;
    (void) t.s.state.ops->job->add(&t.s.state, &a, &rc, NULL);
    assert_int_equal(rc, PARLEY_JOB_ADDED);
    assert_int_equal(entries(PARLEY_KIND_JOB), 2);
}


/* A process without a free place leaves the job to others.  If the process that
   has it dies, another one takes it. */

static void
test_lasting(void **state)
{
    unsigned  i;

    (void) state;

    (void) add_dial("bob");

    passes = PARLEY_JOB_CLASS_BIT(PARLEY_JOB_LASTING);
    assert_string_equal(take(), "");
    passes = 0;

    assert_int_equal((take(), got.n), 1);
    assert_int_equal(got.list[0].class, PARLEY_JOB_LASTING);
    assert_true(got.list[0].left > 365 * DAY);

    t.now += DAY;
    t.dead = 1;

    /* the first look finds that the process is gone */

    assert_string_equal(take_by(&other, MAX), "");

    for (i = 0; i < 10 && got.n == 0; i++) {
        t.now += 1000;
        (void) take_by(&other, MAX);
    }

    assert_int_equal(got.n, 1);
    assert_int_equal(got.list[0].attempt, 2);
    assert_true(got.list[0].left > 365 * DAY);
}


static void
test_begin(void **state)
{
    size_t                     i;
    const char                *why;
    parley_url_t               url;
    parley_error_t             err;
    const parley_principal_t  *to;
    parley_revocations_now_t   revoked;

    static const char *const  others[] = { "eve", "far", "post", "none", "" };

    (void) state;

    why = parley_dial_begin(&http, PARLEY_STR("bob"), &to, &url);
    assert_null(why);
    parley_assert_str(to->sub, "bob");
    parley_assert_str(url.host, "peer.example");
    assert_int_equal(url.port, 443);

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        why = parley_dial_begin(&http, parley_str_c(others[i]), &to, &url);
        assert_non_null(why);
        assert_null(to);
    }

    /* the job stays: a reload may take the revocation back */

    memset(&revoked, 0, sizeof(revoked));

    if (parley_revocations_parse(&arena,
                                 PARLEY_STR("{\"principals\":[\"bob\"],"
                                            "\"kids\":[],\"tokens\":[]}"),
                                 1, &revoked.list, &err)
        != 0)
    {
        fail_msg("%s: %s", err.field, err.text);
    }

    http.revocations = &revoked;

    assert_string_equal(parley_dial_begin(&http, PARLEY_STR("bob"), &to, &url),
                        "it is revoked");
    assert_non_null(to);

    /* without a location of "websocket=", and without identities */

    http.revocations = NULL;
    http.dials = NULL;
    assert_non_null(parley_dial_begin(&http, PARLEY_STR("bob"), &to, &url));
    assert_null(to);

    parley_directory_free(http.directory);
    http.dials = &location;
    http.directory = NULL;
    assert_non_null(parley_dial_begin(&http, PARLEY_STR("bob"), &to, &url));
    assert_null(to);
}


static int
greet(parley_arena_t *a, const char *sub, parley_str_t *ret,
    parley_error_t *err)
{
    static const uint8_t  random[16] = { 1, 2, 3 };

    return parley_dial_greeting(&render, parley_directory_by_sub(http.directory,
                                                        parley_str_c(sub)),
                                random, PARLEY_TEST_NOW, a, ret, err);
}


static void
test_greeting(void **state)
{
    parley_str_t    said_text;
    parley_json_t   doc;
    parley_error_t  err;

    (void) state;

    if (greet(&arena, "bob", &said_text, &err) != 0) {
        fail_msg("%s: %s", err.field, err.text);
    }

    assert_int_equal(parley_json_read(&doc, &arena,
                                      &parley_json_limits_default, 1,
                                      said_text, &err), 0);
    assert_true(parley_json_string_is(&doc, parley_json_get(&doc, 0,
                                              PARLEY_STR("type")),
                                      PARLEY_STR("context_share")));
    assert_true(parley_json_string_is(&doc, parley_json_get(&doc, 0,
                                              PARLEY_STR("recipient")),
                                      PARLEY_STR("agent://o/bob")));

    /* a principal without a name */

    assert_int_equal(greet(&arena, "none", &said_text, &err), -1);
    assert_int_equal(err.code, PARLEY_E_IDENTITY_UNMAPPABLE);
    assert_string_equal(err.text, "the peer's name has no equivalent in AEE");
}


/* If memory is missing, the error says so, and nothing else. */

static void
test_greeting_memory(void **state)
{
    int                rc;
    size_t             n;
    parley_str_t       said_text;
    parley_mem_t       mem;
    parley_error_t     err;
    parley_arena_t     small;
    parley_test_mem_t  counter;

    (void) state;

    for (n = 1; ; n++) {
        mem = parley_test_mem(&counter, n);

        parley_arena_init(&small, &mem, 64);
        rc = greet(&small, "bob", &said_text, &err);
        parley_arena_reset(&small);

        assert_int_equal(counter.live, 0);

        if (counter.allocations < n) {
            break;
        }

        if (rc != 0) {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);
        }
    }

    assert_int_equal(rc, 0);
    assert_true(n > 3);
}


static void
test_delay(void **state)
{
    unsigned  n;
    uint32_t  base, delay;

    (void) state;

    for (n = 0; n < 100; n++) {
        base = n < 2 ? 1000 : n < 6 ? 1000u << (n - 1) : 20000;

        assert_int_equal(parley_dial_delay(n, 0), base);
        assert_int_equal(parley_dial_delay(n, base / 2), base + base / 2);

        delay = parley_dial_delay(n, UINT32_MAX);
        assert_in_range(delay, base, base + base / 2);
        assert_in_range(delay, PARLEY_DIAL_MIN, 30000);
    }
}


static void
test_receipt(void **state)
{
    int               rc;
    size_t            i;
    parley_receipt_t  r;

    static const struct {
        const char  *text;
        int          is;
        int          refused;
        const char  *id;
        const char  *code;
    } rows[] = {
        { "{\"status\":\"accepted\",\"message_id\":\"" ID "\"}", 1, 0, ID, "" },
        { "{\"status\":\"duplicate\",\"message_id\":\"" ID "\"}", 1, 0, ID,
          "" },
        { "{\"status\":\"rejected\",\"message_id\":\"" ID "\","
          "\"code\":\"policy-refused\"}", 1, 1, ID, "policy-refused" },
        { "{ \"code\": \"busy\", \"status\": \"busy\" }", 1, 1, "", "busy" },
        { "{\"status\":\"rejected\",\"message_id\":7,\"code\":null}", 1, 1, "",
          "" },
        { "{\"status\":\"acc\\u0065pted\"}", 1, 0, "", "" },
        { "{\"status\":\"other\"}", 1, 0, "", "" },
        { "{\"vcp_message\":\"1.2\",\"status\":\"accepted\"}", 0, 0, "", "" },
        { "{\"status\":\"accepted\",\"vcp_message\":null}", 0, 0, "", "" },
        { "{\"status\":true}", 0, 0, "", "" },
        { "{\"status\":null}", 0, 0, "", "" },
        { "{\"x\":{\"status\":\"accepted\"}}", 0, 0, "", "" },
        { "[{\"status\":\"accepted\"}]", 0, 0, "", "" },
        { "\"status\"", 0, 0, "", "" },
        { "{\"status\":\"accepted\"", 0, 0, "", "" },
        { "{\"status\":\"accepted\",\"status\":\"rejected\"}", 0, 0, "", "" },
        { "", 0, 0, "", "" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rc = parley_dial_receipt(PARLEY_PROTO_VCP, parley_str_c(rows[i].text),
                                 &parley_json_limits_default, 1, &arena, &r);

        if (rc != rows[i].is) {
            fail_msg("%s: %d", rows[i].text, rc);
        }

        assert_int_equal(parley_dial_receipt(PARLEY_PROTO_VCP2,
                                             parley_str_c(rows[i].text),
                                             &parley_json_limits_default, 1,
                                             &arena, &r),
                         rc);

        if (rc) {
            assert_int_equal(r.refused, rows[i].refused);
            parley_assert_str(r.id, rows[i].id);
            parley_assert_str(r.code, rows[i].code);
        }

        /* a protocol without receipts */

        assert_int_equal(parley_dial_receipt(PARLEY_PROTO_AEE,
                                             parley_str_c(rows[i].text),
                                             &parley_json_limits_default, 1,
                                             &arena, &r),
                         0);
    }
}


#define dial(name, f)  { name, f, begin_dial, end_dial, NULL }

static const struct CMUnitTest  tests[] = {
    dial("VCP-32 the job of a peer", test_job),
    dial("VCP-32 HUB-09 a peer has one job", test_sole),
    dial("VCP-32 jobs that are not the only one", test_not_sole),
    dial("VCP-32 HUB-09 a lasting job stays with its process", test_lasting),
    dial("VCP-32 peers that are not dialled", test_begin),
    dial("VCP-32 the greeting", test_greeting),
    dial("VCP-32 the greeting when memory ends", test_greeting_memory),
    dial("VCP-32 the pause before the next attempt", test_delay),
    dial("VCP-32 receipts are not messages", test_receipt),
};


PARLEY_TEST_MAIN(tests)
