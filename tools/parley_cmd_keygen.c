/* parley keygen, parley jwks and parley keys store: keys. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "core/parley_hex.h"
#include "tools/parley_tool.h"


static int tool_keygen_run(parley_tool_t *tool);
static int tool_keygen_new(parley_tool_t *tool, parley_jwk_t *ret);
static const parley_alg_t *tool_keygen_alg(const char *word);
static int tool_keygen_file(const char *path, parley_str_t text);
static int tool_keys_store_run(parley_tool_t *tool);
static int tool_jwks_run(parley_tool_t *tool);
static int tool_jwks_put(parley_tool_t *tool, const char *path,
    int with_private, parley_buf_t *b, size_t *n);


#define PARLEY_KEYS_STORE  32   /* octets */

#define PARLEY_KEYGEN_ALGS                                                    \
    "ed25519, es256, es384, es512, rs256, rs384, rs512, ps256, ps384, "       \
    "ps512, hs256, hs384 and hs512"


static const parley_option_t  parley_keygen_options[] = {
    { "alg", 0, "A", "ed25519, es256, rs256, hs256; also es384, es512,\n"
      "rs384, rs512, ps256, ps384, ps512, hs384, hs512", 0 },
    { "kid", 0, "K", "the key's id (default: its thumbprint, RFC 7638)", 0 },
    { "public", 0, NULL, "print the public part of the key in FILE, or on\n"
      "standard input, instead of making one", 0 },
    { "out", 'o', "FILE", "write to a new file that the owner alone can "
      "read", 0 },
    tool_option_end
};


static const parley_option_t  parley_keys_store_options[] = {
    { "out", 'o', "FILE", "write to a new file that the owner alone can "
      "read", 0 },
    tool_option_end
};


static const parley_option_t  parley_jwks_options[] = {
    { "private", 0, NULL, "private parts too; HMAC secrets have no other",
      0 },
    tool_option_end
};


const parley_command_t  parley_cmd_keygen = {
    .name = "keygen",
    .operands = "[FILE]",
    .max = 1,
    .summary = "Makes a key, or prints the public part of one, as a JWK",
    .options = parley_keygen_options,
    .run = tool_keygen_run
};


const parley_command_t  parley_cmd_keys_store = {
    .name = "keys store",
    .operands = "",
    .max = 0,
    .summary = "Makes the key of a store that several gateways share",
    .text = "The key is a line of 64 hexadecimal digits, for key= of "
            "parley_store.\nAll gateways of a store have the same key.\n",
    .options = parley_keys_store_options,
    .run = tool_keys_store_run
};


const parley_command_t  parley_cmd_jwks = {
    .name = "jwks",
    .operands = "FILE...",
    .min = 1,
    .max = -1,
    .summary = "Collects the public parts of keys into a JWKS",
    .text = "Each FILE is a JWK or a JWKS.\n",
    .options = parley_jwks_options,
    .run = tool_jwks_run
};


static int
tool_keygen_run(parley_tool_t *tool)
{
    int              rc, is_public, status;
    const char      *out;
    parley_buf_t     b;
    parley_jwk_t     jwk;
    parley_str_t     text;
    parley_error_t   err;

    is_public = tool_option(tool, "public") != NULL;

    if (is_public) {
        if (tool_option(tool, "alg") != NULL
            || tool_option(tool, "kid") != NULL)
        {
            return tool_say_usage(tool, "--public goes with neither --alg "
                                  "nor --kid");
        }

        rc = tool_file_key(tool, tool->noperands ? tool->operands[0] : "-",
                            0, &jwk);

    } else if (tool->noperands > 0) {
        return tool_say_usage(tool, "unexpected \"%s\"",
                              tool->operands[0]);

    } else {
        rc = tool_keygen_new(tool, &jwk);
    }

    if (rc != 0) {
        return PARLEY_EXIT_USAGE;
    }

    parley_error_clear(&err);
    parley_buf_init(&b, &tool->arena, 4096);

    status = PARLEY_EXIT_USAGE;
    out = tool_option(tool, "out");

    if (parley_jwk_write(&b, &jwk, !is_public, &err) != 0) {
        tool_say("%s", err.text);
        status = PARLEY_EXIT_INVALID;

    } else if (parley_buf_done(&b, &text) != 0) {
        tool_say("out of memory");

    } else if (out == NULL) {
        tool_output_line(text);
        status = PARLEY_EXIT_OK;

    } else if (tool_keygen_file(out, text) == 0) {
        status = PARLEY_EXIT_OK;
    }

    explicit_bzero(b.data, b.len);
    parley_jwk_free(&jwk);

    return status;
}


