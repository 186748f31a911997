/*
 * A call of MCP where parley_mcp stands (ACH-27); private to the gate.  What it
 * calls becomes what the gate has a way for already: a frame that is submitted,
 * a roster, a stream; what comes of that is the result of the tool.
 */

#ifndef PARLEY_GATE_MCP_H
#define PARLEY_GATE_MCP_H

#include "translate/channel/parley_channel_verb.h"
#include "http/parley_events.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/message/parley_stream_request.h"


/* what is collected where nobody says */
#define PARLEY_MCP_COLLECTED  1000


typedef struct parley_gate_mcp_s {
    parley_json_t                   doc;
    const parley_channel_verb_t    *verb;       /* NULL: it calls no tool */
    parley_json_ref_t               arguments;  /* valid; or node NONE */
    parley_str_t                    made;       /* the id in its payload */
    parley_str_t                    asked;      /* the name that it asks about;
                                                   empty: none */
    parley_str_t                    handle;     /* that it subscribes to */
    const parley_stream_request_t  *opening;    /* what is collected; NULL:
                                                   nothing */

    parley_events_t                 events;
    parley_buf_t                    list;       /* frames */
    int64_t                         n;
    int64_t                         max;
    parley_str_t                    gap;        /* JSON; empty: none */
    size_t                          last_len;
    uint8_t                         last[PARLEY_EVENTS_FIELD];

    unsigned                        read:1;     /* doc is JSON */
    unsigned                        foreign:1;  /* of a version of MCP that is
                                                   not spoken */
    unsigned                        full:1;     /* nothing more goes in */
    unsigned                        again:1;    /* its frame was there before */
} parley_gate_mcp_t;


/* The step SERVE there: a call that is no tool's is answered, a frame goes on
   as the body of the message. */
parley_step_result_t parley_gate_mcp(parley_gate_t *g);

/* Refuses a member; returns -1. */
int parley_gate_mcp_invalid(parley_gate_t *g, const char *pointer,
    const char *text);


/* parley_gate_mcp_tool.c */

/* Which tool is called, and that its arguments are valid: 0, or -1. */
int parley_gate_mcp_tool(parley_gate_t *g);

/* It is called, also again after what it waited for. */
parley_step_result_t parley_gate_mcp_verb(parley_gate_t *g);


/* parley_gate_serving.c */

/* Arguments of a query, that stand in the call: 0, or -1: no memory. */
int parley_gate_mcp_arguments(parley_gate_t *g, parley_arguments_t *ret);


/* parley_gate_cancel.c: MCP-06 */

/* Names the call of JSON-RPC that is held, if it is one: 0, or -1: no
   memory. */
int parley_gate_call(parley_gate_t *g, parley_stream_request_t *o);

/* Ends the call that a notifications/cancelled names: 0, also where it names
   none, PARLEY_WAIT, or -1: no memory. */
int parley_gate_cancel(parley_gate_t *g, const parley_json_t *doc);


/* parley_gate_collect.c */

/* Opens what is collected: 1: it is open, 0: it cannot be, PARLEY_WAIT. */
int parley_gate_collects(parley_gate_t *g, parley_stream_request_t *opening);

/*
 * What came of the tool, a JSON object in ret->body, is its result, with what
 * was collected.  -1: no memory.
 */
int parley_gate_mcp_result(parley_gate_t *g, parley_reply_t *ret);


#endif /* PARLEY_GATE_MCP_H */
