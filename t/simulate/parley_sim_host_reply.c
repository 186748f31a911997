/* The answers and the offers that parties of the simulated host get. */

#include <jansson.h>

#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_TRIES  8       /* tries of a call with an unknown event */


static json_t *sim_host_result(json_t *doc);
static void sim_host_accepted(sim_op_t *op, const char *id);
static void sim_host_offered(sim_party_t party, json_t *params, const char
    *request);


static json_t *
sim_host_result(json_t *doc)
{
    json_t  *result, *structured;

    result = json_object_get(doc, "result");
    structured = json_object_get(result, "structuredContent");

    return structured != NULL ? structured : result;
}


void
sim_host_replied(sim_op_t *op, int code, parley_str_t body)
{
    size_t       i;
    json_t      *doc, *event, *list, *result;
    const char  *id;

    sim_host_tell("%s is answered %d: %s: %.*s", sim_parties[op->party], code,
                  op->body, code == 0 ? (int) body.len : 0,
                  (const char *) body.data);

    switch (code) {

    case 0:
        break;

    case PARLEY_E_CAPACITY:
    case PARLEY_E_MESSAGE_IN_FLIGHT:
    case PARLEY_E_RATE_LIMITED:
        return;

    case PARLEY_E_REPLY_UNMATCHED:

        if (op->tries < SIM_HOST_TRIES && !op->late) {
            return;
        }

        /* fall through */

    default:

        if (op->done && op->ok && code == PARLEY_E_MESSAGE_DUPLICATE) {
            sim_fail("C2A-12: a call that was accepted is a duplicate of "
                     "another one: %s", op->body);
        }

        if (op->kind == SIM_OP_MEMBERS) {
            sim_fail("C2A-33: the surface may not change members: %d", code);
        }

        if (!op->done) {
            op->done = 1;
            op->code = code;
        }

        return;
    }

    doc = body.len > 0 ? json_loadb((const char *) body.data, body.len, 0,
                                    NULL)
                       : NULL;
    result = sim_host_result(doc);
    id = json_string_value(json_object_get(result, "eventId"));

    list = json_object_get(result, "events");

    json_array_foreach(list, i, event) {
        sim_host_offered(op->party, json_object_get(event, "event"), "");
    }

    sim_host_accepted(op, id != NULL ? id : "");
    json_decref(doc);
}


static void
sim_host_accepted(sim_op_t *op, const char *id)
{
    sim_said_t  *said;

    /* an act that is repeated after an edit is one on the edit */

    if (op->done && op->kind != SIM_OP_ACT && op->result[0] != '\0'
        && id[0] != '\0' && strcmp(op->result, id) != 0)
    {
        sim_fail("C2A-12: a repeated call has the result %s, and had %s", id,
                 op->result);
    }

    snprintf(op->result, sizeof(op->result), "%s", id);

    if (op->kind == SIM_OP_MEMBERS) {

        if (!op->done) {
            sim_host.unsure[op->room] &= ~(1u << op->member);
            sim_host.members[op->room] &= ~(1u << op->member);
            sim_host.members[op->room] |= (unsigned) op->ok << op->member;
        }

        op->done = 1;
        return;
    }

    op->done = 1;
    op->ok = 1;

    if (op->said >= 0) {
        said = &sim_host.said[op->said];
        said->accepted = 1;

        if (op->kind == SIM_OP_SEND && said->visible == 0) {
            sim_fail("C2A-11: a message of %s was accepted, and is not "
                     "visible", sim_parties[op->party]);
        }
    }
}


/* Notes that a reader sees an event. */

static void
sim_host_offered(sim_party_t party, json_t *params, const char *request)
{
    char          want[48];
    size_t        len;
    const char   *id, *key;
    sim_offer_t  *offer;

    id = json_string_value(json_object_get(params, "eventId"));
    key = json_string_value(json_object_get(json_object_get(params,
                                                            "reliability"),
                                            "idempotencyKey"));

    if (id == NULL || strlen(id) >= SIM_HOST_ID
        || strlen(request) >= sizeof(offer->request))
    {
        return;
    }

    /* C2A-03: the view is that of its reader */

    snprintf(want, sizeof(want), ":%s", sim_parties[party]);
    len = strlen(want);

    if (party >= SIM_ADA && key != NULL
        && (strlen(key) < len || strcmp(key + strlen(key) - len, want) != 0))
    {
        sim_fail("C2A-33: %s gets the view of another reader: %s",
                 sim_parties[party], key);
    }

    if (sim_host.noffers == SIM_HOST_OFFERS) {
        return;
    }

    offer = &sim_host.offers[sim_host.noffers++];

    memset(offer, 0, sizeof(sim_offer_t));
    offer->reader = party;
    snprintf(offer->id, sizeof(offer->id), "%s", id);
    snprintf(offer->request, sizeof(offer->request), "%s", request);
}


/* url: the answer goes to the connection of the request. */

void
sim_host_sees(sim_party_t party, parley_str_t octets, int url)
{
    json_t      *doc;
    const char  *id;

    doc = json_loadb((const char *) octets.data, octets.len, 0, NULL);
    id = json_string_value(json_object_get(doc, "id"));

    if (doc == NULL) {
        sim_fail("%s gets something other than JSON", sim_parties[party]);
    }

    if (id != NULL) {
        sim_host_offered(party, json_object_get(doc, "params"), url ? "" : id);
    }

    json_decref(doc);
}
