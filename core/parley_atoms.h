/*
 * The member names that have an atom: names in the protocols' schemas and names
 * that codecs look up.  tools/print-atoms generates the list.  It is sorted by
 * octets; all names are ASCII.
 */

#ifndef PARLEY_ATOMS_H
#define PARLEY_ATOMS_H

#include "core/parley_atom.h"


#define PARLEY_ATOM_LIST(NAME)                                                \
    NAME(_meta) NAME(accepted) NAME(ackThrough) NAME(acted_by) NAME(action)   \
    NAME(active) NAME(add) NAME(advisory_text) NAME(aee) NAME(after)          \
    NAME(alg) NAME(approved) NAME(arguments) NAME(arousal) NAME(attempt)      \
    NAME(attention) NAME(audiences) NAME(auth_token) NAME(author)             \
    NAME(batch_refs) NAME(blocked_action) NAME(body) NAME(branch)             \
    NAME(broadcast_text) NAME(c2a) NAME(capabilities) NAME(change)            \
    NAME(channel) NAME(chatTools) NAME(checksum) NAME(clientInfo) NAME(code)  \
    NAME(cognitive) NAME(comfort) NAME(constitution_ref) NAME(constraints)    \
    NAME(content) NAME(context) NAME(convergence_class) NAME(conversation)    \
    NAME(corr) NAME(createdAt) NAME(created_at) NAME(data) NAME(deadlineMs)   \
    NAME(declared_at) NAME(delivered) NAME(delivery) NAME(diagnostic_id)      \
    NAME(dialogue) NAME(directedness) NAME(displayName) NAME(disposition)     \
    NAME(drafted_with) NAME(emotional) NAME(energy) NAME(envelope_version)    \
    NAME(environments) NAME(error) NAME(error_code) NAME(eta) NAME(eventId)   \
    NAME(event_class) NAME(evidence) NAME(executed_at) NAME(field)            \
    NAME(file_refs) NAME(filter) NAME(finding) NAME(findings) NAME(form)      \
    NAME(format) NAME(frame_id) NAME(free_text) NAME(from) NAME(glyph)        \
    NAME(glyphs) NAME(handle) NAME(handover_body) NAME(hash) NAME(hatches)    \
    NAME(human_approval) NAME(id) NAME(idempotencyKey) NAME(inReplyTo)        \
    NAME(injection) NAME(instrument) NAME(intent) NAME(intent_ref)            \
    NAME(jsonrpc) NAME(kid) NAME(kind) NAME(knock) NAME(label)                \
    NAME(last_event_id) NAME(lease_id) NAME(limit) NAME(locator)              \
    NAME(manifest_hash) NAME(max) NAME(mediaType) NAME(members)               \
    NAME(mentions) NAME(message) NAME(message_id) NAME(method)                \
    NAME(min_confidence) NAME(mode) NAME(model_families) NAME(moq) NAME(name) \
    NAME(next_session_id) NAME(of) NAME(offer) NAME(options) NAME(pain)       \
    NAME(params) NAME(payload) NAME(payload_ref) NAME(personal_state)         \
    NAME(platform) NAME(pointer_refs) NAME(policy) NAME(previous_session_id)  \
    NAME(priority) NAME(progress) NAME(progressToken) NAME(propagation_mode)  \
    NAME(protocolVersion) NAME(provenance_basis)                              \
    NAME(provenance_compute_location) NAME(provenance_context_check)          \
    NAME(provenance_method) NAME(provenance_return_ref) NAME(pullWith)        \
    NAME(purposes) NAME(quality_params) NAME(query_id) NAME(query_text)       \
    NAME(question) NAME(reaction) NAME(reason) NAME(reasoning)                \
    NAME(recipient) NAME(recipient_handle) NAME(recommendations)              \
    NAME(recommended_idx) NAME(reference) NAME(references) NAME(refs)         \
    NAME(reliability) NAME(remediation) NAME(remove) NAME(reply)              \
    NAME(reply_to) NAME(requestId) NAME(requires) NAME(requires_ack)          \
    NAME(resource) NAME(responder_session_id) NAME(response_scope)            \
    NAME(response_text) NAME(result) NAME(result_ref) NAME(retryable)         \
    NAME(return_event_ref) NAME(role) NAME(scope) NAME(sender)                \
    NAME(sender_handle) NAME(sent) NAME(sequence) NAME(session)               \
    NAME(session_id) NAME(severity) NAME(sig) NAME(signal) NAME(signature)    \
    NAME(since) NAME(source) NAME(source_constitution_ref) NAME(span_id)      \
    NAME(status) NAME(stem) NAME(streamId) NAME(stream_id)                    \
    NAME(subscriber_id) NAME(substrate_refs) NAME(summary) NAME(symptom)      \
    NAME(synopsis) NAME(target) NAME(text) NAME(threadId) NAME(timeout_ms)    \
    NAME(timestamp) NAME(timing) NAME(to) NAME(topic) NAME(total)             \
    NAME(total_chunks) NAME(trace) NAME(trace_id) NAME(track_name)            \
    NAME(track_url) NAME(ts) NAME(ttl) NAME(ttlMs) NAME(ttl_ms) NAME(type)    \
    NAME(urgency) NAME(utilities) NAME(v) NAME(valence) NAME(value) NAME(vcp) \
    NAME(vcp2) NAME(vcp_message) NAME(version) NAME(visibility) NAME(waitMs)  \
    NAME(wait_ms) NAME(where) NAME(withdrawable) NAME(withdrawn_at)           \
    NAME(workspaceId) NAME(worktree)


#define PARLEY_ATOM_CONSTANT(name)  PARLEY_ATOM_##name,

enum {
    PARLEY_ATOM_FIRST = PARLEY_ATOM_NONE,
    PARLEY_ATOM_LIST(PARLEY_ATOM_CONSTANT)
    PARLEY_ATOMS                /* number of atoms, NONE included */
};

#undef PARLEY_ATOM_CONSTANT


#endif /* PARLEY_ATOMS_H */
