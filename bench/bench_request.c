#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_fail.h"
#include "bench/bench_request.h"


#define BENCH_FILE_MAX  65536


static void bench_request_make(bench_request_t *r, char *line,
    const char *method, const char *more);


bench_request_t *
bench_requests(const char *path, const char *method, const char *more,
    size_t *ret_n)
{
    char             *file, *line, *next;
    size_t            n, len;
    bench_request_t  *list;

    file = bench_slurp(path, &len);
    list = NULL;
    n = 0;

    for (line = file; *line != '\0'; line = next) {
        next = strchrnul(line, '\n');

        if (*next == '\n') {
            *next++ = '\0';
        }

        list = realloc(list, (n + 1) * sizeof(bench_request_t));

        if (list == NULL) {
            bench_fail("memory");
        }

        bench_request_make(&list[n++], line, method, more);
    }

    if (n == 0) {
        bench_wrong("a file has no requests");
    }

    free(file);
    *ret_n = n;

    return list;
}


static void
bench_request_make(bench_request_t *r, char *line, const char *method,
    const char *more)
{
    char  *field, *rest;
    FILE  *out;

    out = open_memstream(&r->head, &r->len);

    if (out == NULL) {
        bench_fail("memory");
    }

    field = strtok_r(line, "\t", &rest);

    fprintf(out, "%s %s HTTP/1.1\r\nHost: gateway.example\r\n%s", method,
            field != NULL ? field : "/", more);

    while ((field = strtok_r(NULL, "\t", &rest)) != NULL) {
        fprintf(out, "%s\r\n", field);
    }

    if (fclose(out) != 0) {
        bench_fail("memory");
    }
}


char *
bench_slurp(const char *path, size_t *ret_len)
{
    char  *data;
    FILE  *f;

    data = malloc(BENCH_FILE_MAX);
    f = fopen(path, "r");

    if (data == NULL || f == NULL) {
        bench_fail(path);
    }

    *ret_len = fread(data, 1, BENCH_FILE_MAX - 1, f);
    data[*ret_len] = '\0';

    (void) fclose(f);

    return data;
}
