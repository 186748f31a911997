/*
 * Requests in a file: each line has a path, and header lines that tabs
 * separate.
 */

#ifndef BENCH_REQUEST_H
#define BENCH_REQUEST_H

#include <stddef.h>


typedef struct {
    char    *head;      /* without the empty line */
    size_t   len;
} bench_request_t;


/*
 * Reads requests, at least one.  An error ends the process.  more: other header
 * lines.
 */
bench_request_t *bench_requests(const char *path, const char *method,
    const char *more, size_t *ret_n);

/* Reads a small file and appends a zero. */
char *bench_slurp(const char *path, size_t *ret_len);


#endif /* BENCH_REQUEST_H */
