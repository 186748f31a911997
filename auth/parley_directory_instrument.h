/* Whose instrument a name is.  Private to the directory.  GW-03, SEC-06. */

#ifndef PARLEY_DIRECTORY_INSTRUMENT_H
#define PARLEY_DIRECTORY_INSTRUMENT_H

#include "parley_directory_index.h"


/*
 * Indexes the instruments of a directory whose names, parents and humans are.
 * Several principals may list one, a model's for instance, but not the name of
 * a principal that does not act for them.  Returns 0, or -1: field-invalid,
 * capacity (no memory).
 */
int parley_directory_instruments(parley_directory_t *dir,
    parley_arena_t *arena, parley_error_t *err)
    __attribute__((warn_unused_result));

/* of a name that the operator wrote: no sender can make them fall together */
uint32_t parley_directory_hash(parley_str_t name);


#endif /* PARLEY_DIRECTORY_INSTRUMENT_H */
