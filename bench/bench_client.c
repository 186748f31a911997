/*
 * The client of the benchmarks, and the service behind the gateway, in one
 * loop.  It sends messages with fresh ids over persistent connections, checks
 * every answer, and prints one line of figures.
 *
 * Closed loop: each connection sends when it has its answer.  With a rate:
 * requests are due at fixed times, and latency counts from the due time, even
 * if the gateway falls behind.
 *
 * The loop never sleeps.  Otherwise the gateway would have to wake it on
 * another core, and a slower gateway more often.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <getopt.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench_clock.h"
#include "bench/bench_http.h"
#include "bench/bench_message.h"
#include "bench/bench_service.h"


#define BENCH_LATENCIES_MAX  (4 * 1000 * 1000)

#define BENCH_USAGE                                                           \
    "usage: bench_client [option...]\n"                                       \
    "  -p PORT      of the gateway\n"                                         \
    "  -l PORT      of the service\n"                                         \
    "  -u PATH      of the request\n"                                         \
    "  -m KIND      of message, see bench_message.h\n"                        \
    "  -s SIZE      of the message (default: the kind's)\n"                   \
    "  -k HEX       seed of the key that signs\n"                             \
    "  -T FILE      tokens, one per line, used in turn\n"                     \
    "  -c N         connections (default 1)\n"                                \
    "  -n N         requests; or\n"                                           \
    "  -t SECONDS   duration\n"                                               \
    "  -r RATE      requests per second (default: as fast as possible)\n"     \
    "  -S STATUS    that every answer must have (default 200)\n"              \
    "  -P PID       of the process whose CPU time is measured\n"              \
    "  -v           print the last message of the service and the client's\n" \
    "               answer, instead of figures\n"


typedef struct bench_s  bench_t;

typedef struct {
    bench_event_t  event;
    bench_t       *bench;
    int            fd;
    int            busy;
    char          *out;         /* head and message */
    size_t         out_len;
    size_t         sent;
    uint64_t       number;      /* of the message */
    int64_t        due;         /* ns */
    bench_http_t   http;
} bench_connection_t;


struct bench_s {
    int                   port;
    int                   service_port;
    const char           *path;
    const char           *kind;
    size_t                size;
    const char           *seed;
    const char           *tokens_path;
    size_t                nconnections;
    uint64_t              requests;     /* 0: until the time is over */
    double                seconds;
    double                rate;
    int                   status;
    int                   pid;
    int                   verbose;

    bench_message_t       message;
    char                 *head;
    size_t                head_len;
    size_t                token_off;
    size_t                token_len;
    char                **tokens;
    size_t                ntokens;

    int                   epoll;
    bench_connection_t   *connections;
    int64_t               start;
    int64_t               end;
    uint64_t              begun;
    uint64_t              done;
    uint32_t             *latencies;    /* ns */
};


static void bench_options(bench_t *b, int argc, char **argv);
static void bench_tokens(bench_t *b);
static void bench_head(bench_t *b);
static void bench_connect(bench_t *b);
static void bench_loop(bench_t *b);
static int bench_is_over(const bench_t *b, int64_t now);
static void bench_begin(bench_t *b, int64_t now);
static void bench_handler(bench_event_t *event, uint32_t events);
static void bench_send(bench_t *b, bench_connection_t *c);
static void bench_write(bench_connection_t *c);
static void bench_receive(bench_t *b, bench_connection_t *c);
static void bench_check(const bench_t *b, const bench_connection_t *c);
static void bench_print(bench_t *b, int64_t cpu);
static int bench_compare(const void *one, const void *two);
static int64_t bench_cpu_of(int pid);
static void bench_fail(const char *text)
    __attribute__((noreturn));


int
main(int argc, char **argv)
{
    int64_t  cpu;
    bench_t  b;

    memset(&b, 0, sizeof(bench_t));

    if (sodium_init() == -1) {
        bench_fail("libsodium");
    }

    bench_options(&b, argc, argv);

    if (bench_message_make(&b.message, b.kind, b.size) != 0) {
        fprintf(stderr, BENCH_USAGE);
        return 2;
    }

    if (b.message.signature != 0) {
        uint8_t  seed[BENCH_SEED_LEN];

        if (b.seed == NULL || b.requests == 0
            || sodium_hex2bin(seed, sizeof(seed), b.seed, strlen(b.seed),
                              NULL, NULL, NULL)
               != 0)
        {
            bench_fail("signed messages need -k and -n");
        }

        bench_message_sign(&b.message, b.requests, seed);
    }

    bench_tokens(&b);
    bench_head(&b);
    bench_connect(&b);

    cpu = bench_cpu_of(b.pid);

    bench_loop(&b);

    bench_print(&b, bench_cpu_of(b.pid) - cpu);

    return 0;
}


