/*
 * The gateway's own answers to a C2A caller: a message was accepted before, or
 * is refused,
 *
 *   {"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "...",
 *     "data": {"code": "field-missing", "field": "/params/eventId"}}}
 *
 * and, if the service speaks another protocol, the requests that MCP clients
 * send before and between calls of the draft's tools:
 *
 *   {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
 *     "protocolVersion": "2025-11-25", "capabilities": {},
 *     "clientInfo": {"name": "harness", "version": "1"}}}
 */

#include "translate/c2a/parley_c2a_chat.h"
#include "schemas/parley_schema_inline.h"
#include "translate/parley_sentence.h"


#define PARLEY_C2A_ABILITIES  7


typedef struct {
    parley_str_t       name;
    unsigned           can:1;
    unsigned           hosts:1; /* a host has it, as the session allows */
    parley_c2a_form_t  form;    /* form that the ability is for; FORMS: none */
} parley_c2a_ability_t;


typedef struct {
    parley_str_t          name;
    parley_c2a_ability_t  abilities[PARLEY_C2A_ABILITIES];
} parley_c2a_abilities_t;


static int parley_c2a_repeat(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret);
static int parley_c2a_local_refuse(const parley_json_t *doc,
    const parley_local_t *own, parley_error_t *err);
static parley_str_t parley_c2a_local_version(const parley_json_t *doc,
    uint32_t params, uint32_t capabilities);
static void parley_c2a_local_abilities(parley_buf_t *b,
    const parley_json_t *doc, uint32_t given,
    const parley_c2a_abilities_t *group, const parley_local_t *own,
    const parley_chat_result_t *result);
static void parley_c2a_local_groups(parley_buf_t *b, const parley_json_t *doc,
    uint32_t capabilities, const parley_local_t *own,
    const parley_chat_result_t *result);
static int parley_c2a_local_can(const parley_c2a_ability_t *ability,
    const parley_local_t *own);
static int parley_c2a_local_hosts(const parley_c2a_ability_t *ability,
    const parley_chat_result_t *result);
static void parley_c2a_disposed(parley_buf_t *b,
    const parley_c2a_said_t *said, int message);
static int parley_c2a_tools_schema(parley_arena_t *arena,
    const parley_json_t *doc, const parley_local_t *own, parley_json_t *ret);
static int parley_c2a_signal_offers(const parley_c2a_signal_t *signal,
    unsigned acts);
static int parley_c2a_content(parley_buf_t *b,
    const parley_c2a_said_t *said);


/*
 * C2A-01: the abilities of the draft's "initialize" that the gateway itself may
 * have.  An ability with a form holds where a message of this form reaches a
 * service or a reader.  The others are those of a service of another protocol,
 * which gets each event at once, as a message: it keeps no mailbox and no
 * digest, gets no knock, and does not get an unanswered event again.
 */
#define PARLEY_C2A_GROUPS  4

#define parley_c2a_ability(n, c, h)                                           \
    { .name = parley_str(n), .can = (c), .hosts = (h),                        \
      .form = PARLEY_C2A_FORMS }

