/*
 * The text carrier: a message of another protocol in the text of a frame,
 * which a person can read (docs/mapping/channel.md).
 *
 *     The words that a person reads first, where the message has any.
 *
 *     aee.task ops.backup.run
 *     id: 0d9f6a1c-...
 *     corr: ...
 *     act: ...
 *     priority: high
 *     reply_to: ...
 *     requires: {"timeout_ms":5000}
 *     trace: {...}
 *     members: {...}
 *
 *     {"n":1}
 *
 * It is read from its end, where no words can stand: the payload has no line
 * break, the lines before it no blank line.  Names and ids that could be taken
 * for something else (control characters, a quotation mark in front, the word
 * null) are JSON strings.
 */

#include "parley_channel.h"
#include "parley_utf8.h"


static size_t parley_channel_text_gap(parley_str_t text);
static int parley_channel_text_first(parley_arena_t *arena, uint64_t seed,
    parley_str_t *text, parley_channel_carrier_t *ret);
static int parley_channel_text_lines(parley_arena_t *arena, uint64_t seed,
    parley_str_t *text, parley_channel_carrier_t *ret);
static int parley_channel_text_word(parley_arena_t *arena, uint64_t seed,
    parley_str_t line, parley_str_t *ret);
static int parley_channel_text_json(parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_json_ref_t *ret);
static parley_str_t parley_channel_text_line(parley_str_t *text);


int
parley_channel_text_read(parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_channel_carrier_t *ret)
{
    int           rc;
    size_t        gap;
    parley_str_t  head, payload;

    memset(ret, 0, sizeof(parley_channel_carrier_t));

    ret->requires = parley_json_ref_none;
    ret->trace = parley_json_ref_none;
    ret->members = parley_json_ref_none;

    (void) parley_channel_code_read(&text, &ret->code);

    gap = parley_channel_text_gap(text);
    if (gap == 0) {
        return 0;
    }

    head = parley_str_make(text.data, gap - 2);
    payload = parley_str_from(text, gap);

    gap = parley_channel_text_gap(head);

    if (gap > 0) {
        ret->words = parley_str_make(head.data, gap - 2);
        head = parley_str_from(head, gap);
    }

    rc = parley_channel_text_first(arena, seed, &head, ret);
    if (rc != 1) {
        return rc;
    }

    rc = parley_channel_text_lines(arena, seed, &head, ret);
    if (rc != 1 || ret->id.len == 0 || payload.len == 0
        || payload.data[0] != '{')
    {
        return rc == 1 ? 0 : rc;
    }

    ret->text = payload;

    rc = parley_channel_text_json(arena, seed, payload, &ret->payload);
    if (rc != 1) {
        return rc;
    }

    return parley_json_type(ret->payload.doc, 0) == PARLEY_JSON_OBJECT;
}


/* Where the text behind its last blank line begins; 0: there is none. */

static size_t
parley_channel_text_gap(parley_str_t text)
{
    size_t  i;

    for (i = text.len; i >= 2; i--) {
        if (text.data[i - 1] == '\n' && text.data[i - 2] == '\n') {
            return i;
        }
    }

    return 0;
}


/*
 * "<protocol>.<form> <intent>", or "<protocol>.<form>" where that is the
 * intent as well, which it never is in AEE
 */

static int
parley_channel_text_first(parley_arena_t *arena, uint64_t seed,
    parley_str_t *text, parley_channel_carrier_t *ret)
{
    parley_str_t    line, proto;
    const uint8_t  *dot, *space;

    line = parley_channel_text_line(text);

    dot = line.len > 0 ? memchr(line.data, '.', line.len) : NULL;
    if (dot == NULL) {
        return 0;
    }

    proto = parley_str_make(line.data, (size_t) (dot - line.data));

    ret->origin = parley_proto_find(proto);

    if (ret->origin == PARLEY_PROTO_NONE
        || ret->origin == PARLEY_PROTO_CHANNEL)
    {
        return 0;
    }

    ret->form = parley_str_from(line, proto.len + 1);

    space = ret->form.len > 0 ? memchr(ret->form.data, ' ', ret->form.len)
                              : NULL;

    if (space != NULL) {
        ret->form.len = (size_t) (space - ret->form.data);
    }

    if (ret->form.len == 0 || !parley_channel_is_plain(ret->form)) {
        return 0;
    }

    if (space == NULL) {
        ret->intent = line;
        return ret->origin != PARLEY_PROTO_AEE;
    }

    line = parley_str_from(line, proto.len + 1 + ret->form.len + 1);

    return parley_channel_text_word(arena, seed, line, &ret->intent);
}


