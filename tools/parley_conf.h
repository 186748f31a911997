/*
 * nginx's configuration, read by the rules of nginx: enough of it to find
 * what is in force at a location.  Variables are left as they are written.
 */

#ifndef PARLEY_CONF_H
#define PARLEY_CONF_H

#include "gate/settings/parley_settings.h"
#include "tools/parley_tool.h"


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
    parley_settings_t   *settings;  /* of http, a server, a location */
    unsigned             is_block:1;
};


typedef struct {
    const char          *folder;    /* of the file, with "/"; or "" */
    parley_directive_t   main;      /* what stands in no block */
    parley_directive_t  *http;      /* the block; NULL: none */
} parley_conf_t;


/* parley_conf_read.c */

/*
 * Reads a file and what it includes.  Returns 0, or -1 after it has said
 * what is wrong, with file and line.
 */
int parley_conf_read(parley_tool_t *tool, const char *path,
    parley_conf_t *ret);

/*
 * The name of a file as nginx has it: relative to the configuration's folder,
 * which ends with "/" or is empty.  NULL: said.
 */
const char *parley_conf_path(parley_tool_t *tool, const char *folder,
    parley_str_t name);

/* What is wrong, behind file and line; returns -1. */
int parley_conf_wrong(const parley_directive_t *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));


/* parley_conf_find.c */

#define parley_conf_is(d, name)  parley_str_is((d)->words[0], name)

/* The first of that name in a block itself, or after another; NULL: none. */
const parley_directive_t *parley_conf_in(const parley_directive_t *block,
    const char *name);
const parley_directive_t *parley_conf_more(const parley_directive_t *d);

/* That of a block, or of the nearest around it: nginx's inheritance. */
const parley_directive_t *parley_conf_get(const parley_directive_t *block,
    const char *name);

/* "location /in" */
void parley_conf_describe(const parley_directive_t *block, char *out,
    size_t size);

/*
 * The block that accepts messages, by the name of its server and by its own as
 * they are written ("/in", "= /in"), both perhaps NULL; settings are there.
 * Returns 0, or -1 after it has said that there is none, or more than one.
 */
int parley_conf_block(const parley_conf_t *conf, const char *server,
    const char *location, const parley_directive_t **ret);


/* parley_conf_env.c: what settings ask of the machine */

typedef struct {
    parley_tool_t  *tool;
    const char     *folder;     /* as parley_conf_path() has it */
} parley_conf_files_t;

/* files is the environment's ctx, and lives as long. */
void parley_conf_env_init(parley_settings_env_t *env,
    parley_conf_files_t *files, parley_tool_t *tool, const char *folder);

/* Says what is wrong, with file and line where they are known; returns -1. */
int parley_conf_failed(const parley_problem_t *problem);


/* parley_conf_settings.c */

/*
 * What the directives say everywhere, and whatever nginx -t would refuse of
 * them, in its words; keys is a file with the keys of tokens, in place of
 * those of the configuration, or NULL.  Returns 0, or -1 after it has said
 * what is wrong.  parley_settings_http_free() is the caller's in any case.
 */
int parley_conf_settings(parley_tool_t *tool, const parley_conf_t *conf,
    const char *keys, const parley_engine_t *engine,
    parley_settings_http_t *ret);


#endif /* PARLEY_CONF_H */
