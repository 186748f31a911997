#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_clock.h"
#include "bench/bench_fail.h"
#include "bench/bench_request.h"
#include "bench/bench_workers.h"


static double bench_workers_line(const char *text, const char *name);


static int     bench_workers[BENCH_WORKERS_MAX];
static size_t  bench_workers_n;


void
bench_workers_add(int pid)
{
    if (bench_workers_n == BENCH_WORKERS_MAX) {
        bench_wrong("too many workers");
    }

    bench_workers[bench_workers_n++] = pid;
}


void
bench_workers_memory(bench_memory_t *ret)
{
    char    path[64], *text;
    size_t  i, len;

    memset(ret, 0, sizeof(bench_memory_t));

    for (i = 0; i < bench_workers_n; i++) {
        (void) snprintf(path, sizeof(path), "/proc/%d/status",
                        bench_workers[i]);

        text = bench_slurp(path, &len);

        ret->all += bench_workers_line(text, "\nVmRSS:");
        ret->own += bench_workers_line(text, "\nRssAnon:");

        free(text);
    }
}


static double
bench_workers_line(const char *text, const char *name)
{
    const char  *p;

    p = strstr(text, name);

    if (p == NULL) {
        bench_wrong("the memory of a worker is unknown");
    }

    return strtod(p + strlen(name), NULL) * 1024;
}


int64_t
bench_workers_cpu(void)
{
    size_t   i;
    int64_t  all, cpu[BENCH_WORKERS_MAX];

    bench_workers_each(cpu);
    all = 0;

    for (i = 0; i < bench_workers_n; i++) {
        all += cpu[i];
    }

    return all;
}


void
bench_workers_each(int64_t ret[BENCH_WORKERS_MAX])
{
    size_t  i;

    for (i = 0; i < bench_workers_n; i++) {
        ret[i] = bench_cpu(bench_workers[i]);

        if (ret[i] == -1) {
            bench_fail("the gateway's CPU time");
        }
    }
}


int64_t
bench_workers_most(const int64_t since[BENCH_WORKERS_MAX])
{
    size_t   i;
    int64_t  most, now[BENCH_WORKERS_MAX];

    bench_workers_each(now);
    most = 0;

    for (i = 0; i < bench_workers_n; i++) {
        if (now[i] - since[i] > most) {
            most = now[i] - since[i];
        }
    }

    return most;
}
