/* What an envelope carries: the payload, and the rest in "vcp", "c2a", ... */

#include "parley_aee.h"
#include "parley_redact.h"


static int parley_aee_within_params(parley_redact_t *r,
    const parley_edit_t *asked);


int
parley_aee_within(parley_redact_t *r, const parley_msg_t *m)
{
    uint32_t        i, payload;
    parley_buf_t    b;
    parley_str_t    prefix;
    parley_proto_t  proto;

    payload = parley_json_member(m->doc, 0, PARLEY_ATOM_payload);

    for (proto = 0; proto < PARLEY_PROTO_COUNT; proto++) {

        if (parley_json_get(m->doc, payload, parley_proto_name(proto))
            == PARLEY_JSON_NONE)
        {
            continue;
        }

        parley_buf_init(&b, r->arena, 32);
        parley_buf_lit(&b, "/payload/");
        parley_buf_str(&b, parley_proto_name(proto));

        if (parley_buf_done(&b, &prefix) != 0) {
            return -1;
        }

        for (i = 0; i < r->nasked; i++) {
            if (parley_redact_add(r, prefix, r->asked[i].pointer,
                                  r->asked[i].value)
                != 0
                || (proto == PARLEY_PROTO_C2A
                    && parley_aee_within_params(r, &r->asked[i]) != 0))
            {
                return -1;
            }
        }
    }

    return 0;
}


/* The parameters of a request, and the arguments of a call, are the payload. */

static int
parley_aee_within_params(parley_redact_t *r, const parley_edit_t *asked)
{
    parley_str_t  rest;

    if (!parley_str_begins(asked->pointer, "/params/")) {
        return 0;
    }

    rest = parley_str_from(asked->pointer, sizeof("/params") - 1);

    if (parley_redact_add(r, PARLEY_STR("/payload"), rest, asked->value) != 0
        || parley_redact_add(r, PARLEY_STR("/payload/c2a"), rest,
                             asked->value)
           != 0)
    {
        return -1;
    }

    if (!parley_str_begins(rest, "/arguments/")) {
        return 0;
    }

    return parley_redact_add(r, PARLEY_STR("/payload"),
                             parley_str_from(rest, sizeof("/arguments") - 1),
                             asked->value);
}
