/* Directives of http: the gateway as a whole, and the files that it has. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "parley_location.h"
#include "parley_name.h"
#include "parley_settings.h"
#include "parley_signature.h"
#include "parley_state.h"


#define PARLEY_SETTINGS_FILE_MAX  (64 << 20)
#define PARLEY_SETTINGS_DEPTH     32        /* folders of parley_intents */
#define PARLEY_SETTINGS_ZONE_MIN  (128 << 10)


static int parley_settings_text(parley_tool_t *tool,
    const parley_directive_t *d, const char *path, parley_str_t *ret);
static int parley_settings_file(parley_tool_t *tool,
    const parley_directive_t *d, const parley_settings_t *s,
    const char **ret_path, parley_str_t *ret);
static int parley_settings_folder(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s, const char *path,
    unsigned depth);
static int parley_settings_intent(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s, const char *path,
    const char *name);
static int parley_settings_schema(const parley_directive_t *d,
    const char *path, const parley_schema_error_t *err);


int
parley_settings_zone(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    int64_t         size;
    unsigned        share;
    parley_str_t    word;
    const uint8_t  *p;

    (void) tool;

    word = d->words[1];
    p = memchr(word.data, ':', word.len);

    if (p == NULL || p == word.data) {
        return parley_conf_bad_word(d, word, "must be NAME:SIZE, such as "
                                    "agents:64m");
    }

    if (parley_conf_size(parley_str_from(word, (size_t) (p + 1 - word.data)),
                         &size)
        != 0)
    {
        return parley_conf_bad_word(d, word, "has no valid size");
    }

    if (size < PARLEY_SETTINGS_ZONE_MIN) {
        return parley_conf_bad_word(d, word, "is too small, 128k is the least");
    }

    if (d->nwords == 3 && !parley_conf_param(d->words[2], "share", &word)) {
        return parley_conf_bad_word(d, d->words[2],
                                    "is unknown, expected share=");
    }

    if (d->nwords == 3 && parley_share_parse(word, &share) != 0) {
        return parley_conf_bad_word(d, d->words[2],
                                    "is no share from 1% to 100%");
    }

    s->has_zone = 1;

    return 0;
}


int
parley_settings_self(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    size_t  i;

    (void) tool;

    s->self = d->words[1];

    for (i = 0; i < s->self.len; i++) {
        if (s->self.data[i] <= 0x20 || s->self.data[i] >= 0x7F) {
            return parley_conf_bad_word(d, s->self, "must be printable ASCII "
                                        "without spaces");
        }
    }

    if (parley_name_is_group(PARLEY_PROTO_AEE, s->self)) {
        return parley_conf_bad_word(d, s->self, "must not be the name of a "
                                    "group");
    }

    return s->self.len > 0 ? 0
           : parley_conf_bad(d, "directive must not be empty");
}


int
parley_settings_retain(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    int64_t  n;

    (void) tool;
    (void) s;

    if (parley_conf_number(d->words[1], &n) != 0 || n == 0) {
        return parley_conf_bad_word(d, d->words[1],
                                    "must be a number of messages");
    }

    if (parley_conf_time(d->words[2], &n) != 0 || n == 0) {
        return parley_conf_bad_word(d, d->words[2], PARLEY_CHOICE_TIME_SOME);
    }

    return 0;
}


/* how large the zone is, which bounds it, only nginx asks */

int
parley_settings_replay(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    int           is_size;
    size_t        i;
    int64_t       n, size, time;
    parley_str_t  v;

    (void) tool;
    (void) s;

    size = 0;
    time = 0;

    for (i = 1; i < d->nwords; i++) {

        is_size = parley_conf_param(d->words[i], "size", &v);

        if (!is_size && !parley_conf_param(d->words[i], "time", &v)) {
            return parley_conf_bad_word(d, d->words[i], "is unknown, expected "
                                        "size= or time=");
        }

        if (is_size) {
            if (parley_conf_size(v, &n) != 0 || n == 0 || size != 0) {
                return parley_conf_bad_word(d, d->words[i],
                                            "must be one size above zero");
            }

            size = n;

        } else {
            if (parley_conf_time(v, &n) != 0 || n == 0 || time != 0) {
                return parley_conf_bad_word(d, d->words[i],
                                            PARLEY_CHOICE_TIME_ONE);
            }

            time = n;
        }
    }

    return size != 0
           ? 0 : parley_conf_bad(d, "directive needs size=, what first "
                                 "answers may take of the zone");
}


