/*
 * Checks names that equal those of the draft's members except for case: in an
 * event and its objects, in calls of the chat tools, in MCP's handshake and in
 * notifications.  The members of other methods and tools are unknown here.  A
 * method or tool with such a name is refused as unknown: a service that ignores
 * case would confuse it with the known one.
 */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_spelling.h"


typedef enum {
    PARLEY_C2A_SPELT_EVENT = 0,
    PARLEY_C2A_SPELT_CALL,
    PARLEY_C2A_SPELT_ARGUMENTS,
    PARLEY_C2A_SPELT_MCP,               /* params of MCP's own methods */
    PARLEY_C2A_SPELT_PLACE,             /* conversation, or destination */
    PARLEY_C2A_SPELT_AUTHOR,
    PARLEY_C2A_SPELT_TARGET,
    PARLEY_C2A_SPELT_KNOCK,
    PARLEY_C2A_SPELT_TIMING,
    PARLEY_C2A_SPELT_ATTENTION,
    PARLEY_C2A_SPELT_INJECTION,
    PARLEY_C2A_SPELT_RELIABILITY,
    PARLEY_C2A_SPELT_CLIENT,
    PARLEY_C2A_SPELT_OBJECTS
} parley_c2a_spelt_t;


/* a member with an object in which names are checked, too */
#define PARLEY_C2A_SPELT_IN(object)  (2 + (object))


static int parley_c2a_spelling_within(const parley_json_t *doc, uint32_t node,
    parley_c2a_spelt_t object, parley_error_t *err);
static int parley_c2a_spelling_method(const parley_json_t *doc,
    parley_error_t *err);
static int parley_c2a_spelling_tool(const parley_json_t *doc, uint32_t params,
    parley_error_t *err);


/* 0: not a member, 1: a member; or PARLEY_C2A_SPELT_IN() */
static const uint8_t
    parley_c2a_spelt[PARLEY_C2A_SPELT_OBJECTS][PARLEY_ATOMS] = {

    [PARLEY_C2A_SPELT_EVENT] = {
        [PARLEY_ATOM_eventId] = 1,
        [PARLEY_ATOM_source] = 1,
        [PARLEY_ATOM_conversation]
            = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_PLACE),
        [PARLEY_ATOM_author] = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_AUTHOR),
        [PARLEY_ATOM_target] = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_TARGET),
        [PARLEY_ATOM_content] = 1,
        [PARLEY_ATOM_knock] = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_KNOCK),
        [PARLEY_ATOM_timing] = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_TIMING),
        [PARLEY_ATOM_attention]
            = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_ATTENTION),
        [PARLEY_ATOM_injection]
            = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_INJECTION),
        [PARLEY_ATOM_reliability]
            = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_RELIABILITY),
        [PARLEY_ATOM_inReplyTo] = 1,
    },
    [PARLEY_C2A_SPELT_CALL] = {
        [PARLEY_ATOM_name] = 1,
        [PARLEY_ATOM_arguments] = 1,
        [PARLEY_ATOM__meta] = 1,
    },
    [PARLEY_C2A_SPELT_ARGUMENTS] = {
        [PARLEY_ATOM_target] = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_PLACE),
        [PARLEY_ATOM_inReplyTo] = 1,
        [PARLEY_ATOM_idempotencyKey] = 1,
        [PARLEY_ATOM_visibility] = 1,
        [PARLEY_ATOM_directedness] = 1,
        [PARLEY_ATOM_content] = 1,
        [PARLEY_ATOM_text] = 1,
        [PARLEY_ATOM_signal] = 1,
        [PARLEY_ATOM_eta] = 1,
        [PARLEY_ATOM_reason] = 1,
        [PARLEY_ATOM_ttlMs] = 1,
        [PARLEY_ATOM_policy] = 1,
        [PARLEY_ATOM_limit] = 1,
    },
    [PARLEY_C2A_SPELT_MCP] = {
        [PARLEY_ATOM_protocolVersion] = 1,
        [PARLEY_ATOM_clientInfo]
            = PARLEY_C2A_SPELT_IN(PARLEY_C2A_SPELT_CLIENT),
        [PARLEY_ATOM_capabilities] = 1,
        [PARLEY_ATOM_requestId] = 1,
        [PARLEY_ATOM_reason] = 1,
        [PARLEY_ATOM_progressToken] = 1,
        [PARLEY_ATOM_progress] = 1,
        [PARLEY_ATOM_total] = 1,
        [PARLEY_ATOM_message] = 1,
    },
    [PARLEY_C2A_SPELT_PLACE] = {
        [PARLEY_ATOM_id] = 1,
        [PARLEY_ATOM_kind] = 1,
        [PARLEY_ATOM_streamId] = 1,
        [PARLEY_ATOM_threadId] = 1,
        [PARLEY_ATOM_recipient] = 1,
    },
    [PARLEY_C2A_SPELT_AUTHOR] = {
        [PARLEY_ATOM_id] = 1,
        [PARLEY_ATOM_kind] = 1,
        [PARLEY_ATOM_displayName] = 1,
    },
    [PARLEY_C2A_SPELT_TARGET] = {
        [PARLEY_ATOM_mentions] = 1,
        [PARLEY_ATOM_recipient] = 1,
        [PARLEY_ATOM_directedness] = 1,
    },
    [PARLEY_C2A_SPELT_KNOCK] = {
        [PARLEY_ATOM_from] = 1,
        [PARLEY_ATOM_where] = 1,
        [PARLEY_ATOM_directedness] = 1,
        [PARLEY_ATOM_policy] = 1,
        [PARLEY_ATOM_priority] = 1,
        [PARLEY_ATOM_topic] = 1,
        [PARLEY_ATOM_pullWith] = 1,
    },
    [PARLEY_C2A_SPELT_TIMING] = {
        [PARLEY_ATOM_createdAt] = 1,
        [PARLEY_ATOM_sequence] = 1,
    },
    [PARLEY_C2A_SPELT_ATTENTION] = {
        [PARLEY_ATOM_policy] = 1,
        [PARLEY_ATOM_reason] = 1,
        [PARLEY_ATOM_priority] = 1,
        [PARLEY_ATOM_deadlineMs] = 1,
    },
    [PARLEY_C2A_SPELT_INJECTION] = {
        [PARLEY_ATOM_mode] = 1,
        [PARLEY_ATOM_context] = 1,
        [PARLEY_ATOM_role] = 1,
    },
    [PARLEY_C2A_SPELT_RELIABILITY] = {
        [PARLEY_ATOM_attempt] = 1,
        [PARLEY_ATOM_idempotencyKey] = 1,
    },
    [PARLEY_C2A_SPELT_CLIENT] = {
        [PARLEY_ATOM_name] = 1,
        [PARLEY_ATOM_version] = 1,
    },
};


