/*
 * Schemas of intents: <intent>.task.schema.json, <intent>.result.schema.json
 * and <intent>.error.schema.json, as in AEE section 9 (AEE-33).  An intent
 * without a schema allows any payload.
 *
 * The table is filled when the configuration is read, and does not change
 * afterwards.
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


/* Returns NULL if memory is exhausted.  mem must outlive the table. */
parley_intents_t *parley_intents_create(const parley_mem_t *mem);

/* intents may be NULL. */
void parley_intents_destroy(parley_intents_t *intents);

/*
 * Reads the name of a schema file, without its folder.  Returns 1, the intent
 * and the act of the described payload, or 0 if the file is not a schema of an
 * intent.
 */
int parley_intents_name(parley_str_t file, parley_str_t *ret_intent,
    parley_act_t *ret_act);

/*
 * Adds a schema.  file is its path, for messages.  Returns 0, or -1 with *err:
 * field is the JSON Pointer into the schema.
 */
int parley_intents_add(parley_intents_t *intents, parley_str_t file,
    parley_str_t intent, parley_act_t act, parley_str_t text,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Compiles all schemas, which may refer to each other by file name and $id.
 * Two file names must not differ in ASCII case alone.
 */
int parley_intents_compile(parley_intents_t *intents,
    parley_schema_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether an intent has only A-Z, a-z, 0-9, '.', '_' and hyphen, and is
 * not empty.
 */
int parley_intent_is_plain(parley_str_t intent);

/*
 * Returns whether an intent lies in the reserved namespace aee.*, and is
 * neither one of its seven nor an extension, aee.ext.* (AEE-20).
 */
int parley_intent_is_reserved(parley_str_t intent);

/*
 * Finds the schema of an intent.  ASCII case is ignored, as in rules (SEC-04).
 * NULL: the intent has no schema.
 */
const parley_schema_t *parley_intents_find(const parley_intents_t *intents,
    parley_str_t intent, parley_act_t act);

/*
 * Validates the payload of m by the schema of its intent, if it has one, and by
 * that of the second name of the intent in its wire protocol (SEC-04).  The
 * error is field-*, with a pointer into the message.
 */
int parley_intents_check(const parley_intents_t *intents,
    parley_arena_t *arena, const parley_msg_t *m, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Validates the payload of m only by the schema of the second name of its
 * intent in protocol proto.
 */
int parley_intents_check_read(const parley_intents_t *intents,
    parley_arena_t *arena, const parley_msg_t *m, parley_proto_t proto,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes the intents with a schema for which keep() returns 1 as JSON strings,
 * each once, in order.  first: 0 if a comma must precede.  Returns their
 * number.
 */
size_t parley_intents_list(const parley_intents_t *intents, parley_buf_t *b,
    int first, int (*keep)(void *ctx, parley_str_t intent), void *ctx);


#endif /* PARLEY_INTENTS_H */
