/*
 * The zone of a module whose state answers later.  This file takes the place of
 * ngx_http_parley_zone.c, so the flags of the compiler stay the same
 * and all other objects can be copied from the ordinary module.
 */


#define NGX_HTTP_PARLEY_LATER  1

#include "../../ngx_module/worker/ngx_http_parley_zone.c"