#define parley_c2a_ability_of(n, f)                                           \
    { .name = parley_str(n), .can = 1, .hosts = 1, .form = PARLEY_C2A_##f }

static const parley_c2a_abilities_t  parley_c2a_groups[PARLEY_C2A_GROUPS] = {
    { parley_str("delivery"), {
        parley_c2a_ability("ack", 1, 1),
        parley_c2a_ability("redelivery", 0, 1),
        parley_c2a_ability("idempotency", 1, 1) } },
    { parley_str("injection"), {
        parley_c2a_ability_of("immediate", DELIVER),
        parley_c2a_ability_of("buffered", DELIVER),
        parley_c2a_ability("notify", 0, 1),
        parley_c2a_ability("tool_mailbox", 0, 1),
        parley_c2a_ability("digest", 0, 1),
        parley_c2a_ability("interrupt", 0, 1) } },
    { parley_str("chatTools"), {
        parley_c2a_ability_of("readThread", READ_THREAD),
        parley_c2a_ability_of("sendMessage", SEND_MESSAGE),
        parley_c2a_ability_of("react", REACT),
        parley_c2a_ability_of("reactionSignals", REACT),
        parley_c2a_ability_of("claim", CLAIM),
        parley_c2a_ability_of("defer", DEFER),
        parley_c2a_ability_of("resolve", RESOLVE) } },
    { parley_str("utilities"), {
        parley_c2a_ability_of("progress", PROGRESS),
        parley_c2a_ability_of("cancellation", CANCELLED),
        parley_c2a_ability("logging", 0, 0) } },
};


int
parley_c2a_accepted(parley_arena_t *arena, const parley_c2a_said_t *said,
    parley_reply_t *ret, parley_error_t *err)
{
    int           tool;
    parley_buf_t  b;

    tool = parley_c2a_is_tool(said->doc);

    parley_buf_init(&b, arena, said->message.len + 256);

    parley_mcp_result_begin(&b, said->doc);
    parley_c2a_disposed(&b, said, !tool);

    if (tool) {
        if (parley_c2a_content(&b, said) != 0) {
            return parley_error_memory(err);
        }

        parley_buf_lit(&b, ",\"structuredContent\":{");
        parley_c2a_disposed(&b, said, 1);
        parley_buf_octet(&b, '}');

        if (said->msg != NULL && said->msg->act == PARLEY_ACT_FAILURE) {
            parley_buf_lit(&b, ",\"isError\":true");
        }
    }

    parley_buf_lit(&b, "}}");

    ret->status = 200;
    ret->content_type = parley_c2a_binding.media_type;

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(err);
}


static void
parley_c2a_disposed(parley_buf_t *b, const parley_c2a_said_t *said,
    int message)
{
    parley_buf_name(b, PARLEY_STR("accepted"));
    parley_buf_lit(b, "true");

    if (said->disposition == PARLEY_CHAT_UNDISPOSED) {
        parley_buf_lit(b, ",\"disposition\":null");

    } else {
        parley_buf_member(b, PARLEY_STR("disposition"),
                          parley_c2a_dispositions[said->disposition]);
    }

    if (said->delivered >= 0) {
        parley_buf_lit(b, ",\"delivered\":");
        parley_buf_int(b, said->delivered);
    }

    if (message && said->message.len > 0) {
        parley_buf_lit(b, ",\"message\":");
        parley_buf_str(b, said->message);
    }
}


/*
 * Writes content for a model: the text of the answer, or its payload if it has
 * no text.
 */

static int
parley_c2a_content(parley_buf_t *b, const parley_c2a_said_t *said)
{
    parley_buf_t         payload;
    parley_str_t         text;
    const parley_msg_t  *m;

    m = said->msg;

    parley_buf_lit(b, ",\"content\":[{\"type\":\"text\",\"text\":\"");

    if (m == NULL) {
        parley_buf_lit(b, "accepted");

        if (said->disposition != PARLEY_CHAT_UNDISPOSED) {
            parley_buf_lit(b, ", ");
            parley_buf_str(b, parley_c2a_dispositions[said->disposition]);
        }

        if (said->delivered >= 0) {
            parley_buf_lit(b, ", delivered to ");
            parley_buf_int(b, said->delivered);
        }

        parley_buf_lit(b, "\"}]");
        return 0;
    }

    parley_sentence_words(b, m, parley_str_none);
    parley_buf_lit(b, "\"}");

    if (m->text.len == 0 && m->act != PARLEY_ACT_FAILURE) {
        parley_buf_init(&payload, b->arena, 0);
        parley_embed_payload(&payload, m, PARLEY_ATOM_NONE);

        if (parley_buf_done(&payload, &text) != 0) {
            return -1;
        }

        if (!parley_str_is(text, "{}")) {
            parley_buf_lit(b, ",{\"type\":\"text\",\"text\":");
            parley_buf_json_string(b, text);
            parley_buf_octet(b, '}');
        }
    }

    parley_buf_octet(b, ']');

    return 0;
}


/*
 * Writes a refusal.  A client that lacks a valid token reacts only to the
 * status and its header.  After status 404, a client begins a new session.
 */

int
parley_c2a_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    parley_mcp_why_t       why;
    const parley_error_t  *error = refusal->error;

    memset(&why, 0, sizeof(parley_mcp_why_t));

    why.doc = refusal->doc == NULL && refusal->msg != NULL
              ? refusal->msg->doc : refusal->doc;
    why.doc = why.doc != NULL && why.doc->nnodes > 0 ? why.doc : NULL;

    parley_mcp_why(&why, error, parley_error_info(error->code)->word);

    if (refusal->chat != NULL
        && parley_c2a_chat_refused(arena, refusal->chat, &why) != 0)
    {
        return -1;
    }

    why.tool = why.doc != NULL && parley_c2a_is_tool(why.doc);
    why.mcp = (refusal->headers[PARLEY_C2A_HEADER_MCP].data != NULL
               || (refusal->chat != NULL && why.tool)
               || (why.doc != NULL && parley_c2a_is_mcp(why.doc)))
              && parley_error_info(error->code)->http != 401
              && error->code != PARLEY_E_SCOPE_UNAUTHORISED
              && error->code != PARLEY_E_SESSION_UNKNOWN;

    return parley_mcp_fail(arena, &why, ret);
}


