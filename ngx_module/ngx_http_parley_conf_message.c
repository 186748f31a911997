
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Setters of what is asked of a message, and done to it.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_directives.h"


static const char *ngx_http_parley_limit(ngx_http_parley_loc_conf_t *lcf,
    ngx_str_t *word);
static ngx_uint_t ngx_http_parley_is_pointer(ngx_str_t *s);


char *
ngx_http_parley_policy(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_str_t                    *value;
    ngx_uint_t                    i, allow;
    parley_str_t                  words[PARLEY_POLICY_WORDS];
    parley_error_t                err;
    ngx_http_parley_main_conf_t  *mcf;

    ngx_http_parley_note(cf, cmd, lcf, 1);

    if (lcf->policy == NGX_CONF_UNSET_PTR) {
        lcf->policy = ngx_pcalloc(cf->pool, sizeof(parley_policy_t));
        if (lcf->policy == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    if (cf->args->nelts - 1 > PARLEY_POLICY_WORDS) {
        return "has too many words";
    }

    value = cf->args->elts;
    allow = ngx_strcmp(cmd->name.data, "parley_allow") == 0;

    for (i = 1; i < cf->args->nelts; i++) {
        words[i - 1] = ngx_http_parley_str(&value[i]);
    }

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);

    if (parley_rules_add(lcf->policy, &mcf->arena, (int) allow, words,
                         cf->args->nelts - 1, &err)
        != 0)
    {
        /* its text names the word */
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\": %s", &cmd->name,
                           err.text);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


char *
ngx_http_parley_rate(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_str_t       *value;
    ngx_uint_t       i, n;
    parley_str_t     words[8];
    parley_error_t   err;

    if (lcf->rate != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    value = cf->args->elts;
    n = cf->args->nelts - 1;

    if (n == 1 && ngx_strcmp(value[1].data, "off") == 0) {
        lcf->rate = NULL;
        return NGX_CONF_OK;
    }

    lcf->rate = ngx_pcalloc(cf->pool, sizeof(parley_rate_t));
    if (lcf->rate == NULL) {
        return NGX_CONF_ERROR;
    }

    if (n > sizeof(words) / sizeof(words[0])) {
        return "has too many words";
    }

    for (i = 0; i < n; i++) {
        words[i] = ngx_http_parley_str(&value[i + 1]);
    }

    if (parley_rate_compile(words, n, lcf->rate, &err) != 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\": %s%s%s",
                           &cmd->name, err.field, err.field[0] ? " " : "",
                           err.text);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


char *
ngx_http_parley_cap(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_int_t                    n;
    ngx_str_t                   *value, s;
    ngx_uint_t                   i;
    parley_priority_t            priority;
    ngx_http_parley_cap_conf_t  *cap;

    if (lcf->cap != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    cap = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_cap_conf_t));
    if (cap == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    cap->priority = -1;
    lcf->cap = cap;

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_http_parley_twice(cf, i)) {
            return ngx_http_parley_bad(cf, cmd, &value[i], "is there twice");
        }

        if (ngx_http_parley_param(&value[i], "priority", &s) == NGX_OK) {

            if (parley_priority_find(ngx_http_parley_str(&s), &priority)
                != 0)
            {
                return ngx_http_parley_bad(cf, cmd, &value[i],
                                           "must be low, normal, high or "
                                           "urgent");
            }

            cap->priority = priority;
            continue;
        }

        if (ngx_http_parley_param(&value[i], "timeout", &s) == NGX_OK) {

            n = ngx_http_parley_time(&s);

            if (n == NGX_ERROR || n == 0) {
                return ngx_http_parley_bad(cf, cmd, &value[i],
                                           PARLEY_CHOICE_TIME_SOME);
            }

            cap->timeout = (ngx_msec_t) n;
            continue;
        }

        return ngx_http_parley_bad(cf, cmd, &value[i],
                                   "is unknown, expected priority= or "
                                   "timeout=");
    }

    return NGX_CONF_OK;
}


char *
ngx_http_parley_freshness(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_int_t    n;
    ngx_str_t   *value, s;
    ngx_uint_t   i;

    if (lcf->past != NGX_CONF_UNSET_MSEC
        || lcf->future != NGX_CONF_UNSET_MSEC)
    {
        return "is duplicate";
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_http_parley_twice(cf, i)) {
            return ngx_http_parley_bad(cf, cmd, &value[i], "is there twice");
        }

        if (ngx_http_parley_param(&value[i], "past", &s) != NGX_OK
            && ngx_http_parley_param(&value[i], "future", &s) != NGX_OK)
        {
            return ngx_http_parley_bad(cf, cmd, &value[i],
                                       "is unknown, expected past= or "
                                       "future=");
        }

        n = ngx_http_parley_time(&s);

        if (n == NGX_ERROR) {
            return ngx_http_parley_bad(cf, cmd, &value[i],
                                       PARLEY_CHOICE_TIME);
        }

        if (value[i].data[0] == 'p') {
            lcf->past = (ngx_msec_t) n;

        } else {
            lcf->future = (ngx_msec_t) n;
        }
    }

    return NGX_CONF_OK;
}


char *
ngx_http_parley_window(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_int_t                          time;
    ngx_str_t                         *value, s;
    ngx_http_compile_complex_value_t   ccv;

    if (lcf->window != NGX_CONF_UNSET_MSEC) {
        return "is duplicate";
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    value = cf->args->elts;

    time = ngx_http_parley_time(&value[1]);

    if (time == NGX_ERROR) {
        return ngx_http_parley_bad(cf, cmd, &value[1], PARLEY_CHOICE_TIME);
    }

    lcf->window = (ngx_msec_t) time;
    lcf->receiver = NULL;

    if (cf->args->nelts == 2) {
        return NGX_CONF_OK;
    }

    if (ngx_http_parley_param(&value[2], "receiver", &s) != NGX_OK
        || s.len == 0)
    {
        return ngx_http_parley_bad(cf, cmd, &value[2],
                                   "is unknown, expected receiver=");
    }

    lcf->receiver = ngx_palloc(cf->pool, sizeof(ngx_http_complex_value_t));

    if (lcf->receiver == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));

    ccv.cf = cf;
    ccv.value = &s;
    ccv.complex_value = lcf->receiver;

    return ngx_http_compile_complex_value(&ccv) == NGX_OK ? NGX_CONF_OK
                                                          : NGX_CONF_ERROR;
}


char *
ngx_http_parley_limits(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    const char  *why;
    ngx_str_t   *value;
    ngx_uint_t   i;

    if (lcf->limit_body != NGX_CONF_UNSET_SIZE
        || lcf->limit_depth != NGX_CONF_UNSET_UINT
        || lcf->limit_string != NGX_CONF_UNSET_SIZE
        || lcf->limit_members != NGX_CONF_UNSET_UINT)
    {
        return "is duplicate";
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        why = ngx_http_parley_twice(cf, i)
              ? "is there twice" : ngx_http_parley_limit(lcf, &value[i]);

        if (why) {
            return ngx_http_parley_bad(cf, cmd, &value[i], why);
        }
    }

    return NGX_CONF_OK;
}


/* NULL, or what is wrong with the word */

static const char *
ngx_http_parley_limit(ngx_http_parley_loc_conf_t *lcf, ngx_str_t *word)
{
    ssize_t                     n;
    ngx_str_t                   s;
    ngx_uint_t                  k;
    const parley_bound_word_t  *bound;

    for (k = 0; k < PARLEY_BOUND_COUNT; k++) {
        if (ngx_http_parley_param(word, parley_location_bounds[k].name, &s)
            == NGX_OK)
        {
            break;
        }
    }

    if (k == PARLEY_BOUND_COUNT) {
        return PARLEY_CHOICE_LIMITS;
    }

    bound = &parley_location_bounds[k];
    n = bound->size ? ngx_parse_size(&s) : ngx_atoi(s.data, s.len);

    if (n <= 0 || n > bound->max) {
        return bound->why;
    }

    switch ((parley_bound_t) k) {

    case PARLEY_BOUND_BODY:
        lcf->limit_body = n;
        break;

    case PARLEY_BOUND_STRING:
        lcf->limit_string = n;
        break;

    case PARLEY_BOUND_DEPTH:
        lcf->limit_depth = n;
        break;

    default: /* PARLEY_BOUND_MEMBERS */
        lcf->limit_members = n;
        break;
    }

    return NULL;
}


/* RFC 6901: ~0 and ~1 are all the escapes there are */

static ngx_uint_t
ngx_http_parley_is_pointer(ngx_str_t *s)
{
    size_t  i;

    for (i = 0; i < s->len; i++) {
        if (s->data[i] == '~'
            && (i + 1 == s->len
                || (s->data[i + 1] != '0' && s->data[i + 1] != '1')))
        {
            return 0;
        }
    }

    return 1;
}


char *
ngx_http_parley_redact(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_str_t      *value;
    parley_edit_t  *redact;

    value = cf->args->elts;

    if (value[1].len < 2 || value[1].data[0] != '/'
        || !ngx_http_parley_is_pointer(&value[1]))
    {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "must be a JSON Pointer, such as "
                                   "/payload/secret");
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    if (lcf->redact == NGX_CONF_UNSET_PTR) {
        lcf->redact = ngx_array_create(cf->pool, 4,
                                       sizeof(parley_edit_t));
        if (lcf->redact == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    if (lcf->redact->nelts == PARLEY_REDACT_MAX) {
        return "is there too often";
    }

    redact = ngx_array_push(lcf->redact);
    if (redact == NULL) {
        return NGX_CONF_ERROR;
    }

    redact->pointer = ngx_http_parley_str(&value[1]);
    redact->value = parley_str_none;

    if (cf->args->nelts == 3) {

        if (ngx_strcmp(value[2].data, "mask") == 0) {
            redact->value = PARLEY_STR("\"[redacted]\"");

        } else if (ngx_strcmp(value[2].data, "remove") != 0) {
            return ngx_http_parley_bad(cf, cmd, &value[2],
                                       "must be remove or mask");
        }
    }

    return NGX_CONF_OK;
}
