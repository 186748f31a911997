#include <string.h>

#include "parley_codec.h"


void
parley_where(const parley_msg_t *m, uint32_t from, parley_loss_t *loss,
    parley_error_t *err)
{
    uint32_t               i, k, n;
    parley_str_t           item;
    const char            *there;
    const parley_codec_t  *codec;

    codec = parley_codecs[m->wire];

    if (codec->where == NULL) {
        return;
    }

    if (err != NULL) {
        there = codec->where(m, parley_str_c(err->field));

        /* what is nowhere is asked for where it usually stands */

        if (there != NULL && there[0] != '\0') {
            memcpy(err->field, there, strlen(there) + 1);
        }
    }

    for (i = from, n = from; i < loss->nitems; i++) {
        there = codec->where(m, loss->items[i]);

        item = there != NULL ? parley_str_c(there) : loss->items[i];

        for (k = 0; k < n && !parley_str_eq(loss->items[k], item); k++) {
            /* void */
        }

        if (item.len > 0 && k == n) {
            loss->items[n++] = item;

        } else {
            loss->count--;
        }
    }

    loss->nitems = n;
}
