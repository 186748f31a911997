/*
 * The table of directives, and how one is read.  To add one: a row in
 * parley_directive.def, its part of parley_settings_t, a setter, a section in
 * docs/directives.md.
 */

#ifndef PARLEY_DIRECTIVE_H
#define PARLEY_DIRECTIVE_H

#include <stddef.h>

#include "gate/settings/parley_settings.h"


/* flags */
#define PARLEY_OFTEN   1        /* may stand in a block more than once */
#define PARLEY_GUARDS  2        /* is to protect a block (SEC-07) */
#define PARLEY_ANSWERS 4        /* is a content handler: no message comes to
                                   its location */

/* the part of parley_settings_t that a directive fills: its members in a row,
   from the first to the last */
#define PARLEY_PART(first, last)                                             \
    offsetof(parley_settings_t, first),                                      \
    offsetof(parley_settings_t, last)                                        \
    + sizeof(((parley_settings_t *) NULL)->last)                             \
    - offsetof(parley_settings_t, first)

#define PARLEY_OF_HTTP  0, 0


typedef struct parley_directive_row_s  parley_directive_row_t;


/* a directive at hand */
typedef struct {
    const parley_settings_env_t   *env;
    parley_settings_http_t        *http;
    parley_settings_t             *s;   /* of the block that it stands in */
    const parley_directive_row_t  *row;
    const parley_str_t            *words;       /* the first is its name */
    size_t                         n;
    parley_problem_t              *problem;     /* where: the directive's */
} parley_setting_t;


/* Returns 0, or -1 with what is wrong in d->problem. */
typedef int (*parley_set_pt)(parley_setting_t *d);

struct parley_directive_row_s {
    const char       *name;
    unsigned          in;
    unsigned          min;      /* words behind the name */
    unsigned          max;      /* 0: any number */
    unsigned          flags;
    parley_beside_t   beside;
    size_t            offset;   /* its part of parley_settings_t */
    size_t            size;     /* 0: it is one of http */
};

extern const parley_directive_row_t
    parley_directives[PARLEY_DIRECTIVE_COUNT];


/* NULL: there is none of that name. */
const parley_directive_row_t *parley_directive_find(parley_str_t name);

/*
 * Reads d->row, which may stand where it does: how many words it has, whether
 * it is there twice, and what it says.
 */
int parley_directive_read(parley_setting_t *d)
    __attribute__((warn_unused_result));


/* for setters: "word" in "name" why */
int parley_setting_bad(const parley_setting_t *d, parley_str_t word,
    const char *why)
    __attribute__((cold));

/* "name" directive why */
int parley_setting_wrong(const parley_setting_t *d, const char *why)
    __attribute__((cold));

/* Whether an earlier word has the name that word i, name=value, has. */
int parley_setting_twice(const parley_setting_t *d, size_t i);

/* Whether a word is name=value with such a name; then the value. */
int parley_setting_param(parley_str_t word, const char *name,
    parley_str_t *ret);

/*
 * The longest time that a directive takes, 100 years in milliseconds: times
 * are added to each other and to the clock.
 */
#define PARLEY_SETTING_TIME_MAX  ((int64_t) 36500 * 24 * 3600 * 1000)

/* what is said of any other */
#define PARLEY_NO_TIME       "is no time of at most 36500d"
#define PARLEY_NO_TIME_SOME  "is no time above zero, at most 36500d"

/* Values as nginx writes them; 0, or -1.  "1h30m", "90s", "90", "500ms";
   "512", "64k", "1m"; "17". */
int parley_setting_time(parley_str_t s, int64_t *ret_ms);
int parley_setting_size(parley_str_t s, int64_t *ret);
int parley_setting_number(parley_str_t s, int64_t *ret);

/* A value that may have variables; 0, or -1. */
int parley_setting_value(const parley_setting_t *d, parley_str_t text,
    parley_value_t *ret);

/*
 * The index of d's only word among those words, in any case; or -1, and
 * choices is said of it.
 */
int parley_setting_choice(const parley_setting_t *d,
    const char *const *words, const char *choices);


/* What is wrong in a file that a directive names: its line, where that is
   known.  Returns -1. */
int parley_set_file_wrong(parley_problem_t *problem, parley_str_t path,
    parley_str_t text, const parley_error_t *err)
    __attribute__((cold));

/* the setters, parley_set_*.c */
#define PARLEY_DIRECTIVE(id, name, in, min, max, flags, beside, part, set,   \
                         syntax, preset, purpose)                            \
    int set(parley_setting_t *d);
#include "gate/settings/parley_directive.def"
#undef PARLEY_DIRECTIVE


/*
 * parley_settings_warnings.c: warns of what is valid and probably a mistake,
 * in a block that messages come to by that directive.
 */
void parley_settings_warnings(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem);

/* As parley_settings_warnings(), for a block that no messages come to. */
void parley_settings_warnings_served(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem);

/* Passes a warning to env->warn, if there is one, and clears its text. */
void parley_settings_warn(const parley_settings_env_t *env,
    parley_problem_t *problem);


#endif /* PARLEY_DIRECTIVE_H */
