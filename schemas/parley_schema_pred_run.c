#include "schemas/parley_schema_run.h"
#include "schemas/parley_schema_pred.h"


/* integers up to this number of digits are read here */
#define PARLEY_SCHEMA_PRED_DIGITS  15


/* the members found of those in a frame */
typedef struct {
    uint64_t                   met;     /* bit per index; 0: any
                                           other member */
    const parley_json_node_t  *at[PARLEY_SCHEMA_WORDS_MAX + 1]; /* values */
} parley_schema_members_t;


/* inline: runs for every value of a message, where calls would dominate */
static inline int parley_schema_pred_value(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node)
    __attribute__((always_inline));
static int parley_schema_pred_escaped(const parley_schema_run_t *run,
    const parley_strset_t *words, const parley_json_node_t *node)
    __attribute__((cold));
static int parley_schema_pred_object(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node);
static int parley_schema_pred_members(parley_schema_run_t *run,
    const parley_schema_frame_t *f, const parley_json_node_t *node,
    parley_schema_members_t *m);
static int parley_schema_pred_named(parley_schema_run_t *run,
    const parley_schema_frame_t *f, const parley_json_node_t *node,
    parley_schema_members_t *m);
static int parley_schema_pred_case(parley_schema_run_t *run,
    const parley_schema_frame_t *f, const parley_json_node_t *node,
    const parley_schema_members_t *m);
static int parley_schema_pred_deeper(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node,
    const parley_schema_members_t *m);
static int parley_schema_pred_known(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node,
    const parley_schema_members_t *m);
static int parley_schema_pred_items(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node);
static int parley_schema_pred_strings(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node);
static int parley_schema_pred_numbers(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node);
static int parley_schema_pred_rest(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node,
    const parley_schema_members_t *m);
static int parley_schema_pred_branch(parley_schema_run_t *run,
    const parley_schema_branch_t *b, const parley_json_node_t *node,
    const parley_schema_members_t *m);


static inline uint32_t
parley_schema_at(const parley_schema_run_t *run,
    const parley_json_node_t *node)
{
    return (uint32_t) (node - run->nodes);
}


/* Returns the index of a string among words, 0, or a negative code. */
static inline int
parley_schema_pred_word(const parley_schema_run_t *run,
    const parley_strset_t *words, const parley_json_node_t *node)
{
    if (node->flags & PARLEY_JSON_ESCAPED) {
        return parley_schema_pred_escaped(run, words, node);
    }

    return (int) parley_strset_find(words, run->doc->input.data + node->off,
                                    node->len);
}


static int
parley_schema_pred_escaped(const parley_schema_run_t *run,
    const parley_strset_t *words, const parley_json_node_t *node)
{
    parley_str_t  text;

    if (parley_json_string(run->doc, parley_schema_at(run, node), &text)
        != 0)
    {
        return PARLEY_SCHEMA_MEMORY;
    }

    return (int) parley_strset_find(words, text.data, text.len);
}


/* Checks the type and, for a string, length and words. */
static inline int
parley_schema_pred_first(const parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node)
{
    int  n;

    if (!(pred->types >> node->type & 1)) {
        return (node->type == PARLEY_JSON_NUMBER
                && (pred->types & PARLEY_SCHEMA_INTEGER)
                && ((node->flags & PARLEY_JSON_INTEGER)
                    || parley_schema_number_is_integer(run->doc,
                                               parley_schema_at(run, node))))
               ? PARLEY_SCHEMA_VALID : PARLEY_SCHEMA_INVALID;
    }

    if (node->type != PARLEY_JSON_STRING) {
        return PARLEY_SCHEMA_VALID;
    }

    if (node->count < pred->min_length || node->count > pred->max_length) {
        return PARLEY_SCHEMA_INVALID;
    }

    if (pred->words == NULL) {
        return PARLEY_SCHEMA_VALID;
    }

    n = parley_schema_pred_word(run, pred->words, node);

    return (n > 0) ? PARLEY_SCHEMA_VALID : (n == 0) ? PARLEY_SCHEMA_INVALID : n;
}


