
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Reads the configuration for parley_directive.h.
 */


#ifndef _NGX_HTTP_PARLEY_DIRECTIVES_H_INCLUDED_
#define _NGX_HTTP_PARLEY_DIRECTIVES_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_conf.h"


struct parley_setting_s;    /* parley_directive.h */


/* The setter of every directive; cmd->offset is its parley_directive_id_t. */
char *ngx_http_parley_directive(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

void *ngx_http_parley_create_main_conf(ngx_conf_t *cf);
char *ngx_http_parley_init_main_conf(ngx_conf_t *cf, void *conf);
void *ngx_http_parley_create_loc_conf(ngx_conf_t *cf);
char *ngx_http_parley_merge_loc_conf(ngx_conf_t *cf, void *parent,
    void *child);

/* Verifies all blocks that accept messages.  The engine must exist. */
ngx_int_t ngx_http_parley_verify(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_conf_file.c: hooks of parley_settings_env_t; ctx is
   ngx_conf_t */

int ngx_http_parley_conf_read(void *ctx, parley_str_t word,
    parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem);
int ngx_http_parley_conf_secret(void *ctx, parley_str_t word,
    parley_str_t *ret_path, parley_str_t *ret_text,
    parley_problem_t *problem);
int ngx_http_parley_conf_walk(void *ctx, parley_str_t word,
    int (*visit)(void *data, parley_str_t path), void *data,
    parley_str_t *ret_path, parley_problem_t *problem);


/* ngx_http_parley_configured.c */

/* Adds a directive that was read to mcf->configured. */
ngx_int_t ngx_http_parley_configured(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, const struct parley_setting_s *d);

/* Adds the content of a file of the directive that is read. */
void ngx_http_parley_configured_file(ngx_http_parley_main_conf_t *mcf,
    parley_str_t text);

/* Returns the digest of all directives that the gateways of a store must have
   in common. */
uint64_t ngx_http_parley_configured_end(
    const ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_location.c */

/*
 * Returns the configuration of the first server that has a location of this
 * name, in any block, and *clcf.  Regular expressions are not searched.
 * Returns NULL if the location is not found.
 */
ngx_http_conf_ctx_t *ngx_http_parley_location_server(ngx_conf_t *cf,
    ngx_str_t *uri, ngx_http_core_loc_conf_t **clcf);

/* As ngx_http_parley_location_server(), for one server.  Returns the location,
   or NULL. */
ngx_http_core_loc_conf_t *ngx_http_parley_location_in(
    ngx_http_conf_ctx_t *server, ngx_str_t *uri);

/*
 * Returns whether the location's proxy_pass uses TLS without proxy_ssl_verify.
 * Call it in postconfiguration, when the blocks are merged.
 */
ngx_int_t ngx_http_parley_location_is_unverified(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf);


/* ngx_http_parley_engine.c */

ngx_int_t ngx_http_parley_engine_init(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_variables.c */

ngx_int_t ngx_http_parley_add_variables(ngx_conf_t *cf);


/* ngx_http_parley_status.c */

/* Handles the content of parley_status and of parley_health. */
ngx_int_t ngx_http_parley_status_handler(ngx_http_request_t *r);


/* ngx_http_parley_public_keys.c */

/* Responds with the public parts of the gateway's keys (OPS-09). */
ngx_int_t ngx_http_parley_public_keys_handler(ngx_http_request_t *r);

/* Responds with the place that takes MoQ connections (MOQ-08). */
ngx_int_t ngx_http_parley_public_endpoint_handler(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_DIRECTIVES_H_INCLUDED_ */
