/*
 * A hub whose state answers later (hub/parley_hub_op.c), with completions in
 * chosen orders.  t/simulate finds such orders by chance.
 */

#include "t/unit/parley_test_log.h"

#include "core/parley_buf.h"
#include "hub/parley_hub.h"
#include "t/later/parley_later.h"
#include "hub/parley_publish.h"


#define UNDER_WAY  64


typedef struct {
    parley_subscriber_t  s;
    unsigned             ended:1;
    unsigned             blocked:1;     /* takes no octets */
    parley_end_t         why;
    char                 text[8192];    /* octets that were written */
    size_t               len;
} listener_t;


static parley_hub_t         *hub;
static listener_t            one, two;
static parley_late_t        *late_ones[UNDER_WAY];
static parley_later_verb_t   verbs[UNDER_WAY];
static size_t                nlate;
static int                   at_once;       /* verbs take effect when they
                                               begin */
static int                   turns;
static parley_str_t          reader;        /* of the next subscriptions */
static parley_str_t          views;         /* of the next publications */

static const parley_stream_t  stream = {
    .proto = PARLEY_PROTO_CHANNEL,
    .lag = 1 << 20,
    .keepalive = 30,
    .retry = 1000
};


static int
start(parley_late_t *late_one, parley_later_verb_t verb)
{
    assert_true(nlate < UNDER_WAY);

    late_ones[nlate] = late_one;
    verbs[nlate++] = verb;

    return at_once;
}


static unsigned
under_way(parley_later_verb_t verb)
{
    size_t    i;
    unsigned  n;

    n = 0;

    for (i = 0; i < nlate; i++) {
        n += verbs[i] == verb;
    }

    return n;
}


static void
complete_at(size_t i)
{
    parley_late_t  *late_one;

    assert_true(i < nlate);

    late_one = late_ones[i];
    nlate--;

    memmove(&late_ones[i], &late_ones[i + 1],
            (nlate - i) * sizeof(late_ones[0]));
    memmove(&verbs[i], &verbs[i + 1], (nlate - i) * sizeof(verbs[0]));

    parley_later_complete(late_one);
}


/* Completes the oldest verb of that kind. */

static void
complete(parley_later_verb_t verb)
{
    size_t  i;

    for (i = 0; i < nlate && verbs[i] != verb; i++) {
        /* void */
    }

    complete_at(i);
}


static void
complete_last(parley_later_verb_t verb)
{
    size_t  i;

    for (i = nlate; i > 0 && verbs[i - 1] != verb; i--) {
        /* void */
    }

    complete_at(i - 1);
}


static void
settle(void)
{
    do {
        while (nlate > 0) {
            complete(verbs[0]);
        }

        if (turns) {
            turns = 0;
            parley_hub_turn(hub, 100, 1 << 20);
        }

    } while (nlate > 0 || turns);
}


static int64_t
write_to(void *ctx, parley_subscriber_t *s, parley_str_t octets)
{
    listener_t *l = (listener_t *) s;

    (void) ctx;

    if (l->blocked) {
        return 0;
    }

    assert_true(l->len + octets.len < sizeof(l->text));
    memcpy(l->text + l->len, octets.data, octets.len);
    l->len += octets.len;
    l->text[l->len] = '\0';

    return (int64_t) octets.len;
}


static void
ended(void *ctx, parley_subscriber_t *s, parley_end_t why)
{
    listener_t *l = (listener_t *) s;

    (void) ctx;

    l->ended = 1;
    l->why = why;
}


static int
encode(void *ctx, const parley_publication_t *p, parley_proto_t to,
    parley_arena_t *a, parley_str_t *ret)
{
    (void) ctx;
    (void) to;
    (void) a;

    *ret = p->message;

    return 0;
}


/* Writes the reader and the views in place of the message. */

static int
view(void *ctx, const parley_publication_t *p, const parley_stream_t *s,
    parley_str_t who, parley_arena_t *a, parley_str_t *ret)
{
    parley_buf_t  b;

    (void) ctx;
    (void) s;

    if (who.len == 0) {
        return 1;
    }

    parley_buf_init(&b, a, 0);
    parley_buf_str(&b, who);
    parley_buf_octet(&b, ':');
    parley_buf_str(&b, p->views);

    return parley_buf_done(&b, ret);
}


static void
wake(void *ctx)
{
    (void) ctx;
}


static void
turn(void *ctx)
{
    (void) ctx;

    turns = 1;
}


static uint32_t
seconds(void *ctx)
{
    (void) ctx;

    return (uint32_t) (t.now / 1000);
}


