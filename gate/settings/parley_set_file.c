/*
 * Setters of directives that name a file or a folder.  Errors in a file are
 * reported with the file, the line and the member.
 */

#include <stdio.h>
#include <string.h>

#include "auth/parley_config.h"
#include "gate/settings/parley_directive.h"
#include "gate/settings/parley_identities.h"
#include "translate/parley_intents.h"
#include "translate/parley_name.h"
#include "schemas/parley_schema.h"
#include "auth/parley_signature.h"


typedef struct {
    parley_setting_t  *d;
    parley_intents_t  *intents;
} parley_set_intents_t;


static const parley_range_t  parley_set_checkpoint = {
    1000, 24 * 3600 * 1000
};


static int parley_set_secret(parley_setting_t *d, parley_str_t path,
    const parley_jwks_t *keys);
static int parley_set_principals(const parley_directory_t *directory,
    parley_error_t *err);
static int parley_set_public_parts(parley_setting_t *d);
static int parley_set_jwks_use(parley_setting_t *d, parley_str_t path,
    const parley_jwks_t *keys);
static int parley_set_read(parley_setting_t *d, parley_str_t *ret_path,
    parley_str_t *ret_text);
static int parley_set_intent(void *data, parley_str_t path);
static int parley_set_schema_wrong(parley_setting_t *d, parley_str_t path,
    const parley_schema_error_t *err);


int
parley_set_identities(parley_setting_t *d)
{
    size_t                     i, n;
    parley_error_t             err;
    parley_settings_http_t    *http = d->http;
    const parley_principal_t  *principals;

    if (parley_set_read(d, &http->identities, &http->identities_text) != 0) {
        return -1;
    }

    if (parley_identities_read(d->env->arena, &parley_mem_libc,
                               http->identities_text, &http->directory, &err)
        != 0)
    {
        return parley_set_file_wrong(d->problem, http->identities,
                                     http->identities_text, &err);
    }

    if (parley_set_principals(http->directory, &err) != 0) {
        parley_config_locate(&d->env->arena->mem, http->identities_text, &err);

        return parley_set_file_wrong(d->problem, http->identities,
                                     http->identities_text, &err);
    }

    n = parley_directory_principals(http->directory, &principals);

    for (i = 0; i < n; i++) {
        if (parley_set_secret(d, http->identities, &principals[i].keys)) {
            break;
        }
    }

    return 0;
}


/*
 * Warns of the first private key.  A reader of the file could sign with it, and
 * the gateway does not need it.  Returns whether there is one.
 */

static int
parley_set_secret(parley_setting_t *d, parley_str_t path,
    const parley_jwks_t *keys)
{
    size_t               i;
    const parley_jwk_t  *jwk;

    for (i = 0; i < keys->n; i++) {
        jwk = &keys->keys[i];

        if (!jwk->is_private || jwk->kty == PARLEY_KTY_OCT) {
            continue;
        }

        if (d->env->warn != NULL) {
            (void) parley_problem(d->problem, "\"%.*s\" has the private part "
                                  "of key \"%.*s\": a reader of the file can "
                                  "sign with it, and the gateway does not need "
                                  "it",
                                  (int) path.len, (const char *) path.data,
                                  jwk->kid.len < 64 ? (int) jwk->kid.len : 64,
                                  (const char *) jwk->kid.data);
            d->env->warn(d->env->ctx, d->problem);
        }

        return 1;
    }

    return 0;
}


/*
 * Refuses principals with the name of a group: a group sends no messages and
 * has no keys.
 */

static int
parley_set_principals(const parley_directory_t *directory,
    parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    size_t                     i, n;
    unsigned                   proto;
    parley_str_t               name;
    const parley_principal_t  *principals;

    n = parley_directory_principals(directory, &principals);

    for (i = 0; i < n; i++) {
        for (proto = 0; proto < PARLEY_PROTO_COUNT; proto++) {
            name = principals[i].names[proto];

            if (name.len == 0
                || !parley_name_is_group((parley_proto_t) proto, name))
            {
                continue;
            }

            (void) snprintf(pointer, sizeof(pointer), "/principals/%zu/%s", i,
                            parley_namespace_members[proto]);

            return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                    "\"%.*s\" of \"%.*s\" is the name of a "
                                    "group; expected the name of an agent",
                                    name.len < 96 ? (int) name.len : 96,
                                    (const char *) name.data,
                                    principals[i].sub.len < 64
                                    ? (int) principals[i].sub.len : 64,
                                    (const char *) principals[i].sub.data);
        }
    }

    return 0;
}


int
parley_set_jwks(parley_setting_t *d)
{
    parley_str_t    issuer, path, text;
    parley_jwks_t   more;
    parley_error_t  err;

    issuer = parley_str_none;

    if (d->n > 2 && !parley_setting_param(d->words[2], "issuer", &issuer)) {
        return parley_setting_unknown(d, d->words[2], "issuer=");
    }

    if (d->n > 2 && issuer.len == 0) {
        return parley_setting_bad(d, d->words[2], PARLEY_SETTING_EMPTY);
    }

    if (d->http->jwks == NULL) {
        d->http->jwks = parley_arena_calloc(d->env->arena,
                                            sizeof(parley_jwks_t));
    }

    if (d->http->jwks == NULL || parley_set_read(d, &path, &text) != 0) {
        return -1;
    }

    if (parley_jwks_parse(d->env->arena, text, &more, &err) != 0) {
        return parley_set_file_wrong(d->problem, path, text, &err);
    }

    parley_jwks_of(&more, issuer);

    (void) parley_set_secret(d, path, &more);

    if (parley_set_jwks_use(d, path, &more) != 0) {
        parley_jwks_free(&more);
        return -1;
    }

    if (parley_jwks_join(d->env->arena, d->http->jwks, &more, &err) != 0) {
        parley_jwks_free(&more);
        parley_config_locate(&d->env->arena->mem, text, &err);

        return parley_set_file_wrong(d->problem, path, text, &err);
    }

    return 0;
}


