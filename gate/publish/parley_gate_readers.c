/*
 * Counts the readers that can get a publication.  A subscriber reads one
 * protocol and a URL speaks one.  Some protocols cannot express each message
 * (HUB-06, HUB-09).
 *
 * If no recipient's protocol can express the message, it is refused before it
 * is appended.  Otherwise it goes to the recipients that can get it, and the
 * sender is told their number (ACH-19).  A URL that cannot get it has a job
 * nevertheless.  The job ends as undelivered.  So the failure is logged,
 * counted and, if the message is critical, reported to the sender's parent.
 *
 * The message is encoded once for each protocol, as for the delivery.  This is
 * skipped if all recipients read the message's own protocol.
 */

#include <string.h>

#include "translate/parley_loss.h"
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
            && !parley_gate_readers_are_many(g, p->proto)))
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


int
parley_gate_readers_are_many(const parley_gate_t *g, parley_proto_t proto)
{
    return (g->conf.http->reads & ~PARLEY_PROTO_BIT(proto)) != 0;
}


/*
 * Counts the URLs of the recipients, and those with a protocol that can express
 * the message.  Returns -1 without memory.
 */

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


/*
 * Counts the subscribers that the message would be appended for.  Returns 0,
 * PARLEY_WAIT, or -1: capacity.
 */

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
    asked.stamp = g->admit.entrance.counts ? g->admit.entrance.stamp : 0;

    rc = parley_ask_append(&g->ask, &asked, &would);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    if (would.verdict != PARLEY_APPEND_OK
        || parley_gate_readers_count(g, reach, &would, ret_all, ret_some) != 0)
    {
        return parley_error_memory(g->err);
    }

    return 0;
}


/*
 * Counts the subscribers of an appended message.  Returns 0 without memory,
 * because the message is already published.
 */

int64_t
parley_gate_readers_told(parley_gate_t *g, parley_gate_readers_t *reach,
    const parley_appended_t *appended)
{
    int64_t  all, some;

    return parley_gate_readers_count(g, reach, appended, &all, &some) == 0
           ? some : 0;
}


/*
 * Counts the subscribers that the message is for, and those with a protocol
 * that can express it.  Returns -1 without memory.
 */

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


/*
 * Returns 1 if a protocol can express the message, 0 if not, or -1 without
 * memory.
 */

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
    d.http = g->conf.http;
    d.seed = g->in.seed;

    /* losses are reported when a worker writes the form */

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
