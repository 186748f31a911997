#include "translate/parley_loss.h"
#include "core/parley_buf.h"
#include "core/parley_escape.h"


static int parley_loss_has(const parley_loss_t *loss, parley_str_t pointer);
static void parley_loss_made(parley_loss_t *loss, parley_buf_t *b);
static void parley_loss_item(parley_buf_t *b, const parley_loss_t *loss,
    parley_str_t item, parley_loss_place_t place);


void
parley_loss_init(parley_loss_t *loss, parley_arena_t *arena)
{
    memset(loss, 0, sizeof(parley_loss_t));

    loss->arena = arena;
}


void
parley_loss_turn(parley_loss_t *loss)
{
    loss->answers = 1;
}


void
parley_loss_keep(parley_loss_t *loss, const parley_loss_t *answer)
{
    uint32_t      i;
    parley_str_t  pointer;

    parley_loss_turn(loss);

    loss->failed |= answer->failed;

    for (i = answer->nrequest; i < answer->nitems; i++) {

        pointer = answer->items[i];

        if (parley_loss_has(loss, pointer)) {
            continue;
        }

        if (loss->nitems < PARLEY_LOSS_MAX
            && parley_arena_str(loss->arena, pointer, &pointer) != 0)
        {
            loss->failed = 1;
            return;
        }

        loss->escaped |= answer->escaped;

        parley_loss_known(loss, pointer);
    }
}


void
parley_loss_add(parley_loss_t *loss, const char *prefix, parley_str_t name)
{
    size_t        i, run, len;
    parley_buf_t  b;

    len = strlen(prefix);

    parley_buf_init(&b, loss->arena, len + name.len + 8);

    parley_buf_put(&b, prefix, len);
    parley_buf_octet(&b, '/');

    for (i = run = 0; i < name.len; i++) {

        if (name.data[i] != '~' && name.data[i] != '/') {
            continue;
        }

        parley_buf_put(&b, name.data + run, i - run);
        run = i + 1;

        if (name.data[i] == '~') {
            parley_buf_lit(&b, "~0");

        } else {
            parley_buf_lit(&b, "~1");
        }
    }

    parley_buf_put(&b, name.data + run, name.len - run);

    parley_loss_made(loss, &b);
}


void
parley_loss_pointer(parley_loss_t *loss, const char *pointer)
{
    parley_buf_t  b;

    if (pointer == NULL) {
        return;
    }

    parley_buf_init(&b, loss->arena, strlen(pointer) + 1);
    parley_buf_put(&b, pointer, strlen(pointer));

    parley_loss_made(loss, &b);
}


void
parley_loss_field(parley_loss_t *loss, const parley_json_t *doc,
    const char *pointer)
{
    if (pointer != NULL
        && parley_json_resolve(doc, 0, parley_str_c(pointer))
           != PARLEY_JSON_NONE)
    {
        parley_loss_pointer(loss, pointer);
    }
}


void
parley_loss_value(parley_loss_t *loss, parley_json_ref_t value)
{
    char  pointer[PARLEY_POINTER_MAX];

    (void) parley_json_pointer(value.doc, value.node, pointer,
                               sizeof(pointer));

    parley_loss_pointer(loss, pointer);
}


static void
parley_loss_made(parley_loss_t *loss, parley_buf_t *b)
{
    parley_str_t  pointer;

    if (parley_buf_done(b, &pointer) != 0) {
        loss->failed = 1;
        return;
    }

    if (!loss->escaped && !parley_escape_is_plain(pointer, PARLEY_ESCAPE_ITEM))
    {
        loss->escaped = 1;
    }

    parley_loss_known(loss, pointer);
}


void
parley_loss_known(parley_loss_t *loss, parley_str_t pointer)
{
    if (parley_loss_has(loss, pointer)) {
        return;
    }

    loss->count++;

    if (loss->nitems == PARLEY_LOSS_MAX) {
        return;
    }

    if (loss->items == NULL) {
        loss->items = parley_arena_alloc(loss->arena,
                                         PARLEY_LOSS_MAX
                                         * sizeof(parley_str_t));
        if (loss->items == NULL) {
            loss->failed = 1;
            return;
        }
    }

    loss->items[loss->nitems++] = pointer;
    loss->nrequest += !loss->answers;
}


/* Returns whether the report has the pointer for the current way. */

static int
parley_loss_has(const parley_loss_t *loss, parley_str_t pointer)
{
    uint32_t  i;

    for (i = loss->answers ? loss->nrequest : 0; i < loss->nitems; i++) {
        if (parley_str_eq(loss->items[i], pointer)) {
            return 1;
        }
    }

    return 0;
}


int
parley_loss_text(const parley_loss_t *loss, parley_arena_t *arena,
    parley_loss_place_t place, parley_str_t *ret)
{
    uint32_t      i;
    parley_buf_t  b;

    *ret = parley_str_none;

    if (loss->failed) {
        return -1;
    }

    if (loss->nitems == 0) {
        return 0;
    }

    parley_buf_init(&b, arena, 0);

    for (i = 0; i < loss->nitems; i++) {
        if (i > 0) {
            parley_buf_octet(&b, ',');

            if (place == PARLEY_LOSS_HEADER) {
                parley_buf_octet(&b, ' ');
            }
        }

        if (i < loss->nrequest) {
            parley_buf_lit(&b, "request=");

        } else {
            parley_buf_lit(&b, "answer=");
        }

        parley_loss_item(&b, loss, loss->items[i], place);
    }

    return parley_buf_done(&b, ret);
}


static void
parley_loss_item(parley_buf_t *b, const parley_loss_t *loss,
    parley_str_t item, parley_loss_place_t place)
{
    if (item.len == 0) {
        parley_buf_str(b, place == PARLEY_LOSS_HEADER ? PARLEY_STR("\"\"")
                                                      : PARLEY_STR("%22%22"));

    } else if (loss->escaped) {
        parley_escape_put(b, item, PARLEY_ESCAPE_ITEM);

    } else {
        parley_buf_str(b, item);
    }
}
