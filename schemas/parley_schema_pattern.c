#include "schemas/parley_schema_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH  8
#include <pcre2.h>

#include <stdio.h>


/*
 * Bounds of one match.  STEPS admits a nested repetition over a string of 256
 * KiB and ends an exponential one within milliseconds.
 */
#define PARLEY_SCHEMA_MATCH_STEPS  500000
#define PARLEY_SCHEMA_MATCH_DEPTH  100000
#define PARLEY_SCHEMA_MATCH_HEAP   16384        /* KiB */


static void *parley_schema_regex_alloc(size_t size, void *data);
static void parley_schema_regex_free(void *p, void *data);
static int parley_schema_pattern_code(parley_schema_regex_t *regex,
    parley_schema_pattern_t *pattern, parley_str_t text, char *why,
    size_t size);
static int parley_schema_pattern_is_plain(const parley_schema_regex_t *regex,
    const parley_schema_pattern_t *pattern);
static int parley_schema_matcher_init(parley_schema_matcher_t *matcher);


int
parley_schema_regex_init(parley_schema_regex_t *regex, parley_arena_t *arena)
{
    memset(regex, 0, sizeof(parley_schema_regex_t));

    regex->arena = arena;

    regex->general = pcre2_general_context_create(parley_schema_regex_alloc,
                                                  parley_schema_regex_free,
                                                  arena);
    if (regex->general == NULL) {
        return -1;
    }

    regex->compile = pcre2_compile_context_create(regex->general);
    regex->match = pcre2_match_context_create(regex->general);

    if (regex->compile == NULL || regex->match == NULL) {
        return -1;
    }

    pcre2_set_match_limit(regex->match, PARLEY_SCHEMA_MATCH_STEPS);
    pcre2_set_depth_limit(regex->match, PARLEY_SCHEMA_MATCH_DEPTH);
    pcre2_set_heap_limit(regex->match, PARLEY_SCHEMA_MATCH_HEAP);

    return 0;
}


void
parley_schema_regex_done(parley_schema_regex_t *regex)
{
    parley_schema_pattern_t  *pattern;

    /* JIT code is outside the arena; the arena frees the rest */

    for (pattern = regex->patterns; pattern != NULL; pattern = pattern->next) {
        pcre2_code_free(pattern->code);
    }

    regex->patterns = NULL;
}


int
parley_schema_pattern_compile(parley_schema_regex_t *regex,
    parley_str_t source, parley_schema_pattern_t **ret, char *why,
    size_t size)
{
    size_t                    offset;
    const char               *text;
    parley_buf_t              b;
    parley_str_t              translated;
    parley_schema_pattern_t  *pattern;

    *ret = NULL;
    why[0] = '\0';

    pattern = parley_arena_calloc(regex->arena,
                                  sizeof(parley_schema_pattern_t));
    if (pattern == NULL) {
        return -1;
    }

    pattern->source = source;
    pattern->match = regex->match;

    if (parley_schema_simple_compile(regex->arena, source, &pattern->simple)
        != 0)
    {
        return -1;
    }

    if (pattern->simple == NULL) {
        parley_buf_init(&b, regex->arena, source.len * 2 + 32);

        text = parley_schema_ecma(&b, source, &offset);
        if (text != NULL) {
            snprintf(why, size, "%s, at octet %zu", text, offset);
            return -1;
        }

        if (parley_buf_done(&b, &translated) != 0
            || parley_schema_pattern_code(regex, pattern, translated, why,
                                          size) != 0)
        {
            return -1;
        }

        pattern->plain = parley_schema_pattern_is_plain(regex, pattern);
    }

    *ret = pattern;

    return 0;
}


