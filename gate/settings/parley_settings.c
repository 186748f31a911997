/* Defaults of blocks, and inheritance between them. */

#include <string.h>

#include "auth/parley_config.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_directive.h"
#include "translate/parley_intents.h"
#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_moq_conf.h"
#include "translate/parley_name.h"
#include "gate/settings/parley_reserved.h"
#include "gate/settings/parley_settings_parts.h"
#include "state/parley_log.h"
#include "core/parley_url.h"


const parley_limit_rate_t  parley_failures_default = {
    100000,                     /* 10r/s */
    50
};


/* thousandths of worker_connections that one account may have open */
#define PARLEY_CONNECTIONS_SHARE  250


static int parley_settings_delivers(const parley_settings_http_t *http,
    parley_problem_t *problem);
static int parley_settings_proves(const parley_settings_t *s);
static int parley_settings_asks(const parley_settings_t *s);
static void parley_settings_settle(parley_settings_t *s);


void
parley_settings_http_init(parley_settings_http_t *http)
{
    memset(http, 0, sizeof(parley_settings_http_t));

    http->share = PARLEY_SHARE_DEFAULT;
    http->self = PARLEY_STR("service.parley");
    http->replay_ms = 600000;
    http->jwks_interval_ms = 60000;
    http->jwks_refresh_ms = 3600000;
    http->jwks_timeout_ms = 10000;
    http->audit_ms = 60000;
    http->deliver_max = 16;
    http->moq_handshake_ms = 5000;
    http->connections_share = PARLEY_CONNECTIONS_SHARE;
}


void
parley_settings_init(parley_settings_t *s)
{
    memset(s, 0, sizeof(parley_settings_t));

    s->said = PARLEY_PROTO_NONE;
    s->window_ms = 600000;

    s->gate.signature = PARLEY_DEMAND_OPTIONAL;
    s->gate.caps.priority = PARLEY_PRIORITY_URGENT;
    s->gate.limits = parley_json_limits_default;
    s->gate.past_ms = 300000;
    s->gate.future_ms = 30000;
}


void
parley_settings_http_free(parley_settings_http_t *http)
{
    parley_directory_free(http->directory);
    parley_intents_destroy(http->intents);

    if (http->jwks != NULL) {
        parley_jwks_free(http->jwks);
    }

    parley_jwks_free(&http->signing_keys);
}


int
parley_settings_http_settle(const parley_settings_env_t *env,
    parley_settings_http_t *http, parley_problem_t *problem)
{
    parley_error_t  err;

    problem->text[0] = '\0';
    problem->where.line = 0;

    if (parley_name_map_all(env->arena, http->self, http->self_names) != 0) {
        return -1;
    }

    if (http->directory != NULL
        && parley_reserved_directory(env->arena, http->self_names,
                                     http->directory, &err)
           != 0)
    {
        parley_config_locate(&env->arena->mem, http->identities_text, &err);

        problem->where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

        return parley_set_file_wrong(problem, http->identities,
                                     http->identities_text, &err);
    }

    if (http->zone.len == 0 && http->connects.line != 0) {
        problem->where = http->connects;

        return parley_problem(problem, "\"parley_moq\" needs "
                              "\"parley_zone\"");
    }

    if (http->zone.len == 0 && http->answers.line != 0) {
        problem->where = http->answers;

        return parley_problem(problem, "\"parley_status\" and "
                              "\"parley_health\" need \"parley_zone\"");
    }

    if (http->directory == NULL && http->connects.line != 0) {
        problem->where = http->connects;

        return parley_problem(problem, "\"parley_moq\" needs "
                              "\"parley_identities\", which has the names of "
                              "agents");
    }

    if (http->connects.line != 0
        && parley_settings_moq_agents(http, problem) != 0)
    {
        return -1;
    }

    if (http->zone.len == 0 && http->store != NULL) {
        problem->where = http->where[PARLEY_DIRECTIVE_STORE];

        return parley_problem(problem, "\"parley_store\" needs "
                              "\"parley_zone\"");
    }

    if (http->wide.line != 0 && http->store != NULL) {
        problem->where = http->wide;

        return parley_problem(problem, "\"max=\" is above %u, the largest "
                              "number of recipients with \"parley_store\"",
                              PARLEY_LOGS_SHARED);
    }

    if (http->signing == NULL && http->serves_keys.line != 0) {
        problem->where = http->serves_keys;

        return parley_problem(problem, "\"parley_public_keys\" needs "
                              "\"parley_signing_key\"");
    }

    if (parley_settings_delivers(http, problem) != 0) {
        return -1;
    }

    if (http->zone.len > 0 && http->replay_size >= http->zone_size) {
        return parley_problem(problem, "\"size=\" of \"parley_replay\" is too "
                              "large; expected less than the size of "
                              "\"parley_zone\"");
    }

    if (http->jwks_refresh_ms < http->jwks_interval_ms) {
        http->jwks_refresh_ms = http->jwks_interval_ms;
    }

    return 0;
}


