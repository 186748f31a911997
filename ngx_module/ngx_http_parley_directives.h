
/*
 * Copyright (C) 2026 The Parley authors
 *
 * How the configuration is read: the setters of directives, and what they
 * share.
 */


#ifndef _NGX_HTTP_PARLEY_DIRECTIVES_H_INCLUDED_
#define _NGX_HTTP_PARLEY_DIRECTIVES_H_INCLUDED_


#include "ngx_http_parley_conf.h"


/* post of a directive whose value is one of some words */
typedef struct {
    ngx_conf_enum_t  *words;
    const char       *choices;                  /* said of any other */
} ngx_http_parley_enum_t;


/*
 * Remembers that a directive stands in a block, which without parley_accept
 * has no effect there; guards: it is to protect the block (SEC-07).
 */
void ngx_http_parley_note(ngx_conf_t *cf, ngx_command_t *cmd,
    ngx_http_parley_loc_conf_t *lcf, ngx_uint_t guards);

/* Says what is wrong with a word of the directive; NGX_CONF_ERROR. */
char *ngx_http_parley_bad(ngx_conf_t *cf, ngx_command_t *cmd,
    ngx_str_t *value, const char *why);

/*
 * Whether an earlier word of the directive has the name that word i has:
 * a key=value stands once.
 */
ngx_uint_t ngx_http_parley_twice(ngx_conf_t *cf, ngx_uint_t i);

/* Milliseconds to PARLEY_LOCATION_TIME_MAX, or NGX_ERROR. */
ngx_int_t ngx_http_parley_time(ngx_str_t *s);

/* NGX_OK and what follows "name=" in word, or NGX_DECLINED */
ngx_int_t ngx_http_parley_param(ngx_str_t *word, const char *name,
    ngx_str_t *value);


/* the line that err->offset is in */
ngx_uint_t ngx_http_parley_file_line(parley_str_t text, parley_error_t *err);

/*
 * Reads a file of the operator's into the pool; name becomes its full path.
 * NGX_OK, or NGX_ERROR and a line in the log.
 */
ngx_int_t ngx_http_parley_read_file(ngx_conf_t *cf, ngx_str_t *name,
    parley_str_t *ret);


/* ngx_http_parley_conf_merge.c */

void *ngx_http_parley_create_loc_conf(ngx_conf_t *cf);
char *ngx_http_parley_merge_loc_conf(ngx_conf_t *cf, void *parent,
    void *child);

/* Of all that accepts messages; the engine is there. */
ngx_int_t ngx_http_parley_verify(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_conf*.c: setters of directives */

/* those of nginx, and a note */
char *ngx_http_parley_value(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_enum(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_flag(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

char *ngx_http_parley_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_identities(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_parley_jwks(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_jwks_request(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_parley_signing_key(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_parley_retention(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_parley_replay(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_self(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_accept(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_speak(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_jwt(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_claims(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_policy(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_rate(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_cap(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_freshness(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_parley_window(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_limits(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_parley_redact(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* _conf_vcp.c */

char *ngx_http_parley_vcp_severity(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_parley_vcp_broadcast(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


#endif /* _NGX_HTTP_PARLEY_DIRECTIVES_H_INCLUDED_ */
