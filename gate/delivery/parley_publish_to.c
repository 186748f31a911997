#include <string.h>

#include "gate/party/parley_address.h"
#include "hub/parley_attempt.h"
#include "gate/delivery/parley_render.h"
#include "gate/delivery/parley_delivery_route.h"
#include "gate/delivery/parley_publish_to.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_expand.h"


static int parley_publish_to_has_url(const parley_publish_to_t *n);
static int parley_publish_to_awaits(const parley_publish_to_t *n);
static int parley_publish_to_listens(const parley_publish_to_t *n,
    const parley_append_t *append);
static int parley_publish_to_job(const parley_publish_to_t *n,
    parley_arena_t *arena, parley_str_t address, parley_append_t *ret);


int
parley_publish_to(const parley_publish_to_t *n, parley_arena_t *arena,
    parley_append_t *ret)
{
    int                   rc;
    uint8_t             (*log)[PARLEY_KEY_LEN];
    parley_str_t          address;
    parley_publish_t      publish;
    parley_publication_t  p;

    memset(&publish, 0, sizeof(parley_publish_t));

    p = *n->publication;
    p.owed = parley_publish_to_awaits(n);

    publish.publication = &p;
    publish.account = n->account;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    parley_render_retention(n->http, &publish.retention);

    address = parley_str_none;

    if (n->to != NULL && parley_address_of(arena, n->to, &address) < 0) {
        return -1;
    }

    if (address.len > 0) {
        log = parley_arena_alloc(arena, PARLEY_KEY_LEN);

        if (log == NULL) {
            return -1;
        }

        parley_expand_log(n->state, address, log[0]);

        publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
        publish.nlogs = 1;
    }

    if (parley_publication_append(arena, &publish, ret) != 0) {
        return -1;
    }

    if (p.owed) {
        return parley_publish_to_job(n, arena, address, ret);
    }

    if (n->kind == PARLEY_SUBJECT_NONE || !parley_publish_to_has_url(n)) {
        return 0;
    }

    rc = parley_publish_to_listens(n, ret);

    return rc == 0 ? parley_publish_to_job(n, arena, address, ret)
           : rc == 1 ? 0 : rc;
}


static int
parley_publish_to_has_url(const parley_publish_to_t *n)
{
    return n->to != NULL && n->http->deliver_uri.len > 0
           && n->to->deliver.len > 0 && !parley_principal_is_dialled(n->to);
}


static int
parley_publish_to_awaits(const parley_publish_to_t *n)
{
    return n->to != NULL
           && (n->awaits != PARLEY_SUBJECT_NONE
               || parley_principal_is_dialled(n->to))
           && parley_address_has(n->to)
           && !parley_publish_to_has_url(n);
}


/* Returns whether the log has a subscriber: 1, 0, PARLEY_WAIT, or -1: the state
   gave no answer. */

static int
parley_publish_to_listens(const parley_publish_to_t *n,
    const parley_append_t *append)
{
    int                rc;
    parley_append_t    asked;
    parley_appended_t  would;

    if (n->ask == NULL || append->nlogs == 0) {
        return 0;
    }

    asked = *append;
    asked.asks = 1;

    rc = parley_ask_append(n->ask, &asked, &would);

    return rc == 0 ? would.ngroups != 0 : rc;
}


static int
parley_publish_to_job(const parley_publish_to_t *n, parley_arena_t *arena,
    parley_str_t address, parley_append_t *ret)
{
    parley_job_t  *job;

    job = parley_arena_calloc(arena, sizeof(parley_job_t));

    if (job == NULL) {
        return -1;
    }

    ret->jobs = job;
    ret->njobs = 1;

    if (parley_publish_to_awaits(n)) {
        return parley_delivery_awaits(arena, n->state,
                                      n->awaits != PARLEY_SUBJECT_NONE
                                      ? n->awaits : PARLEY_SUBJECT_AWAIT_NOTICE,
                                      address, PARLEY_ATTEMPT_LIVES, job);
    }

    if (parley_job_subject_write(arena, n->kind, n->to->sub, &job->text) != 0) {
        return -1;
    }

    parley_delivery_lane(n->state, n->sender, n->to->sub, job->lane);
    job->lasts = PARLEY_ATTEMPT_LIVES;
    job->class = n->class;

    return 0;
}
