/*
 * A listener: a stream of server-sent events over HTTP/1.1, chunked or not,
 * as it comes from a socket.
 */

#ifndef BENCH_LISTENER_H
#define BENCH_LISTENER_H

#include <stddef.h>

#include "bench/bench_http.h"


typedef struct {
    bench_event_t  event;
    void          *ctx;
    int            fd;
    int            status;      /* 0: its head is not all there yet */
    int            chunked;
    int            place;       /* of a chunk */
    size_t         chunk;       /* octets that it has yet to bring */
    char          *rest;        /* a line whose end has not come */
    size_t         rest_len;
    unsigned char *got;         /* a bit for each message */
    size_t         last;        /* that came, counted from 1 */
} bench_listener_t;


/* What stands behind "data:". */
typedef void (*bench_data_pt)(bench_listener_t *l, const char *data,
    size_t len);


/*
 * Reads what there is, and calls the function for each line of data.  Returns
 * 0, or -1 where the stream ended or is none.
 */
int bench_listener_read(bench_listener_t *l, bench_data_pt data);


#endif /* BENCH_LISTENER_H */
