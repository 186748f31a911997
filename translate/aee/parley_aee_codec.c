#include "translate/aee/parley_aee.h"
#include "translate/parley_unmapped.h"
#include "translate/aee/parley_aee_local.h"
#include "translate/parley_embed.h"


#define PARLEY_AEE_DETECTED  100    /* "v" and two other fields */
#define PARLEY_AEE_CERTAIN   3      /* minimum fields, including "v" */


static int parley_aee_asks_health(const parley_msg_t *m);
static int parley_aee_detect(const parley_json_t *doc);
static int parley_aee_is_certain(const parley_json_t *doc);
static int parley_aee_attach(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_sig_t *sig, parley_str_t *ret, parley_error_t *err);
static parley_str_t parley_aee_type_at(unsigned i);
static void parley_aee_unmapped(const parley_msg_t *m, parley_loss_t *loss);
static int parley_aee_unmapped_own(const parley_msg_t *m, uint32_t value,
    unsigned by, parley_loss_t *loss);


/*
 * mappings of a member: by a canonical field, or by a deadline that is an
 * integer
 */
#define PARLEY_AEE_HELD   0x01
#define PARLEY_AEE_WHOLE  0x02


static const parley_mapped_t  parley_aee_mapped = {
    .own = parley_aee_unmapped_own,
    .names = {
        [PARLEY_ATOM_v] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_id] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_ts] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_type] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_from] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_to] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_intent] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_corr] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_reply_to] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_priority] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_payload] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_sig] = PARLEY_AEE_HELD }
};

static const parley_mapped_t  parley_aee_mapped_requires = {
    .pointer = "/requires",
    .names = { [PARLEY_ATOM_timeout_ms] = PARLEY_AEE_WHOLE }
};

static const parley_mapped_t  parley_aee_mapped_trace = {
    .pointer = "/trace",
    .names = {
        [PARLEY_ATOM_trace_id] = PARLEY_AEE_HELD,
        [PARLEY_ATOM_span_id] = PARLEY_AEE_HELD }
};


