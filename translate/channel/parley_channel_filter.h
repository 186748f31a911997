/*
 * Filters of a stream (agent-channel section 8, ACH-22): clauses key:value,
 * separated by commas, which must all match.
 *
 *   kind:agent_query,sender:~alice
 */

#ifndef PARLEY_CHANNEL_FILTER_H
#define PARLEY_CHANNEL_FILTER_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "core/parley_str.h"


#define PARLEY_CHANNEL_FILTER_MAX  64   /* clauses */


typedef enum {
    PARLEY_CHANNEL_AXIS_KIND = 0,
    PARLEY_CHANNEL_AXIS_SENDER,
    PARLEY_CHANNEL_AXIS_CONTENT_TYPE,
    PARLEY_CHANNEL_AXIS_TOOL,
    PARLEY_CHANNEL_AXIS_ORG,
    PARLEY_CHANNEL_AXES
} parley_channel_axis_t;


typedef struct {
    parley_channel_axis_t  axis;
    parley_str_t           value;   /* span of the filter's text */
} parley_channel_clause_t;


typedef struct {
    parley_channel_clause_t  *clauses;
    uint32_t                  nclauses;
} parley_channel_filter_t;


/* values of a frame on each axis; empty: none, which no clause matches */
typedef struct {
    parley_str_t  values[PARLEY_CHANNEL_AXES];
} parley_channel_facts_t;


/*
 * Reads a filter; an empty one has no clauses.  Returns 0, or -1 with *ret
 * empty: filter-axis-unknown, filter-value-invalid (an unknown kind, a sender
 * or org that is not a canonical handle, an empty value, too many clauses),
 * with the field "filter"; or capacity.
 */
int parley_channel_filter_parse(parley_arena_t *arena, parley_str_t text,
    parley_channel_filter_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Finds the values of a frame, except org, and its recipient: strings of the
 * document or its arena.  The frame need not be valid.  Returns 0, or -1 if
 * memory is exhausted.
 */
int parley_channel_facts(const parley_json_t *doc, parley_channel_facts_t *ret,
    parley_str_t *recipient)
    __attribute__((warn_unused_result));

/* Returns whether every clause matches. */
int parley_channel_filter_admits(const parley_channel_filter_t *filter,
    const parley_channel_facts_t *facts);


#endif /* PARLEY_CHANNEL_FILTER_H */
