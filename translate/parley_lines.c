#include "translate/parley_lines.h"


static size_t parley_lines_break(parley_str_t s, size_t i);
static int parley_lines_forges(parley_str_t line, const char *begin,
    const char *const *names);
static int parley_lines_begins(parley_str_t line, const char *word,
    size_t *ret);


void
parley_lines_value(parley_buf_t *b, parley_str_t value)
{
    size_t  i, n;

    for (i = 0; i < value.len; i++) {
        n = parley_lines_break(value, i);

        if (n > 0) {
            parley_buf_octet(b, ' ');
            i += n - 1;

        } else if (value.data[i] < 0x20 || value.data[i] == 0x7F) {
            parley_buf_octet(b, ' ');

        } else {
            parley_buf_octet(b, value.data[i]);
        }
    }
}


void
parley_lines_text(parley_buf_t *b, parley_str_t text, const char *begin,
    const char *const *names)
{
    size_t        i, n, start;
    parley_str_t  line;

    if (text.len == 0) {
        parley_buf_octet(b, '\n');
        return;
    }

    start = 0;

    for (i = 0; i <= text.len; i += n ? n : 1) {
        n = i < text.len ? parley_lines_break(text, i) : 1;

        if (n == 0) {
            continue;
        }

        line = parley_str_make(text.data + start, i - start);

        if (parley_lines_forges(line, begin, names)) {
            parley_buf_lit(b, "> ");
        }

        parley_lines_value(b, line);
        parley_buf_octet(b, '\n');

        start = i + n;
    }
}


/*
 * Returns the length of a line break at i, or 0: LF, CR, CR LF, VT, FF, and
 * NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR in UTF-8.
 */

static size_t
parley_lines_break(parley_str_t s, size_t i)
{
    size_t          left;
    const uint8_t  *p;

    p = s.data + i;
    left = s.len - i;

    if (p[0] == '\r') {
        return left > 1 && p[1] == '\n' ? 2 : 1;
    }

    if (p[0] >= '\n' && p[0] <= '\f') {
        return 1;
    }

    if (p[0] == 0xC2 && left > 1 && p[1] == 0x85) {
        return 2;
    }

    return p[0] == 0xE2 && left > 2 && p[1] == 0x80
           && (p[2] == 0xA8 || p[2] == 0xA9) ? 3 : 0;
}


/*
 * Returns whether a line resembles a line of the host.  Case and all characters
 * before the first letter are ignored.
 */

static int
parley_lines_forges(parley_str_t line, const char *begin,
    const char *const *names)
{
    size_t    i, end;
    unsigned  k;

    for (i = 0; i < line.len; i++) {
        if ((line.data[i] | 0x20) >= 'a' && (line.data[i] | 0x20) <= 'z') {
            break;
        }
    }

    if (i == line.len || parley_str_begins(line, "> ")) {
        return 0;
    }

    line = parley_str_from(line, i);

    if (parley_lines_begins(line, begin, &end)) {
        return 1;
    }

    for (k = 0; names[k] != NULL; k++) {

        if (!parley_lines_begins(line, names[k], &end)) {
            continue;
        }

        while (end < line.len
               && (line.data[end] <= ' ' || line.data[end] >= 0x7F))
        {
            end++;
        }

        if (end == line.len || line.data[end] == ':') {
            return 1;
        }
    }

    return 0;
}


/*
 * Returns whether a line begins with a whole word.  *ret is the offset after
 * it.
 */

static int
parley_lines_begins(parley_str_t line, const char *word, size_t *ret)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; word[i] != '\0'; i++) {

        c = i < line.len ? line.data[i] : 0;

        if (c >= 'A' && c <= 'Z') {
            c |= 0x20;
        }

        if (c != (uint8_t) word[i]) {
            return 0;
        }
    }

    *ret = i;

    c = i < line.len ? (uint8_t) (line.data[i] | 0x20) : 0;

    return !(c >= 'a' && c <= 'z') && c != ('_' | 0x20);
}
