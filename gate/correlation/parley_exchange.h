/*
 * Answers of a service to one message that was sent to it: one whole response,
 * or a stream of events.  Each answer is decoded, bound to its question
 * (SEC-08), checked by the schemas of intents (AEE-33) and encoded in the
 * caller's protocol.  Only parley_exchange.c decides how an answer settles the
 * message's id, and whether it closes the question (GW-12).
 *
 *     whole answer   parley_exchange_answer()
 *     events         parley_exchange_event() for each, and then
 *                    parley_exchange_end()
 */

#ifndef PARLEY_EXCHANGE_H
#define PARLEY_EXCHANGE_H

#include "gate/correlation/parley_answered.h"
#include "gate/party/parley_responder_check.h"
#include "translate/parley_codec_types.h"
#include "http/parley_media.h"
#include "gate/correlation/parley_responders.h"
#include "gate/correlation/parley_seal.h"
#include "gate/correlation/parley_verdict.h"
#include "gate/party/parley_who.h"


struct parley_intents_s;        /* parley_intents.h */
struct parley_loss_s;           /* parley_loss.h */


typedef struct parley_exchange_s {

    /* set by the caller; must outlive the exchange */
    parley_arena_t              *arena;
    const parley_engine_t       *engine;
    const struct parley_intents_s  *intents;    /* schemas; NULL: none */
    const parley_json_limits_t  *limits;
    uint64_t                     seed;      /* as in parley_json_read() */
    parley_who_t                *who;       /* parties of the caller's
                                               message */
    const parley_supervision_t  *supervision;   /* meaning of the message in a
                                                   hierarchy */
    const parley_jwk_t          *key;       /* key that signs encoded answers;
                                               NULL: none */
    const parley_encode_opts_t  *sent_opts; /* options with which the message
                                               was sent */
    const parley_encoded_t      *sent;      /* message as the service received
                                               it */
    parley_proto_t               speak;     /* protocol of the service */
    parley_str_t                 gateway;   /* see parley_bond_t */
    const parley_str_t          *self;      /* see parley_bond_t */
    unsigned                     any_case:1; /* see parley_gate_conf_t */
    unsigned                     elsewhere:1; /* the request names a scope for
                                                 its answers, so they do not go
                                                 to its sender (ACH-31) */

    /* set by parley_exchange_init() */
    const parley_msg_t          *request;
    parley_encode_opts_t         opts;
    parley_bond_t                bond;
    parley_who_t                 asked;     /* copy of *who in the arena of the
                                               current answer */
    parley_seal_t                seal;

    /* state of a stream */
    parley_settle_t              settle;
    parley_responders_t          responders;
    unsigned                     replied:1; /* a caller that gets one answer has
                                               it */
    unsigned                     closed:1;  /* further events are dropped */
    unsigned                     answered:1; /* an event was final */
} parley_exchange_t;


/* a whole HTTP response */
typedef struct parley_response_s {
    int               status;
    parley_str_t      body;
    parley_charset_t  charset;      /* charset of its Content-Type */
    int64_t           wait_ms;      /* ms of its Retry-After; 0: none */
    unsigned          open:1;       /* only the end of the connection ends the
                                       body, so it may be cut */
    unsigned          published:1;  /* the body is a published message, not an
                                       HTTP answer of the protocol */
} parley_response_t;


/* Prepares an exchange after the caller has set its members.  The other members
   must be zero. */
void parley_exchange_init(parley_exchange_t *x);

/*
 * Reads a whole answer.  Returns 0 and *ret, or -1 with *err for the caller;
 * both set ret->settle.  The spans of *ret live as long as the arena and the
 * response.
 */
int parley_exchange_answer(parley_exchange_t *x, parley_arena_t *arena,
    const parley_response_t *response, int64_t now_ms, parley_answered_t *ret,
    struct parley_loss_s *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads one event of a stream with status 200.  data is its data.  An event
 * that the caller's protocol cannot express is dropped.  Returns as
 * parley_exchange_answer().  After an error the rest of the stream must not be
 * read.
 */
int parley_exchange_event(parley_exchange_t *x, parley_arena_t *arena,
    parley_str_t data, int64_t now_ms, parley_answered_t *ret,
    struct parley_loss_s *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Drops an event after the state found that its responder has already answered.
 * A caller that gets one answer still waits for it.
 */
void parley_exchange_late(parley_exchange_t *x, parley_answered_t *ret);

/*
 * Reads the end of a stream.  whole: the service ended it; else it broke off,
 * or the gateway ended it.  *ret has the answer for a caller that still waits
 * for one.  A service of JSON-RPC has to send the response itself: without it
 * the stream is not whole.  Returns as parley_exchange_answer().
 */
int parley_exchange_end(parley_exchange_t *x, parley_arena_t *arena,
    int whole, int64_t now_ms, parley_answered_t *ret,
    struct parley_loss_s *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether the caller's protocol has one JSON object for an answer.  If
 * the service answers in events, the caller gets the first outcome, as a
 * response.
 */
int parley_exchange_is_single(const parley_exchange_t *x);

/*
 * Returns whether the text begins an object or an array that it does not close.
 */
int parley_exchange_is_cut(parley_str_t text);


#endif /* PARLEY_EXCHANGE_H */
