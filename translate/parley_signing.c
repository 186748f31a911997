/* Signatures in messages: the signed octets, and the place of the signature. */

#include "translate/parley_signing.h"
#include "translate/parley_engine.h"
#include "core/parley_jcs.h"


int
parley_signing_made(const parley_codec_t *codec, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_error_t *err)
{
    char              pointer[PARLEY_POINTER_MAX];
    parley_str_t      input;
    parley_json_t     doc;
    parley_msg_sig_t  sig;

    if (m->doc->inexact != PARLEY_JSON_NONE) {
        (void) parley_json_pointer(m->doc, m->doc->inexact, pointer,
                                   sizeof(pointer));

        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                pointer, "an integer beyond 2^53 cannot be "
                                "signed");
    }

    if (parley_read_again(&doc, arena, m->doc->seed, ret->body, err) != 0
        || parley_signing_input(arena, codec->proto, &doc, &input, err) != 0
        || opts->sign(opts->sign_ctx, input, &sig, err) != 0
        || codec->attach(arena, &doc, &sig, &ret->body, err) != 0)
    {
        return -1;
    }

    return 0;
}


int
parley_signing_input(parley_arena_t *arena, parley_proto_t proto,
    const parley_json_t *doc, parley_str_t *ret, parley_error_t *err)
{
    char                   pointer[PARLEY_POINTER_MAX];
    parley_buf_t           b;
    parley_json_ref_t      root;
    const parley_codec_t  *codec;

    *ret = parley_str_none;

    parley_error_clear(err);

    if (parley_codec_find(proto, &codec, err) != 0) {
        return -1;
    }

    if (codec->signature_member.len == 0) {
        return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, "",
                                "%s messages have no signature",
                                (const char *) parley_proto_name(proto).data);
    }

    if (doc->inexact != PARLEY_JSON_NONE) {
        (void) parley_json_pointer(doc, doc->inexact, pointer,
                                   sizeof(pointer));

        return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, pointer,
                                "an integer beyond 2^53 has no canonical "
                                "form that a signature could cover");
    }

    root.doc = doc;
    root.node = 0;

    parley_buf_init(&b, arena, doc->input.len + 1);
    parley_jcs_write(&b, root, codec->signature_member);

    if (parley_buf_done(&b, ret) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}


int
parley_signing_attach(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t body, const parley_msg_sig_t *sig, parley_str_t *ret,
    parley_error_t *err)
{
    uint64_t               seed;
    parley_json_t          doc;
    const parley_codec_t  *codec;

    *ret = parley_str_none;

    parley_error_clear(err);

    if (parley_codec_find(proto, &codec, err) != 0) {
        return -1;
    }

    if (codec->signature_member.len == 0) {
        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED, "",
                                "%s messages have no signature",
                                (const char *) parley_proto_name(proto).data);
    }

    /* The signature is unknown beforehand, so that it can also key the hash. */

    seed = 0;

    if (sig->value.len >= sizeof(seed)) {
        memcpy(&seed, sig->value.data, sizeof(seed));
    }

    if (parley_read_again(&doc, arena, seed, body, err) != 0) {
        return -1;
    }

    return codec->attach(arena, &doc, sig, ret, err);
}
