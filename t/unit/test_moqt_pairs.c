/* Integers, key-value pairs, names and parts of URIs of MoQ Transport. */

#include "t/unit/parley_test_moqt.h"

#include "moqt/parley_moqt_uri.h"


static int
read_integer(const uint8_t *p, size_t len, uint64_t *ret, size_t *used)
{
    int                   rc;
    uint8_t              *copy;
    parley_moqt_cursor_t  c;

    copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, p, len);

    c.draft = draft;
    c.pos = copy;
    c.end = copy + len;

    rc = parley_moqt_integer_read(&c, ret);
    *used = (size_t) (c.pos - copy);

    free(copy);

    return rc;
}


static void
test_integers(void **state)
{
    size_t    i, len, used;
    uint8_t   octets[PARLEY_MOQT_INTEGER_LEN];
    uint64_t  n;

    static const struct {
        uint64_t  n;
        size_t    len;
    } rows[] = {
        { 0, 1 }, { 37, 1 }, { 63, 1 }, { 64, 2 }, { 15293, 2 }, { 16383, 2 },
        { 16384, 4 }, { 494878333, 4 }, { 1073741823, 4 }, { 1073741824, 8 },
        { 151288809941952652, 8 }, { MOQT_MAX, 8 }
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        len = (size_t) (draft->integer_write(octets, rows[i].n) - octets);
        assert_int_equal(len, rows[i].len);
        assert_int_equal(read_integer(octets, len, &n, &used), 0);
        assert_true(n == rows[i].n);
        assert_int_equal(used, len);

        while (len > 0) {
            assert_int_equal(read_integer(octets, --len, &n, &used), -1);
            assert_int_equal(used, 0);
        }
    }

    /* the examples of RFC 9000 */

    assert_int_equal(read_integer((const uint8_t *)
                                  "\xc2\x19\x7c\x5e\xff\x14\xe8\x8c", 8, &n,
                                  &used), 0);
    assert_true(n == UINT64_C(151288809941952652));
    assert_int_equal(read_integer((const uint8_t *) "\x40\x25", 2, &n, &used),
                     0);
    assert_int_equal(n, 37);
}


static void
test_draft(void **state)
{
    size_t                         i;
    const parley_moqt_pair_row_t  *row;

    const parley_moqt_pair_row_t *const  tables[] = {
        draft->setup, draft->params, draft->extensions
    };

    (void) state;

    assert_ptr_equal(parley_moqt_draft_find(PARLEY_STR("moqt-16")), draft);
    assert_null(parley_moqt_draft_find(PARLEY_STR("moqt-1")));
    assert_null(parley_moqt_draft_row(draft, 0x01));
    assert_null(parley_moqt_draft_row(draft, 0x40));
    assert_null(parley_moqt_draft_row(draft, UINT64_MAX));

    assert_string_equal(parley_moqt_draft_pair(draft->params, 0x21)->name,
                        "SUBSCRIPTION_FILTER");
    assert_null(parley_moqt_draft_pair(draft->params, 0x01));

    /* the reader walks rows in the order of types */

    for (i = 0; i < 3; i++) {
        for (row = tables[i]; row[1].name != NULL; row++) {
            assert_true(row[0].type < row[1].type);
        }
    }
}


typedef struct {
    unsigned            type;       /* of the message */
    const char         *pairs;
    parley_moqt_code_t  code;
    const char         *member;
} pairs_row_t;


