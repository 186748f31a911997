/*
 * The WebSocket that the gateway opens to a peer of VCP and keeps open (VCP-32,
 * VCP 8.3).  A process keeps it as long as it has the peer's job, which is of
 * the class PARLEY_JOB_LASTING.  The peer then has a connection as any other
 * reader of its log.
 */

#ifndef PARLEY_DIAL_H
#define PARLEY_DIAL_H

#include "core/parley_url.h"
#include "gate/delivery/parley_render.h"
#include "state/parley_job.h"
#include "translate/parley_codec_types.h"


/* ms of the shortest pause before the next attempt, see parley_dial_delay() */
#define PARLEY_DIAL_MIN     1000

/* ms after which an open connection ends a series of failures */
#define PARLEY_DIAL_STEADY  30000

/* ms for the opening of a connection */
#define PARLEY_DIAL_MS      10000

/* messages that were sent and that the peer has not confirmed, at most */
#define PARLEY_DIAL_UNCONFIRMED  256


/* Fills the job of a peer.  Returns 0, or -1 without memory. */
int parley_dial_job(parley_arena_t *arena, const parley_state_t *state,
    parley_str_t sub, parley_job_t *ret)
    __attribute__((warn_unused_result));

/*
 * Finds the peer of a taken job and its URL.  Returns NULL; or the reason why
 * the gateway does not dial it, and *ret_to is NULL if the job is over.
 */
const char *parley_dial_begin(const struct parley_settings_http_s *http,
    parley_str_t sub, const parley_principal_t **ret_to, parley_url_t *ret_url)
    __attribute__((warn_unused_result));

/*
 * Makes the first message of a connection: a context_share of the gateway with
 * parley_vcp_context and parley_vcp_constitution, signed if the gateway has a
 * key.  random makes its id unique.  Returns 0, or -1 with *err.
 */
int parley_dial_greeting(const parley_render_t *d, const parley_principal_t *to,
    const uint8_t random[16], int64_t now_ms, parley_arena_t *arena,
    parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the ms to wait after n failures in a row, n from 1: 1, 2, 4, 8, 16
 * and then 20 s, and up to a half of it more by random.
 */
uint32_t parley_dial_delay(unsigned n, uint32_t random);


/*
 * Reads a text of a WebSocket as a receipt for a message.  Such a text must not
 * be answered: two gateways would answer each other forever.  Returns whether
 * it is one; the spans of *ret are in the arena or in the text.
 */
int parley_dial_receipt(parley_proto_t proto, parley_str_t text,
    const parley_json_limits_t *limits, uint64_t seed, parley_arena_t *arena,
    parley_receipt_t *ret);


#endif /* PARLEY_DIAL_H */
