/* What Parley's directives say at a place of nginx's configuration. */

#ifndef PARLEY_SETTINGS_H
#define PARLEY_SETTINGS_H

#include "parley_conf.h"
#include "parley_directory.h"
#include "parley_gate.h"
#include "parley_intents.h"
#include "parley_policy.h"
#include "parley_principal.h"
#include "parley_rate.h"


typedef struct {
    parley_place_t             place;

    /* of http */
    const parley_conf_t       *conf;
    const char                *keys;            /* --keys, or NULL */
    const parley_engine_t     *engine;
    parley_str_t               self;
    parley_str_t               self_names[PARLEY_PROTO_COUNT];
    parley_directory_t        *directory;       /* NULL: none */
    const char                *identities;      /* its file */
    parley_str_t               identities_text;
    parley_jwks_t              jwks;
    parley_jwk_t               signing;
    parley_intents_t          *intents;         /* NULL: none */
    unsigned                   has_zone:1;
    unsigned                   has_jwks:1;
    unsigned                   has_jwks_request:1;
    unsigned                   has_signing:1;

    /* of the location */
    parley_proto_t             said;            /* parley_speak; NONE: not
                                                   said */
    parley_gate_conf_t         gate;
    unsigned                   jwt:1;

    parley_jwt_rules_t         rules;           /* of parley_jwt */
    parley_limit_rate_t        failures;        /* of parley_jwt */
    parley_claim_map_t        *claims;          /* NULL: none */
    parley_policy_t            policy;
    parley_rate_t              rate;
    const parley_directive_t  *rated;           /* NULL: no rate */

    int64_t                    window_ms;
    int64_t                    longest_ms;      /* freshness of any place */
    parley_str_t               receiver;        /* of parley_window, as it is
                                                   written; empty: none */

    parley_edit_t              redact[PARLEY_REDACT_MAX];

    parley_str_t               context;         /* as they are written, with */
    parley_str_t               constitution;    /* variables */
    parley_severity_t          severities[PARLEY_SEVERITIES_MAX];
    uint32_t                   nseverities;
    parley_str_t               broadcast;
} parley_settings_t;


/*
 * Reads the directives of http and the files that they name, and looks at
 * everything that nginx -t would refuse of Parley's, at any place, in its
 * words; keys is a file with the keys of tokens, in place of those of the
 * configuration, or NULL.  Returns 0, or -1 after it has said what is wrong,
 * with file and line.  parley_settings_free() is the caller's in any case.
 */
int parley_settings_read(parley_tool_t *tool, const parley_conf_t *conf,
    const char *keys, const parley_engine_t *engine, parley_settings_t *ret);
void parley_settings_free(parley_settings_t *s);

/* Adds what is in force at a place of that configuration; s must not move
   any more, gate points into it. */
int parley_settings_at(parley_tool_t *tool, const parley_place_t *place,
    parley_settings_t *s);


/*
 * Of a directive whose name, place and number of words are right: puts what
 * it says into *s.  0, or -1: said what is wrong.
 */
typedef int (*parley_settings_set_pt)(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s);

/* parley_settings_block.c */

/* parley_freshness, where nothing is said */
#define PARLEY_SETTINGS_PAST_MS    300000
#define PARLEY_SETTINGS_FUTURE_MS  30000

/* where directives may stand */
#define PARLEY_IN_HTTP      1
#define PARLEY_IN_SERVER    2
#define PARLEY_IN_LOCATION  4
#define PARLEY_IN_ANY       7

/* The directives that stand in a block itself. */
int parley_settings_block(parley_tool_t *tool,
    const parley_directive_t *block, unsigned in, parley_settings_t *s);

/* What no directive can know of alone, at a block. */
int parley_settings_verify(const parley_directive_t *block,
    parley_tool_t *tool, const parley_settings_t *s);

/* parley_settings_http.c, parley_settings_jwt.c, parley_settings_message.c */

int parley_settings_zone(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_self(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_retain(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_replay(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_jwks_request(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s);
int parley_settings_identities(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s);
int parley_settings_jwks(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_signing(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_intents(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);

/* the file of --keys */
int parley_settings_keys(parley_tool_t *tool, const char *path,
    parley_settings_t *s);

int parley_settings_jwt(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_claims(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);

int parley_settings_accept(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_speak(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_signature(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s);
int parley_settings_loss(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_trusted(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_dry_run(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_policy(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_rate(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_cap(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_freshness(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s);
int parley_settings_window(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_limits(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_redact(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_context(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_constitution(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s);
int parley_settings_severity(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s);
int parley_settings_broadcast(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s);

/* What a file that a directive names has wrong, and where; -1. */
int parley_settings_wrong(const parley_directive_t *d, const char *path,
    parley_str_t text, const parley_error_t *err);


#endif /* PARLEY_SETTINGS_H */
