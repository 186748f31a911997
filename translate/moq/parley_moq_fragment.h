/*
 * Payloads in several frames (draft, section "Message Fragmentation").  Every
 * chunk except the last has the flag "fragmented".  The chunks of a payload
 * have one Session ID and Stream ID, and are in the order of arrival (MOQ-03,
 * MOQ-09).
 *
 * The draft lets the last chunk "include final metadata", but frames are raw
 * octets without a place for it.  Here the CMD that announces a transfer has
 * the metadata (parley_moq_transfer_t).  The payload of the frames contains
 * only the data.
 */

#ifndef PARLEY_MOQ_FRAGMENT_H
#define PARLEY_MOQ_FRAGMENT_H

#include "core/parley_arena.h"
#include "core/parley_digest.h"
#include "core/parley_json.h"
#include "translate/moq/parley_moq_frame.h"


#define PARLEY_MOQ_CHUNK        1400    /* octets of payload in a frame */
#define PARLEY_MOQ_STREAMS_MAX  1024    /* maximum of limits.streams */


/* payload to be sent, and its rest */
typedef struct {
    parley_moq_frame_t  frame;      /* header of every chunk */
    parley_str_t        rest;
    unsigned            more:1;     /* the last chunk has the flag as well */
    unsigned            done:1;
} parley_moq_split_t;


/* announced properties of the data in a stream */
typedef struct {
    uint32_t  stream;
    int64_t   chunks;               /* -1: unknown */
    uint8_t   sha256[PARLEY_SHA256_LEN];
    unsigned  checked:1;            /* sha256 is set */
} parley_moq_transfer_t;


typedef struct {
    size_t    size;         /* octets of one payload; default 16 MiB */
    size_t    total;        /* octets of all incomplete payloads; default 64
                               MiB */
    uint32_t  chunks;       /* maximum of one payload; default 65536 */
    uint32_t  streams;      /* incomplete streams; default 64 */
    int64_t   timeout_ms;   /* time from the first chunk or the announcement to
                               the last chunk; default 30 s */
} parley_moq_limits_t;


typedef struct parley_moq_reassembly_s  parley_moq_reassembly_t;


extern const parley_moq_limits_t  parley_moq_limits_default;


/*
 * Prepares to send frame.  Its payload may have any length, and is divided into
 * chunks of at most 1400 octets.  An empty payload is one empty chunk.  If
 * frame has the flag "fragmented", the last chunk has it too: more chunks will
 * follow.
 */
void parley_moq_split_init(parley_moq_split_t *s,
    const parley_moq_frame_t *frame);

/* Returns 1 and the next frame, or 0 after the last one. */
int parley_moq_split_next(parley_moq_split_t *s, parley_moq_frame_t *ret);


/*
 * Reads an announcement in the payload of a CMD: {"stream_id", "checksum"
 * (SHA-256 in hex), "total_chunks"}; the first is required.  Returns 1; 0 if
 * the payload is not an announcement; -1 with *err filled if a member is
 * invalid.
 */
int parley_moq_transfer_read(const parley_json_t *doc,
    parley_moq_transfer_t *ret, parley_error_t *err);


/*
 * Creates a reassembly.  If limits is NULL, the defaults apply.  Returns NULL
 * if memory is exhausted.
 */
parley_moq_reassembly_t *parley_moq_reassembly_create(const parley_mem_t *mem,
    const parley_moq_limits_t *limits);
void parley_moq_reassembly_destroy(parley_moq_reassembly_t *r);

/*
 * Expects an announced transfer.  The error is field-invalid if chunks of the
 * stream have arrived or the stream is already announced, and capacity if there
 * are too many streams.
 */
int parley_moq_reassembly_expect(parley_moq_reassembly_t *r,
    uint64_t session, const parley_moq_transfer_t *transfer, int64_t now_ms,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Takes a frame with a header that was read.  Returns 1 and the whole payload
 * in ret->payload; ret is otherwise the last frame, without the flag.  The
 * payload is that of the frame if it is complete, else octets of r, which are
 * valid until the next call on r.  Returns 0 if more chunks will follow; -1
 * with *err filled; or PARLEY_MOQ_FAILED_BEFORE, which is negative, with *err
 * filled if an earlier chunk of the payload had that error.
 *
 * Errors: message-too-large (limits.size, limits.chunks or "total_chunks" is
 * exceeded), capacity (limits.streams, limits.total, memory: the sender must
 * end the session, because later chunks of the stream resemble a new payload),
 * payload-kind-mismatch (a chunk has another type or other flags),
 * message-stale (the stream's time is over), field-invalid "checksum" or
 * "total_chunks".
 *
 * A failed stream stays failed: its chunks are refused up to the last one, so
 * that the rest is never taken for a payload.
 */
#define PARLEY_MOQ_FAILED_BEFORE  (-2)

int parley_moq_reassembly_take(parley_moq_reassembly_t *r,
    const parley_moq_frame_t *frame, int64_t now_ms, parley_moq_frame_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* Fails streams that have waited too long.  Every other call does so too. */
void parley_moq_reassembly_expire(parley_moq_reassembly_t *r,
    int64_t now_ms);

/*
 * Return the number of incomplete streams, including failed ones, and the
 * octets that they use.
 */
uint32_t parley_moq_reassembly_count(const parley_moq_reassembly_t *r);
size_t parley_moq_reassembly_octets(const parley_moq_reassembly_t *r);


#endif /* PARLEY_MOQ_FRAGMENT_H */
