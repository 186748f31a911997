/*
 * An error is a code, a JSON Pointer, an offset and a text.  One list yields
 * the enum, the wire word, the HTTP status, the symbol and whether a retry may
 * help; docs/errors.md is generated from it and from the codes of the codecs.
 *
 * The text is for people.  It never holds a secret or payload content; member
 * names in it come from the caller's message and are made printable.
 */

#ifndef PARLEY_ERROR_H
#define PARLEY_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


/* enum suffix, wire word, HTTP status, retryable */
#define PARLEY_ERROR_LIST(X)                                                  \
    X(JSON_INVALID, "json-invalid", 400, 0)                                   \
    X(FIELD_MISSING, "field-missing", 400, 0)                                 \
    X(FIELD_INVALID, "field-invalid", 400, 0)                                 \
    X(FIELD_UNKNOWN, "field-unknown", 400, 0)                                 \
    X(KIND_UNKNOWN, "kind-unknown", 400, 0)                                   \
    X(PAYLOAD_KIND_MISMATCH, "payload-kind-mismatch", 400, 0)                 \
    X(FILTER_AXIS_UNKNOWN, "filter-axis-unknown", 400, 0)                     \
    X(FILTER_VALUE_INVALID, "filter-value-invalid", 400, 0)                   \
    X(ENVELOPE_VERSION_UNSUPPORTED, "envelope-version-unsupported", 400, 0)   \
    X(METHOD_NOT_ALLOWED, "method-not-allowed", 405, 0)                       \
    X(PROTOCOL_UNSUPPORTED, "protocol-unsupported", 415, 0)                   \
    X(TOKEN_MISSING, "token-missing", 401, 0)                                 \
    X(TOKEN_INVALID, "token-invalid", 401, 0)                                 \
    X(TOKEN_EXPIRED, "token-expired", 401, 1)                                 \
    X(SENDER_IDENTITY_MISMATCH, "sender-identity-mismatch", 403, 0)           \
    X(SIGNATURE_MISSING, "signature-missing", 403, 0)                         \
    X(SIGNATURE_INVALID, "signature-invalid", 403, 0)                         \
    X(KEY_UNKNOWN, "key-unknown", 403, 0)                                     \
    X(SCOPE_UNAUTHORISED, "scope-unauthorised", 403, 0)                       \
    X(INTENT_REFUSED, "intent-refused", 403, 0)                               \
    X(DIRECTION_REFUSED, "direction-refused", 403, 0)                         \
    X(POLICY_REFUSED, "policy-refused", 403, 0)                               \
    X(AGENT_SUSPENDED, "agent-suspended", 403, 1)                             \
    X(MESSAGE_DUPLICATE, "message-duplicate", 409, 0)                         \
    X(MESSAGE_IN_FLIGHT, "message-in-flight", 409, 1)                         \
    X(CLAIM_HELD, "claim-held", 409, 0)                                       \
    X(REPLY_UNMATCHED, "reply-unmatched", 409, 0)                             \
    X(MESSAGE_TOO_LARGE, "message-too-large", 413, 0)                         \
    X(MESSAGE_STALE, "message-stale", 422, 0)                                 \
    X(SEND_FAILED, "send-failed", 422, 0)                                     \
    X(TRANSLATION_UNSUPPORTED, "translation-unsupported", 422, 0)             \
    X(TRANSLATION_LOSSY, "translation-lossy", 422, 0)                         \
    X(IDENTITY_UNMAPPABLE, "identity-unmappable", 422, 0)                     \
    X(RATE_LIMITED, "rate-limited", 429, 1)                                   \
    X(SCOPE_UNIMPLEMENTED, "scope-unimplemented", 501, 0)                     \
    X(UPSTREAM_INVALID, "upstream-invalid", 502, 1)                           \
    X(UPSTREAM_UNAVAILABLE, "upstream-unavailable", 502, 1)                   \
    X(UPSTREAM_TIMEOUT, "upstream-timeout", 504, 1)                           \
    X(TIMEOUT, "timeout", 504, 1)                                             \
    X(CAPACITY, "capacity", 503, 1)                                           \
    X(SESSION_UNKNOWN, "session-unknown", 404, 0)                             \
    X(STATE_CONFLICT, "state-conflict", 409, 0)


typedef enum {
    PARLEY_E_NONE = 0,
#define X(sym, word, http, retry)  PARLEY_E_##sym,
    PARLEY_ERROR_LIST(X)
#undef X
    PARLEY_E_COUNT
} parley_code_t;


typedef struct {
    parley_str_t  word;         /* "field-missing" */
    int           http;         /* 400 */
    int           retryable;
    parley_str_t  symbol;       /* "E_FIELD_MISSING" */
} parley_error_info_t;


#define PARLEY_POINTER_MAX     256
#define PARLEY_TEXT_MAX        192
#define PARLEY_NO_OFFSET       ((size_t) -1)


/* a position in a text; the column is in characters of UTF-8 */
typedef struct {
    unsigned  line;             /* from 1 */
    unsigned  column;           /* from 1 */
} parley_position_t;

#define PARLEY_PLACE_MAX       48


typedef struct {
    parley_code_t  code;
    size_t         offset;      /* in the input, or PARLEY_NO_OFFSET */
    unsigned       is_name:1;   /* field is a name, not a JSON Pointer */
    unsigned       taken:1;     /* the service accepted the message
                                   nevertheless: a retry is useless */
    char           field[PARLEY_POINTER_MAX];   /* JSON Pointer or "" */
    char           text[PARLEY_TEXT_MAX];       /* one line, NUL-terminated */
} parley_error_t;


/*
 * Returns the row of a code, never NULL; that of PARLEY_E_CAPACITY for a value
 * outside the enum.
 */
const parley_error_info_t *parley_error_info(parley_code_t code);

/* Returns the code of a wire word or symbol, or PARLEY_E_NONE. */
parley_code_t parley_error_code(parley_str_t word);

/* Sets code PARLEY_E_NONE, no offset, an empty field and text. */
void parley_error_clear(parley_error_t *err);

/*
 * Fills *err and returns -1, for use as "return parley_error_set(...)".  field
 * may be NULL, "" or err->field; the offset becomes PARLEY_NO_OFFSET.  Field
 * and text are truncated to their sizes; octets in them that are neither
 * printable ASCII nor well-formed UTF-8 above U+009F become '?'.
 */
int parley_error_set(parley_error_t *err, parley_code_t code,
    const char *field, const char *fmt, ...)
    __attribute__((cold, format(printf, 4, 5)));

/*
 * Sets *ret to the line and column of an offset in text.  An offset after the
 * end counts as the end.
 */
void parley_error_position(parley_str_t text, size_t offset,
    parley_position_t *ret);

/*
 * Writes the position of err in text, for people: "line 3", with ", column 17"
 * if the code is json-invalid; empty if err has no offset.  Returns out.
 */
const char *parley_error_place(const parley_error_t *err, parley_str_t text,
    char out[PARLEY_PLACE_MAX]);

/*
 * Returns the text of err without the field name at its beginning, if it has
 * one.  For callers that print the field themselves.
 */
const char *parley_error_words(const parley_error_t *err);

/*
 * Writes words as they appear in a log line, NUL-terminated: octets are limited
 * to printable ASCII without quotation marks, so that a message cannot forge
 * other parts of the line (SEC-01).
 */
void parley_error_line(const char *words, char ret[PARLEY_TEXT_MAX]);

/* As parley_error_set() with PARLEY_E_CAPACITY and "out of memory". */
int parley_error_memory(parley_error_t *err)
    __attribute__((cold));


#endif /* PARLEY_ERROR_H */
