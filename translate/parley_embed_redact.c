/*
 * Redacts what a message embeds: pointers into a message's payload are into
 * the inner one's as well, all others into its envelope members.
 */

#include "parley_embed_redact.h"
#include "parley_embed_text.h"


/* lines of a text, one after another */
typedef struct {
    parley_str_t    line;       /* without its end */
    parley_str_t    end;        /* LF, CR LF, CR; the last may have none */
    parley_str_t    rest;
} parley_embed_lines_t;


static int parley_embed_redact_whole(parley_redact_t *r,
    const parley_msg_t *m, parley_str_t text, parley_str_t *ret);
static int parley_embed_redact_lines(parley_redact_t *r,
    const parley_msg_t *m, parley_str_t text, parley_str_t *ret);
static int parley_embed_redact_line(parley_redact_t *r,
    const parley_msg_t *m, parley_str_t line, int payload,
    parley_str_t *ret);
static int parley_embed_begins(parley_str_t line);
static int parley_embed_next(parley_embed_lines_t *lines);
static int parley_embed_redact_json(parley_redact_t *r,
    parley_json_ref_t value, int payload, parley_str_t *ret);
static int parley_embed_redact_words(parley_redact_t *r,
    const parley_msg_t *m, const parley_embed_t *c);


int
parley_embed_redact(parley_redact_t *r, parley_str_t data,
    parley_str_t members)
{
    uint32_t      i;
    parley_str_t  rest;

    for (i = 0; i < r->nasked; i++) {
        rest = parley_redact_in_payload(r->asked[i].pointer);

        if (rest.len > 0 && data.len == 0) {
            continue;
        }

        if (parley_redact_add(r, rest.len > 0 ? data : members,
                              rest.len > 0 ? rest : r->asked[i].pointer,
                              r->asked[i].value)
            != 0)
        {
            return -1;
        }
    }

    return 0;
}


/*
 * What a reader takes for a capsule may be another than the gateway does: one
 * whose lines end otherwise, or that stands before the last.
 */

int
parley_embed_redact_text(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t pointer)
{
    parley_buf_t  b;
    parley_str_t  made, value;

    made = text;

    if (parley_embed_redact_whole(r, m, made, &made) != 0
        || parley_embed_redact_lines(r, m, made, &made) != 0)
    {
        return -1;
    }

    if (made.data == text.data) {
        return 0;
    }

    parley_buf_init(&b, r->arena, made.len + 64);
    parley_buf_json_string(&b, made);

    return parley_buf_done(&b, &value) != 0
           || parley_redact_add(r, pointer, parley_str_none, value) != 0
           ? -1 : 0;
}


/* The one that ends the text, with its words. */

static int
parley_embed_redact_whole(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t *ret)
{
    int                       rc, words;
    size_t                    n;
    parley_buf_t              b;
    parley_str_t              members, payload, value;
    parley_embed_t  c;

    rc = parley_embed_text_read(r->arena, m->doc->seed,
                                parley_codecs[m->wire]->slot, text, &c);

    if (rc != 1) {
        return rc;
    }

    members = parley_str_none;

    if (parley_embed_redact_json(r, c.members, 0, &members) != 0
        || parley_embed_redact_json(r, c.data, 1, &payload) != 0)
    {
        return -1;
    }

    words = parley_embed_redact_words(r, m, &c);

    if (!words && members.len == 0 && payload.len == 0) {
        return 0;
    }

    /* words, head, members, what is between, and the payload at the end */

    parley_buf_init(&b, r->arena, text.len + 64);

    if (words) {
        parley_buf_lit(&b, "[redacted]");
        text = parley_str_from(text, (size_t) (c.sentence.data - text.data)
                                     + c.sentence.len);
    }

    if (members.len > 0) {
        value = c.members.doc->input;
        n = (size_t) (value.data - text.data);

        parley_buf_str(&b, parley_str_make(text.data, n));
        parley_buf_str(&b, members);

        text = parley_str_from(text, n + value.len);
    }

    parley_buf_str(&b, parley_str_make(text.data, text.len - c.payload.len));
    parley_buf_str(&b, payload.len > 0 ? payload : c.payload);

    return parley_buf_done(&b, ret);
}


