/*
 * What the service behind the gateways answers, in the protocol that its
 * path names:
 *
 *  POST /aee      a task: 202, a stream envelope that it was accepted;
 *                 anything else: 202, empty
 *  POST /vcp      200 {"status":"accepted","message_id":ID}
 *  POST /c2a      200, a JSON-RPC result that it was accepted
 *  POST /channel  200 {"frame_id":ID,"delivered":1}
 *  POST /moq      200, a command of the same session, accepted
 *
 * What is not of the path's protocol is answered 500, so that a gateway that
 * does not translate fails.  Below /any a message of every protocol gets the
 * same answer, octet for octet but for ids: /any/aee, and so on, and
 * /any/aee-event for the empty one.
 */

#ifndef BENCH_ANSWER_H
#define BENCH_ANSWER_H

#include <stddef.h>

#include "bench/bench_http.h"


#define BENCH_ANSWER_MAX  1024


/* Writes head and body of the answer; returns its length. */
size_t bench_answer(const bench_http_t *request, char text[BENCH_ANSWER_MAX]);


#endif /* BENCH_ANSWER_H */
