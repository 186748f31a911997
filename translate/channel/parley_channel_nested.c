/* A text carrier in a frame that another protocol carries. */

#include "parley_channel.h"
#include "parley_carry.h"


static int parley_channel_nested_claims(const parley_msg_t *m,
    parley_str_t *ret_basis);
static int parley_channel_nested_texts(const parley_msg_t *m,
    uint32_t object, parley_str_t basis, parley_json_ref_t *ret);


int
parley_channel_nested(const parley_msg_t *m, parley_json_ref_t *ret)
{
    int           rc;
    parley_str_t  basis;

    rc = parley_channel_nested_claims(m, &basis);
    if (rc != 1) {
        return rc;
    }

    rc = parley_channel_nested_texts(m, m->data.node, basis, ret);

    return rc == 0
           ? parley_channel_nested_texts(m, parley_carry_elsewhere(m), basis,
                                         ret)
           : rc;
}


/*
 * Whether the frame would say that a translation made it; where its members
 * are silent, that is what is written (parley_channel_encode.c).
 */

static int
parley_channel_nested_claims(const parley_msg_t *m, parley_str_t *ret_basis)
{
    int                     claims;
    uint32_t                i, value;
    const parley_json_t    *doc;
    const parley_member_t  *member;

    claims = 1;
    *ret_basis = parley_str_none;

    for (i = 0; i < m->nmembers; i++) {

        member = &m->members[i];
        doc = member->value.doc;
        value = member->value.node;

        switch (parley_channel_field_of(member->name)) {

        case PARLEY_CHANNEL_METHOD:
            claims = parley_json_type(doc, value) == PARLEY_JSON_ARRAY
                     && parley_json_node(doc, value)->count == 1
                     && parley_json_string_is(doc, parley_json_first(value),
                                           PARLEY_STR("gateway-translation"));
            break;

        case PARLEY_CHANNEL_BASIS:

            if (parley_msg_string(doc, value, ret_basis) != 0) {
                return -1;
            }

            break;

        default:
            break;
        }
    }

    return claims;
}


static int
parley_channel_nested_texts(const parley_msg_t *m, uint32_t object,
    parley_str_t basis, parley_json_ref_t *ret)
{
    int                       rc;
    uint32_t                  k;
    parley_str_t              text;
    const parley_json_t      *doc;
    parley_channel_carrier_t  c;

    if (object == PARLEY_JSON_NONE) {
        return 0;
    }

    doc = m->data.doc;

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_msg_string(doc, k + 1, &text) != 0) {
            return -1;
        }

        if (text.len == 0) {
            continue;
        }

        rc = parley_channel_text_read(doc->arena, doc->seed, text, &c);

        if (rc < 0) {
            return -1;
        }

        if (rc == 1 && c.origin == parley_proto_find(basis)) {
            ret->doc = doc;
            ret->node = k + 1;
            return 1;
        }
    }

    return 0;
}
