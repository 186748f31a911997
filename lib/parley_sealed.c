/* Keys, and signatures of messages. */

#include <stdlib.h>
#include <string.h>

#include "lib/parley_lib.h"
#include "translate/parley_codec.h"
#include "auth/parley_signature.h"


static int parley_lib_message_seal(parley_message *message,
    const parley_jwk_t *key, parley_arena_t *arena, parley_str_t *ret,
    parley_error_t *error);
static int parley_lib_message_signs(const parley_jwk_t *key);
static int parley_lib_message_check(parley_message *message,
    const parley_keys *keys, parley_error_t *error);


int
parley_keys_new(parley_library *library, const char *text, size_t len,
    parley_keys **ret, parley_failure *err)
{
    parley_keys     *keys;
    parley_error_t   error;

    (void) library;

    *ret = NULL;

    keys = calloc(1, sizeof(parley_keys));

    if (keys == NULL) {
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    parley_arena_init(&keys->arena, &parley_mem_libc, 0);

    if (parley_jwks_parse(&keys->arena, parley_str_make(text, len),
                          &keys->jwks, &error)
        != 0)
    {
        parley_keys_free(keys);
        return parley_lib_fail(&error, err);
    }

    *ret = keys;

    return 0;
}


size_t
parley_keys_count(const parley_keys *keys)
{
    return keys->jwks.n;
}


void
parley_keys_free(parley_keys *keys)
{
    if (keys != NULL) {
        parley_jwks_free(&keys->jwks);
        parley_arena_reset(&keys->arena);
        free(keys);
    }
}


const parley_jwk_t *
parley_lib_key(const parley_keys *keys, const char *kid,
    int (*fits)(const parley_jwk_t *key))
{
    size_t               i;
    const parley_jwk_t  *key;

    for (i = 0; i < keys->jwks.n; i++) {
        key = &keys->jwks.keys[i];

        if ((kid == NULL || parley_str_eq(key->kid, parley_str_c(kid)))
            && fits(key))
        {
            return key;
        }
    }

    return NULL;
}


int
parley_message_sign(parley_message *message, const parley_keys *keys,
    const char *kid, parley_made **ret, parley_failure *err)
{
    parley_made         *made;
    parley_str_t         text;
    parley_error_t       error;
    const parley_jwk_t  *key;

    *ret = NULL;

    key = parley_lib_key(keys, kid, parley_lib_message_signs);

    if (key == NULL) {
        (void) parley_error_set(&error, PARLEY_E_KEY_UNKNOWN, NULL,
                                "no key with this id can sign messages");
        return parley_lib_fail(&error, err);
    }

    made = parley_lib_made_new();

    if (made == NULL) {
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    if (parley_lib_message_seal(message, key, &made->arena, &text, &error)
        != 0) {
        parley_made_free(made);
        return parley_lib_fail(&error, err);
    }

    return parley_lib_made(made, text, ret, err);
}


static int
parley_lib_message_signs(const parley_jwk_t *key)
{
    return key->is_private && parley_signature_word(key).len > 0;
}


static int
parley_lib_message_seal(parley_message *message, const parley_jwk_t *key,
    parley_arena_t *arena, parley_str_t *ret, parley_error_t *error)
{
    char                   text[PARLEY_SIGNATURE_TEXT_MAX];
    uint32_t               applied;
    parley_str_t           octets, body;
    parley_edit_t          edit;
    parley_proto_t         proto;
    parley_msg_sig_t       sig;
    const parley_codec_t  *codec;

    proto = message->msg.wire;
    codec = parley_codecs[proto];

    if (codec->pointers[PARLEY_MSG_SIGNATURE] == NULL) {
        return parley_error_set(error, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                "messages of this protocol have no "
                                "signature");
    }

    edit.pointer = parley_str_c(codec->pointers[PARLEY_MSG_SIGNATURE]);
    edit.value = parley_str_none;

    memset(&sig, 0, sizeof(parley_msg_sig_t));
    sig.alg = parley_signature_word(key);
    sig.kid = key->kid;
    sig.present = 1;

    if (parley_edit(arena, &message->doc, &edit, 1, &body, &applied, error)
        != 0
        || parley_signing_input(arena, proto, &message->doc, &octets, error)
           != 0
        || parley_signature_sign(key, octets, text, &sig.value, error) != 0)
    {
        return -1;
    }

    return parley_signing_attach(arena, proto, body, &sig, ret, error);
}


int
parley_message_verify(parley_message *message, const parley_keys *keys,
    parley_failure *err)
{
    parley_error_t  error;

    return parley_lib_message_check(message, keys, &error) == 0
           ? 0 : parley_lib_fail(&error, err);
}


static int
parley_lib_message_check(parley_message *message, const parley_keys *keys,
    parley_error_t *error)
{
    int                      rc;
    parley_str_t             octets;
    parley_arena_t           arena;
    const parley_msg_sig_t  *sig = &message->msg.sig;

    if (!sig->present) {
        return parley_error_set(error, PARLEY_E_SIGNATURE_MISSING, NULL,
                                "the message is not signed");
    }

    if (sig->opaque) {
        return parley_error_set(error, PARLEY_E_SIGNATURE_INVALID, NULL,
                                "the signature has a form that cannot be "
                                "verified");
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_signing_input(&arena, message->msg.wire, &message->doc,
                              &octets, error);
    if (rc == 0) {
        rc = parley_signature_verify(&keys->jwks, sig->alg, sig->kid, octets,
                                     sig->value, 0, NULL, error);
    }

    parley_arena_reset(&arena);

    return rc;
}
