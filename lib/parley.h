/*
 * libparley: messages of AEE, VCP, C2A, agent-channel and MoQ CMD, read,
 * checked, translated, signed and verified, and the tokens of their senders.
 *
 * The library keeps no global state and logs nothing.  What it makes belongs
 * to a library object, which is used by one thread at a time; several threads
 * have one each.  A message, key set, token or text is freed by its own
 * function, before the library object that it was made with.
 *
 * Text goes in as pointer and length and comes back as parley_text: it is
 * UTF-8, may hold zeros where JSON strings may, is followed by a zero that is
 * not counted, and lives as long as what it was asked of.  Text that goes in
 * is copied where it has to outlive the call.  Nothing that comes in is
 * trusted as to form.
 *
 * A function that can fail returns 0 and its result, or -1, the result NULL,
 * and *err, which may be NULL where nobody wants to know.  Every value of
 * PARLEY_ERR_ and PARLEY_FIELD_ keeps its number.
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
typedef struct parley_keys     parley_keys;     /* JSON Web Keys */
typedef struct parley_token    parley_token;    /* a JSON Web Token, verified */
typedef struct parley_made     parley_made;     /* a text that was made */


typedef struct {
    const char  *data;
    size_t       len;
} parley_text;


/* what is wrong; docs/errors.md says what to do about each */
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
    PARLEY_ERR_SESSION_UNKNOWN = 40
} parley_err;

typedef struct {
    parley_err  code;
    const char *word;           /* "field-missing"; static */
    size_t      offset;         /* of the octet at fault, or (size_t) -1 */
    char        field[256];     /* JSON Pointer of the member at fault, or of
                                   a token the claim; empty: none */
    char        text[192];      /* for a person; no secret, no payload */
} parley_failure;


/* what a message says, whatever its protocol calls it */
typedef enum {
    PARLEY_FIELD_PROTOCOL = 0,  /* "aee", "vcp", "vcp2", "c2a", ... */
    PARLEY_FIELD_TYPE = 1,      /* in the protocol's words: "task" */
    PARLEY_FIELD_ACT = 2,       /* request, reply, failure, event, progress */
    PARLEY_FIELD_ID = 3,
    PARLEY_FIELD_SENDER = 4,
    PARLEY_FIELD_RECIPIENT = 5,
    PARLEY_FIELD_INTENT = 6,
    PARLEY_FIELD_CORRELATION = 7,
    PARLEY_FIELD_REPLY_TO = 8,
    PARLEY_FIELD_CREATED = 9,   /* RFC 3339, as it was written */
    PARLEY_FIELD_PRIORITY = 10, /* low, normal, high, urgent */
    PARLEY_FIELD_TEXT = 11,     /* what a person would read */
    PARLEY_FIELD_PAYLOAD = 12   /* JSON, as it was written */
} parley_field;


/* how a message is translated; all zero: as it says itself */
typedef struct {
    const char *gateway;        /* AEE name of who translates; NULL: none */
    const char *context;        /* that VCP asks for and others lack */
    const char *constitution;   /* the same; NULL: none */
    int64_t     now_ms;         /* since 1970, of messages that do not say when
                                   they were made; 0: now */
} parley_translation;


/* what is asked of a token; all zero: that it has not expired */
typedef struct {
    const char *issuer;         /* NULL: any */
    const char *audience;       /* one of the token's; NULL: any */
    int64_t     leeway;         /* seconds, not negative */
    int64_t     now;            /* seconds since 1970; 0: now */
} parley_token_rules;


/* "0.2.0" */
const char *parley_version(void);

/*
 * The words of the protocols, from 0 on; NULL: there are no more.
 */
const char *parley_protocol(unsigned i);

/* A library object; a few milliseconds, then used for any number of texts. */
PARLEY_CHECKED
int parley_library_new(parley_library **ret, parley_failure *err);
void parley_library_free(parley_library *library);


/*
 * Which protocol a text seems to be of, by its members: its word, or NULL
 * where it is strict JSON of none of them.  -1: it is no strict JSON.
 */
