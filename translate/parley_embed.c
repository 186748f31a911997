/* Finds the marks of a capsule: its intent, its reference, its direction. */

#include <stdio.h>

#include "translate/parley_embed.h"
#include "core/parley_digest.h"
#include "core/parley_hex.h"
#include "core/parley_id.h"
#include "core/parley_jcs.h"


/* minimum characters of an AEE id or correlation; AEE replaces a shorter one */
#define PARLEY_EMBED_ID_MIN  8


static int parley_embed_is_reference(const parley_json_t *doc, uint32_t item,
    parley_str_t x);
static void parley_embed_verified(parley_buf_t *b,
    const parley_encode_opts_t *opts);
static inline int parley_embed_media_word(parley_str_t s,
    int (*same)(parley_str_t a, parley_str_t b), parley_str_t *ret);


parley_proto_t
parley_embed_intent(parley_str_t intent, parley_str_t *ret_form)
{
    parley_str_t    word;
    parley_proto_t  proto;

    proto = parley_proto_begins(intent, ret_form);

    if (proto == PARLEY_PROTO_NONE || proto == PARLEY_PROTO_CANONICAL
        || parley_codecs[proto]->words.len > 0)
    {
        *ret_form = parley_str_none;
        return PARLEY_PROTO_NONE;
    }

    word = parley_codecs[proto]->intents;

    if (word.len > 0) {
        *ret_form = intent.len > word.len && intent.data[word.len] == '.'
                    && memcmp(intent.data, word.data, word.len) == 0
                    ? parley_str_from(intent, word.len + 1) : parley_str_none;
    }

    return ret_form->len > 0 ? proto : PARLEY_PROTO_NONE;
}


parley_str_t
parley_embed_word(parley_proto_t proto)
{
    const parley_codec_t  *codec;

    codec = parley_codecs[proto];

    if (codec->intents.len > 0) {
        return codec->intents;
    }

    return codec->words.len > 0 ? codec->words : parley_proto_name(proto);
}


parley_proto_t
parley_embed_kin(parley_proto_t proto)
{
    parley_str_t  word;

    word = parley_codecs[proto]->words;

    return word.len > 0 ? parley_proto_find(word) : proto;
}


int
parley_embed_is_usual(const parley_msg_t *m)
{
    parley_str_t  x;

    x = parley_embed_word(m->origin);

    return m->intent.len == x.len + 1 + m->form.len
           && memcmp(m->intent.data, x.data, x.len) == 0
           && m->intent.data[x.len] == '.'
           && memcmp(m->intent.data + x.len + 1, m->form.data, m->form.len)
              == 0;
}


int
parley_embed_is_form(parley_proto_t proto, parley_str_t form)
{
    unsigned      i;
    parley_str_t  type;

    if (parley_codecs[proto]->type == NULL) {
        return 1;
    }

    for (i = 0; (type = parley_codecs[proto]->type(i)).len > 0; i++) {
        if (parley_str_eq(type, form)) {
            return 1;
        }
    }

    return 0;
}


int
parley_embed_is_id(parley_str_t id, parley_str_t own)
{
    size_t  i, n;

    if (parley_str_eq(id, own)) {
        return 1;
    }

    n = 0;

    for (i = 0; i < own.len; i++) {
        n += (own.data[i] & 0xC0) != 0x80;
    }

    return n > 0 && n < PARLEY_EMBED_ID_MIN && parley_uuid_is(id, 8);
}


parley_direction_t
parley_embed_direction(const parley_msg_t *m)
{
    parley_msg_t           outer;
    parley_str_t           form;
    parley_proto_t         proto;
    parley_direction_t     direction;
    const parley_codec_t  *codec;

    if (m->wire == PARLEY_PROTO_CANONICAL && m->outer_intent.len > 0) {
        outer = *m;
        outer.intent = m->outer_intent;
        outer.outer_intent = parley_str_none;

        direction = parley_embed_direction(&outer);

        if (direction != PARLEY_DIRECTION_ANY) {
            return direction;
        }
    }

    proto = parley_embed_intent(m->intent, &form);

    codec = proto != PARLEY_PROTO_NONE ? parley_codecs[proto] : NULL;

    if (codec == NULL || codec->direction == NULL
        || codec->direction == parley_embed_direction)
    {
        return PARLEY_DIRECTION_ANY;
    }

    return codec->direction(m);
}


void
parley_embed_supervision(const parley_msg_t *m, parley_supervision_t *ret)
{
    parley_str_t    form;
    parley_proto_t  proto;

    memset(ret, 0, sizeof(parley_supervision_t));

    proto = parley_embed_intent(m->intent, &form);

    if (proto != PARLEY_PROTO_NONE
        && parley_codecs[proto]->supervises != NULL)
    {
        parley_codecs[proto]->supervises(m, ret);
    }
}


