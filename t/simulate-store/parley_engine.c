/* Connections, commands of clients, the replica. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "t/simulate-store/parley_engine.h"


#define ENGINE_CONFIRM  1000    /* us in which a replica confirms */


static void engine_writes_drop(engine_t *e, size_t n);
static void engine_write_free(engine_write_t *w);


static int
engine_word(parley_str_t word, const char *text)
{
    return word.len == strlen(text)
           && strncasecmp((const char *) word.data, text, word.len) == 0;
}


void
engine_begin(engine_t *e, const char *run)
{
    memset(e, 0, sizeof(engine_t));
    snprintf(e->run, sizeof(e->run), "%s", run);
    engine_lua_begin(e);
}


void
engine_end(engine_t *e)
{
    size_t  i;

    for (i = 0; i < ENGINE_CONNS; i++) {
        engine_close(e, e->conns[i].id);
    }

    engine_writes_drop(e, e->nwrites);
    free(e->writes);
    engine_data_free(&e->data);
    engine_data_free(&e->replica);
    engine_lua_end(e);
}


uint64_t
engine_connect(engine_t *e)
{
    size_t  i;

    for (i = 0; e->conns[i].id != 0; i++) {
        /* void */
    }

    memset(&e->conns[i], 0, sizeof(engine_conn_t));
    e->conns[i].id = ++e->connections;

    return e->conns[i].id;
}


engine_conn_t *
engine_conn(engine_t *e, uint64_t id)
{
    size_t  i;

    for (i = 0; i < ENGINE_CONNS; i++) {
        if (e->conns[i].id == id && id != 0) {
            return &e->conns[i];
        }
    }

    return NULL;
}


void
engine_close(engine_t *e, uint64_t id)
{
    engine_conn_t  *c = engine_conn(e, id);

    if (c != NULL) {
        free(c->in.p);
        free(c->out.p);
        free(c->late.p);
        free((void *) c->channel.data);
        memset(c, 0, sizeof(engine_conn_t));
    }
}


/* Reads a command.  Returns its octets; 0: it is not whole yet. */

static size_t
engine_read(engine_buf_t *in, parley_str_t *words, size_t *n)
{
    size_t       i, count, len;
    const char  *p, *end, *line;

    p = (const char *) in->p;
    end = p + in->len;
    *n = 0;

    line = in->len > 0 ? memchr(p, '\n', in->len) : NULL;

    if (line == NULL) {
        return 0;
    }

    count = (size_t) atoi(p + 1);
    p = line + 1;

    for (i = 0; i < count && i < ENGINE_WORDS; i++) {
        line = p < end ? memchr(p, '\n', (size_t) (end - p)) : NULL;

        if (line == NULL) {
            return 0;
        }

        len = (size_t) atoi(p + 1);
        p = line + 1;

        if ((size_t) (end - p) < len + 2) {
            return 0;
        }

        words[i] = parley_str_make((const uint8_t *) p, len);
        p += len + 2;
    }

    *n = count;

    return (size_t) (p - (const char *) in->p);
}


static void
engine_work(engine_t *e, engine_conn_t *c)
{
    size_t        len, n;
    uint64_t      id;
    engine_buf_t  out;
    parley_str_t  words[ENGINE_WORDS];

    id = c->id;

    while (c->id == id && !c->killed && c->blocked == 0
           && (len = engine_read(&c->in, words, &n)) != 0)
    {
        memset(&out, 0, sizeof(out));

        engine_execute(e, c, words, n, &out);
        e->commands++;

        if (e->executed != NULL) {
            e->executed(e, id, words, n, parley_str_make(out.p, out.len));
        }

        engine_put(c->blocked != 0 ? &c->late : &c->out, out.p, out.len);
        free(out.p);

        c->in.len -= len;
        memmove(c->in.p, c->in.p + len, c->in.len);
    }
}


void
engine_feed(engine_t *e, uint64_t id, const uint8_t *p, size_t len)
{
    engine_conn_t  *c = engine_conn(e, id);

    if (c != NULL && !c->killed) {
        engine_put(&c->in, p, len);
        engine_work(e, c);
    }
}


void
engine_continue(engine_t *e)
{
    size_t          i;
    engine_conn_t  *c;

    for (i = 0; i < ENGINE_CONNS; i++) {
        c = &e->conns[i];

        if (c->id != 0 && c->blocked != 0 && c->blocked <= e->us) {
            c->blocked = 0;
            engine_put(&c->out, c->late.p, c->late.len);
            c->late.len = 0;
            engine_work(e, c);
        }
    }
}


