/*
 * The official JSON Schema test suite, draft 2020-12: all mandatory files, and
 * the optional ones for promised behaviour.  The suite is in the directory
 * PARLEY_SCHEMA_SUITE, with tests/ and remotes/.  By default it is
 * build/schema-suite, the newest that tools/install-deps could get.  If that
 * is missing, it is this distribution's libtest-json-schema-acceptance-perl.
 * A missing suite is a failure.  There is one test for each group of the
 * suite.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schemas/parley_schema.h"
#include "schemas/parley_schema_text.h"


#define SUITE_NEWEST    "build/schema-suite"
#define SUITE_DIR       "/usr/share/perl5/auto/share/dist/"                  \
                        "Test-JSON-Schema-Acceptance"
#define SUITE_URI       "http://localhost:1234/"
#define SUITE_EXPECT    1000
#define SUITE_OPTIONAL  200
#define REMOTES_MAX     256

/* asks for an assertion of the format "regex" */
#define SUITE_SKIP                                                            \
    "optional/ecmascript-regex.json: "                                        \
    "\\\\a is not an ECMA 262 control escape"


typedef struct {
    char          uri[512];
    parley_str_t  text;
} remote_t;


static char      suite[512];
static remote_t  remotes[REMOTES_MAX];
static size_t    nremotes;
static int       tap, failed;
static size_t    ran;


static const parley_json_limits_t  limits = {
    16 * 1024 * 1024, 64, 1024 * 1024, 65536
};


static void
ok(int pass, const char *text)
{
    printf("%s %d - %s\n", pass ? "ok" : "not ok", ++tap, text);
    failed += !pass;
}


static int
slurp(const char *path, parley_str_t *ret)
{
    long      size;
    FILE     *f;
    uint8_t  *data;

    f = fopen(path, "rb");
    if (f == NULL) {
        return -1;
    }

    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    data = malloc((size_t) size + 1);
    if (data == NULL || fread(data, 1, (size_t) size, f) != (size_t) size) {
        free(data);
        fclose(f);
        return -1;
    }

    fclose(f);
    *ret = parley_str_make(data, (size_t) size);

    return 0;
}


/* Loads the documents that the suite expects at http://localhost:1234. */
static void
load_remotes(const char *below)
{
    char            path[1200], name[600];
    DIR            *dir;
    struct stat     st;
    struct dirent  *e;

    snprintf(path, sizeof(path), "%s/remotes/%s", suite, below);

    dir = opendir(path);
    if (dir == NULL) {
        return;
    }

    while ((e = readdir(dir)) != NULL) {
        if (e->d_name[0] == '.'
            || (strncmp(e->d_name, "draft", 5) == 0
                && strcmp(e->d_name, "draft2020-12") != 0))
        {
            continue;
        }

        snprintf(name, sizeof(name), "%.300s%s%.250s", below,
                 below[0] ? "/" : "", e->d_name);
        snprintf(path, sizeof(path), "%s/remotes/%s", suite, name);

        if (stat(path, &st) != 0) {
            continue;
        }

        if (S_ISDIR(st.st_mode)) {
            load_remotes(name);

        } else if (nremotes < REMOTES_MAX
                   && slurp(path, &remotes[nremotes].text) == 0)
        {
            snprintf(remotes[nremotes].uri, sizeof(remotes[0].uri),
                     SUITE_URI "%.400s", name);
            nremotes++;
        }
    }

    closedir(dir);
}


static parley_schema_set_t *
make_set(int formats)
{
    size_t                       i;
    parley_schema_set_t         *set;
    parley_schema_error_t        err;
    parley_schema_options_t      options = { 0, 0 };
    const parley_schema_text_t  *t;

    options.formats = formats & 1;
    set = parley_schema_set_create(&parley_mem_libc, &options);

    for (t = parley_schema_texts; t->text.len != 0; t++) {
        if (parley_schema_set_add(set, t->name, t->uri, t->text, &err) != 0) {
            printf("# %s: %s\n", err.location, err.error.text);
        }
    }

    for (i = 0; i < nremotes; i++) {

        /* some are of other drafts, which this set does not have */

        (void) !parley_schema_set_add(set, parley_str_none,
                                      parley_str_c(remotes[i].uri),
                                      remotes[i].text, &err);
    }

    return set;
}


