/*
 * The service behind all gateways that are compared, run by the client in its
 * own loop.  It takes a message and answers at once (bench_answer.h).
 */

#ifndef BENCH_SERVICE_H
#define BENCH_SERVICE_H

#include <stddef.h>


/* the last message, as it came */
extern char    *bench_service_last;
extern size_t   bench_service_last_len;


/* Listens, through an epoll of the caller.  Returns 0, or -1 and errno. */
int bench_service_open(int epoll, int port);


#endif /* BENCH_SERVICE_H */
