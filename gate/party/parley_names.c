/* Lists the names of parties for rules. */

#include <string.h>

#include "translate/parley_agent.h"
#include "auth/parley_surface.h"
#include "translate/channel/parley_channel_scope.h"
#include "gate/party/parley_names.h"
#include "translate/parley_name.h"


static void parley_names_init(parley_names_t *names, parley_who_t *who);
static const parley_principal_t *parley_names_owner(const parley_who_t *who,
    parley_str_t name);
static int parley_names_principal(parley_names_t *names);
static size_t parley_names_principals(parley_names_t *names,
    const parley_principal_t *p, int loose);
static int parley_names_instruments(parley_names_t *names,
    const parley_principal_t *p);
static int parley_names_instrument(parley_names_t *names, parley_str_t text);
static int parley_names_accounts(parley_names_t *names,
    const parley_principal_t *p);
static int parley_names_account(parley_names_t *names, parley_str_t name);
static int parley_names_account_of(parley_names_t *names, parley_str_t account);
static int parley_names_group(parley_names_t *names, parley_str_t name);
static int parley_names_unlisted(parley_names_t *names, parley_str_t name);
static int parley_names_readings(parley_names_t *names, parley_str_t name);
static int parley_names_likes(parley_names_t *names);
static int parley_names_like(parley_names_t *names,
    const parley_principal_t *p);
static void parley_names_reading(void *ctx, parley_str_t text, int exact);
static void parley_names_alias(void *ctx, parley_str_t text, int exact);
static void parley_names_add(parley_names_t *names, parley_str_t text,
    int loose);
static int parley_names_grow(parley_names_t *names);
static int parley_names_is_others(const parley_names_t *names,
    parley_str_t text);


int
parley_names_sender(parley_who_t *who, parley_names_t *ret)
{
    size_t  i;

    parley_names_init(ret, who);

    ret->owner = who->principal;

    if (ret->owner != NULL) {

        if (who->surface != NULL
            && parley_names_also(ret, who->surface) != 0)
        {
            return -1;
        }

        ret->owner = who->principal;

        return parley_names_principal(ret);
    }

    if (who->msg->sender.len == 0) {
        return 0;
    }

    if (parley_names_unlisted(ret, who->msg->sender) != 0) {
        return -1;
    }

    for (i = 0; i < ret->n; i++) {
        ret->list[i].loose = 1;
    }

    return 0;
}


int
parley_names_recipient(parley_who_t *who, parley_str_t to,
    parley_names_t *ret)
{
    parley_names_init(ret, who);

    ret->drafters = 1;

    if (to.len == 0) {
        return 0;
    }

    ret->owner = parley_names_owner(who, to);

    if (ret->owner != NULL) {

        if (who->asker != NULL) {
            parley_names_add(ret, to, 0);
        }

        return parley_names_principal(ret);
    }

    /* the group and the handle of a submission of agent-channel */

    parley_names_add(ret, who->msg->scope, 0);
    parley_names_add(ret, who->msg->handle, 0);

    if (parley_names_group(ret, to) != 0
        || parley_names_unlisted(ret, to) != 0
        || parley_names_readings(ret, to) != 0
        || parley_names_account(ret, to) != 0
        || parley_names_likes(ret) != 0)
    {
        return -1;
    }

    return ret->failed ? -1 : 0;
}


int
parley_names_also(parley_names_t *names, const parley_principal_t *p)
{
    names->owner = p;

    return parley_names_principal(names);
}


/* Adds the handle of the organisation of a group in agent-channel. */

static int
parley_names_group(parley_names_t *names, parley_str_t name)
{
    int                     rc;
    parley_str_t            image;
    parley_proto_t          wire;
    parley_channel_scope_t  scope;

    wire = names->who->msg->wire;

    if (!parley_name_is_group(wire, name)) {
        return 0;
    }

    rc = parley_name_map(names->who->arena, wire, name, PARLEY_PROTO_STREAMS,
                         &image);

    if (rc == 0 && parley_channel_scope_parse(image, &scope) == 0) {
        parley_names_add(names, scope.handle, 0);
    }

    return rc == -1 ? -1 : 0;
}


static void
parley_names_init(parley_names_t *names, parley_who_t *who)
{
    names->who = who;
    names->owner = NULL;
    names->list = names->few;
    names->n = 0;
    names->room = PARLEY_NAMES_FEW;
    names->failed = 0;
    names->drafters = 0;
}


/*
 * Returns the principal that is listed under this name in the message's own
 * protocol, or that asked the question that the message answers under this
 * name.
 */

static const parley_principal_t *
parley_names_owner(const parley_who_t *who, parley_str_t name)
{
    const parley_principal_t  *owner;

    if (who->directory == NULL) {
        return NULL;
    }

    owner = parley_directory_by_name(who->directory,
                                     (parley_namespace_t) who->msg->wire,
                                     name);

    return owner != NULL ? owner
                         : parley_who_answered(who, who->msg->wire, name);
}


