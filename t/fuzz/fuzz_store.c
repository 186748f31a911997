/*
 * The replies of an engine to a store, in any pieces, while verbs are under
 * way.  Each verb is answered once, at the latest when the connection is
 * closed, and the zone has no reservation of a verb that was refused.
 *
 * The inbox gets the same replies, as messages, after those of its beginning.
 *
 * If pieces have FUZZ_STEPS octets, the rest is steps.  The target puts each
 * into a message of the inbox, with the next number.  A step has one octet for
 * its node (bits 0-3: all octets of its name; 0: this node) and its number
 * (bits 4-7 are added), two for the length of its places, two for that of its
 * contents, and then both.
 *
 * If the bit 8 of the first octet is set, the replies are those of a Sentinel:
 * they name an address, or are refused with a reason.
 *
 * Input: one octet for the verbs, one for the length of pieces, then replies.
 * After the replies of the beginning (8 at most), which the target gives if the
 * first bit of the first octet is set, verbs begin.
 */

#include <arpa/inet.h>
#include <string.h>

#include "core/parley_octets.h"
#include "state/memory/parley_memory.h"
#include "state/parley_import.h"
#include "state/parley_log.h"
#include "state/store/parley_store.h"
#include "state/store/parley_store_sentinel.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_ZONE   (256 * 1024)
#define FUZZ_VERBS  8
#define FUZZ_STEPS  255
#define FUZZ_STEP   5       /* octets of a step before its places */


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


typedef struct {
    parley_call_t        call;          /* first member */
    unsigned             waits;
    unsigned             done;
    parley_admitted_t    admitted;
    parley_put_result_t  put;
    parley_records_t     records;
    parley_appended_t    appended;
    parley_joined_t      joined;
    int                  settled;
} fuzz_verb_t;


typedef struct {
    parley_memory_t      zone;
    parley_store_env_t   env;
    parley_store_conf_t  conf;
    parley_store_t      *store;
    unsigned             connects[PARLEY_STORE_LINKS];
    unsigned             open[PARLEY_STORE_LINKS];
    int64_t              now;
    fuzz_verb_t          verbs[FUZZ_VERBS];
    parley_arena_t       arena;
} fuzz_t;


static uint8_t  zone[FUZZ_ZONE] __attribute__((aligned(4096)));

static const char  beginning[] =
    "$73\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n"
    "run_id:0123456789012345678\r\n\r\n"
    "$81\r\nrole:master\r\nconnected_slaves:1\r\n"
    "used_memory:1\r\nmaxmemory:0\r\nmaxmemory_policy:x\r\n\r\n"
    ":7\r\n"
    "*4\r\n$1\r\n1\r\n$4\r\n1000\r\n:1\r\n$1\r\n1\r\n"
    ":1\r\n";

static const char  inbox[] =
    "$73\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n"
    "run_id:0123456789012345678\r\n\r\n"
    "*3\r\n$9\r\nsubscribe\r\n$9\r\n{parley}f\r\n:1\r\n";


static void fuzz_nothing(void *ctx) { (void) ctx; }
static void fuzz_replaced(void *ctx, const parley_join_t *j, uint64_t stamp)
{ (void) ctx; (void) j; (void) stamp; }
static int fuzz_alive(void *ctx, const parley_process_t *p)
{ (void) ctx; (void) p; return 1; }
static int64_t fuzz_now(void *ctx) { return ((fuzz_t *) ctx)->now; }
static uint64_t fuzz_random(void *ctx) { (void) ctx; return 4; }
static void fuzz_timer(void *ctx, int64_t ms) { (void) ctx; (void) ms; }
static void fuzz_send(void *ctx, parley_store_link_t link, parley_str_t s)
{ (void) ctx; (void) link; (void) s; }
static void fuzz_connect(void *ctx, parley_store_link_t link)
{ ((fuzz_t *) ctx)->connects[link]++; }
static void fuzz_close(void *ctx, parley_store_link_t link)
{ ((fuzz_t *) ctx)->open[link] = 0; }


static void
fuzz_log(void *ctx, parley_store_level_t level, const char *text)
{
    (void) ctx;

    check(level <= PARLEY_STORE_CRIT);
    check(strlen(text) < 640);
}


static void
fuzz_done(parley_call_t *call)
{
    fuzz_verb_t  *v = (fuzz_verb_t *) call;

    check(v->waits && !v->done);
    v->done = 1;
}


