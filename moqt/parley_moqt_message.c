#include "moqt/parley_moqt_message.h"


#define PARLEY_MOQT_OPTIONS_MAX  2


static int parley_moqt_field_read(parley_moqt_cursor_t *c,
    const parley_moqt_field_t *f, parley_moqt_message_t *ret,
    parley_moqt_fault_t *fault);
static int parley_moqt_field_text(parley_moqt_cursor_t *c,
    const parley_moqt_field_t *f, size_t max, parley_str_t *ret,
    parley_moqt_fault_t *fault);
static int parley_moqt_field_pairs(parley_moqt_cursor_t *c,
    const parley_moqt_field_t *f, parley_moqt_message_t *m,
    parley_moqt_fault_t *fault);
static int parley_moqt_field_short(const parley_moqt_field_t *f,
    parley_moqt_fault_t *fault);
static int parley_moqt_message_check(const parley_moqt_message_t *m,
    parley_moqt_fault_t *fault);
static int parley_moqt_field_write(const parley_moqt_draft_t *draft,
    parley_buf_t *b, const parley_moqt_field_t *f,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault);
static int parley_moqt_field_integer(const parley_moqt_draft_t *draft,
    parley_buf_t *b, const parley_moqt_field_t *f, uint64_t n,
    parley_moqt_fault_t *fault);
static int parley_moqt_field_space(const parley_moqt_draft_t *draft,
    parley_buf_t *b, const parley_moqt_field_t *f,
    const parley_moqt_namespace_t *space, parley_moqt_fault_t *fault);


/* Returns whether a message has a field: some depend on the Fetch Type. */

static inline int
parley_moqt_field_is(const parley_moqt_field_t *f,
    const parley_moqt_message_t *m)
{
    return f->when == 0 || (f->when >> m->fetch & 1);
}


int
parley_moqt_message_read(const parley_moqt_draft_t *draft, uint64_t type,
    parley_str_t payload, parley_moqt_message_t *ret,
    parley_moqt_fault_t *fault)
{
    parley_moqt_cursor_t        c;
    const parley_moqt_field_t  *f;

    memset(ret, 0, offsetof(parley_moqt_message_t, space.fields));

    ret->type = type;
    ret->row = parley_moqt_draft_row(draft, type);

    c.draft = draft;
    c.pos = payload.data;
    c.end = payload.data + payload.len;

    for (f = ret->row->fields; f->kind != PARLEY_MOQT_FIELD_END; f++) {

        if (parley_moqt_field_is(f, ret)
            && parley_moqt_field_read(&c, f, ret, fault) != 0)
        {
            goto failed;
        }
    }

    if (c.pos < c.end) {
        (void) parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Length", "octets follow the last field");
        goto failed;
    }

    if (parley_moqt_message_check(ret, fault) == 0) {
        return 0;
    }

failed:

    fault->place = ret->row->name;
    fault->offset = (uint64_t) (c.pos - payload.data);

    return -1;
}


