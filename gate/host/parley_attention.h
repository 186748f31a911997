/*
 * Attention: how much of a chat event a reader gets, and whether the reader
 * must, may or must not answer (C2A-03, C2A-04, C2A-05).  It follows from the
 * event, its thread, the directory and the reader alone; no text decides
 * (C2A-32).  One table has the rows, and the first row that fits a reader
 * decides.  Then caps make the result weaker, never stronger.
 */

#ifndef PARLEY_ATTENTION_H
#define PARLEY_ATTENTION_H

#include "core/parley_arena.h"
#include "translate/parley_chat.h"
#include "auth/parley_directory.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_ATTENTION_READERS_MAX  256   /* parties of an event */
#define PARLEY_ATTENTION_ROLE_MAX     64    /* principals that a role means */
#define PARLEY_ATTENTION_LOOP         6
#define PARLEY_ATTENTION_DEADLINE     300000    /* ms */


/* the rows of the table, in its order; parley_attention_rows has their words */
typedef enum {
    PARLEY_ATTENTION_OWN = 0,
    PARLEY_ATTENTION_SILENT,
    PARLEY_ATTENTION_STATUS,
    PARLEY_ATTENTION_REACTION,
    PARLEY_ATTENTION_THANKS,
    PARLEY_ATTENTION_TASK,
    PARLEY_ATTENTION_QUESTION,
    PARLEY_ATTENTION_ANSWER,
    PARLEY_ATTENTION_DM,
    PARLEY_ATTENTION_MENTION,
    PARLEY_ATTENTION_ROLE,
    PARLEY_ATTENTION_OTHER,
    PARLEY_ATTENTION_AGENT,
    PARLEY_ATTENTION_PART,
    PARLEY_ATTENTION_AMBIENT,
    PARLEY_ATTENTION_ROWS
} parley_attention_row_t;

extern const parley_str_t  parley_attention_rows[PARLEY_ATTENTION_ROWS];


/* the caps in their order; parley_attention_caps has their words */
typedef enum {
    PARLEY_ATTENTION_HUMAN = 0,     /* the reader is a human: not obliged */
    PARLEY_ATTENTION_READ,          /* the reader may not read the event */
    PARLEY_ATTENTION_DECLARED,      /* the author declared less */
    PARLEY_ATTENTION_LOOP_CAP,      /* agents alone keep the thread going */
    PARLEY_ATTENTION_STALE,         /* the event is older than its deadline */
    PARLEY_ATTENTION_MODE,          /* the session did not negotiate the mode */
    PARLEY_ATTENTION_CAPS
} parley_attention_cap_t;

#define PARLEY_ATTENTION_BIT(cap)  (1u << (cap))

extern const parley_str_t  parley_attention_caps[PARLEY_ATTENTION_CAPS];


/*
 * Facts about the thread of an event.  A party is the sub of a
 * principal, or the name that is derived from an account that no principal
 * lists (parley_surface.h).  Zeroed: no facts.
 */
typedef struct {
    parley_str_t         owner;         /* sub of the claimant, else of the
                                           first author that is an agent */
    const parley_str_t  *participants;  /* subs of the newest authors */
    unsigned             nparticipants;
    const parley_str_t  *parties;       /* of a DM: earlier
                                           authors and recipients */
    unsigned             nparties;
    parley_str_t         subject;       /* author of the message that the event
                                           answers or reacts to: its sub */
    unsigned             obliged:1;     /* that message obliged the author of
                                           the event */
    uint32_t             agents;        /* messages of agents since the last
                                           one of a human, without the event */
} parley_attention_thread_t;

typedef struct {
    const parley_directory_t         *directory;
    const parley_chat_event_t        *event;
    const parley_attention_thread_t  *thread;
    const parley_principal_t         *author;   /* principal that sends the
                                                   event itself; NULL: the
                                                   account in the event */
    int64_t                           deadline_ms;  /* if the event has none */
    uint32_t                          loop;     /* messages of agents until the
                                                   loop cap; 0: no cap */
    int64_t                           accepted_ms;  /* when the event came */
} parley_attention_input_t;


/* a principal, and its relation to the event (private bits) */
typedef struct {
    const parley_principal_t  *principal;
    uint32_t                   facts;
} parley_attention_party_t;

/* an event with its parties */
typedef struct {
    parley_attention_input_t  in;
    uint32_t                  facts;        /* private bits, of the event */
    int64_t                   deadline_ms;
    unsigned                  nparties;
    parley_attention_party_t  parties[PARLEY_ATTENTION_READERS_MAX];
} parley_attention_t;


/* facts of the reader's session and of the time */
typedef struct {
    uint32_t  modes;            /* negotiated, PARLEY_CHAT_MODE_BIT() */
    unsigned  interrupt:1;      /* negotiated */
    unsigned  unreadable:1;     /* the reader may not read the event, or a rule
                                   denies the event to the reader */
    int64_t   now_ms;
} parley_attention_offer_t;

typedef struct {
    parley_attention_row_t      row;
    parley_chat_directedness_t  directedness;
    parley_chat_policy_t        policy;
    parley_chat_mode_t          mode;
    int64_t                     deadline_ms;    /* from the acceptance; -1: the
                                                   reader is not obliged */
    uint32_t                    caps;           /* that changed the result,
                                                   PARLEY_ATTENTION_BIT() */
    unsigned                    gets:1;         /* the event is in the reader's
                                                   mailbox */
    unsigned                    claims:1;       /* the reader claims the event
                                                   before an answer */
    unsigned                    window:1;       /* with the newest messages of
                                                   the thread */
    unsigned                    interrupt:1;    /* asks for a hard interrupt
                                                   (C2A-37) */
} parley_attention_verdict_t;


/*
 * Finds the parties of an event.  in, and all that it points to, must outlive
 * *ret.  Returns 0, or -1 with *err filled: field-invalid (too many parties;
 * the account of the author is too long; a deletion, which has no readers),
 * identity-unmappable (the recipient is an agent without a mailbox), or
 * capacity.
 */
int parley_attention_init(parley_attention_t *ret, parley_arena_t *arena,
    const parley_attention_input_t *in, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Decides about one reader.  A principal that is not of the directory is not a
 * party.
 */
void parley_attention_decide(const parley_attention_t *a,
    const parley_principal_t *reader, const parley_attention_offer_t *offer,
    parley_attention_verdict_t *ret);

/*
 * Applies the caps that depend on the time and on the session again, to the
 * verdict of an event that was accepted at accepted_ms.  deadline_ms is that of
 * the event, also for readers that are not obliged.
 */
void parley_attention_again(const parley_attention_offer_t *offer,
    int64_t accepted_ms, int64_t deadline_ms, parley_attention_verdict_t *v);

/* Returns whether a principal has a mailbox: a handle, and a name in chat. */
int parley_attention_has_mailbox(const parley_principal_t *principal);


#endif /* PARLEY_ATTENTION_H */
