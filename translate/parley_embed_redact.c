/*
 * Redacts embedded messages.  A pointer into a message's payload also applies
 * to the inner payload, every other pointer to the inner envelope members.
 */

#include <stdio.h>

#include "translate/parley_embed_redact.h"
#include "translate/parley_embed_text.h"


/* iterator over the lines of a text */
typedef struct {
    parley_str_t    line;       /* without its line end */
    parley_str_t    end;        /* LF, CR LF or CR; the last line may have
                                   none */
    parley_str_t    rest;
} parley_embed_lines_t;


static int parley_embed_redact_data(parley_redact_t *r, parley_str_t prefix,
    const parley_str_t *payloads, const parley_edit_t *asked);
static int parley_embed_redact_last(parley_redact_t *r,
    const parley_msg_t *m, parley_str_t text, parley_str_t *ret);
static int parley_embed_redact_lines(parley_redact_t *r,
    const parley_msg_t *m, parley_str_t text, parley_str_t *ret);
static int parley_embed_redact_line(parley_redact_t *r,
    const parley_msg_t *m, parley_str_t line, parley_str_t begin, int *words,
    parley_str_t *ret);
static int parley_embed_redacted(const parley_redact_t *r, parley_str_t begin,
    parley_json_ref_t payload);
static int parley_embed_redact_before(parley_redact_t *r, parley_str_t text,
    size_t at, parley_str_t *ret);
static int parley_embed_begins(parley_str_t line);
static int parley_embed_next(parley_embed_lines_t *lines);
static int parley_embed_redact_json(parley_redact_t *r,
    parley_json_ref_t value, int payload, parley_str_t *ret);
static int parley_embed_redact_words(parley_redact_t *r,
    const parley_msg_t *m, const parley_embed_t *c);
static int parley_embed_redact_copies(parley_redact_t *r,
    const parley_json_t *doc, uint32_t parts, const char *at, uint32_t said);


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


