/*
 * Authors of events that a chat surface delivers (C2A-38).  A listed account
 * belongs to its principal.  Another account is a principal of its own, with a
 * name that is derived from the account.
 */

#include "translate/parley_agent.h"
#include "auth/parley_jwt.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_name.h"
#include "auth/parley_surface.h"
#include "gate/party/parley_who.h"


static int parley_who_account(const parley_who_t *who,
    parley_surface_account_t *ret, int *ret_human);
static int parley_who_serves(const parley_who_t *who,
    parley_surface_account_t source);
static int parley_who_listed_author(parley_who_t *who,
    const parley_principal_t *p, parley_error_t *err);
static int parley_who_derived_author(parley_who_t *who, parley_str_t name,
    int human, parley_error_t *err);
static int parley_who_is_taken(const parley_who_t *who, parley_str_t name);
static parley_str_t parley_who_account_name(parley_str_t name);
static int parley_who_mismatch(const parley_who_t *who, const char *why,
    parley_error_t *err);


int
parley_who_delivers(parley_who_t *who, parley_error_t *err)
{
    int                        rc, human;
    parley_str_t               name;
    const parley_principal_t  *p, *like;
    parley_surface_account_t   account;

    rc = parley_who_account(who, &account, &human);

    if (rc != 1) {
        return rc == 0 ? 0 : parley_error_memory(err);
    }

    rc = parley_surface_name(who->arena, &account, &name);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(err)
               : parley_who_mismatch(who, "the account's id is too long", err);
    }

    p = parley_directory_by_account(who->directory, name, &like);

    if (p == NULL && like != NULL) {
        return parley_who_mismatch(who,
                                   "the account differs from a listed one only "
                                   "in case", err);
    }

    rc = p != NULL ? parley_who_listed_author(who, p, err)
                   : parley_who_derived_author(who, name, human, err);

    return rc == 0 ? 1 : -1;
}


/*
 * Finds the account for which the caller delivers the message.  Only a surface
 * itself may deliver, not an actor of its token.  Returns 1; 0 if it does not
 * deliver; or -1: no memory.
 */

static int
parley_who_account(const parley_who_t *who, parley_surface_account_t *ret,
    int *ret_human)
{
    int                    rc;
    parley_msg_account_t   account;
    const parley_codec_t  *codec;

    codec = parley_codecs[who->msg->wire];

    if (who->principal == NULL || who->principal->surface.n == 0
        || who->directory == NULL || !parley_who_is_caller(who)
        || (who->jwt != NULL && who->jwt->act != PARLEY_JSON_NONE)
        || codec->account == NULL)
    {
        return 0;
    }

    rc = codec->account(who->msg, &account);

    if (rc != 1) {
        return rc;
    }

    ret->platform = account.platform;
    ret->workspace = account.workspace;
    ret->id = account.id;
    *ret_human = account.human;

    return parley_who_serves(who, *ret);
}


/*
 * Returns whether the caller is the surface of an account's source: 1, 0, or
 * -1.
 */

static int
parley_who_serves(const parley_who_t *who, parley_surface_account_t source)
{
    int                        rc;
    parley_str_t               name;
    const parley_principal_t  *p, *like;

    source.id = parley_str_none;

    rc = parley_surface_name(who->arena, &source, &name);

    if (rc != 0) {
        return rc < 0 ? -1 : 0;
    }

    p = parley_directory_by_account(who->directory, name, &like);

    return p != NULL && parley_str_eq(p->sub, who->principal->sub);
}


/* Sets the author to p, with its name in the message's protocol. */

static int
parley_who_listed_author(parley_who_t *who, const parley_principal_t *p,
    parley_error_t *err)
{
    parley_agent_t   agent;
    parley_agents_t  agents;

    parley_who_agents(who, &agents);
    parley_who_as_agent(p, &agent);

    if (parley_agent_name(&agents, &agent, who->msg->wire, &who->author)
        != 0)
    {
        return parley_error_set(err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(who->msg, PARLEY_MSG_SENDER).pointer,
                                "the principal of this account has no name "
                                "in this protocol");
    }

    who->surface = who->principal;

    if (!parley_str_eq(p->sub, who->principal->sub)) {
        who->principal = p;
    }

    return 0;
}


