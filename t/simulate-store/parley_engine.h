/*
 * A model of the engine: the commands of Redis that the store uses, and the
 * functions of the store's library, which liblua runs as the engine does.  The
 * model has one replica, which lacks the last writes.  It has no I/O and no
 * clock: octets come in, octets go out.
 *
 * t/simulate-store/differ.c compares the model with real engines.
 */

#ifndef PARLEY_ENGINE_H
#define PARLEY_ENGINE_H

#include <lua.h>

#include "core/parley_str.h"


#define ENGINE_BUCKETS  512
#define ENGINE_CONNS    64
#define ENGINE_WORDS    512     /* words of a command, at most */


typedef struct {
    uint8_t  *p;
    size_t    len;
    size_t    size;
} engine_buf_t;


typedef enum {
    ENGINE_STRING = 0,
    ENGINE_HASH,
    ENGINE_LIST,
    ENGINE_ZSET,
    ENGINE_STREAM
} engine_type_t;


/* a field of a hash, an element of a list or zset, an entry of a stream */
typedef struct {
    parley_str_t   name;        /* field of a hash; member of a zset */
    parley_str_t   value;       /* value of a field, element of a list */
    double         score;
    uint64_t       id;          /* id of an entry, without its second number,
                                   which is 0 */
    parley_str_t  *fields;
    size_t         nfields;
} engine_item_t;


typedef struct engine_key_s {
    struct engine_key_s  *next;
    parley_str_t          name;
    engine_type_t         type;
    int64_t               until;        /* ms; 0: for ever */
    parley_str_t          text;         /* value of a string */
    engine_item_t        *items;
    size_t                n;
    size_t                size;
    uint64_t              last;         /* id of a stream */
} engine_key_t;


typedef struct {
    engine_key_t  *buckets[ENGINE_BUCKETS];
    unsigned       loaded:1;            /* it has the library */
} engine_data_t;


/* a write that the replica may lack */
typedef struct {
    parley_str_t  *words;
    size_t         n;
    int64_t        us;
    unsigned       ends:1;              /* the last one of its step */
} engine_write_t;


typedef struct {
    uint64_t      id;                   /* 0: no connection */
    engine_buf_t  in;
    engine_buf_t  out;
    engine_buf_t  late;                 /* reply of a WAIT that waits */
    int64_t       blocked;              /* us until which it waits; 0: not */
    unsigned      killed:1;
    parley_str_t  channel;              /* that it is subscribed to */
} engine_conn_t;


typedef struct engine_s {
    int64_t          us;                /* the engine's clock, set by the
                                           caller */
    engine_data_t    data;
    engine_data_t    replica;
    engine_write_t  *writes;            /* that the replica does not have */
    size_t           nwrites, size;
    size_t           confirmed;         /* of these, the replica has */
    unsigned         replicas;          /* 0: none is connected */
    unsigned         slow:1;            /* WAIT is not answered in time */
    unsigned         full:1;            /* maxmemory is reached */
    char             run[41];
    uint64_t         connections;       /* the last id */
    engine_conn_t    conns[ENGINE_CONNS];
    lua_State       *lua;

    /* while a function runs */
    unsigned         reads:1;           /* it has the flag no-writes */

    /* called after each command of a connection, before its reply is sent */
    void           (*executed)(struct engine_s *e, uint64_t conn,
                         const parley_str_t *words, size_t n,
                         parley_str_t reply);

    uint64_t         commands;          /* executed, by clients */
} engine_t;


/* Begin and end an engine; run: its run id. */
void engine_begin(engine_t *e, const char *run);
void engine_end(engine_t *e);

/* Adds a connection.  Returns its id. */
uint64_t engine_connect(engine_t *e);

/* Returns a connection, or NULL: it is closed. */
engine_conn_t *engine_conn(engine_t *e, uint64_t id);
void engine_close(engine_t *e, uint64_t id);

/* Takes octets of a connection and executes the commands in them.  Replies are
   added to its out. */
void engine_feed(engine_t *e, uint64_t id, const uint8_t *p, size_t len);

/* Executes the commands that waited for the end of a WAIT. */
void engine_continue(engine_t *e);

/* Executes one command of a client; the reply is added to out. */
void engine_execute(engine_t *e, engine_conn_t *c, const parley_str_t *words,
    size_t n, engine_buf_t *out);

/* The replica takes all writes but the last steps. */
void engine_replicate(engine_t *e, size_t behind);

/* Returns the number of steps since a time that the replica may lack. */
size_t engine_lag(const engine_t *e, int64_t us);

/* The replica becomes the primary: its run id is another one, and all
   connections are closed. */
void engine_fail_over(engine_t *e, const char *run);

/* The engine starts again; keeps: it has its data, and the library. */
void engine_restart(engine_t *e, const char *run, int keeps);

/* Removes all keys. */
void engine_flush(engine_t *e);


/* parley_engine_data.c */

engine_key_t *engine_find(engine_data_t *d, parley_str_t name, int64_t ms);
engine_key_t *engine_add(engine_data_t *d, parley_str_t name,
    engine_type_t type);
void engine_remove(engine_data_t *d, engine_key_t *key);
engine_item_t *engine_item_insert(engine_key_t *key, size_t at);
void engine_item_remove(engine_key_t *key, size_t at);
void engine_data_free(engine_data_t *d);
void engine_data_copy(engine_data_t *to, const engine_data_t *from);

parley_str_t engine_copy(parley_str_t s);
void engine_set(parley_str_t *to, parley_str_t s);
void engine_put(engine_buf_t *b, const void *p, size_t len);
void engine_print(engine_buf_t *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));


/* parley_engine_command.c */

/* Executes a command on keys, which must be a known one. */
void engine_command(engine_data_t *d, int64_t us, const parley_str_t *words,
    size_t n, engine_buf_t *out);

/* Returns whether a command on keys writes; -1: it is unknown. */
int engine_writes(parley_str_t name);


/* parley_engine_lua.c */

void engine_lua_begin(engine_t *e);
void engine_lua_end(engine_t *e);

/* Loads a library.  Returns its name, or NULL with the error in out. */
const char *engine_lua_load(engine_t *e, parley_str_t text, engine_buf_t *out);

/* FCALL and its words. */
void engine_lua_call(engine_t *e, const parley_str_t *words, size_t n,
    engine_buf_t *out);

/* parley_engine.c: executes a command of a function, or of a client */
void engine_key_command(engine_t *e, const parley_str_t *words, size_t n,
    engine_buf_t *out);


#endif /* PARLEY_ENGINE_H */
