/* GW-31: directives of outer blocks, and which of them no block uses. */

#include "gate/settings/parley_settings_parts.h"


/* a directive that blocks inherit */
typedef struct parley_outer_s {
    parley_where_t          where;
    parley_directive_id_t   id;
    struct parley_outer_s  *next;
    unsigned                used:1;     /* a block has it and needs it */
} parley_outer_t;


static parley_outer_t *parley_settings_outer(
    const parley_settings_http_t *http, parley_directive_id_t id,
    const parley_where_t *where);


int
parley_settings_list(const parley_settings_env_t *env,
    parley_settings_http_t *http, parley_settings_t *s)
{
    unsigned               i;
    parley_outer_t        *outer;
    parley_directive_id_t  id;

    if (s->listed) {
        return 0;
    }

    s->listed = 1;

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        id = (parley_directive_id_t) i;

        if (!parley_settings_has(s, i) || id == PARLEY_DIRECTIVE_ACCEPT
            || parley_directives[i].in != PARLEY_IN_ANY
            || parley_settings_off(s, id)
            || parley_settings_outer(http, id, &s->where[i]) != NULL)
        {
            continue;
        }

        outer = parley_arena_alloc(env->arena, sizeof(parley_outer_t));

        if (outer == NULL) {
            return -1;
        }

        outer->where = s->where[i];
        outer->id = id;
        outer->used = 0;
        outer->next = http->outer;
        http->outer = outer;
    }

    return 0;
}


/* Returns the listed directive in this place, or NULL.  A file that two servers
   include has one place for both. */

static parley_outer_t *
parley_settings_outer(const parley_settings_http_t *http,
    parley_directive_id_t id, const parley_where_t *where)
{
    parley_outer_t  *outer;

    for (outer = http->outer; outer != NULL; outer = outer->next) {
        if (outer->id == id && parley_settings_is_same(&outer->where, where)) {
            return outer;
        }
    }

    return NULL;
}


void
parley_settings_used(const parley_settings_http_t *http,
    const parley_settings_t *s, uint64_t set)
{
    parley_outer_t    *outer;
    parley_problem_t   unused;

    for (outer = http->outer; outer != NULL; outer = outer->next) {

        if (!outer->used && (set & (uint64_t) 1 << outer->id)
            && parley_settings_is_same(&outer->where, &s->where[outer->id])
            && parley_settings_effect(s, &parley_directives[outer->id],
                                      &unused)
               == 0)
        {
            outer->used = 1;
        }
    }
}


void
parley_settings_unused(const parley_settings_env_t *env,
    const parley_settings_http_t *http)
{
    parley_outer_t    *outer;
    parley_problem_t   problem;

    for (outer = http->outer; outer != NULL; outer = outer->next) {

        if (outer->used) {
            continue;
        }

        problem.where = outer->where;

        (void) parley_problem(&problem, "\"%s\" has no effect: every location "
                              "replaces it, or takes no messages to which it "
                              "applies%s", parley_directives[outer->id].name,
                              (PARLEY_SETTINGS_PROVING
                               & (uint64_t) 1 << outer->id)
                              ? " and proves no callers" : "");
        parley_settings_warn(env, &problem);
    }
}


int
parley_settings_is_same(const parley_where_t *one, const parley_where_t *other)
{
    return one->line == other->line && parley_str_eq(one->file, other->file);
}