/*
 * Sets the author to a principal with only the name derived from its account.
 */

static int
parley_who_derived_author(parley_who_t *who, parley_str_t name, int human,
    parley_error_t *err)
{
    parley_buf_t         b;
    parley_str_t         text;
    parley_principal_t  *p;

    parley_buf_init(&b, who->arena, name.len + 8);

    if (human) {
        parley_buf_lit(&b, "human.");

    } else {
        parley_buf_lit(&b, "agent.");
    }

    parley_buf_str(&b, name);

    p = parley_arena_calloc(who->arena, sizeof(parley_principal_t));

    if (p == NULL || parley_buf_done(&b, &text) != 0
        || parley_name_map(who->arena, PARLEY_PROTO_CANONICAL, text,
                           who->msg->wire, &p->sub)
           != 0)
    {
        return parley_error_memory(err);
    }

    if (parley_who_is_taken(who, text) || parley_who_is_taken(who, p->sub)) {
        return parley_who_mismatch(who, "the name of this account is also "
                                   "that of a principal", err);
    }

    p->names[who->msg->wire] = p->sub;
    p->names[PARLEY_NAMESPACE_SUB] = p->sub;

    who->author = p->sub;
    who->surface = who->principal;
    who->principal = p;

    return 0;
}


/* Returns whether a principal lists the name, ignoring the case of letters. */

static int
parley_who_is_taken(const parley_who_t *who, parley_str_t name)
{
    uint32_t  at;

    at = 0;

    return parley_directory_next_like(who->directory, name, &at) != NULL;
}


int
parley_who_account_reader(const parley_who_t *who, parley_proto_t proto,
    parley_str_t name, const parley_principal_t **ret)
{
    int                        rc;
    parley_str_t               text;
    const parley_principal_t  *like;

    *ret = NULL;

    rc = parley_who_account_named(who, proto, name, &text);

    if (rc != 0 || text.len == 0) {
        return rc;
    }

    *ret = parley_directory_by_account(who->directory, text, &like);

    if (*ret == NULL && like != NULL) {
        return 1;
    }

    if (*ret == NULL) {
        *ret = parley_directory_by_account(who->directory,
                                           parley_surface_source(text), &like);

        /* the surface would decode it to another account */

        if (*ret != NULL && !parley_surface_is_encoded(text)) {
            *ret = NULL;
            return 1;
        }
    }

    return 0;
}


int
parley_who_account_named(const parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
{
    int           rc;
    parley_str_t  text;

    *ret = parley_str_none;

    if (who->directory == NULL || name.len == 0
        || !parley_directory_has_surfaces(who->directory))
    {
        return 0;
    }

    rc = parley_name_map(who->arena, proto, name, PARLEY_PROTO_CANONICAL,
                         &text);

    if (rc == 0) {
        *ret = parley_who_account_name(text);
    }

    return rc < 0 ? -1 : 0;
}


/*
 * Returns the part of an AEE name that is derived from an account, without the
 * kind; empty if the name is not derived from an account.
 */

static parley_str_t
parley_who_account_name(parley_str_t name)
{
    size_t   i;
    uint8_t  c;

    if (!parley_name_strip(&name, PARLEY_STR("human."))
        && !parley_name_strip(&name, PARLEY_STR("agent.")))
    {
        return parley_str_none;
    }

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        if (!parley_is_alnum(c) && c != '_' && c != '-' && c != '%'
            && c != '.')
        {
            return parley_str_none;
        }
    }

    return parley_surface_source(name).len > 0 ? name : parley_str_none;
}


static int
parley_who_mismatch(const parley_who_t *who, const char *why,
    parley_error_t *err)
{
    return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                            parley_at(who->msg, PARLEY_MSG_SENDER).pointer,
                            "%s", why);
}
