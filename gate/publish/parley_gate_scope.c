/* Finds the recipients of a published message, as a scope. */

#include <string.h>

#include "gate/party/parley_address.h"
#include "gate/message/parley_gate_steps.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_name.h"


static int parley_gate_scope_unframed(parley_gate_t *g,
    parley_channel_scope_t *ret);
static int parley_gate_scope_of(parley_gate_t *g, parley_str_t *ret);


int
parley_gate_scope(parley_gate_t *g, parley_str_t text,
    parley_channel_scope_t *ret)
{
    if (g->publish.unframed && text.len == 0) {
        return parley_gate_scope_unframed(g, ret);
    }

    return parley_channel_scope_parse(text, ret) == 0 ? 0
           : parley_error_set(g->err, PARLEY_E_FIELD_INVALID,
                              parley_at(g->msg, PARLEY_MSG_RECIPIENT).pointer,
                              "the recipient is not a valid scope");
}


/*
 * Finds the scope of a message that is not a frame.  A group is an
 * organisation.  A group without a handle has no members.
 */

static int
parley_gate_scope_unframed(parley_gate_t *g, parley_channel_scope_t *ret)
{
    int           rc;
    parley_str_t  text;

    rc = parley_gate_scope_of(g, &text);

    if (rc < 0) {
        return parley_error_memory(g->err);
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(g->msg, PARLEY_MSG_RECIPIENT)
                                    .pointer,
                                "no principal has this name here");
    }

    if (parley_channel_scope_parse(text, ret) != 0) {
        memset(ret, 0, sizeof(parley_channel_scope_t));

        ret->form = PARLEY_CHANNEL_SCOPE_HANDLE;
        ret->handle = text;
    }

    return 0;
}


/*
 * Finds the address of the recipient.  Returns 0 and *ret; 1: the name has no
 * address; or -1 without memory.
 */

static int
parley_gate_scope_of(parley_gate_t *g, parley_str_t *ret)
{
    const parley_msg_t  *m, *asked;

    m = g->msg;
    asked = g->read.correlation.answering;

    if (m->recipient.len == 0) {
        return asked != NULL ? parley_address_reader(g->who, asked->wire,
                                                     asked->sender, ret)
                             : 1;
    }

    return parley_name_is_group(m->wire, m->recipient)
           ? parley_name_map(g->arena, m->wire, m->recipient,
                             PARLEY_PROTO_STREAMS, ret)
           : parley_address_reader(g->who, m->wire, m->recipient, ret);
}
