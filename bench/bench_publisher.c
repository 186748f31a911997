#define _GNU_SOURCE

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

#include "bench/bench_fail.h"
#include "bench/bench_publisher.h"


#define BENCH_ID_LEN       36
#define BENCH_ID_SAME      24       /* octets that all ids of a run share */
#define BENCH_TIME_LEN     24
#define BENCH_ANSWER_ROOM  65536

#define BENCH_ID_MEMBER    "\"frame_id\":\""
#define BENCH_TIME_MEMBER  "\"created_at\":\""


static char *bench_publisher_member(char *body, const char *name, size_t len);
static void bench_publisher_id(bench_publisher_t *p);
static void bench_publisher_stamp(bench_publisher_t *p, size_t number);
static void bench_publisher_handler(bench_event_t *event, uint32_t events);
static void bench_publisher_send(bench_publisher_t *p);
static void bench_publisher_receive(bench_publisher_t *p);
static size_t bench_publisher_answer(bench_publisher_t *p);


void
bench_publisher_open(bench_publisher_t *p, int epoll, int port,
    const bench_request_t *r, const char *body_path)
{
    int      n;
    char    *body;
    size_t   len;

    body = bench_slurp(body_path, &len);

    n = asprintf(&p->message, "%sContent-Type: application/json\r\n"
                 "Content-Length: %zu\r\n\r\n%s", r->head, len, body);

    p->in = malloc(BENCH_ANSWER_ROOM);

    if (n < 0 || p->in == NULL) {
        bench_fail("memory");
    }

    p->len = (size_t) n;

    free(body);
    body = p->message + p->len - len;

    p->id = bench_publisher_member(body, BENCH_ID_MEMBER, BENCH_ID_LEN);
    p->time = bench_publisher_member(body, BENCH_TIME_MEMBER, BENCH_TIME_LEN);

    bench_publisher_id(p);

    p->event.handler = bench_publisher_handler;
    p->fd = bench_http_connect(port);

    if (p->fd == -1 || bench_event_add(epoll, p->fd, &p->event) != 0) {
        bench_fail("connect");
    }
}


static char *
bench_publisher_member(char *body, const char *name, size_t len)
{
    char  *value;

    value = strstr(body, name);

    if (value == NULL || strlen(value) <= strlen(name) + len
        || value[strlen(name) + len] != '"')
    {
        bench_wrong("the message has no frame_id or no created_at, or one of "
                    "another length");
    }

    return value + strlen(name);
}


/* Makes a UUID of version 4 with a number as its last part. */

static void
bench_publisher_id(bench_publisher_t *p)
{
    char           text[BENCH_ID_SAME + 1];
    unsigned char  r[10];

    if (getrandom(r, sizeof(r), 0) != sizeof(r)) {
        bench_fail("getrandom");
    }

    (void) snprintf(text, sizeof(text),
                    "%02x%02x%02x%02x-%02x%02x-4%x%02x-a%x%02x-", r[0], r[1],
                    r[2], r[3], r[4], r[5], r[6] & 15, r[7], r[8] & 15, r[9]);

    memcpy(p->id, text, BENCH_ID_SAME);
}


void
bench_publish(bench_publisher_t *p, size_t number)
{
    if (p->out_size - p->out_len < p->len) {
        p->out_size = 2 * p->out_size + p->len;
        p->out = realloc(p->out, p->out_size);

        if (p->out == NULL) {
            bench_fail("memory");
        }
    }

    bench_publisher_stamp(p, number);

    memcpy(p->out + p->out_len, p->message, p->len);

    p->out_len += p->len;
    p->waits++;

    bench_publisher_send(p);
}


static void
bench_publisher_stamp(bench_publisher_t *p, size_t number)
{
    char             text[64];
    size_t           len;
    struct tm        tm;
    struct timespec  ts;

    (void) clock_gettime(CLOCK_REALTIME, &ts);
    (void) gmtime_r(&ts.tv_sec, &tm);

    len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    (void) snprintf(text + len, sizeof(text) - len, ".%03ldZ",
                    ts.tv_nsec / 1000000);

    memcpy(p->time, text, BENCH_TIME_LEN);

    (void) snprintf(text, sizeof(text), "%012zx", number);

    memcpy(p->id + BENCH_ID_SAME, text, BENCH_ID_LEN - BENCH_ID_SAME);
}


static void
bench_publisher_handler(bench_event_t *event, uint32_t events)
{
    bench_publisher_t  *p;

    p = (bench_publisher_t *) event;

    if (events & EPOLLOUT) {
        bench_publisher_send(p);
    }

    if (events & ~(uint32_t) EPOLLOUT) {
        bench_publisher_receive(p);
    }
}


static void
bench_publisher_send(bench_publisher_t *p)
{
    ssize_t  n;

    while (p->out_len > 0) {
        n = send(p->fd, p->out, p->out_len, MSG_NOSIGNAL);

        if (n < 0) {
            if (errno == EAGAIN || errno == EINTR || errno == ENOTCONN) {
                return;
            }

            bench_fail("publish");
        }

        p->out_len -= (size_t) n;
        memmove(p->out, p->out + n, p->out_len);
    }
}


static void
bench_publisher_receive(bench_publisher_t *p)
{
    size_t   len;
    ssize_t  n;

    for ( ;; ) {
        n = recv(p->fd, p->in + p->in_len, BENCH_ANSWER_ROOM - p->in_len - 1,
                 0);

        if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN))
        {
            return;
        }

        if (n <= 0) {
            bench_wrong("the gateway closed the publisher's connection");
        }

        p->in_len += (size_t) n;
        p->in[p->in_len] = '\0';

        while ((len = bench_publisher_answer(p)) > 0) {
            p->in_len -= len;
            memmove(p->in, p->in + len, p->in_len + 1);
            p->waits--;
        }
    }
}


/* Returns the octets of the first answer, or 0 if it is incomplete. */

static size_t
bench_publisher_answer(bench_publisher_t *p)
{
    char    *end, *field;
    size_t   len;

    end = strstr(p->in, "\r\n\r\n");

    if (end == NULL) {
        return 0;
    }

    field = strcasestr(p->in, "\r\nContent-Length:");

    if (strncmp(p->in, "HTTP/1.1 2", 10) != 0 || p->waits == 0
        || field == NULL || field > end)
    {
        fprintf(stderr, "bench: a message was answered:\n%s\n", p->in);
        exit(1);
    }

    len = (size_t) (end - p->in) + 4
          + strtoul(field + sizeof("\r\nContent-Length:") - 1, NULL, 10);

    return len <= p->in_len ? len : 0;
}


int
bench_published(const bench_publisher_t *p, const char *data, size_t len,
    size_t *ret)
{
    char  *id, *end;

    id = memmem(data, len, BENCH_ID_MEMBER, sizeof(BENCH_ID_MEMBER) - 1);

    if (id == NULL) {
        return 0;
    }

    id += sizeof(BENCH_ID_MEMBER) - 1;

    if ((size_t) (data + len - id) < BENCH_ID_LEN
        || memcmp(id, p->id, BENCH_ID_SAME) != 0)
    {
        return -1;
    }

    *ret = strtoul(id + BENCH_ID_SAME, &end, 16);

    return end == id + BENCH_ID_LEN ? 1 : -1;
}