int
parley_settings_jwks_request(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s)
{
    size_t        i;
    int64_t       n;
    parley_str_t  v;

    (void) tool;

    if (d->words[1].len == 0 || d->words[1].data[0] != '/') {
        return parley_conf_bad_word(d, d->words[1], "must be the URI of an "
                                    "internal location, such as /_jwks");
    }

    for (i = 2; i < d->nwords; i++) {

        if (parley_conf_twice(d, i)) {
            return parley_conf_bad_word(d, d->words[i], "is there twice");
        }

        if (!parley_conf_param(d->words[i], "interval", &v)
            && !parley_conf_param(d->words[i], "refresh", &v)
            && !parley_conf_param(d->words[i], "timeout", &v))
        {
            return parley_conf_bad_word(d, d->words[i], "is unknown, expected "
                                        "interval=, refresh= or timeout=");
        }

        if (parley_conf_time(v, &n) != 0 || n == 0) {
            return parley_conf_bad_word(d, d->words[i],
                                        PARLEY_CHOICE_TIME_SOME);
        }
    }

    s->has_jwks_request = 1;

    return 0;
}


int
parley_settings_identities(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    const char      *path;
    parley_str_t     text;
    parley_error_t   err;

    if (parley_settings_file(tool, d, s, &path, &text) != 0) {
        return -1;
    }

    if (parley_directory_parse(&tool->arena, text, &s->directory, &err)
        != 0)
    {
        return parley_settings_wrong(d, path, text, &err);
    }

    s->identities = path;
    s->identities_text = text;

    return 0;
}


int
parley_settings_jwks(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    const char      *path;
    parley_str_t     text;
    parley_error_t   err;

    /* those of --keys are in their place */

    if (s->keys != NULL) {
        return 0;
    }

    if (parley_settings_file(tool, d, s, &path, &text) != 0) {
        return -1;
    }

    if (parley_jwks_parse(&tool->arena, text, &s->jwks, &err) != 0) {
        return parley_settings_wrong(d, path, text, &err);
    }

    s->has_jwks = 1;

    return parley_jwks_verifiers(&s->jwks) > 0 ? 0
           : parley_conf_wrong(d, "\"%s\" has no key that verifies tokens",
                               path);
}


int
parley_settings_keys(parley_tool_t *tool, const char *path,
    parley_settings_t *s)
{
    if (parley_file_keys(tool, path, &s->jwks) != 0) {
        return -1;
    }

    s->has_jwks = 1;

    if (parley_jwks_verifiers(&s->jwks) == 0) {
        parley_say("%s: no key that verifies tokens", path);
        return -1;
    }

    return 0;
}


int
parley_settings_signing(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    const char      *path;
    parley_str_t     text;
    parley_error_t   err;

    if (parley_settings_file(tool, d, s, &path, &text) != 0) {
        return -1;
    }

    if (parley_jwk_parse(&tool->arena, text, &s->signing, &err) != 0) {
        return parley_settings_wrong(d, path, text, &err);
    }

    s->has_signing = 1;

    if (!s->signing.is_private
        || !parley_str_is(parley_signature_word(&s->signing), "ed25519"))
    {
        return parley_conf_wrong(d, "\"%s\" must hold a private Ed25519 key",
                                 path);
    }

    return 0;
}


/* The octets of the file that a directive names. */

static int
parley_settings_file(parley_tool_t *tool, const parley_directive_t *d,
    const parley_settings_t *s, const char **ret_path, parley_str_t *ret)
{
    *ret_path = parley_conf_path(tool, s->conf, d->words[1]);

    return *ret_path == NULL ? -1
           : parley_settings_text(tool, d, *ret_path, ret);
}


