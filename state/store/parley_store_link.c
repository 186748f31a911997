/*
 * The connection: its life, and the pauses between tries.  Only a connection
 * that has killed its predecessor and entered sends calls, so octets that a
 * lost connection still carries have no effect after the calls were sent again.
 */

#include <string.h>

#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_PAUSE_MIN  200     /* ms between two tries */
#define PARLEY_STORE_BEGIN      2000    /* ms that a step of the beginning may
                                           take */
#define PARLEY_STORE_SLOW       5       /* timeouts in a row that close */
#define PARLEY_STORE_SILENT     1000    /* ms without a reply that close */


static void parley_store_check(parley_store_t *s);
static void parley_store_up(parley_store_t *s, int64_t now);
static void parley_store_away(parley_store_t *s, const char *why);


void
parley_store_begin(parley_store_t *s)
{
    s->retry = s->env->now(s->env->ctx);
    parley_store_timer_at(s, s->retry);
}


int
parley_store_end(parley_store_t *s)
{
    parley_store_call_t  *call;

    parley_store_report(s, s->env->now(s->env->ctx));

    if (s->stage == PARLEY_STORE_UP) {
        return s->first != NULL;
    }

    for (call = s->first; call != NULL; call = call->next) {
        s->stat.lost[PARLEY_STORE_LOST_CALL] += !call->once;
    }

    s->stat.lost[PARLEY_STORE_LOST_ID] += s->ntaken - s->taken_sent;

    return 0;
}


int
parley_store_is_up(const parley_store_t *s)
{
    return s->stage == PARLEY_STORE_UP;
}


void
parley_store_timer(parley_store_t *s)
{
    int64_t  now;

    s->timer = 0;
    now = s->env->now(s->env->ctx);

    if (s->stage == PARLEY_STORE_DOWN) {

        if (now < s->retry) {
            parley_store_timer_at(s, s->retry);
            return;
        }

        s->stage = PARLEY_STORE_CONNECTING;
        s->began = now;
        s->loaded = 0;
        s->env->connect(s->env->ctx);
        parley_store_timer_at(s, now + PARLEY_STORE_BEGIN);

        return;
    }

    if (s->stage != PARLEY_STORE_UP) {

        if (now - s->began >= PARLEY_STORE_BEGIN) {
            parley_store_away(s, "no answer at the beginning of a connection");
            return;
        }

        parley_store_timer_at(s, s->began + PARLEY_STORE_BEGIN);

        return;
    }

    if (s->awaited != 0 || s->waiting != NULL) {
        parley_store_give_up(s, now - s->conf->timeout);
        parley_store_wait_over(s, now - s->conf->timeout);
    }

    if (s->first != NULL
        && (s->slow >= PARLEY_STORE_SLOW
            || (now - s->first->since >= PARLEY_STORE_SILENT
                && now - s->heard >= PARLEY_STORE_SILENT)))
    {
        parley_store_away(s, "no answer in time");
        return;
    }

    parley_store_member_tick(s, now);
    parley_store_taken_send(s);
    parley_store_feed_tick(s);
    parley_store_sessions(s);

    if (s->ncounts != 0 && now - s->reported >= PARLEY_STORE_RATES) {
        parley_store_report(s, now);
    }

    parley_store_timer_at(s, now + PARLEY_STORE_STEPS);
}


void
parley_store_opened(parley_store_t *s)
{
    parley_str_t  arguments[3];

    s->wire = parley_wire_create();

    if (s->wire == NULL) {
        parley_store_away(s, "memory is exhausted");
        return;
    }

    if (s->conf->password.len == 0) {
        s->stage = PARLEY_STORE_AUTH;
        parley_store_next(s);

    } else {
        arguments[0] = PARLEY_STR("AUTH");
        arguments[1] = s->conf->user.len != 0 ? s->conf->user
                                              : PARLEY_STR("default");
        arguments[2] = s->conf->password;

        parley_store_ask(s, PARLEY_STORE_AUTH, arguments, 3);
    }

    parley_store_check(s);
}


void
parley_store_closed(parley_store_t *s, const char *why)
{
    if (s->stage != PARLEY_STORE_DOWN) {
        parley_store_away(s, why);
    }
}


void
parley_store_fed(parley_store_t *s, const uint8_t *p, size_t len)
{
    int                   rc;
    parley_wire_t        *wire = s->wire;
    parley_wire_reply_t  *reply;

    if (wire == NULL) {
        return;
    }

    if (parley_wire_feed(wire, p, len) != 0) {
        parley_store_fail(s, "a reply is too large");
    }

    while (s->why[0] == '\0') {

        rc = parley_wire_next(wire, &reply);

        if (rc < 0) {
            parley_store_fail(s, "a reply is not valid RESP");
            break;
        }

        if (rc == 0) {
            break;
        }

        if (s->stage == PARLEY_STORE_UP) {
            parley_store_answered(s, reply);

        } else if (parley_store_step(s, reply)) {
            parley_store_up(s, s->env->now(s->env->ctx));
        }

        parley_wire_free(reply);
    }

    parley_store_check(s);
}


/* Closes the connection if the event that was read has failed. */

static void
parley_store_check(parley_store_t *s)
{
    char  why[sizeof(s->why)];

    if (s->why[0] != '\0') {
        memcpy(why, s->why, sizeof(why));
        parley_store_away(s, why);
    }
}


static void
parley_store_up(parley_store_t *s, int64_t now)
{
    s->stage = PARLEY_STORE_UP;
    s->pause = 0;
    s->slow = 0;
    s->heard = now;
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
    int64_t               now;
    parley_wire_t        *wire;
    parley_store_stage_t  stage;

    stage = s->stage;

    if (stage == PARLEY_STORE_DOWN) {
        return;
    }

    wire = s->wire;
    now = s->env->now(s->env->ctx);

    s->stage = PARLEY_STORE_DOWN;
    s->wire = NULL;
    s->why[0] = '\0';
    s->stat.up_since = 0;
    s->stat.reconnects++;

    /* a pause of 200 ms to 1 s, with a random part */

    s->pause = s->pause == 0 ? PARLEY_STORE_PAUSE_MIN : 2 * s->pause;

    if (s->pause > PARLEY_STORE_PAUSE_MAX) {
        s->pause = PARLEY_STORE_PAUSE_MAX;
    }

    s->retry = now + s->pause / 2
               + (int64_t) (s->env->random(s->env->ctx)
                            % (uint64_t) (s->pause / 2));

    s->env->close(s->env->ctx);

    if (!s->unusable) {
        parley_store_log(s, PARLEY_STORE_ERROR, "the store is away: %s", why);
    }

    s->unusable = 0;
    s->timer = 0;
    parley_store_timer_at(s, s->retry);

    s->feeding = 0;

    parley_store_give_up(s, INT64_MAX);
    parley_store_wait_over(s, INT64_MAX);
    parley_wire_destroy(wire);
}
