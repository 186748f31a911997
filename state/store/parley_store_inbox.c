/*
 * The inbox: a connection that is subscribed to the channel of the store.  The
 * functions publish each step there, a large one by its number alone.  If the
 * zone has all steps before it, the step is taken into the zone; else the
 * worker asks for steps.  So nothing is lost if a message does not come.
 *
 * The inbox begins after the main connection, ends with it, and reads whether
 * it has the same engine.  So it follows a failover.
 */

#include <string.h>

#include "core/parley_octets.h"
#include "state/store/parley_store_step.h"


#define PARLEY_STORE_PING    1000       /* ms between two PINGs */
#define PARLEY_STORE_HINT    3          /* elements of a message */
#define PARLEY_STORE_TOLD    (1 + PARLEY_STORE_NODE + 8 + 4)    /* octets before
                                           places and content */


static void parley_store_inbox_told(parley_store_t *s,
    const parley_wire_reply_t *reply);


void
parley_store_inbox_tick(parley_store_t *s, int64_t now)
{
    parley_str_t                ping = PARLEY_STR("PING");
    parley_store_connection_t  *c = &s->inbox;

    switch (c->stage) {

    case PARLEY_STORE_DOWN:

        if (s->conf->first && now >= c->retry) {
            parley_store_connect(s, c, now);
        }

        return;

    case PARLEY_STORE_UP:

        if (now - s->pinged < PARLEY_STORE_PING) {
            return;
        }

        if (c->heard < s->pinged) {
            parley_store_inbox_away(s, "no answer in time");
            return;
        }

        s->pinged = now;
        parley_store_ask(s, c, PARLEY_STORE_UP, &ping, 1);

        return;

    default:

        if (parley_store_is_late(c, now)) {
            parley_store_inbox_away(s, "no answer at the beginning of a "
                                    "connection");
        }
    }
}


void
parley_store_inbox_next(parley_store_t *s)
{
    char          name[PARLEY_STORE_PREFIX + 1];
    parley_str_t  arguments[2];

    if (s->inbox.stage == PARLEY_STORE_AUTH) {
        arguments[0] = PARLEY_STR("INFO");
        arguments[1] = PARLEY_STR("server");
        parley_store_ask(s, &s->inbox, PARLEY_STORE_SERVER, arguments, 2);

    } else {
        arguments[0] = PARLEY_STR("SUBSCRIBE");
        arguments[1] = parley_store_single(s, 'f', name);
        parley_store_ask(s, &s->inbox, PARLEY_STORE_SUBSCRIBE, arguments, 2);
    }
}


void
parley_store_inbox_fed(parley_store_t *s, const parley_wire_reply_t *reply)
{
    parley_store_connection_t  *c = &s->inbox;

    /* the main connection logs errors of the user */

    if (parley_wire_error(reply).len != 0) {
        parley_store_failed(c, "the engine refuses it");
        return;
    }

    c->heard = s->env->now(s->env->ctx);

    switch (c->stage) {

    case PARLEY_STORE_SERVER:

        if (!parley_str_eq(parley_store_line(reply, "run_id"),
                           parley_str_c(s->run)))
        {
            parley_store_failed(c, "another engine answers");
            return;
        }

        break;

    case PARLEY_STORE_SUBSCRIBE:
        c->stage = PARLEY_STORE_UP;
        c->pause = 0;
        s->pinged = c->heard;

        /* steps that were added before */

        parley_store_feed(s);

        return;

    case PARLEY_STORE_UP:
        parley_store_inbox_told(s, reply);
        return;

    default:
        break;
    }

    parley_store_inbox_next(s);
}


/* Reads a message, or the answer to a PING, which has two elements. */

static void
parley_store_inbox_told(parley_store_t *s, const parley_wire_reply_t *reply)
{
    size_t          len;
    uint64_t        number;
    parley_str_t    text;
    const uint8_t  *p;

    if (parley_wire_elements(reply) != PARLEY_STORE_HINT
        || !parley_wire_text(parley_wire_element(reply, 2), &text)
        || text.len < PARLEY_STORE_TOLD || text.data[0] != '1')
    {
        return;
    }

    p = text.data + 1 + PARLEY_STORE_NODE;
    number = parley_octets_read64(p);
    len = parley_octets_read32(p + 8);

    if (number >= (uint64_t) PARLEY_STORE_NUMBERS) {
        return;
    }

    /* a worker takes its own steps into the zone, unless others precede */

    if (memcmp(text.data + 1, s->conf->node, PARLEY_STORE_NODE) == 0) {
        s->own = number;
        return;
    }

    text = parley_str_from(text, PARLEY_STORE_TOLD);

    if (text.len > len) {
        parley_store_take_next(s, number, parley_str_from(text, len),
                               parley_str_make(text.data, len));
    }

    parley_store_feed_hint(s, number);
}


void
parley_store_inbox_away(parley_store_t *s, const char *why)
{
    if (s->inbox.stage == PARLEY_STORE_DOWN) {
        return;
    }

    parley_store_disconnect(s, &s->inbox);

    s->own = 0;

    if (why == NULL) {
        s->inbox.pause = 0;
        s->inbox.retry = 0;

    } else {
        parley_store_log(s, PARLEY_STORE_WARN, "the inbox is away: %s; this "
                         "gateway asks for frames every %d ms", why,
                         PARLEY_STORE_STEPS);
    }

    s->zone->ops->import->put_off(s->zone, PARLEY_IMPORT_DUE_FEED, 0);
}
