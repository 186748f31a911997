/* parley frame decode --join: joins chunks into payloads. */

#ifndef PARLEY_CHUNKS_H
#define PARLEY_CHUNKS_H

#include "translate/moq/parley_moq_fragment.h"


typedef struct {
    parley_moq_reassembly_t  *r;    /* NULL: without --join */
} parley_chunks_t;


/* Returns 0, or -1 if memory ran out. */
int tool_chunks_begin(parley_chunks_t *j, int joins);

/*
 * Takes the next frame.  Returns 1 with a frame in *ret whose payload is
 * complete and valid until the next call, 0 if more chunks must come, or -1
 * with *err.
 */
int tool_chunks(parley_chunks_t *j, const parley_moq_frame_t *frame,
    parley_moq_frame_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees the reassembly and returns the number of streams that did not end. */
uint32_t tool_chunks_end(parley_chunks_t *j);


#endif /* PARLEY_CHUNKS_H */
