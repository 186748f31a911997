
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The sockets of QUIC at a reload.  The workers of both generations have the
 * same UDP sockets, and nginx lets both read them.  A worker answers a packet
 * of another worker's connection with a stateless reset.  This file lets one
 * worker at a time read a socket:
 *
 *   - A new worker does not read the sockets of the worker with its number in
 *     the generation before ("the older worker") until that one has to exit.
 *     Until then the older worker serves them alone.
 *   - Then the new worker reads.  It looks at each datagram before it takes it.
 *     If the connection ID is not one of its own, the older worker looks too,
 *     and takes the datagram if the ID is one of its connections.  All other
 *     datagrams, as those of new connections, are for the new worker.
 *   - When the older worker has no connection left, the new worker has nginx's
 *     own handler again.
 *
 * A worker that has to exit may still have an older worker itself, and then
 * asks that one.  The new worker does not wait for a worker that was killed, or
 * that does not answer.
 *
 * This needs a socket for each worker (reuseport), or one worker.
 */


#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "ngx_module/moq/ngx_http_parley_moq_pair.h"


#if (NGX_HTTP_V3)

/* octets of a datagram in which its connection ID is */
#define NGX_HTTP_PARLEY_MOQ_PEEK     512

/* sockets of a worker; more are read as nginx does */
#define NGX_HTTP_PARLEY_MOQ_SOCKETS  16

/* ms between looks at the older worker, and ms for which that one may have
   a datagram, or may keep a socket */
#define NGX_HTTP_PARLEY_MOQ_LOOK     100
#define NGX_HTTP_PARLEY_MOQ_LENT     1000
#define NGX_HTTP_PARLEY_MOQ_WAIT     10000


/* a socket of QUIC of this worker */
typedef struct {
    ngx_listening_t     *listening;
    ngx_connection_t    *connection;
    uint64_t             inode;
    uint64_t             number;      /* of the question to the older worker */
    uint64_t             asked;       /* question of the newer worker that the
                                         older one answers; 0: none */
    ngx_msec_t           since;       /* beginning of waits or lent */
    unsigned             waits:1;     /* the older worker reads it */
    unsigned             lent:1;      /* the older worker has the datagram */
    unsigned             wanted:1;    /* a newer worker wants it */
    unsigned             given:1;     /* a newer worker reads it */
} ngx_http_parley_moq_socket_t;


/* of this worker */
static ngx_http_parley_moq_socket_t
    ngx_http_parley_moq_sockets[NGX_HTTP_PARLEY_MOQ_SOCKETS];
static ngx_uint_t         ngx_http_parley_moq_nsockets;
static ngx_connection_t  *ngx_http_parley_moq_newer;     /* to the newer */
static ngx_connection_t  *ngx_http_parley_moq_older;     /* NULL: none */
static ngx_uint_t         ngx_http_parley_moq_before;    /* its generation */
static ngx_event_t        ngx_http_parley_moq_look;


static void ngx_http_parley_moq_socket_add(ngx_listening_t *ls);
static void ngx_http_parley_moq_want(ngx_http_parley_moq_socket_t *s);
static void ngx_http_parley_moq_find_older(ngx_cycle_t *cycle);
static void ngx_http_parley_moq_lose_older(void);
static void ngx_http_parley_moq_lost(ngx_http_parley_moq_socket_t *s);
static void ngx_http_parley_moq_got(ngx_http_parley_moq_socket_t *s);
static void ngx_http_parley_moq_look_handler(ngx_event_t *ev);
static void ngx_http_parley_moq_newer_handler(ngx_event_t *rev);
static void ngx_http_parley_moq_older_handler(ngx_event_t *rev);
static void ngx_http_parley_moq_read_handler(ngx_event_t *rev);
static void ngx_http_parley_moq_serve(ngx_http_parley_moq_socket_t *s,
    uint64_t number);
static void ngx_http_parley_moq_lend(ngx_http_parley_moq_socket_t *s);
static void ngx_http_parley_moq_return(ngx_http_parley_moq_socket_t *s,
    ngx_http_parley_moq_word_t word);
static void ngx_http_parley_moq_give(ngx_http_parley_moq_socket_t *s);
static void ngx_http_parley_moq_begin_read(ngx_http_parley_moq_socket_t *s);
static void ngx_http_parley_moq_read_one(ngx_http_parley_moq_socket_t *s);
static ngx_int_t ngx_http_parley_moq_peek(
    const ngx_http_parley_moq_socket_t *s);
