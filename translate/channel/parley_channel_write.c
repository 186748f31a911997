/*
 * Writes text carriers (parley_channel_text.c reads them) and the payloads
 * that hold them.
 */

#include "parley_channel.h"
#include "parley_carry.h"
#include "parley_decimal.h"
#include "parley_jcs.h"
#include "parley_number.h"
#include "parley_spot.h"


#define PARLEY_CHANNEL_DIGITS  15       /* of integers that are doubles */


static int parley_channel_text_first(parley_channel_encode_t *e,
    parley_buf_t *b);
static int parley_channel_text_lines(parley_channel_encode_t *e,
    parley_buf_t *b);
static int parley_channel_text_act(const parley_channel_encode_t *e,
    parley_act_t *ret);
static int parley_channel_text_members(parley_channel_encode_t *e,
    parley_buf_t *b);
static int parley_channel_is_double(const parley_json_t *doc, uint32_t i);
static int parley_channel_text_value(parley_channel_encode_t *e,
    parley_buf_t *b, parley_json_ref_t value);
static void parley_channel_text_word(parley_buf_t *b, parley_str_t word);
static void parley_channel_session(parley_buf_t *b, parley_str_t name,
    const parley_channel_encode_t *e);


int
parley_channel_text_write(parley_channel_encode_t *e)
{
    parley_buf_t  b;

    parley_buf_init(&b, e->arena, e->m->doc->input.len + 128);

    if (e->m->act == PARLEY_ACT_FAILURE) {
        parley_buf_lit(&b, "error ");
        parley_channel_code(&b, e->m->code);
        parley_buf_lit(&b, ": ");
    }

    if (parley_channel_text_first(e, &b) != 0
        || parley_channel_text_lines(e, &b) != 0)
    {
        return -1;
    }

    parley_buf_lit(&b, "\n\n");

    if (parley_channel_text_data(e, &b) != 0) {
        return -1;
    }

    return parley_buf_done(&b, &e->text) == 0
           ? 0 : parley_error_memory(e->err);
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


static int
parley_channel_text_first(parley_channel_encode_t *e, parley_buf_t *b)
{
    size_t               i;
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
    parley_buf_str(b, m->form);
    parley_buf_octet(b, ' ');
    parley_channel_text_word(b, m->intent);

    return 0;
}


/* Each line only where it says more than the default. */

static int
parley_channel_text_lines(parley_channel_encode_t *e, parley_buf_t *b)
{
    parley_act_t         act;
    const parley_msg_t  *m;

    m = e->m;

    parley_buf_lit(b, "\nid: ");
    parley_channel_text_word(b, m->id);

    if (m->corr.len > 0 && !parley_str_eq(m->corr, m->id)) {
        parley_buf_lit(b, "\ncorr: ");
        parley_channel_text_word(b, m->corr);
    }

    if (parley_channel_text_act(e, &act) != 0) {
        return parley_error_memory(e->err);
    }

    if (act != m->act) {
        parley_buf_lit(b, "\nact: ");
        parley_buf_str(b, parley_channel_acts[m->act]);
    }

    if (m->priority != PARLEY_PRIORITY_NORMAL) {
        parley_buf_lit(b, "\npriority: ");
        parley_buf_str(b, parley_priority_name(m->priority));
    }

    if (m->reply_to.len > 0) {
        parley_buf_lit(b, "\nreply_to: ");
        parley_channel_text_word(b, m->reply_to);
    }

    return parley_channel_text_members(e, b);
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


/* AEE's own, and the deadline of what has no such member. */

static int
parley_channel_text_members(parley_channel_encode_t *e, parley_buf_t *b)
{
    unsigned             i;
    uint32_t             k;
    const parley_msg_t  *m;

    static const parley_str_t  names[] = {
        parley_str("reply_to"), parley_str("requires"), parley_str("trace")
    };

    m = e->m;

    if (m->origin != PARLEY_PROTO_AEE) {

        if (m->timeout_ms >= 0) {
            parley_buf_lit(b, "\nrequires: {\"timeout_ms\":");
            parley_buf_int(b, m->timeout_ms);
            parley_buf_octet(b, '}');
        }

        return 0;
    }

    for (i = m->reply_to.len > 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (k = 0; k < m->nmembers; k++) {
            if (parley_str_eq(m->members[k].name, names[i])) {
                break;
            }
        }

        if (k == m->nmembers) {
            continue;
        }

        parley_buf_octet(b, '\n');
        parley_buf_str(b, names[i]);
        parley_buf_lit(b, ": ");

        if (parley_channel_text_value(e, b, m->members[k].value) != 0) {
            return -1;
        }
    }

    return 0;
}


/* The native payload, without what carrying it in AEE added. */

int
parley_channel_text_data(parley_channel_encode_t *e, parley_buf_t *b)
{
    parley_buf_t         native;
    parley_str_t         text;
    parley_json_t        doc;
    const parley_msg_t  *m;

    m = e->m;

    if (m->data.node == PARLEY_JSON_NONE) {
        parley_buf_lit(b, "{}");
        return 0;
    }

    if (!m->carried && m->naside == 0) {
        return parley_channel_text_value(e, b, m->data);
    }

    parley_buf_init(&native, e->arena, m->doc->input.len);
    parley_carry_payload(&native, m, parley_str_none);

    if (parley_buf_done(&native, &text) != 0) {
        return parley_error_memory(e->err);
    }

    if (parley_read_again(&doc, e->arena, m->doc->seed, text, e->err) != 0) {
        return -1;
    }

    return parley_channel_text_value(e, b, (parley_json_ref_t) { &doc, 0 });
}


/*
 * The RFC 8785 form, which has doubles for numbers: what is none cannot be
 * said.
 */

static int
parley_channel_text_value(parley_channel_encode_t *e, parley_buf_t *b,
    parley_json_ref_t value)
{
    char      pointer[PARLEY_POINTER_MAX];
    uint32_t  i;

    for (i = value.node; i < parley_json_end(value.doc, value.node); i++) {
        if (parley_json_type(value.doc, i) == PARLEY_JSON_NUMBER
            && !parley_channel_is_double(value.doc, i))
        {
            break;
        }
    }

    if (i == parley_json_end(value.doc, value.node)) {
        parley_jcs_write(b, value, parley_str_none);
        return 0;
    }

    if (value.doc == e->m->doc) {
        (void) parley_json_pointer(value.doc, i, pointer, sizeof(pointer));
    }

    return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                            value.doc == e->m->doc ? pointer
                             : parley_at(e->m, PARLEY_SPOT_DATA).pointer,
                             "this number is no double: it has no canonical "
                             "form");
}


/* Whether it has that very value, not one near it. */

static int
parley_channel_is_double(const parley_json_t *doc, uint32_t i)
{
    char              text[PARLEY_NUMBER_MAX];
    double            d;
    parley_str_t      literal;
    parley_decimal_t  written, kept;

    literal = parley_json_raw(doc, i);

    if ((parley_json_node(doc, i)->flags & PARLEY_JSON_INTEGER)
        && literal.len <= PARLEY_CHANNEL_DIGITS)
    {
        return 1;
    }

    if (parley_number_parse(literal, &d) != 0) {
        return 0;
    }

    written = parley_decimal_make(literal);
    kept = parley_decimal_make(parley_str_make(text,
                                              parley_number_format(d, text)));

    return parley_decimal_cmp(&written, &kept) == 0;
}


static void
parley_channel_text_word(parley_buf_t *b, parley_str_t word)
{
    int     plain;
    size_t  i;

    plain = word.len > 0 && word.data[0] != '"'
            && !parley_str_is(word, "null");

    for (i = 0; plain && i < word.len; i++) {
        plain = word.data[i] >= 0x20 && word.data[i] != 0x7F;
    }

    if (plain) {
        parley_buf_str(b, word);

    } else {
        parley_buf_json_string(b, word);
    }
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

        parley_carry_payload(b, e->m, PARLEY_STR("references"));
        return;
    }

    parley_buf_octet(b, '{');
    parley_buf_member(b, e->kind->text, e->text);

    if (e->kind->corr.len > 0) {
        parley_buf_member(b, e->kind->corr, e->corr);
    }

    switch (e->kind->kind) {

    case PARLEY_CHANNEL_BROADCAST:
        parley_buf_lit(b, ",\"event_class\":\"other\"");
        break;

    case PARLEY_CHANNEL_HANDOVER:
        parley_channel_session(b, PARLEY_STR("previous_session_id"), e);
        break;

    case PARLEY_CHANNEL_QUERY:
        parley_buf_lit(b, ",\"response_scope\":\"");
        parley_buf_str(b, e->sender);
        parley_buf_octet(b, '/');
        parley_buf_lit(b, "*\",\"timeout_ms\":");
        parley_buf_int(b, e->m->timeout_ms < 0 ? PARLEY_CHANNEL_WINDOW_MS
                          : e->m->timeout_ms ? e->m->timeout_ms : 1);
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
