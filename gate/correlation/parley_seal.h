/* The gateway signs what it made with its own key (GW-08). */

#ifndef PARLEY_SEAL_H
#define PARLEY_SEAL_H

#include "translate/parley_codec.h"
#include "auth/parley_jwk.h"


typedef struct {
    parley_arena_t      *arena;     /* gets the signature */
    const parley_jwk_t  *key;       /* private; NULL: nothing is signed */
} parley_seal_t;


/* Has opts sign with the key, where there is one; seal must outlive them. */
void parley_seal_opts(parley_seal_t *seal, parley_encode_opts_t *opts);


#endif /* PARLEY_SEAL_H */