int
parley_c2a_spelling_of(const parley_json_t *doc, parley_c2a_form_t form,
    parley_error_t *err)
{
    uint32_t  params;

    params = parley_json_member(doc, 0, PARLEY_ATOM_params);

    switch (form) {

    case PARLEY_C2A_DELIVER:
        return parley_c2a_spelling_within(doc, params, PARLEY_C2A_SPELT_EVENT,
                                          err);

    case PARLEY_C2A_CANCELLED:
    case PARLEY_C2A_PROGRESS:
    case PARLEY_C2A_INITIALIZE:
        return parley_c2a_spelling_within(doc, params, PARLEY_C2A_SPELT_MCP,
                                          err);

    case PARLEY_C2A_TOOL:
        return parley_c2a_spelling_tool(doc, params, err);

    case PARLEY_C2A_METHOD:
        return parley_c2a_spelling_method(doc, err);

    default:
        break;
    }

    if (form >= PARLEY_C2A_NATIVE) {
        return 0;
    }

    /* call of one of the chat tools */

    if (parley_spelling_check(doc, params,
                              parley_c2a_spelt[PARLEY_C2A_SPELT_CALL], err)
        != 0)
    {
        return -1;
    }

    return parley_c2a_spelling_within(doc,
                                      parley_json_member(doc, params,
                                                       PARLEY_ATOM_arguments),
                                      PARLEY_C2A_SPELT_ARGUMENTS, err);
}


/* Checks the members of node, and of the objects within it. */

static int
parley_c2a_spelling_within(const parley_json_t *doc, uint32_t node,
    parley_c2a_spelt_t object, parley_error_t *err)
{
    uint8_t         within;
    uint32_t        k, end;
    const uint8_t  *spelt;

    spelt = parley_c2a_spelt[object];

    if (node == PARLEY_JSON_NONE
        || parley_json_type(doc, node) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    if (parley_spelling_check(doc, node, spelt, err) != 0) {
        return -1;
    }

    end = parley_json_end(doc, node);

    for (k = parley_json_first(node); k != end;
         k = parley_json_after(doc, k + 1))
    {
        within = spelt[parley_json_atom(doc, k)];

        if (within >= PARLEY_C2A_SPELT_IN(0)
            && parley_spelling_check(doc, k + 1,
                                     parley_c2a_spelt[within
                                         - PARLEY_C2A_SPELT_IN(0)],
                                     err)
               != 0)
        {
            return -1;
        }
    }

    return 0;
}


/* Checks a method that is not a known one. */

static int
parley_c2a_spelling_method(const parley_json_t *doc, parley_error_t *err)
{
    unsigned                       i;
    parley_str_t                   name;
    const parley_c2a_form_info_t  *info;

    if (parley_msg_string(doc, parley_json_member(doc, 0, PARLEY_ATOM_method),
                          &name)
        != 0)
    {
        return parley_error_memory(err);
    }

    for (i = 0; i < PARLEY_C2A_METHOD; i++) {
        info = parley_c2a_form_info((parley_c2a_form_t) i);

        if (parley_spelling_is(name, info->method)) {
            return parley_error_set(err, PARLEY_E_KIND_UNKNOWN, "/method",
                                    "the method is unknown, did you mean "
                                    "\"%.*s\"?", (int) info->method.len,
                                    (const char *) info->method.data);
        }
    }

    return 0;
}


/* Checks a call of a tool that is not a known one. */

static int
parley_c2a_spelling_tool(const parley_json_t *doc, uint32_t params,
    parley_error_t *err)
{
    unsigned                       i;
    parley_str_t                   name;
    const parley_c2a_form_info_t  *info;

    if (parley_msg_string(doc, parley_json_member(doc, params,
                                                  PARLEY_ATOM_name),
                          &name)
        != 0)
    {
        return parley_error_memory(err);
    }

    for (i = 0; i < PARLEY_C2A_TOOL; i++) {
        info = parley_c2a_form_info((parley_c2a_form_t) i);

        if (info->tool && (parley_spelling_is(name, info->form)
                           || parley_spelling_is(name, info->alias)))
        {
            return parley_error_set(err, PARLEY_E_KIND_UNKNOWN,
                                    "/params/name",
                                    "the tool is unknown, did you mean "
                                    "\"%.*s\"?", (int) info->form.len,
                                    (const char *) info->form.data);
        }
    }

    return parley_spelling_check(doc, params,
                                 parley_c2a_spelt[PARLEY_C2A_SPELT_CALL], err);
}
