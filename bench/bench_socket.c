/*
 * The client of the WebSocket benchmark.  On one connection, it sends each
 * message after the answer to the previous one.  It prints the median and the
 * 99th percentile of the round trip, in microseconds.
 *
 *   bench_socket PORT PATH TOKEN MESSAGES
 */

#define _GNU_SOURCE

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench_clock.h"
#include "bench/bench_fail.h"


#define BENCH_FIRST   200           /* messages that are not measured */
#define BENCH_ANSWER  4096

#define BENCH_ACCEPTED  "{\"status\":\"accepted\",\"message_id\":\""


static int      fd;
static char     in[BENCH_ANSWER];
static size_t   in_len;


static void
connect_to(int port)
{
    int                 on = 1;
    struct sockaddr_in  address;

    memset(&address, 0, sizeof(address));

    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t) port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd == -1
        || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0
        || connect(fd, (struct sockaddr *) &address, sizeof(address)) != 0)
    {
        bench_fail("connect");
    }
}


static void
send_all(const char *p, size_t len)
{
    ssize_t  n;

    for ( ; len > 0; p += n, len -= (size_t) n) {
        n = write(fd, p, len);

        if (n <= 0) {
            bench_fail("write");
        }
    }
}


static void
receive(void)
{
    ssize_t  n;

    n = read(fd, in + in_len, sizeof(in) - 1 - in_len);

    if (n <= 0) {
        bench_fail("read");
    }

    in_len += (size_t) n;
    in[in_len] = '\0';
}


static void
drop(size_t n)
{
    memmove(in, in + n, in_len - n);
    in_len -= n;
    in[in_len] = '\0';
}


static void
open_socket(int port, const char *path, const char *token)
{
    char  *request, *end;

    if (asprintf(&request, "GET %s HTTP/1.1\r\nHost: localhost\r\n"
                 "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                 "Authorization: Bearer %s\r\n\r\n", path, token)
        < 0)
    {
        bench_fail("asprintf");
    }

    connect_to(port);
    send_all(request, strlen(request));
    free(request);

    do {
        receive();
        end = strstr(in, "\r\n\r\n");
    } while (end == NULL);

    if (strncmp(in, "HTTP/1.1 101 ", 13) != 0) {
        bench_wrong("no WebSocket was opened");
    }

    drop((size_t) (end + 4 - in));
}


/* Makes a masked message with its own id, a UUID of version 7. */

static size_t
message(char *out, size_t size, unsigned number, char *id)
{
    int              n;
    char             when[32], *p;
    size_t           i, len;
    uint64_t         ms;
    struct timespec  now;
    static char      text[1024];

    static const char  mask[4] = { 0x37, 0x1a, 0x21, 0x3d };

    clock_gettime(CLOCK_REALTIME, &now);

    ms = (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;

    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now.tv_sec));

    sprintf(id, "%08x-%04x-7%03x-8%03x-%012x", (unsigned) (ms >> 16),
            (unsigned) (ms & 0xffff), (unsigned) getpid() & 0xfff,
            number >> 20, number);

    n = snprintf(text, sizeof(text), "{\"vcp_message\":\"1.2\",\"type\":"
                 "\"context_share\",\"message_id\":\"%s\",\"sender\":"
                 "\"agent://bench.example/herald\",\"recipient\":"
                 "\"agent://bench.example/h1\",\"timestamp\":\"%s\","
                 "\"payload\":{\"context\":\"ctx|bench|the disk is full, and "
                 "what is written to it is lost\",\"constitution_ref\":"
                 "\"creed://creed.space/family.safe@1.2.0\"}}", id, when);

    len = (size_t) n;

    if (n < 126 || len + 8 > size) {
        bench_wrong("a message has a wrong length");
    }

    p = out;
    *p++ = (char) 0x81;
    *p++ = (char) (0x80 | 126);
    *p++ = (char) (len >> 8);
    *p++ = (char) len;
    memcpy(p, mask, 4);
    p += 4;

    for (i = 0; i < len; i++) {
        *p++ = (char) (text[i] ^ mask[i % 4]);
    }

    return (size_t) (p - out);
}


/* Waits for the answer.  A ping is skipped: it belongs to the keepalive. */

static void
answered(const char *id)
{
    size_t  len;

    for ( ;; ) {

        while (in_len < 2 || in_len < 2 + (size_t) (in[1] & 0x7f)) {
            receive();
        }

        len = 2 + (size_t) (in[1] & 0x7f);

        if ((in[0] & 0x0f) == 0x09) {
            drop(len);
            continue;
        }

        if (in[0] != (char) 0x81 || (in[1] & 0x7f) >= 126
            || memcmp(in + 2, BENCH_ACCEPTED, sizeof(BENCH_ACCEPTED) - 1) != 0
            || memcmp(in + 2 + sizeof(BENCH_ACCEPTED) - 1, id, 36) != 0)
        {
            bench_wrong("a message is not accepted");
        }

        drop(len);
        return;
    }
}


static int
compare(const void *a, const void *b)
{
    int64_t  x = *(const int64_t *) a, y = *(const int64_t *) b;

    return x < y ? -1 : x > y;
}


int
main(int argc, char **argv)
{
    char      out[1024], id[40];
    size_t    len;
    int64_t   begun, *took;
    unsigned  i, n;

    if (argc != 5) {
        fprintf(stderr, "usage: bench_socket PORT PATH TOKEN MESSAGES\n");
        return 2;
    }

    n = (unsigned) atoi(argv[4]);
    took = calloc(n + 1, sizeof(int64_t));

    if (took == NULL || n == 0) {
        bench_wrong("no messages");
    }

    open_socket(atoi(argv[1]), argv[2], argv[3]);

    for (i = 0; i < BENCH_FIRST + n; i++) {
        len = message(out, sizeof(out), i, id);
        begun = bench_now();

        send_all(out, len);
        answered(id);

        if (i >= BENCH_FIRST) {
            took[i - BENCH_FIRST] = bench_now() - begun;
        }
    }

    qsort(took, n, sizeof(int64_t), compare);

    printf("p50=%.2f p99=%.2f\n", (double) took[n / 2] / 1000,
           (double) took[(size_t) n * 99 / 100] / 1000);

    free(took);
    close(fd);

    return 0;
}
