/* The messages of a conversation as they are now.  Private to the host. */

#ifndef PARLEY_HOST_SAID_H
#define PARLEY_HOST_SAID_H

#include "gate/host/parley_host_parts.h"


/* a message in the log of its conversation */
typedef struct {
    parley_publication_t   p;
    parley_host_views_t    views;
    parley_host_row_t      row;         /* of the reader */
    parley_host_event_t    event;       /* its record */
    parley_str_t           id;          /* of the message; an edit has its text,
                                           and another id */
} parley_host_said_t;

/*
 * Reads a record of the log if it is a message for a reader of the
 * conversation: of another author, not silent, and neither deleted nor replaced
 * by an edit (C2A-25).  A reaction, progress and a deletion are not messages.
 * Returns 1; 0; 2: progress of another author, with ret->event.other;
 * PARLEY_WAIT, or -1 with h->err.
 */
int parley_host_said_read(parley_host_t *h, parley_str_t octets,
    parley_str_t source, parley_str_t sub, parley_host_said_t *ret);

/*
 * Returns whether an event that went up has a text that its author has deleted
 * or edited since (C2A-25); it is written as a knock then.  The change does not
 * find its record if a job appends it at the same time, or if the mailbox has
 * many newer ones.  Returns 1, 0, PARLEY_WAIT, or -1 with h->err.
 */
int parley_host_said_gone(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views);

/* As parley_host_said_gone(), also for an event that did not go up. */
int parley_host_said_replaced(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views);

/* As parley_host_said_gone(), for a stream or a URL.  Returns 0 if the state
   does not answer at once. */
int parley_host_said_gone_push(const parley_render_t *d,
    const parley_publication_t *p, const parley_host_views_t *views,
    int64_t now_ms, parley_arena_t *arena);


/* parley_host_push.c */

/* context of a view that is written outside of a request */
typedef struct {
    parley_host_t   h;
    parley_ask_t    ask;
    parley_error_t  err;
} parley_host_push_t;

/* Begin and end the context; rc is the result of the questions.  _begin()
   returns 1, or 0: the state or the host is unknown. */
int parley_host_push_begin(const parley_render_t *d,
    const parley_publication_t *p, int64_t now_ms, parley_arena_t *arena,
    parley_host_push_t *ret);
void parley_host_push_end(parley_host_push_t *push, int rc);


/* parley_host_window.c */

/*
 * Adds the thread window to the view of an event, if its row has the window:
 * the newest messages of its thread before it, if the reader may read the
 * conversation.  g NULL: not in a request, where rules do not count.  Returns
 * 0, PARLEY_WAIT, or -1 with h->err.
 */
int parley_host_window(parley_host_t *h, const parley_gate_t *g,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, const parley_principal_t *owner,
    parley_chat_view_t *v);

/* As parley_host_window(), for a stream or a URL.  Without an answer of the
   state at once, the view has no window: its reader lists the event. */
void parley_host_window_push(const parley_render_t *d,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, const parley_principal_t *owner,
    int64_t now_ms, parley_arena_t *arena, parley_chat_view_t *v);


#endif /* PARLEY_HOST_SAID_H */
