#include <stdio.h>
#include <string.h>

#include "auth/parley_actor.h"
#include "auth/parley_directory_index.h"
#include "auth/parley_directory_instrument.h"


/* Returns the slot of the name, or the free one where it belongs. */

static uint32_t *
parley_directory_slot(const parley_directory_t *dir,
    parley_namespace_t space, parley_str_t name)
{
    uint32_t   i;
    uint32_t  *slot;

    for (i = parley_directory_hash(name); /* void */ ; i++) {
        slot = &dir->tables[space][i & dir->mask];

        if (*slot == 0
            || parley_str_eq(dir->principals[*slot - 1].names[space], name))
        {
            return slot;
        }
    }
}


int
parley_directory_clash(const parley_directory_t *dir, size_t at,
    parley_namespace_t space, size_t other, parley_namespace_t other_space,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    parley_str_t               name, text;
    const char                *member, *word;
    const parley_principal_t  *p, *q;

    p = &dir->principals[at];
    q = &dir->principals[other];

    /* a principal without names goes by its sub */

    if (p->names[space].len == 0) {
        space = PARLEY_NAMESPACE_SUB;
    }

    if (q->names[other_space].len == 0) {
        other_space = PARLEY_NAMESPACE_SUB;
    }

    member = parley_namespace_members[space];
    word = parley_namespace_members[other_space];
    name = p->names[space];
    text = q->names[other_space];

    (void) snprintf(pointer, sizeof(pointer), "/principals/%zu/%s", at,
                    member);
    (void) snprintf(first, PARLEY_POINTER_MAX, "/principals/%zu/%s", other,
                    word);

    if (parley_str_eq(name, text)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "%s \"%.*s\" is also that of /principals/%zu",
                                member, name.len < 96 ? (int) name.len : 96,
                                (const char *) name.data, other);
    }

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                            "%s \"%.*s\" is derived from %s \"%.*s\" of "
                            "/principals/%zu", member,
                            name.len < 40 ? (int) name.len : 40,
                            (const char *) name.data, word,
                            text.len < 40 ? (int) text.len : 40,
                            (const char *) text.data, other);
}


static int
parley_directory_space(parley_directory_t *dir, parley_namespace_t space,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    size_t        i;
    uint32_t     *slot;
    parley_str_t  name;

    for (i = 0; i < dir->nprincipals; i++) {
        name = dir->principals[i].names[space];

        if (name.len == 0) {
            continue;
        }

        slot = parley_directory_slot(dir, space, name);

        if (*slot != 0) {
            return parley_directory_clash(dir, i, space, *slot - 1, space,
                                          first, err);
        }

        *slot = (uint32_t) i + 1;
    }

    return 0;
}


static int
parley_directory_likes(parley_directory_t *dir, parley_arena_t *arena,
    parley_error_t *err)
{
    size_t        i, size;
    uint32_t      at;
    unsigned      space;
    parley_str_t  name;

    for (size = 16; size < 2 * PARLEY_NAMESPACE_COUNT * dir->nprincipals;
         size *= 2)
    { /* void */ }

    dir->likes_mask = (uint32_t) size - 1;
    dir->likes = parley_arena_calloc(arena, size * sizeof(uint32_t));

    if (dir->likes == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < dir->nprincipals; i++) {
        for (space = 0; space < PARLEY_NAMESPACE_COUNT; space++) {
            name = dir->principals[i].names[space];

            if (name.len == 0) {
                continue;
            }

            at = parley_directory_hash_like(name) & dir->likes_mask;

            while (dir->likes[at] != 0) {
                at = (at + 1) & dir->likes_mask;
            }

            dir->likes[at] = (uint32_t) i * PARLEY_NAMESPACE_COUNT + space
                             + 1;
        }
    }

    return 0;
}


static int
parley_directory_parents(parley_directory_t *dir, parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    size_t                     i;
    parley_principal_t        *p;
    const parley_principal_t  *parent;

    for (i = 0; i < dir->nprincipals; i++) {
        p = &dir->principals[i];

        if (p->parent.len == 0) {
            continue;
        }

        parent = parley_directory_by_sub(dir, p->parent);

        if (parent == NULL) {
            (void) snprintf(pointer, sizeof(pointer),
                            "/principals/%zu/parent", i);

            return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                    "parent \"%.*s\" is not the sub of a "
                                    "principal",
                                    p->parent.len < 96 ? (int) p->parent.len
                                                       : 96,
                                    (const char *) p->parent.data);
        }

        p->above = parent;
    }

    return 0;
}


