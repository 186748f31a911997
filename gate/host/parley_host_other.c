/*
 * Messages of other protocols in a mailbox, such as a task of AEE.  Each is an
 * event in the form that a stream of chat has for it, with the attention of
 * this form (docs/mapping/c2a.md).  The host does not follow it: the deadline
 * of its own protocol holds.
 */

#include <string.h>

#include "gate/host/parley_host_other.h"
#include "gate/publish/parley_gate_admits.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_selector.h"
#include "translate/parley_codec.h"


/* begin of the source: the source of a chat has no "/" */
#define PARLEY_HOST_OTHER  "/"


static int parley_host_other_is_whole(const parley_principal_t *reader,
    const parley_publication_t *p);
static int parley_host_other_admits(const parley_host_mailbox_t *k,
    const parley_render_t *d, const parley_publication_t *p);
static int parley_host_other_source(parley_arena_t *arena,
    const parley_publication_t *p, parley_str_t *ret);


int
parley_host_view_other(const parley_render_t *d,
    const parley_publication_t *p, parley_str_t text,
    const parley_reader_t *reader, parley_proto_t to, int64_t now_ms,
    parley_arena_t *arena, parley_str_t *ret)
{
    int                        rc;
    parley_buf_t               b;
    parley_host_row_t          row;
    parley_chat_view_t         v;
    parley_host_views_t        views;
    parley_chat_stored_t       stored;
    parley_publication_t       event;
    parley_attention_offer_t   offer;

    *ret = text;

    if (reader->mailbox == NULL || parley_codecs[to]->chat == NULL) {
        return 0;
    }

    event = *p;

    rc = parley_host_other_event(parley_codecs[to]->chat, to, d->seed, arena,
                                 text, reader->mailbox, &event, &views, &row);
    if (rc != 1) {
        return rc;
    }

    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = reader->modes;
    offer.now_ms = now_ms;

    parley_attention_again(&offer, event.ms, views.deadline_ms, &row.verdict);

    if (row.verdict.mode <= PARLEY_CHAT_MAILBOX) {
        return 1;
    }

    rc = parley_host_view_make(&event, d->seed, &views, &row, reader->mailbox,
                               arena, &stored, &v);
    if (rc != 0) {
        return rc;
    }

    parley_buf_init(&b, arena, text.len + 128);
    parley_codecs[to]->chat->view(&b, &v);

    return parley_buf_done(&b, ret) == 0 ? 0 : -1;
}


int
parley_host_other_event(const parley_chat_t *chat, parley_proto_t proto,
    uint64_t seed, parley_arena_t *arena, parley_str_t text,
    const parley_principal_t *reader, parley_publication_t *p,
    parley_host_views_t *views, parley_host_row_t *row)
{
    int                   rc;
    parley_str_t          author;
    parley_json_t        *doc;
    parley_error_t        err;
    parley_chat_event_t   e;

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));

    if (doc == NULL) {
        return -1;
    }

    if (parley_json_read(doc, arena, &parley_host_limits, seed, text, &err)
        != 0)
    {
        return err.code == PARLEY_E_CAPACITY ? -1 : 0;
    }

    rc = chat->written(arena, doc, &e, &author, &err);

    if (rc != 1) {
        return rc;
    }

    memset(views, 0, sizeof(parley_host_views_t));
    memset(row, 0, sizeof(parley_host_row_t));

    if (parley_host_other_source(arena, p, &views->source) != 0) {
        return -1;
    }

    views->conversation = e.conversation;
    views->thread = e.thread;
    views->stream = e.stream;
    views->deadline_ms = e.deadline_ms > 0 ? e.deadline_ms
                                           : PARLEY_HOST_NO_DEADLINE;
    views->other = 1;
    views->proto = p->proto;
    views->kind = e.kind;

    row->sub = reader->sub;
    row->verdict.row = PARLEY_ATTENTION_AMBIENT;
    row->verdict.directedness = e.directedness;
    row->verdict.policy = e.policy;
    row->verdict.mode = e.mode;
    row->verdict.gets = 1;

    p->proto = proto;
    p->id = e.id;
    p->from = author;
    p->message = text;

    return 1;
}


/* Writes the protocol and the sender: ids of two senders may be equal. */

static int
parley_host_other_source(parley_arena_t *arena, const parley_publication_t *p,
    parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);
    parley_buf_lit(&b, PARLEY_HOST_OTHER);
    parley_buf_str(&b, parley_proto_name(p->proto));
    parley_buf_lit(&b, PARLEY_HOST_OTHER);
    parley_buf_str(&b, p->sender);

    return parley_buf_done(&b, ret);
}


int
parley_host_other_record(const parley_host_mailbox_t *k,
    parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row)
{
    parley_str_t     text;
    parley_loss_t    loss;
    parley_error_t   err;
    parley_render_t  d;

    if (p->kind != PARLEY_PUBLICATION_MESSAGE
        || !parley_host_other_is_whole(k->reader, p))
    {
        return 0;
    }

    memset(&d, 0, sizeof(parley_render_t));

    d.engine = k->h->engine;
    d.http = k->h->http;
    d.seed = k->h->seed;

    return parley_host_other_admits(k, &d, p)
           && parley_deliver(&d, p, k->h->proto, k->h->arena, &text, &loss,
                             &err)
              == 0
           && parley_host_other_event(k->h->chat, k->h->proto, k->h->seed,
                                      k->h->arena, text, k->reader, p, views,
                                      row)
              == 1;
}


/* Returns whether a message is for all sessions of the reader, or for those of
   its instrument.  The stream of a mailbox has no other session. */

static int
parley_host_other_is_whole(const parley_principal_t *reader,
    const parley_publication_t *p)
{
    parley_selector_t  selector;

    memset(&selector, 0, sizeof(parley_selector_t));

    if (reader->instrument.len > 1) {
        selector.instrument = parley_str_until(
                                  parley_str_from(reader->instrument, 1), '@');
    }

    return parley_selector_admits(&selector, p) == 1;
}


/* The rules decide as for the stream of the mailbox.  A job does not know
   them. */

static int
parley_host_other_admits(const parley_host_mailbox_t *k,
    const parley_render_t *d, const parley_publication_t *p)
{
    parley_reader_t  reader;

    if (k->g == NULL || !parley_gate_rules_denies(k->g)) {
        return 1;
    }

    parley_gate_rules_reader(k->g, &reader);

    reader.method = PARLEY_STR("GET");
    reader.owner = parley_directory_by_sub(k->h->http->directory,
                                           k->reader->sub);

    return !reader.ruled || parley_gate_readers_admit(d, &reader, p);
}
