#include <string.h>

#include "auth/parley_surface.h"
#include "core/parley_escape.h"
#include "core/parley_buf.h"


static int parley_surface_part(parley_str_t *rest, parley_str_t *ret);
static size_t parley_surface_len(const parley_surface_account_t *account);
static size_t parley_surface_part_len(parley_str_t part);
static int parley_surface_is_plain(uint8_t c);
static uint8_t *parley_surface_write(uint8_t *p, parley_str_t part);
static int parley_surface_digit(uint8_t c);


int
parley_surface_read(parley_str_t text, parley_surface_account_t *ret)
{
    ret->id = parley_str_none;

    if (!parley_namespace_name_is(PARLEY_NAMESPACE_AEE, text)
        || parley_surface_part(&text, &ret->platform) != 0)
    {
        return -1;
    }

    if (memchr(text.data, '/', text.len) == NULL) {
        ret->workspace = text;

    } else if (parley_surface_part(&text, &ret->workspace) == 0) {
        ret->id = text;

    } else {
        return -1;
    }

    return parley_surface_len(ret) <= PARLEY_SURFACE_NAME_MAX ? 0 : -1;
}


/*
 * Takes the part before a slash off *rest.  Returns 0, or -1 if the part or the
 * rest is empty.
 */

static int
parley_surface_part(parley_str_t *rest, parley_str_t *ret)
{
    *ret = parley_str_until(*rest, '/');

    if (ret->len == 0 || ret->len + 1 >= rest->len) {
        return -1;
    }

    *rest = parley_str_from(*rest, ret->len + 1);

    return 0;
}


int
parley_surface_source_is(parley_str_t text)
{
    parley_surface_account_t  account;

    return parley_surface_read(text, &account) == 0 && account.id.len == 0;
}


int
parley_surface_is_free(parley_str_t text)
{
    parley_surface_account_t  account;

    return parley_surface_read(text, &account) != 0
           || !parley_str_eq_fold(account.platform,
                                  PARLEY_STR(PARLEY_SURFACE_OWN));
}


int
parley_surface_account_is(parley_str_t text)
{
    parley_surface_account_t  account;

    return parley_surface_read(text, &account) == 0 && account.id.len > 0;
}


int
parley_surface_name(parley_arena_t *arena,
    const parley_surface_account_t *account, parley_str_t *ret)
{
    size_t    len;
    uint8_t  *name, *p;

    *ret = parley_str_none;
    len = parley_surface_len(account);

    if (len > PARLEY_SURFACE_NAME_MAX) {
        return 1;
    }

    name = parley_arena_octets(arena, len);

    if (name == NULL) {
        return -1;
    }

    p = parley_surface_write(name, account->platform);
    *p++ = '.';
    p = parley_surface_write(p, account->workspace);

    if (account->id.len > 0) {
        *p++ = '.';
        p = parley_surface_write(p, account->id);
    }

    *ret = parley_str_make(name, (size_t) (p - name));

    return 0;
}


/* Returns the length of the derived name. */

static size_t
parley_surface_len(const parley_surface_account_t *account)
{
    return parley_surface_part_len(account->platform)
           + parley_surface_part_len(account->workspace)
           + parley_surface_part_len(account->id) + 2;
}


static size_t
parley_surface_part_len(parley_str_t part)
{
    size_t  i, len;

    for (i = 0, len = 0; i < part.len; i++) {
        len += parley_surface_is_plain(part.data[i]) ? 1 : 3;
    }

    return len;
}


static int
parley_surface_is_plain(uint8_t c)
{
    return parley_is_alnum(c) || c == '_' || c == '-';
}


static uint8_t *
parley_surface_write(uint8_t *p, parley_str_t part)
{
    size_t  i;

    for (i = 0; i < part.len; i++) {

        if (parley_surface_is_plain(part.data[i])) {
            *p++ = part.data[i];

        } else {
            parley_escape_octet(part.data[i], p);
            p += 3;
        }
    }

    return p;
}


parley_str_t
parley_surface_source(parley_str_t name)
{
    size_t        len;
    parley_str_t  id;

    len = parley_str_until(name, '.').len;

    if (len == 0 || len == name.len) {
        return parley_str_none;
    }

    len += 1 + parley_str_until(parley_str_from(name, len + 1), '.').len;

    if (len + 1 >= name.len) {
        return parley_str_none;
    }

    id = parley_str_from(name, len + 1);

    return memchr(id.data, '.', id.len) == NULL
           ? parley_str_make(name.data, len) : parley_str_none;
}


int
parley_surface_is_encoded(parley_str_t name)
{
    int     high, low;
    size_t  i;

    for (i = 0; i < name.len; i++) {

        if (name.data[i] != '%') {
            continue;
        }

        if (name.len - i < 3) {
            return 0;
        }

        high = parley_surface_digit(name.data[i + 1]);
        low = parley_surface_digit(name.data[i + 2]);

        if (high < 0 || low < 0
            || parley_surface_is_plain((uint8_t) (high << 4 | low)))
        {
            return 0;
        }

        i += 2;
    }

    return 1;
}


/* Returns the value of a digit, 0-9 or A-F, or -1. */

static int
parley_surface_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
