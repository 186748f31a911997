/* The part of parley_settings_t that the steps of the gate read. */

#ifndef PARLEY_GATE_CONF_H
#define PARLEY_GATE_CONF_H

#include "core/parley_json.h"
#include "translate/parley_msg.h"
#include "core/parley_rate.h"
#include "translate/parley_caps.h"
#include "core/parley_str.h"
#include "gate/settings/parley_step.h"


struct parley_policy_s;         /* parley_policy.h */
struct parley_edit_s;           /* parley_codec_types.h */
struct parley_intents_s;        /* parley_intents.h */
struct parley_jwk_s;            /* parley_jwk.h */
struct parley_settings_http_s;  /* parley_settings.h */
struct parley_settings_s;


typedef enum {
    PARLEY_DEMAND_OFF = 0,      /* signatures are not verified */
    PARLEY_DEMAND_OPTIONAL,
    PARLEY_DEMAND_REQUIRED
} parley_demand_t;


/* parley_dry_run (SEC-20) */
typedef enum {
    PARLEY_DRY_OFF = 0,
    PARLEY_DRY_ON,              /* a refused request passes if its caller is
                                   proven */
    PARLEY_DRY_ALL              /* every refused request passes */
} parley_dry_t;


/*
 * parley_loss: the treatment of a message with members that cannot be
 * translated
 */
typedef enum {
    PARLEY_LOSS_REPORT = 0,
    PARLEY_LOSS_REJECT,
    PARLEY_LOSS_IGNORE
} parley_loss_mode_t;


/* redactions of one location, at most */
#define PARLEY_REDACT_MAX  64


struct parley_value_s;          /* parley_settings.h */


/*
 * The settings of a location for the gate; read-only after the configuration is
 * read.  The members that one directive fills are adjacent, see
 * parley_directive.h.
 */
typedef struct {
    parley_proto_set_t      accept;
    uint8_t                 mve5;
    uint8_t                 any_case;       /* parley_accept case=open
                                               (AEE-08) */
    uint8_t                 pauses;         /* a critical escalation pauses its
                                               sender (VCP-28) */

    parley_proto_t          speak;
    parley_str_t            gateway;        /* name of the gateway in front of
                                               the service, see
                                               parley_responder_check.h; empty:
                                               none */
    parley_demand_t         signature;
    parley_demand_t         certificate;    /* client certificates (SEC-17) */
    parley_dry_t            dry;
    uint8_t                 trusted;

    const struct parley_policy_s  *policy;  /* NULL: no rules */
    const parley_rate_t    *rate;           /* NULL: the location has none */
    const struct parley_value_s  *rate_value;   /* rate->variable; NULL:
                                                   none */
    parley_limit_rate_t     failures;       /* limit of failed proofs from one
                                               address; interval 0: no limit */
    parley_limit_rate_t     sole;           /* rate->all if no other limit
                                               applies to a principal here;
                                               interval 0: limits have to be
                                               found for each message */
    parley_rate_shared_t    shared;         /* of the limits of principals */
    parley_caps_t           caps;           /* for principals without caps of
                                               their own */
    const struct parley_edit_s  *redact;
    uint32_t                nredact;        /* at most PARLEY_REDACT_MAX */
    parley_loss_mode_t      loss;
    parley_str_t            token;          /* name of the argument that holds a
                                               token; empty: none */
    parley_json_limits_t    limits;
    int64_t                 past_ms;
    int64_t                 future_ms;
} parley_gate_conf_t;


/* the part of parley_gate_t that directives decide */
typedef struct {
    const struct parley_settings_http_s  *http;
    const struct parley_settings_s       *s;
    const parley_gate_conf_t             *gate;     /* s->gate */
    const struct parley_intents_s        *intents;  /* NULL: none */
    const struct parley_jwk_s            *key;      /* key that signs messages;
                                                       NULL: none */
    const parley_str_t                   *self;     /* names of the gateway, by
                                                       protocol */
    parley_plan_t                         plan;     /* steps that run */
    int64_t                               window;   /* ms for which ids are
                                                       known */
    int64_t                               retain;   /* ms for which messages are
                                                       retained; 0: not
                                                       retained */
    int64_t                               replay;   /* ms for which first
                                                       answers are kept; 0: not
                                                       kept */
} parley_gate_directives_t;


#endif /* PARLEY_GATE_CONF_H */
