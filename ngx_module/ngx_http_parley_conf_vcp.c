
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What a location says of VCP messages that are made from others.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_directives.h"


char *
ngx_http_parley_vcp_severity(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_str_t          *value;
    ngx_uint_t          i;
    parley_error_t      err;
    parley_severity_t  *severity;

    if (lcf->severities != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    lcf->severities = ngx_array_create(cf->pool, cf->args->nelts,
                                       sizeof(parley_severity_t));
    if (lcf->severities == NULL) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        severity = ngx_array_push(lcf->severities);
        if (severity == NULL) {
            return NGX_CONF_ERROR;
        }

        if (parley_severity_parse(ngx_http_parley_str(&value[i]),
                                  lcf->severities->elts, i - 1, severity,
                                  &err)
            != 0)
        {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "%s in \"%V\" directive",
                               err.text, &cmd->name);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


char *
ngx_http_parley_vcp_broadcast(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_parley_loc_conf_t  *lcf = conf;

    ngx_str_t  *value;

    if (lcf->broadcast.data) {
        return "is duplicate";
    }

    ngx_http_parley_note(cf, cmd, lcf, 0);

    value = cf->args->elts;

    if (!parley_name_is_group(PARLEY_PROTO_AEE,
                              ngx_http_parley_str(&value[1])))
    {
        return ngx_http_parley_bad(cf, cmd, &value[1],
                                   "must be the AEE name of a group, such as "
                                   "bus.ops");
    }

    lcf->broadcast = value[1];

    return NGX_CONF_OK;
}
