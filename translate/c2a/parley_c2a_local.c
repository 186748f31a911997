/*
 * What the gateway answers by itself where the service behind it speaks
 * another protocol: what MCP's clients ask before and between the calls of
 * the draft's tools.
 *
 *     {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
 *         "protocolVersion": "2025-11-25", "capabilities": {},
 *         "clientInfo": {"name": "harness", "version": "1"}}}
 */

#include "parley_c2a.h"
#include "parley_schema_text.h"


#define PARLEY_C2A_URI        "urn:parley:schema:c2a-2026-06-02"

/* of the draft, and of MCP: before and since there is no session */
#define PARLEY_C2A_VERSION    "2026-06-02"
#define PARLEY_C2A_MCP_LAST   "2025-11-25"
#define PARLEY_C2A_MCP_FREE   "2026-07-28"

#define PARLEY_C2A_INFO                                                       \
    "{\"name\":\"parley\",\"version\":\"" PARLEY_VERSION "\"}"

#define PARLEY_C2A_ABILITIES  7


typedef struct {
    parley_str_t  name;
    unsigned      can:1;
} parley_c2a_ability_t;


typedef struct {
    parley_str_t          name;
    parley_c2a_ability_t  abilities[PARLEY_C2A_ABILITIES];
} parley_c2a_abilities_t;


typedef struct {
    parley_c2a_form_t  form;
    parley_str_t       name;        /* without the dot, which several
                                       harnesses do not take */
    parley_str_t       pointer;     /* of its input's schema */
    parley_str_t       description;
} parley_c2a_tool_t;


static void parley_c2a_local_initialize(parley_buf_t *b,
    const parley_json_t *doc);
static parley_str_t parley_c2a_local_version(const parley_json_t *doc);
static void parley_c2a_local_capabilities(parley_buf_t *b,
    const parley_json_t *doc);
static void parley_c2a_local_abilities(parley_buf_t *b,
    const parley_json_t *doc, uint32_t given,
    const parley_c2a_abilities_t *group);
static void parley_c2a_local_discover(parley_buf_t *b);
static int parley_c2a_local_tools(parley_buf_t *b, parley_arena_t *arena,
    const parley_json_t *doc, const parley_local_t *own);
static void parley_c2a_local_schema(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node);
static void parley_c2a_local_object(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node);
static int parley_c2a_is_version(const parley_json_t *doc, uint32_t value);


/* what of the draft's "initialize" this gateway keeps to */
static const parley_c2a_abilities_t  parley_c2a_groups[] = {
    { parley_str("delivery"), {
        { parley_str("ack"), 1 }, { parley_str("redelivery"), 1 },
        { parley_str("idempotency"), 1 } } },
    { parley_str("injection"), {
        { parley_str("immediate"), 1 }, { parley_str("buffered"), 1 },
        { parley_str("notify"), 1 }, { parley_str("tool_mailbox"), 1 },
        { parley_str("digest"), 1 }, { parley_str("interrupt"), 0 } } },
    { parley_str("chatTools"), {
        { parley_str("readThread"), 1 }, { parley_str("sendMessage"), 1 },
        { parley_str("react"), 1 }, { parley_str("reactionSignals"), 1 },
        { parley_str("claim"), 1 }, { parley_str("defer"), 1 },
        { parley_str("resolve"), 1 } } },
    { parley_str("utilities"), {
        { parley_str("progress"), 1 }, { parley_str("cancellation"), 1 },
        { parley_str("logging"), 0 } } },
};


