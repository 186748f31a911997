/*
 * Accepts an event of a surface (C2A-01), and publishes it.  The admission
 * excludes that one event is accepted twice at the same time.  A process that
 * dies leaves an open EVENT: the next try finds the record in the log of the
 * conversation, or appends it.
 */

#include <string.h>

#include "auth/parley_surface.h"
#include "gate/host/parley_host_change.h"
#include "gate/host/parley_host_glyph.h"
#include "gate/host/parley_host_post.h"
#include "gate/settings/parley_settings.h"


/* an event that is being accepted */
typedef struct {
    parley_host_call_t         *c;
    parley_gate_t              *g;
    const parley_chat_event_t  *e;
    parley_str_t                source;
    parley_str_t                author;     /* as threads know it */
    parley_host_change_t        change;
    parley_host_event_t         known;      /* its record */
    parley_chat_reader_t       *readers;    /* that get the event */
    unsigned                    nreaders;
} parley_host_accept_t;


static int parley_host_check(parley_host_accept_t *a);
static int parley_host_accept_post(parley_host_accept_t *a, int left);
static int parley_host_accept_change(parley_host_accept_t *a,
    parley_host_post_t *post);
static int parley_host_accept_glyph(parley_host_accept_t *a);
static int parley_host_author(const parley_host_accept_t *a,
    parley_str_t *ret);
static int parley_host_again(parley_host_accept_t *a);
static int parley_host_accepted(parley_host_accept_t *a);


int
parley_host_accept(parley_host_call_t *c)
{
    int                    rc, left;
    parley_host_accept_t  *a;

    a = parley_arena_calloc(c->g->arena, sizeof(parley_host_accept_t));

    if (a == NULL) {
        return parley_error_memory(c->g->err);
    }

    a->c = c;
    a->g = c->g;
    a->e = c->call.event;

    if (parley_host_check(a) != 0) {
        return -1;
    }

    rc = a->e->glyph.len > 0 ? parley_host_accept_glyph(a) : 0;

    if (rc < 0) {
        return rc;
    }

    rc = parley_host_event_get(&a->c->h, a->e->id, a->source, &a->known);
    left = rc == 1;

    if (rc >= 0 && parley_host_is_change(a->e)) {
        rc = parley_host_change_find(c, a->source, a->author,
                                     &a->known.place, &a->change);
        rc = rc == 0 ? left : rc;
    }

    if (rc == 1) {
        rc = parley_host_again(a);

        if (rc != 1) {
            return rc;
        }
    }

    if (rc >= 0) {
        rc = parley_host_accept_post(a, left);
    }

    return rc == 0 ? parley_host_accepted(a) : rc;
}


static int
parley_host_accept_post(parley_host_accept_t *a, int left)
{
    int                  rc;
    parley_gate_t       *g;
    parley_host_post_t  *post;

    g = a->g;
    post = parley_arena_calloc(g->arena, sizeof(parley_host_post_t));

    if (post == NULL) {
        return parley_error_memory(g->err);
    }

    post->sub = a->author;
    post->h = &a->c->h;
    post->g = g;
    post->e = a->e;
    post->member = "/params/eventId";
    post->source = a->source;
    post->name = a->g->who->author;
    post->sender = parley_who_proven(g->who);
    post->message = g->read.edited ? g->rewritten->input : g->doc->input;
    post->print = g->admit.entrance.print;
    post->left = left != 0;

    rc = parley_host_is_change(a->e) ? parley_host_accept_change(a, post)
                                     : parley_host_publish(post);

    a->readers = post->readers;
    a->nreaders = post->nreaders;

    return rc;
}


/* A message ends before its deletion is published; it stays until its edit is.
   Its turn and its text stay until the job of the change exists. */

static int
parley_host_accept_change(parley_host_accept_t *a, parley_host_post_t *post)
{
    int  rc;

    rc = a->e->act == PARLEY_CHAT_DELETE
         ? parley_host_change_begin(&a->change)
         : parley_host_change_renew(&a->change);

    if (rc == 0) {
        post->change = &a->change;
        rc = parley_host_publish(post);
    }

    a->change.place = post->known.place;

    if (rc == 0 && a->e->act == PARLEY_CHAT_EDIT) {
        rc = parley_host_change_begin(&a->change);
    }

    return rc == 0 ? parley_host_change_end(&a->change) : rc;
}


/* Only the surface of the author's account may deliver an event. */

