/* Declarations of the tools by which an agent acts.  Private to the host. */

#ifndef PARLEY_HOST_ACT_H
#define PARLEY_HOST_ACT_H

#include "gate/host/parley_host_parts.h"


/* a source, and the surface that delivers for it */
typedef struct {
    parley_str_t               name;        /* "slack.T123" */
    parley_str_t               platform;
    parley_str_t               workspace;
    const parley_principal_t  *surface;     /* NULL: none */
} parley_host_source_t;

/* the event that a call names, as its caller has it */
typedef struct {
    parley_str_t             id;
    parley_host_event_t      event;         /* its record */
    parley_publication_t     p;             /* as it is stored */
    parley_host_views_t      views;
    parley_host_row_t        row;           /* of the caller; ambient if the
                                               event has none for it */
    parley_host_delivery_t   part;          /* the caller's part */
    unsigned                 lost:1;        /* the caller had it in a turn that
                                               was erased or dropped */
} parley_host_named_t;

/* a call of a tool that acts */
typedef struct {
    parley_host_call_t        *c;
    parley_host_t             *h;
    const parley_chat_args_t  *args;
    const parley_principal_t  *caller;
    parley_host_named_t        on;
    parley_host_source_t       source;      /* of the event, or the target */
    parley_host_claim_t        claim;       /* after parley_host_claim() */
    unsigned                   opened:1;    /* this call took the id of the
                                               answer, */
    unsigned                   claimed:1;   /* or claimed the event */
    parley_chat_result_t       result;
} parley_host_act_t;


/*
 * Finds the event that inReplyTo names, and its source.  Returns 1; 0 if the
 * call names none; PARLEY_WAIT; or -1 with h->err: reply-unmatched, also if the
 * caller may not read the event (C2A-33).
 */
int parley_host_act_find(parley_host_act_t *a);

/*
 * Puts the disposition of the event for the caller, unless an earlier one has
 * decided it, and acknowledges it; UNDISPOSED: acknowledges it only.  Returns
 * 0, PARLEY_WAIT or -1.
 */
int parley_host_dispose(parley_host_act_t *a,
    parley_chat_disposition_t disposition);

/* As parley_host_dispose(), but does not move the cursor. */
int parley_host_dispose_put(parley_host_act_t *a,
    parley_chat_disposition_t disposition);

/*
 * Claims the event for the caller, or prolongs its claim, by ttl_ms; -1: by the
 * time of the host.  An event of a thread that another agent has claimed is
 * held, unless it is addressed to the caller.  Returns 0 with a->claim;
 * PARLEY_WAIT; or -1 with h->err: claim-held.
 */
int parley_host_claim(parley_host_act_t *a, int64_t ttl_ms);

/* Makes a claim that is free now that of the caller, or prolongs it.  Returns
   0, or -1 with h->err: claim-held. */
int parley_host_claim_take(parley_host_act_t *a, parley_host_claim_t *claim,
    int64_t ttl_ms);

/* Refuses a call because of the claim of owner.  until_ms -1: the claim does
   not end.  Returns -1. */
int parley_host_claim_held(parley_host_act_t *a, parley_str_t owner,
    int64_t until_ms);

/* Returns whether the caller has the claim of the event, or of its thread: 1,
   0, PARLEY_WAIT or -1. */
int parley_host_claims(parley_host_act_t *a);

/* Publishes the signal of the caller to the event of a->on, as a reaction.
   Returns as parley_host_act_post(). */
int parley_host_act_signal(parley_host_act_t *a, parley_chat_signal_t signal);

/*
 * Publishes a message, a reaction or progress of the caller.  post is filled,
 * except for the author, the source and the time.  Returns 0 with the id in
 * a->result, also if the event was published before; PARLEY_WAIT; or -1 with
 * h->err.
 */
int parley_host_act_post(parley_host_act_t *a, parley_chat_post_t *post);

/* Writes the id of an event of the caller: equal parts make an equal id.
   Returns 0, or -1. */
int parley_host_act_id(parley_host_act_t *a, const char *prefix,
    const parley_str_t *parts, size_t n, parley_str_t *ret);

/* Finds a source by its name, "slack.T123".  Returns 0, or -1: no memory. */
int parley_host_source_find(parley_host_t *h, parley_str_t name,
    parley_host_source_t *ret);


/* JSON Pointer of the event of notifications/progress */
#define PARLEY_HOST_TOKEN  "/params/progressToken"

/* JSON Pointer of the event that the call names */
static inline const char *
parley_host_act_pointer(const parley_host_act_t *a)
{
    return a->c->call.kind == PARLEY_CHAT_CALL_PROGRESS
           ? PARLEY_HOST_TOKEN : "/params/arguments/inReplyTo";
}


/* parley_host_act_thread.c */

/* chat.claim and chat.resolve of a thread.  Returns as parley_host_accept(). */
int parley_host_act_thread(parley_host_act_t *a);


/* parley_host_send.c */

/* The tool chat.send_message.  Returns as parley_host_accept(). */
int parley_host_send(parley_host_act_t *a);


#endif /* PARLEY_HOST_ACT_H */
