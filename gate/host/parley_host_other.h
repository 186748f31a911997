/*
 * Messages of other protocols in a mailbox: publications without views.
 * Private to the host.
 */

#ifndef PARLEY_HOST_OTHER_H
#define PARLEY_HOST_OTHER_H

#include "gate/host/parley_host_mailbox.h"


/*
 * Reads a message of another protocol as an event of the protocol of chat.
 * text is its form in that protocol, as parley_deliver() writes it.  *p becomes
 * the publication of the event: its message, id and author are those of the
 * form.  views->source is the key of its records.  Returns 1; 0: the form is
 * not an event; or -1: no memory.
 */
int parley_host_other_event(const parley_chat_t *chat, parley_proto_t proto,
    uint64_t seed, parley_arena_t *arena, parley_str_t text,
    const parley_principal_t *reader, parley_publication_t *p,
    parley_host_views_t *views, parley_host_row_t *row);

/*
 * Reads *p, a record of the mailbox without views, as
 * parley_host_other_event().  Returns 1; or 0: it is not an event, it is for
 * one session of the reader, or a rule denies it to the reader.
 */
int parley_host_other_record(const parley_host_mailbox_t *k,
    parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row);


#endif /* PARLEY_HOST_OTHER_H */
