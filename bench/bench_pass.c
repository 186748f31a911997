/*
 * The client and the service of the benchmark of existing services.  In each
 * round every connection gets one file, or every stream gets a burst of events;
 * the next round begins when all have arrived.  It prints the worker's CPU for
 * a file or an event, in microseconds, and their number per second.
 *
 *   bench_pass PORT PID PATH TOKEN CONNECTIONS ROUNDS [SERVICE FRAME BURST]
 *
 * SERVICE is the port where the program listens as the service, FRAME a file
 * with a frame of agent-channel.  An answer that is not expected ends the
 * program with an error.
 */

#define _GNU_SOURCE

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench_clock.h"
#include "bench/bench_fail.h"
#include "bench/bench_http.h"


#define BENCH_FIRST  20                 /* rounds that are not measured */
#define BENCH_ROOM   (256 * 1024)
#define BENCH_ID     "\"frame_id\":\""


typedef struct {
    int      fd;                        /* of the client */
    int      service;                   /* of the service's end */
    size_t   expected;                  /* octets of an answer with a file */
    char     last;                      /* octet, for an event's end */
} bench_pass_t;


static char      room[BENCH_ROOM];
static char     *burst;
static size_t    burst_len;
static size_t    event_len;             /* octets of one event of a burst */
static size_t    event_id;              /* of the frame's id in an event */
static int       bursts;                /* events in a burst; 0: files */
static unsigned  number;


static void
bench_write(int fd, const char *p, size_t len)
{
    ssize_t  n;

    for ( ; len > 0; p += n, len -= (size_t) n) {
        n = write(fd, p, len);

        if (n <= 0) {
            bench_fail("write");
        }
    }
}


static size_t
bench_read(int fd, char *p, size_t size)
{
    ssize_t  n;

    n = read(fd, p, size);

    if (n == 0) {
        bench_wrong("a connection ended");
    }

    if (n == -1) {
        bench_fail("read");
    }

    return (size_t) n;
}


/* Reads a head of HTTP into the room.  Returns the octets that were read. */

static size_t
bench_read_head(int fd)
{
    size_t  len;

    len = 0;

    do {
        len += bench_read(fd, room + len, sizeof(room) - 1 - len);
        room[len] = '\0';
    } while (strstr(room, "\r\n\r\n") == NULL);

    return len;
}


/* Makes a burst of events with one frame. */

static void
bench_make_burst(const char *path)
{
    int    i;
    FILE  *in;
    char   frame[8192], *event, *id;
    size_t len;

    in = fopen(path, "r");

    if (in == NULL) {
        bench_fail(path);
    }

    len = fread(frame, 1, sizeof(frame) - 1, in);
    frame[len] = '\0';
    fclose(in);

    if (asprintf(&event, "id: %012d\ndata: %s\n\n", 0, frame) < 0) {
        bench_fail("memory");
    }

    event_len = strlen(event);
    id = strstr(event, BENCH_ID);
    burst_len = event_len * (size_t) bursts;
    burst = malloc(burst_len);

    if (id == NULL || burst == NULL || burst_len > sizeof(room)) {
        bench_wrong("a frame without an id, or a burst that is too long");
    }

    event_id = (size_t) (id - event) + sizeof(BENCH_ID) - 1 + 24;

    for (i = 0; i < bursts; i++) {
        memcpy(burst + (size_t) i * event_len, event, event_len);
    }

    free(event);
}


/* Gives each event of the burst its own id, and its frame, too. */

static void
bench_stamp_burst(void)
{
    int    i;
    char   digits[13], *event;

    for (i = 0; i < bursts; i++) {
        event = burst + (size_t) i * event_len;
        snprintf(digits, sizeof(digits), "%012u", ++number);
        memcpy(event + 4, digits, 12);
        memcpy(event + event_id, digits, 12);
    }
}


/* Reads until a number of events has arrived: each ends with an empty line,
   which chunks do not have. */

static void
bench_read_events(bench_pass_t *c, int n)
{
    size_t  i, len;

    while (n > 0) {
        len = bench_read(c->fd, room, sizeof(room));

        for (i = 0; i < len; i++) {
            n -= room[i] == '\n' && c->last == '\n';
            c->last = room[i];
        }
    }

    if (n < 0 || memmem(room, len, "event: error", 12) != NULL) {
        bench_wrong("other events than the service sent");
    }
}