static const parley_c2a_tool_t  parley_c2a_tools[] = {
    { PARLEY_C2A_LIST_EVENTS, parley_str("chat_list_events"),
      parley_str("/$defs/chat_list_events"),
      parley_str("List chat events available to this session, filtered by "
                 "stream, conversation, policy, or time.") },
    { PARLEY_C2A_READ_THREAD, parley_str("chat_read_thread"),
      parley_str("/$defs/chat_read_thread"),
      parley_str("Read a thread or conversation window.") },
    { PARLEY_C2A_SEND_MESSAGE, parley_str("chat_send_message"),
      parley_str("/$defs/chat_send_message"),
      parley_str("Send an idempotent chat message: what it says stands in "
                 "text or content.") },
    { PARLEY_C2A_REACT, parley_str("chat_react"),
      parley_str("/$defs/chat_react"),
      parley_str("Send a typed reaction signal as a zero-turn "
                 "disposition.") },
    { PARLEY_C2A_CLAIM, parley_str("chat_claim"),
      parley_str("/$defs/chat_claim"),
      parley_str("Claim responsibility for responding to a channel event "
                 "(inReplyTo) or thread (target).") },
    { PARLEY_C2A_DEFER, parley_str("chat_defer"),
      parley_str("/$defs/chat_defer"),
      parley_str("Record that a must-respond event is deferred with a "
                 "reason.") },
    { PARLEY_C2A_RESOLVE, parley_str("chat_resolve"),
      parley_str("/$defs/chat_resolve"),
      parley_str("Mark an event or assignment (inReplyTo) or a thread "
                 "(target) resolved.") },
};


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

    /* none of a service's requests is open: nobody waits for a response */

    if (m->local) {
        ret->status = 202;
        return 1;
    }

    if (!m->native || own->speak == PARLEY_PROTO_C2A) {
        return 0;
    }

    rc = 0;
    doc = m->doc;
    form = parley_c2a_form_of(doc);

    if (form == PARLEY_C2A_METHOD || form == PARLEY_C2A_TOOL) {
        return parley_error_set(err, PARLEY_E_KIND_UNKNOWN,
                                form == PARLEY_C2A_TOOL ? "/params/name"
                                                        : "/method",
                                form == PARLEY_C2A_TOOL
                                ? "there is no such tool"
                                : "there is no such method");
    }

    if (form == PARLEY_C2A_INITIALIZED || !parley_c2a_is_call(doc)) {
        ret->status = 202;
        return 1;
    }

    parley_buf_init(&b, arena, 0);
    parley_c2a_result_begin(&b, doc);

    switch (form) {

    case PARLEY_C2A_INITIALIZE:
        parley_c2a_local_initialize(&b, doc);
        break;

    case PARLEY_C2A_DISCOVER:
        parley_c2a_local_discover(&b);
        break;

    case PARLEY_C2A_TOOLS_LIST:
        rc = parley_c2a_local_tools(&b, arena, doc, own);
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


static void
parley_c2a_local_initialize(parley_buf_t *b, const parley_json_t *doc)
{
    parley_buf_member(b, PARLEY_STR("protocolVersion"),
                      parley_c2a_local_version(doc));
    parley_buf_name(b, PARLEY_STR("capabilities"));
    parley_buf_lit(b, "{\"tools\":{}");
    parley_c2a_local_capabilities(b, doc);
    parley_buf_lit(b, "},\"serverInfo\":" PARLEY_C2A_INFO);
}


/*
 * C2A-01: the version that was asked for, else the last one of whichever
 * protocol's capabilities came with it.
 */

static parley_str_t
parley_c2a_local_version(const parley_json_t *doc)
{
    unsigned  i;
    uint32_t  value, capabilities;

    static const parley_str_t  versions[] = {
        parley_str(PARLEY_C2A_VERSION), parley_str(PARLEY_C2A_MCP_LAST),
        parley_str("2025-06-18"), parley_str("2025-03-26"),
        parley_str("2024-11-05"),
    };

    value = parley_json_member(doc, parley_c2a_params(doc),
                               PARLEY_ATOM_protocolVersion);

    for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        if (parley_json_string_is(doc, value, versions[i])) {
            return versions[i];
        }
    }

    capabilities = parley_json_member(doc, parley_c2a_params(doc),
                                      PARLEY_ATOM_capabilities);

    for (i = 0; i < sizeof(parley_c2a_groups) / sizeof(parley_c2a_groups[0]);
         i++)
    {
        if (capabilities != PARLEY_JSON_NONE
            && parley_json_get(doc, capabilities, parley_c2a_groups[i].name)
               != PARLEY_JSON_NONE)
        {
            return versions[0];
        }
    }

    return versions[1];
}


static void
parley_c2a_local_capabilities(parley_buf_t *b, const parley_json_t *doc)
{
    unsigned  i;
    uint32_t  capabilities, given;

    capabilities = parley_json_member(doc, parley_c2a_params(doc),
                                      PARLEY_ATOM_capabilities);

    if (capabilities == PARLEY_JSON_NONE) {
        return;
    }

    for (i = 0; i < sizeof(parley_c2a_groups) / sizeof(parley_c2a_groups[0]);
         i++)
    {
        given = parley_json_get(doc, capabilities, parley_c2a_groups[i].name);

        if (given != PARLEY_JSON_NONE) {
            parley_buf_name(b, parley_c2a_groups[i].name);
            parley_c2a_local_abilities(b, doc, given, &parley_c2a_groups[i]);
        }
    }
}


/* Of what was offered, what this side can as well. */

static void
parley_c2a_local_abilities(parley_buf_t *b, const parley_json_t *doc,
    uint32_t given, const parley_c2a_abilities_t *group)
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

        if (ability->can && parley_json_type(doc, value) == PARLEY_JSON_TRUE)
        {
            parley_buf_lit(b, ":true");

        } else {
            parley_buf_lit(b, ":false");
        }
    }

    parley_buf_octet(b, '}');
}


/* MCP 2026-07-28: what initialize was before, without a session */

static void
parley_c2a_local_discover(parley_buf_t *b)
{
    parley_buf_name(b, PARLEY_STR("supportedVersions"));
    parley_buf_lit(b, "[\"" PARLEY_C2A_MCP_FREE "\",\"" PARLEY_C2A_VERSION
                      "\",\"" PARLEY_C2A_MCP_LAST "\"],");
    parley_buf_lit(b, "\"capabilities\":{\"tools\":{}},\"ttlMs\":0,"
                      "\"cacheScope\":\"private\",");
    parley_buf_lit(b, "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
                      PARLEY_C2A_INFO "}");
}


