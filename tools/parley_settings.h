/* What Parley's directives say at a place of nginx's configuration. */

#ifndef PARLEY_SETTINGS_H
#define PARLEY_SETTINGS_H

#include "parley_amend.h"
#include "parley_conf.h"
#include "parley_directory.h"
#include "parley_intents.h"
#include "parley_policy.h"
#include "parley_principal.h"
#include "parley_rate.h"


#define PARLEY_SETTINGS_REDACT_MAX  64


typedef enum {
    PARLEY_DEMAND_OFF = 0,
    PARLEY_DEMAND_OPTIONAL,
    PARLEY_DEMAND_REQUIRED
} parley_demand_t;


typedef struct {
    parley_place_t             place;

    /* of http */
    parley_str_t               self;
    parley_directory_t        *directory;       /* NULL: none */
    parley_jwks_t              jwks;
    parley_jwk_t               signing;
    parley_intents_t          *intents;         /* NULL: none */
    unsigned                   has_jwks:1;
    unsigned                   has_signing:1;

    /* of the location */
    parley_proto_set_t         accept;
    parley_proto_t             speak;
    unsigned                   signature;       /* parley_demand_t */
    unsigned                   loss;            /* parley_loss_mode_t */
    unsigned                   mve5:1;
    unsigned                   jwt:1;
    unsigned                   trusted:1;
    unsigned                   dry_run:1;

    parley_jwt_rules_t         rules;           /* of parley_jwt */
    parley_claim_map_t        *claims;          /* NULL: none */
    parley_policy_t            policy;
    parley_rate_t              rate;
    const parley_directive_t  *rated;           /* NULL: no rate */
    parley_caps_t              caps;
    parley_json_limits_t       limits;

    int64_t                    past_ms;
    int64_t                    future_ms;
    int64_t                    window_ms;

    parley_edit_t              redact[PARLEY_SETTINGS_REDACT_MAX];
    uint32_t                   nredact;

    parley_str_t               context;         /* as they are written, with */
    parley_str_t               constitution;    /* variables */
} parley_settings_t;


/*
 * Reads what is in force at a place, and the files that it names; keys is a
 * file with the keys of tokens, where they are not in the configuration, or
 * NULL.  Returns 0, or -1 after it has said what is wrong, with file and
 * line.  parley_settings_free() is the caller's in any case.
 */
int parley_settings_read(parley_tool_t *tool, const parley_place_t *place,
    const char *keys, parley_settings_t *ret);
void parley_settings_free(parley_settings_t *s);


/* parley_settings_http.c, parley_settings_jwt.c: parts of it */

int parley_settings_http(parley_tool_t *tool, const char *keys,
    parley_settings_t *s);
int parley_settings_jwt(parley_tool_t *tool, parley_settings_t *s);
int parley_settings_claims(parley_tool_t *tool, parley_settings_t *s);


#endif /* PARLEY_SETTINGS_H */
