/*
 * The catalogue of kinds (section 4) and the members of their payloads (section
 * 5).  schemas/channel-1.0.schema.json has the limits of the members.
 */

#include "translate/channel/parley_channel.h"
#include "translate/parley_sentence.h"


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
        .text = PARLEY_ATOM_advisory_text,
        .nrequired = 1,
        .names = {
            PARLEY_ATOM_advisory_text, PARLEY_ATOM_file_refs,
            PARLEY_ATOM_worktree, PARLEY_ATOM_branch
        },
    },

    [PARLEY_CHANNEL_BROADCAST] = {
        .kind = PARLEY_CHANNEL_BROADCAST,
        .name = parley_str("agent_broadcast"),
        .intent = parley_str("channel.agent_broadcast"),
        .act = PARLEY_ACT_EVENT,
        .text = PARLEY_ATOM_broadcast_text,
        .nrequired = 2,
        .names = {
            PARLEY_ATOM_broadcast_text, PARLEY_ATOM_event_class,
            PARLEY_ATOM_refs
        },
    },

    [PARLEY_CHANNEL_HANDOVER] = {
        .kind = PARLEY_CHANNEL_HANDOVER,
        .name = parley_str("agent_handover"),
        .intent = parley_str("channel.agent_handover"),
        .act = PARLEY_ACT_REQUEST,
        .text = PARLEY_ATOM_handover_body,
        .nrequired = 2,
        .names = {
            PARLEY_ATOM_previous_session_id, PARLEY_ATOM_handover_body,
            PARLEY_ATOM_next_session_id, PARLEY_ATOM_pointer_refs
        },
    },

    [PARLEY_CHANNEL_LOCK_REQUEST] = {
        .kind = PARLEY_CHANNEL_LOCK_REQUEST,
        .name = parley_str("agent_lock_request"),
        .intent = parley_str("channel.agent_lock_request"),
        .act = PARLEY_ACT_EVENT,
        .corr = PARLEY_ATOM_lease_id,
        .nrequired = 3,
        .names = {
            PARLEY_ATOM_resource, PARLEY_ATOM_lease_id,
            PARLEY_ATOM_ttl_ms, PARLEY_ATOM_intent
        },
    },

    [PARLEY_CHANNEL_LOCK_RELEASE] = {
        .kind = PARLEY_CHANNEL_LOCK_RELEASE,
        .name = parley_str("agent_lock_release"),
        .intent = parley_str("channel.agent_lock_release"),
        .act = PARLEY_ACT_EVENT,
        .corr = PARLEY_ATOM_lease_id,
        .nrequired = 1,
        .names = {
            PARLEY_ATOM_lease_id, PARLEY_ATOM_resource, PARLEY_ATOM_reason
        },
    },

    [PARLEY_CHANNEL_LEASE_EXTEND] = {
        .kind = PARLEY_CHANNEL_LEASE_EXTEND,
        .name = parley_str("agent_lease_extend"),
        .intent = parley_str("channel.agent_lease_extend"),
        .act = PARLEY_ACT_EVENT,
        .corr = PARLEY_ATOM_lease_id,
        .nrequired = 2,
        .names = {
            PARLEY_ATOM_lease_id, PARLEY_ATOM_ttl_ms
        },
    },

    [PARLEY_CHANNEL_QUERY] = {
        .kind = PARLEY_CHANNEL_QUERY,
        .name = parley_str("agent_query"),
        .intent = parley_str("channel.agent_query"),
        .act = PARLEY_ACT_REQUEST,
        .text = PARLEY_ATOM_query_text,
        .question = PARLEY_ATOM_query_id,
        .nrequired = 4,
        .names = {
            PARLEY_ATOM_query_text, PARLEY_ATOM_query_id,
            PARLEY_ATOM_response_scope, PARLEY_ATOM_timeout_ms
        },
    },

    [PARLEY_CHANNEL_RESPONSE] = {
        .kind = PARLEY_CHANNEL_RESPONSE,
        .name = parley_str("agent_response"),
        .intent = parley_str("channel.agent_response"),
        .act = PARLEY_ACT_REPLY,
        .text = PARLEY_ATOM_response_text,
        .question = PARLEY_ATOM_query_id,
        .nrequired = 3,
        .names = {
            PARLEY_ATOM_query_id, PARLEY_ATOM_responder_session_id,
            PARLEY_ATOM_response_text, PARLEY_ATOM_refs
        },
    },

    [PARLEY_CHANNEL_RETURN_EVENT] = {
        .kind = PARLEY_CHANNEL_RETURN_EVENT,
        .name = parley_str("agent_return_event"),
        .intent = parley_str("channel.agent_return_event"),
        .act = PARLEY_ACT_EVENT,
        .text = PARLEY_ATOM_summary,
        .question = PARLEY_ATOM_query_id,
        .nrequired = 2,
        .names = {
            PARLEY_ATOM_return_event_ref, PARLEY_ATOM_summary,
            PARLEY_ATOM_query_id
        },
    },

    [PARLEY_CHANNEL_BINDING_MOMENT] = {
        .kind = PARLEY_CHANNEL_BINDING_MOMENT,
        .name = parley_str("agent_binding_moment"),
        .intent = parley_str("channel.agent_binding_moment"),
        .act = PARLEY_ACT_REQUEST,
        .text = PARLEY_ATOM_synopsis,
        .nrequired = 5,
        .names = {
            PARLEY_ATOM_synopsis, PARLEY_ATOM_findings,
            PARLEY_ATOM_recommendations, PARLEY_ATOM_offer,
            PARLEY_ATOM_question
        },
    },

    [PARLEY_CHANNEL_DIAGNOSTIC_REQUEST] = {
        .kind = PARLEY_CHANNEL_DIAGNOSTIC_REQUEST,
        .name = parley_str("peer_diagnostic_request"),
        .intent = parley_str("channel.peer_diagnostic_request"),
        .act = PARLEY_ACT_REQUEST,
        .text = PARLEY_ATOM_symptom,
        .question = PARLEY_ATOM_diagnostic_id,
        .nrequired = 3,
        .names = {
            PARLEY_ATOM_symptom, PARLEY_ATOM_diagnostic_id,
            PARLEY_ATOM_severity, PARLEY_ATOM_substrate_refs
        },
    },

    [PARLEY_CHANNEL_DIAGNOSTIC_RESPONSE] = {
        .kind = PARLEY_CHANNEL_DIAGNOSTIC_RESPONSE,
        .name = parley_str("peer_diagnostic_response"),
        .intent = parley_str("channel.peer_diagnostic_response"),
        .act = PARLEY_ACT_REPLY,
        .text = PARLEY_ATOM_finding,
        .question = PARLEY_ATOM_diagnostic_id,
        .nrequired = 2,
        .names = {
            PARLEY_ATOM_diagnostic_id, PARLEY_ATOM_finding,
            PARLEY_ATOM_remediation, PARLEY_ATOM_substrate_refs
        },
    },

    [PARLEY_CHANNEL_INTENT_DECLARE] = {
        .kind = PARLEY_CHANNEL_INTENT_DECLARE,
        .name = parley_str("intent_declare"),
        .intent = parley_str("channel.intent_declare"),
        .act = PARLEY_ACT_EVENT,
        .corr = PARLEY_ATOM_convergence_class,
        .nrequired = 7,
        .names = {
            PARLEY_ATOM_convergence_class, PARLEY_ATOM_payload_ref,
            PARLEY_ATOM_acted_by, PARLEY_ATOM_drafted_with,
            PARLEY_ATOM_declared_at, PARLEY_ATOM_ttl,
            PARLEY_ATOM_withdrawable, PARLEY_ATOM_urgency
        },
    },

    [PARLEY_CHANNEL_INTENT_WITHDRAW] = {
        .kind = PARLEY_CHANNEL_INTENT_WITHDRAW,
        .name = parley_str("intent_withdraw"),
        .intent = parley_str("channel.intent_withdraw"),
        .act = PARLEY_ACT_EVENT,
        .corr = PARLEY_ATOM_convergence_class,
        .nrequired = 3,
        .names = {
            PARLEY_ATOM_convergence_class, PARLEY_ATOM_intent_ref,
            PARLEY_ATOM_withdrawn_at
        },
    },

    [PARLEY_CHANNEL_FLUSH_EXECUTED] = {
        .kind = PARLEY_CHANNEL_FLUSH_EXECUTED,
        .name = parley_str("flush_executed"),
        .intent = parley_str("channel.flush_executed"),
        .act = PARLEY_ACT_EVENT,
        .corr = PARLEY_ATOM_convergence_class,
        .nrequired = 3,
        .names = {
            PARLEY_ATOM_convergence_class, PARLEY_ATOM_result_ref,
            PARLEY_ATOM_executed_at, PARLEY_ATOM_batch_refs
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

    for (i = 0; i < PARLEY_CHANNEL_NAMES_MAX && kind->names[i] != 0; i++) {
        if (parley_json_atom(doc, name) == kind->names[i]) {
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
        if (parley_json_member(doc, payload, kind->names[i])
            == PARLEY_JSON_NONE)
        {
            return 0;
        }
    }

    return 1;
}


/* sentences for kinds without a text (section 5) */

static const parley_sentence_t  parley_channel_sentences[] = {
    { parley_str("agent_lock_request"), {
        { parley_str("locks "), PARLEY_ATOM_resource, 0, 0 },
        { parley_str(" for "), PARLEY_ATOM_ttl_ms, 1, 0 },
        { parley_str(": "), PARLEY_ATOM_intent, 0, 1 } } },
    { parley_str("agent_lock_release"), {
        { parley_str("releases the lease "), PARLEY_ATOM_lease_id, 0, 0 },
        { parley_str(" of "), PARLEY_ATOM_resource, 0, 1 },
        { parley_str(": "), PARLEY_ATOM_reason, 0, 1 } } },
    { parley_str("agent_lease_extend"), {
        { parley_str("extends the lease "), PARLEY_ATOM_lease_id, 0, 0 },
        { parley_str(" by "), PARLEY_ATOM_ttl_ms, 1, 0 } } },
    { parley_str("intent_declare"), {
        { parley_str("declares "), PARLEY_ATOM_payload_ref, 0, 0 },
        { parley_str(" for "), PARLEY_ATOM_convergence_class, 0, 0 } } },
    { parley_str("intent_withdraw"), {
        { parley_str("withdraws "), PARLEY_ATOM_intent_ref, 0, 0 },
        { parley_str(" for "), PARLEY_ATOM_convergence_class, 0, 0 } } },
    { parley_str("flush_executed"), {
        { parley_str("has carried out "), PARLEY_ATOM_convergence_class, 0,
          0 },
        { parley_str(", with the result "), PARLEY_ATOM_result_ref, 0, 0 } } },
};


int
parley_channel_sentence(parley_buf_t *b, const parley_msg_t *m)
{
    return parley_sentence_write(b, m, parley_channel_sentences,
                                 sizeof(parley_channel_sentences)
                                 / sizeof(parley_channel_sentences[0]));
}