/* "name: value" each, in this order */

static int
parley_channel_text_lines(parley_arena_t *arena, uint64_t seed,
    parley_str_t *text, parley_channel_carrier_t *ret)
{
    int           rc;
    unsigned      i;
    parley_str_t  line;

    const struct {
        parley_str_t        name;
        parley_str_t       *word;
        parley_json_ref_t  *json;
    } lines[] = {
        { parley_str("id: "), &ret->id, NULL },
        { parley_str("corr: "), &ret->corr, NULL },
        { parley_str("act: "), &ret->act, NULL },
        { parley_str("priority: "), &ret->priority, NULL },
        { parley_str("reply_to: "), &ret->reply_to, NULL },
        { parley_str("requires: "), NULL, &ret->requires },
        { parley_str("trace: "), NULL, &ret->trace },
        { parley_str("members: "), NULL, &ret->members },
    };

    line = parley_channel_text_line(text);

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {

        if (line.len < lines[i].name.len
            || memcmp(line.data, lines[i].name.data, lines[i].name.len) != 0)
        {
            continue;
        }

        line = parley_str_from(line, lines[i].name.len);

        rc = lines[i].word != NULL
             ? parley_channel_text_word(arena, seed, line, lines[i].word)
             : parley_channel_text_json(arena, seed, line, lines[i].json);

        if (rc != 1) {
            return rc;
        }

        line = parley_channel_text_line(text);
    }

    return line.len == 0 && text->len == 0;
}


static int
parley_channel_text_word(parley_arena_t *arena, uint64_t seed,
    parley_str_t line, parley_str_t *ret)
{
    int                rc;
    parley_json_ref_t  value;

    if (line.len == 0 || line.data[0] != '"') {
        *ret = line;
        return line.len > 0 && !parley_str_is(line, "null")
               && parley_channel_is_plain(line);
    }

    rc = parley_channel_text_json(arena, seed, line, &value);
    if (rc != 1) {
        return rc;
    }

    if (parley_json_type(value.doc, 0) != PARLEY_JSON_STRING) {
        return 0;
    }

    return parley_json_string(value.doc, 0, ret) == 0 ? 1 : -1;
}


static int
parley_channel_text_json(parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_json_ref_t *ret)
{
    parley_json_t   *doc;
    parley_error_t   err;

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));
    if (doc == NULL) {
        return -1;
    }

    if (parley_json_read(doc, arena, NULL, seed, text, &err) != 0) {
        return err.code == PARLEY_E_CAPACITY ? -1 : 0;
    }

    ret->doc = doc;
    ret->node = 0;

    return 1;
}


/* The next line; text becomes what stands behind it. */

static parley_str_t
parley_channel_text_line(parley_str_t *text)
{
    parley_str_t    line;
    const uint8_t  *end;

    line = *text;

    end = text->len ? memchr(text->data, '\n', text->len) : NULL;

    if (end == NULL) {
        *text = parley_str_none;
        return line;
    }

    line.len = (size_t) (end - text->data);
    *text = parley_str_from(*text, line.len + 1);

    return line;
}


int
parley_channel_is_plain(parley_str_t s)
{
    size_t    i;
    uint64_t  x, del, bad;

    bad = 0;

    /* eight at once: which one it is does not matter */

    for (i = 0; s.len - i >= 8; i += 8) {
        memcpy(&x, s.data + i, 8);

        del = x ^ (PARLEY_UTF8_ONES * 0x7F);

        bad |= (x - PARLEY_UTF8_ONES * 0x20) & ~x;
        bad |= (del - PARLEY_UTF8_ONES) & ~del;
    }

    if (bad & PARLEY_UTF8_HIGHS) {
        return 0;
    }

    for ( /* void */ ; i < s.len; i++) {
        if (s.data[i] < 0x20 || s.data[i] == 0x7F) {
            return 0;
        }
    }

    return 1;
}
