#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"


/*
 * Edit with the value that it names.  Edits are sorted by value, so that those
 * in one container are adjacent.
 */
typedef struct {
    uint32_t             node;
    const parley_edit_t *edit;
} parley_edit_at_t;


typedef struct {
    const parley_json_t     *doc;
    const parley_edit_at_t  *at;
    uint32_t                 n;
    uint32_t                 i;         /* next edit */
    uint32_t                 applied;
    parley_buf_t             buf;
} parley_editor_t;


static uint32_t parley_edit_sort(const parley_json_t *doc,
    const parley_edit_t *edits, uint32_t nedits, parley_edit_at_t *at);
static void parley_edit_value(parley_editor_t *ed, uint32_t node);
static int parley_edit_removes(parley_editor_t *ed, uint32_t node);
static void parley_edit_object(parley_editor_t *ed, uint32_t node);
static void parley_edit_array(parley_editor_t *ed, uint32_t node);


static const parley_json_limits_t  parley_again_limits = {
    .octets = SIZE_MAX,
    .depth = UINT32_MAX,
    .string = UINT32_MAX,
    .members = UINT32_MAX,
};


int
parley_edit(parley_arena_t *arena, const parley_json_t *doc,
    const parley_edit_t *edits, uint32_t nedits, parley_str_t *ret,
    uint32_t *ret_applied, parley_error_t *err)
{
    parley_editor_t    ed;
    parley_edit_at_t  *at;

    *ret = doc->input;
    *ret_applied = 0;

    parley_error_clear(err);

    if (nedits == 0) {
        return 0;
    }

    at = parley_arena_alloc(arena, nedits * sizeof(parley_edit_at_t));
    if (at == NULL) {
        *ret = parley_str_none;
        return parley_error_memory(err);
    }

    ed.doc = doc;
    ed.at = at;
    ed.n = parley_edit_sort(doc, edits, nedits, at);
    ed.i = 0;
    ed.applied = 0;

    if (ed.n == 0) {
        return 0;
    }

    parley_buf_init(&ed.buf, arena, doc->input.len + 64);
    parley_edit_value(&ed, 0);

    if (parley_buf_done(&ed.buf, ret) != 0) {
        return parley_error_memory(err);
    }

    *ret_applied = ed.applied;

    return 0;
}


/*
 * Resolves the pointers and sorts the edits by value.  Insertion sort is enough
 * for a few edits.
 */

static uint32_t
parley_edit_sort(const parley_json_t *doc, const parley_edit_t *edits,
    uint32_t nedits, parley_edit_at_t *at)
{
    uint32_t  i, k, n, node;

    n = 0;

    for (i = 0; i < nedits; i++) {
        if (edits[i].pointer.len == 0) {
            continue;
        }

        node = parley_json_resolve(doc, 0, edits[i].pointer);
        if (node == PARLEY_JSON_NONE) {
            continue;
        }

        for (k = n; k > 0 && at[k - 1].node > node; k--) {
            at[k] = at[k - 1];
        }

        /* Only the first edit of a value counts. */

        if (k > 0 && at[k - 1].node == node) {
            for (/* void */ ; k < n; k++) {
                at[k] = at[k + 1];
            }

            continue;
        }

        at[k].node = node;
        at[k].edit = &edits[i];
        n++;
    }

    return n;
}


/*
 * Writes a value with its edits.  The recursion follows the pointers of the
 * edits, so that they limit its depth.
 */
static void
parley_edit_value(parley_editor_t *ed, uint32_t node)
{
    uint32_t            end;
    parley_json_ref_t   ref;

    end = parley_json_after(ed->doc, node);

    if (ed->i < ed->n && ed->at[ed->i].node == node) {
        parley_buf_str(&ed->buf, ed->at[ed->i].edit->value);
        ed->applied++;

        /* Skip further edits of this value and of its members. */

        while (ed->i < ed->n && ed->at[ed->i].node < end) {
            ed->i++;
        }

        return;
    }

    if (ed->i == ed->n || ed->at[ed->i].node >= end) {
        ref.doc = ed->doc;
        ref.node = node;
        parley_buf_value(&ed->buf, ref);
        return;
    }

    if (parley_json_type(ed->doc, node) == PARLEY_JSON_OBJECT) {
        parley_edit_object(ed, node);

    } else {
        parley_edit_array(ed, node);
    }
}


