/*
 * The part of HTTP/2 (RFC 9113) that opens streams and keeps them open.
 * Headers are written in full, without a table (RFC 7541, 6.2.2).
 */

#ifndef BENCH_H2_H
#define BENCH_H2_H

#include <stdint.h>

#include "bench/bench_request.h"
#include "bench/bench_tls.h"


typedef struct {
    bench_tls_t  *tls;
    uint32_t      stream;       /* of the next stream */
} bench_h2_t;


void bench_h2_begin(bench_h2_t *h2, bench_tls_t *tls);

/*
 * Sends a request of HTTP/1.1 as one of HTTP/2.  Returns after the answer 200.
 */
void bench_h2_get(bench_h2_t *h2, const bench_request_t *r);


#endif /* BENCH_H2_H */
