#include "t/unit/parley_test_tree.h"

#include <stdio.h>
#include <stdlib.h>


static void parley_test_tree_put(parley_buf_t *b,
    const parley_test_tree_t *tree, parley_test_random_t *random);
static void parley_test_tree_put_items(parley_buf_t *b,
    const parley_test_tree_t *tree, parley_test_random_t *random);
static void parley_test_tree_put_string(parley_buf_t *b, parley_str_t text,
    parley_test_random_t *random);
static void parley_test_tree_put_space(parley_buf_t *b,
    parley_test_random_t *random);


static void *
parley_test_tree_memory(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "out of memory\n");
        abort();
    }

    return p;
}


parley_test_tree_t *
parley_test_tree(parley_arena_t *arena, parley_json_type_t type)
{
    parley_test_tree_t  *tree;

    tree = parley_test_tree_memory(
               parley_arena_calloc(arena, sizeof(parley_test_tree_t)));
    tree->type = type;

    return tree;
}


parley_test_tree_t *
parley_test_tree_string(parley_arena_t *arena, parley_str_t text)
{
    parley_test_tree_t  *tree;

    tree = parley_test_tree(arena, PARLEY_JSON_STRING);

    if (parley_arena_str(arena, text, &tree->text) != 0) {
        (void) parley_test_tree_memory(NULL);
    }

    return tree;
}


parley_test_tree_t *
parley_test_tree_number(parley_arena_t *arena, const char *literal)
{
    parley_test_tree_t  *tree;

    tree = parley_test_tree_string(arena, parley_str_c(literal));
    tree->type = PARLEY_JSON_NUMBER;

    return tree;
}


parley_test_tree_t *
parley_test_tree_text(parley_arena_t *arena, parley_str_t text)
{
    parley_json_t   doc;
    parley_error_t  err;

    if (parley_json_read(&doc, arena, NULL, 1, text, &err) != 0) {
        fprintf(stderr, "%s: %.*s\n", err.text, (int) text.len,
                (const char *) text.data);
        abort();
    }

    return parley_test_tree_read(arena, &doc, 0);
}


parley_test_tree_t *
parley_test_tree_read(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t node)
{
    uint32_t              i;
    parley_str_t          text;
    parley_json_type_t    type;
    parley_test_tree_t   *tree, *item, **last;

    type = parley_json_type(doc, node);
    tree = parley_test_tree(arena, type);

    if (type == PARLEY_JSON_STRING) {
        if (parley_json_string(doc, node, &text) != 0
            || parley_arena_str(arena, text, &tree->text) != 0)
        {
            (void) parley_test_tree_memory(NULL);
        }

    } else if (type == PARLEY_JSON_NUMBER) {
        text = parley_json_raw(doc, node);

        if (parley_arena_str(arena, text, &tree->text) != 0) {
            (void) parley_test_tree_memory(NULL);
        }

    } else if (type == PARLEY_JSON_ARRAY || type == PARLEY_JSON_OBJECT) {
        last = &tree->first;

        for (i = parley_json_first(node);
             i != parley_json_end(doc, node);
             i = parley_json_after(doc, i))
        {
            text = parley_str_none;

            if (type == PARLEY_JSON_OBJECT) {
                if (parley_json_string(doc, i, &text) != 0
                    || parley_arena_str(arena, text, &text) != 0)
                {
                    (void) parley_test_tree_memory(NULL);
                }

                i++;
            }

            item = parley_test_tree_read(arena, doc, i);
            item->name = text;

            *last = item;
            last = &item->next;
            tree->count++;
        }
    }

    return tree;
}


parley_test_tree_t *
parley_test_tree_copy(parley_arena_t *arena, const parley_test_tree_t *tree)
{
    parley_test_tree_t        *copy, **last;
    const parley_test_tree_t  *item;

    copy = parley_test_tree(arena, tree->type);

    *copy = *tree;
    copy->next = NULL;
    last = &copy->first;

    for (item = tree->first; item != NULL; item = item->next) {
        *last = parley_test_tree_copy(arena, item);
        last = &(*last)->next;
    }

    *last = NULL;

    return copy;
}


void
parley_test_tree_add(parley_test_tree_t *tree, parley_test_tree_t *value)
{
    parley_test_tree_t  **last;

    for (last = &tree->first; *last != NULL; last = &(*last)->next) {
        /* void */
    }

    *last = value;
    value->next = NULL;
    tree->count++;
}


void
parley_test_tree_set(parley_test_tree_t *tree, parley_str_t name,
    parley_test_tree_t *value)
{
    parley_test_tree_t  *old;

    old = parley_test_tree_member(tree, name);

    if (old != NULL) {
        parley_test_tree_remove(tree, old);
    }

    value->name = name;
    parley_test_tree_add(tree, value);
}


parley_test_tree_t *
parley_test_tree_get(const parley_test_tree_t *tree, const char *name)
{
    return parley_test_tree_member(tree, parley_str_c(name));
}


parley_test_tree_t *
parley_test_tree_member(const parley_test_tree_t *tree, parley_str_t name)
{
    parley_test_tree_t  *item;

    if (tree == NULL || tree->type != PARLEY_JSON_OBJECT) {
        return NULL;
    }

    for (item = tree->first; item != NULL; item = item->next) {
        if (parley_str_eq(item->name, name)) {
            return item;
        }
    }

    return NULL;
}


void
parley_test_tree_remove(parley_test_tree_t *tree,
    const parley_test_tree_t *value)
{
    parley_test_tree_t  **item;

    for (item = &tree->first; *item != NULL; item = &(*item)->next) {
        if (*item == value) {
            *item = value->next;
            tree->count--;
            return;
        }
    }
}


