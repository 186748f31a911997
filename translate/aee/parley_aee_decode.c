#include "parley_aee.h"
#include "parley_time.h"


#define PARLEY_AEE_TIMEOUT_MAX  9007199254740991    /* 2^53 - 1, in ms */


/* what a pass over the top-level members found */
typedef struct {
    uint32_t  fields[PARLEY_AEE_FIELDS];    /* values, or NONE */
    uint32_t  nmembers;                     /* that no canonical field has */
    uint32_t  member;                       /* the name of the first */
} parley_aee_scan_t;


static void parley_aee_scan(const parley_json_t *doc,
    parley_aee_scan_t *scan);
static int parley_aee_is_member(const parley_json_t *doc,
    parley_aee_field_t field, uint32_t value);
static int parley_aee_fill_peek(parley_msg_t *msg,
    const parley_aee_scan_t *scan);
static int parley_aee_fill(parley_arena_t *arena, parley_msg_t *msg,
    const parley_aee_scan_t *scan);
static int parley_aee_fill_head(parley_msg_t *msg,
    const parley_aee_scan_t *scan);
static int parley_aee_fill_sig(parley_msg_t *msg, uint32_t sig);
static int parley_aee_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_aee_scan_t *scan);


static const parley_aee_field_t  parley_aee_required[] = {
    PARLEY_AEE_V, PARLEY_AEE_ID, PARLEY_AEE_TS, PARLEY_AEE_TYPE,
    PARLEY_AEE_FROM, PARLEY_AEE_TO, PARLEY_AEE_INTENT, PARLEY_AEE_CORR,
    PARLEY_AEE_PRIORITY, PARLEY_AEE_PAYLOAD
};


int
parley_aee_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    unsigned           i;
    uint32_t           v;
    parley_aee_scan_t  scan;

    parley_aee_scan(doc, &scan);

    if (parley_aee_fill_peek(msg, &scan) != 0) {
        return parley_error_memory(err);
    }

    v = scan.fields[PARLEY_AEE_V];

    if (v != PARLEY_JSON_NONE
        && !parley_json_string_is(doc, v, PARLEY_STR("1")))
    {
        return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                "/v", "/v must be the string \"1\"");
    }

    for (i = 0; mve5 && i < sizeof(parley_aee_required)
                            / sizeof(parley_aee_required[0]); i++)
    {
        msg->partial |= scan.fields[parley_aee_required[i]]
                        == PARLEY_JSON_NONE;
    }

    if (msg->partial) {
        if (parley_validate_log(engine, PARLEY_PROTO_AEE, doc, err) != 0) {
            return -1;
        }

    } else if (parley_validate(engine, PARLEY_PROTO_AEE, doc, err) != 0) {
        return -1;
    }

    if (parley_aee_is_reserved(msg->intent)) {
        return parley_error_set(err, PARLEY_E_INTENT_REFUSED, "/intent",
                                "/intent lies in the reserved namespace "
                                "aee.*");
    }

    if (parley_aee_fill(arena, msg, &scan) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}


static void
parley_aee_scan(const parley_json_t *doc, parley_aee_scan_t *scan)
{
    unsigned            i;
    uint32_t            k;
    parley_aee_field_t  field;

    for (i = 0; i < PARLEY_AEE_FIELDS; i++) {
        scan->fields[i] = PARLEY_JSON_NONE;
    }

    scan->nmembers = 0;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_aee_field(doc, k);

        if (field != PARLEY_AEE_FIELDS) {
            scan->fields[field] = k + 1;
        }

        if (parley_aee_is_member(doc, field, k + 1) && scan->nmembers++ == 0) {
            scan->member = k;
        }
    }
}


/*
 * Whether a top-level member says what no canonical field holds.  That
 * reply_to is null, or empty, rather than absent is kept as well, so that a
 * protocol with an open slot gives the envelope back exactly.
 */

static int
parley_aee_is_member(const parley_json_t *doc, parley_aee_field_t field,
    uint32_t value)
{
    switch (field) {

    case PARLEY_AEE_TRACE:
    case PARLEY_AEE_REQUIRES:
    case PARLEY_AEE_FIELDS:
        return 1;

    case PARLEY_AEE_REPLY_TO:
        return parley_json_type(doc, value) == PARLEY_JSON_NULL
               || parley_json_node(doc, value)->len == 0;

    default:
        return 0;
    }
}


int
parley_aee_peek(parley_msg_t *msg)
{
    parley_aee_scan_t  scan;

    parley_aee_scan(msg->doc, &scan);

    return parley_aee_fill_peek(msg, &scan);
}


/* What a refusal needs to know, of an envelope that need not be valid. */

