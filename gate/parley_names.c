/* Names of parties, for rules. */

#include "parley_names.h"
#include "parley_name.h"


static int parley_names_principal(parley_names_t *names);
static int parley_names_unlisted(parley_names_t *names, parley_str_t name);
static void parley_names_alias(void *ctx, parley_str_t text, int exact);
static void parley_names_add(parley_names_t *names, parley_str_t text,
    int loose);
static int parley_names_is_others(const parley_names_t *names,
    parley_str_t text);


int
parley_names_sender(parley_who_t *who, parley_names_t *ret)
{
    size_t  i;

    ret->who = who;
    ret->owner = who->principal;
    ret->n = 0;

    if (ret->owner != NULL) {
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
    ret->who = who;
    ret->owner = NULL;
    ret->n = 0;

    if (to.len == 0) {
        return 0;
    }

    if (who->directory != NULL) {
        ret->owner = parley_directory_by_name(who->directory,
                                         (parley_namespace_t) who->msg->wire,
                                         to);
    }

    if (ret->owner != NULL) {
        return parley_names_principal(ret);
    }

    /* what a group of agent-channel is submitted with, and whose it is */

    parley_names_add(ret, who->msg->scope, 0);
    parley_names_add(ret, who->msg->handle, 0);

    return parley_names_unlisted(ret, to);
}


static int
parley_names_principal(parley_names_t *names)
{
    unsigned          i, n;
    parley_str_t      name;
    parley_party_t    party;
    parley_parties_t  parties;

    parley_who_parties(names->who, &parties);
    parley_who_party(names->owner, &party);
    parley_names_add(names, party.sub, 0);

    for (i = 0, n = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (i != PARLEY_PROTO_MOQ
            && parley_party_name(&parties, &party, (parley_proto_t) i, &name)
               == 0)
        {
            parley_names_add(names, name, 0);
            n++;
        }
    }

    /* who has no names goes by its sub, which may be one of AEE's */

    return n > 0 ? 0 : parley_name_aliases(names->who->arena,
                                           PARLEY_PROTO_AEE, party.sub,
                                           parley_names_alias, names);
}


static int
parley_names_unlisted(parley_names_t *names, parley_str_t name)
{
    parley_names_add(names, name, 0);

    return parley_name_aliases(names->who->arena, names->who->msg->wire, name,
                               parley_names_alias, names);
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

    if (names->n == PARLEY_NAMES_MAX) {
        return;
    }

    name = &names->list[names->n++];

    name->text = text;
    name->loose = loose || parley_names_is_others(names, text);
}


/* whether the directory has it for somebody else, in any protocol */

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
