/* What retained messages are kept under. */

#include "hub/parley_publication.h"
#include "gate/admission/parley_retain.h"


void
parley_retain_key(const parley_state_t *state, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN])
{
    parley_state_key(state, PARLEY_KIND_MESSAGE, &id, 1, key);
}


/*
 * Whose it is; one id may have gone to several (parley_window receiver=).  What
 * is longer than a name is not said beside a message that is published.
 */

void
parley_retain_id(const parley_state_t *state, const parley_retained_t *m,
    parley_record_id_t *ret)
{
    parley_str_t  owner[2], parts[4];

    ret->kind = PARLEY_KIND_MESSAGE;
    parley_retain_key(state, m->id, ret->key);

    /* an answer is whose it is told: its sender is whom that chose to ask */

    owner[0] = m->sub.len > 0 ? m->sub : m->to;
    owner[1] = owner[0].len > 0 ? parley_str_none : m->sender;

    parts[0] = m->protocol;
    parts[1] = m->sub;
    parts[2] = m->to;
    parts[3] = m->recipient.len <= PARLEY_PUBLICATION_TEXT_MAX
               ? m->recipient : parley_str_none;

    ret->tag = parley_state_tag(state, owner, 2, parts, 4);
}
