/*
 * Reasons why an answer of the upstream is unusable, which only the adapter of
 * a gate can see.  Each has an error for the caller, and says whether the
 * service accepted the message (GW-12).
 */

#ifndef PARLEY_UPSTREAM_ERROR_H
#define PARLEY_UPSTREAM_ERROR_H


/* whether the service accepted the message */
typedef enum {
    PARLEY_TOOK_NO = 0,         /* unknown: the message may be sent again */
    PARLEY_TOOK_STATUS          /* yes, if the status of the answer is 2xx */
} parley_took_t;


/* T(name, code, took, text); the first error of an answer counts */
#define PARLEY_UPSTREAM_ERRORS(T)                                             \
    /* the service did not answer */                                          \
    T(UNREACHED, UPSTREAM_UNAVAILABLE, NO,                                    \
      "the upstream could not be reached")                                    \
    T(CONNECT_TIMEOUT, UPSTREAM_UNAVAILABLE, NO,                              \
      "the upstream could not be reached in time")                            \
    T(UNANSWERED, UPSTREAM_UNAVAILABLE, NO,                                   \
      "the upstream closed the connection before it answered")                \
    T(TIMEOUT, UPSTREAM_TIMEOUT, NO, "the upstream did not answer in time")   \
    /* the answer is incomplete */                                            \
    T(EARLY, UPSTREAM_INVALID, NO, "the upstream's answer ended early")       \
    T(GZIP_EARLY, UPSTREAM_INVALID, NO, "the upstream's gzip ended early")    \
    /* it is not a final HTTP answer */                                       \
    T(NOT_HTTP, UPSTREAM_INVALID, NO, "the upstream's answer is not HTTP")    \
    T(INTERIM, UPSTREAM_INVALID, NO, "the upstream sent an interim response") \
    T(STATUS, UPSTREAM_INVALID, NO,                                           \
      "the status of the upstream's answer is not from 200 to 599")           \
    /* the answer cannot be used */                                           \
    T(REDIRECT, UPSTREAM_INVALID, STATUS,                                     \
      "the upstream sent X-Accel-Redirect")                                   \
    T(HEADER_LONG, UPSTREAM_INVALID, STATUS,                                  \
      "the header of the upstream's answer exceeds proxy_buffer_size")        \
    T(HEADER, UPSTREAM_INVALID, STATUS,                                       \
      "the header of the upstream's answer is invalid")                       \
    T(CHARSET, UPSTREAM_INVALID, STATUS,                                      \
      "the charset of the upstream's answer is not utf-8")                    \
    T(SESSIONS, UPSTREAM_INVALID, STATUS,                                     \
      "a header of the upstream's answer is not one session id of visible "   \
      "ASCII")                                                                \
    T(CODING, UPSTREAM_INVALID, STATUS,                                       \
      "the upstream's content coding is unknown")                             \
    T(GZIP, UPSTREAM_INVALID, STATUS,                                         \
      "the upstream's gzip is broken or inflates beyond parley_limits body")  \
    T(NO_EVENTS, UPSTREAM_INVALID, NO,                                        \
      "the upstream's answer to GET is not an event stream "                  \
      "(text/event-stream)")                                                  \
    T(NO_SOCKET, UPSTREAM_INVALID, NO,                                        \
      "the upstream does not open a WebSocket (is \"Upgrade\" set by "        \
      "proxy_set_header?)")                                                   \
    T(HANDSHAKE, UPSTREAM_INVALID, NO,                                        \
      "the upstream's handshake of the WebSocket is invalid")                 \
    T(EVENTS_CODED, UPSTREAM_INVALID, STATUS,                                 \
      "the upstream's events are compressed")                                 \
    T(TOO_LONG, UPSTREAM_INVALID, STATUS,                                     \
      "the upstream's answer exceeds parley_limits body")                     \
    /* the caller may not get the rest of the answer (SEC-15) */              \
    T(EXPIRED, TOKEN_EXPIRED, NO, "the token has expired")                    \
    /* a WebSocket that the service ends */                                   \
    T(ENDED, UPSTREAM_UNAVAILABLE, NO,                                        \
      "the upstream ended the WebSocket before it answered")


typedef enum {
#define PARLEY_UPSTREAM_ERROR(name, code, took, text)                         \
    PARLEY_UPSTREAM_ERROR_##name,
    PARLEY_UPSTREAM_ERRORS(PARLEY_UPSTREAM_ERROR)
#undef PARLEY_UPSTREAM_ERROR
    PARLEY_UPSTREAM_ERROR_COUNT
} parley_upstream_error_t;


#endif /* PARLEY_UPSTREAM_ERROR_H */
