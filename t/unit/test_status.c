/* The status of the gateway, and its formats; its health. */

#include <jansson.h>

#include "t/unit/parley_test.h"
#include "gate/metrics/parley_health.h"
#include "gate/metrics/parley_status.h"


static const parley_status_t  of = {
    .parley = parley_str("0.2.0"), .nginx = parley_str("1.22.1"),
    .now_ms = 1700000000123
};


static parley_snapshot_t  snapshot;


static void
filled(void)
{
    memset(&snapshot, 0, sizeof(snapshot));

    snapshot.cells[parley_cell_message(PARLEY_PROTO_AEE, PARLEY_PROTO_VCP,
                                       PARLEY_VERDICT_PASSED)] = 12;
    snapshot.cells[parley_cell_refusal(PARLEY_E_JSON_INVALID, 0)] = 3;
    snapshot.cells[PARLEY_M_GATEWAY_TIME] = 2;
    snapshot.cells[PARLEY_M_GATEWAY_TIME + 3] = 5;
    snapshot.cells[PARLEY_M_GATEWAY_TIME + PARLEY_TIME_OVER] = 1;
    snapshot.cells[PARLEY_M_GATEWAY_TIME + PARLEY_TIME_SUM] = 1500000001;
    snapshot.cells[PARLEY_M_ZONE_LEFT] = 250;
    snapshot.cells[PARLEY_M_KEYS_AGE] = 60000;
}


static char *
text_of(int (*print)(parley_arena_t *, const parley_snapshot_t *,
                     const parley_status_t *, parley_str_t *))
{
    char               *copy;
    parley_mem_t        mem;
    parley_str_t        text;
    parley_arena_t      arena;
    parley_test_mem_t   counted;

    mem = parley_test_mem(&counted, 0);
    parley_arena_init(&arena, &mem, 0);

    assert_int_equal(print(&arena, &snapshot, &of, &text), 0);

    copy = strndup((const char *) text.data, text.len);
    parley_arena_reset(&arena);
    assert_int_equal(counted.live, 0);

    return copy;
}


static void
test_json(void **state)
{
    char    *text;
    json_t  *root, *row, *buckets;

    (void) state;

    filled();
    text = text_of(parley_status_json);
    root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);

    assert_string_equal(json_string_value(json_object_get(root, "parley")),
                        "0.2.0");

    row = json_array_get(json_object_get(json_object_get(root, "messages"),
                                         "verdicts"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "accepted")),
                        "aee");
    assert_string_equal(json_string_value(json_object_get(row, "spoken")),
                        "vcp");
    assert_string_equal(json_string_value(json_object_get(row, "verdict")),
                        "passed");
    assert_int_equal(json_integer_value(json_object_get(row, "n")), 12);

    row = json_object_get(json_object_get(root, "times"), "gateway");
    assert_true(json_number_value(json_object_get(row, "sum"))
                == 1.500000001);
    buckets = json_object_get(row, "buckets");
    assert_int_equal(json_array_size(buckets), PARLEY_BUCKETS + 1);
    assert_int_equal(json_integer_value(json_array_get(
                                     json_array_get(buckets, 3), 1)), 5);
    assert_true(json_is_null(json_array_get(json_array_get(buckets,
                                            PARLEY_BUCKETS), 0)));

    row = json_object_get(root, "zone");
    assert_true(json_number_value(json_object_get(row, "left")) == 0.25);
    assert_null(json_object_get(row, "limited"));
    assert_null(json_object_get(row, "orphans"));
    assert_null(json_object_get(row, "repairs"));

    assert_int_equal(json_object_size(json_object_get(root, "jobs")), 0);
    assert_int_equal(json_object_size(json_object_get(root, "suspensions")),
                     0);
    assert_null(json_object_get(root, "suspended"));

    json_decref(root);
    free(text);
}


static void
assert_line(const char *text, const char *line)
{
    char  wanted[256];

    (void) snprintf(wanted, sizeof(wanted), "\n%s\n", line);

    if (strstr(text, wanted) == NULL) {
        fail_msg("no line \"%s\"", line);
    }
}