static void
parley_edit_object(parley_editor_t *ed, uint32_t node)
{
    int           comma;
    uint32_t      k;
    parley_str_t  name;

    comma = 0;

    parley_buf_octet(&ed->buf, '{');

    for (k = parley_json_first(node);
         k != parley_json_end(ed->doc, node);
         k = parley_json_after(ed->doc, k + 1))
    {
        if (parley_edit_removes(ed, k + 1)) {
            continue;
        }

        if (comma) {
            parley_buf_octet(&ed->buf, ',');
        }

        comma = 1;
        name = parley_json_raw(ed->doc, k);

        parley_buf_str(&ed->buf, name);
        parley_buf_octet(&ed->buf, ':');
        parley_edit_value(ed, k + 1);
    }

    parley_buf_octet(&ed->buf, '}');
}


static void
parley_edit_array(parley_editor_t *ed, uint32_t node)
{
    int       comma;
    uint32_t  i;

    comma = 0;

    parley_buf_octet(&ed->buf, '[');

    for (i = parley_json_first(node);
         i != parley_json_end(ed->doc, node);
         i = parley_json_after(ed->doc, i))
    {
        if (parley_edit_removes(ed, i)) {
            continue;
        }

        if (comma) {
            parley_buf_octet(&ed->buf, ',');
        }

        comma = 1;
        parley_edit_value(ed, i);
    }

    parley_buf_octet(&ed->buf, ']');
}


static int
parley_edit_removes(parley_editor_t *ed, uint32_t node)
{
    if (ed->i == ed->n || ed->at[ed->i].node != node
        || ed->at[ed->i].edit->value.len > 0)
    {
        return 0;
    }

    ed->applied++;

    while (ed->i < ed->n
           && ed->at[ed->i].node < parley_json_after(ed->doc, node))
    {
        ed->i++;
    }

    return 1;
}


int
parley_edit_append(parley_arena_t *arena, const parley_json_t *doc,
    parley_str_t name, parley_str_t value, parley_str_t *ret,
    parley_error_t *err)
{
    size_t        end;
    uint32_t      has;
    parley_buf_t  b;
    parley_str_t  raw, text;

    *ret = parley_str_none;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, "",
                                "the message must be an object");
    }

    text = doc->input;

    parley_buf_init(&b, arena, text.len + name.len + value.len + 8);

    has = parley_json_get(doc, 0, name);

    if (has != PARLEY_JSON_NONE) {
        if (parley_json_type(doc, has) != PARLEY_JSON_NULL) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, "",
                                    "the message is signed already");
        }

        raw = parley_json_raw(doc, has);
        end = (size_t) (raw.data - text.data);

        parley_buf_put(&b, text.data, end);
        parley_buf_str(&b, value);
        parley_buf_str(&b, parley_str_from(text, end + raw.len));

    } else {
        raw = parley_json_raw(doc, 0);
        end = (size_t) (raw.data - text.data) + raw.len - 1;

        parley_buf_put(&b, text.data, end);

        if (parley_json_node(doc, 0)->count > 0) {
            parley_buf_octet(&b, ',');
        }

        parley_buf_json_string(&b, name);
        parley_buf_octet(&b, ':');
        parley_buf_str(&b, value);
        parley_buf_str(&b, parley_str_from(text, end));
    }

    return parley_buf_done(&b, ret) == 0 ? 0 : parley_error_memory(err);
}


int
parley_read_again(parley_json_t *doc, parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_error_t *err)
{
    return parley_json_read(doc, arena, &parley_again_limits, seed, text,
                            err);
}