static int
tool_keygen_new(parley_tool_t *tool, parley_jwk_t *ret)
{
    const char          *value;
    parley_str_t         kid;
    parley_error_t       err;
    const parley_alg_t  *alg;

    if (tool_option_required(tool, "alg", &value) != 0) {
        return -1;
    }

    alg = tool_keygen_alg(value);

    if (alg == NULL) {
        tool_say_usage(tool, "--alg: unknown algorithm \"%s\"; there are "
                       PARLEY_KEYGEN_ALGS, value);
        return -1;
    }

    value = tool_option(tool, "kid");

    if (value != NULL && *value == '\0') {
        tool_say_usage(tool, "--kid is empty");
        return -1;
    }

    kid = (value != NULL) ? parley_str_c(value) : parley_str_none;

    parley_error_clear(&err);

    if (parley_jwk_generate(&tool->arena, alg->id, kid, ret, &err) != 0) {
        tool_say_error("keygen", &err);
        return -1;
    }

    return 0;
}


/* Finds an algorithm by its name, ignoring case. */
static const parley_alg_t *
tool_keygen_alg(const char *word)
{
    char    name[8];
    size_t  i;

    if (strcasecmp(word, "ed25519") == 0 || strcasecmp(word, "eddsa") == 0) {
        return parley_alg_get(PARLEY_ALG_EDDSA);
    }

    for (i = 0; word[i] != '\0' && i < sizeof(name) - 1; i++) {
        name[i] = (char) toupper((unsigned char) word[i]);
    }

    name[i] = '\0';

    return (word[i] == '\0') ? parley_alg_find(parley_str_c(name)) : NULL;
}


static int
tool_keygen_file(const char *path, parley_str_t text)
{
    int    fd;
    FILE  *file;

    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd == -1) {
        tool_say("%s: %s", path, strerror(errno));
        return -1;
    }

    file = fdopen(fd, "w");

    if (file == NULL) {
        tool_say("%s: %s", path, strerror(errno));
        (void) close(fd);
        return -1;
    }

    (void) fwrite(text.data, 1, text.len, file);
    (void) putc('\n', file);

    if (ferror(file) | fclose(file)) {
        tool_say("%s: cannot be written", path);
        return -1;
    }

    return 0;
}


static int
tool_keys_store_run(parley_tool_t *tool)
{
    int           status;
    char          digits[2 * PARLEY_KEYS_STORE + 1];
    uint8_t       key[PARLEY_KEYS_STORE];
    const char   *out;
    parley_str_t  text;

    if (RAND_bytes(key, sizeof(key)) != 1) {
        tool_say("no random octets");
        return PARLEY_EXIT_USAGE;
    }

    parley_hex(key, sizeof(key), digits);

    text = parley_str_c(digits);
    out = tool_option(tool, "out");
    status = PARLEY_EXIT_OK;

    if (out == NULL) {
        tool_output_line(text);

    } else if (tool_keygen_file(out, text) != 0) {
        status = PARLEY_EXIT_USAGE;
    }

    explicit_bzero(key, sizeof(key));
    explicit_bzero(digits, sizeof(digits));

    return status;
}


static int
tool_jwks_run(parley_tool_t *tool)
{
    int             with_private, status;
    size_t          i, n;
    parley_buf_t    b;
    parley_str_t    text;
    parley_jwks_t   keys;
    parley_error_t  err;

    n = 0;
    status = PARLEY_EXIT_OK;
    with_private = tool_option(tool, "private") != NULL;

    parley_buf_init(&b, &tool->arena, 4096);
    parley_buf_lit(&b, "{\"keys\":[");

    for (i = 0; i < tool->noperands; i++) {
        status = tool_jwks_put(tool, tool->operands[i], with_private, &b,
                               &n);

        if (status != PARLEY_EXIT_OK) {
            break;
        }
    }

    parley_buf_lit(&b, "]}");

    if (status == PARLEY_EXIT_OK) {
        parley_error_clear(&err);

        if (parley_buf_done(&b, &text) != 0) {
            tool_say("out of memory");
            status = PARLEY_EXIT_USAGE;

        } else if (parley_jwks_parse(&tool->arena, text, &keys, &err) != 0) {
            err.offset = PARLEY_NO_OFFSET;
            tool_say_error("jwks", &err);
            status = PARLEY_EXIT_INVALID;

        } else {
            tool_output_line(text);
            parley_jwks_free(&keys);
        }
    }

    explicit_bzero(b.data, b.len);

    return status;
}


static int
tool_jwks_put(parley_tool_t *tool, const char *path, int with_private,
    parley_buf_t *b, size_t *n)
{
    int             status;
    size_t          i;
    parley_jwks_t   keys;
    parley_error_t  err;

    if (tool_file_keys(tool, path, &keys) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    status = PARLEY_EXIT_OK;
    parley_error_clear(&err);

    for (i = 0; i < keys.n && status == PARLEY_EXIT_OK; i++) {

        if ((*n)++ > 0) {
            parley_buf_octet(b, ',');
        }

        if (parley_jwk_write(b, &keys.keys[i],
                             with_private && (keys.keys[i].is_private
                                              || keys.keys[i].secret.len > 0),
                             &err)
            != 0)
        {
            tool_say("%s: %s", path, err.text);
            status = PARLEY_EXIT_INVALID;
        }
    }

    parley_jwks_free(&keys);

    return status;
}
