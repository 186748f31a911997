/*
 * Grammar (RFC 9110, sections 5.6, 8.3 and 8.4):
 *
 *   Content-Type: application/vnd.example+json; charset="utf-8"; profile=x
 *   Content-Encoding: identity
 */

#include "http/parley_media.h"


static int parley_media_type(parley_str_t value, parley_error_t *err);
static const uint8_t *parley_media_name(parley_str_t value,
    parley_str_t *ret);
static int parley_media_is_json(parley_str_t type);
static int parley_media_parameters(const uint8_t *p, const uint8_t *end,
    parley_str_t *ret_charset);
static const uint8_t *parley_media_value(const uint8_t *p,
    const uint8_t *end, parley_str_t *ret);
static const uint8_t *parley_media_token(const uint8_t *p,
    const uint8_t *end);
static const uint8_t *parley_media_space(const uint8_t *p,
    const uint8_t *end);
static int parley_media_coding(parley_str_t value, parley_error_t *err);
static int parley_media_word_is(parley_str_t s, parley_str_t word);
static int parley_media_word_begins(parley_str_t s, parley_str_t word);


int
parley_media_header(parley_media_t *media, parley_str_t name,
    parley_str_t value, parley_error_t *err)
{
    if (parley_str_is(name, "content-type")) {

        if (media->typed) {
            return parley_error_set(err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                    "more than one Content-Type");
        }

        media->typed = 1;

        return parley_media_type(value, err);
    }

    if (parley_str_is(name, "content-encoding")) {
        return parley_media_coding(value, err);
    }

    return 0;
}


static int
parley_media_type(parley_str_t value, parley_error_t *err)
{
    parley_str_t    type, charset;
    const uint8_t  *p, *end;

    /* the usual value */

    if (parley_str_is(value, "application/json")) {
        return 0;
    }

    charset = parley_str_none;
    end = value.data + value.len;
    p = parley_media_name(value, &type);

    if (!parley_media_is_json(type)
        || parley_media_parameters(p, end, &charset) != 0)
    {
        return parley_error_set(err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                "the Content-Type is not application/json");
    }

    if (charset.data != NULL
        && !parley_media_word_is(charset, PARLEY_STR("utf-8")))
    {
        return parley_error_set(err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                "the charset of the Content-Type is not "
                                "utf-8");
    }

    return 0;
}


parley_charset_t
parley_media_charset(parley_str_t value)
{
    size_t          i;
    parley_str_t    type, charset;
    const uint8_t  *p, *end;

    /* prefixes of WHATWG encodings that extend ASCII */
    static const parley_str_t  ascii[] = {
        parley_str("us-ascii"), parley_str("ascii"), parley_str("iso-8859-"),
        parley_str("latin1"), parley_str("windows-125")
    };

    p = value.len != 0 ? memchr(value.data, ';', value.len) : NULL;

    if (p == NULL) {
        return PARLEY_CHARSET_UTF8;
    }

    /* the usual parameter of an answer */

    end = value.data + value.len;
    charset = parley_str_make(p, (size_t) (end - p));

    if (parley_str_is(charset, "; charset=utf-8")
        || parley_str_is(charset, ";charset=utf-8"))
    {
        return PARLEY_CHARSET_UTF8;
    }

    charset = parley_str_none;
    p = parley_media_name(value, &type);

    /* the first charset counts, even if a malformed parameter follows */

    (void) parley_media_parameters(p, end, &charset);

    if (charset.len == 0
        || parley_media_word_is(charset, PARLEY_STR("utf-8"))
        || parley_media_word_is(charset, PARLEY_STR("utf8")))
    {
        return PARLEY_CHARSET_UTF8;
    }

    for (i = 0; i < sizeof(ascii) / sizeof(ascii[0]); i++) {
        if (parley_media_word_begins(charset, ascii[i])) {
            return PARLEY_CHARSET_ASCII;
        }
    }

    return PARLEY_CHARSET_OTHER;
}


/* Takes the type and the subtype.  Returns the position of the parameters. */
static const uint8_t *
parley_media_name(parley_str_t value, parley_str_t *ret)
{
    const uint8_t  *p, *end;

    end = value.data + value.len;
    p = parley_media_token(value.data, end);

    if (p < end && *p == '/') {
        p = parley_media_token(p + 1, end);
    }

    *ret = parley_str_make(value.data, (size_t) (p - value.data));

    return p;
}


