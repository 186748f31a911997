#include "t/unit/parley_test_shrink.h"

#include <stdio.h>
#include <stdlib.h>


/* steps for a value, from large to small */
typedef enum {
    PARLEY_TEST_SHRINK_DROP = 0,    /* removes the member or element */
    PARLEY_TEST_SHRINK_EMPTY,       /* {}, [], "", 0, null */
    PARLEY_TEST_SHRINK_LIFT,        /* replaces it by its first value */
    PARLEY_TEST_SHRINK_HALF,        /* keeps the first half of a text or
                                       number */
    PARLEY_TEST_SHRINK_REST,        /* keeps the second half of a text */
    PARLEY_TEST_SHRINK_LAST,        /* removes the last character of a text */
    PARLEY_TEST_SHRINK_FIRST,       /* removes the first character */
    PARLEY_TEST_SHRINK_PLAIN,       /* replaces the first unusual character by
                                       "a" */
    PARLEY_TEST_SHRINK_ORDINARY,    /* makes a number an integer */
    PARLEY_TEST_SHRINK_STEPS
} parley_test_shrink_t;


static int parley_test_shrink_text(parley_arena_t *arena,
    parley_test_shrink_t step, parley_test_tree_t *value);
static int parley_test_shrink_number(parley_arena_t *arena,
    parley_test_shrink_t step, parley_test_tree_t *value);


/*
 * Changes the n-th value of a tree.  Returns -1 if the step is impossible or
 * changes nothing.
 */

static int
parley_test_shrink_value(parley_arena_t *arena, parley_test_tree_t *tree,
    unsigned n, parley_test_shrink_t step)
{
    parley_str_t         name;
    parley_test_tree_t  *value, *holder, *next, *lifted;

    value = parley_test_tree_nth(tree, n, &holder);

    if (step == PARLEY_TEST_SHRINK_DROP) {
        if (holder == NULL) {
            return -1;
        }

        parley_test_tree_remove(holder, value);
        return 0;
    }

    switch (value->type) {

    case PARLEY_JSON_ARRAY:
    case PARLEY_JSON_OBJECT:
        if (value->count == 0) {
            return -1;
        }

        if (step == PARLEY_TEST_SHRINK_EMPTY) {
            value->first = NULL;
            value->count = 0;
            return 0;
        }

        if (step == PARLEY_TEST_SHRINK_LIFT && holder != NULL) {
            name = value->name;
            next = value->next;
            lifted = value->first;
            *value = *lifted;
            value->name = name;
            value->next = next;
            return 0;
        }

        return -1;

    case PARLEY_JSON_STRING:
        return parley_test_shrink_text(arena, step, value);

    case PARLEY_JSON_NUMBER:
        return parley_test_shrink_number(arena, step, value);

    case PARLEY_JSON_TRUE:
        if (step == PARLEY_TEST_SHRINK_EMPTY) {
            value->type = PARLEY_JSON_FALSE;
            return 0;
        }

        return -1;

    default:
        return -1;
    }
}


/* Returns the beginning of a character at or after i. */

static size_t
parley_test_shrink_at(parley_str_t text, size_t i)
{
    while (i < text.len && (text.data[i] & 0xC0) == 0x80) {
        i++;
    }

    return i;
}


static int
parley_test_shrink_text(parley_arena_t *arena, parley_test_shrink_t step,
    parley_test_tree_t *value)
{
    size_t        i, end;
    parley_buf_t  b;
    parley_str_t  text;

    text = value->text;

    if (text.len == 0) {
        return -1;
    }

    switch (step) {

    case PARLEY_TEST_SHRINK_EMPTY:
        value->text = PARLEY_STR("");
        return 0;

    case PARLEY_TEST_SHRINK_HALF:
        value->text.len = parley_test_shrink_at(text, text.len / 2);
        return value->text.len < text.len && text.len > 2 ? 0 : -1;

    case PARLEY_TEST_SHRINK_REST:
        value->text = parley_str_from(text, parley_test_shrink_at(text,
                                                          text.len / 2));
        return value->text.len > 0 && text.len > 2 ? 0 : -1;

    case PARLEY_TEST_SHRINK_LAST:
        for (i = text.len - 1; i > 0 && (text.data[i] & 0xC0) == 0x80; i--) {
            /* void */
        }

        value->text.len = i;
        return 0;

    case PARLEY_TEST_SHRINK_FIRST:
        value->text = parley_str_from(text, parley_test_shrink_at(text, 1));
        return 0;

    case PARLEY_TEST_SHRINK_PLAIN:
        for (i = 0; i < text.len && text.data[i] >= ' '
                    && text.data[i] < 0x7F; i++)
        {
            /* void */
        }

        if (i == text.len) {
            return -1;
        }

        end = parley_test_shrink_at(text, i + 1);

        parley_buf_init(&b, arena, text.len);
        parley_buf_put(&b, text.data, i);
        parley_buf_octet(&b, 'a');
        parley_buf_put(&b, text.data + end, text.len - end);

        return parley_buf_done(&b, &value->text);

    default:
        return -1;
    }
}


static int
parley_test_shrink_number(parley_arena_t *arena, parley_test_shrink_t step,
    parley_test_tree_t *value)
{
    char          literal[40];
    double        n;
    parley_str_t  text;

    n = strtod((const char *) value->text.data, NULL);

    switch (step) {

    case PARLEY_TEST_SHRINK_EMPTY:
        n = 0;
        break;

    case PARLEY_TEST_SHRINK_HALF:
        n = n / 2;
        break;

    case PARLEY_TEST_SHRINK_LAST:
        n = n > 0 ? n - 1 : n < 0 ? n + 1 : 0;
        break;

    case PARLEY_TEST_SHRINK_ORDINARY:
        break;

    default:
        return -1;
    }

    if (n < -9e15 || n > 9e15) {
        return -1;
    }

    snprintf(literal, sizeof(literal), "%lld", (long long) n);

    if (parley_str_eq(parley_str_c(literal), value->text)
        || parley_arena_str(arena, parley_str_c(literal), &text) != 0)
    {
        return -1;
    }

    value->text = text;

    return 0;
}


parley_test_tree_t *
parley_test_shrink(parley_arena_t *arena, const parley_test_tree_t *tree,
    parley_test_fails_pt fails, void *ctx, unsigned tries)
{
    int                  better, taken;
    unsigned             n, step;
    parley_test_tree_t  *best, *candidate;

    best = parley_test_tree_copy(arena, tree);

    do {
        better = 0;

        for (n = 0; n < parley_test_tree_size(best); n++) {

            for (step = 0; step < PARLEY_TEST_SHRINK_STEPS; step++) {

                do {
                    taken = 0;

                    if (n >= parley_test_tree_size(best) || tries == 0) {
                        break;
                    }

                    candidate = parley_test_tree_copy(arena, best);

                    if (parley_test_shrink_value(arena, candidate, n,
                                                 (parley_test_shrink_t) step)
                        == 0)
                    {
                        tries--;
                        taken = fails(ctx, candidate);
                    }

                    if (taken) {
                        best = candidate;
                        better = 1;
                    }

                } while (taken);
            }
        }

    } while (better && tries > 0);

    return best;
}