static const parley_plain_t  parley_aee_reference_names[] = {
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_corr, NULL },
    { PARLEY_ATOM_hash, NULL },
    { PARLEY_ATOM_locator, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_aee_payload_names[] = {
    { PARLEY_ATOM_references, parley_aee_reference_names },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_aee_trace_names[] = {
    { PARLEY_ATOM_trace_id, NULL },
    { PARLEY_ATOM_span_id, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

/* names by place; only texts that are not ASCII are examined */
static const parley_plain_t  parley_aee_names[] = {
    { PARLEY_ATOM_payload, parley_aee_payload_names },
    { PARLEY_ATOM_trace, parley_aee_trace_names },
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_from, NULL },
    { PARLEY_ATOM_to, NULL },
    { PARLEY_ATOM_intent, NULL },
    { PARLEY_ATOM_corr, NULL },
    { PARLEY_ATOM_reply_to, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_atom_t
    parley_aee_passing[][PARLEY_CODEC_PASSING_NAMES] = {
    { PARLEY_ATOM_sig }, { PARLEY_ATOM_trace }, { PARLEY_ATOM_NONE }
};


static const parley_str_t  parley_aee_relays[] = {
    parley_str("GET"), parley_str("")
};


const parley_binding_t  parley_aee_binding = {
    .methods = parley_binding_post,
    .relays = parley_aee_relays,
    .media_type = parley_str("application/json"),
};


const parley_codec_t  parley_aee_codec = {
    .proto = PARLEY_PROTO_AEE,
    .binding = &parley_aee_binding,
    .syntax = &parley_name_canonical,
    .schema = parley_str("urn:parley:schema:aee-1"),
    .log_schema = parley_str("urn:parley:schema:aee-mve5"),
    .discriminator = PARLEY_ATOM_v,
    .signature_member = parley_str("sig"),

    .pointers[PARLEY_MSG_FORM] = "/type",
    .pointers[PARLEY_MSG_ID] = "/id",
    .pointers[PARLEY_MSG_CREATED] = "/ts",
    .pointers[PARLEY_MSG_SENDER] = "/from",
    .pointers[PARLEY_MSG_RECIPIENT] = "/to",
    .pointers[PARLEY_MSG_INTENT] = "/intent",
    .pointers[PARLEY_MSG_CORR] = "/corr",
    .pointers[PARLEY_MSG_REPLY_TO] = "/reply_to",
    .reply_to_member = parley_str("reply_to"),
    .pointers[PARLEY_MSG_PRIORITY] = "/priority",
    .pointers[PARLEY_MSG_TIMEOUT] = "/requires/timeout_ms",
    .pointers[PARLEY_MSG_DATA] = "/payload",
    .pointers[PARLEY_MSG_SIGNATURE] = "/sig",
    .passing = parley_aee_passing,
    .first = PARLEY_FIRST_ID,

    .names = parley_aee_names,
    .retries = 1,

    .detect = parley_aee_detect,
    .certain = parley_aee_is_certain,
    .decode = parley_aee_decode,
    .spelling = parley_aee_spelling,
    .payload = parley_aee_says,
    .spoken = parley_aee_spoken,
    .unmapped = parley_aee_unmapped,
    .type = parley_aee_type_at,
    .within = parley_aee_within,
    .extract = parley_aee_extract,
    .slot = &parley_aee_slot,
    .encode = parley_aee_encode,
    .direction = parley_embed_direction,
    .attach = parley_aee_attach,
    .answer_decode = parley_aee_answer_decode,
    .answer_encode = parley_aee_answer_encode,
    .event = parley_aee_event,
    .refuse = parley_aee_refuse,
    .asks_health = parley_aee_asks_health,
    .tasks = &parley_aee_tasks,
};


static const parley_str_t  parley_aee_types[] = {
    [PARLEY_ACT_REQUEST] = parley_str("task"),
    [PARLEY_ACT_REPLY] = parley_str("result"),
    [PARLEY_ACT_FAILURE] = parley_str("error"),
    [PARLEY_ACT_EVENT] = parley_str("event"),
    [PARLEY_ACT_PROGRESS] = parley_str("stream"),
};


/* intents of section 9, table 2 */
static const parley_str_t  parley_aee_intents[] = {
    parley_str("aee.status.ping"),
    parley_str("aee.status.health"),
    parley_str("aee.spec.query"),
    parley_str("aee.capability.list"),
    parley_str("aee.context.fetch"),
    parley_str("aee.context.refute"),
    parley_str("aee.validate.payload"),
};


static int
parley_aee_detect(const parley_json_t *doc)
{
    int                 n, v;
    uint32_t            k;
    parley_aee_field_t  field;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    n = 0;
    v = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_aee_field(doc, k);

        n += field != PARLEY_AEE_FIELDS;
        v |= field == PARLEY_AEE_V;
    }

    return v && n >= PARLEY_AEE_CERTAIN ? PARLEY_AEE_DETECTED + n : n;
}


static int
parley_aee_is_certain(const parley_json_t *doc)
{
    int       n;
    uint32_t  k;

    n = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0) && n < PARLEY_AEE_CERTAIN;
         k = parley_json_after(doc, k + 1))
    {
        n += parley_aee_field(doc, k) != PARLEY_AEE_FIELDS;
    }

    return n == PARLEY_AEE_CERTAIN;
}


parley_str_t
parley_aee_type(parley_act_t act)
{
    return parley_aee_types[act];
}


static parley_str_t
parley_aee_type_at(unsigned i)
{
    return i < sizeof(parley_aee_types) / sizeof(parley_aee_types[0])
           ? parley_aee_types[i] : parley_str_none;
}


int
parley_aee_is_reserved(parley_str_t intent)
{
    unsigned  i;

    if (intent.len < 4
        || !parley_str_eq_fold(parley_str_make(intent.data, 4),
                               PARLEY_STR("aee."))
        || parley_str_begins(intent, "aee.ext."))
    {
        return 0;
    }

    for (i = 0;
         i < sizeof(parley_aee_intents) / sizeof(parley_aee_intents[0]);
         i++)
    {
        if (parley_str_eq(parley_aee_intents[i], intent)) {
            return 0;
        }
    }

    return 1;
}


static int
parley_aee_attach(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_sig_t *sig, parley_str_t *ret, parley_error_t *err)
{
    parley_buf_t  b;
    parley_str_t  value;

    *ret = parley_str_none;

    parley_buf_init(&b, arena, sig->value.len + sig->kid.len + 48);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("alg"), sig->alg);

    if (sig->kid.len > 0) {
        parley_buf_member(&b, PARLEY_STR("kid"), sig->kid);
    }

    parley_buf_member(&b, PARLEY_STR("value"), sig->value);
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &value) != 0) {
        return parley_error_memory(err);
    }

    return parley_edit_append(arena, doc, PARLEY_STR("sig"), value, ret, err);
}


