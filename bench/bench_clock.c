#define _GNU_SOURCE

#include <errno.h>
#include <time.h>

#include "bench/bench_clock.h"


static int64_t
bench_ns(const struct timespec *ts)
{
    return (int64_t) ts->tv_sec * 1000000000 + ts->tv_nsec;
}


int64_t
bench_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return bench_ns(&ts);
}


int64_t
bench_cpu(int pid)
{
    int              err;
    clockid_t        clock;
    struct timespec  ts;

    if (pid == 0) {
        return 0;
    }

    err = clock_getcpuclockid(pid, &clock);

    if (err != 0) {
        errno = err;
        return -1;
    }

    return clock_gettime(clock, &ts) == 0 ? bench_ns(&ts) : -1;
}
