#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "state/parley_import.h"
#include "t/unit/parley_test_store.h"


static int64_t
parley_test_clock(clockid_t id)
{
    struct timespec  t;

    clock_gettime(id, &t);

    return t.tv_sec * (int64_t) 1000 + t.tv_nsec / 1000000;
}


/* Returns the name of a program of the engine, such as "redis-server". */

static char *
parley_test_engine_program(const char *what)
{
    const char   *engine;
    static char   name[64];

    engine = getenv("PARLEY_ENGINE");

    if (engine == NULL) {
        engine = system("command -v redis-server > /dev/null") == 0
                 ? "redis" : "valkey";
    }

    snprintf(name, sizeof(name), "%s-%s", engine, what);

    return name;
}


static void
parley_test_engine_socket(parley_test_engine_t *e, struct sockaddr_un *ret)
{
    memset(ret, 0, sizeof(struct sockaddr_un));

    ret->sun_family = AF_UNIX;
    snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/s", e->dir);
}


static int
parley_test_engine_connect(parley_test_engine_t *e)
{
    int                 fd;
    struct sockaddr_un  address;

    parley_test_engine_socket(e, &address);

    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);

    if (connect(fd, (struct sockaddr *) &address, sizeof(address)) != 0) {
        close(fd);
        return -1;
    }

    return fd;
}


unsigned
parley_test_port(void)
{
    int                 fd;
    socklen_t           len;
    struct sockaddr_in  address;

    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    len = sizeof(address);
    fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *) &address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *) &address, &len), 0);
    close(fd);

    return ntohs(address.sin_port);
}


void
parley_test_engine_begin(parley_test_engine_t *e, char *const *arguments)
{
    int       fd, i, n;
    char      path[128];
    char     *argv[32];
    int64_t   until;

    snprintf(e->dir, sizeof(e->dir), "/tmp/parley-engine-XXXXXX");
    assert_non_null(mkdtemp(e->dir));
    snprintf(path, sizeof(path), "%s/s", e->dir);

    n = 0;
    argv[n++] = parley_test_engine_program("server");
    argv[n++] = (char *) "--port";
    argv[n++] = (char *) "0";
    argv[n++] = (char *) "--unixsocket";
    argv[n++] = path;
    argv[n++] = (char *) "--save";
    argv[n++] = (char *) "";
    argv[n++] = (char *) "--dir";
    argv[n++] = e->dir;

    for (i = 0; arguments != NULL && arguments[i] != NULL; i++) {
        argv[n++] = arguments[i];
    }

    argv[n] = NULL;

    e->pid = fork();
    assert_true(e->pid >= 0);

    if (e->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fd = open("/dev/null", O_RDWR);
        dup2(fd, 1);
        execvp(argv[0], argv);
        _exit(127);
    }

    until = parley_test_clock(CLOCK_MONOTONIC) + 15000;

    do {
        fd = parley_test_engine_connect(e);
        usleep(2000);
    } while (fd < 0 && parley_test_clock(CLOCK_MONOTONIC) < until);

    assert_true(fd >= 0);
    close(fd);
}


void
parley_test_engine_signal(parley_test_engine_t *e, int signal)
{
    kill(e->pid, signal);
}


void
parley_test_engine_end(parley_test_engine_t *e)
{
    char  command[128];

    kill(e->pid, SIGKILL);
    waitpid(e->pid, NULL, 0);

    snprintf(command, sizeof(command), "rm -rf %s", e->dir);
    assert_int_equal(system(command), 0);
}


const char *
parley_test_engine_do(parley_test_engine_t *e, const char *words)
{
    char         command[512];
    FILE        *pipe;
    size_t       len;
    static char  out[4096];

    snprintf(command, sizeof(command), "%s -s %s/s %s 2>&1",
             parley_test_engine_program("cli"), e->dir, words);

    pipe = popen(command, "r");
    assert_non_null(pipe);

    len = fread(out, 1, sizeof(out) - 1, pipe);
    pclose(pipe);

    out[len] = '\0';

    if (len > 0 && out[len - 1] == '\n') {
        out[len - 1] = '\0';
    }

    return out;
}


static void
parley_test_node_connect(void *ctx, parley_store_link_t link)
{
    parley_test_node_t  *n = ctx;
    parley_test_link_t  *l = &n->links[link];

    assert_int_equal(l->fd, -1);

    l->fd = parley_test_engine_connect(n->engine);
    l->opening = l->fd != -1;
    l->failed = l->fd == -1;
}


