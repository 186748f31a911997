/*
 * Reaction signals and dispositions: how an event ends without a turn of the
 * model.
 */

#include "parley_c2a.h"


static const parley_str_t  parley_c2a_dispositions[] = {
    [PARLEY_C2A_UNDISPOSED] = parley_str(""),
    [PARLEY_C2A_RESPONDED] = parley_str("responded"),
    [PARLEY_C2A_ACKNOWLEDGED] = parley_str("acknowledged"),
    [PARLEY_C2A_DEFERRED] = parley_str("deferred"),
    [PARLEY_C2A_CLAIMED] = parley_str("claimed"),
    [PARLEY_C2A_IGNORED] = parley_str("ignored"),
    [PARLEY_C2A_SUPERSEDED] = parley_str("superseded"),
    [PARLEY_C2A_FAILED] = parley_str("failed"),
};


const parley_c2a_signal_t  parley_c2a_signals[PARLEY_C2A_SIGNALS] = {
    { .name = parley_str("seen"), .glyph = parley_str("\xF0\x9F\x91\x80"),
      .meaning = parley_str("read, no commitment"),
      .disposition = PARLEY_C2A_ACKNOWLEDGED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("agree"), .glyph = parley_str("\xF0\x9F\x91\x8D"),
      .meaning = parley_str("acknowledge or approve"),
      .disposition = PARLEY_C2A_ACKNOWLEDGED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("working"), .glyph = parley_str("\xF0\x9F\x94\xA7"),
      .meaning = parley_str("actively on it now"),
      .disposition = PARLEY_C2A_CLAIMED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("queued"), .glyph = parley_str("\xF0\x9F\x95\x90"),
      .meaning = parley_str("accepted, behind higher-priority work"),
      .disposition = PARLEY_C2A_DEFERRED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("claimed"), .glyph = parley_str(""),
      .meaning = parley_str("this agent owns the event"),
      .disposition = PARLEY_C2A_CLAIMED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("done"), .glyph = parley_str(""),
      .meaning = parley_str("resolved"),
      .disposition = PARLEY_C2A_RESPONDED, .act = PARLEY_ACT_REPLY },

    { .name = parley_str("declined"), .glyph = parley_str("\xF0\x9F\x99\x85"),
      .meaning = parley_str("not this agent, or will not act"),
      .disposition = PARLEY_C2A_IGNORED, .act = PARLEY_ACT_FAILURE,
      .code = parley_str("E_DECLINED") },

    { .name = parley_str("blocked"), .glyph = parley_str("\xF0\x9F\x9A\xA7"),
      .meaning = parley_str("cannot proceed, needs input"),
      .disposition = PARLEY_C2A_DEFERRED, .act = PARLEY_ACT_FAILURE,
      .code = parley_str("E_BLOCKED"), .alarm = PARLEY_ALARM_WARNING,
      .retryable = 1 },

    { .name = parley_str("unclear"), .glyph = parley_str(""),
      .meaning = parley_str("needs clarification"),
      .disposition = PARLEY_C2A_UNDISPOSED, .act = PARLEY_ACT_PROGRESS },
};


const parley_c2a_signal_t *
parley_c2a_signal(const parley_json_t *doc, uint32_t value)
{
    unsigned  i;

    for (i = 0; i < PARLEY_C2A_SIGNALS; i++) {
        if (parley_json_string_is(doc, value, parley_c2a_signals[i].name)) {
            return &parley_c2a_signals[i];
        }
    }

    return NULL;
}


parley_str_t
parley_c2a_disposition_name(parley_c2a_disposition_t d)
{
    return parley_c2a_dispositions[d];
}


parley_c2a_disposition_t
parley_c2a_disposition(const parley_msg_t *m)
{
    uint32_t                    policy, attention;
    const parley_json_t        *doc;
    const parley_c2a_signal_t  *signal;

    doc = m->doc;

    switch (parley_c2a_form_find(m->form)) {

    case PARLEY_C2A_REACT:
        signal = parley_c2a_signal(doc, parley_json_member(doc, m->data.node,
                                                         PARLEY_ATOM_signal));
        return signal ? signal->disposition : PARLEY_C2A_UNDISPOSED;

    case PARLEY_C2A_CLAIM:
        return PARLEY_C2A_CLAIMED;

    case PARLEY_C2A_DEFER:
        return PARLEY_C2A_DEFERRED;

    case PARLEY_C2A_RESOLVE:
        return PARLEY_C2A_RESPONDED;

    case PARLEY_C2A_SEND_MESSAGE:
        return m->act == PARLEY_ACT_REPLY ? PARLEY_C2A_RESPONDED
                                          : PARLEY_C2A_ACKNOWLEDGED;

    default:
        break;
    }

    /* an event, whoever's message it carries: its policy says what is due */

    attention = parley_json_member(doc, parley_c2a_params(doc),
                                   PARLEY_ATOM_attention);
    policy = parley_json_member(doc, attention, PARLEY_ATOM_policy);

    if (parley_json_string_is(doc, policy, PARLEY_STR("must_respond"))) {
        return PARLEY_C2A_DEFERRED;
    }

    if (parley_json_string_is(doc, policy, PARLEY_STR("must_not_respond"))) {
        return PARLEY_C2A_IGNORED;
    }

    return PARLEY_C2A_ACKNOWLEDGED;
}
