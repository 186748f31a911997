/* Ownership of instruments (GW-03, SEC-06).  Private to the directory. */

#ifndef PARLEY_DIRECTORY_INSTRUMENT_H
#define PARLEY_DIRECTORY_INSTRUMENT_H

#include "auth/parley_directory_index.h"


/*
 * Indexes the instruments of dir after names, parents and humans are complete.
 * Several principals may list one instrument, for example a model.  The
 * instrument must not be the name of a principal that does not act for them.
 * Returns 0, or -1 with *err filled: field-invalid with first set to the JSON
 * Pointer of that principal, or capacity if memory is exhausted.
 */
int parley_directory_instruments(parley_directory_t *dir,
    parley_arena_t *arena, char first[PARLEY_POINTER_MAX],
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_DIRECTORY_INSTRUMENT_H */
