/*
 * Redacts an embedded message: its payload, and its members in "vcp", "c2a",
 * ...
 */

#include <string.h>

#include "translate/aee/parley_aee.h"
#include "translate/parley_redact.h"


static int parley_aee_within_payload(parley_redact_t *r, parley_str_t prefix,
    const parley_str_t *payloads, const parley_edit_t *asked);


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
                || parley_aee_within_payload(r, prefix,
                                             parley_codecs[proto]->payloads,
                                             &r->asked[i])
                   != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


/* Adds the edits for a payload that another protocol nests differently. */

static int
parley_aee_within_payload(parley_redact_t *r, parley_str_t prefix,
    const parley_str_t *payloads, const parley_edit_t *asked)
{
    size_t        n;
    unsigned      i;
    parley_str_t  rest;

    for (i = 0; payloads != NULL && payloads[i].len > 0; i++) {

        n = payloads[i].len;
        rest = parley_str_from(asked->pointer, n);

        if (rest.len == 0 || rest.data[0] != '/'
            || memcmp(asked->pointer.data, payloads[i].data, n) != 0)
        {
            break;
        }

        if (parley_redact_add(r, PARLEY_STR("/payload"), rest, asked->value)
            != 0
            || (i == 0
                && parley_redact_add(r, prefix, rest, asked->value) != 0))
        {
            return -1;
        }
    }

    return 0;
}
