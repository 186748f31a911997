/* An event to publish.  Private to the host. */

#ifndef PARLEY_HOST_POST_H
#define PARLEY_HOST_POST_H

#include "gate/host/parley_host_parts.h"


/* parley_host_publish.c */

/* an event to publish; the caller sets all up to "results" */
typedef struct parley_host_post_s {
    parley_host_t              *h;
    parley_gate_t              *g;          /* NULL: a job; its caller wakes
                                               the processes */
    const parley_chat_event_t  *e;
    const char                 *member;     /* that named the id */
    parley_str_t                source;
    parley_str_t                sub;        /* author, as threads know it;
                                               empty: the host */
    parley_str_t                name;       /* its name in the directory */
    const parley_principal_t   *author;     /* that sends the event itself;
                                               NULL: an account, or the host */
    parley_str_t                sender;     /* sub of the proven caller */
    const parley_principal_t   *surface;    /* also gets the event; NULL:
                                               none */
    parley_str_t                key;        /* idempotencyKey for the surface */
    parley_str_t                glyph;      /* of the reaction, there */
    parley_str_t                message;    /* as it is kept */
    const uint8_t              *print;      /* [PARLEY_PRINT_LEN] of content */
    unsigned                    obliged:1;  /* the event that this one is about
                                               obliged its author */
    unsigned                    left:1;     /* EVENT exists: a process died */
    struct parley_host_change_s  *change;   /* NULL: none */

    /* results */
    parley_chat_reader_t       *readers;    /* that get the event, without the
                                               surface */
    unsigned                    nreaders;
    parley_host_event_t         known;      /* its record */
    uint16_t                    rows[PARLEY_ATTENTION_ROWS];    /* number of
                                                                   those that
                                                                   do not wait
                                                                   for a turn,
                                                                   by row */
    uint32_t                    seen;       /* rows that are not 0, a bit for
                                               each */
    parley_attention_row_t      others;     /* row of other readers */

    /* private */
    parley_host_thread_name_t   where;
    parley_host_thread_t        thread;
    parley_attention_t         *attention;
    int64_t                     left_ms;    /* until the deadline */
    int64_t                     lasts_ms;   /* deadline */
    uint8_t                   (*logs)[PARLEY_KEY_LEN];
    size_t                      nlogs;
    parley_str_t                views;
    unsigned                    qualified:1;        /* another source had the
                                                       id before */
    unsigned                    named:1;    /* see parley_host_views_t */
    unsigned                    waits:1;    /* a reader gets it in a turn */
} parley_host_post_t;

/*
 * Decides about the readers of an event, and appends it.  Returns 0;
 * PARLEY_WAIT; or -1 with h->err: field-invalid, identity-unmappable,
 * reply-unmatched, message-in-flight, or capacity.
 */
int parley_host_publish(parley_host_post_t *post);

/* Fills the event that a surface would deliver for the same message. */
void parley_host_post_event(const parley_chat_post_t *post,
    parley_chat_event_t *ret);


/* parley_host_decide.c */

/*
 * Decides about the readers of an event: fills the results, and all that the
 * append needs.  Changes nothing in the state.  Returns 0; PARLEY_WAIT; or -1
 * with h->err, as parley_host_publish().
 */
int parley_host_decide(parley_host_post_t *post);


/* parley_host_note.c */

/*
 * Records the place of an event that was accepted, and the facts of its thread.
 * If the place finds no room, the next try finds it in the log.  Returns 0 or
 * PARLEY_WAIT.
 */
int parley_host_note(parley_host_post_t *a);


#endif /* PARLEY_HOST_POST_H */
