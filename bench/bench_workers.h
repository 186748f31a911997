/* Memory and CPU of a gateway's workers. */

#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include <stddef.h>
#include <stdint.h>


#define BENCH_WORKERS_MAX  16


typedef struct {
    double   all;       /* VmRSS of all workers, octets */
    double   own;       /* RssAnon */
} bench_memory_t;


/* Adds a process; ends this one if there are too many. */
void bench_workers_add(int pid);

void bench_workers_memory(bench_memory_t *ret);

/*
 * Return the ns of CPU: of all workers; of each; and the highest increase of
 * one since those of each.
 */
int64_t bench_workers_cpu(void);
void bench_workers_each(int64_t ret[BENCH_WORKERS_MAX]);
int64_t bench_workers_most(const int64_t since[BENCH_WORKERS_MAX]);


#endif /* BENCH_WORKERS_H */
