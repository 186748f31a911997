/*
 * Translates ECMA-262 regular expressions (section 22.2.1, with the u flag) to
 * PCRE2.  PCRE2 features beyond ECMA-262 (verbs, recursion, inline options,
 * possessive quantifiers) are refused, so that a schema means the same
 * everywhere.
 */

#include "core/parley_hex.h"
#include "schemas/parley_schema_pattern.h"

#include <stdio.h>


#define PARLEY_SCHEMA_PROPERTY_MAX    64

#define PARLEY_SCHEMA_ESCAPE_UNKNOWN                                          \
    "escape that ECMA-262 does not know"

/* WhiteSpace and LineTerminator, and their complement, inside a class */
#define PARLEY_SCHEMA_SPACE                                                   \
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}"        \
    "\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define PARLEY_SCHEMA_NO_SPACE                                                \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}"             \
    "\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"               \
    "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}"               \
    "\\x{ff00}-\\x{10ffff}"


typedef struct {
    parley_buf_t   *b;
    const uint8_t  *start;
    const uint8_t  *p;
    const uint8_t  *end;
    unsigned        in_class:1;
    unsigned        repeated:1;     /* the last token was a quantifier */
} parley_schema_ecma_t;


static const char *parley_schema_ecma_term(parley_schema_ecma_t *e);
static const char *parley_schema_ecma_group(parley_schema_ecma_t *e);
static const char *parley_schema_ecma_quantifier(parley_schema_ecma_t *e,
    size_t len);
static size_t parley_schema_ecma_braces(const parley_schema_ecma_t *e);
static const char *parley_schema_ecma_class(parley_schema_ecma_t *e);
static const char *parley_schema_ecma_escape(parley_schema_ecma_t *e);
static const char *parley_schema_ecma_letter(parley_schema_ecma_t *e,
    uint8_t c);
static void parley_schema_ecma_space(parley_schema_ecma_t *e, uint8_t c);
static const char *parley_schema_ecma_place(parley_schema_ecma_t *e,
    uint8_t c);
static const char *parley_schema_ecma_backref(parley_schema_ecma_t *e);
static const char *parley_schema_ecma_unicode(parley_schema_ecma_t *e);
static const char *parley_schema_ecma_property(parley_schema_ecma_t *e,
    uint8_t p);
static int parley_schema_ecma_hex(parley_schema_ecma_t *e, int digits,
    uint32_t *ret);
static void parley_schema_ecma_char(parley_schema_ecma_t *e, uint32_t cp);


static const struct {
    const char  *name;
    const char  *value;
} parley_schema_categories[] = {
    { "Cased_Letter", "L&" },
    { "Close_Punctuation", "Pe" },
    { "Combining_Mark", "M" },
    { "Connector_Punctuation", "Pc" },
    { "Control", "Cc" },
    { "Currency_Symbol", "Sc" },
    { "Dash_Punctuation", "Pd" },
    { "Decimal_Number", "Nd" },
    { "Enclosing_Mark", "Me" },
    { "Final_Punctuation", "Pf" },
    { "Format", "Cf" },
    { "Initial_Punctuation", "Pi" },
    { "LC", "L&" },
    { "Letter", "L" },
    { "Letter_Number", "Nl" },
    { "Line_Separator", "Zl" },
    { "Lowercase_Letter", "Ll" },
    { "Mark", "M" },
    { "Math_Symbol", "Sm" },
    { "Modifier_Letter", "Lm" },
    { "Modifier_Symbol", "Sk" },
    { "Nonspacing_Mark", "Mn" },
    { "Number", "N" },
    { "Open_Punctuation", "Ps" },
    { "Other", "C" },
    { "Other_Letter", "Lo" },
    { "Other_Number", "No" },
    { "Other_Punctuation", "Po" },
    { "Other_Symbol", "So" },
    { "Paragraph_Separator", "Zp" },
    { "Private_Use", "Co" },
    { "Punctuation", "P" },
    { "Separator", "Z" },
    { "Space_Separator", "Zs" },
    { "Spacing_Mark", "Mc" },
    { "Surrogate", "Cs" },
    { "Symbol", "S" },
    { "Titlecase_Letter", "Lt" },
    { "Unassigned", "Cn" },
    { "Uppercase_Letter", "Lu" },
    { "cntrl", "Cc" },
    { "digit", "Nd" },
    { "punct", "P" }
};


