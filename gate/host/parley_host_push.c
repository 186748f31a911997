/*
 * Questions to the state for a view that is written outside of a request, for a
 * stream or a URL.  The state has to answer at once.
 */

#include <string.h>

#include "gate/host/parley_host_said.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_codec.h"


static void parley_host_push_resume(parley_ask_t *q);


int
parley_host_push_begin(const parley_render_t *d, const parley_publication_t *p,
    int64_t now_ms, parley_arena_t *arena, parley_host_push_t *ret)
{
    if (d->state == NULL || d->http->host == NULL) {
        return 0;
    }

    memset(ret, 0, sizeof(parley_host_push_t));

    parley_ask_init(&ret->ask, d->state, arena);

    ret->ask.resume = parley_host_push_resume;

    ret->h.ask = &ret->ask;
    ret->h.arena = arena;
    ret->h.err = &ret->err;
    ret->h.engine = d->engine;
    ret->h.http = d->http;
    ret->h.host = d->http->host->host;
    ret->h.proto = p->proto;
    ret->h.chat = parley_codecs[p->proto]->chat;
    ret->h.seed = d->seed;
    ret->h.now_ms = now_ms;

    parley_ask_begin(&ret->ask, 0);

    return 1;
}


void
parley_host_push_end(parley_host_push_t *push, int rc)
{
    if (rc < 0) {
        parley_ask_part(&push->ask);
    }

    parley_ask_end(&push->ask);
}


static void
parley_host_push_resume(parley_ask_t *q)
{
    (void) q;
}
