/*
 * The client of the benchmark of streams.  In one loop, it opens subscribers to
 * a gateway, publishes messages over one more connection, checks the messages
 * of each subscriber, and prints one line of figures.
 *
 * A message's number is in its id, so that lost, repeated and reordered
 * messages are detected.  A fan-out lasts from the POST until the last
 * subscriber has the message.
 *
 * With a rate, messages are due at fixed times.  A burst is sent at once, when
 * all messages of the previous one have arrived.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "bench/bench_clock.h"
#include "bench/bench_fail.h"
#include "bench/bench_http.h"
#include "bench/bench_listener.h"
#include "bench/bench_probe.h"
#include "bench/bench_publisher.h"
#include "bench/bench_request.h"
#include "bench/bench_workers.h"


#define BENCH_OPENING   128     /* connections that are opened simultaneously */
#define BENCH_FIRST     4       /* messages that are not measured */
#define BENCH_UNHEARD   4       /* messages before the first subscriber, which
                                   are not measured */

#define BENCH_SECOND    ((int64_t) 1000000000)
#define BENCH_IDLE      (2 * BENCH_SECOND)      /* time before memory is
                                                   measured */
#define BENCH_PATIENCE  (20 * BENCH_SECOND)     /* maximum time without an
                                                   event */
#define BENCH_AFTER     (BENCH_SECOND / 2)      /* time to detect repeated
                                                   messages */

#define BENCH_PROBED    "/mark"

#define BENCH_USAGE                                                           \
    "usage: bench_stream [option...]\n"                                       \
    "  -p PORT      of the gateway\n"                                         \
    "  -s FILE      subscribers, used in turn: each line a path and the\n"    \
    "               header lines of its request, separated by tabs\n"         \
    "  -u FILE      as -s, one line for the publisher\n"                      \
    "  -b FILE      the message; its frame_id and created_at are replaced\n"  \
    "  -n N         subscribers (default 1000)\n"                             \
    "  -m N         messages (default 100)\n"                                 \
    "  -r RATE      messages per second; or\n"                                \
    "  -B N         messages of a burst\n"                                    \
    "  -P PID       of a worker whose memory and CPU are measured; may be\n"  \
    "               repeated\n"                                               \
    "  -w           wait for events instead of polling\n"


typedef struct {
    int64_t    sent;
    int64_t    took;        /* ns until the last subscriber had it; 0: not
                               yet */
    size_t     left;        /* subscribers without it */
} bench_fanout_t;


static struct {
    int                port;
    const char        *listeners_path;
    const char        *publisher_path;
    const char        *body_path;
    size_t             nlisteners;
    size_t             nmessages;       /* including those that are not
                                           measured */
    double             rate;
    size_t             burst;
    int                waits;

    int                epoll;
    bench_request_t   *requests;
    size_t             nrequests;
    bench_listener_t  *listeners;
    size_t             begun;           /* connections */
    size_t             open;

    bench_publisher_t  publisher;

    bench_fanout_t    *fanouts;
    size_t             sent;            /* messages */
    size_t             done;            /* messages that all subscribers have */
    int64_t            start;           /* start of the measurement */
    int64_t            end;
    int64_t            delivering;      /* ns of bursts */
    int64_t            burst_at;
    int64_t            seen;            /* time of the last event */
    uint64_t           twice;
    uint64_t           misplaced;
    uint64_t           delivered;
} bench;


static void bench_options(int argc, char **argv);
static void bench_prepare(void);
static void bench_files_limit(void);
static void bench_open(void);
static void bench_subscribe(bench_listener_t *l, const bench_request_t *r);
static void bench_listener_handler(bench_event_t *event, uint32_t events);
static void bench_refused(const bench_listener_t *l);
static void bench_got(bench_listener_t *l, const char *data, size_t len);
static void bench_fanned_out(bench_fanout_t *f);
static void bench_next(void);
static void bench_first(void);
static void bench_measure(void);
static size_t bench_due(int64_t now);
static void bench_turn(int timeout);
static void bench_rest(int64_t ns);
static void bench_print(const bench_memory_t *before,
    const bench_memory_t *after, double opened, int64_t cpu,
    const bench_probed_t *probed);
