/* Random octets for ids of requests. */

#ifndef NGX_HTTP_PARLEY_RANDOM_H
#define NGX_HTTP_PARLEY_RANDOM_H


#include "ngx_module/worker/ngx_http_parley_module.h"


#define NGX_HTTP_PARLEY_RANDOM  16      /* octets */

/*
 * Fills out with octets of OpenSSL's generator.  A call of the generator costs
 * thousands of instructions for any length, so the octets of many calls are
 * drawn at once; each is used once.  Returns NGX_OK, or NGX_ERROR if the
 * generator fails.
 */
ngx_int_t ngx_http_parley_random(u_char out[NGX_HTTP_PARLEY_RANDOM]);


#endif /* NGX_HTTP_PARLEY_RANDOM_H */
