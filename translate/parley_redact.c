#include <string.h>

#include "translate/parley_redact.h"
#include "translate/parley_codec.h"


static int parley_redact_push(parley_redact_t *r, parley_str_t pointer,
    parley_str_t value);


int
parley_redact_edits(parley_redact_t *r, parley_arena_t *arena,
    const parley_msg_t *m, const parley_edit_t *edits, uint32_t nedits,
    const parley_edit_t *asked, uint32_t nasked, parley_error_t *err)
{
    uint32_t               i;
    const parley_codec_t  *codec;

    memset(r, 0, sizeof(parley_redact_t));

    r->arena = arena;
    r->asked = asked;
    r->nasked = nasked;
    r->size = nedits + 2 * nasked + 1;
    r->edits = parley_arena_alloc(arena, r->size * sizeof(parley_edit_t));

    if (r->edits == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < nedits; i++) {
        r->edits[r->n++] = edits[i];
    }

    for (i = 0; i < nasked; i++) {
        r->edits[r->n++] = asked[i];
    }

    codec = parley_codecs[m->wire];

    if (nasked > 0 && codec->within != NULL && codec->within(r, m) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}


int
parley_redact_made(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, uint64_t seed, const parley_edit_t *asked,
    uint32_t nasked, parley_str_t *body, parley_error_t *err)
{
    uint32_t         applied;
    parley_str_t     text;
    parley_msg_t     m;
    parley_json_t    doc, edited;
    parley_redact_t  r;

    if (nasked == 0) {
        return 0;
    }

    if (parley_read_again(&doc, arena, seed, *body, err) != 0
        || parley_decode(engine, arena, proto, &doc, 0, &m, err) != 0
        || parley_redact_edits(&r, arena, &m, NULL, 0, asked, nasked, err)
           != 0
        || parley_edit(arena, &doc, r.edits, r.n, &text, &applied, err) != 0)
    {
        return -1;
    }

    if (applied == 0) {
        return 0;
    }

    if (parley_read_again(&edited, arena, seed, text, err) != 0
        || parley_decode(engine, arena, proto, &edited, 0, &m, err) != 0)
    {
        if (err->code != PARLEY_E_CAPACITY) {
            err->code = PARLEY_E_POLICY_REFUSED;
        }

        return -1;
    }

    *body = text;

    return 0;
}


int
parley_redact_add(parley_redact_t *r, parley_str_t prefix, parley_str_t rest,
    parley_str_t value)
{
    parley_buf_t  b;
    parley_str_t  pointer;

    parley_buf_init(&b, r->arena, prefix.len + rest.len);
    parley_buf_str(&b, prefix);
    parley_buf_str(&b, rest);

    return parley_buf_done(&b, &pointer) != 0 ? -1
           : parley_redact_push(r, pointer, value);
}


/* Appends an edit, and leaves room for one more. */

static int
parley_redact_push(parley_redact_t *r, parley_str_t pointer,
    parley_str_t value)
{
    uint32_t        size;
    parley_edit_t  *edits;

    if (r->n + 1 >= r->size) {
        size = 2 * r->size + 2;

        edits = parley_arena_alloc(r->arena, size * sizeof(parley_edit_t));
        if (edits == NULL) {
            return -1;
        }

        if (r->n > 0) {
            memcpy(edits, r->edits, r->n * sizeof(parley_edit_t));
        }

        r->edits = edits;
        r->size = size;
    }

    r->edits[r->n].pointer = pointer;
    r->edits[r->n].value = value;
    r->n++;

    return 0;
}


parley_str_t
parley_redact_in_payload(parley_str_t pointer)
{
    return parley_str_begins(pointer, "/payload/")
           ? parley_str_from(pointer, sizeof("/payload") - 1)
           : parley_str_none;
}
