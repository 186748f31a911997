/*
 * The duplicate window: what a message is known by (AEE-16, GW-18, GW-20).  The
 * same protocol, sender and id for the same receiver are the same message.  The
 * receiver is the recipient that the message names; where that is a group, a
 * broadcast or nobody, it is besides the place that the message came to: what
 * goes to several goes to each under one id.
 */

#ifndef PARLEY_WINDOW_H
#define PARLEY_WINDOW_H

#include "core/parley_json_print.h"
#include "translate/parley_msg.h"
#include "state/parley_state.h"
#include "gate/party/parley_who.h"


/* where a message came to, in the adapter's words */
typedef struct {
    parley_str_t  server;       /* its name */
    parley_str_t  location;     /* as it is written */
    parley_str_t  captures;     /* of its regular expression, or empty */
    parley_str_t  receiver;     /* what the operator says instead of these
                                   three; empty: nothing */
    parley_str_t  self;         /* the gateway's own name in the message's
                                   protocol; may be empty */
} parley_arrival_t;


/*
 * Whether a message is known again: handshakes, reads, log records and calls
 * without a key are not.
 */
int parley_window_knows(const parley_msg_t *m);

/*
 * Whether its receiver is the place; self: see parley_arrival_t, whoever names
 * nobody may be taken to mean the gateway.
 */
int parley_window_is_local(const parley_msg_t *m, parley_str_t self);

/* The key of its id; place may be NULL unless parley_window_is_local(). */
void parley_window_key(const parley_state_t *state, const parley_who_t *who,
    const parley_arrival_t *place, uint8_t out[PARLEY_KEY_LEN]);

/* That of its first answer, which is told at that place alone. */
void parley_window_answer_key(const parley_state_t *state,
    const uint8_t id[PARLEY_KEY_LEN], const parley_arrival_t *place,
    uint8_t out[PARLEY_KEY_LEN]);

/*
 * What it says, see parley_json_print.h, without what another try of it may
 * have otherwise: signature, credential, and what its codec says.  said: what
 * it was made of, which counts instead; or node NONE.  Returns 0, or -1: no
 * memory.
 */
int parley_window_print(const parley_state_t *state, const parley_msg_t *m,
    parley_json_ref_t said, uint8_t out[PARLEY_PRINT_LEN])
    __attribute__((warn_unused_result));


#endif /* PARLEY_WINDOW_H */
