/* Reserved names, which no principal may have. */

#include <stdio.h>

#include "translate/parley_name.h"
#include "gate/settings/parley_reserved.h"
#include "translate/parley_msg_field.h"


#define PARLEY_RESERVED_TEXT(s)                                               \
    ((s).len < 56 ? (int) (s).len : 56), (const char *) (s).data


static int parley_reserved_in(parley_str_t name, const parley_str_t *list);
static int parley_reserved_listed(parley_arena_t *arena,
    const parley_str_t *self, const parley_principal_t *p,
    parley_namespace_t *ret);


int
parley_reserved_like(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, const parley_str_t *list)
{
    int           rc;
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

    parley_str_lower(name, lower);
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
