/* Commands of sorted sets and streams. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/simulate-store/parley_engine_command.h"


/* Returns the place of a score and member among the others. */

static size_t
engine_rank(const engine_key_t *key, double score, parley_str_t name)
{
    int                   rc;
    size_t                i, len;
    const engine_item_t  *item;

    for (i = 0; i < key->n; i++) {
        item = &key->items[i];
        len = item->name.len < name.len ? item->name.len : name.len;
        rc = memcmp(item->name.data, name.data, len);

        if (item->score > score
            || (item->score == score
                && (rc > 0 || (rc == 0 && item->name.len > name.len))))
        {
            break;
        }
    }

    return i;
}


void
engine_zadd(engine_do_t *c)
{
    int             gt;
    double          score;
    size_t          i, at, first;
    int64_t         n;
    engine_item_t  *item;

    gt = engine_is(c->words[2], "GT");
    first = gt ? 3 : 2;

    if (c->n == first || (c->n - first) % 2 != 0) {
        engine_error(c, ENGINE_SYNTAX);
        return;
    }

    for (i = first; i < c->n; i += 2) {
        if (!engine_number(c->words[i], &score)) {
            engine_error(c, "-ERR value is not a valid float\r\n");
            return;
        }
    }

    engine_make(c, ENGINE_ZSET);

    for (i = first, n = 0; i < c->n; i += 2) {
        (void) engine_number(c->words[i], &score);
        at = engine_place(c->key, c->words[i + 1]);

        if (at < c->key->n) {

            if (gt && score <= c->key->items[at].score) {
                continue;
            }

            engine_item_remove(c->key, at);

        } else {
            n++;
        }

        item = engine_item_insert(c->key, engine_rank(c->key, score,
                                                      c->words[i + 1]));
        engine_set(&item->name, c->words[i + 1]);
        item->score = score;
    }

    engine_count(c, n);
}


void
engine_zscore(engine_do_t *c)
{
    size_t  at;

    at = engine_place(c->key, c->words[2]);

    if (c->key == NULL || at == c->key->n) {
        engine_null(c);
    } else {
        engine_score(c, c->key->items[at].score);
    }
}


/* Reads the bounds of scores. */

static int
engine_between(engine_do_t *c, double bounds[2], int open[2])
{
    int           i;
    parley_str_t  word;

    for (i = 0; i < 2; i++) {
        word = c->words[2 + i];
        open[i] = word.len != 0 && word.data[0] == '(';

        if (!engine_number(parley_str_from(word, (size_t) open[i]),
                           &bounds[i]))
        {
            engine_error(c, "-ERR min or max is not a float\r\n");
            return 0;
        }
    }

    return 1;
}


static int
engine_inside(double score, const double bounds[2], const int open[2])
{
    return (open[0] ? score > bounds[0] : score >= bounds[0])
           && (open[1] ? score < bounds[1] : score <= bounds[1]);
}


void
engine_zcount(engine_do_t *c)
{
    int      open[2];
    double   bounds[2];
    size_t   i;
    int64_t  n;

    if (!engine_between(c, bounds, open)) {
        return;
    }

    for (i = 0, n = 0; c->key != NULL && i < c->key->n; i++) {
        n += engine_inside(c->key->items[i].score, bounds, open);
    }

    engine_count(c, n);
}


void
engine_zrangebyscore(engine_do_t *c)
{
    int                   open[2], scores;
    double                bounds[2];
    size_t                i;
    int64_t               from, max, n, at;
    engine_buf_t          list, *out;
    const engine_item_t  *item;

    from = 0;
    max = -1;
    scores = 0;

    for (i = 4; i < c->n; i++) {

        if (engine_is(c->words[i], "WITHSCORES")) {
            scores = 1;

        } else if (engine_is(c->words[i], "LIMIT") && i + 2 < c->n) {

            if (!engine_whole(c->words[i + 1], &from)
                || !engine_whole(c->words[i + 2], &max))
            {
                engine_error(c, ENGINE_WHOLE);
                return;
            }

            i += 2;

        } else {
            engine_error(c, ENGINE_SYNTAX);
            return;
        }
    }

    if (!engine_between(c, bounds, open)) {
        return;
    }

    memset(&list, 0, sizeof(list));
    out = c->out;
    c->out = &list;

    for (i = 0, n = 0, at = 0; c->key != NULL && i < c->key->n; i++) {
        item = &c->key->items[i];

        if (!engine_inside(item->score, bounds, open) || at++ < from
            || (max >= 0 && n == max))
        {
            continue;
        }

        n++;
        engine_bulk(c, item->name);

        if (scores) {
            engine_score(c, item->score);
        }
    }

    c->out = out;
    engine_print(out, "*%lld\r\n", (long long) (scores ? 2 * n : n));
    engine_put(out, list.p, list.len);
    free(list.p);
}


