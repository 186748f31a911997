/*
 * Retained messages.  aee.context.fetch reads them (AEE-25), and
 * aee.context.refute adds refutations (AEE-26).  Only a party of the
 * conversation sees them.  Other callers get an answer as if the message were
 * missing.
 *
 * Several senders may use one id, and each has its own message (SEC-11).  A
 * task means the oldest message with the "from", "corr" (AEE-38) and "hash"
 * that the task gives, if the caller is a party of it.  The result also lists
 * the other messages.
 */

#ifndef PARLEY_RETAIN_H
#define PARLEY_RETAIN_H

#include "state/parley_ask.h"
#include "gate/party/parley_who.h"


#define PARLEY_REFUTATIONS_MAX  16      /* refutations of one message */
#define PARLEY_REASON_MAX       1024    /* octets of one reason */


/* a message to retain; names are in its protocol */
typedef struct {
    parley_str_t         id;
    parley_str_t         protocol;
    parley_str_t         sub;           /* sub of the sender; empty: not
                                           proven */
    parley_str_t         to;            /* sub of a further principal that may
                                           read it; empty: none */
    parley_str_t         sender;
    parley_str_t         recipient;
    parley_str_t         corr;          /* its correlation or, without one, its
                                           id */
    parley_str_t         sent_corr;     /* correlation that the recipient got,
                                           if the message was translated */
    parley_str_t         message;       /* JSON */
    parley_evictable_t   queue;
    const uint8_t       *account;
    int64_t              ttl;           /* milliseconds */
    const uint8_t       *under;         /* as in parley_put_t */
    uint64_t             stamp;
} parley_retained_t;


/* memory, state and task of a call */
typedef struct parley_retain_s {
    parley_arena_t      *arena;
    parley_ask_t        *ask;
    parley_who_t        *who;           /* parties of the task, and its
                                           sender */
    uint64_t             seed;          /* as in parley_json_read() */
    unsigned             retains:1;     /* messages are still retained */
    int64_t              wall;          /* milliseconds since 1970 */
} parley_retain_t;


/* failure of a task for the gateway: code E_..., JSON Pointer, sentence */
typedef struct {
    const char          *code;
    const char          *field;         /* "": none */
    const char          *why;
} parley_task_fault_t;


/* Makes the key of the messages with an id. */
void parley_retain_key(const parley_state_t *state, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN]);

/* Makes the record id of m, from its members up to recipient. */
void parley_retain_id(const parley_state_t *state,
    const parley_retained_t *m, parley_record_id_t *ret);

/* Retains a message.  Returns 0; PARLEY_WAIT; or -1: no room or no memory. */
int parley_retain(const parley_retain_t *r, const parley_retained_t *m)
    __attribute__((warn_unused_result));

/*
 * Write the payload of the result for the fetch or the refutation that is the
 * task's message.  Return 1 and *ret; 0 and *fault; PARLEY_WAIT; or -1: no
 * memory.
 */
int parley_retain_fetch(const parley_retain_t *r, parley_str_t *ret,
    parley_task_fault_t *fault)
    __attribute__((warn_unused_result));
int parley_retain_refute(const parley_retain_t *r, parley_str_t *ret,
    parley_task_fault_t *fault)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RETAIN_H */
