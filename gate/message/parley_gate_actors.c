/*
 * The actors of a token (RFC 8693, 4.1): nested claims "act" name the agent
 * that uses the token for its subject, and the agents that this one acts for.
 * A suspended agent cannot send or end a suspension with the token of another
 * principal (VCP-26).  A surface is the actor of the authors of messages that
 * it delivers.
 */

#include "gate/message/parley_gate_steps.h"
#include "auth/parley_jwt.h"
#include "translate/parley_msg.h"


static int parley_gate_actor(const parley_gate_t *g, uint32_t *act,
    parley_str_t *ret);
static int parley_gate_actor_suspends(parley_gate_t *g, parley_str_t sub);


int
parley_gate_actor_all_pass(parley_gate_t *g)
{
    int           rc;
    uint32_t      act;
    parley_str_t  sub;

    if (g->who->surface != NULL) {
        return parley_gate_actor_suspends(g, g->who->surface->sub);
    }

    act = g->who->jwt != NULL ? g->who->jwt->act : PARLEY_JSON_NONE;

    while (act != PARLEY_JSON_NONE) {

        rc = parley_gate_actor(g, &act, &sub);

        if (rc == 1) {
            rc = parley_gate_actor_suspends(g, sub);
        }

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


int
parley_gate_actor_passes(parley_gate_t *g)
{
    int  rc;

    rc = parley_gate_actor_suspends(g, g->who->principal->sub);

    return rc != 0 ? rc : parley_gate_actor_all_pass(g);
}


int
parley_gate_actor_is_caller(const parley_gate_t *g)
{
    uint32_t      act;
    parley_str_t  sub;

    if (g->who->surface != NULL) {
        return 0;
    }

    act = g->who->jwt != NULL ? g->who->jwt->act : PARLEY_JSON_NONE;

    while (act != PARLEY_JSON_NONE) {
        if (parley_gate_actor(g, &act, &sub) != 0) {
            return 0;
        }
    }

    return 1;
}


/*
 * Finds the sub of an actor, and moves *act to the actor that it acts for.
 * Returns 1; 0 if the actor is the token's subject, or an instrument of it
 * without a sub; or -1: no memory.
 */

static int
parley_gate_actor(const parley_gate_t *g, uint32_t *act, parley_str_t *ret)
{
    uint32_t              node;
    const parley_json_t  *claims;

    claims = &g->who->jwt->claims;

    node = parley_json_get(claims, *act, PARLEY_STR("sub"));
    *act = parley_json_get(claims, *act, PARLEY_STR("act"));

    if (parley_msg_string(claims, node, ret) != 0) {
        return parley_error_memory(g->err);
    }

    return ret->len > 0
           && (g->who->principal == NULL
               || !parley_str_eq(*ret, g->who->principal->sub));
}


static int
parley_gate_actor_suspends(parley_gate_t *g, parley_str_t sub)
{
    int                   rc;
    uint8_t               account[PARLEY_KEY_LEN];
    parley_suspensions_t  there;

    parley_gate_message_key(g, sub, account);

    rc = parley_suspension_get_of(&g->ask, account, &there);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        g->report.wait = PARLEY_GATE_NO_ROOM;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    return there.n == 0 ? 0
           : parley_error_set(g->err, PARLEY_E_AGENT_SUSPENDED, NULL,
                              "an agent that uses the token is suspended "
                              "until its parent resumes it");
}
