#include "translate/aee/parley_aee.h"
#include "translate/parley_deadline_read.h"
#include "core/parley_time.h"


#define PARLEY_AEE_TIMEOUT_MAX  9007199254740991    /* 2^53 - 1, in ms */


static int parley_aee_check(const parley_engine_t *engine,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_aee_scan_t *scan, parley_error_t *err);
static int parley_aee_is_accepted(const parley_json_t *doc,
    const parley_aee_scan_t *scan);
static int parley_aee_fill_peek(parley_msg_t *msg,
    const parley_aee_scan_t *scan);
static int parley_aee_fill(parley_arena_t *arena, parley_msg_t *msg,
    const parley_aee_scan_t *scan);
static int parley_aee_fill_head(parley_msg_t *msg,
    const parley_aee_scan_t *scan);
static int parley_aee_fill_sig(parley_msg_t *msg, uint32_t sig);


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
    parley_aee_scan_t  scan;

    if (parley_aee_check(engine, doc, mve5, msg, &scan, err) != 0) {
        return -1;
    }

    return parley_aee_fill(arena, msg, &scan) == 0 ? 0
                                                   : parley_error_memory(err);
}


/* If the envelope says only "accepted", the rest is not read. */

int
parley_aee_decode_answer(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc, parley_msg_t *msg,
    int *ret_taken, parley_error_t *err)
{
    parley_aee_scan_t  scan;

    *ret_taken = 0;

    parley_msg_init(msg, PARLEY_PROTO_AEE, doc);

    if (parley_aee_check(engine, doc, 0, msg, &scan, err) != 0) {
        return -1;
    }

    if (parley_aee_is_accepted(doc, &scan)) {
        *ret_taken = 1;
        msg->act = PARLEY_ACT_PROGRESS;
        return 0;
    }

    return parley_aee_fill(arena, msg, &scan) == 0 ? 0
                                                   : parley_error_memory(err);
}


/*
 * Checks that an envelope is valid, and fills the fields that a refusal needs.
 */

static int
parley_aee_check(const parley_engine_t *engine, const parley_json_t *doc,
    int mve5, parley_msg_t *msg, parley_aee_scan_t *scan,
    parley_error_t *err)
{
    unsigned  i;
    uint32_t  v;

    parley_aee_scan(doc, scan);

    if (parley_aee_fill_peek(msg, scan) != 0) {
        return parley_error_memory(err);
    }

    v = scan->fields[PARLEY_AEE_V];

    if (v != PARLEY_JSON_NONE
        && !parley_json_string_is(doc, v, PARLEY_STR("1")))
    {
        return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                "/v", "/v must be the string \"1\"");
    }

    for (i = 0; mve5 && i < sizeof(parley_aee_required)
                            / sizeof(parley_aee_required[0]); i++)
    {
        msg->partial |= scan->fields[parley_aee_required[i]]
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
                                "/intent must not be in the reserved namespace "
                                "aee.*");
    }

    return 0;
}


static int
parley_aee_is_accepted(const parley_json_t *doc, const parley_aee_scan_t *scan)
{
    uint32_t  status;

    if (!parley_json_string_is(doc, scan->fields[PARLEY_AEE_TYPE],
                               parley_aee_type(PARLEY_ACT_PROGRESS)))
    {
        return 0;
    }

    status = parley_json_member(doc, scan->fields[PARLEY_AEE_PAYLOAD],
                                PARLEY_ATOM_status);

    return status != PARLEY_JSON_NONE
           && parley_json_string_is(doc, status, PARLEY_STR("accepted"));
}


int
parley_aee_peek(parley_msg_t *msg)
{
    parley_aee_scan_t  scan;

    parley_aee_scan(msg->doc, &scan);

    return parley_aee_fill_peek(msg, &scan);
}


/* Fills the fields that a refusal needs; the envelope need not be valid. */

static int
parley_aee_fill_peek(parley_msg_t *msg, const parley_aee_scan_t *scan)
{
    const uint32_t       *fields;
    const parley_json_t  *doc;

    doc = msg->doc;
    fields = scan->fields;

    return parley_msg_string(doc, fields[PARLEY_AEE_ID], &msg->id) != 0
           || parley_msg_string(doc, fields[PARLEY_AEE_FROM], &msg->sender)
              != 0
           || parley_msg_string(doc, fields[PARLEY_AEE_TO], &msg->recipient)
              != 0
           || parley_msg_string(doc, fields[PARLEY_AEE_INTENT], &msg->intent)
              != 0
           || parley_msg_string(doc, fields[PARLEY_AEE_CORR], &msg->corr) != 0
           ? -1 : 0;
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

    value = parley_json_member(doc, scan->fields[PARLEY_AEE_REQUIRES],
                               PARLEY_ATOM_timeout_ms);

    msg->timeout_ms = parley_aee_timeout(doc, value);

    value = parley_json_member(doc, scan->fields[PARLEY_AEE_REQUIRES],
                               PARLEY_ATOM_human_approval);

    msg->approval = value != PARLEY_JSON_NONE
                    && parley_json_type(doc, value) == PARLEY_JSON_TRUE
                    ? PARLEY_APPROVAL_HUMAN : PARLEY_APPROVAL_NONE;

    value = scan->fields[PARLEY_AEE_TRACE];

    return parley_msg_string(doc, parley_json_member(doc, value,
                                                   PARLEY_ATOM_trace_id),
                           &msg->trace_id) != 0
           || parley_msg_string(doc, parley_json_member(doc, value,
                                                      PARLEY_ATOM_span_id),
                              &msg->span_id) != 0
           ? -1 : 0;
}


int64_t
parley_aee_timeout(const parley_json_t *doc, uint32_t value)
{
    return parley_msg_deadline(doc, value, PARLEY_AEE_TIMEOUT_MAX);
}


/*
 * Reads sig (section 8).  A sig without alg and value cannot be verified.  A
 * sig with an unknown member may mean something else, and does not cover
 * itself; it is not ignored.
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

    if (parley_msg_string(doc, parley_json_member(doc, sig, PARLEY_ATOM_alg),
                        &msg->sig.alg) != 0
        || parley_msg_string(doc, parley_json_member(doc, sig, PARLEY_ATOM_kid),
                           &msg->sig.kid) != 0
        || parley_msg_string(doc, parley_json_member(doc, sig,
                                                   PARLEY_ATOM_value),
                           &msg->sig.value) != 0)
    {
        return -1;
    }

    known = 2 + (parley_json_member(doc, sig, PARLEY_ATOM_kid)
                 != PARLEY_JSON_NONE);

    msg->sig.opaque = msg->sig.alg.len == 0 || msg->sig.value.len == 0
                      || parley_json_node(doc, sig)->count != known;

    return 0;
}