static void
parley_test_node_send(void *ctx, parley_store_link_t link, parley_str_t octets)
{
    size_t               len;
    parley_test_node_t  *n = ctx;
    parley_test_link_t  *l = &n->links[link];

    if (l->fd == -1) {
        return;
    }

    len = octets.len < n->cut || link != PARLEY_STORE_MAIN ? octets.len
                                                           : n->cut;

    if (send(l->fd, octets.data, len, MSG_NOSIGNAL) != (ssize_t) len) {
        l->failed = 1;
    }

    if (n->cut != SIZE_MAX && link == PARLEY_STORE_MAIN) {
        n->cut -= len;

        if (n->cut == 0) {
            shutdown(l->fd, SHUT_WR);
            l->failed = 1;
            n->cut = SIZE_MAX;
        }
    }
}


static void
parley_test_node_close(void *ctx, parley_store_link_t link)
{
    parley_test_node_t  *n = ctx;
    parley_test_link_t  *l = &n->links[link];

    if (l->fd != -1) {
        close(l->fd);
    }

    l->fd = -1;
    l->opening = 0;
    l->failed = 0;
}


static void
parley_test_node_timer(void *ctx, int64_t ms)
{
    parley_test_node_t  *n = ctx;

    n->timer = ms < 0 ? -1 : parley_test_clock(CLOCK_MONOTONIC) + ms;
}


static int64_t
parley_test_node_now(void *ctx)
{
    parley_test_node_t  *n = ctx;

    n->zone.now = parley_test_clock(CLOCK_MONOTONIC);

    return n->zone.now;
}


static int64_t
parley_test_node_wall(void *ctx)
{
    (void) ctx;

    return parley_test_clock(CLOCK_REALTIME);
}


static uint64_t
parley_test_node_random(void *ctx)
{
    (void) ctx;

    return ((uint64_t) random() << 31) ^ (uint64_t) random();
}


static void
parley_test_node_log(void *ctx, parley_store_level_t level, const char *text)
{
    parley_test_node_t  *n = ctx;

    n->logged[level]++;

    if (level != PARLEY_STORE_INFO) {
        snprintf(n->last, sizeof(n->last), "%s", text);
    }

    if (getenv("PARLEY_TEST_LOG") != NULL) {
        fprintf(stderr, "%c %d %s\n", n->conf.node[0], level, text);
    }
}


static void
parley_test_node_replaced(void *ctx, const parley_join_t *j, uint64_t stamp)
{
    (void) j;

    ((parley_test_node_t *) ctx)->replaced = stamp;
}


static void
parley_test_node_appended(void *ctx)
{
    ((parley_test_node_t *) ctx)->appended++;
}


static void
parley_test_node_work(parley_test_node_t *n);


static void
parley_test_node_create(parley_test_node_t *n)
{
    static parley_mem_t  mem;

    mem = parley_mem_libc;

    n->store = parley_store_create(&n->zone.s.state, &n->env, &n->conf, &mem);
    assert_non_null(n->store);

    n->zone.s.env.orphan = parley_store_orphan;
    n->zone.s.env.orphan_ctx = n->store;
}


void
parley_test_node_begin(parley_test_node_t *n, parley_test_engine_t *e,
    char name)
{
    memset(n, 0, sizeof(parley_test_node_t));
    parley_test_workers = PARLEY_IMPORT_WORKERS;
    parley_test_state_begin(&n->zone, 8 * 1024 * 1024, PARLEY_SHARE_ALL);
    parley_memory_stamps(&n->zone.s, (uint64_t) random());

    n->engine = e;
    n->links[PARLEY_STORE_MAIN].fd = -1;
    n->links[PARLEY_STORE_INBOX].fd = -1;
    n->timer = -1;
    n->cut = SIZE_MAX;

    n->env.connect = parley_test_node_connect;
    n->env.send = parley_test_node_send;
    n->env.close = parley_test_node_close;
    n->env.timer = parley_test_node_timer;
    n->env.now = parley_test_node_now;
    n->env.wall = parley_test_node_wall;
    n->env.random = parley_test_node_random;
    n->env.log = parley_test_node_log;
    n->env.replaced = parley_test_node_replaced;
    n->env.appended = parley_test_node_appended;
    n->env.ctx = n;

    n->conf.prefix = PARLEY_STR("parley");
    n->conf.first = 1;
    n->conf.room = 8 * 1024 * 1024;
    n->conf.config = PARLEY_STR("test");
    n->conf.timeout = 2000;
    n->conf.lease = PARLEY_STORE_LEASE;
    memset(n->conf.node, name, PARLEY_STORE_NODE);

    parley_test_node_create(n);

    (void) parley_test_node_now(n);
    parley_store_begin(n->store);
}