/* Checks a value, finding the members of its frame first. */
static inline int
parley_schema_pred_value(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node)
{
    int  rc;

    rc = parley_schema_pred_first(run, pred, node);

    if (rc != PARLEY_SCHEMA_VALID) {
        return rc;
    }

    if (node->type == PARLEY_JSON_OBJECT && pred->frame != NULL) {
        return parley_schema_pred_object(run, pred, node);
    }

    return (pred->deeper >> node->type & 1)
           ? parley_schema_pred_deeper(run, pred, node, NULL)
           : PARLEY_SCHEMA_VALID;
}


/* Applies another predicate to a value with known members; m NULL: none. */
static inline int
parley_schema_pred_again(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node,
    const parley_schema_members_t *m)
{
    int  rc;

    if (pred == NULL) {
        return PARLEY_SCHEMA_VALID;
    }

    rc = parley_schema_pred_first(run, pred, node);

    if (rc != PARLEY_SCHEMA_VALID) {
        return rc;
    }

    return (pred->deeper >> node->type & 1)
           ? parley_schema_pred_deeper(run, pred, node, m)
           : PARLEY_SCHEMA_VALID;
}


int
parley_schema_pred_run(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, uint32_t i)
{
    return parley_schema_pred_value(run, pred, &run->nodes[i]);
}


static int
parley_schema_pred_object(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node)
{
    int                           rc;
    parley_schema_members_t       m;
    const parley_schema_frame_t  *f;

    f = pred->frame;
    m.met = 0;

    rc = f->by_name ? parley_schema_pred_named(run, f, node, &m)
                    : parley_schema_pred_members(run, f, node, &m);

    if (rc != PARLEY_SCHEMA_VALID) {
        return rc;
    }

    if ((m.met & pred->required) != pred->required) {
        return PARLEY_SCHEMA_INVALID;
    }

    if (pred->deeper & PARLEY_SCHEMA_OBJECT) {
        rc = parley_schema_pred_deeper(run, pred, node, &m);
        if (rc != PARLEY_SCHEMA_VALID) {
            return rc;
        }
    }

    return f->selects ? parley_schema_pred_case(run, f, node, &m)
                      : PARLEY_SCHEMA_VALID;
}


static int
parley_schema_pred_members(parley_schema_run_t *run,
    const parley_schema_frame_t *f, const parley_json_node_t *node,
    parley_schema_members_t *m)
{
    int                          rc, n;
    uint64_t                     met;
    const parley_json_node_t    *nodes, *name, *end;
    const parley_schema_pred_t  *pred;

    met = 0;
    nodes = run->nodes;
    end = &nodes[node->next];

    for (name = node + 1; name != end; name = &nodes[name[1].next]) {

        n = (f->atoms != NULL) ? f->atoms[name->atom]
                               : parley_schema_pred_word(run, f->names, name);

        if (n < 0) {
            return n;
        }

        met |= (uint64_t) 1 << n;
        m->at[n] = name + 1;
        pred = f->preds[n];

        if (pred != NULL) {
            rc = parley_schema_pred_value(run, pred, name + 1);
            if (rc != PARLEY_SCHEMA_VALID) {
                return rc;
            }
        }
    }

    m->met = met;

    return PARLEY_SCHEMA_VALID;
}


/* Only one or two names matter: looks them up in the object. */
static int
parley_schema_pred_named(parley_schema_run_t *run,
    const parley_schema_frame_t *f, const parley_json_node_t *node,
    parley_schema_members_t *m)
{
    int       rc;
    uint32_t  n, value;

    for (n = 1; n <= f->names->n; n++) {

        value = parley_schema_find_member(run, parley_schema_at(run, node),
                                          f->names->entries[n].text);

        if (value == PARLEY_JSON_NONE) {
            continue;
        }

        m->met |= (uint64_t) 1 << n;
        m->at[n] = &run->nodes[value];

        if (f->preds[n] != NULL) {
            rc = parley_schema_pred_value(run, f->preds[n], m->at[n]);
            if (rc != PARLEY_SCHEMA_VALID) {
                return rc;
            }
        }
    }

    return PARLEY_SCHEMA_VALID;
}


