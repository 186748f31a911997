/* Checks blocks of parley_moq, which MoQ connections name. */

#include <stdio.h>

#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_moq_conf.h"
#include "gate/settings/parley_settings_parts.h"


#define PARLEY_SETTINGS_CONNECTS                                             \
    "takes MoQ connections; expected a location without "

/* ms between two packets of a client that docs/moq.md expects */
#define PARLEY_SETTINGS_MOQ_IDLE  10000

/* octets of a name of an agent */
#define PARLEY_SETTINGS_MOQ_NAME  1024


static int parley_settings_moq_messages(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem);
static const char *parley_settings_moq_other(const parley_settings_t *s,
    const parley_settings_t *messages);
static int parley_settings_moq_has(const parley_str_t *list, size_t n,
    const parley_str_t *part, size_t nparts);


parley_str_t
parley_settings_messages(const parley_settings_t *s)
{
    return s->moq != NULL ? s->moq->messages : parley_str_none;
}


int
parley_settings_moq(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    const char  *why;

    if (parley_settings_alone(s, block, PARLEY_DIRECTIVE_MOQ,
                              PARLEY_SETTINGS_CONNECTS,
                              PARLEY_SETTINGS_READING
                              | parley_settings_bit(WEBSOCKET)
                              | parley_settings_bit(HOST), problem)
        != 0)
    {
        return -1;
    }

    why = block->returns
          ? PARLEY_SETTINGS_CONNECTS PARLEY_SETTINGS_RETURN
          : block->pattern
          ? "is in a location that no PATH names; expected a location with a "
            "plain name, such as \"location = /moq\""
          : block->internal
          ? "is in a location with \"internal\", which no connection reaches"
          : block->unquic
          ? "is in a server without \"listen ... quic\""
          : block->idle == 0
          ? "is in a server with \"keepalive_timeout 0\", in which no "
            "connection of QUIC lives; expected a time there, and in the "
            "default server of the address"
          : NULL;

    return why != NULL
           ? parley_problem(problem, "\"parley_moq\" %s", why)
           : parley_settings_moq_messages(s, block, problem);
}


/* Checks the location that gets each CMD. */

static int
parley_settings_moq_messages(const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    const char    *why;
    parley_str_t   uri;

    why = block->messages == NULL
          ? "is the name of no location of this server; expected the whole "
            "name of one, without a regular expression or a query"
          : block->hidden
          ? "leads to a location with \"internal\", which no command reaches; "
            "expected \"allow\" and \"deny\" or rules"
          : !(block->messages->gate.accept
              & PARLEY_PROTO_BIT(PARLEY_PROTO_TRACKS))
          ? "leads to a location without \"parley_submit moq\" or "
            "\"parley_accept moq\""
          : NULL;

    if (why == NULL) {
        return 0;
    }

    uri = s->moq->messages;

    return parley_problem(problem, "\"messages=%.*s\" of \"parley_moq\" %s",
                          (int) uri.len, (const char *) uri.data, why);
}


/* An agent id names one principal: tracks have it, and a rule about them has
   the name in AEE that it makes. */

int
parley_settings_moq_agents(const parley_settings_http_t *http,
    parley_problem_t *problem)
{
    size_t                     i, k, n;
    char                       name[PARLEY_SETTINGS_MOQ_NAME];
    parley_str_t               agent;
    const parley_principal_t  *list, *owner;

    static const struct {
        parley_namespace_t  space;
        const char         *prefix;
    } forms[] = {
        { PARLEY_NAMESPACE_AEE, "agent." },
        { PARLEY_NAMESPACE_HANDLE, "~" },
    };

    n = parley_directory_principals(http->directory, &list);

    for (i = 0; i < n; i++) {
        agent = parley_principal_agent(&list[i]);

        if (agent.len == 0 || agent.len > PARLEY_SETTINGS_MOQ_NAME / 2) {
            continue;
        }

        problem->where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

        if (parley_str_is(agent, "parley")) {
            return parley_problem(problem, "/principals/%zu in \"%.*s\" has "
                                  "the agent id \"parley\", which "
                                  "\"parley_moq\" has for tracks of the "
                                  "gateway", i,
                                  (int) http->identities.len,
                                  (const char *) http->identities.data);
        }

        for (k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
            (void) snprintf(name, sizeof(name), "%s%.*s", forms[k].prefix,
                            (int) agent.len, (const char *) agent.data);

            owner = parley_directory_owner(http->directory, forms[k].space,
                                           parley_str_c(name));

            if (owner != NULL && owner != &list[i]) {
                return parley_problem(problem, "/principals/%zu and "
                                      "/principals/%zu in \"%.*s\" have names "
                                      "of the agent id \"%.*s\", by which "
                                      "\"parley_moq\" finds one principal",
                                      i, (size_t) (owner - list),
                                      (int) http->identities.len,
                                      (const char *) http->identities.data,
                                      (int) agent.len,
                                      (const char *) agent.data);
            }
        }
    }

    return 0;
}


