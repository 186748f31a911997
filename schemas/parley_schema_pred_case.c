#include "schemas/parley_schema_pred_build.h"


static const parley_schema_t *parley_schema_pred_next(const
    parley_schema_place_t *place, const parley_schema_t *s);
static void parley_schema_pred_words(parley_schema_pred_build_t *p, const
    parley_schema_place_t *place, const parley_schema_t *s,
    parley_schema_texts_t *words);
static void parley_schema_pred_words_list(parley_schema_pred_build_t *p, const
    parley_schema_place_t *place, const parley_schema_list_t *list,
    parley_schema_texts_t *words);
static const parley_schema_pred_t
    *parley_schema_pred_resolve(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, const parley_schema_some_t *some);


void
parley_schema_pred_gather(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, const parley_schema_t *s,
    parley_schema_some_t *ret)
{
    uint32_t                      n;
    const parley_schema_t        *next;
    const parley_schema_apply_t  *a;

    parley_schema_pred_add(p, ret, s);

    if (p->failed) {
        return;
    }

    a = s->apply;

    if (a == NULL || parley_schema_pred_is_whole(s)) {
        return;
    }

    if (a->ref != NULL) {
        parley_schema_pred_gather(p, place, a->ref, ret);
    }

    for (n = 0; n < a->all.n; n++) {
        parley_schema_pred_gather(p, place, a->all.schemas[n], ret);
    }

    next = parley_schema_pred_next(place, s);

    if (next != NULL) {
        parley_schema_pred_gather(p, place, next, ret);
    }
}


/*
 * Returns the "then" or "else" that applies for the word of place; NULL if
 * none does or it is not known.
 */
static const parley_schema_t *
parley_schema_pred_next(const parley_schema_place_t *place,
    const parley_schema_t *s)
{
    uint32_t                       n;
    const parley_schema_name_t    *name;
    const parley_schema_values_t  *values;

    if (!place->resolved || parley_schema_pred_is_whole(s)
        || !parley_schema_pred_is_case(s, &place->selector, &name))
    {
        return NULL;
    }

    values = name->schema->values;

    for (n = 0; n < values->n && place->word != NULL; n++) {
        if (parley_str_eq(values->values[n].text, *place->word)) {
            return s->apply->then;
        }
    }

    return s->apply->otherwise;
}


int
parley_schema_pred_is_whole(const parley_schema_t *s)
{
    const parley_schema_array_t   *a;
    const parley_schema_object_t  *o;

    a = s->array;
    o = s->object;

    return s->rest != NULL
           || (s->apply != NULL && s->apply->dynamic != NULL)
           || (a != NULL && (a->nprefix != 0 || a->contains != NULL
                             || a->unique))
           || (o != NULL && (o->npatterns != 0 || o->property_names != NULL
                             || o->dependencies != NULL));
}


int
parley_schema_pred_is_case(const parley_schema_t *s,
    const parley_str_t *selector, const parley_schema_name_t **ret)
{
    const parley_schema_t         *when;
    const parley_schema_name_t    *name;
    const parley_schema_object_t  *o;

    if (s->apply == NULL || s->apply->when == NULL) {
        return 0;
    }

    when = s->apply->when;
    o = when->object;

    if (o == NULL || o->nnames != 1 || o->additional != NULL || o->min != 0
        || o->max != UINT32_MAX || parley_schema_pred_is_whole(when)
        || when->types != PARLEY_SCHEMA_ANY
        || (when->has & ~PARLEY_SCHEMA_HAS_SCOPE) != PARLEY_SCHEMA_HAS_PART
        || when->string != NULL || when->number != NULL
        || when->array != NULL)
    {
        return 0;
    }

    name = &o->names[0];
    *ret = name;

    return name->required && name->property
           && (selector->data == NULL
               || parley_str_eq(name->text, *selector))
           && name->schema->types == PARLEY_SCHEMA_ANY
           && (name->schema->has & ~PARLEY_SCHEMA_HAS_SCOPE)
              == PARLEY_SCHEMA_HAS_VALUES
           && name->schema->values->next == NULL
           && name->schema->values->types == PARLEY_SCHEMA_STRING;
}


