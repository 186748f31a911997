/*
 * Parts of parley_moqt_data.h: objects after a FETCH_HEADER, whose flags tell
 * the members that repeat those of the object before (section 10.4.4).
 */

#ifndef PARLEY_MOQT_FETCH_H
#define PARLEY_MOQT_FETCH_H

#include "moqt/parley_moqt_data.h"


/*
 * Reads an object up to the length of its extensions.  Returns 0, 1 if octets
 * are missing, or -1.
 *
 * A range sets the location that the next object refers to, and neither its
 * subgroup nor its priority.  The draft does not say so; its successor does
 * (draft 18, section 11.4.4.2).
 */
int parley_moqt_fetch_object(parley_moqt_data_t *d, parley_moqt_cursor_t *c,
    parley_moqt_fault_t *fault);

/* Appends the header of an object, as parley_moqt_object_write(). */
int parley_moqt_fetch_write(parley_moqt_data_writer_t *w, parley_buf_t *b,
    const parley_moqt_object_t *object);

/*
 * Sets o->malformed if extensions of an object that were read make its track
 * malformed: an IMMUTABLE_EXTENSIONS or a gap that is repeated, a gap above the
 * ID, immutable extensions that cannot be read or have others of their kind.
 */
void parley_moqt_object_check(const parley_moqt_draft_t *draft,
    parley_moqt_object_t *o);


/* Checks the length of extensions.  Returns 0 or -1. */
static inline int
parley_moqt_fetch_limit(const parley_moqt_data_t *d,
    parley_moqt_fault_t *fault)
{
    if (d->extensions > PARLEY_MOQT_EXTENSIONS_MAX) {
        (void) parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                     "Extension Headers Length",
                                     "more than 65535 octets are not "
                                     "supported");
        fault->stream = 1;
        return -1;
    }

    return 0;
}


#endif /* PARLEY_MOQT_FETCH_H */
