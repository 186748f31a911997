/* Structured values of pairs; the writer of pairs. */

#include "moqt/parley_moqt_pairs.h"


static int parley_moqt_value_error(parley_moqt_fault_t *fault,
    parley_moqt_code_t code, const char *text);
static int parley_moqt_value_location(parley_moqt_cursor_t *c,
    parley_moqt_location_t *ret);
static void parley_moqt_pairs_type(parley_moqt_pairs_writer_t *w,
    uint64_t type, unsigned odd);
static void parley_moqt_pairs_value(parley_moqt_pairs_writer_t *w,
    uint64_t n, uint8_t **p);


int
parley_moqt_token_read(const parley_moqt_draft_t *draft, parley_str_t octets,
    parley_moqt_token_t *ret, parley_moqt_fault_t *fault)
{
    int                   has_alias, has_value;
    uint64_t              type;
    parley_moqt_cursor_t  c;

    c.draft = draft;
    c.pos = octets.data;
    c.end = octets.data + octets.len;

    memset(ret, 0, sizeof(parley_moqt_token_t));

    if (parley_moqt_integer_read(&c, &type) != 0
        || type > PARLEY_MOQT_TOKEN_USE_VALUE)
    {
        return parley_moqt_value_error(fault,
                                     PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
                                     "the Alias Type is not 0 to 3");
    }

    ret->alias_type = (parley_moqt_alias_t) type;

    has_value = type & PARLEY_MOQT_TOKEN_REGISTER;
    has_alias = type != PARLEY_MOQT_TOKEN_USE_VALUE;

    if (has_alias && parley_moqt_integer_read(&c, &ret->alias) != 0) {
        return parley_moqt_value_error(fault,
                                     PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
                                     "the Token Alias is missing");
    }

    if (has_value && parley_moqt_integer_read(&c, &ret->type) != 0) {
        return parley_moqt_value_error(fault,
                                     PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
                                     "the Token Type is missing");
    }

    if (!has_value && c.pos < c.end) {
        return parley_moqt_value_error(fault,
                                     PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
                                     "octets follow the Token Alias");
    }

    ret->value = parley_str_make(c.pos, (size_t) (c.end - c.pos));

    return 0;
}


static int
parley_moqt_value_error(parley_moqt_fault_t *fault, parley_moqt_code_t code,
    const char *text)
{
    return parley_moqt_fault_set(fault, code, "", text);
}


int
parley_moqt_location_read(const parley_moqt_draft_t *draft,
    parley_str_t octets, parley_moqt_location_t *ret,
    parley_moqt_fault_t *fault)
{
    parley_moqt_cursor_t  c;

    c.draft = draft;
    c.pos = octets.data;
    c.end = octets.data + octets.len;

    if (parley_moqt_value_location(&c, ret) != 0 || c.pos < c.end) {
        return parley_moqt_value_error(fault,
                                     PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR,
                                     "it is not a location");
    }

    return 0;
}


static int
parley_moqt_value_location(parley_moqt_cursor_t *c,
    parley_moqt_location_t *ret)
{
    memset(ret, 0, sizeof(parley_moqt_location_t));

    return parley_moqt_integer_read(c, &ret->group) != 0
           || parley_moqt_integer_read(c, &ret->object) != 0 ? -1 : 0;
}


int
parley_moqt_filter_read(const parley_moqt_draft_t *draft, parley_str_t octets,
    parley_moqt_filter_t *ret, parley_moqt_fault_t *fault)
{
    uint64_t              type;
    parley_moqt_cursor_t  c;

    c.draft = draft;
    c.pos = octets.data;
    c.end = octets.data + octets.len;

    memset(ret, 0, sizeof(parley_moqt_filter_t));

    if (parley_moqt_integer_read(&c, &type) != 0
        || type < PARLEY_MOQT_FILTER_NEXT_GROUP
        || type > PARLEY_MOQT_FILTER_RANGE)
    {
        return parley_moqt_value_error(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                       "the Filter Type is not 1 to 4");
    }

    ret->type = (parley_moqt_filter_type_t) type;

    if ((type >= PARLEY_MOQT_FILTER_START
         && parley_moqt_value_location(&c, &ret->start) != 0)
        || (type == PARLEY_MOQT_FILTER_RANGE
            && parley_moqt_integer_read(&c, &ret->end_group) != 0)
        || c.pos < c.end)
    {
        return parley_moqt_value_error(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                       "its length is not that of the filter");
    }

    return 0;
}