static void
fuzz_begin(fuzz_t *f, unsigned fallback)
{
    static const uint8_t           secret[PARLEY_KEY_SECRET] = "0123456789abcd";
    static const parley_process_t  self = { 1, 1 };
    static parley_mem_t            mem;

    mem = parley_mem_libc;
    memset(f, 0, sizeof(fuzz_t));

    f->now = 1000000;
    f->zone.env.lock = fuzz_nothing;
    f->zone.env.unlock = fuzz_nothing;
    f->zone.env.now = fuzz_now;
    f->zone.env.is_alive = fuzz_alive;
    f->zone.env.ctx = f;
    f->zone.share = PARLEY_SHARE_ALL;
    f->zone.workers = 4;

    check(parley_memory_create(&f->zone, zone, FUZZ_ZONE, secret) == 0);
    parley_memory_enter(&f->zone, &self);
    parley_memory_bounds(&f->zone, 100, 10000);

    f->env = (parley_store_env_t) {
        .connect = fuzz_connect, .send = fuzz_send, .close = fuzz_close,
        .timer = fuzz_timer, .now = fuzz_now, .wall = fuzz_now,
        .random = fuzz_random, .log = fuzz_log, .appended = fuzz_nothing,
        .replaced = fuzz_replaced, .ctx = f
    };

    f->conf.prefix = parley_str_c("parley");
    f->conf.first = 1;
    f->conf.timeout = 100;
    f->conf.room = FUZZ_ZONE;
    f->conf.lease = PARLEY_STORE_LEASE;
    f->conf.fallback = fallback ? PARLEY_STORE_LOCAL : PARLEY_STORE_REFUSE;

    f->store = parley_store_create(&f->zone.state, &f->env, &f->conf, &mem);
    check(f->store != NULL);

    parley_arena_init(&f->arena, &parley_mem_libc, 0);
    parley_store_begin(f->store);
    parley_store_timer(f->store);
    check(f->connects[PARLEY_STORE_MAIN] == 1);
    f->open[PARLEY_STORE_MAIN] = 1;
    parley_store_opened(f->store, PARLEY_STORE_MAIN);
}


static void
fuzz_verbs(fuzz_t *f)
{
    size_t               i;
    uint8_t              key[PARLEY_KEY_LEN];
    parley_str_t         value = parley_str_c("value");
    parley_put_t         put;
    parley_quota_t       limit = { .rate = { 1000, 1 } };
    parley_state_t      *s = parley_store_state(f->store);
    parley_lookup_t      lookup;
    parley_append_t      append;
    parley_join_t        join;
    parley_admission_t   a;

    memset(key, 7, sizeof(key));
    memset(&a, 0, sizeof(a));
    memset(&put, 0, sizeof(put));
    memset(&lookup, 0, sizeof(lookup));
    memset(&append, 0, sizeof(append));
    memset(&join, 0, sizeof(join));

    a.account = key;
    a.id = key;
    a.print = (const uint8_t *) "printone";
    a.ttl = 1000;
    a.slot_ttl = 1000;

    put.id.kind = PARLEY_KIND_SUSPENSION;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = 1000;
    put.queue = PARLEY_EVICTABLE_NONE;
    memcpy(put.id.key, key, sizeof(key));

    lookup.kind = PARLEY_KIND_QUESTION;
    lookup.arena = &f->arena;
    memcpy(lookup.key, key, sizeof(key));

    append.arena = &f->arena;
    append.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) &key;
    append.nlogs = 1;
    append.parts = &value;
    append.nparts = 1;
    append.ttl = 1000;
    append.retention = (parley_retention_t) { .records = 10, .octets = 1000,
                                              .ms = 1000 };
    join.log = key;
    join.session = value;

    for (i = 0; i < FUZZ_VERBS; i++) {
        fuzz_verb_t  *v = &f->verbs[i];

        v->call.done = fuzz_done;

        switch (i) {
        case 0:
            v->waits = s->ops->admit(s, &a, &v->admitted, &v->call);
            break;
        case 1:
            v->waits = s->ops->get(s, &lookup, &v->records, &v->call);
            break;
        case 2:
            v->waits = s->ops->put(s, &put, &v->put, &v->call);
            break;
        case 3:
            put.id.kind = PARLEY_KIND_MESSAGE;
            v->waits = s->ops->put(s, &put, &v->put, &v->call);
            break;
        case 4:
            key[0] = 8;
            a.slot = key;
            memcpy(limit.key, key, sizeof(key));
            a.limits = &limit;
            a.nlimits = 1;
            a.quotas[0] = limit;
            a.nquotas = 1;
            a.shared = PARLEY_SHARED_EXACT;
            v->waits = s->ops->admit(s, &a, &v->admitted, &v->call);
            break;
        case 5:
            v->waits = s->ops->log->append(s, &append, &v->appended, &v->call);
            break;
        case 6:
            v->waits = s->ops->log->join(s, &join, &v->joined, &v->call);
            break;
        default:
            put.id.kind = PARLEY_KIND_CHILD_KEY;
            v->waits = s->ops->put(s, &put, &v->put, &v->call);
            s->ops->cancel(s, &v->call);
            v->waits = 0;
        }
    }
}


/* Returns the octets of the next step. */

