/*
 * Payloads in more than one frame (draft, section "Message Fragmentation"):
 * every chunk but the last has the flag "fragmented", the last has not; they
 * belong together by Session ID and Stream ID, in the order of arrival
 * (MOQ-03, MOQ-09).
 *
 * The draft has the last chunk "include final metadata" and does not say
 * where, its frames being raw octets.  Here the CMD that announces a transfer
 * says it (parley_moq_transfer_t): the payload of the frames is the data and
 * nothing else.
 */

#ifndef PARLEY_MOQ_FRAGMENT_H
#define PARLEY_MOQ_FRAGMENT_H

#include "core/parley_arena.h"
#include "core/parley_digest.h"
#include "core/parley_json.h"
#include "translate/moq/parley_moq_frame.h"


#define PARLEY_MOQ_CHUNK        1400    /* octets of payload in a frame */
#define PARLEY_MOQ_STREAMS_MAX  1024    /* that limits.streams may be */


/* a payload to be sent, and how far it was */
typedef struct {
    parley_moq_frame_t  frame;      /* what every chunk is like */
    parley_str_t        rest;
    unsigned            more:1;     /* the last chunk has the flag too */
    unsigned            done:1;
} parley_moq_split_t;


/* what was announced of the data that a stream brings */
typedef struct {
    uint32_t  stream;
    int64_t   chunks;               /* -1: not said */
    uint8_t   sha256[PARLEY_SHA256_LEN];
    unsigned  checked:1;            /* there is a digest */
} parley_moq_transfer_t;


typedef struct {
    size_t    size;         /* octets of one payload; default 16 MiB */
    size_t    total;        /* octets of all that wait; default 64 MiB */
    uint32_t  chunks;       /* of one payload; default 65536 */
    uint32_t  streams;      /* that wait at a time; default 64 */
    int64_t   timeout_ms;   /* from the first chunk or the announcement to
                               the last chunk; default 30 s */
} parley_moq_limits_t;


typedef struct parley_moq_reassembly_s  parley_moq_reassembly_t;


extern const parley_moq_limits_t  parley_moq_limits_default;


/*
 * Prepares to send frame, whose payload may have any length: it becomes
 * chunks of at most 1400 octets, one of no octets where there are none.  With
 * the flag "fragmented" in frame the last chunk has it too: more will follow.
 */
void parley_moq_split_init(parley_moq_split_t *s,
    const parley_moq_frame_t *frame);

/* Returns 1 and the next frame, or 0: there are no more. */
int parley_moq_split_next(parley_moq_split_t *s, parley_moq_frame_t *ret);


/*
 * Reads what the payload of a CMD announces: {"stream_id", "checksum" (SHA-256
 * in hex), "total_chunks"}, of which the first is required.  Returns 1, 0
 * where the payload announces nothing, -1 with *err where a member is wrong.
 */
int parley_moq_transfer_read(const parley_json_t *doc,
    parley_moq_transfer_t *ret, parley_error_t *err);


/* limits NULL: the defaults.  NULL where memory cannot be had. */
parley_moq_reassembly_t *parley_moq_reassembly_create(const parley_mem_t *mem,
    const parley_moq_limits_t *limits);
void parley_moq_reassembly_destroy(parley_moq_reassembly_t *r);

/*
 * Expects what was announced.  A stream whose chunks already arrive, or that
 * is announced already, is field-invalid; too many streams are capacity.
 */
int parley_moq_reassembly_expect(parley_moq_reassembly_t *r,
    uint64_t session, const parley_moq_transfer_t *transfer, int64_t now_ms,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Takes a frame, whose header was read.  Returns 1 and the whole payload in
 * ret->payload (ret otherwise the last frame, without the flag): the frame's
 * own octets where it came whole, else octets of r, valid until the next call
 * on r; 0 where more chunks are to come; -1 with *err.
 *
 * Errors: message-too-large (limits.size, limits.chunks, "total_chunks"
 * exceeded), capacity (limits.streams, limits.total, memory: the sender has
 * to end the session, later chunks of the stream cannot be told from a new
 * payload), payload-kind-mismatch (a chunk of another type or with other
 * flags), message-stale (the stream's time is over), field-invalid
 * "checksum" or "total_chunks".
 * A stream that failed stays failed: its further chunks are refused up to
 * the last one, so that what is left of it is never taken for a payload.
 */
int parley_moq_reassembly_take(parley_moq_reassembly_t *r,
    const parley_moq_frame_t *frame, int64_t now_ms, parley_moq_frame_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees what has waited too long.  Every other call does so too. */
void parley_moq_reassembly_expire(parley_moq_reassembly_t *r,
    int64_t now_ms);

/* The streams that wait, failed ones too, and the octets held for them. */
uint32_t parley_moq_reassembly_count(const parley_moq_reassembly_t *r);
size_t parley_moq_reassembly_octets(const parley_moq_reassembly_t *r);


#endif /* PARLEY_MOQ_FRAGMENT_H */
