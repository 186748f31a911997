#include "moqt/parley_moqt_pairs.h"
#include "moqt/parley_moqt_uri.h"


static int parley_moqt_pair_short(parley_moqt_fault_t *fault);
static int parley_moqt_pair_check(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_rule_t *rule, const parley_moqt_pair_row_t *row,
    const parley_moqt_pair_t *pair, parley_moqt_fault_t *fault);
static int parley_moqt_pair_token(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_rule_t *rule, parley_str_t octets,
    parley_moqt_fault_t *fault);


int
parley_moqt_pairs_read(parley_moqt_cursor_t *c, int is_rest,
    const parley_moqt_pairs_rule_t *rule, parley_moqt_pairs_t *ret,
    parley_moqt_fault_t *fault)
{
    int                            rc;
    uint64_t                       type, previous, count;
    const uint8_t                 *from;
    parley_moqt_pair_t             pair;
    const parley_moqt_pair_row_t  *row;

    ret->count = 0;
    count = UINT64_MAX;

    if (!is_rest && parley_moqt_integer_read(c, &count) != 0) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     rule->member,
                                     "the message ends too early");
    }

    from = c->pos;
    row = rule->rows;
    type = 0;

    while (ret->count < count && (!is_rest || c->pos < c->end)) {

        previous = type;

        rc = parley_moqt_pair_read(c, &type, &pair, fault);

        if (rc != 0) {
            fault->member = rule->member;

            if (rc == PARLEY_MOQT_SHORT && rule->bounded) {
                fault->code = PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR;
            }

            return -1;
        }

        /* types ascend, and so do the rows */

        while (row->name != NULL && row->type < type) {
            row++;
        }

        if (row->name == NULL || row->type != type) {

            if (rule->known) {
                return parley_moqt_fault_set(fault,
                                             PARLEY_MOQT_PROTOCOL_VIOLATION,
                                             rule->member,
                                             "the type is unknown");
            }

        } else {

            if (ret->count > 0 && type == previous && !row->repeat) {
                return parley_moqt_fault_set(fault,
                                             PARLEY_MOQT_PROTOCOL_VIOLATION,
                                             row->name, "it is repeated");
            }

            if (parley_moqt_pair_check(c->draft, rule, row, &pair, fault)
                != 0)
            {
                fault->member = row->name;
                return -1;
            }
        }

        ret->count++;
    }

    ret->octets = parley_str_make(from, (size_t) (c->pos - from));

    return 0;
}


int
parley_moqt_pair_read(parley_moqt_cursor_t *c, uint64_t *type,
    parley_moqt_pair_t *ret, parley_moqt_fault_t *fault)
{
    uint64_t  delta, len;

    if (parley_moqt_integer_read(c, &delta) != 0) {
        return parley_moqt_pair_short(fault);
    }

    if (delta > UINT64_MAX - *type) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "", "a type exceeds 2^64 - 1");
    }

    *type += delta;
    ret->type = *type;
    ret->integer = 0;
    ret->octets = parley_str_none;

    if (*type % 2 == 0) {

        if (parley_moqt_integer_read(c, &ret->integer) != 0) {
            return parley_moqt_pair_short(fault);
        }

        return 0;
    }

    if (parley_moqt_integer_read(c, &len) != 0) {
        return parley_moqt_pair_short(fault);
    }

    if (len > PARLEY_MOQT_VALUE_MAX) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "", "a value has more than 65535 octets");
    }

    if (len > (uint64_t) (c->end - c->pos)) {
        return parley_moqt_pair_short(fault);
    }

    ret->octets = parley_str_make(c->pos, (size_t) len);
    c->pos += len;

    return 0;
}


static int
parley_moqt_pair_short(parley_moqt_fault_t *fault)
{
    (void) parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION, "",
                                 "a pair ends too late");

    return PARLEY_MOQT_SHORT;
}


/* Checks the value of a pair whose type has a row. */

static int
parley_moqt_pair_check(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_rule_t *rule, const parley_moqt_pair_row_t *row,
    const parley_moqt_pair_t *pair, parley_moqt_fault_t *fault)
{
    parley_moqt_filter_t    filter;
    parley_moqt_location_t  location;

    if (!(row->scope & rule->scope)) {

        if (row->misplaced != 0) {
            return parley_moqt_fault_set(fault, row->misplaced, "",
                                         "a server must not send it");
        }

        return 0;
    }

    switch (row->kind) {

    case PARLEY_MOQT_PAIR_INTEGER:
        if (pair->integer < row->min || pair->integer > row->max) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION, "",
                                         "the value is out of range");
        }

        break;

    case PARLEY_MOQT_PAIR_TOKEN:
        return parley_moqt_pair_token(draft, rule, pair->octets, fault);

    case PARLEY_MOQT_PAIR_LOCATION:
        return parley_moqt_location_read(draft, pair->octets, &location,
                                         fault);

    case PARLEY_MOQT_PAIR_FILTER:
        return parley_moqt_filter_read(draft, pair->octets, &filter, fault);

    case PARLEY_MOQT_PAIR_PATH:
        if (!parley_moqt_uri_path(pair->octets)) {
            return parley_moqt_fault_set(fault, PARLEY_MOQT_MALFORMED_PATH,
                                         "", "it is not a path of RFC 3986");
        }

        break;

    case PARLEY_MOQT_PAIR_AUTHORITY:
        if (!parley_moqt_uri_authority(pair->octets)) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_MALFORMED_AUTHORITY, "",
                                         "it is not an authority of RFC "
                                         "3986");
        }

        break;

    case PARLEY_MOQT_PAIR_OCTETS:
        break;
    }

    return 0;
}


static int
parley_moqt_pair_token(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_rule_t *rule, parley_str_t octets,
    parley_moqt_fault_t *fault)
{
    parley_moqt_token_t  token;

    if (parley_moqt_token_read(draft, octets, &token, fault) != 0) {
        return -1;
    }

    if (rule->client && (token.alias_type == PARLEY_MOQT_TOKEN_DELETE
                         || token.alias_type == PARLEY_MOQT_TOKEN_USE_ALIAS))
    {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "", "CLIENT_SETUP has no alias yet");
    }

    return 0;
}


void
parley_moqt_pairs_begin(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_t *pairs, parley_moqt_cursor_t *c)
{
    c->draft = draft;
    c->pos = pairs->octets.data;
    c->end = pairs->octets.len > 0 ? c->pos + pairs->octets.len : c->pos;
}


int
parley_moqt_pairs_find(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_t *pairs, uint64_t type, parley_moqt_pair_t *ret)
{
    uint64_t              at;
    parley_moqt_fault_t   fault;
    parley_moqt_cursor_t  c;

    if (pairs->octets.len == 0) {
        return 0;
    }

    parley_moqt_pairs_begin(draft, pairs, &c);
    at = 0;

    while (c.pos < c.end
           && parley_moqt_pair_read(&c, &at, ret, &fault) == 0
           && at <= type)
    {
        if (at == type) {
            return 1;
        }
    }

    return 0;
}


uint64_t
parley_moqt_pairs_integer(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_t *pairs, uint64_t type, uint64_t otherwise)
{
    parley_moqt_pair_t  pair;

    if (!parley_moqt_pairs_find(draft, pairs, type, &pair)) {
        return otherwise;
    }

    return pair.integer;
}
