#include <string.h>

#include <openssl/ssl.h>

#include "bench/bench_fail.h"
#include "bench/bench_http.h"
#include "bench/bench_tls.h"


#define BENCH_TLS_NAME  32


bench_tls_t *
bench_tls_open(int port, const char *protocol)
{
    int                   fd;
    SSL                  *ssl;
    size_t                len;
    unsigned              taken;
    unsigned char         list[1 + BENCH_TLS_NAME];
    const unsigned char  *name;
    static SSL_CTX       *ctx;

    len = strlen(protocol);

    if (ctx == NULL) {
        ctx = SSL_CTX_new(TLS_client_method());
    }

    if (ctx == NULL || len > BENCH_TLS_NAME) {
        bench_wrong("TLS is not available");
    }

    list[0] = (unsigned char) len;
    memcpy(list + 1, protocol, len);

    fd = bench_http_connect_blocking(port);

    if (fd == -1) {
        bench_fail("connect");
    }

    ssl = SSL_new(ctx);

    if (ssl == NULL || SSL_set_fd(ssl, fd) != 1
        || SSL_set_alpn_protos(ssl, list, 1 + (unsigned) len) != 0
        || SSL_connect(ssl) != 1)
    {
        bench_wrong("the handshake fails");
    }

    SSL_get0_alpn_selected(ssl, &name, &taken);

    if (taken != len || memcmp(name, protocol, len) != 0) {
        bench_wrong("the protocol is not accepted");
    }

    return ssl;
}


void
bench_tls_write(bench_tls_t *tls, const void *data, size_t len)
{
    if (SSL_write(tls, data, (int) len) != (int) len) {
        bench_wrong("a write over TLS fails");
    }
}


size_t
bench_tls_read(bench_tls_t *tls, void *data, size_t len)
{
    int  n;

    n = SSL_read(tls, data, (int) len);

    if (n <= 0) {
        bench_wrong("a connection over TLS ends");
    }

    return (size_t) n;
}
