/* translate/parley_intents.h */

#include "t/unit/parley_test_translate.h"

#include "translate/parley_intents.h"


static parley_arena_t         arena;
static parley_intents_t      *intents;
static parley_test_mem_t      mem_state;
static parley_mem_t           mem;
static parley_schema_error_t  err;


static int
begin(void **state)
{
    (void) state;

    mem = parley_test_mem(&mem_state, 0);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    intents = parley_intents_create(&mem);

    return intents == NULL ? -1 : 0;
}


static int
end(void **state)
{
    (void) state;

    parley_intents_destroy(intents);
    parley_arena_reset(&arena);

    return mem_state.live == 0 ? 0 : -1;
}


/* Adds a file of the folder as the module does. */

static int
add(const char *file, const char *text)
{
    int           rc;
    char         *path;
    parley_act_t  act;
    parley_str_t  intent;

    /* name and text may be freed afterwards */

    path = malloc(strlen(file) + 5);
    assert_non_null(path);
    sprintf(path, "dir/%s", file);

    assert_int_equal(parley_intents_name(parley_str_c(path + 4), &intent,
                                         &act), 1);

    rc = parley_intents_add(intents, parley_str_c(path), intent, act,
                            parley_str_c(text), &err);

    memset(path, '?', strlen(path));
    free(path);

    return rc;
}


static void
compile(void)
{
    if (parley_intents_compile(intents, &err) != 0) {
        fail_msg("%s: %s", err.location, err.error.text);
    }
}


static const parley_schema_t *
find(const char *intent, parley_act_t act)
{
    return parley_intents_find(intents, parley_str_c(intent), act);
}


static void
test_name(void **state)
{
    unsigned      i;
    parley_act_t  act;
    parley_str_t  intent;

    static const struct {
        const char    *file;
        const char    *intent;      /* NULL: not a schema of an intent */
        parley_act_t   act;
    } cases[] = {
        { "ops.run.task.schema.json", "ops.run", PARLEY_ACT_REQUEST },
        { "ops.run.result.schema.json", "ops.run", PARLEY_ACT_REPLY },
        { "ops.run.error.schema.json", "ops.run", PARLEY_ACT_FAILURE },
        { "a.task.schema.json", "a", PARLEY_ACT_REQUEST },
        { "task.task.schema.json", "task", PARLEY_ACT_REQUEST },
        { "a.task.result.schema.json", "a.task", PARLEY_ACT_REPLY },
        { ".task.schema.json", NULL, PARLEY_ACT_REQUEST },
        { "task.schema.json", NULL, PARLEY_ACT_REQUEST },
        { "ops.run.event.schema.json", NULL, PARLEY_ACT_REQUEST },
        { "ops.run.schema.json", NULL, PARLEY_ACT_REQUEST },
        { "ops.run.task.json", NULL, PARLEY_ACT_REQUEST },
        { "ops.run.task.schema.json~", NULL, PARLEY_ACT_REQUEST },
        { "ops.run.Task.schema.json", NULL, PARLEY_ACT_REQUEST },
        { ".schema.json", NULL, PARLEY_ACT_REQUEST },
        { "x", NULL, PARLEY_ACT_REQUEST },
        { "", NULL, PARLEY_ACT_REQUEST },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        if (cases[i].intent == NULL) {
            assert_int_equal(parley_intents_name(parley_str_c(cases[i].file),
                                                 &intent, &act), 0);
            continue;
        }

        assert_int_equal(parley_intents_name(parley_str_c(cases[i].file),
                                             &intent, &act), 1);
        parley_assert_str(intent, cases[i].intent);
        assert_int_equal(act, cases[i].act);
    }
}