static int
run_test(const parley_json_t *doc, uint32_t node, const parley_schema_t *s,
    const char *name)
{
    int                    rc, expected, bare;
    parley_str_t           text;
    parley_arena_t         scratch;
    parley_json_ref_t      instance;
    parley_schema_error_t  err;

    instance.doc = doc;
    instance.node = parley_json_get(doc, node, PARLEY_STR("data"));
    expected = (parley_json_type(doc, parley_json_get(doc, node,
                                                      PARLEY_STR("valid")))
                == PARLEY_JSON_TRUE) ? 0 : 1;

    parley_arena_init(&scratch, &parley_mem_libc, 0);

    memset(&err, 0, sizeof(parley_schema_error_t));
    rc = parley_schema_validate(s, &scratch, instance, &err);
    bare = parley_schema_validate(s, &scratch, instance, NULL);

    parley_arena_reset(&scratch);
    ran++;

    text = parley_json_raw(doc, parley_json_get(doc, node,
                                                PARLEY_STR("description")));

    if (rc != expected || bare != rc) {
        printf("# %s: %.*s: %d, expected %d\n", name, (int) text.len,
               (const char *) text.data, rc, expected);
        return -1;
    }

    if (rc == 1 && (err.error.code == PARLEY_E_NONE || !err.error.text[0]
                    || !err.location[0]))
    {
        printf("# %s: %.*s: not explained\n", name, (int) text.len,
               (const char *) text.data);
        return -1;
    }

    return 0;
}


static void
run_group(const parley_json_t *doc, uint32_t node, const char *file,
    int formats)
{
    int                     bad, n;
    char                    name[600];
    uint32_t                tests, i;
    parley_str_t            text;
    parley_schema_set_t    *set;
    parley_schema_error_t   err;
    const parley_schema_t  *s;

    text = parley_json_span(doc, parley_json_get(doc, node,
                                                 PARLEY_STR("description")));
    snprintf(name, sizeof(name), "%s: %.*s", file, (int) text.len,
             (const char *) text.data);

    for (n = 0; name[n] != '\0'; n++) {
        if (name[n] == '#') {
            name[n] = '_';
        }
    }

    if (strcmp(name, SUITE_SKIP) == 0) {
        snprintf(name, sizeof(name), "%s # SKIP format regex is not asserted",
                 file);
        ok(1, name);
        return;
    }

    set = make_set(formats);
    text = parley_json_raw(doc, parley_json_get(doc, node,
                                                PARLEY_STR("schema")));

    if (parley_schema_set_add(set, parley_str_none,
                              PARLEY_STR("test:schema"), text, &err)
        != 0
        || parley_schema_compile(set, PARLEY_STR("test:schema"), &s, &err)
           != 0)
    {
        printf("# %s: %s (line %u)\n", err.location, err.error.text,
               (unsigned) err.line);
        ok(0, name);
        parley_schema_set_destroy(set);
        return;
    }

    bad = 0;
    tests = parley_json_get(doc, node, PARLEY_STR("tests"));

    for (i = parley_json_first(tests); i != parley_json_end(doc, tests);
         i = parley_json_after(doc, i))
    {
        bad |= run_test(doc, i, s, name);
    }

    ok(!bad, name);
    parley_schema_set_destroy(set);
}


