/*
 * The notification notifications/typing: a surface tells that one of its users
 * types.  The turns of this author wait (C2A-09) until the surface tells that
 * the author stops, or until the notification is too old.
 */

#include <string.h>

#include "auth/parley_surface.h"
#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"


static int parley_host_typing_source(parley_host_call_t *c,
    parley_surface_account_t *account, parley_str_t *ret);
static int parley_host_typing_author(parley_host_call_t *c,
    const parley_surface_account_t *account, parley_str_t *ret);
static int parley_host_typing_put(parley_host_t *h,
    const parley_record_id_t *id);


static void
parley_host_typing_id(const parley_host_t *h, parley_str_t source,
    parley_str_t conversation, parley_str_t author, parley_record_id_t *ret)
{
    parley_str_t  parts[4];

    parts[0] = author;
    parts[1] = PARLEY_STR("typing");
    parts[2] = source;
    parts[3] = conversation;

    parley_host_id(h, PARLEY_KIND_MAILBOX, parts, 4, ret);
}


int
parley_host_typing(parley_host_call_t *c)
{
    int                        rc;
    parley_str_t               source, author;
    parley_record_id_t         id;
    parley_chat_result_t       none;
    parley_surface_account_t   account;

    memset(&none, 0, sizeof(parley_chat_result_t));

    if (parley_host_typing_source(c, &account, &source) != 0
        || parley_host_typing_author(c, &account, &author) != 0)
    {
        return -1;
    }

    parley_host_typing_id(&c->h, source, c->call.place.id, author, &id);

    rc = c->h.host->quiet_ms == 0 ? 0
         : c->call.active ? parley_host_typing_put(&c->h, &id)
                          : parley_ask_drop(c->h.ask, &id, 0);

    return rc < 0 ? rc
           : c->chat->answer(c->g->arena, &c->call, &none, &c->g->out.reply)
             == 0 ? 0 : parley_error_memory(c->g->err);
}


/* Only the surface of the source tells of its users. */

static int
parley_host_typing_source(parley_host_call_t *c,
    parley_surface_account_t *account, parley_str_t *ret)
{
    int  rc;

    memset(account, 0, sizeof(parley_surface_account_t));

    account->platform = c->call.place.platform;
    account->workspace = c->call.place.workspace;

    rc = parley_surface_name(c->g->arena, account, ret);

    return rc < 0 ? parley_error_memory(c->g->err)
           : rc == 0 && parley_host_serves(&c->h, c->g->who->principal, *ret)
           ? 0
           : parley_error_set(c->g->err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                              "/params/source", "only a principal whose "
                              "\"surface\" has this source may tell of its "
                              "users");
}


/* Finds the author as threads know it. */

static int
parley_host_typing_author(parley_host_call_t *c,
    const parley_surface_account_t *source, parley_str_t *ret)
{
    int                        rc;
    const parley_principal_t  *p, *like;
    parley_surface_account_t   account;

    account = *source;
    account.id = c->call.author;

    rc = parley_surface_name(c->g->arena, &account, ret);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(c->g->err)
               : parley_error_set(c->g->err, PARLEY_E_FIELD_INVALID,
                                  "/params/author/id",
                                  "the account is too long");
    }

    p = parley_directory_by_account(c->h.http->directory, *ret, &like);

    if (p != NULL) {
        *ret = p->sub;
    }

    return 0;
}


static int
parley_host_typing_put(parley_host_t *h, const parley_record_id_t *id)
{
    int                  rc;
    int64_t              until;
    parley_put_t         put;
    parley_str_t         value;
    parley_put_result_t  result;

    until = h->now_ms + PARLEY_TURN_TYPING;
    value = parley_str_make(&until, sizeof(until));

    memset(&put, 0, sizeof(parley_put_t));

    put.id = *id;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.account = h->account;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = PARLEY_TURN_TYPING;

    rc = parley_ask_put(h->ask, &put, &result);

    if (rc == 0 && result == PARLEY_PUT_OK) {
        return 0;
    }

    h->full = rc == 0;

    return rc == PARLEY_WAIT ? rc
           : parley_error_set(h->err, PARLEY_E_CAPACITY, NULL, "%s",
                              rc != 0 ? "the state did not answer"
                              : result == PARLEY_PUT_SHARE
                              ? "this sender uses its whole share of the zone"
                              : "the zone is full");
}


int
parley_host_typing_until(parley_host_t *h, parley_str_t source,
    parley_str_t conversation, parley_str_t author, int64_t *ret)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  id;

    *ret = 0;

    parley_host_typing_id(h, source, conversation, author, &id);

    rc = parley_host_get(h, &id, &record);

    if (rc == 1 && record.value.len == sizeof(*ret)) {
        memcpy(ret, record.value.data, sizeof(*ret));
    }

    return rc < 0 ? rc : 0;
}
