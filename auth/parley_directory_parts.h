/*
 * What parley_directory.c (the directory) and parley_directory_principal.c (a
 * principal of it) share.  Private to them.
 */

#ifndef PARLEY_DIRECTORY_PARTS_H
#define PARLEY_DIRECTORY_PARTS_H

#include "parley_config.h"
#include "parley_directory.h"


/* a principal and the JSON object it is read from */
typedef struct {
    parley_arena_t        *arena;
    const json_t          *object;
    const char            *pointer;
    parley_principal_t    *principal;
    parley_error_t        *err;
} parley_directory_reader_t;


/* Reads r->object into r->principal: 0, or -1 with *r->err filled. */
int parley_directory_principal(parley_directory_reader_t *r);

/* Refuses the first member that is not among names, a NULL-terminated array. */
int parley_directory_known(parley_error_t *err, const json_t *object,
    const char *pointer, const char *const *names);


#endif /* PARLEY_DIRECTORY_PARTS_H */
