#include "translate/channel/parley_channel.h"
#include "translate/channel/parley_channel_verb.h"
#include "core/parley_time.h"


#define PARLEY_CHANNEL_INPUT(name)                                            \
    parley_str("urn:parley:schema:channel-1.0#/$defs/" name "_input")

#define PARLEY_CHANNEL_KIND(name)                                             \
    parley_str(name), parley_str("channel." name)

#define PARLEY_CHANNEL_KINDLESS  parley_str_none, parley_str_none

#define PARLEY_CHANNEL_TOOL(name, description, reads)                         \
    { parley_str(name), parley_str(description),                              \
      parley_str("/$defs/" name "_input"), reads, reads }


typedef struct {
    parley_buf_t                 *b;
    const parley_channel_verb_t  *verb;
    const parley_channel_call_t  *call;
} parley_channel_frame_t;


static void parley_channel_verb_head(const parley_channel_frame_t *f);
static void parley_channel_verb_member(const parley_channel_frame_t *f,
    const char *name, parley_str_t made);
static int parley_channel_verb_payload(const parley_channel_frame_t *f,
    parley_str_t *made);
static uint32_t parley_channel_verb_get(const parley_channel_frame_t *f,
    const char *name);


static const parley_channel_verb_t
    parley_channel_verbs[PARLEY_CHANNEL_VERBS] =
{
    { PARLEY_CHANNEL_TOOL("agent_send",
        "Sends a frame of any kind to the sessions of a handle, or to those "
        "that scope names.", 0),
      PARLEY_CHANNEL_DOES_SUBMIT, PARLEY_CHANNEL_KINDLESS, parley_str_none, 0 },

    { PARLEY_CHANNEL_TOOL("agent_advise",
        "Informs other sessions without a question: those of recipient_handle, "
        "or the caller's own.", 0),
      PARLEY_CHANNEL_DOES_SUBMIT, PARLEY_CHANNEL_KIND("agent_advisory"),
      parley_str_none, 1 },

    { PARLEY_CHANNEL_TOOL("agent_broadcast",
        "Announces an event to all sessions that scope names: something was "
        "merged, is stale, or was released.", 0),
      PARLEY_CHANNEL_DOES_SUBMIT, PARLEY_CHANNEL_KIND("agent_broadcast"),
      parley_str_none, 0 },

    { PARLEY_CHANNEL_TOOL("agent_handover",
        "Hands the work of a session over to another session.", 0),
      PARLEY_CHANNEL_DOES_SUBMIT, PARLEY_CHANNEL_KIND("agent_handover"),
      parley_str_none, 0 },

    { PARLEY_CHANNEL_TOOL("agent_lock_acquire",
        "Announces work on a resource for ttl_ms.  It locks nothing, it "
        "informs other sessions.  The result has the lease_id to release or "
        "extend.", 0),
      PARLEY_CHANNEL_DOES_SUBMIT, PARLEY_CHANNEL_KIND("agent_lock_request"),
      parley_str("lease_id"), 0 },

    { PARLEY_CHANNEL_TOOL("agent_lock_release",
        "Announces that work on a resource has ended.", 0),
      PARLEY_CHANNEL_DOES_SUBMIT, PARLEY_CHANNEL_KIND("agent_lock_release"),
      parley_str_none, 0 },

    { PARLEY_CHANNEL_TOOL("agent_lease_extend",
        "Announces that work on a resource continues for ttl_ms.", 0),
      PARLEY_CHANNEL_DOES_SUBMIT, PARLEY_CHANNEL_KIND("agent_lease_extend"),
      parley_str_none, 0 },

    { PARLEY_CHANNEL_TOOL("agent_query",
        "Asks other sessions a question, waits for timeout_ms, and returns the "
        "query_id and the responses.  With max it ends after that number of "
        "responses.", 0),
      PARLEY_CHANNEL_DOES_QUERY, PARLEY_CHANNEL_KIND("agent_query"),
      parley_str("query_id"), 0 },

    { PARLEY_CHANNEL_TOOL("agent_roster",
        "Lists the sessions that listen to a handle now.  Without a handle it "
        "lists the caller's own.", 1),
      PARLEY_CHANNEL_DOES_ROSTER, PARLEY_CHANNEL_KINDLESS, parley_str_none, 0 },

    { PARLEY_CHANNEL_TOOL("agent_subscribe",
        "Waits up to wait_ms for frames to the caller or to a handle, and "
        "returns them.  With last_event_id of the previous result, no frame "
        "between two calls is missed.  filter: kind:, sender:, content_type:, "
        "tool:, org:, separated by commas.", 1),
      PARLEY_CHANNEL_DOES_SUBSCRIBE, PARLEY_CHANNEL_KINDLESS,
      parley_str_none, 0 },
};


