/* Logs in a state in private memory: appends to them and reads from them. */

#ifndef PARLEY_TEST_LOG_H
#define PARLEY_TEST_LOG_H

#include "t/unit/parley_test_state.h"

#include "state/parley_log.h"


#define SIZE  (256 * 1024)
#define T0    ((int64_t) 1000000)
#define DAY   ((int64_t) 24 * 3600 * 1000)


static parley_test_state_t    t;
static parley_memory_t        other;        /* process 2 */
static parley_arena_t         arena;
static parley_appended_t      appended;
static parley_log_page_t      page;
static parley_feed_page_t     fed;
static uint8_t                keys[8][PARLEY_KEY_LEN];
static parley_retention_t     retention;
static unsigned               late;         /* the reader was not connected */


static inline int
begin(void **state)
{
    static const parley_process_t  two = { 2, 77 };

    unsigned      i;
    parley_str_t  part;

    (void) state;

    parley_test_state_begin(&t, SIZE, 250);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    t.now = T0;

    other = t.s;
    parley_memory_adopt(&other, t.mem);
    parley_memory_enter(&other, &two);

    for (i = 0; i < 8; i++) {
        part = parley_str_make(&i, sizeof(i));
        parley_state_key(&t.s.state, PARLEY_KIND_LOG, &part, 1, keys[i]);
    }

    retention.records = 100;
    retention.octets = 1 << 20;
    retention.ms = DAY;
    late = 0;

    return 0;
}


static inline int
end(void **state)
{
    (void) state;

    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);
    parley_arena_reset(&arena);

    return 0;
}


static inline parley_append_t
text(unsigned log, parley_str_t *part, const char *says)
{
    parley_append_t  a;

    memset(&a, 0, sizeof(a));

    *part = parley_str_c(says);

    a.logs = &keys[log];
    a.nlogs = 1;
    a.parts = part;
    a.nparts = 1;
    a.retention = retention;
    a.ttl = DAY;
    a.arena = &arena;

    return a;
}


static inline parley_append_verdict_t
append(const parley_append_t *a)
{
    assert_int_equal(t.s.state.ops->log->append(&t.s.state, a, &appended,
                                                NULL),
                     PARLEY_STATE_DONE);
    return appended.verdict;
}


/* Appends a text to a log; returns its place. */

static inline parley_place_t
say(unsigned log, const char *says)
{
    parley_str_t     part;
    parley_append_t  a;

    a = text(log, &part, says);
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    return appended.places[0].place;
}


static inline void
read_from(unsigned log, uint64_t epoch, uint64_t offset, size_t records,
    size_t octets, int backward)
{
    parley_log_read_t  r;

    memset(&r, 0, sizeof(r));

    r.log = keys[log];
    r.from.epoch = epoch;
    r.from.offset = offset;
    r.records = records;
    r.octets = octets;
    r.backward = backward;
    r.late = late;
    r.arena = &arena;

    assert_int_equal(t.s.state.ops->log->read(&t.s.state, &r, &page, NULL),
                     PARLEY_STATE_DONE);
}


/* Returns the records of the page as "1:one 2:two". */

static inline const char *
reads(void)
{
    static char  out[4096];

    int  i, len;

    len = 0;
    out[0] = '\0';

    for (i = 0; i < page.n; i++) {
        len += snprintf(out + len, sizeof(out) - (size_t) len, "%s%d:%.*s",
                        i != 0 ? " " : "", (int) page.list[i].offset,
                        (int) page.list[i].octets.len,
                        (const char *) page.list[i].octets.data);
    }

    return out;
}


static inline void
feed(parley_memory_t *s, uint64_t position, size_t records, size_t octets)
{
    parley_feed_t  f;

    memset(&f, 0, sizeof(f));

    f.position = position;
    f.records = records;
    f.octets = octets;
    f.arena = &arena;

    assert_int_equal(s->state.ops->log->feed(&s->state, &f, &fed, NULL),
                     PARLEY_STATE_DONE);
}


static inline const char *
feeds(void)
{
    static char  out[4096];

    int  i, len;

    len = 0;
    out[0] = '\0';

    for (i = 0; i < fed.n; i++) {
        len += snprintf(out + len, sizeof(out) - (size_t) len, "%s%.*s/%d",
                        i != 0 ? " " : "", (int) fed.list[i].octets.len,
                        (const char *) fed.list[i].octets.data,
                        (int) fed.list[i].nplaces);
    }

    return out;
}


static inline size_t
entries(parley_kind_t kind)
{
    parley_state_room_t  stat;

    parley_memory_table(&t.s, &stat);

    return stat.entries[kind];
}


#endif /* PARLEY_TEST_LOG_H */
