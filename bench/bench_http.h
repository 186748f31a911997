/*
 * As much of HTTP/1.1 as the benchmarks' client and service need of each
 * other and of nginx: messages with a Content-Length, or chunked.
 */

#ifndef BENCH_HTTP_H
#define BENCH_HTTP_H

#include <stddef.h>
#include <stdint.h>


/* what an epoll event leads to; the first member of who waits for it */
typedef struct bench_event_s  bench_event_t;

struct bench_event_s {
    void  (*handler)(bench_event_t *event, uint32_t events);
};


typedef struct {
    char    *data;
    size_t   len;
    size_t   size;
    size_t   head;      /* octets up to the body; 0: not all there yet */
    size_t   body;      /* Content-Length */
    int      chunked;
    int      status;    /* of a response */
} bench_http_t;


/*
 * Reads what there is.  Returns 1 where the message is complete, 0 where more
 * must come, -1 where the connection ended or it is no HTTP.
 */
int bench_http_read(bench_http_t *h, int fd);

/* Ready for the next message. */
void bench_http_reset(bench_http_t *h);

/* Whether the message begins with this text, or has it in its body. */
int bench_http_begins(const bench_http_t *h, const char *text);
int bench_http_contains(const bench_http_t *h, const char *text, size_t len);


/*
 * Sockets on loopback, but for one not blocking.  -1: errno says why.
 */
int bench_http_connect(int port);
int bench_http_connect_blocking(int port);
int bench_http_listen(int port);

/* Edge-triggered, both ways.  Returns 0, or -1 and errno. */
int bench_event_add(int epoll, int fd, bench_event_t *event);


#endif /* BENCH_HTTP_H */
