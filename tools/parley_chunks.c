/* parley frame decode --join: joins chunks into payloads. */

#include <string.h>

#include "tools/parley_chunks.h"
#include "tools/parley_tool.h"


static int tool_chunks_announced(parley_chunks_t *j,
    const parley_moq_frame_t *frame, parley_error_t *err);


int
tool_chunks_begin(parley_chunks_t *j, int joins)
{
    memset(j, 0, sizeof(parley_chunks_t));

    if (!joins) {
        return 0;
    }

    j->r = parley_moq_reassembly_create(&parley_mem_libc, NULL);

    return j->r != NULL ? 0 : -1;
}


/* The time is 0 in each call: all frames are in the input, so none is late. */

int
tool_chunks(parley_chunks_t *j, const parley_moq_frame_t *frame,
    parley_moq_frame_t *ret, parley_error_t *err)
{
    int  rc;

    if (j->r == NULL) {
        *ret = *frame;
        return 1;
    }

    rc = parley_moq_reassembly_take(j->r, frame, 0, ret, err);

    if (rc == 1 && ret->type == PARLEY_MOQ_CMD
        && tool_chunks_announced(j, ret, err) != 0)
    {
        return -1;
    }

    return rc;
}


/* Ignores a command that is not JSON or announces no transfer. */

static int
tool_chunks_announced(parley_chunks_t *j, const parley_moq_frame_t *frame,
    parley_error_t *err)
{
    int                    rc;
    parley_str_t           text;
    parley_json_t          doc;
    parley_arena_t         arena;
    parley_error_t         other;
    parley_moq_transfer_t  transfer;

    if (parley_moq_frame_cmd(frame, &text, &other) != 0) {
        return 0;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = 0;

    if (parley_json_read(&doc, &arena, NULL, 0, text, &other) == 0) {
        rc = parley_moq_transfer_read(&doc, &transfer, err);

        if (rc == 1) {
            rc = parley_moq_reassembly_expect(j->r, frame->session, &transfer,
                                              0, err);
        }
    }

    parley_arena_reset(&arena);

    return rc;
}


uint32_t
tool_chunks_end(parley_chunks_t *j)
{
    uint32_t  n;

    if (j->r == NULL) {
        return 0;
    }

    n = parley_moq_reassembly_count(j->r);

    parley_moq_reassembly_destroy(j->r);

    return n;
}
