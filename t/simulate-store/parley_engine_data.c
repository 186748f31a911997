/* Keys and values of the model of the engine. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/simulate-store/parley_engine.h"


static engine_key_t **
engine_bucket(engine_data_t *d, parley_str_t name)
{
    size_t    i;
    uint32_t  h;

    h = 2166136261;

    for (i = 0; i < name.len; i++) {
        h = (h ^ name.data[i]) * 16777619;
    }

    return &d->buckets[h % ENGINE_BUCKETS];
}


static void
engine_key_free(engine_key_t *key)
{
    while (key->n != 0) {
        engine_item_remove(key, key->n - 1);
    }

    free(key->items);
    free((void *) key->text.data);
    free((void *) key->name.data);
    free(key);
}


/* Finds a key.  One that has ended is removed. */

engine_key_t *
engine_find(engine_data_t *d, parley_str_t name, int64_t ms)
{
    engine_key_t  *key;

    for (key = *engine_bucket(d, name); key != NULL; key = key->next) {

        if (!parley_str_eq(key->name, name)) {
            continue;
        }

        if (key->until != 0 && key->until <= ms) {
            engine_remove(d, key);
            return NULL;
        }

        return key;
    }

    return NULL;
}


engine_key_t *
engine_add(engine_data_t *d, parley_str_t name, engine_type_t type)
{
    engine_key_t  *key, **bucket;

    bucket = engine_bucket(d, name);
    key = calloc(1, sizeof(engine_key_t));

    key->name = engine_copy(name);
    key->type = type;
    key->next = *bucket;
    *bucket = key;

    return key;
}


void
engine_remove(engine_data_t *d, engine_key_t *key)
{
    engine_key_t  **link;

    for (link = engine_bucket(d, key->name); *link != key;
         link = &(*link)->next)
    {
        /* void */
    }

    *link = key->next;
    engine_key_free(key);
}


engine_item_t *
engine_item_insert(engine_key_t *key, size_t at)
{
    if (key->n == key->size) {
        key->size = key->size == 0 ? 8 : 2 * key->size;
        key->items = realloc(key->items, key->size * sizeof(engine_item_t));
    }

    memmove(&key->items[at + 1], &key->items[at],
            (key->n - at) * sizeof(engine_item_t));
    memset(&key->items[at], 0, sizeof(engine_item_t));
    key->n++;

    return &key->items[at];
}


void
engine_item_remove(engine_key_t *key, size_t at)
{
    size_t          i;
    engine_item_t  *item = &key->items[at];

    free((void *) item->name.data);
    free((void *) item->value.data);

    for (i = 0; i < item->nfields; i++) {
        free((void *) item->fields[i].data);
    }

    free(item->fields);

    key->n--;
    memmove(item, item + 1, (key->n - at) * sizeof(engine_item_t));
}


void
engine_data_free(engine_data_t *d)
{
    size_t         i;
    engine_key_t  *key;

    for (i = 0; i < ENGINE_BUCKETS; i++) {
        while (d->buckets[i] != NULL) {
            key = d->buckets[i];
            d->buckets[i] = key->next;
            engine_key_free(key);
        }
    }

    d->loaded = 0;
}


void
engine_data_copy(engine_data_t *to, const engine_data_t *from)
{
    size_t               i, k, f;
    engine_key_t        *key;
    const engine_key_t  *old;
    engine_item_t       *item;

    memset(to, 0, sizeof(engine_data_t));
    to->loaded = from->loaded;

    for (i = 0; i < ENGINE_BUCKETS; i++) {
        for (old = from->buckets[i]; old != NULL; old = old->next) {

            key = engine_add(to, old->name, old->type);
            key->until = old->until;
            key->last = old->last;

            if (old->type == ENGINE_STRING) {
                engine_set(&key->text, old->text);
            }

            for (k = 0; k < old->n; k++) {
                item = engine_item_insert(key, k);
                *item = old->items[k];
                item->name = engine_copy(item->name);
                item->value = engine_copy(item->value);
                item->fields = calloc(item->nfields + 1, sizeof(parley_str_t));

                for (f = 0; f < item->nfields; f++) {
                    item->fields[f] = engine_copy(old->items[k].fields[f]);
                }
            }
        }
    }
}


parley_str_t
engine_copy(parley_str_t s)
{
    uint8_t  *p;

    p = malloc(s.len + 1);

    if (s.len != 0) {
        memcpy(p, s.data, s.len);
    }

    return parley_str_make(p, s.len);
}


void
engine_set(parley_str_t *to, parley_str_t s)
{
    parley_str_t  copy = engine_copy(s);

    free((void *) to->data);
    *to = copy;
}


void
engine_put(engine_buf_t *b, const void *p, size_t len)
{
    if (b->len + len > b->size) {
        b->size = 2 * (b->len + len) + 64;
        b->p = realloc(b->p, b->size);
    }

    if (len != 0) {
        memcpy(b->p + b->len, p, len);
        b->len += len;
    }
}


void
engine_print(engine_buf_t *b, const char *format, ...)
{
    int      n;
    char     text[2048];
    va_list  arguments;

    va_start(arguments, format);
    n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);

    engine_put(b, text, (size_t) n < sizeof(text) ? (size_t) n
                                                  : sizeof(text) - 1);
}
