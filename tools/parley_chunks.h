/* parley frame decode --join: chunks become payloads again. */

#ifndef PARLEY_CHUNKS_H
#define PARLEY_CHUNKS_H

#include "translate/moq/parley_moq_fragment.h"


typedef struct {
    parley_moq_reassembly_t  *r;    /* NULL: frames are left as they are */
} parley_chunks_t;


/* Returns 0, or -1: no memory. */
int parley_chunks_begin(parley_chunks_t *j, int joins);

/*
 * A frame came.  Returns 1 and *ret, whose payload is whole and valid until the
 * next call; 0: more chunks are to come; -1 with *err.
 */
int parley_chunks(parley_chunks_t *j, const parley_moq_frame_t *frame,
    parley_moq_frame_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees it, and returns how many streams have not come to their end. */
uint32_t parley_chunks_end(parley_chunks_t *j);


#endif /* PARLEY_CHUNKS_H */