static void
test_find(void **state)
{
    int   i;
    char  name[64];

    (void) state;

    assert_int_equal(add("b.two.task.schema.json", "{}"), 0);
    assert_int_equal(add("b.two.error.schema.json", "{}"), 0);
    assert_int_equal(add("b.tw.result.schema.json", "true"), 0);
    assert_int_equal(add("a.one.task.schema.json", "false"), 0);

    for (i = 0; i < 200; i++) {
        sprintf(name, "many.n%d.task.schema.json", i * 7 % 200);
        assert_int_equal(add(name, "{}"), 0);
    }

    compile();

    assert_non_null(find("b.two", PARLEY_ACT_REQUEST));
    assert_non_null(find("b.two", PARLEY_ACT_FAILURE));
    assert_null(find("b.two", PARLEY_ACT_REPLY));
    assert_null(find("b.two", PARLEY_ACT_EVENT));
    assert_non_null(find("b.tw", PARLEY_ACT_REPLY));
    assert_null(find("b.t", PARLEY_ACT_REPLY));
    assert_null(find("b.two.x", PARLEY_ACT_REQUEST));
    assert_non_null(find("a.one", PARLEY_ACT_REQUEST));
    assert_null(find("", PARLEY_ACT_REQUEST));

    for (i = 0; i < 200; i++) {
        sprintf(name, "many.n%d", i);
        assert_non_null(find(name, PARLEY_ACT_REQUEST));
    }

    assert_true(find("b.two", PARLEY_ACT_REQUEST)
                != find("b.two", PARLEY_ACT_FAILURE));

    /* no table, an empty table */

    assert_null(parley_intents_find(NULL, PARLEY_STR("a.one"),
                                    PARLEY_ACT_REQUEST));
    parley_intents_destroy(intents);
    intents = parley_intents_create(&mem);
    assert_non_null(intents);
    compile();
    assert_null(find("a.one", PARLEY_ACT_REQUEST));
    parley_intents_destroy(NULL);
}


static const char  task[] =
    "{\"type\":\"object\",\"required\":[\"target\"],\"properties\":"
    "{\"target\":{\"$ref\":\"name.task.schema.json\"},"
    "\"paths\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
    "\"additionalProperties\":false}";


/* Checks an AEE message with this payload; the error is in *ret. */

static int
check(const char *type, const char *intent, const char *payload,
    parley_error_t *ret)
{
    char                   text[1024];
    parley_test_message_t  m;

    sprintf(text, "{\"v\":\"1\",\"id\":\"00000001\",\"ts\":"
            "\"2026-02-15T10:30:00Z\",\"type\":\"%s\",\"from\":\"agent.a\","
            "\"to\":\"agent.b\",\"intent\":\"%s\",\"corr\":\"00000002\","
            "\"reply_to\":\"00000003\",\"priority\":\"normal\","
            "\"payload\":%s}", type, intent, payload);

    if (parley_test_read(&arena, PARLEY_PROTO_AEE, parley_str_c(text), 0, &m,
                         ret)
        != 0)
    {
        fail_msg("%s: %s %s", text, ret->field, ret->text);
    }

    parley_error_clear(ret);

    return parley_intents_check(intents, &arena, &m.msg, ret);
}


static void
accepted(const char *type, const char *intent, const char *payload)
{
    parley_error_t  e;

    if (check(type, intent, payload, &e) != 0) {
        fail_msg("%s: %s %s", payload, e.field, e.text);
    }
}


static void
refused(const char *type, const char *intent, const char *payload,
    parley_code_t code, const char *field)
{
    parley_error_t  e;

    assert_int_equal(check(type, intent, payload, &e), -1);
    assert_int_equal(e.code, code);
    assert_string_equal(e.field, field);
    assert_true(e.text[0] != '\0');
}


