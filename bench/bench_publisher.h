/*
 * Who publishes: messages made from one by a new frame_id and created_at each,
 * over one connection.  Several may be on their way at once, one behind the
 * other.
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
    char          *id;          /* in it */
    char          *time;
    char          *out;         /* what is not sent yet */
    size_t         out_len;
    size_t         out_size;
    char          *in;          /* of an answer that is not complete */
    size_t         in_len;
    size_t         waits;       /* messages that are not answered */
} bench_publisher_t;


/* What is wrong ends the process. */
void bench_publisher_open(bench_publisher_t *p, int epoll, int port,
    const bench_request_t *r, const char *body_path);

void bench_publish(bench_publisher_t *p, size_t number);

/*
 * The number of the message that this line of data has: 1, 0 where it has
 * none, -1 where it was not published here.
 */
int bench_published(const bench_publisher_t *p, const char *data, size_t len,
    size_t *ret);


#endif /* BENCH_PUBLISHER_H */