static const pairs_row_t  pairs_rows[] = {

    /* integers at their limits */
    { 0x03, "01 02 00", PARLEY_MOQT_PROTOCOL_VIOLATION, "DELIVERY_TIMEOUT" },
    { 0x03, "01 02 01", 0, "" },
    { 0x03, "01 02 ffffffffffffffff", 0, "" },
    { 0x03, "01 10 02", PARLEY_MOQT_PROTOCOL_VIOLATION, "FORWARD" },
    { 0x03, "01 10 01", 0, "" },
    { 0x03, "01 20 40ff", 0, "" },
    { 0x03, "01 20 4100", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIBER_PRIORITY" },
    { 0x03, "01 22 00", PARLEY_MOQT_PROTOCOL_VIOLATION, "GROUP_ORDER" },
    { 0x03, "01 22 02", 0, "" },
    { 0x03, "01 22 03", PARLEY_MOQT_PROTOCOL_VIOLATION, "GROUP_ORDER" },
    { 0x03, "01 32 00", 0, "" },
    { 0x1e, "01 08 ffffffffffffffff", 0, "" },

    /* in other messages parameters are ignored */
    { 0x07, "01 10 02", 0, "" },
    { 0x06, "01 21 01 07", 0, "" },
    { 0x0d, "01 20 4100", 0, "" },
    { 0x1d, "01 02 00", 0, "" },

    /* unknown, repeated */
    { 0x03, "01 00 00", PARLEY_MOQT_PROTOCOL_VIOLATION, "Parameters" },
    { 0x03, "01 01 00", PARLEY_MOQT_PROTOCOL_VIOLATION, "Parameters" },
    { 0x03, "01 04 00", PARLEY_MOQT_PROTOCOL_VIOLATION, "Parameters" },
    { 0x03, "02 10 01 00 01", PARLEY_MOQT_PROTOCOL_VIOLATION, "FORWARD" },
    { 0x03, "02 03 02 03 00 00 02 03 00", 0, "" },
    { 0x20, "02 02 01 00 01", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "MAX_REQUEST_ID" },
    { 0x20, "03 00 01 00 02 00 01", 0, "" },
    { 0x20, "02 3f 00 00 00", 0, "" },

    /* tokens */
    { 0x03, "01 03 00", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x03, "01 03 01 00", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x03, "01 03 02 00 05", 0, "" },
    { 0x03, "01 03 03 00 05 00", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x03, "01 03 03 02 05 00", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x03, "01 03 02 01 05", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x03, "01 03 03 01 05 40", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x03, "01 03 03 01 05 00", 0, "" },
    { 0x03, "01 03 01 03", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x03, "01 03 02 03 00", 0, "" },
    { 0x03, "01 03 01 04", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x20, "01 03 02 00 05", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "AUTHORIZATION_TOKEN" },
    { 0x20, "01 03 02 02 05", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "AUTHORIZATION_TOKEN" },
    { 0x20, "01 03 04 01 05 00 41", 0, "" },
    { 0x20, "01 03 01 01", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "AUTHORIZATION_TOKEN" },
    { 0x21, "01 03 02 02 05", 0, "" },

    /* locations and filters */
    { 0x04, "01 09 02 01 02", 0, "" },
    { 0x04, "01 09 01 01", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "LARGEST_OBJECT" },
    { 0x04, "01 09 03 01 02 03", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "LARGEST_OBJECT" },
    { 0x04, "01 09 00", PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
      "LARGEST_OBJECT" },
    { 0x03, "01 21 01 01", 0, "" },
    { 0x03, "01 21 01 02", 0, "" },
    { 0x03, "01 21 03 03 00 00", 0, "" },
    { 0x03, "01 21 04 04 00 00 00", 0, "" },
    { 0x03, "01 21 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIPTION_FILTER" },
    { 0x03, "01 21 01 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIPTION_FILTER" },
    { 0x03, "01 21 01 05", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIPTION_FILTER" },
    { 0x03, "01 21 02 01 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIPTION_FILTER" },
    { 0x03, "01 21 02 03 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIPTION_FILTER" },
    { 0x03, "01 21 03 04 00 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIPTION_FILTER" },
    { 0x03, "01 21 05 04 00 00 00 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "SUBSCRIPTION_FILTER" },

    /* paths and authorities */
    { 0x20, "01 01 00", 0, "" },
    { 0x20, "01 01 05 \"/a?b=\"", 0, "" },
    { 0x20, "01 01 01 \"a\"", PARLEY_MOQT_MALFORMED_PATH, "PATH" },
    { 0x20, "01 01 02 2f00", PARLEY_MOQT_MALFORMED_PATH, "PATH" },
    { 0x21, "01 01 01 \"/\"", PARLEY_MOQT_INVALID_PATH, "PATH" },
    { 0x20, "01 05 03 \"a:1\"", 0, "" },
    { 0x20, "01 05 00", PARLEY_MOQT_MALFORMED_AUTHORITY, "AUTHORITY" },
    { 0x20, "01 05 03 \"a/b\"", PARLEY_MOQT_MALFORMED_AUTHORITY,
      "AUTHORITY" },
    { 0x21, "01 05 01 \"a\"", PARLEY_MOQT_INVALID_AUTHORITY, "AUTHORITY" },

    /* the sum of the distances, lengths */
    { 0x20, "04 ffffffffffffffff 00 ffffffffffffffff 00"
            "ffffffffffffffff 00 ffffffffffffffff 00", 0, "" },
    { 0x20, "05 ffffffffffffffff 00 ffffffffffffffff 00 ffffffffffffffff 00"
            "ffffffffffffffff 00 04 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "Setup Parameters" },
    { 0x20, "01 09 80010000", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "Setup Parameters" },
    { 0x20, "01 09 ffffffffffffffff", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "Setup Parameters" },
    { 0x20, "01 09 02 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "Setup Parameters" },
    { 0x20, "ffffffffffffffff", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "Setup Parameters" },
    { 0x20, "02 02 01", PARLEY_MOQT_PROTOCOL_VIOLATION, "Setup Parameters" },
    { 0x20, "01 02", PARLEY_MOQT_PROTOCOL_VIOLATION, "Setup Parameters" },
    { 0x20, "01", PARLEY_MOQT_PROTOCOL_VIOLATION, "Setup Parameters" },
    { 0x20, "", PARLEY_MOQT_PROTOCOL_VIOLATION, "Setup Parameters" },

    /* extensions of tracks; their type 0x3e is of objects */
    { 0x04, "00 02 00", PARLEY_MOQT_PROTOCOL_VIOLATION, "DELIVERY_TIMEOUT" },
    { 0x04, "00 0e 4100", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "DEFAULT_PUBLISHER_PRIORITY" },
    { 0x04, "00 22 03", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "DEFAULT_PUBLISHER_GROUP_ORDER" },
    { 0x04, "00 30 02", PARLEY_MOQT_PROTOCOL_VIOLATION, "DYNAMIC_GROUPS" },
    { 0x04, "00 30 01 0c 05 02 05", 0, "" },
    { 0x04, "00 01 02 \"ab\" 00 00 3f 00", 0, "" },
    { 0x04, "00 01 02 \"a\"", PARLEY_MOQT_PROTOCOL_VIOLATION,
      "Track Extensions" },
};


/* Members of each type of message before its parameters. */

static const char *
head_of(unsigned type)
{
    switch (type) {

    case PARLEY_MOQT_SUBSCRIBE:
    case PARLEY_MOQT_TRACK_STATUS:
        return "00 01 01 \"x\" 00";

    case PARLEY_MOQT_PUBLISH:
        return "00 01 01 \"x\" 00 00";

    case PARLEY_MOQT_SUBSCRIBE_OK:
        return "00 00";

    case PARLEY_MOQT_PUBLISH_NAMESPACE:
        return "00 01 01 \"x\"";

    case PARLEY_MOQT_CLIENT_SETUP:
    case PARLEY_MOQT_SERVER_SETUP:
        return "";

    default:
        return "00";
    }
}


static void
test_pairs(void **state)
{
    int                    rc;
    char                   text[256];
    size_t                 i;
    parley_str_t           octets;
    const pairs_row_t     *row;
    parley_moqt_fault_t    fault;
    parley_moqt_message_t  m;

    (void) state;

    for (i = 0; i < sizeof(pairs_rows) / sizeof(pairs_rows[0]); i++) {
        row = &pairs_rows[i];

        (void) snprintf(text, sizeof(text), "%s %s", head_of(row->type),
                        row->pairs);
        octets = moqt_octets(text);

        rc = parley_moqt_message_read(draft, row->type, octets, &m, &fault);

        if (rc == 0 ? row->code != 0 : fault.code != row->code
            || strcmp(fault.member, row->member) != 0)
        {
            fail_msg("0x%02x %s: %s", row->type, row->pairs,
                     rc == 0 ? "read" : fault.member);
        }

        free((void *) octets.data);
    }
}


static void
test_writer(void **state)
{
    uint8_t                    *value;
    parley_arena_t              arena;
    parley_moqt_pair_t          pair;
    parley_moqt_fault_t         fault;
    parley_moqt_token_t         token, back;
    parley_moqt_pairs_t         pairs;
    parley_moqt_filter_t        filter, other;
    parley_moqt_pairs_writer_t  w;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (token.alias_type = PARLEY_MOQT_TOKEN_DELETE;
         token.alias_type <= PARLEY_MOQT_TOKEN_USE_VALUE; token.alias_type++)
    {
        token.alias = MOQT_MAX;
        token.type = 70000;
        token.value = PARLEY_STR("\0token");

        parley_moqt_pairs_writer_init(&w, draft, &arena);
        parley_moqt_pairs_put_token(&w, PARLEY_MOQT_PARAM_TOKEN, &token);
        assert_int_equal(parley_moqt_pairs_done(&w, &pairs), 0);
        assert_int_equal(pairs.count, 1);
        assert_true(parley_moqt_pairs_find(draft, &pairs,
                                           PARLEY_MOQT_PARAM_TOKEN, &pair));
        assert_int_equal(parley_moqt_token_read(draft, pair.octets, &back,
                                                &fault), 0);
        assert_int_equal(back.alias_type, token.alias_type);
        assert_true(back.alias == (token.alias_type
                                   == PARLEY_MOQT_TOKEN_USE_VALUE
                                   ? 0 : MOQT_MAX));
        assert_int_equal(back.value.len,
                         token.alias_type & PARLEY_MOQT_TOKEN_REGISTER
                         ? 6 : 0);
    }

    for (filter.type = PARLEY_MOQT_FILTER_NEXT_GROUP;
         filter.type <= PARLEY_MOQT_FILTER_RANGE; filter.type++)
    {
        filter.start = (parley_moqt_location_t) { 70, MOQT_MAX };
        filter.end_group = 71;

        parley_moqt_pairs_writer_init(&w, draft, &arena);
        parley_moqt_pairs_put_filter(&w, PARLEY_MOQT_PARAM_FILTER, &filter);
        assert_int_equal(parley_moqt_pairs_done(&w, &pairs), 0);
        assert_true(parley_moqt_pairs_find(draft, &pairs,
                                           PARLEY_MOQT_PARAM_FILTER, &pair));
        assert_int_equal(parley_moqt_filter_read(draft, pair.octets, &other,
                                                 &fault), 0);
        assert_int_equal(other.type, filter.type);
        assert_true(other.start.object
                    == (filter.type < PARLEY_MOQT_FILTER_START ? 0
                        : MOQT_MAX));
        assert_int_equal(other.end_group,
                         filter.type == PARLEY_MOQT_FILTER_RANGE ? 71 : 0);
    }

    /* types that do not ascend, or have the wrong parity; limits */

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_integer(&w, 4, 1);
    parley_moqt_pairs_put_integer(&w, 2, 1);
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), -1);

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_integer(&w, 3, 1);
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), -1);

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_octets(&w, 2, PARLEY_STR("x"));
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), -1);

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_integer(&w, 2, MOQT_MAX + 1);
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), -1);

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_location(&w, 9, (parley_moqt_location_t)
                                          { 0, MOQT_MAX + 1 });
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), -1);

    value = calloc(1, 65536);
    assert_non_null(value);

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_octets(&w, 1, parley_str_make(value, 65535));
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), 0);
    assert_int_equal(pairs.octets.len, 65540);

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_octets(&w, 1, parley_str_make(value, 65536));
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), -1);

    token.alias_type = PARLEY_MOQT_TOKEN_USE_VALUE;
    token.type = 0;
    token.value = parley_str_make(value, 65534);

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_token(&w, 3, &token);
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), -1);

    token.value.len = 65533;
    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_token(&w, 3, &token);
    assert_int_equal(parley_moqt_pairs_done(&w, &pairs), 0);

    free(value);
    parley_arena_reset(&arena);
}


