/* parley moq encode: messages, streams and objects from JSON. */

#include <stdio.h>
#include <string.h>

#include "core/parley_base64.h"
#include "tools/parley_moq.h"


static int tool_moq_read_field(const parley_json_t *doc,
    parley_arena_t *arena, const parley_moqt_draft_t *draft,
    const parley_moqt_field_t *f, parley_moqt_message_t *m,
    parley_error_t *err);
static int tool_moq_read_integer(const parley_json_t *doc, uint32_t obj,
    const char *name, uint64_t max, uint64_t *ret, parley_error_t *err);
static int tool_moq_read_octets(const parley_json_t *doc, uint32_t obj,
    parley_arena_t *arena, const char *name, parley_str_t *ret,
    parley_error_t *err);
static int tool_moq_read_location(const parley_json_t *doc, uint32_t obj,
    const char *name, parley_moqt_location_t *ret, parley_error_t *err);
static int tool_moq_read_safe(const parley_json_t *doc, uint32_t node,
    parley_arena_t *arena, const char *name, parley_str_t *ret,
    parley_error_t *err);
static int tool_moq_read_space(const parley_json_t *doc,
    parley_arena_t *arena, const char *name, parley_moqt_namespace_t *ret,
    parley_error_t *err);
static int tool_moq_read_pairs(const parley_json_t *doc,
    parley_arena_t *arena, const char *name, const parley_moqt_draft_t *draft,
    const parley_moqt_pair_row_t *table, parley_moqt_pairs_t *ret,
    parley_error_t *err);
static int tool_moq_read_pair(const parley_json_t *doc, uint32_t obj,
    parley_arena_t *arena, const parley_moqt_pair_row_t *table,
    parley_moqt_pairs_writer_t *w, parley_error_t *err);
static int tool_moq_read_token(const parley_json_t *doc, uint32_t obj,
    parley_arena_t *arena, parley_moqt_token_t *ret, parley_error_t *err);
static int tool_moq_read_filter(const parley_json_t *doc, uint32_t obj,
    parley_moqt_filter_t *ret, parley_error_t *err);
static int tool_moq_read_word(const parley_json_t *doc, uint32_t obj,
    const char *name, const char *const *words, unsigned *ret,
    parley_error_t *err);
static uint32_t tool_moq_get(const parley_json_t *doc, uint32_t obj,
    const char *name);


