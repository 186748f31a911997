
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The setter of parley_jwt.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_directives.h"

#include "parley_location.h"


static ngx_http_parley_jwt_conf_t *ngx_http_parley_jwt_create(ngx_conf_t *cf);
static char *ngx_http_parley_jwt_word(ngx_conf_t *cf,
    ngx_http_parley_jwt_conf_t *jcf, ngx_str_t *word);
static ngx_uint_t ngx_http_parley_jwt_twice(ngx_str_t *value, ngx_uint_t n);
static char *ngx_http_parley_jwt_source(ngx_http_parley_jwt_conf_t *jcf,
    ngx_str_t *s);
static char *ngx_http_parley_jwt_require(ngx_http_parley_jwt_conf_t *jcf,
    ngx_str_t *s);
static char *ngx_http_parley_jwt_push(ngx_array_t *a, ngx_str_t *s);


char *
ngx_http_parley_jwt(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    char                         *why;
    ngx_str_t                    *value;
    ngx_uint_t                    i;
    ngx_http_parley_jwt_conf_t   *jcf;
    ngx_http_parley_main_conf_t  *mcf;

    if (lcf->jwt != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    jcf = ngx_http_parley_jwt_create(cf);
    if (jcf == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_http_parley_note(cf, cmd, lcf, 1);

    lcf->jwt = jcf;
    value = cf->args->elts;

    if (ngx_strcmp(value[1].data, "off") == 0) {
        return cf->args->nelts == 2 ? NGX_CONF_OK
                                    : "has parameters beside \"off\"";
    }

    if (ngx_strcmp(value[1].data, "on") != 0) {
        return "must begin with \"on\" or \"off\"";
    }

    jcf->enabled = 1;
    jcf->failures = parley_location_failures_default;
    jcf->realm.realm = PARLEY_STR(PARLEY_REALM_DEFAULT);

    for (i = 2; i < cf->args->nelts; i++) {
        why = ngx_http_parley_jwt_twice(value, i)
              ? "is there twice"
              : ngx_http_parley_jwt_word(cf, jcf, &value[i]);

        if (why == NGX_CONF_ERROR) {
            return why;
        }

        if (why) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "\"%V\" in \"parley_jwt\" %s", &value[i], why);
            return NGX_CONF_ERROR;
        }
    }

    if (jcf->rules.exp_optional && jcf->rules.max_lifetime) {
        return "cannot have both \"exp=optional\" and \"max_lifetime=\"";
    }

    jcf->rules.issuers = jcf->issuers.elts;
    jcf->rules.nissuers = jcf->issuers.nelts;
    jcf->rules.audiences = jcf->audiences.elts;
    jcf->rules.naudiences = jcf->audiences.nelts;
    jcf->rules.required = jcf->required.elts;
    jcf->rules.nrequired = jcf->required.nelts;

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);
    mcf->leeway_max = ngx_max(mcf->leeway_max, jcf->rules.leeway);

    return NGX_CONF_OK;
}


static ngx_http_parley_jwt_conf_t *
ngx_http_parley_jwt_create(ngx_conf_t *cf)
{
    ngx_http_parley_jwt_conf_t  *jcf;

    jcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_jwt_conf_t));
    if (jcf == NULL) {
        return NULL;
    }

    if (ngx_array_init(&jcf->issuers, cf->pool, 2, sizeof(parley_str_t))
        != NGX_OK
        || ngx_array_init(&jcf->audiences, cf->pool, 2, sizeof(parley_str_t))
           != NGX_OK
        || ngx_array_init(&jcf->required, cf->pool, 2,
                          sizeof(parley_jwt_require_t))
           != NGX_OK)
    {
        return NULL;
    }

    return jcf;
}


/* of a word that may be repeated, the same value is there twice */

static ngx_uint_t
ngx_http_parley_jwt_twice(ngx_str_t *value, ngx_uint_t n)
{
    size_t      len;
    u_char     *p;
    ngx_str_t   s;
    ngx_uint_t  i;

    p = (u_char *) ngx_strchr(value[n].data, '=');

    if (p == NULL
        || ngx_http_parley_param(&value[n], "issuer", &s) == NGX_OK
        || ngx_http_parley_param(&value[n], "audience", &s) == NGX_OK
        || ngx_http_parley_param(&value[n], "require", &s) == NGX_OK)
    {
        len = value[n].len + 1;

    } else {
        len = p - value[n].data + 1;
    }

    for (i = 2; i < n; i++) {
        if (ngx_strncmp(value[i].data, value[n].data, len) == 0) {
            return 1;
        }
    }

    return 0;
}


/* NULL, NGX_CONF_ERROR, or what is wrong with the word */