static void
test_prometheus(void **state)
{
    char    *text, *line;
    size_t   i;

    (void) state;

    filled();
    snapshot.cells[PARLEY_M_KEYS] = UINT64_MAX;
    text = text_of(parley_status_prometheus);

    assert_line(text, "parley_build_info{version=\"0.2.0\",nginx=\"1.22.1\"}"
                      " 1");
    assert_line(text, "# TYPE parley_messages_total counter");
    assert_line(text, "parley_messages_total{accepted=\"aee\",spoken=\"vcp\","
                      "verdict=\"passed\"} 12");
    assert_line(text, "parley_messages_total{accepted=\"vcp\",spoken=\"aee\","
                      "verdict=\"refused\"} 0");
    assert_line(text, "parley_refusals_total{code=\"json-invalid\","
                      "by=\"gateway\"} 3");
    assert_line(text, "parley_keys{source=\"file\"} 18446744073709551615");
    assert_line(text, "parley_keys_age_seconds 60");
    assert_line(text, "parley_zone_left_ratio 0.25");

    /* a bucket counts all values up to its bound */
    assert_line(text, "# TYPE parley_gateway_seconds histogram");
    assert_line(text, "parley_gateway_seconds_bucket{le=\"0.00001\"} 2");
    assert_line(text, "parley_gateway_seconds_bucket{le=\"0.0001\"} 7");
    assert_line(text, "parley_gateway_seconds_bucket{le=\"0.25\"} 7");
    assert_line(text, "parley_gateway_seconds_bucket{le=\"+Inf\"} 8");
    assert_line(text, "parley_gateway_seconds_sum 1.500000001");
    assert_line(text, "parley_gateway_seconds_count 8");

    /*
     * every row exists from the beginning, except those of the state if it
     * does not answer, and those of the store without a store
     */

    for (i = 0; i < PARLEY_ROWS; i++) {
        line = strstr(text, (const char *) parley_metrics[i].name.data);
        assert_int_equal(line == NULL,
                         (parley_metrics[i].first >= PARLEY_M_LIMITED
                          && parley_metrics[i].first <= PARLEY_M_SUSPENSIONS)
                         || parley_str_begins(parley_metrics[i].name,
                                              "parley_store_"));
    }

    free(text);
}


static void
test_store(void **state)
{
    char                   *text;
    parley_status_store_t   store = { 3, 4, 1, 1000, 2000, -1500 };

    (void) state;

    filled();

    text = text_of(parley_status_json);
    assert_null(strstr(text, "\"store\":{"));
    free(text);

    snapshot.cells[PARLEY_M_STORE_UP] = 2;
    snapshot.cells[PARLEY_M_STORE_INBOX] = 1;
    snapshot.cells[PARLEY_M_STORE_CALLS + PARLEY_L_STORE_RESULT_SLOW] = 5;
    snapshot.cells[PARLEY_M_STORE_LOST + PARLEY_L_STORE_LOSS_RATE] = 6;
    parley_status_store(&snapshot, &store);

    text = text_of(parley_status_prometheus);
    assert_line(text, "parley_store_up 2");
    assert_line(text, "parley_store_inbox 1");
    assert_line(text, "parley_store_calls_total{result=\"slow\"} 5");
    assert_line(text, "parley_store_lost_total{why=\"rate\"} 6");
    assert_line(text, "parley_store_generation 3");
    assert_line(text, "parley_store_nodes 4");
    assert_line(text, "parley_store_nodes_differ 1");
    assert_line(text, "parley_store_bytes{use=\"used\"} 1000");
    assert_line(text, "parley_store_bytes{use=\"max\"} 2000");
    assert_line(text, "parley_store_clock_offset_seconds 1.5");
    free(text);

    text = text_of(parley_status_json);
    assert_non_null(strstr(text, "\"store\":{\"up\":2,\"inbox\":1,"
                                 "\"calls\":{\"ok\":0,"
                                 "\"failed\":0,\"slow\":5,\"away\":0}"));
    free(text);
}


/* The n-th allocation fails: no text, and nothing is left. */

