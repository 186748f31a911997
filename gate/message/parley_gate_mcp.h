/*
 * A call of MCP at a parley_mcp location (ACH-27); private to the gate.  The
 * call becomes one of the gate's other requests: a frame that is submitted, a
 * roster, or a stream.  Their result becomes the result of the tool.
 */

#ifndef PARLEY_GATE_MCP_H
#define PARLEY_GATE_MCP_H

#include "translate/channel/parley_channel_verb.h"
#include "http/parley_events.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/message/parley_stream_request.h"


/* milliseconds for which a call collects messages by default */
#define PARLEY_MCP_COLLECTED  1000


typedef struct parley_gate_mcp_s {
    parley_json_t                   doc;
    const parley_channel_verb_t    *verb;       /* tool that is called; NULL:
                                                   none */
    parley_json_ref_t               arguments;  /* valid arguments; node NONE:
                                                   none */
    parley_str_t                    made;       /* id that the gateway made for
                                                   the payload */
    parley_str_t                    asked;      /* name that the call asks
                                                   about; empty: none */
    parley_str_t                    handle;     /* handle that the call
                                                   subscribes to */
    const parley_stream_request_t  *opening;    /* subscription that is
                                                   collected; NULL: none */

    parley_events_t                 events;
    parley_buf_t                    list;       /* collected frames, as JSON */
    int64_t                         n;
    int64_t                         max;
    parley_str_t                    gap;        /* JSON of a gap; empty: none */
    size_t                          last_len;
    uint8_t                         last[PARLEY_EVENTS_FIELD];

    unsigned                        read:1;     /* doc is JSON */
    unsigned                        foreign:1;  /* the client's version of MCP
                                                   is not supported */
    unsigned                        full:1;     /* no further message is
                                                   collected */
    unsigned                        again:1;    /* the frame is a duplicate */
} parley_gate_mcp_t;


/* Runs the step SERVE for a call of MCP.  Answers a request that does not call
   a tool.  A frame continues as the body of the message. */
parley_step_result_t parley_gate_mcp(parley_gate_t *g);

/* Sets the error for an invalid member; returns -1. */
int parley_gate_mcp_invalid(parley_gate_t *g, const char *pointer,
    const char *text);


/* parley_gate_mcp_tool.c */

/* Finds the tool that is called, and validates its arguments.  Returns 0, or
   -1. */
int parley_gate_mcp_tool(parley_gate_t *g);

/* Calls the tool.  Called again after a wait. */
parley_step_result_t parley_gate_mcp_verb(parley_gate_t *g);


/* parley_gate_serving.c */

/* Reads the arguments of a query from the call.  Returns 0, or -1: an argument
   is invalid, or no memory. */
int parley_gate_serving_arguments(parley_gate_t *g, parley_arguments_t *ret);


/* parley_gate_cancel.c: MCP-06 */

/* Sets o->call to the name of the JSON-RPC call that is held.  Leaves it empty
   for other requests.  Returns 0, or -1: no memory. */
int parley_gate_call(parley_gate_t *g, parley_stream_request_t *o);

/* Ends the call that a notifications/cancelled names, if there is one.  Returns
   0, PARLEY_WAIT, or -1: no memory. */
int parley_gate_cancel(parley_gate_t *g, const parley_json_t *doc);


/* parley_gate_collect.c */

/* Begins to collect messages by a subscription.  Returns 1 if it is open, 0 if
   it cannot be opened, PARLEY_WAIT. */
int parley_gate_collect_may(parley_gate_t *g, parley_stream_request_t *opening);

/*
 * Replaces ret->body, the JSON object of a tool, with the result of the call,
 * which includes the collected messages.  Returns 0, or -1: no memory.
 */
int parley_gate_collect_result(parley_gate_t *g, parley_reply_t *ret);


#endif /* PARLEY_GATE_MCP_H */
