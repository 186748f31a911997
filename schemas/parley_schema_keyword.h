/*
 * The keywords of draft 2020-12 and of Parley's vocabulary
 * (schemas/metaschema/parley.json): their vocabulary and subschemas.  Private
 * to schemas.
 */

#ifndef PARLEY_SCHEMA_KEYWORD_H
#define PARLEY_SCHEMA_KEYWORD_H

#include "core/parley_str.h"


#define PARLEY_SCHEMA_VOCAB_CORE         0x01
#define PARLEY_SCHEMA_VOCAB_APPLICATOR   0x02
#define PARLEY_SCHEMA_VOCAB_UNEVALUATED  0x04
#define PARLEY_SCHEMA_VOCAB_VALIDATION   0x08
#define PARLEY_SCHEMA_VOCAB_ANNOTATION   0x10   /* meta-data, content */
#define PARLEY_SCHEMA_VOCAB_FORMAT       0x20
#define PARLEY_SCHEMA_VOCAB_ASSERTION    0x40   /* format-assertion */
#define PARLEY_SCHEMA_VOCAB_OCTETS       0x80   /* Parley's: maxOctets */

#define PARLEY_SCHEMA_DIALECT            0x3F   /* draft 2020-12 */


/* the subschemas of a keyword: none, one, an array or an object of them */
typedef enum {
    PARLEY_SCHEMA_BELOW_NONE = 0,
    PARLEY_SCHEMA_BELOW_ONE,
    PARLEY_SCHEMA_BELOW_LIST,
    PARLEY_SCHEMA_BELOW_MAP
} parley_schema_below_t;


#define PARLEY_SCHEMA_KEYWORDS(X)                                             \
    X(ID, "$id", CORE, NONE)                                                  \
    X(SCHEMA, "$schema", CORE, NONE)                                          \
    X(REF, "$ref", CORE, NONE)                                                \
    X(ANCHOR, "$anchor", CORE, NONE)                                          \
    X(DYNAMIC_REF, "$dynamicRef", CORE, NONE)                                 \
    X(DYNAMIC_ANCHOR, "$dynamicAnchor", CORE, NONE)                           \
    X(VOCABULARY, "$vocabulary", CORE, NONE)                                  \
    X(DEFS, "$defs", CORE, MAP)                                               \
    X(PREFIX_ITEMS, "prefixItems", APPLICATOR, LIST)                          \
    X(ITEMS, "items", APPLICATOR, ONE)                                        \
    X(CONTAINS, "contains", APPLICATOR, ONE)                                  \
    X(ADDITIONAL_PROPERTIES, "additionalProperties", APPLICATOR, ONE)         \
    X(PROPERTIES, "properties", APPLICATOR, MAP)                              \
    X(PATTERN_PROPERTIES, "patternProperties", APPLICATOR, MAP)               \
    X(DEPENDENT_SCHEMAS, "dependentSchemas", APPLICATOR, MAP)                 \
    X(PROPERTY_NAMES, "propertyNames", APPLICATOR, ONE)                       \
    X(IF, "if", APPLICATOR, ONE)                                              \
    X(THEN, "then", APPLICATOR, ONE)                                          \
    X(ELSE, "else", APPLICATOR, ONE)                                          \
    X(ALL_OF, "allOf", APPLICATOR, LIST)                                      \
    X(ANY_OF, "anyOf", APPLICATOR, LIST)                                      \
    X(ONE_OF, "oneOf", APPLICATOR, LIST)                                      \
    X(NOT, "not", APPLICATOR, ONE)                                            \
    X(UNEVALUATED_ITEMS, "unevaluatedItems", UNEVALUATED, ONE)                \
    X(UNEVALUATED_PROPERTIES, "unevaluatedProperties", UNEVALUATED, ONE)      \
    X(TYPE, "type", VALIDATION, NONE)                                         \
    X(CONST, "const", VALIDATION, NONE)                                       \
    X(ENUM, "enum", VALIDATION, NONE)                                         \
    X(MULTIPLE_OF, "multipleOf", VALIDATION, NONE)                            \
    X(MAXIMUM, "maximum", VALIDATION, NONE)                                   \
    X(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", VALIDATION, NONE)                \
    X(MINIMUM, "minimum", VALIDATION, NONE)                                   \
    X(EXCLUSIVE_MINIMUM, "exclusiveMinimum", VALIDATION, NONE)                \
    X(MAX_LENGTH, "maxLength", VALIDATION, NONE)                              \
    X(MIN_LENGTH, "minLength", VALIDATION, NONE)                              \
    X(MAX_OCTETS, "maxOctets", OCTETS, NONE)                                  \
    X(PATTERN, "pattern", VALIDATION, NONE)                                   \
    X(WORDS, "x-words", VALIDATION, NONE)                                     \
    X(MAX_ITEMS, "maxItems", VALIDATION, NONE)                                \
    X(MIN_ITEMS, "minItems", VALIDATION, NONE)                                \
    X(UNIQUE_ITEMS, "uniqueItems", VALIDATION, NONE)                          \
    X(MAX_CONTAINS, "maxContains", VALIDATION, NONE)                          \
    X(MIN_CONTAINS, "minContains", VALIDATION, NONE)                          \
    X(MAX_PROPERTIES, "maxProperties", VALIDATION, NONE)                      \
    X(MIN_PROPERTIES, "minProperties", VALIDATION, NONE)                      \
    X(REQUIRED, "required", VALIDATION, NONE)                                 \
    X(DEPENDENT_REQUIRED, "dependentRequired", VALIDATION, NONE)              \
    X(FORMAT, "format", FORMAT, NONE)                                         \
    X(CONTENT_SCHEMA, "contentSchema", ANNOTATION, ONE)


typedef enum {
    PARLEY_SCHEMA_K_NONE = 0,
#define X(sym, name, vocab, below)  PARLEY_SCHEMA_K_##sym,
    PARLEY_SCHEMA_KEYWORDS(X)
#undef X
    PARLEY_SCHEMA_K_COUNT
} parley_schema_keyword_t;


typedef struct {
    parley_str_t           name;
    unsigned               vocab;
    parley_schema_below_t  below;
} parley_schema_keyword_info_t;


/* indexed by parley_schema_keyword_t; the row of NONE has an empty name */
extern const parley_schema_keyword_info_t
    parley_schema_keywords[PARLEY_SCHEMA_K_COUNT];

/* Returns the keyword of that name in a dialect, or PARLEY_SCHEMA_K_NONE. */
parley_schema_keyword_t parley_schema_keyword(parley_str_t name,
    unsigned dialect);

/* Returns the bit of a vocabulary by its URI; 0: unknown. */
unsigned parley_schema_vocabulary(parley_str_t uri);


#endif /* PARLEY_SCHEMA_KEYWORD_H */
