/*
 * Shared by the tests of the translation: an engine, a directory with a few
 * entries, and translations from text to text.
 */

#ifndef PARLEY_TEST_TRANSLATE_H
#define PARLEY_TEST_TRANSLATE_H

#include "t/unit/parley_test.h"

#include "translate/parley_engine.h"
#include "translate/parley_name.h"


#define PARLEY_TEST_NOW   1771151400123     /* 2026-02-15T10:30:00.123Z */
#define PARLEY_TEST_SEED  0x5EEDULL


/* Returns the engine: made by the first call, never freed. */
static inline const parley_engine_t *
parley_test_engine(void)
{
    parley_error_t           err;
    static parley_engine_t  *engine;

    if (engine == NULL) {
        engine = parley_engine_create(&parley_mem_libc, &err);
        if (engine == NULL) {
            fail_msg("no engine: %s %s", err.field, err.text);
        }
    }

    return engine;
}


/*
 * Looks up a name in a directory of two principals.  One of them has no name
 * in VCP.
 */
static inline int
parley_test_resolve(void *ctx, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    unsigned  i;

    static const struct {
        parley_str_t  names[PARLEY_PROTO_COUNT];
    } entries[] = {
        { {
            [PARLEY_PROTO_AEE] = parley_str("agent.listed"),
            [PARLEY_PROTO_VCP] = parley_str("agent://dir/entry"),
            [PARLEY_PROTO_VCP2] = parley_str("agent://dir/entry"),
            [PARLEY_PROTO_CHANNEL] = parley_str("~listed"),
        } },
        { {
            [PARLEY_PROTO_AEE] = parley_str("agent.hidden"),
        } },
        { {
            [PARLEY_PROTO_AEE] = parley_str("bus.listed"),
            [PARLEY_PROTO_VCP] = parley_str("agent://dir/bus"),
            [PARLEY_PROTO_VCP2] = parley_str("agent://dir/bus"),
            [PARLEY_PROTO_CHANNEL] = parley_str("~guild"),
        } },
    };

    (void) ctx;

    if (from == PARLEY_PROTO_C2A || from > PARLEY_PROTO_CHANNEL
        || to == PARLEY_PROTO_C2A || to > PARLEY_PROTO_CHANNEL)
    {
        return 0;
    }

    for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (entries[i].names[from].len > 0
            && parley_str_eq(entries[i].names[from], name))
        {
            *ret = entries[i].names[to];
            return ret->len > 0 ? 1 : -1;
        }
    }

    return 0;
}


/*
 * Returns the human and the instrument of a name, from the same directory:
 * humans with and without an instrument, an agent whose instrument differs
 * from its name.
 */
static inline void
parley_test_attribute(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    unsigned  i;

    static const struct {
        parley_str_t  name;
        parley_str_t  human;
        parley_str_t  instrument;
    } entries[] = {
        { parley_str("alice"), parley_str("~alice"),
          parley_str("~cc-model@1.0") },
        { parley_str("cc-model"), parley_str("~alice"),
          parley_str("~cc-model@1.0") },
        { parley_str("listed"), parley_str("~alice"),
          parley_str("~claude@4") },
        { parley_str("entry"), parley_str("~alice"),
          parley_str("~claude@4") },
        { parley_str("bob"), parley_str("~bob"), parley_str("") },
    };

    (void) ctx;
    (void) proto;

    *ret_human = parley_str_none;
    *ret_instrument = parley_str_none;

    for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (name.len >= entries[i].name.len
            && memcmp(name.data + name.len - entries[i].name.len,
                      entries[i].name.data, entries[i].name.len)
               == 0)
        {
            *ret_human = entries[i].human;
            *ret_instrument = entries[i].instrument;
            return;
        }
    }
}


/* a document and its message, in an arena */
typedef struct {
    parley_json_t  doc;
    parley_msg_t   msg;
} parley_test_message_t;


static inline int
parley_test_read(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t text, int mve5, parley_test_message_t *m,
    parley_error_t *err)
{
    if (parley_json_read(&m->doc, arena, NULL, PARLEY_TEST_SEED, text, err)
        != 0)
    {
        parley_msg_init(&m->msg, proto, NULL);
        return -1;
    }

    return parley_decode(parley_test_engine(), arena, proto, &m->doc, mve5,
                         &m->msg, err);
}


/* Returns whether two texts are the same JSON value. */
static inline int
parley_test_same_json(parley_arena_t *arena, parley_str_t a, parley_str_t b)
{
    parley_json_t   left, right;
    parley_error_t  err;

    if (parley_json_read(&left, arena, NULL, 0, a, &err) != 0
        || parley_json_read(&right, arena, NULL, 0, b, &err) != 0)
    {
        return 0;
    }

    return parley_json_equal((parley_json_ref_t) { &left, 0 },
                             (parley_json_ref_t) { &right, 0 });
}


static inline void
parley_test_assert_json(parley_arena_t *arena, parley_str_t got,
    parley_str_t want)
{
    if (!parley_test_same_json(arena, got, want)) {
        fail_msg("got  %.*s\nwant %.*s", (int) got.len,
                 (const char *) got.data, (int) want.len,
                 (const char *) want.data);
    }
}


/* Returns the items of a loss report, each with a newline. */
static inline parley_str_t
parley_test_loss(parley_arena_t *arena, const parley_loss_t *loss)
{
    uint32_t      i;
    parley_buf_t  b;
    parley_str_t  ret;

    parley_buf_init(&b, arena, 0);

    for (i = 0; i < loss->nitems; i++) {
        parley_buf_str(&b, loss->items[i]);
        parley_buf_octet(&b, '\n');
    }

    assert_int_equal(parley_buf_done(&b, &ret), 0);

    return ret;
}


#endif /* PARLEY_TEST_TRANSLATE_H */
