/*
 * The table of directives, and the functions that read one.  To add a
 * directive: add a row in parley_directive.def, its members in
 * parley_settings_t, a setter, and a section in docs/directives.md.
 */

#ifndef PARLEY_DIRECTIVE_H
#define PARLEY_DIRECTIVE_H

#include <stddef.h>

#include "gate/settings/parley_settings.h"


/* flags of a row */
#define PARLEY_OFTEN   1        /* may be repeated in a block */
#define PARLEY_GUARDS  2        /* protects a block that takes messages
                                   (SEC-07) */
#define PARLEY_OWN     4        /* the gateways of a store may differ in it */
#define PARLEY_FILE    8        /* the first word is a file or a folder, whose
                                   content decides and not its name */

/*
 * The part of parley_settings_t that a directive fills: adjacent members, from
 * first to last.  PARLEY_OF_HTTP is for directives that fill
 * parley_settings_http_t.
 */
#define PARLEY_PART(first, last)                                             \
    offsetof(parley_settings_t, first),                                      \
    offsetof(parley_settings_t, last)                                        \
    + sizeof(((parley_settings_t *) NULL)->last)                             \
    - offsetof(parley_settings_t, first)

#define PARLEY_OF_HTTP  0, 0


typedef struct parley_directive_row_s  parley_directive_row_t;


/* the directive that is being read */
typedef struct parley_setting_s {
    const parley_settings_env_t   *env;
    parley_settings_http_t        *http;
    parley_settings_t             *s;   /* settings of its block */
    const parley_directive_row_t  *row;
    const parley_str_t            *words;       /* the first word is the
                                                   directive's name */
    size_t                         n;
    parley_problem_t              *problem;     /* problem->where is the
                                                   directive's place */
} parley_setting_t;


/* Returns 0, or -1 with the error in d->problem. */
typedef int (*parley_set_pt)(parley_setting_t *d);

struct parley_directive_row_s {
    const char       *name;
    unsigned          in;
    unsigned          min;      /* number of words after the name */
    unsigned          max;      /* 0: any number */
    unsigned          flags;
    parley_beside_t   beside;
    size_t            offset;   /* its part of parley_settings_t */
    size_t            size;     /* 0: it fills parley_settings_http_t */
};

extern const parley_directive_row_t
    parley_directives[PARLEY_DIRECTIVE_COUNT];


/* Returns the row of the directive with this name, or NULL. */
const parley_directive_row_t *parley_directive_find(parley_str_t name);

/*
 * Reads the directive of d->row, which the block allows.  Checks the number of
 * words, refuses a second directive unless the row has PARLEY_OFTEN, and calls
 * the setter.  Returns 0, or -1 with the error in d->problem.
 */
int parley_directive_read(parley_setting_t *d)
    __attribute__((warn_unused_result));


/*
 * For setters: set an error that names the directive, the word, the fault and
 * the values that are allowed, and return -1.  Here "name" is the directive's.
 */

/* Sets the error '"name": "word" why'. */
int parley_setting_bad(const parley_setting_t *d, parley_str_t word,
    const char *why)
    __attribute__((cold));

/* Sets the error '"name": "word" is not noun; expected expected'. */
int parley_setting_not(const parley_setting_t *d, parley_str_t word,
    const char *noun, const char *expected)
    __attribute__((cold));

/* Sets the error '"name": "word" is unknown; expected expected'. */
int parley_setting_unknown(const parley_setting_t *d, parley_str_t word,
    const char *expected)
    __attribute__((cold));

/* Sets the error '"name" directive why'. */
int parley_setting_wrong(const parley_setting_t *d, const char *why)
    __attribute__((cold));

/*
 * Refuses word i, name=value, if an earlier word has the same name.  Returns 0,
 * or -1.
 */
int parley_setting_once(const parley_setting_t *d, size_t i);

/*
 * Returns whether word is name=value with this name, and then sets *ret to the
 * value.
 */
int parley_setting_param(parley_str_t word, const char *name,
    parley_str_t *ret);

/*
 * The longest time that a directive takes: 100 years in milliseconds.  Times
 * are added to each other and to the clock, so the limit prevents an overflow.
 */
#define PARLEY_SETTING_TIME_MAX  ((int64_t) 36500 * 24 * 3600 * 1000)

/* reasons for parley_setting_bad() */
#define PARLEY_SETTING_DUPLICATE  "is duplicate"
#define PARLEY_SETTING_EMPTY      "is empty; expected a value"


/* the least and the greatest value; a max of INT64_MAX means no limit */
typedef struct {
    int64_t  min;
    int64_t  max;
} parley_range_t;

#define parley_range(min, max)  (&(const parley_range_t) { min, max })

/* ranges of times without narrower limits */
#define PARLEY_RANGE_TIME      parley_range(0, PARLEY_SETTING_TIME_MAX)
#define PARLEY_RANGE_TIME_SET  parley_range(1, PARLEY_SETTING_TIME_MAX)

/*
 * Read the value of word, which is NAME=VALUE or VALUE, and check it against
 * the range.  The range of a time is in milliseconds.  Return 0 or -1.
 */
int parley_setting_read_time(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret_ms);
int parley_setting_read_seconds(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret_s);
int parley_setting_read_size(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret);
int parley_setting_read_number(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret);

/*
 * Parse a value as nginx does.  Times: "1h30m", "90s", "90", "500ms".  Sizes:
 * "512", "64k", "1m".  Numbers: "17".  Return 0; 1 with a large *ret if the
 * value is above all that a directive takes; or -1.
 */
int parley_setting_time(parley_str_t s, int64_t *ret_ms);
int parley_setting_size(parley_str_t s, int64_t *ret);
int parley_setting_number(parley_str_t s, int64_t *ret);

/* Reads a value that may have variables.  Returns 0, or -1. */
int parley_setting_value(const parley_setting_t *d, parley_str_t text,
    parley_value_t *ret);

/*
 * Returns the index of d's only argument in words, which ends with NULL,
 * without regard to case.  Returns -1 if it is not in words; the error lists
 * words.
 */
int parley_setting_choice(const parley_setting_t *d,
    const char *const *words);


/*
 * Sets the error for the content of a file that a directive names, with the
 * line if it is known.  Returns -1.
 */
int parley_set_file_wrong(parley_problem_t *problem, parley_str_t path,
    parley_str_t text, const parley_error_t *err)
    __attribute__((cold));

/*
 * parley_set_stream.c, for setters of streams: set the defaults; read word i,
 * a parameter of streams; check the times after all words.  The last two return
 * 0 or -1.
 */
void parley_set_stream_init(parley_stream_t *ret, parley_proto_t proto);
int parley_set_stream_word(parley_setting_t *d, size_t i,
    parley_stream_t *ret);
int parley_set_stream_gone(parley_setting_t *d, parley_stream_t *stream);

/* the setters, in parley_set_*.c */
#define PARLEY_DIRECTIVE(id, name, in, min, max, flags, beside, part, set,   \
                         syntax, preset, purpose)                            \
    int set(parley_setting_t *d);
#include "gate/settings/parley_directive.def"
#undef PARLEY_DIRECTIVE


/*
 * Warns of settings that are valid and probably a mistake, in a block that
 * takes messages because of the directive by.
 */
void parley_settings_warnings(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem);

/* As parley_settings_warnings(), for a block that takes no messages. */
void parley_settings_warnings_served(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_directive_id_t by, parley_problem_t *problem);

/* Passes a warning to env->warn, if there is one, and clears its text. */
void parley_settings_warn(const parley_settings_env_t *env,
    parley_problem_t *problem);


#endif /* PARLEY_DIRECTIVE_H */
