/*
 * A message as the rules see it, and the reader of a stream: the data that
 * decide whether this reader may get a message.
 */

#ifndef PARLEY_READER_H
#define PARLEY_READER_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"
#include "gate/party/parley_who.h"
#include "gate/settings/parley_gate_conf.h"
#include "translate/parley_msg.h"


struct parley_host_hidden_s;    /* gate/host/parley_host.h */


/* a request to the rules, which change none of its data */
typedef struct {
    const parley_gate_conf_t  *conf;        /* rules of the location, and the
                                               protocol of its service */
    parley_arena_t            *arena;
    parley_who_t              *who;         /* its parties; the caller's names
                                               are looked up in it */
    const parley_msg_t        *msg;
    parley_proto_t             proto;       /* protocol of the message */
    parley_str_t               method;      /* method of the request */
    parley_str_t               to;          /* recipient, or empty */
    const parley_principal_t  *reader;      /* member of the recipient that
                                               reads (GW-37); NULL: none */
} parley_rules_request_t;


/* reader of a stream, or a held request; its data live as long as its
   request */
typedef struct parley_reader_s {
    void                      *ctx;         /* the adapter's context of the
                                               request */
    const parley_gate_conf_t  *conf;        /* settings of its location */
    const parley_who_t        *who;         /* the proven caller */
    parley_str_t               method;      /* method of the request */
    const parley_principal_t  *owner;       /* owner of the log that it reads;
                                               NULL: not listed */
    const parley_principal_t  *mailbox;     /* the caller, if the log is its
                                               mailbox; NULL: it is not */
    const parley_principal_t  *conversation;        /* the caller, if the log is
                                               that of a conversation */
    uint8_t                   *removed;     /* with conversation: not 0 after
                                               the caller's removal */
    uint32_t                   modes;       /* of chat that its session has,
                                               PARLEY_CHAT_MODE_BIT() */
    const struct parley_host_hidden_s *hidden;  /* events of its mailbox for
                                               which it has lost the
                                               permission; may be NULL */
    unsigned                   interrupt:1;     /* its session has it */
    unsigned                   ruled:1;     /* a rule may deny a message to
                                               it */
} parley_reader_t;


/*
 * Returns whether the first rule that matches denies the request, so that a
 * message which no rule allows passes.  Also returns 1 if memory is exhausted.
 * The location has rules.
 */
int parley_gate_rules_deny(const parley_rules_request_t *r,
    parley_error_t *err);

/*
 * Returns whether the rules could let the caller send a message to r->reader.
 * r has neither a message nor a recipient.  Returns 0 if memory is exhausted.
 */
int parley_gate_rules_reaches(const parley_rules_request_t *r);


#endif /* PARLEY_READER_H */
