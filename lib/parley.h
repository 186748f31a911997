/*
 * libparley reads, checks, translates, signs and verifies messages of AEE, VCP,
 * C2A, agent-channel and MoQ CMD, and verifies the tokens of their senders.
 *
 * The library has no global state and no log.  All of its objects belong to a
 * library object.  One thread at a time may use a library object; each thread
 * can have its own.  Each message, key set, token and text has its own function
 * that frees it, before its library object.
 *
 * Input text is a pointer and a length.  Output is a parley_text: it is UTF-8,
 * may contain zeros as JSON strings may, and ends with a zero that len does not
 * count.  It lives as long as the object that returned it.  Input is copied if
 * it must outlive the call.  Input may have any form.
 *
 * A function that can fail returns 0 with its result; or -1, with the result
 * NULL and *err filled.  err may be NULL.  The values of PARLEY_ERR_ and
 * PARLEY_FIELD_ never change.
 */

#ifndef PARLEY_H
#define PARLEY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif


#if defined(__GNUC__)
#define PARLEY_CHECKED  __attribute__((warn_unused_result))
#else
#define PARLEY_CHECKED
#endif


typedef struct parley_library  parley_library;  /* schemas, compiled once */
typedef struct parley_message  parley_message;
typedef struct parley_keys     parley_keys;     /* set of JSON Web Keys */
typedef struct parley_token    parley_token;    /* verified JSON Web Token */
typedef struct parley_made     parley_made;     /* output text */


typedef struct {
    const char  *data;
    size_t       len;
} parley_text;


/* reason of a failure; docs/errors.md has the remedies */
typedef enum {
    PARLEY_ERR_NONE = 0,
    PARLEY_ERR_JSON_INVALID = 1,
    PARLEY_ERR_FIELD_MISSING = 2,
    PARLEY_ERR_FIELD_INVALID = 3,
    PARLEY_ERR_FIELD_UNKNOWN = 4,
    PARLEY_ERR_KIND_UNKNOWN = 5,
    PARLEY_ERR_PAYLOAD_KIND_MISMATCH = 6,
    PARLEY_ERR_FILTER_AXIS_UNKNOWN = 7,
    PARLEY_ERR_FILTER_VALUE_INVALID = 8,
    PARLEY_ERR_ENVELOPE_VERSION_UNSUPPORTED = 9,
    PARLEY_ERR_METHOD_NOT_ALLOWED = 10,
    PARLEY_ERR_PROTOCOL_UNSUPPORTED = 11,
    PARLEY_ERR_TOKEN_MISSING = 12,
    PARLEY_ERR_TOKEN_INVALID = 13,
    PARLEY_ERR_TOKEN_EXPIRED = 14,
    PARLEY_ERR_SENDER_IDENTITY_MISMATCH = 15,
    PARLEY_ERR_SIGNATURE_MISSING = 16,
    PARLEY_ERR_SIGNATURE_INVALID = 17,
    PARLEY_ERR_KEY_UNKNOWN = 18,
    PARLEY_ERR_SCOPE_UNAUTHORISED = 19,
    PARLEY_ERR_INTENT_REFUSED = 20,
    PARLEY_ERR_DIRECTION_REFUSED = 21,
    PARLEY_ERR_POLICY_REFUSED = 22,
    PARLEY_ERR_AGENT_SUSPENDED = 23,
    PARLEY_ERR_MESSAGE_DUPLICATE = 24,
    PARLEY_ERR_MESSAGE_IN_FLIGHT = 25,
    PARLEY_ERR_CLAIM_HELD = 26,
    PARLEY_ERR_REPLY_UNMATCHED = 27,
    PARLEY_ERR_MESSAGE_TOO_LARGE = 28,
    PARLEY_ERR_MESSAGE_STALE = 29,
    PARLEY_ERR_TRANSLATION_UNSUPPORTED = 30,
    PARLEY_ERR_TRANSLATION_LOSSY = 31,
    PARLEY_ERR_IDENTITY_UNMAPPABLE = 32,
    PARLEY_ERR_RATE_LIMITED = 33,
    PARLEY_ERR_SCOPE_UNIMPLEMENTED = 34,
    PARLEY_ERR_UPSTREAM_INVALID = 35,
    PARLEY_ERR_UPSTREAM_UNAVAILABLE = 36,
    PARLEY_ERR_UPSTREAM_TIMEOUT = 37,
    PARLEY_ERR_CAPACITY = 38,
    PARLEY_ERR_TIMEOUT = 39,
    PARLEY_ERR_SESSION_UNKNOWN = 40,
    PARLEY_ERR_SEND_FAILED = 41,
    PARLEY_ERR_STATE_CONFLICT = 42
} parley_err;

typedef struct {
    parley_err  code;
    const char *word;           /* for example "field-missing"; static */
    size_t      offset;         /* of the invalid octet, or (size_t) -1 */
    char        field[256];     /* JSON Pointer of the invalid member, or of the
                                   claim in a token; empty: none */
    char        text[192];      /* for a person, without secrets and payload */
} parley_failure;


/* fields of a message, independent of its protocol */
typedef enum {
    PARLEY_FIELD_PROTOCOL = 0,  /* "aee", "vcp", "vcp2", "c2a", ... */
    PARLEY_FIELD_TYPE = 1,      /* in the protocol's words, for example
                                   "task" */
    PARLEY_FIELD_ACT = 2,       /* request, reply, failure, event, progress */
    PARLEY_FIELD_ID = 3,
    PARLEY_FIELD_SENDER = 4,
    PARLEY_FIELD_RECIPIENT = 5,
    PARLEY_FIELD_INTENT = 6,
    PARLEY_FIELD_CORRELATION = 7,
    PARLEY_FIELD_REPLY_TO = 8,
    PARLEY_FIELD_CREATED = 9,   /* RFC 3339, as received */
    PARLEY_FIELD_PRIORITY = 10, /* low, normal, high, urgent */
    PARLEY_FIELD_TEXT = 11,     /* text for a person */
    PARLEY_FIELD_PAYLOAD = 12   /* JSON, as received */
} parley_field;


