/* Steps without a record, which a node adds without waiting. */

#include "state/store/parley_store_step.h"


void
parley_store_say_close(parley_store_t *s, const parley_settlement_t *how)
{
    parley_store_call_t  *call;

    call = how->closes[0] != NULL ? parley_store_call(s, NULL) : NULL;

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_close(s, &call->arena, how),
                         PARLEY_STORE_SAID, 0);
    }
}


void
parley_store_say_leave(parley_store_t *s, const parley_leave_t *l)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, NULL);

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_leave(s, &call->arena, l),
                         PARLEY_STORE_SAID, 0);
    }
}


void
parley_store_say(parley_store_t *s, parley_store_call_t *call,
    parley_str_t content, int64_t ms, uint64_t erases)
{
    if (parley_store_say_command(s, call, content, ms, erases) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


int
parley_store_say_command(parley_store_t *s, parley_store_call_t *call,
    parley_str_t content, int64_t ms, uint64_t erases)
{
    char          stays[24], room[24], step[24];
    parley_str_t  arguments[8];

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_say");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = content;
    arguments[5] = parley_wire_number(ms, stays);
    arguments[6] = parley_wire_number((int64_t) s->conf->room, room);
    arguments[7] = erases != 0 ? parley_wire_number((int64_t) erases, step)
                               : parley_str_none;

    call->answer = call->answer != NULL ? call->answer : parley_store_said;

    return content.len != 0 ? parley_store_command(call, arguments, 8) : -1;
}


/* An emptied store has no order yet: the step is added after p1_order. */

int
parley_store_said(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t  text;

    if (!parley_wire_text(reply, &text) || !parley_str_is(text, "generation")) {
        return 0;
    }

    parley_store_fail(s, "the store was emptied");

    return parley_store_resend(s, call);
}