/*
 * Detects cycles of parents.  Walks up from each principal and marks it with
 * the number of the walk.  A walk ends at the top or at a marked principal; its
 * own number there means a cycle.  Each principal is marked once, so the time
 * is linear.
 */

static int
parley_directory_circles(parley_directory_t *dir, parley_arena_t *arena,
    parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    size_t                     i, at;
    uint32_t                  *marks;
    const parley_principal_t  *p;

    marks = parley_arena_calloc(arena, (dir->nprincipals + 1)
                                       * sizeof(uint32_t));
    if (marks == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < dir->nprincipals; i++) {

        for (p = &dir->principals[i]; p != NULL; p = p->above) {
            at = (size_t) (p - dir->principals);

            if (marks[at] == i + 1) {
                (void) snprintf(pointer, sizeof(pointer),
                                "/principals/%zu/parent", at);

                return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                        "parents form a circle");
            }

            if (marks[at] != 0) {
                break;
            }

            marks[at] = (uint32_t) i + 1;
        }
    }

    return 0;
}


/*
 * Resolves each "human" to a principal that is a human, or checks that it is a
 * Sovereign handle.
 */

static int
parley_directory_humans(parley_directory_t *dir, parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    size_t                     i;
    parley_principal_t        *p;
    const parley_principal_t  *human;

    for (i = 0; i < dir->nprincipals; i++) {
        p = &dir->principals[i];

        if (p->human.len == 0) {
            continue;
        }

        human = parley_directory_by_sub(dir, p->human);

        if (human == NULL ? parley_namespace_handle_is(p->human)
                            && parley_actor_is_sovereign(p->human)
                          : human->names[PARLEY_NAMESPACE_HANDLE].len > 0
                            && parley_str_eq(parley_actor_human(human),
                                   human->names[PARLEY_NAMESPACE_HANDLE]))
        {
            p->sovereign = human;
            continue;
        }

        (void) snprintf(pointer, sizeof(pointer), "/principals/%zu/human", i);

        return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "human \"%.*s\" must be a human's handle, or "
                                "the sub of a human that has a handle",
                                p->human.len < 96 ? (int) p->human.len : 96,
                                (const char *) p->human.data);
    }

    return 0;
}


/*
 * A link is added before the others of its name.  Principals are added from the
 * last to the first, so that the links are in the order of the file.
 */

static int
parley_directory_roles_index(parley_directory_t *dir, parley_arena_t *arena,
    parley_error_t *err)
{
    size_t                     i, k, n;
    uint32_t                   at;
    const parley_principal_t  *p;

    for (i = 0, n = 0; i < dir->nprincipals; i++) {
        n += dir->principals[i].roles.n;
    }

    if (parley_directory_group_init(&dir->roles, arena, n, err) != 0) {
        return -1;
    }

    for (i = dir->nprincipals; i-- > 0; /* void */ ) {
        p = &dir->principals[i];

        for (k = 0; k < p->roles.n; k++) {
            at = 0;

            if (parley_directory_group_next(&dir->roles, p->roles.list[k],
                                            &at)
                != p)
            {
                parley_directory_group_add(&dir->roles, p->roles.list[k], p);
            }
        }
    }

    return 0;
}


/* Refuses stream k of p, which another principal lists too. */

static int
parley_directory_stream_taken(const parley_directory_t *dir,
    const parley_principal_t *p, size_t k, const parley_principal_t *owner,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    char          pointer[PARLEY_POINTER_MAX];
    parley_str_t  text;

    text = p->streams.list[k];

    (void) snprintf(pointer, sizeof(pointer), "/principals/%zu/streams/%zu",
                    (size_t) (p - dir->principals), k);
    (void) snprintf(first, PARLEY_POINTER_MAX, "/principals/%zu/streams",
                    (size_t) (owner - dir->principals));

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                            "\"%.*s\" is also in \"streams\" of "
                            "/principals/%zu",
                            text.len < 96 ? (int) text.len : 96,
                            (const char *) text.data,
                            (size_t) (owner - dir->principals));
}