/* values for a translation; all zero: none */
typedef struct {
    const char *gateway;        /* AEE name of the translator; NULL: none */
    const char *context;        /* context for VCP, if the message has none;
                                   NULL: none */
    const char *constitution;   /* constitution for VCP, if the message has
                                   none; NULL: none */
    int64_t     now_ms;         /* ms since 1970, for a message without a time;
                                   0: now */
} parley_translation;


/* requirements for a token; all zero: it has not expired */
typedef struct {
    const char *issuer;         /* NULL: any */
    const char *audience;       /* one of the token's audiences; NULL: any */
    int64_t     leeway;         /* seconds, not negative */
    int64_t     now;            /* seconds since 1970; 0: now */
} parley_token_rules;


/* Returns the version, for example "0.2.0". */
const char *parley_version(void);

/* Returns the word of a protocol, from 0 on; NULL: after the last. */
const char *parley_protocol(unsigned i);

/*
 * Creates a library object, which takes a few milliseconds.  It can process any
 * number of texts.
 */
PARLEY_CHECKED
int parley_library_new(parley_library **ret, parley_failure *err);
void parley_library_free(parley_library *library);


/*
 * Detects the protocol of a text by its members.  *ret is its word, or NULL if
 * the text is strict JSON without a known protocol.  Returns 0, or -1 if the
 * text is not strict JSON.
 */
PARLEY_CHECKED
int parley_detect_text(parley_library *library, const char *text, size_t len,
    const char **ret, parley_failure *err);

/*
 * Reads a message strictly (UTF-8, no duplicate members, limited size and
 * depth), validates it by its protocol's schema and decodes it.  protocol is a
 * word as above; NULL: it is detected (protocol-unsupported if this fails).
 */
PARLEY_CHECKED
int parley_message_new(parley_library *library, const char *protocol,
    const char *text, size_t len, parley_message **ret, parley_failure *err);
void parley_message_free(parley_message *message);

/* Returns a field of a message; empty: the message does not have it. */
parley_text parley_message_get(parley_message *message, parley_field field);

/* Returns the time of creation, in milliseconds since 1970; -1: none. */
int64_t parley_message_created(const parley_message *message);

/* Returns the timeout in milliseconds; -1: none. */
int64_t parley_message_timeout(const parley_message *message);

/* Returns a value by its JSON Pointer, as received; empty: none. */
parley_text parley_message_value(parley_message *message,
    const char *pointer);

/* Makes the canonical form (RFC 8785) of a message. */
PARLEY_CHECKED
int parley_message_canonical(parley_message *message, parley_made **ret,
    parley_failure *err);

/*
 * Translates a message to another protocol.  Content that this protocol cannot
 * express is embedded, or reported as lost: parley_made_lost().  opts may be
 * NULL.
 */
PARLEY_CHECKED
int parley_message_translate(parley_message *message, const char *protocol,
    const parley_translation *opts, parley_made **ret, parley_failure *err);

/*
 * Makes a copy of the message with a signature over its canonical form, which
 * replaces an existing one.  The key is the first of the set (kid NULL), or the
 * one with this kid, that can sign messages: Ed25519 or HS256 with the private
 * part.
 */
PARLEY_CHECKED
int parley_message_sign(parley_message *message, const parley_keys *keys,
    const char *kid, parley_made **ret, parley_failure *err);

/*
 * Verifies the signature of a message by keys, which must all belong to the
 * sender.  Returns 0, or -1: signature-missing, signature-invalid, key-unknown.
 */
PARLEY_CHECKED
int parley_message_verify(parley_message *message, const parley_keys *keys,
    parley_failure *err);


/* Returns the text. */
parley_text parley_made_text(const parley_made *made);

/* Returns the JSON Pointer of the i-th lost member of the message; data is NULL
   after the last one. */
parley_text parley_made_lost(const parley_made *made, unsigned i);
void parley_made_free(parley_made *made);


/*
 * Reads {"keys": [JWK, ...]} (RFC 7517): RSA from 2048 bits, P-256, P-384,
 * P-521, Ed25519, oct from 32 octets.  Keys that are not for signatures are
 * skipped.  An invalid or weak key is an error.
 */
PARLEY_CHECKED
int parley_keys_new(parley_library *library, const char *text, size_t len,
    parley_keys **ret, parley_failure *err);
size_t parley_keys_count(const parley_keys *keys);
void parley_keys_free(parley_keys *keys);


/*
 * Verifies a token's signature by a set of keys, and checks the rules, which
 * may be NULL.  The key decides the algorithm, never the token.  Returns 0, or
 * -1: token-invalid, token-expired.
 */
PARLEY_CHECKED
int parley_token_new(parley_library *library, const parley_keys *keys,
    const char *text, size_t len, const parley_token_rules *rules,
    parley_token **ret, parley_failure *err);

/* Returns a claim as text.  name is its name or, if it begins with "/", its
   JSON Pointer.  Empty: none. */
parley_text parley_token_claim(parley_token *token, const char *name);
void parley_token_free(parley_token *token);

/*
 * Makes a token from a JSON object of claims.  The key is the first of the set
 * (kid NULL), or the one with this kid, that can sign.
 */
PARLEY_CHECKED
int parley_token_make(parley_library *library, const parley_keys *keys,
    const char *kid, const char *claims, size_t len, parley_made **ret,
    parley_failure *err);


#ifdef __cplusplus
}
#endif


#endif /* PARLEY_H */
