/* Names: the table "Identities" of docs/mapping.md, and back. */

#include "t/unit/parley_test_translate.h"


static const struct {
    const char  *aee;
    const char  *vcp;
} pairs[] = {
    { "agent.x", "x" },
    { "agent.x@h", "agent://h/x" },
    { "agent.a.b@host.example:8443", "agent://host.example:8443/a.b" },
    { "agent.x/y@h", "agent://h/x/y" },
    { "agent.x@y@h", "agent://h/x@y" },
    { "agent.http://h/x", "http://h/x" },
    { "agent.human.x", "human.x" },
    { "agent.~x", "~x" },
    { "agent. ", " " },
    { "agent.\xC3\xA9", "\xC3\xA9" },
    { "human.x", "human://x" },
    { "human.x@h", "human://x@h" },
    { "service.billing", "service://billing" },
    { "bus.broadcast", "broadcast" },
};


static void
test_pairs(void **state)
{
    size_t          i;
    parley_str_t    ret;
    parley_arena_t  arena;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_int_equal(parley_name_map(&arena, PARLEY_PROTO_AEE,
                                         parley_str_c(pairs[i].aee),
                                         PARLEY_PROTO_VCP, &ret), 0);
        parley_assert_str(ret, pairs[i].vcp);

        assert_int_equal(parley_name_map(&arena, PARLEY_PROTO_VCP,
                                         parley_str_c(pairs[i].vcp),
                                         PARLEY_PROTO_AEE, &ret), 0);
        parley_assert_str(ret, pairs[i].aee);
    }

    assert_int_equal(parley_name_map(&arena, PARLEY_PROTO_AEE,
                                     PARLEY_STR("anything at all"),
                                     PARLEY_PROTO_AEE, &ret), 0);
    parley_assert_str(ret, "anything at all");

    parley_arena_reset(&arena);
}


static void
test_refused(void **state)
{
    size_t          i;
    parley_str_t    ret;
    parley_arena_t  arena;

    static const struct {
        parley_proto_t  from;
        const char     *name;
    } names[] = {
        { PARLEY_PROTO_AEE, "" },
        { PARLEY_PROTO_AEE, "x" },
        { PARLEY_PROTO_AEE, "agent" },
        { PARLEY_PROTO_AEE, "agent." },
        { PARLEY_PROTO_AEE, "human." },
        { PARLEY_PROTO_AEE, "agentx" },
        { PARLEY_PROTO_AEE, "Agent.x" },
        { PARLEY_PROTO_AEE, "robot.x" },
        { PARLEY_PROTO_AEE, "agent.x@" },
        { PARLEY_PROTO_AEE, "agent.@h" },
        { PARLEY_PROTO_AEE, "agent.@" },
        { PARLEY_PROTO_AEE, "agent.x@h/y" },
        { PARLEY_PROTO_AEE, "agent.broadcast" },
        { PARLEY_PROTO_AEE, "agent.agent://h/x" },
        { PARLEY_PROTO_AEE, "agent.agent://h" },
        { PARLEY_PROTO_AEE, "agent.human://x" },
        { PARLEY_PROTO_AEE, "agent.service://" },
        { PARLEY_PROTO_AEE, "bus.ops" },
        { PARLEY_PROTO_AEE, "bus." },
        { PARLEY_PROTO_VCP, "" },
        { PARLEY_PROTO_VCP, "agent://" },
        { PARLEY_PROTO_VCP, "agent://h" },
        { PARLEY_PROTO_VCP, "agent://h/" },
        { PARLEY_PROTO_VCP, "agent:///x" },
        { PARLEY_PROTO_VCP, "agent://u@h/x" },
        { PARLEY_PROTO_VCP, "human://" },
        { PARLEY_PROTO_VCP, "a@b" },
        { PARLEY_PROTO_VCP, "mailto:a@b" },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (parley_name_map(&arena, names[i].from,
                            parley_str_c(names[i].name),
                            names[i].from == PARLEY_PROTO_AEE
                                ? PARLEY_PROTO_VCP : PARLEY_PROTO_AEE, &ret)
            != 1)
        {
            fail_msg("%s became %.*s", names[i].name, (int) ret.len,
                     (const char *) ret.data);
        }

        assert_int_equal(ret.len, 0);
    }

    parley_arena_reset(&arena);
}