static ngx_uint_t ngx_http_parley_moq_is_idle(void);
static ngx_http_parley_moq_socket_t *ngx_http_parley_moq_socket(
    uint64_t inode);


void
ngx_http_parley_moq_handover_enter(ngx_cycle_t *cycle)
{
    ngx_uint_t        i;
    ngx_listening_t  *ls;
    ngx_core_conf_t  *ccf;

    ngx_http_parley_moq_newer = ngx_http_parley_moq_pair_enter(cycle,
                                           ngx_http_parley_moq_newer_handler,
                                           &ngx_http_parley_moq_before);

    if (ngx_http_parley_moq_newer == NULL) {
        return;
    }

    /* nginx calls the handler when the worker has to exit */
    ngx_http_parley_moq_newer->idle = 1;

    ngx_http_parley_moq_look.handler = ngx_http_parley_moq_look_handler;
    ngx_http_parley_moq_look.data = &ngx_http_parley_moq_look;
    ngx_http_parley_moq_look.log = cycle->log;
    ngx_http_parley_moq_look.cancelable = 1;

    ccf = (ngx_core_conf_t *) ngx_get_conf(cycle->conf_ctx, ngx_core_module);
    ls = cycle->listening.elts;

    for (i = 0; i < cycle->listening.nelts; i++) {

        if (ls[i].quic && ls[i].connection
            && (ls[i].reuseport ? ls[i].worker == ngx_worker
                                : ccf->worker_processes == 1))
        {
            ngx_http_parley_moq_socket_add(&ls[i]);
        }
    }

    ngx_http_parley_moq_find_older(cycle);

    if (ngx_http_parley_moq_older == NULL) {
        return;
    }

    for (i = 0; i < ngx_http_parley_moq_nsockets; i++) {
        ngx_http_parley_moq_want(&ngx_http_parley_moq_sockets[i]);
    }
}


static void
ngx_http_parley_moq_socket_add(ngx_listening_t *ls)
{
    struct stat                    st;
    ngx_http_parley_moq_socket_t  *s;

    if (ngx_http_parley_moq_nsockets == NGX_HTTP_PARLEY_MOQ_SOCKETS
        || fstat(ls->fd, &st) == -1 || !ls->connection->read->active)
    {
        return;
    }

    s = &ngx_http_parley_moq_sockets[ngx_http_parley_moq_nsockets++];

    s->listening = ls;
    s->connection = ls->connection;
    s->inode = (uint64_t) st.st_ino;

    /* the pair may have answers to the worker that this one replaces */
    s->number = (uint64_t) ngx_pid << 32;
}


/* Leaves a socket to the older worker until that one has to exit. */

static void
ngx_http_parley_moq_want(ngx_http_parley_moq_socket_t *s)
{
    if (s->connection->read->active
        && ngx_del_event(s->connection->read, NGX_READ_EVENT, 0) != NGX_OK)
    {
        return;
    }

    s->connection->read->handler = ngx_http_parley_moq_read_handler;
    s->waits = 1;
    s->since = ngx_current_msec;

    ngx_http_parley_moq_pair_tell(ngx_http_parley_moq_older,
                                  NGX_HTTP_PARLEY_MOQ_WANTED, s->inode, 0);
}


/* Finds the next older worker. */

static void
ngx_http_parley_moq_find_older(ngx_cycle_t *cycle)
{
    ngx_http_parley_moq_older = ngx_http_parley_moq_pair_older(cycle,
                                           ngx_http_parley_moq_older_handler,
                                           &ngx_http_parley_moq_before);

    if (ngx_http_parley_moq_older) {
        ngx_add_timer(&ngx_http_parley_moq_look, NGX_HTTP_PARLEY_MOQ_LOOK);
    }
}


/* Goes on without the older worker, or with one that is still older. */

static void
ngx_http_parley_moq_lose_older(void)
{
    ngx_uint_t  i;

    ngx_http_parley_moq_pair_close(ngx_http_parley_moq_older);

    ngx_http_parley_moq_find_older((ngx_cycle_t *) ngx_cycle);

    for (i = 0; i < ngx_http_parley_moq_nsockets; i++) {
        ngx_http_parley_moq_lost(&ngx_http_parley_moq_sockets[i]);
    }
}


