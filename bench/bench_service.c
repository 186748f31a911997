#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench_answer.h"
#include "bench/bench_http.h"
#include "bench/bench_service.h"


typedef struct {
    bench_event_t  event;
    int            fd;
    int            epoll;
    bench_http_t   http;
} bench_service_t;


char    *bench_service_last;
size_t   bench_service_last_len;


static void bench_service_accept(bench_event_t *event, uint32_t events);
static void bench_service_take(bench_event_t *event, uint32_t events);
static int bench_service_answer(const bench_service_t *c);
static void bench_service_keep(const bench_http_t *h);


int
bench_service_open(int epoll, int port)
{
    static bench_service_t  listener;

    listener.event.handler = bench_service_accept;
    listener.epoll = epoll;
    listener.fd = bench_http_listen(port);

    if (listener.fd == -1) {
        return -1;
    }

    return bench_event_add(epoll, listener.fd, &listener.event);
}


static void
bench_service_accept(bench_event_t *event, uint32_t events)
{
    int               fd;
    bench_service_t  *listener, *c;

    (void) events;

    listener = (bench_service_t *) event;

    while ((fd = accept4(listener->fd, NULL, NULL,
                         SOCK_NONBLOCK|SOCK_CLOEXEC))
           != -1)
    {
        c = calloc(1, sizeof(bench_service_t));

        if (c == NULL) {
            (void) close(fd);
            return;
        }

        c->event.handler = bench_service_take;
        c->fd = fd;

        if (bench_event_add(listener->epoll, fd, &c->event) != 0) {
            (void) close(fd);
            free(c);
        }
    }
}


static void
bench_service_take(bench_event_t *event, uint32_t events)
{
    int               rc;
    bench_service_t  *c;

    c = (bench_service_t *) event;

    if ((events & ~(uint32_t) EPOLLOUT) == 0) {
        return;
    }

    rc = bench_http_read(&c->http, c->fd);

    if (rc == 1 && bench_service_answer(c) != 0) {
        rc = -1;
    }

    if (rc == 1) {
        bench_http_reset(&c->http);
        return;
    }

    if (rc == -1) {
        (void) close(c->fd);
        free(c->http.data);
        free(c);
    }
}


static int
bench_service_answer(const bench_service_t *c)
{
    char    text[BENCH_ANSWER_MAX];
    size_t  len;

    bench_service_keep(&c->http);

    len = bench_answer(&c->http, text);

    return send(c->fd, text, len, MSG_NOSIGNAL) == (ssize_t) len ? 0 : -1;
}


static void
bench_service_keep(const bench_http_t *h)
{
    static size_t  size;

    bench_service_last_len = h->len - h->head;

    if (bench_service_last_len > size) {
        size = bench_service_last_len;
        bench_service_last = realloc(bench_service_last, size);

        if (bench_service_last == NULL) {
            perror("bench_service");
            exit(1);
        }
    }

    memcpy(bench_service_last, h->data + h->head, bench_service_last_len);
}
