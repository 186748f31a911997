/*
 * The names in a message are plain text (parley_plain.h), in all protocols
 * alike: no id, handle, intent or correlation has a control character
 * (SEC-01).
 */

#ifndef PARLEY_PLAIN_MSG_H
#define PARLEY_PLAIN_MSG_H

#include "translate/parley_codec.h"


/*
 * Looks at the names where the message's codec says that they stand, and at
 * what it made of them or of a message within; parley_decode() has asked it.
 * Returns 0, or -1: field-invalid, with a pointer to the one that is not plain.
 */
int parley_plain_msg(const parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether the names in a payload, an object in the protocol's own words, are
 * plain; of a codec whose names do not depend on the form.
 */
int parley_plain_payload(const parley_codec_t *codec,
    parley_json_ref_t payload, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_PLAIN_MSG_H */
