/*
 * Cases of t/cases: a directory of directories.  Each of them is a test, named
 * after the directory and the rules in its file "case" (t/cases/README.md).
 */

#ifndef PARLEY_TEST_CASE_H
#define PARLEY_TEST_CASE_H

#include "t/unit/parley_test_translate.h"

#include <dirent.h>


#define PARLEY_TEST_CASES_MAX  2048


typedef struct {
    char          path[256];
    const char   *family;       /* "aee-to-vcp" */
    const char   *name;

    parley_str_t  text;         /* of the file "case" */
    parley_str_t  texts[16];    /* files that were read, freed at the end */
    unsigned      ntexts;
} parley_test_case_t;


typedef struct {
    struct CMUnitTest   tests[PARLEY_TEST_CASES_MAX];
    parley_test_case_t  cases[PARLEY_TEST_CASES_MAX];
    size_t              n;
} parley_test_cases_t;


/* Returns the octets of a file of the case, or empty text if it is missing. */
static inline parley_str_t
parley_test_case_file(parley_test_case_t *c, const char *file)
{
    char   path[400];
    FILE  *f;

    snprintf(path, sizeof(path), "%s/%s", c->path, file);

    f = fopen(path, "rb");
    if (f == NULL) {
        return parley_str_none;
    }

    fclose(f);

    assert_true(c->ntexts < 16);
    c->texts[c->ntexts] = parley_test_file(path);

    return c->texts[c->ntexts++];
}


/* Returns a text without white space at its end. */
static inline parley_str_t
parley_test_case_trim(parley_str_t s)
{
    while (s.len > 0 && s.data[s.len - 1] <= ' ') {
        s.len--;
    }

    return s;
}


/* Returns the text after a line "--- name", up to the next such line. */
static inline parley_str_t
parley_test_case_find(parley_str_t text, const char *name)
{
    char         mark[32];
    const char  *begin, *end;

    snprintf(mark, sizeof(mark), "--- %s\n", name);

    begin = text.len > 0 ? strstr((const char *) text.data, mark) : NULL;
    if (begin == NULL) {
        return parley_str_none;
    }

    begin += strlen(mark) - 1;
    end = strstr(begin, "\n--- ");
    begin++;

    return parley_str_make(begin, end != NULL ? (size_t) (end + 1 - begin)
                                              : strlen(begin));
}


/* Returns a section of the file "case", or empty text if it is missing. */
static inline parley_str_t
parley_test_case_section(parley_test_case_t *c, const char *name)
{
    if (c->text.data == NULL) {
        c->text = parley_test_case_file(c, "case");
    }

    return parley_test_case_find(c->text, name);
}


/*
 * Returns the value of a line "key=value", or empty text without such a line.
 */
static inline parley_str_t
parley_test_case_option(parley_str_t text, const char *key)
{
    size_t         len;
    parley_str_t   line;
    const uint8_t *end;

    len = strlen(key);

    while (text.len > 0) {
        end = memchr(text.data, '\n', text.len);
        line = parley_str_make(text.data, end ? (size_t) (end - text.data)
                                              : text.len);
        text = parley_str_from(text, end ? line.len + 1 : line.len);

        if (line.len > len && memcmp(line.data, key, len) == 0
            && line.data[len] == '=')
        {
            return parley_str_from(line, len + 1);
        }
    }

    return parley_str_none;
}


static inline int
parley_test_case_teardown(void **state)
{
    parley_test_case_t  *c = *state;

    while (c->ntexts > 0) {
        free((void *) c->texts[--c->ntexts].data);
    }

    c->text = parley_str_none;

    return 0;
}


static inline int
parley_test_case_filter(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}


/* Adds every case of t/cases/<family>; a family without cases fails the run. */
static inline void
parley_test_cases_add(parley_test_cases_t *cases, const char *family,
    CMUnitTestFunction function)
{
    int                  i, n;
    char                 dir[128], name[512];
    parley_str_t         rules;
    parley_test_case_t  *c;
    struct dirent      **entries;

    snprintf(dir, sizeof(dir), "t/cases/%s", family);

    n = scandir(dir, &entries, parley_test_case_filter, alphasort);
    if (n <= 0) {
        fprintf(stderr, "%s has no cases\n", dir);
        exit(1);
    }

    for (i = 0; i < n; i++) {
        if (cases->n == PARLEY_TEST_CASES_MAX) {
            fprintf(stderr, "too many cases\n");
            exit(1);
        }

        c = &cases->cases[cases->n];
        c->family = family;
        c->name = strdup(entries[i]->d_name);
        snprintf(c->path, sizeof(c->path), "%s/%.100s", dir,
                 entries[i]->d_name);

        rules = parley_test_case_trim(parley_test_case_section(c, "rules"));

        snprintf(name, sizeof(name), "%.*s%s%s/%s", (int) rules.len,
                 (const char *) rules.data, rules.len > 0 ? " " : "", family,
                 entries[i]->d_name);

        cases->tests[cases->n].name = strdup(name);
        cases->tests[cases->n].test_func = function;
        cases->tests[cases->n].teardown_func = parley_test_case_teardown;
        cases->tests[cases->n].initial_state = c;
        cases->n++;

        parley_test_case_teardown((void **) &c);
        free(entries[i]);
    }

    free(entries);
}


