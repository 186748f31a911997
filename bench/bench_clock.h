#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>


/* ns, of a clock that never goes back */
int64_t bench_now(void);

/* ns of CPU that a process has used; -1: errno says why; of process 0: 0 */
int64_t bench_cpu(int pid);


#endif /* BENCH_CLOCK_H */
