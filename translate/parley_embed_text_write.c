/* Writes capsules as texts (parley_embed_text.h). */

#include "translate/parley_embed_text.h"
#include "translate/parley_engine.h"
#include "translate/parley_plain.h"
#include "translate/parley_msg_field.h"


#define PARLEY_EMBED_CODE_MAX  64

#define PARLEY_EMBED_SHORT     65536    /* octets: a shorter text has no string,
                                           array or object that is too long for
                                           a reader */


static int parley_embed_text_reread(const parley_embed_text_t *t);
static int parley_embed_text_words(parley_embed_text_t *t);
static int parley_embed_text_finds_member(const parley_embed_text_t *t,
    const parley_codec_t *codec);
static int parley_embed_text_first(parley_embed_text_t *t, parley_buf_t *b);
static int parley_embed_text_lines(parley_embed_text_t *t, parley_buf_t *b);
static int parley_embed_text_act(const parley_embed_text_t *t,
    parley_act_t *ret);
static void parley_embed_text_line(parley_buf_t *b,
    const parley_embed_item_t *item);
static int parley_embed_text_requires(parley_embed_text_t *t,
    parley_buf_t *b, const parley_embed_item_t *item);
static int parley_embed_text_object(parley_embed_text_t *t, parley_buf_t *b,
    const parley_embed_item_t *item, parley_json_ref_t value);
static int parley_embed_text_members(parley_embed_text_t *t,
    parley_buf_t *b, const parley_embed_item_t *item);
static void parley_embed_text_word(parley_buf_t *b, parley_str_t word);


int
parley_embed_text_write(parley_embed_text_t *t)
{
    size_t        size;
    parley_buf_t  b;

    t->deep = 0;
    t->timeout_ms = -1;

    /* Half as much again is enough: most octets of a payload need no escape. */

    size = t->m->doc->input.len;

    parley_buf_init(&b, t->arena, size + size / 2 + 128);

    if (t->m->act == PARLEY_ACT_FAILURE) {
        parley_buf_lit(&b, "error ");
        parley_embed_code_write(&b, t->m->code);
        parley_buf_lit(&b, ": ");
    }

    if (parley_embed_text_words(t) != 0) {
        return parley_error_memory(t->err);
    }

    if (t->words.len > 0) {
        parley_buf_json_text(&b, t->words);
        parley_buf_lit(&b, "\\n\\n");
    }

    if (parley_embed_text_first(t, &b) != 0
        || parley_embed_text_lines(t, &b) != 0)
    {
        return -1;
    }

    parley_buf_lit(&b, "\\n\\n");

    if (parley_embed_text_data(t, &b) != 0) {
        return -1;
    }

    return parley_buf_done(&b, &t->text) == 0
           ? 0 : parley_error_memory(t->err);
}


int
parley_embed_text_is_whole(const parley_embed_text_t *t)
{
    const parley_msg_t  *m;

    m = t->m;

    if (m->form.len == 0 || m->id.len == 0 || t->deep
        || (m->data.node != PARLEY_JSON_NONE
            && parley_json_type(m->data.doc, m->data.node)
               != PARLEY_JSON_OBJECT)
        || (m->origin != PARLEY_PROTO_CANONICAL && !parley_embed_is_usual(m)))
    {
        return 0;
    }

    return t->text.len <= PARLEY_EMBED_SHORT
           || parley_embed_text_reread(t);
}


/* Reads a long text back. */

static int
parley_embed_text_reread(const parley_embed_text_t *t)
{
    parley_buf_t    b;
    parley_str_t    quoted, text;
    parley_json_t   doc;
    parley_embed_t  c;
    parley_error_t  err;

    parley_buf_init(&b, t->arena, t->text.len + sizeof("\"\""));
    parley_buf_octet(&b, '"');
    parley_buf_str(&b, t->text);
    parley_buf_octet(&b, '"');

    if (parley_buf_done(&b, &quoted) != 0
        || parley_read_again(&doc, t->arena, t->m->doc->seed, quoted, &err)
           != 0
        || parley_json_string(&doc, 0, &text) != 0)
    {
        return -1;
    }

    return parley_embed_text_read(t->arena, t->m->doc->seed, t->slot, text,
                                  &c);
}


size_t
parley_embed_text_len(parley_str_t text)
{
    size_t          n;
    const uint8_t  *p, *end;

    n = text.len;
    end = text.data + text.len;

    for (p = memchr(text.data, '\\', text.len);
         p != NULL;
         p = memchr(p, '\\', (size_t) (end - p)))
    {
        /* \u001f, or two octets */

        n -= p[1] == 'u' ? 5 : 1;
        p += p[1] == 'u' ? 6 : 2;
    }

    return n;
}


