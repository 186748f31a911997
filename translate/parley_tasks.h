/*
 * Tasks that a protocol has for a gateway itself, whichever service is behind
 * it, as its codec reads and answers them (AEE-21 to AEE-27).  What they say is
 * the gateway's business; this is how.
 */

#ifndef PARLEY_TASKS_H
#define PARLEY_TASKS_H

#include "translate/parley_codec.h"


typedef enum {
    PARLEY_TASK_PING = 0,
    PARLEY_TASK_HEALTH,
    PARLEY_TASK_SPEC,
    PARLEY_TASK_CAPABILITY,
    PARLEY_TASK_FETCH,
    PARLEY_TASK_REFUTE,         /* alone changes something */
    PARLEY_TASK_VALIDATE,
    PARLEY_TASK_COUNT
} parley_task_t;


struct parley_tasks_s {
    /* COUNT where the intent is none of them */
    parley_task_t   (*find)(parley_str_t intent);

    /* the intent, for lists */
    parley_str_t    (*intent)(parley_task_t task);

    /*
     * The answer of self to request: with payload, a JSON object; or a failure
     * with a code of the intent's own, such as "E_NOT_FOUND", field may be
     * empty.  The id is derived from the request's, so that a retry gets the
     * same (AEE-35).  Return 0 and status 200: the task was taken; or -1 with
     * *err: no memory.
     */
    int             (*result)(parley_arena_t *arena,
                        const parley_msg_t *request, parley_str_t self,
                        parley_str_t payload, int64_t now_ms,
                        parley_reply_t *ret, parley_error_t *err);
    int             (*error)(parley_arena_t *arena,
                        const parley_msg_t *request, parley_str_t self,
                        parley_str_t code, parley_str_t message,
                        parley_str_t field, int64_t now_ms,
                        parley_reply_t *ret, parley_error_t *err);
};


#endif /* PARLEY_TASKS_H */
