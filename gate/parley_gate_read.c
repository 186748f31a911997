/* The message is read: strictly, by its protocol, by its intent; its age. */

#include "parley_gate_steps.h"


int
parley_gate_size(parley_gate_t *g, uint64_t octets)
{
    size_t  max;

    max = g->conf->limits.octets;

    return octets <= max ? 0
           : parley_error_set(g->err, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                              "the body exceeds %lu octets",
                              (unsigned long) max);
}


parley_outcome_t
parley_gate_json(parley_gate_t *g)
{
    if (g->body.len == 0) {
        (void) parley_error_set(g->err, PARLEY_E_JSON_INVALID, NULL,
                                "the request has no body");
        return PARLEY_OUTCOME_REFUSED;
    }

    if (parley_json_read(g->doc, g->arena, &g->conf->limits, g->seed, g->body,
                         g->err)
        != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    g->doc_read = 1;

    return PARLEY_OUTCOME_PASSED;
}


parley_outcome_t
parley_gate_protocol(parley_gate_t *g)
{
    if (g->entry == NULL) {
        g->proto = parley_detect(g->doc, g->conf->accept);

        if (g->proto != PARLEY_PROTO_NONE) {
            return PARLEY_OUTCOME_PASSED;
        }

    } else if (g->conf->accept & PARLEY_PROTO_BIT(g->proto)) {
        return PARLEY_OUTCOME_PASSED;
    }

    (void) parley_error_set(g->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                            "the message is of no protocol that is accepted "
                            "here");

    return PARLEY_OUTCOME_REFUSED;
}


parley_outcome_t
parley_gate_schema(parley_gate_t *g)
{
    int                        rc;
    const parley_codec_t      *codec = parley_codecs[g->proto];
    const parley_gate_conf_t  *conf = g->entry != NULL ? g->entry : g->conf;

    g->msg_read = 1;

    rc = parley_decode(g->engine, g->arena, g->proto, g->doc, conf->mve5,
                       g->msg, g->err);

    /* instead of a member that is missed then */

    if (!conf->any_case && codec->spelling != NULL
        && codec->spelling(g->doc, g->err) != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    return parley_outcome(rc);
}


parley_outcome_t
parley_gate_payload(parley_gate_t *g)
{
    if (g->intents == NULL) {
        return PARLEY_OUTCOME_NONE;
    }

    if (parley_intents_check(g->intents, g->arena, g->msg, g->err) != 0) {
        return PARLEY_OUTCOME_REFUSED;
    }

    /* where nothing is translated the service reads it as the sender says */

    return parley_outcome(parley_intents_check_read(g->intents, g->arena,
                                                    g->msg, g->conf->speak,
                                                    g->err));
}


parley_outcome_t
parley_gate_arguments(parley_gate_t *g)
{
    const parley_gate_conf_t  *conf = g->entry != NULL ? g->entry : g->conf;

    /* the token's is that of where it was a proof */

    parley_arguments_init(&g->arguments, g->proto, g->conf->speak,
                          conf->token);

    if (g->query.len == 0) {
        return PARLEY_OUTCOME_NONE;
    }

    if (parley_arguments_read(&g->arguments, g->arena, g->query, g->err) != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    return parley_outcome(parley_arguments_check(&g->arguments, g->msg,
                                                 g->err));
}


parley_outcome_t
parley_gate_age(parley_gate_t *g)
{
    if (parley_check_age(g->msg, g->conf->past_ms, g->conf->future_ms,
                         g->now_ms, g->err)
        == 0)
    {
        return PARLEY_OUTCOME_PASSED;
    }

    if (!parley_window_knows(g->msg)) {
        return PARLEY_OUTCOME_REFUSED;
    }

    g->stale = parley_arena_alloc(g->arena, sizeof(parley_error_t));

    if (g->stale == NULL) {
        return PARLEY_OUTCOME_FAILED;
    }

    *g->stale = *g->err;
    parley_error_clear(g->err);

    return PARLEY_OUTCOME_PASSED;
}
