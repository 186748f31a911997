/*
 * Tickets for streams, at a location where parley_jwt has tickets=.  A client
 * shows its token in a POST and gets a ticket.  The holder of the ticket opens
 * the stream at that URL, once and soon (GW-02).  Tickets are for clients that
 * cannot set header fields.  A ticket replaces only the transfer of the token:
 * when it is used, all checks apply to the token in it.
 */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_rules.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_GATE_RANDOM  16      /* octets of one call of env->random */

/*
 * milliseconds that the record of a used ticket outlives the ticket, in case
 * the clock is set back
 */
#define PARLEY_GATE_TICKET_MARGIN  60000


static int parley_gate_ticket_make(parley_gate_t *g);
static int parley_gate_ticket_tell(parley_gate_t *g, parley_str_t ticket);


/*
 * Finds the token in the ticket of a request.  A ticket only opens a stream.
 * It does not delete messages, and does not get another ticket.
 */

int
parley_gate_ticket_token(parley_gate_t *g, parley_str_t *ret)
{
    parley_str_t  text;

    if (!parley_gate_ticket_is_on(g) || g->serve.erases || g->serve.issues) {
        return 0;
    }

    if (parley_gate_message_token(g, &text) != 0) {
        return -1;
    }

    if (text.len == 0) {
        return 0;
    }

    if (parley_ticket_open(g->arena, g->ask.state->secret, g->in.uri, text,
                           &g->proof.ticket, g->err)
        != 0)
    {
        return -1;
    }

    if (g->env->now(g) >= g->proof.ticket.expires) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_EXPIRED, NULL,
                                "the ticket has expired");
    }

    *ret = g->proof.ticket.token;

    return 0;
}


/*
 * Records that the ticket was used.  The record lasts as long as the ticket.
 * The location that issued the ticket sets its life, and may be another one.
 */

int
parley_gate_ticket_use(parley_gate_t *g)
{
    int                  rc, kept;
    uint8_t              id[PARLEY_KEY_LEN];
    parley_str_t         parts[2];
    parley_admitted_t    got;
    parley_admission_t   a;
    parley_settlement_t  how;

    if (g->proof.ticket.nonce.len == 0) {
        return 0;
    }

    memset(&a, 0, sizeof(parley_admission_t));
    memset(&how, 0, sizeof(parley_settlement_t));

    parts[0] = PARLEY_STR("ticket");
    parts[1] = g->proof.ticket.nonce;

    parley_state_key(g->ask.state, PARLEY_KIND_ID, parts, 2, id);
    parley_gate_message_account(g);

    a.account = g->proof.account;
    a.id = id;
    a.print = id;
    a.everywhere = 1;
    a.ttl = g->proof.ticket.expires - g->env->now(g)
            + PARLEY_GATE_TICKET_MARGIN;

    rc = parley_ask_admit(&g->ask, &a, &got);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0 || got.verdict == PARLEY_ADMIT_SHARE
        || got.verdict == PARLEY_ADMIT_FULL
        || got.verdict == PARLEY_ADMIT_AWAY)
    {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "no room to remember the ticket");
    }

    if (got.verdict != PARLEY_ADMIT_OK) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "the ticket was used already");
    }

    how.stamp = got.stamp;
    how.taken = 1;

    return parley_ask_settle(&g->ask, &a, &how, &kept) == PARLEY_WAIT
           ? PARLEY_WAIT : 0;
}


parley_step_result_t
parley_gate_ticket(parley_gate_t *g)
{
    int                  own;
    parley_str_t         address;
    parley_arguments_t   arguments;

    parley_arguments_of(&arguments, 0, g->conf.gate->token);

    return parley_gate_named(g, &arguments, PARLEY_RULES_SUBSCRIBE, &address,
                             &own)
           == 0 && parley_gate_ticket_make(g) == 0
           ? PARLEY_RESULT_ANSWERED : PARLEY_RESULT_REFUSED;
}


static int
parley_gate_ticket_make(parley_gate_t *g)
{
    uint8_t          random[2 * PARLEY_GATE_RANDOM];
    parley_str_t     text;
    parley_ticket_t  t;

    _Static_assert(PARLEY_TICKET_NONCE <= sizeof(random), "a nonce");

    if (g->who->jwt == NULL) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_MISSING, NULL,
                                "a ticket needs a token: a client certificate "
                                "is presented to the stream itself");
    }

    if (g->env->random == NULL || g->env->random(g, random) != 0
        || g->env->random(g, random + PARLEY_GATE_RANDOM) != 0)
    {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the ticket cannot be made");
    }

    t.nonce = parley_str_make(random, PARLEY_TICKET_NONCE);
    t.token = g->proof.shown;
    t.expires = g->env->now(g) + g->conf.s->jwt->tickets;

    return parley_ticket_seal(g->arena, g->ask.state->secret, g->in.uri, &t,
                              &text)
           == 0 ? parley_gate_ticket_tell(g, text)
                : parley_error_memory(g->err);
}


static int
parley_gate_ticket_tell(parley_gate_t *g, parley_str_t ticket)
{
    parley_buf_t  b;

    parley_buf_init(&b, g->arena, ticket.len + 64);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("ticket"), ticket);
    parley_buf_name(&b, PARLEY_STR("expires_in"));
    parley_buf_int(&b, g->conf.s->jwt->tickets / 1000);
    parley_buf_octet(&b, '}');

    return parley_gate_serving_json(g, &b);
}