static void
ngx_http_parley_moq_lost(ngx_http_parley_moq_socket_t *s)
{
    if (ngx_http_parley_moq_older == NULL) {
        s->connection->read->handler = ngx_quic_recvmsg;
    }

    if (s->lent) {
        /* the next older worker may know the datagram */

        ngx_http_parley_moq_return(s, ngx_http_parley_moq_older
                                      ? NGX_HTTP_PARLEY_MOQ_TAKEN
                                      : NGX_HTTP_PARLEY_MOQ_FOREIGN);

    } else if (s->waits && ngx_http_parley_moq_older) {
        ngx_http_parley_moq_want(s);

    } else if (s->waits) {
        ngx_http_parley_moq_got(s);
    }
}


/* Looks whether the older worker lives, and answers in time. */

static void
ngx_http_parley_moq_look_handler(ngx_event_t *ev)
{
    ngx_uint_t                     i;
    ngx_msec_int_t                 ms;
    ngx_http_parley_moq_socket_t  *s;

    if (ngx_http_parley_moq_older == NULL) {
        return;
    }

    if (!ngx_http_parley_moq_pair_lives(ngx_http_parley_moq_before)) {
        ngx_http_parley_moq_lose_older();
        return;
    }

    for (i = 0; i < ngx_http_parley_moq_nsockets; i++) {
        s = &ngx_http_parley_moq_sockets[i];
        ms = (ngx_msec_int_t) (ngx_current_msec - s->since);

        if ((s->lent && ms > NGX_HTTP_PARLEY_MOQ_LENT)
            || (s->waits && ms > NGX_HTTP_PARLEY_MOQ_WAIT))
        {
            /* each datagram of an unknown connection would wait for it */

            ngx_log_error(NGX_LOG_WARN, ev->log, 0,
                          "parley: the worker before does not answer: its "
                          "connections of QUIC are given up");

            ngx_http_parley_moq_lose_older();
            return;
        }
    }

    ngx_http_parley_moq_pair_tell(ngx_http_parley_moq_older,
                                  NGX_HTTP_PARLEY_MOQ_ASKED, 0, 0);

    ngx_add_timer(ev, NGX_HTTP_PARLEY_MOQ_LOOK);
}


/* Runs when the newer worker says something, and when this one has to exit. */

static void
ngx_http_parley_moq_newer_handler(ngx_event_t *rev)
{
    ngx_uint_t                     i;
    ngx_connection_t              *c;
    ngx_http_parley_moq_told_t     told;
    ngx_http_parley_moq_socket_t  *s;

    c = rev->data;

    if (c->close) {
        c->close = 0;

        for (i = 0; i < ngx_http_parley_moq_nsockets; i++) {
            ngx_http_parley_moq_give(&ngx_http_parley_moq_sockets[i]);
        }
    }

    while (ngx_http_parley_moq_pair_hear(c, &told) == NGX_OK) {

        if (told.word == NGX_HTTP_PARLEY_MOQ_ASKED) {

            if (ngx_http_parley_moq_is_idle()) {
                ngx_http_parley_moq_pair_tell(c, NGX_HTTP_PARLEY_MOQ_NOTHING,
                                              0, 0);
            }

            continue;
        }

        s = ngx_http_parley_moq_socket(told.socket);

        if (told.word == NGX_HTTP_PARLEY_MOQ_WANTED) {

            if (s) {
                s->wanted = 1;
                ngx_http_parley_moq_give(s);

            } else {
                ngx_http_parley_moq_pair_tell(c, NGX_HTTP_PARLEY_MOQ_GIVEN,
                                              told.socket, 0);
            }

        } else if (s) {
            ngx_http_parley_moq_serve(s, told.number);

        } else {
            ngx_http_parley_moq_pair_tell(c, NGX_HTTP_PARLEY_MOQ_FOREIGN,
                                          told.socket, told.number);
        }
    }
}


/* Lets the newer worker read a socket, if this worker has to exit and reads it
   itself. */

static void
ngx_http_parley_moq_give(ngx_http_parley_moq_socket_t *s)
{
    if (!s->wanted || !ngx_exiting || s->waits) {
        return;
    }

    if (s->connection->read->active) {
        (void) ngx_del_event(s->connection->read, NGX_READ_EVENT, 0);
    }

    s->given = 1;

    ngx_http_parley_moq_pair_tell(ngx_http_parley_moq_newer,
                                  NGX_HTTP_PARLEY_MOQ_GIVEN, s->inode,
                                  0);
}


