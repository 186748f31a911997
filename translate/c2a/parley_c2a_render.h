/*
 * The structured text of an event for a model's turn ("Prompt Injection
 * Format", C2A-26):
 *
 *     C2A EVENT
 *     event_id: evt_123
 *     ...
 *
 *     MESSAGE
 *     Can you check whether the deploy is blocked?
 *
 * What stands in the event is untrusted: a header's value stays on its line,
 * and a line of the message that reads like a header, or like the begin of
 * an event, is quoted with "> ".
 */

#ifndef PARLEY_C2A_RENDER_H
#define PARLEY_C2A_RENDER_H

#include "parley_buf.h"
#include "parley_msg.h"


/*
 * Appends the text of m, a decoded chat/deliver.  A knock has a section
 * KNOCK, with its topic, in place of MESSAGE.  Returns 0; 1 where m is no
 * event; -1: no memory.
 */
int parley_c2a_render(parley_buf_t *b, parley_arena_t *arena,
    const parley_msg_t *m)
    __attribute__((warn_unused_result));


#endif /* PARLEY_C2A_RENDER_H */