int
tool_moq_read_message(const parley_json_t *doc, parley_arena_t *arena,
    const parley_moqt_draft_t *draft, parley_moqt_message_t *ret,
    parley_error_t *err)
{
    size_t                      i;
    uint32_t                    node;
    const parley_moqt_row_t    *row;
    const parley_moqt_field_t  *f;

    memset(ret, 0, sizeof(parley_moqt_message_t));

    node = tool_moq_get(doc, 0, "message");
    row = NULL;

    for (i = 0; i < draft->nmessages && row == NULL; i++) {
        if (draft->messages[i].name != NULL
            && parley_json_string_is(doc, node,
                                     parley_str_c(draft->messages[i].name)))
        {
            row = &draft->messages[i];
            ret->type = i;
        }
    }

    if (row == NULL) {
        return tool_moq_error(err, PARLEY_E_KIND_UNKNOWN, "message",
                              "the message type is unknown");
    }

    ret->row = row;

    for (f = row->fields; f->kind != PARLEY_MOQT_FIELD_END; f++) {

        if ((f->when == 0 || (f->when >> ret->fetch & 1))
            && tool_moq_read_field(doc, arena, draft, f, ret, err) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
tool_moq_read_field(const parley_json_t *doc, parley_arena_t *arena,
    const parley_moqt_draft_t *draft, const parley_moqt_field_t *f,
    parley_moqt_message_t *m, parley_error_t *err)
{
    char       name[PARLEY_MOQ_MEMBER_MAX];
    void      *member;
    uint64_t   octet;

    tool_moq_member(f->name, name);
    member = (uint8_t *) m + f->at;

    switch (f->kind) {

    case PARLEY_MOQT_FIELD_INTEGER:
        return tool_moq_read_integer(doc, 0, name, draft->integer_max, member,
                                     err);

    case PARLEY_MOQT_FIELD_FETCH:
        if (tool_moq_read_integer(doc, 0, name, PARLEY_MOQT_FETCH_ABSOLUTE,
                                  member, err) != 0)
        {
            return -1;
        }

        return m->fetch > 0 ? 0
               : tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                                "it is not 1 to 3");

    case PARLEY_MOQT_FIELD_OCTET:
        if (tool_moq_read_integer(doc, 0, name, 1, &octet, err) != 0) {
            return -1;
        }

        *(uint8_t *) member = (uint8_t) octet;

        return 0;

    case PARLEY_MOQT_FIELD_LOCATION:
        return tool_moq_read_location(doc, 0, name, member, err);

    case PARLEY_MOQT_FIELD_NAMESPACE:
    case PARLEY_MOQT_FIELD_PREFIX:
        return tool_moq_read_space(doc, arena, name, member, err);

    case PARLEY_MOQT_FIELD_NAME:
        return tool_moq_read_safe(doc, tool_moq_get(doc, 0, name), arena,
                                  name, member, err);

    case PARLEY_MOQT_FIELD_REASON:
    case PARLEY_MOQT_FIELD_URI:
        return tool_moq_read_octets(doc, 0, arena, name, member, err);

    case PARLEY_MOQT_FIELD_PARAMS:
        return tool_moq_read_pairs(doc, arena, "parameters", draft,
                                   m->row->setup ? draft->setup
                                                 : draft->params, member,
                                   err);

    case PARLEY_MOQT_FIELD_EXTENSIONS:
        return tool_moq_read_pairs(doc, arena, "extensions", draft,
                                   draft->extensions, member, err);

    case PARLEY_MOQT_FIELD_END:
        break;
    }

    return 0;
}


/* Reads a number, or a string of decimal digits, from 0 to max. */

static int
tool_moq_read_integer(const parley_json_t *doc, uint32_t obj,
    const char *name, uint64_t max, uint64_t *ret, parley_error_t *err)
{
    size_t        i;
    int64_t       n;
    uint32_t      node;
    uint64_t      value;
    parley_str_t  s;

    node = tool_moq_get(doc, obj, name);

    if (node == PARLEY_JSON_NONE) {
        return tool_moq_error(err, PARLEY_E_FIELD_MISSING, name,
                              "it is missing");
    }

    if (parley_json_string(doc, node, &s) != 0) {

        if (parley_json_integer(doc, node, &n) != 0 || n < 0
            || (uint64_t) n > max)
        {
            return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                                  "it is not an integer of its range");
        }

        *ret = (uint64_t) n;

        return 0;
    }

    value = 0;

    for (i = 0; i < s.len; i++) {

        if (s.data[i] < '0' || s.data[i] > '9'
            || value > (UINT64_MAX - (s.data[i] - '0')) / 10)
        {
            break;
        }

        value = value * 10 + (s.data[i] - '0');
    }

    if (s.len == 0 || i < s.len || value > max) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                              "it is not an integer of its range");
    }

    *ret = value;

    return 0;
}


/* Reads a text, or base64 of a member with "_base64" behind its name. */

static int
tool_moq_read_octets(const parley_json_t *doc, uint32_t obj,
    parley_arena_t *arena, const char *name, parley_str_t *ret,
    parley_error_t *err)
{
    char           other[PARLEY_MOQ_MEMBER_MAX + 8];
    size_t         len;
    uint8_t       *octets;
    uint32_t       node;
    parley_str_t   s;

    *ret = parley_str_none;
    node = tool_moq_get(doc, obj, name);

    if (node != PARLEY_JSON_NONE) {
        return parley_json_string(doc, node, ret) == 0 ? 0
               : tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                                "it is not a string");
    }

    (void) snprintf(other, sizeof(other), "%s_base64", name);
    node = tool_moq_get(doc, obj, other);

    if (node == PARLEY_JSON_NONE) {
        return tool_moq_error(err, PARLEY_E_FIELD_MISSING, name,
                              "it is missing");
    }

    if (parley_json_string(doc, node, &s) != 0) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, other,
                              "it is not a string");
    }

    octets = parley_arena_octets(arena, PARLEY_BASE64_DECODED(s.len));
    if (octets == NULL) {
        return parley_error_memory(err);
    }

    if (parley_base64_decode(s, octets, &len) != 0) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, other,
                              "it is not base64");
    }

    *ret = parley_str_make(octets, len);

    return 0;
}


