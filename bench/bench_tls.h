/* TLS connections to loopback with blocking reads and writes.  An error ends
   the process. */

#ifndef BENCH_TLS_H
#define BENCH_TLS_H

#include <stddef.h>


typedef struct ssl_st  bench_tls_t;


/*
 * Opens a connection.  The server must accept protocol by ALPN.  Its
 * certificate is not checked.
 */
bench_tls_t *bench_tls_open(int port, const char *protocol);

void bench_tls_write(bench_tls_t *tls, const void *data, size_t len);

/* Reads at least one octet. */
size_t bench_tls_read(bench_tls_t *tls, void *data, size_t len);


#endif /* BENCH_TLS_H */
