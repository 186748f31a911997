/*
 * The verbs of section 9, as tools of MCP (ACH-27): what of each is asked for,
 * and the frame that it becomes.  Their arguments are valid by
 * schemas/channel-1.0.schema.json#/$defs/agent_..._input.
 */

#ifndef PARLEY_CHANNEL_VERB_H
#define PARLEY_CHANNEL_VERB_H

#include "core/parley_arena.h"
#include "translate/parley_engine.h"
#include "translate/parley_mcp.h"


#define PARLEY_CHANNEL_VERBS  10


/* what becomes of a call */
typedef enum {
    PARLEY_CHANNEL_DOES_SUBMIT = 0,     /* a frame is submitted */
    PARLEY_CHANNEL_DOES_QUERY,          /* and what answers it is collected */
    PARLEY_CHANNEL_DOES_ROSTER,
    PARLEY_CHANNEL_DOES_SUBSCRIBE
} parley_channel_does_t;


typedef struct {
    parley_mcp_tool_t      tool;
    parley_channel_does_t  does;
    parley_str_t           kind;    /* of its frame; empty: it is said, or there
                                       is none */
    parley_str_t           intent;  /* of such a frame */
    parley_str_t           makes;   /* the id that its payload gets where it has
                                       none; empty: none */
    unsigned               home:1;  /* its recipient is the caller, where the
                                       arguments name none */
} parley_channel_verb_t;


/* who calls, and what the frame has that the call does not say */
typedef struct {
    parley_json_ref_t  arguments;       /* valid */
    parley_str_t       sender;          /* its handle */
    parley_str_t       acted_by;
    parley_str_t       drafted_with;
    parley_str_t       frame_id;
    parley_str_t       made;            /* verb->makes */
    int64_t            now_ms;
    int64_t            window_ms;       /* that answers are collected for */
} parley_channel_call_t;


/* i below PARLEY_CHANNEL_VERBS */
const parley_channel_verb_t *parley_channel_verb(unsigned i);

/* The number of the verb that a JSON value names; PARLEY_CHANNEL_VERBS: it
   names none. */
unsigned parley_channel_verb_find(const parley_json_t *doc, uint32_t name);

/*
 * Writes the frame; *made is what its payload has as verb->makes, or empty.
 * What the arguments say counts.  -1: no memory.
 */
int parley_channel_verb_frame(parley_arena_t *arena,
    const parley_channel_verb_t *verb, const parley_channel_call_t *call,
    parley_str_t *ret, parley_str_t *made)
    __attribute__((warn_unused_result));


/* octets of a sender's handle that its instrument has behind "~cc-" */
#define PARLEY_CHANNEL_INSTRUMENT_MAX  29

/*
 * Returns the part of a sender's handle, without "~", that the instrument of a
 * sender without a listed one has behind "~cc-".
 */
parley_str_t parley_channel_instrument_part(parley_str_t sender);

/*
 * Makes the instrument of a sender for whom none is listed: ~cc-x of ~x, as far
 * as a handle has room for x; a sender ~cc-x is its own.  Returns 0, or -1: no
 * memory.
 */
int parley_channel_instrument(parley_arena_t *arena, parley_str_t sender,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/* What an error is called in agent-channel. */
parley_str_t parley_channel_called(parley_code_t code);


/* their schemas, the codec's parts, in the same order */
extern const parley_str_t  parley_channel_inputs[PARLEY_CHANNEL_VERBS];


#endif /* PARLEY_CHANNEL_VERB_H */
