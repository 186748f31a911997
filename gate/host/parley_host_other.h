/*
 * Messages of other protocols in a mailbox: publications without views.
 * Private to the host.
 */

#ifndef PARLEY_HOST_OTHER_H
#define PARLEY_HOST_OTHER_H

#include "gate/host/parley_host_act.h"
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


/* parley_host_other_act.c */

/*
 * Finds the message of another protocol that inReplyTo names, among the newest
 * records of the caller's mailbox.  Returns 1 with a->on, whose views.other is
 * set; 0: the mailbox does not have it; PARLEY_WAIT; or -1 with h->err.
 */
int parley_host_other_find(parley_host_act_t *a);

/*
 * Runs a tool that acts on such a message.  Returns 1: the call goes through
 * the steps again, as at a location with parley_submit; 0 with the result of
 * the call that answered the message before; PARLEY_WAIT; or -1 with h->err:
 * message-duplicate, policy-refused, or translation-unsupported.
 */
int parley_host_other_act(parley_host_act_t *a);

/* Publishes the answer after these steps, notes it, and writes the result. */
parley_step_result_t parley_host_other_publish(parley_gate_t *g);


#endif /* PARLEY_HOST_OTHER_H */
