/* The workers of a gateway: what they take. */

#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include <stddef.h>
#include <stdint.h>


#define BENCH_WORKERS_MAX  16


typedef struct {
    double   all;       /* VmRSS of all, octets */
    double   own;       /* RssAnon */
} bench_memory_t;


/* One more process; ends this one where it is one too many. */
void bench_workers_add(int pid);

void bench_workers_memory(bench_memory_t *ret);

/* ns of CPU of all; of each; and since those were taken the most of one */
int64_t bench_workers_cpu(void);
void bench_workers_each(int64_t ret[BENCH_WORKERS_MAX]);
int64_t bench_workers_most(const int64_t since[BENCH_WORKERS_MAX]);


#endif /* BENCH_WORKERS_H */
