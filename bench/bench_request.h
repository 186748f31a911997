/*
 * Requests as a file has them: each line a path, and header lines with tabs
 * before them.
 */

#ifndef BENCH_REQUEST_H
#define BENCH_REQUEST_H

#include <stddef.h>


typedef struct {
    char    *head;      /* without the empty line */
    size_t   len;
} bench_request_t;


/* At least one; what is wrong ends the process.  more: other header lines. */
bench_request_t *bench_requests(const char *path, const char *method,
    const char *more, size_t *ret_n);

/* All of a small file, and a zero. */
char *bench_slurp(const char *path, size_t *ret_len);


#endif /* BENCH_REQUEST_H */
