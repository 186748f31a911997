/* Files: reads octets, keys and identities. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gate/settings/parley_identities.h"
#include "tools/parley_tool.h"


#define PARLEY_FILE_KEYS_MAX        (4 << 20)   /* octets of a file of keys */
#define PARLEY_FILE_IDENTITIES_MAX  (64 << 20)


FILE *
tool_file_open(const char *path)
{
    FILE  *file;

    if (strcmp(path, "-") == 0) {
        return stdin;
    }

    file = fopen(path, "rb");

    if (file == NULL) {
        tool_say("%s: %s", path, strerror(errno));
    }

    return file;
}


int
tool_file_close(FILE *file, const char *path)
{
    if (file == stdin) {
        return 0;
    }

    if (fclose(file) != 0) {
        tool_say("%s: %s", path, strerror(errno));
        return -1;
    }

    return 0;
}


int
tool_file_read(FILE *file, size_t max, parley_arena_t *arena,
    parley_str_t *ret)
{
    size_t        n, want;
    uint8_t       chunk[4096];
    parley_buf_t  b;

    parley_buf_init(&b, arena, sizeof(chunk));

    while (b.len < max) {
        want = (max - b.len < sizeof(chunk)) ? max - b.len : sizeof(chunk);
        n = fread(chunk, 1, want, file);

        parley_buf_put(&b, chunk, n);

        if (b.failed) {
            break;
        }

        if (n < want) {
            if (ferror(file)) {
                return -1;
            }

            break;
        }
    }

    if (parley_buf_done(&b, ret) != 0) {
        errno = ENOMEM;
        return -1;
    }

    return 0;
}


int
tool_file_whole(parley_tool_t *tool, const char *path, size_t max,
    parley_str_t *ret)
{
    int          rc;
    FILE        *file;
    const char  *name;

    name = (strcmp(path, "-") == 0) ? "stdin" : path;

    file = tool_file_open(path);
    if (file == NULL) {
        return -1;
    }

    rc = tool_file_read(file, max + 1, &tool->arena, ret);

    if (rc != 0) {
        tool_say("%s: %s", name, strerror(errno));

    } else if (ret->len > max) {
        tool_say("%s: larger than %zu octets", name, max);
        rc = -1;
    }

    if (tool_file_close(file, name) != 0) {
        rc = -1;
    }

    return rc;
}


int
tool_file_keys(parley_tool_t *tool, const char *path, parley_jwks_t *ret)
{
    int             rc;
    parley_str_t    text;
    parley_error_t  err;

    memset(ret, 0, sizeof(parley_jwks_t));

    if (tool_file_whole(tool, path, PARLEY_FILE_KEYS_MAX, &text) != 0) {
        return -1;
    }

    rc = parley_jwks_parse_any(&tool->arena, text, ret, &err);

    if (rc != 0) {
        tool_say_error_in(path, text, &err);
    }

    return rc;
}


int
tool_file_key(parley_tool_t *tool, const char *path, int is_private,
    parley_jwk_t *ret)
{
    parley_str_t    text;
    parley_error_t  err;

    if (tool_file_whole(tool, path, PARLEY_FILE_KEYS_MAX, &text) != 0) {
        return -1;
    }

    parley_error_clear(&err);

    if (parley_jwk_parse(&tool->arena, text, ret, &err) != 0) {
        tool_say_error_in(path, text, &err);
        return -1;
    }

    if (is_private && ret->signs == 0) {
        tool_say("%s: no private key", path);
        parley_jwk_free(ret);
        return -1;
    }

    return 0;
}


int
tool_file_identities(parley_tool_t *tool, const char *path,
    parley_directory_t **ret)
{
    parley_str_t    text;
    parley_error_t  err;

    *ret = NULL;

    if (tool_file_whole(tool, path, PARLEY_FILE_IDENTITIES_MAX, &text) != 0) {
        return -1;
    }

    parley_error_clear(&err);

    if (parley_identities_read(&tool->arena, &parley_mem_libc, text, ret,
                               &err)
        != 0)
    {
        tool_say_error_in(path, text, &err);
        return -1;
    }

    return 0;
}
