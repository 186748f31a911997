/*
 * Arguments of a request's query that decide something (SEC-03).  For a message
 * these are the scope, the recipient, and the argument that holds a token.  For
 * a request that the gateway answers itself these are the parameters of the
 * request.  Each argument is decoded once, here.  The service gets the decoded
 * value, so that it cannot read a different one.
 *
 * Parsers of queries differ.  Therefore names are decoded and compared without
 * regard to case, and "+" is a space.  An argument is refused if only some
 * parsers would read it as one of these arguments: if its name has "[", a NUL,
 * or spaces at its ends, or if it follows a ";".
 *
 * A message may have other arguments, which belong to the service.  A request
 * that the gateway answers itself may not, so that a misspelt name is refused
 * and not ignored.  There, a name that begins with "_" is allowed and ignored:
 * a client can add "_=1732500000" so that no cache answers.
 */

#ifndef PARLEY_ARGUMENTS_H
#define PARLEY_ARGUMENTS_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


typedef enum {
    PARLEY_ARGUMENT_SCOPE = 0,
    PARLEY_ARGUMENT_RECIPIENT,
    PARLEY_ARGUMENT_TOKEN,

    /* parley_keys */
    PARLEY_ARGUMENT_SUB,
    PARLEY_ARGUMENT_KID,

    /* parley_stream */
    PARLEY_ARGUMENT_FILTER,
    PARLEY_ARGUMENT_SESSION,
    PARLEY_ARGUMENT_INSTRUMENT,
    PARLEY_ARGUMENT_LAST_EVENT_ID,
    PARLEY_ARGUMENT_EVENT,
    PARLEY_ARGUMENT_ID,
    PARLEY_ARGUMENT_ALL,

    /* parley_moq, of its own requests: the publisher of a track */
    PARLEY_ARGUMENT_AGENT,

    /* parley_host */
    PARLEY_ARGUMENT_CONVERSATION,
    PARLEY_ARGUMENTS
} parley_argument_e;


typedef struct {
    parley_str_t  name;         /* empty: this argument decides nothing here */
    parley_str_t  value;        /* decoded value; empty if the argument is
                                   missing or has no value */
    unsigned      there:1;      /* the query has this argument */
} parley_argument_t;


typedef struct {
    parley_argument_t  list[PARLEY_ARGUMENTS];
    unsigned           named;       /* arguments that have a name: bits of 1 <<
                                       parley_argument_e */
    unsigned           alone:1;     /* other arguments are refused */
} parley_arguments_t;


/* Returns whether name is the name of an argument other than the token. */
int parley_argument_is_known(parley_str_t name);

/*
 * Sets up the arguments of messages of the protocol wire for a service that
 * speaks speak; each of the two may be NONE.  token is the name of the argument
 * that holds a token, or empty; its octets must outlive *a.
 */
void parley_arguments_init(parley_arguments_t *a, parley_proto_t wire,
    parley_proto_t speak, parley_str_t token);

/*
 * As parley_arguments_init(), for a request that the gateway answers itself.
 * which has the allowed arguments, as bits of 1 << parley_argument_e.
 */
void parley_arguments_of(parley_arguments_t *a, unsigned which,
    parley_str_t token);

/*
 * Reads the arguments from query, which has no leading "?".  Values point into
 * query or into the arena.  Returns 0, or -1 with *err, which names the
 * argument: field-invalid if an argument is repeated or disguised, is unknown
 * and a->alone is set, or has an invalid value.  A value is invalid if it is
 * not UTF-8, has control characters, or has a "%" without two hex digits.
 */
int parley_arguments_read(parley_arguments_t *a, parley_arena_t *arena,
    parley_str_t query, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Sets the decoded value of an argument that did not come in a query.  Returns
 * 0, or -1: field-invalid, if the value is not UTF-8 or has control characters.
 */
int parley_argument_set(parley_argument_t *argument, parley_str_t value,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Checks that the message's protocol has the arguments with a value, that the
 * scope is not empty, and that the message does not name another recipient.
 * Returns 0, or -1: field-invalid.
 */
int parley_arguments_check(const parley_arguments_t *a,
    const parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes the query for the service: each argument that has a value once,
 * arguments without a value left out, all others unchanged.  *ret is query
 * itself if nothing changes.  Returns 0, or -1: no memory.
 */
int parley_arguments_write(const parley_arguments_t *a,
    parley_arena_t *arena, parley_str_t query, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Overwrites the value of each argument with this name in place, with as many
 * "*".  This includes repeated arguments, and disguised ones that only some
 * parsers would read.  The rest of the query is unchanged.
 */
void parley_arguments_hide(parley_str_t name, uint8_t *query, size_t len);


#endif /* PARLEY_ARGUMENTS_H */
