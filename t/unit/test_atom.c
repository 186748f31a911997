/* core/parley_atom.h: the names that the protocols know */

#include "t/unit/parley_test_json.h"

#include "core/parley_atoms.h"
#include "core/parley_jcs.h"
#include "schemas/parley_schema_text.h"


static void
test_names(void **state)
{
    unsigned      i, k;
    parley_str_t  name, before;

    (void) state;

    before = parley_str_none;

    for (i = 1; i < PARLEY_ATOMS; i++) {
        name = parley_atom_name((parley_atom_t) i);

        assert_int_equal(parley_atom_of(name), i);

        for (k = 0; k < name.len; k++) {
            assert_true(name.data[k] > ' ' && name.data[k] < 0x7F
                        && name.data[k] != '"' && name.data[k] != '\\');
        }

        k = (unsigned) (before.len < name.len ? before.len : name.len);

        assert_true(i == 1 || memcmp(before.data, name.data, k) < 0
                    || (memcmp(before.data, name.data, k) == 0
                        && before.len < name.len));
        before = name;
    }

    assert_int_equal(parley_atom_name(PARLEY_ATOM_NONE).len, 0);
    parley_assert_str(parley_atom_name(PARLEY_ATOM_eventId), "eventId");
    parley_assert_str(parley_atom_name(PARLEY_ATOM__meta), "_meta");
}


static void
test_others(void **state)
{
    char      text[64];
    size_t    k, len;
    unsigned  i;

    static const char *const  others[] = {
        "", "x", "Id", "iD", "ids", "idid", "event_id", "eventID", "\xC3\xA9",
        "provenance_compute_locatiom", "provenance_cumpute_location",
        "a name that is longer than any that a protocol has ever had",
    };

    (void) state;

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(parley_atom_of(parley_str_c(others[i])),
                         PARLEY_ATOM_NONE);
    }

    /* any changed, added or missing octet makes another name */

    for (i = 1; i < PARLEY_ATOMS; i++) {
        len = parley_atom_name((parley_atom_t) i).len;
        memcpy(text, parley_atom_name((parley_atom_t) i).data, len);

        for (k = 0; k < len; k++) {
            text[k] ^= 0x80;
            assert_int_equal(parley_atom_of(parley_str_make(text, len)),
                             PARLEY_ATOM_NONE);
            text[k] ^= 0x80;
        }

        text[len] = '.';
        assert_int_equal(parley_atom_of(parley_str_make(text, len + 1)),
                         PARLEY_ATOM_NONE);
        assert_int_not_equal(parley_atom_of(parley_str_make(text, len - 1)),
                             i);
    }
}


static void
assert_known(const parley_json_t *doc, uint32_t object)
{
    uint32_t      k;
    parley_str_t  name;

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        assert_int_equal(parley_json_string(doc, k, &name), 0);

        if (parley_atom_of(name) == PARLEY_ATOM_NONE) {
            fail_msg("%.*s has no atom", (int) name.len, name.data);
        }
    }
}


/* Counts the names in a schema of a message, at any depth. */

static unsigned
names_of(const parley_json_t *doc)
{
    unsigned  n;
    uint32_t  i;

    n = 0;

    for (i = 0; i + 1 < doc->nnodes; i++) {
        if ((doc->nodes[i].flags & PARLEY_JSON_KEY)
            && parley_json_string_is(doc, i, PARLEY_STR("properties"))
            && parley_json_type(doc, i + 1) == PARLEY_JSON_OBJECT)
        {
            assert_known(doc, i + 1);
            n += parley_json_node(doc, i + 1)->count;
        }
    }

    return n;
}


static void
test_schemas(void **state)
{
    unsigned                     n;
    fixture_t                    f;
    const parley_schema_text_t  *t;

    (void) state;

    n = 0;

    for (t = parley_schema_texts; t->text.len != 0; t++) {

        /* the members of an operator's file are not members of messages */

        if (parley_str_begins(t->name, "metaschema/")
            || parley_str_begins(t->name, "identities"))
        {
            continue;
        }

        parley_arena_init(&f.arena, &parley_mem_libc, 0);
        assert_int_equal(parley_json_read(&f.doc, &f.arena, NULL, 1, t->text,
                                          &f.err),
                         0);
        n += names_of(&f.doc);
        done(&f);
    }

    assert_true(n > 200);
}


static void
test_read(void **state)
{
    char       text[512];
    size_t     k, n;
    unsigned   i;
    fixture_t  f;

    (void) state;

    for (i = 1; i < PARLEY_ATOMS; i++) {
        const parley_str_t  name = parley_atom_name((parley_atom_t) i);

        /* plain, with one octet escaped, and completely escaped */

        for (k = 0; k <= name.len + 1; k++) {
            n = (size_t) snprintf(text, sizeof(text), "{\"");

            for (size_t j = 0; j < name.len; j++) {
                n += (size_t) snprintf(text + n, sizeof(text) - n,
                                       j == k || k == name.len + 1
                                           ? "\\u%04X" : "%c", name.data[j]);
            }

            (void) snprintf(text + n, sizeof(text) - n, "\":[]}");

            assert_int_equal(read_text(&f, NULL, text), 0);
            assert_int_equal(parley_json_atom(&f.doc, 1), i);
            assert_int_equal(parley_json_member(&f.doc, 0, (parley_atom_t) i),
                             2);
            assert_int_equal(parley_json_get(&f.doc, 0, name), 2);
            assert_int_equal(parley_json_member(&f.doc, 0,
                                                i > 1 ? (parley_atom_t) 1
                                                      : (parley_atom_t) 2),
                             PARLEY_JSON_NONE);
            done(&f);
        }
    }

    assert_int_equal(read_text(&f, NULL, "[{\"a\":{\"id\":[]}}]"), 0);
    assert_int_equal(parley_json_atom(&f.doc, 2), PARLEY_ATOM_NONE);
    assert_int_equal(parley_json_member(&f.doc, 3, PARLEY_ATOM_id), 5);
    assert_int_equal(parley_json_member(&f.doc, 0, PARLEY_ATOM_id),
                     PARLEY_JSON_NONE);
    assert_int_equal(parley_json_member(&f.doc, PARLEY_JSON_NONE,
                                        PARLEY_ATOM_id),
                     PARLEY_JSON_NONE);
    done(&f);
}


