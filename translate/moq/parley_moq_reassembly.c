/*
 * Joins chunks to payloads.  The incomplete streams are few: a table holds
 * them, and each search is linear.  All of their resources are limited.
 */

#include "translate/moq/parley_moq_fragment.h"


typedef struct {
    uint64_t               session;
    uint32_t               stream;
    int64_t                deadline;    /* ms */
    parley_moq_type_t      type;
    uint8_t                flags;       /* without "fragmented" */
    uint32_t               chunks;
    uint8_t               *data;
    size_t                 len;
    size_t                 size;
    parley_moq_transfer_t  transfer;
    parley_code_t          failed;      /* reason of the failure; NONE: the
                                           stream has not failed */
    unsigned               announced:1;
    unsigned               started:1;
} parley_moq_stream_t;


struct parley_moq_reassembly_s {
    parley_mem_t          mem;
    parley_moq_limits_t   limits;
    parley_moq_stream_t  *streams;      /* the first n are in use */
    uint32_t              n;
    size_t                octets;
    uint8_t              *ready;        /* payload that the caller may use
                                           until */
    size_t                ready_size;   /* its next call */
};


static parley_moq_stream_t *parley_moq_stream_find(
    parley_moq_reassembly_t *r, uint64_t session, uint32_t stream);
static parley_moq_stream_t *parley_moq_stream_add(parley_moq_reassembly_t *r,
    uint64_t session, uint32_t stream, int64_t now_ms, parley_error_t *err);
static void parley_moq_stream_remove(parley_moq_reassembly_t *r,
    parley_moq_stream_t *s);
static void parley_moq_stream_empty(parley_moq_reassembly_t *r,
    parley_moq_stream_t *s);
static int parley_moq_stream_fail(parley_moq_reassembly_t *r,
    parley_moq_stream_t *s, const parley_moq_frame_t *frame, int64_t now_ms,
    parley_code_t code, const char *field, const char *text,
    parley_error_t *err);
static int parley_moq_stream_start(parley_moq_stream_t *s,
    const parley_moq_frame_t *frame);
static int parley_moq_stream_append(parley_moq_reassembly_t *r,
    parley_moq_stream_t *s, const parley_moq_frame_t *frame, int64_t now_ms,
    parley_error_t *err);
static int parley_moq_stream_grow(parley_moq_reassembly_t *r,
    parley_moq_stream_t *s, size_t len);
static int parley_moq_stream_finish(parley_moq_reassembly_t *r,
    parley_moq_stream_t *s, const parley_moq_frame_t *frame, int64_t now_ms,
    parley_moq_frame_t *ret, parley_error_t *err);
static void parley_moq_reassembly_free(parley_moq_reassembly_t *r, void *p,
    size_t size);


const parley_moq_limits_t  parley_moq_limits_default = {
    .size = 16 << 20,
    .total = 64 << 20,
    .chunks = 65536,
    .streams = 64,
    .timeout_ms = 30000,
};


parley_moq_reassembly_t *
parley_moq_reassembly_create(const parley_mem_t *mem,
    const parley_moq_limits_t *limits)
{
    parley_moq_reassembly_t  *r;

    r = mem->alloc(mem->ctx, sizeof(parley_moq_reassembly_t));
    if (r == NULL) {
        return NULL;
    }

    memset(r, 0, sizeof(parley_moq_reassembly_t));

    r->mem = *mem;
    r->limits = limits ? *limits : parley_moq_limits_default;

    if (r->limits.streams > PARLEY_MOQ_STREAMS_MAX) {
        r->limits.streams = PARLEY_MOQ_STREAMS_MAX;
    }

    r->streams = mem->alloc(mem->ctx, (r->limits.streams + 1)
                                      * sizeof(parley_moq_stream_t));
    if (r->streams == NULL) {
        parley_moq_reassembly_destroy(r);
        return NULL;
    }

    return r;
}


void
parley_moq_reassembly_destroy(parley_moq_reassembly_t *r)
{
    parley_mem_t  mem;

    if (r == NULL) {
        return;
    }

    parley_moq_reassembly_free(r, r->ready, r->ready_size);

    while (r->n > 0) {
        parley_moq_stream_remove(r, &r->streams[0]);
    }

    mem = r->mem;

    if (mem.free != NULL) {
        if (r->streams != NULL) {
            mem.free(mem.ctx, r->streams);
        }

        mem.free(mem.ctx, r);
    }
}


static parley_moq_stream_t *
parley_moq_stream_find(parley_moq_reassembly_t *r, uint64_t session,
    uint32_t stream)
{
    uint32_t  i;

    for (i = 0; i < r->n; i++) {
        if (r->streams[i].session == session
            && r->streams[i].stream == stream)
        {
            return &r->streams[i];
        }
    }

    return NULL;
}


