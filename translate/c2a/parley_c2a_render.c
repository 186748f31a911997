#include "parley_c2a_render.h"
#include "parley_c2a.h"


/* an event, and where its parts stand */
typedef struct {
    parley_buf_t         *b;
    const parley_json_t  *doc;
    uint32_t              params;
    parley_str_t          kind;
    parley_str_t          conversation;
    parley_str_t          thread;
} parley_c2a_render_t;


static int parley_c2a_render_headers(parley_c2a_render_t *r,
    const parley_msg_t *m);
static int parley_c2a_render_member(parley_c2a_render_t *r,
    const char *header, parley_atom_t object, parley_atom_t name);
static void parley_c2a_render_header(parley_buf_t *b, const char *header,
    parley_str_t value);
static void parley_c2a_render_value(parley_buf_t *b, parley_str_t value);
static void parley_c2a_render_text(parley_buf_t *b, parley_str_t text);
static size_t parley_c2a_render_break(parley_str_t s, size_t i);
static int parley_c2a_render_forges(parley_str_t line);
static int parley_c2a_render_begins(parley_str_t line, const char *word,
    size_t *ret);


/* and the names of the sections */
static const char *const  parley_c2a_headers[] = {
    "event_id", "conversation", "thread", "author", "directedness",
    "response_policy", "reason", "reply_target", "message", "knock",
};


int
parley_c2a_render(parley_buf_t *b, parley_arena_t *arena,
    const parley_msg_t *m)
{
    int                  whole;
    uint32_t             content, knock;
    parley_str_t         text;
    parley_c2a_render_t  r;

    memset(&r, 0, sizeof(parley_c2a_render_t));

    r.b = b;
    r.doc = m->doc;

    if (m->wire != PARLEY_PROTO_C2A
        || parley_c2a_form_of(m->doc) != PARLEY_C2A_DELIVER)
    {
        return 1;
    }

    r.params = parley_c2a_params(m->doc);

    if (parley_c2a_render_headers(&r, m) != 0) {
        return -1;
    }

    content = parley_json_member(r.doc, r.params, PARLEY_ATOM_content);

    if (content == PARLEY_JSON_NONE) {
        knock = parley_json_member(r.doc, r.params, PARLEY_ATOM_knock);

        parley_buf_lit(b, "\nKNOCK\n");

        if (parley_msg_string(r.doc, parley_json_member(r.doc, knock,
                                                        PARLEY_ATOM_topic),
                              &text)
            != 0)
        {
            return -1;
        }

    } else {
        parley_buf_lit(b, "\nMESSAGE\n");

        if (parley_c2a_text(arena, r.doc, content, &text, &whole) != 0) {
            return -1;
        }
    }

    parley_c2a_render_text(b, text);

    return 0;
}


static int
parley_c2a_render_headers(parley_c2a_render_t *r, const parley_msg_t *m)
{
    uint32_t       conversation;
    parley_buf_t  *b;

    b = r->b;

    conversation = parley_json_member(r->doc, r->params,
                                      PARLEY_ATOM_conversation);

    if (parley_msg_string(r->doc, parley_json_member(r->doc, conversation,
                                                     PARLEY_ATOM_kind),
                          &r->kind)
        != 0
        || parley_msg_string(r->doc, parley_json_member(r->doc, conversation,
                                                        PARLEY_ATOM_id),
                             &r->conversation)
           != 0
        || parley_msg_string(r->doc, parley_json_member(r->doc, conversation,
                                                        PARLEY_ATOM_threadId),
                             &r->thread)
           != 0)
    {
        return -1;
    }

    parley_buf_lit(b, "C2A EVENT\n");
    parley_c2a_render_header(b, "event_id", m->id);

    parley_buf_lit(b, "conversation: ");
    parley_c2a_render_value(b, r->kind);
    parley_buf_octet(b, ' ');
    parley_c2a_render_value(b, r->conversation);
    parley_buf_octet(b, '\n');

    parley_c2a_render_header(b, "thread", r->thread);
    parley_c2a_render_header(b, "author", m->sender);

    if (parley_c2a_render_member(r, "directedness", PARLEY_ATOM_target,
                                 PARLEY_ATOM_directedness)
        != 0
        || parley_c2a_render_member(r, "response_policy",
                                    PARLEY_ATOM_attention, PARLEY_ATOM_policy)
           != 0
        || parley_c2a_render_member(r, "reason", PARLEY_ATOM_attention,
                                    PARLEY_ATOM_reason)
           != 0)
    {
        return -1;
    }

    parley_buf_lit(b, "reply_target: ");

    if (r->thread.len > 0) {
        parley_buf_lit(b, "thread:");
        parley_c2a_render_value(b, r->thread);

    } else {
        parley_c2a_render_value(b, r->kind);
        parley_buf_octet(b, ':');
        parley_c2a_render_value(b, r->conversation);
    }

    parley_buf_octet(b, '\n');

    return 0;
}


