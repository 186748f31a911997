/*
 * The duplicate window: the identity of a message (AEE-16, GW-18, GW-20).
 * Messages are equal if they have the same protocol, sender, id and receiver.
 * The receiver is the recipient that the message names, and its scope.  If the
 * recipient is a group, a broadcast or missing, the receiver also includes the
 * place where the message arrived: a sender may send such a message to several
 * places under one id.
 */

#ifndef PARLEY_WINDOW_H
#define PARLEY_WINDOW_H

#include "core/parley_json_print.h"
#include "translate/parley_msg.h"
#include "state/parley_state.h"
#include "gate/party/parley_who.h"


/* place where a message arrived, from the adapter */
typedef struct {
    parley_str_t  server;       /* name of the server */
    parley_str_t  location;     /* location as written in the configuration */
    parley_str_t  captures;     /* captures of its regular expression, or
                                   empty */
    parley_str_t  receiver;     /* value of parley_window receiver= that
                                   replaces these three; empty: none */
    parley_str_t  self;         /* the gateway's own name in the message's
                                   protocol; may be empty */
} parley_arrival_t;


/*
 * Returns whether the window has the message: handshakes, reads, log records
 * and calls without a key are not in it.
 */
int parley_window_knows(const parley_msg_t *m);

/*
 * Returns whether the receiver includes the place.  self is as in
 * parley_arrival_t.  A message to self is treated as one without a recipient:
 * both may be for the gateway.
 */
int parley_window_is_local(const parley_msg_t *m, parley_str_t self);

/*
 * Makes the key of the message's id.  place may be NULL unless
 * parley_window_is_local().
 */
void parley_window_key(const parley_state_t *state, const parley_who_t *who,
    const parley_arrival_t *place, uint8_t out[PARLEY_KEY_LEN]);

/* Makes the key of the first answer, which is only repeated at this place. */
void parley_window_answer_key(const parley_state_t *state,
    const uint8_t id[PARLEY_KEY_LEN], const parley_arrival_t *place,
    uint8_t out[PARLEY_KEY_LEN]);

/*
 * Makes the print of the message, see parley_json_print.h.  Members that may
 * differ in a retry are left out: the signature, the credential, and those of
 * the codec.  said is the content of which the message was made, which is used
 * instead; or node NONE.  Returns 0, or -1: no memory.
 */
int parley_window_print(const parley_state_t *state, const parley_msg_t *m,
    parley_json_ref_t said, uint8_t out[PARLEY_PRINT_LEN])
    __attribute__((warn_unused_result));


#endif /* PARLEY_WINDOW_H */
