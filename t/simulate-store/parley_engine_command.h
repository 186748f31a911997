/* Shared by the files of the commands.  Private to them. */

#ifndef PARLEY_ENGINE_COMMAND_H
#define PARLEY_ENGINE_COMMAND_H

#include "t/simulate-store/parley_engine.h"


#define ENGINE_TYPE  "-WRONGTYPE Operation against a key holding the wrong "   \
                     "kind of value\r\n"
#define ENGINE_SYNTAX  "-ERR syntax error\r\n"
#define ENGINE_WHOLE   "-ERR value is not an integer or out of range\r\n"


/* a command that is executed */
typedef struct {
    engine_data_t       *data;
    int64_t              us;
    int64_t              ms;
    const parley_str_t  *words;
    size_t               n;
    engine_buf_t        *out;
    engine_key_t        *key;           /* of words[1]; NULL: none */
} engine_do_t;


/* Returns whether a word is text, in any case. */
int engine_is(parley_str_t word, const char *text);

/* Reads a whole number; _number: any number.  Returns 1, or 0. */
int engine_whole(parley_str_t word, int64_t *ret);
int engine_number(parley_str_t word, double *ret);

/* Add a reply. */
void engine_error(engine_do_t *c, const char *error);
void engine_bulk(engine_do_t *c, parley_str_t s);
void engine_null(engine_do_t *c);
void engine_count(engine_do_t *c, int64_t n);
void engine_score(engine_do_t *c, double score);

/* Returns the key of words[1], which is added if it is not there. */
engine_key_t *engine_make(engine_do_t *c, engine_type_t type);

/* Returns the place of a field or member; n: it is not there. */
size_t engine_place(const engine_key_t *key, parley_str_t name);

/* parley_engine_sorted.c */
void engine_zadd(engine_do_t *c);
void engine_zscore(engine_do_t *c);
void engine_zcount(engine_do_t *c);
void engine_zrangebyscore(engine_do_t *c);
void engine_xadd(engine_do_t *c);
void engine_xdel(engine_do_t *c);
void engine_xtrim(engine_do_t *c);
void engine_xrange(engine_do_t *c);


#endif /* PARLEY_ENGINE_COMMAND_H */