static int
parley_c2a_render_member(parley_c2a_render_t *r, const char *header,
    parley_atom_t object, parley_atom_t name)
{
    uint32_t      parent;
    parley_str_t  value;

    parent = parley_json_member(r->doc, r->params, object);

    if (parley_msg_string(r->doc, parley_json_member(r->doc, parent, name),
                          &value)
        != 0)
    {
        return -1;
    }

    parley_c2a_render_header(r->b, header, value);

    return 0;
}


/* One that has no value is left out. */

static void
parley_c2a_render_header(parley_buf_t *b, const char *header,
    parley_str_t value)
{
    if (value.len == 0) {
        return;
    }

    parley_buf_put(b, header, strlen(header));
    parley_buf_lit(b, ": ");
    parley_c2a_render_value(b, value);
    parley_buf_octet(b, '\n');
}


/* No control character, and nothing that ends a line anywhere. */

static void
parley_c2a_render_value(parley_buf_t *b, parley_str_t value)
{
    size_t  i, n;

    for (i = 0; i < value.len; i++) {
        n = parley_c2a_render_break(value, i);

        if (n > 0) {
            parley_buf_octet(b, ' ');
            i += n - 1;

        } else if (value.data[i] < 0x20 || value.data[i] == 0x7F) {
            parley_buf_octet(b, ' ');

        } else {
            parley_buf_octet(b, value.data[i]);
        }
    }
}


/* Line by line; whatever breaks lines becomes a newline. */

static void
parley_c2a_render_text(parley_buf_t *b, parley_str_t text)
{
    size_t        i, n, start;
    parley_str_t  line;

    if (text.len == 0) {
        parley_buf_octet(b, '\n');
        return;
    }

    start = 0;

    for (i = 0; i <= text.len; i += n ? n : 1) {
        n = i < text.len ? parley_c2a_render_break(text, i) : 1;

        if (n == 0) {
            continue;
        }

        line = parley_str_make(text.data + start, i - start);

        if (parley_c2a_render_forges(line)) {
            parley_buf_lit(b, "> ");
        }

        parley_c2a_render_value(b, line);
        parley_buf_octet(b, '\n');

        start = i + n;
    }
}


/*
 * The length of a line break at i, or 0: LF, CR, CR LF, VT, FF, and NEL,
 * LINE SEPARATOR, PARAGRAPH SEPARATOR in UTF-8.
 */

static size_t
parley_c2a_render_break(parley_str_t s, size_t i)
{
    size_t          left;
    const uint8_t  *p;

    p = s.data + i;
    left = s.len - i;

    if (p[0] == '\r') {
        return left > 1 && p[1] == '\n' ? 2 : 1;
    }

    if (p[0] >= '\n' && p[0] <= '\f') {
        return 1;
    }

    if (p[0] == 0xC2 && left > 1 && p[1] == 0x85) {
        return 2;
    }

    return p[0] == 0xE2 && left > 2 && p[1] == 0x80
           && (p[2] == 0xA8 || p[2] == 0xA9) ? 3 : 0;
}


/*
 * Whether a line reads like one of the host's: whatever stands before its
 * first letter, and in whichever case.
 */

static int
parley_c2a_render_forges(parley_str_t line)
{
    size_t    i, end;
    unsigned  k;

    for (i = 0; i < line.len; i++) {
        if ((line.data[i] | 0x20) >= 'a' && (line.data[i] | 0x20) <= 'z') {
            break;
        }
    }

    if (i == line.len || parley_str_begins(line, "> ")) {
        return 0;
    }

    line = parley_str_from(line, i);

    if (parley_c2a_render_begins(line, "c2a", &end)) {
        return 1;
    }

    for (k = 0;
         k < sizeof(parley_c2a_headers) / sizeof(parley_c2a_headers[0]);
         k++)
    {
        if (!parley_c2a_render_begins(line, parley_c2a_headers[k], &end)) {
            continue;
        }

        while (end < line.len
               && (line.data[end] <= ' ' || line.data[end] >= 0x7F))
        {
            end++;
        }

        if (end == line.len || line.data[end] == ':') {
            return 1;
        }
    }

    return 0;
}


/* The word, as a whole, begins the line; *ret is where it ends. */

static int
parley_c2a_render_begins(parley_str_t line, const char *word, size_t *ret)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; word[i] != '\0'; i++) {

        c = i < line.len ? line.data[i] : 0;

        if (c >= 'A' && c <= 'Z') {
            c |= 0x20;
        }

        if (c != (uint8_t) word[i]) {
            return 0;
        }
    }

    *ret = i;

    c = i < line.len ? (uint8_t) (line.data[i] | 0x20) : 0;

    return !(c >= 'a' && c <= 'z') && c != ('_' | 0x20);
}