uint32_t
parley_embed_reference(const parley_json_t *doc, uint32_t payload,
    parley_proto_t proto)
{
    uint32_t      refs, i, found, own;
    parley_str_t  x;

    refs = parley_json_member(doc, payload, PARLEY_ATOM_references);
    if (refs == PARLEY_JSON_NONE
        || parley_json_type(doc, refs) != PARLEY_JSON_ARRAY)
    {
        return PARLEY_JSON_NONE;
    }

    x = parley_proto_name(proto);

    own = parley_json_member(doc, payload, parley_proto_atom(proto));
    if (own != PARLEY_JSON_NONE
        && parley_json_type(doc, own) != PARLEY_JSON_OBJECT)
    {
        return PARLEY_JSON_NONE;
    }

    found = PARLEY_JSON_NONE;

    /* A gateway appends its reference: use the last one. */

    for (i = parley_json_first(refs);
         i != parley_json_end(doc, refs);
         i = parley_json_after(doc, i))
    {
        if (parley_embed_is_reference(doc, i, x)) {
            found = i;
        }
    }

    return found;
}


/*
 * Returns whether item is {"id": ID, "type": "<x>.message", "locator":
 * "parley:<x>:ID"}.  Strings without escapes need no memory.  If memory is
 * exhausted, later steps fail as well.
 */

static int
parley_embed_is_reference(const parley_json_t *doc, uint32_t item,
    parley_str_t x)
{
    char          text[32];
    size_t        n;
    uint32_t      type, id, locator;
    parley_str_t  have, want;

    type = parley_json_member(doc, item, PARLEY_ATOM_type);
    id = parley_json_member(doc, item, PARLEY_ATOM_id);
    locator = parley_json_member(doc, item, PARLEY_ATOM_locator);

    n = (size_t) snprintf(text, sizeof(text), "%.*s.message", (int) x.len,
                          (const char *) x.data);

    if (!parley_json_string_is(doc, type, parley_str_make(text, n))
        || parley_msg_string(doc, id, &want) != 0
        || parley_msg_string(doc, locator, &have) != 0)
    {
        return 0;
    }

    n = (size_t) snprintf(text, sizeof(text), "parley:%.*s:", (int) x.len,
                          (const char *) x.data);

    return want.len > 0 && have.len == n + want.len
           && memcmp(have.data, text, n) == 0
           && memcmp(have.data + n, want.data, want.len) == 0;
}


int
parley_embed_origin_id(const parley_msg_t *m, parley_str_t *ret)
{
    uint32_t  item;

    *ret = m->id;

    if (!m->carried) {
        return 0;
    }

    item = parley_embed_reference(m->data.doc, m->data.node, m->origin);

    return parley_msg_string(m->data.doc,
                             parley_json_member(m->data.doc, item,
                                                PARLEY_ATOM_id),
                             ret);
}


uint32_t
parley_embed_displaced(const parley_msg_t *m)
{
    uint32_t              value;
    const parley_json_t  *doc;

    if (!m->carried) {
        return PARLEY_JSON_NONE;
    }

    doc = m->data.doc;

    value = parley_json_member(doc, m->data.node,
                               parley_proto_atom(m->origin));
    value = parley_json_member(doc, value, PARLEY_ATOM_payload);

    return value != PARLEY_JSON_NONE
           && parley_json_type(doc, value) == PARLEY_JSON_OBJECT
           ? value : PARLEY_JSON_NONE;
}


int
parley_embed_digest(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t *ret)
{
    char               hex[2 * PARLEY_SHA256_LEN + 1];
    uint8_t            digest[PARLEY_SHA256_LEN];
    parley_buf_t       form;
    parley_str_t       canonical;
    parley_json_ref_t  root;

    *ret = m->digest;

    if (ret->len > 0) {
        return 0;
    }

    root.doc = m->doc;
    root.node = 0;

    parley_buf_init(&form, arena, m->doc->input.len + 1);
    parley_jcs_write(&form, root, parley_codecs[m->wire]->secret_member);

    if (parley_buf_done(&form, &canonical) != 0
        || parley_sha256(canonical, digest) != 0)
    {
        return -1;
    }

    parley_hex(digest, PARLEY_SHA256_LEN, hex);

    return parley_arena_str(arena,
                            parley_str_make(hex, 2 * PARLEY_SHA256_LEN), ret);
}