static void
test_namespaces(void **state)
{
    size_t                   i;
    uint8_t                  octets[256];
    parley_buf_t             b;
    parley_str_t             out, back;
    parley_arena_t           arena;
    parley_moqt_namespace_t  space, prefix;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&space, 0, sizeof(space));

    assert_int_equal(parley_moqt_namespace_add(&space, parley_str_none), -1);
    assert_int_equal(parley_moqt_namespace_add(&space,
                                               PARLEY_STR("example.net")), 0);
    assert_int_equal(parley_moqt_namespace_add(&space, PARLEY_STR("team2")),
                     0);

    prefix = space;
    assert_true(parley_moqt_namespace_eq(&space, &prefix));

    assert_int_equal(parley_moqt_namespace_add(&space,
                                               PARLEY_STR("project_x")), 0);
    assert_true(parley_moqt_namespace_begins(&space, &prefix));
    assert_false(parley_moqt_namespace_begins(&prefix, &space));
    assert_false(parley_moqt_namespace_eq(&space, &prefix));

    prefix.fields[1] = PARLEY_STR("team3");
    assert_false(parley_moqt_namespace_begins(&space, &prefix));

    prefix.count = 0;
    assert_true(parley_moqt_namespace_begins(&space, &prefix));

    /* the example of the draft */

    parley_buf_init(&b, &arena, 0);
    parley_moqt_track_write(&b, &space, PARLEY_STR("report"));
    assert_int_equal(parley_buf_done(&b, &out), 0);
    parley_assert_str(out, "example.2enet-team2-project_x--report");

    for (i = 0; i < sizeof(octets); i++) {
        octets[i] = (uint8_t) i;
    }

    parley_buf_init(&b, &arena, 0);
    parley_moqt_safe_write(&b, parley_str_make(octets, sizeof(octets)));
    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(parley_moqt_safe_read(&arena, out, &back), 0);
    assert_int_equal(back.len, sizeof(octets));
    assert_memory_equal(back.data, octets, sizeof(octets));

    assert_int_equal(parley_moqt_safe_read(&arena, PARLEY_STR("a-"), &back),
                     -1);
    assert_int_equal(parley_moqt_safe_read(&arena, PARLEY_STR("a.2"), &back),
                     -1);
    assert_int_equal(parley_moqt_safe_read(&arena, PARLEY_STR("a.2g"), &back),
                     -1);

    /* the limits of a namespace */

    memset(&space, 0, sizeof(space));

    for (i = 0; i < PARLEY_MOQT_FIELDS_MAX; i++) {
        assert_int_equal(parley_moqt_namespace_add(&space, PARLEY_STR("f")),
                         0);
    }

    assert_int_equal(parley_moqt_namespace_add(&space, PARLEY_STR("f")), -1);

    memset(&space, 0, sizeof(space));
    out = parley_str_make(parley_arena_calloc(&arena, 4097), 4097);
    assert_int_equal(parley_moqt_namespace_add(&space, out), -1);
    out.len = 4096;
    assert_int_equal(parley_moqt_namespace_add(&space, out), 0);
    assert_int_equal(parley_moqt_namespace_add(&space, PARLEY_STR("f")), -1);

    parley_arena_reset(&arena);
}


