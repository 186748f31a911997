/* Warnings of nginx -t about a host of chat with which messages get lost. */

#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings_parts.h"
#include "auth/parley_surface.h"
#include "translate/parley_codec.h"
#include "translate/parley_name.h"


static void parley_settings_brief(const parley_settings_env_t *env,
    const parley_settings_http_t *http);
static void parley_settings_misnamed(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_principal_t *p, size_t i);
static void parley_settings_mute(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_principal_t *p, size_t i);
static void parley_settings_unsurfaced(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_principal_t *p, size_t i);
static int parley_settings_has_surface(const parley_settings_env_t *env,
    const parley_settings_http_t *http, parley_str_t account);
static int parley_settings_short(parley_str_t s);


void
parley_settings_warnings_host(const parley_settings_env_t *env,
    const parley_settings_http_t *http)
{
    size_t                     i, n;
    const parley_principal_t  *list;

    if (http->host == NULL) {
        return;
    }

    parley_settings_brief(env, http);

    n = parley_directory_principals(http->directory, &list);

    for (i = 0; i < n; i++) {
        parley_settings_misnamed(env, http, &list[i], i);
        parley_settings_mute(env, http, &list[i], i);
        parley_settings_unsurfaced(env, http, &list[i], i);
    }
}


/* Warns of events that are dropped before their deadline. */

static void
parley_settings_brief(const parley_settings_env_t *env,
    const parley_settings_http_t *http)
{
    parley_problem_t  problem;

    if (http->retain_ms >= http->host->host->deadline_ms) {
        return;
    }

    problem.where = http->where[PARLEY_DIRECTIVE_RETAIN];

    (void) parley_problem(&problem, "\"parley_retain\" has a \"time=\" below "
                          "the \"deadline=\" of \"parley_host\": an agent "
                          "that reads later does not get an event that it "
                          "must answer");
    parley_settings_warn(env, &problem);
}


/* Warns of a name that no event can have as its recipient. */

static void
parley_settings_misnamed(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_principal_t *p, size_t i)
{
    parley_str_t      name;
    parley_problem_t  problem;

    name = p->names[PARLEY_PROTO_CHAT];

    if (name.len == 0 || parley_name_reads(PARLEY_PROTO_CHAT, name)) {
        return;
    }

    problem.where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

    (void) parley_problem(&problem, "/principals/%zu/c2a in \"%.*s\" is "
                          "\"%.*s\", which is not a name of C2A; expected "
                          "agent:, human: or service: and an id", i,
                          (int) http->identities.len,
                          (const char *) http->identities.data,
                          parley_settings_short(name),
                          (const char *) name.data);
    parley_settings_warn(env, &problem);
}


/* Warns of a surface without a mailbox, which cannot show any answer. */

static void
parley_settings_mute(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_principal_t *p, size_t i)
{
    const char        *lacks;
    parley_problem_t   problem;

    lacks = p->names[PARLEY_NAMESPACE_HANDLE].len == 0 ? "handle"
            : p->names[PARLEY_PROTO_CHAT].len == 0 ? "c2a" : NULL;

    if (p->surface.n == 0 || lacks == NULL) {
        return;
    }

    problem.where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

    (void) parley_problem(&problem, "/principals/%zu in \"%.*s\" has "
                          "\"surface\" and no \"%s\", so it has no mailbox: "
                          "\"parley_host\" refuses answers to its messages", i,
                          (int) http->identities.len,
                          (const char *) http->identities.data, lacks);
    parley_settings_warn(env, &problem);
}


/* Warns of the first account for which no principal may deliver. */

static void
parley_settings_unsurfaced(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_principal_t *p, size_t i)
{
    size_t            k;
    parley_problem_t  problem;

    for (k = 0; k < p->accounts.n; k++) {

        if (parley_settings_has_surface(env, http, p->accounts.list[k])) {
            continue;
        }

        problem.where = http->where[PARLEY_DIRECTIVE_IDENTITIES];

        (void) parley_problem(&problem, "/principals/%zu/accounts/%zu in "
                              "\"%.*s\" is \"%.*s\", and no principal has its "
                              "platform and workspace in \"surface\": no "
                              "message of it can come", i, k,
                              (int) http->identities.len,
                              (const char *) http->identities.data,
                              parley_settings_short(p->accounts.list[k]),
                              (const char *) p->accounts.list[k].data);
        parley_settings_warn(env, &problem);
        break;
    }
}


/* Returns whether a principal has the source of the account in "surface", or
   cannot be looked up. */

static int
parley_settings_has_surface(const parley_settings_env_t *env,
    const parley_settings_http_t *http, parley_str_t account)
{
    parley_str_t               name;
    const parley_principal_t  *like;
    parley_surface_account_t   source;

    if (parley_surface_read(account, &source) != 0) {
        return 1;
    }

    source.id = parley_str_none;

    return parley_surface_name(env->arena, &source, &name) != 0
           || parley_directory_by_account(http->directory, name, &like)
              != NULL;
}


/* Returns the length of a text that a message quotes. */

static int
parley_settings_short(parley_str_t s)
{
    return s.len < 64 ? (int) s.len : 64;
}
