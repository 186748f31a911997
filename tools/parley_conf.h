/*
 * nginx's configuration, read by the rules of nginx: enough of it to find
 * what is in force at a location.  Variables are left as they are written.
 */

#ifndef PARLEY_CONF_H
#define PARLEY_CONF_H

#include "parley_tool.h"


#define PARLEY_CONF_MAX      (16 << 20)     /* octets of a file */
#define PARLEY_CONF_DEPTH    64             /* blocks within blocks */
#define PARLEY_CONF_INCLUDE  16             /* files within files */


typedef struct parley_directive_s  parley_directive_t;

struct parley_directive_s {
    const char          *file;
    unsigned             line;
    parley_str_t        *words;     /* the first is its name; a zero octet
                                       follows each */
    size_t               nwords;
    parley_directive_t  *first;     /* what stands in its block */
    parley_directive_t  *last;
    parley_directive_t  *next;
    parley_directive_t  *parent;    /* the block that it stands in */
    unsigned             is_block:1;
};


typedef struct {
    const char          *folder;    /* of the file, with "/"; or "" */
    parley_directive_t   main;      /* what stands in no block */
    parley_directive_t  *http;      /* the block; NULL: none */
} parley_conf_t;


/* where a message goes: a location, or a server where none matches */
typedef struct {
    const parley_conf_t       *conf;
    const parley_directive_t  *server;
    const parley_directive_t  *block;
} parley_place_t;


/* parley_conf_read.c */

/*
 * Reads a file and what it includes.  Returns 0, or -1 after it has said
 * what is wrong, with file and line.
 */
int parley_conf_read(parley_tool_t *tool, const char *path,
    parley_conf_t *ret);

/* The name of a file as nginx has it: relative to the configuration's. */
const char *parley_conf_path(parley_tool_t *tool, const parley_conf_t *conf,
    parley_str_t name);

/*
 * What is wrong, in nginx's words behind file and line; all return -1.
 * "name" ...; ...; "word" in "name" ....
 */
int parley_conf_bad(const parley_directive_t *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int parley_conf_wrong(const parley_directive_t *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int parley_conf_bad_word(const parley_directive_t *d, parley_str_t word,
    const char *why);


/* parley_conf_find.c */

#define parley_conf_is(d, name)  parley_str_is((d)->words[0], name)

/* The first of that name in a block itself, or after another; NULL: none. */
const parley_directive_t *parley_conf_in(const parley_directive_t *block,
    const char *name);
const parley_directive_t *parley_conf_more(const parley_directive_t *d);

/* That of a block, or of the nearest around it: nginx's inheritance. */
const parley_directive_t *parley_conf_get(const parley_directive_t *block,
    const char *name);

/*
 * The place that a server's name and a URI lead to, both perhaps NULL, where
 * parley_accept is on.  Returns 0, or -1 after it has said that there is
 * none, or more than one.
 */
int parley_conf_place(parley_tool_t *tool, const parley_conf_t *conf,
    const char *server, const char *uri, parley_place_t *ret);

/* "location /in" */
void parley_conf_describe(const parley_directive_t *block, char *out,
    size_t size);


/* parley_conf_value.c: values as nginx reads them; 0 or -1 */

int parley_conf_time(parley_str_t s, int64_t *ret_ms);
int parley_conf_size(parley_str_t s, int64_t *ret);
int parley_conf_number(parley_str_t s, int64_t *ret);

/* Whether an earlier word of the directive has the name that word i has. */
int parley_conf_twice(const parley_directive_t *d, size_t i);

/* Whether a word is name=value; then what follows "=". */
int parley_conf_param(parley_str_t word, const char *name,
    parley_str_t *ret);


#endif /* PARLEY_CONF_H */
