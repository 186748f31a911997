/*
 * A probe: one connection of its own that asks for next to nothing, again and
 * again, while something else is measured, in a thread.  How long it is kept
 * waiting is how long a turn of a worker's event loop lasts.
 */

#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H


/* ns; of all requests that were asked the longest, and that which 99 of 100 did
   not exceed */
typedef struct {
    double  waited;
    double  waited_p99;
    double  cpu;            /* of the worker that had most, meanwhile: what else
                               runs on the machine is not in it */
    double  cpu_p99;
} bench_probed_t;


/* path: what it asks for, which has an answer of 200 */
void bench_probe_begin(int port, const char *path);
void bench_probe_end(bench_probed_t *ret);


#endif /* BENCH_PROBE_H */
