/*
 * JSON Schema, draft 2020-12 (json-schema.org/draft/2020-12: core and
 * validation), over the spans of parley_json.h.
 *
 * Documents are registered in a set and compiled once, at configuration
 * time, into programs that are only read afterwards: any number of processes
 * or threads may validate with one program at once, each with a scratch arena
 * of its own.  Documents, programs and compiled patterns belong to the set and
 * live as long as it does.
 *
 * Schemas are trusted to be meant well, instances are not: depth, steps and
 * the work of a pattern are bounded, and what exceeds a bound is not valid.
 *
 * Keywords of vocabularies that a document's metaschema leaves out are
 * ignored; unknown keywords are annotations, and so are formats that are not
 * supported (parley_format.h).  Where the metaschema has the format-assertion
 * vocabulary, true or false, such a format is an error of the schema
 * (validation, sections 7.2.2 and 7.2.3).  One vocabulary is Parley's own
 * (metaschema urn:parley:metaschema): maxOctets bounds a string's length in
 * octets of UTF-8, where maxLength counts characters.  Patterns are ECMA-262
 * regular expressions with the u flag, run by PCRE2.
 */

#ifndef PARLEY_SCHEMA_H
#define PARLEY_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_error.h"
#include "parley_json.h"
#include "parley_str.h"


#define PARLEY_SCHEMA_LOCATION_MAX  320

/* schemas applied inside one another at any moment of a validation */
#define PARLEY_SCHEMA_DEPTH_MAX     1000

/*
 * Schemas applied in one validation: this many for the message, and this many
 * more for each of its nodes.  Where a schema is a tree of some thousand at
 * most, as those of the envelopes are, that is its bound, and none are
 * counted.
 */
#define PARLEY_SCHEMA_STEPS         100000
#define PARLEY_SCHEMA_STEPS_NODE    64


typedef struct parley_schema_set_s  parley_schema_set_t;
typedef struct parley_schema_s      parley_schema_t;


typedef struct {
    uint64_t  seed;         /* keys the hash of uniqueItems; give one that a
                               sender cannot know */
    unsigned  formats:1;    /* formats that are supported are asserted;
                               without it only where the metaschema has the
                               format-assertion vocabulary */
} parley_schema_options_t;


/*
 * Of a refused instance: error.code is field-missing (required,
 * dependentRequired), field-unknown (a member that a false schema refuses)
 * or field-invalid; error.field is the pointer of the member at fault, also
 * where it is missing; error.offset is where that member, or the object that
 * lacks it, stands in the input; error.text needs the member's name before
 * it: "must be at least 8 characters".
 *
 * Of a refused schema: error.field is the pointer into its document,
 * error.offset the octet of its text, line the line.
 */
typedef struct {
    parley_error_t   error;
    const char      *keyword;   /* that refuses; "" where there is none */
    uint32_t         line;      /* from 1; 0: not a schema's error */
    char             location[PARLEY_SCHEMA_LOCATION_MAX];
                                /* of the keyword: the document's URI (of a
                                   refused schema its name), '#', pointer */
} parley_schema_error_t;


/*
 * An empty set.  options NULL: all zero.  NULL where memory cannot be had.
 * Whatever mem is, parley_schema_set_destroy() must be called in the end:
 * PCRE2's executable memory comes from elsewhere.
 */
parley_schema_set_t *parley_schema_set_create(const parley_mem_t *mem,
    const parley_schema_options_t *options);

/* NULL is none. */
void parley_schema_set_destroy(parley_schema_set_t *set);

/*
 * Registers a document: text is copied.  name is for messages (a file name;
 * empty: the URI), uri is where references find it and what its own are
 * relative to, until an $id says otherwise; the document is found under its
 * $id too.  A URI stands for one schema: a second one is refused.
 *
 * Returns 0, or -1 with *err filled; the set then is as it was.
 */
int parley_schema_set_add(parley_schema_set_t *set, parley_str_t name,
    parley_str_t uri, parley_str_t text, parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Registers what parley_schema_text.h lists: the metaschemas of the draft and
 * the envelopes.  The envelopes count on their formats, so the set asserts
 * formats from then on.
 */
int parley_schema_set_add_builtin(parley_schema_set_t *set,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Compiles the schema that uri names, with or without a fragment (JSON
 * Pointer or anchor): "urn:parley:schema:vcp-1.2#/$defs/escalation_payload".
 * All that it refers to must be registered before.  Compiling a schema twice
 * yields the same program.
 *
 * Returns 0 and the program in *ret, or -1 with *err filled and *ret NULL.
 */
int parley_schema_compile(parley_schema_set_t *set, parley_str_t uri,
    const parley_schema_t **ret, parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether instance is valid.  scratch may be the arena of the document; what
 * is taken from it stays taken (nothing, where neither PCRE2 nor unevaluated*
 * nor uniqueItems have work).  err may be NULL: then nothing is explained,
 * which is the cheaper half of a refusal.
 *
 * Returns 0: valid; 1: not valid, *err filled with the error that comes first
 * in the instance; -1: no memory, *err filled.  The caller treats everything
 * but 0 as a refusal.
 */
int parley_schema_validate(const parley_schema_t *schema,
    parley_arena_t *scratch, parley_json_ref_t instance,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether no instance is valid without the member that a JSON Pointer names
 * (value NULL), or with that value in its place.  What depends on the rest of
 * the instance (if, anyOf, ...) does not count.
 */
int parley_schema_needs(const parley_schema_t *schema,
    parley_arena_t *scratch, parley_str_t pointer,
    const parley_json_ref_t *value);


#endif /* PARLEY_SCHEMA_H */
