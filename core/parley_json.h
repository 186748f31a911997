/*
 * A strict JSON reader (RFC 8259; I-JSON, RFC 7493, where that is stricter).
 * One pass over the input builds a tape of nodes in an arena.  Nodes refer to
 * the input, which must outlive the document.
 *
 * Refused: invalid UTF-8, lone surrogates and noncharacters (raw or escaped),
 * duplicate members (compared unescaped), control characters in strings,
 * numbers that overflow a double, trailing octets, a byte order mark, and
 * anything above the limits.  The error carries the offset and the JSON
 * Pointer of the member.
 *
 * The input is untrusted.  A document is read-only once read.
 */

#ifndef PARLEY_JSON_H
#define PARLEY_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_atom.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


typedef enum {
    PARLEY_JSON_NULL = 0,
    PARLEY_JSON_FALSE,
    PARLEY_JSON_TRUE,
    PARLEY_JSON_NUMBER,
    PARLEY_JSON_STRING,
    PARLEY_JSON_ARRAY,
    PARLEY_JSON_OBJECT
} parley_json_type_t;


#define PARLEY_JSON_NONE       UINT32_MAX   /* no such node */

#define PARLEY_JSON_DEPTH_MAX  4096         /* cap of limits.depth: recursion
                                               over a document takes less
                                               than 512 octets of stack per
                                               level */

/* node flags */
#define PARLEY_JSON_ESCAPED    0x01     /* string with a backslash */
#define PARLEY_JSON_KEY        0x02     /* name of a member */
#define PARLEY_JSON_INTEGER    0x04     /* number without '.', 'e' or 'E' */
#define PARLEY_JSON_ASCII      0x08     /* string of ASCII other than DEL,
                                           without escapes */
#define PARLEY_JSON_SORTED     0x10     /* object with ASCII names, unescaped
                                           and in ascending order */
#define PARLEY_JSON_CANONICAL  0x20     /* value or name known to be in its
                                           RFC 8785 form (sufficient, not
                                           necessary: "\u0001" lacks it) */
#define PARLEY_JSON_MASKED     0x40     /* object with an escaped name */


/*
 * The tape is in document order.  An object is followed, for each member, by
 * the node of its name (a STRING with the flag KEY) and its value; an array by
 * its elements.
 */
typedef struct {
    uint32_t  off;      /* string: after the opening quote */
    uint32_t  len;      /* octets; string: raw, without quotes;
                           array, object: brackets included */
    uint32_t  next;     /* index of the first node after this value */
    uint32_t  count;    /* array: elements; object: members;
                           string: code points, unescaped */
    uint8_t   type;     /* parley_json_type_t */
    uint8_t   flags;

    union {
        uint16_t  depth;    /* depth of a value; 0 for the root */
        uint16_t  atom;     /* atom of a name */
    };
} parley_json_node_t;


typedef struct {
    parley_str_t         input;
    parley_json_node_t  *nodes;     /* nodes[0] is the root */
    uint32_t             nnodes;
    uint32_t             levels;    /* nested arrays and objects, at most so
                                       many */
    uint32_t             inexact;   /* node of the first integer outside +-(2^53
                                       - 1), which RFC 8785 would round; NONE:
                                       no such integer */
    parley_arena_t      *arena;     /* for unescaped strings */
    uint64_t             seed;      /* as given to parley_json_read() */
} parley_json_t;


typedef struct {
    size_t    octets;       /* octets of the input; default 1 MiB */
    uint32_t  depth;        /* nesting of arrays and objects; default 32 */
    uint32_t  string;       /* raw octets of a string; default 256 KiB */
    uint32_t  members;      /* members of an object, or elements of an array;
                               default 65536 */
} parley_json_limits_t;


extern const parley_json_limits_t  parley_json_limits_default;


/* a value in its document; absent if node is PARLEY_JSON_NONE */
typedef struct {
    const parley_json_t  *doc;
    uint32_t              node;
} parley_json_ref_t;

#define parley_json_ref_none  ((parley_json_ref_t) { NULL, PARLEY_JSON_NONE })


/*
 * Reads input into *doc.  limits may be NULL for the defaults; exceeding any
 * of them is message-too-large, every other fault json-invalid.  seed keys the
 * hash that finds duplicate members in large objects and must be unpredictable
 * to the sender.  Nodes and, later, unescaped strings are allocated from
 * arena; input and arena must outlive *doc.
 *
 * Number literals have no length limit; processing one takes time linear in
 * its length (parley_number.h).
 *
 * Returns 0, or -1 with *err filled and *doc empty.
 */
int parley_json_read(parley_json_t *doc, parley_arena_t *arena,
    const parley_json_limits_t *limits, uint64_t seed, parley_str_t input,
    parley_error_t *err)
    __attribute__((warn_unused_result));


/* Returns node i, which must be less than doc->nnodes. */
static inline const parley_json_node_t *
parley_json_node(const parley_json_t *doc, uint32_t i)
{
    return &doc->nodes[i];
}


