/*
 * The names of members that the codec looks for, and where a message has
 * them: each object is walked once.  Private to translate/c2a.
 */

#ifndef PARLEY_C2A_FIELD_H
#define PARLEY_C2A_FIELD_H

#include "parley_c2a.h"


/* by name, in whichever object */
typedef enum {
    PARLEY_C2A_FIELD_ID = 0,
    PARLEY_C2A_FIELD_JSONRPC,
    PARLEY_C2A_FIELD_METHOD,
    PARLEY_C2A_FIELD_PARAMS,
    PARLEY_C2A_FIELD_RESULT,
    PARLEY_C2A_FIELD_ERROR,

    PARLEY_C2A_FIELD_NAME,
    PARLEY_C2A_FIELD_ARGUMENTS,
    PARLEY_C2A_FIELD_META,

    PARLEY_C2A_FIELD_EVENT_ID,
    PARLEY_C2A_FIELD_SOURCE,
    PARLEY_C2A_FIELD_CONVERSATION,
    PARLEY_C2A_FIELD_AUTHOR,
    PARLEY_C2A_FIELD_TARGET,
    PARLEY_C2A_FIELD_TIMING,
    PARLEY_C2A_FIELD_ATTENTION,
    PARLEY_C2A_FIELD_INJECTION,
    PARLEY_C2A_FIELD_RELIABILITY,
    PARLEY_C2A_FIELD_CONTENT,
    PARLEY_C2A_FIELD_KNOCK,

    PARLEY_C2A_FIELD_PLATFORM,
    PARLEY_C2A_FIELD_THREAD_ID,
    PARLEY_C2A_FIELD_KIND,
    PARLEY_C2A_FIELD_RECIPIENT,
    PARLEY_C2A_FIELD_DIRECTEDNESS,
    PARLEY_C2A_FIELD_CREATED_AT,
    PARLEY_C2A_FIELD_POLICY,
    PARLEY_C2A_FIELD_REASON,
    PARLEY_C2A_FIELD_PRIORITY,
    PARLEY_C2A_FIELD_DEADLINE_MS,
    PARLEY_C2A_FIELD_MODE,
    PARLEY_C2A_FIELD_IDEMPOTENCY_KEY,
    PARLEY_C2A_FIELD_ATTEMPT,

    PARLEY_C2A_FIELD_TYPE,
    PARLEY_C2A_FIELD_TEXT,
    PARLEY_C2A_FIELD_MEDIA_TYPE,
    PARLEY_C2A_FIELD_FORM,
    PARLEY_C2A_FIELD_DATA,
    PARLEY_C2A_FIELD_MEMBERS,
    PARLEY_C2A_FIELD_REFERENCE,

    PARLEY_C2A_FIELD_ACCEPTED,
    PARLEY_C2A_FIELD_DISPOSITION,
    PARLEY_C2A_FIELD_MESSAGE,
    PARLEY_C2A_FIELDS
} parley_c2a_field_t;


/* the objects in which a decode looks for them */
typedef enum {
    PARLEY_C2A_OF_MESSAGE = 0,
    PARLEY_C2A_OF_PARAMS,
    PARLEY_C2A_OF_CONVERSATION,
    PARLEY_C2A_OF_AUTHOR,
    PARLEY_C2A_OF_TARGET,
    PARLEY_C2A_OF_TIMING,
    PARLEY_C2A_OF_ATTENTION,
    PARLEY_C2A_OF_RESULT,
    PARLEY_C2A_OBJECTS
} parley_c2a_object_t;