static void
test_memory(void **state)
{
    int                 rc;
    size_t              n;
    parley_mem_t        mem;
    parley_str_t        text;
    parley_arena_t      arena;
    parley_test_mem_t   counted;

    (void) state;

    filled();

    for (n = 1; n < 20; n++) {
        mem = parley_test_mem(&counted, n);
        parley_arena_init(&arena, &mem, 0);

        rc = parley_status_json(&arena, &snapshot, &of, &text);

        assert_true(rc == 0 || counted.allocations >= n);
        parley_arena_reset(&arena);
        assert_int_equal(counted.live, 0);

        if (rc == 0) {
            break;
        }
    }

    assert_true(n > 1 && n < 20);
}


static void
test_format(void **state)
{
    size_t                  i;
    parley_status_format_t  got;

    static const struct {
        const char  *query;
        const char  *accept;
        int          want;      /* -1: refused */
    } cases[] = {
        { "", "", PARLEY_STATUS_JSON },
        { "", "*/*", PARLEY_STATUS_JSON },
        { "", "text/html,application/xhtml+xml,application/xml;q=0.9,"
              "image/avif,*/*;q=0.8", PARLEY_STATUS_HTML },
        { "", "application/openmetrics-text;version=1.0.0,"
              "application/openmetrics-text;version=0.0.1;q=0.75,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
          PARLEY_STATUS_PROMETHEUS },
        { "", "application/vnd.google.protobuf;q=0.7, text/plain;q=0.3",
          PARLEY_STATUS_PROMETHEUS },
        { "", "text/html;q=0, */*;q=0.1", PARLEY_STATUS_JSON },
        { "", "text/html;q=0,9", PARLEY_STATUS_JSON },
        { "", "text/html;q=0.", PARLEY_STATUS_JSON },
        { "", "text/html;q=0", PARLEY_STATUS_JSON },
        { "", "text/html;q=0.2, application/json;Q=0.3", PARLEY_STATUS_JSON },
        { "", "TEXT/HTML", PARLEY_STATUS_HTML },
        { "", "image/png", PARLEY_STATUS_JSON },
        { "", ",,;q=,;;", PARLEY_STATUS_JSON },
        { "", "*/*, text/plain", PARLEY_STATUS_PROMETHEUS },
        { "format=prometheus", "text/html", PARLEY_STATUS_PROMETHEUS },
        { "a=b&format=html", "", PARLEY_STATUS_HTML },
        { "format=json&x", "text/html", PARLEY_STATUS_JSON },
        { "xformat=html", "", PARLEY_STATUS_JSON },
        { "format=", "", -1 },
        { "format=xml", "", -1 },
        { "format=JSON", "", -1 },
        { "format=json&format=json", "", -1 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int  rc;

        rc = parley_status_format(parley_str_c(cases[i].query),
                                  parley_str_c(cases[i].accept), &got);

        if ((rc == 0 ? (int) got : -1) != cases[i].want) {
            fail_msg("\"%s\" with \"%s\": %d", cases[i].query,
                     cases[i].accept, rc == 0 ? (int) got : -1);
        }
    }
}


static void
test_state(void **state)
{
    parley_state_stat_t  stat;
    parley_state_room_t  table;

    (void) state;

    memset(&snapshot, 0, sizeof(snapshot));
    memset(&stat, 0, sizeof(stat));
    memset(&table, 0, sizeof(table));

    table.block = 64;
    table.blocks = 1000;
    table.free = 600;
    table.loose = 100;
    table.largest = 123;
    table.queued_blocks[PARLEY_EVICTABLE_MESSAGE] = 100;
    table.full = 7;
    stat.entries[PARLEY_KIND_ID] = 5;
    stat.entries[PARLEY_KIND_RATE] = 6;
    stat.limited = 8;
    stat.held[PARLEY_SEVERITY_EMERGENCY] = 9;
    stat.held[PARLEY_SEVERITY_CRITICAL] = 10;

    parley_status_state(&snapshot, &stat);
    parley_status_zone(&snapshot, &table, 250);

    assert_int_equal(snapshot.cells[PARLEY_M_ENTRIES + PARLEY_L_KIND_IDS], 5);
    assert_int_equal(snapshot.cells[PARLEY_M_ENTRIES + PARLEY_L_KIND_LIMITS],
                     6);
    assert_int_equal(snapshot.cells[PARLEY_M_ZONE_OCTETS
                                    + PARLEY_L_USE_RETAINED], 6400);
    assert_int_equal(snapshot.cells[PARLEY_M_ZONE_OCTETS
                                    + PARLEY_L_USE_PROMISED], 19200);
    assert_int_equal(snapshot.cells[PARLEY_M_ZONE_OCTETS
                                    + PARLEY_L_USE_FREE], 38400);
    assert_int_equal(snapshot.cells[PARLEY_M_ZONE_LEFT], 700);
    assert_int_equal(snapshot.cells[PARLEY_M_ZONE_LARGEST], 123);
    assert_int_equal(snapshot.cells[PARLEY_M_ZONE_SHARE], 250);
    assert_int_equal(snapshot.cells[PARLEY_M_ZONE_REFUSED], 7);
    assert_int_equal(snapshot.cells[PARLEY_M_LIMITED], 8);
    assert_int_equal(snapshot.cells[PARLEY_M_SUSPENSIONS
                                    + PARLEY_L_HOLD_SUSPENDED], 9);
    assert_int_equal(snapshot.cells[PARLEY_M_SUSPENSIONS
                                    + PARLEY_L_HOLD_PAUSED], 10);
}


static void
said(parley_health_t asked, unsigned failed, int want, const char *body)
{
    int                status;
    parley_mem_t       mem;
    parley_str_t       text;
    parley_arena_t     arena;
    parley_test_mem_t  counted;

    mem = parley_test_mem(&counted, 0);
    parley_arena_init(&arena, &mem, 0);

    assert_int_equal(parley_health_reply(&arena, asked, failed, &status,
                                         &text), 0);
    assert_int_equal(status, want);
    parley_assert_str(text, body);

    parley_arena_reset(&arena);
}


static void
test_health(void **state)
{
    parley_state_stat_t    stat;
    parley_health_facts_t  facts = { &stat, 1, 1, 1 };

    (void) state;

    memset(&stat, 0, sizeof(stat));
    stat.level = PARLEY_STATE_LOW;
    assert_int_equal(parley_health_failed(&facts), 0);

    stat.level = PARLEY_STATE_FULL;
    assert_int_equal(parley_health_failed(&facts), 1 << PARLEY_L_CHECK_ZONE);

    facts.keys = 0;
    facts.stat = NULL;
    assert_int_equal(parley_health_failed(&facts),
                     1 << PARLEY_L_CHECK_ZONE | 1 << PARLEY_L_CHECK_KEYS);

    stat.level = PARLEY_STATE_OK;
    facts = (parley_health_facts_t) { &stat, 1, 0, 0 };
    assert_int_equal(parley_health_failed(&facts),
                     1 << PARLEY_L_CHECK_REVOCATIONS
                     | 1 << PARLEY_L_CHECK_STORE);

    said(PARLEY_HEALTH_LIVE, 7, 200, "{\"status\":\"live\"}\n");
    said(PARLEY_HEALTH_READY, 0, 200, "{\"status\":\"ready\"}\n");
    said(PARLEY_HEALTH_READY, 1 << PARLEY_L_CHECK_KEYS, 503,
         "{\"status\":\"not ready\",\"failed\":{\"keys\":\"no keys that "
         "verify tokens were loaded yet\"}}\n");
    said(PARLEY_HEALTH_READY, 1 << PARLEY_L_CHECK_STORE, 503,
         "{\"status\":\"not ready\",\"failed\":{\"store\":\"the store is "
         "away\"}}\n");
}


static const struct CMUnitTest  tests[] = {
    parley_test("OPS-01 a snapshot as JSON", test_json),
    parley_test("OPS-02 a snapshot as Prometheus text", test_prometheus),
    parley_test("OPS-02 the store in a snapshot", test_store),
    parley_test("OPS-01 no memory, no text", test_memory),
    parley_test("OPS-01 the format that is asked for", test_format),
    parley_test("OPS-01 the state in a snapshot", test_state),
    parley_test("OPS-03 what is live, and what is ready", test_health),
};

PARLEY_TEST_MAIN(tests)