/*
 * VCP-21: checks that hosts= of parley_deliver lists the URL of each principal.
 */

static int
parley_settings_delivers(const parley_settings_http_t *http,
    parley_problem_t *problem)
{
    int                        listed;
    size_t                     i, n;
    parley_url_t               url;
    const parley_principal_t  *list = NULL;

    if (http->deliver_uri.len > 0 && http->zone.len == 0) {
        problem->where = http->where[PARLEY_DIRECTIVE_DELIVER];

        return parley_problem(problem, "\"parley_deliver\" needs "
                              "\"parley_zone\"");
    }

    n = http->directory != NULL
        ? parley_directory_principals(http->directory, &list) : 0;

    for (i = 0; i < n; i++) {

        if (list[i].deliver.len == 0) {
            continue;
        }

        listed = parley_url_parse(list[i].deliver, &url) == NULL
                 && parley_hosts_have(http->deliver_hosts, url.host, url.port);

        if (listed && (!url.dials || http->deliver_websocket.len > 0)) {
            continue;
        }

        problem->where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

        if (listed) {
            return parley_problem(problem, "/principals/%zu/deliver in "
                                  "\"%.*s\" is a wss URL, which needs "
                                  "\"websocket=\" of \"parley_deliver\"", i,
                                  (int) http->identities.len,
                                  (const char *) http->identities.data);
        }

        if (http->deliver_uri.len == 0) {
            return parley_problem(problem, "/principals/%zu/deliver in "
                                  "\"%.*s\" needs \"parley_deliver\"", i,
                                  (int) http->identities.len,
                                  (const char *) http->identities.data);
        }

        return parley_problem(problem, "/principals/%zu/deliver in \"%.*s\" "
                              "is on \"%.*s:%u\", which \"hosts=\" of "
                              "\"parley_deliver\" does not list", i,
                              (int) http->identities.len,
                              (const char *) http->identities.data,
                              (int) url.host.len,
                              (const char *) url.host.data, url.port);
    }

    return 0;
}


int
parley_settings_dials(parley_settings_http_t *http,
    const parley_settings_t *s, parley_problem_t *problem)
{
    size_t                     i, n;
    const char                *why;
    parley_proto_t             proto;
    const parley_principal_t  *p, *list = NULL;

    problem->where = http->where[PARLEY_DIRECTIVE_DELIVER];

    proto = s != NULL && s->websocket != NULL ? s->stream->proto
                                              : PARLEY_PROTO_NONE;

    /* a protocol without a greeting has no such WebSocket (VCP 8.3) */

    why = s == NULL ? "leads to no location of a server"
          : proto == PARLEY_PROTO_NONE
            || parley_codecs[proto]->binding->greeting.len == 0
          ? "leads to a location without \"parley_websocket vcp\" or "
            "\"parley_websocket vcp2\""
          : s->context.text.len == 0 || s->constitution.text.len == 0
          ? "leads to a location without \"parley_vcp_context\" and "
            "\"parley_vcp_constitution\", which the gateway sends first on "
            "each connection to a peer"
          : NULL;

    if (why != NULL) {
        return parley_problem(problem, "\"websocket=\" of \"parley_deliver\" "
                              "%s", why);
    }

    http->dials = s;

    n = http->directory != NULL
        ? parley_directory_principals(http->directory, &list) : 0;

    for (i = 0; i < n; i++) {
        p = &list[i];

        if (!parley_principal_is_dialled(p)
            || (p->names[proto].len > 0
                && (p->speaks.len == 0
                    || parley_proto_find(p->speaks) == proto)))
        {
            continue;
        }

        problem->where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

        return parley_problem(problem, "/principals/%zu/deliver in \"%.*s\" is "
                              "a wss URL, so the principal must have a member "
                              "\"vcp\", and a \"speaks\" must be \"%s\", the "
                              "protocol of \"websocket=\"", i,
                              (int) http->identities.len,
                              (const char *) http->identities.data,
                              (const char *) parley_proto_name(proto).data);
    }

    return 0;
}


