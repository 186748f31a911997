/*
 * The catalogue of kinds (section 4) and the members of their payloads
 * (section 5); their bounds are in schemas/channel-1.0.schema.json.
 */

#include "parley_channel.h"


static int parley_channel_kind_knows(const parley_channel_kind_info_t *kind,
    const parley_json_t *doc, uint32_t name);
static int parley_channel_kind_fits(const parley_channel_kind_info_t *kind,
    const parley_json_t *doc, uint32_t payload);


static const parley_channel_kind_info_t
    parley_channel_kinds[PARLEY_CHANNEL_KINDS] =
{
    [PARLEY_CHANNEL_ADVISORY] = {
        .kind = PARLEY_CHANNEL_ADVISORY,
        .name = parley_str("agent_advisory"),
        .intent = parley_str("channel.agent_advisory"),
        .act = PARLEY_ACT_EVENT,
        .text = parley_str("advisory_text"),
        .nrequired = 1,
        .names = {
            parley_str("advisory_text"), parley_str("file_refs"),
            parley_str("worktree"), parley_str("branch")
        },
    },

    [PARLEY_CHANNEL_BROADCAST] = {
        .kind = PARLEY_CHANNEL_BROADCAST,
        .name = parley_str("agent_broadcast"),
        .intent = parley_str("channel.agent_broadcast"),
        .act = PARLEY_ACT_EVENT,
        .text = parley_str("broadcast_text"),
        .nrequired = 2,
        .names = {
            parley_str("broadcast_text"), parley_str("event_class"),
            parley_str("refs")
        },
    },

    [PARLEY_CHANNEL_HANDOVER] = {
        .kind = PARLEY_CHANNEL_HANDOVER,
        .name = parley_str("agent_handover"),
        .intent = parley_str("channel.agent_handover"),
        .act = PARLEY_ACT_REQUEST,
        .text = parley_str("handover_body"),
        .nrequired = 2,
        .names = {
            parley_str("previous_session_id"), parley_str("handover_body"),
            parley_str("next_session_id"), parley_str("pointer_refs")
        },
    },

    [PARLEY_CHANNEL_LOCK_REQUEST] = {
        .kind = PARLEY_CHANNEL_LOCK_REQUEST,
        .name = parley_str("agent_lock_request"),
        .intent = parley_str("channel.agent_lock_request"),
        .act = PARLEY_ACT_EVENT,
        .corr = parley_str("lease_id"),
        .nrequired = 3,
        .names = {
            parley_str("resource"), parley_str("lease_id"),
            parley_str("ttl_ms"), parley_str("intent")
        },
    },

    [PARLEY_CHANNEL_LOCK_RELEASE] = {
        .kind = PARLEY_CHANNEL_LOCK_RELEASE,
        .name = parley_str("agent_lock_release"),
        .intent = parley_str("channel.agent_lock_release"),
        .act = PARLEY_ACT_EVENT,
        .corr = parley_str("lease_id"),
        .nrequired = 1,
        .names = {
            parley_str("lease_id"), parley_str("reason")
        },
    },

    [PARLEY_CHANNEL_LEASE_EXTEND] = {
        .kind = PARLEY_CHANNEL_LEASE_EXTEND,
        .name = parley_str("agent_lease_extend"),
        .intent = parley_str("channel.agent_lease_extend"),
        .act = PARLEY_ACT_EVENT,
        .corr = parley_str("lease_id"),
        .nrequired = 2,
        .names = {
            parley_str("lease_id"), parley_str("ttl_ms")
        },
    },

    [PARLEY_CHANNEL_QUERY] = {
        .kind = PARLEY_CHANNEL_QUERY,
        .name = parley_str("agent_query"),
        .intent = parley_str("channel.agent_query"),
        .act = PARLEY_ACT_REQUEST,
        .text = parley_str("query_text"),
        .corr = parley_str("query_id"),
        .nrequired = 4,
        .names = {
            parley_str("query_text"), parley_str("query_id"),
            parley_str("response_scope"), parley_str("timeout_ms")
        },
    },

    [PARLEY_CHANNEL_RESPONSE] = {
        .kind = PARLEY_CHANNEL_RESPONSE,
        .name = parley_str("agent_response"),
        .intent = parley_str("channel.agent_response"),
        .act = PARLEY_ACT_REPLY,
        .text = parley_str("response_text"),
        .corr = parley_str("query_id"),
        .nrequired = 3,
        .names = {
            parley_str("query_id"), parley_str("responder_session_id"),
            parley_str("response_text"), parley_str("refs")
        },
    },

    [PARLEY_CHANNEL_RETURN_EVENT] = {
        .kind = PARLEY_CHANNEL_RETURN_EVENT,
        .name = parley_str("agent_return_event"),
        .intent = parley_str("channel.agent_return_event"),
        .act = PARLEY_ACT_EVENT,
        .text = parley_str("summary"),
        .corr = parley_str("query_id"),
        .nrequired = 2,
        .names = {
            parley_str("return_event_ref"), parley_str("summary"),
            parley_str("query_id")
        },
    },

    [PARLEY_CHANNEL_BINDING_MOMENT] = {
        .kind = PARLEY_CHANNEL_BINDING_MOMENT,
        .name = parley_str("agent_binding_moment"),
        .intent = parley_str("channel.agent_binding_moment"),
        .act = PARLEY_ACT_REQUEST,
        .text = parley_str("synopsis"),
        .nrequired = 5,
        .names = {
            parley_str("synopsis"), parley_str("findings"),
            parley_str("recommendations"), parley_str("offer"),
            parley_str("question")
        },
    },

    [PARLEY_CHANNEL_DIAGNOSTIC_REQUEST] = {
        .kind = PARLEY_CHANNEL_DIAGNOSTIC_REQUEST,
        .name = parley_str("peer_diagnostic_request"),
        .intent = parley_str("channel.peer_diagnostic_request"),
        .act = PARLEY_ACT_REQUEST,
        .text = parley_str("symptom"),
        .corr = parley_str("diagnostic_id"),
        .nrequired = 3,
        .names = {
            parley_str("symptom"), parley_str("diagnostic_id"),
            parley_str("severity"), parley_str("substrate_refs")
        },
    },

    [PARLEY_CHANNEL_DIAGNOSTIC_RESPONSE] = {
        .kind = PARLEY_CHANNEL_DIAGNOSTIC_RESPONSE,
        .name = parley_str("peer_diagnostic_response"),
        .intent = parley_str("channel.peer_diagnostic_response"),
        .act = PARLEY_ACT_REPLY,
        .text = parley_str("finding"),
        .corr = parley_str("diagnostic_id"),
        .nrequired = 2,
        .names = {
            parley_str("diagnostic_id"), parley_str("finding"),
            parley_str("remediation"), parley_str("substrate_refs")
        },
    },

    [PARLEY_CHANNEL_INTENT_DECLARE] = {
        .kind = PARLEY_CHANNEL_INTENT_DECLARE,
        .name = parley_str("intent_declare"),
        .intent = parley_str("channel.intent_declare"),
        .act = PARLEY_ACT_EVENT,
        .corr = parley_str("convergence_class"),
        .nrequired = 7,
        .names = {
            parley_str("convergence_class"), parley_str("payload_ref"),
            parley_str("acted_by"), parley_str("drafted_with"),
            parley_str("declared_at"), parley_str("ttl"),
            parley_str("withdrawable"), parley_str("urgency")
        },
    },

    [PARLEY_CHANNEL_INTENT_WITHDRAW] = {
        .kind = PARLEY_CHANNEL_INTENT_WITHDRAW,
        .name = parley_str("intent_withdraw"),
        .intent = parley_str("channel.intent_withdraw"),
        .act = PARLEY_ACT_EVENT,
        .corr = parley_str("convergence_class"),
        .nrequired = 3,
        .names = {
            parley_str("convergence_class"), parley_str("intent_ref"),
            parley_str("withdrawn_at")
        },
    },

    [PARLEY_CHANNEL_FLUSH_EXECUTED] = {
        .kind = PARLEY_CHANNEL_FLUSH_EXECUTED,
        .name = parley_str("flush_executed"),
        .intent = parley_str("channel.flush_executed"),
        .act = PARLEY_ACT_EVENT,
        .corr = parley_str("convergence_class"),
        .nrequired = 3,
        .names = {
            parley_str("convergence_class"), parley_str("result_ref"),
            parley_str("executed_at"), parley_str("batch_refs")
        },
    },
};