static void
test_check(void **state)
{
    parley_error_t         e;
    parley_test_message_t  m;

    static const char  record[] = "{\"v\":\"1\",\"id\":\"00000001\",\"type\":"
        "\"task\",\"intent\":\"ops.run\",\"from\":\"agent.a\"}";

    (void) state;

    assert_int_equal(add("ops.run.task.schema.json", task), 0);
    assert_int_equal(add("name.task.schema.json", "{\"pattern\":\"^[a-z]+$\"}"),
                     0);
    assert_int_equal(add("ops.run.result.schema.json",
                         "{\"required\":[\"octets\"]}"), 0);
    assert_int_equal(add("ops.run.error.schema.json",
                         "{\"required\":[\"volume\"]}"), 0);
    compile();

    accepted("task", "ops.run", "{\"target\":\"db\",\"paths\":[\"a\"]}");
    refused("task", "ops.run", "{}", PARLEY_E_FIELD_MISSING,
            "/payload/target");
    refused("task", "ops.run", "{\"target\":\"db\",\"x\":1}",
            PARLEY_E_FIELD_UNKNOWN, "/payload/x");
    refused("task", "ops.run", "{\"target\":\"DB\"}", PARLEY_E_FIELD_INVALID,
            "/payload/target");
    refused("task", "ops.run", "{\"target\":\"db\",\"paths\":[\"a\",7]}",
            PARLEY_E_FIELD_INVALID, "/payload/paths/1");

    accepted("result", "ops.run", "{\"octets\":1}");
    refused("result", "ops.run", "{\"target\":\"db\"}",
            PARLEY_E_FIELD_MISSING, "/payload/octets");
    refused("error", "ops.run", "{\"code\":\"E_X\",\"message\":\"x\"}",
            PARLEY_E_FIELD_MISSING, "/payload/volume");

    /* without a schema there is no error */

    accepted("event", "ops.run", "{}");
    accepted("stream", "ops.run", "{}");
    accepted("task", "ops.run.fast", "{}");
    accepted("task", "ops.ru", "{}");

    /* a log record has no payload */

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      parley_str_c(record), 1, &m, &e), 0);
    assert_int_equal(parley_intents_check(intents, &arena, &m.msg, &e), 0);
    assert_int_equal(parley_intents_check(NULL, &arena, &m.msg, &e), 0);
}


/* An error of a file names the file and the line. */

static void
test_broken(void **state)
{
    unsigned  i;

    static const struct {
        const char  *text;
        unsigned     line;
        const char  *field;         /* NULL: any */
        int          late;          /* found only when compiled */
    } cases[] = {
        { "", 1, NULL, 0 },
        { "{", 1, NULL, 0 },
        { "{\n\n\"type\": }", 3, NULL, 0 },
        { "[]", 1, NULL, 0 },
        { "\"x\"", 1, NULL, 0 },
        { "{\n\"type\":\"objekt\"}", 2, "/type", 1 },
        { "{\"properties\":{\"x\":\n{\"pattern\":\"(\"}}}", 2,
          "/properties/x/pattern", 1 },
        { "{\n\"$ref\":\"nowhere.task.schema.json\"}", 2, "/$ref", 1 },
        { "{\n\n\"$ref\":\"#/$defs/none\"}", 3, "/$ref", 1 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&err, 0xA5, sizeof(err));

        if (add("a.b.task.schema.json", cases[i].text) == 0) {
            assert_true(cases[i].late);
            assert_int_equal(parley_intents_compile(intents, &err), -1);

        } else {
            assert_false(cases[i].late);
        }

        if (strncmp(err.location, "dir/a.b.task.schema.json", 24) != 0
            || err.line != cases[i].line || err.error.text[0] == '\0'
            || (cases[i].field != NULL
                && strcmp(err.error.field, cases[i].field) != 0))
        {
            fail_msg("%s: \"%s\" line %u: %s %s", cases[i].text, err.location,
                     err.line, err.error.field, err.error.text);
        }

        assert_int_equal(end(state), 0);
        assert_int_equal(begin(state), 0);
    }
}


