/* Answers to a question that names the scope for them (ACH-31). */

#include "translate/channel/parley_channel_scope.h"
#include "gate/correlation/parley_correlation_parts.h"


static int parley_correlation_is_handle(const parley_correlation_t *r,
    parley_str_t handle);
static int parley_correlation_is_within(parley_str_t inner,
    parley_str_t outer);


int
parley_correlation_is_scoped(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name)
{
    parley_str_t            text, recipient;
    const parley_msg_t     *m;
    parley_channel_scope_t  scope;

    m = r->msg;
    text = q->texts[PARLEY_QUESTION_SCOPE];

    if (parley_channel_scope_parse(text, &scope) != 0) {
        return 0;
    }

    if (m->recipient.len == 0 || parley_correlation_is_dm(r, q, name->corr)) {
        return parley_correlation_map(r, PARLEY_PROTO_STREAMS, scope.handle,
                                      m->wire, &recipient)
               == 0;
    }

    return parley_correlation_is_handle(r, scope.handle)
           && (m->scope.len == 0
               || parley_correlation_is_within(m->scope, text));
}


/*
 * Returns whether the recipient of the reply has a handle.  In agent-channel
 * the recipient of a frame to a group is the scope of that group.
 */

static int
parley_correlation_is_handle(const parley_correlation_t *r, parley_str_t handle)
{
    parley_str_t            mapped;
    parley_channel_scope_t  scope;

    return parley_correlation_map(r, r->msg->wire, r->msg->recipient,
                                  PARLEY_PROTO_STREAMS, &mapped)
           == 0
           && parley_channel_scope_parse(mapped, &scope) == 0
           && parley_str_eq(scope.handle, handle);
}


/* Returns whether all sessions of one scope belong to another scope. */

static int
parley_correlation_is_within(parley_str_t inner, parley_str_t outer)
{
    parley_channel_scope_t  in, out;

    return parley_str_eq(inner, outer)
           || (parley_channel_scope_parse(inner, &in) == 0
               && parley_channel_scope_parse(outer, &out) == 0
               && out.form <= PARLEY_CHANNEL_SCOPE_SESSIONS
               && in.form <= PARLEY_CHANNEL_SCOPE_SESSION
               && parley_str_eq(in.handle, out.handle));
}


parley_str_t
parley_correlation_scope(const parley_correlation_t *r)
{
    return r->question != NULL && !r->recalled
           && parley_correlation_is_answer(r->msg)
           ? r->question->texts[PARLEY_QUESTION_SCOPE] : parley_str_none;
}
