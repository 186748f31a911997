/* The commands on keys. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "t/simulate-store/parley_engine_command.h"


typedef struct {
    const char     *name;
    void          (*execute)(engine_do_t *c);
    size_t          least;              /* words */
    int             type;               /* of its key; -1: any */
    unsigned        writes:1;
} engine_row_t;


int
engine_is(parley_str_t word, const char *text)
{
    return word.len == strlen(text)
           && strncasecmp((const char *) word.data, text, word.len) == 0;
}


int
engine_whole(parley_str_t word, int64_t *ret)
{
    char  text[32], *end;

    if (word.len == 0 || word.len >= sizeof(text)) {
        return 0;
    }

    memcpy(text, word.data, word.len);
    text[word.len] = '\0';
    *ret = strtoll(text, &end, 10);

    return *end == '\0' && text[0] != ' ' && text[0] != '+';
}


int
engine_number(parley_str_t word, double *ret)
{
    char  text[64], *end;

    if (word.len == 0 || word.len >= sizeof(text)) {
        return 0;
    }

    memcpy(text, word.data, word.len);
    text[word.len] = '\0';
    *ret = strtod(text, &end);

    return *end == '\0' && text[0] != ' ';
}


void
engine_error(engine_do_t *c, const char *error)
{
    engine_print(c->out, "%s", error);
}


void
engine_bulk(engine_do_t *c, parley_str_t s)
{
    engine_print(c->out, "$%zu\r\n", s.len);
    engine_put(c->out, s.data, s.len);
    engine_put(c->out, "\r\n", 2);
}


void
engine_null(engine_do_t *c)
{
    engine_print(c->out, "$-1\r\n");
}


void
engine_count(engine_do_t *c, int64_t n)
{
    engine_print(c->out, ":%lld\r\n", (long long) n);
}


void
engine_score(engine_do_t *c, double score)
{
    char  text[64];

    snprintf(text, sizeof(text), "%.17g", score);
    engine_bulk(c, parley_str_c(text));
}


engine_key_t *
engine_make(engine_do_t *c, engine_type_t type)
{
    if (c->key == NULL) {
        c->key = engine_add(c->data, c->words[1], type);
    }

    return c->key;
}


static void
engine_prune(engine_do_t *c)
{
    if (c->key != NULL && c->key->n == 0) {
        engine_remove(c->data, c->key);
        c->key = NULL;
    }
}


static void
engine_time(engine_do_t *c)
{
    char  text[32];

    engine_print(c->out, "*2\r\n");
    snprintf(text, sizeof(text), "%lld", (long long) (c->us / 1000000));
    engine_bulk(c, parley_str_c(text));
    snprintf(text, sizeof(text), "%lld", (long long) (c->us % 1000000));
    engine_bulk(c, parley_str_c(text));
}


static void
engine_get(engine_do_t *c)
{
    if (c->key == NULL) {
        engine_null(c);
    } else {
        engine_bulk(c, c->key->text);
    }
}


static void
engine_do_set(engine_do_t *c)
{
    int      nx, xx, get, keep, times;
    size_t   i;
    int64_t  until, ms;

    nx = xx = get = keep = times = 0;
    until = 0;

    for (i = 3; i < c->n; i++) {

        if (engine_is(c->words[i], "NX")) {
            nx = 1;

        } else if (engine_is(c->words[i], "XX")) {
            xx = 1;

        } else if (engine_is(c->words[i], "GET")) {
            get = 1;

        } else if (engine_is(c->words[i], "KEEPTTL")) {
            keep = 1;

        } else if (i + 1 < c->n && (engine_is(c->words[i], "PX")
                                    || engine_is(c->words[i], "PXAT")))
        {
            if (!engine_whole(c->words[i + 1], &ms)) {
                engine_error(c, ENGINE_WHOLE);
                return;
            }

            if (ms <= 0) {
                engine_error(c, "-ERR invalid expire time in 'set' "
                                "command\r\n");
                return;
            }

            until = c->words[i].len == 2 ? c->ms + ms : ms;
            times |= c->words[i].len == 2 ? 1 : 2;
            i++;

        } else {
            engine_error(c, ENGINE_SYNTAX);
            return;
        }
    }

    if (times == 3 || (times != 0 && keep) || (nx && xx)) {
        engine_error(c, ENGINE_SYNTAX);
        return;
    }

    if (get) {

        if (c->key != NULL && c->key->type != ENGINE_STRING) {
            engine_error(c, ENGINE_TYPE);
            return;
        }

        engine_get(c);
    }

    if ((nx && c->key != NULL) || (xx && c->key == NULL)) {

        if (!get) {
            engine_null(c);
        }

        return;
    }

    if (c->key != NULL && keep) {
        until = c->key->until;
    }

    if (c->key != NULL && c->key->type != ENGINE_STRING) {
        engine_remove(c->data, c->key);
        c->key = NULL;
    }

    engine_make(c, ENGINE_STRING);
    engine_set(&c->key->text, c->words[2]);
    c->key->until = until;

    if (!get) {
        engine_print(c->out, "+OK\r\n");
    }
}


