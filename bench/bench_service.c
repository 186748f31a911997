/*
 * bench_service PORT
 *
 * The service behind all gateways that are compared.  It takes a message and
 * answers at once, with the message's id where the protocol wants that:
 *
 *  POST /vcp   a VCP message: 200 {"status":"accepted","message_id":ID}
 *  POST /aee   an AEE message: 202, empty
 *  POST /any   either: as /vcp
 *  GET /last   the last message, as it came
 *
 * What is not of the protocol is answered 500, so that a gateway that does
 * not translate fails.
 */

#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench_http.h"
#include "bench_message.h"


#define BENCH_SERVICE_CONNECTIONS  1024
#define BENCH_SERVICE_NEAR         1024     /* octets that hold the id */


typedef struct {
    int           fd;
    bench_http_t  http;
} bench_service_connection_t;


static char    *bench_last;
static size_t   bench_last_len;


static void bench_service_accept(int epoll, int listener);
static void bench_service_take(bench_service_connection_t *c);
static int bench_service_answer(bench_service_connection_t *c);
static const char *bench_service_find(const bench_http_t *h,
    const char *member);
static int bench_service_send(int fd, const char *text, size_t len);
static void bench_service_keep(const bench_http_t *h);


int
main(int argc, char **argv)
{
    int                  epoll, listener, i, n;
    struct epoll_event   ev, events[256];

    if (argc != 2) {
        fprintf(stderr, "usage: bench_service PORT\n");
        return 2;
    }

    epoll = epoll_create1(EPOLL_CLOEXEC);
    listener = bench_http_listen(atoi(argv[1]));

    ev.events = EPOLLIN;
    ev.data.ptr = NULL;

    if (epoll == -1 || listener == -1
        || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &ev) != 0)
    {
        perror("bench_service");
        return 1;
    }

    for ( ;; ) {
        n = epoll_wait(epoll, events, 256, -1);

        for (i = 0; i < n; i++) {
            if (events[i].data.ptr == NULL) {
                bench_service_accept(epoll, listener);

            } else {
                bench_service_take(events[i].data.ptr);
            }
        }
    }
}


static void
bench_service_accept(int epoll, int listener)
{
    int                          fd;
    struct epoll_event           ev;
    bench_service_connection_t  *c;

    fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK|SOCK_CLOEXEC);
    if (fd == -1) {
        return;
    }

    c = calloc(1, sizeof(bench_service_connection_t));
    if (c == NULL) {
        (void) close(fd);
        return;
    }

    c->fd = fd;

    ev.events = EPOLLIN|EPOLLET;
    ev.data.ptr = c;

    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) != 0) {
        (void) close(fd);
        free(c);
    }
}


static void
bench_service_take(bench_service_connection_t *c)
{
    int  rc;

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
bench_service_answer(bench_service_connection_t *c)
{
    char                 text[256], body[128];
    size_t               len;
    const char          *id;
    const bench_http_t  *h;

    h = &c->http;

    if (bench_http_begins(h, "GET /last ")) {
        len = (size_t) snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\n"
                                "Content-Length: %zu\r\n\r\n",
                                bench_last_len);

        return bench_service_send(c->fd, text, len) == 0
               ? bench_service_send(c->fd, bench_last, bench_last_len) : -1;
    }

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

    bench_last_len = h->len - h->head;

    if (bench_last_len > size) {
        size = bench_last_len;
        bench_last = realloc(bench_last, size);

        if (bench_last == NULL) {
            perror("bench_service");
            exit(1);
        }
    }

    memcpy(bench_last, h->data + h->head, bench_last_len);
}
