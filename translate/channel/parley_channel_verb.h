/*
 * The verbs of section 9 as MCP tools (ACH-27): the effect of each, and the
 * frame that it submits.
 * schemas/channel-1.0.schema.json#/$defs/agent_..._input has their arguments.
 */

#ifndef PARLEY_CHANNEL_VERB_H
#define PARLEY_CHANNEL_VERB_H

#include "core/parley_arena.h"
#include "translate/parley_engine.h"
#include "translate/parley_mcp.h"


#define PARLEY_CHANNEL_VERBS  10


/* effects of a call */
typedef enum {
    PARLEY_CHANNEL_DOES_SUBMIT = 0,     /* submits a frame */
    PARLEY_CHANNEL_DOES_QUERY,          /* submits a frame and collects the
                                           answers */
    PARLEY_CHANNEL_DOES_ROSTER,
    PARLEY_CHANNEL_DOES_SUBSCRIBE
} parley_channel_does_t;


typedef struct {
    parley_mcp_tool_t      tool;
    parley_channel_does_t  does;
    parley_str_t           kind;    /* kind of its frame; empty: an argument
                                       names it, or the verb has no frame */
    parley_str_t           intent;  /* intent of this frame */
    parley_str_t           makes;   /* member of the payload that gets an id if
                                       it is missing; empty: none */
    unsigned               home:1;  /* the recipient is the caller if the
                                       arguments name none */
} parley_channel_verb_t;


/* caller, and values of the frame that the arguments do not have */
typedef struct {
    parley_json_ref_t  arguments;       /* valid arguments */
    parley_str_t       sender;          /* handle of the caller */
    parley_str_t       acted_by;
    parley_str_t       drafted_with;
    parley_str_t       frame_id;
    parley_str_t       made;            /* id for verb->makes */
    int64_t            now_ms;
    int64_t            window_ms;       /* time for which answers are
                                           collected */
} parley_channel_call_t;


/* Returns the verb number i, which is less than PARLEY_CHANNEL_VERBS. */
const parley_channel_verb_t *parley_channel_verb(unsigned i);

/* Finds the verb that a JSON value names.  PARLEY_CHANNEL_VERBS: the name is
   unknown. */
unsigned parley_channel_verb_find(const parley_json_t *doc, uint32_t name);

/*
 * Writes the frame.  *made is the value of verb->makes in its payload, or
 * empty.  The arguments override all other values.  Returns 0, or -1 if memory
 * is exhausted.
 */
int parley_channel_verb_frame(parley_arena_t *arena,
    const parley_channel_verb_t *verb, const parley_channel_call_t *call,
    parley_str_t *ret, parley_str_t *made)
    __attribute__((warn_unused_result));


/* octets of a sender's handle after "~cc-" in its instrument */
#define PARLEY_CHANNEL_INSTRUMENT_MAX  29

/*
 * Returns the part of a sender's handle, without "~", that follows "~cc-" in
 * its default instrument.
 */
parley_str_t parley_channel_instrument_part(parley_str_t sender);

/*
 * Makes the default instrument of a sender: ~cc-x for ~x, with x cut to the
 * length of a handle.  A sender ~cc-x is its own instrument.  Returns 0, or -1
 * if memory is exhausted.
 */
int parley_channel_instrument(parley_arena_t *arena, parley_str_t sender,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Returns the word of an error in agent-channel. */
parley_str_t parley_channel_called(parley_code_t code);


/* schemas of the verbs, which are the codec's parts, in the same order */
extern const parley_str_t  parley_channel_inputs[PARLEY_CHANNEL_VERBS];


#endif /* PARLEY_CHANNEL_VERB_H */
