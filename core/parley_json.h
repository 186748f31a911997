/*
 * Strict JSON (RFC 8259, I-JSON of RFC 7493 where it is stricter): one pass
 * over the input makes a tape of nodes in the arena.  A node is a span of the
 * input; nothing is copied, and the input must outlive the document.
 *
 * Refused: invalid UTF-8, lone surrogates and noncharacters (raw or escaped),
 * duplicate members (compared after unescaping), control characters in
 * strings, numbers that overflow a double, trailing octets, a byte order mark,
 * and whatever exceeds the limits.  The error names the offset and the member
 * (JSON Pointer).
 *
 * The input is untrusted.  A document is read-only once it was read.
 */

#ifndef PARLEY_JSON_H
#define PARLEY_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_atom.h"
#include "parley_error.h"
#include "parley_str.h"


typedef enum {
    PARLEY_JSON_NULL = 0,
    PARLEY_JSON_FALSE,
    PARLEY_JSON_TRUE,
    PARLEY_JSON_NUMBER,
    PARLEY_JSON_STRING,
    PARLEY_JSON_ARRAY,
    PARLEY_JSON_OBJECT
} parley_json_type_t;


#define PARLEY_JSON_NONE       UINT32_MAX   /* "there is no such node" */

#define PARLEY_JSON_DEPTH_MAX  4096         /* a greater limits.depth counts
                                               as this: some functions call
                                               themselves once for each level,
                                               with less than 512 octets of
                                               stack */

/* node flags */
#define PARLEY_JSON_ESCAPED    0x01     /* string with a backslash in it */
#define PARLEY_JSON_KEY        0x02     /* string that names a member */
#define PARLEY_JSON_INTEGER    0x04     /* number without '.', 'e' or 'E' */
#define PARLEY_JSON_ASCII      0x08     /* string of ASCII only, unescaped */
#define PARLEY_JSON_SORTED     0x10     /* object whose names are ASCII,
                                           unescaped, in ascending order */
#define PARLEY_JSON_CANONICAL  0x20     /* value or name whose octets are its
                                           RFC 8785 form already; there are
                                           others that are (\u0001) */
#define PARLEY_JSON_MASKED     0x40     /* object with a name that has an
                                           escape in it */


/*
 * The tape is in document order.  An object is its node, then for each
 * member the node of the name (a STRING with the flag KEY) and the value.
 * An array is its node, then its elements.
 */
typedef struct {
    uint32_t  off;      /* string: the octet after the opening quote */
    uint32_t  len;      /* octets; string: between the quotes, raw;
                           array, object: from bracket to bracket */
    uint32_t  next;     /* index of the node after this value's last */
    uint32_t  count;    /* array: elements; object: members; string: its
                           length in code points, unescaped */
    uint8_t   type;     /* parley_json_type_t */
    uint8_t   flags;

    union {
        uint16_t  depth;    /* of a value; root 0 */
        uint16_t  atom;     /* of a name: parley_atom_t */
    };
} parley_json_node_t;


typedef struct {
    parley_str_t         input;
    parley_json_node_t  *nodes;     /* nodes[0] is the root */
    uint32_t             nnodes;
    uint32_t             inexact;   /* the first integer literal outside
                                       +-(2^53 - 1), or PARLEY_JSON_NONE:
                                       such a document has no faithful
                                       RFC 8785 form */
    parley_arena_t      *arena;     /* for unescaped strings */
    uint64_t             seed;      /* that it was read with */
} parley_json_t;


typedef struct {
    size_t    octets;       /* the whole input; default 1 MiB */
    uint32_t  depth;        /* nested arrays and objects; default 32 */
    uint32_t  string;       /* octets of one string, raw; default 256 KiB */
    uint32_t  members;      /* of one object or elements of one array;
                               default 65536 */
} parley_json_limits_t;


extern const parley_json_limits_t  parley_json_limits_default;


/* a value of a document; node PARLEY_JSON_NONE: absent */
typedef struct {
    const parley_json_t  *doc;
    uint32_t              node;
} parley_json_ref_t;

#define parley_json_ref_none  ((parley_json_ref_t) { NULL, PARLEY_JSON_NONE })


/*
 * A number literal has no bound of its own: whatever is done with it takes time
 * in proportion to its octets, and per octet no more than with one of 17
 * digits (parley_number.h).
 *
 * Reads input into *doc.  limits NULL: the defaults; input.octets above the
 * limit, or any other limit, is message-too-large; everything else wrong is
 * json-invalid.  seed keys the hash that finds duplicate members in large
 * objects; give one an attacker cannot know.
 *
 * Returns 0, or -1 with *err filled and *doc empty.
 */
int parley_json_read(parley_json_t *doc, parley_arena_t *arena,
    const parley_json_limits_t *limits, uint64_t seed, parley_str_t input,
    parley_error_t *err)
    __attribute__((warn_unused_result));


static inline const parley_json_node_t *
parley_json_node(const parley_json_t *doc, uint32_t i)
{
    return &doc->nodes[i];
}


static inline parley_json_type_t
parley_json_type(const parley_json_t *doc, uint32_t i)
{
    return (parley_json_type_t) doc->nodes[i].type;
}


/*
 * Members: for (k = parley_json_first(obj); k != parley_json_end(doc, obj);
 * k = parley_json_after(doc, k + 1)): k is the name, k + 1 the value.
 * Elements: the same with i and parley_json_after(doc, i).
 */