void
parley_schema_pred_select(parley_schema_place_t *place,
    const parley_schema_some_t *some)
{
    uint8_t                      types;
    uint32_t                     n;
    const parley_schema_name_t  *name, *found;

    types = PARLEY_SCHEMA_ANY;
    found = NULL;

    for (n = 0; n < some->n; n++) {
        types &= some->schemas[n]->types;

        if (found == NULL && !parley_schema_pred_is_whole(some->schemas[n])
            && parley_schema_pred_is_case(some->schemas[n], &place->selector,
                                          &name))
        {
            found = name;
        }
    }

    if (found != NULL && types == PARLEY_SCHEMA_OBJECT) {
        place->selects = 1;
        place->selector = found->text;
    }
}


void
parley_schema_pred_cases(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_frame_t *f,
    const parley_schema_some_t *some)
{
    uint32_t               n;
    parley_schema_texts_t  words;

    words.n = 0;

    for (n = 0; n < some->n; n++) {
        parley_schema_pred_words(p, place, some->schemas[n], &words);
    }

    f->words = parley_schema_pred_table(p, &words);
    f->cases = parley_schema_pred_alloc(p, (words.n + 1)
                                           * sizeof(f->cases[0]));
    f->selector = parley_schema_pred_text(p, &place->names, place->selector);
    f->selects = 1;
    place->resolved = 1;

    for (n = 0; n <= words.n && !p->failed; n++) {
        place->word = (n > 0) ? &words.text[n - 1] : NULL;
        f->cases[n] = parley_schema_pred_resolve(p, place, some);
    }

    place->resolved = 0;
}


/* Collects the words that conditions within s test for. */
static void
parley_schema_pred_words(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, const parley_schema_t *s,
    parley_schema_texts_t *words)
{
    uint32_t                       n;
    const parley_schema_name_t    *name;
    const parley_schema_apply_t   *a;
    const parley_schema_values_t  *values;

    if (s == NULL || s->apply == NULL || p->failed
        || parley_schema_pred_is_whole(s))
    {
        return;
    }

    /* paths may be many more than schemas */

    if (p->left == 0) {
        p->failed = PARLEY_SCHEMA_PRED_TOO_LARGE;
        return;
    }

    p->left--;

    a = s->apply;

    if (parley_schema_pred_is_case(s, &place->selector, &name)) {
        values = name->schema->values;

        for (n = 0; n < values->n; n++) {
            (void) parley_schema_pred_text(p, words, values->values[n].text);
        }
    }

    parley_schema_pred_words_list(p, place, &a->all, words);
    parley_schema_pred_words_list(p, place, &a->any, words);
    parley_schema_pred_words_list(p, place, &a->one, words);
    parley_schema_pred_words(p, place, a->ref, words);
    parley_schema_pred_words(p, place, a->not, words);
    parley_schema_pred_words(p, place, a->when, words);
    parley_schema_pred_words(p, place, a->then, words);
    parley_schema_pred_words(p, place, a->otherwise, words);
}


static void
parley_schema_pred_words_list(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, const parley_schema_list_t *list,
    parley_schema_texts_t *words)
{
    uint32_t  n;

    for (n = 0; n < list->n; n++) {
        parley_schema_pred_words(p, place, list->schemas[n], words);
    }
}


/* Builds the predicate that applies for the word of place. */
static const parley_schema_pred_t *
parley_schema_pred_resolve(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, const parley_schema_some_t *some)
{
    uint32_t                n;
    parley_schema_pred_t   *pred;
    parley_schema_some_t    then;
    const parley_schema_t  *next;

    then.n = 0;

    for (n = 0; n < some->n; n++) {
        next = parley_schema_pred_next(place, some->schemas[n]);

        if (next != NULL) {
            parley_schema_pred_gather(p, place, next, &then);
        }
    }

    if (then.n == 0) {
        return NULL;
    }

    pred = parley_schema_pred_new(p);

    if (pred != NULL) {
        p->depth++;
        parley_schema_pred_fill(p, place, pred, &then, 0);
        p->depth--;
    }

    return pred;
}