const char *
parley_schema_ecma(parley_buf_t *b, parley_str_t source, size_t *ret_offset)
{
    const char            *why;
    parley_schema_ecma_t   e = { b, source.data, source.data,
                                 source.data + source.len, 0, 0 };

    why = NULL;

    while (why == NULL && e.p < e.end) {
        *ret_offset = (size_t) (e.p - e.start);
        why = parley_schema_ecma_term(&e);
    }

    return why;
}


static const char *
parley_schema_ecma_term(parley_schema_ecma_t *e)
{
    size_t   n;
    uint8_t  c;

    c = *e->p;

    switch (c) {

    case '*':
    case '+':
    case '?':
        return parley_schema_ecma_quantifier(e, 1);

    case '{':
        n = parley_schema_ecma_braces(e);

        if (n != 0) {
            return parley_schema_ecma_quantifier(e, n);
        }

        e->p++;
        e->repeated = 0;
        parley_buf_lit(e->b, "\\{");
        return NULL;
    }

    e->repeated = 0;

    switch (c) {

    case '\\':
        return parley_schema_ecma_escape(e);

    case '[':
        return parley_schema_ecma_class(e);

    case '(':
        return parley_schema_ecma_group(e);

    case '.':
        e->p++;
        parley_buf_lit(e->b, "[^\\n\\r\\x{2028}\\x{2029}]");
        return NULL;
    }

    e->p++;
    parley_buf_octet(e->b, c);

    return NULL;
}


static const char *
parley_schema_ecma_group(parley_schema_ecma_t *e)
{
    size_t        i;
    parley_str_t  rest;

    static const char  *const openings[] = {
        "(?:", "(?=", "(?!", "(?<=", "(?<!"
    };

    rest = parley_str_make(e->p, (size_t) (e->end - e->p));

    if (parley_str_begins(rest, "(*")) {
        return "nothing to repeat";
    }

    if (!parley_str_begins(rest, "(?")) {
        parley_buf_octet(e->b, '(');
        e->p++;
        return NULL;
    }

    for (i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
        if (rest.len >= strlen(openings[i])
            && memcmp(rest.data, openings[i], strlen(openings[i])) == 0)
        {
            parley_buf_put(e->b, rest.data, strlen(openings[i]));
            e->p += strlen(openings[i]);
            return NULL;
        }
    }

    if (parley_str_begins(rest, "(?<")) {
        parley_buf_lit(e->b, "(?<");
        e->p += 3;
        return NULL;
    }

    return "invalid group";
}


/* Copies a quantifier of len octets at p, and a lazy "?" after it. */
static const char *
parley_schema_ecma_quantifier(parley_schema_ecma_t *e, size_t len)
{
    if (e->repeated) {
        return "nothing to repeat";
    }

    parley_buf_put(e->b, e->p, len);
    e->p += len;

    if (e->p < e->end && *e->p == '?') {
        parley_buf_octet(e->b, '?');
        e->p++;
    }

    e->repeated = 1;

    return NULL;
}


/* Returns the length of {n}, {n,} or {n,m} at p, or 0. */
static size_t
parley_schema_ecma_braces(const parley_schema_ecma_t *e)
{
    const uint8_t  *p, *digits;

    p = e->p + 1;

    for (digits = p; p < e->end && *p >= '0' && *p <= '9'; p++) { /* void */ }

    if (p == digits) {
        return 0;
    }

    if (p < e->end && *p == ',') {
        for (p++; p < e->end && *p >= '0' && *p <= '9'; p++) { /* void */ }
    }

    return (p < e->end && *p == '}') ? (size_t) (p + 1 - e->p) : 0;
}


