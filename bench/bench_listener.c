#define _GNU_SOURCE

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bench/bench_listener.h"


#define BENCH_LISTENER_REST  (16 * 1024)    /* maximum octets of a line */
#define BENCH_LISTENER_READ  (256 * 1024)


/* positions in a chunk */
enum {
    BENCH_CHUNK_SIZE = 0,
    BENCH_CHUNK_DATA,
    BENCH_CHUNK_END
};


static int bench_listener_head(bench_listener_t *l, char *data, size_t *len);
static int bench_listener_body(bench_listener_t *l, char *data, size_t *len);
static int bench_listener_size(bench_listener_t *l, char c);
static int bench_listener_lines(bench_listener_t *l, char *data, size_t len,
    bench_data_pt handler);
static int bench_listener_keep(bench_listener_t *l, const char *data,
    size_t len);


/* One buffer is enough: a listener keeps only a part of a line. */

static char  bench_room[BENCH_LISTENER_REST + BENCH_LISTENER_READ];


int
bench_listener_read(bench_listener_t *l, bench_data_pt handler)
{
    int      rc;
    size_t   len, came;
    ssize_t  n;

    do {
        if (l->rest_len > 0) {
            memcpy(bench_room, l->rest, l->rest_len);
        }

        n = recv(l->fd, bench_room + l->rest_len, BENCH_LISTENER_READ, 0);

        if (n < 0 && (errno == EAGAIN || errno == EINTR
                      || errno == ENOTCONN))
        {
            return 0;
        }

        if (n <= 0) {
            return -1;
        }

        came = (size_t) n;
        len = came;

        if (l->status == 0) {
            len += l->rest_len;
            l->rest_len = 0;
            rc = bench_listener_head(l, bench_room, &len);

        } else {
            rc = bench_listener_body(l, bench_room + l->rest_len, &len);
            len += l->rest_len;
        }

        if (rc != 0 || bench_listener_lines(l, bench_room, len, handler) != 0)
        {
            return -1;
        }

    } while (came == BENCH_LISTENER_READ);

    return 0;
}


/* Reads the head, and removes it from data if it is complete. */

static int
bench_listener_head(bench_listener_t *l, char *data, size_t *len)
{
    char  *end;

    end = memmem(data, *len, "\r\n\r\n", 4);

    if (end == NULL) {
        return 0;
    }

    *end = '\0';

    l->status = strncmp(data, "HTTP/1.1 ", 9) == 0 ? atoi(data + 9) : -1;
    l->chunked = strcasestr(data, "\r\nTransfer-Encoding: chunked") != NULL;

    if (l->status != 200) {
        return -1;
    }

    *len -= (size_t) (end - data) + 4;
    memmove(data, end + 4, *len);

    return bench_listener_body(l, data, len);
}


/* Removes the chunk sizes. */

static int
bench_listener_body(bench_listener_t *l, char *data, size_t *len)
{
    char    *p, *end, *out;
    size_t   n;

    if (!l->chunked) {
        return 0;
    }

    end = data + *len;
    out = data;

    for (p = data; p < end; /* void */ ) {

        if (l->place != BENCH_CHUNK_DATA) {
            if (bench_listener_size(l, *p++) != 0) {
                return -1;
            }

            continue;
        }

        n = (size_t) (end - p);

        if (n > l->chunk) {
            n = l->chunk;
        }

        memmove(out, p, n);

        p += n;
        out += n;
        l->chunk -= n;

        if (l->chunk == 0) {
            l->place = BENCH_CHUNK_END;
        }
    }

    *len = (size_t) (out - data);

    return 0;
}


/* Reads an octet between chunks.  Returns -1 at the end of the stream. */

static int
bench_listener_size(bench_listener_t *l, char c)
{
    int  digit;

    if (l->place == BENCH_CHUNK_END) {
        if (c == '\n') {
            l->place = BENCH_CHUNK_SIZE;
        }

        return 0;
    }

    if (c == '\n') {
        l->place = BENCH_CHUNK_DATA;
        return l->chunk == 0 ? -1 : 0;
    }

    if (c == '\r') {
        return 0;
    }

    digit = c >= '0' && c <= '9' ? c - '0'
            : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
            : -1;

    if (digit == -1) {
        return -1;
    }

    l->chunk = l->chunk * 16 + (size_t) digit;

    return 0;
}


static int
bench_listener_lines(bench_listener_t *l, char *data, size_t len,
    bench_data_pt handler)
{
    char  *p, *end, *last;

    if (l->status == 0) {
        return bench_listener_keep(l, data, len);
    }

    last = data + len;

    for (p = data; p < last; p = end + 1) {
        end = memchr(p, '\n', (size_t) (last - p));

        if (end == NULL) {
            break;
        }

        if (end - p >= 5 && memcmp(p, "data:", 5) == 0) {
            handler(l, p + 5, (size_t) (end - p) - 5);
        }
    }

    return bench_listener_keep(l, p, (size_t) (last - p));
}


static int
bench_listener_keep(bench_listener_t *l, const char *data, size_t len)
{
    char  *rest;

    if (len > BENCH_LISTENER_REST) {
        return -1;
    }

    if (len == 0) {
        free(l->rest);
        rest = NULL;

    } else {
        rest = realloc(l->rest, len);

        if (rest == NULL) {
            return -1;
        }

        memcpy(rest, data, len);
    }

    l->rest = rest;
    l->rest_len = len;

    return 0;
}