static parley_moq_stream_t *
parley_moq_stream_add(parley_moq_reassembly_t *r, uint64_t session,
    uint32_t stream, int64_t now_ms, parley_error_t *err)
{
    parley_moq_stream_t  *s;

    if (r->n == r->limits.streams) {
        (void) parley_error_set(err, PARLEY_E_CAPACITY, "stream",
                                "too many streams wait for their last chunk");
        err->is_name = 1;
        return NULL;
    }

    s = &r->streams[r->n++];

    memset(s, 0, sizeof(parley_moq_stream_t));

    s->session = session;
    s->stream = stream;
    s->deadline = now_ms + r->limits.timeout_ms;
    s->transfer.chunks = -1;

    return s;
}


static void
parley_moq_stream_remove(parley_moq_reassembly_t *r, parley_moq_stream_t *s)
{
    parley_moq_stream_empty(r, s);

    *s = r->streams[--r->n];
}


static void
parley_moq_stream_empty(parley_moq_reassembly_t *r, parley_moq_stream_t *s)
{
    parley_moq_reassembly_free(r, s->data, s->size);

    s->data = NULL;
    s->len = 0;
    s->size = 0;
}


int
parley_moq_reassembly_expect(parley_moq_reassembly_t *r, uint64_t session,
    const parley_moq_transfer_t *transfer, int64_t now_ms,
    parley_error_t *err)
{
    parley_moq_stream_t  *s;

    parley_moq_reassembly_expire(r, now_ms);

    if (parley_moq_stream_find(r, session, transfer->stream) != NULL) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                "/payload/stream_id", "this stream is in "
                                "use already");
    }

    s = parley_moq_stream_add(r, session, transfer->stream, now_ms, err);
    if (s == NULL) {
        return -1;
    }

    s->transfer = *transfer;
    s->announced = 1;

    return 0;
}


int
parley_moq_reassembly_take(parley_moq_reassembly_t *r,
    const parley_moq_frame_t *frame, int64_t now_ms, parley_moq_frame_t *ret,
    parley_error_t *err)
{
    int                   more;
    parley_moq_stream_t  *s;

    memset(ret, 0, sizeof(parley_moq_frame_t));

    parley_moq_reassembly_expire(r, now_ms);

    if (frame->type == PARLEY_MOQ_HEARTBEAT) {
        *ret = *frame;
        return 1;
    }

    more = frame->flags & PARLEY_MOQ_FRAGMENTED;
    s = parley_moq_stream_find(r, frame->session, frame->stream);

    if (!more && (s == NULL || (s->announced && !s->started && !s->failed
                                && frame->type != PARLEY_MOQ_DATA)))
    {
        /* The frame is complete.  An announced transfer has data frames. */

        *ret = *frame;
        return 1;
    }

    if (s == NULL) {
        s = parley_moq_stream_add(r, frame->session, frame->stream, now_ms,
                                  err);
        if (s == NULL) {
            return -1;
        }
    }

    if (s->failed) {
        (void) parley_moq_stream_fail(r, s, frame, now_ms, s->failed,
                                      "stream", "the stream has failed "
                                      "before", err);
        return PARLEY_MOQ_FAILED_BEFORE;
    }

    if (parley_moq_stream_start(s, frame) != 0) {
        return parley_moq_stream_fail(r, s, frame, now_ms,
                                      PARLEY_E_PAYLOAD_KIND_MISMATCH, "type",
                                      "all chunks of a stream must have the "
                                      "same type and flags", err);
    }

    if (parley_moq_stream_append(r, s, frame, now_ms, err) != 0) {
        return -1;
    }

    return more ? 0 : parley_moq_stream_finish(r, s, frame, now_ms, ret, err);
}


/* Checks the type and flags, which the first chunk determines. */

static int
parley_moq_stream_start(parley_moq_stream_t *s,
    const parley_moq_frame_t *frame)
{
    uint8_t  flags;

    flags = (uint8_t) (frame->flags & ~PARLEY_MOQ_FRAGMENTED);

    if (!s->started) {
        s->started = 1;
        s->type = frame->type;
        s->flags = flags;

        return s->announced && s->type != PARLEY_MOQ_DATA ? -1 : 0;
    }

    return s->type == frame->type && s->flags == flags ? 0 : -1;
}


static int
parley_moq_stream_append(parley_moq_reassembly_t *r, parley_moq_stream_t *s,
    const parley_moq_frame_t *frame, int64_t now_ms, parley_error_t *err)
{
    parley_str_t  payload;

    payload = frame->payload;

    if (s->chunks == r->limits.chunks
        || payload.len > r->limits.size - s->len
        || (s->transfer.chunks >= 0 && s->chunks >= s->transfer.chunks))
    {
        return parley_moq_stream_fail(r, s, frame, now_ms,
                                      PARLEY_E_MESSAGE_TOO_LARGE, "length",
                                      "the stream has more chunks or octets "
                                      "than allowed", err);
    }

    s->chunks++;

    if (payload.len == 0) {
        return 0;
    }

    if (parley_moq_stream_grow(r, s, s->len + payload.len) != 0) {
        return parley_moq_stream_fail(r, s, frame, now_ms, PARLEY_E_CAPACITY,
                                      "length",
                                      "there is too little room for the data "
                                      "of the stream", err);
    }

    memcpy(s->data + s->len, payload.data, payload.len);
    s->len += payload.len;

    return 0;
}


