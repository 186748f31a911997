/*
 * A message that was sent to a service, and what comes back in the response:
 * one whole answer, or a stream of events.  Each answer is understood, bound
 * to its question (SEC-08), checked by the schemas of intents (AEE-33) and told
 * in the caller's protocol; what it does to the message's reservation and
 * whether the question is closed with it is decided here and nowhere else
 * (GW-12).
 *
 *     whole answer   parley_exchange_answer()
 *     events         parley_exchange_event() for each, and then
 *                    parley_exchange_end()
 */

#ifndef PARLEY_EXCHANGE_H
#define PARLEY_EXCHANGE_H

#include "gate/party/parley_responder_check.h"
#include "translate/parley_engine.h"
#include "translate/parley_intents.h"
#include "http/parley_media.h"
#include "gate/correlation/parley_responders.h"
#include "gate/correlation/parley_seal.h"
#include "gate/party/parley_who.h"


/*
 * What becomes of the message's reservation; what is decided is final.  A whole
 * answer takes the id, whatever it says, unless it says that the message may
 * come again; so does one that is no good.  A status beside 2xx, an answer that
 * breaks off, a deadline, a token that expires free it
 * (parley_upstream_error.h).
 */
typedef enum {
    PARLEY_SETTLE_OPEN = 0,     /* not decided yet */
    PARLEY_SETTLE_COMMIT,       /* its id counts as seen */
    PARLEY_SETTLE_RELEASE       /* it may come again */
} parley_settle_t;


typedef struct {

    /* what the caller sets; all of it outlives the exchange */
    parley_arena_t              *arena;
    const parley_engine_t       *engine;
    const parley_intents_t      *intents;   /* NULL: no schemas */
    const parley_json_limits_t  *limits;
    uint64_t                     seed;      /* as in parley_json_read() */
    parley_who_t                *who;       /* of the caller's message */
    const parley_supervision_t  *means;     /* what that means to its parent */
    const parley_jwk_t          *key;       /* signs what is made; NULL: none */
    const parley_encode_opts_t  *sent_opts; /* that it was sent on with */
    const parley_encoded_t      *sent;      /* as the service got it */
    parley_proto_t               speak;     /* in this protocol */
    parley_str_t                 gateway;   /* see parley_bond_t */
    const parley_str_t          *self;      /* see parley_bond_t */
    unsigned                     any_case:1; /* see parley_gate_conf_t */
    unsigned                     elsewhere:1; /* answers go to a scope that the
                                               request names, not to its
                                               sender (ACH-31) */

    /* made by parley_exchange_init() */
    const parley_msg_t          *request;
    parley_encode_opts_t         opts;
    parley_bond_t                bond;
    parley_who_t                 asked;     /* who, in the arena at hand */
    parley_seal_t                seal;

    /* of a stream */
    parley_settle_t              settle;
    parley_responders_t          responders;
    unsigned                     told:1;    /* the caller of one answer has
                                               it */
    unsigned                     closed:1;  /* nothing more is told */
    unsigned                     answered:1; /* an event was final */
} parley_exchange_t;


/* what came of an answer, an event, or the end of a stream */
typedef struct {
    parley_settle_t       settle;       /* now; as before: nothing changes */

    /*
     * For the caller.  Of an event without said there is nothing, and where its
     * protocol cannot say it reply.why for the log; with ends the reply is the
     * last there is.
     */
    parley_reply_t        reply;
    parley_str_t          traceparent;  /* AEE-12; empty: none */
    unsigned              copied:1;     /* reply.body is the service's octets,
                                           reply.status its status */
    unsigned              said:1;
    unsigned              ends:1;
    unsigned              over:1;       /* nothing that comes later counts */
    unsigned              unsure:1;     /* of the end: it may have come early,
                                           before a final answer */

    /* for the log and the state */
    parley_answer_kind_t  kind;
    parley_act_t          act;          /* of a MESSAGE */
    parley_str_t          code;         /* of a failure or refusal, may be
                                           empty */
    unsigned              final:1;      /* it answers the question for good */
    unsigned              closes:1;     /* and nobody else is to */
    unsigned              takes:1;      /* its responder's slot of a question
                                           that is for several */
    unsigned              late:1;       /* it came when that was done: it is
                                           dropped */
    parley_encoded_t      message;      /* VCP 6.2: an acknowledgment as a
                                           message of the caller's protocol,
                                           where reply only repeats it; empty:
                                           it is none, or reply is that */
    unsigned              told:1;       /* settled: somebody gets that message,
                                           now or later */
    unsigned              untold:1;     /* the same: it found no room, and is
                                           in the reply alone, if that is not
                                           over */
    parley_str_t          principal;    /* of a final answer: who gave it, see
                                           parley_responder_expected() */
    parley_str_t          session;
} parley_answered_t;


/* one whole HTTP response */
typedef struct {
    int               status;
    parley_str_t      body;
    parley_charset_t  charset;      /* by its Content-Type */
    int64_t           wait_ms;      /* its Retry-After; 0: none */
    unsigned          open:1;       /* nothing says where the body ends but the
                                       connection: it may be cut */
    unsigned          published:1;  /* the body is a message of its own, no
                                       answer of HTTP's binding */
} parley_response_t;


/* All but what the caller sets is zero before. */
void parley_exchange_init(parley_exchange_t *x);

/*
 * A whole answer.  Returns 0 and *ret, or -1 with *err for the caller; in both
 * cases ret->settle is decided.  The spans of *ret live as long as the arena
 * and the response.
 */
int parley_exchange_answer(parley_exchange_t *x, parley_arena_t *arena,
    const parley_response_t *response, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * One event of a stream of status 200; data is what it says.  An event that
 * says nothing in the caller's protocol is none.  Returns as above: after an
 * error nothing more of the stream is of use.
 */
int parley_exchange_event(parley_exchange_t *x, parley_arena_t *arena,
    parley_str_t data, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * What an event said came when that was done, as the state knows: it is
 * dropped, and a caller of one answer still has none.
 */
void parley_exchange_late(parley_exchange_t *x, parley_answered_t *ret);

/*
 * The stream is over; whole: as the service ended it, else it broke off, or
 * the gateway ended it.  What a caller still waits for that takes one answer
 * is in *ret; a service of JSON-RPC itself owes the response, and without it
 * the stream is not whole.  Returns as above.
 */
int parley_exchange_end(parley_exchange_t *x, parley_arena_t *arena,
    int whole, int64_t now_ms, parley_answered_t *ret, parley_loss_t *loss,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether the caller's protocol has one JSON object for an answer, even of a
 * service that answers in events: its first outcome that is said is all that
 * it gets, in a response of its own.
 */
int parley_exchange_is_single(const parley_exchange_t *x);

/*
 * Returns whether the text begins an object or an array that it does not close:
 * the rest of it is missing.
 */
int parley_exchange_is_cut(parley_str_t text);


#endif /* PARLEY_EXCHANGE_H */
