#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>


/* Returns the ns of a monotonic clock. */
int64_t bench_now(void);

/*
 * Returns the ns of CPU that a process has used; -1 with errno; 0 for process
 * 0.
 */
int64_t bench_cpu(int pid);


#endif /* BENCH_CLOCK_H */