const parley_str_t  parley_channel_inputs[PARLEY_CHANNEL_VERBS] = {
    PARLEY_CHANNEL_INPUT("agent_send"),
    PARLEY_CHANNEL_INPUT("agent_advise"),
    PARLEY_CHANNEL_INPUT("agent_broadcast"),
    PARLEY_CHANNEL_INPUT("agent_handover"),
    PARLEY_CHANNEL_INPUT("agent_lock_acquire"),
    PARLEY_CHANNEL_INPUT("agent_lock_release"),
    PARLEY_CHANNEL_INPUT("agent_lease_extend"),
    PARLEY_CHANNEL_INPUT("agent_query"),
    PARLEY_CHANNEL_INPUT("agent_roster"),
    PARLEY_CHANNEL_INPUT("agent_subscribe"),
};


const parley_channel_verb_t *
parley_channel_verb(unsigned i)
{
    return &parley_channel_verbs[i];
}


unsigned
parley_channel_verb_find(const parley_json_t *doc, uint32_t name)
{
    unsigned  i;

    for (i = 0; i < PARLEY_CHANNEL_VERBS; i++) {
        if (parley_json_string_is(doc, name,
                                  parley_channel_verbs[i].tool.name))
        {
            break;
        }
    }

    return i;
}


int
parley_channel_verb_frame(parley_arena_t *arena,
    const parley_channel_verb_t *verb, const parley_channel_call_t *call,
    parley_str_t *ret, parley_str_t *made)
{
    parley_buf_t            b;
    parley_channel_frame_t  f;

    f.b = &b;
    f.verb = verb;
    f.call = call;

    parley_buf_init(&b, arena, 1024);

    parley_channel_verb_head(&f);

    if (parley_channel_verb_payload(&f, made) != 0) {
        return -1;
    }

    parley_channel_verb_member(&f, "acted_by", call->acted_by);
    parley_channel_verb_member(&f, "drafted_with", call->drafted_with);
    parley_channel_verb_member(&f, "provenance_compute_location",
                               PARLEY_STR("server-active"));

    /* This member alone is not a string. */

    if (parley_channel_verb_get(&f, "provenance_method") == PARLEY_JSON_NONE) {
        parley_buf_lit(&b, ",\"provenance_method\":[\"mcp\"]");

    } else {
        parley_channel_verb_member(&f, "provenance_method", parley_str_none);
    }

    parley_channel_verb_member(&f, "provenance_return_ref", parley_str_none);
    parley_channel_verb_member(&f, "provenance_context_check",
                               PARLEY_STR("skipped"));
    parley_channel_verb_member(&f, "provenance_basis", verb->tool.name);

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret);
}


static void
parley_channel_verb_head(const parley_channel_frame_t *f)
{
    char    created[PARLEY_TIME_MAX];
    size_t  len;

    len = parley_time_format(f->call->now_ms, created);

    parley_buf_lit(f->b, "{\"envelope_version\":\"1.0\"");

    parley_channel_verb_member(f, "frame_id", f->call->frame_id);
    parley_channel_verb_member(f, "kind", f->verb->kind);
    parley_buf_member(f->b, PARLEY_STR("sender_handle"), f->call->sender);
    parley_channel_verb_member(f, "recipient_handle",
                               f->verb->home ? f->call->sender
                                             : parley_str_none);
    parley_buf_member(f->b, PARLEY_STR("created_at"),
                      parley_str_make(created, len));
    parley_channel_verb_member(f, "ttl_ms", parley_str_none);
}