#define parley_json_first(i)         ((i) + 1)
#define parley_json_end(doc, i)      ((doc)->nodes[i].next)
#define parley_json_after(doc, i)    ((doc)->nodes[i].next)


/*
 * The value of a member, or PARLEY_JSON_NONE.  obj may be any node or
 * PARLEY_JSON_NONE; what is no object has no members.
 */
uint32_t parley_json_get(const parley_json_t *doc, uint32_t obj,
    parley_str_t name);

/* The same of a name that has an atom. */
uint32_t parley_json_member(const parley_json_t *doc, uint32_t obj,
    parley_atom_t atom);

/* The atom of name node k. */
static inline parley_atom_t
parley_json_atom(const parley_json_t *doc, uint32_t k)
{
    return (parley_atom_t) doc->nodes[k].atom;
}


/*
 * A value of doc as a document of its own, without reading it again: its input
 * is the value's octets, its nodes are copied into arena.  Where doc is
 * inexact before the value, so is the part, at its root.  Returns 0, or -1
 * with *ret empty: no memory.
 */
int parley_json_part(const parley_json_t *doc, uint32_t i,
    parley_arena_t *arena, parley_json_t *ret)
    __attribute__((warn_unused_result));

/* The raw octets of a value, quotes included. */
parley_str_t parley_json_raw(const parley_json_t *doc, uint32_t i);

/* The raw octets of member k, from its name's quote to its value's end. */
static inline parley_str_t
parley_json_member_raw(const parley_json_t *doc, uint32_t k)
{
    uint32_t                   start, end;
    const parley_json_node_t  *value;

    value = &doc->nodes[k + 1];
    start = doc->nodes[k].off - 1;
    end = value->off + value->len + (value->type == PARLEY_JSON_STRING);

    return parley_str_make(doc->input.data + start, end - start);
}


/* Whether no white space stands between its name, the colon and its value. */
static inline int
parley_json_member_is_tight(const parley_json_t *doc, uint32_t k)
{
    const parley_json_node_t  *name, *value;

    name = &doc->nodes[k];
    value = name + 1;

    return value->off - (value->type == PARLEY_JSON_STRING)
           == name->off + name->len + 2;
}


/* The raw octets between the quotes of a string or name. */
static inline parley_str_t
parley_json_span(const parley_json_t *doc, uint32_t i)
{
    return parley_str_make(doc->input.data + doc->nodes[i].off,
                           doc->nodes[i].len);
}


/* What parley_json_string() does where there are escapes. */
int parley_json_string_unescaped(const parley_json_t *doc, uint32_t i,
    parley_str_t *ret)
    __attribute__((warn_unused_result));


/*
 * The unescaped octets of a string or name: the span itself where it has no
 * escapes, else in the document's arena.  Returns 0, or -1: no memory, or
 * the node is no string.
 */
static inline __attribute__((warn_unused_result)) int
parley_json_string(const parley_json_t *doc, uint32_t i, parley_str_t *ret)
{
    if (i >= doc->nnodes || doc->nodes[i].type != PARLEY_JSON_STRING) {
        *ret = parley_str_none;
        return -1;
    }

    if (doc->nodes[i].flags & PARLEY_JSON_ESCAPED) {
        return parley_json_string_unescaped(doc, i, ret);
    }

    *ret = parley_json_span(doc, i);

    return 0;
}


/* What parley_json_string_is() does where there are escapes. */
int parley_json_string_is_escaped(const parley_json_t *doc, uint32_t i,
    parley_str_t s);


/* Whether a string node, unescaped, equals s.  Never allocates. */
static inline int
parley_json_string_is(const parley_json_t *doc, uint32_t i, parley_str_t s)
{
    const parley_json_node_t  *node;

    if (i >= doc->nnodes) {
        return 0;
    }

    node = &doc->nodes[i];

    if (node->type != PARLEY_JSON_STRING) {
        return 0;
    }

    if (node->flags & PARLEY_JSON_ESCAPED) {
        return parley_json_string_is_escaped(doc, i, s);
    }

    return node->len == s.len
           && parley_octets_same(doc->input.data + node->off, s.data, s.len);
}


/* The value of a number node, rounded to the nearest double. */
double parley_json_number(const parley_json_t *doc, uint32_t i);

/*
 * A number node that is mathematically an integer within int64_t: 0, else
 * -1 and *ret unchanged.  1.0 and 1e2 are integers.
 */
int parley_json_integer(const parley_json_t *doc, uint32_t i, int64_t *ret);

/*
 * Equality of JSON values as JSON Schema defines it: numbers by their exact
 * value (1 and 1.0, but not 2^53 and 2^53 + 1), strings after unescaping,
 * objects without regard to order.  Time is linear: for large objects whose
 * members stand in another order a's arena lends an index (where it cannot,
 * the answer is the same, the time quadratic).  b's is left alone, so that b
 * may be a document of the configuration.
 */
int parley_json_equal(parley_json_ref_t a, parley_json_ref_t b);

/*
 * The JSON Pointer (RFC 6901) of node i, zero-terminated, cut at size.
 * Of a name node: the pointer of its value.  A zero octet in a name is
 * written as '?'.  Returns its length.
 */
size_t parley_json_pointer(const parley_json_t *doc, uint32_t i, char *buf,
    size_t size);

/*
 * The node that a JSON Pointer names, or PARLEY_JSON_NONE.  Array indices
 * have no leading zeros; "-" names nothing.
 */
uint32_t parley_json_resolve(const parley_json_t *doc, uint32_t root,
    parley_str_t pointer);


#endif /* PARLEY_JSON_H */
