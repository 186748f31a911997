#include "translate/channel/parley_channel_scope.h"
#include "core/parley_buf.h"
#include "translate/parley_name.h"


static int parley_channel_scope_own(parley_str_t rest,
    parley_channel_scope_t *ret);
static int parley_channel_scope_org(parley_str_t rest,
    parley_channel_scope_t *ret);
static int parley_channel_scope_accord(parley_str_t rest,
    parley_channel_scope_t *ret);
static parley_str_t parley_channel_scope_until(parley_str_t *s, uint8_t c);


int
parley_channel_scope_parse(parley_str_t s, parley_channel_scope_t *ret)
{
    int  rc;

    memset(ret, 0, sizeof(parley_channel_scope_t));

    if (s.len > PARLEY_CHANNEL_SCOPE_MAX) {
        return -1;
    }

    if (parley_str_begins(s, "org:")) {
        rc = parley_channel_scope_org(parley_str_from(s, 4), ret);

    } else if (parley_str_begins(s, "accord:")) {
        rc = parley_channel_scope_accord(parley_str_from(s, 7), ret);

    } else {
        rc = parley_channel_scope_own(s, ret);
    }

    if (rc != 0 || !parley_name_is_handle(ret->handle)) {
        memset(ret, 0, sizeof(parley_channel_scope_t));
        return -1;
    }

    return 0;
}


int
parley_channel_scope_members(parley_arena_t *arena, parley_str_t handle,
    parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 64);
    parley_buf_lit(&b, "org:");
    parley_buf_str(&b, handle);
    parley_buf_lit(&b, "/members/");
    parley_buf_octet(&b, '*');

    return parley_buf_done(&b, ret);
}


/* Reads the text after ~handle: empty, or a slash and sessions. */

static int
parley_channel_scope_own(parley_str_t rest, parley_channel_scope_t *ret)
{
    size_t  whole;

    whole = rest.len;
    ret->handle = parley_channel_scope_until(&rest, '/');

    if (ret->handle.len == whole) {
        ret->form = PARLEY_CHANNEL_SCOPE_HANDLE;
        return 0;
    }

    if (parley_str_is(rest, "*")) {
        ret->form = PARLEY_CHANNEL_SCOPE_SESSIONS;
        return 0;
    }

    if (rest.len > 0 && rest.data[rest.len - 1] == '*') {
        ret->form = PARLEY_CHANNEL_SCOPE_PREFIX;
        ret->instrument = parley_str_make(rest.data, rest.len - 1);
        return parley_channel_scope_is_part(ret->instrument, "");
    }

    ret->form = PARLEY_CHANNEL_SCOPE_SESSION;
    ret->instrument = parley_channel_scope_until(&rest, '@');
    ret->session = rest;

    return parley_channel_scope_is_part(ret->instrument, "") == 0
           ? parley_channel_scope_is_part(ret->session, "~+:") : -1;
}


static int
parley_channel_scope_org(parley_str_t rest, parley_channel_scope_t *ret)
{
    ret->handle = parley_channel_scope_until(&rest, '/');

    if (!parley_str_begins(rest, "members/")) {
        return -1;
    }

    rest = parley_str_from(rest, sizeof("members/") - 1);

    if (parley_str_is(rest, "*")) {
        ret->form = PARLEY_CHANNEL_SCOPE_MEMBERS;
        return 0;
    }

    ret->form = PARLEY_CHANNEL_SCOPE_ROLE;
    ret->role = parley_channel_scope_until(&rest, '/');

    return parley_str_is(rest, "*")
           ? parley_channel_scope_is_part(ret->role, "") : -1;
}


static int
parley_channel_scope_accord(parley_str_t rest, parley_channel_scope_t *ret)
{
    ret->form = PARLEY_CHANNEL_SCOPE_ACCORD;
    ret->handle = parley_channel_scope_until(&rest, '/');

    if (!parley_str_begins(rest, "grant:")) {
        return -1;
    }

    ret->grant = parley_str_from(rest, sizeof("grant:") - 1);

    return parley_channel_scope_is_part(ret->grant, ":");
}


/* Returns the text before the first c; *s becomes the text after it. */

static parley_str_t
parley_channel_scope_until(parley_str_t *s, uint8_t c)
{
    parley_str_t    before;
    const uint8_t  *p;

    before = *s;

    p = s->len ? memchr(s->data, c, s->len) : NULL;

    if (p == NULL) {
        *s = parley_str_none;
        return before;
    }

    before.len = (size_t) (p - s->data);
    *s = parley_str_from(*s, before.len + 1);

    return before;
}


int
parley_channel_scope_is_part(parley_str_t s, const char *more)
{
    size_t   i;
    uint8_t  c;

    if (s.len == 0 || s.len > PARLEY_CHANNEL_PART_MAX) {
        return -1;
    }

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if (parley_is_alnum(c) || c == '.' || c == '_' || c == '-'
            || (c != '\0' && strchr(more, c) != NULL))
        {
            continue;
        }

        return -1;
    }

    return 0;
}
