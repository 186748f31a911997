/* What a command carries: its payload, and members in "aee". */

#include "parley_moq.h"
#include "parley_redact.h"


int
parley_moq_within(parley_redact_t *r, const parley_msg_t *m)
{
    uint32_t  i;

    (void) m;

    for (i = 0; i < r->nasked; i++) {
        if (parley_redact_in_payload(r->asked[i].pointer).len == 0
            && parley_redact_add(r, PARLEY_STR("/aee/members"),
                                 r->asked[i].pointer, r->asked[i].value)
               != 0)
        {
            return -1;
        }
    }

    return 0;
}
