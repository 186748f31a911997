/*
 * The environment of a gate, which its adapter provides: its own steps, the
 * clock, facts about the request, and the receivers of decisions.
 */

#ifndef PARLEY_GATE_ENV_H
#define PARLEY_GATE_ENV_H

#include "translate/parley_codec_types.h"
#include "auth/parley_jwk.h"
#include "gate/settings/parley_step.h"
#include "core/parley_str.h"
#include "gate/correlation/parley_verdict.h"
#include "gate/admission/parley_window.h"


typedef struct parley_gate_s  parley_gate_t;

struct parley_certificate_s;    /* parley_certificate.h */
struct parley_stream_request_s;        /* parley_stream_request.h */
struct parley_value_s;          /* parley_settings.h */


/* keys that verify tokens */
typedef struct {
    const parley_jwks_t  *set;          /* may be empty; lives as long as the
                                           call of the gate */
    uint64_t              number;       /* number of the set, different for each
                                           set; below 1 << 48 */
} parley_keys_t;

typedef parley_step_result_t (*parley_step_pt)(parley_gate_t *g);


/* callbacks of the adapter; one that may be NULL says so */
typedef struct {
    /* steps of the adapter; NULL: nothing to do */
    parley_step_pt      steps[PARLEY_STEP_COUNT];

    /* Returns the wall clock, in milliseconds. */
    int64_t           (*now)(parley_gate_t *g);

    /* Writes 16 octets that cannot be guessed.  Returns 0, or -1: FAILED.  If
       the callback is NULL, no stream can be opened. */
    int               (*random)(parley_gate_t *g, uint8_t out[16]);

    /* Tells every process to read the logs (parley_hub_wake()).  Called after
       an append.  The callback is NULL if no other process exists. */
    void              (*wake)(parley_gate_t *g);

    /*
     * Holds the request until its subscription brings an answer (HUB-07).
     * Returns 1 if the subscription is open: it stays open until
     * parley_gate_await_held() gets the answer, or until it ends.  Returns 0 if
     * the request cannot be held; -1 with g->err if it is refused; PARLEY_WAIT
     * if PUBLISH has to wait and call again.  If the callback is NULL, requests
     * are not held, and not refused for that reason.
     */
    int               (*hold)(parley_gate_t *g,
                          const struct parley_stream_request_s *opening);

    /*
     * Counts the connection of a request without a message, which passes to a
     * service, for the account g->proof.account until the request ends
     * (SEC-22).  A repeated call counts nothing.  Returns 0; or -1 with g->err:
     * the account has too many connections.  NULL: connections are not counted.
     */
    int               (*seat)(parley_gate_t *g);

    /* Reads a header of the request, as parley_binding.h describes.  If the
       callback is NULL, the request has no headers. */
    int               (*header)(parley_gate_t *g, parley_str_t name,
                          parley_str_t *ret);

    /* Calls found with each header of this name, which is in lower case. */
    void              (*headers)(parley_gate_t *g, parley_str_t name,
                          void (*found)(void *data, parley_str_t value),
                          void *data);

    /* Evaluates a directive for this request.  Returns 0, or -1: FAILED. */
    int               (*value)(parley_gate_t *g,
                          const struct parley_value_s *value,
                          parley_str_t *ret);

    /*
     * Finds the keys.  If age is 0, it returns 0 and the current keys in *ret.
     * Otherwise it fetches new keys, unless the last fetch is less than age
     * milliseconds old; then it returns 0 and leaves *ret unchanged.
     * PARLEY_WAIT: the fetch is under way, and PROOF waits for it.
     */
    int               (*keys)(parley_gate_t *g, int64_t age,
                          parley_keys_t *ret);

    /*
     * Finds the client's certificate, which TLS has verified.  *ret is NULL if
     * the client sent none.  Returns 0, or -1 with g->err.  If the callback is
     * NULL, clients have no certificates.
     */
    int               (*certificate)(parley_gate_t *g,
                          const struct parley_certificate_s **ret);

    /*
     * Sets the members of a submission that only the adapter knows: random, for
     * an anonymous message, with the same value in each call.  May be NULL.
     * Returns 0, or -1: FAILED.
     */
    int               (*beside)(parley_gate_t *g, parley_submission_t *ret);

    /* Fills the place where the message arrived (GW-18), except ret->self and
       ret->receiver.  May be NULL.  Returns 0, or -1: FAILED. */
    int               (*arrival)(parley_gate_t *g, parley_arrival_t *ret);

    /* Fills the trace of the request, for a message without one.  May be
       NULL. */
    void              (*trace)(parley_gate_t *g, parley_str_t *trace_id,
                          parley_str_t *span_id);

    /* Gets the result of each step.  May be NULL. */
    void              (*step_done)(parley_gate_t *g, parley_step_t step,
                          parley_step_result_t result);

    /*
     * verdict and outcome may be NULL, and must not call the gate.
     *
     * verdict is called once for each message at the gate.  g->report.verdict
     * and, for some verdicts, g->err are set.  parley_gate_run() or
     * parley_gate_verdict_refuse() calls it before anything is sent.  If the
     * request ends while the message waits for its body, keys or the state,
     * parley_gate_leave() calls it with OTHER.  It never gets FAILED, nor the
     * verdict at a location where a message continues (GW-24).
     *
     * outcome is called once for each message that went on (PASSED, DRY_PASSED,
     * DRY_REFUSED): when the last answer is settled and before its end is sent,
     * at the first failure, or when the request ends.  For a message that
     * continues it gets the outcome at the last location.  It does not depend
     * on a client that leaves (GW-21), nor on events after the last answer.
     */
    void              (*verdict)(parley_gate_t *g);

    /*
     * Writes the verdict PASSED or ANSWERED to the audit log before it takes
     * effect (OPS-06).  If it cannot be written, "on_error" of the directive
     * parley_audit decides whether the gate refuses the message.  Called once
     * for a message, before it changes anything, and never in a dry run.
     * verdict is called later in any case.  May be NULL.
     */
    parley_recorded_t (*record)(parley_gate_t *g, parley_verdict_t verdict);

    void              (*outcome)(parley_gate_t *g,
                          const parley_outcome_t *outcome);
} parley_gate_env_t;


#endif /* PARLEY_GATE_ENV_H */