static void
parley_test_node_drain(parley_test_node_t *n)
{
    int64_t              until;
    parley_store_stat_t  stat;

    until = parley_test_clock(CLOCK_MONOTONIC) + 20000;

    do {
        parley_test_node_work(n);
        parley_store_stat(n->store, &stat);

    } while (stat.pending != 0
             && parley_test_clock(CLOCK_MONOTONIC) < until);

    assert_int_equal(stat.pending, 0);
}


int
parley_test_node_stop(parley_test_node_t *n)
{
    int  quits;

    (void) parley_store_end(n->store);
    parley_test_node_drain(n);

    quits = parley_store_quit(n->store);
    parley_test_node_drain(n);

    parley_test_node_close(n, PARLEY_STORE_MAIN);
    parley_test_node_close(n, PARLEY_STORE_INBOX);
    parley_store_destroy(n->store);
    n->store = NULL;
    n->zone.s.env.orphan = NULL;
    n->timer = -1;

    return quits;
}


void
parley_test_node_again(parley_test_node_t *n)
{
    static const parley_process_t  self = { 2, 78 };

    if (n->store != NULL) {
        parley_test_node_close(n, PARLEY_STORE_MAIN);
        parley_test_node_close(n, PARLEY_STORE_INBOX);
        parley_store_destroy(n->store);
    }

    parley_test_node_create(n);

    n->timer = -1;
    n->zone.dead = 1;
    parley_memory_enter(&n->zone.s, &self);

    (void) parley_test_node_now(n);
    parley_store_begin(n->store);
}


void
parley_test_node_end(parley_test_node_t *n)
{
    parley_test_node_close(n, PARLEY_STORE_MAIN);
    parley_test_node_close(n, PARLEY_STORE_INBOX);

    if (n->store != NULL) {
        parley_store_destroy(n->store);
    }

    parley_test_state_end(&n->zone);
}


void
parley_test_node_cut(parley_test_node_t *n, parley_store_link_t link)
{
    n->links[link].failed = 1;
}


static void
parley_test_node_read(parley_test_node_t *n, parley_store_link_t link)
{
    uint8_t              octets[65536];
    ssize_t              len;
    parley_test_link_t  *l = &n->links[link];

    if (l->failed) {
        parley_test_node_close(n, link);
        parley_store_closed(n->store, link, "cut");
        return;
    }

    if (l->opening) {
        l->opening = 0;
        parley_store_opened(n->store, link);
    }

    if (l->fd == -1) {
        return;
    }

    len = recv(l->fd, octets, sizeof(octets), MSG_DONTWAIT);

    if (len > 0) {
        parley_store_fed(n->store, link, octets, (size_t) len);

    } else if (len == 0 || (errno != EAGAIN && errno != EINTR)) {
        parley_test_node_close(n, link);
        parley_store_closed(n->store, link, "closed");
    }
}


static void
parley_test_node_work(parley_test_node_t *n)
{
    if (n->timer != -1 && n->timer <= parley_test_node_now(n)) {
        n->timer = -1;
        parley_store_timer(n->store);
    }

    parley_test_node_read(n, PARLEY_STORE_MAIN);
    parley_test_node_read(n, PARLEY_STORE_INBOX);
}


void
parley_test_nodes(parley_test_node_t **nodes, size_t n, const unsigned *done,
    int64_t ms)
{
    size_t         i;
    int64_t        until;
    struct pollfd  fds[16];

    until = parley_test_clock(CLOCK_MONOTONIC) + ms;

    do {
        for (i = 0; i < n; i++) {
            parley_test_node_work(nodes[i]);
            fds[2 * i].fd = nodes[i]->links[PARLEY_STORE_MAIN].fd;
            fds[2 * i + 1].fd = nodes[i]->links[PARLEY_STORE_INBOX].fd;
            fds[2 * i].events = fds[2 * i + 1].events = POLLIN;
        }

        if (done != NULL && *done) {
            return;
        }

        poll(fds, 2 * n, 2);

    } while (parley_test_clock(CLOCK_MONOTONIC) < until);
}


void
parley_test_nodes_up(parley_test_node_t **nodes, size_t n)
{
    size_t   i, up;
    int64_t  until;

    until = parley_test_clock(CLOCK_MONOTONIC) + 20000;

    do {
        parley_test_nodes(nodes, n, NULL, 2);

        for (i = 0, up = 0; i < n; i++) {
            up += parley_store_is_up(nodes[i]->store) != 0;
        }

    } while (up < n && parley_test_clock(CLOCK_MONOTONIC) < until);

    assert_int_equal(up, n);
}
