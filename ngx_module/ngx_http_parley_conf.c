
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Setters: what stands in nginx.conf, checked while it is read.  A wrong
 * value is told with what is wrong about it; nginx adds file and line.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_directives.h"
#include "ngx_http_parley_state.h"
#include "parley_name.h"


static char *ngx_http_parley_accept_word(ngx_conf_t *cf, ngx_command_t *cmd,
    ngx_http_parley_loc_conf_t *lcf, ngx_str_t *word,
    parley_proto_set_t *whole);


/* a word of the directive, and what is wrong with it */

char *
ngx_http_parley_bad(ngx_conf_t *cf, ngx_command_t *cmd, ngx_str_t *value,
    const char *why)
{
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" in \"%V\" %s", value,
                       &cmd->name, why);

    return NGX_CONF_ERROR;
}


ngx_uint_t
ngx_http_parley_twice(ngx_conf_t *cf, ngx_uint_t i)
{
    size_t       len;
    u_char      *p;
    ngx_str_t   *value;
    ngx_uint_t   k;

    value = cf->args->elts;
    p = (u_char *) ngx_strchr(value[i].data, '=');

    if (p == NULL) {
        return 0;
    }

    len = p + 1 - value[i].data;

    for (k = 1; k < i; k++) {
        if (ngx_strncmp(value[k].data, value[i].data, len) == 0) {
            return 1;
        }
    }

    return 0;
}


void
ngx_http_parley_note(ngx_conf_t *cf, ngx_command_t *cmd,
    ngx_http_parley_loc_conf_t *lcf, ngx_uint_t guards)
{
    parley_beside_t         beside;
    ngx_http_parley_word_t  word;

    word.name = cmd->name;
    word.file = cf->conf_file->file.name;
    word.line = cf->conf_file->line;
    word.location = (cf->cmd_type & NGX_HTTP_LOC_CONF) != 0;

    if (lcf->first.name.len == 0) {
        lcf->first = word;
    }

    if (guards && lcf->guard.name.len == 0) {
        lcf->guard = word;
    }

    beside = parley_location_beside(ngx_http_parley_str(&word.name));

    if (beside != PARLEY_BESIDE_COUNT && lcf->beside[beside].name.len == 0) {
        lcf->beside[beside] = word;
    }
}


char *
ngx_http_parley_value(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_note(cf, cmd, conf, 0);

    return ngx_http_set_complex_value_slot(cf, cmd, conf);
}


