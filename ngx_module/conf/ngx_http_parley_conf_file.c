
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Reads files and folders that directives name.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include <sodium.h>


/* an identities file of ten thousand principals has about 10 MiB */
#define NGX_HTTP_PARLEY_FILE_MAX  (64 * 1024 * 1024)


typedef struct {
    ngx_conf_t                   *cf;
    int                         (*visit)(void *data, parley_str_t path);
    void                         *data;
} ngx_http_parley_walk_t;


static int ngx_http_parley_conf_text(ngx_conf_t *cf, parley_str_t word,
    ngx_uint_t is_secret, parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem);
static u_char *ngx_http_parley_conf_hidden(ngx_conf_t *cf, size_t size);
static ngx_int_t ngx_http_parley_walk_file(ngx_tree_ctx_t *tree,
    ngx_str_t *path);
static ngx_int_t ngx_http_parley_walk_skip(ngx_tree_ctx_t *tree,
    ngx_str_t *path);


int
ngx_http_parley_conf_read(void *ctx, parley_str_t word,
    parley_str_t *ret_path, parley_str_t *ret_text, parley_problem_t *problem)
{
    int          rc;
    ngx_conf_t  *cf = ctx;

    rc = ngx_http_parley_conf_text(cf, word, 0, ret_path, ret_text, problem);

    if (rc == 0) {
        ngx_http_parley_configured_file(
            ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module),
            *ret_text);
    }

    return rc;
}


int
ngx_http_parley_conf_secret(void *ctx, parley_str_t word,
    parley_str_t *ret_path, parley_str_t *ret_text, parley_problem_t *problem)
{
    return ngx_http_parley_conf_text(ctx, word, 1, ret_path, ret_text,
                                     problem);
}


static int
ngx_http_parley_conf_text(ngx_conf_t *cf, parley_str_t word,
    ngx_uint_t is_secret, parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem)
{
    u_char           *p;
    size_t            size;
    ssize_t           n;
    ngx_str_t         name;
    ngx_file_t        file;
    ngx_file_info_t   fi;

    name = ngx_http_parley_ngx_str(word);

    if (ngx_conf_full_name(cf->cycle, &name, 1) != NGX_OK) {
        return -1;
    }

    ngx_memzero(&file, sizeof(ngx_file_t));

    file.name = name;
    file.log = cf->log;

    file.fd = ngx_open_file(name.data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (file.fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", &name);
        return -1;
    }

    n = NGX_ERROR;

    if (ngx_fd_info(file.fd, &fi) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_fd_info_n " \"%V\" failed", &name);
        goto done;
    }

    if (!ngx_is_file(&fi) || ngx_file_size(&fi) > NGX_HTTP_PARLEY_FILE_MAX) {
        (void) parley_problem(problem, "\"%s\" is not a file, or is larger "
                              "than 64m", name.data);
        goto done;
    }

    if (is_secret && (ngx_file_access(&fi) & 077)) {
        (void) parley_problem(problem, PARLEY_PROBLEM_SECRET, name.data,
                              (unsigned) ngx_file_access(&fi), name.data);
        goto done;
    }

    size = (size_t) ngx_file_size(&fi);

    p = is_secret ? ngx_http_parley_conf_hidden(cf, size)
                  : ngx_pnalloc(cf->pool, size ? size : 1);
    if (p == NULL) {
        goto done;
    }

    n = ngx_read_file(&file, p, size, 0);

    if (n == NGX_ERROR || (size_t) n != size) {
        (void) parley_problem(problem, "\"%s\" could not be read whole",
                              name.data);
        n = NGX_ERROR;
        goto done;
    }

    *ret_path = ngx_http_parley_str(&name);
    *ret_text = parley_str_make(p, size);

done:

    if (ngx_close_file(file.fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", &name);
    }

    return n == NGX_ERROR ? -1 : 0;
}


/* Allocates memory that a core does not have, and which is zeroed at the end of
   the configuration. */

static u_char *
ngx_http_parley_conf_hidden(ngx_conf_t *cf, size_t size)
{
    u_char              *p;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);

    if (cln == NULL || sodium_init() < 0) {
        return NULL;
    }

    p = sodium_malloc(size ? size : 1);
    if (p == NULL) {
        return NULL;
    }

    cln->handler = sodium_free;
    cln->data = p;

    return p;
}


int
ngx_http_parley_conf_walk(void *ctx, parley_str_t word,
    int (*visit)(void *data, parley_str_t path), void *data,
    parley_str_t *ret_path, parley_problem_t *problem)
{
    ngx_str_t                name;
    ngx_conf_t              *cf = ctx;
    ngx_tree_ctx_t           tree;
    ngx_file_info_t          fi;
    ngx_http_parley_walk_t   walk;

    name = ngx_http_parley_ngx_str(word);

    if (ngx_conf_full_name(cf->cycle, &name, 1) != NGX_OK) {
        return -1;
    }

    if (ngx_file_info(name.data, &fi) == NGX_FILE_ERROR || !ngx_is_dir(&fi)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           "\"%V\" is not a folder", &name);
        return -1;
    }

    *ret_path = ngx_http_parley_str(&name);

    walk.cf = cf;
    walk.visit = visit;
    walk.data = data;

    ngx_memzero(&tree, sizeof(ngx_tree_ctx_t));

    tree.file_handler = ngx_http_parley_walk_file;
    tree.pre_tree_handler = ngx_http_parley_walk_skip;
    tree.post_tree_handler = ngx_http_parley_walk_skip;
    tree.spec_handler = ngx_http_parley_walk_skip;
    tree.data = &walk;
    tree.log = cf->log;

    return ngx_walk_tree(&tree, &name) == NGX_OK ? 0 : -1;
}


/* Copies the path, because the tree frees its memory after each file. */

static ngx_int_t
ngx_http_parley_walk_file(ngx_tree_ctx_t *tree, ngx_str_t *path)
{
    u_char                  *p;
    ngx_http_parley_walk_t  *walk;

    walk = tree->data;

    p = ngx_pnalloc(walk->cf->pool, path->len + 1);
    if (p == NULL) {
        return NGX_ABORT;
    }

    ngx_memcpy(p, path->data, path->len);
    p[path->len] = '\0';

    return walk->visit(walk->data, parley_str_make(p, path->len)) == 0
           ? NGX_OK : NGX_ABORT;
}


static ngx_int_t
ngx_http_parley_walk_skip(ngx_tree_ctx_t *tree, ngx_str_t *path)
{
    return NGX_OK;
}