static void
engine_reply(engine_buf_t *out, const char *text)
{
    engine_print(out, "$%zu\r\n%s\r\n", strlen(text), text);
}


static void
engine_info(engine_t *e, parley_str_t section, engine_buf_t *out)
{
    char  text[1024];

    if (engine_word(section, "server")) {
        snprintf(text, sizeof(text), "# Server\r\nredis_version:7.0.15\r\n"
                 "redis_mode:standalone\r\nrun_id:%s\r\n", e->run);

    } else {
        snprintf(text, sizeof(text), "# Replication\r\nrole:master\r\n"
                 "connected_slaves:%u\r\n\r\n# Memory\r\nused_memory:%u\r\n"
                 "maxmemory:%u\r\nmaxmemory_policy:noeviction\r\n",
                 e->replicas, e->full ? 2000000u : 1000000u, 2000000u);
    }

    engine_reply(out, text);
}


static void
engine_kill(engine_t *e, parley_str_t word, engine_buf_t *out)
{
    char            text[32];
    engine_conn_t  *c;

    snprintf(text, sizeof(text), "%.*s", (int) word.len, word.data);
    c = engine_conn(e, strtoull(text, NULL, 10));

    if (c != NULL && !c->killed) {
        c->killed = 1;
        engine_print(out, ":1\r\n");

    } else {
        engine_print(out, ":0\r\n");
    }
}


/* A replica that is connected has all writes shortly after; a slow one has none
   of them in time. */

static void
engine_wait(engine_t *e, engine_conn_t *c, parley_str_t word,
    engine_buf_t *out)
{
    char     text[32];
    int64_t  ms;

    snprintf(text, sizeof(text), "%.*s", (int) word.len, word.data);
    ms = strtoll(text, NULL, 10);

    if (e->replicas == 0 || e->slow) {
        c->blocked = e->us + ms * 1000;
        engine_print(out, ":0\r\n");

    } else {
        c->blocked = e->us + ENGINE_CONFIRM;
        e->confirmed = e->nwrites;
        engine_print(out, ":1\r\n");
    }
}


static void
engine_load(engine_t *e, parley_str_t text, engine_buf_t *out)
{
    const char  *name;

    name = engine_lua_load(e, text, out);

    if (name != NULL) {
        e->data.loaded = 1;
        engine_reply(out, name);

        /* the replica gets the library early enough */

        e->replica.loaded = 1;
    }
}


void
engine_execute(engine_t *e, engine_conn_t *c, const parley_str_t *words,
    size_t n, engine_buf_t *out)
{
    if (engine_word(words[0], "FCALL") && n >= 3) {
        engine_lua_call(e, words, n, out);

    } else if (engine_word(words[0], "INFO") && n >= 2) {
        engine_info(e, words[1], out);

    } else if (engine_word(words[0], "SUBSCRIBE") && n == 2) {
        engine_set(&c->channel, words[1]);
        engine_print(out, "*3\r\n$9\r\nsubscribe\r\n$%zu\r\n%.*s\r\n"
                     ":1\r\n",
                     words[1].len, (int) words[1].len, words[1].data);

    } else if (engine_word(words[0], "PING")) {
        engine_print(out, c->channel.len == 0
                          ? "+PONG\r\n" : "*2\r\n$4\r\npong\r\n$0\r\n\r\n");

    } else if (engine_word(words[0], "AUTH")) {
        engine_print(out, "+OK\r\n");

    } else if (engine_word(words[0], "CLIENT") && n == 2) {
        engine_print(out, ":%llu\r\n", (unsigned long long) c->id);

    } else if (engine_word(words[0], "CLIENT") && n == 4) {
        engine_kill(e, words[3], out);

    } else if (engine_word(words[0], "WAIT") && n == 3) {
        engine_wait(e, c, words[2], out);

    } else if (engine_word(words[0], "FUNCTION") && n == 3) {
        engine_load(e, words[2], out);

    } else if (engine_writes(words[0]) >= 0) {

        if (e->full && engine_word(words[0], "SET")) {
            engine_print(out, "-OOM command not allowed when used memory > "
                              "'maxmemory'.\r\n");
        } else {
            engine_key_command(e, words, n, out);
        }

    } else {
        engine_print(out, "-ERR unknown command '%.*s'\r\n",
                     (int) words[0].len, words[0].data);
    }

    if (e->nwrites != 0) {
        e->writes[e->nwrites - 1].ends = 1;
    }
}


/* Tells the connections that are subscribed to a channel. */

