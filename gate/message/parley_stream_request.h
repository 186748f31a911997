/* A stream that the step SERVE has checked, and that the adapter opens. */

#ifndef PARLEY_STREAM_REQUEST_H
#define PARLEY_STREAM_REQUEST_H

#include "gate/message/parley_reader.h"
#include "hub/parley_hub.h"


/* all members live in the request's arena */
typedef struct parley_stream_request_s {
    parley_subscription_t  subscription;    /* from is 0 if the client names no
                                               place */
    uint8_t                log[PARLEY_KEY_LEN];
    uint8_t                account[PARLEY_KEY_LEN];
    parley_reader_t        reader;          /* for the rules */
    const parley_reader_t  *rules;          /* address of reader:
                                               subscription.reader consists of
                                               this pointer */
    parley_str_t           address;         /* address of the log that is
                                               read */
    int64_t                hold;            /* ms for which a request is held;
                                               0: it is a stream */
    parley_str_t           session;         /* session, as the client knows
                                               it */
    parley_str_t           call;            /* name of the held call of
                                               JSON-RPC, derived from its id;
                                               empty: none */
    parley_str_t           client;          /* client's Mcp-Session-Id; empty:
                                               none */
    parley_str_t           conversation;    /* conversation of a host of chat
                                               that is read; empty: none */
    unsigned               unlogged:1;      /* the client wants to resume, but
                                               messages are not retained */
    unsigned               wakes:1;         /* a call of chat that waits: it is
                                               held until parley_host_wakes() or
                                               the end of its time; then its
                                               step runs again */
    unsigned               collects:1;      /* messages are collected by
                                               parley_gate_collect() */
} parley_stream_request_t;


#endif /* PARLEY_STREAM_REQUEST_H */
