/*
 * The glyphs of reactions on the platform of a surface.  A surface names them
 * in initialize.  The other signals have the glyphs of the draft.  Agents get
 * signals.
 */

#include <string.h>

#include "gate/host/parley_host_glyph.h"


static void parley_host_glyphs_id(const parley_host_t *h, parley_str_t sub,
    parley_record_id_t *ret);
static int parley_host_glyphs_get(parley_host_t *h, parley_str_t sub,
    parley_record_t *record, parley_str_t ret[PARLEY_CHAT_SIGNALS]);


int
parley_host_glyphs_keep(parley_host_t *h, parley_str_t sub,
    const parley_str_t *glyphs)
{
    int                 rc;
    unsigned            i, k;
    parley_buf_t        b;
    parley_str_t        value, known[PARLEY_CHAT_SIGNALS];
    parley_record_t     record;
    parley_record_id_t  id;

    parley_buf_init(&b, h->arena, 0);

    for (i = 1; i < PARLEY_CHAT_SIGNALS; i++) {
        for (k = 1; glyphs != NULL && k < i; k++) {
            if (glyphs[i].len > 0 && parley_str_eq(glyphs[i], glyphs[k])) {
                return parley_error_set(h->err, PARLEY_E_FIELD_INVALID,
                                        "/params/capabilities/glyphs",
                                        "a glyph means one signal");
            }
        }

        parley_host_text(&b, glyphs != NULL ? glyphs[i] : parley_str_none);
    }

    rc = parley_buf_done(&b, &value) == 0
         ? parley_host_glyphs_get(h, sub, &record, known)
         : parley_error_memory(h->err);

    if (rc < 0
        || (rc == 0 && glyphs == NULL)
        || (rc == 1 && parley_str_eq(value, record.value)))
    {
        return rc < 0 ? rc : 0;
    }

    parley_host_glyphs_id(h, sub, &id);

    rc = parley_host_keep(h, &id, &b, rc == 1 ? record.generation : 0);

    /* another session of the surface named its own at the same time */

    return rc == 1 ? 0 : rc;
}


int
parley_host_glyph_means(parley_host_t *h, parley_str_t sub,
    parley_str_t glyph, parley_chat_signal_t *ret)
{
    int              rc;
    unsigned         i;
    parley_str_t     known[PARLEY_CHAT_SIGNALS];
    parley_record_t  record;

    rc = parley_host_glyphs_get(h, sub, &record, known);

    if (rc <= 0) {
        return rc;
    }

    for (i = 1; i < PARLEY_CHAT_SIGNALS; i++) {
        if (parley_str_eq(known[i], glyph)) {
            *ret = (parley_chat_signal_t) i;
            return 0;
        }
    }

    /* the draft's glyph of a signal that has another one here */

    if (known[*ret].len > 0) {
        *ret = PARLEY_CHAT_SIGNAL_NONE;
    }

    return 0;
}


int
parley_host_glyph_of(parley_host_t *h, parley_str_t sub,
    parley_chat_signal_t signal, parley_str_t *ret)
{
    int              rc;
    parley_str_t     known[PARLEY_CHAT_SIGNALS];
    parley_record_t  record;

    rc = parley_host_glyphs_get(h, sub, &record, known);

    if (rc < 0) {
        return rc;
    }

    *ret = known[signal].len > 0 ? known[signal] : h->chat->glyph(signal);

    return 0;
}


/* Reads the glyphs of a surface.  Returns 1; 0: it named none, and all are
   empty; PARLEY_WAIT; or -1. */

static int
parley_host_glyphs_get(parley_host_t *h, parley_str_t sub,
    parley_record_t *record, parley_str_t ret[PARLEY_CHAT_SIGNALS])
{
    int                 rc;
    unsigned            i;
    parley_str_t        rest;
    parley_record_id_t  id;

    parley_host_glyphs_id(h, sub, &id);

    rc = parley_host_get(h, &id, record);

    if (rc < 0) {
        return rc;
    }

    ret[PARLEY_CHAT_SIGNAL_NONE] = parley_str_none;
    rest = rc == 1 ? record->value : parley_str_none;

    for (i = 1; i < PARLEY_CHAT_SIGNALS; i++) {
        ret[i] = parley_host_text_read(&rest);
    }

    return rc;
}


static void
parley_host_glyphs_id(const parley_host_t *h, parley_str_t sub,
    parley_record_id_t *ret)
{
    parley_str_t  parts[2];

    parts[0] = sub;
    parts[1] = PARLEY_STR("glyphs");

    parley_host_id(h, PARLEY_KIND_MAILBOX, parts, 2, ret);
}
