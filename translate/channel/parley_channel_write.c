/*
 * Writes text carriers (parley_channel_text.c reads them) and the payloads
 * that hold them.
 */

#include "parley_channel.h"
#include "parley_carry.h"
#include "parley_spot.h"


#define PARLEY_CHANNEL_SHORT   65536    /* octets: no string, array or object
                                           in such a text is too great for
                                           who reads it */


static int parley_channel_text_reread(const parley_channel_encode_t *e);
static int parley_channel_text_words(parley_channel_encode_t *e);
static int parley_channel_text_stands_alone(const parley_channel_encode_t *e,
    const parley_codec_t *codec);
static int parley_channel_text_first(parley_channel_encode_t *e,
    parley_buf_t *b);
static int parley_channel_text_lines(parley_channel_encode_t *e,
    parley_buf_t *b);
static int parley_channel_text_act(const parley_channel_encode_t *e,
    parley_act_t *ret);
static int parley_channel_text_envelope(parley_channel_encode_t *e,
    parley_buf_t *b);
static int parley_channel_text_object(parley_channel_encode_t *e,
    parley_buf_t *b, parley_str_t name, parley_json_ref_t value);
static int parley_channel_text_members(parley_channel_encode_t *e,
    parley_buf_t *b);
static void parley_channel_text_word(parley_buf_t *b, parley_str_t word);
static void parley_channel_session(parley_buf_t *b, parley_str_t name,
    const parley_channel_encode_t *e);


int
parley_channel_text_write(parley_channel_encode_t *e)
{
    size_t        size;
    parley_buf_t  b;

    e->deep = 0;
    e->timeout_ms = -1;

    /* half as much again: most octets of a payload need no escape */

    size = e->m->doc->input.len;

    parley_buf_init(&b, e->arena, size + size / 2 + 128);

    if (e->m->act == PARLEY_ACT_FAILURE) {
        parley_buf_lit(&b, "error ");
        parley_channel_code(&b, e->m->code);
        parley_buf_lit(&b, ": ");
    }

    if (parley_channel_text_words(e) != 0) {
        return parley_error_memory(e->err);
    }

    if (e->words.len > 0) {
        parley_buf_json_text(&b, e->words);
        parley_buf_lit(&b, "\\n\\n");
    }

    if (parley_channel_text_first(e, &b) != 0
        || parley_channel_text_lines(e, &b) != 0)
    {
        return -1;
    }

    parley_buf_lit(&b, "\\n\\n");

    if (parley_channel_text_data(e, &b) != 0) {
        return -1;
    }

    return parley_buf_done(&b, &e->text) == 0
           ? 0 : parley_error_memory(e->err);
}


int
parley_channel_text_is_whole(const parley_channel_encode_t *e)
{
    parley_str_t         form;
    const parley_msg_t  *m;

    m = e->m;

    if (m->form.len == 0 || m->id.len == 0 || e->deep
        || (m->data.node != PARLEY_JSON_NONE
            && parley_json_type(m->data.doc, m->data.node)
               != PARLEY_JSON_OBJECT)
        || (m->origin != PARLEY_PROTO_AEE
            && (parley_carry_intent(m->intent, &form) != m->origin
                || !parley_str_eq(form, m->form))))
    {
        return 0;
    }

    return e->text.len <= PARLEY_CHANNEL_SHORT
           || parley_channel_text_reread(e);
}


/* A long one. */

static int
parley_channel_text_reread(const parley_channel_encode_t *e)
{
    parley_buf_t              b;
    parley_str_t              quoted, text;
    parley_json_t             doc;
    parley_error_t            err;
    parley_channel_carrier_t  c;

    parley_buf_init(&b, e->arena, e->text.len + sizeof("\"\""));
    parley_buf_octet(&b, '"');
    parley_buf_str(&b, e->text);
    parley_buf_octet(&b, '"');

    if (parley_buf_done(&b, &quoted) != 0
        || parley_read_again(&doc, e->arena, e->m->doc->seed, quoted, &err)
           != 0
        || parley_json_string(&doc, 0, &text) != 0)
    {
        return -1;
    }

    return parley_channel_text_read(e->arena, e->m->doc->seed, text, &c);
}


size_t
parley_channel_text_len(parley_str_t text)
{
    size_t          n;
    const uint8_t  *p, *end;

    n = text.len;
    end = text.data + text.len;

    for (p = memchr(text.data, '\\', text.len);
         p != NULL;
         p = memchr(p, '\\', (size_t) (end - p)))
    {
        /* \u001f or two octets */

        n -= p[1] == 'u' ? 5 : 1;
        p += p[1] == 'u' ? 6 : 2;
    }

    return n;
}


