/* Declarations that the files that verify settings share.  Private to them. */

#ifndef PARLEY_SETTINGS_PARTS_H
#define PARLEY_SETTINGS_PARTS_H

#include "gate/settings/parley_directive.h"


/* whether the block itself has the directive, not an outer block */
#define parley_settings_has(s, id)                                           \
    (((s)->own & (uint64_t) 1 << (id)) && (s)->where[id].line != 0)


#define parley_settings_bit(name)  ((uint64_t) 1 << PARLEY_DIRECTIVE_##name)

/* directives of VCP messages that the gateway itself writes */
#define PARLEY_SETTINGS_VCP                                                   \
    (parley_settings_bit(VCP_CONTEXT) | parley_settings_bit(VCP_CONSTITUTION) \
     | parley_settings_bit(VCP_BROADCAST))

/* directives that have an effect without a message */
#define PARLEY_SETTINGS_PROVING                                               \
    (parley_settings_bit(JWT) | parley_settings_bit(CLAIMS)                   \
     | parley_settings_bit(CERTIFICATE) | parley_settings_bit(TRUSTED)        \
     | parley_settings_bit(ALLOW) | parley_settings_bit(DENY)                 \
     | parley_settings_bit(RATE) | parley_settings_bit(DRY_RUN))


/* directives about messages, or that answer requests otherwise */
#define PARLEY_SETTINGS_READING                                               \
    (parley_settings_bit(ACCEPT) | parley_settings_bit(SPEAK)                 \
     | parley_settings_bit(SUBMIT) | parley_settings_bit(MCP)                 \
     | parley_settings_bit(STREAM) | parley_settings_bit(ROSTER)              \
     | parley_settings_bit(KEYS) | parley_settings_bit(CONTROL))


/* parts of errors that several checks have */
#define PARLEY_SETTINGS_ANSWERS                                              \
    "answers requests itself; expected a location without "
#define PARLEY_SETTINGS_PUBLISHES                                            \
    "publishes messages; expected a location without "
#define PARLEY_SETTINGS_HANDLER  "\"proxy_pass\" or another content handler"
#define PARLEY_SETTINGS_RETURN   "\"return\", which answers first"
#define PARLEY_SETTINGS_NESTED   "nested locations"
#define PARLEY_SETTINGS_PROOF                                                \
    "has no proof of the sender; expected \"parley_jwt on\""
#define PARLEY_SETTINGS_TLS                                                  \
    "expected TLS, or \"parley_trusted on\" behind a proxy that ends TLS"


/* parley_settings_endpoint.c: functions that return 0, or -1 with *problem */

/* Checks a block that takes no messages because of the directive id. */
int parley_settings_endpoint_check(parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_directive_id_t id, parley_problem_t *problem);

/*
 * Checks that a location with the directive id has no other content handler, no
 * locations, and none of others (bits of 1 << id).  expects is the text of the
 * error, up to the name.
 */
int parley_settings_alone(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t id,
    const char *expects, uint64_t others, parley_problem_t *problem);

/*
 * Checks a block of parley_websocket.  The checks of all blocks that take
 * messages are made in addition.
 */
int parley_settings_websocket(parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem);

/* Checks a block of parley_host. */
int parley_settings_host(parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem);

/* Checks a block of parley_submit or parley_mcp. */
int parley_settings_submits(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem);


/* parley_settings_moq.c */

/*
 * Checks a block of parley_moq, in addition to
 * parley_settings_endpoint_check(); the agent ids of all principals; and warns
 * about its listeners.
 */
int parley_settings_moq(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem);
int parley_settings_moq_agents(const parley_settings_http_t *http,
    parley_problem_t *problem);
void parley_settings_moq_warnings(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem);

/* Warns of each parley_moq_endpoint whose path no parley_moq has, after all
   blocks are verified. */
void parley_settings_moq_endpoints(const parley_settings_env_t *env,
    const parley_settings_http_t *http);


/* parley_settings_warnings.c: warns if a block with the directive has a
   "return", or its server has */
void parley_settings_warnings_returns(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_directive_id_t by, parley_problem_t *problem);


/* parley_settings_proof.c: GW-30, GW-31 */

/* Checks a block whose callers are proven, and that reads no message. */
int parley_settings_proof(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem);


/* parley_settings_warnings.c: warns about tokens of such a block */
void parley_settings_warnings_proof(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem);


/* parley_settings_warnings_rules.c: warns of rules without effect */
void parley_settings_warnings_rules(const parley_settings_env_t *env,
    const parley_settings_http_t *http);


/* parley_settings_warnings_host.c: warns of what a host of chat loses */
void parley_settings_warnings_host(const parley_settings_env_t *env,
    const parley_settings_http_t *http);


/* parley_settings_effects.c */

/*
 * SEC-17: checks the requirements of parley_certificate.  Returns 0, or -1 with
 * *problem.
 */
int parley_settings_certificate(const parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem);

/*
 * Returns the first directive that the location itself has, in the order of
 * parley_directive.def, except those in beside (bits of 1 << id) and those of
 * parley_settings_off().  Returns COUNT if there is none.
 */
parley_directive_id_t parley_settings_other(const parley_settings_t *s,
    uint64_t beside);

/*
 * Returns whether the directive, own or inherited, turns off its subject: it
 * protects nothing, and is valid without messages.
 */
int parley_settings_off(const parley_settings_t *s, parley_directive_id_t id);

/* Returns whether tokens are required, but no key can verify one. */
int parley_settings_has_no_jwks(const parley_settings_http_t *http,
    const parley_settings_t *s);

/* GW-28: refuses directives of the location that have no effect. */
int parley_settings_effects(const parley_settings_t *s,
    parley_problem_t *problem);

/* As parley_settings_effects(), for one directive that the block has. */
int parley_settings_effect(const parley_settings_t *s,
    const parley_directive_row_t *row, parley_problem_t *problem);

/*
 * Returns the directives, as bits of 1 << id, that can have an effect in a
 * block where the steps run.
 */
uint64_t parley_settings_uses(const parley_settings_t *s,
    const parley_block_facts_t *block);


/* parley_settings_outer.c */

/*
 * GW-31: marks the listed directives of set (bits of 1 << id) that apply to the
 * block and have an effect there.
 */
void parley_settings_used(const parley_settings_http_t *http,
    const parley_settings_t *s, uint64_t set);

/* GW-31: warns of each listed directive that no block uses. */
void parley_settings_unused(const parley_settings_env_t *env,
    const parley_settings_http_t *http);

/* Returns whether two places are the same. */
int parley_settings_is_same(const parley_where_t *one,
    const parley_where_t *other);


#endif /* PARLEY_SETTINGS_PARTS_H */