PARLEY_CHECKED
int parley_detect_text(parley_library *library, const char *text, size_t len,
    const char **ret, parley_failure *err);

/*
 * Reads a message strictly (UTF-8, no duplicate member, limits of size and
 * depth), validates it by its protocol's schema and decodes it.  protocol is
 * a word as above; NULL: it is detected (protocol-unsupported where it is
 * none).
 */
PARLEY_CHECKED
int parley_message_new(parley_library *library, const char *protocol,
    const char *text, size_t len, parley_message **ret, parley_failure *err);
void parley_message_free(parley_message *message);

/* What it says; empty where it does not. */
parley_text parley_message_get(parley_message *message, parley_field field);

/* When it was made, in milliseconds since 1970; -1: it does not say. */
int64_t parley_message_created(const parley_message *message);

/* How long it is good for, in milliseconds; -1: it does not say. */
int64_t parley_message_timeout(const parley_message *message);

/* A value of it by its JSON Pointer, as it was written; empty: none. */
parley_text parley_message_value(parley_message *message,
    const char *pointer);

/* Its canonical form (RFC 8785). */
PARLEY_CHECKED
int parley_message_canonical(parley_message *message, parley_made **ret,
    parley_failure *err);

/*
 * The same in another protocol.  What that cannot say travels within it or is
 * reported as lost: parley_made_lost().  opts may be NULL.
 */
PARLEY_CHECKED
int parley_message_translate(parley_message *message, const char *protocol,
    const parley_translation *opts, parley_made **ret, parley_failure *err);

/*
 * The message with a signature over its canonical form, in place of one that
 * it may have.  The key is the first of the set, or the one of that kid, that
 * can sign messages: Ed25519 or HS256 with the private part.
 */
PARLEY_CHECKED
int parley_message_sign(parley_message *message, const parley_keys *keys,
    const char *kid, parley_made **ret, parley_failure *err);

/*
 * Whether its signature is of one of the keys, which are the sender's and
 * nobody else's.  Returns 0, or -1: signature-missing, signature-invalid,
 * key-unknown.
 */
PARLEY_CHECKED
int parley_message_verify(parley_message *message, const parley_keys *keys,
    parley_failure *err);


/* A text that was made. */
parley_text parley_made_text(const parley_made *made);

/* The i-th member of the message that it does not say, as a JSON Pointer;
   data is NULL where there are no more. */
parley_text parley_made_lost(const parley_made *made, unsigned i);
void parley_made_free(parley_made *made);


/*
 * Reads {"keys": [JWK, ...]} (RFC 7517): RSA from 2048 bits, P-256, P-384,
 * P-521, Ed25519, oct from 32 octets.  Keys that are not for signatures are
 * skipped; one that is broken or weak is an error.
 */
PARLEY_CHECKED
int parley_keys_new(parley_library *library, const char *text, size_t len,
    parley_keys **ret, parley_failure *err);
size_t parley_keys_count(const parley_keys *keys);
void parley_keys_free(parley_keys *keys);


/*
 * Verifies a token's signature by a set of keys, and what the rules ask;
 * rules may be NULL.  The algorithm is the key's, never the token's choice.
 * Returns 0, or -1: token-invalid, token-expired.
 */
PARLEY_CHECKED
int parley_token_new(parley_library *library, const parley_keys *keys,
    const char *text, size_t len, const parley_token_rules *rules,
    parley_token **ret, parley_failure *err);

/* A claim as text, by its name or, from "/" on, its JSON Pointer; empty:
   none. */
parley_text parley_token_claim(parley_token *token, const char *name);
void parley_token_free(parley_token *token);

/*
 * Makes a token of a JSON object of claims, signed by the first key of the
 * set, or the one of that kid, that can sign.
 */
PARLEY_CHECKED
int parley_token_make(parley_library *library, const parley_keys *keys,
    const char *kid, const char *claims, size_t len, parley_made **ret,
    parley_failure *err);


#ifdef __cplusplus
}
#endif


#endif /* PARLEY_H */
