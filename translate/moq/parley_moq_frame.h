/*
 * Frames of Agent Protocol over MoQ: 21 octets of header, big-endian, then
 * the payload (draft-liu-agent-protocol-over-moq-00, section "Frame
 * Structure"; MOQ-01).
 *
 *     0xA2A2  version 1  type 1  Session ID 8  Stream ID 4  flags 1  length 4
 */

#ifndef PARLEY_MOQ_FRAME_H
#define PARLEY_MOQ_FRAME_H

#include "core/parley_buf.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_MOQ_MAGIC        0xA2A2
#define PARLEY_MOQ_VERSION      1
#define PARLEY_MOQ_HEADER_LEN   21
#define PARLEY_MOQ_SESSION_LEN  8       /* octets of a Session ID */

#define PARLEY_MOQ_COMPRESSED   0x01
#define PARLEY_MOQ_ENCRYPTED    0x02
#define PARLEY_MOQ_FRAGMENTED   0x04    /* more chunks of this stream follow */
#define PARLEY_MOQ_FLAGS        0x07    /* assigned bits */


/* 0x00 and 0xFF are reserved, 0x05 to 0xFE not assigned */
typedef enum {
    PARLEY_MOQ_CMD = 0x01,
    PARLEY_MOQ_DATA = 0x02,
    PARLEY_MOQ_STREAM = 0x03,
    PARLEY_MOQ_HEARTBEAT = 0x04
} parley_moq_type_t;


typedef struct {
    parley_moq_type_t  type;
    uint64_t           session;     /* 0: without a session */
    uint32_t           stream;
    uint8_t            flags;
    parley_str_t       payload;     /* span of the input */
} parley_moq_frame_t;


/*
 * Reads the header at the start of in, which is untrusted, and the length of
 * the payload after it.  *ret does not have the payload yet.  Errors: fewer
 * than 21 octets, a wrong magic, an unassigned flag, a payload longer than max
 * (message-too-large) or of a heartbeat (MOQ-04), a version other than 1
 * (envelope-version-unsupported), an unknown type (kind-unknown).  err->field
 * names the field of the header ("magic", "version", "type", "flags",
 * "length"), and err->offset is its first octet.
 */
int parley_moq_header_read(parley_str_t in, uint32_t max,
    parley_moq_frame_t *ret, uint32_t *ret_len, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads the frame at the start of in.  *ret_used is its length; more octets may
 * follow.  A payload that ends too early is field-invalid "length".
 */
int parley_moq_frame_read(parley_str_t in, uint32_t max,
    parley_moq_frame_t *ret, size_t *ret_used, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the JSON of a whole CMD frame (MOQ-02).  Errors:
 * payload-kind-mismatch for another type, field-invalid "flags" for a chunk, a
 * compressed or an encrypted frame.
 */
int parley_moq_frame_cmd(const parley_moq_frame_t *frame, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Appends a frame.  Its payload must be shorter than 2^32 octets.
 * parley_buf_done() reports a failed allocation.
 */
void parley_moq_frame_write(parley_buf_t *b, const parley_moq_frame_t *frame);

/* Returns the word of a type: "cmd", "data", "stream", "heartbeat". */
parley_str_t parley_moq_type_name(parley_moq_type_t type);

/* Finds a type.  Returns 0, or -1 if the word is unknown. */
int parley_moq_type_find(parley_str_t word, parley_moq_type_t *ret);

/*
 * Write a Session ID as 16 hex digits and a zero, and read it.  Reading returns
 * 0, or -1 if s is not a Session ID.
 */
void parley_moq_session_write(uint64_t session,
    char out[2 * PARLEY_MOQ_SESSION_LEN + 1]);
int parley_moq_session_read(parley_str_t s, uint64_t *ret);


#endif /* PARLEY_MOQ_FRAME_H */
