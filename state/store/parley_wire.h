/*
 * RESP2, the protocol of Redis and Valkey: writes commands, reads replies.  The
 * reader is hiredis's, with bounds on depth, elements and octets.
 */

#ifndef PARLEY_WIRE_H
#define PARLEY_WIRE_H

#include "core/parley_arena.h"


#define PARLEY_WIRE_ARGUMENTS  512      /* arguments of a command */
#define PARLEY_WIRE_ELEMENTS   4096     /* elements of an array */
#define PARLEY_WIRE_OCTETS     (4 * 1024 * 1024)        /* of a reply */
#define PARLEY_WIRE_NUMBER_MAX  ((int64_t) 1 << 53)     /* that a reply has */


/*
 * Writes a command of n arguments, the first is its name, to the arena.
 * Returns 0, or -1 if memory is exhausted or n is above
 * PARLEY_WIRE_ARGUMENTS.
 */
int parley_wire_command(parley_arena_t *arena, const parley_str_t *arguments,
    size_t n, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Writes n in decimal to room, with a zero octet; returns the text. */
parley_str_t parley_wire_number(int64_t n, char room[24]);


typedef struct parley_wire_s   parley_wire_t;   /* a reader */
typedef struct redisReply      parley_wire_reply_t;


/* Creates a reader.  Returns NULL if memory is exhausted. */
parley_wire_t *parley_wire_create(void);

void parley_wire_destroy(parley_wire_t *w);

/* Adds octets of a connection. */
int parley_wire_feed(parley_wire_t *w, const uint8_t *p, size_t len)
    __attribute__((warn_unused_result));

/*
 * Returns 1 with the next reply, which the caller frees; 0 if it is incomplete;
 * or -1 if the octets are not RESP2, exceed a bound, or memory is exhausted.
 * The reader cannot be used again after -1.
 */
int parley_wire_next(parley_wire_t *w, parley_wire_reply_t **ret)
    __attribute__((warn_unused_result));

void parley_wire_free(parley_wire_reply_t *reply);


/* Returns the text of an error, or an empty string. */
parley_str_t parley_wire_error(const parley_wire_reply_t *reply);

/* Returns whether a reply is the null. */
int parley_wire_is_null(const parley_wire_reply_t *reply);

/* Returns 1 with the octets of a string or status, else 0. */
int parley_wire_text(const parley_wire_reply_t *reply, parley_str_t *ret);

/*
 * Returns 1 with the value of an integer, or of a string in decimal, from 0 to
 * 2^53; else 0.
 */
int parley_wire_integer(const parley_wire_reply_t *reply, int64_t *ret);

/* Returns the number of elements; 0 if the reply is not an array. */
size_t parley_wire_elements(const parley_wire_reply_t *reply);

/* Returns an element; i is below parley_wire_elements(). */
const parley_wire_reply_t *parley_wire_element(const parley_wire_reply_t *reply,
    size_t i);


#endif /* PARLEY_WIRE_H */
