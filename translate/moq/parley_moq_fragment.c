#include "translate/moq/parley_moq_fragment.h"
#include "core/parley_atoms.h"
#include "core/parley_hex.h"


static int parley_moq_transfer_digest(const parley_json_t *doc,
    uint32_t value, parley_moq_transfer_t *ret);
static int parley_moq_transfer_error(parley_error_t *err, const char *field,
    const char *text);


void
parley_moq_split_init(parley_moq_split_t *s, const parley_moq_frame_t *frame)
{
    s->frame = *frame;
    s->frame.flags &= (uint8_t) ~PARLEY_MOQ_FRAGMENTED;
    s->rest = frame->payload;
    s->more = (frame->flags & PARLEY_MOQ_FRAGMENTED) != 0;
    s->done = 0;
}


int
parley_moq_split_next(parley_moq_split_t *s, parley_moq_frame_t *ret)
{
    size_t  n;

    if (s->done) {
        memset(ret, 0, sizeof(parley_moq_frame_t));
        return 0;
    }

    *ret = s->frame;

    n = s->rest.len > PARLEY_MOQ_CHUNK ? PARLEY_MOQ_CHUNK : s->rest.len;

    ret->payload = parley_str_make(s->rest.data, n);
    s->done = n == s->rest.len;

    if (n > 0) {
        s->rest = parley_str_from(s->rest, n);
    }

    if (!s->done || s->more) {
        ret->flags |= PARLEY_MOQ_FRAGMENTED;
    }

    return 1;
}


/*
 * A payload with a "stream_id" and a "checksum" or "total_chunks" is a
 * transfer.
 */

int
parley_moq_transfer_read(const parley_json_t *doc,
    parley_moq_transfer_t *ret, parley_error_t *err)
{
    int64_t   n;
    uint32_t  payload, stream, checksum, chunks;

    memset(ret, 0, sizeof(parley_moq_transfer_t));
    ret->chunks = -1;

    payload = parley_json_member(doc, 0, PARLEY_ATOM_payload);
    stream = parley_json_member(doc, payload, PARLEY_ATOM_stream_id);
    checksum = parley_json_member(doc, payload, PARLEY_ATOM_checksum);
    chunks = parley_json_member(doc, payload, PARLEY_ATOM_total_chunks);

    if (stream == PARLEY_JSON_NONE
        || (checksum == PARLEY_JSON_NONE && chunks == PARLEY_JSON_NONE))
    {
        return 0;
    }

    if (parley_json_type(doc, stream) != PARLEY_JSON_NUMBER
        || parley_json_integer(doc, stream, &n) != 0
        || n < 0 || n > UINT32_MAX)
    {
        return parley_moq_transfer_error(err, "/payload/stream_id",
                                         "must be a Stream ID, an integer of "
                                         "32 bits");
    }

    ret->stream = (uint32_t) n;

    if (chunks != PARLEY_JSON_NONE) {

        if (parley_json_type(doc, chunks) != PARLEY_JSON_NUMBER
            || parley_json_integer(doc, chunks, &n) != 0
            || n < 1 || n > UINT32_MAX)
        {
            return parley_moq_transfer_error(err, "/payload/total_chunks",
                                             "must be a number of chunks, 1 or "
                                             "more");
        }

        ret->chunks = n;
    }

    if (checksum != PARLEY_JSON_NONE
        && parley_moq_transfer_digest(doc, checksum, ret) != 0)
    {
        return parley_moq_transfer_error(err, "/payload/checksum",
                                         "must be a SHA-256 in hex");
    }

    return 1;
}


static int
parley_moq_transfer_digest(const parley_json_t *doc, uint32_t value,
    parley_moq_transfer_t *ret)
{
    int           high, low;
    size_t        i;
    parley_str_t  hex;

    if (parley_json_type(doc, value) != PARLEY_JSON_STRING) {
        return -1;
    }

    hex = parley_json_span(doc, value);

    if (hex.len != 2 * PARLEY_SHA256_LEN) {
        return -1;
    }

    for (i = 0; i < PARLEY_SHA256_LEN; i++) {
        high = parley_hex_digit(hex.data[2 * i]);
        low = parley_hex_digit(hex.data[2 * i + 1]);

        if (high < 0 || low < 0) {
            return -1;
        }

        ret->sha256[i] = (uint8_t) (high << 4 | low);
    }

    ret->checked = 1;

    return 0;
}


static int
parley_moq_transfer_error(parley_error_t *err, const char *field,
    const char *text)
{
    return parley_error_set(err, PARLEY_E_FIELD_INVALID, field, "%s %s",
                            field, text);
}