/* Writes the member of the arguments, or else made, unless that is empty. */

static void
parley_channel_verb_member(const parley_channel_frame_t *f, const char *name,
    parley_str_t made)
{
    parley_json_ref_t  own;

    own.doc = f->call->arguments.doc;
    own.node = parley_channel_verb_get(f, name);

    if (own.node != PARLEY_JSON_NONE) {
        parley_buf_name(f->b, parley_str_c(name));
        parley_buf_value(f->b, own);

    } else if (made.len > 0) {
        parley_buf_member(f->b, parley_str_c(name), made);
    }
}


static int
parley_channel_verb_payload(const parley_channel_frame_t *f,
    parley_str_t *made)
{
    uint32_t              k, payload, own;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = f->call->arguments.doc;
    payload = parley_channel_verb_get(f, "payload");

    parley_buf_name(f->b, PARLEY_STR("payload"));
    parley_buf_octet(f->b, '{');

    value.doc = doc;

    for (k = parley_json_first(payload);
         k != parley_json_end(doc, payload);
         k = parley_json_after(doc, k + 1))
    {
        if (k != parley_json_first(payload)) {
            parley_buf_octet(f->b, ',');
        }

        value.node = k;
        parley_buf_value(f->b, value);
        parley_buf_octet(f->b, ':');

        value.node = k + 1;
        parley_buf_value(f->b, value);
    }

    *made = parley_str_none;

    if (f->verb->makes.len > 0) {
        own = parley_json_get(doc, payload, f->verb->makes);

        if (own == PARLEY_JSON_NONE) {
            *made = f->call->made;
            parley_buf_member(f->b, f->verb->makes, *made);

        } else if (parley_json_string(doc, own, made) != 0) {
            return -1;
        }
    }

    if (f->verb->does == PARLEY_CHANNEL_DOES_QUERY) {

        if (parley_json_get(doc, payload, PARLEY_STR("response_scope"))
            == PARLEY_JSON_NONE)
        {
            parley_buf_member(f->b, PARLEY_STR("response_scope"),
                              f->call->sender);
        }

        if (parley_json_get(doc, payload, PARLEY_STR("timeout_ms"))
            == PARLEY_JSON_NONE)
        {
            parley_buf_name(f->b, PARLEY_STR("timeout_ms"));
            parley_buf_int(f->b, f->call->window_ms);
        }
    }

    parley_buf_octet(f->b, '}');

    return 0;
}


static uint32_t
parley_channel_verb_get(const parley_channel_frame_t *f, const char *name)
{
    const parley_json_ref_t  *arguments;

    arguments = &f->call->arguments;

    return arguments->node == PARLEY_JSON_NONE
           ? PARLEY_JSON_NONE
           : parley_json_get(arguments->doc, arguments->node,
                             parley_str_c(name));
}


parley_str_t
parley_channel_instrument_part(parley_str_t sender)
{
    parley_str_t  part;

    part = sender.len > 0 ? parley_str_from(sender, 1) : sender;

    if (part.len > PARLEY_CHANNEL_INSTRUMENT_MAX) {
        part.len = PARLEY_CHANNEL_INSTRUMENT_MAX;
    }

    /* A handle neither begins nor ends with a hyphen. */

    while (part.len > 0 && part.data[part.len - 1] == '-') {
        part.len--;
    }

    return part;
}


int
parley_channel_instrument(parley_arena_t *arena, parley_str_t sender,
    parley_str_t *ret)
{
    parley_buf_t  b;

    *ret = sender;

    if (sender.len == 0 || parley_str_begins(sender, "~cc-")) {
        return 0;
    }

    parley_buf_init(&b, arena, sender.len + sizeof("~cc-"));
    parley_buf_lit(&b, "~cc-");
    parley_buf_str(&b, parley_channel_instrument_part(sender));

    return parley_buf_done(&b, ret);
}
