/*
 * As much of HTTP/2 (RFC 9113) as it takes to open streams and leave them: the
 * headers are written in full, without a table (RFC 7541, 6.2.2).
 */

#ifndef BENCH_H2_H
#define BENCH_H2_H

#include <stdint.h>

#include "bench/bench_request.h"
#include "bench/bench_tls.h"


typedef struct {
    bench_tls_t  *tls;
    uint32_t      stream;       /* the next one's */
} bench_h2_t;


void bench_h2_begin(bench_h2_t *h2, bench_tls_t *tls);

/* A request of HTTP/1.1 as one of HTTP/2; returns when 200 has come. */
void bench_h2_get(bench_h2_t *h2, const bench_request_t *r);


#endif /* BENCH_H2_H */