static int
parley_names_principal(parley_names_t *names)
{
    size_t  n;

    n = parley_names_principals(names, names->owner, 0);

    /*
     * a principal without names is named by its sub, which may be an AEE name
     */

    if (n == 0
        && parley_name_aliases(names->who->arena, PARLEY_PROTO_CANONICAL,
                               names->owner->sub, parley_names_alias, names)
           != 0)
    {
        return -1;
    }

    return parley_names_instruments(names, names->owner) != 0
           || parley_names_accounts(names, names->owner) != 0
           || names->failed ? -1 : 0;
}


/*
 * Adds the names that are derived from the accounts of a principal (C2A-38): a
 * rule may deny one by them.
 */

static int
parley_names_accounts(parley_names_t *names, const parley_principal_t *p)
{
    int                       rc;
    size_t                    i;
    parley_str_t              name;
    parley_surface_account_t  account;

    for (i = 0; i < p->accounts.n; i++) {

        if (parley_surface_read(p->accounts.list[i], &account) != 0) {
            continue;
        }

        rc = parley_surface_name(names->who->arena, &account, &name);

        if (rc < 0 || (rc == 0 && parley_names_account_of(names, name) != 0)) {
            return -1;
        }
    }

    return 0;
}


/* Adds both names of an account that a surface delivers to. */

static int
parley_names_account(parley_names_t *names, parley_str_t name)
{
    int                        rc;
    parley_str_t               account;
    parley_proto_t             wire;
    const parley_principal_t  *reader;

    wire = names->who->msg->wire;

    rc = parley_who_account_reader(names->who, wire, name, &reader);

    if (rc < 0 || reader == NULL) {
        return rc < 0 ? -1 : 0;
    }

    return parley_who_account_named(names->who, wire, name, &account) == 0
           ? parley_names_account_of(names, account) : -1;
}


/* Adds the names of an account as a human's and as an agent's. */

static int
parley_names_account_of(parley_names_t *names, parley_str_t account)
{
    unsigned         i;
    parley_buf_t     b;
    parley_str_t     text;
    parley_arena_t  *arena;

    static const parley_str_t  kinds[] = {
        parley_str("human."), parley_str("agent.")
    };

    arena = names->who->arena;

    for (i = 0; i < 2; i++) {
        parley_buf_init(&b, arena, account.len + kinds[i].len);
        parley_buf_str(&b, kinds[i]);
        parley_buf_str(&b, account);

        if (parley_buf_done(&b, &text) != 0
            || parley_name_aliases(arena, PARLEY_PROTO_CANONICAL, text,
                                   parley_names_reading, names)
               != 0)
        {
            return -1;
        }
    }

    return 0;
}


/*
 * Adds the names of the instruments that draft for a recipient, so that a deny
 * rule may name the recipient by them.  An instrument may draft for several
 * principals, so these names are loose and match no allow rule.
 */

