/* Writes foreign text in a form that is safe for a terminal. */

#include <stdlib.h>

#include "tools/parley_tool.h"
#include "core/parley_utf8.h"


#define PARLEY_SHOW_FEW  1024   /* octets of a text that take no allocation */


static uint32_t tool_show_point(const uint8_t *p, size_t n);
static int tool_show_is_hidden(uint32_t c);


void
tool_show(FILE *f, parley_str_t s)
{
    size_t          n;
    uint32_t        c;
    const uint8_t  *p, *end;

    if (s.len == 0) {
        return;
    }

    end = s.data + s.len;

    for (p = s.data; p < end; p += n) {

        n = parley_utf8_len(p, end);

        if (n == 0) {
            fprintf(f, "\\x%02X", *p);
            n = 1;
            continue;
        }

        c = tool_show_point(p, n);

        if (tool_show_is_hidden(c)) {
            fprintf(f, "\\u{%04X}", (unsigned) c);

        } else {
            (void) fwrite(p, 1, n, f);
        }
    }
}


int
tool_show_is_text(parley_str_t s)
{
    size_t          n;
    const uint8_t  *p, *end;

    if (s.len == 0) {
        return 1;
    }

    end = s.data + s.len;

    for (p = s.data; p < end; p += n) {

        n = parley_utf8_len(p, end);

        if (n == 0 || parley_utf8_is_noncharacter(parley_utf8_get(p, n))) {
            return 0;
        }
    }

    return 1;
}


void
tool_show_json(FILE *f, parley_str_t s)
{
    size_t          n;
    uint32_t        c;
    const uint8_t  *p, *end;

    if (s.len == 0) {
        return;
    }

    end = s.data + s.len;

    for (p = s.data; p < end; p += n) {

        n = parley_utf8_len(p, end);
        c = n > 1 ? tool_show_point(p, n) : *p;

        if (n == 0) {
            n = 1;
        }

        if (c >= 0x7F && tool_show_is_hidden(c)) {
            fprintf(f, "\\u%04X", (unsigned) c);

        } else {
            (void) fwrite(p, 1, n, f);
        }
    }
}


void
tool_show_args(FILE *f, const char *fmt, va_list args)
{
    int      n;
    char     few[PARLEY_SHOW_FEW], *text;
    va_list  again;

    va_copy(again, args);
    n = vsnprintf(few, sizeof(few), fmt, args);
    text = NULL;

    if (n >= (int) sizeof(few)) {
        text = malloc((size_t) n + 1);

        if (text != NULL) {
            (void) vsnprintf(text, (size_t) n + 1, fmt, again);
        }
    }

    va_end(again);

    if (n > 0) {
        tool_show(f, parley_str_c(text != NULL ? text : few));
    }

    free(text);
}


void
tool_show_format(FILE *f, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    tool_show_args(f, fmt, args);
    va_end(args);
}


/* Returns the code point of a well-formed sequence of n octets. */

static uint32_t
tool_show_point(const uint8_t *p, size_t n)
{
    size_t    i;
    uint32_t  c;

    static const uint8_t  first[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };

    c = p[0] & first[n];

    for (i = 1; i < n; i++) {
        c = c << 6 | (p[i] & 0x3F);
    }

    return c;
}


/*
 * Returns whether a character is a control character, ends a line, or changes
 * the direction of the text around it.
 */

static int
tool_show_is_hidden(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C
           || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E)
           || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}
