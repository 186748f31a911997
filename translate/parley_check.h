/*
 * What is asked of a message besides its schema, as far as its protocol
 * decides it: how it came, whether something must prove its sender, how old
 * it may be.
 */

#ifndef PARLEY_CHECK_H
#define PARLEY_CHECK_H

#include <stdint.h>

#include "translate/parley_codec.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"


/* how a message came, and what is asked where it came to */
typedef struct {
    unsigned  trusted:1;        /* whoever can send here is trusted */
    unsigned  tls:1;            /* TLS 1.2 or later */
    unsigned  token:1;          /* a verified token names the sender */
    unsigned  must_sign:1;      /* every message is to be signed */
} parley_transport_t;


/* VCP-19.  Returns 0, or -1: policy-refused. */
int parley_check_transport(parley_proto_t proto,
    const parley_transport_t *transport, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether a message may come without a signature (AEE-37, VCP-17).  Returns
 * 0, or -1: signature-missing.
 */
int parley_check_unsigned(parley_proto_t proto,
    const parley_transport_t *transport, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether a message is from at most past_ms before now_ms and future_ms after
 * it, or from within its protocol's own bounds where these are narrower
 * (AEE-17, VCP-15), and no older than it says itself that it lives, future_ms
 * being the clocks' difference.  A log record need not say.  Returns 0, or -1:
 * message-stale, field-invalid.
 */
int parley_check_age(const parley_msg_t *m, int64_t past_ms,
    int64_t future_ms, int64_t now_ms, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The milliseconds that a message has still to live by what it says itself, 0
 * where they are over; -1: it does not say.
 */
int64_t parley_check_left(const parley_msg_t *m, int64_t now_ms);

/*
 * VCP-25: an acknowledgment, by whichever protocol it comes, has the severity
 * of what it acknowledges; asked: that, PARLEY_ALARM_NONE where it is not
 * known.  Returns 0, or -1:
 * field-invalid.
 */
int parley_check_severity(const parley_msg_t *m, parley_alarm_t asked,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * VCP-25 of an answer, by whichever protocol it comes: where it acknowledges in
 * VCP's words, and what it answers escalates in them, it has that one's
 * severity, and names it: request, which was sent on as sent.  Returns 0, or
 * -1: field-invalid, capacity (no memory).
 */
int parley_check_answer(const parley_msg_t *m, const parley_msg_t *request,
    const parley_encoded_t *sent, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHECK_H */
