/* Reads headers and values of a request. */

#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/settings/parley_settings.h"
#include "http/parley_handshake.h"


static ngx_str_t *ngx_http_parley_field(ngx_list_t *list, const char *name,
    ngx_uint_t *n);


ngx_str_t *
ngx_http_parley_in_header(ngx_http_request_t *r, const char *name)
{
    return ngx_http_parley_field(&r->headers_in.headers, name, NULL);
}


/* Returns the first field with the name in lower case, or NULL.  Adds their
   number to *n, unless n is NULL. */

static ngx_str_t *
ngx_http_parley_field(ngx_list_t *list, const char *name, ngx_uint_t *n)
{
    size_t            len;
    ngx_str_t        *first;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    first = NULL;
    len = ngx_strlen(name);

    for (part = &list->part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (h[i].key.len != len
                || ngx_memcmp(h[i].lowcase_key, name, len) != 0)
            {
                continue;
            }

            if (n == NULL) {
                return &h[i].value;
            }

            if ((*n)++ == 0) {
                first = &h[i].value;
            }
        }
    }

    return first;
}


void
ngx_http_parley_upgrade_answer(ngx_http_upstream_t *u,
    parley_handshake_answer_t *ret)
{
    ngx_str_t   *value;
    ngx_uint_t   i, n;

    const struct {
        const char    *name;
        parley_str_t  *value;
        ngx_uint_t     max;
    } fields[] = {
        { "upgrade", &ret->upgrade, NGX_MAX_UINT32_VALUE },
        { "connection", &ret->connection, NGX_MAX_UINT32_VALUE },
        { "sec-websocket-accept", &ret->accept, 1 },
        { "sec-websocket-protocol", &ret->protocol, 1 },
        { "sec-websocket-extensions", &ret->extensions, NGX_MAX_UINT32_VALUE }
    };

    ngx_memzero(ret, sizeof(parley_handshake_answer_t));

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        n = 0;
        value = ngx_http_parley_field(&u->headers_in.headers, fields[i].name,
                                      &n);

        if (value) {
            *fields[i].value = parley_str_make(value->data, value->len);
        }

        if (n > fields[i].max) {
            ret->repeated = 1;
        }
    }
}


ngx_int_t
ngx_http_parley_value(ngx_http_request_t *r, const parley_value_t *value,
    parley_str_t *ret)
{
    ngx_str_t  s;

    if (value->compiled == NULL) {
        *ret = value->text;
        return NGX_OK;
    }

    if (ngx_http_complex_value(r, value->compiled, &s) != NGX_OK) {
        return NGX_ERROR;
    }

    *ret = ngx_http_parley_str(&s);

    return NGX_OK;
}
