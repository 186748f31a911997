/*
 * The connections: their life, and the pauses between tries.  Only a main
 * connection that has killed its predecessor and entered sends calls, so octets
 * that a lost connection still carries have no effect after the calls were sent
 * again.  The zone knows the main connection of each worker, so that another
 * worker of the node can kill that of a dead one.
 */

#include <string.h>

#include "state/parley_import.h"
#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_SLOW       5       /* timeouts in a row that close */
#define PARLEY_STORE_SILENT     1000    /* ms without a reply that close */
#define PARLEY_STORE_QUIT       500     /* ms that a worker which ends lives at
                                           least */


static parley_store_connection_t *parley_store_connection(parley_store_t *s,
    parley_store_link_t link);
static void parley_store_replied(parley_store_t *s,
    parley_store_connection_t *c, const parley_wire_reply_t *reply);
static void parley_store_check(parley_store_t *s,
    parley_store_connection_t *c);
static void parley_store_up(parley_store_t *s, int64_t now);
static void parley_store_away(parley_store_t *s, const char *why);


void
parley_store_begin(parley_store_t *s)
{
    s->main.retry = s->env->now(s->env->ctx);
    parley_store_timer_at(s, s->main.retry);
}


static parley_store_connection_t *
parley_store_connection(parley_store_t *s, parley_store_link_t link)
{
    return link == PARLEY_STORE_MAIN ? &s->main : &s->inbox;
}


int
parley_store_end(parley_store_t *s)
{
    parley_store_call_t  *call;

    parley_store_report(s, s->env->now(s->env->ctx));

    if (s->main.stage == PARLEY_STORE_UP) {
        return s->first != NULL;
    }

    for (call = s->first; call != NULL; call = call->next) {
        s->stat.lost[PARLEY_STORE_LOST_CALL] += !call->once;
    }

    s->stat.lost[PARLEY_STORE_LOST_ID] += s->ntaken - s->taken_sent;

    return 0;
}


int
parley_store_quit(parley_store_t *s)
{
    char          time[24];
    parley_str_t  arguments[6];

    /* calls that are left may take ids, which are those of the node until its
       lease is over */

    if (!s->zone->ops->import->quits(s->zone) || s->first != NULL
        || s->main.stage != PARLEY_STORE_UP)
    {
        return 0;
    }

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_quit");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_make(s->conf->node, PARLEY_STORE_NODE);
    arguments[5] = parley_wire_number(s->env->now(s->env->ctx) + s->offset
                                      + PARLEY_STORE_QUIT, time);

    s->quits = 1;

    return parley_store_once(s, NULL, arguments, 6);
}


int
parley_store_is_up(const parley_store_t *s)
{
    return s->main.stage == PARLEY_STORE_UP;
}


void
parley_store_timer(parley_store_t *s)
{
    int64_t  now;

    s->timer = 0;
    now = s->env->now(s->env->ctx);

    if (s->main.stage == PARLEY_STORE_DOWN) {

        if (now < s->main.retry) {
            parley_store_timer_at(s, s->main.retry);
            return;
        }

        s->loaded = 0;
        parley_store_connect(s, &s->main, now);
        parley_store_timer_at(s, now + PARLEY_STORE_BEGIN);

        return;
    }

    if (s->main.stage != PARLEY_STORE_UP) {

        if (parley_store_is_late(&s->main, now)) {
            parley_store_away(s, "no answer at the beginning of a connection");
            return;
        }

        parley_store_timer_at(s, s->main.began + PARLEY_STORE_BEGIN);

        return;
    }

    if (s->awaited != 0 || s->waiting != NULL) {
        parley_store_give_up(s, now - s->conf->timeout);
        parley_store_wait_over(s, now - s->conf->timeout);
    }

    if (s->first != NULL
        && (s->slow >= PARLEY_STORE_SLOW
            || (now - s->first->since >= PARLEY_STORE_SILENT
                && now - s->main.heard >= PARLEY_STORE_SILENT)))
    {
        parley_store_away(s, "no answer in time");
        return;
    }

    /* each worker that enters renews the lease of its node */

    if (s->zone->ops->import->generation(s->zone) > s->stat.generation) {
        parley_store_away(s, "another worker has found a new generation");
        return;
    }

    if (s->quits) {
        parley_store_timer_at(s, now + PARLEY_STORE_STEPS);
        return;
    }

    parley_store_member_tick(s, now);
    parley_store_taken_send(s);
    parley_store_inbox_tick(s, now);
    parley_store_feed_tick(s, now);
    parley_store_sessions(s);

    if (s->ncounts != 0 && now - s->reported >= PARLEY_STORE_RATES) {
        parley_store_report(s, now);
    }

    parley_store_timer_at(s, now + PARLEY_STORE_STEPS);
}


