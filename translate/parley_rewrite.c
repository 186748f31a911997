#include "translate/parley_rewrite.h"
#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "translate/parley_msg_field.h"


static int parley_rewrite_at(parley_arena_t *arena, const parley_msg_t *m,
    parley_msg_field_t field, parley_edit_t *edit);
static parley_priority_t parley_rewrite_highest(const parley_caps_t *caps);
static int parley_rewrite_priority(parley_arena_t *arena,
    parley_priority_t priority, parley_edit_t *edit);
static int parley_rewrite_timeout(parley_arena_t *arena, int64_t ms,
    parley_edit_t *edit);


int
parley_rewrite_caps(parley_arena_t *arena, const parley_msg_t *m,
    const parley_caps_t *caps, parley_edit_t *edits, uint32_t *ret_n,
    parley_error_t *err)
{
    uint32_t           n;
    parley_priority_t  cap;

    n = 0;
    cap = parley_rewrite_highest(caps);
    *ret_n = 0;

    if (m->priority > cap) {

        if (parley_rewrite_at(arena, m, PARLEY_MSG_PRIORITY, &edits[n]) != 0
            || parley_rewrite_priority(arena, cap, &edits[n]) != 0)
        {
            return parley_error_memory(err);
        }

        n += edits[n].pointer.len > 0;
    }

    if (caps->timeout_ms > 0 && m->timeout_ms > caps->timeout_ms) {

        if (parley_rewrite_at(arena, m, PARLEY_MSG_TIMEOUT, &edits[n]) != 0
            || parley_rewrite_timeout(arena, caps->timeout_ms, &edits[n]) != 0)
        {
            return parley_error_memory(err);
        }

        n += edits[n].pointer.len > 0;
    }

    if (parley_rewrite_text(arena, m, cap, caps->timeout_ms, &edits[n], err)
        != 0)
    {
        return -1;
    }

    n += edits[n].pointer.len > 0;

    *ret_n = n;

    return 0;
}


/*
 * Finds the member of a field: in the message, or in the capsule of a carried
 * message.  The pointer is empty if the field has no member.  Returns 0, or -1
 * if memory is exhausted.
 */

static int
parley_rewrite_at(parley_arena_t *arena, const parley_msg_t *m,
    parley_msg_field_t field, parley_edit_t *edit)
{
    parley_at_t   at;
    const char   *fixed;

    fixed = parley_codecs[m->wire]->pointers[field];

    edit->pointer = fixed != NULL ? parley_str_c(fixed) : parley_str_none;

    if (fixed != NULL || !m->held) {
        return 0;
    }

    at = parley_at(m, field);

    return parley_arena_str(arena, parley_str_c(at.pointer), &edit->pointer);
}


static parley_priority_t
parley_rewrite_highest(const parley_caps_t *caps)
{
    parley_priority_t  own;

    if (caps->max_priority.len > 0
        && parley_priority_find(caps->max_priority, &own) == 0
        && own < caps->priority)
    {
        return own;
    }

    return caps->priority;
}


parley_priority_t
parley_rewrite_capped(const parley_msg_t *m, const parley_caps_t *caps)
{
    parley_priority_t  cap;

    cap = parley_rewrite_highest(caps);

    /* A severity (an urgency) is not a priority, and does not change.  The
       priority of a held message is that of its capsule. */

    return m->priority > cap
           && (m->held
               || parley_codecs[m->wire]->pointers[PARLEY_MSG_PRIORITY] != NULL
               || parley_codecs[m->origin]->pointers[PARLEY_MSG_PRIORITY]
                  != NULL)
           ? cap : m->priority;
}


void
parley_rewrite_clamp(parley_msg_t *m, const parley_caps_t *caps)
{
    if (caps->timeout_ms > 0 && m->timeout_ms > caps->timeout_ms) {
        m->timeout_ms = caps->timeout_ms;
    }

    if (parley_codecs[m->wire]->pointers[PARLEY_MSG_PRIORITY] == NULL) {
        m->priority = parley_rewrite_capped(m, caps);
    }
}


static int
parley_rewrite_priority(parley_arena_t *arena, parley_priority_t priority,
    parley_edit_t *edit)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 16);
    parley_buf_json_string(&b, parley_priority_name(priority));

    return parley_buf_done(&b, &edit->value);
}


static int
parley_rewrite_timeout(parley_arena_t *arena, int64_t ms, parley_edit_t *edit)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 24);
    parley_buf_int(&b, ms);

    return parley_buf_done(&b, &edit->value);
}


int
parley_rewrite(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_limits_t *limits, uint64_t seed, int mve5,
    parley_edit_t *edits, uint32_t n, parley_msg_t *m,
    parley_json_t *ret_doc, int *ret_amended, parley_error_t *err)
{
    uint32_t          applied;
    parley_str_t      text;
    parley_proto_t    proto;
    parley_msg_sig_t  sig;

    *ret_amended = 0;
    proto = m->wire;
    sig = m->sig;

    if (n == 0) {
        return 0;
    }

    if (parley_edit(arena, m->doc, edits, n, &text, &applied, err) != 0) {
        return -1;
    }

    if (applied == 0) {
        return 0;
    }

    if (sig.present) {
        edits[n].pointer = parley_str_c(parley_codecs[proto]
                                        ->pointers[PARLEY_MSG_SIGNATURE]);
        edits[n].value = parley_str_none;

        if (parley_edit(arena, m->doc, edits, n + 1, &text, &applied, err)
            != 0)
        {
            return -1;
        }
    }

    if (parley_json_read(ret_doc, arena, limits, seed, text, err) != 0
        || parley_decode(engine, arena, proto, ret_doc, mve5, m, err) != 0)
    {
        if (err->code != PARLEY_E_CAPACITY) {
            err->code = PARLEY_E_POLICY_REFUSED;
        }

        return -1;
    }

    m->sig = sig;
    *ret_amended = 1;

    return 0;
}


int
parley_rewrite_sign(parley_arena_t *arena, parley_proto_t proto,
    const parley_json_t *doc, const parley_encode_opts_t *opts,
    parley_encoded_t *sent, parley_error_t *err)
{
    parley_str_t      input;
    parley_msg_sig_t  sig;

    if (opts->sign == NULL || parley_codecs[proto]->attach == NULL) {
        return 0;
    }

    if (parley_signing_input(arena, proto, doc, &input, err) != 0
        || opts->sign(opts->sign_ctx, input, &sig, err) != 0
        || parley_signing_attach(arena, proto, sent->body, &sig, &sent->body,
                                 err) != 0)
    {
        return -1;
    }

    return 0;
}