/* places in a message or a response; NOWHERE takes what nobody looks for */
typedef enum {
    PARLEY_C2A_NOWHERE = 0,
    PARLEY_C2A_AT_ID,
    PARLEY_C2A_AT_JSONRPC,
    PARLEY_C2A_AT_METHOD,
    PARLEY_C2A_AT_PARAMS,
    PARLEY_C2A_AT_RESULT,
    PARLEY_C2A_AT_ERROR,
    PARLEY_C2A_AT_NAME,
    PARLEY_C2A_AT_ARGUMENTS,
    PARLEY_C2A_AT_META,
    PARLEY_C2A_AT_EVENT_ID,         /* from here to RELIABILITY what
                                       parley_c2a_envelope has */
    PARLEY_C2A_AT_SOURCE,
    PARLEY_C2A_AT_CONVERSATION,
    PARLEY_C2A_AT_AUTHOR,
    PARLEY_C2A_AT_TARGET,
    PARLEY_C2A_AT_TIMING,
    PARLEY_C2A_AT_ATTENTION,
    PARLEY_C2A_AT_INJECTION,
    PARLEY_C2A_AT_RELIABILITY,
    PARLEY_C2A_AT_CONTENT,
    PARLEY_C2A_AT_KNOCK,
    PARLEY_C2A_AT_TEXT,
    PARLEY_C2A_AT_CONVERSATION_ID,
    PARLEY_C2A_AT_THREAD_ID,
    PARLEY_C2A_AT_AUTHOR_ID,
    PARLEY_C2A_AT_AUTHOR_KIND,
    PARLEY_C2A_AT_RECIPIENT,
    PARLEY_C2A_AT_CREATED,
    PARLEY_C2A_AT_POLICY,
    PARLEY_C2A_AT_PRIORITY,
    PARLEY_C2A_AT_DEADLINE,
    PARLEY_C2A_AT_ACCEPTED,
    PARLEY_C2A_AT_DISPOSITION,
    PARLEY_C2A_AT_MESSAGE,
    PARLEY_C2A_PLACES
} parley_c2a_place_t;


/* the values' nodes, or PARLEY_JSON_NONE */
typedef struct {
    uint32_t  at[PARLEY_C2A_PLACES];
} parley_c2a_places_t;


/* a part that embeds a message: the values' nodes, or PARLEY_JSON_NONE */
typedef struct {
    uint32_t        node;       /* the part */
    uint32_t        form;
    uint32_t        data;
    uint32_t        members;
    parley_proto_t  proto;      /* what its media type names, or NONE */
} parley_c2a_part_t;


/* Private to this header. */
extern const uint8_t  parley_c2a_atoms[PARLEY_ATOMS];


/* Which one a name node is; PARLEY_C2A_FIELDS: none of them. */
static inline parley_c2a_field_t
parley_c2a_field(const parley_json_t *doc, uint32_t name)
{
    return (parley_c2a_field_t)
           (PARLEY_C2A_FIELDS - parley_c2a_atoms[parley_json_atom(doc, name)]);
}


/*
 * Finds what a message has, and returns its form as parley_c2a_form_of()
 * does; PARLEY_C2A_RESPONSE where there is no method and a result or an
 * error.  It need not be valid.
 */
parley_c2a_form_t parley_c2a_places_find(parley_c2a_places_t *places,
    const parley_json_t *doc);

/* Finds what a response has, and its result. */
void parley_c2a_places_answer(parley_c2a_places_t *places,
    const parley_json_t *doc);

/* Finds what a value has where the params of a message have it. */
void parley_c2a_places_params(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t value);

/*
 * The part of a content array that embeds a message; node NONE: there is
 * none.  Returns 0, or -1: no memory.
 */
int parley_c2a_part(const parley_json_t *doc, uint32_t content,
    parley_c2a_part_t *ret)
    __attribute__((warn_unused_result));

/*
 * SEC-04: whether no more than most parts of a content array have the media
 * type of a protocol's messages, however it is spelt and whatever they say
 * besides: rules look at one message.  content may be PARLEY_JSON_NONE.
 * Returns 0, or -1: field-invalid at the first that is too many.
 */
int parley_c2a_parts(const parley_json_t *doc, uint32_t content,
    unsigned most, parley_error_t *err)
    __attribute__((warn_unused_result));


/* Fills *msg, whose head is known, from a valid message.  -1: no memory. */
int parley_c2a_fill(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form);


/* parley_json_string_is() of what may be NONE and has hardly ever escapes */

static inline int
parley_c2a_is(const parley_json_t *doc, uint32_t value, parley_str_t s)
{
    const parley_json_node_t  *node;

    if (value == PARLEY_JSON_NONE) {
        return 0;
    }

    node = parley_json_node(doc, value);

    if (node->flags & PARLEY_JSON_ESCAPED) {
        return parley_json_string_is(doc, value, s);
    }

    return node->type == PARLEY_JSON_STRING
           && parley_str_eq(parley_json_span(doc, value), s);
}


#endif /* PARLEY_C2A_FIELD_H */
