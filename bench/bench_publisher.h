/*
 * A publisher: messages made from one text by a new frame_id and created_at,
 * over one connection.  Several may be in flight, in order.
 */

#ifndef BENCH_PUBLISHER_H
#define BENCH_PUBLISHER_H

#include <stddef.h>

#include "bench/bench_http.h"
#include "bench/bench_request.h"


typedef struct {
    bench_event_t  event;
    int            fd;
    char          *message;     /* head and body */
    size_t         len;
    char          *id;          /* place in message */
    char          *time;
    char          *out;         /* octets to be sent */
    size_t         out_len;
    size_t         out_size;
    char          *in;          /* incomplete answer */
    size_t         in_len;
    size_t         waits;       /* messages without an answer */
} bench_publisher_t;


/* An error ends the process. */
void bench_publisher_open(bench_publisher_t *p, int epoll, int port,
    const bench_request_t *r, const char *body_path);

void bench_publish(bench_publisher_t *p, size_t number);

/*
 * Finds the number of the message in a line of data.  Returns 1; 0 if the line
 * has no message; -1 if this publisher did not send it.
 */
int bench_published(const bench_publisher_t *p, const char *data, size_t len,
    size_t *ret);


#endif /* BENCH_PUBLISHER_H */