static void
run_file(const char *file, int formats)
{
    char            path[1200];
    uint32_t        i;
    parley_str_t    text;
    parley_json_t   doc;
    parley_error_t  err;
    parley_arena_t  arena;

    snprintf(path, sizeof(path), "%s/tests/draft2020-12/%s", suite, file);

    if (slurp(path, &text) != 0) {

        /* an older or newer suite may lack an optional file */

        snprintf(path, sizeof(path), "%s%s", file,
                 (strncmp(file, "optional/", 9) == 0)
                     ? " # SKIP not in this suite" : "");
        ok(strchr(path, '#') != NULL, path);
        return;
    }

    parley_arena_init(&arena, &parley_mem_libc, 65536);

    if (parley_json_read(&doc, &arena, &limits, 0, text, &err) != 0) {
        printf("# %s\n", err.text);
        ok(0, file);

    } else {
        for (i = parley_json_first(0); i != parley_json_end(&doc, 0);
             i = parley_json_after(&doc, i))
        {
            run_group(&doc, i, file, formats);
        }
    }

    parley_arena_reset(&arena);
    free((void *) text.data);
}


static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}


static int
is_json(const struct dirent *e)
{
    size_t  n;

    n = strlen(e->d_name);

    return n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
}


static void
find_suite(void)
{
    char         path[1200];
    const char  *name;
    struct stat  st;

    name = getenv("PARLEY_SCHEMA_SUITE");

    if (name == NULL) {
        snprintf(path, sizeof(path), "%s/tests/draft2020-12", SUITE_NEWEST);
        name = (stat(path, &st) == 0) ? SUITE_NEWEST : SUITE_DIR;
    }

    snprintf(suite, sizeof(suite), "%s", name);
    printf("# the suite in %s\n", suite);

    if (strcmp(name, SUITE_DIR) == 0) {
        ok(1, "the newest suite # SKIP tools/install-deps could not get it");
    }
}


int
main(void)
{
    int              i, n;
    char             path[1200];
    size_t           k, mandatory;
    struct dirent  **files;

    static const struct {
        const char  *file;
        int          formats;
    } optional[] = {
        { "optional/anchor.json", 0 },
        { "optional/bignum.json", 0 },
        { "optional/dynamicRef.json", 0 },
        { "optional/ecmascript-regex.json", 0 },
        { "optional/float-overflow.json", 0 },
        { "optional/format-assertion.json", 0 },
        { "optional/id.json", 0 },
        { "optional/no-schema.json", 0 },
        { "optional/non-bmp-regex.json", 0 },
        { "optional/refOfUnknownKeyword.json", 0 },
        { "optional/unicode.json", 0 },
        { "optional/unknownKeyword.json", 0 },
        { "optional/format/date-time.json", 1 },
        { "optional/format/ipv4.json", 1 },
        { "optional/format/ipv6.json", 1 },
        { "optional/format/unknown.json", 1 },
        { "optional/format/uri.json", 1 },
        { "optional/format/uuid.json", 1 }
    };

    find_suite();
    snprintf(path, sizeof(path), "%s/tests/draft2020-12", suite);

    n = scandir(path, &files, is_json, by_name);

    if (n <= 0) {
        printf("# no suite in %s: install "
               "libtest-json-schema-acceptance-perl or set "
               "PARLEY_SCHEMA_SUITE\n", suite);
        ok(0, "the suite is there");
        printf("1..%d\n", tap);
        return 1;
    }

    load_remotes("");

    for (i = 0; i < n; i++) {
        run_file(files[i]->d_name, 0);
        free(files[i]);
    }

    free(files);

    mandatory = ran;
    snprintf(path, sizeof(path), "%zu mandatory tests ran, expected more "
             "than %d", mandatory, SUITE_EXPECT);
    ok(mandatory > SUITE_EXPECT, path);

    for (k = 0; k < sizeof(optional) / sizeof(optional[0]); k++) {
        run_file(optional[k].file, optional[k].formats);
    }

    snprintf(path, sizeof(path), "%zu optional tests ran, expected more "
             "than %d", ran - mandatory, SUITE_OPTIONAL);
    ok(ran - mandatory > SUITE_OPTIONAL, path);

    for (k = 0; k < nremotes; k++) {
        free((void *) remotes[k].text.data);
    }

    printf("1..%d\n", tap);

    return failed ? 1 : 0;
}
