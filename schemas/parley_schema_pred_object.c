#include "schemas/parley_schema_pred_build.h"


static const uint8_t *parley_schema_pred_atoms(parley_schema_pred_build_t *p,
    const parley_schema_texts_t *names);
static void parley_schema_pred_insert(parley_schema_pred_t *pred,
    parley_schema_pred_member_t *member);
static void parley_schema_pred_member(parley_schema_pred_build_t *p, const
    parley_str_t *text, const parley_schema_some_t *some, parley_schema_some_t
    *ret);


void
parley_schema_pred_names(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_object_t *o, int own)
{
    uint32_t                      n, index;
    parley_schema_some_t          one;
    const parley_schema_name_t   *name;
    parley_schema_pred_member_t  *member;

    pred->min_members = parley_schema_max(pred->min_members, o->min);
    pred->max_members = parley_schema_min(pred->max_members, o->max);

    for (n = 0; n < o->nnames && !p->failed; n++) {

        name = &o->names[n];
        index = parley_schema_pred_text(p, &place->names, name->text);

        if (p->failed) {
            return;
        }

        if (name->required) {
            pred->required |= (uint64_t) 1 << index;
        }

        if (own || !name->property || parley_schema_is_true(name->schema)) {
            continue;
        }

        one.n = 1;
        one.schemas[0] = name->schema;

        member = parley_schema_pred_alloc(p,
                                          sizeof(parley_schema_pred_member_t));
        if (member == NULL) {
            return;
        }

        member->index = index;
        member->pred = parley_schema_pred_make(p, &one);

        parley_schema_pred_insert(pred, member);
    }
}


/* Inserts before members that take longer to check: most conditions fail. */

static void
parley_schema_pred_insert(parley_schema_pred_t *pred,
    parley_schema_pred_member_t *member)
{
    parley_schema_pred_member_t  **link;

    link = &pred->members;

    if (member->pred != NULL && member->pred->deeper) {
        while (*link != NULL) {
            link = &(*link)->next;
        }
    }

    member->next = *link;
    *link = member;
}


void
parley_schema_pred_frame(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, parley_schema_frame_t *f,
    const parley_schema_some_t *some)
{
    uint32_t               n;
    parley_schema_some_t   list;

    f->names = parley_schema_pred_table(p, &place->names);
    f->atoms = parley_schema_pred_atoms(p, &place->names);
    f->preds = parley_schema_pred_alloc(p, (place->names.n + 1)
                                           * sizeof(f->preds[0]));

    for (n = 0; n <= place->names.n && !p->failed; n++) {
        parley_schema_pred_member(p, n ? &place->names.text[n - 1] : NULL,
                                  some, &list);
        f->preds[n] = parley_schema_pred_make(p, &list);
    }

    f->by_name = (!p->failed && f->preds[0] == NULL && f->atoms == NULL
                  && place->names.n <= PARLEY_SCHEMA_BY_NAME_MAX);
}


static const uint8_t *
parley_schema_pred_atoms(parley_schema_pred_build_t *p,
    const parley_schema_texts_t *names)
{
    uint8_t        *atoms;
    uint32_t        n;
    parley_atom_t   atom;

    atoms = parley_schema_pred_alloc(p, parley_atom_ntexts + 1);

    for (n = 0; n < names->n && !p->failed; n++) {

        atom = parley_atom_of(names->text[n]);

        if (atom == PARLEY_ATOM_NONE) {
            return NULL;
        }

        atoms[atom] = (uint8_t) (n + 1);
    }

    return atoms;
}


/*
 * Collects the schemas of the member named text; if text is NULL, those of a
 * member that no schema names.
 */
static void
parley_schema_pred_member(parley_schema_pred_build_t *p,
    const parley_str_t *text, const parley_schema_some_t *some,
    parley_schema_some_t *ret)
{
    uint32_t                       n, k;
    const parley_schema_t         *s;
    const parley_schema_object_t  *o;

    ret->n = 0;

    for (n = 0; n < some->n; n++) {

        o = some->schemas[n]->object;

        if (o == NULL || parley_schema_pred_is_whole(some->schemas[n])) {
            continue;
        }

        s = o->additional;

        for (k = 0; k < o->nnames && text != NULL; k++) {
            if (o->names[k].property
                && parley_str_eq(o->names[k].text, *text))
            {
                s = o->names[k].schema;
                break;
            }
        }

        if (s != NULL && !parley_schema_is_true(s)) {
            parley_schema_pred_add(p, ret, s);
        }
    }
}


const parley_strset_t *
parley_schema_pred_table(parley_schema_pred_build_t *p,
    const parley_schema_texts_t *texts)
{
    parley_strset_t  *words;

    words = parley_strset(&p->c->set->arena, texts->text, texts->n);

    if (words == NULL) {
        p->failed = PARLEY_SCHEMA_PRED_NO_MEMORY;
        (void) parley_schema_no_memory(p->c->err);
    }

    return words;
}


uint32_t
parley_schema_pred_text(parley_schema_pred_build_t *p,
    parley_schema_texts_t *texts, parley_str_t text)
{
    uint32_t  n;

    for (n = 0; n < texts->n; n++) {
        if (parley_str_eq(texts->text[n], text)) {
            return n + 1;
        }
    }

    if (n == PARLEY_SCHEMA_WORDS_MAX) {
        p->failed = p->failed ? p->failed : PARLEY_SCHEMA_PRED_TOO_LARGE;
        return 0;
    }

    texts->text[texts->n++] = text;

    return texts->n;
}
