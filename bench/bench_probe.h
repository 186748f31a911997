/*
 * A probe: a thread sends tiny requests on a connection of its own during
 * another measurement.  The time until the answer is that of a turn of a
 * worker's event loop.
 */

#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H


/* ns: the longest of all requests, and the 99th percentile */
typedef struct {
    double  waited;
    double  waited_p99;
    double  cpu;            /* CPU of the busiest worker during the request,
                               without other processes */
    double  cpu_p99;
} bench_probed_t;


/* Begins to request path, which must have status 200. */
void bench_probe_begin(int port, const char *path);
void bench_probe_end(bench_probed_t *ret);


#endif /* BENCH_PROBE_H */