/*
 * Takes the datagrams of this worker's connections, up to one of another.  The
 * newer worker has not looked at the ones after the first.
 */

static void
ngx_http_parley_moq_serve(ngx_http_parley_moq_socket_t *s, uint64_t number)
{
    ngx_int_t                   rc;
    ngx_http_parley_moq_word_t  word;

    rc = ngx_http_parley_moq_peek(s);
    word = rc == NGX_DECLINED ? NGX_HTTP_PARLEY_MOQ_FOREIGN
                              : NGX_HTTP_PARLEY_MOQ_TAKEN;

    if (rc == NGX_DECLINED && ngx_http_parley_moq_older) {
        s->asked = number;
        ngx_http_parley_moq_lend(s);
        return;
    }

    while (rc == NGX_OK) {
        ngx_http_parley_moq_read_one(s);
        rc = ngx_http_parley_moq_peek(s);
    }

    ngx_http_parley_moq_pair_tell(ngx_http_parley_moq_newer, word, s->inode,
                                  number);
}


/* Runs while there is an older worker. */

static void
ngx_http_parley_moq_read_handler(ngx_event_t *rev)
{
    ngx_uint_t                     i;
    ngx_connection_t              *c;
    ngx_http_parley_moq_socket_t  *s;

    c = rev->data;
    s = NULL;

    for (i = 0; i < ngx_http_parley_moq_nsockets; i++) {

        if (ngx_http_parley_moq_sockets[i].connection == c) {
            s = &ngx_http_parley_moq_sockets[i];
        }
    }

    if (s == NULL || s->waits || s->lent || s->given) {
        return;
    }

    switch (ngx_http_parley_moq_peek(s)) {

    case NGX_OK:
        ngx_http_parley_moq_read_one(s);
        return;

    case NGX_DECLINED:

        if (ngx_http_parley_moq_older) {
            ngx_http_parley_moq_lend(s);

        } else {
            ngx_http_parley_moq_read_one(s);
        }

        return;

    default: /* NGX_AGAIN */
        return;
    }
}


/* Lets the older worker look at the datagram. */

static void
ngx_http_parley_moq_lend(ngx_http_parley_moq_socket_t *s)
{
    if (s->connection->read->active) {
        (void) ngx_del_event(s->connection->read, NGX_READ_EVENT, 0);
    }

    s->lent = 1;
    s->number++;
    s->since = ngx_current_msec;

    ngx_http_parley_moq_pair_tell(ngx_http_parley_moq_older,
                                  NGX_HTTP_PARLEY_MOQ_LOOK_AT, s->inode,
                                  s->number);
}


static void
ngx_http_parley_moq_older_handler(ngx_event_t *rev)
{
    ngx_connection_t              *c;
    ngx_http_parley_moq_told_t     told;
    ngx_http_parley_moq_socket_t  *s;

    c = rev->data;

    while (c == ngx_http_parley_moq_older
           && ngx_http_parley_moq_pair_hear(c, &told) == NGX_OK)
    {
        if (told.word == NGX_HTTP_PARLEY_MOQ_NOTHING) {
            ngx_http_parley_moq_lose_older();
            return;
        }

        s = ngx_http_parley_moq_socket(told.socket);

        if (s == NULL) {
            continue;
        }

        if (told.word == NGX_HTTP_PARLEY_MOQ_GIVEN) {

            if (s->waits) {
                ngx_http_parley_moq_got(s);
            }

        } else if (s->lent && told.number == s->number) {
            ngx_http_parley_moq_return(s, told.word);
        }
    }
}


/* Reads a socket that the older worker does not read. */

static void
ngx_http_parley_moq_got(ngx_http_parley_moq_socket_t *s)
{
    s->waits = 0;

    ngx_http_parley_moq_begin_read(s);
    ngx_http_parley_moq_give(s);
}


/* Goes on after the older worker has looked at the datagram. */

