/* Reads headers and values of a request. */

#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/settings/parley_settings.h"


ngx_str_t *
ngx_http_parley_in_header(ngx_http_request_t *r, const char *name)
{
    size_t            len;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    len = ngx_strlen(name);
    part = &r->headers_in.headers.part;
    h = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                return NULL;
            }

            part = part->next;
            h = part->elts;
            i = 0;
        }

        if (h[i].key.len == len
            && ngx_memcmp(h[i].lowcase_key, name, len) == 0)
        {
            return &h[i].value;
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
