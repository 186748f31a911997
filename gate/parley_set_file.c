/*
 * Setters that name a file or a folder.  What is wrong in it is told with the
 * file, the line and the member.
 */

#include <string.h>

#include "parley_directive.h"
#include "parley_signature.h"


typedef struct {
    parley_setting_t  *d;
    parley_intents_t  *intents;
} parley_set_intents_t;


static int parley_set_read(parley_setting_t *d, parley_str_t *ret_path,
    parley_str_t *ret_text);
static int parley_set_intent(void *data, parley_str_t path);
static int parley_set_schema_wrong(parley_setting_t *d, parley_str_t path,
    const parley_schema_error_t *err);


int
parley_set_identities(parley_setting_t *d)
{
    parley_error_t           err;
    parley_settings_http_t  *http = d->http;

    if (parley_set_read(d, &http->identities, &http->identities_text) != 0) {
        return -1;
    }

    if (parley_directory_parse(d->env->arena, http->identities_text,
                               &http->directory, &err)
        != 0)
    {
        return parley_set_file_wrong(d->problem, http->identities,
                                     http->identities_text, &err);
    }

    return 0;
}


int
parley_set_jwks(parley_setting_t *d)
{
    size_t          n, useless;
    parley_str_t    path, text;
    parley_jwks_t  *jwks;
    parley_error_t  err;

    jwks = parley_arena_calloc(d->env->arena, sizeof(parley_jwks_t));

    if (jwks == NULL || parley_set_read(d, &path, &text) != 0) {
        return -1;
    }

    if (parley_jwks_parse(d->env->arena, text, jwks, &err) != 0) {
        return parley_set_file_wrong(d->problem, path, text, &err);
    }

    d->http->jwks = jwks;
    n = parley_jwks_verifiers(jwks);

    if (n == 0) {
        return parley_problem(d->problem, "\"%.*s\" has no key that verifies "
                              "tokens", (int) path.len,
                              (const char *) path.data);
    }

    useless = jwks->skipped + jwks->n - n;

    if (useless > 0 && d->env->warn != NULL) {
        (void) parley_problem(d->problem, "%zu keys in \"%.*s\" are of no use "
                              "here and were left out", useless,
                              (int) path.len, (const char *) path.data);
        d->env->warn(d->env->ctx, d->problem);
    }

    return 0;
}


int
parley_set_signing_key(parley_setting_t *d)
{
    parley_jwk_t   *key;
    parley_str_t    path, text;
    parley_error_t  err;

    key = parley_arena_calloc(d->env->arena, sizeof(parley_jwk_t));

    if (key == NULL || parley_set_read(d, &path, &text) != 0) {
        return -1;
    }

    if (parley_jwk_parse(d->env->arena, text, key, &err) != 0) {
        return parley_set_file_wrong(d->problem, path, text, &err);
    }

    d->http->signing = key;

    if (!key->is_private
        || !parley_str_is(parley_signature_word(key), "ed25519"))
    {
        return parley_problem(d->problem, "\"%.*s\" must hold a private "
                              "Ed25519 key", (int) path.len,
                              (const char *) path.data);
    }

    return 0;
}


static int
parley_set_read(parley_setting_t *d, parley_str_t *ret_path,
    parley_str_t *ret_text)
{
    return d->env->read(d->env->ctx, d->words[1], ret_path, ret_text,
                        d->problem);
}


int
parley_set_file_wrong(parley_problem_t *problem, parley_str_t path,
    parley_str_t text, const parley_error_t *err)
{
    size_t       i;
    unsigned     line;
    const char  *space;

    space = err->field[0] != '\0' ? " " : "";

    if (err->offset == PARLEY_NO_OFFSET) {
        return parley_problem(problem, "\"%.*s\": %s%s%s", (int) path.len,
                              (const char *) path.data, err->field, space,
                              err->text);
    }

    line = 1;

    for (i = 0; i < err->offset && i < text.len; i++) {
        line += text.data[i] == '\n';
    }

    return parley_problem(problem, "\"%.*s\" line %u: %s%s%s",
                          (int) path.len, (const char *) path.data, line,
                          err->field, space, err->text);
}


int
parley_set_intents(parley_setting_t *d)
{
    parley_str_t           path;
    parley_set_intents_t   set;
    parley_schema_error_t  err;

    set.d = d;
    set.intents = parley_intents_create(&parley_mem_libc);

    d->http->intents = set.intents;

    if (set.intents == NULL
        || d->env->walk(d->env->ctx, d->words[1], parley_set_intent, &set,
                        &path, d->problem)
           != 0)
    {
        return -1;
    }

    return parley_intents_compile(set.intents, &err) == 0 ? 0
           : parley_set_schema_wrong(d, path, &err);
}


static int
parley_set_intent(void *data, parley_str_t path)
{
    size_t                  n;
    parley_act_t            act;
    parley_str_t            intent, text;
    parley_schema_error_t   err;
    parley_set_intents_t   *set = data;
    parley_setting_t       *d = set->d;

    for (n = path.len; n > 0 && path.data[n - 1] != '/'; n--) {
        /* void */
    }

    if (!parley_intents_name(parley_str_from(path, n), &intent, &act)) {
        return 0;
    }

    if (d->env->read(d->env->ctx, path, &path, &text, d->problem) != 0) {
        return -1;
    }

    return parley_intents_add(set->intents, path, intent, act, text, &err)
           == 0 ? 0
           : parley_set_schema_wrong(d, path, &err);
}


static int
parley_set_schema_wrong(parley_setting_t *d, parley_str_t path,
    const parley_schema_error_t *err)
{
    parley_str_t  file;

    file = err->location[0] != '\0' ? parley_str_c(err->location) : path;

    return parley_problem(d->problem, "\"%.*s\" line %u: %s %s",
                          (int) file.len, (const char *) file.data,
                          (unsigned) err->line, err->error.field,
                          err->error.text);
}