/* A mapped name maps back to the same octets; tries every short name. */

static void
test_back(void **state)
{
    size_t          i, n, len;
    unsigned        proto, other;
    uint8_t         text[8 + 5];
    uint32_t        mapped;
    parley_str_t    name, image, back;
    parley_arena_t  arena;

    static const char         letters[] = "x@/:.b";
    static const char *const  starts[] = {
        "", "agent.", "human.", "service.", "bus.", "agent://", "human://"
    };

    (void) state;

    mapped = 0;

    for (proto = PARLEY_PROTO_AEE; proto <= PARLEY_PROTO_VCP; proto++) {
        other = PARLEY_PROTO_VCP - proto;

        for (i = 0; i < 7 * 6 * 6 * 6 * 6; i++) {

            len = strlen(starts[i % 7]);
            memcpy(text, starts[i % 7], len);

            for (n = i / 7; len < strlen(starts[i % 7]) + 4; n /= 6) {
                text[len++] = (uint8_t) letters[n % 6];
            }

            parley_arena_init(&arena, &parley_mem_libc, 0);

            for (n = strlen(starts[i % 7]); n <= len; n++) {

                name = parley_str_make(text, n);

                if (parley_name_map(&arena, (parley_proto_t) proto, name,
                                    (parley_proto_t) other, &image)
                    != 0)
                {
                    continue;
                }

                mapped++;
                assert_true(image.len > 0);
                assert_int_equal(parley_name_map(&arena,
                                                 (parley_proto_t) other,
                                                 image,
                                                 (parley_proto_t) proto,
                                                 &back), 0);
                assert_true(parley_str_eq(back, name));
            }

            parley_arena_reset(&arena);
        }
    }

    assert_true(mapped > 10000);
}


static void
test_group(void **state)
{
    (void) state;

    assert_true(parley_name_is_group(PARLEY_PROTO_AEE, PARLEY_STR("bus.x")));
    assert_false(parley_name_is_group(PARLEY_PROTO_AEE, PARLEY_STR("bus.")));
    assert_false(parley_name_is_group(PARLEY_PROTO_AEE,
                                      PARLEY_STR("agent.x")));
    assert_true(parley_name_is_group(PARLEY_PROTO_VCP,
                                     PARLEY_STR("broadcast")));
    assert_false(parley_name_is_group(PARLEY_PROTO_VCP, PARLEY_STR("x")));
    assert_false(parley_name_is_group(PARLEY_PROTO_VCP,
                                      PARLEY_STR("broadcasts")));
    assert_true(parley_name_is_group(PARLEY_PROTO_C2A,
                                     PARLEY_STR("channel:x")));
    assert_false(parley_name_is_group(PARLEY_PROTO_C2A,
                                      PARLEY_STR("agent:x")));
    assert_true(parley_name_is_group(PARLEY_PROTO_CHANNEL,
                                     PARLEY_STR("org:~ops/members/*")));
    assert_false(parley_name_is_group(PARLEY_PROTO_CHANNEL,
                                      PARLEY_STR("org:~ops/members/~a")));
    assert_false(parley_name_is_group(PARLEY_PROTO_CHANNEL,
                                      PARLEY_STR("~ops")));
    assert_true(parley_name_is_group(PARLEY_PROTO_MOQ, PARLEY_STR("bus.x")));
    assert_false(parley_name_is_group(PARLEY_PROTO_NONE, PARLEY_STR("x")));
}


/* Every codec's data about the names of humans and groups is right. */

