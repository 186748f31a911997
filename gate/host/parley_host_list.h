/* Declarations of the tools that list events.  Private to the host. */

#ifndef PARLEY_HOST_LIST_H
#define PARLEY_HOST_LIST_H

#include "gate/host/parley_host_mailbox.h"


#define PARLEY_HOST_LISTED  200     /* records of a page */


/* a call of chat.list_events */
typedef struct {
    parley_host_mailbox_t      k;
    const parley_chat_args_t  *args;
    parley_place_t             after;       /* that the caller names */
    parley_chat_result_t       result;
    parley_chat_mailbox_t      mailbox;
    parley_chat_listed_t      *list;        /* [limit] */
    unsigned                   counts:1;    /* pending events are counted */
    unsigned                   lists:1;
    unsigned                   thread:1;    /* read_thread */
    parley_host_conversation_t where;       /* if the arguments have a place */
    size_t                     octets;      /* of the listed messages */
} parley_host_list_t;


/* parley_host_listed.c */

/* Fills the event of record i of the page.  Returns 0; 1 if it cannot be
   listed; PARLEY_WAIT or -1. */
int parley_host_list_event(parley_host_list_t *l, int i,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, parley_chat_listed_t *ret);

/* Writes a place; empty if it is none.  Returns 0, or -1: no memory. */
int parley_host_place(parley_arena_t *arena, const parley_place_t *place,
    parley_str_t *ret);


/* parley_host_posts.c */

/* Lists the events of the conversation after a place, else the newest ones, the
   oldest first.  Returns 0, PARLEY_WAIT or -1. */
int parley_host_list_conversation(parley_host_list_t *l);

/* Lists the caller's events among the newest records of its newest
   conversations.  Returns 0, PARLEY_WAIT or -1. */
int parley_host_list_sent(parley_host_list_t *l);


/* parley_host_wait.c */

/* events for which a call waits */
typedef struct parley_host_wait_s  parley_host_wait_t;

/*
 * Notes the newest place of the log that a call lists, before the list is made:
 * that of a conversation, or of the mailbox (where is NULL).  *ret is in the
 * arena, or NULL if the call does not wait.  Returns 0, PARLEY_WAIT or -1.
 */
int parley_host_wait_from(parley_host_call_t *c,
    const parley_host_conversation_t *where, parley_host_wait_t **ret);

/* Waits.  Returns PARLEY_WAIT, or -1 with g->err: capacity, or
   rate-limited. */
int parley_host_wait(parley_host_call_t *c, parley_host_wait_t *w);

/*
 * Called first when the step runs.  Returns 0: the call has not waited yet, or
 * its wait is over and the list is to be made anew; PARLEY_WAIT; or -1 with
 * g->err: the caller was revoked.
 */
int parley_host_wait_over(parley_host_call_t *c);


#endif /* PARLEY_HOST_LIST_H */
