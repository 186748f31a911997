#include "t/unit/parley_test_mutate.h"

#include <stdlib.h>


static void parley_test_mutate_one(parley_test_source_t *s,
    parley_test_tree_t *tree, parley_test_tree_t *other);
static void parley_test_mutate_text(parley_test_source_t *s,
    parley_test_tree_t *value);
static void parley_test_mutate_number(parley_test_source_t *s,
    parley_test_tree_t *value);


void
parley_test_mutate(parley_test_source_t *s, parley_test_tree_t *tree,
    parley_test_tree_t *other)
{
    unsigned  n;

    for (n = 1 + (parley_test_below(&s->random, 4) == 0); n > 0; n--) {
        parley_test_mutate_one(s, tree, other);
    }
}


/* Replaces a value; the name stays. */

static void
parley_test_mutate_put(parley_test_tree_t *place,
    const parley_test_tree_t *value)
{
    parley_str_t         name;
    parley_test_tree_t  *next;

    name = place->name;
    next = place->next;
    *place = *value;
    place->name = name;
    place->next = next;
}


static void
parley_test_mutate_one(parley_test_source_t *s, parley_test_tree_t *tree,
    parley_test_tree_t *other)
{
    parley_test_tree_t     aside;
    parley_test_tree_t    *value, *holder, *mate, *ignored;
    parley_test_random_t  *r = &s->random;

    /* mostly chooses a value near the root, in the envelope */

    do {
        value = parley_test_tree_nth(tree,
                                     parley_test_below(r,
                                                 parley_test_tree_size(tree)),
                                     &holder);
    } while (holder != tree && parley_test_chance(r, 60) && tree->count > 0);

    if (holder == NULL) {
        return;
    }

    switch (parley_test_below(r, 11)) {

    case 0:
        parley_test_tree_remove(holder, value);
        break;

    case 1:
        mate = parley_test_tree_copy(s->arena, value);
        mate->name = value->name;
        parley_test_tree_add(holder, mate);
        break;

    case 2:
        value->name = parley_test_value_name(s);
        break;

    case 3:
        parley_test_mutate_put(value, parley_test_value_any(s, 2));
        break;

    case 4:
        mate = parley_test_tree_nth(holder,
                                    1 + parley_test_below(r,
                                            parley_test_tree_size(holder)
                                            - 1), &ignored);
        if (mate->count == 0 && value->count == 0) {
            aside = *value;
            parley_test_mutate_put(value, mate);
            parley_test_mutate_put(mate, &aside);
        }

        break;

    case 5:
        mate = parley_test_value_any(s, 1);
        mate->name = parley_test_value_name(s);
        parley_test_tree_add(value->type == PARLEY_JSON_OBJECT ? value
                                                               : holder, mate);
        break;

    case 6:
        parley_test_mutate_put(value, parley_test_tree_copy(s->arena, other));
        break;

    case 7:
        mate = parley_test_tree_nth(other,
                                    parley_test_below(r,
                                        parley_test_tree_size(other)),
                                    &ignored);
        parley_test_mutate_put(value, parley_test_tree_copy(s->arena, mate));
        break;

    default:
        if (value->type == PARLEY_JSON_STRING) {
            parley_test_mutate_text(s, value);

        } else if (value->type == PARLEY_JSON_NUMBER) {
            parley_test_mutate_number(s, value);

        } else if (value->type == PARLEY_JSON_TRUE) {
            value->type = PARLEY_JSON_FALSE;

        } else if (value->type == PARLEY_JSON_FALSE) {
            value->type = PARLEY_JSON_TRUE;

        } else {
            parley_test_tree_remove(holder, value);
        }
    }
}


static void
parley_test_mutate_text(parley_test_source_t *s, parley_test_tree_t *value)
{
    unsigned               n;
    uint8_t               *data;
    parley_str_t           text;
    parley_test_random_t  *r = &s->random;

    text = value->text;

    switch (parley_test_below(r, 5)) {

    case 0:
        value->text = PARLEY_STR("");
        return;

    case 1:
        n = 1u << (6 + parley_test_below(r, 7));
        data = parley_arena_octets(s->arena, n + 1);
        memset(data, 'x', n);
        value->text = parley_str_make(data, n);
        break;

    default:

        /* replaces one octet by another octet of ASCII */

        if (text.len == 0) {
            return;
        }

        n = parley_test_below(r, (unsigned) text.len);

        if (text.data[n] >= 0x80
            || parley_arena_str(s->arena, text, &value->text) != 0)
        {
            return;
        }

        ((uint8_t *) (uintptr_t) value->text.data)[n]
            = (uint8_t) (1 + parley_test_below(r, 126));
    }
}


static void
parley_test_mutate_number(parley_test_source_t *s, parley_test_tree_t *value)
{
    value->text = parley_test_one(&s->random, "-1", "0", "1", "2", "10",
                                  "3600001", "9007199254740993", "1e400",
                                  "0.5", "-0", "1e-7", "4294967296",
                                  "9223372036854775808", "1.0", "100e-2");
}


parley_str_t
parley_test_mutate_octets(parley_test_source_t *s, parley_str_t text)
{
    unsigned               at, n;
    parley_buf_t           b;
    parley_str_t           in, ret;
    parley_test_random_t  *r = &s->random;

    at = parley_test_below(r, (unsigned) text.len);

    parley_buf_init(&b, s->arena, text.len + 16);
    parley_buf_put(&b, text.data, at);

    switch (parley_test_below(r, 5)) {

    case 0:
        parley_buf_octet(&b, text.data[at]
                             ^ (uint8_t) (1u << parley_test_below(r, 8)));
        at++;
        break;

    case 1:
        n = 1 + parley_test_below(r, 8);
        at = at + n < text.len ? at + n : (unsigned) text.len;
        break;

    case 2:
        in = parley_test_one(r, "\"", "{", "}", "[", "]", ",", ":", "\\",
                             "\\u0000", "\xFF", "0", "null,", "\\ud800",
                             "//", "\t", "\xEF\xBB\xBF");
        parley_buf_str(&b, in);
        break;

    case 3:
        at = (unsigned) text.len;
        break;

    default:
        parley_buf_octet(&b, (uint8_t) parley_test_random(r));
        at++;
    }

    parley_buf_put(&b, text.data + at, text.len - at);

    if (parley_buf_done(&b, &ret) != 0) {
        abort();
    }

    return ret;
}