static int
parley_aee_fill_peek(parley_msg_t *msg, const parley_aee_scan_t *scan)
{
    unsigned  i;

    struct {
        parley_aee_field_t   field;
        parley_str_t        *to;
    } fields[] = {
        { PARLEY_AEE_ID, &msg->id },
        { PARLEY_AEE_FROM, &msg->sender },
        { PARLEY_AEE_TO, &msg->recipient },
        { PARLEY_AEE_INTENT, &msg->intent },
        { PARLEY_AEE_CORR, &msg->corr },
    };

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (parley_msg_string(msg->doc, scan->fields[fields[i].field],
                              fields[i].to)
            != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_aee_fill(parley_arena_t *arena, parley_msg_t *msg,
    const parley_aee_scan_t *scan)
{
    if (parley_aee_fill_head(msg, scan) != 0
        || parley_aee_fill_sig(msg, scan->fields[PARLEY_AEE_SIG]) != 0)
    {
        return -1;
    }

    if (scan->fields[PARLEY_AEE_PAYLOAD] != PARLEY_JSON_NONE
        && parley_json_type(msg->doc, scan->fields[PARLEY_AEE_PAYLOAD])
           == PARLEY_JSON_OBJECT)
    {
        msg->data.doc = msg->doc;
        msg->data.node = scan->fields[PARLEY_AEE_PAYLOAD];

        if (parley_aee_payload(arena, msg) != 0) {
            return -1;
        }
    }

    return msg->carried ? 0 : parley_aee_members(arena, msg, scan);
}


static int
parley_aee_fill_head(parley_msg_t *msg, const parley_aee_scan_t *scan)
{
    unsigned              act;
    uint32_t              value;
    parley_str_t          word;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, scan->fields[PARLEY_AEE_TYPE], &word) != 0) {
        return -1;
    }

    for (act = PARLEY_ACT_REQUEST; act <= PARLEY_ACT_PROGRESS; act++) {
        if (parley_str_eq(parley_aee_type((parley_act_t) act), word)) {
            msg->act = (parley_act_t) act;
            msg->form = parley_aee_type(msg->act);
            break;
        }
    }

    if (parley_msg_string(doc, scan->fields[PARLEY_AEE_TS], &msg->created) != 0
        || parley_msg_string(doc, scan->fields[PARLEY_AEE_REPLY_TO],
                           &msg->reply_to)
           != 0
        || parley_msg_string(doc, scan->fields[PARLEY_AEE_PRIORITY], &word)
           != 0)
    {
        return -1;
    }

    (void) parley_time_parse(msg->created, &msg->created_ms);
    (void) parley_priority_find(word, &msg->priority);

    value = parley_json_get(doc, scan->fields[PARLEY_AEE_REQUIRES],
                            PARLEY_STR("timeout_ms"));

    msg->timeout_ms = parley_aee_timeout(doc, value);

    value = scan->fields[PARLEY_AEE_TRACE];

    return parley_msg_string(doc, parley_json_get(doc, value,
                                                PARLEY_STR("trace_id")),
                           &msg->trace_id) != 0
           || parley_msg_string(doc, parley_json_get(doc, value,
                                                   PARLEY_STR("span_id")),
                              &msg->span_id) != 0
           ? -1 : 0;
}


int64_t
parley_aee_timeout(const parley_json_t *doc, uint32_t value)
{
    double   d;
    int64_t  ms;

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_NUMBER)
    {
        return -1;
    }

    if (parley_json_node(doc, value)->flags & PARLEY_JSON_INTEGER
        && parley_json_integer(doc, value, &ms) == 0
        && ms <= PARLEY_AEE_TIMEOUT_MAX)
    {
        return ms >= 0 ? ms : -1;
    }

    d = parley_json_number(doc, value);

    if (d < 0) {
        return -1;
    }

    if (d >= PARLEY_AEE_TIMEOUT_MAX) {
        return PARLEY_AEE_TIMEOUT_MAX;
    }

    return (int64_t) d + ((double) (int64_t) d < d);
}


/*
 * Section 8.  What has no alg and value nobody can verify; and what says more
 * than Parley knows of could say that it is something else.  The signature
 * does not cover sig: a member that is not known is not passed over.
 */

static int
parley_aee_fill_sig(parley_msg_t *msg, uint32_t sig)
{
    uint32_t              known;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (sig == PARLEY_JSON_NONE
        || parley_json_type(doc, sig) == PARLEY_JSON_NULL)
    {
        return 0;
    }

    msg->sig.present = 1;

    if (parley_msg_string(doc, parley_json_get(doc, sig, PARLEY_STR("alg")),
                        &msg->sig.alg) != 0
        || parley_msg_string(doc, parley_json_get(doc, sig, PARLEY_STR("kid")),
                           &msg->sig.kid) != 0
        || parley_msg_string(doc, parley_json_get(doc, sig,
                                                PARLEY_STR("value")),
                           &msg->sig.value) != 0)
    {
        return -1;
    }

    known = 2 + (parley_json_get(doc, sig, PARLEY_STR("kid"))
                 != PARLEY_JSON_NONE);

    msg->sig.opaque = msg->sig.alg.len == 0 || msg->sig.value.len == 0
                      || parley_json_node(doc, sig)->count != known;

    return 0;
}


static int
parley_aee_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_aee_scan_t *scan)
{
    uint32_t              k;
    parley_member_t      *member;
    const parley_json_t  *doc;

    if (scan->nmembers == 0) {
        return 0;
    }

    doc = msg->doc;

    msg->members = parley_arena_alloc(arena, scan->nmembers
                                             * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = scan->member;
         msg->nmembers < scan->nmembers;
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_aee_is_member(doc, parley_aee_field(doc, k), k + 1)) {
            continue;
        }

        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;

        if (parley_json_string(doc, k, &member->name) != 0) {
            return -1;
        }
    }

    return 0;
}