static int
parley_schema_pred_case(parley_schema_run_t *run,
    const parley_schema_frame_t *f, const parley_json_node_t *node,
    const parley_schema_members_t *m)
{
    int                        n;
    const parley_json_node_t  *value;

    n = 0;

    if (m->met >> f->selector & 1) {

        value = m->at[f->selector];

        if (value->type == PARLEY_JSON_STRING) {
            n = parley_schema_pred_word(run, f->words, value);
            if (n < 0) {
                return n;
            }
        }
    }

    return parley_schema_pred_again(run, f->cases[n], node, m);
}


static int
parley_schema_pred_deeper(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node,
    const parley_schema_members_t *m)
{
    int  rc;

    switch (node->type) {

    case PARLEY_JSON_STRING:
        rc = parley_schema_pred_strings(run, pred, node);
        break;

    case PARLEY_JSON_NUMBER:
        rc = parley_schema_pred_numbers(run, pred, node);
        break;

    case PARLEY_JSON_ARRAY:
        rc = parley_schema_pred_items(run, pred, node);
        break;

    case PARLEY_JSON_OBJECT:
        rc = parley_schema_pred_known(run, pred, node, m);
        break;

    default:
        rc = PARLEY_SCHEMA_VALID;
    }

    if (rc != PARLEY_SCHEMA_VALID || pred->deeper != PARLEY_SCHEMA_ANY) {
        return rc;
    }

    return parley_schema_pred_rest(run, pred, node, m);
}


/* Checks an object with known members. */
static int
parley_schema_pred_known(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node,
    const parley_schema_members_t *m)
{
    int                                 rc;
    const parley_schema_pred_member_t  *member;

    if (node->count < pred->min_members || node->count > pred->max_members) {
        return PARLEY_SCHEMA_INVALID;
    }

    if (pred->required != 0 && (m->met & pred->required) != pred->required) {
        return PARLEY_SCHEMA_INVALID;
    }

    for (member = pred->members; member != NULL; member = member->next) {

        if (!(m->met >> member->index & 1)) {
            continue;
        }

        rc = parley_schema_pred_value(run, member->pred,
                                      m->at[member->index]);
        if (rc != PARLEY_SCHEMA_VALID) {
            return rc;
        }
    }

    return PARLEY_SCHEMA_VALID;
}


static int
parley_schema_pred_items(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node)
{
    int                        rc;
    const parley_json_node_t  *item, *end;

    if (node->count < pred->min_items || node->count > pred->max_items) {
        return PARLEY_SCHEMA_INVALID;
    }

    if (pred->items == NULL) {
        return PARLEY_SCHEMA_VALID;
    }

    end = &run->nodes[node->next];

    for (item = node + 1; item != end; item = &run->nodes[item->next]) {
        rc = parley_schema_pred_value(run, pred->items, item);
        if (rc != PARLEY_SCHEMA_VALID) {
            return rc;
        }
    }

    return PARLEY_SCHEMA_VALID;
}


static int
parley_schema_pred_strings(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node)
{
    int                            rc;
    uint32_t                       n;
    parley_str_t                   text;
    const parley_schema_string_t  *s;

    if (parley_json_string(run->doc, parley_schema_at(run, node), &text)
        != 0)
    {
        return PARLEY_SCHEMA_MEMORY;
    }

    if (pred->excluded != NULL
        && parley_strset_find(pred->excluded, text.data, text.len) != 0)
    {
        return PARLEY_SCHEMA_INVALID;
    }

    for (n = 0; n < pred->nstrings; n++) {

        s = pred->strings[n]->string;

        if (text.len > s->octets) {
            return PARLEY_SCHEMA_INVALID;
        }

        if (s->pattern != NULL
            && !(s->pattern->plain && (node->flags & PARLEY_JSON_ASCII)))
        {
            rc = parley_schema_pattern_match(s->pattern, &run->matcher, text);

            if (rc < 0) {
                return (rc == PARLEY_SCHEMA_MATCH_MEMORY)
                       ? PARLEY_SCHEMA_MEMORY : PARLEY_SCHEMA_LIMIT;
            }

            if (rc == 0) {
                return PARLEY_SCHEMA_INVALID;
            }
        }

        if (s->format != PARLEY_FORMAT_NONE
            && !parley_format_is((parley_format_t) s->format, text))
        {
            return PARLEY_SCHEMA_INVALID;
        }
    }

    return PARLEY_SCHEMA_VALID;
}


