/* Begin and end of a call of the adapter.  The end writes its octets. */

#include "gate/link/parley_link_opaque.h"


void
parley_link_enter(parley_link_t *link)
{
    link->now = link->env.now(link->env.ctx);

    parley_buf_init(&link->out, &link->arena, 0);
}


void
parley_link_done(parley_link_t *link)
{
    parley_str_t           out;
    parley_link_track_t   *t, *next;
    parley_link_stream_t  *control, *st;

    if (!link->closed) {

        for (t = link->tracks; t != NULL; t = next) {
            next = t->next;

            if (parley_link_track_flush(link, t) != 0) {
                break;
            }
        }

        parley_link_fetch_flush(link);
    }

    if (!link->closed && link->responds) {
        link->responds = 0;

        for (st = link->streams; st != NULL; st = st->next) {
            if (st->rest.len > 0 && st != link->control) {
                (void) parley_link_respond_flush(link, st);
            }
        }
    }

    if (!link->closed) {
        (void) parley_link_readers_flush(link);
    }

    if (!link->closed) {
        (void) parley_moqt_session_grant(&link->moqt, &link->out);
    }

    control = link->control;

    if (!link->closed && control != NULL) {

        if (parley_buf_done(&link->out, &out) != 0
            || parley_link_rest_put(link, &control->rest, out.data, out.len)
               != 0)
        {
            (void) parley_link_memory(link);

        } else if (parley_link_rest_flush(link, &control->rest,
                                          control->handle)
                   < 0)
        {
            (void) parley_link_close(link, PARLEY_MOQT_INTERNAL_ERROR,
                                     "the control stream has failed");

        } else if (control->rest.len - control->rest.at
                   > PARLEY_LINK_CONTROL_MAX)
        {
            (void) parley_link_close(link, PARLEY_MOQT_INTERNAL_ERROR,
                                     "the control stream is not read");
        }
    }

    parley_arena_reset(&link->arena);

    if (link->drained) {
        link->drained = 0;
        parley_link_unblock(link);
    }
}
