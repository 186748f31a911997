/* Names that no principal has. */

#include <stdio.h>

#include "translate/parley_name.h"
#include "gate/settings/parley_reserved.h"
#include "translate/parley_msg_field.h"


#define PARLEY_RESERVED_TEXT(s)                                               \
    ((s).len < 56 ? (int) (s).len : 56), (const char *) (s).data


static int parley_reserved_in(parley_str_t name, const parley_str_t *list);
static int parley_reserved_name(parley_who_t *who, const parley_str_t *self,
    parley_proto_t proto, parley_str_t name, parley_error_t *err);
static int parley_reserved_is_group(parley_proto_t proto, parley_str_t name);
static int parley_reserved_listed(parley_arena_t *arena,
    const parley_str_t *self, const parley_principal_t *p,
    parley_namespace_t *ret);


int
parley_reserved_like(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, const parley_str_t *list)
{
    int           rc;
    size_t        i;
    uint8_t      *lower;
    unsigned      from, to;
    parley_str_t  image;

    if (name.len == 0) {
        return 0;
    }

    if (parley_reserved_in(name, list)) {
        return 1;
    }

    lower = parley_arena_octets(arena, name.len);

    if (lower == NULL) {
        return -1;
    }

    for (i = 0; i < name.len; i++) {
        lower[i] = parley_lower(name.data[i]);
    }

    name.data = lower;

    for (from = 0; from < PARLEY_PROTO_COUNT; from++) {

        if (from != proto && !parley_name_says((parley_proto_t) from, name)) {
            continue;
        }

        for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

            if (to == from || list[to].len == 0) {
                continue;
            }

            rc = parley_name_map(arena, (parley_proto_t) from, name,
                                 (parley_proto_t) to, &image);
            if (rc < 0) {
                return -1;
            }

            if (rc == 0 && parley_reserved_in(image, list)) {
                return 1;
            }
        }
    }

    return 0;
}


static int
parley_reserved_in(parley_str_t name, const parley_str_t *list)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (list[i].len > 0 && parley_str_eq_fold(list[i], name)) {
            return 1;
        }
    }

    return 0;
}


int
parley_reserved_sender(parley_who_t *who, const parley_str_t *self,
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

    /* whom a signature or a certificate proves is listed */

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
        why = "the gateway's own name, which nobody else has";
        break;

    default:

        if (who->principal == NULL || !parley_reserved_is_group(proto, name))
        {
            return 0;
        }

        why = "the name of a group, which sends nothing itself";
    }

    return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                            parley_at(who->msg, PARLEY_MSG_SENDER).pointer,
                            "\"%.*s\" is %s", PARLEY_RESERVED_TEXT(name),
                            why);
}


/* a sub without other names is its principal's in every protocol */

static int
parley_reserved_is_group(parley_proto_t proto, parley_str_t name)
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


int
parley_reserved_directory(parley_arena_t *arena, const parley_str_t *self,
    const parley_directory_t *directory, parley_error_t *err)
{
    int                        rc;
    char                       field[PARLEY_POINTER_MAX];
    size_t                     i, n;
    parley_namespace_t         space;
    const parley_principal_t  *list;

    n = parley_directory_principals(directory, &list);

    for (i = 0; i < n; i++) {
        rc = parley_reserved_listed(arena, self, &list[i], &space);

        if (rc == 0) {
            continue;
        }

        if (rc < 0) {
            return parley_error_memory(err);
        }

        (void) snprintf(field, sizeof(field), "/principals/%zu/%s", i,
                        parley_namespace_members[space]);

        return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                "\"%.*s\" is the gateway's own name, see "
                                "\"parley_self\"",
                                PARLEY_RESERVED_TEXT(list[i].names[space]));
    }

    return 0;
}


static int
parley_reserved_listed(parley_arena_t *arena, const parley_str_t *self,
    const parley_principal_t *p, parley_namespace_t *ret)
{
    int       rc;
    unsigned  i;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        rc = parley_reserved_like(arena, (parley_proto_t) i, p->names[i], self);
        if (rc != 0) {
            *ret = (parley_namespace_t) i;
            return rc;
        }
    }

    return 0;
}
