/*
 * What the gate reads of the directives of a block: the part of
 * parley_settings_t that its steps decide by.
 */

#ifndef PARLEY_GATE_CONF_H
#define PARLEY_GATE_CONF_H

#include "translate/parley_codec.h"
#include "core/parley_json.h"
#include "translate/parley_msg.h"
#include "auth/parley_policy.h"
#include "core/parley_rate.h"
#include "translate/parley_rewrite.h"
#include "core/parley_str.h"


typedef enum {
    PARLEY_DEMAND_OFF = 0,      /* a signature is not looked at */
    PARLEY_DEMAND_OPTIONAL,
    PARLEY_DEMAND_REQUIRED
} parley_demand_t;


/* SEC-20 */
typedef enum {
    PARLEY_DRY_OFF = 0,
    PARLEY_DRY_ON,              /* spares whoever is proven */
    PARLEY_DRY_ALL              /* spares everybody */
} parley_dry_t;


/* what becomes of a message of which something cannot travel */
typedef enum {
    PARLEY_LOSS_REPORT = 0,
    PARLEY_LOSS_REJECT,
    PARLEY_LOSS_IGNORE
} parley_loss_mode_t;


/* pointers of parley_redact at one location */
#define PARLEY_REDACT_MAX  64


/*
 * What the directives of a location say; read-only while messages pass.  What
 * one directive says stands together, see parley_directive.h.
 */
typedef struct {
    parley_proto_set_t      accept;
    uint8_t                 mve5;
    uint8_t                 any_case;       /* AEE-08 to the letter */
    uint8_t                 pauses;         /* what is critical pauses its
                                               sender (VCP-28) */

    parley_proto_t          speak;
    parley_str_t            gateway;        /* that the service is behind, see
                                               parley_responder_check.h; empty:
                                               none */
    parley_demand_t         signature;
    parley_demand_t         certificate;    /* of the client (SEC-17) */
    parley_dry_t            dry;
    uint8_t                 trusted;

    const parley_policy_t  *policy;         /* NULL: no rules */
    const parley_rate_t    *rate;           /* NULL: no limit */
    parley_limit_rate_t     failures;       /* of proofs from one address;
                                               interval 0: no limit */
    parley_caps_t           caps;           /* without a principal's own */
    const parley_edit_t    *redact;
    uint32_t                nredact;        /* at most PARLEY_REDACT_MAX */
    parley_loss_mode_t      loss;
    parley_str_t            token;          /* the argument that a token comes
                                               in; empty: none */
    parley_json_limits_t    limits;
    int64_t                 past_ms;
    int64_t                 future_ms;
} parley_gate_conf_t;


#endif /* PARLEY_GATE_CONF_H */
