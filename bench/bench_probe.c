#define _GNU_SOURCE

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "bench/bench_clock.h"
#include "bench/bench_fail.h"
#include "bench/bench_http.h"
#include "bench/bench_probe.h"
#include "bench/bench_workers.h"


#define BENCH_PROBE_PAUSE    1000   /* us between two requests */
#define BENCH_PROBE_SECONDS  20     /* maximum time of an answer */


static struct {
    pthread_t   thread;
    int         fd;
    char        request[256];
    size_t      len;
    double     *waited;
    double     *cpu;
    size_t      n;
    size_t      room;
    int         ends;
} bench_probe;


static void *bench_probe_run(void *arg);
static void bench_probe_ask(void);
static void bench_probe_keep(double waited, double cpu);
static double bench_probe_sorted(double *list, size_t at);
static int bench_probe_compare(const void *one, const void *two);


void
bench_probe_begin(int port, const char *path)
{
    int                 n;
    struct timeval      patience;
    struct sched_param  first;

    memset(&bench_probe, 0, sizeof(bench_probe));
    memset(&first, 0, sizeof(first));
    memset(&patience, 0, sizeof(patience));

    n = snprintf(bench_probe.request, sizeof(bench_probe.request),
                 "GET %s HTTP/1.1\r\nHost: gateway.example\r\n\r\n", path);

    if (n < 0 || (size_t) n >= sizeof(bench_probe.request)) {
        bench_wrong("the path of the probe is too long");
    }

    bench_probe.len = (size_t) n;
    bench_probe.fd = bench_http_connect_blocking(port);
    patience.tv_sec = BENCH_PROBE_SECONDS;

    if (bench_probe.fd == -1
        || setsockopt(bench_probe.fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
                      sizeof(patience))
           != 0)
    {
        bench_fail("connect");
    }

    if (pthread_create(&bench_probe.thread, NULL, bench_probe_run, NULL) != 0)
    {
        bench_fail("thread");
    }

    /* The thread runs immediately if the system allows this priority. */

    first.sched_priority = 1;
    (void) pthread_setschedparam(bench_probe.thread, SCHED_FIFO, &first);
}


static void *
bench_probe_run(void *arg)
{
    (void) arg;

    while (!__atomic_load_n(&bench_probe.ends, __ATOMIC_ACQUIRE)) {
        bench_probe_ask();
        (void) usleep(BENCH_PROBE_PAUSE);
    }

    return NULL;
}


/* Sends a request.  The answer is small, and arrives at once or not at all. */

static void
bench_probe_ask(void)
{
    char     answer[1024];
    size_t   len;
    ssize_t  n;
    int64_t  start, cpu[BENCH_WORKERS_MAX];

    bench_workers_each(cpu);
    start = bench_now();

    if (send(bench_probe.fd, bench_probe.request, bench_probe.len,
             MSG_NOSIGNAL)
        != (ssize_t) bench_probe.len)
    {
        bench_fail("send of the probe");
    }

    len = 0;

    do {
        n = recv(bench_probe.fd, answer + len, sizeof(answer) - 1 - len, 0);

        if (n <= 0) {
            bench_fail("answer to the probe");
        }

        len += (size_t) n;
        answer[len] = '\0';

    } while (strstr(answer, "\r\n\r\n") == NULL && len < sizeof(answer) - 1);

    if (strncmp(answer, "HTTP/1.1 200", 12) != 0) {
        bench_wrong("the probe is not answered with 200");
    }

    bench_probe_keep((double) (bench_now() - start),
                     (double) bench_workers_most(cpu));
}


static void
bench_probe_keep(double waited, double cpu)
{
    if (bench_probe.n == bench_probe.room) {
        bench_probe.room = 2 * bench_probe.room + 1024;
        bench_probe.waited = realloc(bench_probe.waited,
                                     bench_probe.room * sizeof(double));
        bench_probe.cpu = realloc(bench_probe.cpu,
                                  bench_probe.room * sizeof(double));

        if (bench_probe.waited == NULL || bench_probe.cpu == NULL) {
            bench_fail("memory");
        }
    }

    bench_probe.waited[bench_probe.n] = waited;
    bench_probe.cpu[bench_probe.n++] = cpu;
}


void
bench_probe_end(bench_probed_t *ret)
{
    size_t  last, most;

    __atomic_store_n(&bench_probe.ends, 1, __ATOMIC_RELEASE);

    if (pthread_join(bench_probe.thread, NULL) != 0) {
        bench_fail("thread");
    }

    (void) close(bench_probe.fd);

    last = bench_probe.n - 1;
    most = last - bench_probe.n / 100;

    ret->waited = bench_probe_sorted(bench_probe.waited, last);
    ret->waited_p99 = bench_probe.waited[most];
    ret->cpu = bench_probe_sorted(bench_probe.cpu, last);
    ret->cpu_p99 = bench_probe.cpu[most];

    free(bench_probe.waited);
    free(bench_probe.cpu);
}


static double
bench_probe_sorted(double *list, size_t at)
{
    qsort(list, bench_probe.n, sizeof(double), bench_probe_compare);

    return list[at];
}


static int
bench_probe_compare(const void *one, const void *two)
{
    double  a, b;

    a = *(const double *) one;
    b = *(const double *) two;

    return a < b ? -1 : a > b;
}
