#ifndef BENCH_FAIL_H
#define BENCH_FAIL_H


/* What a call has failed at, with what errno says; what is wrong by itself. */
void bench_fail(const char *text)
    __attribute__((noreturn));
void bench_wrong(const char *text)
    __attribute__((noreturn));


#endif /* BENCH_FAIL_H */