static uint32_t
chance(void *ctx)
{
    (void) ctx;

    return 0;
}


static const parley_hub_env_t  env = {
    .mem = { NULL, NULL, NULL },
    .write = write_to,
    .end = ended,
    .encode = encode,
    .view = view,
    .wake = wake,
    .turn = turn,
    .now = seconds,
    .random = chance,
};


static int
begin_hub(void **state)
{
    parley_hub_env_t  e;

    (void) begin(state);

    memset(&one, 0, sizeof(one));
    memset(&two, 0, sizeof(two));
    nlate = 0;
    turns = 0;
    at_once = 0;
    reader = parley_str_none;
    views = parley_str_none;

    e = env;
    e.mem = parley_mem_libc;

    parley_later(&t.s, start);

    hub = parley_hub_create(&t.s.state, &e);
    assert_non_null(hub);

    return 0;
}


static int
end_hub(void **state)
{
    parley_hub_free(hub);

    while (nlate > 0) {
        complete(verbs[0]);
    }

    return end(state);
}


static void
listens_as(listener_t *l, const char *session, const parley_place_t *from)
{
    parley_subscription_t  s;

    memset(l, 0, sizeof(listener_t));
    memset(&s, 0, sizeof(s));

    s.reader = reader;

    s.log = keys[0];
    s.stream = &stream;
    s.selector = PARLEY_STR("e\n");
    s.session = parley_str_c(session);
    s.card = PARLEY_STR("{}");

    if (from != NULL) {
        s.from = *from;
    }

    assert_int_equal(parley_hub_subscribe(hub, &l->s, &s), 0);
}


static void
listens(listener_t *l)
{
    listens_as(l, "s1", NULL);
}


/* Appends a text as process 2, at once. */

static void
says(const char *text)
{
    parley_append_t        a;
    parley_publish_t       publish;
    parley_publication_t   p;

    memset(&p, 0, sizeof(p));
    memset(&publish, 0, sizeof(publish));

    p.proto = PARLEY_PROTO_CHANNEL;
    p.sender = PARLEY_STR("alice");
    p.message = parley_str_c(text);
    p.views = views;

    publish.publication = &p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) keys;
    publish.nlogs = 1;
    publish.retention = retention;
    publish.ttl = DAY;

    assert_int_equal(parley_publication_append(&arena, &publish, &a), 0);
    assert_int_equal(other.state.ops->log->append(&other.state, &a, &appended,
                                                  NULL),
                     PARLEY_STATE_DONE);
    assert_int_equal(appended.verdict, PARLEY_APPEND_OK);
}


/* Checks that the listener has these texts, once each, in this order. */

static void
has(const listener_t *l, const char *const *texts)
{
    const char  *at;

    for (at = l->text; *texts != NULL; texts++) {
        at = strstr(at, *texts);
        assert_non_null(at);
        at++;
        assert_null(strstr(at, *texts));
    }
}


/* A process is subscribed again before it has left. */

static void
test_feed(void **state)
{
    (void) state;

    listens(&one);
    settle();
    assert_false(one.ended);

    parley_hub_unsubscribe(hub, &one.s);
    assert_int_equal(under_way(PARLEY_LATER_FEED), 1);

    listens(&two);
    assert_int_equal(under_way(PARLEY_LATER_FEED), 1);

    /* leaves and subscribes again */

    parley_hub_unsubscribe(hub, &two.s);
    listens(&one);
    assert_int_equal(under_way(PARLEY_LATER_FEED), 1);

    settle();
    assert_int_not_equal(t.s.sh->processes[t.s.process].fed, 0);

    says("\"a\"");
    parley_hub_wake(hub);
    settle();
    has(&one, (const char *[]) { "\"a\"", NULL });
}


/* A join is not answered yet when another one replaces it. */

