/* parley moq decode: messages, streams and objects as JSON. */

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/parley_base64.h"
#include "tools/parley_moq.h"
#include "tools/parley_tool.h"


#define PARLEY_MOQ_EXACT  (UINT64_C(1) << 53)   /* numbers of JSON are exact
                                                   below it */


const char *const  tool_moq_aliases[] = {
    "DELETE", "REGISTER", "USE_ALIAS", "USE_VALUE", NULL
};

const char *const  tool_moq_filters[] = {
    "NEXT_GROUP_START", "LARGEST_OBJECT", "ABSOLUTE_START", "ABSOLUTE_RANGE",
    NULL
};


static void tool_moq_show_field(parley_buf_t *b,
    const parley_moqt_draft_t *draft, const parley_moqt_field_t *f,
    const parley_moqt_message_t *m);
static void tool_moq_show_integer(parley_buf_t *b, const char *name,
    uint64_t n);
static void tool_moq_show_octets(parley_buf_t *b, const char *name,
    parley_str_t octets);
static void tool_moq_show_location(parley_buf_t *b, const char *name,
    parley_moqt_location_t location);
static void tool_moq_show_safe(parley_buf_t *b, parley_str_t s);
static void tool_moq_show_pairs(parley_buf_t *b, const char *name,
    const parley_moqt_draft_t *draft, const parley_moqt_pair_row_t *table,
    uint64_t scope, const parley_moqt_pairs_t *pairs);
static void tool_moq_show_pair(parley_buf_t *b,
    const parley_moqt_draft_t *draft, const parley_moqt_pair_row_t *row,
    const parley_moqt_pair_t *pair);
static void tool_moq_show_token(parley_buf_t *b,
    const parley_moqt_token_t *token);
static void tool_moq_show_filter(parley_buf_t *b,
    const parley_moqt_filter_t *filter);


void
tool_moq_member(const char *name, char ret[PARLEY_MOQ_MEMBER_MAX])
{
    size_t  i;

    for (i = 0; name[i] != '\0' && i < PARLEY_MOQ_MEMBER_MAX - 1; i++) {
        ret[i] = name[i] == ' ' ? '_'
                 : (char) tolower((unsigned char) name[i]);
    }

    ret[i] = '\0';
}


void
tool_moq_show_message(parley_buf_t *b, const parley_moqt_draft_t *draft,
    const parley_moqt_message_t *m)
{
    const parley_moqt_field_t  *f;

    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("message"), parley_str_c(m->row->name));

    for (f = m->row->fields; f->kind != PARLEY_MOQT_FIELD_END; f++) {
        if (f->when == 0 || (f->when >> m->fetch & 1)) {
            tool_moq_show_field(b, draft, f, m);
        }
    }

    parley_buf_octet(b, '}');
}


static void
tool_moq_show_field(parley_buf_t *b, const parley_moqt_draft_t *draft,
    const parley_moqt_field_t *f, const parley_moqt_message_t *m)
{
    char                            name[PARLEY_MOQ_MEMBER_MAX];
    size_t                          i;
    const void                     *member;
    const parley_moqt_namespace_t  *space;

    tool_moq_member(f->name, name);
    member = (const uint8_t *) m + f->at;
    space = member;

    switch (f->kind) {

    case PARLEY_MOQT_FIELD_INTEGER:
    case PARLEY_MOQT_FIELD_FETCH:
        tool_moq_show_integer(b, name, *(const uint64_t *) member);
        break;

    case PARLEY_MOQT_FIELD_OCTET:
        tool_moq_show_integer(b, name, *(const uint8_t *) member);
        break;

    case PARLEY_MOQT_FIELD_LOCATION:
        tool_moq_show_location(b, name,
                               *(const parley_moqt_location_t *) member);
        break;

    case PARLEY_MOQT_FIELD_NAMESPACE:
    case PARLEY_MOQT_FIELD_PREFIX:
        parley_buf_name(b, parley_str_c(name));
        parley_buf_octet(b, '[');

        for (i = 0; i < space->count; i++) {

            if (i > 0) {
                parley_buf_octet(b, ',');
            }

            tool_moq_show_safe(b, space->fields[i]);
        }

        parley_buf_octet(b, ']');
        break;

    case PARLEY_MOQT_FIELD_NAME:
        parley_buf_name(b, parley_str_c(name));
        tool_moq_show_safe(b, *(const parley_str_t *) member);
        break;

    case PARLEY_MOQT_FIELD_REASON:
    case PARLEY_MOQT_FIELD_URI:
        tool_moq_show_octets(b, name, *(const parley_str_t *) member);
        break;

    case PARLEY_MOQT_FIELD_PARAMS:
        tool_moq_show_pairs(b, "parameters", draft, m->row->setup
                                                    ? draft->setup
                                                    : draft->params,
                            UINT64_C(1) << m->type, member);
        break;

    case PARLEY_MOQT_FIELD_EXTENSIONS:
        tool_moq_show_pairs(b, "extensions", draft, draft->extensions,
                            PARLEY_MOQT_SCOPE_TRACK, member);
        break;

    case PARLEY_MOQT_FIELD_END:
        break;
    }
}


