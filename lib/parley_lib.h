/* Implementation of the types of parley.h; private to lib/. */

#ifndef PARLEY_LIB_H
#define PARLEY_LIB_H

#include "parley.h"
#include "translate/parley_engine.h"
#include "auth/parley_jwk.h"
#include "auth/parley_jwt.h"


#define PARLEY_LIB_FIELDS  (PARLEY_FIELD_PAYLOAD + 1)


struct parley_library {
    parley_engine_t  *engine;
    uint64_t          seed;     /* for parley_json_read() */
};

struct parley_message {
    parley_library   *library;
    parley_arena_t    arena;
    parley_json_t     doc;
    parley_msg_t      msg;
    parley_text       fields[PARLEY_LIB_FIELDS];    /* data NULL: not requested
                                                       yet */
};

struct parley_made {
    parley_arena_t    arena;
    parley_str_t      text;     /* ends with a zero */
    parley_loss_t     loss;
};

struct parley_keys {
    parley_arena_t    arena;
    parley_jwks_t     jwks;
};

struct parley_token {
    parley_arena_t    arena;
    parley_jwt_t      jwt;
};


/* Returns milliseconds since 1970. */
int64_t parley_lib_now(void);

/*
 * Copies a text into the arena, with a zero at its end.  Returns an empty text
 * if memory is exhausted.
 */
parley_text parley_lib_text(parley_arena_t *arena, parley_str_t s);

/* Fills *err, which may be NULL, and returns -1. */
int parley_lib_fail(const parley_error_t *error, parley_failure *err);

/* Returns NULL if memory is exhausted. */
parley_made *parley_lib_made_new(void);

/*
 * Completes made with a copy of text, which lives in made's arena or in a
 * message's.  *ret takes made over; on error, made is freed.
 */
int parley_lib_made(parley_made *made, parley_str_t text, parley_made **ret,
    parley_failure *err);

/*
 * Finds the first key of the set (kid NULL), or the one with this kid, for
 * which fits returns 1.  Returns NULL if there is none.
 */
const parley_jwk_t *parley_lib_key(const parley_keys *keys, const char *kid,
    int (*fits)(const parley_jwk_t *key));


#endif /* PARLEY_LIB_H */
