#ifndef BENCH_FAIL_H
#define BENCH_FAIL_H


/*
 * End the process with an error: the first names a failed call with the text of
 * errno, the second only prints text.
 */
void bench_fail(const char *text)
    __attribute__((noreturn));
void bench_wrong(const char *text)
    __attribute__((noreturn));


#endif /* BENCH_FAIL_H */