int
parley_embed_reference_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_encode_opts_t *opts)
{
    parley_str_t  x, digest;

    x = parley_proto_name(m->origin);

    if (parley_embed_digest(b->arena, m, &digest) != 0) {
        return -1;
    }

    parley_buf_lit(b, "{\"id\":");
    parley_buf_json_string(b, m->id);
    parley_buf_lit(b, ",\"type\":\"");
    parley_buf_str(b, x);
    parley_buf_lit(b, ".message\",\"hash\":\"sha256:");
    parley_buf_str(b, digest);
    parley_buf_lit(b, "\",\"locator\":\"parley:");
    parley_buf_str(b, x);
    parley_buf_octet(b, ':');
    parley_buf_json_text(b, m->id);
    parley_buf_octet(b, '"');

    parley_embed_verified(b, opts);

    parley_buf_octet(b, '}');

    return 0;
}


/*
 * Writes the facts about the sender that the gateway verified before the
 * translation (GW-08).
 */

static void
parley_embed_verified(parley_buf_t *b, const parley_encode_opts_t *opts)
{
    if (opts->principal.len == 0 && opts->sig_alg.len == 0) {
        return;
    }

    parley_buf_lit(b, ",\"verified\":{");

    if (opts->principal.len > 0) {
        parley_buf_member(b, PARLEY_STR("principal"), opts->principal);
    }

    if (opts->sig_alg.len > 0) {
        parley_buf_member(b, PARLEY_STR("signature"), opts->sig_alg);
    }

    if (opts->sig_kid.len > 0) {
        parley_buf_member(b, PARLEY_STR("kid"), opts->sig_kid);
    }

    parley_buf_octet(b, '}');
}


parley_json_ref_t
parley_embed_find(const parley_msg_t *m, parley_str_t name)
{
    uint32_t  i;

    for (i = 0; i < m->nmembers; i++) {
        if (parley_str_eq(m->members[i].name, name)) {
            return m->members[i].value;
        }
    }

    return parley_json_ref_none;
}


int
parley_embed_unsaid(const char *pointer, const char *language,
    parley_error_t *err)
{
    char           text[PARLEY_TEXT_MAX];
    parley_code_t  code;

    code = err->code;

    if (code == PARLEY_E_CAPACITY) {
        return -1;
    }

    if (code != PARLEY_E_SENDER_IDENTITY_MISMATCH) {
        code = PARLEY_E_TRANSLATION_UNSUPPORTED;
    }

    memcpy(text, err->text, sizeof(text));

    return parley_error_set(err, code, pointer, "%s, %s", language, text);
}


parley_proto_t
parley_embed_media(parley_str_t s)
{
    unsigned        i;
    parley_str_t    word;
    parley_proto_t  proto;

    /* Try the spelling of Parley first, which most messages have. */

    if (parley_embed_media_word(s, parley_str_eq, &word)) {
        proto = parley_proto_find(word);

        if (proto != PARLEY_PROTO_NONE) {
            return proto;
        }
    }

    s = parley_str_until(s, ';');

    while (s.len > 0 && s.data[0] <= 0x20) {
        s = parley_str_from(s, 1);
    }

    while (s.len > 0 && s.data[s.len - 1] <= 0x20) {
        s.len--;
    }

    if (!parley_embed_media_word(s, parley_str_eq_fold, &word)) {
        return PARLEY_PROTO_NONE;
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_str_eq_fold(word, parley_proto_name((parley_proto_t) i))) {
            return (parley_proto_t) i;
        }
    }

    return PARLEY_PROTO_NONE;
}


/*
 * Reads the protocol's word from a media type.  Returns 0 if the media type is
 * different.
 */

static inline int
parley_embed_media_word(parley_str_t s,
    int (*same)(parley_str_t a, parley_str_t b), parley_str_t *ret)
{
    static const parley_str_t  prefix = parley_str(PARLEY_EMBED_MEDIA_PREFIX);
    static const parley_str_t  suffix = parley_str(PARLEY_EMBED_MEDIA_SUFFIX);

    if (s.len <= prefix.len + suffix.len
        || !same(parley_str_make(s.data, prefix.len), prefix)
        || !same(parley_str_from(s, s.len - suffix.len), suffix))
    {
        return 0;
    }

    *ret = parley_str_make(s.data + prefix.len,
                           s.len - prefix.len - suffix.len);

    return 1;
}


int
parley_embed_is_simple(const parley_msg_t *m, uint32_t levels)
{
    uint32_t                   i;
    parley_str_t               name;
    const parley_json_t       *doc;
    const parley_json_node_t  *node;

    doc = m->doc;
    name = parley_codecs[m->origin]->reply_to_member;

    for (i = 0; m->reply_to.len > 0 && i < m->nmembers; i++) {
        if (parley_str_eq(m->members[i].name, name)) {
            return 0;
        }
    }

    /* The number of nodes limits the depth. */

    levels = PARLEY_JSON_DEPTH_MAX - levels;

    for (i = 0; doc->nnodes > levels && i < doc->nnodes; i++) {
        node = parley_json_node(doc, i);

        if (!(node->flags & PARLEY_JSON_KEY) && node->depth > levels) {
            return 0;
        }
    }

    return 1;
}