static int
parley_media_is_json(parley_str_t type)
{
    static const parley_str_t  prefix = parley_str("application/");
    static const parley_str_t  suffix = parley_str("+json");

    if (type.len <= prefix.len
        || !parley_media_word_is(parley_str_make(type.data, prefix.len),
                                 prefix))
    {
        return 0;
    }

    type = parley_str_from(type, prefix.len);

    return parley_media_word_is(type, PARLEY_STR("json"))
           || (type.len > suffix.len
               && parley_media_word_is(parley_str_from(type, type.len
                                                             - suffix.len),
                                       suffix));
}


/* Returns -1 if a parameter is malformed or a second charset. */
static int
parley_media_parameters(const uint8_t *p, const uint8_t *end,
    parley_str_t *ret_charset)
{
    parley_str_t    name, value;
    const uint8_t  *start;

    for ( ;; ) {
        p = parley_media_space(p, end);

        if (p == end) {
            return 0;
        }

        if (*p++ != ';') {
            return -1;
        }

        p = parley_media_space(p, end);
        start = p;
        p = parley_media_token(p, end);
        name = parley_str_make(start, (size_t) (p - start));

        if (name.len == 0) {
            /* a trailing semicolon */
            continue;
        }

        if (p == end || *p++ != '=') {
            return -1;
        }

        p = parley_media_value(p, end, &value);
        if (p == NULL) {
            return -1;
        }

        if (parley_media_word_is(name, PARLEY_STR("charset"))) {

            if (ret_charset->data != NULL) {
                return -1;
            }

            *ret_charset = value;
        }
    }
}


/*
 * Reads a token, or a quoted string, whose quoted pairs stay.  Returns its end,
 * or NULL if it is neither.
 */
static const uint8_t *
parley_media_value(const uint8_t *p, const uint8_t *end, parley_str_t *ret)
{
    const uint8_t  *start;

    start = p;

    if (p == end || *p != '"') {
        p = parley_media_token(p, end);
        *ret = parley_str_make(start, (size_t) (p - start));
        return ret->len > 0 ? p : NULL;
    }

    for (p = ++start; p < end && *p != '"'; p++) {

        if (*p == '\\' && ++p == end) {
            return NULL;
        }
    }

    if (p == end) {
        return NULL;
    }

    *ret = parley_str_make(start, (size_t) (p - start));

    return p + 1;
}


static const uint8_t *
parley_media_token(const uint8_t *p, const uint8_t *end)
{
    for ( /* void */ ; p < end; p++) {
        if (*p <= 0x20 || *p >= 0x7F
            || strchr("()<>@,;:\\\"/[]?={}", *p) != NULL)
        {
            break;
        }
    }

    return p;
}


static const uint8_t *
parley_media_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }

    return p;
}


static int
parley_media_coding(parley_str_t value, parley_error_t *err)
{
    const uint8_t  *p, *end, *start, *last;

    p = value.data;
    end = p + value.len;

    while (p < end) {
        start = parley_media_space(p, end);

        for (p = start; p < end && *p != ','; p++) { /* void */ }

        for (last = p; last > start && last[-1] <= ' '; last--) { /* void */ }

        if (last > start
            && !parley_media_word_is(parley_str_make(start,
                                                     (size_t) (last - start)),
                                     PARLEY_STR("identity")))
        {
            return parley_error_set(err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                                    "the body must not be compressed");
        }

        p += p < end;
    }

    return 0;
}


/* Compares in any case; word is in lower case. */
static int
parley_media_word_is(parley_str_t s, parley_str_t word)
{
    return s.len == word.len && parley_media_word_begins(s, word);
}


static int
parley_media_word_begins(parley_str_t s, parley_str_t word)
{
    size_t   i;
    uint8_t  c;

    if (s.len < word.len) {
        return 0;
    }

    for (i = 0; i < word.len; i++) {
        c = s.data[i];

        if (parley_lower(c) != word.data[i]) {
            return 0;
        }
    }

    return 1;
}
