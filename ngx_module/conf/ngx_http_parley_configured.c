
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A digest of the settings that all gateways of a store must have in common:
 * the directives with their blocks, and the contents of their files.  The order
 * of blocks, and of different settings in a block, does not count.  The order
 * of directives of one setting does, such as that of rules.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "core/parley_octets.h"
#include "gate/settings/parley_directive.h"


/* the directives of one setting in one block */
typedef struct {
    const parley_directive_row_t  *row;
    ngx_uint_t                     in;          /* NGX_HTTP_*_CONF */
    ngx_http_core_srv_conf_t      *cscf;
    ngx_http_core_loc_conf_t      *clcf;
    u_char                         digest[PARLEY_SHA256_LEN];
} ngx_http_parley_configured_t;


static ngx_http_parley_configured_t *ngx_http_parley_configured_find(
    ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf,
    const parley_directive_row_t *row);
static uint64_t ngx_http_parley_configured_sum(const parley_str_t *parts,
    ngx_uint_t n, u_char out[PARLEY_SHA256_LEN]);
static uint64_t ngx_http_parley_configured_names(
    const ngx_http_core_srv_conf_t *cscf);


ngx_int_t
ngx_http_parley_configured(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf,
    const parley_setting_t *d)
{
    u_char                         files[8];
    ngx_uint_t                     i, n;
    parley_str_t                  *parts;
    ngx_http_parley_configured_t  *c;

    if (d->row->flags & PARLEY_OWN) {
        return NGX_OK;
    }

    c = ngx_http_parley_configured_find(cf, mcf, d->row);
    parts = ngx_palloc(cf->temp_pool, (2 + 2 * d->n) * sizeof(parley_str_t));

    if (c == NULL || parts == NULL) {
        return NGX_ERROR;
    }

    (void) parley_octets_write64(files, mcf->files);

    n = 0;

    parts[n++] = parley_str_make(c->digest, PARLEY_SHA256_LEN);
    parts[n++] = parley_str_make(files, sizeof(files));

    /* each word is preceded by a NUL */

    for (i = 0; i < d->n; i++) {
        if (i != 1 || !(d->row->flags & PARLEY_FILE)) {
            parts[n++] = parley_str_make("", 1);
            parts[n++] = d->words[i];
        }
    }

    (void) ngx_http_parley_configured_sum(parts, n, c->digest);

    return NGX_OK;
}


static ngx_http_parley_configured_t *
ngx_http_parley_configured_find(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, const parley_directive_row_t *row)
{
    ngx_uint_t                     i;
    ngx_http_core_loc_conf_t      *clcf;
    ngx_http_parley_configured_t  *c;

    if (mcf->configured.elts == NULL
        && ngx_array_init(&mcf->configured, cf->pool, 16,
                          sizeof(ngx_http_parley_configured_t))
           != NGX_OK)
    {
        return NULL;
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    c = mcf->configured.elts;

    for (i = mcf->configured.nelts; i-- > 0; /* void */) {
        if (c[i].clcf == clcf
            && (c[i].row == row
                || (row->size && c[i].row->offset == row->offset)))
        {
            return &c[i];
        }
    }

    c = ngx_array_push(&mcf->configured);
    if (c == NULL) {
        return NULL;
    }

    ngx_memzero(c, sizeof(ngx_http_parley_configured_t));

    c->row = row;
    c->in = cf->cmd_type;
    c->clcf = clcf;
    c->cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);

    return c;
}


void
ngx_http_parley_configured_file(ngx_http_parley_main_conf_t *mcf,
    parley_str_t text)
{
    u_char  digest[PARLEY_SHA256_LEN];

    mcf->files += ngx_http_parley_configured_sum(&text, 1, digest);
}


uint64_t
ngx_http_parley_configured_end(const ngx_http_parley_main_conf_t *mcf)
{
    u_char                         block[8 + 3], digest[PARLEY_SHA256_LEN];
    uint64_t                       sum;
    ngx_uint_t                     i;
    parley_str_t                   parts[3];
    ngx_http_parley_configured_t  *c;

    sum = 0;
    c = mcf->configured.elts;

    for (i = 0; i < mcf->configured.nelts; i++, c++) {

        (void) parley_octets_write64(block,
                                     ngx_http_parley_configured_names(c->cscf));

        block[8] = (c->in & NGX_HTTP_LOC_CONF) ? 'l'
                   : (c->in & NGX_HTTP_SRV_CONF) ? 's' : 'h';
        block[9] = c->clcf->exact_match ? '=' : c->clcf->noregex ? '^' : ' ';
#if (NGX_PCRE)
        block[10] = c->clcf->regex ? '~' : ' ';
#else
        block[10] = ' ';
#endif

        parts[0] = parley_str_make(block, sizeof(block));
        parts[1] = parley_str_make(c->digest, sizeof(c->digest));
        parts[2] = ngx_http_parley_str(&c->clcf->name);

        sum += ngx_http_parley_configured_sum(parts, 3, digest);
    }

    return sum;
}


/* The order of the names of a server does not count. */

static uint64_t
ngx_http_parley_configured_names(const ngx_http_core_srv_conf_t *cscf)
{
    u_char                   digest[PARLEY_SHA256_LEN];
    uint64_t                 sum;
    ngx_uint_t               i;
    parley_str_t             name;
    ngx_http_server_name_t  *names;

    sum = 0;
    names = cscf->server_names.elts;

    for (i = 0; i < cscf->server_names.nelts; i++) {
        name = ngx_http_parley_str(&names[i].name);
        sum += ngx_http_parley_configured_sum(&name, 1, digest);
    }

    return sum;
}


/* Returns the first octets of the digest of parts; out may be a part.  A digest
   that fails is one of zeros. */

static uint64_t
ngx_http_parley_configured_sum(const parley_str_t *parts, ngx_uint_t n,
    u_char out[PARLEY_SHA256_LEN])
{
    u_char  digest[PARLEY_SHA256_LEN];

    if (parley_sha256_parts(parts, n, digest) != 0) {
        ngx_memzero(digest, sizeof(digest));
    }

    ngx_memcpy(out, digest, sizeof(digest));

    return parley_octets_read64(out);
}
