/*
 * Checks of a message that its protocol requires and its schema does not
 * contain: its transport, the proof of its sender, its age.
 */

#ifndef PARLEY_CHECK_H
#define PARLEY_CHECK_H

#include <stdint.h>

#include "translate/parley_codec.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"


/* transport of a message, and requirements of the endpoint */
typedef struct parley_transport_s {
    unsigned  trusted:1;        /* every party that can send here is trusted */
    unsigned  tls:1;            /* TLS 1.2 or later */
    unsigned  token:1;          /* a verified token names the sender */
    unsigned  must_sign:1;      /* every message must be signed */
} parley_transport_t;


/*
 * Checks that the transport is secure enough (VCP-19).  Returns 0, or -1:
 * policy-refused.
 */
int parley_check_transport(parley_proto_t proto,
    const parley_transport_t *transport, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Checks whether a message needs no signature (AEE-37, VCP-17).  Returns 0, or
 * -1: signature-missing.
 */
int parley_check_unsigned(parley_proto_t proto,
    const parley_transport_t *transport, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Checks that a message is at most past_ms older than now_ms and at most
 * future_ms newer.  The protocol's own bounds apply if they are narrower
 * (AEE-17, VCP-15).  A message must also be within its own lifetime; future_ms
 * is then the allowed difference of clocks.  A log record may lack a time.
 * Returns 0, or -1: message-stale, field-invalid.
 */
int parley_check_age(const parley_msg_t *m, int64_t past_ms,
    int64_t future_ms, int64_t now_ms, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the rest of a message's own lifetime in milliseconds, 0 after its
 * end, or -1 if the message has none.
 */
int64_t parley_check_left(const parley_msg_t *m, int64_t now_ms);

/*
 * Checks that an acknowledgment, in any protocol, has the severity of the
 * acknowledged escalation (VCP-25).  asked is that severity,
 * PARLEY_SEVERITY_NONE if it is unknown.  Returns 0, or -1: field-invalid.
 */
int parley_check_severity(const parley_msg_t *m, parley_severity_t asked,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Checks an answer, in any protocol, that acknowledges an escalation in VCP's
 * words: it must name the escalation and have its severity (VCP-25).  request
 * is the escalation, and sent is its translation.  Returns 0, or -1:
 * field-invalid, capacity (memory is exhausted).
 */
int parley_check_answer(const parley_msg_t *m, const parley_msg_t *request,
    const parley_encoded_t *sent, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHECK_H */
