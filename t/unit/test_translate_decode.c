/*
 * t/cases/<protocol>/<name>: in.json is refused with the section error, or has
 * the values of the section msg.  opts: mve5=1 for log intake.
 */

#include "t/unit/parley_test_case.h"


static parley_test_cases_t  cases;


static const char *const  acts[] = {
    "request", "reply", "failure", "event", "progress"
};


/* Returns the value of the message for a key in msg. */

/* A line break is "\\n" in a file of lines. */

static void
one_line(parley_str_t s, char *ret, size_t size)
{
    size_t  i, n;

    for (i = n = 0; i < s.len && n + 2 < size; i++) {
        if (s.data[i] == '\n') {
            ret[n++] = '\\';
        }

        ret[n++] = s.data[i] == '\n' ? 'n' : (char) s.data[i];
    }

    ret[n] = '\0';
}


static void
said(const parley_msg_t *m, const char *key, char *ret, size_t size)
{
    unsigned      i;
    parley_str_t  s;

    const struct {
        const char    *key;
        parley_str_t   value;
    } texts[] = {
        { "origin", parley_proto_name(m->origin) },
        { "form", m->form },
        { "id", m->id },
        { "created", m->created },
        { "sender", m->sender },
        { "recipient", m->recipient },
        { "intent", m->intent },
        { "corr", m->corr },
        { "reply_to", m->reply_to },
        { "question", m->question },
        { "place", m->place },
        { "token", m->token },
        { "priority", parley_priority_name(m->priority) },
        { "text", m->text },
        { "code", m->code },
        { "trace_id", m->trace_id },
        { "span_id", m->span_id },
        { "sig.alg", m->sig.alg },
        { "sig.kid", m->sig.kid },
        { "sig.value", m->sig.value },
        { "act", parley_str_c(acts[m->act]) },
    };

    const struct {
        const char  *key;
        long long    value;
    } numbers[] = {
        { "created_ms", m->created_ms },
        { "timeout_ms", m->timeout_ms },
        { "alarm", m->alarm },
        { "retryable", m->retryable },
        { "carried", m->carried },
        { "partial", m->partial },
        { "members", m->nmembers },
        { "sig.present", m->sig.present },
        { "sig.opaque", m->sig.opaque },
        { "native", m->native },
        { "local", m->local },
        { "anonymous", m->anonymous },
        { "approval", m->approval },
    };

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(texts[i].key, key) == 0) {
            one_line(texts[i].value, ret, size);
            return;
        }
    }

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(numbers[i].key, key) == 0) {
            snprintf(ret, size, "%lld", numbers[i].value);
            return;
        }
    }

    for (i = 0; i < m->nmembers; i++) {
        s = m->members[i].name;

        if (strncmp(key, "member.", 7) == 0
            && parley_str_eq(s, parley_str_c(key + 7)))
        {
            s = parley_json_raw(m->members[i].value.doc,
                                m->members[i].value.node);
            snprintf(ret, size, "%.*s", (int) s.len, (const char *) s.data);
            return;
        }
    }

    fail_msg("msg names %s", key);
}


static void
assert_msg(const parley_msg_t *m, parley_str_t lines)
{
    char           line[512], got[512], *value;
    size_t         n;
    const uint8_t *end;

    while (lines.len > 0) {
        end = memchr(lines.data, '\n', lines.len);
        n = end ? (size_t) (end - lines.data) : lines.len;

        snprintf(line, sizeof(line), "%.*s", (int) n,
                 (const char *) lines.data);
        lines = parley_str_from(lines, end ? n + 1 : n);

        value = strchr(line, '=');
        assert_non_null(value);
        *value++ = '\0';

        said(m, line, got, sizeof(got));

        if (strcmp(got, value) != 0) {
            fail_msg("%s is \"%s\", want \"%s\"", line, got, value);
        }
    }
}


static void
test_case(void **state)
{
    int                     rc, mve5;
    parley_str_t            in, msg, error, opts;
    parley_error_t          err;
    parley_proto_t          proto;
    parley_arena_t          arena;
    parley_test_case_t     *c = *state;
    parley_test_message_t   m;

    in = parley_test_case_file(c, "in.json");
    msg = parley_test_case_trim(parley_test_case_section(c, "msg"));
    error = parley_test_case_trim(parley_test_case_section(c, "error"));
    opts = parley_test_case_section(c, "opts");

    assert_true(in.len > 0);
    assert_true(msg.len > 0 || error.len > 0);

    mve5 = parley_test_case_option(opts, "mve5").len > 0;
    proto = parley_proto_find(parley_str_c(c->family));

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_test_read(&arena, proto, in, mve5, &m, &err);

    if (error.len > 0) {
        assert_int_equal(rc, -1);
        parley_test_case_error(&err, error);

    } else if (rc != 0) {
        fail_msg("%s %s", err.field, err.text);
    }

    assert_msg(&m.msg, msg);

    parley_arena_reset(&arena);
}


int
main(void)
{
    unsigned      i;
    parley_str_t  name;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        name = parley_proto_name((parley_proto_t) i);
        parley_test_cases_add(&cases, (const char *) name.data, test_case);
    }

    return parley_test_cases_run(&cases);
}
