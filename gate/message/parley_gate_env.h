/*
 * What the adapter of a gate brings: the steps that are its own, the clock,
 * what only it knows of the request, and whom the gate tells what it decided.
 */

#ifndef PARLEY_GATE_ENV_H
#define PARLEY_GATE_ENV_H

#include "auth/parley_certificate.h"
#include "translate/parley_codec.h"
#include "auth/parley_jwk.h"
#include "gate/settings/parley_step.h"
#include "core/parley_str.h"
#include "gate/correlation/parley_verdict.h"
#include "gate/admission/parley_window.h"


typedef struct parley_gate_s  parley_gate_t;

struct parley_stream_request_s;        /* parley_stream_request.h */
struct parley_value_s;          /* parley_settings.h */


/* the keys that tokens are verified with */
typedef struct {
    const parley_jwks_t  *set;          /* perhaps without any; lives as long as
                                           the call of the gate */
    uint64_t              number;       /* of the set: another's is another;
                                           below 1 << 48 */
} parley_keys_t;

typedef parley_step_result_t (*parley_step_pt)(parley_gate_t *g);


/* What the adapter brings. */
typedef struct {
    /* its steps; NULL: nothing to do */
    parley_step_pt      steps[PARLEY_STEP_COUNT];

    /* The wall clock, in milliseconds. */
    int64_t           (*now)(parley_gate_t *g);

    /* 16 octets that nobody can guess; 0, or -1: FAILED.  NULL: nobody opens
       a stream. */
    int               (*random)(parley_gate_t *g, uint8_t out[16]);

    /* Something was appended: every process is to look (parley_hub_wake()).
       NULL: there is no other. */
    void              (*wake)(parley_gate_t *g);

    /*
     * The request is to be held for what the subscription brings (HUB-07).
     * Returns 1: that is open, and stays until what it brought was given to
     * parley_gate_held(), or it ends; 0: it cannot be; -1: it is refused, with
     * the error; PARLEY_WAIT: PUBLISH waits for it, and asks again.  NULL:
     * nothing is held, and nothing is refused for that.
     */
    int               (*hold)(parley_gate_t *g,
                          const struct parley_stream_request_s *opening);

    /* A header of the request, as parley_binding.h asks; NULL: none. */
    int               (*header)(parley_gate_t *g, parley_str_t name,
                          parley_str_t *ret);

    /* Calls found with each header of a name, which is in lower case. */
    void              (*headers)(parley_gate_t *g, parley_str_t name,
                          void (*found)(void *data, parley_str_t value),
                          void *data);

    /* What a directive's value is for this request; or -1: FAILED. */
    int               (*value)(parley_gate_t *g,
                          const struct parley_value_s *value,
                          parley_str_t *ret);

    /*
     * The keys there are: 0 and *ret.  With an age those will not do: others,
     * unless it fetched them less than so many milliseconds ago, which leaves
     * *ret alone.  PARLEY_WAIT: they are fetched, PROOF waits for them.
     */
    int               (*keys)(parley_gate_t *g, int64_t age,
                          parley_keys_t *ret);

    /*
     * The client's certificate, which TLS has verified; NULL: there is none.
     * Returns 0, or -1 with g->err.  NULL: nobody has one.
     */
    int               (*certificate)(parley_gate_t *g,
                          const parley_certificate_t **ret);

    /*
     * Sets what only it knows of a submission: random of a message that is
     * anonymous, the same each time.  May be NULL.  Returns 0, or -1: FAILED.
     */
    int               (*beside)(parley_gate_t *g, parley_submission_t *ret);

    /* Where the message came to (GW-18), but for ret->self and ->receiver; the
       same. */
    int               (*arrival)(parley_gate_t *g, parley_arrival_t *ret);

    /* The trace of the request, for a message that has none; may be NULL. */
    void              (*trace)(parley_gate_t *g, parley_str_t *trace_id,
                          parley_str_t *span_id);

    /* Is told what each step came to; may be NULL. */
    void              (*step_done)(parley_gate_t *g, parley_step_t step,
                          parley_step_result_t result);

    /*
     * Both may be NULL, and neither may call the gate.  Of each message that
     * came to the gate g->verdict is told once, with g->err where it says so:
     * when parley_gate_run() or parley_gate_refuse() has decided it, before
     * anything is sent; of one that still waited (for its body, keys, the
     * state) when its request ended, OTHER, by parley_gate_leave().  FAILED is
     * never told here, nor what is decided of a message that continues (GW-24).
     *
     * Of those that went on (PASSED, DRY_PASSED, DRY_REFUSED), and of no other,
     * it is told later what came of them, once too: with the end of the answer
     * or of its events, when that is settled and before the last of it is sent;
     * with the first failure; else when the request ends.  Of a message that
     * continues it is told of the last place that it came to.  A client that
     * leaves changes nothing (GW-21), nor does an event after the last.
     */
    void              (*verdict)(parley_gate_t *g);

    /*
     * The message is about to pass, or to be answered here (PASSED, ANSWERED):
     * that is to be written first (OPS-06).  Where it cannot be, the gate
     * refuses the message or goes on, as parley_audit says.  Asked once of a
     * message, before it changes anything, and of none in a dry run; the
     * verdict that is told follows in any case.  May be NULL.
     */
    parley_recorded_t (*record)(parley_gate_t *g, parley_verdict_t verdict);

    void              (*outcome)(parley_gate_t *g,
                          const parley_outcome_t *outcome);
} parley_gate_env_t;


#endif /* PARLEY_GATE_ENV_H */
