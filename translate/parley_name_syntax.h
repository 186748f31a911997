/*
 * The syntax of a protocol's names: splits a name into the parts of a
 * principal, and writes a name from parts.  A name that was split is written as
 * the same octets.  Thus a name maps back exactly if its image splits into
 * equal parts.
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
    unsigned            opaque:1;   /* the syntax does not show the kind */
} parley_name_t;


typedef struct parley_name_syntax_s  parley_name_syntax_t;

struct parley_name_syntax_s {
    /*
     * Splits s into spans of it.  Before the call, host is empty and opaque is
     * 0.  Returns 0, or -1 if s is not a name.
     */
    int  (*parse)(const parley_name_syntax_t *syntax, parley_str_t s,
             parley_name_t *ret);

    /* Writes a name.  Returns 0, or -1 with nothing written if such a principal
       cannot have a name. */
    int  (*format)(const parley_name_syntax_t *syntax, parley_buf_t *b,
             const parley_name_t *n);

    const parley_str_t  *prefixes;      /* indexed by kind; NULL: none */

    /* first octet of each name of a human, and of a group; other names may
       share it; 0: no such names */
    uint8_t              human;
    uint8_t              group;

    parley_str_t         peers;         /* name of all known peers of a sender
                                           (VCP-22); empty: none */

    unsigned             tierless:1;    /* a name shows neither agent or human,
                                           nor the host */
};


/* agent.x, agent.x@h, human.x, service.x, bus.x */
extern const parley_name_syntax_t  parley_name_canonical;


/* The prefix shows the kind; the host of an agent follows the last @. */
int parley_name_parse_prefixed(const parley_name_syntax_t *syntax,
    parley_str_t s, parley_name_t *ret);
int parley_name_format_prefixed(const parley_name_syntax_t *syntax,
    parley_buf_t *b, const parley_name_t *n);

/* Removes a prefix.  Returns 1, or 0 if s does not begin with it. */
int parley_name_strip(parley_str_t *s, parley_str_t prefix);

/*
 * Returns whether a dotted name (an intent, a group) has no empty label: no dot
 * at the beginning or end, and no two in a row.
 */
int parley_name_is_whole(parley_str_t s);

/*
 * Returns whether s is a canonical ~handle: ~ and 1 to 32 of a-z, 0-9 and
 * hyphen.  The first and the last are not a hyphen.  The pronoun ~org is not a
 * handle.
 */
int parley_name_is_handle(parley_str_t s);


#endif /* PARLEY_NAME_SYNTAX_H */
