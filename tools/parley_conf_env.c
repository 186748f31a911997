/* The files that settings name, and their errors. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/parley_conf.h"
#include "gate/settings/parley_directive.h"


#define PARLEY_CONF_FILE_MAX  (64 << 20)
#define PARLEY_CONF_FOLDERS   32        /* nested folders */


static int tool_conf_compile(void *ctx, parley_str_t text, void **ret,
    parley_problem_t *problem);
static int tool_conf_file(void *ctx, parley_str_t name,
    parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem);
static int tool_conf_secret(void *ctx, parley_str_t name,
    parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem);
static int tool_conf_text(parley_conf_files_t *files, parley_str_t name,
    int is_secret, parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem);
static int tool_conf_folder(void *ctx, parley_str_t name,
    int (*visit)(void *data, parley_str_t path), void *data,
    parley_str_t *ret_path, parley_problem_t *problem);
static int tool_conf_walk(parley_conf_files_t *files, const char *path,
    int (*visit)(void *data, parley_str_t path), void *data, unsigned depth,
    parley_problem_t *problem);


void
tool_conf_env_init(parley_settings_env_t *env, parley_conf_files_t *files,
    parley_tool_t *tool, const char *folder)
{
    files->tool = tool;
    files->folder = folder;

    memset(env, 0, sizeof(parley_settings_env_t));

    env->ctx = files;
    env->arena = &tool->arena;
    env->seed = tool->seed;
    env->quic = 1;
    env->compile = tool_conf_compile;
    env->read = tool_conf_file;
    env->secret = tool_conf_secret;
    env->walk = tool_conf_folder;
}


int
tool_conf_failed(const parley_problem_t *problem)
{
    if (problem->text[0] == '\0') {
        tool_say("out of memory");

    } else if (problem->where.line == 0) {
        tool_say("%s", problem->text);

    } else {
        tool_say("%s:%u: %s", (const char *) problem->where.file.data,
                 problem->where.line, problem->text);
    }

    return -1;
}


/*
 * Checks the syntax of variables in a text: only nginx knows which variables
 * exist.
 */

static int
tool_conf_compile(void *ctx, parley_str_t text, void **ret,
    parley_problem_t *problem)
{
    int          braces;
    size_t       n;
    const char  *p;

    static const char  name[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    (void) ctx;

    *ret = NULL;

    for (p = strchr((const char *) text.data, '$'); p != NULL;
         p = strchr(p + n, '$'))
    {
        braces = p[1] == '{';
        p += 1 + braces;
        n = strspn(p, name);

        if (braces && *p != '\0' && p[n] != '}') {
            return parley_problem(problem, "the closing bracket in \"%.*s\" "
                                  "variable is missing", (int) n, p);
        }

        if (n == 0) {
            return parley_problem(problem, "invalid variable name");
        }
    }

    return 0;
}


static int
tool_conf_file(void *ctx, parley_str_t name, parley_str_t *ret_path,
    parley_str_t *ret_text, parley_problem_t *problem)
{
    return tool_conf_text(ctx, name, 0, ret_path, ret_text, problem);
}


static int
tool_conf_secret(void *ctx, parley_str_t name, parley_str_t *ret_path,
    parley_str_t *ret_text, parley_problem_t *problem)
{
    return tool_conf_text(ctx, name, 1, ret_path, ret_text, problem);
}


static int
tool_conf_text(parley_conf_files_t *files, parley_str_t name, int is_secret,
    parley_str_t *ret_path, parley_str_t *ret_text, parley_problem_t *problem)
{
    int          rc;
    FILE        *file;
    const char  *path;
    struct stat  st;

    path = tool_conf_path(files->tool, files->folder, name);

    if (path == NULL) {
        return -1;
    }

    *ret_path = parley_str_c(path);
    file = fopen(path, "rb");

    if (file == NULL) {
        return parley_problem(problem, "open() \"%s\" failed (%d: %s)", path,
                              errno, strerror(errno));
    }

    rc = 0;

    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)
        || st.st_size > PARLEY_CONF_FILE_MAX)
    {
        rc = parley_problem(problem, "\"%s\" is not a file, or is larger than "
                            "64m", path);

    } else if (is_secret && (st.st_mode & 077)) {
        rc = parley_problem(problem, PARLEY_PROBLEM_SECRET, path,
                            (unsigned) st.st_mode & 0777, path);

    } else if (tool_file_read(file, PARLEY_CONF_FILE_MAX, &files->tool->arena,
                              ret_text)
               != 0)
    {
        rc = parley_problem(problem, "\"%s\" could not be read whole", path);
    }

    (void) fclose(file);

    return rc;
}


static int
tool_conf_folder(void *ctx, parley_str_t name,
    int (*visit)(void *data, parley_str_t path), void *data,
    parley_str_t *ret_path, parley_problem_t *problem)
{
    const char             *path;
    struct stat             st;
    parley_conf_files_t  *files = ctx;

    path = tool_conf_path(files->tool, files->folder, name);

    if (path == NULL) {
        return -1;
    }

    *ret_path = parley_str_c(path);

    if (stat(path, &st) != 0) {
        return parley_problem(problem, "\"%s\" is not a folder (%d: %s)", path,
                              errno, strerror(errno));
    }

    return S_ISDIR(st.st_mode) ? tool_conf_walk(files, path, visit, data, 0,
                                                problem)
           : parley_problem(problem, "\"%s\" is not a folder", path);
}


static int
tool_conf_walk(parley_conf_files_t *files, const char *path,
    int (*visit)(void *data, parley_str_t path), void *data, unsigned depth,
    parley_problem_t *problem)
{
    int             rc;
    DIR            *folder;
    parley_buf_t    b;
    parley_str_t    file;
    struct stat     st;
    struct dirent  *entry;

    folder = depth > PARLEY_CONF_FOLDERS ? NULL : opendir(path);

    if (folder == NULL) {
        return parley_problem(problem, "opendir() \"%s\" failed (%s)", path,
                              strerror(depth > PARLEY_CONF_FOLDERS
                                       ? ELOOP : errno));
    }

    rc = 0;

    while (rc == 0 && (entry = readdir(folder)) != NULL) {

        if (entry->d_name[strspn(entry->d_name, ".")] == '\0') {
            continue;
        }

        parley_buf_init(&b, &files->tool->arena, 256);
        parley_buf_str(&b, parley_str_c(path));
        parley_buf_octet(&b, '/');
        parley_buf_str(&b, parley_str_c(entry->d_name));
        parley_buf_octet(&b, '\0');

        if (parley_buf_done(&b, &file) != 0
            || stat((const char *) file.data, &st) != 0)
        {
            rc = parley_problem(problem, "stat() of \"%s/%s\" failed (%s)",
                                path, entry->d_name, strerror(errno));

        } else if (S_ISDIR(st.st_mode)) {
            rc = tool_conf_walk(files, (const char *) file.data, visit, data,
                                depth + 1, problem);

        } else if (S_ISREG(st.st_mode)) {
            file.len--;
            rc = visit(data, file);
        }
    }

    (void) closedir(folder);

    return rc;
}