/* Reads the id of an entry, "5-0" or "5". */

static int
engine_id(parley_str_t word, uint64_t *ret)
{
    int64_t  n;

    if (word.len > 2 && memcmp(word.data + word.len - 2, "-0", 2) == 0) {
        word.len -= 2;
    }

    if (!engine_whole(word, &n) || n < 0) {
        return 0;
    }

    *ret = (uint64_t) n;

    return 1;
}


static void
engine_bad_id(engine_do_t *c)
{
    engine_error(c, "-ERR Invalid stream ID specified as stream command "
                    "argument\r\n");
}


static void
engine_id_reply(engine_do_t *c, uint64_t id)
{
    char  text[32];

    snprintf(text, sizeof(text), "%llu-0", (unsigned long long) id);
    engine_bulk(c, parley_str_c(text));
}


void
engine_xadd(engine_do_t *c)
{
    size_t          i;
    uint64_t        id;
    engine_item_t  *item;

    if (!engine_id(c->words[2], &id)) {
        engine_bad_id(c);
        return;
    }

    if (c->n < 5 || c->n % 2 == 0) {
        engine_error(c, "-ERR wrong number of arguments for 'xadd' "
                        "command\r\n");
        return;
    }

    if (id <= (c->key != NULL ? c->key->last : 0)) {
        engine_error(c, "-ERR The ID specified in XADD is equal or smaller "
                        "than the target stream top item\r\n");
        return;
    }

    engine_make(c, ENGINE_STREAM);

    item = engine_item_insert(c->key, c->key->n);
    item->id = id;
    item->nfields = c->n - 3;
    item->fields = calloc(item->nfields, sizeof(parley_str_t));

    for (i = 0; i < item->nfields; i++) {
        item->fields[i] = engine_copy(c->words[3 + i]);
    }

    c->key->last = id;
    engine_id_reply(c, id);
}


void
engine_xdel(engine_do_t *c)
{
    size_t    i, k;
    int64_t   n;
    uint64_t  id;

    for (i = 2, n = 0; i < c->n; i++) {

        if (!engine_id(c->words[i], &id)) {
            engine_bad_id(c);
            return;
        }

        for (k = 0; c->key != NULL && k < c->key->n; k++) {
            if (c->key->items[k].id == id) {
                engine_item_remove(c->key, k);
                n++;
                break;
            }
        }
    }

    engine_count(c, n);
}


void
engine_xtrim(engine_do_t *c)
{
    int64_t   n;
    uint64_t  id;

    if (c->n != 4 || !engine_is(c->words[2], "MINID")) {
        engine_error(c, ENGINE_SYNTAX);
        return;
    }

    if (!engine_id(c->words[3], &id)) {
        engine_bad_id(c);
        return;
    }

    for (n = 0; c->key != NULL && c->key->n != 0 && c->key->items[0].id < id;
         n++)
    {
        engine_item_remove(c->key, 0);
    }

    engine_count(c, n);
}


void
engine_xrange(engine_do_t *c)
{
    size_t          i, k;
    int64_t         max, n;
    uint64_t        from, to;
    engine_buf_t    list, *out;
    engine_item_t  *item;

    max = -1;
    from = 0;
    to = UINT64_MAX;

    if ((!engine_is(c->words[2], "-") && !engine_id(c->words[2], &from))
        || (!engine_is(c->words[3], "+") && !engine_id(c->words[3], &to)))
    {
        engine_bad_id(c);
        return;
    }

    if (c->n != 4
        && (c->n != 6 || !engine_is(c->words[4], "COUNT")
            || !engine_whole(c->words[5], &max)))
    {
        engine_error(c, ENGINE_SYNTAX);
        return;
    }

    memset(&list, 0, sizeof(list));
    out = c->out;
    c->out = &list;

    for (i = 0, n = 0; c->key != NULL && i < c->key->n; i++) {
        item = &c->key->items[i];

        if (item->id < from || item->id > to || (max >= 0 && n == max)) {
            continue;
        }

        n++;
        engine_print(&list, "*2\r\n");
        engine_id_reply(c, item->id);
        engine_print(&list, "*%zu\r\n", item->nfields);

        for (k = 0; k < item->nfields; k++) {
            engine_bulk(c, item->fields[k]);
        }
    }

    c->out = out;
    engine_print(out, "*%lld\r\n", (long long) n);
    engine_put(out, list.p, list.len);
    free(list.p);
}