/* Returns the parameter of parley_jwt by which the location of the messages
   refuses tokens that this one accepts, or NULL. */

static const char *
parley_settings_moq_other(const parley_settings_t *s,
    const parley_settings_t *messages)
{
    const parley_jwt_rules_t  *rules, *to;

    if (s->jwt == NULL || messages->jwt == NULL) {
        return NULL;
    }

    rules = &s->jwt->rules;
    to = &messages->jwt->rules;

    return !parley_settings_moq_has(to->audiences, to->naudiences,
                                    rules->audiences, rules->naudiences)
           ? "audience="
           : !parley_settings_moq_has(to->issuers, to->nissuers,
                                      rules->issuers, rules->nissuers)
           ? "issuer=" : NULL;
}


/* Returns whether a list has all of another one; an empty one has every
   string. */

static int
parley_settings_moq_has(const parley_str_t *list, size_t n,
    const parley_str_t *part, size_t nparts)
{
    size_t  i, k;

    for (i = 0; n > 0 && i < nparts; i++) {

        for (k = 0; k < n && !parley_str_eq(list[k], part[i]); k++) {
            /* void */
        }

        if (k == n) {
            return 0;
        }
    }

    return n == 0 || nparts > 0;
}


void
parley_settings_moq_warnings(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    const char             *other;
    parley_moq_endpoint_t  *endpoint;

    for (endpoint = http->endpoints; endpoint != NULL;
         endpoint = endpoint->next)
    {
        endpoint->known |= parley_str_eq(endpoint->path, block->name);
    }

    problem->where = s->where[PARLEY_DIRECTIVE_MOQ];

    other = parley_settings_moq_other(s, block->messages);

    if (other != NULL) {
        (void) parley_problem(problem, "\"messages=%.*s\" of \"parley_moq\" "
                              "leads to a location with another \"%s\" of "
                              "\"parley_jwt\": it may refuse the commands of "
                              "a session, which have its token",
                              (int) s->moq->messages.len,
                              (const char *) s->moq->messages.data, other);
        parley_settings_warn(env, problem);
    }

    if (s->moq->stream.lag < s->moq->object) {
        (void) parley_problem(problem, "\"parley_moq\" has \"lag=\" below "
                              "\"object=\": one object can end the "
                              "subscription to its track");
        parley_settings_warn(env, problem);
    }

    if (block->unshared) {
        (void) parley_problem(problem, "\"parley_moq\" is in a server with "
                              "\"listen ... quic\" without \"reuseport\": with "
                              "several workers, packets of a connection reach "
                              "the wrong worker");
        parley_settings_warn(env, problem);
    }

    if (block->idle <= PARLEY_SETTINGS_MOQ_IDLE) {
        (void) parley_problem(problem, "\"parley_moq\" is in a server with a "
                              "\"keepalive_timeout\" of %lld s: connections of "
                              "clients that send nothing for so long end; "
                              "expected more than 10 s",
                              (long long) block->idle / 1000);
        parley_settings_warn(env, problem);
    }

    if (block->unkeyed) {
        (void) parley_problem(problem, "\"parley_moq\" is in a server without "
                              "\"quic_host_key\": after a restart, clients "
                              "get no stateless reset and notice the end of "
                              "their connections late");
        parley_settings_warn(env, problem);
    }
}


/* Another nginx may have the endpoint if this one takes no MoQ connections. */

void
parley_settings_moq_endpoints(const parley_settings_env_t *env,
    const parley_settings_http_t *http)
{
    parley_problem_t              problem;
    const parley_moq_endpoint_t  *endpoint;

    if (http->connects.line == 0) {
        return;
    }

    for (endpoint = http->endpoints; endpoint != NULL;
         endpoint = endpoint->next)
    {
        if (endpoint->known) {
            continue;
        }

        problem.where = endpoint->where;

        (void) parley_problem(&problem, "\"parley_moq_endpoint\" names the "
                              "path \"%.*s\", and no location of this name "
                              "has \"parley_moq\"",
                              (int) endpoint->path.len,
                              (const char *) endpoint->path.data);
        parley_settings_warn(env, &problem);
    }
}
