/*
 * VCP-31: keys of a child agent that its direct parent adds at run time.  They
 * verify messages that the child signs (VCP 7.3).  Each key is a record of the
 * state, for a child, its parent and a kid.  All workers see it at once.  It
 * survives a reload, expires, and counts to the parent's account (SEC-09).
 *
 *  {"sub": "worker-7", "exp": 1771151400,
 *   "keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": "..."}]}
 *
 * The current directory decides about the right to add a key, and about its
 * validity.  A key that a former parent added is invalid.  An added key never
 * replaces a key with the same kid in the directory.
 */

#ifndef PARLEY_CHILD_KEY_H
#define PARLEY_CHILD_KEY_H

#include "state/parley_ask.h"
#include "core/parley_json.h"
#include "auth/parley_principal.h"
#include "auth/parley_signature.h"


/*
 * Keys of a child in one request, at most: as many as a signature without a kid
 * is tried with.
 */
#define PARLEY_CHILD_KEYS_MAX  PARLEY_SIGNATURE_TRIES

/* longest lifetime of a key in seconds */
#define PARLEY_CHILD_KEY_LONGEST  (24 * 3600)

#define PARLEY_CHILD_KEY_LEN  32        /* octets of an Ed25519 key */


typedef struct {
    parley_str_t  kid;
    int64_t       exp;                  /* seconds since the epoch */
    uint8_t       octets[PARLEY_CHILD_KEY_LEN];
} parley_child_key_t;


/* valid keys, the newest first */
typedef struct {
    size_t              n;
    parley_child_key_t  list[PARLEY_RECORDS_MAX];
} parley_child_keys_t;


/* a request to add keys of one child */
typedef struct {
    size_t              n;              /* 1 to PARLEY_CHILD_KEYS_MAX */
    parley_child_key_t  list[PARLEY_CHILD_KEYS_MAX];
} parley_child_adds_t;


/*
 * Reads the child of a request to add keys: *ret is its member "sub".  Unknown
 * members of the request are errors.  Returns 0, or -1 with *err and the JSON
 * Pointer of the invalid member.
 */
int parley_child_adds_sub(const parley_json_t *doc, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads the keys of a request into arena; now_ms is the wall clock.  Each key
 * must be public, have a kid of its own, and serve only to verify signatures of
 * messages: Ed25519 (SEC-18).  Returns 0, or -1 with *err as
 * parley_child_adds_sub() does.
 */
int parley_child_adds_read(parley_arena_t *arena, const parley_json_t *doc,
    int64_t now_ms, parley_child_adds_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * Reads the added keys of a child that are valid at now_ms.  child is an entry
 * of the directory.  Returns 0, PARLEY_WAIT, or -1: no answer.
 */
int parley_child_key_get(parley_ask_t *q, const parley_principal_t *child,
    int64_t now_ms, parley_child_keys_t *ret)
    __attribute__((warn_unused_result));

/* Returns the index of the key with this kid, or keys->n. */
size_t parley_child_key_find(const parley_child_keys_t *keys,
    parley_str_t kid);

/* Returns whether the directory has a key with this kid for the child. */
int parley_child_key_is_listed(const parley_principal_t *child,
    parley_str_t kid);

/*
 * Stores a key of a child, and counts it to account.  It replaces the parent's
 * earlier key with this kid.  Returns 0 and *ret, PARLEY_WAIT, or -1: no
 * answer.
 */
int parley_child_key_put(parley_ask_t *q, const parley_principal_t *child,
    const parley_child_key_t *key, const uint8_t account[PARLEY_KEY_LEN],
    int64_t now_ms, parley_put_result_t *ret)
    __attribute__((warn_unused_result));

/*
 * Removes an added key, if it exists.  Returns 0, PARLEY_WAIT, or -1: no
 * answer.
 */
int parley_child_key_drop(parley_ask_t *q, const parley_principal_t *child,
    parley_str_t kid)
    __attribute__((warn_unused_result));

/*
 * Sets *ret to a key set that verifies signatures: the keys with this kid, or
 * all if kid is empty.  The set need not be freed.  Returns 0, or -1: no
 * memory.
 */
int parley_child_key_jwks(parley_arena_t *arena,
    const parley_child_keys_t *keys, parley_str_t kid, parley_jwks_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHILD_KEY_H */