static int
parley_directory_streams_index(parley_directory_t *dir,
    parley_arena_t *arena, char first[PARLEY_POINTER_MAX],
    parley_error_t *err)
{
    size_t                     i, k, n;
    const parley_principal_t  *p, *owner;

    for (i = 0, n = 0; i < dir->nprincipals; i++) {
        n += dir->principals[i].streams.n;
    }

    if (parley_directory_group_init(&dir->streams, arena, n, err) != 0) {
        return -1;
    }

    for (i = 0; i < dir->nprincipals; i++) {
        p = &dir->principals[i];

        for (k = 0; k < p->streams.n; k++) {
            owner = parley_directory_by_stream(dir, p->streams.list[k]);

            if (owner != NULL && owner != p) {
                return parley_directory_stream_taken(dir, p, k, owner, first,
                                                     err);
            }

            if (owner == NULL) {
                parley_directory_group_add(&dir->streams, p->streams.list[k],
                                           p);
            }
        }
    }

    return 0;
}


int
parley_directory_index(parley_directory_t *dir, parley_arena_t *arena,
    char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    size_t    size;
    unsigned  i;

    first[0] = '\0';

    if (dir->nprincipals > UINT32_MAX / (4 * PARLEY_NAMESPACE_COUNT)) {
        return parley_error_memory(err);
    }

    for (size = 16; size < 2 * dir->nprincipals; size *= 2) { /* void */ }

    dir->mask = (uint32_t) size - 1;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        dir->tables[i] = parley_arena_calloc(arena, size * sizeof(uint32_t));

        if (dir->tables[i] == NULL) {
            return parley_error_memory(err);
        }

        if (parley_directory_space(dir, (parley_namespace_t) i, first, err)
            != 0)
        {
            return -1;
        }
    }

    if (parley_directory_likes(dir, arena, err) != 0
        || parley_directory_accounts(dir, arena, first, err) != 0
        || parley_directory_parties(dir, arena, first, err) != 0
        || parley_directory_parents(dir, err) != 0
        || parley_directory_circles(dir, arena, err) != 0)
    {
        return -1;
    }

    if (parley_directory_humans(dir, err) != 0
        || parley_directory_roles_index(dir, arena, err) != 0
        || parley_directory_streams_index(dir, arena, first, err) != 0)
    {
        return -1;
    }

    if (parley_directory_certificates_index(dir, arena, err) != 0) {
        return -1;
    }

    return parley_directory_instruments(dir, arena, first, err);
}


const parley_principal_t *
parley_directory_listed(const parley_directory_t *dir,
    parley_namespace_t space, parley_str_t name)
{
    uint32_t  slot;

    if (name.len == 0) {
        return NULL;
    }

    slot = *parley_directory_slot(dir, space, name);

    return slot != 0 ? &dir->principals[slot - 1] : NULL;
}


const parley_principal_t *
parley_directory_by_sub(const parley_directory_t *dir, parley_str_t sub)
{
    return parley_directory_listed(dir, PARLEY_NAMESPACE_SUB, sub);
}


const parley_principal_t *
parley_directory_next_like(const parley_directory_t *dir, parley_str_t name,
    uint32_t *at)
{
    uint32_t                   slot, hash;
    const parley_principal_t  *p;

    hash = parley_directory_hash_like(name);

    for ( ;; ) {
        slot = dir->likes[(hash + (*at)++) & dir->likes_mask];

        if (slot == 0) {
            return NULL;
        }

        slot--;
        p = &dir->principals[slot / PARLEY_NAMESPACE_COUNT];

        if (parley_str_eq_fold(p->names[slot % PARLEY_NAMESPACE_COUNT],
                               name))
        {
            return p;
        }
    }
}


const parley_principal_t *
parley_directory_next_role(const parley_directory_t *dir, parley_str_t role,
    uint32_t *at)
{
    return parley_directory_group_next(&dir->roles, role, at);
}


const parley_principal_t *
parley_directory_by_stream(const parley_directory_t *dir,
    parley_str_t stream)
{
    uint32_t  at;

    at = 0;

    return parley_directory_group_next(&dir->streams, stream, &at);
}


int
parley_directory_has_keys(const parley_directory_t *dir)
{
    size_t  i;

    for (i = 0; i < dir->nprincipals; i++) {
        if (dir->principals[i].keys.n > 0) {
            return 1;
        }
    }

    return 0;
}


size_t
parley_directory_principals(const parley_directory_t *dir,
    const parley_principal_t **ret)
{
    *ret = dir->principals;

    return dir->nprincipals;
}