static void
test_first_octets(void **state)
{
    unsigned        i, humans, groups;
    parley_str_t    human[PARLEY_PROTO_COUNT], group[PARLEY_PROTO_COUNT];
    parley_arena_t  arena;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_name_map_all(&arena, PARLEY_STR("human.x"),
                                         human), 0);
    assert_int_equal(parley_name_map_all(&arena,
                                         PARLEY_STR("bus.broadcast"), group),
                     0);
    humans = 0;
    groups = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (human[i].len > 0) {
            assert_true(parley_name_is_human((parley_proto_t) i, human[i]));
            humans++;
        }

        if (group[i].len > 0) {
            assert_true(parley_name_is_group((parley_proto_t) i, group[i]));
            assert_false(parley_name_is_human((parley_proto_t) i, group[i]));
            groups++;
        }
    }

    assert_int_equal(humans, PARLEY_PROTO_COUNT);
    assert_int_equal(groups, PARLEY_PROTO_COUNT);

    parley_arena_reset(&arena);
}


/* The directory has priority; a name that it does not have is refused. */

static void
test_directory(void **state)
{
    parley_msg_t          m;
    parley_str_t          ret;
    parley_arena_t        arena;
    parley_error_t        err;
    parley_encode_opts_t  opts;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_msg_init(&m, PARLEY_PROTO_AEE, NULL);
    memset(&opts, 0, sizeof(parley_encode_opts_t));

    assert_int_equal(parley_name_translate(&arena, &opts, &m,
                                           PARLEY_STR("agent.listed"),
                                           PARLEY_MSG_SENDER,
                                           PARLEY_PROTO_VCP, &ret, &err), 0);
    parley_assert_str(ret, "listed");

    opts.resolve = parley_test_resolve;

    assert_int_equal(parley_name_translate(&arena, &opts, &m,
                                           PARLEY_STR("agent.listed"),
                                           PARLEY_MSG_SENDER,
                                           PARLEY_PROTO_VCP, &ret, &err), 0);
    parley_assert_str(ret, "agent://dir/entry");

    assert_int_equal(parley_name_translate(&arena, &opts, &m,
                                           PARLEY_STR("agent.hidden"),
                                           PARLEY_MSG_SENDER,
                                           PARLEY_PROTO_VCP, &ret, &err), -1);
    assert_int_equal(err.code, PARLEY_E_IDENTITY_UNMAPPABLE);
    assert_string_equal(err.field, "/from");
    assert_int_equal(ret.len, 0);

    parley_arena_reset(&arena);
}


static void
test_memory(void **state)
{
    parley_msg_t          m;
    parley_mem_t          mem;
    parley_str_t          ret;
    parley_arena_t        arena;
    parley_error_t        err;
    parley_test_mem_t     counter;
    parley_encode_opts_t  opts;

    (void) state;

    mem = parley_test_mem(&counter, 1);
    parley_arena_init(&arena, &mem, 0);

    assert_int_equal(parley_name_map(&arena, PARLEY_PROTO_AEE,
                                     PARLEY_STR("agent.x"), PARLEY_PROTO_VCP,
                                     &ret), -1);

    parley_msg_init(&m, PARLEY_PROTO_AEE, NULL);
    memset(&opts, 0, sizeof(parley_encode_opts_t));

    assert_int_equal(parley_name_translate(&arena, &opts, &m,
                                           PARLEY_STR("agent.x"),
                                           PARLEY_MSG_SENDER,
                                           PARLEY_PROTO_VCP, &ret, &err), -1);
    assert_int_equal(err.code, PARLEY_E_CAPACITY);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-06 names map both ways", test_pairs),
    parley_test("GW-06 names without an image are refused", test_refused),
    parley_test("GW-06 what maps maps back to the same octets", test_back),
    parley_test("VCP-04 groups", test_group),
    parley_test("names of humans and groups by their first octet",
                test_first_octets),
    parley_test("GW-03 the directory goes before the syntax", test_directory),
    parley_test("names when memory ends", test_memory),
};


PARLEY_TEST_MAIN(tests)
