/* Names of tracks (section 2.4.1 of the draft). */

#ifndef PARLEY_MOQT_TRACK_H
#define PARLEY_MOQT_TRACK_H

#include "moqt/parley_moqt_draft.h"


/* fields of a namespace; a namespace of a track has 1 to 32 */
typedef struct {
    size_t        count;
    size_t        octets;           /* of all fields together */
    parley_str_t  fields[PARLEY_MOQT_FIELDS_MAX];   /* each of 1 octet or
                                                       more */
} parley_moqt_namespace_t;


/*
 * Reads a namespace of least to 32 fields, as spans of the input.  Returns 0,
 * or -1 with PROTOCOL_VIOLATION: too few or too many fields, an empty field,
 * more than 4096 octets, or a namespace that ends too late.  member is the
 * name of the namespace for *fault.
 */
int parley_moqt_namespace_read(parley_moqt_cursor_t *c, size_t least,
    const char *member, parley_moqt_namespace_t *ret,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/*
 * Reads a track name, which may be empty.  The name and the octets of its
 * namespace are at most 4096 octets, else PROTOCOL_VIOLATION.
 */
int parley_moqt_name_read(parley_moqt_cursor_t *c, size_t octets,
    const char *member, parley_str_t *ret, parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/* Appends a namespace. */
void parley_moqt_namespace_write(const parley_moqt_draft_t *draft,
    parley_buf_t *b, const parley_moqt_namespace_t *space);

/*
 * Appends a field to a namespace.  Returns 0, or -1 if the field is empty or
 * the namespace would exceed its limits.
 */
int parley_moqt_namespace_add(parley_moqt_namespace_t *space,
    parley_str_t field)
    __attribute__((warn_unused_result));

/* Returns whether all octets of two namespaces are equal. */
int parley_moqt_namespace_eq(const parley_moqt_namespace_t *a,
    const parley_moqt_namespace_t *b);

/* Returns whether the fields of prefix are the first fields of space. */
int parley_moqt_namespace_begins(const parley_moqt_namespace_t *space,
    const parley_moqt_namespace_t *prefix);

/*
 * Appends octets in the safe form of section 1.5: a to z, A to Z, 0 to 9 and
 * "_" as they are, each other octet as "." and two hex digits.
 */
void parley_moqt_safe_write(parley_buf_t *b, parley_str_t s);

/*
 * Reads the safe form.  Returns 0, or -1 if s has another character, a "."
 * without two hex digits, or if memory is exhausted.
 */
int parley_moqt_safe_read(parley_arena_t *arena, parley_str_t s,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Appends a track in the form of section 1.5: "a2a-camera--camera.2ecmd". */
void parley_moqt_track_write(parley_buf_t *b,
    const parley_moqt_namespace_t *space, parley_str_t name);


#endif /* PARLEY_MOQT_TRACK_H */
