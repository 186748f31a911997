/*
 * VCP-31: keys of a child agent that its direct parent adds while the gateway
 * runs, for messages that the child signs (VCP 7.3).  They are records of the
 * state, one for each child, parent and kid: all workers see them at once, they
 * survive a reload, end by themselves, and are counted to the parent (SEC-09).
 *
 *  {"sub": "worker-7", "exp": 1771151400,
 *   "keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": "..."}]}
 *
 * Who may add one, and that a key counts, is decided by the directory as it is
 * now: a key that a former parent added is as good as none, and the directory's
 * own key of a kid is never overridden.
 */

#ifndef PARLEY_CHILD_KEY_H
#define PARLEY_CHILD_KEY_H

#include "state/parley_ask.h"
#include "core/parley_json.h"
#include "auth/parley_principal.h"
#include "auth/parley_signature.h"


/* of one child at a time: no more than a signature without a kid is tried
   with */
#define PARLEY_CHILD_KEYS_MAX  PARLEY_SIGNATURE_TRIES

/* seconds that one may be good for */
#define PARLEY_CHILD_KEY_LONGEST  (24 * 3600)

#define PARLEY_CHILD_KEY_LEN  32        /* octets of an Ed25519 key */


typedef struct {
    parley_str_t  kid;
    int64_t       exp;                  /* seconds since the epoch */
    uint8_t       octets[PARLEY_CHILD_KEY_LEN];
} parley_child_key_t;


/* those that count, the newest first */
typedef struct {
    size_t              n;
    parley_child_key_t  list[PARLEY_RECORDS_MAX];
} parley_child_keys_t;


/* what is asked to be added, for one child */
typedef struct {
    size_t              n;              /* 1 to PARLEY_CHILD_KEYS_MAX */
    parley_child_key_t  list[PARLEY_CHILD_KEYS_MAX];
} parley_child_adds_t;


/*
 * Whose keys a request is to add: *ret is its member sub.  Unknown members of
 * the request are errors.  Returns 0, or -1 with *err and the JSON Pointer of
 * the member at fault.
 */
int parley_child_adds_sub(const parley_json_t *doc, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The keys of a request, at now_ms of the wall clock, into arena.  Each has a
 * kid of its own, is public, and is one that signatures of messages are
 * verified with and that nothing else can be done with: Ed25519 (SEC-18).
 * Returns 0, or -1 with *err as above.
 */
int parley_child_adds_read(parley_arena_t *arena, const parley_json_t *doc,
    int64_t now_ms, parley_child_adds_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * The keys of a child, an entry of the directory, that its parent added and
 * that count at now_ms.  Returns 0, PARLEY_WAIT, or -1: no answer.
 */
int parley_child_keys_get(parley_ask_t *q, const parley_principal_t *child,
    int64_t now_ms, parley_child_keys_t *ret)
    __attribute__((warn_unused_result));

/* The index of the key of that kid, or keys->n. */
size_t parley_child_keys_find(const parley_child_keys_t *keys,
    parley_str_t kid);

/* Whether the directory has a key of that kid for the child. */
int parley_child_is_listed(const parley_principal_t *child, parley_str_t kid);

/*
 * Keeps a key of a child, in place of what its parent had added with that kid,
 * counted to account.  Returns 0 and *ret, PARLEY_WAIT, or -1: no answer.
 */
int parley_child_key_put(parley_ask_t *q, const parley_principal_t *child,
    const parley_child_key_t *key, const uint8_t account[PARLEY_KEY_LEN],
    int64_t now_ms, parley_put_result_t *ret)
    __attribute__((warn_unused_result));

/* Takes one back, if it is there; the same. */
int parley_child_key_drop(parley_ask_t *q, const parley_principal_t *child,
    parley_str_t kid)
    __attribute__((warn_unused_result));

/*
 * Sets *ret to the keys as signatures are verified with them; of that kid
 * alone, unless it is empty.  They need not be freed.  Returns 0, or -1: no
 * memory.
 */
int parley_child_keys_jwks(parley_arena_t *arena,
    const parley_child_keys_t *keys, parley_str_t kid, parley_jwks_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHILD_KEY_H */