static int
parley_settings_text(parley_tool_t *tool, const parley_directive_t *d,
    const char *path, parley_str_t *ret)
{
    int           rc;
    FILE         *file;
    struct stat   st;

    file = fopen(path, "rb");

    if (file == NULL) {
        return parley_conf_wrong(d, "open() \"%s\" failed (%d: %s)", path,
                                 errno, strerror(errno));
    }

    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)
        || st.st_size > PARLEY_SETTINGS_FILE_MAX)
    {
        rc = parley_conf_wrong(d, "\"%s\" is no file, or is larger than 64m",
                               path);

    } else if (parley_file_read(file, PARLEY_SETTINGS_FILE_MAX, &tool->arena,
                                ret)
               != 0)
    {
        rc = parley_conf_wrong(d, "\"%s\" could not be read whole", path);

    } else {
        rc = 0;
    }

    (void) fclose(file);

    return rc;
}


/* What is wrong in a file: its line, where that is known. */

int
parley_settings_wrong(const parley_directive_t *d, const char *path,
    parley_str_t text, const parley_error_t *err)
{
    size_t      i;
    unsigned    line;
    const char *space;

    space = err->field[0] != '\0' ? " " : "";

    if (err->offset == PARLEY_NO_OFFSET) {
        return parley_conf_wrong(d, "\"%s\": %s%s%s", path, err->field,
                                 space, err->text);
    }

    line = 1;

    for (i = 0; i < err->offset && i < text.len; i++) {
        line += text.data[i] == '\n';
    }

    return parley_conf_wrong(d, "\"%s\" line %u: %s%s%s", path, line,
                             err->field, space, err->text);
}


int
parley_settings_intents(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    const char             *path;
    struct stat             st;
    parley_schema_error_t   err;

    path = parley_conf_path(tool, s->conf, d->words[1]);

    if (path == NULL) {
        return -1;
    }

    if (stat(path, &st) != 0) {
        return parley_conf_wrong(d, "\"%s\" is no folder (%d: %s)", path,
                                 errno, strerror(errno));
    }

    if (!S_ISDIR(st.st_mode)) {
        return parley_conf_wrong(d, "\"%s\" is no folder", path);
    }

    s->intents = parley_intents_create(&parley_mem_libc);

    if (s->intents == NULL) {
        parley_say("out of memory");
        return -1;
    }

    if (parley_settings_folder(tool, d, s, path, 0) != 0) {
        return -1;
    }

    if (parley_intents_compile(s->intents, &err) != 0) {
        return parley_settings_schema(d, path, &err);
    }

    return 0;
}


static int
parley_settings_folder(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s, const char *path, unsigned depth)
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
            rc = parley_settings_folder(tool, d, s, (const char *) file.data,
                                        depth + 1);

        } else if (S_ISREG(st.st_mode)) {
            rc = parley_settings_intent(tool, d, s, (const char *) file.data,
                                        entry->d_name);
        }
    }

    (void) closedir(folder);

    return rc;
}


static int
parley_settings_intent(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s, const char *path, const char *name)
{
    parley_act_t           act;
    parley_str_t           intent, text;
    parley_schema_error_t  err;

    if (!parley_intents_name(parley_str_c(name), &intent, &act)) {
        return 0;
    }

    if (parley_settings_text(tool, d, path, &text) != 0) {
        return -1;
    }

    if (parley_intents_add(s->intents, parley_str_c(path), intent, act, text,
                           &err)
        != 0)
    {
        return parley_settings_schema(d, path, &err);
    }

    return 0;
}


static int
parley_settings_schema(const parley_directive_t *d, const char *path,
    const parley_schema_error_t *err)
{
    return parley_conf_wrong(d, "\"%s\" line %u: %s %s",
                             err->location[0] != '\0' ? err->location : path,
                             (unsigned) err->line, err->error.field,
                             err->error.text);
}
