
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The page of parley_status: ngx_module/status.html, which tools/embed-page
 * copies into ngx_http_parley_page.c.
 */


#ifndef _NGX_HTTP_PARLEY_PAGE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_PAGE_H_INCLUDED_


#include "core/parley_str.h"


extern const parley_str_t  ngx_http_parley_page;

/* the page's Content-Security-Policy, which has the digests of its script and
   style */
extern const parley_str_t  ngx_http_parley_page_policy;


#endif /* _NGX_HTTP_PARLEY_PAGE_H_INCLUDED_ */