void
parley_embed_code_write(parley_buf_t *b, parley_str_t code)
{
    size_t   i;
    uint8_t  c;

    if (code.len == 0) {
        parley_buf_lit(b, "E_FAILED");
        return;
    }

    for (i = 0; i < code.len && i < PARLEY_EMBED_CODE_MAX; i++) {
        c = code.data[i];

        if (c >= 'a' && c <= 'z') {
            c = (uint8_t) (c - 'a' + 'A');

        } else if ((c < 'A' || c > 'Z') && (c < '0' || c > '9')) {
            c = '_';
        }

        parley_buf_octet(b, c);
    }
}


/*
 * Finds the words for a person, and whether the payload can omit them.  Words
 * that resemble those of a failure stay in the payload.
 */

static int
parley_embed_text_words(parley_embed_text_t *t)
{
    parley_buf_t           b;
    parley_str_t           text, code;
    const parley_msg_t    *m;
    const parley_codec_t  *codec;

    m = t->m;
    codec = parley_codecs[m->origin];

    t->words = m->text;
    t->spoken = PARLEY_JSON_NONE;

    if (m->text.len == 0 && codec != NULL && codec->sentence != NULL) {
        parley_buf_init(&b, t->arena, 0);

        if (codec->sentence(&b, m) && parley_buf_done(&b, &t->words) != 0) {
            return -1;
        }

        return 0;
    }

    text = m->text;

    if (m->act != PARLEY_ACT_FAILURE && parley_embed_code_read(&text, &code))
    {
        t->words = parley_str_none;
        return 0;
    }

    if (codec != NULL && codec->spoken != NULL
        && parley_embed_text_finds_member(t, codec))
    {
        t->spoken = m->said[0];
    }

    return 0;
}


/*
 * Returns whether a reader of the words can tell to which member they belong.
 */

static int
parley_embed_text_finds_member(const parley_embed_text_t *t,
    const parley_codec_t *codec)
{
    uint32_t              part;
    parley_atom_t         name;
    const parley_msg_t   *m;
    const parley_json_t  *doc;

    m = t->m;
    doc = m->data.doc;

    if (m->text.len == 0 || m->said[0] == PARLEY_JSON_NONE
        || m->data.node == PARLEY_JSON_NONE)
    {
        return 0;
    }

    name = codec->spoken(m);

    if (name == PARLEY_ATOM_NONE
        || parley_json_member(doc, m->data.node, name) != m->said[0])
    {
        return 0;
    }

    if (!codec->spoken_in_parts) {
        return 1;
    }

    part = parley_json_first(m->said[0]);

    return parley_json_type(doc, m->said[0]) == PARLEY_JSON_ARRAY
           && parley_json_node(doc, m->said[0])->count == 1
           && parley_json_node(doc, part)->count == 2;
}


static int
parley_embed_text_first(parley_embed_text_t *t, parley_buf_t *b)
{
    size_t               i;
    const parley_msg_t  *m;

    m = t->m;

    for (i = 0; i < m->form.len; i++) {
        if (m->form.data[i] <= ' ' || m->form.data[i] == 0x7F) {
            return parley_error_set(t->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                    parley_at(m, PARLEY_MSG_INTENT).pointer,
                                    "a text cannot name a message of this "
                                    "form");
        }
    }

    parley_buf_str(b, parley_proto_name(m->origin));
    parley_buf_octet(b, '.');
    parley_buf_json_text(b, m->form);

    if (m->origin == PARLEY_PROTO_CANONICAL || !parley_embed_is_usual(m)) {
        parley_buf_octet(b, ' ');
        parley_embed_text_word(b, m->intent);
    }

    return 0;
}


/* Writes the lines that differ from their default. */

static int
parley_embed_text_lines(parley_embed_text_t *t, parley_buf_t *b)
{
    int                         rc;
    unsigned                    i;
    parley_act_t                act;
    parley_embed_t              c;
    const parley_msg_t         *m;
    const parley_embed_item_t  *item;

    m = t->m;

    if (parley_embed_text_act(t, &act) != 0) {
        return parley_error_memory(t->err);
    }

    parley_embed_fill(&c, m);

    if (act != m->act) {
        c.words[PARLEY_EMBED_ACT] = parley_embed_acts[m->act];
    }

    if (parley_str_eq(m->corr, m->id)) {
        c.words[PARLEY_EMBED_CORR] = parley_str_none;
    }

    rc = 0;

    for (i = 0; i < t->slot->nitems && rc == 0; i++) {
        item = &t->slot->items[i];

        switch (item->field) {

        case PARLEY_EMBED_REQUIRES:
            rc = parley_embed_text_requires(t, b, item);
            break;

        case PARLEY_EMBED_TRACE:

            if (m->origin == PARLEY_PROTO_CANONICAL) {
                rc = parley_embed_text_object(t, b, item,
                                              parley_embed_find(m,
                                                        PARLEY_STR("trace")));
            }

            break;

        case PARLEY_EMBED_MEMBERS:

            if (m->origin != PARLEY_PROTO_CANONICAL && m->nmembers > 0) {
                rc = parley_embed_text_members(t, b, item);
            }

            break;

        default:

            if (c.words[item->field].len > 0 || item->required) {
                parley_embed_text_line(b, item);
                parley_embed_text_word(b, c.words[item->field]);
            }
        }
    }

    return rc;
}


