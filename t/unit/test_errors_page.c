/* docs/errors.md shows each refusal as it is, in every protocol. */

#include <stdio.h>
#include <string.h>

#include "t/unit/parley_test_translate.h"


#define PAGE     "docs/errors.md"
#define HEADING  "### `"
#define INDENT   "    "


static const struct {
    parley_proto_t  proto;
    const char     *name;       /* as on the page */
    const char     *before;     /* parts of the body that the page leaves out */
    const char     *after;
} callers[] = {
    { PARLEY_PROTO_AEE, "AEE", "\"payload\":", "}" },
    { PARLEY_PROTO_VCP, "VCP", "", "" },
    { PARLEY_PROTO_VCP2, "VCP", "", "" },
    { PARLEY_PROTO_C2A, "C2A", "\"error\":", "}" },
    { PARLEY_PROTO_CHANNEL, "agent-channel", "", "" },
    { PARLEY_PROTO_MOQ, "MoQ", "", "" },
    { PARLEY_PROTO_NONE, "not known", "", "" },
};


/* Returns the rest of the line "    NAME   TEXT" of a section. */

static parley_str_t
line_of(parley_str_t section, const char *name)
{
    size_t  i, end, n;

    n = strlen(name);

    for (i = 0; i < section.len; i = end + 1) {

        for (end = i; end < section.len && section.data[end] != '\n'; end++) {
            /* void */
        }

        if (end - i > n + 5 && memcmp(section.data + i, INDENT, 4) == 0
            && memcmp(section.data + i + 4, name, n) == 0
            && section.data[i + 4 + n] == ' ')
        {
            i += 4 + n;
            i += strspn((const char *) section.data + i, " ");
            return parley_str_make(section.data + i, end - i);
        }
    }

    return parley_str_none;
}


static parley_str_t
section_of(parley_str_t page, parley_str_t word)
{
    char         heading[80];
    const char  *start, *end;

    (void) snprintf(heading, sizeof(heading), "\n" HEADING "%.*s`\n",
                    (int) word.len, (const char *) word.data);

    start = strstr((const char *) page.data, heading);

    if (start == NULL) {
        fail_msg(PAGE " has no %s", heading + 1);
    }

    start += strlen(heading);
    end = strstr(start, "\n#");

    return parley_str_make(start, end != NULL ? (size_t) (end - start)
                                              : strlen(start));
}


/* Makes the error of a line; C2A has its member in "data". */

static void
error_of(parley_arena_t *arena, parley_str_t line, parley_code_t code,
    parley_error_t *ret)
{
    char            field[PARLEY_POINTER_MAX], text[PARLEY_TEXT_MAX];
    uint32_t        node, in;
    parley_str_t    s;
    parley_json_t   doc;
    parley_error_t  err;

    field[0] = text[0] = '\0';

    parley_error_clear(&err);
    assert_int_equal(parley_json_read(&doc, arena, NULL, 0, line, &err), 0);

    in = parley_json_get(&doc, 0, PARLEY_STR("data"));
    node = parley_json_get(&doc, in != PARLEY_JSON_NONE ? in : 0,
                           PARLEY_STR("field"));

    if (node != PARLEY_JSON_NONE) {
        assert_int_equal(parley_json_string(&doc, node, &s), 0);
        (void) snprintf(field, sizeof(field), "%.*s", (int) s.len,
                        (const char *) s.data);
    }

    node = parley_json_get(&doc, 0, PARLEY_STR("message"));
    assert_int_not_equal(node, PARLEY_JSON_NONE);
    assert_int_equal(parley_json_string(&doc, node, &s), 0);
    (void) snprintf(text, sizeof(text), "%.*s", (int) s.len,
                    (const char *) s.data);

    parley_error_clear(ret);
    (void) parley_error_set(ret, code, field, "%s", text);
}


static void
holds(parley_arena_t *arena, parley_str_t section, unsigned caller,
    parley_code_t code)
{
    char              want[2048];
    parley_str_t      line;
    parley_error_t    err;
    parley_reply_t    reply;
    parley_refusal_t  r;

    line = line_of(section, callers[caller].name);

    error_of(arena, line_of(section, callers[caller].proto == PARLEY_PROTO_C2A
                                     ? "C2A" : "AEE"), code, &err);

    memset(&r, 0, sizeof(r));
    r.error = &err;
    r.self = PARLEY_STR("service.parley");
    r.now_ms = PARLEY_TEST_NOW;
    r.backoff_ms = -1;

    assert_int_equal(parley_refuse(arena, callers[caller].proto, &r, &reply),
                     0);

    (void) snprintf(want, sizeof(want), "%s%.*s%s", callers[caller].before,
                    (int) line.len, (const char *) line.data,
                    callers[caller].after);

    if (line.len == 0
        || strstr((const char *) reply.body.data, want) == NULL)
    {
        fail_msg("%s, %s:\n%s\n%.*s",
                 (const char *) parley_error_info(code)->word.data,
                 callers[caller].name, want, (int) reply.body.len,
                 (const char *) reply.body.data);
    }
}


static void
test_page(void **state)
{
    unsigned        i, code;
    parley_str_t    page, section;
    parley_arena_t  arena;

    (void) state;

    page = parley_test_file(PAGE);

    for (code = PARLEY_E_NONE + 1u; code < PARLEY_E_COUNT; code++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);

        section = section_of(page, parley_error_info(code)->word);

        for (i = 0; i < sizeof(callers) / sizeof(callers[0]); i++) {
            holds(&arena, section, i, (parley_code_t) code);
        }

        parley_arena_reset(&arena);
    }

    free((void *) (uintptr_t) page.data);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-10 the page of errors shows each refusal as it is",
                test_page),
};

PARLEY_TEST_MAIN(tests)
