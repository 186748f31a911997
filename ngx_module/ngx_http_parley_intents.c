
/*
 * Copyright (C) 2026 The Parley authors
 *
 * parley_intents: the schemas of a folder, compiled when the configuration is
 * read (AEE-33).
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_directives.h"


static ngx_int_t ngx_http_parley_intents_file(ngx_tree_ctx_t *tree,
    ngx_str_t *path);
static ngx_int_t ngx_http_parley_intents_skip(ngx_tree_ctx_t *tree,
    ngx_str_t *path);
static void ngx_http_parley_intents_wrong(ngx_conf_t *cf,
    parley_schema_error_t *err, ngx_str_t *path);
static void ngx_http_parley_intents_cleanup(void *data);


char *
ngx_http_parley_intents(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    ngx_str_t              *value;
    ngx_tree_ctx_t          tree;
    ngx_file_info_t         fi;
    ngx_pool_cleanup_t     *cln;
    parley_schema_error_t   err;

    if (mcf->intents) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (ngx_conf_full_name(cf->cycle, &value[1], 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (ngx_file_info(value[1].data, &fi) == NGX_FILE_ERROR
        || !ngx_is_dir(&fi))
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           "\"%V\" is no folder", &value[1]);
        return NGX_CONF_ERROR;
    }

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    mcf->intents = parley_intents_create(&parley_mem_libc);

    if (cln == NULL || mcf->intents == NULL) {
        return NGX_CONF_ERROR;
    }

    cln->handler = ngx_http_parley_intents_cleanup;
    cln->data = mcf->intents;

    ngx_memzero(&tree, sizeof(ngx_tree_ctx_t));

    tree.file_handler = ngx_http_parley_intents_file;
    tree.pre_tree_handler = ngx_http_parley_intents_skip;
    tree.post_tree_handler = ngx_http_parley_intents_skip;
    tree.spec_handler = ngx_http_parley_intents_skip;
    tree.data = cf;
    tree.log = cf->log;

    if (ngx_walk_tree(&tree, &value[1]) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (parley_intents_compile(mcf->intents, &err) != 0) {
        ngx_http_parley_intents_wrong(cf, &err, &value[1]);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_parley_intents_file(ngx_tree_ctx_t *tree, ngx_str_t *path)
{
    u_char                       *p;
    ngx_str_t                     file;
    ngx_conf_t                   *cf;
    parley_str_t                  name, intent, text;
    parley_act_t                  act;
    parley_schema_error_t         err;
    ngx_http_parley_main_conf_t  *mcf;

    cf = tree->data;

    for (p = path->data + path->len; p > path->data && p[-1] != '/'; p--) {
        /* void */
    }

    name = parley_str_make(p, path->data + path->len - p);

    if (!parley_intents_name(name, &intent, &act)) {
        return NGX_OK;
    }

    file.len = path->len;
    file.data = ngx_pnalloc(cf->pool, path->len + 1);

    if (file.data == NULL) {
        return NGX_ABORT;
    }

    ngx_memcpy(file.data, path->data, path->len);
    file.data[path->len] = '\0';

    if (ngx_http_parley_read_file(cf, &file, &text) != NGX_OK) {
        return NGX_ABORT;
    }

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);

    if (parley_intents_add(mcf->intents, ngx_http_parley_str(&file), intent,
                           act, text, &err)
        != 0)
    {
        ngx_http_parley_intents_wrong(cf, &err, &file);
        return NGX_ABORT;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_intents_skip(ngx_tree_ctx_t *tree, ngx_str_t *path)
{
    return NGX_OK;
}


static void
ngx_http_parley_intents_wrong(ngx_conf_t *cf, parley_schema_error_t *err,
    ngx_str_t *path)
{
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%s\" line %uD: %s %s",
                       err->location[0] ? (u_char *) err->location
                                        : path->data,
                       err->line, err->error.field, err->error.text);
}


static void
ngx_http_parley_intents_cleanup(void *data)
{
    parley_intents_destroy(data);
}