/*
 * Answers a duplicate with the first result, unchanged, under the id of the new
 * call (C2A-12, C2A-20).  If the result is not stored, the answer is
 * {"accepted": true, "duplicate": true}.
 */

int
parley_c2a_duplicate(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret)
{
    parley_buf_t  b;

    if (!parley_mcp_is_call(m->doc)) {
        ret->status = 202;
        return 0;
    }

    ret->status = 200;
    ret->content_type = parley_c2a_binding.media_type;

    if (first->text.len > 0) {
        return parley_c2a_repeat(arena, m, first, ret);
    }

    parley_buf_init(&b, arena, 256);

    parley_mcp_result_begin(&b, m->doc);
    parley_buf_name(&b, PARLEY_STR("accepted"));
    parley_buf_lit(&b, "true,\"duplicate\":true");

    if (parley_c2a_is_tool(m->doc)) {
        parley_buf_lit(&b, ",\"content\":[{\"type\":\"text\",\"text\":"
                       "\"accepted before\"}],\"structuredContent\":"
                       "{\"accepted\":true,\"duplicate\":true}");
    }

    parley_buf_lit(&b, "}}");

    return parley_buf_done(&b, &ret->body);
}


/* Copies the stored result.  Only the id differs. */

static int
parley_c2a_repeat(parley_arena_t *arena, const parley_msg_t *m,
    const parley_first_t *first, parley_reply_t *ret)
{
    size_t          before;
    uint32_t        id;
    parley_buf_t    b;
    parley_str_t    raw;
    parley_json_t   doc;
    parley_error_t  err;

    if (parley_read_again(&doc, arena, m->doc->seed, first->text, &err) != 0) {
        return -1;
    }

    ret->status = first->status;
    ret->body = first->text;

    id = parley_json_member(&doc, 0, PARLEY_ATOM_id);

    if (id == PARLEY_JSON_NONE) {
        return 0;
    }

    raw = parley_json_raw(&doc, id);
    before = (size_t) (raw.data - first->text.data);

    parley_buf_init(&b, arena, first->text.len + 32);
    parley_buf_octets(&b, first->text.data, before);
    parley_buf_str(&b, parley_mcp_id(m->doc));
    parley_buf_str(&b, parley_str_from(first->text, before + raw.len));

    return parley_buf_done(&b, &ret->body);
}


int
parley_c2a_unruled(const parley_msg_t *m, parley_proto_t speak)
{
    if (m->local) {
        return 1;
    }

    switch (parley_c2a_form_of(m->doc)) {

    case PARLEY_C2A_INITIALIZE:
    case PARLEY_C2A_INITIALIZED:
    case PARLEY_C2A_PING:
        return 1;

    case PARLEY_C2A_TOOLS_LIST:
        return speak != PARLEY_PROTO_C2A;

    default:
        return 0;
    }
}


