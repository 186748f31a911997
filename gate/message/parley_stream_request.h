/* A stream that is to be opened: what the step SERVE found out for it. */

#ifndef PARLEY_STREAM_REQUEST_H
#define PARLEY_STREAM_REQUEST_H

#include "hub/parley_hub.h"


/* All of it is in the request's arena, and so lives as long. */
typedef struct parley_stream_request_s {
    parley_subscription_t  subscription;    /* from begins as 0 where its client
                                               says no place */
    uint8_t                log[PARLEY_KEY_LEN];
    uint8_t                account[PARLEY_KEY_LEN];
    const struct parley_gate_s  *gate;      /* its own, the octets of whose
                                               address are the reader */
    parley_str_t           address;         /* of the log that is read */
    int64_t                hold;            /* ms that a request is held;
                                               0: it is a stream */
    parley_str_t           session;         /* as the client knows it */
    parley_str_t           call;            /* the name of the call of JSON-RPC
                                               that is held, by its id; empty:
                                               there is none */
    parley_str_t           client;          /* its Mcp-Session-Id; empty:
                                               none */
    unsigned               unlogged:1;      /* the client wants to resume, and
                                               nothing is retained */
    unsigned               collects:1;      /* what comes is collected, as
                                               parley_gate_collect() says */
} parley_stream_request_t;


#endif /* PARLEY_STREAM_REQUEST_H */
