/*
 * Tasks of a protocol that are for the gateway itself, with any service behind
 * it: how its codec reads and answers them (AEE-21 to AEE-27).  The gateway
 * decides the content.
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
    PARLEY_TASK_REFUTE,         /* the only one with an effect */
    PARLEY_TASK_VALIDATE,
    PARLEY_TASK_COUNT
} parley_task_t;


struct parley_tasks_s {
    /* Finds the task of an intent.  COUNT: none. */
    parley_task_t   (*find)(parley_str_t intent);

    /* Returns the intent of a task, for lists. */
    parley_str_t    (*intent)(parley_task_t task);

    /*
     * Write the answer of self to request: a result with payload, a JSON
     * object; or a failure with a code of the intent, such as "E_NOT_FOUND".
     * The field of a failure may be empty.  The id is derived from that of the
     * request, so that a retry gets the same id (AEE-35).  Return 0 and status
     * 200 (the task was accepted), or -1 with *err filled if memory is
     * exhausted.
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
