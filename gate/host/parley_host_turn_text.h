/*
 * The text of a turn, and the time at which it is offered: functions without a
 * state.  The text is the message of the turn's publication: its fragments, in
 * their order.
 */

#ifndef PARLEY_HOST_TURN_TEXT_H
#define PARLEY_HOST_TURN_TEXT_H

#include "core/parley_buf.h"
#include "core/parley_str.h"


#define PARLEY_TURN_MAX     50              /* fragments, */
#define PARLEY_TURN_OCTETS  (64 << 10)      /* and octets of their messages */
#define PARLEY_TURN_TYPING  10000           /* ms until a notification of typing
                                               means nothing */


/* a fragment */
typedef struct {
    parley_str_t  id;           /* of its message; that may be edited */
    parley_str_t  message;      /* as accepted: the message, or its edit */
} parley_turn_text_t;

/* Writes the next fragment. */
void parley_turn_text_write(parley_buf_t *b, const parley_turn_text_t *part);

/* Reads the next fragment, with spans of *rest.  Returns 1, or 0 at the end, or
   if the text is invalid. */
int parley_turn_text_next(parley_str_t *rest, parley_turn_text_t *ret);

/* Returns the message of the last fragment; empty if the text is invalid. */
parley_str_t parley_turn_text_last(parley_str_t text);


/* facts that decide when a turn is offered; times are of the wall clock */
typedef struct {
    int64_t   quiet_ms;         /* after the newest fragment */
    int64_t   max_ms;           /* after the first one */
    int64_t   first_ms;
    int64_t   newest_ms;
    int64_t   typing_ms;        /* the author types until then; 0: not */
    int64_t   limit_ms;         /* a quarter of the deadline of a fragment is
                                   over then */
    unsigned  full:1;           /* no fragment more fits */
} parley_turn_times_t;

/* Returns the time at which the turn is offered. */
int64_t parley_turn_due(const parley_turn_times_t *t);


#endif /* PARLEY_HOST_TURN_TEXT_H */
