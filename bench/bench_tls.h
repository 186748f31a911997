/* Connections over TLS to loopback, which wait for what they read and write.
   What fails ends the process. */

#ifndef BENCH_TLS_H
#define BENCH_TLS_H

#include <stddef.h>


typedef struct ssl_st  bench_tls_t;


/* protocol: by ALPN; it must be taken.  Nobody's certificate is looked at. */
bench_tls_t *bench_tls_open(int port, const char *protocol);

void bench_tls_write(bench_tls_t *tls, const void *data, size_t len);

/* At least one octet. */
size_t bench_tls_read(bench_tls_t *tls, void *data, size_t len);


#endif /* BENCH_TLS_H */
