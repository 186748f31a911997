/*
 * Envelopes that the gateway sends as a party: results and errors for tasks
 * that are addressed to it (section 9, AEE-21 to AEE-27).  The caller decides
 * the content; these functions write it.
 */

#ifndef PARLEY_AEE_LOCAL_H
#define PARLEY_AEE_LOCAL_H

#include "translate/parley_codec.h"
#include "translate/parley_tasks.h"


extern const parley_tasks_t  parley_aee_tasks;


/* Finds the task of an intent.  PARLEY_TASK_COUNT: none of the seven. */
parley_task_t parley_aee_local_find(parley_str_t intent);

/* Returns the intent of a task, for lists. */
parley_str_t parley_aee_local_intent(parley_task_t own);

/*
 * Writes a result envelope from self for request with payload, a JSON object.
 * The id is derived from that of the request, so that a retry gets the same id
 * (AEE-35).  Returns 0 and status 200, or -1 with *err filled if memory is
 * exhausted.
 */
int parley_aee_local_result(parley_arena_t *arena, const parley_msg_t *request,
    parley_str_t self, parley_str_t payload, int64_t now_ms,
    parley_reply_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes an error envelope with a code of the intent, such as "E_NOT_FOUND";
 * field may be empty.  The status is 200: the task was accepted and has failed.
 */
int parley_aee_local_error(parley_arena_t *arena, const parley_msg_t *request,
    parley_str_t self, parley_str_t code, parley_str_t message,
    parley_str_t field, int64_t now_ms, parley_reply_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_AEE_LOCAL_H */
