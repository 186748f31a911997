/* Messages of a conversation as they are now (parley_host_said.h). */

#include <string.h>

#include "gate/host/parley_host_said.h"


int
parley_host_said_read(parley_host_t *h, parley_str_t octets,
    parley_str_t source, parley_str_t sub, parley_host_said_t *ret)
{
    int                  rc;
    parley_host_event_t  first;

    if (parley_publication_read(octets, &ret->p) != 0
        || !parley_host_row_find(&ret->p, sub, &ret->views, &ret->row))
    {
        return 0;
    }

    rc = parley_host_event_get(h, ret->p.id, source, &ret->event);

    if (rc != 1) {
        return rc;
    }

    ret->id = ret->p.id;

    if (parley_str_eq(ret->event.author, sub)) {
        return 0;
    }

    if (ret->event.act == PARLEY_CHAT_MESSAGE) {
        return ret->event.now == PARLEY_CHAT_MESSAGE;
    }

    if (ret->event.act == PARLEY_CHAT_PROGRESS) {
        return ret->event.now == PARLEY_CHAT_MESSAGE ? 2 : 0;
    }

    if (ret->event.act != PARLEY_CHAT_EDIT) {
        return 0;
    }

    ret->id = ret->event.other;

    rc = parley_host_event_get(h, ret->id, source, &first);

    return rc != 1 ? rc
           : first.now == PARLEY_CHAT_EDIT
             && parley_str_eq(first.other, ret->p.id);
}