void
parley_moqt_pairs_writer_init(parley_moqt_pairs_writer_t *w,
    const parley_moqt_draft_t *draft, parley_arena_t *arena)
{
    memset(w, 0, sizeof(parley_moqt_pairs_writer_t));

    w->draft = draft;
    parley_buf_init(&w->b, arena, 64);
}


void
parley_moqt_pairs_put_integer(parley_moqt_pairs_writer_t *w, uint64_t type,
    uint64_t n)
{
    parley_moqt_pairs_type(w, type, 0);

    if (n > w->draft->integer_max) {
        w->failed = 1;
        return;
    }

    parley_moqt_integer_write(w->draft, &w->b, n);
}


void
parley_moqt_pairs_put_octets(parley_moqt_pairs_writer_t *w, uint64_t type,
    parley_str_t octets)
{
    parley_moqt_pairs_type(w, type, 1);

    if (octets.len > PARLEY_MOQT_VALUE_MAX) {
        w->failed = 1;
        return;
    }

    parley_moqt_octets_write(w->draft, &w->b, octets);
}


/* Appends the distance to a type, which must have this parity. */

static void
parley_moqt_pairs_type(parley_moqt_pairs_writer_t *w, uint64_t type,
    unsigned odd)
{
    if (type < w->type || type % 2 != odd
        || type - w->type > w->draft->integer_max)
    {
        w->failed = 1;
        return;
    }

    parley_moqt_integer_write(w->draft, &w->b, type - w->type);

    w->type = type;
    w->count++;
}


void
parley_moqt_pairs_put_token(parley_moqt_pairs_writer_t *w, uint64_t type,
    const parley_moqt_token_t *token)
{
    uint8_t  head[3 * PARLEY_MOQT_INTEGER_LEN], *p;

    p = head;

    parley_moqt_pairs_value(w, token->alias_type, &p);

    if (token->alias_type != PARLEY_MOQT_TOKEN_USE_VALUE) {
        parley_moqt_pairs_value(w, token->alias, &p);
    }

    if (!(token->alias_type & PARLEY_MOQT_TOKEN_REGISTER)) {
        parley_moqt_pairs_put_octets(w, type,
                             parley_str_make(head, (size_t) (p - head)));
        return;
    }

    parley_moqt_pairs_value(w, token->type, &p);
    parley_moqt_pairs_type(w, type, 1);

    if (token->value.len > PARLEY_MOQT_VALUE_MAX - (size_t) (p - head)) {
        w->failed = 1;
        return;
    }

    parley_moqt_integer_write(w->draft, &w->b,
                              (size_t) (p - head) + token->value.len);
    parley_buf_put(&w->b, head, (size_t) (p - head));
    parley_buf_str(&w->b, token->value);
}


void
parley_moqt_pairs_put_location(parley_moqt_pairs_writer_t *w, uint64_t type,
    parley_moqt_location_t location)
{
    uint8_t  octets[2 * PARLEY_MOQT_INTEGER_LEN], *p;

    p = octets;

    parley_moqt_pairs_value(w, location.group, &p);
    parley_moqt_pairs_value(w, location.object, &p);

    parley_moqt_pairs_put_octets(w, type,
                           parley_str_make(octets, (size_t) (p - octets)));
}


void
parley_moqt_pairs_put_filter(parley_moqt_pairs_writer_t *w, uint64_t type,
    const parley_moqt_filter_t *filter)
{
    uint8_t  octets[4 * PARLEY_MOQT_INTEGER_LEN], *p;

    p = octets;

    parley_moqt_pairs_value(w, filter->type, &p);

    if (filter->type >= PARLEY_MOQT_FILTER_START) {
        parley_moqt_pairs_value(w, filter->start.group, &p);
        parley_moqt_pairs_value(w, filter->start.object, &p);
    }

    if (filter->type == PARLEY_MOQT_FILTER_RANGE) {
        parley_moqt_pairs_value(w, filter->end_group, &p);
    }

    parley_moqt_pairs_put_octets(w, type,
                           parley_str_make(octets, (size_t) (p - octets)));
}


/* Writes an integer of a structured value at *p. */

static void
parley_moqt_pairs_value(parley_moqt_pairs_writer_t *w, uint64_t n,
    uint8_t **p)
{
    if (n > w->draft->integer_max) {
        w->failed = 1;
        return;
    }

    *p = w->draft->integer_write(*p, n);
}


int
parley_moqt_pairs_done(parley_moqt_pairs_writer_t *w, parley_moqt_pairs_t *ret)
{
    memset(ret, 0, sizeof(parley_moqt_pairs_t));

    if (parley_buf_done(&w->b, &ret->octets) != 0 || w->failed) {
        ret->octets = parley_str_none;
        return -1;
    }

    ret->count = w->count;

    return 0;
}