static void
ngx_http_parley_moq_return(ngx_http_parley_moq_socket_t *s,
    ngx_http_parley_moq_word_t word)
{
    uint64_t  asked;

    s->lent = 0;

    if (s->asked) {
        asked = s->asked;
        s->asked = 0;

        ngx_http_parley_moq_pair_tell(ngx_http_parley_moq_newer, word,
                                      s->inode, asked);

    } else if (word == NGX_HTTP_PARLEY_MOQ_FOREIGN) {
        ngx_http_parley_moq_read_one(s);
    }

    ngx_http_parley_moq_begin_read(s);
}


/* Reads a socket from now on, unless a newer worker does. */

static void
ngx_http_parley_moq_begin_read(ngx_http_parley_moq_socket_t *s)
{
    if (s->given || s->connection->read->active) {
        return;
    }

    if (ngx_add_event(s->connection->read, NGX_READ_EVENT, 0) != NGX_OK) {
        ngx_log_error(NGX_LOG_ALERT, s->connection->log, 0,
                      "parley: the worker cannot read %V",
                      &s->listening->addr_text);
    }
}


/* Lets nginx read one datagram, not all. */

static void
ngx_http_parley_moq_read_one(ngx_http_parley_moq_socket_t *s)
{
    ngx_flag_t         all;
    ngx_event_conf_t  *ecf;

    ecf = ngx_event_get_conf(ngx_cycle->conf_ctx, ngx_event_core_module);

    all = ecf->multi_accept;
    ecf->multi_accept = 0;

    ngx_quic_recvmsg(s->connection->read);

    ecf->multi_accept = all;
}


/*
 * Looks at the next datagram of a socket.  Returns NGX_OK if a connection of
 * this worker has its connection ID, or if it is malformed, NGX_DECLINED for
 * another one, and NGX_AGAIN if no datagram waits.  The hash of the ID, the key
 * of nginx's tree, is enough.
 */

static ngx_int_t
ngx_http_parley_moq_peek(const ngx_http_parley_moq_socket_t *s)
{
    u_char              buf[NGX_HTTP_PARLEY_MOQ_PEEK];
    ssize_t             n;
    uint32_t            hash;
    ngx_str_t           id;
    ngx_rbtree_node_t  *node;

    n = recv(s->connection->fd, buf, sizeof(buf), MSG_PEEK|MSG_DONTWAIT);

    if (n < 0) {
        return ngx_socket_errno == NGX_EAGAIN ? NGX_AGAIN : NGX_OK;
    }

    if (ngx_quic_get_packet_dcid(s->connection->log, buf, (size_t) n, &id)
        != NGX_OK
        || id.len == 0)
    {
        return NGX_OK;
    }

    hash = ngx_crc32_long(id.data, id.len);
    node = s->listening->rbtree.root;

    while (node != s->listening->rbtree.sentinel) {

        if (node->key == hash) {
            return NGX_OK;
        }

        node = hash < node->key ? node->left : node->right;
    }

    return NGX_DECLINED;
}


/* Returns whether this worker exits and has no connection of QUIC, nor an older
   worker that has one. */

static ngx_uint_t
ngx_http_parley_moq_is_idle(void)
{
    ngx_uint_t        i;
    ngx_listening_t  *ls;

    if (!ngx_exiting || ngx_http_parley_moq_older) {
        return 0;
    }

    for (i = 0; i < ngx_http_parley_moq_nsockets; i++) {
        ls = ngx_http_parley_moq_sockets[i].listening;

        if (ls->rbtree.root != ls->rbtree.sentinel) {
            return 0;
        }
    }

    return 1;
}


static ngx_http_parley_moq_socket_t *
ngx_http_parley_moq_socket(uint64_t inode)
{
    ngx_uint_t  i;

    for (i = 0; i < ngx_http_parley_moq_nsockets; i++) {

        if (ngx_http_parley_moq_sockets[i].inode == inode) {
            return &ngx_http_parley_moq_sockets[i];
        }
    }

    return NULL;
}


void
ngx_http_parley_moq_handover_leave(void)
{
    if (ngx_http_parley_moq_newer && ngx_exiting) {
        ngx_http_parley_moq_pair_tell(ngx_http_parley_moq_newer,
                                      NGX_HTTP_PARLEY_MOQ_NOTHING, 0,
                                      0);
    }
}


#else


void
ngx_http_parley_moq_handover_enter(ngx_cycle_t *cycle)
{
}


void
ngx_http_parley_moq_handover_leave(void)
{
}

#endif