/* Doubles the memory, so that chunks are not copied often. */

static int
parley_moq_stream_grow(parley_moq_reassembly_t *r, parley_moq_stream_t *s,
    size_t len)
{
    size_t    size, room;
    uint8_t  *data;

    if (len <= s->size) {
        return 0;
    }

    room = r->limits.total - r->octets + s->size;
    size = 2 * s->size > len ? 2 * s->size : len;

    if (size > r->limits.size) {
        size = r->limits.size;
    }

    if (size > room) {
        size = room;
    }

    if (size < len) {
        return -1;
    }

    data = r->mem.alloc(r->mem.ctx, size);
    if (data == NULL) {
        return -1;
    }

    if (s->len > 0) {
        memcpy(data, s->data, s->len);
    }

    parley_moq_reassembly_free(r, s->data, s->size);

    s->data = data;
    s->size = size;
    r->octets += size;

    return 0;
}


static int
parley_moq_stream_finish(parley_moq_reassembly_t *r, parley_moq_stream_t *s,
    const parley_moq_frame_t *frame, int64_t now_ms, parley_moq_frame_t *ret,
    parley_error_t *err)
{
    uint8_t       digest[PARLEY_SHA256_LEN];
    parley_str_t  payload;

    payload = parley_str_make(s->data, s->len);

    if (s->transfer.chunks >= 0 && s->chunks != s->transfer.chunks) {
        return parley_moq_stream_fail(r, s, frame, now_ms,
                                      PARLEY_E_FIELD_INVALID, "total_chunks",
                                      "the stream has fewer chunks than "
                                      "announced", err);
    }

    if (s->transfer.checked) {

        if (parley_sha256(payload, digest) != 0) {
            return parley_moq_stream_fail(r, s, frame, now_ms,
                                          PARLEY_E_CAPACITY, "checksum",
                                          "the checksum cannot be computed",
                                          err);
        }

        if (memcmp(digest, s->transfer.sha256, PARLEY_SHA256_LEN) != 0) {
            return parley_moq_stream_fail(r, s, frame, now_ms,
                                          PARLEY_E_FIELD_INVALID, "checksum",
                                          "the data does not match the "
                                          "announced checksum", err);
        }
    }

    *ret = *frame;
    ret->payload = payload;

    r->ready = s->data;
    r->ready_size = s->size;

    s->data = NULL;
    s->size = 0;

    parley_moq_stream_remove(r, s);

    return 1;
}


/* Fails a stream.  After the last chunk, the stream is removed. */

static int
parley_moq_stream_fail(parley_moq_reassembly_t *r, parley_moq_stream_t *s,
    const parley_moq_frame_t *frame, int64_t now_ms, parley_code_t code,
    const char *field, const char *text, parley_error_t *err)
{
    (void) parley_error_set(err, code, field, "%s", text);
    err->is_name = 1;

    if (!(frame->flags & PARLEY_MOQ_FRAGMENTED)) {
        parley_moq_stream_remove(r, s);
        return -1;
    }

    if (!s->failed) {
        parley_moq_stream_empty(r, s);

        s->failed = code;
        s->deadline = now_ms + r->limits.timeout_ms;
    }

    return -1;
}


void
parley_moq_reassembly_expire(parley_moq_reassembly_t *r, int64_t now_ms)
{
    uint32_t              i;
    parley_moq_stream_t  *s;

    parley_moq_reassembly_free(r, r->ready, r->ready_size);

    r->ready = NULL;
    r->ready_size = 0;

    for (i = 0; i < r->n; /* void */ ) {
        s = &r->streams[i];

        if (now_ms < s->deadline) {
            i++;
            continue;
        }

        if (s->failed) {
            parley_moq_stream_remove(r, s);
            continue;
        }

        /* The rest of the stream may still arrive. */

        parley_moq_stream_empty(r, s);

        s->failed = PARLEY_E_MESSAGE_STALE;
        s->deadline = now_ms + r->limits.timeout_ms;
        i++;
    }
}


uint32_t
parley_moq_reassembly_count(const parley_moq_reassembly_t *r)
{
    return r->n;
}


size_t
parley_moq_reassembly_octets(const parley_moq_reassembly_t *r)
{
    return r->octets;
}


static void
parley_moq_reassembly_free(parley_moq_reassembly_t *r, void *p, size_t size)
{
    if (p == NULL) {
        return;
    }

    r->octets -= size;

    if (r->mem.free != NULL) {
        r->mem.free(r->mem.ctx, p);
    }
}
