/*
 * Principals and keys for the libraries that know messages, as the module's
 * glue has them.
 */

#ifndef PARLEY_GLUE_H
#define PARLEY_GLUE_H

#include "parley_directory.h"
#include "parley_party.h"
#include "parley_tool.h"


typedef struct {
    parley_arena_t            *arena;       /* of the message */
    const parley_msg_t        *msg;
    const parley_directory_t  *directory;   /* NULL: none */
    const parley_principal_t  *sender;      /* NULL: nobody known */
    const parley_jwk_t        *key;         /* NULL: nothing is signed */
} parley_glue_t;


void parley_glue_party(const parley_principal_t *principal,
    parley_party_t *ret);
void parley_glue_parties(parley_glue_t *glue, parley_parties_t *ret);

/* a parley_attribute_pt */
void parley_glue_attribute(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);

/* Sets what asks for names and signatures; the glue must outlive the opts. */
void parley_glue_opts(parley_glue_t *glue, parley_encode_opts_t *opts);


#endif /* PARLEY_GLUE_H */
