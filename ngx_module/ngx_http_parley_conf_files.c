
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Setters of directives that name a file.  What is wrong in it is told with
 * the file, the line and the member.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_directives.h"


/* an identities file of ten thousand principals has about 10 MiB */
#define NGX_HTTP_PARLEY_FILE_MAX  (64 * 1024 * 1024)


static char *ngx_http_parley_file_error(ngx_conf_t *cf, ngx_str_t *name,
    parley_str_t text, parley_error_t *err);
static void ngx_http_parley_jwks_cleanup(void *data);
static void ngx_http_parley_jwk_cleanup(void *data);
static void ngx_http_parley_directory_cleanup(void *data);


char *
ngx_http_parley_identities(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    ngx_str_t           *value;
    parley_str_t         text;
    parley_error_t       err;
    ngx_pool_cleanup_t  *cln;

    if (mcf->directory) {
        return "is duplicate";
    }

    value = cf->args->elts;
    cln = ngx_pool_cleanup_add(cf->pool, 0);

    if (cln == NULL
        || ngx_http_parley_read_file(cf, &value[1], &text) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (parley_directory_parse(&mcf->arena, text, &mcf->directory, &err)
        != 0)
    {
        return ngx_http_parley_file_error(cf, &value[1], text, &err);
    }

    cln->handler = ngx_http_parley_directory_cleanup;
    cln->data = mcf->directory;

    mcf->identities_file = cf->conf_file->file.name;
    mcf->identities_line = cf->conf_file->line;
    mcf->identities_name = value[1];
    mcf->identities_text = text;

    return NGX_CONF_OK;
}


static void
ngx_http_parley_directory_cleanup(void *data)
{
    parley_directory_free(data);
}


char *
ngx_http_parley_jwks(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    size_t               n, useless;
    ngx_str_t           *value;
    parley_str_t         text;
    parley_error_t       err;
    ngx_pool_cleanup_t  *cln;

    if (mcf->jwks) {
        return "is duplicate";
    }

    value = cf->args->elts;
    cln = ngx_pool_cleanup_add(cf->pool, 0);
    mcf->jwks = ngx_pcalloc(cf->pool, sizeof(parley_jwks_t));

    if (cln == NULL || mcf->jwks == NULL
        || ngx_http_parley_read_file(cf, &value[1], &text) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (parley_jwks_parse(&mcf->arena, text, mcf->jwks, &err) != 0) {
        return ngx_http_parley_file_error(cf, &value[1], text, &err);
    }

    cln->handler = ngx_http_parley_jwks_cleanup;
    cln->data = mcf->jwks;

    n = parley_jwks_verifiers(mcf->jwks);

    if (n == 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" has no key that verifies tokens",
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    useless = mcf->jwks->skipped + mcf->jwks->n - n;

    if (useless) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "%uz keys in \"%V\" are of no use here and were "
                           "left out", useless, &value[1]);
    }

    return NGX_CONF_OK;
}


static void
ngx_http_parley_jwks_cleanup(void *data)
{
    parley_jwks_free(data);
}


char *
ngx_http_parley_signing_key(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    ngx_str_t           *value;
    parley_str_t         text, word;
    parley_error_t       err;
    ngx_pool_cleanup_t  *cln;

    if (mcf->signing) {
        return "is duplicate";
    }

    value = cf->args->elts;
    cln = ngx_pool_cleanup_add(cf->pool, 0);
    mcf->signing = ngx_pcalloc(cf->pool, sizeof(parley_jwk_t));

    if (cln == NULL || mcf->signing == NULL
        || ngx_http_parley_read_file(cf, &value[1], &text) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (parley_jwk_parse(&mcf->arena, text, mcf->signing, &err) != 0) {
        return ngx_http_parley_file_error(cf, &value[1], text, &err);
    }

    cln->handler = ngx_http_parley_jwk_cleanup;
    cln->data = mcf->signing;

    word = parley_signature_word(mcf->signing);

    if (!mcf->signing->is_private || !parley_str_is(word, "ed25519")) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" must hold a private Ed25519 key",
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static void
ngx_http_parley_jwk_cleanup(void *data)
{
    parley_jwk_free(data);
}


ngx_int_t
ngx_http_parley_read_file(ngx_conf_t *cf, ngx_str_t *name, parley_str_t *ret)
{
    u_char           *p;
    size_t            size;
    ssize_t           n;
    ngx_file_t        file;
    ngx_file_info_t   fi;

    if (ngx_conf_full_name(cf->cycle, name, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memzero(&file, sizeof(ngx_file_t));

    file.name = *name;
    file.log = cf->log;

    file.fd = ngx_open_file(name->data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (file.fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", name);
        return NGX_ERROR;
    }

    n = NGX_ERROR;

    if (ngx_fd_info(file.fd, &fi) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_fd_info_n " \"%V\" failed", name);
        goto done;
    }

    if (!ngx_is_file(&fi) || ngx_file_size(&fi) > NGX_HTTP_PARLEY_FILE_MAX) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" is no file, or is larger than 64m", name);
        goto done;
    }

    size = (size_t) ngx_file_size(&fi);

    p = ngx_pnalloc(cf->pool, size ? size : 1);
    if (p == NULL) {
        goto done;
    }

    n = ngx_read_file(&file, p, size, 0);

    if (n == NGX_ERROR || (size_t) n != size) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" could not be read whole", name);
        n = NGX_ERROR;
        goto done;
    }

    *ret = parley_str_make(p, size);

done:

    if (ngx_close_file(file.fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", name);
    }

    return n == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


static char *
ngx_http_parley_file_error(ngx_conf_t *cf, ngx_str_t *name,
    parley_str_t text, parley_error_t *err)
{
    if (err->offset == PARLEY_NO_OFFSET) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\": %s%s%s", name,
                           err->field, err->field[0] ? " " : "", err->text);
        return NGX_CONF_ERROR;
    }

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" line %ui: %s%s%s", name,
                       ngx_http_parley_file_line(text, err), err->field,
                       err->field[0] ? " " : "", err->text);

    return NGX_CONF_ERROR;
}


ngx_uint_t
ngx_http_parley_file_line(parley_str_t text, parley_error_t *err)
{
    size_t      i, end;
    ngx_uint_t  line;

    line = 1;
    end = ngx_min(err->offset, text.len);

    for (i = 0; i < end; i++) {
        if (text.data[i] == LF) {
            line++;
        }
    }

    return line;
}