static void
engine_del(engine_do_t *c)
{
    size_t         i;
    int64_t        n;
    engine_key_t  *key;

    for (i = 1, n = 0; i < c->n; i++) {
        key = engine_find(c->data, c->words[i], c->ms);

        if (key != NULL) {
            engine_remove(c->data, key);
            n++;
        }
    }

    engine_count(c, n);
}


static void
engine_pexpire(engine_do_t *c)
{
    int      gt;
    int64_t  ms;

    gt = c->n == 4 && engine_is(c->words[3], "GT");

    if (!engine_whole(c->words[2], &ms)) {
        engine_error(c, ENGINE_WHOLE);
        return;
    }

    if (c->n > 4 || (c->n == 4 && !gt)) {
        engine_error(c, "-ERR Unsupported option\r\n");
        return;
    }

    if (c->key == NULL
        || (gt && (c->key->until == 0 || c->ms + ms <= c->key->until)))
    {
        engine_count(c, 0);
        return;
    }

    if (ms <= 0) {
        engine_remove(c->data, c->key);

    } else {
        c->key->until = c->ms + ms;
    }

    engine_count(c, 1);
}


static void
engine_add_to(engine_do_t *c, int64_t by)
{
    char     text[32];
    int64_t  n;

    n = 0;

    if (c->key != NULL && !engine_whole(c->key->text, &n)) {
        engine_error(c, ENGINE_WHOLE);
        return;
    }

    snprintf(text, sizeof(text), "%lld", (long long) (n + by));

    engine_make(c, ENGINE_STRING);
    engine_set(&c->key->text, parley_str_c(text));
    engine_count(c, n + by);
}


static void
engine_incr(engine_do_t *c)
{
    engine_add_to(c, 1);
}


static void
engine_incrby(engine_do_t *c)
{
    int64_t  by;

    if (!engine_whole(c->words[2], &by)) {
        engine_error(c, ENGINE_WHOLE);
        return;
    }

    engine_add_to(c, by);
}


size_t
engine_place(const engine_key_t *key, parley_str_t name)
{
    size_t  i;

    for (i = 0; key != NULL && i < key->n; i++) {
        if (parley_str_eq(key->items[i].name, name)) {
            return i;
        }
    }

    return key != NULL ? key->n : 0;
}


static void
engine_field(engine_do_t *c, parley_str_t name)
{
    size_t  i;

    i = engine_place(c->key, name);

    if (c->key == NULL || i == c->key->n) {
        engine_null(c);
    } else {
        engine_bulk(c, c->key->items[i].value);
    }
}


static void
engine_hget(engine_do_t *c)
{
    engine_field(c, c->words[2]);
}


static void
engine_hmget(engine_do_t *c)
{
    size_t  i;

    engine_print(c->out, "*%zu\r\n", c->n - 2);

    for (i = 2; i < c->n; i++) {
        engine_field(c, c->words[i]);
    }
}


static void
engine_hset(engine_do_t *c)
{
    size_t          i, at;
    int64_t         n;
    engine_item_t  *item;

    if (c->n % 2 != 0) {
        engine_error(c, "-ERR wrong number of arguments for 'hset' "
                        "command\r\n");
        return;
    }

    engine_make(c, ENGINE_HASH);

    for (i = 2, n = 0; i < c->n; i += 2) {
        at = engine_place(c->key, c->words[i]);

        if (at == c->key->n) {
            item = engine_item_insert(c->key, at);
            engine_set(&item->name, c->words[i]);
            n++;
        }

        engine_set(&c->key->items[at].value, c->words[i + 1]);
    }

    engine_count(c, n);
}


/* HDEL, ZREM */

static void
engine_take_out(engine_do_t *c)
{
    size_t   i, at;
    int64_t  n;

    for (i = 2, n = 0; i < c->n && c->key != NULL; i++) {
        at = engine_place(c->key, c->words[i]);

        if (at < c->key->n) {
            engine_item_remove(c->key, at);
            n++;
        }
    }

    engine_prune(c);
    engine_count(c, n);
}


static void
engine_rpush(engine_do_t *c)
{
    size_t  i;

    engine_make(c, ENGINE_LIST);

    for (i = 2; i < c->n; i++) {
        engine_set(&engine_item_insert(c->key, c->key->n)->value, c->words[i]);
    }

    engine_count(c, (int64_t) c->key->n);
}