/* Checks that keys verify tokens; other keys have no use here. */

static int
parley_set_jwks_use(parley_setting_t *d, parley_str_t path,
    const parley_jwks_t *keys)
{
    size_t  n, useless;

    n = parley_jwks_verifiers(keys);

    if (n == 0) {
        return parley_problem(d->problem, "\"%.*s\" has no key that verifies "
                              "tokens; expected one at least", (int) path.len,
                              (const char *) path.data);
    }

    useless = keys->skipped + keys->n - n;

    if (useless > 0 && d->env->warn != NULL) {
        (void) parley_problem(d->problem, "%zu keys in \"%.*s\" cannot "
                              "verify tokens and are ignored", useless,
                              (int) path.len, (const char *) path.data);
        d->env->warn(d->env->ctx, d->problem);
    }

    return 0;
}


int
parley_set_revocations(parley_setting_t *d)
{
    parley_error_t             err;
    parley_settings_http_t    *http = d->http;
    parley_revocations_now_t  *now;

    if (parley_set_read(d, &http->revocations_file, &http->revocations_text)
        != 0)
    {
        return -1;
    }

    now = parley_arena_calloc(d->env->arena, sizeof(parley_revocations_now_t));

    if (now == NULL) {
        return -1;
    }

    if (parley_revocations_parse(d->env->arena, http->revocations_text,
                                 d->env->seed, &now->list, &err)
        != 0)
    {
        return parley_set_file_wrong(d->problem, http->revocations_file,
                                     http->revocations_text, &err);
    }

    http->revocations = now;

    return 0;
}


/*
 * OPS-09: the first key signs.  The other keys are previous or next signing
 * keys; their public parts suffice.
 */

int
parley_set_signing_key(parley_setting_t *d)
{
    size_t          i;
    parley_str_t    path, text;
    parley_error_t  err;
    parley_jwks_t  *keys = &d->http->signing_keys;

    if (parley_set_read(d, &path, &text) != 0) {
        return -1;
    }

    if (parley_jwks_parse_any(d->env->arena, text, keys, &err) != 0) {
        return parley_set_file_wrong(d->problem, path, text, &err);
    }

    for (i = 0; i < keys->n; i++) {
        if (((keys->keys[i].verifies | keys->keys[i].signs)
             & PARLEY_ALG_BIT(PARLEY_ALG_EDDSA))
            == 0)
        {
            break;
        }
    }

    if (keys->n == 0 || i < keys->n || keys->skipped != 0
        || !keys->keys[0].is_private
        || !parley_str_is(parley_signature_word(&keys->keys[0]), "ed25519"))
    {
        return parley_problem(d->problem, "\"%.*s\" must hold a private "
                              "Ed25519 key, or a set of Ed25519 keys with a "
                              "private one first", (int) path.len,
                              (const char *) path.data);
    }

    d->http->signing = &keys->keys[0];

    return parley_set_public_parts(d);
}


/* OPS-09: writes the public parts of the signing keys, in their order. */

static int
parley_set_public_parts(parley_setting_t *d)
{
    size_t                i;
    parley_buf_t          b;
    parley_error_t        err;
    const parley_jwks_t  *keys = &d->http->signing_keys;

    parley_buf_init(&b, d->env->arena, 512);
    parley_buf_lit(&b, "{\"keys\":[");

    for (i = 0; i < keys->n; i++) {

        if (i > 0) {
            parley_buf_octet(&b, ',');
        }

        if (parley_jwk_write(&b, &keys->keys[i], 0, &err) != 0) {
            return -1;
        }
    }

    parley_buf_lit(&b, "]}");

    return parley_buf_done(&b, &d->http->public_keys) == 0 ? 0 : -1;
}


/*
 * OPS-06: the adapter opens the file, and opens it again when nginx reopens
 * logs.
 */

int
parley_set_audit(parley_setting_t *d)
{
    size_t        i;
    parley_str_t  v, file;

    file = d->words[1];

    if (file.len == 0 || memchr(file.data, '$', file.len) != NULL) {
        return parley_setting_not(d, file, "a file", "a path without "
                                  "variables");
    }

    for (i = 2; i < d->n; i++) {

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(d->words[i], "on_error", &v)
            && (parley_str_is(v, "refuse") || parley_str_is(v, "pass")))
        {
            d->http->audit_pass = parley_str_is(v, "pass");

        } else if (parley_setting_param(d->words[i], "checkpoint", &v)) {

            if (parley_setting_read_time(d, d->words[i],
                                         &parley_set_checkpoint,
                                         &d->http->audit_ms)
                != 0)
            {
                return -1;
            }

        } else {
            return parley_setting_unknown(d, d->words[i], "on_error=refuse, "
                                          "on_error=pass or checkpoint=");
        }
    }

    d->http->audit = file;

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
    char          column[32];
    parley_str_t  file;

    file = err->location[0] != '\0' ? parley_str_c(err->location) : path;
    column[0] = '\0';

    if (err->error.code == PARLEY_E_JSON_INVALID) {
        (void) snprintf(column, sizeof(column), ", column %u",
                        (unsigned) err->column);
    }

    return parley_problem(d->problem, "\"%.*s\" line %u%s: %s %s",
                          (int) file.len, (const char *) file.data,
                          (unsigned) err->line, column, err->error.field,
                          err->error.text);
}