static int
parley_c2a_local_tools(parley_buf_t *b, parley_arena_t *arena,
    const parley_json_t *doc, const parley_local_t *own)
{
    unsigned                       i, n;
    parley_json_t                  schema;
    parley_error_t                 err;
    const parley_c2a_tool_t       *tool;
    const parley_schema_text_t    *text;
    const parley_c2a_form_info_t  *info;

    for (text = parley_schema_texts;
         !parley_str_is(text->uri, PARLEY_C2A_URI);
         text++)
    {
        /* void */
    }

    if (parley_read_again(&schema, arena, doc->seed, text->text, &err) != 0) {
        return -1;
    }

    n = 0;

    parley_buf_name(b, PARLEY_STR("tools"));
    parley_buf_octet(b, '[');

    for (i = 0; i < sizeof(parley_c2a_tools) / sizeof(parley_c2a_tools[0]);
         i++)
    {
        tool = &parley_c2a_tools[i];
        info = parley_c2a_form_info(tool->form);

        if (!own->may(own->ctx, info->form, info->intent)) {
            continue;
        }

        if (n++) {
            parley_buf_octet(b, ',');
        }

        parley_buf_octet(b, '{');
        parley_buf_member(b, PARLEY_STR("name"), tool->name);
        parley_buf_member(b, PARLEY_STR("description"), tool->description);
        parley_buf_lit(b, ",\"inputSchema\":");
        parley_c2a_local_object(b, &schema,
                                parley_json_resolve(&schema, 0, tool->pointer));
        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, ']');

    if (parley_c2a_is_modern(doc)) {
        parley_buf_lit(b, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
    }

    return 0;
}


/* A schema that refers to none: several harnesses follow no "$ref". */

static void
parley_c2a_local_schema(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node)
{
    int                comma;
    uint32_t           i, ref;
    parley_str_t       uri;
    parley_json_ref_t  value;

    value.doc = doc;
    value.node = node;

    switch (parley_json_type(doc, node)) {

    case PARLEY_JSON_OBJECT:
        ref = parley_json_get(doc, node, PARLEY_STR("$ref"));

        if (ref != PARLEY_JSON_NONE && parley_json_node(doc, node)->count == 1)
        {
            uri = parley_json_span(doc, ref);
            node = parley_json_resolve(doc, 0, parley_str_from(uri, 1));
        }

        parley_c2a_local_object(b, doc, node);
        return;

    case PARLEY_JSON_ARRAY:
        comma = 0;
        parley_buf_octet(b, '[');

        for (i = parley_json_first(node);
             i != parley_json_end(doc, node);
             i = parley_json_after(doc, i))
        {
            if (comma++) {
                parley_buf_octet(b, ',');
            }

            parley_c2a_local_schema(b, doc, i);
        }

        parley_buf_octet(b, ']');
        return;

    default:
        parley_buf_value(b, value);
    }
}


/*
 * What stands beside a "$ref" does without it: it is an "anyOf", which at the
 * top several harnesses refuse as well; the gateway asks for it all the same.
 */

static void
parley_c2a_local_object(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node)
{
    int       comma;
    uint32_t  k;

    comma = 0;
    parley_buf_octet(b, '{');

    for (k = parley_json_first(node);
         k != parley_json_end(doc, node);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_string_is(doc, k, PARLEY_STR("$ref"))) {
            continue;
        }

        if (comma++) {
            parley_buf_octet(b, ',');
        }

        parley_buf_json_string(b, parley_json_span(doc, k));
        parley_buf_octet(b, ':');
        parley_c2a_local_schema(b, doc, k + 1);
    }

    parley_buf_octet(b, '}');
}


int
parley_c2a_is_modern(const parley_json_t *doc)
{
    uint32_t  meta;

    meta = parley_json_member(doc, parley_c2a_params(doc), PARLEY_ATOM__meta);

    return meta != PARLEY_JSON_NONE
           && parley_json_get(doc, meta,
                      PARLEY_STR("io.modelcontextprotocol/protocolVersion"))
              != PARLEY_JSON_NONE;
}


int
parley_c2a_is_mcp(const parley_json_t *doc)
{
    return parley_c2a_form_of(doc) == PARLEY_C2A_INITIALIZE
           && parley_c2a_is_version(doc,
                              parley_json_member(doc, parley_c2a_params(doc),
                                                PARLEY_ATOM_protocolVersion));
}


/* a date, as MCP numbers its versions, that is not the draft's */

static int
parley_c2a_is_version(const parley_json_t *doc, uint32_t value)
{
    size_t        i;
    parley_str_t  text;

    static const char  form[] = "0000-00-00";

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_STRING)
    {
        return 0;
    }

    text = parley_json_span(doc, value);

    if (text.len != sizeof(form) - 1
        || parley_str_is(text, PARLEY_C2A_VERSION))
    {
        return 0;
    }

    for (i = 0; i < text.len; i++) {
        if (form[i] == '-' ? text.data[i] != '-'
                           : text.data[i] < '0' || text.data[i] > '9')
        {
            return 0;
        }
    }

    return 1;
}