/* Reads the bounds of a part of a list.  Returns the number of elements. */

static int64_t
engine_part(engine_do_t *c, int64_t *from)
{
    int64_t  n, to;

    n = c->key != NULL ? (int64_t) c->key->n : 0;

    if (!engine_whole(c->words[2], from) || !engine_whole(c->words[3], &to)) {
        engine_error(c, ENGINE_WHOLE);
        return -1;
    }

    *from = *from < 0 ? *from + n : *from;
    *from = *from < 0 ? 0 : *from;
    to = to < 0 ? to + n : to;
    to = to >= n ? n - 1 : to;

    return to >= *from ? to - *from + 1 : 0;
}


static void
engine_lrange(engine_do_t *c)
{
    int64_t  i, from, n;

    n = engine_part(c, &from);

    if (n >= 0) {
        engine_print(c->out, "*%lld\r\n", (long long) n);
    }

    for (i = 0; i < n; i++) {
        engine_bulk(c, c->key->items[from + i].value);
    }
}


static void
engine_ltrim(engine_do_t *c)
{
    int64_t  from, n;

    n = engine_part(c, &from);

    if (n < 0) {
        return;
    }

    while (c->key != NULL && (int64_t) c->key->n > from + n) {
        engine_item_remove(c->key, c->key->n - 1);
    }

    while (c->key != NULL && (int64_t) c->key->n > n) {
        engine_item_remove(c->key, 0);
    }

    engine_prune(c);
    engine_print(c->out, "+OK\r\n");
}


static const engine_row_t  engine_rows[] = {
    { "time", engine_time, 1, -1, 0 },
    { "get", engine_get, 2, ENGINE_STRING, 0 },
    { "set", engine_do_set, 3, -1, 1 },
    { "del", engine_del, 2, -1, 1 },
    { "pexpire", engine_pexpire, 3, -1, 1 },
    { "incr", engine_incr, 2, ENGINE_STRING, 1 },
    { "incrby", engine_incrby, 3, ENGINE_STRING, 1 },
    { "hget", engine_hget, 3, ENGINE_HASH, 0 },
    { "hmget", engine_hmget, 3, ENGINE_HASH, 0 },
    { "hset", engine_hset, 4, ENGINE_HASH, 1 },
    { "hdel", engine_take_out, 3, ENGINE_HASH, 1 },
    { "rpush", engine_rpush, 3, ENGINE_LIST, 1 },
    { "lrange", engine_lrange, 4, ENGINE_LIST, 0 },
    { "ltrim", engine_ltrim, 4, ENGINE_LIST, 1 },
    { "zadd", engine_zadd, 4, ENGINE_ZSET, 1 },
    { "zrem", engine_take_out, 3, ENGINE_ZSET, 1 },
    { "zscore", engine_zscore, 3, ENGINE_ZSET, 0 },
    { "zcount", engine_zcount, 4, ENGINE_ZSET, 0 },
    { "zrangebyscore", engine_zrangebyscore, 4, ENGINE_ZSET, 0 },
    { "xadd", engine_xadd, 5, ENGINE_STREAM, 1 },
    { "xdel", engine_xdel, 3, ENGINE_STREAM, 1 },
    { "xtrim", engine_xtrim, 4, ENGINE_STREAM, 1 },
    { "xrange", engine_xrange, 4, ENGINE_STREAM, 0 },
};


static const engine_row_t *
engine_row(parley_str_t name)
{
    size_t  i;

    for (i = 0; i < sizeof(engine_rows) / sizeof(engine_rows[0]); i++) {
        if (engine_is(name, engine_rows[i].name)) {
            return &engine_rows[i];
        }
    }

    return NULL;
}


int
engine_writes(parley_str_t name)
{
    const engine_row_t  *row;

    row = engine_row(name);

    return row != NULL ? (int) row->writes : -1;
}


void
engine_command(engine_data_t *d, int64_t us, const parley_str_t *words,
    size_t n, engine_buf_t *out)
{
    engine_do_t          c;
    const engine_row_t  *row;

    row = engine_row(words[0]);

    memset(&c, 0, sizeof(c));
    c.data = d;
    c.us = us;
    c.ms = us / 1000;
    c.words = words;
    c.n = n;
    c.out = out;

    if (n < row->least) {
        engine_print(out, "-ERR wrong number of arguments for '%s' "
                     "command\r\n", row->name);
        return;
    }

    if (n > 1) {
        c.key = engine_find(d, words[1], c.ms);
    }

    if (c.key != NULL && row->type >= 0 && (int) c.key->type != row->type) {
        engine_error(&c, ENGINE_TYPE);
        return;
    }

    row->execute(&c);
}
