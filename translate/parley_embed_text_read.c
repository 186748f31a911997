/* Reads capsules in texts.  parley_embed_text.h describes their form. */

#include "translate/parley_embed_text.h"
#include "translate/parley_deadline_read.h"
#include "translate/parley_engine.h"
#include "translate/parley_plain.h"


#define PARLEY_EMBED_CODE_MAX  64


static size_t parley_embed_text_gap(parley_str_t text);
static int parley_embed_text_first(parley_arena_t *arena, uint64_t seed,
    const parley_embed_slot_t *slot, parley_str_t *text, parley_embed_t *ret);
static int parley_embed_text_lines(parley_arena_t *arena, uint64_t seed,
    const parley_embed_slot_t *slot, parley_str_t *text, parley_embed_t *ret);
static int parley_embed_text_word(parley_arena_t *arena, uint64_t seed,
    parley_str_t line, parley_str_t *ret);
static int parley_embed_text_json(parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_json_ref_t *ret);
static parley_str_t parley_embed_text_line(parley_str_t *text);


int
parley_embed_text_read(parley_arena_t *arena, uint64_t seed,
    const parley_embed_slot_t *slot, parley_str_t text, parley_embed_t *ret)
{
    int           rc;
    size_t        gap;
    parley_str_t  head;

    parley_embed_init(ret);

    (void) parley_embed_code_read(&text, &ret->code);

    gap = parley_embed_text_gap(text);
    if (gap == 0) {
        return 0;
    }

    head = parley_str_make(text.data, gap - 2);
    ret->payload = parley_str_from(text, gap);

    gap = parley_embed_text_gap(head);

    if (gap > 0) {
        ret->sentence = parley_str_make(head.data, gap - 2);
        head = parley_str_from(head, gap);
    }

    rc = parley_embed_text_first(arena, seed, slot, &head, ret);

    if (rc == 1) {
        rc = parley_embed_text_lines(arena, seed, slot, &head, ret);
    }

    if (rc != 1 || !parley_str_begins(ret->payload, "{")) {
        return rc < 0 ? -1 : 0;
    }

    rc = parley_embed_text_json(arena, seed, ret->payload, &ret->data);
    if (rc != 1) {
        return rc;
    }

    return parley_json_type(ret->data.doc, 0) == PARLEY_JSON_OBJECT;
}


/* Returns the offset after the last blank line of a text, or 0 without one. */

static size_t
parley_embed_text_gap(parley_str_t text)
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
 * Reads "<protocol>.<form> <intent>", or "<protocol>.<form>" if this is also
 * the intent, which AEE does not have.
 */

static int
parley_embed_text_first(parley_arena_t *arena, uint64_t seed,
    const parley_embed_slot_t *slot, parley_str_t *text, parley_embed_t *ret)
{
    parley_str_t    line, proto, form;
    const uint8_t  *dot, *space;

    line = parley_embed_text_line(text);

    dot = line.len > 0 ? memchr(line.data, '.', line.len) : NULL;
    if (dot == NULL) {
        return 0;
    }

    proto = parley_str_make(line.data, (size_t) (dot - line.data));

    ret->origin = parley_proto_find(proto);

    if (ret->origin == PARLEY_PROTO_NONE || ret->origin == slot->proto) {
        return 0;
    }

    form = parley_str_from(line, proto.len + 1);

    space = form.len > 0 ? memchr(form.data, ' ', form.len) : NULL;

    if (space != NULL) {
        form.len = (size_t) (space - form.data);
    }

    if (form.len == 0 || !parley_plain_is_word(form)
        || !parley_embed_is_form(ret->origin, form))
    {
        return 0;
    }

    ret->words[PARLEY_EMBED_FORM] = form;

    if (space == NULL) {

        /*
         * If intents do not begin with the protocol's word, the intent is
         * derived from the form.
         */

        if (parley_str_eq(parley_embed_word(ret->origin), proto)) {
            ret->words[PARLEY_EMBED_INTENT] = line;
        }

        return ret->origin != PARLEY_PROTO_CANONICAL;
    }

    line = parley_str_from(line, proto.len + 1 + form.len + 1);

    return parley_embed_text_word(arena, seed, line,
                                  &ret->words[PARLEY_EMBED_INTENT]);
}


/* Reads the lines "name: value" in the order of the items. */

