#include <string.h>

#include "state/parley_job.h"
#include "hub/parley_job_subject.h"


int
parley_job_subject_write(parley_arena_t *arena, parley_job_subject_kind_t kind,
    parley_str_t sub, parley_str_t *ret)
{
    uint8_t  *text;

    if (sub.len >= PARLEY_JOB_TEXT_MAX) {
        return -1;
    }

    text = parley_arena_octets(arena, 1 + sub.len);

    if (text == NULL) {
        return -1;
    }

    text[0] = (uint8_t) kind;
    memcpy(text + 1, sub.data, sub.len);

    *ret = parley_str_make(text, 1 + sub.len);

    return 0;
}


parley_job_subject_kind_t
parley_job_subject_read(parley_str_t text, parley_str_t *ret)
{
    *ret = parley_str_none;

    if (text.len == 0 || text.data[0] >= PARLEY_SUBJECT_KINDS) {
        return PARLEY_SUBJECT_NONE;
    }

    *ret = parley_str_from(text, 1);

    return (parley_job_subject_kind_t) text.data[0];
}