static int bench_compare(const void *one, const void *two);


int
main(int argc, char **argv)
{
    int64_t         cpu, start;
    double          opened;
    bench_memory_t  before, after;
    bench_probed_t  probed;

    bench_options(argc, argv);
    bench_prepare();

    bench_rest(BENCH_IDLE);
    bench_workers_memory(&before);

    start = bench_now();
    bench_open();
    opened = (double) (bench_now() - start) / 1e9;

    bench_rest(BENCH_IDLE);
    bench_workers_memory(&after);

    bench_first();

    bench_probe_begin(bench.port, BENCH_PROBED);

    cpu = bench_workers_cpu();
    bench_measure();
    cpu = bench_workers_cpu() - cpu;

    bench_probe_end(&probed);

    bench_rest(BENCH_AFTER);
    bench_print(&before, &after, opened, cpu, &probed);

    return 0;
}


static void
bench_options(int argc, char **argv)
{
    int  c;

    bench.nlisteners = 1000;
    bench.nmessages = 100;

    while ((c = getopt(argc, argv, "p:s:u:b:n:m:r:B:P:w")) != -1) {
        switch (c) {

        case 'p':
            bench.port = atoi(optarg);
            break;

        case 's':
            bench.listeners_path = optarg;
            break;

        case 'u':
            bench.publisher_path = optarg;
            break;

        case 'b':
            bench.body_path = optarg;
            break;

        case 'n':
            bench.nlisteners = strtoul(optarg, NULL, 10);
            break;

        case 'm':
            bench.nmessages = strtoul(optarg, NULL, 10);
            break;

        case 'r':
            bench.rate = atof(optarg);
            break;

        case 'B':
            bench.burst = strtoul(optarg, NULL, 10);
            break;

        case 'P':
            bench_workers_add(atoi(optarg));
            break;

        case 'w':
            bench.waits = 1;
            break;

        default:
            fprintf(stderr, BENCH_USAGE);
            exit(2);
        }
    }

    if (bench.port == 0 || bench.listeners_path == NULL
        || bench.publisher_path == NULL || bench.body_path == NULL
        || bench.nlisteners == 0 || bench.nmessages == 0
        || (bench.rate > 0) == (bench.burst > 0))
    {
        fprintf(stderr, BENCH_USAGE);
        exit(2);
    }

    bench.nmessages += BENCH_FIRST;
}


static void
bench_prepare(void)
{
    size_t            i, n;
    bench_request_t  *r;

    bench_files_limit();

    bench.requests = bench_requests(bench.listeners_path, "GET",
                                    "Accept: text/event-stream\r\n",
                                    &bench.nrequests);
    r = bench_requests(bench.publisher_path, "POST", "", &n);

    bench.epoll = epoll_create1(EPOLL_CLOEXEC);
    bench.listeners = calloc(bench.nlisteners, sizeof(bench_listener_t));
    bench.fanouts = calloc(bench.nmessages, sizeof(bench_fanout_t));

    if (bench.epoll == -1 || bench.listeners == NULL || bench.fanouts == NULL)
    {
        bench_fail("memory");
    }

    for (i = 0; i < bench.nmessages; i++) {
        bench.fanouts[i].left = bench.nlisteners;
    }

    bench_publisher_open(&bench.publisher, bench.epoll, bench.port, r,
                         bench.body_path);

    /*
     * The memory that only the first messages need does not belong to
     * subscribers.
     */

    for (i = 0; i < BENCH_UNHEARD; i++) {
        bench_publish(&bench.publisher, bench.nmessages + i);

        while (bench.publisher.waits > 0) {
            bench_turn(100);
        }
    }
}


static void
bench_files_limit(void)
{
    struct rlimit  limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        bench_fail("limit of files");
    }

    limit.rlim_cur = limit.rlim_max;

    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        bench_fail("limit of files");
    }

    if (limit.rlim_cur < bench.nlisteners + 64) {
        bench_wrong("the limit of open files is below the subscribers");
    }
}