static int
parley_embed_text_lines(parley_arena_t *arena, uint64_t seed,
    const parley_embed_slot_t *slot, parley_str_t *text, parley_embed_t *ret)
{
    int                         rc;
    unsigned                    i;
    parley_str_t                line;
    const parley_embed_item_t  *item;

    line = parley_embed_text_line(text);

    for (i = 0; i < slot->nitems; i++) {
        item = &slot->items[i];

        if (line.len < item->name.len
            || memcmp(line.data, item->name.data, item->name.len) != 0)
        {
            if (item->required) {
                return 0;
            }

            continue;
        }

        line = parley_str_from(line, item->name.len);

        switch (item->field) {

        case PARLEY_EMBED_REQUIRES:
            rc = parley_embed_text_json(arena, seed, line, &ret->requires);
            ret->timeout_ms = parley_embed_deadline(ret->requires);
            break;

        case PARLEY_EMBED_TRACE:
            rc = parley_embed_text_json(arena, seed, line, &ret->trace);
            break;

        case PARLEY_EMBED_MEMBERS:
            rc = parley_embed_text_json(arena, seed, line, &ret->members);

            /* AEE's members requires and trace have separate lines. */

            if (rc == 1
                && (parley_json_type(ret->members.doc, 0)
                    != PARLEY_JSON_OBJECT
                    || (ret->origin == PARLEY_PROTO_CANONICAL
                        && (ret->requires.node != PARLEY_JSON_NONE
                            || ret->trace.node != PARLEY_JSON_NONE))))
            {
                return 0;
            }

            break;

        default:
            rc = parley_embed_text_word(arena, seed, line,
                                        &ret->words[item->field]);

            if (rc == 1 && item->required
                && ret->words[item->field].len == 0)
            {
                return 0;
            }
        }

        if (rc != 1) {
            return rc;
        }

        line = parley_embed_text_line(text);
    }

    return line.len == 0 && text->len == 0;
}


static int
parley_embed_text_word(parley_arena_t *arena, uint64_t seed,
    parley_str_t line, parley_str_t *ret)
{
    int                rc;
    parley_json_ref_t  value;

    if (line.len == 0 || line.data[0] != '"') {
        *ret = line;
        return line.len > 0 && !parley_str_is(line, "null")
               && parley_plain_is(line);
    }

    rc = parley_embed_text_json(arena, seed, line, &value);
    if (rc != 1) {
        return rc;
    }

    if (parley_json_type(value.doc, 0) != PARLEY_JSON_STRING) {
        return 0;
    }

    return parley_json_string(value.doc, 0, ret) == 0 ? 1 : -1;
}


static int
parley_embed_text_json(parley_arena_t *arena, uint64_t seed,
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


/* Returns the next line.  *text becomes the text after it. */

static parley_str_t
parley_embed_text_line(parley_str_t *text)
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
parley_embed_text_restore(parley_arena_t *arena, parley_msg_t *msg,
    const parley_embed_t *c)
{
    parley_buf_t           b;
    parley_atom_t          name;
    parley_str_t           text;
    parley_json_t         *doc;
    parley_error_t         err;
    const parley_codec_t  *codec;

    codec = parley_codecs[c->origin];

    if (codec->spoken == NULL) {
        return 0;
    }

    name = codec->spoken(msg);

    if (name == PARLEY_ATOM_NONE
        || parley_json_member(c->data.doc, 0, name) != PARLEY_JSON_NONE)
    {
        return 0;
    }

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));
    if (doc == NULL) {
        return -1;
    }

    parley_buf_init(&b, arena, c->sentence.len + c->payload.len + 64);

    parley_buf_octet(&b, '{');
    parley_buf_name(&b, parley_atom_name(name));

    if (codec->spoken_in_parts) {
        parley_buf_lit(&b, "[{\"type\":\"text\",\"text\":");
        parley_buf_json_string(&b, c->sentence);
        parley_buf_lit(&b, "}]");

    } else {
        parley_buf_json_string(&b, c->sentence);
    }

    if (parley_json_node(c->data.doc, 0)->count > 0) {
        parley_buf_octet(&b, ',');
    }

    parley_buf_str(&b, parley_str_from(c->payload, 1));

    if (parley_buf_done(&b, &text) != 0
        || parley_read_again(doc, arena, msg->doc->seed, text, &err) != 0)
    {
        return -1;
    }

    msg->data.doc = doc;
    msg->data.node = 0;

    return 0;
}


/* A fraction of a millisecond counts as one, so that a cap holds. */

int64_t
parley_embed_deadline(parley_json_ref_t requires)
{
    if (requires.node == PARLEY_JSON_NONE) {
        return -1;
    }

    return parley_msg_deadline(requires.doc,
                               parley_json_member(requires.doc, requires.node,
                                                  PARLEY_ATOM_timeout_ms),
                               PARLEY_EMBED_MS_MAX);
}


int
parley_embed_code_read(parley_str_t *text, parley_str_t *ret)
{
    size_t        i;
    uint8_t       c;
    parley_str_t  rest;

    if (!parley_str_begins(*text, "error ")) {
        return 0;
    }

    rest = parley_str_from(*text, sizeof("error ") - 1);

    for (i = 0; i < rest.len && i < PARLEY_EMBED_CODE_MAX; i++) {
        c = rest.data[i];

        if ((c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_') {
            break;
        }
    }

    if (i == 0 || rest.len < i + 2 || rest.data[i] != ':'
        || rest.data[i + 1] != ' ')
    {
        return 0;
    }

    *ret = parley_str_make(rest.data, i);
    *text = parley_str_from(rest, i + 2);

    return 1;
}
