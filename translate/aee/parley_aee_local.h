/*
 * Envelopes that the gateway makes as a party of its own: results and errors
 * for tasks that are addressed to it (section 9, AEE-21 to AEE-27).  What
 * they say is the caller's business; this is how.
 */

#ifndef PARLEY_AEE_LOCAL_H
#define PARLEY_AEE_LOCAL_H

#include "translate/parley_codec.h"
#include "translate/parley_tasks.h"


extern const parley_tasks_t  parley_aee_tasks;


/* PARLEY_TASK_COUNT where the intent is none of the seven. */
parley_task_t parley_aee_local_find(parley_str_t intent);

/* The intent, for lists. */
parley_str_t parley_aee_local_intent(parley_task_t own);

/*
 * A result envelope from self for request, with payload (a JSON object) as
 * its payload.  The id is derived from the request's, so that a retry gets
 * the same (AEE-35).  Returns 0 and status 200, or -1 with *err: no memory.
 */
int parley_aee_local_result(parley_arena_t *arena, const parley_msg_t *request,
    parley_str_t self, parley_str_t payload, int64_t now_ms,
    parley_reply_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * An error envelope with a code of the intent's own, such as "E_NOT_FOUND";
 * field may be empty.  Status 200: the task was taken and has failed.
 */
int parley_aee_local_error(parley_arena_t *arena, const parley_msg_t *request,
    parley_str_t self, parley_str_t code, parley_str_t message,
    parley_str_t field, int64_t now_ms, parley_reply_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_AEE_LOCAL_H */
