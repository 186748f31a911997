#include "translate/parley_intents.h"
#include "translate/aee/parley_aee.h"
#include "translate/parley_codec.h"

#include <stdio.h>
#include <stdlib.h>


typedef struct {
    parley_str_t            intent;
    parley_act_t            act;
    parley_str_t            uri;
    parley_str_t            file;
    const parley_schema_t  *schema;
} parley_intent_t;


struct parley_intents_s {
    parley_mem_t          mem;
    parley_arena_t        arena;
    parley_schema_set_t  *set;
    parley_intent_t      *items;
    size_t                n;
    size_t                size;
};


/* words between the intent and the suffix */
static const struct {
    parley_str_t  word;
    parley_act_t  act;
} parley_intents_words[] = {
    { parley_str(".task"), PARLEY_ACT_REQUEST },
    { parley_str(".result"), PARLEY_ACT_REPLY },
    { parley_str(".error"), PARLEY_ACT_FAILURE },
};


static int parley_intents_check_unique(const parley_intents_t *intents,
    parley_schema_error_t *err);
static int parley_intents_compare(const void *a, const void *b);
static int parley_intents_by(const parley_intents_t *intents,
    parley_arena_t *arena, const parley_msg_t *m, parley_str_t intent,
    parley_error_t *err);
static int parley_intents_order(parley_str_t a, parley_str_t b);


parley_intents_t *
parley_intents_create(const parley_mem_t *mem)
{
    parley_intents_t         *intents;
    parley_schema_options_t   options;

    intents = mem->alloc(mem->ctx, sizeof(parley_intents_t));

    if (intents == NULL) {
        return NULL;
    }

    memset(intents, 0, sizeof(parley_intents_t));
    memset(&options, 0, sizeof(parley_schema_options_t));

    intents->mem = *mem;
    options.formats = 1;

    parley_arena_init(&intents->arena, mem, 0);
    intents->set = parley_schema_set_create(mem, &options);

    if (intents->set == NULL) {
        parley_intents_destroy(intents);
        return NULL;
    }

    return intents;
}


void
parley_intents_destroy(parley_intents_t *intents)
{
    if (intents == NULL) {
        return;
    }

    parley_schema_set_destroy(intents->set);
    parley_arena_reset(&intents->arena);

    if (intents->mem.free != NULL) {
        intents->mem.free(intents->mem.ctx, intents);
    }
}


int
parley_intents_name(parley_str_t file, parley_str_t *ret_intent,
    parley_act_t *ret_act)
{
    size_t        i, suffix;
    parley_str_t  word;

    suffix = sizeof(PARLEY_INTENTS_SUFFIX) - 1;

    if (file.len <= suffix
        || memcmp(file.data + file.len - suffix, PARLEY_INTENTS_SUFFIX,
                  suffix)
           != 0)
    {
        return 0;
    }

    file.len -= suffix;

    for (i = 0;
         i < sizeof(parley_intents_words) / sizeof(parley_intents_words[0]);
         i++)
    {
        word = parley_intents_words[i].word;

        if (file.len > word.len
            && memcmp(file.data + file.len - word.len, word.data, word.len)
               == 0)
        {
            *ret_intent = parley_str_make(file.data, file.len - word.len);
            *ret_act = parley_intents_words[i].act;
            return 1;
        }
    }

    return 0;
}


int
parley_intents_add(parley_intents_t *intents, parley_str_t file,
    parley_str_t intent, parley_act_t act, parley_str_t text,
    parley_schema_error_t *err)
{
    size_t            size;
    parley_buf_t      b;
    parley_intent_t  *items, *item;

    memset(err, 0, sizeof(parley_schema_error_t));

    if (intents->n == intents->size) {
        size = intents->size ? intents->size * 2 : 32;

        items = parley_arena_alloc(&intents->arena,
                                   size * sizeof(parley_intent_t));
        if (items == NULL) {
            return parley_error_memory(&err->error);
        }

        if (intents->n > 0) {
            memcpy(items, intents->items,
                   intents->n * sizeof(parley_intent_t));
        }

        intents->items = items;
        intents->size = size;
    }

    item = &intents->items[intents->n];

    parley_buf_init(&b, &intents->arena, 0);
    parley_buf_lit(&b, "intent:///");
    parley_buf_str(&b, intent);

    for (size = 0;
         size < sizeof(parley_intents_words) / sizeof(parley_intents_words[0]);
         size++)
    {
        if (parley_intents_words[size].act == act) {
            parley_buf_str(&b, parley_intents_words[size].word);
        }
    }

    parley_buf_lit(&b, PARLEY_INTENTS_SUFFIX);

    if (parley_buf_done(&b, &item->uri) != 0
        || parley_arena_str(&intents->arena, intent, &item->intent) != 0
        || parley_arena_str(&intents->arena, file, &item->file) != 0)
    {
        return parley_error_memory(&err->error);
    }

    if (parley_schema_set_add(intents->set, file, item->uri, text, err) != 0) {
        return -1;
    }

    item->act = act;
    item->schema = NULL;
    intents->n++;

    return 0;
}


