#include "translate/moq/parley_moq_frame.h"
#include "core/parley_hex.h"


#define PARLEY_MOQ_AT_MAGIC    0
#define PARLEY_MOQ_AT_VERSION  2
#define PARLEY_MOQ_AT_TYPE     3
#define PARLEY_MOQ_AT_SESSION  4
#define PARLEY_MOQ_AT_STREAM   12
#define PARLEY_MOQ_AT_FLAGS    16
#define PARLEY_MOQ_AT_LENGTH   17


static int parley_moq_header_check(const uint8_t *p, parley_error_t *err);
static int parley_moq_header_error(parley_error_t *err, parley_code_t code,
    const char *field, size_t offset, const char *text);
static uint64_t parley_moq_get(const uint8_t *p, unsigned n);
static void parley_moq_put(uint8_t *p, unsigned n, uint64_t value);


static const parley_str_t  parley_moq_types[] = {
    [PARLEY_MOQ_CMD] = parley_str("cmd"),
    [PARLEY_MOQ_DATA] = parley_str("data"),
    [PARLEY_MOQ_STREAM] = parley_str("stream"),
    [PARLEY_MOQ_HEARTBEAT] = parley_str("heartbeat"),
};


int
parley_moq_header_read(parley_str_t in, uint32_t max,
    parley_moq_frame_t *ret, uint32_t *ret_len, parley_error_t *err)
{
    uint32_t        len;
    const uint8_t  *p;

    memset(ret, 0, sizeof(parley_moq_frame_t));
    *ret_len = 0;

    p = in.data;

    if (in.len < PARLEY_MOQ_HEADER_LEN) {
        return parley_moq_header_error(err, PARLEY_E_FIELD_INVALID, "header",
                                       in.len,
                                       "the header of a frame must have 21 "
                                       "octets");
    }

    if (parley_moq_header_check(p, err) != 0) {
        return -1;
    }

    len = (uint32_t) parley_moq_get(p + PARLEY_MOQ_AT_LENGTH, 4);

    if (len > max) {
        return parley_moq_header_error(err, PARLEY_E_MESSAGE_TOO_LARGE,
                                       "length", PARLEY_MOQ_AT_LENGTH,
                                       "the payload is too long");
    }

    ret->type = (parley_moq_type_t) p[PARLEY_MOQ_AT_TYPE];

    if (ret->type == PARLEY_MOQ_HEARTBEAT && len > 0) {
        memset(ret, 0, sizeof(parley_moq_frame_t));

        return parley_moq_header_error(err, PARLEY_E_FIELD_INVALID, "length",
                                       PARLEY_MOQ_AT_LENGTH, "a heartbeat "
                                       "has no payload");
    }

    ret->session = parley_moq_get(p + PARLEY_MOQ_AT_SESSION,
                                  PARLEY_MOQ_SESSION_LEN);
    ret->stream = (uint32_t) parley_moq_get(p + PARLEY_MOQ_AT_STREAM, 4);
    ret->flags = p[PARLEY_MOQ_AT_FLAGS];

    *ret_len = len;

    return 0;
}


static int
parley_moq_header_check(const uint8_t *p, parley_error_t *err)
{
    if (parley_moq_get(p + PARLEY_MOQ_AT_MAGIC, 2) != PARLEY_MOQ_MAGIC) {
        return parley_moq_header_error(err, PARLEY_E_FIELD_INVALID, "magic",
                                       PARLEY_MOQ_AT_MAGIC,
                                       "a frame must begin with the octets A2 "
                                       "A2");
    }

    switch (p[PARLEY_MOQ_AT_VERSION]) {

    case PARLEY_MOQ_VERSION:
        break;

    case 0x00:
    case 0xFF:
        return parley_moq_header_error(err,
                                       PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                       "version", PARLEY_MOQ_AT_VERSION,
                                       "this version is reserved");

    default:
        return parley_moq_header_error(err,
                                       PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                       "version", PARLEY_MOQ_AT_VERSION,
                                       "only version 1 is supported");
    }

    switch (p[PARLEY_MOQ_AT_TYPE]) {

    case PARLEY_MOQ_CMD:
    case PARLEY_MOQ_DATA:
    case PARLEY_MOQ_STREAM:
    case PARLEY_MOQ_HEARTBEAT:
        break;

    case 0x00:
    case 0xFF:
        return parley_moq_header_error(err, PARLEY_E_KIND_UNKNOWN, "type",
                                       PARLEY_MOQ_AT_TYPE,
                                       "this type is reserved");

    default:
        return parley_moq_header_error(err, PARLEY_E_KIND_UNKNOWN, "type",
                                       PARLEY_MOQ_AT_TYPE,
                                       "this type is not assigned");
    }

    /*
     * An unknown flag may change the meaning of the payload, and must not be
     * ignored.
     */

    if (p[PARLEY_MOQ_AT_FLAGS] & ~PARLEY_MOQ_FLAGS) {
        return parley_moq_header_error(err, PARLEY_E_FIELD_INVALID, "flags",
                                       PARLEY_MOQ_AT_FLAGS,
                                       "a flag is not assigned");
    }

    return 0;
}


