#ifndef PARLEY_HOST_GLYPH_H
#define PARLEY_HOST_GLYPH_H

#include "gate/host/parley_host_parts.h"


/*
 * Keeps the glyphs that a surface names in initialize, by signals; NULL: the
 * draft's, which an empty one means as well.  sub: of the surface.  Returns 0,
 * PARLEY_WAIT, or -1 with h->err: field-invalid (a glyph of two signals), or
 * capacity.
 */
int parley_host_glyphs_keep(parley_host_t *h, parley_str_t sub,
    const parley_str_t *glyphs);

/*
 * Finds the signal of a glyph on the platform of the surface.  *ret has the
 * signal of the draft, or NONE, and is set if the surface has another one.
 * Returns 0, PARLEY_WAIT or -1.
 */
int parley_host_glyph_means(parley_host_t *h, parley_str_t sub,
    parley_str_t glyph, parley_chat_signal_t *ret);

/*
 * Finds the glyph of a signal on the platform of the surface, in the arena of
 * h.  Returns 0, PARLEY_WAIT or -1.
 */
int parley_host_glyph_of(parley_host_t *h, parley_str_t sub,
    parley_chat_signal_t signal, parley_str_t *ret);


#endif
