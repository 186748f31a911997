/*
 * Retained messages: what was taken, for aee.context.fetch (AEE-25), and what
 * was said against it (aee.context.refute, AEE-26).  Only a party of the
 * conversation sees either; who is none learns no more than that nothing is
 * there.
 *
 * Several senders may have used one id: each keeps its own (SEC-11).  A task
 * means the oldest message that the caller is a party of and that has the
 * "from", "corr" (AEE-38) and "hash" of the task, as far as it has these; the
 * result names the others.
 */

#ifndef PARLEY_RETAIN_H
#define PARLEY_RETAIN_H

#include "state/parley_ask.h"
#include "gate/party/parley_who.h"


#define PARLEY_REFUTATIONS_MAX  16      /* of one message */
#define PARLEY_REASON_MAX       1024    /* octets of one */


/* a message that is to be kept; the names as its protocol has them */
typedef struct {
    parley_str_t         id;
    parley_str_t         protocol;
    parley_str_t         sub;           /* of its sender; empty: nobody was
                                           proven */
    parley_str_t         to;            /* sub of who may have it besides;
                                           empty: nobody */
    parley_str_t         sender;
    parley_str_t         recipient;
    parley_str_t         corr;          /* its correlation, or its id where it
                                           has none */
    parley_str_t         sent_corr;     /* the correlation that its recipient
                                           got, where it was translated */
    parley_str_t         message;       /* JSON */
    parley_evictable_t   queue;
    const uint8_t       *account;
    int64_t              ttl;           /* milliseconds */
    const uint8_t       *under;         /* as in parley_put_t */
    uint64_t             stamp;
} parley_retained_t;


/* who keeps it, or asks for it */
typedef struct {
    parley_arena_t      *arena;
    parley_ask_t        *ask;
    parley_who_t        *who;           /* of the message at hand, and its
                                           sender */
    uint64_t             seed;          /* as in parley_json_read() */
    unsigned             retains:1;     /* messages are retained still */
    int64_t              wall;          /* milliseconds since 1970 */
} parley_retain_t;


/* why a task for the gateway has failed: E_..., a JSON Pointer, a sentence */
typedef struct {
    const char          *code;
    const char          *field;         /* "": none */
    const char          *why;
} parley_task_fault_t;


/* The key of the messages of an id. */
void parley_retain_key(const parley_state_t *state, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN]);

/* What it is kept under, of all of m up to its recipient. */
void parley_retain_id(const parley_state_t *state,
    const parley_retained_t *m, parley_record_id_t *ret);

/* Keeps a message.  Returns 0; PARLEY_WAIT; or -1: no room, or no memory. */
int parley_retain(const parley_retain_t *r, const parley_retained_t *m)
    __attribute__((warn_unused_result));

/*
 * The payload of the result of a fetch or a refutation that r->who->msg asks
 * for.  Return 1; 0 and *fault; PARLEY_WAIT; -1: no memory.
 */
int parley_retain_fetch(const parley_retain_t *r, parley_str_t *ret,
    parley_task_fault_t *fault)
    __attribute__((warn_unused_result));
int parley_retain_refute(const parley_retain_t *r, parley_str_t *ret,
    parley_task_fault_t *fault)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RETAIN_H */
