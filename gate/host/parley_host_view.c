/* Writes the view of an event for the reader of a stream or a URL. */

#include <string.h>

#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_said.h"
#include "translate/parley_codec.h"


static int parley_host_view_read(const parley_render_t *d,
    const parley_publication_t *p, const parley_reader_t *reader,
    parley_proto_t to, int64_t now_ms, parley_arena_t *arena,
    parley_str_t *ret);


int
parley_host_view(const parley_render_t *d, const parley_publication_t *p,
    const parley_reader_t *reader, parley_proto_t to, int64_t now_ms,
    parley_arena_t *arena, parley_str_t *ret)
{
    int                        rc;
    parley_buf_t               b;
    parley_host_row_t          row;
    parley_chat_view_t         v;
    parley_host_views_t        views;
    parley_chat_stored_t       stored;
    parley_attention_offer_t   offer;
    const parley_principal_t  *owner;

    if (reader->conversation != NULL) {
        return parley_host_view_read(d, p, reader, to, now_ms, arena, ret);
    }

    owner = reader->mailbox;

    if (owner == NULL || to != p->proto || parley_codecs[to]->chat == NULL) {
        return 1;
    }

    if (p->views.data[0] == PARLEY_HOST_CANCELLED
        || p->views.data[0] == PARLEY_HOST_DIGEST)
    {
        *ret = p->message;
        return !parley_str_eq(parley_str_from(p->views, 1), owner->sub)
               || (p->views.data[0] == PARLEY_HOST_DIGEST
                   && !(reader->modes
                        & PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_DIGEST)));
    }

    if (!parley_host_views_find(p->views, owner->sub, &views, &row))
    {
        return 1;
    }

    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = reader->modes;
    offer.now_ms = now_ms;

    parley_attention_again(&offer, p->ms, views.deadline_ms, &row.verdict);

    if (row.verdict.mode <= PARLEY_CHAT_MAILBOX
        || (row.verdict.directedness != PARLEY_CHAT_TO_ME
            && parley_host_is_hidden(reader->hidden, &views, p->ms)))
    {
        return 1;
    }

    rc = parley_host_view_make(p, d->seed, &views, &row, owner, arena, &stored,
                               &v);
    if (rc != 0) {
        return rc;
    }

    v.interrupt = row.verdict.interrupt && reader->interrupt
                  && row.verdict.mode == PARLEY_CHAT_IMMEDIATE;

    if (!v.knock
        && parley_host_said_gone_push(d, p, &views, now_ms, arena))
    {
        v.knock = 1;
    }

    if (row.verdict.window && !v.knock) {
        parley_host_window_push(d, p, &views, &row, owner, now_ms, arena, &v);
    }

    parley_buf_init(&b, arena, p->message.len + 512);
    parley_codecs[to]->chat->view(&b, &v);

    return parley_buf_done(&b, ret) == 0 ? 0 : -1;
}


/* Writes an event for a reader of its conversation.  An agent gets only
   the offers of its mailbox (C2A-07).  Returns as parley_host_view(). */

static int
parley_host_view_read(const parley_render_t *d, const parley_publication_t *p,
    const parley_reader_t *reader, parley_proto_t to, int64_t now_ms,
    parley_arena_t *arena, parley_str_t *ret)
{
    int                        rc, plain;
    parley_str_t               sub;
    parley_buf_t               b;
    parley_host_row_t          row;
    parley_chat_view_t         v;
    parley_host_views_t        views;
    parley_chat_stored_t       stored;
    parley_attention_offer_t   offer;

    sub = reader->conversation->sub;

    if (p->views.data[0] == PARLEY_HOST_REMOVED) {
        *reader->removed |= parley_str_eq(parley_str_from(p->views, 1), sub);
        return 1;
    }

    if (*reader->removed || to != p->proto || parley_codecs[to]->chat == NULL
        || !parley_host_row_find(p, sub, &views, &row)
        || (!row.verdict.gets && parley_str_eq(p->sender, sub)))
    {
        return 1;
    }

    plain = parley_attention_is_human(reader->conversation)
            || reader->conversation->surface.n > 0;

    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = plain ? PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_MAILBOX)
                        : reader->modes;
    offer.now_ms = now_ms;

    parley_attention_again(&offer, p->ms, views.deadline_ms, &row.verdict);

    /* a fragment comes to an agent in its turn alone (C2A-09) */

    if (!plain && (row.waits || row.verdict.mode <= PARLEY_CHAT_MAILBOX)) {
        return 1;
    }

    rc = parley_host_view_make(p, d->seed, &views, &row, reader->conversation,
                               arena, &stored, &v);
    if (rc != 0) {
        return rc;
    }

    v.shape = PARLEY_CHAT_AS_NOTIFICATION;
    v.knock = 0;
    v.replies = views.named || parley_host_row_answers(&row);

    parley_buf_init(&b, arena, p->message.len + 512);
    parley_codecs[to]->chat->view(&b, &v);

    return parley_buf_done(&b, ret) == 0 ? 0 : -1;
}
