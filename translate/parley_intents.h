/*
 * Schemas of intents: <intent>.task.schema.json, <intent>.result.schema.json
 * and <intent>.error.schema.json, as AEE section 9 has them (AEE-33).  An
 * intent without a schema is no error: its payload is anything.
 *
 * Made when the configuration is read, read-only afterwards.
 */

#ifndef PARLEY_INTENTS_H
#define PARLEY_INTENTS_H

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "schemas/parley_schema.h"
#include "core/parley_str.h"


#define PARLEY_INTENTS_SUFFIX  ".schema.json"


typedef struct parley_intents_s  parley_intents_t;


/* NULL where memory cannot be had.  mem must outlive the table. */
parley_intents_t *parley_intents_create(const parley_mem_t *mem);

/* NULL is none. */
void parley_intents_destroy(parley_intents_t *intents);

/*
 * Whether a file's name, without its folder, is that of an intent's schema;
 * then 1, the intent and what it is the payload of.
 */
int parley_intents_name(parley_str_t file, parley_str_t *ret_intent,
    parley_act_t *ret_act);

/*
 * Adds the schema in text, which file (its path, for messages) holds.
 * Returns 0, or -1 with *err: field is the JSON Pointer into the schema.
 */
int parley_intents_add(parley_intents_t *intents, parley_str_t file,
    parley_str_t intent, parley_act_t act, parley_str_t text,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Compiles all; they may refer to each other by file name and $id.  Two whose
 * files' names differ in ASCII case alone are an error.
 */
int parley_intents_compile(parley_intents_t *intents,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/* Of A-Z, a-z, 0-9, '.', '_' and hyphen alone, and not empty. */
int parley_intent_is_plain(parley_str_t intent);

/*
 * AEE-20: whether an intent, in whatever message, lies in the reserved
 * namespace aee.* and is none of its seven, nor an extension (aee.ext.*).
 */
int parley_intent_is_reserved(parley_str_t intent);

/*
 * The intent is compared without regard to ASCII case, as rules do (SEC-04).
 * NULL: no schema.
 */
const parley_schema_t *parley_intents_find(const parley_intents_t *intents,
    parley_str_t intent, parley_act_t act);

/*
 * Validates the payload of m by the schema of its intent, where there is one;
 * and by that of the name that its wire has for it as well (SEC-04).  The
 * error is field-*, its field a pointer into the message.
 */
int parley_intents_check(const parley_intents_t *intents,
    parley_arena_t *arena, const parley_msg_t *m, parley_error_t *err)
    __attribute__((warn_unused_result));

/* By that of the name alone that proto has for its intent as well. */
int parley_intents_check_read(const parley_intents_t *intents,
    parley_arena_t *arena, const parley_msg_t *m, parley_proto_t proto,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes the intents that have a schema as JSON strings, each once and in
 * order, those that keep() says 1 to; first says whether a comma precedes.
 * Returns how many.
 */
size_t parley_intents_list(const parley_intents_t *intents, parley_buf_t *b,
    int first, int (*keep)(void *ctx, parley_str_t intent), void *ctx);


#endif /* PARLEY_INTENTS_H */