static const char *
parley_schema_ecma_class(parley_schema_ecma_t *e)
{
    const char    *why;
    parley_str_t   rest;

    rest = parley_str_make(e->p, (size_t) (e->end - e->p));

    if (parley_str_begins(rest, "[]")) {
        parley_buf_lit(e->b, "(?!)");
        e->p += 2;
        return NULL;
    }

    if (parley_str_begins(rest, "[^]")) {
        parley_buf_lit(e->b, "[\\x{0}-\\x{10ffff}]");
        e->p += 3;
        return NULL;
    }

    parley_buf_octet(e->b, '[');
    e->p++;

    if (e->p < e->end && *e->p == '^') {
        parley_buf_octet(e->b, '^');
        e->p++;
    }

    e->in_class = 1;

    while (e->p < e->end && *e->p != ']') {

        if (*e->p == '\\') {
            why = parley_schema_ecma_escape(e);
            if (why != NULL) {
                return why;
            }

            continue;
        }

        if (*e->p == '[') {
            parley_buf_octet(e->b, '\\');
        }

        parley_buf_octet(e->b, *e->p++);
    }

    e->in_class = 0;

    if (e->p == e->end) {
        return "unterminated character class";
    }

    parley_buf_octet(e->b, ']');
    e->p++;

    return NULL;
}


static const char *
parley_schema_ecma_escape(parley_schema_ecma_t *e)
{
    uint8_t      c;
    const char  *why;

    e->p++;

    if (e->p == e->end) {
        return "\\ at the end";
    }

    c = *e->p;

    if (c >= '1' && c <= '9') {
        return parley_schema_ecma_backref(e);
    }

    e->p++;

    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '0') {
        why = parley_schema_ecma_letter(e, c);

        /* a class escape must not start a range */

        if (why == NULL && e->in_class && strchr("dDwWsSpP", c) != NULL
            && e->p < e->end && *e->p == '-')
        {
            parley_buf_lit(e->b, "\\-");
            e->p++;
        }

        return why;
    }

    if (c < 0x80) {
        parley_schema_ecma_char(e, c);
        return NULL;
    }

    parley_buf_octet(e->b, c);

    return NULL;
}


static const char *
parley_schema_ecma_letter(parley_schema_ecma_t *e, uint8_t c)
{
    uint32_t  cp;

    static const char  controls[] = "t\tn\nv\vf\fr\r";

    switch (c) {

    case 'd':
    case 'D':
    case 'w':
    case 'W':
        parley_buf_octet(e->b, '\\');
        parley_buf_octet(e->b, c);
        return NULL;

    case 's':
    case 'S':
        parley_schema_ecma_space(e, c);
        return NULL;

    case 'b':
    case 'B':
    case 'k':
        return parley_schema_ecma_place(e, c);

    case 't':
    case 'n':
    case 'v':
    case 'f':
    case 'r':
        parley_schema_ecma_char(e, (uint8_t) strchr(controls, c)[1]);
        return NULL;

    case '0':
        if (e->p < e->end && *e->p >= '0' && *e->p <= '9') {
            return "octal escape";
        }

        parley_schema_ecma_char(e, 0);
        return NULL;

    case 'c':
        if (e->p == e->end || (*e->p | 0x20) < 'a' || (*e->p | 0x20) > 'z') {
            return "\\c without a letter";
        }

        parley_schema_ecma_char(e, *e->p++ & 0x1F);
        return NULL;

    case 'x':
        if (parley_schema_ecma_hex(e, 2, &cp) != 0) {
            return "\\x without two hex digits";
        }

        parley_schema_ecma_char(e, cp);
        return NULL;

    case 'u':
        return parley_schema_ecma_unicode(e);

    case 'p':
    case 'P':
        return parley_schema_ecma_property(e, c);
    }

    return PARLEY_SCHEMA_ESCAPE_UNKNOWN;
}


/* \s and \S: PCRE2 has fewer white space characters. */
static void
parley_schema_ecma_space(parley_schema_ecma_t *e, uint8_t c)
{
    if (e->in_class) {
        parley_buf_str(e->b, (c == 's') ? PARLEY_STR(PARLEY_SCHEMA_SPACE)
                                        : PARLEY_STR(PARLEY_SCHEMA_NO_SPACE));
        return;
    }

    parley_buf_str(e->b, (c == 's')
                         ? PARLEY_STR("[" PARLEY_SCHEMA_SPACE "]")
                         : PARLEY_STR("[^" PARLEY_SCHEMA_SPACE "]"));
}


/* \b and \B, \k<name>; \b in a class is a backspace. */
static const char *
parley_schema_ecma_place(parley_schema_ecma_t *e, uint8_t c)
{
    if (e->in_class) {
        if (c != 'b') {
            return PARLEY_SCHEMA_ESCAPE_UNKNOWN;
        }

        parley_schema_ecma_char(e, '\b');
        return NULL;
    }

    if (c == 'k' && (e->p == e->end || *e->p != '<')) {
        return PARLEY_SCHEMA_ESCAPE_UNKNOWN;
    }

    parley_buf_octet(e->b, '\\');
    parley_buf_octet(e->b, c);

    return NULL;
}


