/* Names with a prefix that shows the kind: agent.x1@host. */

#include <string.h>

#include "translate/parley_name_syntax.h"


static const parley_str_t  parley_name_prefixes[PARLEY_NAME_KINDS] = {
    [PARLEY_NAME_AGENT] = parley_str("agent."),
    [PARLEY_NAME_HUMAN] = parley_str("human."),
    [PARLEY_NAME_SERVICE] = parley_str("service."),
    [PARLEY_NAME_GROUP] = parley_str("bus."),
};


const parley_name_syntax_t  parley_name_canonical = {
    .parse = parley_name_parse_prefixed,
    .format = parley_name_format_prefixed,
    .prefixes = parley_name_prefixes,
    .human = 'h',
    .group = 'b',
};


int
parley_name_parse_prefixed(const parley_name_syntax_t *syntax, parley_str_t s,
    parley_name_t *ret)
{
    size_t    i;
    unsigned  kind;

    if (s.len == 0) {
        return -1;
    }

    /* The first letter excludes most prefixes. */

    for (kind = PARLEY_NAME_AGENT; kind <= PARLEY_NAME_GROUP; kind++) {
        if (s.data[0] == syntax->prefixes[kind].data[0]
            && parley_name_strip(&s, syntax->prefixes[kind]))
        {
            break;
        }
    }

    if (kind > PARLEY_NAME_GROUP || s.len == 0) {
        return -1;
    }

    if (kind == PARLEY_NAME_GROUP && syntax == &parley_name_canonical
        && !parley_name_is_whole(s))
    {
        return -1;
    }

    ret->kind = (parley_name_kind_t) kind;
    ret->name = s;

    if (kind != PARLEY_NAME_AGENT) {
        return 0;
    }

    for (i = s.len; i > 0 && s.data[i - 1] != '@'; i--) { /* void */ }

    if (i == 0) {
        return 0;
    }

    ret->name = parley_str_make(s.data, i - 1);
    ret->host = parley_str_from(s, i);

    return ret->name.len > 0 && ret->host.len > 0 ? 0 : -1;
}


int
parley_name_format_prefixed(const parley_name_syntax_t *syntax,
    parley_buf_t *b, const parley_name_t *n)
{
    parley_buf_str(b, syntax->prefixes[n->kind]);
    parley_buf_str(b, n->name);

    if (n->host.len > 0) {
        parley_buf_octet(b, '@');
        parley_buf_str(b, n->host);
    }

    return 0;
}


int
parley_name_strip(parley_str_t *s, parley_str_t prefix)
{
    if (s->len < prefix.len || memcmp(s->data, prefix.data, prefix.len) != 0) {
        return 0;
    }

    *s = parley_str_from(*s, prefix.len);

    return 1;
}


int
parley_name_is_whole(parley_str_t s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (s.data[i] == '.'
            && (i == 0 || i + 1 == s.len || s.data[i + 1] == '.'))
        {
            return 0;
        }
    }

    return 1;
}


int
parley_name_is_handle(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    if (s.len < 2 || s.len > 33 || s.data[0] != '~' || s.data[1] == '-'
        || s.data[s.len - 1] == '-' || parley_str_is(s, "~org"))
    {
        return 0;
    }

    for (i = 1; i < s.len; i++) {
        c = s.data[i];

        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
            return 0;
        }
    }

    return 1;
}
