#include <string.h>

#include "auth/parley_namespace.h"


const char *const  parley_namespace_members[PARLEY_NAMESPACE_COUNT] = {
#define X(id, word, member, shape, ...)  #member,
    PARLEY_PROTOCOLS(X, , )
#undef X
};


#define PARLEY_NAMESPACE_IS_TEXT    0
#define PARLEY_NAMESPACE_IS_HANDLE  1
#define PARLEY_NAMESPACE_IS_SUB     0
#define PARLEY_NAMESPACE_IS_SAME    0

static const uint8_t  parley_namespace_handles[PARLEY_NAMESPACE_COUNT] = {
#define X(id, word, member, shape, ...)  PARLEY_NAMESPACE_IS_##shape,
    PARLEY_PROTOCOLS(X, , )
#undef X
};


int
parley_namespace_handle_is(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    if (s.len < 2 || s.len > 33 || s.data[0] != '~' || s.data[1] == '-'
        || s.data[s.len - 1] == '-')
    {
        return 0;
    }

    for (i = 1; i < s.len; i++) {
        c = s.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) {
            return 0;
        }
    }

    return 1;
}


int
parley_instrument_is(parley_str_t s)
{
    size_t          i;
    uint8_t         c;
    parley_str_t    version;
    const uint8_t  *at;

    at = s.len == 0 ? NULL : memchr(s.data, '@', s.len);

    if (at == NULL) {
        return parley_namespace_handle_is(s);
    }

    version = parley_str_from(s, (size_t) (at - s.data) + 1);

    if (version.len == 0 || version.len > 32) {
        return 0;
    }

    for (i = 0; i < version.len; i++) {
        c = version.data[i];

        if (!parley_is_alnum(c) && c != '.' && c != '_' && c != '+'
            && c != '-')
        {
            return 0;
        }
    }

    return parley_namespace_handle_is(parley_str_make(s.data,
                                                      (size_t) (at - s.data)));
}


int
parley_namespace_name_is(parley_namespace_t space, parley_str_t s)
{
    size_t  i;

    if (s.len == 0 || s.len > PARLEY_NAME_MAX) {
        return 0;
    }

    if (parley_namespace_handles[space]) {
        return parley_namespace_handle_is(s);
    }

    for (i = 0; i < s.len; i++) {
        if (s.data[i] <= ' ' || s.data[i] == 0x7f
            || (s.data[i] == 0xc2 && i + 1 < s.len && s.data[i + 1] < 0xa0))
        {
            return 0;
        }
    }

    return 1;
}


int
parley_namespace_priority_is(parley_str_t s)
{
    return parley_str_is(s, "low") || parley_str_is(s, "normal")
           || parley_str_is(s, "high") || parley_str_is(s, "urgent");
}