static int
tool_moq_read_location(const parley_json_t *doc, uint32_t obj,
    const char *name, parley_moqt_location_t *ret, parley_error_t *err)
{
    uint32_t  node;

    node = tool_moq_get(doc, obj, name);

    if (node == PARLEY_JSON_NONE) {
        return tool_moq_error(err, PARLEY_E_FIELD_MISSING, name,
                              "it is missing");
    }

    return tool_moq_read_integer(doc, node, "group", UINT64_MAX, &ret->group,
                                 err) != 0
           || tool_moq_read_integer(doc, node, "object", UINT64_MAX,
                                    &ret->object, err) != 0 ? -1 : 0;
}


static int
tool_moq_read_safe(const parley_json_t *doc, uint32_t node,
    parley_arena_t *arena, const char *name, parley_str_t *ret,
    parley_error_t *err)
{
    parley_str_t  s;

    if (node == PARLEY_JSON_NONE) {
        return tool_moq_error(err, PARLEY_E_FIELD_MISSING, name,
                              "it is missing");
    }

    if (parley_json_string(doc, node, &s) != 0
        || parley_moqt_safe_read(arena, s, ret) != 0)
    {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                              "it is not a string of letters, digits, \"_\", "
                              "and \".\" with two hex digits");
    }

    return 0;
}


static int
tool_moq_read_space(const parley_json_t *doc, parley_arena_t *arena,
    const char *name, parley_moqt_namespace_t *ret, parley_error_t *err)
{
    uint32_t      node, k;
    parley_str_t  field;

    node = tool_moq_get(doc, 0, name);

    if (node == PARLEY_JSON_NONE
        || parley_json_type(doc, node) != PARLEY_JSON_ARRAY)
    {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                              "it is not an array of strings");
    }

    for (k = parley_json_first(node); k != parley_json_end(doc, node);
         k = parley_json_after(doc, k))
    {
        if (tool_moq_read_safe(doc, k, arena, name, &field, err) != 0) {
            return -1;
        }

        if (parley_moqt_namespace_add(ret, field) != 0) {
            return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                                  "it has an empty field, more than 32 fields "
                                  "or more than 4096 octets");
        }
    }

    return 0;
}


/* A missing array has no pairs. */

static int
tool_moq_read_pairs(const parley_json_t *doc, parley_arena_t *arena,
    const char *name, const parley_moqt_draft_t *draft,
    const parley_moqt_pair_row_t *table, parley_moqt_pairs_t *ret,
    parley_error_t *err)
{
    uint32_t                    node, k;
    parley_moqt_pairs_writer_t  w;

    node = tool_moq_get(doc, 0, name);

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(doc, node) != PARLEY_JSON_ARRAY) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                              "it is not an array of objects");
    }

    parley_moqt_pairs_writer_init(&w, draft, arena);

    for (k = parley_json_first(node); k != parley_json_end(doc, node);
         k = parley_json_after(doc, k))
    {
        if (tool_moq_read_pair(doc, k, arena, table, &w, err) != 0) {
            return -1;
        }
    }

    if (parley_moqt_pairs_done(&w, ret) != 0) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                              "the types do not ascend, or a value is too "
                              "large");
    }

    return 0;
}


