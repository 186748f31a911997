/*
 * The syntax of a protocol's names: taken apart into a principal, and written
 * of one.  What was taken apart is written as the same octets, so that a name
 * maps back exactly where its image, taken apart, is the same principal again.
 */

#ifndef PARLEY_NAME_SYNTAX_H
#define PARLEY_NAME_SYNTAX_H

#include "core/parley_buf.h"
#include "core/parley_str.h"


typedef enum {
    PARLEY_NAME_AGENT = 0,
    PARLEY_NAME_HUMAN,
    PARLEY_NAME_SERVICE,
    PARLEY_NAME_GROUP,
    PARLEY_NAME_KINDS
} parley_name_kind_t;


typedef struct {
    parley_name_kind_t  kind;
    parley_str_t        name;       /* never empty */
    parley_str_t        host;       /* of an agent; empty: none */
    unsigned            opaque:1;   /* the syntax does not say what it is */
} parley_name_t;


typedef struct parley_name_syntax_s  parley_name_syntax_t;

struct parley_name_syntax_s {
    /*
     * Takes s apart, into spans of it; host is empty and opaque 0 before.
     * Returns 0, or -1: it is no name.
     */
    int  (*parse)(const parley_name_syntax_t *syntax, parley_str_t s,
             parley_name_t *ret);

    /* Returns 0, or -1: such a principal has no name, and nothing is
       written. */
    int  (*format)(const parley_name_syntax_t *syntax, parley_buf_t *b,
             const parley_name_t *n);

    const parley_str_t  *prefixes;      /* by kind; NULL: none */

    /* the first octet of whatever names a human, and a group; other names may
       share it; 0: nothing does */
    uint8_t              human;
    uint8_t              group;

    parley_str_t         peers;         /* what names every known peer of a
                                           sender (VCP-22); empty: nothing
                                           does */

    unsigned             tierless:1;    /* a name says neither whether it is
                                           an agent's or a human's nor on
                                           which host */
};


/* agent.x, agent.x@h, human.x, service.x, bus.x */
extern const parley_name_syntax_t  parley_name_canonical;


/* The prefix says the kind; an agent's host stands after the last @. */
int parley_name_parse_prefixed(const parley_name_syntax_t *syntax,
    parley_str_t s, parley_name_t *ret);
int parley_name_format_prefixed(const parley_name_syntax_t *syntax,
    parley_buf_t *b, const parley_name_t *n);

/* Takes a prefix off; returns 1, or 0: there is none. */
int parley_name_strip(parley_str_t *s, parley_str_t prefix);

/*
 * Whether a dotted name (an intent, a group) has no empty label: no dot at its
 * begin or end, and no two in a row.
 */
int parley_name_is_whole(parley_str_t s);

/*
 * Whether s is a canonical ~handle: ~ and 1 to 32 of a-z, 0-9 and hyphen, of
 * which the first and the last are not a hyphen.  The pronoun ~org is not one.
 */
int parley_name_is_handle(parley_str_t s);


#endif /* PARLEY_NAME_SYNTAX_H */
