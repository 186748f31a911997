/* The author of an event: the account that wrote it, and another name of it. */

#include "parley_c2a.h"
#include "parley_msg_field.h"


static uint32_t parley_c2a_source(const parley_msg_t *m, const char *name);
static int parley_c2a_author_edit(parley_arena_t *arena, const char *pointer,
    parley_str_t text, parley_edit_t *ret);


int
parley_c2a_account(const parley_msg_t *m, parley_msg_account_t *ret)
{
    uint32_t              id;
    const uint32_t       *at;
    parley_c2a_places_t   places;
    const parley_json_t  *doc;

    doc = m->doc;
    at = places.at;

    if (parley_c2a_places_find(&places, doc) != PARLEY_C2A_DELIVER) {
        return 0;
    }

    id = at[PARLEY_C2A_AT_AUTHOR_ID];

    if (id == PARLEY_JSON_NONE
        || at[PARLEY_C2A_AT_AUTHOR_KIND] == PARLEY_JSON_NONE)
    {
        return 0;
    }

    if (parley_msg_string(doc, id, &ret->id) != 0
        || parley_msg_string(doc, parley_c2a_source(m, "/params/source"
                                                       "/platform"),
                             &ret->platform)
           != 0
        || parley_msg_string(doc, parley_c2a_source(m, "/params/source"
                                                       "/workspaceId"),
                             &ret->workspace)
           != 0)
    {
        return -1;
    }

    ret->human = parley_json_string_is(doc, at[PARLEY_C2A_AT_AUTHOR_KIND],
                                       PARLEY_STR("human"));

    return ret->id.len > 0 && ret->platform.len > 0 && ret->workspace.len > 0;
}


static uint32_t
parley_c2a_source(const parley_msg_t *m, const char *name)
{
    return parley_json_resolve(m->doc, 0, parley_str_c(name));
}


/* The sender of a knock is the author, too. */

int
parley_c2a_author(parley_arena_t *arena, parley_str_t name,
    parley_edit_t *edits, uint32_t *ret_n)
{
    parley_str_t  kind;

    kind = parley_str_until(name, ':');

    if (kind.len == 0 || kind.len + 1 >= name.len) {
        return 1;
    }

    *ret_n = 3;

    return parley_c2a_author_edit(arena, "/params/author/kind", kind,
                                  &edits[0])
           != 0
           || parley_c2a_author_edit(arena, "/params/author/id",
                                     parley_str_from(name, kind.len + 1),
                                     &edits[1])
              != 0
           || parley_c2a_author_edit(arena, "/params/knock/from", name,
                                     &edits[2])
              != 0
           ? -1 : 0;
}


static int
parley_c2a_author_edit(parley_arena_t *arena, const char *pointer,
    parley_str_t text, parley_edit_t *ret)
{
    parley_buf_t  b;

    ret->pointer = parley_str_c(pointer);

    parley_buf_init(&b, arena, text.len + 2);
    parley_buf_json_string(&b, text);

    return parley_buf_done(&b, &ret->value);
}
