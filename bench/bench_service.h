/*
 * The service behind all gateways that are compared, run by the client in its
 * own loop.  It takes a message and answers at once, with the message's id
 * where the protocol wants that:
 *
 *  POST /vcp   a VCP message: 200 {"status":"accepted","message_id":ID}
 *  POST /aee   an AEE message: 202, empty
 *  POST /any   either: as /vcp
 *
 * What is not of the protocol is answered 500, so that a gateway that does
 * not translate fails.
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
