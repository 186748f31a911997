/* Chat in the words of C2A: the table of its functions. */

#include "translate/c2a/parley_c2a_chat.h"


_Static_assert(PARLEY_CHAT_SIGNALS == PARLEY_C2A_SIGNALS + 1,
               "the signals are those of parley_c2a_signals, in its order");


static int parley_c2a_chat_read(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_event_t *ret, parley_error_t *err);
static parley_str_t parley_c2a_chat_glyph(parley_chat_signal_t signal);
static parley_chat_disposition_t parley_c2a_chat_signal(
    parley_chat_signal_t signal, parley_str_t *ret);


const parley_chat_t  parley_c2a_chat = {
    .directednesses = parley_c2a_directednesses,
    .policies = parley_c2a_policy_words,
    .modes = parley_c2a_modes,
    .kinds = parley_c2a_kinds,
    .reasons = parley_c2a_reasons,
    .dispositions = parley_c2a_dispositions,
    .mentions = PARLEY_C2A_MENTIONS,

    .signal = parley_c2a_chat_signal,
    .glyph = parley_c2a_chat_glyph,
    .read = parley_c2a_chat_read,
    .written = parley_c2a_chat_written,
    .decode = parley_c2a_chat_decode,
    .call = parley_c2a_chat_call,
    .view = parley_c2a_view,
    .digest = parley_c2a_view_digest,
    .cancel = parley_c2a_view_cancel,
    .post = parley_c2a_view_post,
    .progress = parley_c2a_view_progress,
    .tag = parley_c2a_view_tag,
    .answer = parley_c2a_chat_answer,
    .session_write = parley_c2a_session_write,
    .session_read = parley_c2a_session_read,
};


static parley_chat_disposition_t
parley_c2a_chat_signal(parley_chat_signal_t signal, parley_str_t *ret)
{
    if (signal == PARLEY_CHAT_SIGNAL_NONE) {
        *ret = parley_str_none;
        return PARLEY_CHAT_UNDISPOSED;
    }

    *ret = parley_c2a_signals[signal - 1].name;

    return parley_c2a_signals[signal - 1].disposition;
}


static parley_str_t
parley_c2a_chat_glyph(parley_chat_signal_t signal)
{
    return signal != PARLEY_CHAT_SIGNAL_NONE
           ? parley_c2a_signals[signal - 1].glyph : parley_str_none;
}


static int
parley_c2a_chat_read(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, parley_chat_event_t *e, parley_error_t *err)
{
    parley_json_ref_t  root = { doc, 0 };

    parley_error_clear(err);

    return parley_validate_part(engine, PARLEY_PROTO_C2A,
                                PARLEY_C2A_SUBMISSION, root, err)
           != 0
           || parley_c2a_spelling_of(doc, PARLEY_C2A_DELIVER, err) != 0
           ? -1 : parley_c2a_chat_event(arena, doc, e, err);
}