/* A number that JSON may round is a string. */

static void
tool_moq_show_integer(parley_buf_t *b, const char *name, uint64_t n)
{
    int   len;
    char  text[32];

    parley_buf_name(b, parley_str_c(name));

    len = snprintf(text, sizeof(text), n < PARLEY_MOQ_EXACT
                                       ? "%" PRIu64 : "\"%" PRIu64 "\"", n);
    parley_buf_put(b, text, (size_t) len);
}


/* Appends octets: text as it is, others as base64. */

static void
tool_moq_show_octets(parley_buf_t *b, const char *name, parley_str_t octets)
{
    char    member[PARLEY_MOQ_MEMBER_MAX + 8], *text;
    size_t  len;

    if (tool_show_is_text(octets)) {
        parley_buf_member(b, parley_str_c(name), octets);
        return;
    }

    text = (char *) parley_arena_octets(b->arena,
                                        PARLEY_BASE64_ENCODED(octets.len));
    if (text == NULL) {
        b->failed = 1;
        return;
    }

    len = parley_base64_encode(octets, text);

    (void) snprintf(member, sizeof(member), "%s_base64", name);
    parley_buf_member(b, parley_str_c(member), parley_str_make(text, len));
}


static void
tool_moq_show_location(parley_buf_t *b, const char *name,
    parley_moqt_location_t location)
{
    parley_buf_name(b, parley_str_c(name));
    parley_buf_octet(b, '{');
    tool_moq_show_integer(b, "group", location.group);
    tool_moq_show_integer(b, "object", location.object);
    parley_buf_octet(b, '}');
}


static void
tool_moq_show_safe(parley_buf_t *b, parley_str_t s)
{
    parley_buf_octet(b, '"');
    parley_moqt_safe_write(b, s);
    parley_buf_octet(b, '"');
}


static void
tool_moq_show_pairs(parley_buf_t *b, const char *name,
    const parley_moqt_draft_t *draft, const parley_moqt_pair_row_t *table,
    uint64_t scope, const parley_moqt_pairs_t *pairs)
{
    uint64_t                       type;
    parley_moqt_pair_t             pair;
    parley_moqt_fault_t            fault;
    parley_moqt_cursor_t           c;
    const parley_moqt_pair_row_t  *row;

    parley_buf_name(b, parley_str_c(name));
    parley_buf_octet(b, '[');

    parley_moqt_pairs_begin(draft, pairs, &c);
    type = 0;

    while (c.pos < c.end
           && parley_moqt_pair_read(&c, &type, &pair, &fault) == 0)
    {
        row = parley_moqt_draft_pair(table, type);

        if (c.pos > pairs->octets.data && b->data[b->len - 1] == '}') {
            parley_buf_octet(b, ',');
        }

        parley_buf_octet(b, '{');

        if (row != NULL) {
            parley_buf_member(b, PARLEY_STR("type"), parley_str_c(row->name));

        } else {
            tool_moq_show_integer(b, "type", type);
        }

        /* elsewhere the value is not checked */

        tool_moq_show_pair(b, draft, row != NULL && (row->scope & scope)
                                     ? row : NULL, &pair);
        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, ']');
}


static void
tool_moq_show_pair(parley_buf_t *b, const parley_moqt_draft_t *draft,
    const parley_moqt_pair_row_t *row, const parley_moqt_pair_t *pair)
{
    parley_moqt_fault_t     fault;
    parley_moqt_token_t     token;
    parley_moqt_filter_t    filter;
    parley_moqt_location_t  location;

    if (pair->type % 2 == 0) {
        tool_moq_show_integer(b, "value", pair->integer);

    } else if (row != NULL && row->kind == PARLEY_MOQT_PAIR_TOKEN
               && parley_moqt_token_read(draft, pair->octets, &token, &fault)
                  == 0)
    {
        tool_moq_show_token(b, &token);

    } else if (row != NULL && row->kind == PARLEY_MOQT_PAIR_LOCATION
               && parley_moqt_location_read(draft, pair->octets, &location,
                                            &fault) == 0)
    {
        tool_moq_show_location(b, "location", location);

    } else if (row != NULL && row->kind == PARLEY_MOQT_PAIR_FILTER
               && parley_moqt_filter_read(draft, pair->octets, &filter,
                                          &fault) == 0)
    {
        tool_moq_show_filter(b, &filter);

    } else {
        tool_moq_show_octets(b, "value", pair->octets);
    }
}


