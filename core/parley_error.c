#include "core/parley_error.h"
#include "core/parley_utf8.h"

#include <stdarg.h>
#include <stdio.h>


static void parley_error_copy(char *dst, size_t size, const char *src);


static const parley_error_info_t  parley_error_table[] = {
    [PARLEY_E_NONE] = { .word = parley_str("") },

#define X(sym, w, status, retry)                                              \
    [PARLEY_E_##sym] = {                                                      \
        .word = parley_str(w),                                                \
        .http = status,                                                       \
        .retryable = retry,                                                   \
        .symbol = parley_str("E_" #sym)                                       \
    },
    PARLEY_ERROR_LIST(X)
#undef X
};


const parley_error_info_t *
parley_error_info(parley_code_t code)
{
    if ((int) code <= PARLEY_E_NONE || code >= PARLEY_E_COUNT) {
        code = PARLEY_E_CAPACITY;
    }

    return &parley_error_table[code];
}


parley_code_t
parley_error_code(parley_str_t word)
{
    int  i;

    for (i = PARLEY_E_NONE + 1; i < PARLEY_E_COUNT; i++) {
        if (parley_str_eq(parley_error_table[i].word, word)
            || parley_str_eq(parley_error_table[i].symbol, word))
        {
            return (parley_code_t) i;
        }
    }

    return PARLEY_E_NONE;
}


void
parley_error_clear(parley_error_t *err)
{
    err->code = PARLEY_E_NONE;
    err->offset = PARLEY_NO_OFFSET;
    err->is_name = 0;
    err->taken = 0;
    err->field[0] = '\0';
    err->text[0] = '\0';
}


int
parley_error_set(parley_error_t *err, parley_code_t code, const char *field,
    const char *fmt, ...)
{
    char     text[PARLEY_TEXT_MAX + 4];
    va_list  args;

    /*
     * room for one more UTF-8 sequence, so that a truncated one is recognised
     */

    va_start(args, fmt);

    if (vsnprintf(text, sizeof(text), fmt, args) < 0) {
        text[0] = '\0';
    }

    va_end(args);

    /* field may alias err->field, which is read before it is written */

    parley_error_copy(err->field, PARLEY_POINTER_MAX,
                      (field == NULL) ? "" : field);
    parley_error_copy(err->text, PARLEY_TEXT_MAX, text);

    err->code = code;
    err->offset = PARLEY_NO_OFFSET;
    err->is_name = 0;
    err->taken = 0;

    return -1;
}


const char *
parley_error_words(const parley_error_t *err)
{
    size_t  len;

    len = strlen(err->field);

    return len > 0 && strncmp(err->text, err->field, len) == 0
           && err->text[len] == ' ' ? err->text + len + 1 : err->text;
}


void
parley_error_line(const char *words, char ret[PARLEY_TEXT_MAX])
{
    size_t  i;

    for (i = 0; i < PARLEY_TEXT_MAX - 1 && words[i] != '\0'; i++) {
        ret[i] = words[i] < 0x20 || words[i] >= 0x7f
                 ? '?' : words[i] == '"' ? '\'' : words[i];
    }

    ret[i] = '\0';
}


void
parley_error_position(parley_str_t text, size_t offset, parley_position_t *ret)
{
    size_t  i;

    ret->line = 1;
    ret->column = 1;

    for (i = 0; i < offset && i < text.len; i++) {

        if (text.data[i] == '\n') {
            ret->line++;
            ret->column = 1;

        } else if ((text.data[i] & 0xC0) != 0x80) {
            ret->column++;
        }
    }
}


const char *
parley_error_place(const parley_error_t *err, parley_str_t text,
    char out[PARLEY_PLACE_MAX])
{
    parley_position_t  place;

    if (err->offset == PARLEY_NO_OFFSET) {
        out[0] = '\0';
        return out;
    }

    parley_error_position(text, err->offset, &place);

    if (err->code == PARLEY_E_JSON_INVALID) {
        (void) snprintf(out, PARLEY_PLACE_MAX, "line %u, column %u",
                        place.line, place.column);

    } else {
        (void) snprintf(out, PARLEY_PLACE_MAX, "line %u", place.line);
    }

    return out;
}


int
parley_error_memory(parley_error_t *err)
{
    return parley_error_set(err, PARLEY_E_CAPACITY, NULL, "out of memory");
}


/*
 * Copies printable text, at most size - 1 octets, without splitting a UTF-8
 * sequence.  dst may be src.
 */
static void
parley_error_copy(char *dst, size_t size, const char *src)
{
    size_t          i, n, len;
    const uint8_t  *p, *end;

    p = (const uint8_t *) src;
    end = p + strlen(src);
    len = 0;

    while (p < end) {
        n = parley_utf8_len(p, end);

        if (len + (n ? n : 1) >= size) {
            break;
        }

        if (n == 0 || (n == 1 && (*p < 0x20 || *p == 0x7F))
            || (n == 2 && parley_utf8_get(p, n) <= 0x9F))
        {
            dst[len++] = '?';
            p += n ? n : 1;
            continue;
        }

        for (i = 0; i < n; i++) {
            dst[len++] = (char) *p++;
        }
    }

    dst[len] = '\0';
}