static void
test_replaced(void **state)
{
    parley_join_t         join;
    parley_joined_t       joined;
    parley_str_t          parts[2];
    parley_append_t       a;
    parley_publication_t  p;

    (void) state;

    listens(&one);
    complete(PARLEY_LATER_FEED);
    settle();
    parley_hub_unsubscribe(hub, &one.s);
    settle();

    at_once = 1;
    listens(&one);
    complete(PARLEY_LATER_FEED);
    assert_int_equal(under_way(PARLEY_LATER_JOIN), 1);
    at_once = 0;

    memset(&join, 0, sizeof(join));
    memset(&p, 0, sizeof(p));
    memset(&a, 0, sizeof(a));

    join.log = keys[0];
    join.selector = PARLEY_STR("e\n");
    join.session = PARLEY_STR("s1");
    join.card = PARLEY_STR("{}");

    (void) other.state.ops->log->join(&other.state, &join, &joined, NULL);
    assert_int_equal(joined.verdict, PARLEY_JOIN_OK);
    assert_true(joined.replaced);

    p.kind = PARLEY_PUBLICATION_REPLACED;
    p.proto = PARLEY_PROTO_NONE;
    p.audience.session = join.session;
    p.stamp = joined.stamp;
    memcpy(p.log, keys[0], PARLEY_KEY_LEN);

    assert_int_equal(parley_publication_write(&arena, &p, parts), 0);

    a.parts = parts;
    a.nparts = 1;
    a.retention.records = 1;
    a.retention.octets = 1;
    a.retention.ms = 1;
    a.ttl = PARLEY_FEED_GRACE;
    a.arena = &arena;

    (void) other.state.ops->log->append(&other.state, &a, &appended, NULL);
    assert_int_equal(appended.verdict, PARLEY_APPEND_OK);

    parley_hub_wake(hub);
    complete(PARLEY_LATER_FEED);
    assert_false(one.ended);

    complete(PARLEY_LATER_JOIN);
    assert_true(one.ended);
    assert_int_equal(one.why, PARLEY_END_REPLACED);
    assert_int_equal(one.len, 0);
}


/* Records come after a read and before the next feed. */

static void
test_behind(void **state)
{
    (void) state;

    listens(&one);
    settle();

    /* it is told that it is behind, and reads */

    t.now += PARLEY_FEED_GRACE;
    says("\"a\"");
    t.now += PARLEY_FEED_GRACE + 1000;
    says("\"b\"");
    parley_hub_wake(hub);
    complete(PARLEY_LATER_FEED);
    parley_hub_turn(hub, 100, 1 << 20);
    assert_int_equal(under_way(PARLEY_LATER_READ), 1);
    settle();
    has(&one, (const char *[]) { "\"a\"", "\"b\"", NULL });

    /* again, during the read */

    t.now += PARLEY_FEED_GRACE;
    says("\"c\"");
    t.now += PARLEY_FEED_GRACE + 1000;
    says("\"d\"");
    parley_hub_wake(hub);
    complete(PARLEY_LATER_FEED);
    at_once = 1;
    parley_hub_turn(hub, 100, 1 << 20);
    at_once = 0;
    assert_int_equal(under_way(PARLEY_LATER_READ), 1);

    says("\"e\"");
    t.now += PARLEY_FEED_GRACE + 1000;
    says("\"f\"");
    parley_hub_wake(hub);
    complete(PARLEY_LATER_FEED);
    complete(PARLEY_LATER_READ);
    settle();

    has(&one, (const char *[]) { "\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\"",
                                 "\"f\"", NULL });
    assert_null(strstr(one.text, "event: gap"));
}


/* The log begins again, and the process is fed from it during a read. */

static void
test_elsewhere(void **state)
{
    (void) state;

    retention.ms = 1000;
    listens(&one);
    settle();
    says("\"a\"");
    parley_hub_wake(hub);
    settle();

    /* it reads, and is told of a gap when the records are gone */

    t.now += PARLEY_FEED_GRACE;
    says("\"b\"");
    t.now += PARLEY_FEED_GRACE + 1000;
    parley_hub_wake(hub);
    complete(PARLEY_LATER_FEED);
    at_once = 1;
    parley_hub_turn(hub, 100, 1 << 20);
    at_once = 0;
    assert_int_equal(under_way(PARLEY_LATER_READ), 1);

    t.now += PARLEY_LOG_LEASE + 1000;
    says("\"c\"");
    assert_int_equal(appended.places[0].place.offset, 1);
    parley_hub_wake(hub);
    complete(PARLEY_LATER_FEED);
    complete(PARLEY_LATER_READ);
    settle();

    has(&one, (const char *[]) { "\"a\"", "event: gap", "\"c\"", NULL });
    assert_false(one.ended);
}


/*
 * A subscriber that reads alone is told too.  Others have reached the new log
 * before it.
 */

