/*
 * Redacts an embedded message: its payload, and its members in "vcp", "c2a",
 * ...
 */

#include "translate/aee/parley_aee.h"
#include "translate/parley_embed_redact.h"


int
parley_aee_within(parley_redact_t *r, const parley_msg_t *m)
{
    return parley_embed_redact_members(r, m->doc,
                                       parley_json_member(m->doc, 0,
                                                        PARLEY_ATOM_payload),
                                       PARLEY_STR("/payload/"),
                                       parley_str_none);
}
