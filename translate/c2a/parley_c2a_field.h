/*
 * Where a message has what the codec looks for: each object is walked once.
 * Private to translate/c2a.
 */

#ifndef PARLEY_C2A_FIELD_H
#define PARLEY_C2A_FIELD_H

#include "parley_c2a.h"


/* the objects in which they stand */
typedef enum {
    PARLEY_C2A_OF_MESSAGE = 0,
    PARLEY_C2A_OF_PARAMS,
    PARLEY_C2A_OF_ARGUMENTS,        /* of the draft's tools */
    PARLEY_C2A_OF_CONVERSATION,
    PARLEY_C2A_OF_PLACE,            /* that a tool's target is */
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

    PARLEY_C2A_AT_EVENT_ID,         /* from here on what a payload has; to
                                       RELIABILITY what parley_c2a_envelope
                                       has.  Of a tool its key */
    PARLEY_C2A_AT_SOURCE,
    PARLEY_C2A_AT_CONVERSATION,     /* of a tool its target */
    PARLEY_C2A_AT_AUTHOR,
    PARLEY_C2A_AT_TARGET,
    PARLEY_C2A_AT_TIMING,
    PARLEY_C2A_AT_ATTENTION,
    PARLEY_C2A_AT_INJECTION,
    PARLEY_C2A_AT_RELIABILITY,
    PARLEY_C2A_AT_CONTENT,
    PARLEY_C2A_AT_KNOCK,
    PARLEY_C2A_AT_REASON,           /* words, the first that is there */
    PARLEY_C2A_AT_TEXT,
    PARLEY_C2A_AT_MESSAGE,
    PARLEY_C2A_AT_ETA,
    PARLEY_C2A_AT_SIGNAL,
    PARLEY_C2A_AT_IN_REPLY_TO,
    PARLEY_C2A_AT_REQUEST,
    PARLEY_C2A_AT_TOKEN,
    PARLEY_C2A_AT_CONVERSATION_ID,
    PARLEY_C2A_AT_THREAD_ID,
    PARLEY_C2A_AT_CONVERSATION_KIND,
    PARLEY_C2A_AT_AUTHOR_ID,
    PARLEY_C2A_AT_AUTHOR_KIND,
    PARLEY_C2A_AT_RECIPIENT,
    PARLEY_C2A_AT_DIRECTEDNESS,
    PARLEY_C2A_AT_CREATED,
    PARLEY_C2A_AT_POLICY,
    PARLEY_C2A_AT_WHY,              /* attention.reason */
    PARLEY_C2A_AT_PRIORITY,
    PARLEY_C2A_AT_DEADLINE,
    PARLEY_C2A_AT_ACCEPTED,
    PARLEY_C2A_AT_DISPOSITION,
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


/*
 * Finds what a message has, and returns its form as parley_c2a_form_of()
 * does; PARLEY_C2A_RESPONSE where there is no method and a result or an
 * error.  It need not be valid.
 */
parley_c2a_form_t parley_c2a_places_find(parley_c2a_places_t *places,
    const parley_json_t *doc);

/* Finds what a payload of that form has, wherever it stands. */
void parley_c2a_places_payload(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t payload, parley_c2a_form_t form);

/* Finds what a response has, and its result. */
void parley_c2a_places_answer(parley_c2a_places_t *places,
    const parley_json_t *doc);

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



#endif /* PARLEY_C2A_FIELD_H */
