/* An event of a list. */

#include "gate/host/parley_host_list.h"
#include "gate/host/parley_host_said.h"
#include "hub/parley_event_id.h"


int
parley_host_list_event(parley_host_list_t *l, int i,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, parley_chat_listed_t *ret)
{
    int                    rc;
    parley_gate_t         *g;
    parley_place_t         place;
    parley_chat_view_t    *v;
    parley_chat_stored_t  *stored;

    g = l->k.g;

    v = parley_arena_alloc(g->arena, sizeof(parley_chat_view_t));
    stored = parley_arena_alloc(g->arena, sizeof(parley_chat_stored_t));

    place.epoch = l->k.page.epoch;
    place.offset = l->k.page.list[i].offset;

    rc = v == NULL || stored == NULL
         || parley_host_place(g->arena, &place, &ret->place) != 0
         ? -1
         : parley_host_view_make(p, g->in.seed, views, row, l->k.reader,
                                 g->arena, stored, v);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(g->err) : 1;
    }

    v->shape = PARLEY_CHAT_AS_OBJECT;
    ret->view = v;

    if (l->args->placed || l->args->sent) {
        v->knock = 0;
        v->replies = parley_host_row_answers(row) || views->named;
        return 0;
    }

    rc = parley_host_said_gone(l->k.h, p, views);

    if (rc != 0) {
        v->knock = 1;
        return rc < 0 ? rc : 0;
    }

    rc = parley_host_window(l->k.h, g, p, views, row, l->k.reader, v);

    if (rc < 0) {
        return rc;
    }

    /* an event about another one has no content; an event that was escalated
       has it for readers of its conversation */

    if (parley_host_is_told(views)
        || (!v->knock && (!v->replies || parley_host_row_answers(row))))
    {
        return 0;
    }

    rc = parley_host_mailbox_reads(&l->k, views);
    v->knock = v->knock && rc != 1;
    v->replies = v->replies && (rc == 1 || parley_host_row_answers(row));

    return rc < 0 ? rc : 0;
}


int
parley_host_place(parley_arena_t *arena, const parley_place_t *place,
    parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    if (place->epoch != 0) {
        parley_event_id_write(&b, place);
    }

    return parley_buf_done(&b, ret);
}