static const char *
parley_schema_ecma_backref(parley_schema_ecma_t *e)
{
    if (e->in_class) {
        return "back reference in a character class";
    }

    parley_buf_lit(e->b, "\\g{");

    while (e->p < e->end && *e->p >= '0' && *e->p <= '9') {
        parley_buf_octet(e->b, *e->p++);
    }

    parley_buf_octet(e->b, '}');

    return NULL;
}


/* After \u: four digits, two surrogates of four each, or {...}. */
static const char *
parley_schema_ecma_unicode(parley_schema_ecma_t *e)
{
    uint32_t  cp, low;

    if (e->p < e->end && *e->p == '{') {
        e->p++;
        cp = 0;

        if (parley_schema_ecma_hex(e, 0, &cp) != 0 || e->p == e->end
            || *e->p++ != '}')
        {
            return "invalid \\u escape";
        }

    } else if (parley_schema_ecma_hex(e, 4, &cp) != 0) {
        return "\\u without four hex digits";
    }

    if (cp >= 0xD800 && cp < 0xDC00 && e->end - e->p >= 6
        && e->p[0] == '\\' && e->p[1] == 'u')
    {
        e->p += 2;

        if (parley_schema_ecma_hex(e, 4, &low) != 0 || low < 0xDC00
            || low > 0xDFFF)
        {
            return "lone surrogate";
        }

        cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
    }

    if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF)) {
        return "no character";
    }

    parley_schema_ecma_char(e, cp);

    return NULL;
}


/* \p{Name} and \p{Key=Name}: PCRE2 knows categories by their short names. */
static const char *
parley_schema_ecma_property(parley_schema_ecma_t *e, uint8_t p)
{
    char     text[PARLEY_SCHEMA_PROPERTY_MAX], *name;
    size_t   i, n;
    uint8_t  c;

    if (e->p == e->end || *e->p++ != '{') {
        return "\\p without a name in braces";
    }

    for (n = 0; e->p < e->end && *e->p != '}'; n++) {
        c = *e->p++;

        if (n + 1 == sizeof(text)
            || !(c == '_' || c == '=' || (c >= '0' && c <= '9')
                 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
        {
            return "invalid property name";
        }

        text[n] = (char) c;
    }

    if (e->p++ == e->end || n == 0) {
        return "invalid property name";
    }

    text[n] = '\0';
    name = strchr(text, '=');

    if (name != NULL
        && (strncmp(text, "gc=", 3) == 0
            || strncmp(text, "General_Category=", 17) == 0))
    {
        name++;

    } else {
        name = text;
    }

    parley_buf_octet(e->b, '\\');
    parley_buf_octet(e->b, p);
    parley_buf_octet(e->b, '{');

    for (i = 0; i < sizeof(parley_schema_categories)
                    / sizeof(parley_schema_categories[0]); i++)
    {
        if (strcmp(parley_schema_categories[i].name, name) == 0) {
            name = text;
            strcpy(text, parley_schema_categories[i].value);
            break;
        }
    }

    parley_buf_put(e->b, name, strlen(name));
    parley_buf_octet(e->b, '}');

    return NULL;
}


/* Reads that many hexadecimal digits; 0: one to six. */
static int
parley_schema_ecma_hex(parley_schema_ecma_t *e, int digits, uint32_t *ret)
{
    int  n, max, digit;

    max = digits ? digits : 6;
    *ret = 0;

    for (n = 0; n < max && e->p < e->end; n++, e->p++) {
        digit = parley_hex_digit(*e->p);

        if (digit < 0) {
            break;
        }

        *ret = *ret << 4 | (unsigned) digit;
    }

    return (n == digits || (digits == 0 && n != 0)) ? 0 : -1;
}


static void
parley_schema_ecma_char(parley_schema_ecma_t *e, uint32_t cp)
{
    int   n;
    char  text[16];

    n = snprintf(text, sizeof(text), "\\x{%x}", (unsigned) cp);

    parley_buf_put(e->b, text, (size_t) n);
}
