/*
 * Any eight octets as a double.  Its text must be read as the same double,
 * here and in the C library, and no text with fewer digits may.  Other octets
 * that are a JSON number must be read as in the C library.  After an 'x' the
 * input is a long literal: each pair of octets is a character and the number
 * of its repetitions.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/parley_decimal.h"
#include "core/parley_json.h"
#include "core/parley_number.h"
#include "t/fuzz/parley_fuzz.h"


#define PARLEY_FUZZ_LITERAL  65536


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
check_double(double d)
{
    int               ndigits;
    char              text[PARLEY_NUMBER_MAX], shorter[64];
    double            back;
    size_t            len;
    parley_decimal_t  decimal;

    if (!isfinite(d)) {
        return;
    }

    len = parley_number_format(d, text);
    check(len < PARLEY_NUMBER_MAX && text[len] == '\0');
    check(parley_number_parse(parley_str_make(text, len), &back) == 0);
    check(back == d && strtod(text, NULL) == d);

    decimal = parley_decimal_make(parley_str_make(text, len));
    ndigits = (int) decimal.ndigits;

    if (ndigits > 1) {
        (void) snprintf(shorter, sizeof(shorter), "%.*e", ndigits - 2, d);
        check(strtod(shorter, NULL) != d);
    }
}


static void
check_literal(const uint8_t *data, size_t size)
{
    char            *text;
    double           d, expected;
    parley_json_t    doc;
    parley_arena_t   arena;
    parley_error_t   err;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, 1, parley_str_make(data, size),
                         &err)
        == 0
        && parley_json_type(&doc, 0) == PARLEY_JSON_NUMBER)
    {
        text = malloc(doc.nodes[0].len + 1);
        check(text != NULL);

        memcpy(text, data + doc.nodes[0].off, doc.nodes[0].len);
        text[doc.nodes[0].len] = '\0';

        expected = strtod(text, NULL);
        d = parley_json_number(&doc, 0);

        check(memcmp(&d, &expected, sizeof(double)) == 0);
        check_double(d);

        free(text);
    }

    parley_arena_reset(&arena);
}


static void
check_repeated(const uint8_t *data, size_t size)
{
    size_t    i, n, len;
    uint8_t  *text;

    text = malloc(PARLEY_FUZZ_LITERAL);
    check(text != NULL);

    len = 0;

    for (i = 0; i + 1 < size; i += 2) {
        n = (data[i + 1] < 0x80) ? data[i + 1] : (data[i + 1] - 0x7Fu) * 16;

        if (n > PARLEY_FUZZ_LITERAL - len) {
            break;
        }

        memset(text + len, data[i], n);
        len += n;
    }

    check_literal(text, len);
    free(text);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double  d;

    if (size == sizeof(double)) {
        memcpy(&d, data, sizeof(double));
        check_double(d);
    }

    check_literal(data, size);

    if (size != 0 && data[0] == 'x') {
        check_repeated(data + 1, size - 1);
    }

    return 0;
}