unsigned
parley_test_tree_size(const parley_test_tree_t *tree)
{
    unsigned                   n;
    const parley_test_tree_t  *item;

    n = 1;

    for (item = tree->first; item != NULL; item = item->next) {
        n += parley_test_tree_size(item);
    }

    return n;
}


static parley_test_tree_t *
parley_test_tree_find(parley_test_tree_t *tree, parley_test_tree_t *holder,
    unsigned *n, parley_test_tree_t **ret_holder)
{
    parley_test_tree_t  *item, *found;

    if (*n == 0) {
        *ret_holder = holder;
        return tree;
    }

    for (item = tree->first; item != NULL; item = item->next) {
        (*n)--;

        found = parley_test_tree_find(item, tree, n, ret_holder);
        if (found != NULL) {
            return found;
        }
    }

    return NULL;
}


parley_test_tree_t *
parley_test_tree_nth(parley_test_tree_t *tree, unsigned n,
    parley_test_tree_t **ret_holder)
{
    *ret_holder = NULL;

    return parley_test_tree_find(tree, NULL, &n, ret_holder);
}


parley_str_t
parley_test_tree_write(parley_arena_t *arena, const parley_test_tree_t *tree,
    parley_test_random_t *random)
{
    parley_buf_t  b;
    parley_str_t  ret;

    parley_buf_init(&b, arena, 1024);
    parley_test_tree_put(&b, tree, random);

    if (parley_buf_done(&b, &ret) != 0) {
        (void) parley_test_tree_memory(NULL);
    }

    return ret;
}


static void
parley_test_tree_put(parley_buf_t *b, const parley_test_tree_t *tree,
    parley_test_random_t *random)
{
    switch (tree->type) {

    case PARLEY_JSON_NULL:
        parley_buf_lit(b, "null");
        break;

    case PARLEY_JSON_TRUE:
        parley_buf_lit(b, "true");
        break;

    case PARLEY_JSON_FALSE:
        parley_buf_lit(b, "false");
        break;

    case PARLEY_JSON_NUMBER:
        parley_buf_str(b, tree->text);
        break;

    case PARLEY_JSON_STRING:
        parley_test_tree_put_string(b, tree->text, random);
        break;

    default:
        parley_test_tree_put_items(b, tree, random);
    }
}


static void
parley_test_tree_put_items(parley_buf_t *b, const parley_test_tree_t *tree,
    parley_test_random_t *random)
{
    unsigned                    i, k, n;
    const parley_test_tree_t   *item;
    const parley_test_tree_t  **items;

    items = parley_test_tree_memory(
                parley_arena_alloc(b->arena, (tree->count + 1)
                                             * sizeof(items[0])));
    n = 0;

    for (item = tree->first; item != NULL; item = item->next) {
        items[n++] = item;
    }

    parley_buf_octet(b, tree->type == PARLEY_JSON_OBJECT ? '{' : '[');

    for (i = 0; i < n; i++) {

        if (random != NULL && tree->type == PARLEY_JSON_OBJECT) {
            k = i + parley_test_below(random, n - i);
            item = items[k];
            items[k] = items[i];
            items[i] = item;
        }

        if (i > 0) {
            parley_buf_octet(b, ',');
        }

        parley_test_tree_put_space(b, random);

        if (tree->type == PARLEY_JSON_OBJECT) {
            parley_test_tree_put_string(b, items[i]->name, random);
            parley_test_tree_put_space(b, random);
            parley_buf_octet(b, ':');
            parley_test_tree_put_space(b, random);
        }

        parley_test_tree_put(b, items[i], random);
        parley_test_tree_put_space(b, random);
    }

    parley_buf_octet(b, tree->type == PARLEY_JSON_OBJECT ? '}' : ']');
}


/* Writes a character of UTF-8 as an escape, or as two for a surrogate pair. */
static size_t
parley_test_tree_put_escape(parley_buf_t *b, const uint8_t *p)
{
    char      text[16];
    size_t    i, len;
    uint32_t  c;

    len = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    c = len == 1 ? p[0] : p[0] & (0xFFu >> (len + 1));

    for (i = 1; i < len; i++) {
        c = c << 6 | (p[i] & 63);
    }

    if (c < 0x10000) {
        snprintf(text, sizeof(text), "\\u%04X", (unsigned) c);
    } else {
        snprintf(text, sizeof(text), "\\u%04x\\u%04x",
                 (unsigned) (0xD7C0 + (c >> 10)),
                 (unsigned) (0xDC00 + (c & 0x3FF)));
    }

    parley_buf_put(b, text, strlen(text));

    return len;
}


static void
parley_test_tree_put_string(parley_buf_t *b, parley_str_t text,
    parley_test_random_t *random)
{
    size_t  i, len, next;

    if (random == NULL) {
        parley_buf_json_string(b, text);
        return;
    }

    parley_buf_octet(b, '"');

    for (i = 0; i < text.len; i = next) {

        /* copies text up to the next escape, which begins at a character */

        len = parley_test_below(random, 60);
        next = i + len > text.len ? text.len : i + len;

        while (next < text.len && (text.data[next] & 0xC0) == 0x80) {
            next++;
        }

        parley_buf_json_text(b, parley_str_make(text.data + i, next - i));

        if (next < text.len) {
            next += parley_test_tree_put_escape(b, text.data + next);
        }
    }

    parley_buf_octet(b, '"');
}


static void
parley_test_tree_put_space(parley_buf_t *b, parley_test_random_t *random)
{
    while (random != NULL && parley_test_chance(random, 8)) {
        parley_buf_octet(b, (uint8_t) " \t\r\n"[parley_test_below(random, 4)]);
    }
}