/* Returns the type of node i, which must be less than doc->nnodes. */
static inline parley_json_type_t
parley_json_type(const parley_json_t *doc, uint32_t i)
{
    return (parley_json_type_t) doc->nodes[i].type;
}


/*
 * Iteration over members: for (k = parley_json_first(obj); k !=
 * parley_json_end(doc, obj); k = parley_json_after(doc, k + 1)), where k is the
 * name and k + 1 the value.  Over elements: as members, with k =
 * parley_json_after(doc, k).
 */
#define parley_json_first(i)         ((i) + 1)
#define parley_json_end(doc, i)      ((doc)->nodes[i].next)
#define parley_json_after(doc, i)    ((doc)->nodes[i].next)


/*
 * Returns the value of the member of obj with that name, or PARLEY_JSON_NONE.
 * obj may be any node or PARLEY_JSON_NONE; only an object has members.
 */
uint32_t parley_json_get(const parley_json_t *doc, uint32_t obj,
    parley_str_t name);

/* As parley_json_get(), by atom. */
uint32_t parley_json_member(const parley_json_t *doc, uint32_t obj,
    parley_atom_t atom);

/* Returns the value at the end of a path from the root, or PARLEY_JSON_NONE.
   PARLEY_ATOM_NONE ends the path. */
uint32_t parley_json_path(const parley_json_t *doc,
    const parley_atom_t *names);

/* Returns the atom of name node k. */
static inline parley_atom_t
parley_json_atom(const parley_json_t *doc, uint32_t k)
{
    return (parley_atom_t) doc->nodes[k].atom;
}


/*
 * Makes value i of doc a document without reading it again: its input is a
 * span of doc's, its nodes are copied into arena.  If doc->inexact precedes
 * the value, ret->inexact is the root, conservatively.  Returns 0, or -1 with
 * *ret empty if memory is exhausted.
 */
int parley_json_part(const parley_json_t *doc, uint32_t i,
    parley_arena_t *arena, parley_json_t *ret)
    __attribute__((warn_unused_result));

/* Returns the raw octets of a value, quotes included. */
parley_str_t parley_json_raw(const parley_json_t *doc, uint32_t i);

/*
 * Returns the raw octets of the member with name node k, from the name's
 * opening quote to the end of the value.
 */
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


/* Returns whether the member has no white space around its colon. */
static inline int
parley_json_member_is_tight(const parley_json_t *doc, uint32_t k)
{
    const parley_json_node_t  *name, *value;

    name = &doc->nodes[k];
    value = name + 1;

    return value->off - (value->type == PARLEY_JSON_STRING)
           == name->off + name->len + 2;
}


/*
 * Returns the raw octets between the quotes of a string or name; of another
 * value, all of its octets.
 */
static inline parley_str_t
parley_json_span(const parley_json_t *doc, uint32_t i)
{
    return parley_str_make(doc->input.data + doc->nodes[i].off,
                           doc->nodes[i].len);
}


/* The out-of-line part of parley_json_string(). */
int parley_json_string_unescaped(const parley_json_t *doc, uint32_t i,
    parley_str_t *ret)
    __attribute__((warn_unused_result));


/*
 * Unescapes a string or name: *ret is the raw span if it has no escapes, else
 * allocated from the document's arena.  Returns 0, or -1 with *ret empty if
 * the node is not a string or memory is exhausted.
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


/* The out-of-line part of parley_json_string_is(). */
int parley_json_string_is_escaped(const parley_json_t *doc, uint32_t i,
    parley_str_t s);


/*
 * Returns whether node i is a string that, unescaped, equals s.  Never
 * allocates.
 */
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


/*
 * Returns the value of a number node, rounded to the nearest double; 0 for any
 * other node.
 */
double parley_json_number(const parley_json_t *doc, uint32_t i);

/*
 * Converts a number node that is mathematically an integer within int64_t (1.0
 * and 1e2 are).  Returns 0, or -1 with *ret unchanged.
 */
int parley_json_integer(const parley_json_t *doc, uint32_t i, int64_t *ret);

/*
 * Compares two values as JSON Schema does: numbers by exact value (1 equals
 * 1.0, 2^53 does not equal 2^53 + 1), strings unescaped, objects regardless of
 * order.  Objects in different orders take an index from a's arena, and
 * quadratic time if that is exhausted.  b's arena is not used, so b may be a
 * shared document of the configuration.
 */
int parley_json_equal(parley_json_ref_t a, parley_json_ref_t b);

/*
 * Writes the JSON Pointer (RFC 6901) of node i, NUL-terminated and truncated
 * to size; for a name node, the pointer of its value.  U+0000 in a name
 * becomes '?'.  Returns the length.
 */
size_t parley_json_pointer(const parley_json_t *doc, uint32_t i, char *buf,
    size_t size);

/*
 * Returns the node below root that a JSON Pointer refers to, or
 * PARLEY_JSON_NONE.  Array indices must not have leading zeros; "-" refers to
 * nothing.
 */
uint32_t parley_json_resolve(const parley_json_t *doc, uint32_t root,
    parley_str_t pointer);


#endif /* PARLEY_JSON_H */
