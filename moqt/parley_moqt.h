/*
 * MoQ Transport, draft-ietf-moq-transport-16 ("the draft"): terms that all
 * files of this room share.  The room reads and writes octets.  It has no
 * input or output, no clock and no nginx.
 *
 * Peers are untrusted.  A violation is a fault: the code with which the draft
 * wants the session to be closed (section 3.4), the member at fault, and a
 * text.  Texts are constants, so that a fault never shows octets of the peer.
 */

#ifndef PARLEY_MOQT_H
#define PARLEY_MOQT_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_MOQT_MESSAGE_MAX  65535  /* octets of a message's payload */
#define PARLEY_MOQT_VALUE_MAX    65535  /* octets of a pair's value */
#define PARLEY_MOQT_FIELDS_MAX   32     /* fields of a namespace */
#define PARLEY_MOQT_NAME_MAX     4096   /* octets of a full track name */
#define PARLEY_MOQT_REASON_MAX   1024   /* octets of a reason phrase */
#define PARLEY_MOQT_URI_MAX      8192   /* octets of GOAWAY's URI */

/* octets of an object's extensions; the draft has no limit */
#define PARLEY_MOQT_EXTENSIONS_MAX  65535

/* octets of a fault's line: a reason phrase of CONNECTION_CLOSE */
#define PARLEY_MOQT_LINE_MAX  192


/* session termination codes: name, number (section 14.5.1) */
#define PARLEY_MOQT_CODE_LIST(X)                                              \
    X(NO_ERROR, 0x00)                                                         \
    X(INTERNAL_ERROR, 0x01)                                                   \
    X(UNAUTHORIZED, 0x02)                                                     \
    X(PROTOCOL_VIOLATION, 0x03)                                               \
    X(INVALID_REQUEST_ID, 0x04)                                               \
    X(DUPLICATE_TRACK_ALIAS, 0x05)                                            \
    X(KEY_VALUE_FORMATTING_ERROR, 0x06)                                       \
    X(TOO_MANY_REQUESTS, 0x07)                                                \
    X(INVALID_PATH, 0x08)                                                     \
    X(MALFORMED_PATH, 0x09)                                                   \
    X(GOAWAY_TIMEOUT, 0x10)                                                   \
    X(CONTROL_MESSAGE_TIMEOUT, 0x11)                                          \
    X(DATA_STREAM_TIMEOUT, 0x12)                                              \
    X(AUTH_TOKEN_CACHE_OVERFLOW, 0x13)                                        \
    X(DUPLICATE_AUTH_TOKEN_ALIAS, 0x14)                                       \
    X(VERSION_NEGOTIATION_FAILED, 0x15)                                       \
    X(MALFORMED_AUTH_TOKEN, 0x16)                                             \
    X(UNKNOWN_AUTH_TOKEN_ALIAS, 0x17)                                         \
    X(EXPIRED_AUTH_TOKEN, 0x18)                                               \
    X(INVALID_AUTHORITY, 0x19)                                                \
    X(MALFORMED_AUTHORITY, 0x1A)


typedef enum {
#define X(name, number)  PARLEY_MOQT_##name = number,
    PARLEY_MOQT_CODE_LIST(X)
#undef X
} parley_moqt_code_t;


/* sides of a session; also bits */
typedef enum {
    PARLEY_MOQT_CLIENT = 0x01,
    PARLEY_MOQT_SERVER = 0x02
} parley_moqt_role_t;

#define PARLEY_MOQT_BOTH  (PARLEY_MOQT_CLIENT | PARLEY_MOQT_SERVER)


typedef struct {
    parley_moqt_code_t  code;       /* of the close */
    const char         *place;      /* message or stream, or "" */
    const char         *member;     /* at fault, as the draft spells it, or
                                       "" */
    const char         *text;       /* of the violation */
    uint64_t            offset;     /* octet of the message or of the stream */
    unsigned            stream:1;   /* a limit of this implementation: the
                                       stream is reset, the session goes on */
} parley_moqt_fault_t;


/* of an object in a track (section 1.4.1) */
typedef struct {
    uint64_t  group;
    uint64_t  object;
} parley_moqt_location_t;


/*
 * Fills *fault with a code, a member and a text, which must be constants, and
 * returns -1.  The other members become empty.
 */
int parley_moqt_fault_set(parley_moqt_fault_t *fault, parley_moqt_code_t code,
    const char *member, const char *text)
    __attribute__((cold));

/*
 * Writes a fault as one NUL-terminated line: "SUBSCRIBE: Track Name: the
 * message ends too early".  Returns the line.
 */
parley_str_t parley_moqt_fault_line(const parley_moqt_fault_t *fault,
    char ret[PARLEY_MOQT_LINE_MAX]);

/* Returns the position of a close code in PARLEY_MOQT_CODE_LIST, or -1. */
int parley_moqt_code_index(uint64_t code);

/* Returns the name of a close code, or "UNKNOWN". */
const char *parley_moqt_code_name(uint64_t code);


/* Compares locations.  Returns a negative number, 0 or a positive number. */
static inline int
parley_moqt_location_order(parley_moqt_location_t a, parley_moqt_location_t b)
{
    if (a.group != b.group) {
        return a.group < b.group ? -1 : 1;
    }

    return a.object < b.object ? -1 : a.object > b.object;
}


#endif /* PARLEY_MOQT_H */
