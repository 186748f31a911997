/* What a frame of a kind that has no text says (section 5). */

#include "parley_channel.h"
#include "parley_sentence.h"


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
