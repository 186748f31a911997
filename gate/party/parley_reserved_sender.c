/* Refuses a sender with a reserved name. */

#include "gate/party/parley_reserved_sender.h"
#include "gate/settings/parley_reserved.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_name.h"


#define PARLEY_RESERVED_TEXT(s)                                               \
    ((s).len < 56 ? (int) (s).len : 56), (const char *) (s).data


static int parley_reserved_name(parley_who_t *who, const parley_str_t *self,
    parley_proto_t proto, parley_str_t name, parley_error_t *err);
static int parley_reserved_name_is_group(parley_proto_t proto,
    parley_str_t name);


int
parley_reserved_name_sender(parley_who_t *who, const parley_str_t *self,
    parley_error_t *err)
{
    unsigned                   i;
    parley_str_t               name;
    const parley_principal_t  *p, *entry;

    p = who->principal;

    if (p == NULL) {
        return parley_reserved_name(who, self, who->msg->wire,
                                    who->msg->sender, err);
    }

    /* a signature or a certificate proves only listed principals */

    if (who->jwt == NULL) {
        return 0;
    }

    entry = who->directory != NULL
            ? parley_directory_by_sub(who->directory, p->sub) : NULL;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        name = p->names[i];

        if (name.len == 0
            || (entry != NULL && (i == PARLEY_NAMESPACE_SUB
                                  || name.data == entry->names[i].data)))
        {
            continue;
        }

        if (parley_reserved_name(who, self, (parley_proto_t) i, name, err)
            != 0)
        {
            return -1;
        }
    }

    name = p->instrument;

    if (name.len == 0
        || (entry != NULL && name.data == entry->instrument.data))
    {
        return 0;
    }

    return parley_reserved_name(who, self,
                                (parley_proto_t) PARLEY_NAMESPACE_HANDLE,
                                parley_str_until(name, '@'), err);
}


static int
parley_reserved_name(parley_who_t *who, const parley_str_t *self,
    parley_proto_t proto, parley_str_t name, parley_error_t *err)
{
    const char  *why;

    switch (parley_reserved_like(who->arena, proto, name, self)) {

    case -1:
        return parley_error_memory(err);

    case 1:
        why = "the gateway's own name, which is reserved";
        break;

    default:

        if (who->principal == NULL
            || !parley_reserved_name_is_group(proto, name))
        {
            return 0;
        }

        why = "the name of a group, which cannot send";
    }

    return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                            parley_at(who->msg, PARLEY_MSG_SENDER).pointer,
                            "\"%.*s\" is %s", PARLEY_RESERVED_TEXT(name),
                            why);
}


/*
 * Returns whether name is the name of a group.  A sub without other names
 * counts in every protocol.
 */

static int
parley_reserved_name_is_group(parley_proto_t proto, parley_str_t name)
{
    unsigned  i;

    if (parley_proto_is_named(proto)) {
        return parley_name_is_group(proto, name);
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_name_is_group((parley_proto_t) i, name)) {
            return 1;
        }
    }

    return 0;
}