void
parley_channel_code(parley_buf_t *b, parley_str_t code)
{
    size_t   i;
    uint8_t  c;

    if (code.len == 0) {
        parley_buf_lit(b, "E_FAILED");
        return;
    }

    for (i = 0; i < code.len && i < PARLEY_CHANNEL_CODE_MAX; i++) {
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
 * What a person reads first, and whether the payload can do without it.  A
 * text that would be taken for a failure's stays where it is.
 */

static int
parley_channel_text_words(parley_channel_encode_t *e)
{
    parley_buf_t           b;
    parley_str_t           text, code;
    const parley_msg_t    *m;
    const parley_codec_t  *codec;

    m = e->m;
    codec = parley_codecs[m->origin];

    e->words = m->text;
    e->spoken = PARLEY_JSON_NONE;

    if (m->text.len == 0 && codec != NULL && codec->sentence != NULL) {
        parley_buf_init(&b, e->arena, 0);

        if (codec->sentence(&b, m) && parley_buf_done(&b, &e->words) != 0) {
            return -1;
        }

        return 0;
    }

    text = m->text;

    if (m->act != PARLEY_ACT_FAILURE && parley_channel_code_read(&text, &code))
    {
        e->words = parley_str_none;
        return 0;
    }

    if (codec != NULL && codec->spoken != NULL
        && parley_channel_text_stands_alone(e, codec))
    {
        e->spoken = m->said[0];
    }

    return 0;
}


/* Whether who reads the words knows to which member they belong. */

static int
parley_channel_text_stands_alone(const parley_channel_encode_t *e,
    const parley_codec_t *codec)
{
    uint32_t              part;
    parley_atom_t         name;
    const parley_msg_t   *m;
    const parley_json_t  *doc;

    m = e->m;
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
parley_channel_text_first(parley_channel_encode_t *e, parley_buf_t *b)
{
    size_t               i;
    parley_str_t         form;
    const parley_msg_t  *m;

    m = e->m;

    for (i = 0; i < m->form.len; i++) {
        if (m->form.data[i] <= ' ' || m->form.data[i] == 0x7F) {
            return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                    parley_at(m, PARLEY_SPOT_INTENT).pointer,
                                    "a text cannot name a message of this "
                                    "form");
        }
    }

    parley_buf_str(b, parley_proto_name(m->origin));
    parley_buf_octet(b, '.');
    parley_buf_json_text(b, m->form);

    if (m->origin == PARLEY_PROTO_AEE
        || parley_carry_intent(m->intent, &form) != m->origin
        || !parley_str_eq(form, m->form))
    {
        parley_buf_octet(b, ' ');
        parley_channel_text_word(b, m->intent);
    }

    return 0;
}


/* Each line only where it says more than the default. */

static int
parley_channel_text_lines(parley_channel_encode_t *e, parley_buf_t *b)
{
    parley_act_t         act;
    const parley_msg_t  *m;

    m = e->m;

    parley_buf_lit(b, "\\nid: ");
    parley_channel_text_word(b, m->id);

    if (m->corr.len > 0 && !parley_str_eq(m->corr, m->id)) {
        parley_buf_lit(b, "\\ncorr: ");
        parley_channel_text_word(b, m->corr);
    }

    if (parley_channel_text_act(e, &act) != 0) {
        return parley_error_memory(e->err);
    }

    if (act != m->act) {
        parley_buf_lit(b, "\\nact: ");
        parley_buf_str(b, parley_channel_acts[m->act]);
    }

    if (m->priority != PARLEY_PRIORITY_NORMAL) {
        parley_buf_lit(b, "\\npriority: ");
        parley_buf_str(b, parley_priority_name(m->priority));
    }

    if (m->reply_to.len > 0) {
        parley_buf_lit(b, "\\nreply_to: ");
        parley_channel_text_word(b, m->reply_to);
    }

    return parley_channel_text_envelope(e, b);
}


/* The act that a reader takes it for, without a line. */

static int
parley_channel_text_act(const parley_channel_encode_t *e, parley_act_t *ret)
{
    parley_msg_t           said;
    const parley_codec_t  *codec;

    said = *e->m;
    codec = parley_codecs[said.origin];

    if (codec == NULL || codec->payload == NULL) {
        *ret = said.act == PARLEY_ACT_FAILURE ? said.act : e->kind->act;
        return 0;
    }

    said.act = PARLEY_ACT_EVENT;

    if (said.data.node != PARLEY_JSON_NONE && codec->payload(&said) != 0) {
        return -1;
    }

    *ret = said.act;

    return 0;
}


/*
 * AEE's own; of another protocol the deadline, and the members of its envelope
 * that no line says.
 */

static int
parley_channel_text_envelope(parley_channel_encode_t *e, parley_buf_t *b)
{
    unsigned             i;
    uint32_t             k;
    parley_json_ref_t    value;
    const parley_msg_t  *m;

    static const parley_str_t  names[] = {
        parley_str("requires"), parley_str("trace")
    };

    m = e->m;

    if (m->origin != PARLEY_PROTO_AEE) {

        if (m->timeout_ms >= 0) {
            e->timeout_ms = m->timeout_ms < PARLEY_CHANNEL_MS_MAX
                            ? m->timeout_ms : PARLEY_CHANNEL_MS_MAX;

            parley_buf_lit(b, "\\nrequires: {\\\"timeout_ms\\\":");
            parley_buf_int(b, m->timeout_ms);
            parley_buf_octet(b, '}');
        }

        return m->nmembers > 0 ? parley_channel_text_members(e, b) : 0;
    }

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (k = 0; k < m->nmembers; k++) {
            if (parley_str_eq(m->members[k].name, names[i])) {
                break;
            }
        }

        if (k == m->nmembers) {
            continue;
        }

        value = m->members[k].value;

        if (parley_channel_text_object(e, b, names[i], value) != 0) {
            return -1;
        }

        if (i == 0) {
            e->timeout_ms = parley_channel_timeout(value);
        }
    }

    return 0;
}


/* What is null or empty says nothing. */

static int
parley_channel_text_object(parley_channel_encode_t *e, parley_buf_t *b,
    parley_str_t name, parley_json_ref_t value)
{
    if (parley_json_type(value.doc, value.node) != PARLEY_JSON_OBJECT
        || parley_json_node(value.doc, value.node)->count == 0)
    {
        return 0;
    }

    parley_buf_lit(b, "\\n");
    parley_buf_str(b, name);
    parley_buf_lit(b, ": ");

    return parley_channel_text_value(e, b, value);
}


/* As an object of their own, which may be of several documents. */

static int
parley_channel_text_members(parley_channel_encode_t *e, parley_buf_t *b)
{
    uint32_t             i;
    parley_buf_t         object;
    parley_str_t         text;
    parley_json_t        doc;
    const parley_msg_t  *m;

    m = e->m;

    parley_buf_init(&object, e->arena, m->doc->input.len);
    parley_buf_octet(&object, '{');

    for (i = 0; i < m->nmembers; i++) {
        if (i > 0) {
            parley_buf_octet(&object, ',');
        }

        if (parley_channel_text_exact(e, m->members[i].value) != 0) {
            return -1;
        }

        parley_carry_member(&object, &m->members[i]);
    }

    parley_buf_octet(&object, '}');

    if (parley_buf_done(&object, &text) != 0) {
        return parley_error_memory(e->err);
    }

    if (parley_read_again(&doc, e->arena, m->doc->seed, text, e->err) != 0) {
        return -1;
    }

    parley_buf_lit(b, "\\nmembers: ");

    return parley_channel_text_value(e, b, (parley_json_ref_t) { &doc, 0 });
}


static void
parley_channel_text_word(parley_buf_t *b, parley_str_t word)
{
    parley_buf_t  quoted;
    parley_str_t  text;

    if (word.len > 0 && word.data[0] != '"' && !parley_str_is(word, "null")
        && parley_channel_is_plain(word))
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


void
parley_channel_payload(parley_buf_t *b, const parley_channel_encode_t *e)
{
    static const parley_str_t  severities[] = {
        [PARLEY_ALARM_NONE] = parley_str("info"),
        [PARLEY_ALARM_INFO] = parley_str("info"),
        [PARLEY_ALARM_WARNING] = parley_str("degraded"),
        [PARLEY_ALARM_CRITICAL] = parley_str("blocked"),
        [PARLEY_ALARM_EMERGENCY] = parley_str("blocked"),
    };

    if (e->native) {

        /* no payload of agent-channel has such a member */

        parley_carry_payload(b, e->m, PARLEY_ATOM_references);
        return;
    }

    parley_buf_octet(b, '{');
    parley_buf_name(b, parley_atom_name(e->kind->text));
    parley_buf_octet(b, '"');
    parley_buf_str(b, e->text);
    parley_buf_octet(b, '"');

    if (e->kind->question != PARLEY_ATOM_NONE) {
        parley_buf_member(b, parley_atom_name(e->kind->question),
                          e->question);
    }

    switch (e->kind->kind) {

    case PARLEY_CHANNEL_BROADCAST:
        parley_buf_lit(b, ",\"event_class\":\"other\"");
        break;

    case PARLEY_CHANNEL_HANDOVER:
        parley_channel_session(b, PARLEY_STR("previous_session_id"), e);

        if (e->question.len > 0) {
            parley_channel_reference(b, e->question);
        }

        break;

    case PARLEY_CHANNEL_QUERY:
        parley_buf_lit(b, ",\"response_scope\":\"");
        parley_buf_str(b, e->sender);
        parley_buf_octet(b, '/');
        parley_buf_lit(b, "*\",\"timeout_ms\":");
        parley_buf_int(b, e->m->timeout_ms < 0 ? PARLEY_CHANNEL_WINDOW_MS
                                               : e->m->timeout_ms);
        break;

    case PARLEY_CHANNEL_RESPONSE:
        parley_channel_session(b, PARLEY_STR("responder_session_id"), e);
        break;

    case PARLEY_CHANNEL_DIAGNOSTIC_REQUEST:
        parley_buf_member(b, PARLEY_STR("severity"),
                          severities[parley_channel_alarm(e)]);
        break;

    default:
        break;
    }

    parley_buf_octet(b, '}');
}


/*
 * The session is known by the name that its principal has where the message
 * comes from.
 */

static void
parley_channel_session(parley_buf_t *b, parley_str_t name,
    const parley_channel_encode_t *e)
{
    parley_str_t  id;

    id = e->m->sender;

    if (id.len == 0 || id.len > PARLEY_CHANNEL_ID_MAX) {
        id = e->id;
    }

    parley_buf_member(b, name, id);
}
