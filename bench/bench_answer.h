/*
 * Answers of the service behind the gateways, in the protocol of the path:
 *
 *   POST /aee      a task: 202, a stream envelope that accepts it;
 *                  any other: 202, empty
 *   POST /vcp      200 {"status":"accepted","message_id":ID}
 *   POST /c2a      200, a JSON-RPC result that accepts it
 *   POST /channel  200 {"frame_id":ID,"delivered":1}
 *   POST /moq      200, a command of the same session that accepts it
 *
 * The answer to a message of another protocol is 500, so that a gateway that
 * does not translate fails.  Below /any, messages of all protocols get equal
 * answers except for ids: /any/aee and so on, and /any/aee-event for the empty
 * one.
 */

#ifndef BENCH_ANSWER_H
#define BENCH_ANSWER_H

#include <stddef.h>

#include "bench/bench_http.h"


#define BENCH_ANSWER_MAX  1024


/* Writes head and body of the answer; returns its length. */
size_t bench_answer(const bench_http_t *request, char text[BENCH_ANSWER_MAX]);


#endif /* BENCH_ANSWER_H */