static void
tool_moq_show_token(parley_buf_t *b, const parley_moqt_token_t *token)
{
    parley_buf_member(b, PARLEY_STR("alias_type"),
                      parley_str_c(tool_moq_aliases[token->alias_type]));

    if (token->alias_type != PARLEY_MOQT_TOKEN_USE_VALUE) {
        tool_moq_show_integer(b, "token_alias", token->alias);
    }

    if (token->alias_type & PARLEY_MOQT_TOKEN_REGISTER) {
        tool_moq_show_integer(b, "token_type", token->type);
        tool_moq_show_octets(b, "token_value", token->value);
    }
}


static void
tool_moq_show_filter(parley_buf_t *b, const parley_moqt_filter_t *filter)
{
    parley_buf_member(b, PARLEY_STR("filter"),
                      parley_str_c(tool_moq_filters[filter->type - 1]));

    if (filter->type >= PARLEY_MOQT_FILTER_START) {
        tool_moq_show_location(b, "start", filter->start);
    }

    if (filter->type == PARLEY_MOQT_FILTER_RANGE) {
        tool_moq_show_integer(b, "end_group", filter->end_group);
    }
}


void
tool_moq_show_stream(parley_buf_t *b, const parley_moqt_stream_t *s)
{
    parley_buf_octet(b, '{');

    if (s->type == PARLEY_MOQT_STREAM_FETCH) {
        parley_buf_member(b, PARLEY_STR("stream"), PARLEY_STR("FETCH"));
        tool_moq_show_integer(b, "request_id", s->request);
        parley_buf_octet(b, '}');
        return;
    }

    parley_buf_member(b, PARLEY_STR("stream"), PARLEY_STR("SUBGROUP"));
    tool_moq_show_integer(b, "type", s->type);
    tool_moq_show_integer(b, "track_alias", s->alias);
    tool_moq_show_integer(b, "group", s->group);

    if ((s->type & PARLEY_MOQT_STREAM_MODE) == PARLEY_MOQT_STREAM_PRESENT) {
        tool_moq_show_integer(b, "subgroup", s->subgroup);
    }

    if (!(s->type & PARLEY_MOQT_STREAM_DEFAULT)) {
        tool_moq_show_integer(b, "priority", s->priority);
    }

    parley_buf_octet(b, '}');
}


void
tool_moq_show_object(parley_buf_t *b, const parley_moqt_draft_t *draft,
    const parley_moqt_stream_t *s, const parley_moqt_object_t *o,
    parley_str_t payload)
{
    int  fetch;

    fetch = s->type == PARLEY_MOQT_STREAM_FETCH;

    parley_buf_octet(b, '{');
    tool_moq_show_integer(b, "object", o->id);

    if (fetch) {
        tool_moq_show_integer(b, "group", o->group);
    }

    if (o->kind != PARLEY_MOQT_OBJECT) {
        parley_buf_member(b, PARLEY_STR("range"),
                          o->kind == PARLEY_MOQT_RANGE_ABSENT
                          ? PARLEY_STR("absent") : PARLEY_STR("unknown"));
        parley_buf_octet(b, '}');
        return;
    }

    if (fetch && !o->datagram) {
        tool_moq_show_integer(b, "subgroup", o->subgroup);
    }

    if (fetch) {
        tool_moq_show_integer(b, "priority", o->priority);
    }

    if (o->status != PARLEY_MOQT_STATUS_NORMAL) {
        tool_moq_show_integer(b, "status", o->status);
    }

    if (o->extensions.count > 0) {
        tool_moq_show_pairs(b, "extensions", draft, draft->extensions,
                            PARLEY_MOQT_SCOPE_OBJECT, &o->extensions);
    }

    if (o->malformed != NULL) {
        parley_buf_member(b, PARLEY_STR("malformed"),
                          parley_str_c(o->malformed));
    }

    if (o->status == PARLEY_MOQT_STATUS_NORMAL) {
        tool_moq_show_octets(b, "payload", payload);
    }

    parley_buf_octet(b, '}');
}