static void
parley_embed_text_line(parley_buf_t *b, const parley_embed_item_t *item)
{
    parley_buf_lit(b, "\\n");
    parley_buf_str(b, item->name);
}


/* Finds the act that a reader assumes without a line for it. */

static int
parley_embed_text_act(const parley_embed_text_t *t, parley_act_t *ret)
{
    parley_msg_t           said;
    const parley_codec_t  *codec;

    said = *t->m;
    codec = parley_codecs[said.origin];

    if (codec == NULL || codec->payload == NULL) {
        *ret = said.act == PARLEY_ACT_FAILURE ? said.act : t->act;
        return 0;
    }

    said.act = PARLEY_ACT_EVENT;

    if (said.data.node != PARLEY_JSON_NONE && codec->payload(&said) != 0) {
        return -1;
    }

    *ret = said.act;

    return 0;
}


/* Writes AEE's requires; for another protocol, the deadline. */

static int
parley_embed_text_requires(parley_embed_text_t *t, parley_buf_t *b,
    const parley_embed_item_t *item)
{
    int64_t              ms;
    parley_json_ref_t    value;
    const parley_msg_t  *m;

    m = t->m;

    if (m->origin == PARLEY_PROTO_CANONICAL) {
        value = parley_embed_find(m, PARLEY_STR("requires"));
        t->timeout_ms = parley_embed_deadline(value);

        return parley_embed_text_object(t, b, item, value);
    }

    ms = m->timeout_ms;

    if (ms >= 0) {
        t->timeout_ms = ms < PARLEY_EMBED_MS_MAX ? ms : PARLEY_EMBED_MS_MAX;

        parley_embed_text_line(b, item);
        parley_buf_lit(b, "{\\\"timeout_ms\\\":");
        parley_buf_int(b, ms);
        parley_buf_octet(b, '}');
    }

    return 0;
}


/* Writes a member that is an object and not empty. */

static int
parley_embed_text_object(parley_embed_text_t *t, parley_buf_t *b,
    const parley_embed_item_t *item, parley_json_ref_t value)
{
    if (value.node == PARLEY_JSON_NONE
        || parley_json_type(value.doc, value.node) != PARLEY_JSON_OBJECT
        || parley_json_node(value.doc, value.node)->count == 0)
    {
        return 0;
    }

    parley_embed_text_line(b, item);

    return parley_embed_text_value(t, b, value);
}


/* Writes the members as one object.  They may come from several documents. */

static int
parley_embed_text_members(parley_embed_text_t *t, parley_buf_t *b,
    const parley_embed_item_t *item)
{
    uint32_t             i;
    parley_buf_t         object;
    parley_str_t         text;
    parley_json_t        doc;
    const parley_msg_t  *m;

    m = t->m;

    for (i = 0; i < m->nmembers; i++) {
        if (parley_embed_text_exact(t, m->members[i].value) != 0) {
            return -1;
        }
    }

    parley_buf_init(&object, t->arena, m->doc->input.len);
    parley_buf_octet(&object, '{');
    parley_embed_members_write(&object, m, 0);
    parley_buf_octet(&object, '}');

    if (parley_buf_done(&object, &text) != 0) {
        return parley_error_memory(t->err);
    }

    if (parley_read_again(&doc, t->arena, m->doc->seed, text, t->err) != 0) {
        return -1;
    }

    parley_embed_text_line(b, item);

    return parley_embed_text_value(t, b, (parley_json_ref_t) { &doc, 0 });
}


static void
parley_embed_text_word(parley_buf_t *b, parley_str_t word)
{
    parley_buf_t  quoted;
    parley_str_t  text;

    if (word.len > 0 && word.data[0] != '"' && !parley_str_is(word, "null")
        && parley_plain_is(word))
    {
        parley_buf_json_text(b, word);
        return;
    }

    parley_buf_init(&quoted, b->arena, word.len + 16);
    parley_buf_json_string(&quoted, word);

    if (parley_buf_done(&quoted, &text) != 0) {
        b->failed = 1;
        return;
    }

    parley_buf_json_text(b, text);
}