static void
test_twice(void **state)
{
    (void) state;

    assert_int_equal(add("a.b.task.schema.json", "{}"), 0);
    assert_int_equal(add("a.b.task.schema.json", "{}"), -1);
    assert_true(err.error.text[0] != '\0');
    assert_int_equal(add("a.b.result.schema.json", "{}"), 0);

    /* the others are unchanged */

    compile();
    assert_non_null(find("a.b", PARLEY_ACT_REQUEST));
    assert_non_null(find("a.b", PARLEY_ACT_REPLY));
    assert_ptr_equal(find("A.b", PARLEY_ACT_REQUEST),
                     find("a.B", PARLEY_ACT_REQUEST));
    assert_non_null(find("A.b", PARLEY_ACT_REQUEST));
    assert_null(find("A.b", PARLEY_ACT_FAILURE));
    assert_null(find("A.b.", PARLEY_ACT_REQUEST));

    /* names that differ only by case are the same intent */

    assert_int_equal(add("A.B.task.schema.json", "{}"), 0);
    assert_int_equal(parley_intents_compile(intents, &err), -1);
    assert_non_null(strstr(err.location, ".task.schema.json#"));
    assert_non_null(strstr(err.error.text, "case"));
    assert_int_equal(err.line, 1);
}


static int
keep(void *ctx, parley_str_t intent)
{
    parley_str_t  prefix;

    prefix = parley_str_c(ctx);

    return intent.len >= prefix.len
           && memcmp(intent.data, prefix.data, prefix.len) == 0;
}


static void
test_list(void **state)
{
    parley_buf_t  b;
    parley_str_t  text;

    (void) state;

    assert_int_equal(add("b.two.task.schema.json", "{}"), 0);
    assert_int_equal(add("b.two.result.schema.json", "{}"), 0);
    assert_int_equal(add("a.\"one\".task.schema.json", "{}"), 0);
    assert_int_equal(add("b.three.error.schema.json", "{}"), 0);
    compile();

    parley_buf_init(&b, &arena, 0);
    assert_int_equal(parley_intents_list(intents, &b, 1, keep, ""), 3);
    assert_int_equal(parley_buf_done(&b, &text), 0);
    parley_assert_str(text, "\"a.\\\"one\\\"\",\"b.three\",\"b.two\"");

    parley_buf_init(&b, &arena, 0);
    parley_buf_lit(&b, "\"x\"");
    assert_int_equal(parley_intents_list(intents, &b, 0, keep, "b.t"), 2);
    assert_int_equal(parley_buf_done(&b, &text), 0);
    parley_assert_str(text, "\"x\",\"b.three\",\"b.two\"");

    parley_buf_init(&b, &arena, 0);
    assert_int_equal(parley_intents_list(intents, &b, 1, keep, "c"), 0);
    assert_int_equal(parley_intents_list(NULL, &b, 1, keep, ""), 0);
    assert_int_equal(parley_buf_done(&b, &text), 0);
    assert_int_equal(text.len, 0);
}


/*
 * Runs every function that allocates, with memory that ends after n
 * allocations.
 */

static void
test_memory(void **state)
{
    int                failed;
    size_t             n;
    parley_intents_t  *kept;

    (void) state;

    kept = intents;
    failed = 1;

    for (n = 1; failed; n++) {
        mem_state.fail_at = mem_state.allocations + n;

        intents = parley_intents_create(&mem);

        failed = intents == NULL
                 || add("a.b.task.schema.json", task) != 0
                 || add("name.task.schema.json", "{}") != 0
                 || parley_intents_compile(intents, &err) != 0;

        mem_state.fail_at = 0;
        parley_intents_destroy(intents);
    }

    intents = kept;

    assert_true(n > 3);
}


#define intents_test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    intents_test("AEE-33 names of files", test_name),
    intents_test("AEE-33 the schema of an intent", test_find),
    intents_test("AEE-33 payloads are validated", test_check),
    intents_test("GW-11 a broken schema is told with file and line",
                 test_broken),
    intents_test("GW-11 an intent has one schema of each kind", test_twice),
    intents_test("AEE-24 the intents that have a schema", test_list),
    intents_test("AEE-33 every allocation may fail", test_memory),
};


PARLEY_TEST_MAIN(tests)