char *
ngx_http_parley_enum(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t               *value;
    ngx_uint_t              *np, i;
    ngx_http_parley_enum_t  *words;

    ngx_http_parley_note(cf, cmd, conf,
                         cmd->offset == offsetof(ngx_http_parley_loc_conf_t,
                                                 signature));

    np = (ngx_uint_t *) ((u_char *) conf + cmd->offset);

    if (*np != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;
    words = cmd->post;

    for (i = 0; words->words[i].name.len; i++) {

        if (words->words[i].name.len == value[1].len
            && ngx_strcasecmp(words->words[i].name.data, value[1].data) == 0)
        {
            *np = words->words[i].value;
            return NGX_CONF_OK;
        }
    }

    return ngx_http_parley_bad(cf, cmd, &value[1], words->choices);
}


char *
ngx_http_parley_flag(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_note(cf, cmd, conf, 0);

    return ngx_conf_set_flag_slot(cf, cmd, conf);
}


ngx_int_t
ngx_http_parley_time(ngx_str_t *s)
{
    ngx_int_t  ms;

    ms = ngx_parse_time(s, 0);

    return ms <= PARLEY_LOCATION_TIME_MAX ? ms : NGX_ERROR;
}


ngx_int_t
ngx_http_parley_param(ngx_str_t *word, const char *name, ngx_str_t *value)
{
    size_t  len;

    len = ngx_strlen(name);

    if (word->len <= len || ngx_strncmp(word->data, name, len) != 0
        || word->data[len] != '=')
    {
        return NGX_DECLINED;
    }

    value->data = word->data + len + 1;
    value->len = word->len - len - 1;

    return NGX_OK;
}


char *
ngx_http_parley_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    u_char     *p;
    ssize_t     size;
    ngx_str_t  *value, name, s;

    if (mcf->shm_zone) {
        return "is duplicate";
    }

    value = cf->args->elts;

    p = (u_char *) ngx_strchr(value[1].data, ':');

    if (p == NULL || p == value[1].data) {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "must be NAME:SIZE, such as agents:64m");
    }

    name.data = value[1].data;
    name.len = p - value[1].data;

    s.data = p + 1;
    s.len = value[1].data + value[1].len - s.data;

    size = ngx_parse_size(&s);

    if (size == NGX_ERROR) {
        return ngx_http_parley_bad(cf, cmd, &value[1], "has no valid size");
    }

    if (size < NGX_HTTP_PARLEY_ZONE_MIN) {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "is too small, 128k is the least");
    }

    mcf->shm_zone = ngx_shared_memory_add(cf, &name, size,
                                          &ngx_http_parley_module);
    if (mcf->shm_zone == NULL) {
        return NGX_CONF_ERROR;
    }

    mcf->zone = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_zone_t));
    if (mcf->zone == NULL) {
        return NGX_CONF_ERROR;
    }

    mcf->zone->share = PARLEY_SHARE_DEFAULT;

    if (cf->args->nelts == 3) {

        if (ngx_http_parley_param(&value[2], "share", &s) != NGX_OK) {
            return ngx_http_parley_bad(cf, cmd, &value[2],
                                       "is unknown, expected share=");
        }

        if (parley_share_parse(ngx_http_parley_str(&s), &mcf->zone->share)
            != 0)
        {
            return ngx_http_parley_bad(cf, cmd, &value[2],
                                       "is no share from 1% to 100%");
        }
    }

    mcf->shm_zone->init = ngx_http_parley_zone_init;
    mcf->shm_zone->data = mcf->zone;

    return NGX_CONF_OK;
}


char *
ngx_http_parley_self(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    ngx_uint_t   i;
    ngx_str_t   *value;

    if (mcf->self.data) {
        return "is duplicate";
    }

    value = cf->args->elts;

    for (i = 0; i < value[1].len; i++) {
        if (value[1].data[i] <= 0x20 || value[1].data[i] >= 0x7f) {
            return ngx_http_parley_bad(cf, cmd, &value[1],
                                       "must be printable ASCII without "
                                       "spaces");
        }
    }

    if (value[1].len == 0) {
        return "must not be empty";
    }

    if (parley_name_is_group(PARLEY_PROTO_AEE,
                             ngx_http_parley_str(&value[1])))
    {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "must not be the name of a group");
    }

    mcf->self = value[1];

    return NGX_CONF_OK;
}


char *
ngx_http_parley_retention(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    ngx_int_t   n, time;
    ngx_str_t  *value;

    if (mcf->retain) {
        return "is duplicate";
    }

    value = cf->args->elts;

    n = ngx_atoi(value[1].data, value[1].len);

    if (n == NGX_ERROR || n == 0) {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "must be a number of messages");
    }

    time = ngx_http_parley_time(&value[2]);

    if (time == NGX_ERROR || time == 0) {
        return ngx_http_parley_bad(cf, cmd, &value[2],
                                   PARLEY_CHOICE_TIME_SOME);
    }

    mcf->retain = (ngx_uint_t) n;
    mcf->retain_time = (ngx_msec_t) time;

    return NGX_CONF_OK;
}


