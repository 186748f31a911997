/*
 * Who can read a publication: who listens reads one protocol, and a URL speaks
 * one; not each can say every message (HUB-06, HUB-09).  One that none of those
 * whom it is for could be told is refused before it is appended; else it goes
 * to those who can be, and its sender is told of these alone (ACH-19).  A URL
 * that cannot has its job all the same, which ends as undelivered: so that is
 * logged, counted, and told to the sender's parent where it is critical.
 *
 * It is tried once for each protocol, as it is delivered, and not where all
 * read the message's own.
 */

#include <string.h>

#include "gate/delivery/parley_render.h"
#include "gate/message/parley_gate_steps.h"
#include "hub/parley_selector.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_readers_posted(parley_gate_t *g,
    parley_gate_readers_t *reach, const size_t urls[PARLEY_PROTO_COUNT],
    size_t *ret_all);
static int parley_gate_readers_listen(parley_gate_t *g,
    parley_gate_readers_t *reach, const parley_append_t *append,
    int64_t *ret_all, int64_t *ret_some);
static int parley_gate_readers_count(parley_gate_t *g,
    parley_gate_readers_t *reach, const parley_appended_t *appended,
    int64_t *ret_all, int64_t *ret_some);
static int parley_gate_readers_say(parley_gate_t *g,
    parley_gate_readers_t *reach, parley_proto_t to);


int
parley_gate_readers(parley_gate_t *g, const parley_publication_t *p,
    const parley_append_t *append, const size_t urls[PARLEY_PROTO_COUNT],
    parley_gate_readers_t *ret)
{
    int      rc;
    size_t   posted;
    int64_t  all, some;

    memset(ret, 0, sizeof(parley_gate_readers_t));

    ret->publication = p;

    if (parley_gate_readers_posted(g, ret, urls, &posted) != 0) {
        return parley_error_memory(g->err);
    }

    if (append->nlogs == 0
        || (posted == ret->urls
            && (g->http->reads & ~PARLEY_PROTO_BIT(p->proto)) == 0))
    {
        all = 0;
        some = 0;

    } else {
        rc = parley_gate_readers_listen(g, ret, append, &all, &some);

        if (rc != 0) {
            return rc;
        }
    }

    if (some == 0 && ret->urls == 0 && (all > 0 || posted > 0)) {
        *g->err = ret->why;
        return -1;
    }

    return 0;
}


/* those that have it posted, and of these who can take it; -1: no memory */

static int
parley_gate_readers_posted(parley_gate_t *g, parley_gate_readers_t *reach,
    const size_t urls[PARLEY_PROTO_COUNT], size_t *ret_all)
{
    int       rc;
    unsigned  to;

    *ret_all = 0;

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

        if (urls[to] == 0) {
            continue;
        }

        rc = parley_gate_readers_say(g, reach, (parley_proto_t) to);

        if (rc < 0) {
            return -1;
        }

        *ret_all += urls[to];
        reach->urls += rc ? urls[to] : 0;
    }

    return 0;
}


/* those that it would be appended for: 0, PARLEY_WAIT, or -1: capacity */

static int
parley_gate_readers_listen(parley_gate_t *g, parley_gate_readers_t *reach,
    const parley_append_t *append, int64_t *ret_all, int64_t *ret_some)
{
    int                rc;
    parley_append_t    asked;
    parley_appended_t  would;

    asked = *append;
    asked.jobs = NULL;
    asked.njobs = 0;
    asked.asks = 1;

    rc = parley_ask_append(&g->ask, &asked, &would);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state gave no answer");
    }

    if (would.verdict != PARLEY_APPEND_OK
        || parley_gate_readers_count(g, reach, &would, ret_all, ret_some) != 0)
    {
        return parley_error_memory(g->err);
    }

    return 0;
}


/* what was appended is published, though nobody could count to whom */

int64_t
parley_gate_readers_told(parley_gate_t *g, parley_gate_readers_t *reach,
    const parley_appended_t *appended)
{
    int64_t  all, some;

    return parley_gate_readers_count(g, reach, appended, &all, &some) == 0
           ? some : 0;
}


/* those whom it is for, and of these who can take it; -1: no memory */

static int
parley_gate_readers_count(parley_gate_t *g, parley_gate_readers_t *reach,
    const parley_appended_t *appended, int64_t *ret_all, int64_t *ret_some)
{
    int       rc;
    unsigned  to;
    int64_t   counts[PARLEY_PROTO_COUNT];

    *ret_all = 0;
    *ret_some = 0;

    if (parley_selector_count(g->arena, reach->publication, appended, counts)
        != 0)
    {
        return -1;
    }

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

        if (counts[to] == 0) {
            continue;
        }

        rc = parley_gate_readers_say(g, reach, (parley_proto_t) to);

        if (rc < 0) {
            return -1;
        }

        *ret_all += counts[to];
        *ret_some += rc ? counts[to] : 0;
    }

    return 0;
}


/* 1, 0, or -1: no memory */

static int
parley_gate_readers_say(parley_gate_t *g, parley_gate_readers_t *reach,
    parley_proto_t to)
{
    int              rc;
    parley_str_t     made;
    parley_loss_t    loss;
    parley_error_t   err;
    parley_render_t  d;

    if (reach->says[to] != 0) {
        return reach->says[to] > 0;
    }

    d.engine = g->engine;
    d.http = g->http;
    d.seed = g->seed;

    /* what is lost is told where it is written */

    rc = parley_deliver(&d, reach->publication, to, g->arena, &made, &loss,
                        &err);

    if (rc < 0) {
        return -1;
    }

    reach->says[to] = rc == 0 ? 1 : -1;

    if (rc != 0 && reach->why.code == PARLEY_E_NONE) {
        reach->why = err;
    }

    return rc == 0;
}