static int
parley_moqt_field_read(parley_moqt_cursor_t *c, const parley_moqt_field_t *f,
    parley_moqt_message_t *ret, parley_moqt_fault_t *fault)
{
    void                    *member;
    parley_moqt_location_t  *location;

    member = (uint8_t *) ret + f->at;

    switch (f->kind) {

    case PARLEY_MOQT_FIELD_INTEGER:
    case PARLEY_MOQT_FIELD_FETCH:
        if (parley_moqt_integer_read(c, member) != 0) {
            break;
        }

        if (f->kind == PARLEY_MOQT_FIELD_FETCH
            && (ret->fetch < PARLEY_MOQT_FETCH_STANDALONE
                || ret->fetch > PARLEY_MOQT_FETCH_ABSOLUTE))
        {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION,
                                         f->name, "it is not 1 to 3");
        }

        return 0;

    case PARLEY_MOQT_FIELD_OCTET:
        if (c->pos == c->end) {
            break;
        }

        if (*c->pos > 1) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION,
                                         f->name, "it is not 0 or 1");
        }

        *(uint8_t *) member = *c->pos++;

        return 0;

    case PARLEY_MOQT_FIELD_LOCATION:
        location = member;

        if (parley_moqt_integer_read(c, &location->group) != 0
            || parley_moqt_integer_read(c, &location->object) != 0)
        {
            break;
        }

        return 0;

    case PARLEY_MOQT_FIELD_NAMESPACE:
        return parley_moqt_namespace_read(c, 1, f->name, member, fault);

    case PARLEY_MOQT_FIELD_PREFIX:
        return parley_moqt_namespace_read(c, 0, f->name, member, fault);

    case PARLEY_MOQT_FIELD_NAME:
        return parley_moqt_name_read(c, ret->space.octets, f->name, member,
                                     fault);

    case PARLEY_MOQT_FIELD_REASON:
        return parley_moqt_field_text(c, f, PARLEY_MOQT_REASON_MAX, member,
                                      fault);

    case PARLEY_MOQT_FIELD_URI:
        return parley_moqt_field_text(c, f, PARLEY_MOQT_URI_MAX, member,
                                      fault);

    case PARLEY_MOQT_FIELD_PARAMS:
    case PARLEY_MOQT_FIELD_EXTENSIONS:
        return parley_moqt_field_pairs(c, f, ret, fault);

    case PARLEY_MOQT_FIELD_END:
        return 0;
    }

    return parley_moqt_field_short(f, fault);
}


static int
parley_moqt_field_text(parley_moqt_cursor_t *c, const parley_moqt_field_t *f,
    size_t max, parley_str_t *ret, parley_moqt_fault_t *fault)
{
    uint64_t  len;

    if (parley_moqt_integer_read(c, &len) != 0) {
        return parley_moqt_field_short(f, fault);
    }

    if (len > max) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     f->name, max == PARLEY_MOQT_REASON_MAX
                                     ? "it has more than 1024 octets"
                                     : "it has more than 8192 octets");
    }

    if (len > (uint64_t) (c->end - c->pos)) {
        return parley_moqt_field_short(f, fault);
    }

    *ret = parley_str_make(c->pos, (size_t) len);
    c->pos += len;

    return 0;
}


static int
parley_moqt_field_pairs(parley_moqt_cursor_t *c, const parley_moqt_field_t *f,
    parley_moqt_message_t *m, parley_moqt_fault_t *fault)
{
    parley_moqt_pairs_rule_t  rule;

    memset(&rule, 0, sizeof(parley_moqt_pairs_rule_t));

    rule.member = f->name;

    if (f->kind == PARLEY_MOQT_FIELD_EXTENSIONS) {
        rule.rows = c->draft->extensions;
        rule.scope = PARLEY_MOQT_SCOPE_TRACK;

        return parley_moqt_pairs_read(c, 1, &rule, &m->extensions, fault);
    }

    rule.rows = m->row->setup ? c->draft->setup : c->draft->params;
    rule.scope = UINT64_C(1) << m->type;
    rule.known = !m->row->setup;
    rule.client = m->row->setup && m->row->from == PARLEY_MOQT_CLIENT;

    return parley_moqt_pairs_read(c, 0, &rule, &m->params, fault);
}


static int
parley_moqt_field_short(const parley_moqt_field_t *f,
    parley_moqt_fault_t *fault)
{
    return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                 f->name, "the message ends too early");
}


/* Checks members with few values. */

static int
parley_moqt_message_check(const parley_moqt_message_t *m,
    parley_moqt_fault_t *fault)
{
    if (m->options > PARLEY_MOQT_OPTIONS_MAX) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Subscribe Options", "it is not 0 to 2");
    }

    return 0;
}


