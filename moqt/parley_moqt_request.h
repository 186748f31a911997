/*
 * Parts of parley_moqt_session.h: the requests of a session, which messages of
 * both sides open, answer and end.  own is whether this side sends the message.
 * The functions return 0, or -1 with the fault for which the receiver of the
 * message closes the session.
 */

#ifndef PARLEY_MOQT_REQUEST_H
#define PARLEY_MOQT_REQUEST_H

#include "moqt/parley_moqt_session.h"


/* Opens the request of a message whose row has a new Request ID. */
int parley_moqt_request_open(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, unsigned own,
    parley_moqt_effect_t *effect, parley_moqt_fault_t *fault);

/*
 * Answers or ends the request of a message; does nothing for a message that is
 * not about a request.
 */
int parley_moqt_request_about(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, unsigned own,
    parley_moqt_effect_t *effect, parley_moqt_fault_t *fault);

/* Frees a request.  Its members stay until the place is used again. */
void parley_moqt_request_end(parley_moqt_session_t *s,
    parley_moqt_request_t *r);

/* Fills *fault with PROTOCOL_VIOLATION.  Returns -1. */
int parley_moqt_request_violation(parley_moqt_fault_t *fault,
    const char *member, const char *text);


#endif /* PARLEY_MOQT_REQUEST_H */