char *
ngx_http_parley_replay(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    ssize_t      size;
    ngx_int_t    time;
    ngx_str_t   *value, s;
    ngx_uint_t   i;

    if (mcf->replay_time) {
        return "is duplicate";
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_http_parley_param(&value[i], "size", &s) == NGX_OK) {

            size = ngx_parse_size(&s);

            if (size == NGX_ERROR || size == 0 || mcf->replay_size) {
                return ngx_http_parley_bad(cf, cmd, &value[i],
                                           "must be one size above zero");
            }

            mcf->replay_size = (size_t) size;

        } else if (ngx_http_parley_param(&value[i], "time", &s) == NGX_OK) {

            time = ngx_http_parley_time(&s);

            if (time == NGX_ERROR || time == 0 || mcf->replay_time) {
                return ngx_http_parley_bad(cf, cmd, &value[i],
                                           PARLEY_CHOICE_TIME_ONE);
            }

            mcf->replay_time = (ngx_msec_t) time;

        } else {
            return ngx_http_parley_bad(cf, cmd, &value[i],
                                       "is unknown, expected size= or time=");
        }
    }

    if (mcf->replay_size == 0) {
        return "needs size=, what first answers may take of the zone";
    }

    if (mcf->replay_time == 0) {
        mcf->replay_time = 600000;
    }

    return NGX_CONF_OK;
}


char *
ngx_http_parley_jwks_request(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_main_conf_t  *mcf = conf;

    ngx_int_t    n;
    ngx_str_t   *value, s;
    ngx_uint_t   i;
    ngx_msec_t  *time;

    if (mcf->jwks_uri.data) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (value[1].len == 0 || value[1].data[0] != '/') {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "must be the URI of an internal location, "
                                   "such as /_jwks");
    }

    mcf->jwks_uri = value[1];
    mcf->jwks_file = cf->conf_file->file.name;
    mcf->jwks_line = cf->conf_file->line;

    for (i = 2; i < cf->args->nelts; i++) {

        if (ngx_http_parley_twice(cf, i)) {
            return ngx_http_parley_bad(cf, cmd, &value[i], "is there twice");
        }

        if (ngx_http_parley_param(&value[i], "interval", &s) == NGX_OK) {
            time = &mcf->jwks_interval;

        } else if (ngx_http_parley_param(&value[i], "refresh", &s) == NGX_OK) {
            time = &mcf->jwks_refresh;

        } else if (ngx_http_parley_param(&value[i], "timeout", &s) == NGX_OK) {
            time = &mcf->jwks_timeout;

        } else {
            return ngx_http_parley_bad(cf, cmd, &value[i],
                                       "is unknown, expected interval=, "
                                       "refresh= or timeout=");
        }

        n = ngx_http_parley_time(&s);

        if (n == NGX_ERROR || n == 0) {
            return ngx_http_parley_bad(cf, cmd, &value[i],
                                       PARLEY_CHOICE_TIME_SOME);
        }

        *time = (ngx_msec_t) n;
    }

    return NGX_CONF_OK;
}


