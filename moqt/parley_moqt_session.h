/*
 * The control side of a session, for both roles: messages in, messages and
 * faults out (sections 3.3, 5, 9 and 10.1 of the draft).  It knows which
 * requests live, their answers, aliases of tracks, and the numbers of requests
 * that both sides may send.  It does not know connections, time or tokens.
 *
 * A request ID must be the next one of its sender.  SUBSCRIBE_NAMESPACE comes
 * on a stream of its own, so that it and requests of the control stream can
 * overtake each other.  An ID that is skipped is therefore a fault only when it
 * is still missing at parley_moqt_session_late().  IDs of the control stream
 * must ascend.
 *
 * Aliases of tokens are not kept: MAX_AUTH_TOKEN_CACHE_SIZE is 0.
 */

#ifndef PARLEY_MOQT_SESSION_H
#define PARLEY_MOQT_SESSION_H

#include "moqt/parley_moqt_control.h"


typedef enum {
    PARLEY_MOQT_FREE = 0,
    PARLEY_MOQT_PENDING,        /* waits for its answer */
    PARLEY_MOQT_ESTABLISHED,
    PARLEY_MOQT_CANCELLED       /* ended by its sender before its answer */
} parley_moqt_state_t;


/* a request that lives; SUBSCRIBE and PUBLISH are subscriptions */
typedef struct {
    uint64_t  id;
    uint64_t  alias;            /* Track Alias */
    void     *data;             /* the caller's, at first NULL */
    uint8_t   type;             /* parley_moqt_type_t of the request */
    uint8_t   state;            /* parley_moqt_state_t */
    unsigned  own:1;            /* sent by this side */
    unsigned  has_alias:1;
} parley_moqt_request_t;


/* effect of a message that was accepted */
typedef struct {
    parley_moqt_request_t  *request;    /* new request, also of
                                           REQUEST_UPDATE; request that the
                                           message answers or ends; NULL:
                                           none, or it ended before.  Valid
                                           until the next call */
    unsigned                ended:1;    /* the request ended with the message;
                                           one that is CANCELLED still has to
                                           be answered */
} parley_moqt_effect_t;


/* Members are only read by callers. */
typedef struct {
    const parley_moqt_draft_t  *draft;
    parley_moqt_control_t       control;    /* reads the control stream */
    parley_moqt_role_t          role;       /* of this side */
    unsigned                    setup_in:1;     /* SETUP was received */
    unsigned                    setup_out:1;    /* SETUP was sent */
    unsigned                    goaway_in:1;
    unsigned                    goaway_out:1;

    uint64_t                    next_in;    /* ID of the peer's next request */
    uint64_t                    next_out;
    uint64_t                    ordered;    /* IDs of the control stream are at
                                               or above it */
    uint64_t                    maximum_in; /* IDs of the peer are below it */
    uint64_t                    maximum_out;    /* own IDs are below it */
    uint64_t                    closed;     /* requests of the peer that ended
                                               since the last grant */
    size_t                      limit;      /* live requests of each side */
    size_t                      missing;    /* IDs in gaps */
    uint64_t                   *gaps;       /* IDs that were skipped */
    parley_moqt_request_t      *requests;   /* 2 * limit */
} parley_moqt_session_t;


/*
 * Begins a session.  limit is the number of requests of each side that live at
 * a time, at least 1; the MAX_REQUEST_ID of this side's SETUP must be 2 *
 * limit.  Returns 0, or -1 if memory is exhausted.
 */
int parley_moqt_session_init(parley_moqt_session_t *s,
    const parley_moqt_draft_t *draft, const parley_mem_t *mem,
    parley_moqt_role_t role, size_t limit)
    __attribute__((warn_unused_result));

void parley_moqt_session_free(parley_moqt_session_t *s);

/*
 * Takes octets of the control stream up to the next message, as
 * parley_moqt_control_next(), and accepts it.
 */
int parley_moqt_session_take(parley_moqt_session_t *s, parley_str_t *in,
    parley_moqt_message_t *ret, parley_moqt_effect_t *effect,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/*
 * Accepts a message of the peer: of the control stream, or, once SETUP was
 * received, of another bidirectional stream.  Returns 0 with *effect, or -1
 * with a fault that ends the session:
 *
 *   PROTOCOL_VIOLATION     SETUP is not first, or comes twice; a second GOAWAY;
 *                          a server gets GOAWAY with a URI; a maximum that does
 *                          not grow; a second answer; a message about a request
 *                          that never was, or is of another type
 *   INVALID_REQUEST_ID     of the wrong parity, out of order, used before
 *   TOO_MANY_REQUESTS      at or above the maximum
 *   DUPLICATE_TRACK_ALIAS  the alias of another track of the peer
 *   AUTH_TOKEN_CACHE_OVERFLOW   a token is registered after SETUP
 *   UNKNOWN_AUTH_TOKEN_ALIAS    a token is named by an alias
 *
 * A message that ends or updates a request that has ended is allowed: both
 * sides may end it at the same time.
 */
int parley_moqt_session_accept(parley_moqt_session_t *s,
    const parley_moqt_message_t *message, parley_moqt_effect_t *effect,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/*
 * Appends a message of this side and notes its effect.  A new request gets its
 * ID: message->request.  SETUP must have MAX_REQUEST_ID; later ones are sent by
 * parley_moqt_session_grant() alone.  Returns 0; PARLEY_MOQT_BLOCKED if the
 * peer permits no further request now, or has sent GOAWAY; or -1 with
 * INTERNAL_ERROR if the peer would close the session because of the message, or
 * a member exceeds a limit.
 */
#define PARLEY_MOQT_BLOCKED  1

int parley_moqt_session_send(parley_moqt_session_t *s, parley_buf_t *b,
    parley_moqt_message_t *message, parley_moqt_effect_t *effect,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/*
 * Appends MAX_REQUEST_ID if half of the permitted requests have ended since the
 * last time.  Returns whether it did.
 */
int parley_moqt_session_grant(parley_moqt_session_t *s, parley_buf_t *b);

/* Ends a request that no message ends: a FETCH whose stream has ended, a
   SUBSCRIBE_NAMESPACE whose stream was closed. */
void parley_moqt_session_done(parley_moqt_session_t *s,
    parley_moqt_request_t *request);

/* Returns the live request of an ID, or NULL. */
parley_moqt_request_t *parley_moqt_session_request(parley_moqt_session_t *s,
    uint64_t id);

/* Returns the subscription to a track of the peer with this alias, or NULL. */
parley_moqt_request_t *parley_moqt_session_alias(parley_moqt_session_t *s,
    uint64_t alias);

/*
 * Checks the IDs that were skipped, some time after parley_moqt_session_take().
 * Returns 0, or -1 with INVALID_REQUEST_ID if s->missing is not 0.
 */
int parley_moqt_session_late(const parley_moqt_session_t *s,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/* Fills *fault for a control stream that the peer has closed.  Returns -1. */
int parley_moqt_session_closed(parley_moqt_fault_t *fault);


#endif /* PARLEY_MOQT_SESSION_H */
