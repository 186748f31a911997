
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The proof of a caller outside of the steps of a message.
 */


#ifndef _NGX_HTTP_PARLEY_PROOF_H_INCLUDED_
#define _NGX_HTTP_PARLEY_PROOF_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


/* handlers of phases */
ngx_int_t ngx_http_parley_preaccess_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_access_handler(ngx_http_request_t *r);

/*
 * Proves the caller of the main request for a variable that is read before the
 * phase of the steps.  Waits for nothing and refuses nothing.  Returns the
 * context, or NULL if the caller is not proven.  In a location without a proof
 * it is the context of an earlier location of the request that proved the
 * caller.  A request whose answer has begun is not proven.
 */
ngx_http_parley_ctx_t *ngx_http_parley_prove(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_PROOF_H_INCLUDED_ */