static inline int
parley_test_cases_run(parley_test_cases_t *cases)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);

    return _cmocka_run_group_tests("cases", cases->tests, cases->n, NULL,
                                   NULL);
}


static inline int
parley_test_case_above(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t other)
{
    (void) ctx;
    (void) proto;
    (void) name;
    (void) other;

    return 1;
}


static inline int
parley_test_case_not_above(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t other)
{
    (void) ctx;
    (void) proto;
    (void) name;
    (void) other;

    return -1;
}


/*
 * Reads the options of an encode from the section "opts": context,
 * constitution, self, trace_id, span_id, principal, sig_alg, sig_kid,
 * broadcast.  With severity, E_TIMEOUT is critical.  above is 1 or -1 if the
 * recipient is above or below the sender.
 */
static inline void
parley_test_case_opts(parley_str_t text, parley_encode_opts_t *opts)
{
    static const parley_severity_word_t  severities[] = {
        { parley_str("E_TIMEOUT"), PARLEY_SEVERITY_CRITICAL }
    };

    memset(opts, 0, sizeof(parley_encode_opts_t));

    opts->self = parley_test_case_option(text, "self");
    opts->context = parley_test_case_option(text, "context");
    opts->constitution = parley_test_case_option(text, "constitution");
    opts->trace_id = parley_test_case_option(text, "trace_id");
    opts->span_id = parley_test_case_option(text, "span_id");
    opts->principal = parley_test_case_option(text, "principal");
    opts->sig_alg = parley_test_case_option(text, "sig_alg");
    opts->sig_kid = parley_test_case_option(text, "sig_kid");
    opts->broadcast = parley_test_case_option(text, "broadcast");
    opts->resolve = parley_test_resolve;
    opts->attribute = parley_test_attribute;

    if (opts->self.len == 0) {
        opts->self = PARLEY_STR("service.parley");
    }

    opts->severities = severities;
    opts->nseverities = parley_test_case_option(text, "severity").len > 0;

    if (parley_str_is(parley_test_case_option(text, "above"), "1")) {
        opts->above = parley_test_case_above;

    } else if (parley_str_is(parley_test_case_option(text, "above"), "-1")) {
        opts->above = parley_test_case_not_above;
    }
}


/*
 * Reads the data of the submission from the same section: sender, recipient,
 * scope, human, instrument, session, stream.  The time is PARLEY_TEST_NOW.
 */
static inline void
parley_test_case_submission(parley_str_t text, parley_submission_t *ret)
{
    parley_str_t  stream;

    memset(ret, 0, sizeof(parley_submission_t));

    ret->sender = parley_test_case_option(text, "sender");
    ret->recipient = parley_test_case_option(text, "recipient");
    ret->scope = parley_test_case_option(text, "scope");
    ret->human = parley_test_case_option(text, "human");
    ret->instrument = parley_test_case_option(text, "instrument");
    ret->session = parley_test_case_option(text, "session");
    ret->ms = PARLEY_TEST_NOW;

    stream = parley_test_case_option(text, "stream");

    while (stream.len > 0) {
        ret->stream = 10 * ret->stream + stream.data[0] - '0';
        stream = parley_str_from(stream, 1);
    }
}


/* Compares an error with "code" or "code /pointer". */
static inline void
parley_test_case_error(const parley_error_t *err, parley_str_t want)
{
    char  got[400];

    snprintf(got, sizeof(got), "%.*s%s%s",
             (int) parley_error_info(err->code)->word.len,
             (const char *) parley_error_info(err->code)->word.data,
             err->field[0] ? " " : "", err->field);

    if (!parley_str_eq(parley_str_c(got), want)) {
        fail_msg("got \"%s\" (%s), want \"%.*s\"", got, err->text,
                 (int) want.len, (const char *) want.data);
    }
}


#endif /* PARLEY_TEST_CASE_H */