int
parley_moqt_message_write(const parley_moqt_draft_t *draft, parley_buf_t *b,
    const parley_moqt_message_t *message, parley_moqt_fault_t *fault)
{
    size_t                      from, start, len;
    const parley_moqt_row_t    *row;
    const parley_moqt_field_t  *f;

    from = b->len;
    row = parley_moqt_draft_row(draft, message->type);

    if (row == NULL) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                     "Type", "it is unknown");
    }

    parley_moqt_integer_write(draft, b, message->type);
    parley_buf_put(b, "\0\0", 2);

    start = b->len;

    for (f = row->fields; f->kind != PARLEY_MOQT_FIELD_END; f++) {

        if (parley_moqt_field_is(f, message)
            && parley_moqt_field_write(draft, b, f, message, fault) != 0)
        {
            goto failed;
        }
    }

    if (b->failed) {
        return 0;
    }

    len = b->len - start;

    if (len > PARLEY_MOQT_MESSAGE_MAX) {
        (void) parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                     "Length", "it is above 65535");
        goto failed;
    }

    b->data[start - 2] = (uint8_t) (len >> 8);
    b->data[start - 1] = (uint8_t) len;

    return 0;

failed:

    fault->code = PARLEY_MOQT_INTERNAL_ERROR;
    fault->place = row->name;
    b->len = from;

    return -1;
}


static int
parley_moqt_field_write(const parley_moqt_draft_t *draft, parley_buf_t *b,
    const parley_moqt_field_t *f, const parley_moqt_message_t *m,
    parley_moqt_fault_t *fault)
{
    size_t                         max;
    const void                    *member;
    const parley_str_t            *text;
    const parley_moqt_pairs_t     *pairs;
    const parley_moqt_location_t  *location;

    member = (const uint8_t *) m + f->at;
    text = member;
    pairs = member;
    location = member;

    switch (f->kind) {

    case PARLEY_MOQT_FIELD_INTEGER:
    case PARLEY_MOQT_FIELD_FETCH:
        return parley_moqt_field_integer(draft, b, f,
                                         *(const uint64_t *) member, fault);

    case PARLEY_MOQT_FIELD_OCTET:
        parley_buf_octet(b, *(const uint8_t *) member);
        break;

    case PARLEY_MOQT_FIELD_LOCATION:
        return parley_moqt_field_integer(draft, b, f, location->group, fault)
               != 0
               || parley_moqt_field_integer(draft, b, f, location->object,
                                            fault) != 0 ? -1 : 0;

    case PARLEY_MOQT_FIELD_NAMESPACE:
    case PARLEY_MOQT_FIELD_PREFIX:
        return parley_moqt_field_space(draft, b, f, member, fault);

    case PARLEY_MOQT_FIELD_NAME:
    case PARLEY_MOQT_FIELD_REASON:
    case PARLEY_MOQT_FIELD_URI:
        max = f->kind == PARLEY_MOQT_FIELD_REASON ? PARLEY_MOQT_REASON_MAX
              : f->kind == PARLEY_MOQT_FIELD_URI ? PARLEY_MOQT_URI_MAX
              : PARLEY_MOQT_NAME_MAX - m->space.octets;

        if (text->len > max) {
            return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                         f->name, "it is too long");
        }

        parley_moqt_octets_write(draft, b, *text);
        break;

    case PARLEY_MOQT_FIELD_PARAMS:
        parley_moqt_integer_write(draft, b, pairs->count);
        parley_buf_str(b, pairs->octets);
        break;

    case PARLEY_MOQT_FIELD_EXTENSIONS:
        parley_buf_str(b, pairs->octets);
        break;

    case PARLEY_MOQT_FIELD_END:
        break;
    }

    return 0;
}


static int
parley_moqt_field_integer(const parley_moqt_draft_t *draft, parley_buf_t *b,
    const parley_moqt_field_t *f, uint64_t n, parley_moqt_fault_t *fault)
{
    if (n > draft->integer_max) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                     f->name, "it is too large");
    }

    parley_moqt_integer_write(draft, b, n);

    return 0;
}


static int
parley_moqt_field_space(const parley_moqt_draft_t *draft, parley_buf_t *b,
    const parley_moqt_field_t *f, const parley_moqt_namespace_t *space,
    parley_moqt_fault_t *fault)
{
    if (f->kind == PARLEY_MOQT_FIELD_NAMESPACE && space->count == 0) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                     f->name, "it is empty");
    }

    parley_moqt_namespace_write(draft, b, space);

    return 0;
}
