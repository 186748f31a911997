
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Random octets for ids of requests.
 */


#include "ngx_module/worker/ngx_http_parley_random.h"

#include <openssl/rand.h>


#define NGX_HTTP_PARLEY_RANDOM_DRAWN  64    /* calls for one of OpenSSL */


ngx_int_t
ngx_http_parley_random(u_char out[NGX_HTTP_PARLEY_RANDOM])
{
    u_char  *p;

    static u_char      drawn[NGX_HTTP_PARLEY_RANDOM_DRAWN]
                            [NGX_HTTP_PARLEY_RANDOM];
    static ngx_uint_t  left;
    static ngx_pid_t   pid;

    /* a child of fork() must not use the octets of its parent */

    if (left == 0 || pid != ngx_pid) {

        if (RAND_bytes(drawn[0], sizeof(drawn)) != 1) {
            left = 0;
            return NGX_ERROR;
        }

        left = NGX_HTTP_PARLEY_RANDOM_DRAWN;
        pid = ngx_pid;
    }

    p = drawn[--left];

    ngx_memcpy(out, p, NGX_HTTP_PARLEY_RANDOM);
    ngx_memzero(p, NGX_HTTP_PARLEY_RANDOM);

    return NGX_OK;
}
