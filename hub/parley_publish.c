#include "parley_hub_parts.h"
#include "parley_publish.h"


static void parley_publish_call(parley_call_t *call);
static void parley_publish_end(parley_publish_t *p);


parley_state_done_t
parley_publish(parley_hub_t *hub, parley_publish_t *p)
{
    parley_str_t         parts[2];
    parley_append_t      append;
    parley_state_done_t  rc;

    p->hub = hub;
    p->count = 0;
    p->places = NULL;

    if (parley_publication_write(p->arena, p->publication, parts) != 0) {
        p->verdict = PARLEY_APPEND_MEMORY;
        return PARLEY_STATE_DONE;
    }

    memset(&append, 0, sizeof(parley_append_t));

    append.logs = p->logs;
    append.nlogs = p->nlogs;
    append.parts = parts;
    append.nparts = 2;
    append.account = p->account;
    append.retention = p->retention;
    append.ttl = p->ttl;
    append.closes = p->closes;
    append.arena = p->arena;

    if (p->publication->audience.form == PARLEY_AUDIENCE_SESSION) {
        append.session = p->publication->audience.session;
    }

    p->call.done = parley_publish_call;
    p->call.ctx = p;

    rc = hub->state->ops->log->append(hub->state, &append, &p->appended,
                                      &p->call);
    if (rc == PARLEY_STATE_DONE) {
        parley_publish_end(p);
    }

    return rc;
}


void
parley_publish_cancel(parley_publish_t *p)
{
    p->hub->state->ops->cancel(p->hub->state, &p->call);
}


static void
parley_publish_call(parley_call_t *call)
{
    parley_publish_t  *p;

    p = call->ctx;

    parley_publish_end(p);
    p->done(p);
}


/* what was appended is published, though nobody could count to whom */

static void
parley_publish_end(parley_publish_t *p)
{
    p->verdict = p->appended.verdict;

    if (p->verdict != PARLEY_APPEND_OK) {
        return;
    }

    p->places = p->appended.places;
    p->count = parley_selector_count(p->arena, p->publication, &p->appended);

    if (p->count < 0) {
        p->count = 0;
    }

    p->hub->env.wake(p->hub->env.ctx);
}