static void
test_reader(void **state)
{
    parley_place_t  from;

    (void) state;

    retention.ms = PARLEY_LOG_LEASE;
    listens(&one);
    settle();
    says("\"a\"");
    from = appended.places[0].place;
    says("\"b\"");
    parley_hub_wake(hub);
    settle();

    listens_as(&two, "s2", &from);
    complete(PARLEY_LATER_JOIN);
    at_once = 1;
    parley_hub_turn(hub, 100, 1 << 20);
    at_once = 0;
    turns = 0;
    assert_int_equal(under_way(PARLEY_LATER_READ), 1);

    t.now += PARLEY_LOG_LEASE + 1000;
    says("\"c\"");
    assert_int_equal(appended.places[0].place.offset, 1);
    parley_hub_wake(hub);
    complete(PARLEY_LATER_FEED);
    parley_hub_turn(hub, 100, 1 << 20);

    while (under_way(PARLEY_LATER_READ) > 1) {
        complete_last(PARLEY_LATER_READ);
        parley_hub_turn(hub, 100, 1 << 20);
    }

    has(&one, (const char *[]) { "\"a\"", "\"b\"", "event: gap", "\"c\"",
                                 NULL });

    settle();
    has(&two, (const char *[]) { "event: gap", "\"c\"", NULL });
}


/*
 * The beginning of a stream arrives even if it could not be written at first.
 */

static void
test_blocked(void **state)
{
    parley_place_t  gone;

    (void) state;

    gone.epoch = 1;
    gone.offset = 1;

    listens_as(&one, "s1", NULL);
    listens_as(&two, "s2", &gone);
    one.blocked = 1;
    two.blocked = 1;
    settle();

    says("\"a\"");
    parley_hub_wake(hub);
    settle();

    one.blocked = 0;
    two.blocked = 0;
    parley_hub_writable(hub, &one.s);
    parley_hub_writable(hub, &two.s);
    settle();

    has(&one, (const char *[]) { "event: ready", "\"a\"", NULL });
    has(&two, (const char *[]) { "event: gap", "\"a\"", NULL });
}


/*
 * A subscriber that waits too long for the state is ended, and leaves nothing.
 */

static void
test_silent(void **state)
{
    parley_hub_stat_t    stat;
    parley_test_stat_t   table;

    (void) state;

    at_once = 1;
    listens(&one);
    complete(PARLEY_LATER_FEED);
    assert_int_equal(under_way(PARLEY_LATER_JOIN), 1);

    t.now += 999;
    parley_hub_tick(hub);
    assert_false(one.ended);

    t.now += 2001;
    parley_hub_tick(hub);
    assert_true(one.ended);
    assert_int_equal(one.why, PARLEY_END_SILENT);

    parley_hub_stat(hub, &stat);
    assert_int_equal(stat.subscribers, 0);
    assert_int_equal(stat.ended[PARLEY_END_SILENT], 1);

    /* its join is undone */

    settle();

    parley_test_stat(&t, t.now, &table);
    assert_int_equal(table.table.entries[PARLEY_KIND_SESSION], 0);
}


/* each reader gets its own view, live and from the log, and never the message
   as it was accepted */

static void
test_views(void **state)
{
    static const char *const  of_ada[] = { "ada:v1", "plain", "ada:v2", NULL };
    static const char *const  of_bo[] = { "bo:v1", "plain", "bo:v2", NULL };

    parley_place_t  begins;

    (void) state;

    says("first");
    begins = appended.places[0].place;

    reader = PARLEY_STR("ada");
    listens_as(&one, "s1", NULL);
    settle();

    views = PARLEY_STR("v1");
    says("accepted");
    views = parley_str_none;
    says("plain");
    parley_hub_wake(hub);
    settle();

    /* the second reader reads these from the log */

    reader = PARLEY_STR("bo");
    listens_as(&two, "s2", &begins);
    settle();

    views = PARLEY_STR("v2");
    says("accepted");
    parley_hub_wake(hub);
    settle();

    has(&one, of_ada);
    has(&two, of_bo);
    assert_null(strstr(one.text, "accepted"));
    assert_null(strstr(two.text, "accepted"));

    /* a stream without a view skips the record */

    reader = parley_str_none;
    parley_hub_unsubscribe(hub, &two.s);
    listens_as(&two, "s3", &begins);
    settle();

    assert_non_null(strstr(two.text, "plain"));
    assert_null(strstr(two.text, "accepted"));
    assert_null(strstr(two.text, "v1"));
}


#define test(name, f)  { (name), (f), begin_hub, end_hub, NULL }

static const struct CMUnitTest  tests[] = {
    test("HUB-01 a process is fed though it has just ceased to be", test_feed),
    test("HUB-02 one that is replaced before it has joined", test_replaced),
    test("HUB-01 what came while a log was read is read, too", test_behind),
    test("HUB-02 a log that becomes another one while it is read",
         test_elsewhere),
    test("HUB-02 and one who resumes there", test_reader),
    test("HUB-02 who takes nothing at first has the beginning", test_blocked),
    test("HUB-06 each reader gets its own view", test_views),
    test("HUB-02 who waits for what is not answered ends", test_silent),
};

PARLEY_TEST_MAIN(tests)
