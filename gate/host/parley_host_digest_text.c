/* The id and the times of a digest (parley_host_digest_text.h). */

#include <string.h>

#include "core/parley_buf.h"
#include "gate/host/parley_host_digest_text.h"


#define PARLEY_DIGEST_ID      "digest:"
#define PARLEY_DIGEST_DIGITS  15


static size_t parley_host_digest_time(parley_str_t id);


int64_t
parley_host_digest_due(const parley_digest_t *d, int64_t interval_ms,
    int64_t now_ms)
{
    int64_t  last;

    last = d->since_ms > d->offered_ms ? d->since_ms : d->offered_ms;

    /* the wall clock may have been set back */

    return last > now_ms ? now_ms + interval_ms
           : now_ms - last < interval_ms ? last + interval_ms : now_ms;
}


/* Returns the name of a reader without its kind. */

static parley_str_t
parley_host_digest_name(parley_str_t name)
{
    parley_str_t  kind;

    kind = parley_str_until(name, ':');

    return kind.len < name.len ? parley_str_from(name, kind.len + 1) : name;
}


int
parley_host_digest_id_write(parley_arena_t *arena, parley_str_t name,
    int64_t ms, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);
    parley_buf_lit(&b, PARLEY_DIGEST_ID);
    parley_buf_str(&b, parley_host_digest_name(name));
    parley_buf_octet(&b, ':');
    parley_buf_int(&b, ms);

    return parley_buf_done(&b, ret);
}


int
parley_host_digest_id_read(parley_str_t id, parley_str_t name, int64_t *ret)
{
    size_t        at, i;
    parley_str_t  own;

    name = parley_host_digest_name(name);

    if (!parley_host_digest_is(id)) {
        return 0;
    }

    at = parley_host_digest_time(id);
    own = parley_str_make(id.data + strlen(PARLEY_DIGEST_ID),
                          at - 1 - strlen(PARLEY_DIGEST_ID));

    if (!parley_str_eq(own, name) || id.len - at > PARLEY_DIGEST_DIGITS) {
        return 0;
    }

    *ret = 0;

    for (i = at; i < id.len; i++) {
        *ret = 10 * *ret + (id.data[i] - '0');
    }

    return 1;
}


int
parley_host_digest_is(parley_str_t id)
{
    size_t              at;
    const parley_str_t  begin = parley_str(PARLEY_DIGEST_ID);

    at = parley_host_digest_time(id);

    return at < id.len && at > begin.len && id.data[at - 1] == ':'
           && memcmp(id.data, begin.data, begin.len) == 0;
}


/* Returns where the digits at the end of an id begin. */

static size_t
parley_host_digest_time(parley_str_t id)
{
    size_t  at;

    for (at = id.len;
         at > 0 && id.data[at - 1] >= '0' && id.data[at - 1] <= '9';
         at--)
    { /* void */ }

    return at;
}


void
parley_host_digest_count(parley_digest_count_t *c, parley_str_t id,
    parley_str_t author)
{
    unsigned  i;

    if (c->row.messages++ == 0) {
        c->row.newest = id;
    }

    for (i = 0; i < c->row.authors; i++) {
        if (parley_str_eq(c->authors[i], author)) {
            return;
        }
    }

    if (c->row.authors < PARLEY_DIGEST_AUTHORS) {
        c->authors[c->row.authors++] = author;
    }
}