int
parley_embed_redact_members(parley_redact_t *r, const parley_json_t *doc,
    uint32_t object, parley_str_t before, parley_str_t after)
{
    uint32_t        i;
    parley_buf_t    b;
    parley_str_t    prefix;
    parley_proto_t  proto;

    for (proto = 0; proto < PARLEY_PROTO_COUNT; proto++) {

        if (parley_json_get(doc, object, parley_proto_name(proto))
            == PARLEY_JSON_NONE)
        {
            continue;
        }

        parley_buf_init(&b, r->arena, 32);
        parley_buf_str(&b, before);
        parley_buf_str(&b, parley_proto_name(proto));
        parley_buf_str(&b, after);

        if (parley_buf_done(&b, &prefix) != 0) {
            return -1;
        }

        for (i = 0; i < r->nasked; i++) {
            if (parley_redact_add(r, prefix, r->asked[i].pointer,
                                  r->asked[i].value)
                != 0
                || parley_embed_redact_data(r, prefix,
                                            parley_codecs[proto]->payloads,
                                            &r->asked[i])
                   != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


/* Adds the edits for a payload that another protocol nests differently. */

static int
parley_embed_redact_data(parley_redact_t *r, parley_str_t prefix,
    const parley_str_t *payloads, const parley_edit_t *asked)
{
    size_t        n;
    unsigned      i;
    parley_str_t  rest;

    for (i = 0; payloads != NULL && payloads[i].len > 0; i++) {

        n = payloads[i].len;
        rest = parley_str_from(asked->pointer, n);

        if (rest.len == 0 || rest.data[0] != '/'
            || memcmp(asked->pointer.data, payloads[i].data, n) != 0)
        {
            break;
        }

        if (parley_redact_add(r, PARLEY_STR("/payload"), rest, asked->value)
            != 0
            || (i == 0
                && parley_redact_add(r, prefix, rest, asked->value) != 0))
        {
            return -1;
        }
    }

    return 0;
}


/*
 * A reader may find another capsule than the gateway: one with different line
 * ends, or one before the last.  Therefore all are redacted.
 */

int
parley_embed_redact_text(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t pointer)
{
    parley_buf_t  b;
    parley_str_t  made, value;

    made = text;

    if (parley_embed_redact_last(r, m, made, &made) != 0
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


/* Redacts the capsule at the end of the text, with its words. */

static int
parley_embed_redact_last(parley_redact_t *r, const parley_msg_t *m,
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

    /*
     * Copy the words, the head, the members, the text between and the payload.
     */

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
 * Redacts all other capsules: from each line "<protocol>.<form>" on, the line
 * with the members, the line with the payload, and the words before it.
 */

static int
parley_embed_redact_lines(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t text, parley_str_t *ret)
{
    int                   words, changed;
    size_t                at, said;
    parley_buf_t          b;
    parley_str_t          json, made, begin;
    parley_embed_lines_t  lines;

    at = 0;
    said = 0;
    changed = 0;
    begin = parley_str_none;
    lines.rest = text;

    parley_buf_init(&b, r->arena, 0);

    while (parley_embed_next(&lines)) {

        words = 0;
        json = parley_str_none;
        made = parley_str_none;

        if (parley_embed_begins(lines.line)) {
            begin = lines.line;
            at = b.len;

        } else if (begin.len > 0
                   && parley_str_begins(lines.line, "members: "))
        {
            json = parley_str_from(lines.line, sizeof("members: ") - 1);

        } else if (begin.len > 0 && parley_str_begins(lines.line, "{")) {
            json = lines.line;
            words = 1;
        }

        if (json.len > 0
            && parley_embed_redact_line(r, m, json, begin, &words, &made)
               != 0)
        {
            return -1;
        }

        if (words) {
            said = at;
        }

        if (made.len > 0) {
            changed = 1;
            lines.line.len -= json.len;
        }

        parley_buf_str(&b, lines.line);
        parley_buf_str(&b, made);
        parley_buf_str(&b, lines.end);
    }

    if (parley_buf_done(&b, &made) != 0) {
        return -1;
    }

    if (changed) {
        *ret = made;
    }

    return said > 0 ? parley_embed_redact_before(r, made, said, ret) : 0;
}


/*
 * Redacts a line of JSON.  *words is set if the line is a payload.  It becomes
 * whether a redaction names the member that the words before the line begin
 * contain.
 */

static int
parley_embed_redact_line(parley_redact_t *r, const parley_msg_t *m,
    parley_str_t line, parley_str_t begin, int *words, parley_str_t *ret)
{
    int                 payload;
    parley_json_t      *doc;
    parley_error_t      err;
    parley_json_ref_t   value;

    payload = *words;
    *words = 0;

    doc = parley_arena_alloc(r->arena, sizeof(parley_json_t));
    if (doc == NULL) {
        return -1;
    }

    if (parley_read_again(doc, r->arena, m->doc->seed, line, &err) != 0) {
        return err.code == PARLEY_E_CAPACITY ? -1 : 0;
    }

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    value.doc = doc;
    value.node = 0;

    *words = payload && parley_embed_redacted(r, begin, value);

    return parley_embed_redact_json(r, value, payload, ret);
}


static int
parley_embed_redacted(const parley_redact_t *r, parley_str_t begin,
    parley_json_ref_t payload)
{
    uint32_t               i;
    parley_msg_t           m;
    parley_str_t           code, rest, name;
    parley_atom_t          spoken;
    const parley_codec_t  *codec;

    (void) parley_embed_code_read(&begin, &code);

    name = parley_str_until(begin, '.');

    parley_msg_init(&m, parley_proto_find(name), payload.doc);

    codec = parley_codecs[m.origin];

    if (codec->spoken == NULL) {
        return 0;
    }

    m.form = parley_str_until(parley_str_from(begin, name.len + 1), ' ');
    m.data = payload;

    spoken = codec->spoken(&m);

    if (spoken == PARLEY_ATOM_NONE
        || parley_json_member(payload.doc, payload.node, spoken)
           != PARLEY_JSON_NONE)
    {
        return 0;
    }

    name = parley_atom_name(spoken);

    for (i = 0; i < r->nasked; i++) {
        rest = parley_redact_in_payload(r->asked[i].pointer);

        if (rest.len > name.len
            && memcmp(rest.data + 1, name.data, name.len) == 0
            && (rest.len == name.len + 1 || rest.data[name.len + 1] == '/'))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Replaces the words before the offset at, except for the code and the blank
 * lines.
 */

static int
parley_embed_redact_before(parley_redact_t *r, parley_str_t text, size_t at,
    parley_str_t *ret)
{
    size_t        n, end;
    parley_buf_t  b;
    parley_str_t  words, code;

    for (end = at; end > 0 && (text.data[end - 1] == '\n'
                               || text.data[end - 1] == '\r'); end--)
    {
        /* void */
    }

    words = parley_str_make(text.data, end);
    (void) parley_embed_code_read(&words, &code);

    if (words.len == 0 || parley_str_is(words, "[redacted]")) {
        return 0;
    }

    n = (size_t) (words.data - text.data);

    parley_buf_init(&b, r->arena, text.len + 16);
    parley_buf_str(&b, parley_str_make(text.data, n));
    parley_buf_lit(&b, "[redacted]");
    parley_buf_str(&b, parley_str_from(text, end));

    return parley_buf_done(&b, ret);
}


/*
 * Returns whether a line is "aee.task ops.backup.run", with "error CODE: "
 * before it for a failure.
 */

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


/* Reads the next line.  Returns 0 after the last one. */

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


/* Redacts a payload, or the members.  *ret is empty if nothing changes. */

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
 * Returns whether a redaction names the words before the lines: the message has
 * the member, and the payload in the text does not.
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


int
parley_embed_redact_parts(parley_redact_t *r, const parley_json_t *doc,
    const char *at)
{
    char          data[64], members[64];
    uint32_t      i, n, part, parts, value;
    parley_str_t  rest;

    parts = parley_json_resolve(doc, 0, parley_str_c(at));

    if (parts == PARLEY_JSON_NONE
        || parley_json_type(doc, parts) != PARLEY_JSON_ARRAY)
    {
        return 0;
    }

    n = 0;

    for (part = parley_json_first(parts);
         part != parley_json_end(doc, parts);
         part = parley_json_after(doc, part), n++)
    {
        value = parley_json_member(doc, part, PARLEY_ATOM_data);

        if (value == PARLEY_JSON_NONE) {
            continue;
        }

        (void) snprintf(data, sizeof(data), "%s/%u/data", at, n);
        (void) snprintf(members, sizeof(members), "%s/%u/members", at, n);

        if (parley_embed_redact(r, parley_str_c(data), parley_str_c(members))
            != 0)
        {
            return -1;
        }

        for (i = 0; i < r->nasked; i++) {
            rest = parley_redact_in_payload(r->asked[i].pointer);

            if (rest.len > 0
                && parley_embed_redact_copies(r, doc, parts, at,
                                      parley_json_resolve(doc, value, rest))
                   != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


/* Redacts parts that repeat the words for a person. */

static int
parley_embed_redact_copies(parley_redact_t *r, const parley_json_t *doc,
    uint32_t parts, const char *at, uint32_t said)
{
    char          pointer[64];
    uint32_t      n, part;
    parley_str_t  words, own;

    if (parley_msg_string(doc, said, &words) != 0) {
        return -1;
    }

    if (words.len == 0) {
        return 0;
    }

    n = 0;

    for (part = parley_json_first(parts);
         part != parley_json_end(doc, parts);
         part = parley_json_after(doc, part), n++)
    {
        if (parley_msg_member(doc, part, PARLEY_ATOM_text, &own) != 0) {
            return -1;
        }

        if (!parley_str_eq(own, words)) {
            continue;
        }

        (void) snprintf(pointer, sizeof(pointer), "%s/%u/text", at, n);

        if (parley_redact_add(r, parley_str_c(pointer), parley_str_none,
                              PARLEY_STR(PARLEY_REDACTED))
            != 0)
        {
            return -1;
        }
    }

    return 0;
}