void
parley_store_opened(parley_store_t *s, parley_store_link_t link)
{
    parley_str_t                arguments[3];
    parley_store_connection_t  *c = parley_store_connection(s, link);

    c->wire = parley_wire_create();

    if (c->wire == NULL) {
        parley_store_failed(c, "memory is exhausted");

    } else if (s->conf->password.len == 0) {
        c->stage = PARLEY_STORE_AUTH;

        if (link == PARLEY_STORE_MAIN) {
            parley_store_next(s);
        } else {
            parley_store_inbox_next(s);
        }

    } else {
        arguments[0] = PARLEY_STR("AUTH");
        arguments[1] = s->conf->user.len != 0 ? s->conf->user
                                              : PARLEY_STR("default");
        arguments[2] = s->conf->password;

        parley_store_ask(s, c, PARLEY_STORE_AUTH, arguments, 3);
    }

    parley_store_check(s, c);
}


void
parley_store_closed(parley_store_t *s, parley_store_link_t link,
    const char *why)
{
    if (link == PARLEY_STORE_MAIN) {
        parley_store_away(s, why);
    } else {
        parley_store_inbox_away(s, why);
    }
}


void
parley_store_fed(parley_store_t *s, parley_store_link_t link,
    const uint8_t *p, size_t len)
{
    int                         rc;
    parley_wire_reply_t        *reply;
    parley_store_connection_t  *c = parley_store_connection(s, link);

    if (c->wire == NULL) {
        return;
    }

    if (parley_wire_feed(c->wire, p, len) != 0) {
        parley_store_failed(c, "a reply is too large");
    }

    while (c->why[0] == '\0') {

        rc = parley_wire_next(c->wire, &reply);

        if (rc < 0) {
            parley_store_failed(c, "a reply is not valid RESP");
            break;
        }

        if (rc == 0) {
            break;
        }

        parley_store_replied(s, c, reply);
        parley_wire_free(reply);
    }

    parley_store_check(s, c);
}


static void
parley_store_replied(parley_store_t *s, parley_store_connection_t *c,
    const parley_wire_reply_t *reply)
{
    if (c->link == PARLEY_STORE_INBOX) {
        parley_store_inbox_fed(s, reply);

    } else if (c->stage == PARLEY_STORE_UP) {
        parley_store_answered(s, reply);

    } else if (parley_store_step(s, reply)) {
        parley_store_up(s, s->env->now(s->env->ctx));
    }
}


/* Closes a connection if the event that was read has failed. */

static void
parley_store_check(parley_store_t *s, parley_store_connection_t *c)
{
    char  why[sizeof(c->why)];

    if (c->why[0] != '\0') {
        memcpy(why, c->why, sizeof(why));
        parley_store_closed(s, c->link, why);
    }
}


static void
parley_store_up(parley_store_t *s, int64_t now)
{
    parley_process_link_t  link;

    memset(&link, 0, sizeof(parley_process_link_t));
    memcpy(link.engine, s->run, sizeof(link.engine));
    link.id = (uint64_t) s->entering;

    s->process = s->zone->ops->import->enter(s->zone, s->worker, &link);
    s->main.stage = PARLEY_STORE_UP;
    s->main.pause = 0;
    s->main.heard = now;
    s->slow = 0;
    s->unusable = 0;
    s->stat.up_since = now;

    parley_store_log(s, PARLEY_STORE_INFO, "the store is in use");

    parley_store_send_again(s);
    parley_store_feed_begin(s);
    parley_store_taken_send(s);

    if (s->restores) {
        parley_store_member_restore(s);
    }

    s->ticked = 0;
    parley_store_timer_at(s, now + 1);
}


static void
parley_store_away(parley_store_t *s, const char *why)
{
    if (s->main.stage == PARLEY_STORE_DOWN) {
        return;
    }

    parley_store_disconnect(s, &s->main);
    parley_store_inbox_away(s, NULL);

    s->stat.up_since = 0;
    s->stat.reconnects++;

    if (!s->unusable) {
        parley_store_log(s, PARLEY_STORE_ERROR, "the store is away: %s", why);
    }

    s->unusable = 0;
    s->timer = 0;
    parley_store_timer_at(s, s->main.retry);

    s->feeding = 0;
    memset(s->first_fed, 0, sizeof(s->first_fed));

    parley_store_give_up(s, INT64_MAX);
    parley_store_wait_over(s, INT64_MAX);
}
