/*
 * Two nodes over a real engine, a and b, and the verbs that tests call on them.
 */

#ifndef PARLEY_TEST_NODES_H
#define PARLEY_TEST_NODES_H

#include "state/parley_import.h"
#include "t/unit/parley_test_store.h"


#define TTL   ((int64_t) 600000)
#define WAIT  15000      /* ms that a verb may take */

#define nodes_test(name, f)  { (name), (f), begin, end, NULL }


static parley_test_engine_t  engine;
static parley_test_node_t    a, b;
static parley_test_node_t   *both[] = { &a, &b };
static parley_test_wait_t    waits[64];
static unsigned              nwaits;
static uint8_t               keys[64][PARLEY_KEY_LEN];
static unsigned              nkeys;


static inline void
done(parley_call_t *call)
{
    ((parley_test_wait_t *) call)->done = 1;
}


static inline parley_call_t *
wait_for(void)
{
    parley_test_wait_t  *w = &waits[nwaits++ % 64];

    memset(w, 0, sizeof(parley_test_wait_t));
    w->call.done = done;

    return &w->call;
}


/* Lets both nodes work until the verb is done. */

static inline void
until(parley_state_done_t how, parley_call_t *call)
{
    if (how == PARLEY_STATE_LATER) {
        parley_test_nodes(both, 2, &((parley_test_wait_t *) call)->done, WAIT);
        assert_true(((parley_test_wait_t *) call)->done);
    }
}


/* Lets the nodes work until the engine has told n inboxes. */

static inline void
until_inboxes(int n)
{
    unsigned  i;

    for (i = 0; i < 500; i++) {
        if (atoi(parley_test_engine_do(&engine,
                                       "publish '{parley}f' x"))
            == n)
        {
            return;
        }

        parley_test_nodes(both, 2, NULL, 20);
    }

    fail_msg("the engine has other subscribers");
}


/* Lets the nodes work until both have the steps of the other. */

static inline void
equal(void)
{
    unsigned  i;
    uint64_t  one, two;

    for (i = 0; i < 400; i++) {
        parley_test_nodes(both, 2, NULL, 10);
        one = a.zone.s.state.ops->import->number(&a.zone.s.state);
        two = b.zone.s.state.ops->import->number(&b.zone.s.state);

        if (i > 5 && one == two) {
            return;
        }
    }

    fail_msg("the zones differ");
}


static inline int
begin(void **state)
{
    (void) state;

    parley_test_engine_begin(&engine, NULL);
    parley_test_node_begin(&a, &engine, 'A');
    parley_test_node_begin(&b, &engine, 'B');
    parley_test_nodes_up(both, 2);

    return 0;
}


static inline int
end(void **state)
{
    (void) state;

    parley_test_node_end(&a);
    parley_test_node_end(&b);
    parley_test_engine_end(&engine);

    return 0;
}


static inline const uint8_t *
key(parley_kind_t kind, const char *name)
{
    uint8_t       *out = keys[nkeys++ % 64];
    parley_str_t   part = parley_str_c(name);

    parley_state_key(&a.zone.s.state, kind, &part, 1, out);

    return out;
}


static inline parley_join_t
join_of(const char *log, const char *session)
{
    parley_join_t  j;

    memset(&j, 0, sizeof(j));
    j.log = key(PARLEY_KIND_LOG, log);
    j.account = key(PARLEY_KIND_ACCOUNT, "ada");
    j.selector = PARLEY_STR("all");
    j.session = parley_str_c(session);
    j.card = PARLEY_STR("card");

    return j;
}


static inline parley_joined_t
join(parley_test_node_t *n, const char *log, const char *session)
{
    parley_join_t     j = join_of(log, session);
    parley_call_t    *call = wait_for();
    parley_state_t   *s = parley_store_state(n->store);
    parley_joined_t   got;

    until(s->ops->log->join(s, &j, &got, call), call);

    return got;
}


static inline void
leave(parley_test_node_t *n, const char *log, const char *session,
    uint64_t stamp)
{
    parley_state_t  *s = parley_store_state(n->store);
    parley_leave_t   l;

    l.log = key(PARLEY_KIND_LOG, log);
    l.selector = PARLEY_STR("all");
    l.session = parley_str_c(session);
    l.stamp = stamp;

    (void) s->ops->log->leave(s, &l, NULL);
}


