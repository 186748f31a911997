/*
 * Measures the cost of idle subscribers over TLS.  It opens them one after
 * another: over HTTP/1.1 with one connection each, or over HTTP/2 with several
 * on one.  Then it waits, and prints the growth of the workers' memory per
 * subscriber.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/bench_fail.h"
#include "bench/bench_h2.h"
#include "bench/bench_request.h"
#include "bench/bench_tls.h"
#include "bench/bench_workers.h"


#define BENCH_IDLE   2          /* seconds before memory is measured */
#define BENCH_FIRST  2          /* connections without a subscriber: the memory
                                   that only the first ones need is not
                                   counted */

#define BENCH_USAGE                                                           \
    "usage: bench_idle -p PORT -s FILE [-n N] [-c N] -P PID ...\n"            \
    "  -s FILE      subscribers, as in bench_stream\n"                        \
    "  -n N         subscribers (default 1000)\n"                             \
    "  -c N         HTTP/2, with N subscribers on a connection\n"


static struct {
    int                port;
    const char        *path;
    size_t             n;
    size_t             each;        /* 0: HTTP/1.1 */
    bench_request_t   *requests;
    size_t             nrequests;
} bench;


static void bench_options(int argc, char **argv);
static void bench_open(size_t n);
static void bench_open_one(bench_tls_t *tls, const bench_request_t *r);


int
main(int argc, char **argv)
{
    double          n;
    struct rlimit   limit;
    bench_memory_t  before, after;

    bench_options(argc, argv);

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        bench_fail("limit of files");
    }

    limit.rlim_cur = limit.rlim_max;

    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        bench_fail("limit of files");
    }

    bench.requests = bench_requests(bench.path, "GET",
                                    "Accept: text/event-stream\r\n",
                                    &bench.nrequests);

    bench_open(BENCH_FIRST * (bench.each > 0 ? bench.each : 1));
    (void) sleep(BENCH_IDLE);
    bench_workers_memory(&before);

    bench_open(bench.n);
    (void) sleep(BENCH_IDLE);
    bench_workers_memory(&after);

    n = (double) bench.n;

    printf("subscribers=%zu each=%zu rss=%.0f own=%.0f\n", bench.n, bench.each,
           (after.all - before.all) / n, (after.own - before.own) / n);

    return 0;
}


static void
bench_options(int argc, char **argv)
{
    int  c;

    bench.n = 1000;

    while ((c = getopt(argc, argv, "p:s:n:c:P:")) != -1) {
        switch (c) {

        case 'p':
            bench.port = atoi(optarg);
            break;

        case 's':
            bench.path = optarg;
            break;

        case 'n':
            bench.n = strtoul(optarg, NULL, 10);
            break;

        case 'c':
            bench.each = strtoul(optarg, NULL, 10);
            break;

        case 'P':
            bench_workers_add(atoi(optarg));
            break;

        default:
            fprintf(stderr, BENCH_USAGE);
            exit(2);
        }
    }

    if (bench.port == 0 || bench.path == NULL || bench.n == 0) {
        fprintf(stderr, BENCH_USAGE);
        exit(2);
    }
}


/* Opens subscribers.  They stay open until the process ends. */

static void
bench_open(size_t n)
{
    size_t        i;
    bench_h2_t    h2;
    bench_tls_t  *tls;

    tls = NULL;

    for (i = 0; i < n; i++) {

        if (bench.each == 0) {
            tls = bench_tls_open(bench.port, "http/1.1");
            bench_open_one(tls, &bench.requests[i % bench.nrequests]);
            continue;
        }

        if (i % bench.each == 0) {
            tls = bench_tls_open(bench.port, "h2");
            bench_h2_begin(&h2, tls);
        }

        bench_h2_get(&h2, &bench.requests[i % bench.nrequests]);
    }
}


static void
bench_open_one(bench_tls_t *tls, const bench_request_t *r)
{
    char    head[4096];
    size_t  len;

    bench_tls_write(tls, r->head, r->len);
    bench_tls_write(tls, "\r\n", 2);

    len = 0;

    do {
        len += bench_tls_read(tls, head + len, sizeof(head) - 1 - len);
        head[len] = '\0';
    } while (strstr(head, "\r\n\r\n") == NULL && len < sizeof(head) - 1);

    if (strncmp(head, "HTTP/1.1 200", 12) != 0) {
        bench_wrong("a stream is not opened");
    }
}