static int
parley_schema_pred_numbers(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node)
{
    int             rc;
    int64_t         value;
    uint32_t        n;
    const uint8_t  *p, *end;

    if ((node->flags & PARLEY_JSON_INTEGER) && !pred->inexact
        && node->len <= PARLEY_SCHEMA_PRED_DIGITS)
    {
        p = run->doc->input.data + node->off;
        end = p + node->len;
        value = 0;

        for (p += (*p == '-'); p < end; p++) {
            value = value * 10 + (*p - '0');
        }

        if (run->doc->input.data[node->off] == '-') {
            value = -value;
        }

        return (value >= pred->least && value <= pred->most)
               ? PARLEY_SCHEMA_VALID : PARLEY_SCHEMA_INVALID;
    }

    for (n = 0; n < pred->nnumbers; n++) {
        rc = parley_schema_number(run, pred->numbers[n],
                                  parley_schema_at(run, node));
        if (rc != PARLEY_SCHEMA_VALID) {
            return rc;
        }
    }

    return PARLEY_SCHEMA_VALID;
}


/* Checks the requirements that are independent of the type. */
static int
parley_schema_pred_rest(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, const parley_json_node_t *node,
    const parley_schema_members_t *m)
{
    int                            rc;
    uint32_t                       n;
    const parley_schema_branch_t  *b;
    const parley_schema_values_t  *values;

    for (n = 0; n < pred->nparts; n++) {
        for (values = pred->parts[n]->values; values != NULL;
             values = values->next)
        {
            if (!parley_schema_values_have(run, values,
                                           parley_schema_at(run, node)))
            {
                return PARLEY_SCHEMA_INVALID;
            }
        }
    }

    for (b = pred->branches; b != NULL; b = b->next) {
        rc = parley_schema_pred_branch(run, b, node, m);
        if (rc != PARLEY_SCHEMA_VALID) {
            return rc;
        }
    }

    for (n = 0; n < pred->nwholes; n++) {
        rc = parley_schema_visit(run, pred->wholes[n],
                                 parley_schema_at(run, node), NULL);
        if (rc != PARLEY_SCHEMA_VALID) {
            return rc;
        }
    }

    return PARLEY_SCHEMA_VALID;
}


static int
parley_schema_pred_branch(parley_schema_run_t *run,
    const parley_schema_branch_t *b, const parley_json_node_t *node,
    const parley_schema_members_t *m)
{
    int       rc;
    uint32_t  n, count;

    if (b->keyword == PARLEY_SCHEMA_K_IF) {
        rc = parley_schema_pred_again(run, b->preds[0], node, m);

        return (rc < 0)
               ? rc
               : parley_schema_pred_again(run,
                                          b->preds[(rc == PARLEY_SCHEMA_VALID)
                                                   ? 1 : 2],
                                          node, m);
    }

    count = 0;

    for (n = 0; n < b->n; n++) {

        rc = parley_schema_pred_again(run, b->preds[n], node, m);
        if (rc < 0) {
            return rc;
        }

        count += (rc == PARLEY_SCHEMA_VALID);

        if (count == 1 && b->keyword == PARLEY_SCHEMA_K_ANY_OF) {
            return PARLEY_SCHEMA_VALID;
        }
    }

    /* NOT and ONE_OF are decided by the count */

    return (b->keyword != PARLEY_SCHEMA_K_ANY_OF
            && count == (b->keyword == PARLEY_SCHEMA_K_ONE_OF))
           ? PARLEY_SCHEMA_VALID : PARLEY_SCHEMA_INVALID;
}
