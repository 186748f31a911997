/* parley sign and parley verify: signatures of messages. */

#include <stdio.h>
#include <string.h>

#include "translate/parley_codec.h"
#include "auth/parley_signature.h"
#include "tools/parley_tool.h"


typedef struct {
    parley_message_t   m;
    parley_jwk_t       key;         /* sign */
    parley_str_t       word;
    parley_jwks_t      keys;        /* verify */
} parley_sign_t;


static int tool_sign_run(parley_tool_t *tool);
static int tool_sign_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static int tool_sign_message(parley_input_t *in, parley_sign_t *s,
    parley_str_t *ret);
static int tool_sign_member(parley_input_t *in, parley_sign_t *s,
    parley_str_t *ret);
static int tool_verify_run(parley_tool_t *tool);
static int tool_verify_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static int tool_verify_message(parley_input_t *in, parley_sign_t *s,
    const parley_jwk_t **ret);


static const parley_option_t  parley_sign_options[] = {
    { "key", 0, "FILE", "the private key, a JWK: Ed25519 or HS256", 0 },
    { "as", 0, "P", PARLEY_PROTOCOL_WORDS ";\nelse it is detected",
      0 },
    PARLEY_OPTIONS_INPUT,
    tool_option_end
};


static const parley_option_t  parley_verify_options[] = {
    { "keys", 0, "FILE", "the sender's keys: a JWKS, or one JWK", 0 },
    { "as", 0, "P", PARLEY_PROTOCOL_WORDS ";\nelse it is detected",
      0 },
    PARLEY_OPTIONS_INPUT,
    tool_option_end
};


const parley_command_t  parley_cmd_sign = {
    .name = "sign",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Signs a message",
    .text = "The message is validated first; a signature that it has is "
            "replaced.\n",
    .options = parley_sign_options,
    .run = tool_sign_run
};


const parley_command_t  parley_cmd_verify = {
    .name = "verify",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Verifies the signature of a message",
    .text = "Prints the algorithm and the id of the key that verified.  The "
            "caller must\nknow the owner of the key, and whether it is the "
            "sender.\n",
    .options = parley_verify_options,
    .run = tool_verify_run
};


static int
tool_sign_run(parley_tool_t *tool)
{
    int            status;
    const char    *path;
    parley_sign_t  s;

    memset(&s, 0, sizeof(s));

    if (tool_option_required(tool, "key", &path) != 0
        || tool_message_init(tool, "as", &s.m) != 0)
    {
        return PARLEY_EXIT_USAGE;
    }

    status = PARLEY_EXIT_USAGE;

    if (tool_file_key(tool, path, 1, &s.key) == 0) {
        s.word = parley_signature_word(&s.key);

        if (s.word.len == 0) {
            tool_say("%s: messages are signed with Ed25519 or HS256, "
                     "which this key cannot", path);

        } else {
            status = tool_input_each(tool, tool_sign_one, &s);
        }

        parley_jwk_free(&s.key);
    }

    tool_message_free(&s.m);

    return status;
}


static int
tool_sign_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    parley_buf_t    b;
    parley_str_t    body;
    parley_sign_t  *s = ctx;

    if (tool_message_decode(tool, in, &s->m) != 0
        || tool_sign_message(in, s, &body) != 0)
    {
        return tool_output_error(tool, in);
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_name(&b, PARLEY_STR("message"));
        parley_buf_str(&b, body);
        tool_output_end(&b);

    } else {
        tool_output_line(body);
    }

    return PARLEY_EXIT_OK;
}


static int
tool_sign_message(parley_input_t *in, parley_sign_t *s, parley_str_t *ret)
{
    char              text[PARLEY_SIGNATURE_TEXT_MAX];
    parley_str_t      octets, body;
    parley_proto_t    proto = s->m.msg.wire;
    parley_msg_sig_t  sig;

    memset(&sig, 0, sizeof(sig));

    sig.alg = s->word;
    sig.kid = s->key.kid;
    sig.present = 1;

    if (tool_sign_member(in, s, &body) != 0
        || parley_signing_input(in->arena, proto, &s->m.doc, &octets,
                                &in->err)
           != 0
        || parley_signature_sign(&s->key, octets, text, &sig.value, &in->err)
           != 0)
    {
        return -1;
    }

    return parley_signing_attach(in->arena, proto, body, &sig, ret, &in->err);
}


/* Returns the message without its signature member. */
static int
tool_sign_member(parley_input_t *in, parley_sign_t *s, parley_str_t *ret)
{
    uint32_t               applied;
    parley_edit_t          edit;
    const parley_codec_t  *codec = parley_codecs[s->m.msg.wire];

    if (codec->pointers[PARLEY_MSG_SIGNATURE] == NULL) {
        return parley_error_set(&in->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                "messages of this protocol have no "
                                "signature");
    }

    edit.pointer = parley_str_c(codec->pointers[PARLEY_MSG_SIGNATURE]);
    edit.value = parley_str_none;

    return parley_edit(in->arena, &s->m.doc, &edit, 1, ret, &applied,
                       &in->err);
}


static int
tool_verify_run(parley_tool_t *tool)
{
    int            status;
    const char    *path;
    parley_sign_t  s;

    memset(&s, 0, sizeof(s));

    if (tool_option_required(tool, "keys", &path) != 0
        || tool_message_init(tool, "as", &s.m) != 0)
    {
        return PARLEY_EXIT_USAGE;
    }

    status = PARLEY_EXIT_USAGE;

    if (tool_file_keys(tool, path, &s.keys) == 0) {
        status = tool_input_each(tool, tool_verify_one, &s);
        parley_jwks_free(&s.keys);
    }

    tool_message_free(&s.m);

    return status;
}


static int
tool_verify_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    parley_buf_t         b;
    parley_str_t         word;
    parley_sign_t       *s = ctx;
    const parley_jwk_t  *key;

    if (tool_message_decode(tool, in, &s->m) != 0
        || tool_verify_message(in, s, &key) != 0)
    {
        return tool_output_error(tool, in);
    }

    word = parley_signature_word(key);

    if (word.len == 0) {
        word = s->m.msg.sig.alg;
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("alg"), word);
        parley_buf_member(&b, PARLEY_STR("kid"), key->kid);
        tool_output_end(&b);

    } else {
        tool_show_format(stdout, "%.*s %.*s", (int) word.len,
                         (const char *) word.data, (int) key->kid.len,
                         (const char *) key->kid.data);
        (void) putc('\n', stdout);
    }

    return PARLEY_EXIT_OK;
}


static int
tool_verify_message(parley_input_t *in, parley_sign_t *s,
    const parley_jwk_t **ret)
{
    parley_str_t             octets;
    const parley_msg_sig_t  *sig = &s->m.msg.sig;

    if (!sig->present) {
        return parley_error_set(&in->err, PARLEY_E_SIGNATURE_MISSING, NULL,
                                "the message is not signed");
    }

    if (sig->opaque) {
        return parley_error_set(&in->err, PARLEY_E_SIGNATURE_INVALID, NULL,
                                "the signature has a form that cannot be "
                                "verified");
    }

    if (parley_signing_input(in->arena, s->m.msg.wire, &s->m.doc, &octets,
                             &in->err)
        != 0)
    {
        return -1;
    }

    return parley_signature_verify(&s->keys, sig->alg, sig->kid, octets,
                                   sig->value, 0, ret, &in->err);
}
