/* What a frame carries: a text carrier, whose parts are written again. */

#include "parley_channel.h"
#include "parley_redact.h"


static int parley_channel_within_text(parley_redact_t *r,
    const parley_msg_t *m, parley_str_t text, parley_str_t pointer);
static int parley_channel_within_json(parley_redact_t *r,
    parley_json_ref_t value, int payload, parley_str_t *ret);
static int parley_channel_within_words(parley_redact_t *r,
    const parley_msg_t *m, const parley_channel_carrier_t *c);


int
parley_channel_within(parley_redact_t *r, const parley_msg_t *m)
{
    uint32_t              k, payload;
    parley_buf_t          b;
    parley_str_t          text, name, pointer;
    const parley_json_t  *doc;

    doc = m->doc;
    payload = parley_json_member(doc, 0, PARLEY_ATOM_payload);

    if (payload == PARLEY_JSON_NONE
        || parley_json_type(doc, payload) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    for (k = parley_json_first(payload);
         k != parley_json_end(doc, payload);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_msg_string(doc, k + 1, &text) != 0
            || parley_msg_string(doc, k, &name) != 0)
        {
            return -1;
        }

        if (text.len == 0) {
            continue;
        }

        parley_buf_init(&b, r->arena, name.len + 10);
        parley_buf_lit(&b, "/payload/");
        parley_buf_str(&b, name);

        if (parley_buf_done(&b, &pointer) != 0
            || parley_channel_within_text(r, m, text, pointer) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_channel_within_text(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t pointer)
{
    int                       rc, words;
    size_t                    n;
    parley_buf_t              b;
    parley_str_t              members, payload, value;
    parley_channel_carrier_t  c;

    rc = parley_channel_text_read(r->arena, m->doc->seed, text, &c);

    if (rc != 1) {
        return rc;
    }

    members = parley_str_none;

    if (parley_channel_within_json(r, c.members, 0, &members) != 0
        || parley_channel_within_json(r, c.payload, 1, &payload) != 0)
    {
        return -1;
    }

    words = parley_channel_within_words(r, m, &c);

    if (!words && members.len == 0 && payload.len == 0) {
        return 0;
    }

    /* words, head, members, what is between, and the payload at the end */

    parley_buf_init(&b, r->arena, text.len + 64);

    if (words) {
        parley_buf_lit(&b, "[redacted]");
        text = parley_str_from(text, (size_t) (c.words.data - text.data)
                                     + c.words.len);
    }

    if (members.len > 0) {
        value = c.members.doc->input;
        n = (size_t) (value.data - text.data);

        parley_buf_str(&b, parley_str_make(text.data, n));
        parley_buf_str(&b, members);

        text = parley_str_from(text, n + value.len);
    }

    parley_buf_str(&b, parley_str_make(text.data, text.len - c.text.len));
    parley_buf_str(&b, payload.len > 0 ? payload : c.text);

    if (parley_buf_done(&b, &text) != 0) {
        return -1;
    }

    parley_buf_init(&b, r->arena, text.len + 64);
    parley_buf_json_string(&b, text);

    return parley_buf_done(&b, &value) != 0
           || parley_redact_add(r, pointer, parley_str_none, value) != 0
           ? -1 : 0;
}


/* The payload, or the members, without what is redacted; empty: as it is. */

static int
parley_channel_within_json(parley_redact_t *r, parley_json_ref_t value,
    int payload, parley_str_t *ret)
{
    uint32_t         i, applied;
    parley_str_t     rest;
    parley_error_t   err;
    parley_redact_t  inner;

    *ret = parley_str_none;

    if (value.node == PARLEY_JSON_NONE || value.doc == NULL) {
        return 0;
    }

    inner = *r;
    inner.edits = NULL;
    inner.n = 0;
    inner.size = 0;

    for (i = 0; i < r->nasked; i++) {
        rest = parley_redact_in_payload(r->asked[i].pointer);

        if (payload != (rest.len > 0)) {
            continue;
        }

        if (parley_redact_add(&inner, rest.len > 0 ? rest
                                                   : r->asked[i].pointer,
                              parley_str_none, r->asked[i].value)
            != 0)
        {
            return -1;
        }
    }

    if (inner.n == 0) {
        return 0;
    }

    if (parley_edit(r->arena, value.doc, inner.edits, inner.n, ret, &applied,
                    &err)
        != 0)
    {
        return -1;
    }

    if (applied == 0) {
        *ret = parley_str_none;
    }

    return 0;
}


/*
 * Whether the words before the lines are what a pointer names: the message has
 * it, and the payload in the text has not.
 */

static int
parley_channel_within_words(parley_redact_t *r, const parley_msg_t *m,
    const parley_channel_carrier_t *c)
{
    uint32_t      i;
    parley_str_t  rest;

    if (!m->held || c->words.len == 0) {
        return 0;
    }

    for (i = 0; i < r->nasked; i++) {
        rest = parley_redact_in_payload(r->asked[i].pointer);

        if (rest.len > 0
            && parley_json_resolve(m->data.doc, m->data.node, rest)
               != PARLEY_JSON_NONE
            && parley_json_resolve(c->payload.doc, c->payload.node, rest)
               == PARLEY_JSON_NONE)
        {
            return 1;
        }
    }

    return 0;
}