int
parley_c2a_local(parley_arena_t *arena, const parley_msg_t *m,
    const parley_local_t *own, parley_reply_t *ret, parley_error_t *err)
{
    int                   rc;
    parley_buf_t          b;
    parley_c2a_form_t     form;
    const parley_json_t  *doc;

    /*
     * The gateway forwards no requests of a service, so that no response is
     * expected.
     */

    if (m->local) {
        ret->status = 202;
        return 1;
    }

    if (own->speak == PARLEY_PROTO_C2A) {
        return 0;
    }

    if (parley_c2a_local_refuse(m->doc, own, err) != 0) {
        return -1;
    }

    if (!m->native) {
        return 0;
    }

    rc = 0;
    doc = m->doc;
    form = parley_c2a_form_of(doc);

    if (form == PARLEY_C2A_INITIALIZED || !parley_mcp_is_call(doc)) {
        ret->status = 202;
        return 1;
    }

    parley_buf_init(&b, arena, 0);
    parley_mcp_result_begin(&b, doc);

    switch (form) {

    case PARLEY_C2A_INITIALIZE:
        parley_c2a_write_initialize(&b, doc, own, NULL);
        break;

    case PARLEY_C2A_DISCOVER:
        parley_c2a_write_discovered(&b);
        break;

    case PARLEY_C2A_TOOLS_LIST:
        rc = parley_c2a_write_tools(&b, arena, doc, own, 0);
        break;

    default: /* PARLEY_C2A_PING */
        break;
    }

    parley_buf_lit(&b, "}}");

    ret->status = 200;
    ret->content_type = parley_c2a_binding.media_type;

    return rc == 0 && parley_buf_done(&b, &ret->body) == 0
           ? 1 : parley_error_memory(err);
}


/*
 * Refuses a method or a tool that does not exist, and a tool that reads events
 * where messages are published: no reader keeps them (C2A-01).
 */

static int
parley_c2a_local_refuse(const parley_json_t *doc, const parley_local_t *own,
    parley_error_t *err)
{
    parley_c2a_form_t  form;

    form = parley_c2a_form_of(doc);

    switch (form) {

    case PARLEY_C2A_METHOD:
        return parley_error_set(err, PARLEY_E_KIND_UNKNOWN, "/method",
                                "the method is unknown");

    case PARLEY_C2A_TOOL:
        return parley_error_set(err, PARLEY_E_KIND_UNKNOWN, "/params/name",
                                "the tool is unknown");

    default:
        break;
    }

    return own->published && form < PARLEY_C2A_NATIVE
           && parley_c2a_form_info(form)->reads
           ? parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                              "/params/name",
                              "this location publishes messages and keeps no "
                              "events for this tool")
           : 0;
}


/* An MCP client has the abilities of C2A in "experimental". */

void
parley_c2a_write_initialize(parley_buf_t *b, const parley_json_t *doc,
    const parley_local_t *own, const parley_chat_result_t *result)
{
    uint32_t  params, capabilities, inner;

    params = parley_mcp_params(doc);
    capabilities = parley_json_member(doc, params, PARLEY_ATOM_capabilities);
    inner = own != NULL ? PARLEY_JSON_NONE
            : parley_json_member(doc,
                                 parley_json_get(doc, capabilities,
                                                 PARLEY_STR("experimental")),
                                 PARLEY_ATOM_c2a);

    parley_buf_member(b, PARLEY_STR("protocolVersion"),
                      parley_c2a_local_version(doc, params, capabilities));
    parley_buf_name(b, PARLEY_STR("capabilities"));
    parley_buf_lit(b, "{\"tools\":{}");

    if (inner != PARLEY_JSON_NONE) {
        parley_buf_lit(b, ",\"experimental\":{\"c2a\":{");
        parley_c2a_local_groups(b, doc, inner, own, result);
        parley_buf_lit(b, "}}");

    } else {
        parley_c2a_local_groups(b, doc, capabilities, own, result);
    }

    parley_buf_lit(b, "},\"serverInfo\":" PARLEY_MCP_INFO);

    if (own == NULL) {
        parley_buf_member(b, PARLEY_STR("instructions"),
                          PARLEY_STR(PARLEY_C2A_RULES));
    }
}


