#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench_http.h"
#include "bench_message.h"
#include "bench_service.h"


#define BENCH_SERVICE_NEAR  1024    /* octets that hold the id */


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
static const char *bench_service_find(const bench_http_t *h,
    const char *member);
static int bench_service_send(int fd, const char *text, size_t len);
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
    char                 text[256], body[128];
    size_t               len;
    const char          *id;
    const bench_http_t  *h;

    h = &c->http;

    bench_service_keep(h);

    if (bench_http_begins(h, "POST /aee ")) {
        id = bench_service_find(h, "\"v\":\"1\",\"id\":\"");

        if (id != NULL) {
            return bench_service_send(c->fd, "HTTP/1.1 202 Accepted\r\n"
                                      "Content-Length: 0\r\n\r\n", 44);
        }

    } else {
        id = bench_service_find(h, "\"message_id\":\"");

        if (id == NULL && bench_http_begins(h, "POST /any ")) {
            id = bench_service_find(h, "\"id\":\"");
        }
    }

    if (id == NULL) {
        return bench_service_send(c->fd, "HTTP/1.1 500 Not Translated\r\n"
                                  "Content-Length: 0\r\n\r\n", 50);
    }

    len = (size_t) snprintf(body, sizeof(body), "{\"status\":\"accepted\","
                            "\"message_id\":\"%.*s\"}", BENCH_ID_LEN, id);

    len = (size_t) snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\n"
                            "Content-Type: application/json; charset=utf-8"
                            "\r\nContent-Length: %zu\r\n\r\n%s", len,
                            body);

    return bench_service_send(c->fd, text, len);
}


/* What follows the member's text, near the beginning of the body. */

static const char *
bench_service_find(const bench_http_t *h, const char *member)
{
    char    *p;
    size_t   near;

    near = h->len - h->head;

    if (near > BENCH_SERVICE_NEAR) {
        near = BENCH_SERVICE_NEAR;
    }

    p = memmem(h->data + h->head, near, member, strlen(member));

    if (p == NULL) {
        return NULL;
    }

    p += strlen(member);

    return p + BENCH_ID_LEN < h->data + h->len ? p : NULL;
}


static int
bench_service_send(int fd, const char *text, size_t len)
{
    return send(fd, text, len, MSG_NOSIGNAL) == (ssize_t) len ? 0 : -1;
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
