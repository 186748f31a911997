/*
 * Declarations shared by parley_directory.c (the directory) and
 * parley_directory_principal.c (a principal of it).  Private to them.
 */

#ifndef PARLEY_DIRECTORY_PARTS_H
#define PARLEY_DIRECTORY_PARTS_H

#include "auth/parley_config.h"
#include "auth/parley_directory.h"


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

/* Refuses an unknown member of the object at pointer; returns -1. */
int parley_directory_unknown(parley_error_t *err, const char *pointer,
    const char *name);


#endif /* PARLEY_DIRECTORY_PARTS_H */
