/*
 * t/cases/<from>-to-<to>/<name>: in.json becomes out.json, or fails with the
 * error of the file "case", which also lists the losses.  There is a folder
 * for each pair of protocols, found by their names.  Every case is also run
 * with memory that ends early, and with input that is cut at every octet.
 *
 * PARLEY_TEST_WRITE=1 writes out.json and the section "loss" again after a
 * change of the translation: git diff then shows that change.
 */

#include <unistd.h>

#include "t/unit/parley_test_case.h"


/* the result of a translation */
typedef struct {
    parley_arena_t    arena;
    parley_encoded_t  made;
    parley_loss_t     loss;
    parley_error_t    err;
    int               rc;
} parley_test_result_t;


static parley_test_cases_t  cases;


static void
protocols(const parley_test_case_t *c, parley_proto_t *from,
    parley_proto_t *to)
{
    const char  *middle;

    middle = strstr(c->family, "-to-");
    assert_non_null(middle);

    *from = parley_proto_find(parley_str_make(c->family,
                                              (size_t) (middle - c->family)));
    *to = parley_proto_find(parley_str_c(middle + 4));

    assert_true(*from != PARLEY_PROTO_NONE && *to != PARLEY_PROTO_NONE);
}


static void
translate(parley_test_case_t *c, parley_str_t in, parley_str_t opts_text,
    const parley_mem_t *mem, size_t block_size, parley_test_result_t *r)
{
    parley_proto_t           from, to;
    parley_submission_t      submission;
    parley_encode_opts_t     opts;
    parley_test_message_t   *m;

    protocols(c, &from, &to);

    parley_arena_init(&r->arena, mem, block_size);
    parley_loss_init(&r->loss, &r->arena);
    parley_error_clear(&r->err);

    parley_test_case_opts(opts_text, &opts);
    parley_test_case_submission(opts_text, &submission);

    /* outlives the call: the result points into it */
    m = parley_arena_alloc(&r->arena, sizeof(parley_test_message_t));
    if (m == NULL) {
        r->rc = parley_error_memory(&r->err);
        return;
    }

    r->rc = parley_test_read(&r->arena, from, in, 0, m, &r->err);

    if (r->rc == 0) {
        r->rc = parley_submit(&r->arena, &m->msg, &submission, &r->err);
    }

    if (r->rc == 0) {
        r->rc = parley_encode(parley_test_engine(), &r->arena, to, &m->msg,
                              &opts, &r->made, &r->loss, &r->err);
    }

    if (r->rc == 0) {
        r->rc = parley_encode_id(parley_test_engine(), &r->arena, to,
                                 &m->msg, &r->made, &r->err);
    }
}


static void
rewrite(const parley_test_case_t *c, const char *file, parley_str_t text,
    const char *end)
{
    char   path[400];
    FILE  *f;

    snprintf(path, sizeof(path), "%s/%s", c->path, file);

    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.data, 1, text.len, f), text.len);
    assert_true(fputs(end, f) >= 0);
    assert_int_equal(fclose(f), 0);
}


/* Rewrites the last section of the case. */

static void
rewrite_loss(const parley_test_case_t *c, parley_test_result_t *r)
{
    parley_buf_t  b;
    parley_str_t  loss, old, head, text;

    loss = parley_test_loss(&r->arena, &r->loss);
    old = parley_test_case_find(c->text, "loss");
    head = c->text;

    if (old.data != NULL) {
        head.len = (size_t) (old.data - head.data) - strlen("--- loss\n");
    }

    parley_buf_init(&b, &r->arena, 0);
    parley_buf_str(&b, head);

    if (loss.len > 0) {
        parley_buf_lit(&b, "--- loss\n");
        parley_buf_str(&b, loss);
    }

    assert_int_equal(parley_buf_done(&b, &text), 0);
    rewrite(c, "case", text, "");
}


