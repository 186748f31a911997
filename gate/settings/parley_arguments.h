/*
 * Arguments of a request's query that decide something (SEC-03): of a message
 * scope, recipient, and the one that a token comes in; of what the gateway
 * answers itself what it asks for.  What they say is decided once, here, and
 * goes on as it was decided, so that no service can read anything else of them.
 *
 * Frameworks read a query in many ways.  Names count in any case and however
 * they are encoded; "+" is a space; what a reader might take for one of these
 * arguments, and another might not, is refused: a name with "[", NUL or spaces
 * at its ends, and whatever stands behind a ";".
 *
 * Of a message all others are the service's.  Where the gateway answers itself
 * there is nobody whose they could be: one that is misspelt is refused, and not
 * taken for one that is not there.  A name that begins with "_" is the caller's
 * own, as "_=1732500000" that keeps an answer out of caches, and says nothing.
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

    /* of parley_keys */
    PARLEY_ARGUMENT_SUB,
    PARLEY_ARGUMENT_KID,

    /* of parley_stream */
    PARLEY_ARGUMENT_FILTER,
    PARLEY_ARGUMENT_SESSION,
    PARLEY_ARGUMENT_INSTRUMENT,
    PARLEY_ARGUMENT_LAST_EVENT_ID,
    PARLEY_ARGUMENT_EVENT,
    PARLEY_ARGUMENT_ID,
    PARLEY_ARGUMENT_ALL,
    PARLEY_ARGUMENTS
} parley_argument_e;


typedef struct {
    parley_str_t  name;         /* empty: decides nothing here */
    parley_str_t  value;        /* decoded; empty: not there, or nothing said */
    unsigned      there:1;      /* in the query */
} parley_argument_t;


typedef struct {
    parley_argument_t  list[PARLEY_ARGUMENTS];
    unsigned           named;       /* those that have a name, bits of
                                       1 << parley_argument_e */
    unsigned           alone:1;     /* there may be no others */
} parley_arguments_t;


/* Whether an argument of that name means something else than a token. */
int parley_argument_is_known(parley_str_t name);

/*
 * Which arguments decide something of messages of the protocol wire before a
 * service that speaks speak, either of which may be NONE.  token is the name
 * of the argument that a token comes in, or empty; it must live as long.
 */
void parley_arguments_init(parley_arguments_t *a, parley_proto_t wire,
    parley_proto_t speak, parley_str_t token);

/* What the gateway is asked itself: those that are said, bits of
   1 << parley_argument_e, and that of a token. */
void parley_arguments_of(parley_arguments_t *a, unsigned which,
    parley_str_t token);

/*
 * Reads them from a query, without its "?"; values point into it or into the
 * arena.  Returns 0, or -1: field-invalid, naming the argument that is there
 * twice, that is disguised, or whose value is no UTF-8, has control characters
 * or a "%" without two hex digits; and, where they stand alone, any other.
 */
int parley_arguments_read(parley_arguments_t *a, parley_arena_t *arena,
    parley_str_t query, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * One whose value came by another way than a query, decoded.  Returns 0, or -1:
 * field-invalid, where it has control characters.
 */
int parley_argument_set(parley_argument_t *argument, parley_str_t value,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether what they say goes with the message: it is decided by them only
 * where its protocol has them, and where it does not say the same itself.
 * Returns 0, or -1: field-invalid.
 */
int parley_arguments_check(const parley_arguments_t *a,
    const parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The query as it goes on: each of the arguments once, with its value, none
 * without one; the others as they came.  *ret is query itself where it says
 * just that.  Returns 0, or -1: no memory.
 */
int parley_arguments_write(const parley_arguments_t *a,
    parley_arena_t *arena, parley_str_t query, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Overwrites a token that came in an argument of that name, in place and with
 * as many "*": whatever stands there for somebody, disguised and of several,
 * too.  Everything else stays.
 */
void parley_arguments_hide(parley_str_t name, uint8_t *query, size_t len);


#endif /* PARLEY_ARGUMENTS_H */