const parley_channel_kind_info_t *
parley_channel_kind_find(parley_str_t name)
{
    unsigned  i;

    for (i = 0; i < PARLEY_CHANNEL_KINDS; i++) {
        if (parley_str_eq(parley_channel_kinds[i].name, name)) {
            return &parley_channel_kinds[i];
        }
    }

    return NULL;
}


const parley_channel_kind_info_t *
parley_channel_kind(parley_channel_kind_t kind)
{
    return &parley_channel_kinds[kind];
}


int
parley_channel_kind_mismatch(const parley_channel_kind_info_t *kind,
    const parley_json_t *doc, uint32_t payload)
{
    unsigned  i;
    uint32_t  k;

    if (payload == PARLEY_JSON_NONE
        || parley_json_type(doc, payload) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    for (k = parley_json_first(payload);
         k != parley_json_end(doc, payload);
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_channel_kind_knows(kind, doc, k)) {
            break;
        }
    }

    if (k == parley_json_end(doc, payload)) {
        return 0;
    }

    for (i = 0; i < PARLEY_CHANNEL_KINDS; i++) {
        if (parley_channel_kind_fits(&parley_channel_kinds[i], doc, payload))
        {
            return 1;
        }
    }

    return 0;
}


static int
parley_channel_kind_knows(const parley_channel_kind_info_t *kind,
    const parley_json_t *doc, uint32_t name)
{
    unsigned  i;

    for (i = 0; i < PARLEY_CHANNEL_NAMES_MAX && kind->names[i].len > 0; i++) {
        if (parley_json_string_is(doc, name, kind->names[i])) {
            return 1;
        }
    }

    return 0;
}


static int
parley_channel_kind_fits(const parley_channel_kind_info_t *kind,
    const parley_json_t *doc, uint32_t payload)
{
    unsigned  i;
    uint32_t  k;

    if (parley_json_node(doc, payload)->count > PARLEY_CHANNEL_NAMES_MAX) {
        return 0;
    }

    for (k = parley_json_first(payload);
         k != parley_json_end(doc, payload);
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_channel_kind_knows(kind, doc, k)) {
            return 0;
        }
    }

    for (i = 0; i < kind->nrequired; i++) {
        if (parley_json_get(doc, payload, kind->names[i])
            == PARLEY_JSON_NONE)
        {
            return 0;
        }
    }

    return 1;
}
