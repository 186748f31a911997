/*
 * A listener: a stream of server-sent events over HTTP/1.1, chunked or not,
 * from a socket.
 */

#ifndef BENCH_LISTENER_H
#define BENCH_LISTENER_H

#include <stddef.h>

#include "bench/bench_http.h"


typedef struct {
    bench_event_t  event;
    void          *ctx;
    int            fd;
    int            status;      /* 0: the head is incomplete */
    int            chunked;
    int            place;       /* position in a chunk */
    size_t         chunk;       /* remaining octets of the chunk */
    char          *rest;        /* incomplete line */
    size_t         rest_len;
    unsigned char *got;         /* received messages, a bit for each */
    size_t         last;        /* last message, counted from 1 */
} bench_listener_t;


/* Receives the text after "data:". */
typedef void (*bench_data_pt)(bench_listener_t *l, const char *data,
    size_t len);


/*
 * Reads available octets, and calls the function for each line of data.
 * Returns 0, or -1 if the stream ended or is invalid.
 */
int bench_listener_read(bench_listener_t *l, bench_data_pt data);


#endif /* BENCH_LISTENER_H */
