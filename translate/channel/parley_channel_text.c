/*
 * The text carrier: a message of another protocol in the text of a frame,
 * which a person can read (docs/mapping/channel.md).
 *
 *     aee.task ops.backup.run
 *     id: 0d9f6a1c-...
 *     corr: ...
 *     act: ...
 *     priority: high
 *     reply_to: ...
 *     requires: {"timeout_ms":5000}
 *     trace: {...}
 *
 *     {"text":"..."}
 *
 * Names and ids that could be taken for something else (control characters,
 * a quotation mark in front, the word null) are JSON strings.
 */

#include "parley_channel.h"
#include "parley_utf8.h"


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
    int  rc;

    memset(ret, 0, sizeof(parley_channel_carrier_t));

    ret->null_reply_to = parley_json_ref_none;
    ret->requires = parley_json_ref_none;
    ret->trace = parley_json_ref_none;

    (void) parley_channel_code_read(&text, &ret->code);

    rc = parley_channel_text_first(arena, seed, &text, ret);
    if (rc != 1) {
        return rc;
    }

    rc = parley_channel_text_lines(arena, seed, &text, ret);
    if (rc != 1 || ret->id.len == 0) {
        return rc == 1 ? 0 : rc;
    }

    rc = parley_channel_text_json(arena, seed, text, &ret->payload);
    if (rc != 1) {
        return rc;
    }

    return parley_json_type(ret->payload.doc, 0) == PARLEY_JSON_OBJECT;
}


/* "<protocol>.<form> <intent>" */

static int
parley_channel_text_first(parley_arena_t *arena, uint64_t seed,
    parley_str_t *text, parley_channel_carrier_t *ret)
{
    parley_str_t    line;
    const uint8_t  *dot, *space;

    /* most texts are no carriers: the longest name of a protocol is short */

    dot = memchr(text->data, '.', text->len < 8 ? text->len : 8);
    if (dot == NULL) {
        return 0;
    }

    ret->origin = parley_proto_find(parley_str_make(text->data,
                                                    (size_t) (dot
                                                              - text->data)));

    if (ret->origin == PARLEY_PROTO_NONE
        || ret->origin == PARLEY_PROTO_CHANNEL)
    {
        return 0;
    }

    line = parley_channel_text_line(text);

    if (line.len < (size_t) (dot - line.data) + 1) {
        return 0;
    }

    line = parley_str_from(line, (size_t) (dot - line.data) + 1);

    space = line.len ? memchr(line.data, ' ', line.len) : NULL;
    if (space == NULL || space == line.data) {
        return 0;
    }

    ret->form = parley_str_make(line.data, (size_t) (space - line.data));
    line = parley_str_from(line, ret->form.len + 1);

    return parley_channel_is_plain(ret->form)
           ? parley_channel_text_word(arena, seed, line, &ret->intent) : 0;
}


/* "name: value" each, in this order, up to the blank line */

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
        { parley_str("reply_to: "), &ret->reply_to, &ret->null_reply_to },
        { parley_str("requires: "), NULL, &ret->requires },
        { parley_str("trace: "), NULL, &ret->trace },
    };

    line = parley_channel_text_line(text);

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {

        if (line.len < lines[i].name.len
            || memcmp(line.data, lines[i].name.data, lines[i].name.len) != 0)
        {
            continue;
        }

        line = parley_str_from(line, lines[i].name.len);

        if (lines[i].json != NULL
            && (lines[i].word == NULL || parley_str_is(line, "null")
                || parley_str_is(line, "\"\"")))
        {
            rc = parley_channel_text_json(arena, seed, line, lines[i].json);

        } else {
            rc = parley_channel_text_word(arena, seed, line, lines[i].word);
        }

        if (rc != 1) {
            return rc;
        }

        line = parley_channel_text_line(text);
    }

    return line.len == 0 && text->len > 0;
}


static int
parley_channel_text_word(parley_arena_t *arena, uint64_t seed,
    parley_str_t line, parley_str_t *ret)
{
    int                rc;
    parley_json_ref_t  value;

    if (line.len == 0 || line.data[0] != '"') {
        *ret = line;
        return line.len > 0 && parley_channel_is_plain(line);
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
