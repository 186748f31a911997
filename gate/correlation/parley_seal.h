/* Signatures by the gateway's own key for messages that it writes (GW-08). */

#ifndef PARLEY_SEAL_H
#define PARLEY_SEAL_H

#include "translate/parley_codec_types.h"
#include "auth/parley_jwk.h"


typedef struct {
    parley_arena_t      *arena;     /* arena of the signature */
    const parley_jwk_t  *key;       /* private key; NULL: messages are not
                                       signed */
} parley_seal_t;


/* Makes opts sign with the key, if there is one; seal must outlive opts. */
void parley_seal_opts(parley_seal_t *seal, parley_encode_opts_t *opts);


#endif /* PARLEY_SEAL_H */