static int
parley_moq_header_error(parley_error_t *err, parley_code_t code,
    const char *field, size_t offset, const char *text)
{
    (void) parley_error_set(err, code, field, "%s", text);

    err->is_name = 1;
    err->offset = offset;

    return -1;
}


int
parley_moq_frame_read(parley_str_t in, uint32_t max, parley_moq_frame_t *ret,
    size_t *ret_used, parley_error_t *err)
{
    uint32_t  len;

    *ret_used = 0;

    if (parley_moq_header_read(in, max, ret, &len, err) != 0) {
        return -1;
    }

    if (in.len - PARLEY_MOQ_HEADER_LEN < len) {
        memset(ret, 0, sizeof(parley_moq_frame_t));

        return parley_moq_header_error(err, PARLEY_E_FIELD_INVALID, "length",
                                       in.len, "the payload ends too early");
    }

    ret->payload = parley_str_make(in.data + PARLEY_MOQ_HEADER_LEN, len);
    *ret_used = PARLEY_MOQ_HEADER_LEN + (size_t) len;

    return 0;
}


int
parley_moq_frame_cmd(const parley_moq_frame_t *frame, parley_str_t *ret,
    parley_error_t *err)
{
    *ret = parley_str_none;

    if (frame->type != PARLEY_MOQ_CMD) {
        return parley_moq_header_error(err, PARLEY_E_PAYLOAD_KIND_MISMATCH,
                                       "type", PARLEY_MOQ_AT_TYPE,
                                       "only a CMD frame has a command");
    }

    if (frame->flags != 0) {
        return parley_moq_header_error(err, PARLEY_E_FIELD_INVALID, "flags",
                                       PARLEY_MOQ_AT_FLAGS,
                                       "a command must be whole, neither "
                                       "compressed nor encrypted");
    }

    *ret = frame->payload;

    return 0;
}


void
parley_moq_frame_write(parley_buf_t *b, const parley_moq_frame_t *frame)
{
    uint8_t  header[PARLEY_MOQ_HEADER_LEN];

    parley_moq_put(header + PARLEY_MOQ_AT_MAGIC, 2, PARLEY_MOQ_MAGIC);
    header[PARLEY_MOQ_AT_VERSION] = PARLEY_MOQ_VERSION;
    header[PARLEY_MOQ_AT_TYPE] = (uint8_t) frame->type;
    parley_moq_put(header + PARLEY_MOQ_AT_SESSION, PARLEY_MOQ_SESSION_LEN,
                   frame->session);
    parley_moq_put(header + PARLEY_MOQ_AT_STREAM, 4, frame->stream);
    header[PARLEY_MOQ_AT_FLAGS] = frame->flags;
    parley_moq_put(header + PARLEY_MOQ_AT_LENGTH, 4, frame->payload.len);

    parley_buf_put(b, header, PARLEY_MOQ_HEADER_LEN);
    parley_buf_str(b, frame->payload);
}


static uint64_t
parley_moq_get(const uint8_t *p, unsigned n)
{
    unsigned  i;
    uint64_t  value;

    value = 0;

    for (i = 0; i < n; i++) {
        value = value << 8 | p[i];
    }

    return value;
}


static void
parley_moq_put(uint8_t *p, unsigned n, uint64_t value)
{
    while (n > 0) {
        p[--n] = (uint8_t) value;
        value >>= 8;
    }
}


parley_str_t
parley_moq_type_name(parley_moq_type_t type)
{
    return parley_moq_types[type];
}


int
parley_moq_type_find(parley_str_t word, parley_moq_type_t *ret)
{
    unsigned  i;

    for (i = PARLEY_MOQ_CMD; i <= PARLEY_MOQ_HEARTBEAT; i++) {
        if (parley_str_eq(parley_moq_types[i], word)) {
            *ret = (parley_moq_type_t) i;
            return 0;
        }
    }

    return -1;
}


void
parley_moq_session_write(uint64_t session,
    char out[2 * PARLEY_MOQ_SESSION_LEN + 1])
{
    uint8_t  octets[PARLEY_MOQ_SESSION_LEN];

    parley_moq_put(octets, PARLEY_MOQ_SESSION_LEN, session);
    parley_hex(octets, PARLEY_MOQ_SESSION_LEN, out);
}


int
parley_moq_session_read(parley_str_t s, uint64_t *ret)
{
    int       digit;
    size_t    i;
    uint64_t  value;

    if (s.len != 2 * PARLEY_MOQ_SESSION_LEN) {
        return -1;
    }

    value = 0;

    for (i = 0; i < s.len; i++) {
        digit = parley_hex_digit(s.data[i]);

        if (digit < 0) {
            return -1;
        }

        value = value << 4 | (unsigned) digit;
    }

    *ret = value;

    return 0;
}