static size_t
fuzz_step(fuzz_t *f, const uint8_t *data, size_t size)
{
    int       n;
    size_t    len, places, all;
    uint8_t   octets[1 + PARLEY_STORE_NODE + 8 + 4 + 2 * UINT16_MAX], *p;
    char      head[80];
    uint64_t  number;

    if (size < FUZZ_STEP) {
        return size;
    }

    all = size - FUZZ_STEP;
    places = data[1] | (size_t) data[2] << 8;
    places = places < all ? places : all;
    len = data[3] | (size_t) data[4] << 8;
    len = len < all - places ? len : all - places;
    all = places + len;

    number = f->zone.state.ops->import->number(&f->zone.state) + 1
             + (data[0] >> 4);

    p = octets;
    *p++ = '1';
    memset(p, 'x', PARLEY_STORE_NODE);
    p = parley_octets_write64(p + PARLEY_STORE_NODE, number);
    p = parley_octets_write32(p, (uint32_t) places);
    memcpy(p, data + FUZZ_STEP, all);

    /* format, kind, node */

    if (len >= 2 + PARLEY_STORE_NODE) {
        memset(p + places + 2, data[0] & 15, PARLEY_STORE_NODE);
    }

    all += (size_t) (p - octets);
    n = snprintf(head, sizeof(head), "*3\r\n$7\r\nmessage\r\n$9\r\n"
                 "{parley}f\r\n$%zu\r\n", all);

    parley_store_fed(f->store, PARLEY_STORE_INBOX, (uint8_t *) head,
                     (size_t) n);
    parley_store_fed(f->store, PARLEY_STORE_INBOX, octets, all);
    parley_store_fed(f->store, PARLEY_STORE_INBOX, (const uint8_t *) "\r\n", 2);

    check(f->open[PARLEY_STORE_INBOX]);

    return FUZZ_STEP + places + len;
}


static void
fuzz_sentinel(const uint8_t *data, size_t size)
{
    int                      rc;
    size_t                   i, n, piece;
    uint8_t                  address[16];
    parley_str_t             octets;
    parley_arena_t           arena;
    parley_store_sentinel_t  q;

    parley_store_sentinel_conf_t  conf = { .primary = parley_str_c("parley") };

    if (data[0] & 1) {
        conf.password = parley_str_c("word");
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);
    check(parley_store_sentinel_begin(&q, &conf, &arena, &octets) == 0);

    piece = data[1] == 0 ? size : data[1];
    rc = 0;

    for (i = 2; i < size && rc == 0; i += n) {
        n = size - i < piece ? size - i : piece;
        rc = parley_store_sentinel_fed(&q, data + i, n);
    }

    if (rc == 1) {
        check(q.port != 0);
        check(inet_pton(AF_INET, q.host, address) == 1
              || inet_pton(AF_INET6, q.host, address) == 1);

    } else if (rc != 0) {
        check(q.why != NULL);
    }

    parley_store_sentinel_end(&q);
    parley_arena_reset(&arena);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t               i, n, piece;
    static fuzz_t        f;
    parley_state_stat_t  stat;

    if (size < 2) {
        return 0;
    }

    if (data[0] & 8) {
        fuzz_sentinel(data, size);
        return 0;
    }

    fuzz_begin(&f, data[0] & 2);

    if (data[0] & 1) {
        parley_store_fed(f.store, PARLEY_STORE_MAIN,
                         (const uint8_t *) beginning, sizeof(beginning) - 1);
        check(parley_store_is_up(f.store));
        parley_store_timer(f.store);
        check(f.connects[PARLEY_STORE_INBOX] == 1);
        f.open[PARLEY_STORE_INBOX] = 1;
        parley_store_opened(f.store, PARLEY_STORE_INBOX);
        parley_store_fed(f.store, PARLEY_STORE_INBOX, (const uint8_t *) inbox,
                         sizeof(inbox) - 1);
        check(f.open[PARLEY_STORE_INBOX]);
        fuzz_verbs(&f);
    }

    piece = data[1] == 0 ? size : data[1];

    for (i = 2; i < size && f.open[PARLEY_STORE_MAIN]; i += n) {
        if (piece == FUZZ_STEPS && f.open[PARLEY_STORE_INBOX]) {
            n = fuzz_step(&f, data + i, size - i);

        } else {
            n = size - i < piece ? size - i : piece;
            parley_store_fed(f.store, PARLEY_STORE_INBOX, data + i, n);
            parley_store_fed(f.store, PARLEY_STORE_MAIN, data + i, n);
        }

        f.now += data[0] >> 4;

        if (data[0] & 4) {
            parley_store_timer(f.store);
        }
    }

    parley_store_closed(f.store, PARLEY_STORE_MAIN, "the end");
    check(!f.open[PARLEY_STORE_INBOX]);

    for (i = 0; i < FUZZ_VERBS; i++) {
        check(!f.verbs[i].waits || f.verbs[i].done);
    }

    (void) parley_memory_ops.stat(&f.zone.state, &stat, NULL);

    check(stat.entries[PARLEY_KIND_ID]
          <= (size_t) (f.verbs[0].admitted.verdict == PARLEY_ADMIT_OK)
             + (f.verbs[4].admitted.verdict == PARLEY_ADMIT_OK));

    parley_store_destroy(f.store);
    parley_arena_reset(&f.arena);

    return 0;
}