static int
tool_moq_read_pair(const parley_json_t *doc, uint32_t obj,
    parley_arena_t *arena, const parley_moqt_pair_row_t *table,
    parley_moqt_pairs_writer_t *w, parley_error_t *err)
{
    uint32_t                node;
    uint64_t                type, n;
    parley_str_t            octets;
    parley_moqt_token_t     token;
    parley_moqt_filter_t    filter;
    parley_moqt_location_t  location;

    node = tool_moq_get(doc, obj, "type");

    while (table->name != NULL
           && !parley_json_string_is(doc, node, parley_str_c(table->name)))
    {
        table++;
    }

    type = table->type;

    if (table->name == NULL
        && tool_moq_read_integer(doc, obj, "type", UINT64_MAX, &type, err)
           != 0)
    {
        return -1;
    }

    if (type % 2 == 0) {

        if (tool_moq_read_integer(doc, obj, "value", UINT64_MAX, &n, err)
            != 0)
        {
            return -1;
        }

        parley_moqt_pairs_put_integer(w, type, n);

        return 0;
    }

    if (tool_moq_get(doc, obj, "alias_type") != PARLEY_JSON_NONE) {

        if (tool_moq_read_token(doc, obj, arena, &token, err) != 0) {
            return -1;
        }

        parley_moqt_pairs_put_token(w, type, &token);

    } else if (tool_moq_get(doc, obj, "location") != PARLEY_JSON_NONE) {

        if (tool_moq_read_location(doc, obj, "location", &location, err)
            != 0)
        {
            return -1;
        }

        parley_moqt_pairs_put_location(w, type, location);

    } else if (tool_moq_get(doc, obj, "filter") != PARLEY_JSON_NONE) {

        if (tool_moq_read_filter(doc, obj, &filter, err) != 0) {
            return -1;
        }

        parley_moqt_pairs_put_filter(w, type, &filter);

    } else {

        if (tool_moq_read_octets(doc, obj, arena, "value", &octets, err)
            != 0)
        {
            return -1;
        }

        parley_moqt_pairs_put_octets(w, type, octets);
    }

    return 0;
}


static int
tool_moq_read_token(const parley_json_t *doc, uint32_t obj,
    parley_arena_t *arena, parley_moqt_token_t *ret, parley_error_t *err)
{
    unsigned  word;

    memset(ret, 0, sizeof(parley_moqt_token_t));

    if (tool_moq_read_word(doc, obj, "alias_type", tool_moq_aliases, &word,
                           err) != 0)
    {
        return -1;
    }

    ret->alias_type = (parley_moqt_alias_t) word;

    if (word != PARLEY_MOQT_TOKEN_USE_VALUE
        && tool_moq_read_integer(doc, obj, "token_alias", UINT64_MAX,
                                 &ret->alias, err) != 0)
    {
        return -1;
    }

    if (!(word & PARLEY_MOQT_TOKEN_REGISTER)) {
        return 0;
    }

    return tool_moq_read_integer(doc, obj, "token_type", UINT64_MAX,
                                 &ret->type, err) != 0
           || tool_moq_read_octets(doc, obj, arena, "token_value",
                                   &ret->value, err) != 0 ? -1 : 0;
}


static int
tool_moq_read_filter(const parley_json_t *doc, uint32_t obj,
    parley_moqt_filter_t *ret, parley_error_t *err)
{
    unsigned  word;

    memset(ret, 0, sizeof(parley_moqt_filter_t));

    if (tool_moq_read_word(doc, obj, "filter", tool_moq_filters, &word, err)
        != 0)
    {
        return -1;
    }

    ret->type = (parley_moqt_filter_type_t) (word + 1);

    if (ret->type >= PARLEY_MOQT_FILTER_START
        && tool_moq_read_location(doc, obj, "start", &ret->start, err) != 0)
    {
        return -1;
    }

    return ret->type != PARLEY_MOQT_FILTER_RANGE ? 0
           : tool_moq_read_integer(doc, obj, "end_group", UINT64_MAX,
                                   &ret->end_group, err);
}


static int
tool_moq_read_word(const parley_json_t *doc, uint32_t obj, const char *name,
    const char *const *words, unsigned *ret, parley_error_t *err)
{
    uint32_t  node;

    node = tool_moq_get(doc, obj, name);

    for (*ret = 0; words[*ret] != NULL; (*ret)++) {
        if (parley_json_string_is(doc, node, parley_str_c(words[*ret]))) {
            return 0;
        }
    }

    return tool_moq_error(err, PARLEY_E_FIELD_INVALID, name,
                          "the word is unknown");
}