/*
 * All others: from a line "<protocol>.<form>" on, the members and the payload,
 * which have one line each.
 */

static int
parley_embed_redact_lines(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t *ret)
{
    int                     within, changed;
    parley_buf_t            b;
    parley_str_t            json, made;
    parley_embed_lines_t  lines;

    within = 0;
    changed = 0;
    lines.rest = text;

    parley_buf_init(&b, r->arena, 0);

    while (parley_embed_next(&lines)) {

        json = parley_str_none;
        made = parley_str_none;

        if (parley_embed_begins(lines.line)) {
            within = 1;

        } else if (within && parley_str_begins(lines.line, "members: ")) {
            json = parley_str_from(lines.line, sizeof("members: ") - 1);

        } else if (within && parley_str_begins(lines.line, "{")) {
            json = lines.line;
        }

        if (json.len > 0
            && parley_embed_redact_line(r, m, json,
                                          json.len == lines.line.len, &made)
               != 0)
        {
            return -1;
        }

        if (made.len > 0) {
            changed = 1;
            lines.line.len -= json.len;
        }

        parley_buf_str(&b, lines.line);
        parley_buf_str(&b, made);
        parley_buf_str(&b, lines.end);
    }

    return changed ? parley_buf_done(&b, ret) : 0;
}


static int
parley_embed_redact_line(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t line, int payload, parley_str_t *ret)
{
    parley_json_t      *doc;
    parley_error_t      err;
    parley_json_ref_t   value;

    doc = parley_arena_alloc(r->arena, sizeof(parley_json_t));
    if (doc == NULL) {
        return -1;
    }

    if (parley_read_again(doc, r->arena, m->doc->seed, line, &err) != 0) {
        return err.code == PARLEY_E_CAPACITY ? -1 : 0;
    }

    value.doc = doc;
    value.node = 0;

    return parley_json_type(doc, 0) == PARLEY_JSON_OBJECT
           ? parley_embed_redact_json(r, value, payload, ret) : 0;
}


/* "aee.task ops.backup.run", of a failure behind "error CODE: " */

static int
parley_embed_begins(parley_str_t line)
{
    parley_str_t    code;
    const uint8_t  *dot;

    (void) parley_embed_code_read(&line, &code);

    dot = line.len > 0 ? memchr(line.data, '.', line.len) : NULL;

    return dot != NULL
           && parley_proto_find(parley_str_make(line.data,
                                                (size_t) (dot - line.data)))
              != PARLEY_PROTO_NONE;
}


/* Returns 0 where there is no more. */

static int
parley_embed_next(parley_embed_lines_t *lines)
{
    size_t        i, n;
    parley_str_t  text;

    text = lines->rest;

    if (text.len == 0) {
        return 0;
    }

    for (i = 0; i < text.len; i++) {
        if (text.data[i] == '\n' || text.data[i] == '\r') {
            break;
        }
    }

    n = i < text.len;

    if (i + 1 < text.len && text.data[i] == '\r' && text.data[i + 1] == '\n')
    {
        n = 2;
    }

    lines->line = parley_str_make(text.data, i);
    lines->end = parley_str_make(text.data + i, n);
    lines->rest = parley_str_from(text, i + n);

    return 1;
}


/* The payload, or the members, without what is redacted; empty: as it is. */

static int
parley_embed_redact_json(parley_redact_t *r, parley_json_ref_t value,
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
parley_embed_redact_words(parley_redact_t *r, const parley_msg_t *m,
    const parley_embed_t *c)
{
    uint32_t      i;
    parley_str_t  rest;

    if (!m->held || c->sentence.len == 0) {
        return 0;
    }

    for (i = 0; i < r->nasked; i++) {
        rest = parley_redact_in_payload(r->asked[i].pointer);

        if (rest.len > 0
            && parley_json_resolve(m->data.doc, m->data.node, rest)
               != PARLEY_JSON_NONE
            && parley_json_resolve(c->data.doc, c->data.node, rest)
               == PARLEY_JSON_NONE)
        {
            return 1;
        }
    }

    return 0;
}
