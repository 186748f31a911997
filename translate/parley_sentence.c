#include "translate/parley_embed.h"
#include "translate/parley_sentence.h"


static int parley_sentence_value(parley_buf_t *b, const parley_json_t *doc,
    uint32_t value, unsigned ms);
static int parley_sentence_list(parley_buf_t *b, const parley_json_t *doc,
    uint32_t array);
static int parley_sentence_of(parley_buf_t *b, const parley_msg_t *m);


int
parley_sentence_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_sentence_t *sentences, unsigned n)
{
    size_t                           start;
    unsigned                         i, k;
    uint32_t                         value;
    const parley_query_parameter_t  *piece;

    start = b->len;

    for (i = 0; i < n && !parley_str_eq(sentences[i].form, m->form); i++) {
        /* void */
    }

    if (i == n) {
        return 0;
    }

    for (k = 0; k < PARLEY_SENTENCE_PIECES; k++) {
        piece = &sentences[i].pieces[k];

        if (piece->words.len == 0) {
            break;
        }

        value = parley_json_member(m->data.doc, m->data.node, piece->member);

        if (value == PARLEY_JSON_NONE && piece->optional) {
            continue;
        }

        parley_buf_str(b, piece->words);

        if (!parley_sentence_value(b, m->data.doc, value, piece->ms)) {
            b->len = start;
            return 0;
        }
    }

    return b->len > start;
}


static int
parley_sentence_value(parley_buf_t *b, const parley_json_t *doc,
    uint32_t value, unsigned ms)
{
    int64_t       number;
    parley_str_t  text;

    if (value == PARLEY_JSON_NONE) {
        return 0;
    }

    switch (parley_json_type(doc, value)) {

    case PARLEY_JSON_STRING:

        if (parley_msg_string(doc, value, &text) != 0) {
            b->failed = 1;
        }

        parley_buf_str(b, text);

        return 1;

    case PARLEY_JSON_ARRAY:
        return parley_sentence_list(b, doc, value);

    default:
        break;
    }

    if (parley_json_type(doc, value) != PARLEY_JSON_NUMBER
        || parley_json_integer(doc, value, &number) != 0)
    {
        return 0;
    }

    if (!ms) {
        parley_buf_int(b, number);

    } else if (number % 1000 == 0) {
        parley_buf_int(b, number / 1000);
        parley_buf_lit(b, " s");

    } else {
        parley_buf_int(b, number);
        parley_buf_lit(b, " ms");
    }

    return 1;
}


static int
parley_sentence_list(parley_buf_t *b, const parley_json_t *doc,
    uint32_t array)
{
    unsigned  n;
    uint32_t  i, value;

    n = 0;

    for (i = parley_json_first(array);
         i != parley_json_end(doc, array);
         i = parley_json_after(doc, i))
    {
        value = parley_json_member(doc, i, PARLEY_ATOM_type);

        if (value == PARLEY_JSON_NONE
            || parley_json_type(doc, value) != PARLEY_JSON_STRING)
        {
            continue;
        }

        if (n++) {
            parley_buf_lit(b, ", ");
        }

        (void) parley_sentence_value(b, doc, value, 0);
    }

    return n > 0;
}


void
parley_sentence_words(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t sender)
{
    if (m->act == PARLEY_ACT_FAILURE && m->code.len > 0) {
        parley_buf_json_text(b, m->code);

        if (m->text.len > 0) {
            parley_buf_lit(b, ": ");
        }

    } else if (m->text.len == 0 && !parley_sentence_of(b, m)) {
        parley_buf_json_text(b, m->form);

        if (!parley_embed_is_usual(m)) {
            parley_buf_octet(b, ' ');
            parley_buf_json_text(b, m->intent);
        }

        if (sender.len > 0) {
            parley_buf_lit(b, " from ");
            parley_buf_json_text(b, sender);
        }
    }

    parley_buf_json_text(b, m->text);
}


/* Writes the codec's sentence.  Returns whether there is one. */

static int
parley_sentence_of(parley_buf_t *b, const parley_msg_t *m)
{
    parley_buf_t           sentence;
    parley_str_t           text;
    const parley_codec_t  *codec;

    codec = parley_codecs[m->origin];

    if (codec->sentence == NULL) {
        return 0;
    }

    parley_buf_init(&sentence, b->arena, 0);

    if (!codec->sentence(&sentence, m)) {
        return 0;
    }

    if (parley_buf_done(&sentence, &text) != 0) {
        b->failed = 1;
        return 1;
    }

    parley_buf_json_text(b, text);

    return 1;
}
