#include "parley_nested.h"
#include "parley_spot.h"


int
parley_nested(const parley_msg_t *msg, parley_error_t *err)
{
    int                    rc;
    parley_at_t            at;
    parley_json_ref_t      value;
    const parley_codec_t  *codec;

    codec = parley_codecs[msg->origin];

    if (codec == NULL || codec->nested == NULL) {
        return 0;
    }

    rc = codec->nested(msg, &value);

    if (rc <= 0) {
        return rc == 0 ? 0 : parley_error_memory(err);
    }

    /* in a text it has no place of its own */

    if (value.doc == msg->doc) {
        (void) parley_json_pointer(msg->doc, value.node, at.pointer,
                                   sizeof(at.pointer));

    } else {
        at = parley_at(msg, PARLEY_SPOT_DATA);
    }

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, at.pointer,
                            "%s has a message within one that is carried",
                            at.pointer);
}
