/* Directives of http: the files of the gateway as a whole. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "parley_settings.h"
#include "parley_signature.h"


#define PARLEY_SETTINGS_FILE_MAX  (64 << 20)
#define PARLEY_SETTINGS_DEPTH     32        /* folders of parley_intents */


static const parley_directive_t *parley_settings_file(
    const parley_settings_t *s, const char *name);
static int parley_settings_text(parley_tool_t *tool,
    const parley_settings_t *s, const parley_directive_t *d,
    const char **ret_path, parley_str_t *ret);
static int parley_settings_identities(parley_tool_t *tool,
    parley_settings_t *s);
static int parley_settings_jwks(parley_tool_t *tool, const char *keys,
    parley_settings_t *s);
static int parley_settings_signing(parley_tool_t *tool,
    parley_settings_t *s);
static int parley_settings_intents(parley_tool_t *tool,
    parley_settings_t *s);
static int parley_settings_folder(parley_tool_t *tool, parley_settings_t *s,
    const char *path, unsigned depth);
static int parley_settings_intent(parley_tool_t *tool, parley_settings_t *s,
    const char *path, const char *name);
static int parley_settings_schema(const char *path,
    const parley_schema_error_t *err);


int
parley_settings_http(parley_tool_t *tool, const char *keys,
    parley_settings_t *s)
{
    const parley_directive_t  *d;

    d = parley_settings_file(s, "parley_self");
    s->self = d != NULL ? d->words[1] : PARLEY_STR("service.parley");

    if (parley_conf_in(s->place.conf->http, "parley_zone") == NULL) {
        return parley_conf_bad(parley_conf_get(s->place.block,
                                               "parley_accept"),
                               "needs \"parley_zone\"");
    }

    if (parley_settings_identities(tool, s) != 0
        || parley_settings_jwks(tool, keys, s) != 0
        || parley_settings_signing(tool, s) != 0
        || parley_settings_intents(tool, s) != 0)
    {
        return -1;
    }

    return 0;
}


/* a directive of one word and more */
static const parley_directive_t *
parley_settings_file(const parley_settings_t *s, const char *name)
{
    const parley_directive_t  *d;

    d = parley_conf_in(s->place.conf->http, name);

    return d != NULL && d->nwords > 1 ? d : NULL;
}


static int
parley_settings_text(parley_tool_t *tool, const parley_settings_t *s,
    const parley_directive_t *d, const char **ret_path, parley_str_t *ret)
{
    *ret_path = parley_conf_path(tool, s->place.conf, d->words[1]);

    return *ret_path == NULL ? -1
           : parley_file_whole(tool, *ret_path, PARLEY_SETTINGS_FILE_MAX,
                               ret);
}


static int
parley_settings_identities(parley_tool_t *tool, parley_settings_t *s)
{
    const char                *path;
    parley_str_t               text;
    parley_error_t             err;
    const parley_directive_t  *d;

    d = parley_settings_file(s, "parley_identities");

    if (d == NULL) {
        return 0;
    }

    if (parley_settings_text(tool, s, d, &path, &text) != 0) {
        return -1;
    }

    if (parley_directory_parse(&tool->arena, text, &s->directory, &err)
        != 0)
    {
        parley_say_error(path, &err);
        return -1;
    }

    return 0;
}


static int
parley_settings_jwks(parley_tool_t *tool, const char *keys,
    parley_settings_t *s)
{
    const parley_directive_t  *d;

    d = parley_settings_file(s, "parley_jwks");

    if (keys == NULL && d != NULL) {
        keys = parley_conf_path(tool, s->place.conf, d->words[1]);

        if (keys == NULL) {
            return -1;
        }
    }

    if (keys == NULL || !s->jwt) {
        return 0;
    }

    if (parley_file_keys(tool, keys, &s->jwks) != 0) {
        return -1;
    }

    s->has_jwks = 1;

    if (s->jwks.n == 0) {
        parley_say("%s: no key that verifies tokens", keys);
        return -1;
    }

    return 0;
}


