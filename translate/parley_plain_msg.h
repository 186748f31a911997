/*
 * Checks that the names in a message are plain text (parley_plain.h), for all
 * protocols: an id, handle, intent or correlation has no control character
 * (SEC-01).
 */

#ifndef PARLEY_PLAIN_MSG_H
#define PARLEY_PLAIN_MSG_H

#include "translate/parley_codec.h"


/*
 * Checks the names at the places that the message's codec lists, and the names
 * that it read from them or from an embedded message.  parley_decode() calls
 * it.  Returns 0, or -1: field-invalid, with a pointer to the name.
 */
int parley_plain_msg(const parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Checks the names in a payload, an object in the protocol's own words.  The
 * codec's names must not depend on the form.  Returns 0, or -1: field-invalid.
 */
int parley_plain_payload(const parley_codec_t *codec,
    parley_json_ref_t payload, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PLAIN_MSG_H */