static char *
ngx_http_parley_jwt_word(ngx_conf_t *cf, ngx_http_parley_jwt_conf_t *jcf,
    ngx_str_t *word)
{
    ngx_int_t  n;
    ngx_str_t  s;

    if (ngx_http_parley_param(word, "issuer", &s) == NGX_OK) {
        return ngx_http_parley_jwt_push(&jcf->issuers, &s);
    }

    if (ngx_http_parley_param(word, "audience", &s) == NGX_OK) {
        return ngx_http_parley_jwt_push(&jcf->audiences, &s);
    }

    if (ngx_http_parley_param(word, "require", &s) == NGX_OK) {
        return ngx_http_parley_jwt_require(jcf, &s);
    }

    if (ngx_http_parley_param(word, "token", &s) == NGX_OK) {
        return ngx_http_parley_jwt_source(jcf, &s);
    }

    if (ngx_http_parley_param(word, "typ", &s) == NGX_OK) {
        return parley_jwt_typ_parse(ngx_http_parley_str(&s), &jcf->rules.typ)
               == 0 ? NULL
               : "must be JWT or a name that ends in +jwt, such as at+jwt";
    }

    if (ngx_http_parley_param(word, "leeway", &s) == NGX_OK) {
        n = ngx_parse_time(&s, 1);

        if (n == NGX_ERROR || n > 3600) {
            return "must be a time of at most an hour";
        }

        jcf->rules.leeway = n;
        return NULL;
    }

    if (ngx_http_parley_param(word, "max_lifetime", &s) == NGX_OK) {
        n = ngx_http_parley_time(&s);

        if (n == NGX_ERROR || n == 0 || n % 1000) {
            return PARLEY_CHOICE_TIME_WHOLE;
        }

        jcf->rules.max_lifetime = n / 1000;
        return NULL;
    }

    if (ngx_http_parley_param(word, "failures", &s) == NGX_OK) {
        return parley_location_failures(ngx_http_parley_str(&s),
                                        &jcf->failures)
               == 0 ? NULL
               : "must be off or a rate like 10r/s or 10r/s:50";
    }

    if (ngx_http_parley_param(word, "realm", &s) == NGX_OK) {
        jcf->realm.realm = ngx_http_parley_str(&s);
        return (char *) parley_realm_vet(jcf->realm.realm);
    }

    if (ngx_http_parley_param(word, "resource_metadata", &s) == NGX_OK) {
        jcf->realm.metadata = ngx_http_parley_str(&s);
        return (char *) parley_realm_vet_metadata(jcf->realm.metadata);
    }

    if (ngx_strcmp(word->data, "jti=required") == 0) {
        jcf->rules.jti_required = 1;
        return NULL;
    }

    if (ngx_strcmp(word->data, "exp=optional") == 0) {
        jcf->rules.exp_optional = 1;
        return NULL;
    }

    return "is unknown, expected typ=, issuer=, audience=, leeway=, "
           "max_lifetime=, require=, token=, failures=, realm=, "
           "resource_metadata=, jti=required or exp=optional";
}


static char *
ngx_http_parley_jwt_push(ngx_array_t *a, ngx_str_t *s)
{
    parley_str_t  *p;

    if (s->len == 0) {
        return "must not be empty";
    }

    p = ngx_array_push(a);
    if (p == NULL) {
        return NGX_CONF_ERROR;
    }

    *p = ngx_http_parley_str(s);

    return NULL;
}


static char *
ngx_http_parley_jwt_require(ngx_http_parley_jwt_conf_t *jcf, ngx_str_t *s)
{
    u_char                *p;
    parley_jwt_require_t  *require;

    require = ngx_array_push(&jcf->required);
    if (require == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memzero(require, sizeof(parley_jwt_require_t));

    p = ngx_strlchr(s->data, s->data + s->len, '=');

    if (p) {
        require->has_value = 1;
        require->value = parley_str_make(p + 1, s->data + s->len - p - 1);
        s->len = p - s->data;
    }

    if (s->len == 0) {
        return "names no claim";
    }

    require->name = ngx_http_parley_str(s);

    return NULL;
}


static char *
ngx_http_parley_jwt_source(ngx_http_parley_jwt_conf_t *jcf, ngx_str_t *s)
{
    size_t  skip;

    if (s->len == sizeof("header") - 1
        && ngx_strncmp(s->data, "header", s->len) == 0)
    {
        jcf->source = NGX_HTTP_PARLEY_TOKEN_HEADER;
        return NULL;
    }

    if (s->len > sizeof("cookie:") - 1
        && ngx_strncmp(s->data, "cookie:", sizeof("cookie:") - 1) == 0)
    {
        jcf->source = NGX_HTTP_PARLEY_TOKEN_COOKIE;
        skip = sizeof("cookie:") - 1;

    } else if (s->len > sizeof("arg:") - 1
               && ngx_strncmp(s->data, "arg:", sizeof("arg:") - 1) == 0)
    {
        jcf->source = NGX_HTTP_PARLEY_TOKEN_ARG;
        skip = sizeof("arg:") - 1;

    } else {
        return "must be header, cookie:NAME or arg:NAME";
    }

    jcf->source_name.data = s->data + skip;
    jcf->source_name.len = s->len - skip;

    return jcf->source == NGX_HTTP_PARLEY_TOKEN_ARG
           && parley_argument_is_known(ngx_http_parley_str(&jcf->source_name))
           ? "names an argument of messages" : NULL;
}