static int
parley_settings_signing(parley_tool_t *tool, parley_settings_t *s)
{
    const char                *path;
    const parley_directive_t  *d;

    d = parley_settings_file(s, "parley_signing_key");

    if (d == NULL) {
        return 0;
    }

    path = parley_conf_path(tool, s->place.conf, d->words[1]);

    if (path == NULL || parley_file_key(tool, path, 1, &s->signing) != 0) {
        return -1;
    }

    s->has_signing = 1;

    if (!parley_str_is(parley_signature_word(&s->signing), "ed25519")) {
        parley_say("%s: no private Ed25519 key", path);
        return -1;
    }

    return 0;
}


static int
parley_settings_intents(parley_tool_t *tool, parley_settings_t *s)
{
    const char                *path;
    parley_schema_error_t      err;
    const parley_directive_t  *d;

    d = parley_settings_file(s, "parley_intents");

    if (d == NULL) {
        return 0;
    }

    path = parley_conf_path(tool, s->place.conf, d->words[1]);
    s->intents = parley_intents_create(&parley_mem_libc);

    if (path == NULL || s->intents == NULL) {
        return -1;
    }

    if (parley_settings_folder(tool, s, path, 0) != 0) {
        return -1;
    }

    if (parley_intents_compile(s->intents, &err) != 0) {
        return parley_settings_schema(path, &err);
    }

    return 0;
}


static int
parley_settings_folder(parley_tool_t *tool, parley_settings_t *s,
    const char *path, unsigned depth)
{
    int             rc;
    DIR            *folder;
    parley_buf_t    b;
    parley_str_t    file;
    struct stat     st;
    struct dirent  *entry;

    folder = depth > PARLEY_SETTINGS_DEPTH ? NULL : opendir(path);

    if (folder == NULL) {
        parley_say("%s: %s", path, strerror(depth > PARLEY_SETTINGS_DEPTH
                                            ? ELOOP : errno));
        return -1;
    }

    rc = 0;

    while (rc == 0 && (entry = readdir(folder)) != NULL) {

        if (entry->d_name[0] == '.'
            && strspn(entry->d_name, ".") == strlen(entry->d_name))
        {
            continue;
        }

        parley_buf_init(&b, &tool->arena, 256);
        parley_buf_str(&b, parley_str_c(path));
        parley_buf_octet(&b, '/');
        parley_buf_str(&b, parley_str_c(entry->d_name));
        parley_buf_octet(&b, '\0');

        if (parley_buf_done(&b, &file) != 0
            || stat((const char *) file.data, &st) != 0)
        {
            parley_say("%s: %s", path, strerror(errno));
            rc = -1;

        } else if (S_ISDIR(st.st_mode)) {
            rc = parley_settings_folder(tool, s, (const char *) file.data,
                                        depth + 1);

        } else if (S_ISREG(st.st_mode)) {
            rc = parley_settings_intent(tool, s, (const char *) file.data,
                                        entry->d_name);
        }
    }

    (void) closedir(folder);

    return rc;
}


static int
parley_settings_intent(parley_tool_t *tool, parley_settings_t *s,
    const char *path, const char *name)
{
    parley_act_t           act;
    parley_str_t           intent, text;
    parley_schema_error_t  err;

    if (!parley_intents_name(parley_str_c(name), &intent, &act)) {
        return 0;
    }

    if (parley_file_whole(tool, path, PARLEY_SETTINGS_FILE_MAX, &text) != 0) {
        return -1;
    }

    if (parley_intents_add(s->intents, parley_str_c(path), intent, act, text,
                           &err)
        != 0)
    {
        return parley_settings_schema(path, &err);
    }

    return 0;
}


static int
parley_settings_schema(const char *path, const parley_schema_error_t *err)
{
    parley_say("%s:%u: %s %s", err->location[0] != '\0' ? err->location
                                                        : path,
               (unsigned) err->line, err->error.field, err->error.text);
    return -1;
}