static inline parley_admission_t
message(const char *id, const char *print)
{
    parley_admission_t  m;

    memset(&m, 0, sizeof(m));

    m.account = key(PARLEY_KIND_ACCOUNT, "ada");
    m.id = key(PARLEY_KIND_ID, id);
    m.print = (const uint8_t *) print;
    m.ttl = TTL;
    m.slot_ttl = TTL;

    return m;
}


static inline parley_admitted_t
admit(parley_test_node_t *n, const parley_admission_t *m)
{
    parley_call_t       *call = wait_for();
    parley_state_t      *s = parley_store_state(n->store);
    parley_admitted_t    got;

    until(s->ops->admit(s, m, &got, call), call);

    return got;
}


static inline int
settle(parley_test_node_t *n, const parley_admission_t *m,
    parley_settlement_t how)
{
    int              rc;
    parley_call_t   *call = wait_for();
    parley_state_t  *s = parley_store_state(n->store);

    until(s->ops->settle(s, m, &how, &rc, call), call);

    return rc;
}


static inline void
take(parley_test_node_t *n, const parley_admission_t *m, uint64_t stamp)
{
    assert_int_equal(settle(n, m, (parley_settlement_t) { .stamp = stamp,
                                                          .taken = 1 }), 0);
}


static inline void
give_back(parley_test_node_t *n, const parley_admission_t *m, uint64_t stamp)
{
    assert_int_equal(settle(n, m, (parley_settlement_t) { .stamp = stamp }), 0);
}


static inline parley_put_result_t
put(parley_test_node_t *n, parley_kind_t kind, const char *name, uint32_t tag,
    const char *value)
{
    parley_put_t          p;
    parley_str_t          part = parley_str_c(value);
    parley_call_t        *call = wait_for();
    parley_state_t       *s = parley_store_state(n->store);
    parley_put_result_t   got;

    memset(&p, 0, sizeof(p));

    p.id.kind = kind;
    p.id.tag = tag;
    memcpy(p.id.key, key(kind, name), PARLEY_KEY_LEN);
    p.queue = PARLEY_EVICTABLE_NONE;
    p.account = key(PARLEY_KIND_ACCOUNT, "ada");
    p.parts = &part;
    p.nparts = 1;
    p.ttl = TTL;

    until(s->ops->put(s, &p, &got, call), call);

    return got;
}


static inline parley_record_id_t
record(parley_kind_t kind, const char *name, uint32_t tag)
{
    parley_record_id_t  id;

    id.kind = kind;
    id.tag = tag;
    memcpy(id.key, key(kind, name), PARLEY_KEY_LEN);

    return id;
}


/* Gets the records of a key; their values are joined with commas. */

static inline const char *
get(parley_test_node_t *n, parley_kind_t kind, const char *name,
    parley_records_t *records)
{
    int                    i;
    size_t                 len;
    parley_call_t         *call = wait_for();
    parley_state_t        *s = parley_store_state(n->store);
    parley_arena_t         arena;
    parley_lookup_t        l;
    static char            text[512];

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&l, 0, sizeof(l));

    l.kind = kind;
    l.arena = &arena;
    memcpy(l.key, key(kind, name), PARLEY_KEY_LEN);

    until(s->ops->get(s, &l, records, call), call);

    len = 0;
    text[0] = '\0';

    for (i = 0; i < records->n; i++) {
        len += (size_t) snprintf(text + len, sizeof(text) - len, "%s%.*s",
                                 i ? "," : "",
                                 (int) records->list[i].value.len,
                                 (const char *) records->list[i].value.data);
    }

    parley_arena_reset(&arena);

    return text;
}


/* Lets the nodes work until a node has n records of a key in its zone. */

static inline void
until_records(parley_test_node_t *n, parley_kind_t kind, const char *name,
    int count)
{
    unsigned          i;
    parley_arena_t    arena;
    parley_lookup_t   l;
    parley_records_t  records;

    memset(&l, 0, sizeof(l));
    l.kind = kind;
    l.arena = &arena;
    memcpy(l.key, key(kind, name), PARLEY_KEY_LEN);

    for (i = 0; i < 1000; i++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        (void) parley_memory_ops.get(&n->zone.s.state, &l, &records, NULL);
        parley_arena_reset(&arena);

        if (records.n == count) {
            return;
        }

        parley_test_nodes(both, 2, NULL, 15);
    }

    assert_int_equal(records.n, count);
}


#endif /* PARLEY_TEST_NODES_H */