int
parley_intents_compile(parley_intents_t *intents, parley_schema_error_t *err)
{
    size_t  i;

    for (i = 0; i < intents->n; i++) {
        if (parley_schema_compile(intents->set, intents->items[i].uri,
                                  &intents->items[i].schema, err)
            != 0)
        {
            return -1;
        }
    }

    if (intents->n > 0) {
        qsort(intents->items, intents->n, sizeof(parley_intent_t),
              parley_intents_compare);
    }

    return parley_intents_check_unique(intents, err);
}


/*
 * Checks that two schemas are not for the same intent; ASCII case is ignored.
 */

static int
parley_intents_check_unique(const parley_intents_t *intents,
    parley_schema_error_t *err)
{
    size_t                  i;
    const parley_intent_t  *items;

    items = intents->items;

    for (i = 1; i < intents->n; i++) {

        if (parley_intents_compare(&items[i - 1], &items[i]) != 0) {
            continue;
        }

        memset(err, 0, sizeof(parley_schema_error_t));

        err->keyword = "";
        err->line = 1;

        (void) snprintf(err->location, sizeof(err->location), "%.*s#",
                        (int) items[i].file.len,
                        (const char *) items[i].file.data);

        return parley_error_set(&err->error, PARLEY_E_FIELD_INVALID, "",
                                "the name differs only in case from "
                                "\"%.*s\"", (int) items[i - 1].file.len,
                                (const char *) items[i - 1].file.data);
    }

    return 0;
}


static int
parley_intents_compare(const void *a, const void *b)
{
    int                     rc;
    const parley_intent_t  *one, *two;

    one = a;
    two = b;

    rc = parley_intents_order(one->intent, two->intent);

    return rc != 0 ? rc : (int) one->act - (int) two->act;
}


/* Compares without ASCII case, as rules compare intents (SEC-04). */

static int
parley_intents_order(parley_str_t a, parley_str_t b)
{
    int     rc;
    size_t  i;

    for (i = 0; i < a.len && i < b.len; i++) {
        rc = (int) parley_lower(a.data[i]) - (int) parley_lower(b.data[i]);

        if (rc != 0) {
            return rc;
        }
    }

    return a.len < b.len ? -1 : a.len > b.len;
}


const parley_schema_t *
parley_intents_find(const parley_intents_t *intents, parley_str_t intent,
    parley_act_t act)
{
    parley_intent_t         key;
    const parley_intent_t  *item;

    if (intents == NULL || intents->n == 0) {
        return NULL;
    }

    memset(&key, 0, sizeof(parley_intent_t));

    key.intent = intent;
    key.act = act;

    item = bsearch(&key, intents->items, intents->n, sizeof(parley_intent_t),
                   parley_intents_compare);

    return item != NULL ? item->schema : NULL;
}


int
parley_intents_check(const parley_intents_t *intents, parley_arena_t *arena,
    const parley_msg_t *m, parley_error_t *err)
{
    return parley_intents_by(intents, arena, m, m->intent, err) != 0
           || parley_intents_check_read(intents, arena, m, m->wire, err) != 0
           ? -1 : 0;
}


int
parley_intents_check_read(const parley_intents_t *intents,
    parley_arena_t *arena, const parley_msg_t *m, parley_proto_t proto,
    parley_error_t *err)
{
    parley_str_t           intent;
    const parley_codec_t  *codec;

    codec = proto < PARLEY_PROTO_COUNT ? parley_codecs[proto] : NULL;

    if (intents == NULL || codec == NULL || codec->reading == NULL) {
        return 0;
    }

    intent = parley_str_none;

    return codec->reading(arena, m->intent, &intent) != 0
           ? parley_error_memory(err)
           : parley_intents_by(intents, arena, m, intent, err);
}


static int
parley_intents_by(const parley_intents_t *intents, parley_arena_t *arena,
    const parley_msg_t *m, parley_str_t intent, parley_error_t *err)
{
    int                     rc;
    parley_schema_error_t   error;
    const parley_schema_t  *schema;

    schema = parley_intents_find(intents, intent, m->act);

    if (schema == NULL || m->data.node == PARLEY_JSON_NONE) {
        return 0;
    }

    rc = parley_schema_validate(schema, arena, m->data, &error);

    if (rc == 0) {
        return 0;
    }

    if (rc < 0) {
        return parley_error_memory(err);
    }

    return parley_error_set(err, error.error.code, error.error.field, "%s %s",
                            error.error.field[0] ? error.error.field
                                                 : "the payload",
                            error.error.text);
}


size_t
parley_intents_list(const parley_intents_t *intents, parley_buf_t *b,
    int first, int (*keep)(void *ctx, parley_str_t intent), void *ctx)
{
    size_t  i, n;

    n = 0;

    for (i = 0; intents != NULL && i < intents->n; i++) {

        if (i > 0 && parley_str_eq_fold(intents->items[i].intent,
                                        intents->items[i - 1].intent))
        {
            continue;
        }

        if (!keep(ctx, intents->items[i].intent)) {
            continue;
        }

        if (!first || n > 0) {
            parley_buf_octet(b, ',');
        }

        parley_buf_json_string(b, intents->items[i].intent);
        n++;
    }

    return n;
}


int
parley_intent_is_plain(parley_str_t intent)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < intent.len; i++) {
        c = intent.data[i];

        if (!parley_is_alnum(c) && c != '.' && c != '_' && c != '-') {
            return 0;
        }
    }

    return intent.len > 0;
}


int
parley_intent_is_reserved(parley_str_t intent)
{
    return parley_aee_is_reserved(intent);
}