static void
bench_options(bench_t *b, int argc, char **argv)
{
    int  c;

    b->path = "/";
    b->kind = "aee";
    b->nconnections = 1;
    b->status = 200;

    while ((c = getopt(argc, argv, "p:l:u:m:s:k:T:c:n:t:r:S:P:v")) != -1) {
        switch (c) {

        case 'p':
            b->port = atoi(optarg);
            break;

        case 'l':
            b->service_port = atoi(optarg);
            break;

        case 'u':
            b->path = optarg;
            break;

        case 'm':
            b->kind = optarg;
            break;

        case 's':
            b->size = strtoul(optarg, NULL, 10);
            break;

        case 'k':
            b->seed = optarg;
            break;

        case 'T':
            b->tokens_path = optarg;
            break;

        case 'c':
            b->nconnections = strtoul(optarg, NULL, 10);
            break;

        case 'n':
            b->requests = strtoull(optarg, NULL, 10);
            break;

        case 't':
            b->seconds = atof(optarg);
            break;

        case 'r':
            b->rate = atof(optarg);
            break;

        case 'S':
            b->status = atoi(optarg);
            break;

        case 'P':
            b->pid = atoi(optarg);
            break;

        case 'v':
            b->verbose = 1;
            break;

        default:
            fprintf(stderr, BENCH_USAGE);
            exit(2);
        }
    }

    if (b->port == 0 || b->service_port == 0 || b->nconnections == 0
        || (b->requests == 0 && b->seconds <= 0))
    {
        fprintf(stderr, BENCH_USAGE);
        exit(2);
    }
}


/* Reads tokens.  They have equal lengths, so that one can replace another. */

static void
bench_tokens(bench_t *b)
{
    char     *line;
    FILE     *f;
    size_t    size;
    ssize_t   len;

    if (b->tokens_path == NULL) {
        return;
    }

    f = fopen(b->tokens_path, "r");
    if (f == NULL) {
        bench_fail(b->tokens_path);
    }

    for ( ;; ) {
        line = NULL;
        size = 0;
        len = getline(&line, &size, f);

        if (len <= 1) {
            free(line);
            break;
        }

        line[len - 1] = '\0';

        if (b->ntokens > 0 && (size_t) len - 1 != b->token_len) {
            bench_fail("the tokens differ in length");
        }

        b->token_len = (size_t) len - 1;
        b->tokens = realloc(b->tokens, (b->ntokens + 1) * sizeof(char *));

        if (b->tokens == NULL) {
            bench_fail("memory");
        }

        b->tokens[b->ntokens++] = line;
    }

    (void) fclose(f);

    if (b->ntokens == 0) {
        bench_fail(b->tokens_path);
    }
}


static void
bench_head(bench_t *b)
{
    int  n;

    n = asprintf(&b->head, "POST %s HTTP/1.1\r\nHost: gateway.example\r\n"
                 "User-Agent: bench\r\nAccept: application/json\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n"
                 "%s%s%s\r\n",
                 b->path, b->message.len,
                 b->ntokens ? "Authorization: Bearer " : "",
                 b->ntokens ? b->tokens[0] : "", b->ntokens ? "\r\n" : "");
    if (n < 0) {
        bench_fail("memory");
    }

    b->head_len = (size_t) n;
    b->token_off = b->head_len - 4 - b->token_len;

    b->latencies = malloc(BENCH_LATENCIES_MAX * sizeof(uint32_t));

    if (b->latencies == NULL) {
        bench_fail("memory");
    }
}


static void
bench_connect(bench_t *b)
{
    size_t               i;
    bench_connection_t  *c;

    b->epoll = epoll_create1(EPOLL_CLOEXEC);
    b->connections = calloc(b->nconnections, sizeof(bench_connection_t));

    if (b->epoll == -1 || b->connections == NULL
        || bench_service_open(b->epoll, b->service_port) != 0)
    {
        bench_fail("service");
    }

    for (i = 0; i < b->nconnections; i++) {
        c = &b->connections[i];

        c->event.handler = bench_handler;
        c->bench = b;
        c->fd = bench_http_connect(b->port);
        c->out_len = b->head_len + b->message.len;
        c->out = malloc(c->out_len);

        if (c->fd == -1 || c->out == NULL
            || bench_event_add(b->epoll, c->fd, &c->event) != 0)
        {
            bench_fail("connect");
        }

        memcpy(c->out, b->head, b->head_len);
        memcpy(c->out + b->head_len, b->message.text, b->message.len);
    }
}


static void
bench_loop(bench_t *b)
{
    int                 i, n;
    int64_t             now;
    bench_event_t      *event;
    struct epoll_event  events[256];

    b->start = bench_now();

    for ( ;; ) {
        now = bench_now();
        bench_begin(b, now);

        if (b->done == b->begun && bench_is_over(b, now)) {
            break;
        }

        n = epoll_wait(b->epoll, events, 256, 0);

        if (n == -1 && errno != EINTR) {
            bench_fail("epoll");
        }

        for (i = 0; i < n; i++) {
            event = events[i].data.ptr;
            event->handler(event, events[i].events);
        }
    }

    b->end = now;
}