static void
test_part(void **state)
{
    fixture_t      f;
    parley_json_t  part;

    (void) state;

    assert_int_equal(read_text(&f, NULL,
                               "{\"x\":[{\"id\":{\"\\u0074o\":{}}}]}"), 0);
    assert_int_equal(parley_json_part(&f.doc, 3, &f.arena, &part), 0);

    assert_int_equal(parley_json_member(&part, 0, PARLEY_ATOM_id), 2);
    assert_int_equal(parley_json_member(&part, 2, PARLEY_ATOM_to), 4);
    assert_int_equal(part.nodes[0].depth, 0);
    assert_int_equal(part.nodes[4].depth, 2);
    done(&f);
}


/* Names with and without atoms, plain and escaped, are distinguished. */

static void
test_twice(void **state)
{
    unsigned   i;
    fixture_t  f;

    static const struct {
        const char  *text;
        const char  *twice;     /* NULL: valid */
    } cases[] = {
        { "{\"to\":1,\"id\":2}", NULL },
        { "{\"to\":1,\"id\":2,\"to\":3}", "/to" },
        { "{\"id\":1,\"id\":2}", "/id" },
        { "{\"id\":1,\"\\u0069d\":2}", "/id" },
        { "{\"\\u0069d\":1,\"id\":2}", "/id" },
        { "{\"\\u0069d\":1,\"i\\u0064\":2}", "/id" },
        { "{\"to\":1,\"\\u0069d\":2,\"x\":3,\"id\":4}", "/id" },
        { "{\"to\":1,\"x\":2,\"\\u0078\":3}", "/x" },
        { "{\"x\":1,\"to\":2,\"id\":3,\"x\":4}", "/x" },
        { "{\"z\":1,\"\\u0079\":2,\"to\":3,\"y\":4}", "/y" },
        { "{\"z\":1,\"\\u0079\":2,\"to\":3,\"x\":4}", NULL },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (cases[i].twice == NULL) {
            assert_int_equal(read_text(&f, NULL, cases[i].text), 0);

        } else {
            assert_int_equal(read_text(&f, NULL, cases[i].text), -1);
            assert_string_equal(f.err.field, cases[i].twice);
        }

        done(&f);
    }
}


/* All names have atoms, some do, none does. */

static void
test_order(void **state)
{
    unsigned      i;
    fixture_t     f;
    parley_str_t  form;
    parley_buf_t  b;

    static const struct {
        const char  *text;
        const char  *form;
    } cases[] = {
        { "{\"to\":1,\"threadId\":2,\"_meta\":3,\"text\":4,\"id\":5}",
          "{\"_meta\":3,\"id\":5,\"text\":4,\"threadId\":2,\"to\":1}" },
        { "{\"to\":1,\"threads\":2,\"Z\":3,\"text\":4,\"id\":5}",
          "{\"Z\":3,\"id\":5,\"text\":4,\"threads\":2,\"to\":1}" },
        { "{\"to\":1,\"te\\u0078t\":2,\"\\u0069d\":3}",
          "{\"id\":3,\"text\":2,\"to\":1}" },
        { "{\"to\":1,\"\xC3\xA9\":2,\"id\":3}",
          "{\"id\":3,\"to\":1,\"\xC3\xA9\":2}" },
        { "{\"created_at\":1,\"createdAt\":2,\"created\":3}",
          "{\"created\":3,\"createdAt\":2,\"created_at\":1}" },
        { "{\"created\":1,\"createdAt\":2,\"created_at\":3}",
          "{\"created\":1,\"createdAt\":2,\"created_at\":3}" },
        { "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}" },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_text(&f, NULL, cases[i].text), 0);
        parley_buf_init(&b, &f.arena, 0);
        parley_jcs_write(&b, (parley_json_ref_t) { &f.doc, 0 },
                         parley_str_none);
        assert_int_equal(parley_buf_done(&b, &form), 0);
        parley_assert_str(form, cases[i].form);
        done(&f);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("every name is found, and they stand in order", test_names),
    parley_test("nothing else is", test_others),
    parley_test("every member of the protocols' schemas has one",
                test_schemas),
    parley_test("the reader finds them, plain and escaped", test_read),
    parley_test("a part of a document keeps them", test_part),
    parley_test("duplicates, by atoms and without", test_twice),
    parley_test("the order of RFC 8785, by atoms and without", test_order),
};


PARLEY_TEST_MAIN(tests)