static int
parley_schema_pattern_code(parley_schema_regex_t *regex,
    parley_schema_pattern_t *pattern, parley_str_t text, char *why,
    size_t size)
{
    int         code;
    PCRE2_SIZE  offset;

    pattern->code = pcre2_compile(text.data, text.len,
                                  PCRE2_UTF | PCRE2_NO_UTF_CHECK
                                  | PCRE2_DOLLAR_ENDONLY
                                  | PCRE2_MATCH_UNSET_BACKREF
                                  | PCRE2_NEVER_BACKSLASH_C,
                                  &code, &offset, regex->compile);

    if (pattern->code == NULL) {
        if (code != PCRE2_ERROR_NOMEMORY
            && pcre2_get_error_message(code, (PCRE2_UCHAR *) why, size) < 0)
        {
            snprintf(why, size, "PCRE2 error %d", code);
        }

        return -1;
    }

    pattern->next = regex->patterns;
    regex->patterns = pattern;

    /* without JIT, PCRE2 falls back to its interpreter */

    (void) pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);

    return 0;
}


int
parley_schema_pattern_match(const parley_schema_pattern_t *pattern,
    parley_schema_matcher_t *matcher, parley_str_t s)
{
    int         rc;
    PCRE2_SPTR  subject;

    if (pattern->simple != NULL) {
        return parley_schema_simple_match(pattern->simple, s);
    }

    if (matcher->data == NULL && parley_schema_matcher_init(matcher) != 0) {
        return PARLEY_SCHEMA_MATCH_MEMORY;
    }

    subject = (s.len == 0) ? (PCRE2_SPTR) "" : s.data;

    rc = pcre2_jit_match(pattern->code, subject, s.len, 0, PCRE2_NO_UTF_CHECK,
                         matcher->data, pattern->match);

    if (rc == PCRE2_ERROR_JIT_STACKLIMIT || rc == PCRE2_ERROR_JIT_BADOPTION) {
        rc = pcre2_match(pattern->code, subject, s.len, 0,
                         PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, matcher->data,
                         pattern->match);
    }

    if (rc >= 0) {
        return 1;
    }

    switch (rc) {

    case PCRE2_ERROR_NOMATCH:
        return 0;

    case PCRE2_ERROR_NOMEMORY:
        return PARLEY_SCHEMA_MATCH_MEMORY;

    default:
        return PARLEY_SCHEMA_MATCH_LIMIT;
    }
}


/*
 * Returns whether a pattern is one repeated class, "^[^...]*$", that contains
 * all printable ASCII characters.
 */

static int
parley_schema_pattern_is_plain(const parley_schema_regex_t *regex,
    const parley_schema_pattern_t *pattern)
{
    size_t                    i;
    uint8_t                   printable['~' - ' ' + 1];
    parley_str_t              class;
    parley_schema_matcher_t   matcher;

    class = parley_str_from(pattern->source, sizeof("^[^") - 1);

    if (!parley_str_begins(pattern->source, "^[^")
        || !parley_str_is(parley_str_from(class,
                                          parley_str_until(class, ']').len),
                          "]*$")
        || parley_str_until(class, '[').len < class.len)
    {
        return 0;
    }

    for (i = 0; i < sizeof(printable); i++) {
        printable[i] = (uint8_t) (' ' + i);
    }

    matcher.scratch = regex->arena;
    matcher.data = NULL;

    return parley_schema_pattern_match(pattern, &matcher,
                                       parley_str_make(printable,
                                                       sizeof(printable)))
           == 1;
}


static int
parley_schema_matcher_init(parley_schema_matcher_t *matcher)
{
    pcre2_general_context  *general;

    general = pcre2_general_context_create(parley_schema_regex_alloc,
                                           parley_schema_regex_free,
                                           matcher->scratch);
    if (general == NULL) {
        return -1;
    }

    matcher->data = pcre2_match_data_create(1, general);

    return (matcher->data == NULL) ? -1 : 0;
}


static void *
parley_schema_regex_alloc(size_t size, void *data)
{
    return parley_arena_alloc(data, size);
}


static void
parley_schema_regex_free(void *p, void *data)
{
    (void) p;
    (void) data;
}