static void
test_case(void **state)
{
    parley_str_t            in, out, loss, error, opts;
    parley_proto_t          from, to;
    parley_test_case_t     *c = *state;
    parley_test_result_t    r;
    parley_test_message_t   made;

    in = parley_test_case_file(c, "in.json");
    out = parley_test_case_file(c, "out.json");
    loss = parley_test_case_section(c, "loss");
    error = parley_test_case_trim(parley_test_case_section(c, "error"));
    opts = parley_test_case_section(c, "opts");

    assert_true(in.len > 0);
    assert_true((out.len > 0) != (error.len > 0));

    translate(c, in, opts, &parley_mem_libc, 0, &r);

    if (error.len > 0) {
        assert_int_equal(r.rc, -1);
        parley_test_case_error(&r.err, error);
        parley_arena_reset(&r.arena);
        return;
    }

    if (r.rc != 0) {
        fail_msg("%s %s", r.err.field, r.err.text);
    }

    if (getenv("PARLEY_TEST_WRITE") != NULL) {
        if (!parley_test_same_json(&r.arena, r.made.body, out)) {
            rewrite(c, "out.json", r.made.body, "\n");
        }

        rewrite_loss(c, &r);
        parley_arena_reset(&r.arena);
        skip();
    }

    parley_test_assert_json(&r.arena, r.made.body, out);

    if (!parley_str_eq(parley_test_loss(&r.arena, &r.loss), loss)) {
        fail_msg("lost %s",
                 (const char *) parley_test_loss(&r.arena, &r.loss).data);
    }

    /* the result is a valid message with the promised id */

    protocols(c, &from, &to);

    if (parley_test_read(&r.arena, to, r.made.body, 0, &made, &r.err) != 0) {
        fail_msg("%s %s", r.err.field, r.err.text);
    }

    assert_true(parley_str_eq(made.msg.id, r.made.id));
    assert_true(parley_engine_correlates(&made.msg, r.made.corr));

    parley_arena_reset(&r.arena);
}


/* Either the result is the same, or the error is that memory ended. */

static void
test_memory(void **state)
{
    size_t                 i;
    parley_mem_t           mem;
    parley_str_t           in, opts;
    parley_test_mem_t      counter;
    parley_test_case_t    *c = *state;
    parley_test_result_t   whole, r;

    in = parley_test_case_file(c, "in.json");
    opts = parley_test_case_section(c, "opts");

    translate(c, in, opts, &parley_mem_libc, 0, &whole);

    for (i = 1; ; i++) {
        mem = parley_test_mem(&counter, i);

        translate(c, in, opts, &mem, 64, &r);

        if (counter.allocations >= i && r.rc == -1
            && r.err.code == PARLEY_E_CAPACITY)
        {
            parley_arena_reset(&r.arena);
            assert_int_equal(counter.live, 0);
            continue;
        }

        assert_int_equal(r.rc, whole.rc);

        if (r.rc == 0) {
            assert_true(parley_str_eq(r.made.body, whole.made.body));
            assert_true(r.loss.failed || r.loss.count == whole.loss.count);

        } else {
            assert_int_equal(r.err.code, whole.err.code);
            assert_string_equal(r.err.field, whole.err.field);
        }

        parley_arena_reset(&r.arena);
        assert_int_equal(counter.live, 0);

        if (counter.allocations < i) {
            break;
        }
    }

    parley_arena_reset(&whole.arena);
}


/* A cut message is invalid, and nothing is read beyond it. */

static void
test_truncated(void **state)
{
    size_t                 i;
    uint8_t               *cut;
    parley_str_t           in, opts;
    parley_test_case_t    *c = *state;
    parley_test_result_t   r;

    in = parley_test_case_trim(parley_test_case_file(c, "in.json"));
    opts = parley_test_case_section(c, "opts");

    for (i = 0; i < in.len; i++) {
        cut = malloc(i ? i : 1);
        assert_non_null(cut);
        memcpy(cut, in.data, i);

        translate(c, parley_str_make(cut, i), opts, &parley_mem_libc, 0, &r);

        assert_int_equal(r.rc, -1);
        assert_int_equal(r.err.code, PARLEY_E_JSON_INVALID);

        parley_arena_reset(&r.arena);
        free(cut);
    }
}


static void
test_all(void **state)
{
    test_case(state);
    parley_test_case_teardown(state);
    test_memory(state);
    parley_test_case_teardown(state);
    test_truncated(state);
}


int
main(void)
{
    unsigned     i, j, n;
    char         family[64], dir[96];
    const char  *from, *to;

    /* each protocol has cases */

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        from = (const char *) parley_proto_name((parley_proto_t) i).data;

        for (n = 0, j = 0; j < PARLEY_PROTO_COUNT; j++) {
            to = (const char *) parley_proto_name((parley_proto_t) j).data;

            snprintf(family, sizeof(family), "%s-to-%s", from, to);
            snprintf(dir, sizeof(dir), "t/cases/%s", family);

            if (access(dir, F_OK) == 0) {
                parley_test_cases_add(&cases, strdup(family), test_all);
                n++;
            }
        }

        if (n == 0) {
            fprintf(stderr, "there is no t/cases/%s-to-...\n", from);
            return 1;
        }
    }

    return parley_test_cases_run(&cases);
}
