/*
 * JSON Schema, draft 2020-12 (json-schema.org/draft/2020-12: core and
 * validation), on documents of parley_json.h.
 *
 * Documents are registered in a set and compiled at configuration time to
 * programs, which are read-only afterwards: any number of processes or threads
 * may validate with a program at once, each with its own scratch arena.  The
 * set owns documents, programs and patterns, which are valid until it is
 * destroyed.
 *
 * Schemas are trusted, instances are not: depth, steps and the work of a
 * pattern are bounded, and an instance that exceeds a bound is invalid.
 *
 * Keywords of vocabularies that the document's metaschema omits are ignored.
 * Unknown keywords are annotations; so are unsupported formats
 * (parley_format.h), unless the metaschema has the format-assertion
 * vocabulary, true or false, which makes them errors of the schema
 * (validation, sections 7.2.2 and 7.2.3).  Parley's own vocabulary (metaschema
 * urn:parley:metaschema) adds maxOctets: a string's length in octets of UTF-8,
 * where maxLength counts characters.  Patterns are ECMA-262 regular
 * expressions with the u flag, matched by PCRE2.
 */

#ifndef PARLEY_SCHEMA_H
#define PARLEY_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "core/parley_str.h"


#define PARLEY_SCHEMA_LOCATION_MAX  320

/* bound of nested schema applications */
#define PARLEY_SCHEMA_DEPTH_MAX     1000

/*
 * Bound of schema applications in one validation: STEPS for the message plus
 * STEPS_NODE for each of its nodes.  Not counted for schemas that are trees of
 * at most some thousand schemas, as the envelopes are.
 */
#define PARLEY_SCHEMA_STEPS         100000
#define PARLEY_SCHEMA_STEPS_NODE    64


typedef struct parley_schema_set_s  parley_schema_set_t;
typedef struct parley_schema_s      parley_schema_t;


typedef struct {
    uint64_t  seed;         /* keys the hash of uniqueItems; must be
                               unpredictable to senders */
    unsigned  formats:1;    /* assert supported formats even if the
                               metaschema does not */
} parley_schema_options_t;


/*
 * An invalid instance: error.code is field-missing (required,
 * dependentRequired), field-unknown (a member refused by a false schema) or
 * field-invalid; error.field is the JSON Pointer of the member at fault, which
 * may be missing; error.offset is the input position of that member or of the
 * object that lacks it; error.text completes a sentence that begins with the
 * member's name: "must be at least 8 characters".
 *
 * An invalid schema: error.field is the JSON Pointer in its document,
 * error.offset the position in its text, line and column its place.
 */
typedef struct {
    parley_error_t   error;
    const char      *keyword;   /* that failed; "" if none */
    uint32_t         line;      /* from 1; 0: the instance's error */
    uint32_t         column;    /* from 1; as line */
    char             location[PARLEY_SCHEMA_LOCATION_MAX];
                                /* location of the keyword: URI of the document
                                   (in an invalid schema: its name), '#',
                                   pointer */
} parley_schema_error_t;


/*
 * Creates an empty set.  options may be NULL for all zero.  *mem is copied; the
 * object behind its ctx must outlive the set.  Returns NULL if memory is
 * exhausted.  parley_schema_set_destroy() must be called for any mem, since
 * PCRE2 allocates executable memory elsewhere.
 */
parley_schema_set_t *parley_schema_set_create(const parley_mem_t *mem,
    const parley_schema_options_t *options);

/* Frees the set and all it owns.  set may be NULL. */
void parley_schema_set_destroy(parley_schema_set_t *set);

/*
 * Registers a copy of a document.  name is used in messages, for example a
 * file name; empty: uri.  uri identifies the document and is the base of its
 * references unless overridden by an $id, under which the document is found
 * too.  Registering a second schema under a URI is an error.
 *
 * Returns 0, or -1 with *err filled and the set unchanged.
 */
int parley_schema_set_add(parley_schema_set_t *set, parley_str_t name,
    parley_str_t uri, parley_str_t text, parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Registers the schemas of parley_schema_text.h: the metaschemas of the draft
 * and the envelopes.  Sets options.formats, on which the envelopes rely.
 * Returns 0, or -1 with *err filled.
 */
int parley_schema_set_add_builtin(parley_schema_set_t *set,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Compiles the schema at a URI with an optional fragment, a JSON Pointer or
 * anchor: "urn:parley:schema:vcp-1.2#/$defs/escalation_payload".  All
 * documents it refers to must be registered.  Compiling it again yields the
 * same program.
 *
 * Returns 0 with the program in *ret, owned by the set, or -1 with *err filled
 * and *ret NULL.
 */
int parley_schema_compile(parley_schema_set_t *set, parley_str_t uri,
    const parley_schema_t **ret, parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Validates an instance.  scratch may be the instance's arena; it is used by
 * PCRE2, unevaluated* and uniqueItems only, and not reset.  With err NULL no
 * explanation is computed, which saves half of the cost of a refusal.
 *
 * Returns 0 if the instance is valid, 1 if not, with *err filled for the error
 * that comes first in the instance, or -1 with *err filled if memory is
 * exhausted.  Everything but 0 must be treated as a refusal.
 */
int parley_schema_validate(const parley_schema_t *schema,
    parley_arena_t *scratch, parley_json_ref_t instance,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether an instance must have the member at a JSON Pointer to be
 * valid (value NULL), or cannot be valid with value there.  Requirements that
 * depend on the rest of the instance (if, anyOf, ...) are not considered.
 * scratch is used as by parley_schema_validate().
 */
int parley_schema_needs(const parley_schema_t *schema,
    parley_arena_t *scratch, parley_str_t pointer,
    const parley_json_ref_t *value);


#endif /* PARLEY_SCHEMA_H */