static void
engine_publish(engine_t *e, parley_str_t channel, parley_str_t text,
    engine_buf_t *out)
{
    size_t          i, n;
    engine_conn_t  *c;

    for (i = 0, n = 0; i < ENGINE_CONNS; i++) {
        c = &e->conns[i];

        if (c->id == 0 || c->killed || !parley_str_eq(c->channel, channel)) {
            continue;
        }

        n++;
        engine_print(&c->out, "*3\r\n$7\r\nmessage\r\n$%zu\r\n%.*s\r\n$%zu\r\n",
                     channel.len, (int) channel.len, channel.data, text.len);
        engine_put(&c->out, text.data, text.len);
        engine_put(&c->out, "\r\n", 2);
    }

    engine_print(out, ":%zu\r\n", n);
}


void
engine_key_command(engine_t *e, const parley_str_t *words, size_t n,
    engine_buf_t *out)
{
    int              writes;
    size_t           i;
    engine_write_t  *w;

    if (engine_word(words[0], "PUBLISH") && n == 3) {
        engine_publish(e, words[1], words[2], out);
        return;
    }

    writes = engine_writes(words[0]);

    if (writes < 0) {
        engine_print(out, "-ERR Unknown Redis command called from script\r\n");
        return;
    }

    if (writes && e->reads) {
        engine_print(out, "-ERR Write commands are not allowed from read-only "
                          "scripts.\r\n");
        return;
    }

    engine_command(&e->data, e->us, words, n, out);

    if (!writes) {
        return;
    }

    if (e->nwrites == e->size) {
        e->size = e->size == 0 ? 64 : 2 * e->size;
        e->writes = realloc(e->writes, e->size * sizeof(engine_write_t));
    }

    w = &e->writes[e->nwrites++];

    memset(w, 0, sizeof(engine_write_t));
    w->us = e->us;
    w->n = n;
    w->words = calloc(n, sizeof(parley_str_t));

    for (i = 0; i < n; i++) {
        w->words[i] = engine_copy(words[i]);
    }
}


static void
engine_write_free(engine_write_t *w)
{
    size_t  i;

    for (i = 0; i < w->n; i++) {
        free((void *) w->words[i].data);
    }

    free(w->words);
}


static void
engine_writes_drop(engine_t *e, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        engine_write_free(&e->writes[i]);
    }

    e->nwrites -= n;
    e->confirmed -= e->confirmed < n ? e->confirmed : n;

    if (n != 0) {
        memmove(e->writes, e->writes + n, e->nwrites * sizeof(engine_write_t));
    }
}


void
engine_replicate(engine_t *e, size_t behind)
{
    size_t           i, n;
    engine_buf_t     out;
    engine_write_t  *w;

    /* whole steps only, and all that were confirmed */

    for (n = e->nwrites; n > e->confirmed && behind != 0; behind--) {
        for (n--; n > e->confirmed && !e->writes[n - 1].ends; n--) {
            /* void */
        }
    }

    memset(&out, 0, sizeof(out));

    for (i = 0; i < n; i++) {
        w = &e->writes[i];
        out.len = 0;
        engine_command(&e->replica, w->us, w->words, w->n, &out);
    }

    free(out.p);
    engine_writes_drop(e, n);
}


size_t
engine_lag(const engine_t *e, int64_t us)
{
    size_t  i, n;

    for (i = e->confirmed, n = 0; i < e->nwrites; i++) {
        n += e->writes[i].ends && e->writes[i].us >= us;
    }

    return n;
}


static void
engine_close_all(engine_t *e)
{
    size_t  i;

    for (i = 0; i < ENGINE_CONNS; i++) {
        engine_close(e, e->conns[i].id);
    }
}


void
engine_fail_over(engine_t *e, const char *run)
{
    engine_close_all(e);
    engine_writes_drop(e, e->nwrites);
    engine_data_free(&e->data);

    e->data = e->replica;
    engine_data_copy(&e->replica, &e->data);
    snprintf(e->run, sizeof(e->run), "%s", run);
}


void
engine_restart(engine_t *e, const char *run, int keeps)
{
    engine_close_all(e);

    if (!keeps) {
        engine_flush(e);
        e->data.loaded = 0;
        e->replica.loaded = 0;
    }

    snprintf(e->run, sizeof(e->run), "%s", run);
}


void
engine_flush(engine_t *e)
{
    unsigned  loaded = e->data.loaded;

    engine_writes_drop(e, e->nwrites);
    engine_data_free(&e->data);
    engine_data_free(&e->replica);

    e->data.loaded = loaded;
    e->replica.loaded = loaded;
}