int
parley_aee_is_short(parley_str_t s, size_t min)
{
    size_t  i, n;

    /* A character has at most four octets. */

    if (s.len >= 4 * min) {
        return 0;
    }

    n = 0;

    for (i = 0; i < s.len && n < min; i++) {
        n += (s.data[i] & 0xC0) != 0x80;
    }

    return n < min;
}


/* AEE-22 */

static int
parley_aee_asks_health(const parley_msg_t *m)
{
    return parley_str_is(m->intent, "aee.status.health");
}


/*
 * Reports the content without a canonical field: unknown members, and the
 * members of requires and trace except a deadline and valid ids.
 */

static void
parley_aee_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    uint32_t              i, own, refs;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;

    /* The decode has collected the unknown members. */

    for (i = 0; !m->carried && i < m->nmembers; i++) {
        value.node = m->members[i].value.node;

        if (!parley_aee_unmapped_own(m, value.node, PARLEY_AEE_HELD, loss)
            && parley_aee_field_name(m->members[i].name) == PARLEY_AEE_FIELDS)
        {
            parley_loss_value(loss, value);
        }
    }

    if (!m->carried) {
        return;
    }

    parley_unmapped(m, 0, &parley_aee_mapped, PARLEY_AEE_HELD, loss);

    /* Report all references except the gateway's own. */

    own = parley_embed_reference(doc, m->data.node, m->origin);
    refs = parley_json_member(doc, m->data.node, PARLEY_ATOM_references);

    for (i = parley_json_first(refs);
         i != parley_json_end(doc, refs);
         i = parley_json_after(doc, i))
    {
        if (i != own) {
            value.node = i;
            parley_loss_value(loss, value);
        }
    }
}


/*
 * Maps requires and trace.  An integer timeout_ms is the deadline.  A
 * traceparent header carries ids that are valid for it.
 */

static int
parley_aee_unmapped_own(const parley_msg_t *m, uint32_t value, unsigned by,
    parley_loss_t *loss)
{
    int64_t               ms;
    uint32_t              timeout;
    parley_json_ref_t     trace;
    const parley_json_t  *doc;

    doc = m->doc;

    switch (parley_json_atom(doc, value - 1)) {

    case PARLEY_ATOM_requires:
        timeout = parley_json_member(doc, value, PARLEY_ATOM_timeout_ms);

        if (timeout != PARLEY_JSON_NONE
            && parley_json_integer(doc, timeout, &ms) == 0
            && ms >= 0 && ms == m->timeout_ms)
        {
            by |= PARLEY_AEE_WHOLE;
        }

        parley_unmapped(m, value, &parley_aee_mapped_requires, by, loss);
        return 1;

    case PARLEY_ATOM_trace:

        if (parley_trace_is_valid(m->trace_id, m->span_id)) {
            parley_unmapped(m, value, &parley_aee_mapped_trace, by, loss);

        } else if (parley_json_type(doc, value) == PARLEY_JSON_OBJECT
                   && parley_json_node(doc, value)->count > 0)
        {
            trace.doc = doc;
            trace.node = value;
            parley_loss_value(loss, trace);
        }

        return 1;

    default:
        return 0;
    }
}