void
parley_settings_merge(parley_settings_t *s, const parley_settings_t *outer)
{
    size_t                         i;
    const parley_directive_row_t  *row;

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        row = &parley_directives[i];

        if (row->size != 0 && !(s->own & (uint64_t) 1 << i)) {
            memcpy((uint8_t *) s + row->offset,
                   (const uint8_t *) outer + row->offset, row->size);
            s->where[i] = outer->where[i];
        }
    }

    /* a block that answers requests itself does not inherit parley_accept */

    if ((parley_settings_answers(s)
         || parley_settings_endpoint(s) != PARLEY_ENDPOINT_NONE
         || s->mcp != NULL || s->websocket != NULL || s->moq != NULL
         || s->host != NULL)
        && !(s->own & (uint64_t) 1 << PARLEY_DIRECTIVE_ACCEPT))
    {
        s->gate.accept = 0;
    }

    s->proves = parley_settings_proves(s) ? 1 : 0;

    parley_settings_settle(s);
}


/*
 * Returns whether requests pass the block only if their caller is proven, and
 * no message is read from them.  "parley_accept off" of a block turns this off
 * in the block and in those inside.
 */

static int
parley_settings_proves(const parley_settings_t *s)
{
    if (s->jwt == NULL && s->gate.certificate == PARLEY_DEMAND_OFF) {
        return 0;
    }

    if (parley_settings_asks(s)) {
        return s->gate.accept == 0;
    }

    return s->gate.accept == 0
           && s->where[PARLEY_DIRECTIVE_ACCEPT].line == 0
           && s->submit == NULL && s->mcp == NULL && s->stream == NULL
           && s->websocket == NULL && s->moq == NULL && s->host == NULL
           && s->roster == NULL && !s->keys
           && !s->control && !parley_settings_answers(s);
}


/* Returns whether the block itself has parley_moq_endpoint and asks for a
   proof. */

static int
parley_settings_asks(const parley_settings_t *s)
{
    return (s->own & (uint64_t) 1 << PARLEY_DIRECTIVE_MOQ_ENDPOINT)
           && (s->own & ((uint64_t) 1 << PARLEY_DIRECTIVE_JWT
                         | (uint64_t) 1 << PARLEY_DIRECTIVE_CERTIFICATE));
}


const parley_token_place_t *
parley_setting_token_place(const parley_jwt_conf_t *jwt,
    parley_token_source_t source)
{
    size_t  i;

    if (jwt->place.source == source) {
        return &jwt->place;
    }

    for (i = 0; i < jwt->nplaces; i++) {
        if (jwt->places[i].source == source) {
            return &jwt->places[i];
        }
    }

    return NULL;
}


/* Derives members that are not inherited themselves. */

static void
parley_settings_settle(parley_settings_t *s)
{
    parley_gate_conf_t          *gate = &s->gate;
    const parley_token_place_t  *argument;

    if (s->mcp != NULL) {
        s->submit = s->mcp;
    }

    if (s->websocket != NULL) {
        s->submit = &s->websocket->submit;
        s->stream = &s->websocket->stream;
    }

    if (s->moq != NULL) {
        s->stream = &s->moq->stream;
    }

    if (s->submit != NULL) {
        gate->accept |= s->submit->accept;
    }

    if (s->host != NULL) {
        s->stream = &s->host->stream;
        gate->accept |= PARLEY_PROTO_BIT(s->stream->proto);
    }

    if (s->submit != NULL || s->host != NULL
        || (!s->proves && parley_settings_endpoint(s) != PARLEY_ENDPOINT_NONE))
    {
        /*
         * no message is forwarded from these blocks, and they contain no
         * locations
         */
        s->undry = gate->dry != PARLEY_DRY_OFF;
        gate->dry = PARLEY_DRY_OFF;
    }

    /* a publication is translated to a frame first, see PUBLISH */

    gate->speak = s->submit != NULL ? PARLEY_PROTO_STREAMS
                  : parley_settings_endpoint(s) != PARLEY_ENDPOINT_NONE
                  ? PARLEY_PROTO_NONE
                  : s->said == PARLEY_PROTO_NONE
                  ? parley_settings_speaks(gate->accept) : s->said;
    gate->gateway = s->gateway;
    argument = s->jwt == NULL ? NULL
               : parley_setting_token_place(s->jwt, PARLEY_TOKEN_ARGUMENT);
    gate->token = argument != NULL ? argument->name
                  : s->jwt != NULL && s->jwt->tickets > 0 && s->stream != NULL
                    && s->moq == NULL
                  ? PARLEY_STR(PARLEY_TICKET_ARGUMENT) : parley_str_none;

    gate->failures = s->jwt != NULL ? s->jwt->failures
                                    : parley_failures_default;

    /* with parley_trusted, many senders may share one address */

    if (s->jwt == NULL && gate->trusted
        && gate->certificate == PARLEY_DEMAND_OFF)
    {
        gate->failures.interval_us = 0;
    }
}


parley_proto_t
parley_settings_speaks(parley_proto_set_t accept)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (accept == PARLEY_PROTO_BIT(i)) {
            return (parley_proto_t) i;
        }
    }

    return PARLEY_PROTO_NONE;
}