static void
parley_c2a_local_groups(parley_buf_t *b, const parley_json_t *doc,
    uint32_t capabilities, const parley_local_t *own,
    const parley_chat_result_t *result)
{
    unsigned  i;
    uint32_t  given;

    for (i = 0; i < PARLEY_C2A_GROUPS; i++) {
        given = parley_json_get(doc, capabilities, parley_c2a_groups[i].name);

        if (given != PARLEY_JSON_NONE) {
            parley_buf_name(b, parley_c2a_groups[i].name);
            parley_c2a_local_abilities(b, doc, given, &parley_c2a_groups[i],
                                       own, result);
        }
    }
}


/*
 * Returns the requested version (C2A-01); if it is unknown, the last version of
 * the protocol to which the capabilities belong.
 */

static parley_str_t
parley_c2a_local_version(const parley_json_t *doc, uint32_t params,
    uint32_t capabilities)
{
    unsigned      i;
    parley_str_t  version;

    if (parley_json_string_is(doc,
                              parley_json_member(doc, params,
                                                 PARLEY_ATOM_protocolVersion),
                              PARLEY_STR(PARLEY_C2A_VERSION)))
    {
        return PARLEY_STR(PARLEY_C2A_VERSION);
    }

    version = parley_mcp_version(doc);

    if (version.len > 0) {
        return version;
    }

    for (i = 0; i < PARLEY_C2A_GROUPS; i++) {
        if (parley_json_get(doc, capabilities, parley_c2a_groups[i].name)
            != PARLEY_JSON_NONE)
        {
            return PARLEY_STR(PARLEY_C2A_VERSION);
        }
    }

    return PARLEY_STR(PARLEY_MCP_LAST);
}


/*
 * Writes the abilities that the caller has: true if the gateway has them as
 * well.
 */

static void
parley_c2a_local_abilities(parley_buf_t *b, const parley_json_t *doc,
    uint32_t given, const parley_c2a_abilities_t *group,
    const parley_local_t *own, const parley_chat_result_t *result)
{
    unsigned                     i, n;
    uint32_t                     value;
    const parley_c2a_ability_t  *ability;

    n = 0;

    parley_buf_octet(b, '{');

    for (i = 0; i < PARLEY_C2A_ABILITIES; i++) {
        ability = &group->abilities[i];

        value = ability->name.len > 0
                ? parley_json_get(doc, given, ability->name)
                : PARLEY_JSON_NONE;

        if (value == PARLEY_JSON_NONE) {
            continue;
        }

        if (n++) {
            parley_buf_octet(b, ',');
        }

        parley_buf_json_string(b, ability->name);

        if (parley_json_type(doc, value) == PARLEY_JSON_TRUE
            && (own != NULL ? parley_c2a_local_can(ability, own)
                            : parley_c2a_local_hosts(ability, result)))
        {
            parley_buf_lit(b, ":true");

        } else {
            parley_buf_lit(b, ":false");
        }
    }

    parley_buf_octet(b, '}');
}


static int
parley_c2a_local_can(const parley_c2a_ability_t *ability,
    const parley_local_t *own)
{
    return ability->can && (ability->form == PARLEY_C2A_FORMS
                            || parley_c2a_offers(ability->form, own));
}


/* The modes and the interrupt are those that the session negotiated. */

static int
parley_c2a_local_hosts(const parley_c2a_ability_t *ability,
    const parley_chat_result_t *result)
{
    unsigned  i;

    for (i = 0; i < PARLEY_CHAT_MODES; i++) {
        if (parley_str_eq(ability->name, parley_c2a_modes[i])) {
            return (result->session.modes & PARLEY_CHAT_MODE_BIT(i)) != 0;
        }
    }

    i = (unsigned) ability->form - PARLEY_C2A_LIST_EVENTS;

    return parley_str_is(ability->name, "interrupt")
           ? result->session.interrupt
           : i < PARLEY_CHAT_TOOLS ? (result->tools >> i & 1) != 0
                                   : ability->hosts;
}


/* Answers server/discover of MCP 2026-07-28, which replaces initialize. */

void
parley_c2a_write_discovered(parley_buf_t *b)
{
    parley_buf_name(b, PARLEY_STR("supportedVersions"));
    parley_buf_lit(b, "[\"" PARLEY_MCP_FREE "\",\"" PARLEY_C2A_VERSION
                      "\",\"" PARLEY_MCP_LAST "\"]");
    parley_mcp_write_discovered(b);
}


