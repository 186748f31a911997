/*
 * The call chat/members: a surface gives the permission to read a conversation,
 * and takes it.
 */

#include <string.h>

#include "auth/parley_surface.h"
#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_publish.h"


/* a call of chat/members */
typedef struct {
    parley_host_call_t          *c;
    parley_gate_t               *g;
    const parley_chat_place_t   *place;
    parley_host_conversation_t   conversation;
    uint8_t                      log[PARLEY_KEY_LEN];       /* its log */
    parley_str_t                *added;
    parley_str_t                *removed;
    parley_str_t                *unknown;
    parley_chat_result_t         result;
} parley_host_members_t;


static int parley_host_members_check(parley_host_members_t *m);
static int parley_host_members_add(parley_host_members_t *m,
    parley_str_t name);
static int parley_host_members_remove(parley_host_members_t *m,
    parley_str_t name);
static int parley_host_members_tell(parley_host_members_t *m,
    parley_str_t sub);
static int parley_host_members_escalate(parley_host_members_t *m,
    const parley_principal_t *reader);
static int parley_host_members_leave(parley_host_members_t *m,
    parley_str_t sub);
static int parley_host_members_find(const parley_host_members_t *m,
    parley_str_t name, const parley_principal_t **ret);


int
parley_host_members(parley_host_call_t *c)
{
    int                    rc;
    unsigned               i;
    parley_str_t          *names;
    parley_host_members_t  m;

    memset(&m, 0, sizeof(parley_host_members_t));

    m.c = c;
    m.g = c->g;
    m.place = &c->call.place;

    rc = parley_host_members_check(&m);

    if (rc != 0) {
        return rc;
    }

    names = parley_arena_alloc(c->g->arena,
                               2 * (c->call.nadd + c->call.nremove + 1)
                               * sizeof(parley_str_t));
    if (names == NULL) {
        return parley_error_memory(c->g->err);
    }

    m.added = names;
    m.removed = m.added + c->call.nadd;
    m.unknown = m.removed + c->call.nremove;
    m.result.added = m.added;
    m.result.removed = m.removed;
    m.result.unknown = m.unknown;

    for (i = 0; rc == 0 && i < c->call.nadd; i++) {
        rc = parley_host_members_add(&m, c->call.add[i]);
    }

    for (i = 0; rc == 0 && i < c->call.nremove; i++) {
        rc = parley_host_members_remove(&m, c->call.remove[i]);
    }

    return rc != 0 ? rc
           : c->chat->answer(c->g->arena, &c->call, &m.result,
                             &c->g->out.reply)
             == 0 ? 0 : parley_error_memory(c->g->err);
}


/* Only the surface of the source may call.  A thread has the readers of its
   channel. */

static int
parley_host_members_check(parley_host_members_t *m)
{
    int                       rc;
    parley_surface_account_t  source;

    memset(&source, 0, sizeof(parley_surface_account_t));

    source.platform = m->place->platform;
    source.workspace = m->place->workspace;
    m->conversation.id = m->place->id;

    rc = parley_surface_name(m->g->arena, &source, &m->conversation.source);

    if (rc == 0) {
        parley_host_conversation(m->g->ask.state, m->conversation.source,
                                 m->place->id, m->log);
    }

    return rc < 0 ? parley_error_memory(m->g->err)
           : rc == 0 && parley_host_serves(&m->c->h, m->g->who->principal,
                                           m->conversation.source)
           ? 0
           : parley_error_set(m->g->err, PARLEY_E_SCOPE_UNAUTHORISED,
                              "/params/source", "only a principal whose "
                              "\"surface\" has this source may change its "
                              "members");
}


static int
parley_host_members_add(parley_host_members_t *m, parley_str_t name)
{
    int                        rc;
    const parley_principal_t  *p;

    rc = parley_host_members_find(m, name, &p);

    if (rc == 0 && p != NULL) {
        rc = parley_host_reads_add(&m->c->h, p->sub, m->log, m->place);
    }

    if (rc == 1) {
        m->added[m->result.nadded++] = name;

    } else if (rc == 0) {
        m->unknown[m->result.nunknown++] = name;
    }

    return rc < 0 ? rc : 0;
}


static int
parley_host_members_remove(parley_host_members_t *m, parley_str_t name)
{
    int                        rc;
    const parley_principal_t  *p;

    rc = parley_host_members_find(m, name, &p);

    if (rc != 0) {
        return rc;
    }

    if (p == NULL) {
        m->unknown[m->result.nunknown++] = name;
        return 0;
    }

    rc = parley_host_reads_remove(&m->c->h, p->sub, m->log, m->place);

    if (rc >= 0) {
        rc = parley_host_members_leave(m, p->sub);
    }

    if (rc >= 0) {
        rc = parley_host_members_tell(m, p->sub);
    }

    if (rc >= 0) {
        rc = parley_host_members_escalate(m, p);
    }

    if (rc >= 0) {
        m->removed[m->result.nremoved++] = name;
    }

    return rc < 0 ? rc : 0;
}


/* Tells the streams of the conversation that a principal was removed.  Returns
   0, PARLEY_WAIT or -1. */