static int
parley_host_check(parley_host_accept_t *a)
{
    int                       rc;
    parley_surface_account_t  source;

    if (a->g->who->surface == NULL) {
        return parley_error_set(a->g->err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                "/params/source", "only a principal whose "
                                "\"surface\" has this source may deliver for "
                                "it");
    }

    memset(&source, 0, sizeof(parley_surface_account_t));

    source.platform = a->e->platform;
    source.workspace = a->e->workspace;

    rc = parley_surface_name(a->g->arena, &source, &a->source);

    if (rc == 0) {
        rc = parley_host_author(a, &a->author);
    }

    return rc == 0 ? 0
           : rc < 0 ? parley_error_memory(a->g->err)
           : parley_error_set(a->g->err, PARLEY_E_FIELD_INVALID,
                              "/params/source", "the source is too long");
}


/*
 * Handles an id that is known.  An event that the log has dropped has no
 * readers in its answer.  Returns 0: the event was accepted before, and has its
 * answer; 1: the record was left by a process that died before the append;
 * PARLEY_WAIT, or -1.
 */

static int
parley_host_again(parley_host_accept_t *a)
{
    int                    rc, placed, changed;
    parley_host_row_t      row;
    parley_log_page_t      page;
    parley_host_views_t    views;
    parley_publication_t   p;

    if (memcmp(a->known.print, a->g->admit.entrance.print, PARLEY_PRINT_LEN)
        != 0)
    {
        return parley_error_set(a->g->err, PARLEY_E_MESSAGE_DUPLICATE,
                                "/params/eventId", "this id belongs to an "
                                "event with other content");
    }

    placed = a->known.place.epoch != 0 || a->known.now != PARLEY_CHAT_MESSAGE;
    rc = parley_host_event_read(&a->c->h, a->e->id, &a->known, &page, &p);

    if (rc >= 0 && (placed || rc == 1) && parley_host_is_change(a->e)) {
        a->change.place = a->known.place;
        a->change.sweeps = 1;

        changed = parley_host_change_begin(&a->change);

        if (changed == 0) {
            changed = parley_host_change_end(&a->change);
        }

        if (changed < 0) {
            return changed;
        }
    }

    if (rc <= 0) {
        return rc < 0 ? rc : placed ? parley_host_accepted(a) : 1;
    }

    if (!placed) {
        rc = parley_host_event_put(&a->c->h, a->e->id, &a->known, 0);

        if (rc < 0) {
            return rc;
        }
    }

    if (parley_host_views_read(p.views, &views, &p.views) != 0) {
        return parley_host_accepted(a);
    }

    a->readers = parley_arena_calloc(a->g->arena,
                                     PARLEY_ATTENTION_READERS_MAX
                                     * sizeof(parley_chat_reader_t));

    if (a->readers == NULL) {
        return parley_error_memory(a->g->err);
    }

    while (a->nreaders < PARLEY_ATTENTION_READERS_MAX
           && parley_host_views_next(&p.views, &row))
    {
        parley_host_reader(&a->c->h, &row,
                           parley_directory_by_sub(a->c->h.http->directory,
                                                   row.sub),
                           &a->readers[a->nreaders++]);
    }

    return parley_host_accepted(a);
}


/* Replaces the signal of a glyph by the one that the surface named. */

static int
parley_host_accept_glyph(parley_host_accept_t *a)
{
    parley_chat_event_t  *e;

    e = parley_arena_alloc(a->g->arena, sizeof(parley_chat_event_t));

    if (e == NULL) {
        return parley_error_memory(a->g->err);
    }

    *e = *a->e;
    a->e = e;

    return parley_host_glyph_means(&a->c->h, a->g->who->surface->sub,
                                   e->glyph, &e->signal);
}


/* Finds the author as threads know it: the sub, or the name of its account if
   no principal lists the account. */

static int
parley_host_author(const parley_host_accept_t *a, parley_str_t *ret)
{
    parley_surface_account_t  account;

    *ret = parley_who_proven(a->g->who);

    if (parley_directory_by_sub(a->g->conf.http->directory, *ret) != NULL) {
        return 0;
    }

    account.platform = a->e->platform;
    account.workspace = a->e->workspace;
    account.id = a->e->author;

    return parley_surface_name(a->g->arena, &account, ret);
}


static int
parley_host_accepted(parley_host_accept_t *a)
{
    parley_chat_result_t  result;

    memset(&result, 0, sizeof(parley_chat_result_t));

    result.id = a->e->id;
    result.readers = a->readers;
    result.nreaders = a->nreaders;

    return a->c->chat->answer(a->g->arena, &a->c->call, &result,
                              &a->g->out.reply)
           == 0 ? 0 : parley_error_memory(a->g->err);
}
