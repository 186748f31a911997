/*
 * The JSON reader, with any octets.  An accepted text has a canonical form
 * that is accepted and is its own canonical form.  The text equals itself.
 * Every node is found by its own pointer, if the pointer can be written.
 */

#include <stdlib.h>
#include <string.h>

#include "core/parley_jcs.h"
#include "core/parley_json.h"
#include "core/parley_utf8.h"
#include "t/fuzz/parley_fuzz.h"


#define MAX_POINTERS  64


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static parley_str_t
canonical(parley_arena_t *arena, const parley_json_t *doc)
{
    parley_buf_t  b;
    parley_str_t  ret;

    parley_buf_init(&b, arena, 16);
    parley_jcs_write(&b, (parley_json_ref_t) { doc, 0 }, parley_str_none);
    check(parley_buf_done(&b, &ret) == 0);

    return ret;
}


/* Checks a decoded string: UTF-8 without noncharacters. */
static void
check_string(parley_str_t s)
{
    size_t          n;
    const uint8_t  *p, *end;

    for (p = s.data, end = p + s.len; p < end; p += n) {
        n = parley_utf8_len(p, end);

        check(n != 0 && !parley_utf8_is_noncharacter(parley_utf8_get(p, n)));
    }
}


/* Checks that the nodes are consistent and the accessors agree. */
static void
check_nodes(const parley_json_t *doc)
{
    char                        pointer[4096];
    size_t                      len;
    int64_t                     value;
    uint32_t                    i, pointers;
    parley_str_t                s;
    const parley_json_node_t   *node;

    pointers = 0;
    check(doc->nodes[0].next == doc->nnodes);

    for (i = 0; i < doc->nnodes; i++) {
        node = parley_json_node(doc, i);

        check(node->next > i && node->next <= doc->nnodes);
        check((size_t) node->off + node->len <= doc->input.len);

        if (node->type == PARLEY_JSON_STRING) {
            check(parley_json_string(doc, i, &s) == 0);
            check(parley_json_string_is(doc, i, s));
            check_string(s);
        }

        if (node->type == PARLEY_JSON_NUMBER
            && parley_json_integer(doc, i, &value) == 0)
        {
            check((double) value == parley_json_number(doc, i));
        }

        if (!(node->flags & PARLEY_JSON_KEY) && pointers++ < MAX_POINTERS) {
            len = parley_json_pointer(doc, i, pointer, sizeof(pointer));
            check(len < sizeof(pointer) && pointer[len] == '\0');
            check(memchr(pointer, '\0', len) == NULL);

            /*
             * a cut pointer, or one with '?' for a zero octet, does not lead
             * back
             */

            check(len + 1 == sizeof(pointer)
                  || memchr(pointer, '?', len) != NULL
                  || parley_json_resolve(doc, 0,
                                         parley_str_make(pointer, len))
                     == i);
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_str_t       first, second;
    parley_json_t      doc, again, third;
    parley_arena_t     arena;
    parley_error_t     err;
    parley_json_ref_t  a, b;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, 1, parley_str_make(data, size),
                         &err)
        != 0)
    {
        check(err.code == PARLEY_E_JSON_INVALID
              || err.code == PARLEY_E_MESSAGE_TOO_LARGE);
        check(err.offset <= size);
        check(doc.nodes == NULL);
        parley_arena_reset(&arena);
        return 0;
    }

    check_nodes(&doc);

    first = canonical(&arena, &doc);

    if (parley_json_read(&again, &arena, NULL, 2, first, &err) == 0) {
        check_nodes(&again);

        second = canonical(&arena, &again);
        check(parley_str_eq(first, second));

        check(parley_json_read(&third, &arena, NULL, 3, second, &err) == 0);

        a = (parley_json_ref_t) { &again, 0 };
        b = (parley_json_ref_t) { &third, 0 };
        check(parley_json_equal(a, b) && parley_json_equal(b, a));

    } else {

        /* the canonical form may be longer than the text: 1e20 */

        check(err.code == PARLEY_E_MESSAGE_TOO_LARGE);
    }

    a = (parley_json_ref_t) { &doc, 0 };
    check(parley_json_equal(a, a));

    parley_arena_reset(&arena);

    return 0;
}