int
tool_moq_read_stream(const parley_json_t *doc, parley_moqt_stream_t *ret,
    parley_error_t *err)
{
    uint64_t  priority;
    uint32_t  node;

    memset(ret, 0, sizeof(parley_moqt_stream_t));

    node = tool_moq_get(doc, 0, "stream");

    if (parley_json_string_is(doc, node, PARLEY_STR("FETCH"))) {
        ret->type = PARLEY_MOQT_STREAM_FETCH;

        return tool_moq_read_integer(doc, 0, "request_id", UINT64_MAX,
                                     &ret->request, err);
    }

    if (!parley_json_string_is(doc, node, PARLEY_STR("SUBGROUP"))) {
        return tool_moq_error(err, PARLEY_E_KIND_UNKNOWN, "stream",
                              "it is not SUBGROUP or FETCH");
    }

    if (tool_moq_read_integer(doc, 0, "type", UINT64_MAX, &ret->type, err)
        != 0)
    {
        return -1;
    }

    if (!parley_moqt_stream_is_subgroup(ret->type)) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, "type",
                              "the stream type is unknown or reserved");
    }

    if (tool_moq_read_integer(doc, 0, "track_alias", UINT64_MAX, &ret->alias,
                              err) != 0
        || tool_moq_read_integer(doc, 0, "group", UINT64_MAX, &ret->group,
                                 err) != 0)
    {
        return -1;
    }

    if ((ret->type & PARLEY_MOQT_STREAM_MODE) == PARLEY_MOQT_STREAM_PRESENT
        && tool_moq_read_integer(doc, 0, "subgroup", UINT64_MAX,
                                 &ret->subgroup, err) != 0)
    {
        return -1;
    }

    if (ret->type & PARLEY_MOQT_STREAM_DEFAULT) {
        return 0;
    }

    if (tool_moq_read_integer(doc, 0, "priority", 255, &priority, err) != 0) {
        return -1;
    }

    ret->priority = (uint8_t) priority;

    return 0;
}


int
tool_moq_read_object(const parley_json_t *doc, parley_arena_t *arena,
    const parley_moqt_draft_t *draft, const parley_moqt_stream_t *stream,
    parley_moqt_object_t *ret, parley_str_t *ret_payload, parley_error_t *err)
{
    int       fetch;
    unsigned  kind;
    uint64_t  n;

    static const char *const  ranges[] = { "absent", "unknown", NULL };

    memset(ret, 0, sizeof(parley_moqt_object_t));
    *ret_payload = parley_str_none;

    fetch = stream->type == PARLEY_MOQT_STREAM_FETCH;

    if (tool_moq_read_integer(doc, 0, "object", UINT64_MAX, &ret->id, err)
        != 0
        || (fetch && tool_moq_read_integer(doc, 0, "group", UINT64_MAX,
                                           &ret->group, err) != 0))
    {
        return -1;
    }

    if (tool_moq_get(doc, 0, "range") != PARLEY_JSON_NONE) {

        if (tool_moq_read_word(doc, 0, "range", ranges, &kind, err) != 0) {
            return -1;
        }

        ret->kind = kind == 0 ? PARLEY_MOQT_RANGE_ABSENT
                              : PARLEY_MOQT_RANGE_UNKNOWN;
        return 0;
    }

    if (fetch) {

        if (tool_moq_read_integer(doc, 0, "priority", 255, &n, err) != 0) {
            return -1;
        }

        ret->priority = (uint8_t) n;
        ret->datagram = tool_moq_get(doc, 0, "subgroup") == PARLEY_JSON_NONE;

        if (!ret->datagram
            && tool_moq_read_integer(doc, 0, "subgroup", UINT64_MAX,
                                     &ret->subgroup, err) != 0)
        {
            return -1;
        }
    }

    if (tool_moq_read_pairs(doc, arena, "extensions", draft,
                            draft->extensions, &ret->extensions, err) != 0)
    {
        return -1;
    }

    if (tool_moq_get(doc, 0, "status") != PARLEY_JSON_NONE) {

        if (tool_moq_read_integer(doc, 0, "status",
                                  PARLEY_MOQT_STATUS_END_OF_TRACK, &n, err)
            != 0)
        {
            return -1;
        }

        ret->status = (parley_moqt_status_t) n;

        if (n != PARLEY_MOQT_STATUS_NORMAL) {
            return 0;
        }
    }

    if (tool_moq_read_octets(doc, 0, arena, "payload", ret_payload, err)
        != 0)
    {
        return -1;
    }

    ret->length = ret_payload->len;

    return 0;
}


static uint32_t
tool_moq_get(const parley_json_t *doc, uint32_t obj, const char *name)
{
    return parley_json_get(doc, obj, parley_str_c(name));
}


int
tool_moq_error(parley_error_t *err, parley_code_t code, const char *member,
    const char *text)
{
    (void) parley_error_set(err, code, member, "%s", text);
    err->is_name = 1;

    return -1;
}
