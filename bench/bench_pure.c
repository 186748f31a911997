/*
 *   bench_pure DIR count        runs every case as often as its table says, in
 *                               bench_counted(), for callgrind; prints a line
 *                               "name times octets" for each
 *   bench_pure DIR time NAME S  runs one case for S seconds; prints the ns of
 *                               CPU of one run
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "bench/bench_message.h"
#include "bench/bench_pure.h"


const char       *bench_dir;
bench_request_t   bench_request;


static const bench_case_t *const  bench_tables[] = {
    bench_message_cases, bench_pair_cases, bench_crypto_cases,
    bench_state_cases, bench_host_cases, bench_moqt_cases
};

#define BENCH_TABLES  (sizeof(bench_tables) / sizeof(bench_tables[0]))


static void bench_count(void);
static void bench_time(const char *name, double seconds);
static void bench_prepare(const bench_case_t *c);
static int64_t bench_cpu(void);

/* callgrind counts this function, and writes the result when it ends */
int bench_counted(int (*run)(void), unsigned times);


int
main(int argc, char **argv)
{
    if (argc < 3 || sodium_init() == -1) {
        fprintf(stderr, "usage: bench_pure DIR count\n"
                        "       bench_pure DIR time NAME SECONDS\n");
        return 2;
    }

    bench_dir = argv[1];
    bench_request.engine = parley_engine_create(&parley_mem_libc,
                                                &bench_request.err);

    if (bench_request.engine == NULL) {
        bench_die(bench_request.err.text);
    }

    parley_arena_init(&bench_request.arena, &parley_mem_libc, 0);

    if (strcmp(argv[2], "time") == 0 && argc == 5) {
        bench_time(argv[3], atof(argv[4]));

    } else {
        bench_count();
    }

    return 0;
}


static void
bench_count(void)
{
    size_t               i, octets;
    const bench_case_t  *c;

    for (i = 0; i < BENCH_TABLES; i++) {
        for (c = bench_tables[i]; c->name != NULL; c++) {
            bench_prepare(c);

            if (bench_counted(c->run, c->times) != 0) {
                bench_die(c->name);
            }

            octets = c->kind != NULL ? bench_make(c, NULL, NULL).len : 0;
            printf("%s %u %zu\n", c->name, c->times, octets);
        }
    }
}


__attribute__((noinline)) int
bench_counted(int (*run)(void), unsigned times)
{
    int  rc;

    rc = 0;

    while (times > 0) {
        rc |= run();
        times--;
    }

    return rc;
}


static void
bench_time(const char *name, double seconds)
{
    size_t               i;
    int64_t              start, now;
    uint64_t             n;
    const bench_case_t  *c;

    for (i = 0; i < BENCH_TABLES; i++) {
        for (c = bench_tables[i]; c->name != NULL; c++) {
            if (strcmp(c->name, name) != 0) {
                continue;
            }

            bench_prepare(c);

            n = 0;
            start = bench_cpu();

            do {
                if (c->run() != 0) {
                    bench_die(c->name);
                }

                n++;
                now = bench_cpu();

            } while ((double) (now - start) < seconds * 1e9);

            printf("%.0f\n", (double) (now - start) / (double) n);
            return;
        }
    }

    bench_die("no such case");
}


/* Runs the case once.  This fills caches and checks the answer. */

static void
bench_prepare(const bench_case_t *c)
{
    c->prepare(c);

    if (c->run() != 0) {
        bench_die(c->name);
    }
}


parley_str_t
bench_make(const bench_case_t *c, parley_str_t *ret_canonical,
    parley_str_t *ret_signature)
{
    uint8_t          seed[BENCH_SEED_LEN];
    bench_message_t  m;

    if (bench_message_make(&m, c->kind, c->size) != 0) {
        bench_die(c->kind);
    }

    if (m.signature != 0) {
        memcpy(seed, bench_file("seed").data, BENCH_SEED_LEN);
        bench_message_sign(&m, 1, seed);
    }

    bench_message_stamp(&m, m.text, 0);

    if (ret_canonical != NULL) {
        *ret_canonical = parley_str_make(m.canonical, m.canonical_len);
        *ret_signature = parley_str_make(m.text + m.signature,
                                         BENCH_SIGNATURE_LEN);
    }

    return parley_str_make(m.text, m.len);
}


int
bench_read(parley_str_t body, parley_proto_t proto)
{
    bench_request_t  *r;

    r = &bench_request;

    parley_arena_reset(&r->arena);

    if (parley_json_read(&r->doc, &r->arena, NULL, 1, body, &r->err) != 0
        || parley_detect(&r->doc, PARLEY_PROTO_BIT(PARLEY_PROTO_COUNT) - 1)
           != proto)
    {
        return -1;
    }

    return parley_decode(r->engine, &r->arena, proto, &r->doc, 0, &r->msg,
                         &r->err);
}


parley_str_t
bench_file(const char *name)
{
    char      path[4096];
    FILE     *f;
    size_t    n;
    uint8_t  *data;

    (void) snprintf(path, sizeof(path), "%s/%s", bench_dir, name);

    data = malloc(65536);
    f = fopen(path, "rb");

    if (f == NULL || data == NULL) {
        bench_die(path);
    }

    n = fread(data, 1, 65536, f);
    (void) fclose(f);

    return parley_str_make(data, n);
}


static int64_t
bench_cpu(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);

    return (int64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


void
bench_die(const char *text)
{
    fprintf(stderr, "bench_pure: %s failed: %s %s\n", text,
            bench_request.err.field, bench_request.err.text);
    exit(1);
}