static void
bench_open(void)
{
    bench_listener_t  *l;

    bench.seen = bench_now();

    while (bench.open < bench.nlisteners) {

        while (bench.begun < bench.nlisteners
               && bench.begun - bench.open < BENCH_OPENING)
        {
            l = &bench.listeners[bench.begun];

            bench_subscribe(l, &bench.requests[bench.begun % bench.nrequests]);
            bench.begun++;
        }

        bench_turn(100);

        if (bench_now() - bench.seen > BENCH_PATIENCE) {
            bench_wrong("not every stream is opened");
        }
    }
}


static void
bench_subscribe(bench_listener_t *l, const bench_request_t *r)
{
    l->event.handler = bench_listener_handler;
    l->ctx = (void *) r;
    l->fd = bench_http_connect(bench.port);
    l->got = calloc(1, bench.nmessages / 8 + 1);

    if (l->fd == -1 || l->got == NULL
        || bench_event_add(bench.epoll, l->fd, &l->event) != 0)
    {
        bench_fail("connect");
    }
}


static void
bench_listener_handler(bench_event_t *event, uint32_t events)
{
    int                     was;
    bench_listener_t       *l;
    const bench_request_t  *r;

    l = (bench_listener_t *) event;
    r = l->ctx;

    if (r != NULL && (events & EPOLLOUT)) {
        if (send(l->fd, r->head, r->len, MSG_NOSIGNAL|MSG_MORE)
            != (ssize_t) r->len
            || send(l->fd, "\r\n", 2, MSG_NOSIGNAL) != 2)
        {
            bench_fail("send");
        }

        l->ctx = NULL;
    }

    if (!(events & ~(uint32_t) EPOLLOUT)) {
        return;
    }

    was = l->status;

    if (bench_listener_read(l, bench_got) != 0) {
        bench_refused(l);
    }

    if (was == 0 && l->status != 0) {
        bench.open++;
        bench.seen = bench_now();
    }
}


static void
bench_refused(const bench_listener_t *l)
{
    fprintf(stderr, "bench_stream: stream %zu of %zu ended after %zu "
            "messages, status %d\n", (size_t) (l - bench.listeners) + 1,
            bench.nlisteners, l->last, l->status);
    exit(1);
}


static void
bench_got(bench_listener_t *l, const char *data, size_t len)
{
    int             rc;
    size_t          number;
    unsigned char   bit;

    rc = bench_published(&bench.publisher, data, len, &number);

    if (rc == 0) {
        return;
    }

    if (rc == -1 || number >= bench.sent) {
        bench_wrong("a message arrived that was not sent");
    }

    bit = (unsigned char) (1u << number % 8);

    if (l->got[number / 8] & bit) {
        bench.twice++;
        return;
    }

    if (l->last > number) {
        bench.misplaced++;
    }

    l->got[number / 8] |= bit;
    l->last = number + 1;
    bench.delivered++;

    if (--bench.fanouts[number].left == 0) {
        bench_fanned_out(&bench.fanouts[number]);
    }
}


static void
bench_fanned_out(bench_fanout_t *f)
{
    int64_t  now;

    now = bench_now();

    f->took = now - f->sent;
    bench.done++;
    bench.end = now;
    bench.seen = now;
}


static void
bench_next(void)
{
    bench.seen = bench_now();
    bench.fanouts[bench.sent].sent = bench.seen;

    bench_publish(&bench.publisher, bench.sent++);
}


/* Sends the first messages, which allocate more than later ones. */

static void
bench_first(void)
{
    while (bench.sent < BENCH_FIRST) {
        bench_next();

        while (bench.publisher.waits > 0 || bench.done < bench.sent) {
            bench_turn(100);

            if (bench_now() - bench.seen > BENCH_PATIENCE) {
                bench_wrong("a subscriber lacks the first messages");
            }
        }
    }
}


/*
 * Sends the messages.  Ends when all subscribers have all messages, or after a
 * time without events.
 */