static int
parley_host_members_tell(parley_host_members_t *m, parley_str_t sub)
{
    int                    rc;
    uint8_t                log[1][PARLEY_KEY_LEN];
    parley_buf_t           b;
    parley_append_t        append;
    parley_publish_t       publish;
    parley_appended_t      appended;
    parley_publication_t   p;

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&publish, 0, sizeof(parley_publish_t));

    parley_buf_init(&b, m->g->arena, 0);
    parley_buf_octet(&b, PARLEY_HOST_REMOVED);
    parley_buf_str(&b, sub);

    if (parley_buf_done(&b, &p.views) != 0) {
        return parley_error_memory(m->g->err);
    }

    p.kind = PARLEY_PUBLICATION_MESSAGE;
    p.proto = m->g->read.proto;
    p.ms = m->g->in.now_ms;
    p.timeout_ms = -1;
    p.message = PARLEY_STR("{}");

    parley_host_conversation(m->g->ask.state, m->conversation.source,
                             m->conversation.id, log[0]);

    publish.publication = &p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
    publish.nlogs = 1;
    publish.account = m->c->h.account;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    parley_render_retention(m->g->conf.http, &publish.retention);

    if (parley_publication_append(m->g->arena, &publish, &append) != 0) {
        return parley_error_memory(m->g->err);
    }

    rc = parley_ask_append(&m->g->ask, &append, &appended);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0 || appended.verdict != PARLEY_APPEND_OK) {
        m->c->h.full = 1;

        return parley_error_set(m->g->err, PARLEY_E_CAPACITY, NULL,
                                "the streams of the conversation cannot be "
                                "told");
    }

    if (m->g->env->wake != NULL) {
        m->g->env->wake(m->g);
    }

    return 0;
}


/* Escalates the events of the conversation that oblige a principal, and are
   among the newest records of its mailbox.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_members_escalate(parley_host_members_t *m,
    const parley_principal_t *reader)
{
    int                     i, rc;
    uint8_t                 log[PARLEY_KEY_LEN];
    parley_host_t          *h;
    parley_place_t          end;
    parley_host_row_t       row;
    parley_log_page_t       page;
    parley_host_views_t     views;
    parley_publication_t    p;
    parley_host_delivery_t  part;

    h = &m->c->h;

    if (!parley_attention_has_mailbox(reader)) {
        return 0;
    }

    /* a rule may still give the permission */

    rc = parley_host_may_read(h, m->g, &m->conversation, reader);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    rc = parley_host_mailbox_log(h, reader, log);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    memset(&end, 0, sizeof(parley_place_t));

    rc = parley_host_read(h, log, &end, PARLEY_HOST_NEWEST, 1, &page);

    for (i = 0; rc == 0 && page.epoch != 0 && i < page.n; i++) {

        if (parley_publication_read(page.list[i].octets, &p) != 0
            || !parley_host_views_find(p.views, reader->sub, &views, &row)
            || row.verdict.policy != PARLEY_CHAT_MUST
            || !parley_str_eq(views.source, m->conversation.source)
            || !parley_str_eq(views.conversation, m->conversation.id)
            || parley_host_is_told(&views))
        {
            continue;
        }

        rc = parley_host_delivery_get(h, p.id, views.source, reader->sub,
                                      &part);

        if (rc >= 0) {
            rc = parley_host_is_open(&part) && part.escalated == 0
                 ? parley_host_escalate(h, &p, reader->sub) : 0;
        }
    }

    return rc;
}


/* Ends the permission of a party of a DM.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_members_leave(parley_host_members_t *m, parley_str_t sub)
{
    int                        rc;
    unsigned                   i, tries;
    parley_host_t             *h;
    parley_host_thread_t      *thread;
    parley_host_thread_name_t  name;

    h = &m->c->h;

    thread = parley_arena_alloc(m->g->arena, sizeof(parley_host_thread_t));

    if (thread == NULL) {
        return parley_error_memory(m->g->err);
    }

    name.source = m->conversation.source;
    name.conversation = m->conversation.id;
    name.thread = parley_str_none;

    for (tries = 0, rc = 1; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_thread_get(h, &name, thread);

        if (rc != 1) {
            return rc;
        }

        for (i = 0; i < thread->n; i++) {
            if (thread->parties[i].reads
                && parley_str_eq(thread->parties[i].sub, sub))
            {
                break;
            }
        }

        if (i == thread->n) {
            return 0;
        }

        thread->parties[i].reads = 0;

        rc = parley_host_thread_put(h, thread);
    }

    return rc != 1 ? rc
           : parley_error_set(m->g->err, PARLEY_E_CAPACITY, NULL,
                              "the parties of the conversation change too "
                              "often");
}


/* Finds the principal of a name or of an account.  *ret is NULL if no principal
   with a name in chat has it.  Returns 0, or -1. */

static int
parley_host_members_find(const parley_host_members_t *m, parley_str_t name,
    const parley_principal_t **ret)
{
    int                        rc;
    parley_gate_t             *g;
    parley_str_t               derived;
    const parley_principal_t  *like;
    parley_surface_account_t   account;

    g = m->g;
    *ret = NULL;

    if (parley_surface_account_is(name)
        && parley_surface_read(name, &account) == 0)
    {
        rc = parley_surface_name(g->arena, &account, &derived);

        if (rc < 0) {
            return parley_error_memory(g->err);
        }

        if (rc == 0) {
            *ret = parley_directory_by_account(g->conf.http->directory,
                                               derived, &like);
        }

    } else {
        *ret = parley_directory_by_name(g->conf.http->directory,
                                        (parley_namespace_t) g->read.proto,
                                        name);
    }

    if (*ret != NULL && (*ret)->names[g->read.proto].len == 0) {
        *ret = NULL;
    }

    return 0;
}
