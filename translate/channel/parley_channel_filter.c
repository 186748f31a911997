#include "translate/channel/parley_channel_filter.h"
#include "translate/channel/parley_channel.h"


static int parley_channel_filter_clause(parley_str_t text,
    parley_channel_clause_t *ret, parley_error_t *err);
static int parley_channel_filter_value(const parley_channel_clause_t *clause);
static int parley_channel_filter_fail(parley_error_t *err,
    parley_code_t code, const char *fmt, parley_str_t word);


static const parley_str_t  parley_channel_axes[PARLEY_CHANNEL_AXES] = {
    [PARLEY_CHANNEL_AXIS_KIND] = parley_str("kind"),
    [PARLEY_CHANNEL_AXIS_SENDER] = parley_str("sender"),
    [PARLEY_CHANNEL_AXIS_CONTENT_TYPE] = parley_str("content_type"),
    [PARLEY_CHANNEL_AXIS_TOOL] = parley_str("tool"),
    [PARLEY_CHANNEL_AXIS_ORG] = parley_str("org"),
};

/* errors of invalid values, which say what kind of value is allowed */

static const char *const  parley_channel_values[PARLEY_CHANNEL_AXES] = {
    [PARLEY_CHANNEL_AXIS_KIND] =
        "\"%.*s\" is not a kind of frame, such as agent_query",
    [PARLEY_CHANNEL_AXIS_SENDER] =
        "\"%.*s\" is not the handle of a sender, such as ~alice",
    [PARLEY_CHANNEL_AXIS_CONTENT_TYPE] =
        "\"content_type:\" has no value%.*s",
    [PARLEY_CHANNEL_AXIS_TOOL] =
        "\"tool:\" has no value, such as cc-model%.*s",
    [PARLEY_CHANNEL_AXIS_ORG] =
        "\"%.*s\" is not the handle of an organisation, such as ~acme",
};


int
parley_channel_filter_parse(parley_arena_t *arena, parley_str_t text,
    parley_channel_filter_t *ret, parley_error_t *err)
{
    size_t                    i, from, n;
    parley_channel_clause_t  *clauses;

    parley_error_clear(err);
    memset(ret, 0, sizeof(parley_channel_filter_t));

    if (text.len == 0) {
        return 0;
    }

    n = 1;

    for (i = 0; i < text.len; i++) {
        n += text.data[i] == ',';
    }

    if (n > PARLEY_CHANNEL_FILTER_MAX) {
        return parley_channel_filter_fail(err, PARLEY_E_FILTER_VALUE_INVALID,
                                          "a filter may have at most 64 "
                                          "clauses%.*s", parley_str_none);
    }

    clauses = parley_arena_alloc(arena, n * sizeof(parley_channel_clause_t));
    if (clauses == NULL) {
        return parley_error_memory(err);
    }

    n = 0;
    from = 0;

    for (i = 0; i <= text.len; i++) {
        if (i < text.len && text.data[i] != ',') {
            continue;
        }

        if (parley_channel_filter_clause(parley_str_make(text.data + from,
                                                         i - from),
                                         &clauses[n++], err)
            != 0)
        {
            return -1;
        }

        from = i + 1;
    }

    ret->clauses = clauses;
    ret->nclauses = (uint32_t) n;

    return 0;
}


static int
parley_channel_filter_clause(parley_str_t text, parley_channel_clause_t *ret,
    parley_error_t *err)
{
    unsigned        axis;
    parley_str_t    name;
    const uint8_t  *colon;

    colon = text.len ? memchr(text.data, ':', text.len) : NULL;

    name = colon ? parley_str_make(text.data, (size_t) (colon - text.data))
                 : text;

    for (axis = 0; axis < PARLEY_CHANNEL_AXES; axis++) {
        if (parley_str_eq(parley_channel_axes[axis], name)) {
            break;
        }
    }

    if (axis == PARLEY_CHANNEL_AXES) {
        return parley_channel_filter_fail(err, PARLEY_E_FILTER_AXIS_UNKNOWN,
                                          "the filter axis \"%.*s\" is "
                                          "unknown, expected kind, sender, "
                                          "content_type, tool or org", name);
    }

    ret->axis = (parley_channel_axis_t) axis;
    ret->value = colon ? parley_str_from(text, name.len + 1)
                       : parley_str_none;

    if (parley_channel_filter_value(ret)) {
        return 0;
    }

    return parley_channel_filter_fail(err, PARLEY_E_FILTER_VALUE_INVALID,
                                      parley_channel_values[axis],
                                      ret->value);
}


static int
parley_channel_filter_value(const parley_channel_clause_t *clause)
{
    switch (clause->axis) {

    case PARLEY_CHANNEL_AXIS_KIND:
        return parley_channel_kind_find(clause->value) != NULL;

    case PARLEY_CHANNEL_AXIS_SENDER:
    case PARLEY_CHANNEL_AXIS_ORG:
        return parley_name_is_handle(clause->value);

    default:
        return clause->value.len > 0;
    }
}


static int
parley_channel_filter_fail(parley_error_t *err, parley_code_t code,
    const char *fmt, parley_str_t word)
{
    int  len;

    len = word.len < 64 ? (int) word.len : 64;

    (void) parley_error_set(err, code, "filter", fmt, len,
                            len ? (const char *) word.data : "");

    err->is_name = 1;

    return -1;
}


int
parley_channel_filter_admits(const parley_channel_filter_t *filter,
    const parley_channel_facts_t *facts)
{
    uint32_t                        i;
    const parley_channel_clause_t  *clause;

    for (i = 0; i < filter->nclauses; i++) {
        clause = &filter->clauses[i];

        if (!parley_str_eq(facts->values[clause->axis], clause->value)) {
            return 0;
        }
    }

    return 1;
}
