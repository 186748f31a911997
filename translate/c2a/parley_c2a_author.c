/* The author of an event: its account, and the edits that replace it. */

#include "translate/c2a/parley_c2a.h"


static int parley_c2a_account_text(const parley_json_t *doc,
    uint32_t object, parley_atom_t name, parley_str_t *ret);
static int parley_c2a_author_edit(parley_arena_t *arena, const char *pointer,
    parley_str_t text, parley_edit_t *ret);


int
parley_c2a_account(const parley_msg_t *m, parley_msg_account_t *ret)
{
    uint32_t              params, author, source;
    parley_str_t          method, kind;
    const parley_json_t  *doc;

    doc = m->doc;
    params = parley_json_member(doc, 0, PARLEY_ATOM_params);
    author = parley_json_member(doc, params, PARLEY_ATOM_author);
    source = parley_json_member(doc, params, PARLEY_ATOM_source);

    if (parley_c2a_account_text(doc, 0, PARLEY_ATOM_method, &method) != 0
        || parley_c2a_account_text(doc, author, PARLEY_ATOM_kind, &kind) != 0
        || parley_c2a_account_text(doc, author, PARLEY_ATOM_id, &ret->id) != 0
        || parley_c2a_account_text(doc, source, PARLEY_ATOM_platform,
                                   &ret->platform)
           != 0
        || parley_c2a_account_text(doc, source, PARLEY_ATOM_workspaceId,
                                   &ret->workspace)
           != 0)
    {
        return -1;
    }

    ret->human = parley_str_is(kind, "human");

    return parley_str_is(method, "chat/deliver") && kind.len > 0
           && ret->id.len > 0 && ret->platform.len > 0
           && ret->workspace.len > 0;
}


/* Reads a string member of an object; empty if it is missing. */

static int
parley_c2a_account_text(const parley_json_t *doc, uint32_t object,
    parley_atom_t name, parley_str_t *ret)
{
    return parley_msg_string(doc, parley_json_member(doc, object, name), ret);
}


/* A knock repeats the author in "from". */

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