static void
test_uris(void **state)
{
    size_t  i;

    static const char *const  paths[] = {
        "", "/", "/moq", "/a/b/", "//", "/a%2Fb", "/:@!$&'()*+,;=~-._",
        "?", "?a=b/c?d", "/a?"
    };

    static const char *const  bad_paths[] = {
        "a", "/a b", "/%", "/%2", "/%zz", "/a#b", "/\x80", "/[", "/\"", "?#",
        "/a?%4"
    };

    static const char *const  authorities[] = {
        "a", "a.example", "a:443", "a:", "[::1]", "[::1]:443", "u@a",
        "u:p@a:1", "%41", "192.0.2.1"
    };

    static const char *const  bad_authorities[] = {
        "", ":443", "a:b", "a:4:4", "[::1", "[]", "[::1]x", "a/b", "a b",
        "u@", "u@v@w", "u/v@a", "a\x7f", "%4", "[a/b]"
    };

    (void) state;

    for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_true(parley_moqt_uri_path(parley_str_c(paths[i])));
    }

    for (i = 0; i < sizeof(bad_paths) / sizeof(bad_paths[0]); i++) {
        assert_false(parley_moqt_uri_path(parley_str_c(bad_paths[i])));
    }

    for (i = 0; i < sizeof(authorities) / sizeof(authorities[0]); i++) {
        assert_true(parley_moqt_uri_authority(parley_str_c(authorities[i])));
    }

    for (i = 0; i < sizeof(bad_authorities) / sizeof(bad_authorities[0]);
         i++)
    {
        assert_false(parley_moqt_uri_authority(
                         parley_str_c(bad_authorities[i])));
    }

    assert_false(parley_moqt_uri_path(PARLEY_STR("/\0")));
    assert_false(parley_moqt_uri_authority(PARLEY_STR("a\0")));
}


static void
test_order(void **state)
{
    const parley_moqt_location_t  a = { 1, 5 }, b = { 2, 0 }, c = { 2, 1 };

    (void) state;

    assert_true(parley_moqt_location_order(a, b) < 0);
    assert_true(parley_moqt_location_order(b, a) > 0);
    assert_true(parley_moqt_location_order(b, c) < 0);
    assert_true(parley_moqt_location_order(c, b) > 0);
    assert_int_equal(parley_moqt_location_order(c, c), 0);
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-12 integers of 1 to 8 octets", test_integers),
    parley_test("MOQ-12 the tables of the draft", test_draft),
    parley_test("MOQ-12 pairs: values, limits, repetitions, lengths",
                test_pairs),
    parley_test("MOQ-12 the writer of pairs keeps the limits", test_writer),
    parley_test("MOQ-12 namespaces: limits, prefixes, their safe form",
                test_namespaces),
    parley_test("MOQ-12 paths and authorities", test_uris),
    parley_test("MOQ-12 the order of locations", test_order),
};

PARLEY_TEST_MAIN(tests)
