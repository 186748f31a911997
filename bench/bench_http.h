/*
 * The part of HTTP/1.1 that the benchmarks' client and service need: messages
 * with a Content-Length, or chunked.
 */

#ifndef BENCH_HTTP_H
#define BENCH_HTTP_H

#include <stddef.h>
#include <stdint.h>


/* target of an epoll event; the first member of its owner */
typedef struct bench_event_s  bench_event_t;

struct bench_event_s {
    void  (*handler)(bench_event_t *event, uint32_t events);
};


typedef struct {
    char    *data;
    size_t   len;
    size_t   size;
    size_t   head;      /* octets before the body; 0: incomplete */
    size_t   body;      /* Content-Length */
    int      chunked;
    int      status;    /* for a response */
} bench_http_t;


/*
 * Reads available octets.  Returns 1 if the message is complete, 0 if more must
 * arrive, -1 if the connection ended or the message is not HTTP.
 */
int bench_http_read(bench_http_t *h, int fd);

/* Prepares for the next message. */
void bench_http_reset(bench_http_t *h);

/* Return whether the message begins with a text, or has it in its body. */
int bench_http_begins(const bench_http_t *h, const char *text);
int bench_http_contains(const bench_http_t *h, const char *text, size_t len);


/*
 * Open non-blocking sockets on loopback; one is blocking.  Return -1 with
 * errno.
 */
int bench_http_connect(int port);
int bench_http_connect_blocking(int port);
int bench_http_listen(int port);

/*
 * Adds an event, edge-triggered in both directions.  Returns 0, or -1 with
 * errno.
 */
int bench_event_add(int epoll, int fd, bench_event_t *event);


#endif /* BENCH_HTTP_H */