static int
parley_names_instruments(parley_names_t *names, const parley_principal_t *p)
{
    size_t  i;

    if (!names->drafters) {
        return 0;
    }

    if (p->instruments.n == 0) {
        return parley_names_instrument(names, p->instrument);
    }

    for (i = 0; i < p->instruments.n; i++) {
        if (parley_names_instrument(names, p->instruments.list[i]) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Adds the names of an instrument, with its version and without. */

static int
parley_names_instrument(parley_names_t *names, parley_str_t text)
{
    if (text.len == 0) {
        return 0;
    }

    parley_names_add(names, text, 1);

    text = parley_str_until(text, '@');

    parley_names_add(names, text, 1);

    return parley_name_aliases(names->who->arena, PARLEY_PROTO_STREAMS, text,
                               parley_names_reading, names);
}


/*
 * Adds the sub and the names of a principal, and returns the number of names.
 */

static size_t
parley_names_principals(parley_names_t *names, const parley_principal_t *p,
    int loose)
{
    size_t           n;
    unsigned         i;
    parley_str_t     name;
    parley_agent_t   agent;
    parley_agents_t  agents;

    parley_who_agents(names->who, &agents);
    parley_who_as_agent(p, &agent);
    parley_names_add(names, agent.sub, loose);

    for (i = 0, n = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_proto_is_named((parley_proto_t) i)
            && parley_agent_name(&agents, &agent, (parley_proto_t) i, &name)
               == 0)
        {
            parley_names_add(names, name, loose);
            n++;
        }
    }

    return n;
}


static int
parley_names_unlisted(parley_names_t *names, parley_str_t name)
{
    parley_names_add(names, name, 0);

    return parley_name_aliases(names->who->arena, names->who->msg->wire, name,
                               parley_names_alias, names);
}


/*
 * Adds the readings of a name by the syntax of each protocol that fits; if none
 * fits, by the protocols with opaque names.
 */

static int
parley_names_readings(parley_names_t *names, parley_str_t name)
{
    int              said;
    uint8_t         *lower;
    unsigned         proto;
    parley_arena_t  *arena;

    arena = names->who->arena;

    lower = parley_arena_alloc(arena, name.len);
    if (lower == NULL) {
        return -1;
    }

    parley_str_lower(name, lower);
    name.data = lower;
    parley_names_add(names, name, 1);
    said = 0;

    for (proto = 0; proto < PARLEY_PROTO_COUNT; proto++) {

        if (!parley_proto_is_named((parley_proto_t) proto)
            || !parley_name_says((parley_proto_t) proto, name))
        {
            continue;
        }

        said = 1;

        if (parley_name_aliases(arena, (parley_proto_t) proto, name,
                                parley_names_reading, names)
            != 0)
        {
            return -1;
        }
    }

    for (proto = 0; !said && proto < PARLEY_PROTO_COUNT; proto++) {

        if (parley_proto_is_named((parley_proto_t) proto)
            && parley_name_reads((parley_proto_t) proto, name)
            && parley_name_aliases(arena, (parley_proto_t) proto, name,
                                   parley_names_reading, names)
               != 0)
        {
            return -1;
        }
    }

    return 0;
}


static void
parley_names_reading(void *ctx, parley_str_t text, int exact)
{
    (void) exact;

    parley_names_add(ctx, text, 1);
}


/*
 * Adds the other names of each principal that is listed under one of the names,
 * or lists one as an instrument.
 */

static int
parley_names_likes(parley_names_t *names)
{
    size_t                     i, n;
    uint32_t                   at;
    parley_str_t               text;
    const parley_principal_t  *p;

    if (names->who->directory == NULL) {
        return 0;
    }

    n = names->n;

    for (i = 0; i < n; i++) {
        text = names->list[i].text;
        at = 0;

        while ((p = parley_directory_next_like(names->who->directory, text,
                                               &at))
               != NULL)
        {
            if (parley_names_like(names, p) != 0) {
                return -1;
            }
        }

        at = 0;

        while (text.data[0] == '~'
               && (p = parley_directory_next_drafted(names->who->directory,
                                                     text, &at))
                  != NULL)
        {
            if (parley_names_like(names, p) != 0) {
                return -1;
            }
        }
    }

    return 0;
}


/* Adds the names of a principal as loose ones. */

static int
parley_names_like(parley_names_t *names, const parley_principal_t *p)
{
    (void) parley_names_principals(names, p, 1);

    return parley_names_instruments(names, p) != 0
           || parley_names_accounts(names, p) != 0 ? -1 : 0;
}


static void
parley_names_alias(void *ctx, parley_str_t text, int exact)
{
    parley_names_add(ctx, text, !exact);
}


static void
parley_names_add(parley_names_t *names, parley_str_t text, int loose)
{
    size_t                 i;
    parley_policy_name_t  *name;

    if (text.len == 0) {
        return;
    }

    for (i = 0; i < names->n; i++) {
        if (parley_str_eq(names->list[i].text, text)) {
            return;
        }
    }

    if (names->n == names->room && parley_names_grow(names) != 0) {
        names->failed = 1;
        return;
    }

    name = &names->list[names->n++];

    name->text = text;
    name->loose = loose || parley_names_is_others(names, text);
}


static int
parley_names_grow(parley_names_t *names)
{
    parley_policy_name_t  *list;

    list = parley_arena_alloc(names->who->arena,
                              2 * names->room * sizeof(parley_policy_name_t));
    if (list == NULL) {
        return -1;
    }

    memcpy(list, names->list, names->n * sizeof(parley_policy_name_t));

    names->list = list;
    names->room *= 2;

    return 0;
}


/*
 * Returns whether the directory lists the name for another principal, in any
 * protocol.
 */

static int
parley_names_is_others(const parley_names_t *names, parley_str_t text)
{
    unsigned                   i;
    const parley_principal_t  *owner;

    if (names->who->directory == NULL) {
        return 0;
    }

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        owner = parley_directory_by_name(names->who->directory,
                                         (parley_namespace_t) i, text);

        if (owner != NULL
            && (names->owner == NULL
                || !parley_str_eq(owner->sub, names->owner->sub)))
        {
            return 1;
        }
    }

    return 0;
}


int
parley_names_is_plain(const parley_who_t *who, parley_str_t name)
{
    int      inside;
    size_t   i;
    uint8_t  c;

    if (parley_names_owner(who, name) != NULL) {
        return 1;
    }

    /* a label must precede and follow a separator */

    for (i = 0, inside = 0; i < name.len; i++) {
        c = name.data[i];

        if (parley_is_alnum(c) || c == '_' || c == '-') {
            inside = 1;

        } else if (c == '~' && !inside
                   && (i == 0 || name.data[i - 1] == ':'))
        {
            continue;

        } else if (c == '*' && !inside && i + 1 == name.len && i > 0
                   && name.data[i - 1] == '/')
        {
            return 1;

        } else if ((c == '.' || c == ':' || c == '/' || c == '@') && inside) {
            inside = 0;

            if (c == ':' && name.len - i > 3 && name.data[i + 1] == '/'
                && name.data[i + 2] == '/')
            {
                i += 2;
            }

        } else {
            return 0;
        }
    }

    return inside;
}
