/* The workers of a gateway: what they take. */

#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include <stddef.h>
#include <stdint.h>


typedef struct {
    double   all;       /* VmRSS of all, octets */
    double   own;       /* RssAnon */
} bench_memory_t;


/* One more process; ends this one where it is one too many. */
void bench_workers_add(int pid);

void bench_workers_memory(bench_memory_t *ret);

/* ns of CPU */
int64_t bench_workers_cpu(void);


#endif /* BENCH_WORKERS_H */