static int
bench_is_over(const bench_t *b, int64_t now)
{
    if (b->begun == BENCH_LATENCIES_MAX) {
        return 1;
    }

    return b->requests > 0 ? b->begun == b->requests
                           : (double) (now - b->start) >= b->seconds * 1e9;
}


/* Sends requests that are due on idle connections. */

static void
bench_begin(bench_t *b, int64_t now)
{
    size_t               i;
    int64_t              due;
    bench_connection_t  *c;

    for (i = 0; i < b->nconnections && !bench_is_over(b, now); i++) {
        c = &b->connections[i];

        if (c->busy) {
            continue;
        }

        due = now;

        if (b->rate > 0) {
            due = b->start + (int64_t) ((double) b->begun / b->rate * 1e9);

            if (due > now) {
                return;
            }
        }

        c->due = due;
        bench_send(b, c);
    }
}


static void
bench_send(bench_t *b, bench_connection_t *c)
{
    c->busy = 1;
    c->sent = 0;
    c->number = b->begun++;

    bench_message_stamp(&b->message, c->out + b->head_len, c->number);

    if (b->ntokens > 1) {
        memcpy(c->out + b->token_off, b->tokens[c->number % b->ntokens],
               b->token_len);
    }

    bench_write(c);
}


static void
bench_handler(bench_event_t *event, uint32_t events)
{
    bench_connection_t  *c;

    c = (bench_connection_t *) event;

    if (c->busy && (events & EPOLLOUT)) {
        bench_write(c);
    }

    if (events & ~(uint32_t) EPOLLOUT) {
        bench_receive(c->bench, c);
    }
}


static void
bench_write(bench_connection_t *c)
{
    ssize_t  n;

    while (c->sent < c->out_len) {
        n = send(c->fd, c->out + c->sent, c->out_len - c->sent, MSG_NOSIGNAL);

        if (n < 0) {
            if (errno == EAGAIN || errno == EINTR || errno == ENOTCONN) {
                return;
            }

            bench_fail("send");
        }

        c->sent += (size_t) n;
    }
}


static void
bench_receive(bench_t *b, bench_connection_t *c)
{
    int      rc;
    int64_t  ns;

    rc = bench_http_read(&c->http, c->fd);

    if (rc == 0) {
        return;
    }

    if (rc == -1 || !c->busy) {
        bench_fail("the gateway closed a connection");
    }

    bench_check(b, c);

    ns = bench_now() - c->due;
    b->latencies[b->done++] = ns < UINT32_MAX ? (uint32_t) ns : UINT32_MAX;

    if (b->verbose && b->done == b->requests) {
        printf("%.*s\n%.*s\n", (int) bench_service_last_len,
               bench_service_last, (int) (c->http.len - c->http.head),
               c->http.data + c->http.head);
    }

    bench_http_reset(&c->http);
    c->busy = 0;
}


/*
 * Checks that an answer has the expected status and names its message.  A 202
 * may have no body.
 */

static void
bench_check(const bench_t *b, const bench_connection_t *c)
{
    const char  *id;

    id = c->out + b->head_len + b->message.ids[0];

    if (c->http.status == b->status
        && (bench_http_contains(&c->http, id, BENCH_ID_LEN)
            || (b->status == 202 && c->http.len == c->http.head)))
    {
        return;
    }

    fprintf(stderr, "bench_client: message %llu of %s was answered:\n%.*s\n",
            (unsigned long long) c->number, b->path, (int) c->http.len,
            c->http.data);
    exit(1);
}


static void
bench_print(bench_t *b, int64_t cpu)
{
    double    seconds;
    uint64_t  n;

    if (b->verbose) {
        return;
    }

    n = b->done;
    seconds = (double) (b->end - b->start) / 1e9;

    qsort(b->latencies, n, sizeof(uint32_t), bench_compare);

    printf("requests=%llu seconds=%.6f rps=%.1f p50=%.1f p99=%.1f max=%.1f "
           "cpu=%.3f busy=%.3f size=%zu\n", (unsigned long long) n, seconds,
           (double) n / seconds, b->latencies[n / 2] / 1e3,
           b->latencies[n - n / 100 - 1] / 1e3, b->latencies[n - 1] / 1e3,
           (double) cpu / 1e3 / (double) n, (double) cpu / 1e9 / seconds,
           b->message.len);
}


static int
bench_compare(const void *one, const void *two)
{
    uint32_t  a, b;

    a = *(const uint32_t *) one;
    b = *(const uint32_t *) two;

    return a < b ? -1 : a > b;
}


static int64_t
bench_cpu_of(int pid)
{
    int64_t  cpu;

    cpu = bench_cpu(pid);

    if (cpu == -1) {
        bench_fail("the gateway's CPU time");
    }

    return cpu;
}


static void
bench_fail(const char *text)
{
    if (errno != 0) {
        perror(text);

    } else {
        fprintf(stderr, "bench_client: %s\n", text);
    }

    exit(1);
}