static void
bench_measure(void)
{
    size_t   n;
    int64_t  now;

    bench.start = bench_now();
    bench.end = bench.start;
    bench.delivered = 0;

    while (bench.done < bench.nmessages || bench.publisher.waits > 0) {
        now = bench_now();

        if (now - bench.seen > BENCH_PATIENCE) {
            break;
        }

        for (n = bench_due(now); n > 0 && bench.sent < bench.nmessages; n--) {
            bench_next();
        }

        bench_turn(bench.waits ? 1 : 0);
    }

    if (bench.burst > 0) {
        bench.delivering += bench.end - bench.burst_at;

    } else {
        bench.delivering = bench.end - bench.start;
    }
}


/* Returns the number of messages that are due. */

static size_t
bench_due(int64_t now)
{
    size_t   n;
    int64_t  due;

    n = bench.sent - BENCH_FIRST;

    if (bench.sent == bench.nmessages || bench.publisher.waits > 0) {
        return 0;
    }

    if (bench.burst == 0) {
        due = bench.start + (int64_t) ((double) n / bench.rate * 1e9);

        return now >= due ? 1 : 0;
    }

    if (bench.done < bench.sent) {
        return 0;
    }

    if (n > 0) {
        bench.delivering += bench.end - bench.burst_at;
    }

    bench.burst_at = now;

    return bench.burst;
}


static void
bench_turn(int timeout)
{
    int                 i, n;
    bench_event_t      *event;
    struct epoll_event  events[256];

    n = epoll_wait(bench.epoll, events, 256, timeout);

    if (n == -1 && errno != EINTR) {
        bench_fail("epoll");
    }

    for (i = 0; i < n; i++) {
        event = events[i].data.ptr;
        event->handler(event, events[i].events);
    }
}


static void
bench_rest(int64_t ns)
{
    int64_t  until;

    until = bench_now() + ns;

    while (bench_now() < until) {
        bench_turn(10);
    }
}


static void
bench_print(const bench_memory_t *before, const bench_memory_t *after,
    double opened, int64_t cpu, const bench_probed_t *probed)
{
    size_t           i, n;
    double           subscribers, seconds;
    uint64_t         lost;
    bench_fanout_t  *f;

    lost = 0;
    n = 0;
    f = bench.fanouts + BENCH_FIRST;

    for (i = BENCH_FIRST; i < bench.sent; i++) {
        lost += bench.fanouts[i].left;

        if (bench.fanouts[i].left == 0) {
            f[n++].took = bench.fanouts[i].took;
        }
    }

    if (n == 0) {
        bench_wrong("no message reached all subscribers");
    }

    qsort(f, n, sizeof(bench_fanout_t), bench_compare);

    subscribers = (double) bench.nlisteners;
    seconds = (double) bench.delivering / 1e9;

    printf("subscribers=%zu messages=%zu size=%zu opened=%.3f seconds=%.6f "
           "deliveries=%llu rate=%.1f p50=%.1f p99=%.1f max=%.1f cpu=%.4f "
           "lost=%llu twice=%llu misplaced=%llu rss=%.0f own=%.0f "
           "waited=%.1f waited_p99=%.1f turn=%.1f turn_p99=%.1f\n",
           bench.nlisteners, bench.nmessages - BENCH_FIRST,
           bench.publisher.len,
           opened, seconds, (unsigned long long) bench.delivered,
           (double) bench.delivered / seconds, (double) f[n / 2].took / 1e3,
           (double) f[n - n / 100 - 1].took / 1e3,
           (double) f[n - 1].took / 1e3,
           (double) cpu / 1e3 / (double) bench.delivered,
           (unsigned long long) lost, (unsigned long long) bench.twice,
           (unsigned long long) bench.misplaced,
           (after->all - before->all) / subscribers,
           (after->own - before->own) / subscribers,
           probed->waited / 1e3, probed->waited_p99 / 1e3, probed->cpu / 1e3,
           probed->cpu_p99 / 1e3);
}


static int
bench_compare(const void *one, const void *two)
{
    int64_t  a, b;

    a = ((const bench_fanout_t *) one)->took;
    b = ((const bench_fanout_t *) two)->took;

    return a < b ? -1 : a > b;
}
