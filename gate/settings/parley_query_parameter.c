#include "gate/settings/parley_query_parameter.h"
#include "core/parley_hex.h"


static parley_query_parameter_e parley_query_parameter_part(
    const parley_arguments_t *a, parley_str_t part,
    parley_query_parameter_t *piece);


void
parley_query_parameter_read(const parley_arguments_t *a, parley_str_t text,
    parley_query_parameter_t *ret)
{
    parley_str_t    part;
    const uint8_t  *p;

    p = memchr(text.data, ';', text.len);

    ret->kind = parley_query_parameter_part(a, text, ret);

    if (p == NULL) {
        return;
    }

    for ( ;; ) {
        if (ret->kind != PARLEY_QUERY_PARAMETER_OTHER) {
            ret->kind = PARLEY_QUERY_PARAMETER_DISGUISED;
            return;
        }

        if (p == NULL) {
            return;
        }

        part = parley_str_from(text, (size_t) (p - text.data) + 1);
        ret->kind = parley_query_parameter_part(a, part, ret);

        text = part;
        p = part.len > 0 ? memchr(part.data, ';', part.len) : NULL;
    }
}


/* Reads name, or name "=" value, up to the end or a ";". */

static parley_query_parameter_e
parley_query_parameter_part(const parley_arguments_t *a, parley_str_t part,
    parley_query_parameter_t *piece)
{
    size_t                    n;
    unsigned                  i;
    parley_str_t              name;
    parley_query_parameter_e  kind;

    for (n = 0; n < part.len; n++) {
        if (part.data[n] == '=' || part.data[n] == ';') {
            break;
        }
    }

    name = parley_str_make(part.data, n);

    for (i = 0; i < PARLEY_ARGUMENTS; i++) {
        kind = parley_query_parameter_name(name, a->list[i].name);

        if (kind == PARLEY_QUERY_PARAMETER_OTHER) {
            continue;
        }

        piece->which = i;
        piece->exact = parley_str_eq(name, a->list[i].name);
        piece->value = n < part.len ? parley_str_from(part, n + 1)
                                    : parley_str_none;
        return kind;
    }

    return PARLEY_QUERY_PARAMETER_OTHER;
}


parley_query_parameter_e
parley_query_parameter_name(parley_str_t text, parley_str_t name)
{
    size_t          n;
    uint8_t         c;
    unsigned        disguised;
    const uint8_t  *p, *end;

    p = text.data;
    end = p + text.len;
    disguised = 0;

    if (name.len == 0) {
        return PARLEY_QUERY_PARAMETER_OTHER;
    }

    for (n = 0; n < name.len; /* void */) {

        if (p == end) {
            return PARLEY_QUERY_PARAMETER_OTHER;
        }

        (void) parley_query_parameter_octet(&p, end, &c);

        if (n == 0 && c <= ' ') {
            disguised = 1;
            continue;
        }

        if (parley_lower(c) != parley_lower(name.data[n++])) {
            return PARLEY_QUERY_PARAMETER_OTHER;
        }
    }

    while (p < end) {
        (void) parley_query_parameter_octet(&p, end, &c);

        if (c == '\0' || c == '[') {
            return PARLEY_QUERY_PARAMETER_DISGUISED;
        }

        if (c > ' ') {
            return PARLEY_QUERY_PARAMETER_OTHER;
        }

        disguised = 1;
    }

    return disguised ? PARLEY_QUERY_PARAMETER_DISGUISED
                     : PARLEY_QUERY_PARAMETER_ARGUMENT;
}


int
parley_query_parameter_stays(const parley_query_parameter_t *piece,
    parley_str_t value)
{
    size_t          n;
    uint8_t         c;
    const uint8_t  *p, *end;

    if (!piece->exact) {
        return 0;
    }

    p = piece->value.data;
    end = p + piece->value.len;

    for (n = 0; p < end; n++) {

        if (*p <= ' ' || *p >= 0x7F || *p == '+' || *p == '"' || *p == '\\'
            || parley_query_parameter_octet(&p, end, &c) != 0
            || n == value.len || value.data[n] != c)
        {
            return 0;
        }
    }

    return n == value.len;
}


int
parley_query_parameter_octet(const uint8_t **p, const uint8_t *end,
    uint8_t *ret)
{
    int  high, low;

    *ret = *(*p)++;

    if (*ret == '+') {
        *ret = ' ';
        return 0;
    }

    if (*ret != '%') {
        return 0;
    }

    if (end - *p < 2) {
        return -1;
    }

    high = parley_hex_digit((*p)[0]);
    low = parley_hex_digit((*p)[1]);

    if (high < 0 || low < 0) {
        return -1;
    }

    *ret = (uint8_t) (high << 4 | low);
    *p += 2;

    return 0;
}
