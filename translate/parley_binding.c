/* Functions for the bindings of a set of protocols. */

#include "translate/parley_binding.h"
#include "core/parley_buf.h"
#include "translate/parley_codec.h"


static int parley_binding_has(const parley_binding_t *binding,
    parley_str_t method);


const parley_str_t  parley_binding_post[] = {
    parley_str("POST"), parley_str("")
};


int
parley_binding_takes(parley_proto_set_t set, parley_str_t method)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if ((set & PARLEY_PROTO_BIT(i))
            && parley_binding_has(parley_codecs[i]->binding, method))
        {
            return 1;
        }
    }

    return 0;
}


static int
parley_binding_has(const parley_binding_t *binding, parley_str_t method)
{
    const parley_str_t  *name;

    for (name = binding->methods; name->len > 0; name++) {
        if (parley_str_eq(*name, method)) {
            return 1;
        }
    }

    return 0;
}


int
parley_binding_looks(parley_proto_set_t set)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if ((set & PARLEY_PROTO_BIT(i)) && parley_codecs[i]->binding->looks) {
            return 1;
        }
    }

    return 0;
}


int
parley_binding_methods(parley_arena_t *arena, parley_proto_set_t set,
    const parley_str_t *more, parley_str_t *ret)
{
    unsigned             i;
    parley_buf_t         b;
    parley_proto_set_t   before;
    const parley_str_t  *name;

    before = 0;

    parley_buf_init(&b, arena, 32);

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (!(set & PARLEY_PROTO_BIT(i))) {
            continue;
        }

        for (name = parley_codecs[i]->binding->methods; name->len > 0; name++)
        {
            if (parley_binding_takes(before, *name)) {
                continue;
            }

            if (b.len > 0) {
                parley_buf_lit(&b, ", ");
            }

            parley_buf_str(&b, *name);
        }

        before |= PARLEY_PROTO_BIT(i);
    }

    for (name = more; name != NULL && name->len > 0; name++) {
        parley_buf_lit(&b, ", ");
        parley_buf_str(&b, *name);
    }

    return parley_buf_done(&b, ret);
}


void
parley_binding_read(parley_proto_t proto, parley_binding_header_pt get,
    void *ctx, parley_str_t ret[PARLEY_BINDING_HEADERS])
{
    unsigned             i;
    const parley_str_t  *name;

    for (i = 0; i < PARLEY_BINDING_HEADERS; i++) {
        ret[i] = parley_str_none;
    }

    if (proto >= PARLEY_PROTO_COUNT || get == NULL) {
        return;
    }

    name = parley_codecs[proto]->binding->reads;

    for (i = 0; name != NULL && name[i].len > 0 && i < PARLEY_BINDING_HEADERS;
         i++)
    {
        if (!get(ctx, name[i], &ret[i])) {
            ret[i] = parley_str_none;
        }
    }
}


const parley_str_t *
parley_binding_sessions(parley_proto_t proto)
{
    return proto >= PARLEY_PROTO_COUNT ? NULL
           : parley_codecs[proto]->binding->sessions;
}
