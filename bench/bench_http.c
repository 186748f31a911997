#define _GNU_SOURCE

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench_http.h"


#define BENCH_HTTP_ROOM  16384


static int bench_http_head(bench_http_t *h);
static int bench_http_connect_as(int port, int type);
static int bench_http_socket(int port, int type, struct sockaddr_in *address);


int
bench_http_read(bench_http_t *h, int fd)
{
    ssize_t  n;

    for ( ;; ) {
        if (h->size - h->len < BENCH_HTTP_ROOM) {
            h->size = 2 * h->size + 2 * BENCH_HTTP_ROOM;
            h->data = realloc(h->data, h->size);

            if (h->data == NULL) {
                return -1;
            }
        }

        /* Leave room for a zero: callers read the head as a string. */

        n = recv(fd, h->data + h->len, h->size - h->len - 1, 0);

        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return 0;
        }

        if (n <= 0) {
            return -1;
        }

        h->len += (size_t) n;
        h->data[h->len] = '\0';

        if (h->head == 0 && bench_http_head(h) != 0) {
            return -1;
        }

        if (h->head == 0) {
            continue;
        }

        if (h->chunked) {
            if (h->len - h->head >= 5
                && memcmp(h->data + h->len - 5, "0\r\n\r\n", 5) == 0)
            {
                return 1;
            }

        } else if (h->len >= h->head + h->body) {
            return 1;
        }
    }
}


static int
bench_http_head(bench_http_t *h)
{
    char  *end, *field;

    end = memmem(h->data, h->len, "\r\n\r\n", 4);
    if (end == NULL) {
        return 0;
    }

    h->head = (size_t) (end - h->data) + 4;
    *end = '\0';

    if (strncmp(h->data, "HTTP/1.1 ", 9) == 0) {
        h->status = atoi(h->data + 9);
    }

    field = strcasestr(h->data, "\r\nContent-Length:");

    if (field != NULL) {
        h->body = strtoul(field + sizeof("\r\nContent-Length:") - 1, NULL, 10);

    } else if (strcasestr(h->data, "\r\nTransfer-Encoding: chunked") != NULL) {
        h->chunked = 1;
    }

    *end = '\r';

    return 0;
}


void
bench_http_reset(bench_http_t *h)
{
    h->len = 0;
    h->head = 0;
    h->body = 0;
    h->chunked = 0;
    h->status = 0;
}


int
bench_http_begins(const bench_http_t *h, const char *text)
{
    size_t  len;

    len = strlen(text);

    return h->len >= len && memcmp(h->data, text, len) == 0;
}


int
bench_http_contains(const bench_http_t *h, const char *text, size_t len)
{
    return memmem(h->data + h->head, h->len - h->head, text, len) != NULL;
}


static int
bench_http_socket(int port, int type, struct sockaddr_in *address)
{
    memset(address, 0, sizeof(struct sockaddr_in));

    address->sin_family = AF_INET;
    address->sin_port = htons((uint16_t) port);
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    return socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC|type, 0);
}


int
bench_http_connect(int port)
{
    return bench_http_connect_as(port, SOCK_NONBLOCK);
}


int
bench_http_connect_blocking(int port)
{
    return bench_http_connect_as(port, 0);
}


static int
bench_http_connect_as(int port, int type)
{
    int                 fd, on;
    struct sockaddr_in  address;

    on = 1;
    fd = bench_http_socket(port, type, &address);

    if (fd == -1
        || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(int)) != 0
        || (connect(fd, (struct sockaddr *) &address, sizeof(address)) != 0
            && errno != EINPROGRESS))
    {
        return -1;
    }

    return fd;
}


int
bench_http_listen(int port)
{
    int                 fd, on;
    struct sockaddr_in  address;

    on = 1;
    fd = bench_http_socket(port, SOCK_NONBLOCK, &address);

    if (fd == -1
        || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(int)) != 0
        || bind(fd, (struct sockaddr *) &address, sizeof(address)) != 0
        || listen(fd, 511) != 0)
    {
        return -1;
    }

    return fd;
}


int
bench_event_add(int epoll, int fd, bench_event_t *event)
{
    struct epoll_event  ev;

    ev.events = EPOLLIN|EPOLLOUT|EPOLLET;
    ev.data.ptr = event;

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev);
}