char *
ngx_http_parley_accept(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    char                *rv;
    ngx_str_t           *value;
    ngx_uint_t           i;
    parley_proto_set_t   whole;

    if (lcf->accept != NGX_HTTP_PARLEY_ACCEPT_UNSET) {
        return "is duplicate";
    }

    value = cf->args->elts;

    lcf->accept = 0;
    lcf->file = cf->conf_file->file.name;
    lcf->line = cf->conf_file->line;

    if (cf->args->nelts == 2 && ngx_strcmp(value[1].data, "off") == 0) {
        lcf->off = 1;
        return NGX_CONF_OK;
    }

    whole = 0;

    for (i = 1; i < cf->args->nelts; i++) {
        rv = ngx_http_parley_accept_word(cf, cmd, lcf, &value[i], &whole);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    if (lcf->accept == 0) {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "adds to \"aee\", which is missing");
    }

    if (lcf->any_case && !(lcf->accept & PARLEY_PROTO_BIT(PARLEY_PROTO_AEE))) {
        return "has \"case=open\" without \"aee\"";
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_parley_accept_word(ngx_conf_t *cf, ngx_command_t *cmd,
    ngx_http_parley_loc_conf_t *lcf, ngx_str_t *word,
    parley_proto_set_t *whole)
{
    parley_proto_t  proto;

    /* AEE-13: records of five fields, for a location that takes logs */

    if (ngx_strcmp(word->data, "aee-mve5") == 0) {

        if (lcf->mve5) {
            return ngx_http_parley_bad(cf, cmd, word, "is there twice");
        }

        lcf->mve5 = 1;
        lcf->accept |= PARLEY_PROTO_BIT(PARLEY_PROTO_AEE);
        return NGX_CONF_OK;
    }

    if (ngx_strcmp(word->data, "case=open") == 0) {

        if (lcf->any_case) {
            return ngx_http_parley_bad(cf, cmd, word, "is there twice");
        }

        lcf->any_case = 1;
        return NGX_CONF_OK;
    }

    proto = parley_proto_find(ngx_http_parley_str(word));

    if (proto == PARLEY_PROTO_NONE || parley_codecs[proto] == NULL) {
        return ngx_http_parley_bad(cf, cmd, word,
                                   PARLEY_CHOICE_PROTOCOL);
    }

    /* "aee" beside "aee-mve5" is no second one */

    if (*whole & PARLEY_PROTO_BIT(proto)) {
        return ngx_http_parley_bad(cf, cmd, word, "is there twice");
    }

    *whole |= PARLEY_PROTO_BIT(proto);
    lcf->accept |= PARLEY_PROTO_BIT(proto);

    return NGX_CONF_OK;
}


char *
ngx_http_parley_speak(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_str_t       *value, name;
    parley_proto_t   proto;

    if (lcf->said != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;
    proto = parley_proto_find(ngx_http_parley_str(&value[1]));

    if (proto == PARLEY_PROTO_NONE || parley_codecs[proto] == NULL) {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   PARLEY_CHOICE_PROTOCOL);
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    lcf->said = proto;

    if (cf->args->nelts == 2) {
        return NGX_CONF_OK;
    }

    if (ngx_http_parley_param(&value[2], "gateway", &name) != NGX_OK) {
        return ngx_http_parley_bad(cf, cmd, &value[2],
                                   "is unknown, expected gateway=");
    }

    if (name.len == 0 || proto != PARLEY_PROTO_AEE) {
        return ngx_http_parley_bad(cf, cmd, &value[2],
                                   "names no sender of AEE errors");
    }

    lcf->gateway = name;

    return NGX_CONF_OK;
}


char *
ngx_http_parley_claims(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    u_char                       *p;
    ngx_str_t                    *value, member, claim;
    ngx_uint_t                    i;
    parley_claim_member_t         index;
    ngx_http_parley_main_conf_t  *mcf;

    if (lcf->claims != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    lcf->claims = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_claims_t));
    if (lcf->claims == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);
    lcf->claims->number = ++mcf->nclaims;

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        p = (u_char *) ngx_strchr(value[i].data, '=');

        if (p == NULL || p[1] == '\0') {
            return ngx_http_parley_bad(cf, cmd, &value[i],
                                       "must be MEMBER=CLAIM, such as "
                                       "handle=alter_handle");
        }

        member.data = value[i].data;
        member.len = p - value[i].data;

        claim.data = p + 1;
        claim.len = value[i].data + value[i].len - claim.data;

        index = parley_member_find(ngx_http_parley_str(&member));

        if (index == PARLEY_MEMBER_COUNT) {
            return ngx_http_parley_bad(cf, cmd, &member,
                       parley_member_why(ngx_http_parley_str(&member)));
        }

        if (lcf->claims->map.claims[index].len) {
            return ngx_http_parley_bad(cf, cmd, &member, "is there twice");
        }

        lcf->claims->map.claims[index] = ngx_http_parley_str(&claim);
    }

    return NGX_CONF_OK;
}