int
parley_c2a_offers(parley_c2a_form_t form, const parley_local_t *own)
{
    unsigned                       acts;
    const parley_c2a_form_info_t  *info;

    info = parley_c2a_form_info(form);
    acts = parley_codecs[own->speak]->acts;

    if (own->published && info->reads) {
        return 0;
    }

    return (acts == 0 || info->carries
            || (acts & (info->acts | PARLEY_ACT_BIT(info->act))) != 0)
           && own->may(own->ctx, info->form, info->intent);
}


int
parley_c2a_write_tools(parley_buf_t *b, parley_arena_t *arena,
    const parley_json_t *doc, const parley_local_t *own, unsigned tools)
{
    int                            comma;
    unsigned                       i;
    parley_json_t                  schema;
    parley_mcp_tool_t              tool;
    const parley_c2a_form_info_t  *info;

    if (parley_c2a_tools_schema(arena, doc, own, &schema) != 0) {
        return -1;
    }

    comma = 0;

    parley_buf_name(b, PARLEY_STR("tools"));
    parley_buf_octet(b, '[');

    for (i = 0; i < PARLEY_C2A_NATIVE; i++) {
        info = parley_c2a_form_info((parley_c2a_form_t) i);

        if (!info->tool
            || !(own != NULL ? parley_c2a_offers((parley_c2a_form_t) i, own)
                 : (int) (tools >> (i - PARLEY_C2A_LIST_EVENTS) & 1)))
        {
            continue;
        }

        if (comma++) {
            parley_buf_octet(b, ',');
        }

        tool.name = info->alias;
        tool.description = info->description;
        tool.input = info->input;
        tool.reads = info->reads;
        tool.repeats = own == NULL || info->repeats;

        parley_mcp_write_tool(b, &schema, &tool);
    }

    parley_buf_octet(b, ']');

    parley_mcp_write_listed(b, doc);

    return 0;
}


/*
 * Reads the schema of the tools, with the signals that a protocol with these
 * acts can express.  Returns 0, or -1: no memory.
 */

static int
parley_c2a_tools_schema(parley_arena_t *arena, const parley_json_t *doc,
    const parley_local_t *own, parley_json_t *ret)
{
    unsigned        i, acts;
    uint32_t        applied;
    parley_buf_t    b;
    parley_edit_t   edit;
    parley_str_t    text;
    parley_error_t  err;

    acts = own != NULL ? parley_codecs[own->speak]->acts : 0;
    text = parley_schema_source(own != NULL
                                ? parley_c2a_codec.schema
                                : parley_c2a_codec.parts[PARLEY_C2A_HOST]);

    if (parley_read_again(ret, arena, doc->seed, text, &err) != 0) {
        return -1;
    }

    if (acts == 0) {
        return 0;
    }

    parley_buf_init(&b, arena, 0);

    for (i = 0; i < PARLEY_C2A_SIGNALS; i++) {
        if (parley_c2a_signal_offers(&parley_c2a_signals[i], acts)) {
            parley_buf_octet(&b, b.len == 0 ? '[' : ',');
            parley_buf_json_string(&b, parley_c2a_signals[i].name);
        }
    }

    parley_buf_octet(&b, ']');

    edit.pointer = PARLEY_STR("/$defs/signal/enum");

    return parley_buf_done(&b, &edit.value) == 0
           && parley_edit(arena, ret, &edit, 1, &text, &applied, &err) == 0
           ? parley_read_again(ret, arena, doc->seed, text, &err) : -1;
}


/* A signal that approves is also an answer. */

static int
parley_c2a_signal_offers(const parley_c2a_signal_t *signal, unsigned acts)
{
    if (signal->approves && (acts & PARLEY_ACT_BIT(PARLEY_ACT_REPLY))) {
        return 1;
    }

    return (acts & PARLEY_ACT_BIT(signal->act)) != 0
           && (signal->act != PARLEY_ACT_FAILURE
               || signal->alarm != PARLEY_SEVERITY_NONE);
}
