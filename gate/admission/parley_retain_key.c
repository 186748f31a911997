/* Keys of retained messages. */

#include "hub/parley_publication.h"
#include "gate/admission/parley_retain.h"


void
parley_retain_key(const parley_state_t *state, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN])
{
    parley_state_key(state, PARLEY_KIND_MESSAGE, &id, 1, key);
}


/*
 * The tag separates owners, and messages with one id to several recipients
 * (parley_window receiver=).  A recipient longer than a name is omitted, as a
 * publication does not store it.
 */

void
parley_retain_id(const parley_state_t *state, const parley_retained_t *m,
    parley_record_id_t *ret)
{
    parley_str_t  owner[2], parts[4];

    ret->kind = PARLEY_KIND_MESSAGE;
    parley_retain_key(state, m->id, ret->key);

    /*
     * an answer belongs to its reader, as the asker chose the answer's sender
     */

    owner[0] = m->sub.len > 0 ? m->sub : m->to;
    owner[1] = owner[0].len > 0 ? parley_str_none : m->sender;

    parts[0] = m->protocol;
    parts[1] = m->sub;
    parts[2] = m->to;
    parts[3] = m->recipient.len <= PARLEY_PUBLICATION_TEXT_MAX
               ? m->recipient : parley_str_none;

    ret->tag = parley_state_tag(state, owner, 2, parts, 4);
}
