/* The values of the directive parley_jwt. */

#ifndef PARLEY_JWT_CONF_H
#define PARLEY_JWT_CONF_H

#include "gate/settings/parley_challenge.h"
#include "auth/parley_jwt.h"
#include "core/parley_rate.h"
#include "gate/settings/parley_settings.h"


/* query argument that holds a ticket */
#define PARLEY_TICKET_ARGUMENT  "ticket"


typedef enum {
    PARLEY_TOKEN_HEADER = 0,            /* Authorization */
    PARLEY_TOKEN_FIELD,                 /* $http_NAME, must not be repeated */
    PARLEY_TOKEN_COOKIE,                /* $cookie_NAME, must not be repeated */
    PARLEY_TOKEN_ARGUMENT,              /* $arg_NAME, decoded; must not be
                                           repeated */
    PARLEY_TOKEN_VARIABLE,              /* another variable */
    PARLEY_TOKEN_SEVERAL                /* one of several places */
} parley_token_source_t;


/* place of a token in a request */
typedef struct {
    parley_token_source_t   source;
    parley_str_t            name;       /* name of the cookie, the argument, or
                                           the header in lower case */
    parley_str_t            alias;      /* name of the header, with underscores
                                           for hyphens */
    parley_value_t          value;      /* value of a cookie or a variable */
} parley_token_place_t;


/* parley_jwt on */
typedef struct parley_jwt_conf_s {
    parley_jwt_rules_t      rules;
    parley_realm_t          realm;
    parley_limit_rate_t     failures;
    parley_token_place_t    place;
    parley_token_place_t   *places;     /* SEVERAL: places, at most one of which
                                           may have a token */
    size_t                  nplaces;
    const parley_str_t     *origins;    /* origins of pages that may send the
                                           cookie, in addition to the host's
                                           own; see parley_origin.h */
    size_t                  norigins;
    int64_t                 tickets;    /* lifetime of a ticket for a stream in
                                           ms; 0: no tickets */
    size_t                  max_size;   /* longest token in octets; 0: the
                                           default */

    /* list of all parley_jwt with tickets=, see parley_settings_http_t */
    struct parley_jwt_conf_s  *next;
    parley_where_t          where;
    unsigned                streams:1;  /* a stream takes its tickets */
} parley_jwt_conf_t;


/* Returns the place with this source, or NULL. */
const parley_token_place_t *parley_setting_token_place(
    const parley_jwt_conf_t *jwt, parley_token_source_t source);


#endif /* PARLEY_JWT_CONF_H */