static void
bench_open(bench_pass_t *c, int port, int listener, const char *request)
{
    int          on = 1;
    size_t       len;
    const char  *text;

    static const char  head[] = "HTTP/1.1 200 OK\r\n"
                                "Content-Type: text/event-stream\r\n"
                                "Connection: close\r\n\r\n"
                                ": open\n\n";

    c->fd = bench_http_connect_blocking(port);

    if (c->fd == -1) {
        bench_fail("connect");
    }

    bench_write(c->fd, request, strlen(request));

    if (bursts > 0) {
        c->service = accept(listener, NULL, NULL);

        if (c->service == -1
            || setsockopt(c->service, IPPROTO_TCP, TCP_NODELAY, &on,
                          sizeof(on)) != 0)
        {
            bench_fail("accept");
        }

        (void) bench_read_head(c->service);
        bench_write(c->service, head, sizeof(head) - 1);
    }

    len = bench_read_head(c->fd);

    if (strncmp(room, "HTTP/1.1 200 ", 13) != 0) {
        bench_wrong(room);
    }

    if (bursts > 0) {

        while (memmem(room, len, "\n\n", 2) == NULL) {
            len += bench_read(c->fd, room + len, sizeof(room) - len);
        }

        return;
    }

    text = strcasestr(room, "\r\nContent-Length: ");

    if (text == NULL) {
        bench_wrong("a file has no length");
    }

    c->expected = (size_t) (strstr(room, "\r\n\r\n") + 4 - room)
                  + strtoul(text + 18, NULL, 10);

    while (len < c->expected) {
        len += bench_read(c->fd, room, sizeof(room));
    }
}


static void
bench_round(bench_pass_t *all, size_t n, const char *request)
{
    size_t         len;
    bench_pass_t  *c;

    for (c = all; c < all + n; c++) {

        if (bursts > 0) {
            bench_stamp_burst();
            bench_write(c->service, burst, burst_len);

        } else {
            bench_write(c->fd, request, strlen(request));
        }
    }

    for (c = all; c < all + n; c++) {

        if (bursts > 0) {
            bench_read_events(c, bursts);
            continue;
        }

        for (len = 0; len < c->expected; /* void */ ) {
            len += bench_read(c->fd, room, sizeof(room));
        }

        if (len != c->expected || strncmp(room, "HTTP/1.1 200 ", 13) != 0) {
            bench_wrong("another answer than the first");
        }
    }
}


int
main(int argc, char **argv)
{
    int            pid, listener;
    char          *request;
    size_t         i, n, rounds;
    double         count;
    int64_t        cpu, begun;
    bench_pass_t  *all;

    if (argc != 7 && argc != 10) {
        fprintf(stderr, "usage: bench_pass PORT PID PATH TOKEN CONNECTIONS "
                "ROUNDS [SERVICE FRAME BURST]\n");
        return 2;
    }

    pid = atoi(argv[2]);
    n = strtoul(argv[5], NULL, 10);
    rounds = strtoul(argv[6], NULL, 10);
    listener = -1;

    if (argc == 10) {
        bursts = atoi(argv[9]);
        bench_make_burst(argv[8]);
        listener = bench_http_listen(atoi(argv[7]));

        if (listener == -1 || fcntl(listener, F_SETFL, 0) == -1) {
            bench_fail("listen");
        }
    }

    all = calloc(n, sizeof(bench_pass_t));

    if (all == NULL
        || asprintf(&request, "GET %s HTTP/1.1\r\nHost: gateway.example\r\n"
                    "User-Agent: bench\r\nAuthorization: Bearer %s\r\n\r\n",
                    argv[3], argv[4]) < 0)
    {
        bench_fail("memory");
    }

    for (i = 0; i < n; i++) {
        bench_open(&all[i], atoi(argv[1]), listener, request);
    }

    for (i = 0; i < (pid ? BENCH_FIRST : 0); i++) {
        bench_round(all, n, request);
    }

    begun = bench_now();
    cpu = bench_cpu(pid);

    for (i = 0; i < rounds; i++) {
        bench_round(all, n, request);
    }

    cpu = bench_cpu(pid) - cpu;
    count = (double) (n * rounds) * (bursts ? bursts : 1);

    printf("cpu=%.3f rate=%.1f\n", (double) cpu / 1000 / count,
           count * 1e9 / (double) (bench_now() - begun));

    return 0;
}
