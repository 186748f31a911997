#include <string.h>

#include "parley_glue.h"
#include "parley_signature.h"


static int parley_glue_find(void *data, parley_proto_t proto,
    parley_str_t name, parley_party_t *ret);
static int parley_glue_resolve(void *data, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);
static int parley_glue_sign(void *data, parley_str_t octets,
    parley_msg_sig_t *ret, parley_error_t *err);


/* the two libraries number protocols alike */
_Static_assert((int) PARLEY_NAMESPACE_COUNT == (int) PARLEY_PROTO_COUNT,
               "a name space for each protocol");


void
parley_glue_party(const parley_principal_t *principal, parley_party_t *ret)
{
    ret->sub = principal->sub;
    ret->parent = principal->parent;
    ret->names = principal->names;
    ret->data = principal;
}


void
parley_glue_parties(parley_glue_t *glue, parley_parties_t *ret)
{
    ret->arena = glue->arena;
    ret->find = parley_glue_find;
    ret->ctx = glue;
}


void
parley_glue_opts(parley_glue_t *glue, parley_encode_opts_t *opts)
{
    opts->resolve = parley_glue_resolve;
    opts->attribute = parley_glue_attribute;
    opts->resolve_ctx = glue;
    opts->sign = glue->key != NULL ? parley_glue_sign : NULL;
    opts->sign_ctx = glue;
}


static int
parley_glue_find(void *data, parley_proto_t proto, parley_str_t name,
    parley_party_t *ret)
{
    parley_glue_t             *glue = data;
    const parley_principal_t  *owner;

    if (glue->directory == NULL) {
        return 0;
    }

    owner = parley_directory_by_name(glue->directory,
                                     (parley_namespace_t) proto, name);
    if (owner == NULL) {
        return 0;
    }

    parley_glue_party(owner, ret);

    return 1;
}


static int
parley_glue_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_glue_t     *glue = data;
    parley_party_t     sender;
    parley_parties_t   parties;

    parley_glue_parties(glue, &parties);

    if (glue->sender != NULL) {
        parley_glue_party(glue->sender, &sender);
    }

    return parley_party_resolve(&parties, glue->msg,
                                glue->sender != NULL ? &sender : NULL, from,
                                name, to, ret);
}


void
parley_glue_attribute(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    parley_party_t   party;
    parley_glue_t   *glue = data;

    if (parley_glue_find(glue, proto, name, &party)) {
        parley_principal_actors(party.data, ret_human, ret_instrument);

    } else if (proto == glue->msg->wire
               && (glue->msg->sender.len == 0
                   || parley_str_eq(name, glue->msg->sender)))
    {
        parley_principal_actors(glue->sender, ret_human, ret_instrument);

    } else {
        parley_principal_actors(NULL, ret_human, ret_instrument);
    }
}


static int
parley_glue_sign(void *data, parley_str_t octets, parley_msg_sig_t *ret,
    parley_error_t *err)
{
    char            text[PARLEY_SIGNATURE_TEXT_MAX];
    parley_str_t    value;
    parley_glue_t  *glue = data;

    memset(ret, 0, sizeof(parley_msg_sig_t));

    ret->alg = parley_signature_word(glue->key);
    ret->kid = glue->key->kid;
    ret->present = 1;

    if (parley_signature_sign(glue->key, octets, text, &value, err) != 0) {
        return -1;
    }

    if (parley_arena_str(glue->arena, value, &ret->value) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}
