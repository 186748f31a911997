
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Messages between a worker and the worker with its number in an older
 * generation: ngx_http_parley_moq_handover.c says them.  The master creates
 * a pair of datagram sockets for each worker before it starts the worker, and
 * notes the process in shared memory.  The pair is in static data of the
 * module, which a reload keeps; so later generations have it, too.
 */


#ifndef _NGX_HTTP_PARLEY_MOQ_PAIR_H_INCLUDED_
#define _NGX_HTTP_PARLEY_MOQ_PAIR_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


typedef enum {
    /* of the newer worker */
    NGX_HTTP_PARLEY_MOQ_WANTED = 1,   /* it wants to read the socket */
    NGX_HTTP_PARLEY_MOQ_LOOK_AT,      /* the next datagram is not its own */
    NGX_HTTP_PARLEY_MOQ_ASKED,        /* are there connections left? */

    /* of the older worker */
    NGX_HTTP_PARLEY_MOQ_GIVEN,        /* it does not read the socket */
    NGX_HTTP_PARLEY_MOQ_TAKEN,        /* it has read the datagram */
    NGX_HTTP_PARLEY_MOQ_FOREIGN,      /* the datagram is not its own either */
    NGX_HTTP_PARLEY_MOQ_NOTHING       /* it has no connection, and exits */
} ngx_http_parley_moq_word_t;


typedef struct {
    ngx_http_parley_moq_word_t  word;
    uint64_t                    socket;   /* inode of the socket; 0: none */
    uint64_t                    number;   /* of the question */
} ngx_http_parley_moq_told_t;


/*
 * Opens this worker's end of its pair, and sets its generation.  Returns NULL
 * if it has no pair.
 */
ngx_connection_t *ngx_http_parley_moq_pair_enter(ngx_cycle_t *cycle,
    ngx_event_handler_pt handler, ngx_uint_t *generation);

/*
 * Opens the other end of the pair of the last worker before a generation that
 * lives, and sets its generation.  Returns NULL if all have exited.
 */
ngx_connection_t *ngx_http_parley_moq_pair_older(ngx_cycle_t *cycle,
    ngx_event_handler_pt handler, ngx_uint_t *generation);

/* Returns whether the worker of a generation lives. */
ngx_uint_t ngx_http_parley_moq_pair_lives(ngx_uint_t generation);

/* Frees a connection.  The socket stays open, for other workers. */
void ngx_http_parley_moq_pair_close(ngx_connection_t *c);

/* Reads a message.  Returns NGX_AGAIN if none waits. */
ngx_int_t ngx_http_parley_moq_pair_hear(ngx_connection_t *c,
    ngx_http_parley_moq_told_t *told);

/* Sends a message.  One that does not fit is lost; the timers of the newer
   worker go on without it. */
void ngx_http_parley_moq_pair_tell(ngx_connection_t *c,
    ngx_http_parley_moq_word_t word, uint64_t socket, uint64_t number);


#endif /* _NGX_HTTP_PARLEY_MOQ_PAIR_H_INCLUDED_ */
