/*
 * The service behind all compared gateways.  The client runs it in its own
 * loop.  It answers each message at once (bench_answer.h).
 */

#ifndef BENCH_SERVICE_H
#define BENCH_SERVICE_H

#include <stddef.h>


/* last message, as received */
extern char    *bench_service_last;
extern size_t   bench_service_last_len;


/* Listens through an epoll of the caller.  Returns 0, or -1 with errno. */
int bench_service_open(int epoll, int port);


#endif /* BENCH_SERVICE_H */
