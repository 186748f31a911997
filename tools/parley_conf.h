/*
 * Reader of nginx's configuration, by the rules of nginx.  It finds the
 * directives in force at a location.  Variables stay as they are written.
 */

#ifndef PARLEY_CONF_H
#define PARLEY_CONF_H

#include "gate/settings/parley_settings.h"
#include "tools/parley_tool.h"


#define PARLEY_CONF_MAX      (16 << 20)     /* octets of a file */
#define PARLEY_CONF_DEPTH    64             /* nested blocks */
#define PARLEY_CONF_INCLUDE  16             /* nested included files */


typedef struct parley_directive_s  parley_directive_t;

struct parley_directive_s {
    const char          *file;
    unsigned             line;
    parley_str_t        *words;     /* the first is the name; a zero octet
                                       follows each */
    size_t               nwords;
    parley_directive_t  *first;     /* first directive in its block */
    parley_directive_t  *last;
    parley_directive_t  *next;
    parley_directive_t  *parent;    /* block that contains it */
    parley_settings_t   *settings;  /* of http, a server, a location */
    unsigned             is_block:1;
};


typedef struct {
    const char          *folder;    /* folder of the file, ends with "/"; or
                                       "" */
    parley_directive_t   main;      /* directives outside all blocks */
    parley_directive_t  *http;      /* the http block; NULL: missing */
} parley_conf_t;


/* parley_conf_read.c */

/*
 * Reads a file and its included files.  Returns 0, or -1 after an error
 * message with file and line.
 */
int tool_conf_read(parley_tool_t *tool, const char *path,
    parley_conf_t *ret);

/*
 * Returns the name of a file as nginx resolves it: relative to the folder of
 * the configuration, which ends with "/" or is empty.  Returns NULL after an
 * error message.
 */
const char *tool_conf_path(parley_tool_t *tool, const char *folder,
    parley_str_t name);

/* Prints an error after the file and line of a directive; returns -1. */
int tool_conf_wrong(const parley_directive_t *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));


/* parley_conf_find.c */

#define tool_conf_is(d, name)  parley_str_is((d)->words[0], name)

/*
 * Returns the first directive of that name in a block itself, or the next one
 * after a directive; NULL if there are no others.
 */
const parley_directive_t *tool_conf_in(const parley_directive_t *block,
    const char *name);
const parley_directive_t *tool_conf_more(const parley_directive_t *d);

/* Returns the directive that a block has or inherits, by nginx's rules. */
const parley_directive_t *tool_conf_get(const parley_directive_t *block,
    const char *name);

/* Writes a block as "location /in". */
void tool_conf_describe(const parley_directive_t *block, char *out,
    size_t size);

/*
 * Finds the block that accepts messages, by the name of its server and its own
 * name as they are written ("/in", "= /in").  Both may be NULL.  The settings
 * must be read.  Returns 0, or -1 after an error message if no block matches
 * or several do.
 */
int tool_conf_block(const parley_conf_t *conf, const char *server,
    const char *location, const parley_directive_t **ret);


/* parley_conf_env.c: files that the settings need */

typedef struct {
    parley_tool_t  *tool;
    const char     *folder;     /* as for tool_conf_path() */
} parley_conf_files_t;

/* *files becomes the environment's ctx and must outlive it. */
void tool_conf_env_init(parley_settings_env_t *env,
    parley_conf_files_t *files, parley_tool_t *tool, const char *folder);

/* Prints the problem, with file and line if known; returns -1. */
int tool_conf_failed(const parley_problem_t *problem);


/* parley_conf_settings.c */

/*
 * Reads the settings of every block.  Reports the errors that nginx -t would
 * report, in the same words.  keys is a file with keys for tokens that
 * replaces the keys of the configuration, or NULL.  Returns 0, or -1 after an
 * error message.  The caller calls parley_settings_http_free() in both cases.
 */
int tool_conf_settings(parley_tool_t *tool, const parley_conf_t *conf,
    const char *keys, const parley_engine_t *engine,
    parley_settings_http_t *ret);

/*
 * Returns the location of that name that is not a pattern, in the block or in
 * those inside, or NULL.
 */
const parley_directive_t *tool_conf_location(const parley_directive_t *block,
    parley_str_t uri);


#endif /* PARLEY_CONF_H */
